//! What the page and its API show and do.

use crate::made::Turn;
use crate::serving::Served;
use crate::stage;
use crate::world::World;

/// A world with a goal that takes decisions from anywhere, a gate and a lane.
fn world() -> (World, String) {
    let world = World::new();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    world.run(&["agent", "add", "codex", "--goal", "pilot"]).ok();
    let gate = world.run(&["gate", "ask", "may it go out?", "--goal", "pilot", "--json"]).ok().id();
    (world, gate)
}

#[test]
fn the_api_gives_what_the_command_line_gives() {
    let (world, _) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let told = served.ask("GET", "/api/v0/status", &[("cookie", &cookie)]);
    assert_eq!(told.header("content-type"), "application/json");
    let mut told: serde_json::Value = serde_json::from_str(&told.body).expect("a document");
    let mut said = world.json(&["status"]);
    for moment in ["now", "swept_at"] {
        told[moment].take();
        said[moment].take();
    }
    assert_eq!(told, said);
}

#[test]
fn the_first_screen_says_who_is_needed() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let page = |path: &str| served.ask("GET", path, &[("cookie", &cookie)]).body;
    let first = page("/");
    assert!(first.contains("<title>(1) LoopX</title>") && first.contains("1 lane waits on you"), "{first}");
    assert!(first.contains("may it go out?") && first.contains("href=\"/goals/pilot/codex\""), "{first}");
    assert!(page("/goals/pilot").contains(&gate));
    assert!(page("/goals/pilot/codex").contains("operator_gate"));
    assert!(page("/history").contains("may it go out?"));
    for missing in
        ["/goals/other", "/goals/pilot/other", "/goals/pilot/codex/more", "/sessions/none", "/none"]
    {
        let answer = served.ask("GET", missing, &[("cookie", &cookie)]);
        assert_eq!(answer.status, 404, "{missing}");
        assert!(answer.body.contains("href=\"/jump\""), "{missing} leads nowhere: {answer:?}");
    }
}

#[test]
fn a_decision_for_two_lanes_was_counted_as_two() {
    let (world, _) = world();
    world.run(&["agent", "add", "zoe", "--goal", "pilot"]).ok();
    let served = Served::of(&world);
    let first = served.ask("GET", "/", &[("cookie", &served.cookie())]).body;
    assert!(first.contains("<title>(1) LoopX</title>"), "{first}");
    assert!(first.contains("1 thing in 2 lanes waits on you"), "{first}");
    assert_eq!(first.matches(" data-same").count(), 1, "{first}");
}

#[test]
fn what_waits_on_a_person_can_be_decided_in_its_row() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let first = served.ask("GET", "/", &[("cookie", &cookie)]).body;
    let row = first.split("<li class=\"lane\"").nth(1).expect("a row");
    assert!(row.contains(&format!("name=\"gate\" value=\"{gate}\"")), "{row}");
    assert!(row.contains("value=\"approve\"") && row.contains("value=\"reject\""), "{row}");
    assert!(first.contains("/assets/icon-you.svg"), "{first}");
    world.run(&["gate", "approve", &gate, "--goal", "pilot"]).ok();
    let asked = ["gate", "ask", "is the budget good?", "--actor", "controller", "--goal", "pilot", "--json"];
    let controllers = world.run(&asked).ok().id();
    let first = served.until(&cookie, "/", &format!("name=\"gate\" value=\"{controllers}\""));
    assert!(first.contains("data-whom=\"controller\"") && !first.contains(&gate), "{first}");
    world.run(&["gate", "withdraw", &controllers, "--goal", "pilot"]).ok();
    world.run(&["goal", "pause", "pilot"]).ok();
    let first = served.until(&cookie, "/", "value=\"resume\"");
    assert!(!first.contains("value=\"approve\""), "{first}");
    assert!(first.contains("/assets/icon.svg"), "{first}");
}

#[test]
fn the_page_said_that_no_run_was_recorded() {
    let (world, _) = world();
    let recorded = [
        "run",
        "record",
        "--kind",
        "progress",
        "--summary",
        "it reads",
        "--goal",
        "pilot",
        "--agent",
        "codex",
    ];
    let run = world.run(&[&recorded[..], &["--json"]].concat()).ok().id();
    world.run(&["reward", "give", &run, "good", "--reason", "small", "--goal", "pilot"]).ok();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let page = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]).body;
    for shown in ["it reads", "<b>good</b>: small", &run] {
        assert!(page.contains(shown), "no {shown} in {page}");
    }
}

#[test]
fn a_goal_of_many_todos_shows_the_first_ones_and_says_how_many_more() {
    let world = World::new();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    for number in 0..203 {
        let title = format!("thing {number} of many");
        world.run(&["todo", "add", &title, "--goal", "pilot", "--priority", "p3"]).ok();
    }
    world.run(&["todo", "add", "the first of all", "--goal", "pilot", "--priority", "p0"]).ok();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let page = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]).body;
    let todos = page.split("id=\"todos\"").nth(1).expect("todos");
    assert_eq!(todos.matches(" id=\"todo_").count(), 200);
    let rows = todos.split(" id=\"todo_").nth(1).expect("a row");
    assert!(rows.contains("the first of all"), "{rows}");
    assert!(todos.contains("4 more are not shown") && todos.contains("loopx todo list -g pilot"), "{todos}");
}

#[test]
fn all_there_is_to_go_to_is_in_one_list() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let list = served.ask("GET", "/jump", &[("cookie", &cookie)]).body;
    let gate = format!("/goals/pilot#{gate}");
    let places = ["/", "/history", "/pair", "/goals/pilot", "/goals/pilot/codex", "/goals/pilot#add"];
    for place in places.into_iter().chain([gate.as_str()]) {
        assert!(list.contains(&format!("href=\"{place}\"")), "no {place} in {list}");
    }
    // What it leads to on a page is there.
    let page = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]).body;
    for part in list.split("href=\"/goals/pilot#").skip(1) {
        let id = part.split('"').next().expect("an id");
        assert!(page.contains(&format!("id=\"{id}\"")), "no {id} in {page}");
    }
}

#[test]
fn limits_that_were_set_stand_in_the_form_that_sets_them() {
    let (world, _) = world();
    world.run(&["quota", "set", "--tokens", "1000", "--window", "48h", "--goal", "pilot"]).ok();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let page = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]).body;
    for (name, value) in [("tokens", "1000"), ("hours", "48")] {
        let field =
            page.split("<input").find(|field| field.contains(&format!("name=\"{name}\" type=\"number\"")));
        let field = field.expect("a field");
        assert!(field.contains(&format!("value=\"{value}\"")), "{field}");
    }
}

#[test]
fn a_page_that_shows_a_session_is_told_that_it_moved() {
    let world = World::new();
    let folder = world.project("made-up");
    world.claude(1, &folder, Turn::Done, 5);
    let served = Served::of(&world);
    let cookie = served.cookie();
    let session = world.json(&["sessions", "list"])["sessions"][0]["session"]["session_id"].clone();
    let session = session.as_str().expect("a handle");
    let moves = || drop(world.claude(1, &folder, Turn::Asks, 1));
    let told = served.told(&cookie, "event: reset", moves, &format!("event: session\ndata: {session}\n"));
    assert!(told.contains("event: prompts\n"), "{told}");
    let page = served.ask("GET", &format!("/sessions/{session}"), &[("cookie", &cookie)]).body;
    assert!(page.contains("waiting for an answer") && page.contains("a question is open"), "{page}");
}

/// Everything that a person reads on a page, without what is to be typed or copied, and without ids.
fn read(page: &str) -> String {
    let mut words = String::new();
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag");
        if !tag.starts_with("code") && !tag.contains("class=\"id\"") && !tag.starts_with("pre") {
            words += text;
            words.push(' ');
        }
    }
    words
}

#[test]
fn enums_were_shown_by_their_names_in_the_code() {
    let world = World::new();
    world.run(&["demo", "--dir", world.path("sample").to_str().expect("a path")]).ok();
    let sample = |name: &str| world.path("sample").join(name);
    let world = world.with("HOME", sample("home")).with("LOOPX_HOME", sample("loopx"));
    let served = Served::of(&world.with("CODEX_HOME", sample("home/.codex")));
    let cookie = served.cookie();
    let list = served.ask("GET", "/jump", &[("cookie", &cookie)]).body;
    let places = list.split("href=\"").filter_map(|part| part.split('"').next());
    let mut seen = 0;
    for place in places.filter(|place| place.starts_with("/sessions/")) {
        let page = served.ask("GET", place, &[("cookie", &cookie)]);
        assert_eq!(page.status, 200, "{place}");
        let words = read(&page.body);
        for name in ["waiting_", "rate_limited", "limit_reset", "permission_state", "{", "::"] {
            assert!(!words.contains(name), "{name} in {words}");
        }
        seen += 1;
    }
    assert!(seen > 3, "{list}");
}

#[test]
fn a_text_is_shown_and_not_obeyed() {
    let (world, _) = world();
    let title = "<b>bold</b> & \"quoted\"";
    let added = world.run(&["todo", "add", title, "--goal", "pilot"]);
    let served = Served::of(&world);
    let cookie = served.cookie();
    let page = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]).body;
    assert!(!page.contains("<b>bold"), "{page}");
    assert_eq!(page.contains("&lt;b&gt;bold"), added.code == 0, "{page}");
}

#[test]
fn what_is_confirmed_is_what_was_shown() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let previewed = served.post(&cookie, "/goals/pilot/preview", &[("act", "approve"), ("gate", &gate)]);
    assert_eq!(previewed.status, 200, "{previewed:?}");
    assert!(previewed.body.contains("gate_approved"), "{previewed:?}");
    let carried: Vec<(String, String)> =
        ["act", "gate", "key", "seen"].map(|name| (name.to_owned(), previewed.hidden(name))).into();
    let carried: Vec<(&str, &str)> =
        carried.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    // Nothing is recorded by looking.
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "requested");
    let confirmed = served.post(&cookie, "/goals/pilot/confirm", &carried);
    assert!(confirmed.status == 200 && confirmed.body.contains("At revision"), "{confirmed:?}");
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "approved");
    let log = || world.json(&["log", "--goal", "pilot"])["events"].as_array().map_or(0, Vec::len);
    let recorded = log();
    // A second click records nothing more, and says the same.
    let again = served.post(&cookie, "/goals/pilot/confirm", &carried);
    assert!(again.status == 200 && again.body.contains("At revision"), "{again:?}");
    assert_eq!(log(), recorded);
}

#[test]
fn a_session_that_failed_could_not_be_dismissed_there() {
    let world = stage::with_failed_session();
    let row = || world.json(&["status", "pilot"])["goals"][0]["lanes"][0]["row"].clone();
    assert_eq!(row(), "failed");
    let served = Served::of(&world);
    let cookie = served.cookie();
    let first = served.ask("GET", "/", &[("cookie", &cookie)]);
    assert!(first.body.contains("value=\"dismiss\""), "{first:?}");
    let asked = [("act", "dismiss"), ("agent", "codex"), ("session", &first.hidden("session"))];
    let previewed = served.post(&cookie, "/goals/pilot/preview", &asked);
    assert!(previewed.status == 200 && previewed.body.contains("made no progress"), "{previewed:?}");
    let carried = ["act", "agent", "session", "key", "seen"].map(|name| (name, previewed.hidden(name)));
    let carried: Vec<(&str, &str)> = carried.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let confirmed = served.post(&cookie, "/goals/pilot/confirm", &carried);
    assert!(confirmed.status == 200 && confirmed.body.contains("At revision"), "{confirmed:?}");
    assert_eq!(row(), "ready");
    let other = served.post(&cookie, "/goals/pilot/preview", &[("act", "dismiss"), ("agent", "codex")]);
    assert!(other.status == 400 && other.body.contains("no session is named"), "{other:?}");
}

/// Confirms what a preview of these fields shows; what is said then.
#[track_caller]
fn confirmed(served: &Served, cookie: &str, asked: &[(&str, &str)]) -> crate::serving::Answer {
    let previewed = served.post(cookie, "/goals/pilot/preview", asked);
    assert_eq!(previewed.status, 200, "{previewed:?}");
    let carried = ["key", "seen"].map(|name| (name, previewed.hidden(name)));
    let carried = carried.iter().map(|(name, value)| (*name, value.as_str()));
    let confirmed = served.post(
        cookie,
        "/goals/pilot/confirm",
        &asked.iter().copied().chain(carried).collect::<Vec<_>>(),
    );
    assert!(confirmed.status == 200 && confirmed.body.contains("At revision"), "{confirmed:?}");
    confirmed
}

#[test]
fn after_a_rejection_nothing_was_said_to_wait_and_nothing_could_be_done() {
    let (world, gate) = world();
    world.run(&["todo", "add", "draw the map", "--goal", "pilot"]).ok();
    let served = Served::of(&world);
    let cookie = served.cookie();
    confirmed(&served, &cookie, &[("act", "reject"), ("gate", &gate)]);
    let first = served.until(&cookie, "/", "Drop “draw the map”");
    assert!(first.contains(">1 lane to set right<"), "{first}");
    let todo = world.json(&["todo", "list", "--goal", "pilot"])["todos"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    confirmed(&served, &cookie, &[("act", "drop"), ("todo", &todo)]);
    served.until(&cookie, "/", "revise or withdraw");
    confirmed(&served, &cookie, &[("act", "withdraw"), ("gate", &gate)]);
    served.until(&cookie, "/", "Nothing waits on you");
}

#[test]
fn a_todo_of_the_persons_was_on_no_first_screen() {
    let (world, gate) = world();
    world.run(&["gate", "withdraw", &gate, "--goal", "pilot"]).ok();
    let add = ["todo", "add", "pay the invoice", "--audience", "user", "--goal", "pilot"];
    world.run(&add).ok();
    world.run(&["todo", "add", "draw the map", "--goal", "pilot"]).ok();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let first = served.ask("GET", "/", &[("cookie", &cookie)]);
    assert!(first.body.contains("Your other todos") && first.body.contains("pay the invoice"), "{first:?}");
    let told = served.told(
        &cookie,
        "retry",
        || drop(world.run(&["todo", "add", "buy stamps", "--audience", "user", "--goal", "pilot"]).ok()),
        "event: wishes",
    );
    assert!(told.contains("event: wishes"), "{told}");
    confirmed(&served, &cookie, &[("act", "finish"), ("todo", &first.hidden("todo"))]);
}

#[test]
fn an_undo_was_offered_where_there_is_none() {
    let (world, _) = world();
    let run = world
        .run(&["run", "record", "--kind", "progress", "--agent", "codex", "--goal", "pilot", "--json"])
        .ok()
        .id();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let judged = confirmed(&served, &cookie, &[("act", "reward"), ("run", &run), ("judgement", "good")]);
    assert!(!judged.body.contains("Undo"), "{judged:?}");
    let paused = confirmed(&served, &cookie, &[("act", "pause")]);
    assert!(paused.body.contains("Undo"), "{paused:?}");
}

#[test]
fn what_was_changed_since_it_was_shown_was_done_all_the_same() {
    let (world, _) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    confirmed(&served, &cookie, &[("act", "limit"), ("turns", "7")]);
    let limit: &[(&str, &str)] = &[("act", "limit"), ("turns", "9")];
    for asked in [&[("act", "undo")], &[("act", "pause")], limit] {
        let previewed = served.post(&cookie, "/goals/pilot/preview", asked);
        let carried = ["key", "seen"].map(|name| (name, previewed.hidden(name)));
        let carried = carried.iter().map(|(name, value)| (*name, value.as_str()));
        match asked[0].1 {
            "undo" => drop(world.run(&["agent", "pause", "codex", "--goal", "pilot"]).ok()),
            "pause" => drop(world.run(&["goal", "pause", "pilot"]).ok()),
            _ => drop(world.run(&["quota", "set", "--goal", "pilot", "--turns", "8"]).ok()),
        }
        let events = || world.json(&["log", "--goal", "pilot"])["events"].as_array().map_or(0, Vec::len);
        let before = events();
        let fields: Vec<_> = asked.iter().copied().chain(carried).collect();
        let late = served.post(&cookie, "/goals/pilot/confirm", &fields);
        assert!(late.status == 409 && late.body.contains("changed since you were shown it"), "{late:?}");
        assert_eq!(events(), before, "{asked:?}");
    }
}

#[test]
fn two_browsers_on_one_gate_do_not_overrule_each_other() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let shown = |act: &str| {
        let previewed = served.post(&cookie, "/goals/pilot/preview", &[("act", act), ("gate", &gate)]);
        ["act", "gate", "key", "seen"].map(|name| (name, previewed.hidden(name)))
    };
    let (one, other) = (shown("approve"), shown("reject"));
    let confirm = |carried: &[(&str, String); 4]| {
        let carried: Vec<(&str, &str)> =
            carried.iter().map(|(name, value)| (*name, value.as_str())).collect();
        served.post(&cookie, "/goals/pilot/confirm", &carried)
    };
    assert_eq!(confirm(&one).status, 200);
    let late = confirm(&other);
    assert!(late.status == 409 && late.body.contains("changed since you were shown it"), "{late:?}");
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "approved");
}

#[test]
fn a_browser_that_is_not_paired_decides_nothing() {
    let world = World::new();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot"]).ok();
    let gate = world.run(&["gate", "ask", "may it go out?", "--goal", "pilot", "--json"]).ok().id();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let previewed = served.post(&cookie, "/goals/pilot/preview", &[("act", "approve"), ("gate", &gate)]);
    assert!(previewed.body.contains("not paired") && !previewed.body.contains("/confirm"), "{previewed:?}");
    let forged = [("act", "approve"), ("gate", gate.as_str()), ("key", "page-one"), ("seen", "")];
    let refused = served.post(&cookie, "/goals/pilot/confirm", &forged);
    assert!([403, 409].contains(&refused.status), "{refused:?}");
    let code = served.post(&cookie, "/pair", &[("code", "22222222")]);
    assert_eq!(code.status, 403, "{code:?}");
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "requested");
}

#[test]
fn a_form_that_makes_no_sense_changes_nothing() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    for fields in [
        vec![],
        vec![("act", "erase")],
        vec![("act", "approve")],
        vec![("act", "approve"), ("gate", "gate_0000000000000000")],
        vec![("act", "defer"), ("gate", gate.as_str()), ("hours", "-1")],
        vec![("act", "add"), ("title", "read /etc/passwd first"), ("audience", "agent"), ("priority", "P2")],
        vec![("act", "add"), ("title", "x"), ("audience", "nobody"), ("priority", "P2")],
        vec![("act", "limit"), ("agent", "other")],
        vec![("act", "limit"), ("turns", "many")],
    ] {
        let answer = served.post(&cookie, "/goals/pilot/preview", &fields);
        assert!((400..500).contains(&answer.status), "{fields:?} {answer:?}");
        assert!(!answer.body.contains("/etc/passwd"), "{answer:?}");
    }
    let long = "x".repeat(70_000);
    let answer = served.post(&cookie, "/goals/pilot/preview", &[("act", "add"), ("title", &long)]);
    assert_eq!(answer.status, 413);
}
