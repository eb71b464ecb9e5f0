//! A lower tier never overrules a fresher, higher one; a higher one that is older yields to a decisive record.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{EvidenceTier, Liveness};
use loopx_runtimes::evidence::{Claim, Weight, stands};

use crate::scene::{Scene, after, entry, recording};

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

#[test]
fn every_pair_of_tiers_and_ages() {
    let tiers = [
        EvidenceTier::Clock,
        EvidenceTier::Transcript,
        EvidenceTier::Hook,
        EvidenceTier::Lock,
        EvidenceTier::Registry,
        EvidenceTier::Server,
        EvidenceTier::Caller,
    ];
    let instants =
        [None, Some(Timestamp::UNIX_EPOCH), Some(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1))];
    for low in 0..tiers.len() {
        for high in low + 1..tiers.len() {
            for (low_at, high_at) in instants.iter().flat_map(|a| instants.iter().map(move |b| (*a, *b))) {
                for weight in [Weight::Decisive, Weight::Open] {
                    let lower = Claim { tier: tiers[low], at: low_at, weight };
                    let higher = Claim { tier: tiers[high], at: high_at, weight: Weight::Decisive };
                    let fresher = low_at.is_some() && high_at.is_some() && low_at > high_at;
                    assert_eq!(stands(lower, higher), fresher && weight == Weight::Decisive);
                    assert_eq!(stands(higher, lower), !stands(lower, higher));
                }
            }
        }
    }
}

/// Recording, status, what it waits for, seconds from the newest record to the status, what is to come out.
const CASES: &[(&str, &str, Option<&str>, i64, &str)] = &[
    // A fresher registry stands over any transcript but for how a turn ended.
    ("interrupted", "busy", None, 5, "running"),
    ("interrupted", "idle", None, 5, "interrupted"),
    ("ratelimited", "idle", None, 5, "rate_limited"),
    ("ratelimited", "busy", None, 5, "running"),
    ("compacted", "waiting", Some("dialog open"), 5, "waiting_answer"),
    ("compacted", "waiting", Some("goal proposal"), 5, "waiting_answer"),
    ("compacted", "waiting", Some("sandbox request"), 5, "waiting_permission"),
    ("pending_ask", "busy", None, 5, "running"),
    ("pending_permission", "idle", None, 5, "idle"),
    ("pending_permission", "waiting", Some("something new"), 5, "waiting_answer"),
    ("running_tool", "waiting", Some("permission prompt"), 5, "waiting_permission"),
    // A plan is put to the user as a prompt for permission.
    ("pending_ask", "waiting", Some("permission prompt"), 5, "waiting_answer"),
    // An older one yields where the records decide.
    ("interrupted", "busy", None, -60, "interrupted"),
    ("interrupted", "waiting", Some("permission prompt"), -60, "interrupted"),
    ("ratelimited", "busy", None, -60, "rate_limited"),
    ("compacted", "waiting", Some("input needed"), -60, "idle"),
    ("pending_ask", "busy", None, -60, "waiting_answer"),
    ("pending_ask", "idle", None, -60, "waiting_answer"),
    // And where they don't, it stands, unless it is about an older call.
    ("running_tool", "busy", None, -60, "running"),
    ("running_tool", "waiting", Some("permission prompt"), -60, "unknown"),
    ("running_tool", "idle", None, -60, "unknown"),
    // Old builds say idle while a question is up.
    ("pending_ask", "idle", None, 5, "waiting_answer"),
];

#[test]
fn registry_against_transcript() {
    for (name, status, waiting_for, seconds, want) in CASES {
        let text = recording(&format!("claude-code/2.1.332_{name}.jsonl"));
        let now = after(&text);
        let newest = now - SignedDuration::from_mins(1);
        let scene = Scene::new();
        scene.transcript(SESSION, &text);
        scene.entry(&entry(SESSION, status, *waiting_for, newest + SignedDuration::from_secs(*seconds)));
        scene.alive();
        let facts = scene.facts(now);
        assert_eq!(facts.state.word(), *want, "{name} {status} {waiting_for:?} {seconds}");
        assert_eq!(facts.liveness, Liveness::Alive);
    }
}

#[test]
fn an_entry_of_a_process_that_was_stopped_is_no_proof_that_it_works_or_asks() {
    let text = recording("claude-code/2.1.332_pending_permission.jsonl");
    let now = after(&text);
    for (status, waiting_for, alive) in
        [("waiting", Some("permission prompt"), "waiting_permission"), ("busy", None, "running")]
    {
        let scene = Scene::new();
        scene.transcript(SESSION, &text);
        scene.entry(&entry(SESSION, status, waiting_for, now - SignedDuration::from_secs(30)));
        scene.process(2336, 1, "claude", 118_955);
        let seen = |scene: &Scene| {
            let facts = scene.facts(now);
            (facts.state.word(), facts.liveness)
        };
        assert_eq!(seen(&scene), (alive, Liveness::Alive));
        for stopped in ["T", "t"] {
            let line = format!("2336 (claude) {stopped} 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 118955 0 0\n");
            scene.write("proc/2336/stat", &line);
            assert_eq!(seen(&scene), ("unknown", Liveness::Unproved), "{status}");
        }
        // It goes on.
        scene.process(2336, 1, "claude", 118_955);
        assert_eq!(seen(&scene), (alive, Liveness::Alive));
    }
}

#[test]
fn an_entry_is_believed_as_far_as_its_process_is_proved() {
    let text = recording("claude-code/2.1.332_pending_permission.jsonl");
    let now = after(&text);
    let waiting = entry(SESSION, "waiting", Some("permission prompt"), now - SignedDuration::from_secs(30));
    let scene = Scene::new();
    scene.transcript(SESSION, &text);
    let seen = |scene: &Scene| {
        let facts = scene.facts(now);
        (facts.state.word(), facts.liveness, facts.tier)
    };

    scene.entry(&waiting);
    assert_eq!(seen(&scene), ("unknown", Liveness::Dead, EvidenceTier::Registry), "no such process");
    scene.process(2336, 1, "claude", 118_955);
    assert_eq!(seen(&scene), ("waiting_permission", Liveness::Alive, EvidenceTier::Registry));
    scene.process(2336, 1, "cat) S (1", 118_955);
    assert_eq!(seen(&scene).0, "waiting_permission", "a name with brackets");
    scene.process(2336, 1, "claude", 118_956);
    assert_eq!(seen(&scene).1, Liveness::Dead, "the number was given away again");
    scene.process(2336, 1, "claude", 118_955);

    scene.entry(&waiting.replace("4026531836", "4026532999"));
    assert_eq!(seen(&scene), ("unknown", Liveness::Unproved, EvidenceTier::Transcript), "another namespace");
    scene.entry(&waiting.replace("9f8e", "0000"));
    assert_eq!(seen(&scene).1, Liveness::Unproved, "another machine");
    scene.entry(&waiting.replace(SESSION, "11111111-2222-3333-4444-555555555555"));
    let mut sweep = scene.sweep(now);
    sweep.sessions.retain(|seen| seen.private.expose().file.is_some());
    assert_eq!(
        sweep.sessions[0].facts.liveness,
        Liveness::Unproved,
        "the process went on to another session"
    );
    scene.entry(&waiting);
    scene.process(2337, 1, "claude", 7);
    let idle = entry(SESSION, "idle", None, now).replace("2336", "2337").replace("118955", "7");
    scene.write("claude/sessions/2337.json", &idle);
    assert_eq!(seen(&scene).0, "waiting_permission", "a second, newer, idle process on the same session");
    std::fs::remove_file(scene.path("claude/sessions/2337.json")).unwrap();
    scene.entry(&waiting[..40]);
    let sweep = scene.sweep(now);
    assert_eq!((sweep.sessions[0].facts.state.word(), sweep.skipped.len()), ("unknown", 1), "torn");
}
