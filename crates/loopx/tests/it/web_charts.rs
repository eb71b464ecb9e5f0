//! Charts and history: what the log tells of the past, what sessions' records add, and what neither does.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId, TodoId};
use loopx_core::agent::AgentKind;
use loopx_core::event::LogAudience;
use loopx_core::goal::GoalState;
use loopx_core::todo::{Priority, TodoClass};
use loopx_core::{Actor, Channel, Event, Proof, ProofFloor, Who};
use loopx_safety::PublicText;
use loopx_store::SqliteStore;
use serde_json::Value;

use crate::serving::Served;
use crate::world::World;

fn text(text: &str) -> PublicText {
    PublicText::new(text).expect("a clean text")
}

fn now(world: &World) -> Timestamp {
    world.json(&["status"])["now"].as_str().expect("an instant").parse().expect("an instant")
}

/// A goal that began ten hours ago, with a lane that has something to do since then, and was paused from the third hour to
/// the fourth.
fn pilot(world: &World) -> Timestamp {
    let began = now(world) - SignedDuration::from_hours(10);
    let hour = |hours| began + SignedDuration::from_hours(hours);
    let events = vec![
        (
            hour(0),
            Event::GoalAdded {
                objective: text("ship the pilot").into(),
                proof: ProofFloor::None,
                read: Vec::new(),
                write: Vec::new(),
                private_data_rule: None,
                stop_condition: text("stop for the gate").into(),
            },
        ),
        (
            hour(0),
            Event::AgentAdded {
                agent: AgentId::parse("claude").expect("an id"),
                kind: AgentKind::Automation,
                runtime: None,
                capabilities: Vec::new(),
            },
        ),
        (
            hour(0),
            Event::TodoAdded {
                todo: TodoId::parse("todo_0000000000000001").expect("an id"),
                title: text("write it").into(),
                audience: LogAudience::Agent,
                priority: Priority::P2,
                class: TodoClass::Advance,
                globs: Vec::new(),
                needs: Vec::new(),
                blocked_by: Vec::new(),
                by: None,
            },
        ),
        (hour(3), Event::GoalStateSet { from: GoalState::Active, to: GoalState::Paused }),
        (hour(4), Event::GoalStateSet { from: GoalState::Paused, to: GoalState::Active }),
    ];
    let person = Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::None };
    let mut store = SqliteStore::open(&world.path("loopx")).expect("a store");
    store.append_all(&GoalId::parse("pilot").expect("an id"), &person, events).expect("recorded");
    began
}

/// A session in the project whose only turn began and ended then; its handle.
fn turn(world: &World, from: Timestamp, to: Timestamp) -> String {
    let project = world.path("work/pilot");
    std::fs::create_dir_all(&project).expect("a folder");
    world.run(&["bind", project.to_str().expect("a path"), "--goal", "pilot", "--agent", "claude"]).ok();
    let folder = world.path("home/.claude/projects/-pilot");
    std::fs::create_dir_all(&folder).expect("a folder");
    let id = "88a73867-150f-4f26-a74c-000000000001";
    let line = |at: Timestamp, kind: &str, message: Value| {
        let line = serde_json::json!({
            "parentUuid": null, "isSidechain": false, "type": kind, "message": message, "uuid": at.to_string(),
            "timestamp": at.to_string(), "userType": "external", "entrypoint": "cli", "cwd": project,
            "sessionId": id, "version": "2.1.332", "gitBranch": "main", "origin": {"kind": "human"},
        });
        format!("{line}\n")
    };
    let said = serde_json::json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "made up"}], "usage": {"input_tokens": 900, "output_tokens": 100},
    });
    let asked = serde_json::json!({"role": "user", "content": "made up"});
    let lines = line(from, "user", asked) + &line(to, "assistant", said);
    std::fs::write(folder.join(format!("{id}.jsonl")), lines).expect("a file");
    let seen = world.json(&["sessions", "list", "--all"]);
    seen["sessions"][0]["session"]["session_id"].as_str().expect("a handle").to_owned()
}

/// The past as the document tells it: from, to, whom, row, told by.
fn spans(served: &Served, cookie: &str) -> Vec<(Timestamp, Timestamp, String, String, String)> {
    let answer = served.ask("GET", "/api/v0/charts", &[("cookie", cookie)]);
    let told: Value = serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"));
    let spans = told["goals"][0]["lanes"][0]["spans"].as_array().expect("spans").clone();
    let at = |value: &Value| value.as_str().expect("an instant").parse().expect("an instant");
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    spans
        .iter()
        .map(|span| {
            (
                at(&span["from"]),
                at(&span["to"]),
                word(&span["whom"]),
                word(&span["row"]),
                word(&span["told_by"]),
            )
        })
        .collect()
}

#[test]
fn what_a_lane_waited_on_is_told_without_a_gap_and_without_a_guess() {
    let world = World::new();
    let began = pilot(&world);
    let hour = |hours| began + SignedDuration::from_hours(hours);
    let session = turn(&world, hour(2), hour(6));
    let served = Served::of(&world);
    let cookie = served.cookie();
    let told = spans(&served, &cookie);
    assert!(told.windows(2).all(|pair| pair[0].1 == pair[1].0), "{told:?}");
    let told: Vec<_> = told
        .iter()
        .map(|(from, _, whom, row, by)| {
            let hours = (from.as_second() - began.as_second()) / 3600;
            (hours, whom.as_str(), row.as_str(), by.as_str())
        })
        .collect();
    assert_eq!(
        told,
        [
            (0, "agents_turn", "ready", "log"),
            (2, "at_work", "working", "session"),
            (3, "controller", "paused", "log"),
            (4, "at_work", "working", "session"),
            (6, "agents_turn", "ready", "log"),
        ]
    );
    let page = |path: &str| served.ask("GET", path, &[("cookie", &cookie)]).body;
    let then = |hours| page(&format!("/history?at={}", hour(hours)));
    assert!(then(2).contains(&session) && then(2).contains("ran from"), "{}", then(2));
    let (before, paused) = (then(1), then(3));
    assert!(before.contains("missing: the session state then") && !before.contains(&session), "{before}");
    assert!(paused.contains("resume the goal") && paused.contains("waiting on the controller"), "{paused}");
    let line = page(&format!("/sessions/{session}"));
    assert!(line.contains("1 turn that is over") && line.contains("is not recorded"), "{line}");
    for path in ["/charts", "/charts?reach=week", "/goals/pilot"] {
        let drawn = page(path);
        assert!(drawn.contains("class=\"w-work\"") && drawn.contains("As a table"), "{path}: {drawn}");
        assert!(!drawn.contains("style="), "{path}: the policy forbids it");
    }
}

#[test]
fn charts_count_what_the_command_line_counts() {
    let world = World::new();
    pilot(&world);
    let lane = ["--goal", "pilot", "--agent", "claude"];
    world.run(&["quota", "set", "--turns", "4", "--goal", "pilot"]).ok();
    for key in ["one", "two", "three"] {
        world.run(&[&["quota", "spend", "--turn-key", key][..], &lane].concat()).ok();
    }
    for outcome in ["passed", "passed", "failed"] {
        let run = ["run", "record", "--kind", "validation", "--check", "tests", "--outcome", outcome];
        world.run(&[&run[..], &lane].concat()).ok();
    }
    let served = Served::of(&world);
    let cookie = served.cookie();
    let answer = served.ask("GET", "/api/v0/charts", &[("cookie", &cookie)]);
    let told: Value = serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"));
    let goal = &told["goals"][0];
    let shown = world.json(&["quota", "show", "--goal", "pilot"]);
    assert_eq!(goal["limits"][0]["used"], shown["limits"][0]["turns"]["used"]);
    assert_eq!((&goal["limits"][0]["used"], &goal["limits"][0]["pace"]), (&3.into(), &"unknown".into()));
    let runs: Vec<(&str, u64)> = goal["days"]
        .as_array()
        .expect("days")
        .iter()
        .flat_map(|day| day["runs"].as_array().expect("runs"))
        .map(|runs| (runs["outcome"].as_str().expect("a word"), runs["count"].as_u64().expect("a count")))
        .collect();
    assert_eq!(runs, [("passed", 2), ("failed", 1)]);
    let page = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]).body;
    assert!(page.contains("1 of 4 turns left in 1d") && page.contains("3 runs of pilot"), "{page}");
    // What is recorded while the page stands is on the next one.
    world.run(&[&["quota", "spend", "--turn-key", "four"][..], &lane].concat()).ok();
    let used_up = || served.ask("GET", "/charts", &[("cookie", &cookie)]).body.contains("used up");
    assert!((0..200).any(|_| used_up() || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        false
    }));
}

#[test]
fn an_instant_has_an_address_of_its_own() {
    let world = World::new();
    let began = pilot(&world);
    let served = Served::of(&world);
    let cookie = served.cookie();
    let ask = |path: &str| served.ask("GET", path, &[("cookie", &cookie)]);
    let led = ask("/history?second=3600");
    let then = began + SignedDuration::from_hours(1);
    let place = format!("/history?at={}", then.strftime("%Y-%m-%dT%H:%M:%SZ"));
    assert_eq!((led.status, led.header("location")), (303, place.as_str()));
    assert_eq!(ask(&place).status, 200);
    for (bad, status) in
        [("/history?at=yesterday", 400), ("/history?second=x", 400), ("/charts?reach=age", 200)]
    {
        assert_eq!(ask(bad).status, status, "{bad}");
    }
    // Before the beginning and after now there is nothing: the nearest instant is shown.
    for edge in ["1970-01-01T00:00:00Z", "9999-12-01T00:00:00Z"] {
        assert!(ask(&format!("/history?at={edge}")).body.contains("pilot"), "{edge}");
    }
}

#[test]
fn without_a_goal_charts_say_how_to_begin() {
    let world = World::new();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let page = served.ask("GET", "/charts", &[("cookie", &cookie)]);
    assert!(page.status == 200 && page.body.contains("Nothing to draw yet"), "{page:?}");
}
