//! The canary test: every string of every recorded session is a unique canary, and none comes out of any door.
//!
//! A new door joins with one line in [`doors`].

mod built;
mod doors;
mod home;
mod hooked;
mod plant;
mod search;
mod served;
mod spoiled;
mod typed;
pub(crate) mod verbs;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::verbs_notify::all_told;
use crate::verbs_watch::watched;
use doors::{Doors, Output};
use home::Home;
use search::{Form, Leak, PIECE, Search, base64};

/// How much there is at least: strings planted, sessions that hold them, outputs searched.
const AT_LEAST: (usize, usize, usize) = (3750, 22, 7000);

/// How a session may stand, as far as recordings show it.
const STATES: &[&str] =
    &["idle", "interrupted", "rate_limited", "running", "unknown", "waiting_answer", "waiting_permission"];

/// Every way out of LoopX. Each but the first has a home of its own, in which the same strings are planted.
fn doors<'d>() -> Doors<'d> {
    Doors::default()
        .door("cli", verbs::outputs)
        .door("unnamed", |_| typed::unnamed(&Home::with(|_| true)))
        .door("completed", |_| typed::completed(&Home::with(|_| true)))
        .door("watched", |home| vec![Output::new("status --watch", watched(&home.world))])
        .door("told", |_| {
            let told = all_told(&Home::with(|_| true).world);
            told.into_iter().map(|(name, bytes)| Output::new(name, bytes)).collect()
        })
        .door("built", |_| built::outputs(&Home::with(|_| true)))
        .door("served", |_| served::outputs(&Home::with(|_| true)))
        .door("hooked", |_| hooked::outputs(&Home::with(|_| true)))
        .door("spoiled", |_| spoiled::outputs(&Home::with(|_| true)))
}

#[test]
fn no_string_of_a_session_comes_out() {
    let began = Instant::now();
    let home = Home::with(|_| true);
    let states = states(&home);
    let search = Search::new(&home.canaries);
    let searched = doors().search(&home, &search);
    let (planted, sessions) = (home.canaries.planted().len(), states.values().sum::<usize>());
    eprintln!(
        "planted {planted} strings over {sessions} sessions, searched {} outputs of {} bytes in {:?}",
        searched.outputs,
        searched.bytes,
        began.elapsed(),
    );
    let leaks: BTreeSet<String> = searched.leaks.iter().map(ToString::to_string).collect();
    let listed: Vec<String> = leaks.iter().take(40).cloned().collect();
    assert!(leaks.is_empty(), "{} came out:\n{}", leaks.len(), listed.join("\n"));
    assert_eq!(states.keys().map(String::as_str).collect::<Vec<_>>(), STATES);
    assert!(planted >= AT_LEAST.0 && sessions >= AT_LEAST.1 && searched.outputs >= AT_LEAST.2);
    // What is looked for is found where it may be.
    assert!(searched.indexed >= sessions, "{}", searched.indexed);
}

#[test]
fn no_string_that_a_hook_or_a_worker_tells_comes_out() {
    let home = Home::with(|name| name.contains("pending"));
    let search = Search::new(&home.canaries);
    let searched = Doors::default().door("hooked", hooked::outputs).search(&home, &search);
    let leaks: BTreeSet<String> = searched.leaks.iter().map(ToString::to_string).collect();
    assert!(
        leaks.is_empty(),
        "{} came out:\n{}",
        leaks.len(),
        leaks.into_iter().collect::<Vec<_>>().join("\n")
    );
    // Their ids are found where they may be.
    assert!(searched.indexed > 20, "{}", searched.indexed);
}

/// How many sessions stand how: what is planted must not keep the readers from reading.
fn states(home: &Home) -> BTreeMap<String, usize> {
    let document = home.world.json(&["sessions", "list", "--all"]);
    let mut states = BTreeMap::new();
    for session in document["sessions"].as_array().expect("sessions") {
        *states.entry(session["session"]["state"].as_str().expect("a state").to_owned()).or_default() += 1;
    }
    states
}

#[test]
fn every_verb_is_run() {
    let verbs = verbs::verbs(&loopx::cli::command());
    assert_eq!(verbs::unrun(&verbs), Vec::<&String>::new(), "say how to run it: a line in canary/verbs.rs");
    assert!(verbs.len() > 80, "{verbs:?}");
    let new = clap::Command::new("loopx")
        .subcommand(clap::Command::new("status").subcommand(clap::Command::new("new")));
    assert_eq!(verbs::unrun(&verbs::verbs(&new)), ["status new"]);
}

#[test]
fn a_door_that_lets_one_string_out_is_found() {
    let home = Home::with(|name| name == "codex/0.171.0_interrupted.jsonl");
    let search = Search::new(&home.canaries);
    let secret = |end: &str| {
        let planted = home.canaries.planted();
        planted.iter().find(|one| one.place.ends_with(end)).expect("a planted string")
    };
    for one in [secret(".text"), secret("its folder"), secret("turn_id"), secret("USER")] {
        let text = &one.text;
        for (form, out) in shapes(text) {
            let broken = Doors::default()
                .door("sound", |_| vec![Output::new("nothing", "a line")])
                .door("broken", |_| vec![Output::new("a page", format!("before {out} after"))]);
            let searched = broken.search(&home, &search);
            assert_eq!(searched.leaks, [Leak::new("broken", "a page", &one.place, form)], "{form:?}");
            assert!(!searched.leaks[0].to_string().contains(&text[..PIECE]));
            assert_eq!(searched.outputs, 2);
        }
    }
}

/// A text in every form that is looked for.
fn shapes(text: &str) -> Vec<(Form, String)> {
    let mut shapes = vec![
        (Form::Plain, text.to_owned()),
        (Form::Plain, text.to_uppercase()),
        (Form::Plain, text[..PIECE].to_owned()),
        (Form::Plain, text[text.len() - PIECE..].to_owned()),
        (Form::Plain, text[2..2 + PIECE].to_owned()),
    ];
    for before in ["", "a", "ab"] {
        shapes.push((Form::Base64, base64(format!("{before}{text} and so on").as_bytes())));
    }
    for form in [Form::FullWidth, Form::Hex, Form::Percent] {
        shapes.extend(form.of(text).into_iter().map(|shape| (form, shape)));
    }
    shapes.extend([Form::Hex, Form::Percent].map(|form| (form, form.of(text)[0].to_uppercase())));
    shapes
}
