//! Known attacks on local servers, replayed: each was a real fault of a tool of this kind.

use std::io::{Read as _, Write as _};

use loopx_core::ProofFloor;

use crate::serving::Served;
use crate::stage;
use crate::world::World;

/// Every place that shows something.
const PLACES: [&str; 6] = ["/", "/api/v0/status", "/events", "/assets/loopx.js", "/assets/none", "/none"];

#[test]
fn nothing_is_shown_to_a_stranger() {
    let served = Served::of(&World::new());
    for place in PLACES {
        let forged = format!("loopx-{}=0123456789abcdef", served.port);
        for headers in [vec![], vec![("cookie", forged.as_str())], vec![("authorization", "Bearer x")]] {
            let answer = served.ask("GET", place, &headers);
            assert_eq!(answer.status, 401, "{place} {headers:?} {answer:?}");
        }
    }
    assert_eq!(served.ask("GET", "/healthz", &[]).status, 200);
    let cookie = served.cookie();
    let with = [("cookie", cookie.as_str())];
    let statuses =
        PLACES.map(|place| if place == "/events" { 200 } else { served.ask("GET", place, &with).status });
    assert_eq!(statuses, [200, 200, 200, 200, 404, 404]);
}

#[test]
fn an_address_lets_one_browser_in() {
    let served = Served::of(&World::new());
    let cookie = served.ask("GET", &served.enter, &[]);
    assert_eq!(cookie.status, 303);
    let set = cookie.header("set-cookie");
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
    assert_eq!(served.ask("GET", &served.enter, &[]).status, 401);
    assert_eq!(served.ask("GET", "/enter/0000", &[]).status, 401);
}

#[test]
fn a_name_that_was_made_to_lead_here_is_not_ours() {
    let served = Served::of(&World::new());
    let cookie = served.cookie();
    let port = served.port;
    for host in [
        format!("evil.example:{port}"),
        format!("loopx.localhost.evil.example:{port}"),
        "loopx.localhost".to_owned(),
        format!("loopx.localhost:{}", port.wrapping_add(1)),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        for place in ["/", "/healthz", served.enter.as_str()] {
            let request = format!(
                "GET {place} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n"
            );
            assert_eq!(served.raw(request.as_bytes()).status, 421, "{host} {place}");
        }
    }
    let ours = served.host();
    for head in [
        "GET / HTTP/1.1\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nhost: {ours}\r\nhost: {ours}\r\n"),
        format!("GET http://evil.example/ HTTP/1.1\r\nhost: {ours}\r\n"),
    ] {
        let request = format!("{head}cookie: {cookie}\r\nconnection: close\r\n\r\n");
        let status = served.raw(request.as_bytes()).status;
        assert!([400, 421].contains(&status), "{status} {head}");
    }
}

#[test]
fn another_sites_page_gets_nothing_and_changes_nothing() {
    let served = Served::of(&World::new());
    let (cookie, own) = (served.cookie(), format!("http://{}", served.host()));
    let get = |more: &[(&str, &str)]| {
        let headers = [&[("cookie", cookie.as_str())], more].concat();
        served.ask("GET", "/api/v0/status", &headers).status
    };
    // Pages on other ports of this machine are of the same site, and as foreign.
    for site in ["cross-site", "same-site", "nonsense"] {
        assert_eq!(get(&[("sec-fetch-site", site)]), 403, "{site}");
        assert_eq!(get(&[("sec-fetch-site", site), ("sec-fetch-mode", "navigate")]), 403, "{site}");
    }
    assert_eq!(get(&[("sec-fetch-site", "same-origin")]), 200);
    let post = |more: &[(&str, &str)]| {
        let headers = [&[("cookie", cookie.as_str()), ("content-length", "0")], more].concat();
        served.ask("POST", "/", &headers).status
    };
    for origin in ["null", "http://evil.example", "http://127.0.0.1:1", "https://loopx.localhost", ""] {
        assert_eq!(post(&[("origin", origin)]), 403, "{origin}");
    }
    assert_eq!(post(&[]), 403, "a missing origin is no permission");
    assert_eq!(post(&[("origin", &own), ("origin", "null")]), 403);
    assert_eq!(post(&[("origin", &own), ("sec-fetch-site", "cross-site")]), 403);
    // Nothing is there to be changed yet.
    assert_eq!(post(&[("origin", &own)]), 405);
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"] {
        let status = served.ask(method, "/", &[("cookie", &cookie)]).status;
        assert!([400, 405, 421].contains(&status), "{method} {status}");
    }
}

#[test]
fn a_path_is_read_in_one_way_alone() {
    let served = Served::of(&World::new());
    let cookie = served.cookie();
    for path in [
        "/x/../api/v0/status",
        "/healthz/../api/v0/status",
        "/enter/../api/v0/status",
        "//api/v0/status",
        "/./",
        "/%2e%2e/api",
        "/api%2fv0%2fstatus",
        "/api\\v0",
        "/healthz%00",
        "/assets/../../etc/passwd",
        "/assets/.hidden",
    ] {
        for headers in [vec![], vec![("cookie", cookie.as_str())]] {
            assert_eq!(served.ask("GET", path, &headers).status, 400, "{path}");
        }
    }
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let served = Served::of(&World::new());
    let cookie = served.cookie();
    let with: &[(&str, &str)] = &[("cookie", &cookie)];
    let host = served.host();
    let origin = format!("http://{host}");
    let from: &[(&str, &str)] = &[("cookie", &cookie), ("origin", &origin), ("content-length", "0")];
    let asked = [
        ("GET", "/", with),
        ("GET", "/", &[]),
        ("GET", "/none", with),
        ("GET", "/healthz", &[]),
        ("GET", "/x/../y", &[]),
        // What a library refuses before any code of ours has seen it.
        ("GET", "/history?second=1e5", with),
        ("GET", "/history?at=a&at=b", with),
        ("GET", "/goals/pilot?reach=a&reach=b", with),
        ("GET", "/events?after=a&after=b", with),
        ("POST", "/pair", from),
        ("POST", "/goals/pilot/preview", from),
    ];
    for (method, path, headers) in asked {
        let answer = served.ask(method, path, headers);
        assert!(!answer.body.contains("deserialize"), "{answer:?}");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "same-origin");
        assert!(!answer.head.contains("access-control"), "{answer:?}");
    }
}

#[test]
fn a_head_without_an_end_is_not_waited_for() {
    let served = Served::of(&World::new());
    let long = format!("GET / HTTP/1.1\r\nhost: {}\r\nx: {}\r\n\r\n", served.host(), "y".repeat(1 << 20));
    let status = served.raw(long.as_bytes()).status;
    // It may be cut off before the answer is read.
    assert!([0, 400, 431].contains(&status), "{status}");
    let mut slow = served.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nhost:").expect("sent");
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).expect("closed by the server");
    assert_eq!(served.ask("GET", "/healthz", &[]).status, 200);
}

#[test]
fn a_forged_place_in_the_stream_begins_anew() {
    let served = Served::of(&World::new());
    let cookie = served.cookie();
    for forged in
        ["0", "ffffffff-0", "ffffffff-99999999999999999999", "-", "é", "00000000-18446744073709551615"]
    {
        let mut stream = served.connect();
        let request = format!(
            "GET /events HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\nlast-event-id: {forged}\r\n\r\n",
            served.host()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut text = String::new();
        let mut bytes = [0; 1024];
        while !text.contains("event: reset") {
            let count = stream.read(&mut bytes).expect("more");
            assert!(count > 0, "{forged}: closed after {text}");
            text += &String::from_utf8_lossy(&bytes[..count]);
        }
    }
}

#[test]
fn an_agent_approves_nothing_whatever_it_shows() {
    let world = World::new();
    stage::goal(&world, "pilot", ProofFloor::Terminal);
    stage::lane(&world, "pilot", "codex", None);
    let gate = world.run(&["gate", "ask", "may it go out?", "--goal", "pilot", "--json"]).ok().id();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let token =
        world.json(&["serve", "token", "add", "reader"])["token"].as_str().expect("a token").to_owned();
    // A process that is called as a runtime is.
    let agent = world.path("codex");
    std::fs::copy("/bin/bash", &agent).expect("a shell");
    let shown = [format!("cookie: {cookie}"), format!("authorization: Bearer {token}")];
    let (host, port) = (served.host(), served.port);
    for shown in [shown[0].clone(), shown[1].clone(), shown.join("\r\n")] {
        for path in ["/goals/pilot/confirm", "/api/v0/goals/pilot", "/pair"] {
            let body = format!("act=approve&gate={gate}&key=page-one&seen=&code=22222222");
            let request = format!(
                "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n{shown}\r\nconnection: close\r\n\
                 content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let asks = format!(
                "exec 3<>/dev/tcp/127.0.0.1/{port}; printf %s \"$0\" >&3; read -r line <&3; echo \"$line\""
            );
            let mut asks =
                std::process::Command::new(&agent).args(["-c", &asks, &request]).env_clear().output();
            let output = asks.as_mut().expect("an agent");
            let line = String::from_utf8_lossy(&output.stdout).into_owned();
            let refused =
                ["403", "405", "409"].iter().any(|status| line.starts_with(&format!("HTTP/1.1 {status}")));
            assert!(refused, "{path} {shown}: {line} {output:?}");
        }
    }
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "requested");
}

#[test]
fn a_forged_revision_is_refused_or_begins_anew() {
    let world = World::new();
    stage::goal(&world, "pilot", ProofFloor::Terminal);
    let served = Served::of(&world);
    let cookie = served.cookie();
    for forged in ["0", "ffffffff-0", "r1_", "r0_é", "r0_0123456", "r0_; drop"] {
        let headers = [("cookie", cookie.as_str()), ("last-event-id", forged)];
        assert_eq!(served.ask("GET", "/api/v0/events", &headers).status, 400, "{forged}");
    }
    // One that was never said is as good as none: all there is comes after it.
    let made_up = "/api/v0/events?after=r0_0123456789abcdef";
    assert!(served.stream(made_up, &cookie, "event: lane").contains("\"goal_id\":\"pilot\""));
}
