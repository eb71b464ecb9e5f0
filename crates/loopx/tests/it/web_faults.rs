//! What the page does when the ground gives way: it loses nothing, and shows nothing that is not so.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::serving::Served;
use crate::started::LONG;
use crate::world::World;

/// A goal that takes todos from anywhere.
fn world() -> World {
    let world = World::new();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    world.run(&["agent", "add", "codex", "--goal", "pilot"]).ok();
    world
}

/// What is to be confirmed so that this todo is added; nothing where nobody answers.
fn shown(served: &Served, cookie: &str, title: &str) -> Option<Vec<(String, String)>> {
    let fields = [("act", "add"), ("title", title), ("audience", "agent"), ("priority", "P2")];
    let shown = served.post(cookie, "/goals/pilot/preview", &fields);
    let carried = ["act", "title", "audience", "priority", "key", "seen"];
    (shown.status == 200).then(|| carried.map(|name| (name.to_owned(), shown.hidden(name))).into())
}

#[track_caller]
fn add(served: &Served, cookie: &str, title: &str) -> Vec<(String, String)> {
    shown(served, cookie, title).expect("what would be recorded")
}

fn confirm(served: &Served, cookie: &str, carried: &[(String, String)]) -> u16 {
    let fields: Vec<_> = carried.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    served.post(cookie, "/goals/pilot/confirm", &fields).status
}

fn titles(world: &World) -> Vec<String> {
    let todos = world.json(&["todo", "list", "--goal", "pilot"]);
    let todos = todos["todos"].as_array().expect("todos");
    todos.iter().map(|todo| todo["title"].as_str().expect("a title").to_owned()).collect()
}

/// Asks for the first screen until it shows this.
#[track_caller]
fn shows(served: &Served, cookie: &str, wanted: &str) -> Duration {
    let began = Instant::now();
    loop {
        let page = served.ask("GET", "/", &[("cookie", cookie)]).body;
        if page.contains(wanted) {
            return began.elapsed();
        }
        assert!(began.elapsed() < LONG, "no {wanted:?} in {page}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_server_that_is_killed_while_it_writes_loses_nothing_that_it_acknowledged() {
    let world = world();
    let (mut acknowledged, mut tried) = (Vec::new(), 0);
    for round in 0..8_u64 {
        let served = Served::of(&world);
        let cookie = served.cookie();
        std::thread::scope(|threads| {
            let (served, cookie) = (&served, &cookie);
            let writer = threads.spawn(move || {
                let mut done = Vec::new();
                for number in 0.. {
                    let title = format!("piece {round} {number}");
                    let Some(carried) = shown(served, cookie, &title) else { return (done, number) };
                    if confirm(served, cookie, &carried) == 200 {
                        done.push(title);
                    }
                }
                (done, 0)
            });
            std::thread::sleep(Duration::from_millis(40 + 17 * round));
            served.signal(Signal::KILL);
            let (mut done, number) = writer.join().expect("a writer");
            acknowledged.append(&mut done);
            tried += number;
        });
    }
    let titles = titles(&world);
    assert!(!acknowledged.is_empty() && tried >= acknowledged.len(), "{tried}");
    for title in &acknowledged {
        assert_eq!(titles.iter().filter(|there| *there == title).count(), 1, "{title} of {titles:?}");
    }
    let doctor = world.run(&["doctor", "--json"]).json().to_string();
    assert!(!doctor.contains("damaged"), "{doctor}");
}

#[test]
fn where_the_disk_is_full_it_says_so_and_reads_on() {
    let world = world();
    world.run(&["todo", "add", "before it was full", "--goal", "pilot"]).ok();
    // The write-ahead log may grow no longer.
    let size = std::fs::metadata(world.path("loopx/loopx.db-wal")).expect("a log").len();
    let served = Served::under(&world, &format!("ulimit -f {}", size / 512));
    let cookie = served.cookie();
    let carried = add(&served, &cookie, "one too many");
    let answer = {
        let fields: Vec<_> = carried.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        served.post(&cookie, "/goals/pilot/confirm", &fields)
    };
    assert!((500..600).contains(&answer.status), "{answer:?}");
    assert!(answer.body.contains("nothing was recorded"), "{answer:?}");
    shows(&served, &cookie, "before it was full");
    assert_eq!(titles(&world), ["before it was full"]);
    // There is room again for another one.
    let roomy = Served::of(&world);
    let cookie = roomy.cookie();
    assert_eq!(confirm(&roomy, &cookie, &add(&roomy, &cookie, "one more")), 200);
}

/// Another version of LoopX takes the store over: in its turn to write, as all of them.
fn took_over(world: &World, version: u32) {
    let turn = std::fs::File::open(world.path("loopx/loopx.lock")).expect("the lock");
    turn.lock().expect("a turn");
    let store = rusqlite::Connection::open(world.path("loopx/loopx.db")).expect("the store");
    store.pragma_update(None, "user_version", version).expect("a version");
}

#[test]
fn a_store_that_a_later_version_took_over_is_not_written_and_what_is_shown_is_said_to_be_old() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    let carried = add(&served, &cookie, "too late");
    took_over(&world, 99);
    let page_says = |wanted: &str| shows(&served, &cookie, wanted);
    page_says("the store has schema version 99");
    assert!((400..600).contains(&confirm(&served, &cookie, &carried)));
    took_over(&world, 2);
    // And it goes on when that is over.
    world.run(&["todo", "add", "after it", "--goal", "pilot"]).ok();
    page_says("after it");
    assert_eq!(titles(&world), ["after it"]);
}

#[test]
fn what_happened_while_it_slept_is_shown_when_it_wakes() {
    let world = world();
    let served = Served::of(&world);
    let cookie = served.cookie();
    served.signal(Signal::STOP);
    world.run(&["gate", "ask", "may it go out?", "--goal", "pilot"]).ok();
    std::thread::sleep(Duration::from_secs(2));
    served.signal(Signal::CONT);
    let woke = shows(&served, &cookie, "may it go out?");
    assert!(woke < Duration::from_secs(5), "{woke:?}");
}

#[test]
fn two_servers_on_one_store_show_and_do_the_same() {
    let world = world();
    let (one, other) = (Served::of(&world), Served::of(&world));
    let (cookie_of_one, cookie_of_other) = (one.cookie(), other.cookie());
    assert_eq!(confirm(&one, &cookie_of_one, &add(&one, &cookie_of_one, "by the one")), 200);
    shows(&other, &cookie_of_other, "by the one");
    // What was shown by the other before is confirmed there, or refused, and never recorded twice.
    let carried = add(&other, &cookie_of_other, "by the other");
    assert_eq!(confirm(&other, &cookie_of_other, &carried), 200);
    assert_eq!(confirm(&other, &cookie_of_other, &carried), 200);
    shows(&one, &cookie_of_one, "by the one");
    let mut titles = titles(&world);
    titles.sort();
    assert_eq!(titles, ["by the one", "by the other"]);
}
