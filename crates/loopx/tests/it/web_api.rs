//! What programs are told: the command line's own documents.

use std::io::{Read as _, Write as _};

use flate2::read::GzDecoder;

use crate::made::{Turn, read};
use crate::serving::{Answer, Served};
use crate::world::{World, still};

/// A world with a goal of two lanes, a gate, and a session of each runtime.
fn world() -> World {
    let world = World::new().with_processes();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    for agent in ["codex", "claude"] {
        world.run(&["agent", "add", agent, "--goal", "pilot"]).ok();
    }
    world.run(&["gate", "ask", "may it go out?", "--goal", "pilot"]).ok();
    let folder = world.project("pilot");
    world.codex(1, &folder, Turn::Asks, 3);
    world.claude(2, &folder, Turn::Done, 9);
    world.in_folder(&folder).run(&["bind", ".", "--goal", "pilot"]).ok();
    world
}

#[test]
fn every_document_is_the_command_lines_own() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let handle = world.json(&["sessions", "list"])["sessions"][0]["session"]["session_id"].clone();
    let handle = handle.as_str().expect("a handle");
    let lane = ["why", "--goal", "pilot", "--agent", "codex"];
    let began = world.json(&["goal", "show", "pilot"])["created_at"].clone();
    let began = began.as_str().expect("an instant");
    for (path, args) in [
        ("/api/v0/status".to_owned(), &["status"][..]),
        (format!("/api/v0/status?at={began}"), &["status", "--at", began]),
        ("/api/v0/goals/pilot".to_owned(), &["goal", "show", "pilot"]),
        ("/api/v0/goals/pilot/status".to_owned(), &["status", "pilot"]),
        ("/api/v0/goals/pilot/lanes/codex".to_owned(), &lane),
        ("/api/v0/sessions".to_owned(), &["sessions", "list"]),
        (format!("/api/v0/sessions/{handle}"), &["sessions", "show", handle]),
        ("/api/v0/goals/none".to_owned(), &["goal", "show", "none"]),
        ("/api/v0/status?at=then".to_owned(), &["status", "--at", "then"]),
        ("/api/v0/sessions/none".to_owned(), &["sessions", "show", "none"]),
    ] {
        let told = served.ask("GET", &path, &[("cookie", &cookie)]);
        assert_eq!(told.header("content-type"), "application/json", "{path}");
        let said = world.run(&[args, &["--json"]].concat());
        assert_eq!(told.status == 200, said.code == 0, "{path} {told:?}");
        // What was typed is hinted at by more than what is asked for here.
        let (told, said) = (still(&told.body), still(&said.out));
        assert_eq!(told, said, "{path}");
        assert!(told.len() > 100, "{path} {told}");
    }
}

#[test]
fn what_is_not_there_is_said_as_the_command_line_says_it() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let with = [("cookie", cookie.as_str())];
    for (path, status, kind) in [
        ("/api/v0/none", 404, "not_found"),
        ("/api/v1/status", 404, "not_found"),
        ("/api/v0/goals/pilot/lanes/none", 404, "not_found"),
        ("/api/v0/sessions/ses_00000000000000000000000000", 404, "not_found"),
        ("/api/v0/goals/-", 400, "usage"),
        ("/api/v0/status?until=now", 400, "usage"),
        ("/api/v0/x/../status", 400, "usage"),
        ("/api/v0/events?after=r0_x", 400, "usage"),
    ] {
        let answer = served.ask("GET", path, &with);
        let document: serde_json::Value = serde_json::from_str(&answer.body).unwrap_or_default();
        assert_eq!(answer.status, status, "{path} {answer:?}");
        assert_eq!(document["error"]["kind"], kind, "{path} {answer:?}");
        assert_eq!(document["schema_version"], "loopx_error_v0");
    }
    let stranger = served.ask("GET", "/api/v0/status", &[]);
    assert_eq!((stranger.status, stranger.header("www-authenticate")), (401, "Bearer"));
}

#[test]
fn a_document_that_one_has_is_not_sent_again() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    for path in ["/api/v0/goals/pilot", "/api/v0/openapi.json"] {
        let first = served.ask("GET", path, &[("cookie", &cookie)]);
        let tag = first.header("etag");
        let again = served.ask("GET", path, &[("cookie", &cookie), ("if-none-match", tag)]);
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{again:?}");
        let other = served.ask("GET", path, &[("cookie", &cookie), ("if-none-match", "W/\"0\"")]);
        assert_eq!((other.status, other.body), (200, first.body.clone()));
    }
}

#[test]
fn the_status_is_sent_compressed_to_whoever_takes_that() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let ask = |takes: &str| {
        let head = format!(
            "GET /api/v0/status HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\nconnection: close\r\naccept-encoding: {takes}\r\n\r\n",
            served.host()
        );
        let (mut stream, mut bytes) = (served.connect(), Vec::new());
        stream.write_all(head.as_bytes()).expect("sent");
        stream.read_to_end(&mut bytes).expect("answered");
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
        let body = bytes.split_off(end);
        (String::from_utf8(bytes).expect("a head").to_lowercase(), body)
    };
    let plain = ask("identity");
    assert!(!plain.0.contains("content-encoding"), "{}", plain.0);
    let text = |body: Vec<u8>| still(&String::from_utf8(body).expect("text"));
    let plain = text(plain.1);
    for takes in ["gzip", "gzip, deflate, br, zstd"] {
        let (head, body) = ask(takes);
        assert!(head.contains("content-encoding: gzip\r\n"), "{head}");
        assert!(head.contains("vary: accept-encoding\r\n") && head.contains("etag: w/"), "{head}");
        // Its length is known: it is not made anew for each who asks.
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
        let mut unpacked = Vec::new();
        GzDecoder::new(body.as_slice()).read_to_end(&mut unpacked).expect("gzip");
        assert_eq!(text(unpacked), plain, "{takes}");
    }
    let weighed = ask("gzip;q=0.5").0;
    assert!(weighed.contains("content-encoding: gzip\r\n"), "{weighed}");
    for takes in ["gzip;q=0", "br", "identity, gzip;q=0"] {
        let (head, body) = ask(takes);
        assert!(!head.contains("content-encoding"), "{takes}: {head}");
        assert_eq!(text(body), plain, "{takes}");
    }
}

/// The revisions of a stream's lines.
fn ids(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("id: ")).collect()
}

/// The lines of a stream without the instant at which was looked.
fn lines(text: &str) -> Vec<serde_json::Value> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: ")?.trim().parse().ok());
    lines
        .map(|mut line: serde_json::Value| {
            line["at"].take();
            line
        })
        .collect()
}

#[test]
fn the_stream_gives_the_lines_of_follow_and_goes_on_at_another_server() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let told = served.stream("/api/v0/events", &cookie, "\"agent_id\":\"codex\"");
    let told = if ids(&told).len() == 2 { told } else { served.stream("/api/v0/events", &cookie, "claude") };
    let said = world.run(&["follow", "--jsonl", "--once"]).ok().out;
    let said: Vec<serde_json::Value> =
        said.lines().map(|line| format!("data: {line}")).flat_map(|line| lines(&line)).collect();
    assert!(said.len() == 2 && lines(&told).iter().all(|line| said.contains(line)), "{told}\n{said:?}");
    let last = said[1]["revision"].as_str().expect("a revision").to_owned();
    drop(served);
    let other = Served::of(&world);
    let cookie = other.cookie();
    world.run(&["agent", "pause", "claude", "--goal", "pilot"]).ok();
    let path = format!("/api/v0/events?after={last}");
    let missed = other.stream(&path, &cookie, "event: lane");
    assert!(missed.contains("agent_paused") || missed.contains("\"claude\""), "{missed}");
    assert!(!missed.contains("\"agent_id\":\"codex\""), "nothing is read twice: {missed}");
}

#[test]
fn charts_are_told_as_an_api_tells_and_not_as_a_page() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let first = served.ask("GET", "/api/v0/charts?reach=week", &[("cookie", &cookie)]);
    assert_eq!((first.status, first.header("content-type")), (200, "application/json"), "{first:?}");
    for query in ["reach=year", "since=ever"] {
        let answer = served.ask("GET", &format!("/api/v0/charts?{query}"), &[("cookie", &cookie)]);
        let document: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!((answer.status, &document["error"]["kind"]), (400, &"usage".into()), "{answer:?}");
    }
}

#[test]
fn what_the_api_is_stands_in_its_golden_file() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let golden = String::from_utf8(read(&file)).expect("text");
    let document = loopx::web::openapi().expect("a document");
    assert!(golden == document, "write it anew: cargo run -p loopx --example openapi");
    let served = Served::of(&World::new());
    let told: Answer = served.ask("GET", "/api/v0/openapi.json", &[("cookie", &served.cookie())]);
    assert_eq!(told.body, golden);
}
