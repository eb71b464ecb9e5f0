//! Whether a command runs inside a runtime.

use loopx_runtimes::caller::{
    Ancestor, CallerRuntime, VARIABLES, ancestors_of, is_of_runtime, runtime_among, runtime_ancestor,
};

use crate::scene::{Scene, entry};

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

fn ancestor(comm: &str, args: &[&str]) -> Ancestor {
    Ancestor { pid: 2336, comm: comm.to_owned(), args: args.iter().map(|&arg| arg.to_owned()).collect() }
}

#[test]
fn runtimes_by_name_and_by_script() {
    use CallerRuntime as R;
    let cases: &[(&str, &[&str], Option<R>)] = &[
        ("codex", &["/opt/codex"], Some(R::Codex)),
        ("claude", &["claude", "--resume"], Some(R::ClaudeCode)),
        ("node", &["node", "/n/lib/node_modules/@anthropic-ai/claude-code/cli.js"], Some(R::ClaudeCode)),
        ("node", &["node", "--max-old-space-size=8192", "/n/bin/gemini"], Some(R::GeminiCli)),
        ("MainThread", &["node", "/n/node_modules/@google/gemini-cli/dist/index.js"], Some(R::GeminiCli)),
        ("node", &["/usr/bin/node", "/n/node_modules/@github/copilot/index.js"], Some(R::CopilotCli)),
        ("node", &["node", "/n/node_modules/@openai/codex/bin/codex.js"], Some(R::Codex)),
        ("cursor-agent", &["cursor-agent"], Some(R::Cursor)),
        ("opencode", &["opencode"], Some(R::OpenCode)),
        ("python3", &["python3", "-u", "/v/bin/aider"], Some(R::Aider)),
        ("goose", &["goose", "session"], Some(R::Goose)),
        ("node", &["node", "server.js", "claude"], None),
        ("bash", &["bash", "-c", "claude"], None),
        ("vim", &["vim", "codex"], None),
        ("node", &[], None),
        ("", &[], None),
    ];
    for (comm, args, want) in cases {
        let got = runtime_among(&[ancestor("bash", &["bash"]), ancestor(comm, args)]);
        assert_eq!(got.map(|caller| caller.runtime), *want, "{comm} {args:?}");
    }
}

#[test]
fn the_nearest_ancestor_decides_and_the_registry_names_its_session() {
    let scene = Scene::new();
    scene.process(1, 0, "init", 1);
    scene.process(2000, 1, "codex", 2);
    scene.process(2336, 2000, "claude", 118_955);
    scene.process(2400, 2336, "bash", 3);
    scene.process(2401, 2400, "loopx", 4);
    scene.entry(&entry(SESSION, "busy", None, "2026-11-29T23:31:00Z".parse().unwrap()));
    let sources = scene.sources();
    let found = ancestors_of(&sources, 2401);
    assert_eq!(found.iter().map(|found| found.pid).collect::<Vec<_>>(), [2400, 2336, 2000, 1]);
    let env = |name: &str| (name == "CODEX_THREAD_ID").then(|| "outer".to_owned());
    let caller = runtime_ancestor(&sources, &found, env).unwrap();
    assert_eq!((caller.runtime, caller.pid), (CallerRuntime::ClaudeCode, Some(2336)));
    assert_eq!(caller.session.unwrap().expose(), SESSION);
    assert!(ancestors_of(&sources, 9999).is_empty());
    scene.process(7, 8, "a", 1);
    scene.process(8, 7, "b", 1);
    assert!(ancestors_of(&sources, 7).len() <= 64, "a loop ends");
}

#[test]
fn variables_alone() {
    let sources = Scene::new().sources();
    for variable in VARIABLES {
        let env = |name: &str| (name == variable.name).then(|| "v".to_owned());
        let caller = runtime_ancestor(&sources, &[], env).unwrap();
        assert_eq!(caller.runtime, variable.runtime);
    }
    assert!(runtime_ancestor(&sources, &[], |_| None).is_none());
    assert!(runtime_ancestor(&sources, &[], |_| Some(String::new())).is_none());
}

#[test]
fn a_runtime_is_found_in_the_process_itself_and_in_what_it_let_go() {
    let scene = Scene::new();
    scene.process(1, 0, "init", 1);
    scene.process(2000, 1, "codex", 2);
    scene.process(2001, 2000, "curl", 3);
    scene.process(2002, 1, "curl", 4);
    scene.write("proc/2002/environ", "HOME=/h\0CLAUDECODE=1\0");
    scene.process(2003, 1, "firefox", 5);
    scene.write("proc/2003/environ", "HOME=/h\0NOT_CLAUDECODE=1\0CLAUDECODE=\0");
    let sources = scene.sources();
    let found = [2000, 2001, 2002, 2003, 9999].map(|pid| is_of_runtime(&sources, pid));
    assert_eq!(found, [true, true, true, false, false]);
}
