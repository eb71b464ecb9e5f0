//! What programs check: one program a line, by name.

use super::tool::{Tool, at, builds, lints, runs, targets, tests};

/// Names that package scripts have for tests.
const TEST: &str = "test tests";
/// Names that package scripts have for linters and type checkers.
const LINT: &str = "lint typecheck type-check check check-types tsc format:check format-check fmt:check";
/// Names that package scripts have for builds.
const BUILD: &str = "build compile";
/// Targets that test.
const TESTS: &str =
    "test tests check test-all test-unit test-integration unit-test unit-tests integration-test";
/// Targets that lint.
const LINTS: &str = "lint typecheck type-check clippy mypy vet fmt-check format-check check-fmt check-format";
/// Targets that build.
const BUILDS: &str = "build all compile";

/// Sorted by name.
pub(super) const TOOLS: &[Tool] = &[
    lints("actionlint"),
    at("artisan").test("test"),
    runs("asdf").through("exec"),
    at("astro").lint("check").build("build"),
    tests("ava"),
    lints("basedpyright"),
    tests("bats").but("-c --count"),
    at("bazel").test("test coverage").build("build"),
    at("biome").lint("check lint ci"),
    lints("black").only("--check --diff"),
    at("buck2").test("test").build("build"),
    runs("bun").test(TEST).lint(LINT).build(BUILD).through("run x").takes("--cwd --filter -F"),
    runs("bundle").through("exec").takes("--gemfile"),
    tests("busted").but("-l --list"),
    runs("c8").takes("-r --reporter -o --reports-dir -n --include -x --exclude"),
    at("cabal").test("test v2-test").build("build v2-build").takes("--project-file"),
    runs("caffeinate").takes("-t -w"),
    at("cargo")
        .test("test t tarpaulin llvm-cov")
        .lint("clippy")
        .lint_with("fmt", "--check")
        .build("build b check c")
        .takes("--color --config -Z -C --manifest-path")
        .through("careful hack insta miri")
        .hands("nextest")
        .but("--list")
        .builds_with("--no-run"),
    runs("chronic"),
    lints("clang-tidy").but("--list-checks --dump-config"),
    builds("cmake")
        .test("test check")
        .each()
        .only("--build")
        .takes("--build --config --preset -j --parallel"),
    runs("command").but("-v -V"),
    at("composer").test(TEST).lint(LINT).through("run run-script").takes("-d --working-dir"),
    runs("conda").through("run").takes("-n --name -p --prefix --cwd"),
    runs("coverage").through("run").takes("--source --rcfile --data-file --omit --include --context"),
    lints("cppcheck"),
    runs("cross-env"),
    at("crystal").test("spec").build("build"),
    tests("ctest").but("-N --show-only --print-labels"),
    at("cypress").test("run"),
    at("dart").test("test").lint("analyze").build("compile"),
    runs("dbus-run-session"),
    at("deno").test("test").lint("lint check").lint_with("fmt", "--check").build(BUILD).through("task"),
    runs("direnv").takes("exec"),
    runs("dotenv").through("run").takes("-e -f -v --env-file"),
    at("dotnet")
        .test("test")
        .lint_with("format", "--verify-no-changes")
        .build("build")
        .but("-t --list-tests"),
    runs("env").takes("-u --unset -C --chdir"),
    lints("eslint").but("-v --init --print-config --env-info"),
    runs("exec").takes("-a"),
    lints("flake8"),
    runs("flock").skips(1).takes("-w --timeout -E --conflict-exit-code"),
    at("flutter").test("test").lint("analyze").build("build"),
    at("ginkgo").test("run"),
    runs("go")
        .test("test")
        .lint("vet")
        .build("build")
        .through("run tool")
        .takes("-C")
        .but("-list")
        .builds_with("-c"),
    at("golangci-lint").lint("run"),
    tests("gotestsum"),
    targets("gradle")
        .tails()
        .test("test check testDebugUnitTest testReleaseUnitTest connectedCheck allTests")
        .lint("lint lintDebug lintRelease detekt ktlintCheck spotlessCheck checkstyleMain")
        .build("build assemble assembleDebug assembleRelease classes jar compileJava compileKotlin")
        .takes("-x --exclude-task -p --project-dir -b -c -I --init-script -g --tests")
        .but("-m --dry-run -v tasks projects dependencies"),
    lints("hadolint"),
    runs("hatch").test("test cov").lint(LINT).lint_with("fmt", "--check").through("run").takes("-e --env"),
    targets("invoke").test(TESTS).lint(LINTS).build(BUILDS).takes("-c --collection -r").but("-l --list"),
    runs("ionice").takes("-c --class -n --classdata"),
    lints("isort").only("--check --check-only -c --diff"),
    tests("jasmine").but("init -v"),
    tests("jest").but("-v --listTests --showConfig --init --clearCache"),
    targets("just")
        .test(TESTS)
        .lint(LINTS)
        .build(BUILDS)
        .takes("-f --justfile -d --working-directory")
        .but("-l --list -n --dry-run -s --show --summary"),
    lints("ktlint"),
    targets("lerna").test(TEST).lint(LINT).build(BUILD).takes("--scope --ignore --concurrency"),
    lints("luacheck"),
    targets("make")
        .test(TESTS)
        .lint(LINTS)
        .build(BUILDS)
        .bare_builds()
        .takes("-C --directory -f --file --makefile -I -o -W")
        .but("-n --dry-run --just-print -p -q --question -v"),
    at("manage.py").test("test"),
    lints("markdownlint"),
    lints("markdownlint-cli2"),
    at("meson").test("test").build("compile").but("--list"),
    runs("mise").test(TEST).lint(LINT).build(BUILD).through("exec x run r").takes("-C --cd -E --env"),
    at("mix")
        .test("test coveralls")
        .lint("credo dialyzer")
        .lint_with("format", "--check-formatted")
        .build("compile"),
    tests("mocha").but("-V --dry-run --list-reporters --list-interfaces init"),
    targets("mvn")
        .test("test verify integration-test surefire:test failsafe:verify")
        .lint("checkstyle:check spotless:check pmd:check")
        .build("package compile test-compile install")
        .takes("-f --file -pl --projects -P -s --settings -t -T --threads -l")
        .but("-v")
        .builds_with("-DskipTests -DskipTests=true -Dmaven.test.skip -Dmaven.test.skip=true"),
    lints("mypy").but("-V"),
    at("next").lint("lint").build("build"),
    at("nextest").test("run r").builds_with("--no-run"),
    at("ng").test("test").lint("lint").build("build"),
    runs("nice").takes("-n --adjustment"),
    builds("ninja").test("test check").each().takes("-C -f -j -k -l -d -w").but("-t -n clean install"),
    runs("node")
        .test("--test")
        .takes("--import -r --require --loader --env-file")
        .but("-e --eval -p --print -v -c --check"),
    runs("nohup"),
    tests("nox").lint("lint flake8 mypy typing").each().but("-l --list"),
    runs("npm")
        .test("test tests t tst")
        .lint(LINT)
        .build(BUILD)
        .through("run run-script exec x")
        .takes("-w --workspace --prefix -C -p --package"),
    targets("npm-run-all").test(TEST).lint(LINT).build(BUILD),
    runs("npx").through("run").takes("-p --package -c --call --from --with --python --spec"),
    at("nuxt").lint("typecheck").build("build generate"),
    targets("nx")
        .test("test")
        .lint("lint typecheck")
        .build("build")
        .tails()
        .takes("-p --projects --project --exclude -c"),
    runs("nyc").takes("-r --reporter -n --include -x --exclude"),
    lints("oxlint"),
    runs("pdm").test(TEST).lint(LINT).through("run").takes("-p --project"),
    tests("pest").but("--list-tests"),
    runs("php").takes("-d -c").but("-r -v -l"),
    lints("phpcs"),
    at("phpstan").lint("analyse analyze"),
    tests("phpunit").but("--list-tests --list-suites --list-groups --generate-configuration"),
    lints("pint").only("--test"),
    runs("pipenv").test(TEST).lint(LINT).through("run"),
    runs("pixi").test(TEST).lint(LINT).build(BUILD).through("run").takes("-e --environment --manifest-path"),
    at("playwright").test("test").but("--list"),
    runs("pnpm")
        .test("test tests t")
        .lint(LINT)
        .build(BUILD)
        .through("run exec dlx")
        .takes("--filter --filter-prod -F -C --dir --package"),
    runs("poetry").through("run").takes("-C --directory -P --project"),
    at("pre-commit").lint("run"),
    lints("prettier").only("--check -c -l --list-different"),
    lints("psalm"),
    runs("pyenv").through("exec"),
    lints("pylint").but("--list-msgs --generate-rcfile --generate-toml-config"),
    at("pyrefly").lint("check"),
    lints("pyright").but("--createstub"),
    tests("pytest").but("-V --collect-only --co --fixtures --fixtures-per-test --markers --setup-plan"),
    runs("python").takes("-X -W").but("-c -V"),
    at("rails").test("test spec"),
    targets("rake")
        .test("test tests check spec")
        .lint("lint rubocop")
        .build("build")
        .takes("-f")
        .but("-T --tasks -n -P"),
    runs("rbenv").through("exec"),
    at("react-scripts").test("test").build("build"),
    builds("rollup").but("-w --watch -v"),
    tests("rspec").but("--dry-run -v"),
    lints("rubocop").but("-V -v -L --list-target-files --show-cops --init"),
    at("ruff").lint("check").lint_with("format", "--check --diff"),
    targets("run-p").test(TEST).lint(LINT).build(BUILD),
    targets("run-s").test(TEST).lint(LINT).build(BUILD),
    lints("rustfmt").only("--check"),
    runs("rustup").takes("run"),
    runs("rye").test("test").lint("lint").through("run").takes("-p --package"),
    targets("sbt").test("test testOnly testQuick Test/test").build("compile package assembly Test/compile"),
    runs("setsid"),
    at("setup.py").test("test").build("build"),
    lints("shellcheck").but("-V"),
    at("stack").test("test").build("build").takes("--stack-yaml --resolver"),
    lints("staticcheck").but("-explain -list-checks"),
    runs("stdbuf").takes("-i -o -e"),
    lints("stylelint").but("-v --print-config"),
    runs("sudo").takes("-u --user -g --group -p --prompt -C -T -r -t -U -D --chdir -R").but("-l -e"),
    lints("svelte-check"),
    at("swift").test("test").build("build").but("list --list-tests --show-bin-path"),
    lints("swiftlint").but("rules version docs generate-docs reporters"),
    targets("task")
        .test(TESTS)
        .lint(LINTS)
        .build(BUILDS)
        .takes("-t --taskfile -d --dir")
        .but("-l --list -a --list-all --summary -n --dry --status"),
    runs("taskset").skips(1),
    at("terraform").lint("validate").lint_with("fmt", "-check --check"),
    lints("tflint").but("--init"),
    runs("time").takes("-f --format -o --output"),
    runs("timeout").skips(1).takes("-k --kill-after -s --signal"),
    tests("tox").lint("lint flake8 mypy typing").each().but("-l --listenvs -a list config devenv"),
    lints("tsc").but("-v --init --showConfig --listFilesOnly"),
    builds("tsup").but("-v --watch"),
    at("tsx").test("--test"),
    targets("turbo").test(TEST).lint(LINT).build(BUILD).takes("--filter -F --cwd"),
    at("ty").lint("check"),
    runs("unbuffer"),
    tests("unittest"),
    runs("uv").through("run tool").takes(
        "--with --with-requirements --python -p --extra --group --project --directory --package --from",
    ),
    at("vite").build("build"),
    tests("vitest").but("list init bench -v"),
    at("vue-cli-service").test("test").lint("lint").build("build"),
    lints("vue-tsc").but("-v"),
    builds("webpack").but("serve watch -w --watch init info -v"),
    targets("xcodebuild")
        .test("test test-without-building")
        .build("build archive build-for-testing")
        .bare_builds()
        .takes("-scheme -project -workspace -destination -configuration -sdk -target -derivedDataPath")
        .but("-list -version -showsdks -showBuildSettings -showdestinations"),
    runs("xvfb-run").takes("-s --server-args -n --server-num -f -e -p -w"),
    lints("yamllint"),
    runs("yarn")
        .test(TEST)
        .lint(LINT)
        .build(BUILD)
        .through("run dlx exec workspaces foreach")
        .takes("--cwd workspace -p --package"),
    targets("zig").test("test").build("build build-exe build-lib build-obj").but("fmt init run"),
];
