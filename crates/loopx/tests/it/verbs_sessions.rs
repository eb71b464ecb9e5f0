//! `loopx sessions`, and what sessions decide of the lanes they are bound to.

use std::fs;

use serde_json::Value;

use crate::made::Turn;
use crate::world::World;

/// A goal bound to its folder, with a lane for Codex and one thing to do.
fn bound() -> (World, std::path::PathBuf) {
    let world = World::new().with_processes();
    let project = world.project("atlas");
    let world = world.in_folder(&project);
    world.run(&["init", "atlas", "--agent", "codex", "--proof", "none"]).ok();
    world.run(&["todo", "add", "write the parser"]).ok();
    (world, project)
}

fn row(world: &World) -> Value {
    world.json(&["status", "atlas"])["goals"][0]["lanes"][0]["row"].clone()
}

fn handles(world: &World) -> Vec<String> {
    let document = world.json(&["sessions"]);
    let sessions = document["sessions"].as_array().cloned().unwrap_or_default();
    sessions.iter().filter_map(|one| one["session"]["session_id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn no_sessions_and_no_store_leave_no_store() {
    let world = World::new();
    assert_eq!(world.run(&["sessions"]).ok().out, "no sessions\n");
    assert_eq!(world.json(&["sessions", "list"])["sessions"], serde_json::json!([]));
    world.run(&["status"]).ok();
    assert!(!world.own_files().iter().any(|name| name.starts_with("loopx.") || name == "seal.json"));
}

#[test]
fn where_no_session_could_be_read_it_is_said() {
    let world = World::new().with_processes();
    let made = world.codex(1, &world.path("home"), Turn::Works, 2);
    fs::remove_file(&made.file).unwrap();
    fs::create_dir(&made.file).unwrap();
    let ran = world.run(&["status"]).ok();
    assert!(ran.err.contains("1 file could not be read"), "{}", ran.err);
}

#[test]
fn without_a_home_there_is_a_way_out() {
    let world = World::new().without("HOME").without("LOOPX_HOME");
    world.run(&["sessions"]).fails(1, "set LOOPX_HOME");
}

#[test]
fn a_bound_session_decides_its_lane() {
    for (turn, want) in
        [(Turn::Asks, "prompt"), (Turn::Works, "working"), (Turn::Unsure, "unsure"), (Turn::Failed, "failed")]
    {
        let (world, project) = bound();
        assert_eq!(row(&world), "ready");
        world.codex(1, &project.join("src"), turn, 2);
        assert_eq!(row(&world), want, "{turn:?}");
    }
}

#[test]
fn a_limit_holds_its_lane() {
    let (world, project) = bound();
    world.codex(1, &project, Turn::Limited, 2);
    assert_eq!(row(&world), "limited");
}

#[test]
fn a_session_elsewhere_decides_nothing() {
    let (world, _) = bound();
    world.codex(1, &world.project("elsewhere"), Turn::Asks, 2);
    assert_eq!(row(&world), "ready");
    let all = world.json(&["sessions", "--waiting"]);
    assert_eq!(all["sessions"][0]["goal_id"], Value::Null);
    assert_eq!(all["sessions"][0]["waiting_on"], "user");
}

#[test]
fn a_session_of_another_runtime_belongs_to_the_goal_alone() {
    let (world, project) = bound();
    world.claude(1, &project, Turn::Asks, 2);
    assert_eq!(row(&world), "ready");
    assert_eq!(world.json(&["status", "atlas"])["goals"][0]["unbound_prompts"], 1);
}

#[test]
fn a_session_of_no_lane_stands_above_the_lanes_of_its_goal() {
    let (world, project) = bound();
    world.claude(1, &project, Turn::Asks, 2);
    let shown = world.run(&["status", "atlas"]).ok().out;
    let at = |words: &str| shown.find(words).unwrap_or_else(|| panic!("no {words:?} in {shown}"));
    assert!(at("atlas, no lane") < at("atlas / "), "{shown}");
    assert!(shown.contains("in no lane: see above") && shown.matches("ses_").count() == 1, "{shown}");
}

#[test]
fn the_goals_line_names_its_lane_and_counts_the_others() {
    let (world, _) = bound();
    world.run(&["agent", "add", "other", "--goal", "atlas"]).ok();
    let goal = &world.json(&["status", "atlas"])["goals"][0];
    let others = goal["others"].as_object().expect("counts");
    assert!(goal["first_agent_id"].is_string(), "{goal}");
    assert_eq!(others.values().filter_map(Value::as_u64).sum::<u64>(), 1, "{goal}");
}

/// Whether the lane is decided for as a call from inside it.
fn is_inside(world: &World, agent: &str) -> bool {
    let screen = world.json(&["project", "--goal", "atlas", "--agent", agent]);
    !screen["first_screen"]["next_action"].as_str().expect("words").contains("no session attached")
}

#[test]
fn what_a_sessions_environment_names_goes_before_its_folder() {
    let (world, project) = bound();
    world.run(&["agent", "add", "other", "--goal", "atlas"]).ok();
    let made = world.codex(1, &project, Turn::Works, 2);
    let inside = world.inside(&made.native_id);
    let lane = world.json(&["sessions"])["sessions"][0]["agent_id"].as_str().expect("a lane").to_owned();
    assert!(is_inside(&inside, &lane) && !is_inside(&inside, "other"));
    let named = inside.with("LOOPX_GOAL", "atlas").with("LOOPX_AGENT", "other");
    assert!(is_inside(&named, "other"));
    assert_eq!(named.json(&["sessions"])["sessions"][0]["agent_id"], "other");
}

#[test]
fn a_call_from_a_session_of_no_lane_is_not_taken_for_every_lane() {
    let (world, _) = bound();
    world.run(&["agent", "add", "other", "--goal", "atlas"]).ok();
    let inside = world.inside("0199f7a2-0000-7000-8000-000000000001");
    for lane in inside.json(&["status", "atlas"])["goals"][0]["lanes"].as_array().expect("lanes") {
        assert_eq!(lane["projection"]["runtime"]["runtime_id"], "none", "{lane}");
    }
    assert!(is_inside(&inside, "other"), "the lane that it asks about");
}

#[test]
fn a_session_that_is_bound_by_itself_need_not_name_its_lane() {
    let (world, _) = bound();
    let elsewhere = world.project("elsewhere");
    world.run(&["agent", "add", "other", "--goal", "atlas"]).ok();
    let made = world.codex(1, &elsewhere, Turn::Works, 2);
    let handle = handles(&world).remove(0);
    world.run(&["bind", &handle, "--goal", "atlas", "--agent", "other"]).ok();
    let inside = world.in_folder(&elsewhere).inside(&made.native_id);
    assert_eq!(inside.run(&["next", "--json"]).json()["projection"]["agent_id"], "other");
}

#[test]
fn a_worktree_belongs_to_its_repository() {
    let (world, project) = bound();
    let tree = world.project("tree");
    let private = project.join(".git/worktrees/tree");
    fs::create_dir_all(&private).expect("folders");
    fs::write(private.join("commondir"), "../..\n").expect("a file");
    fs::write(tree.join(".git"), format!("gitdir: {}\n", private.display())).expect("a file");
    world.codex(1, &tree, Turn::Asks, 2);
    assert_eq!(row(&world), "prompt");
    let there = world.in_folder(&tree).json(&["init"]);
    assert_eq!((there["goal_id"].as_str(), there["added"].as_bool()), (Some("atlas"), Some(false)));
}

#[test]
fn show_tells_all_but_what_is_private() {
    let (world, project) = bound();
    let made = world.codex(1, &project, Turn::Asks, 2);
    let handle = handles(&world).remove(0);
    let ran = world.run(&["sessions", "show", &handle[..12]]).ok();
    assert!(ran.out.contains("waiting_answer, by transcript"), "{ran:?}");
    let whole = world.run(&["sessions", "show", &handle, "--json"]).ok();
    assert_eq!(whole.json()["session"]["state"], "waiting_answer");
    for said in [ran.out, whole.out] {
        assert!(!said.contains(&made.native_id) && !said.contains("home"), "{said}");
    }
    world.run(&["sessions", "show", "ses_00000"]).fails(3, "hint: see `loopx sessions`");
    world.run(&["sessions", "show", "atlas"]).fails(2, "hint: see `loopx sessions`");
    world.run(&["sessions", "show", "ses_é"]).fails(2, "hint: ");
}

#[test]
fn private_things_are_for_a_terminal_only() {
    let (world, project) = bound();
    let made = world.codex(1, &project, Turn::Asks, 2);
    for args in [&["sessions", "--private"][..], &["sessions", "list", "--private"]] {
        let ran = world.run(args).fails(7, "hint: ");
        assert_eq!(ran.out, "");
    }
    let handle = handles(&world).remove(0);
    world.run(&["sessions", "show", &handle, "--private"]).fails(7, "at a terminal only");
    let ran = world.run(&["sessions", "--private", "--json"]).fails(7, "never in JSON");
    assert!(!ran.out.contains(&made.native_id), "{ran:?}");
    let (code, out) = world.run_at_terminal(&["sessions", "show", &handle, "--private"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains(&format!("codex resume {}", made.native_id)), "{out}");
    let (code, out) = world.inside("an-agent").run_at_terminal(&["sessions", "--private"]);
    assert_eq!((code, out.as_str()), (7, ""));
}

#[test]
fn inspect_names_lines_and_never_their_text() {
    let world = World::new();
    let made = world.codex(1, &world.project("atlas"), Turn::Asks, 2);
    let file = made.file.to_str().expect("text").to_owned();
    let document = world.run(&["sessions", "inspect", &file, "--runtime", "codex_cli_tui"]).ok().json();
    assert_eq!(document["session"]["state"], "waiting_answer");
    assert_eq!(document["session"]["tier"], "transcript");
    let evidence = document["evidence"].as_array().cloned().unwrap_or_default();
    assert!(
        evidence.iter().any(|one| one["what"] == "open_question" && one["first_line"] == 4),
        "{document}"
    );
    let old = ["sessions", "inspect", &file, "--runtime", "codex", "--at", "2100-01-01T00:00:00Z"];
    assert_eq!(world.run(&old).ok().json()["session"]["state"], "unknown");
    let claude = world.run(&["sessions", "inspect", &file, "--runtime", "claude_code"]).ok().json();
    assert_eq!(claude["session"]["state"], "not_a_session");
    world.run(&["sessions", "inspect", "nowhere", "--runtime", "codex"]).fails(3, "no file nowhere");
    world.run(&["sessions", "inspect", &file, "--runtime", "other"]).fails(2, "codex");
    let homeless = world.without("HOME").without("LOOPX_HOME");
    homeless.run(&["sessions", "inspect", &file, "--runtime", "codex"]).ok();
}

#[test]
fn a_failed_session_is_dismissed() {
    let (world, project) = bound();
    world.codex(1, &project, Turn::Failed, 2);
    assert_eq!(row(&world), "failed");
    let handle = handles(&world).remove(0);
    world.run(&["sessions", "dismiss", &handle]).ok();
    assert_eq!(row(&world), "ready");
}

#[test]
fn a_session_that_was_killed_in_its_turn_was_listed_at_rest_and_next_said_it_died() {
    let (world, project) = bound();
    world.codex(1, &project, Turn::Works, 2);
    let todo = world.json(&["todo", "list"])["todos"][0]["id"].as_str().expect("an id").to_owned();
    world.run(&["todo", "claim", &todo]).ok();
    assert_eq!(row(&world), "working");
    fs::write(world.env.proc.join("locks"), "").expect("the locks");
    let next = world.run(&["next", "--agent", "codex"]).fails(12, "");
    assert!(next.out.contains(": died at "), "{next:?}");
    let document = world.json(&["sessions"]);
    let listed = &document["sessions"][0];
    assert_eq!((&listed["waiting_on"], &listed["session"]["state"]), (&"runtime".into(), &"unknown".into()));
    for verb in ["sessions", "status"] {
        let ran = world.run(&[verb]).ok();
        assert!(ran.out.contains("? runtime") && ran.out.contains("died in its turn"), "{ran:?}");
        assert!(!ran.out.contains("at rest"), "{ran:?}");
    }
    let handle = handles(&world).remove(0);
    let shown = world.run(&["sessions", "show", &handle]).ok();
    assert!(shown.out.contains("? runtime") && shown.out.contains("dead, died in its turn"), "{shown:?}");
    // As long as the row says so: a day.
    let (world, project) = bound();
    world.codex(1, &project, Turn::Works, 25 * 60);
    fs::write(world.env.proc.join("locks"), "").expect("the locks");
    let document = world.json(&["sessions", "--all"]);
    assert_eq!(document["sessions"][0]["waiting_on"], "none", "{document}");
}

#[test]
fn what_can_not_be_dismissed_says_why() {
    let (world, project) = bound();
    world.codex(1, &project, Turn::Done, 2);
    let idle = handles(&world).remove(0);
    world.run(&["sessions", "dismiss", &idle]).fails(4, "did not fail: it is idle\nhint: ");
    world.codex(2, &world.project("elsewhere"), Turn::Failed, 2);
    let failed = handles(&world).into_iter().find(|one| *one != idle).expect("another");
    world.run(&["sessions", "dismiss", &failed]).fails(4, "`loopx bind ses_");
    world.run(&["bind", &failed, "--goal", "atlas", "--agent", "codex"]).ok();
    world.run(&["sessions", "dismiss", &failed]).ok();
}

#[test]
fn nothing_that_is_private_comes_out() {
    let world = World::new().with_processes();
    let project = world.project("canary-folder/atlas");
    let world = world.in_folder(&project);
    let canaries = ["canary-folder", "made up", "01a229a5", "88a73867", "turn-1", "toolu_1", "msg_1"];
    world.run(&["init", "--proof", "none"]).ok();
    world.run(&["todo", "add", "write the parser"]).ok();
    let mut file = String::new();
    for (number, turn) in (1..).zip([Turn::Asks, Turn::Unsure, Turn::Failed, Turn::Limited, Turn::Done]) {
        file = world.codex(number, &project, turn, 2).file.to_string_lossy().into_owned();
        world.claude(number, &project.join("below"), turn, 2);
    }
    let handle = handles(&world).remove(0);
    let inspect = ["sessions", "inspect", &file, "--runtime", "codex"];
    for args in [
        &["sessions"][..],
        &["sessions", "list", "--waiting"],
        &["sessions", "show", &handle],
        &["sessions", "dismiss", &handle],
        &["sessions", "--private"],
        &inspect,
        &["bind", "--list"],
        &["bind", &handle, "--agent", "codex"],
        &["unbind", &handle],
        &["init"],
        &["init", "other"],
        &["export"],
        &["doctor"],
        &["status"],
        &["project", "--agent", "codex"],
        &["log"],
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = world.run(&[args, json].concat());
            let said = format!("{}{}", ran.out, ran.err);
            for canary in canaries {
                assert!(!said.contains(canary), "{canary} in {args:?}: {said}");
            }
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let (world, project) = bound();
    world.codex(1, &project, Turn::Asks, 2);
    assert_eq!(world.run_closed(&["sessions"]), 0);
    assert_eq!(world.run_closed(&["sessions", "--json"]), 0);
}

#[test]
fn a_session_that_asks_from_inside_is_shown_running_by_the_callers_own_evidence() {
    let (world, project) = bound();
    let made = world.codex(1, &project, Turn::Unsure, 2);
    let session = |world: &World| world.json(&["sessions"])["sessions"][0]["session"].clone();
    assert_eq!(
        (&session(&world)["state"], &session(&world)["tier"]),
        (&"unknown".into(), &"transcript".into())
    );
    let inside = session(&world.inside(&made.native_id));
    assert_eq!((&inside["state"], &inside["tier"]), (&"running".into(), &"caller".into()));
    assert_eq!(inside["missing"], serde_json::json!([]));
    assert_eq!(row(&world.inside(&made.native_id)), "ready");
    assert_eq!(row(&world), "unsure");
}

#[test]
fn the_session_of_a_runtime_that_is_not_read_is_not_withheld() {
    let (world, _) = bound();
    let inside = world.with("AMP_CURRENT_THREAD_ID", "T-made-up-thread");
    let runtime = inside.json(&["project"])["runtime"].clone();
    assert_eq!(runtime["runtime_id"], "amp");
    assert!(runtime["session_id"].as_str().expect("a handle").starts_with("ses_"), "{runtime}");
    assert_eq!(runtime["source_ids_redacted"], false);
}

#[test]
fn of_several_lanes_in_a_folder_a_call_is_from_the_only_one_of_its_runtime() {
    let world = World::new().with_processes();
    let project = world.project("atlas");
    let world = world.in_folder(&project);
    let lanes =
        ["--agent", "codex", "--runtime", "codex_cli_tui", "--agent", "claude", "--runtime", "claude_code"];
    world.run(&[&["init", "atlas", "--proof", "none"][..], &lanes].concat()).ok();
    world.run(&["next"]).fails(2, "--agent");
    let inside = world.with("CLAUDECODE", "1");
    assert_eq!(inside.run(&["next", "--json"]).json()["projection"]["agent_id"], "claude");
}

/// A session whose file nothing was written to for a month, and which no process holds.
fn old(world: &World, number: u32, cwd: &std::path::Path) -> String {
    let made = world.codex(number, cwd, Turn::Failed, 2);
    let known = handles(world);
    let month = made.file.metadata().unwrap().modified().unwrap() - std::time::Duration::from_hours(30 * 24);
    fs::File::options().append(true).open(&made.file).unwrap().set_modified(month).unwrap();
    world.run(&["status", "--fresh"]).ok();
    known.into_iter().next().unwrap()
}

#[test]
fn a_session_that_usage_counts_can_be_shown_however_old_it_is() {
    let world = World::new();
    let session = old(&world, 1, &world.project("atlas"));
    assert_eq!(handles(&world), Vec::<String>::new());
    let listed = world.run(&["sessions"]).ok().out;
    assert!(listed.contains("1 older sessions: see `loopx sessions list --all`"), "{listed}");
    let all = world.json(&["sessions", "list", "--all"]);
    assert_eq!(all["sessions"][0]["session"]["session_id"], session.as_str());
    assert_eq!(world.json(&["sessions", "show", &session])["session"]["session_id"], session.as_str());
    world.run(&["sessions", "show", &session[..8]]).ok();
    let none = format!("ses_{}", "0".repeat(26));
    world.run(&["sessions", "show", &none]).fails(3, "is seen on this machine");
}

#[test]
fn a_goal_and_an_agent_narrow_sessions_and_usage_down() {
    let (world, project) = bound();
    world.codex(1, &project, Turn::Works, 2);
    world.claude(2, &project, Turn::Works, 2);
    world.claude(3, &world.project("elsewhere"), Turn::Works, 2);
    let count = |args: &[&str], list: &str| world.json(args)[list].as_array().unwrap().len();
    for (verb, list, [all, goal, lane]) in
        // No made session of Codex spends anything, and what two of Claude Code's tell alike counts once.
        [(&["sessions", "list"][..], "sessions", [3, 2, 1]), (&["usage"], "rows", [1, 1, 0])]
    {
        let narrowed = |more: &[&str]| count(&[verb, more].concat(), list);
        assert_eq!(
            (narrowed(&[]), narrowed(&["-g", "atlas"]), narrowed(&["-a", "codex"])),
            (all, goal, lane),
            "{verb:?}"
        );
        world.run(&[verb, &["-g", "nowhere"]].concat()).fails(3, "nowhere");
    }
}

#[test]
fn reasoning_that_no_runtime_tells_apart_is_not_nothing() {
    let world = World::new().with_processes();
    world.claude(1, &world.project("atlas"), Turn::Works, 2);
    let total = &world.json(&["usage"])["total"];
    assert_eq!((&total["output_tokens"], &total["reasoning_output_tokens"]), (&1.into(), &Value::Null));
}

#[test]
fn days_end_where_the_operators_config_says() {
    let world = World::new().with("TZ", "Asia/Tokyo");
    assert_eq!(world.json(&["usage", "--by", "day"])["time_zone"], "Asia/Tokyo");
    fs::write(world.path("loopx/config.toml"), "display.time = \"utc\"\n").unwrap();
    assert_eq!(world.json(&["usage", "--by", "day"])["time_zone"], "UTC");
}

#[test]
fn a_file_that_usage_could_not_read_is_said() {
    let world = World::new().with_processes();
    let made = world.codex(1, &world.project("atlas"), Turn::Works, 2);
    assert!(!world.run(&["usage"]).ok().err.contains("could not be read"));
    fs::write(format!("{}.zst", made.file.display()), "no packed file").unwrap();
    let ran = world.run(&["usage"]).ok();
    assert!(ran.err.contains("1 session file could not be read"), "{}", ran.err);
}
