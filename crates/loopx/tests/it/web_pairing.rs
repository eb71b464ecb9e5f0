//! A browser that decides in a person's name: paired at the terminal of `serve`, and no other program with its cookie.

use std::process::{Command, Output};

use loopx_core::ProofFloor;

use crate::person::Terminal;
use crate::serving::Served;
use crate::stage;
use crate::world::World;

/// Serves at a terminal of its own.
fn at_terminal(world: &World) -> (Served, Terminal) {
    let terminal = Terminal::of(24, 80);
    let of_serve = world.built(&["serve", "--port", "0"]);
    let mut serve = Command::new("setsid");
    serve.args(["--ctty", "--wait"]).arg(of_serve.get_program()).args(of_serve.get_args());
    serve.env_clear().envs(&world.env.vars).env("PATH", "/usr/bin:/bin").current_dir(world.path("work"));
    serve.stdin(terminal.device()).stderr(terminal.device());
    (Served::by(&mut serve), terminal)
}

/// The word after this one.
fn word_after<'a>(shown: &'a str, before: &str) -> &'a str {
    let rest = shown.rsplit(before).next().unwrap_or_default();
    rest.split_whitespace().next().unwrap_or_default()
}

/// A code that pairs, as the person at the terminal is shown it.
fn code(terminal: &mut Terminal) -> String {
    terminal.types("\n");
    let shown = terminal.until("to leave it: ").to_owned();
    terminal.types(&format!("{}\n", word_after(&shown, "type ")));
    let shown = terminal.until("within five minutes").to_owned();
    word_after(&shown, "type ").to_owned()
}

/// Another program, which asks for the same with the same cookie.
fn by_another(served: &Served, path: &str, cookie: &str, body: &str, way: &str) -> std::io::Result<Output> {
    let (host, port) = (served.host(), served.port);
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {cookie}\r\nconnection: close\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let script = format!(
        "import socket, sys, os\n{way}\ns.sendall(sys.argv[1].encode())\nprint(s.recv(64).split(b'\\r')[0].decode())"
    );
    let script = script.replace("PORT", &port.to_string());
    Command::new("python3").args(["-c", &script, &request]).env_clear().output()
}

/// Ways to ask that were taken for the paired browser's, or for nobody's.
const WAYS: [(&str, &str); 4] = [
    ("a program of its own", "s = socket.create_connection(('127.0.0.1', PORT))"),
    (
        "one that nobody may look into",
        "import ctypes\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\ns = socket.create_connection(('127.0.0.1', PORT))",
    ),
    (
        "one whose connection is its thread's alone",
        "import ctypes, threading\nclass S: pass\ns = S()\ndef ask():\n c = ctypes.CDLL(None)\n c.unshare(0x400)\n \
         t = socket.create_connection(('127.0.0.1', PORT))\n t.sendall(sys.argv[1].encode())\n \
         s.said = t.recv(64)\nt = threading.Thread(target=ask)\nt.start()\nt.join()\ns.sendall = lambda _: None\n\
         s.recv = lambda _: s.said",
    ),
    (
        "one that was let go",
        "r, w = os.pipe()\nif os.fork() == 0:\n if os.fork() == 0:\n  os.setsid()\n  import time\n  time.sleep(0.1)\n  \
         t = socket.create_connection(('127.0.0.1', PORT))\n  t.sendall(sys.argv[1].encode())\n  \
         os.write(w, t.recv(64))\n os._exit(0)\nos.close(w)\nclass S: pass\ns = S()\ns.sendall = lambda _: None\n\
         s.recv = lambda n: os.read(r, n)",
    ),
];

#[test]
fn a_cookie_decides_for_the_program_that_was_paired_with_it_alone() {
    let world = World::new();
    stage::goal(&world, "pilot", ProofFloor::Terminal);
    stage::lane(&world, "pilot", "codex", None);
    let gate = world.run(&["gate", "ask", "may it go out?", "--goal", "pilot", "--json"]).ok().id();
    let standing =
        || world.json(&["gate", "list", "--all", "--goal", "pilot"])["gates"][0]["standing"].clone();
    let (served, mut terminal) = at_terminal(&world);
    let cookie = served.cookie();
    // Whoever runs these tests in an agent's session has no person to show: nothing is offered there.
    terminal.until("\n");
    if !terminal.shown().contains("press Enter here") {
        eprintln!("SKIPPED: this runs in an agent's session; `.ci/run` from a shell of your own plays it");
        return;
    }
    let first = code(&mut terminal);
    let other =
        by_another(&served, "/pair", "loopx-0=no", &format!("code={first}"), WAYS[0].1).expect("python3");
    assert!(String::from_utf8_lossy(&other.stdout).contains(" 401 "), "{other:?}");
    let paired = served.post(&cookie, "/pair", &[("code", &first), ("goal", "pilot")]);
    assert_eq!(paired.status, 303, "{paired:?}");
    let cookie = paired.header("set-cookie").split(';').next().expect("a cookie").to_owned();
    let asked = [("act", "approve"), ("gate", &gate)];
    let previewed = served.post(&cookie, "/goals/pilot/preview", &asked);
    let carried = ["act", "gate", "key", "seen"].map(|name| (name, previewed.hidden(name)));
    let fields: Vec<String> = carried.iter().map(|(name, value)| format!("{name}={value}")).collect();
    for (way, script) in WAYS {
        let said =
            by_another(&served, "/goals/pilot/confirm", &cookie, &fields.join("&"), script).expect("python3");
        assert!(String::from_utf8_lossy(&said.stdout).contains(" 403 "), "{way}: {said:?}");
        assert_eq!(standing(), "requested", "{way}");
    }
    let fields: Vec<(&str, &str)> = carried.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let confirmed = served.post(&cookie, "/goals/pilot/confirm", &fields);
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    assert_eq!(standing(), "approved");
}
