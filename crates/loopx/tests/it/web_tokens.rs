//! Tokens read the API and nothing else; who may look outlives the server, and who may decide does not.

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use loopx_core::ProofFloor;

use crate::made::read;
use crate::serving::{Answer, Served};
use crate::stage;
use crate::world::World;

/// A world with a goal that needs a person, and a gate.
fn world() -> (World, String) {
    let world = World::new();
    stage::goal(&world, "pilot", ProofFloor::Terminal);
    stage::lane(&world, "pilot", "codex", None);
    let gate = world.run(&["gate", "ask", "may it go out?", "--goal", "pilot", "--json"]).ok().id();
    (world, gate)
}

fn token(world: &World, args: &[&str]) -> String {
    let made = world.json(&[&["serve", "token", "add"], args].concat());
    made["token"].as_str().expect("a token").to_owned()
}

fn with(served: &Served, path: &str, token: &str) -> Answer {
    served.ask("GET", path, &[("authorization", &format!("Bearer {token}"))])
}

#[test]
fn a_token_reads_the_api_until_it_is_taken_away() {
    let (world, _) = world();
    let served = Served::of(&world);
    let one = token(&world, &["one"]);
    let other = token(&world, &["other", "--expires", "1m"]);
    for place in ["/api/v0/status", "/api/v0/sessions", "/api/v0/openapi.json"] {
        assert_eq!(with(&served, place, &one).status, 200, "{place}");
    }
    for place in ["/", "/events", "/pair", "/goals/pilot", "/assets/loopx.js"] {
        assert_eq!(with(&served, place, &one).status, 403, "{place}");
    }
    let cut = &one[..one.len() - 1];
    for wrong in ["", "loopx_", cut, &format!("{one}0"), &one.to_uppercase()] {
        assert_eq!(with(&served, "/api/v0/status", wrong).status, 401, "{wrong}");
    }
    // A cookie beside a token that is none lets nobody in, nor does a token in the address.
    let cookie = served.cookie();
    let both = [("cookie", cookie.as_str()), ("authorization", "Bearer x")];
    assert_eq!(served.ask("GET", "/api/v0/status", &both).status, 401);
    assert_eq!(served.ask("GET", &format!("/api/v0/status?token={one}"), &[]).status, 401);
    world.run(&["serve", "token", "remove", "one"]).ok();
    assert_eq!(with(&served, "/api/v0/status", &one).status, 401, "it is refused at once");
    assert_eq!(with(&served, "/api/v0/status", &other).status, 200);
    world.run(&["serve", "token", "remove", "one"]).fails(3, "no token one");
    let file = world.path("loopx/tokens.json");
    let text = String::from_utf8(read(&file)).expect("text");
    assert!(!text.contains(&other) && !text.contains(&other["loopx_".len()..]), "{text}");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    // One that is over opens nothing.
    let over = text.replace(&text[text.find("\"expires_at\": \"").expect("an end") + 15..][..4], "2001");
    fs::write(&file, over).expect("a file");
    assert_eq!(with(&served, "/api/v0/status", &other).status, 401);
}

#[test]
fn a_stream_ends_with_its_token() {
    let (world, _) = world();
    let served = Served::of(&world);
    let one = token(&world, &["one"]);
    let mut stream = served.connect();
    let request = format!(
        "GET /api/v0/events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {one}\r\nconnection: close\r\n\r\n",
        served.host()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !text.contains("event: lane") {
        let count = stream.read(&mut bytes).expect("more");
        assert!(count > 0, "closed after {text}");
        text += &String::from_utf8_lossy(&bytes[..count]);
    }
    world.run(&["serve", "token", "remove", "one"]).ok();
    world.run(&["gate", "ask", "may it be printed?", "--goal", "pilot"]).ok();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("its end");
    assert!(!String::from_utf8_lossy(&rest).contains("printed"), "nothing more was told");
}

#[test]
fn a_token_decides_nothing() {
    let (world, gate) = world();
    let served = Served::of(&world);
    let token = format!("Bearer {}", token(&world, &["one"]));
    let own = format!("http://{}", served.host());
    let before = stage::refused(&world).len();
    for act in [
        "approve", "reject", "defer", "finish", "add", "reward", "limit", "pause", "resume", "accept", "undo",
    ] {
        for path in
            ["/goals/pilot/preview", "/goals/pilot/confirm", "/pair", "/api/v0/goals/pilot", "/api/v0/status"]
        {
            let body = format!("act={act}&gate={gate}&key=page-one&seen=&code=22222222");
            let request = format!(
                "POST {path} HTTP/1.1\r\nhost: {}\r\norigin: {own}\r\nauthorization: {token}\r\nconnection: close\r\n\
                 content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
                served.host(),
                body.len()
            );
            assert_eq!(served.raw(request.as_bytes()).status, 403, "{act} {path}");
        }
    }
    for method in ["PUT", "DELETE", "PATCH"] {
        assert_eq!(
            served.ask(method, "/api/v0/status", &[("authorization", &token)]).status,
            405,
            "{method}"
        );
    }
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "requested");
    assert_eq!(stage::refused(&world).len(), before, "nothing got as far as the log");
}

#[test]
fn a_token_is_given_by_a_person() {
    let (world, _) = world();
    world
        .inside("01a229a5-924c-7440-b3e2-000000000001")
        .run(&["serve", "token", "add", "x"])
        .fails(7, "inside an agent");
    token(&world, &["one"]);
    world.run(&["serve", "token", "add", "one"]).fails(4, "there is a token one");
    world
        .run(&["serve", "token", "add", "two", "--expires", "2001-01-01T00:00:00Z"])
        .fails(2, "before it begins");
    world.run(&["serve", "token", "add", "/etc/passwd"]).fails(7, "name refused");
    let listed = world.run(&["serve", "token", "list"]).ok();
    assert!(listed.out.contains("one") && !listed.out.contains("loopx_"), "{listed:?}");
}

#[test]
fn a_file_of_tokens_that_others_had_a_hand_in_opens_nothing() {
    let (world, _) = world();
    let one = token(&world, &["one"]);
    let (file, away) = (world.path("loopx/tokens.json"), world.path("away.json"));
    let served = Served::of(&world);
    let status = || with(&served, "/api/v0/status", &one).status;
    assert_eq!(status(), 200);
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("a mode");
    assert_eq!(status(), 401);
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
    assert_eq!(status(), 200);
    fs::rename(&file, &away).expect("moved");
    symlink(&away, &file).expect("a link");
    assert_eq!(status(), 401);
    let found = world.run(&["doctor", "--json"]);
    assert!(found.out.contains("data/tokens.json is no file of its own"), "{found:?}");
    fs::remove_file(&file).expect("gone");
    fs::write(&file, vec![b' '; 1 << 20]).expect("a file");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
    assert_eq!(status(), 401);
    world.run(&["serve", "token", "list"]).fails(1, "is too long");
}

/// A port that is free.
fn free() -> u16 {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    taken.local_addr().expect("an address").port()
}

#[test]
fn a_tab_that_is_open_looks_on_at_the_next_server() {
    let (world, gate) = world();
    let port = free();
    let served = Served::on(&world, port);
    let cookie = served.cookie();
    served.killed();
    let served = Served::on(&world, port);
    let answer = served.ask("GET", "/goals/pilot", &[("cookie", &cookie)]);
    assert_eq!(answer.status, 200, "{answer:?}");
    // What looks decides nothing.
    let forged = [("act", "approve"), ("gate", gate.as_str()), ("key", "page-one"), ("seen", "")];
    let refused = served.post(&cookie, "/goals/pilot/confirm", &forged);
    assert!([403, 409].contains(&refused.status), "{refused:?}");
    assert_eq!(world.json(&["gate", "list", "--goal", "pilot"])["gates"][0]["standing"], "requested");
    served.killed();
    let forgetting = Served::by(&mut world.built(&["serve", "--port", &port.to_string(), "--forget"]));
    assert_eq!(forgetting.ask("GET", "/", &[("cookie", &cookie)]).status, 401);
}

#[test]
fn a_stolen_file_of_visitors_opens_nothing() {
    let (world, _) = world();
    let port = free();
    let served = Served::on(&world, port);
    let cookie = served.cookie();
    world.run(&["serve", "invite"]).ok();
    let file = world.path("loopx/visitors.json");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    let text = String::from_utf8(read(&file)).expect("text");
    let secret = cookie.split_once('=').expect("a cookie").1;
    assert!(!text.contains(secret), "the cookie itself is kept");
    let digests: Vec<&str> = text.split('"').filter(|word| word.len() == 64).collect();
    assert_eq!(digests.len(), 2, "{text}");
    for stolen in digests {
        let forged = format!("loopx-{port}={stolen}");
        assert_eq!(served.ask("GET", "/", &[("cookie", &forged)]).status, 401);
        assert_eq!(served.ask("GET", &format!("/enter/{stolen}"), &[]).status, 401);
        assert_eq!(with(&served, "/api/v0/status", stolen).status, 401);
    }
    served.killed();
    // One that others had a hand in lets nobody in, and that is said.
    for spoil in ["mode", "torn", "long", "link"] {
        fs::remove_file(&file).expect("gone");
        fs::write(&file, &text).expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a mode");
        match spoil {
            "mode" => fs::set_permissions(&file, Permissions::from_mode(0o606)).expect("a mode"),
            "torn" => fs::write(&file, &text[..text.len() / 2]).expect("a file"),
            "long" => fs::write(&file, text.repeat(1000)).expect("a file"),
            _ => {
                fs::rename(&file, world.path("away.json")).expect("moved");
                symlink(world.path("away.json"), &file).expect("a link");
            }
        }
        let mut command = world.built(&["serve", "--port", &port.to_string()]);
        let mut served = Served::by(command.stderr(std::process::Stdio::piped()));
        assert_eq!(served.ask("GET", "/", &[("cookie", &cookie)]).status, 401, "{spoil}");
        let said = served.program().words().recv_timeout(crate::started::LONG).expect("words");
        assert!(said.contains("visitors.json") && said.contains("no browser"), "{spoil}: {said}");
        assert_eq!(served.ask("GET", "/", &[("cookie", &served.cookie())]).status, 200, "{spoil}");
        served.killed();
    }
}

#[test]
fn another_address_needs_no_other_server() {
    let (world, _) = world();
    world.run(&["serve", "invite"]).fails(3, "no `loopx serve` of yours runs");
    let served = Served::of(&world);
    let path = |line: &str| {
        let begins = format!("http://loopx.localhost:{}", served.port);
        line.trim().strip_prefix(&begins).expect("an address of it").to_owned()
    };
    let first = path(&world.run(&["serve", "invite"]).ok().out);
    // One that would be the second on its port shows where the first one is.
    let output = world
        .built(&["serve", "--port", &served.port.to_string()])
        .stdout(std::process::Stdio::piped())
        .output();
    let output = output.expect("a program");
    assert!(output.status.success());
    let second = path(&String::from_utf8(output.stdout).expect("text"));
    for address in [&first, &second, &served.enter] {
        assert_eq!(served.ask("GET", address, &[]).status, 303, "{address}");
        assert_eq!(served.ask("GET", address, &[]).status, 401, "{address} works once");
    }
    let other = Served::of(&world);
    world.run(&["serve", "invite"]).fails(2, "several run");
    let third = path(&world.run(&["serve", "invite", "--port", &served.port.to_string()]).ok().out);
    assert_eq!(other.ask("GET", &third, &[]).status, 401, "it is another server's");
    assert_eq!(served.ask("GET", &third, &[]).status, 303);
}

#[test]
fn two_servers_on_one_store_both_read_and_both_act() {
    let world = World::new();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    world.run(&["agent", "add", "codex", "--goal", "pilot"]).ok();
    let (one, other) = (Served::of(&world), Served::of(&world));
    let (first, second) = (one.cookie(), other.cookie());
    for (served, cookie, title) in [(&one, &first, "draw the coast"), (&other, &second, "draw the river")] {
        let asked = [("act", "add"), ("title", title), ("audience", "agent"), ("priority", "P1")];
        let previewed = served.post(cookie, "/goals/pilot/preview", &asked);
        let (key, seen) = (previewed.hidden("key"), previewed.hidden("seen"));
        let carried = [&asked[..], &[("key", key.as_str()), ("seen", seen.as_str())]].concat();
        assert_eq!(served.post(cookie, "/goals/pilot/confirm", &carried).status, 200);
    }
    let todos = world.json(&["todo", "list", "--goal", "pilot"])["todos"].as_array().map_or(0, Vec::len);
    assert_eq!(todos, 2);
    assert_eq!(one.ask("GET", "/", &[("cookie", &second)]).status, 401, "each knows its own visitors");
    for (served, cookie) in [(&one, &first), (&other, &second)] {
        let told = served.ask("GET", "/api/v0/goals/pilot", &[("cookie", cookie)]).body;
        assert!(told.contains("\"open_todos\":2"), "{told}");
    }
}
