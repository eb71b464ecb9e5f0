//! What workers of the user's own told: believed as far as their processes are proved, in whatever order it came.

use std::fs;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{
    EvidenceTier, GoalId, Limit, Liveness, MissingFact, Rule, RuntimeId, SessionFacts, SessionState, Turn,
};
use loopx_runtimes::reader::small;
use loopx_runtimes::worker::{Intake, Setting, Spool};
use loopx_safety::{HandleKind, PrivateWords, TierKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::scene::{Scene, key};

const FIRST: &str = "pid:[4026531836]";
const WORKER: (u32, u64) = (4711, 5000);
const READER: (u32, u64) = (4712, 5001);

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn ago(seconds: i64) -> Timestamp {
    now() - SignedDuration::from_secs(seconds)
}

/// A process that runs a program in this namespace.
fn process(scene: &Scene, (pid, start): (u32, u64), namespace: &str) {
    scene.process(pid, 1, "sh", start);
    scene.write(&format!("proc/{pid}/cmdline"), "sh\0worker.sh\0");
    let link = scene.path(&format!("proc/{pid}/ns/pid"));
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(namespace, link).unwrap();
}

fn gone(scene: &Scene, pid: u32) {
    fs::remove_dir_all(scene.path(&format!("proc/{pid}"))).unwrap();
}

#[expect(clippy::needless_pass_by_value, reason = "it is made for this line")]
fn line(state: &str, more: Value) -> Value {
    let mut line = json!({"runtime_id": "custom_worker", "session_id": "build-7", "state": state});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

/// Takes lines in that are read at an instant, all at once.
fn ingest(scene: &Scene, setting: Setting, lines: &[Value], at: Timestamp) {
    let (sources, words, key) = (scene.sources(), PrivateWords::none(TierKind::Local), key());
    let mut intake = Intake::new(&Spool::of(&scene.path("")), &sources, &key, &words, setting);
    for line in lines {
        intake.line(line.to_string().as_bytes(), at, None).unwrap();
    }
    intake.flush(at).unwrap();
}

fn told(scene: &Scene, lines: &[Value], at: Timestamp) {
    ingest(scene, Setting::default(), lines, at);
}

#[test]
fn the_newest_line_says_how_it_stands_and_the_first_such_line_since_when() {
    let scene = Scene::new();
    process(&scene, WORKER, FIRST);
    let (one, two) = (line("running", json!({"pid": 4711})), line("waiting_answer", json!({"pid": 4711})));
    told(&scene, std::slice::from_ref(&one), ago(900));
    told(&scene, std::slice::from_ref(&two), ago(800));
    told(&scene, std::slice::from_ref(&two), ago(700));
    let facts = scene.facts(now());
    assert_eq!(
        (facts.state, facts.rule, facts.tier),
        (SessionState::WaitingAnswer, Rule::Asks, EvidenceTier::Hook)
    );
    assert_eq!((facts.liveness, facts.turn), (Liveness::Alive, Turn::Open));
    assert_eq!((facts.since, facts.last_activity), (Some(ago(800)), Some(ago(700))));
    assert_eq!(facts.missing, []);
    let handle = key().handle(HandleKind::Session, "custom_worker", "build-7");
    assert_eq!(facts.session_id, handle);
    told(&scene, &[one], ago(600));
    let facts = scene.facts(now());
    assert_eq!((facts.state, facts.since), (SessionState::Running, Some(ago(600))));
}

#[test]
fn nothing_works_or_asks_by_a_line_alone() {
    for (state, age, want) in [
        ("running", 0, "unknown"),
        ("background", 0, "unknown"),
        ("waiting_permission", 599, "waiting_permission"),
        ("waiting_permission", 601, "unknown"),
        ("waiting_answer", 601, "unknown"),
        ("idle", 601, "idle"),
        ("ended", 601, "ended"),
        ("errored", 601, "errored"),
    ] {
        let scene = Scene::new();
        told(&scene, &[line(state, json!({}))], ago(age));
        let facts = scene.facts(now());
        assert_eq!(facts.state.word(), want, "{state} {age}");
        assert_eq!(facts.liveness, Liveness::Unproved);
        if want == "unknown" {
            assert_eq!((facts.missing, facts.rule), (vec![MissingFact::Liveness], Rule::NoProcess));
        }
    }
}

#[test]
fn a_process_proves_life_until_it_is_gone_or_another_has_its_number() {
    let pid = json!({"pid": WORKER.0});
    for state in ["running", "background", "waiting_answer"] {
        let scene = Scene::new();
        process(&scene, WORKER, FIRST);
        told(&scene, &[line(state, pid.clone())], ago(24 * 3600));
        let facts = scene.facts(now());
        assert_eq!((facts.state.word(), facts.liveness), (state, Liveness::Alive));
        assert_eq!(scene.only(now()).private.expose().pid, Some(WORKER.0));
        process(&scene, (WORKER.0, WORKER.1 + 1), FIRST);
        assert_eq!(scene.facts(now()).liveness, Liveness::Dead);
        gone(&scene, WORKER.0);
        let facts = scene.facts(now());
        let want = if state == "background" { "idle" } else { "unknown" };
        assert_eq!((facts.state.word(), facts.liveness), (want, Liveness::Dead), "{state}");
        // Seen from a container it can't be told.
        scene.namespace("pid:[4026532999]");
        assert_eq!(scene.facts(now()).liveness, Liveness::Unproved);
    }
}

#[test]
fn a_process_that_began_after_it_was_told_of_is_another_one() {
    // Ticks are a hundredth of a second.
    for (booted, at, want) in [
        (3600, 3000, Liveness::Alive),
        (3600, 3500, Liveness::Alive),
        (3600, 3549, Liveness::Alive),
        // The instant and the boot may be rounded.
        (3600, 3551, Liveness::Alive),
        (3600, 3560, Liveness::Unproved),
        (3600, 7200, Liveness::Unproved),
    ] {
        let scene = Scene::new();
        process(&scene, WORKER, FIRST);
        scene.write("proc/stat", &format!("cpu  1 2 3\nbtime {}\nprocesses 9\n", ago(booted).as_second()));
        told(&scene, &[line("running", json!({"pid": WORKER.0, "at": ago(at).to_string()}))], now());
        assert_eq!(scene.facts(now()).liveness, want, "{at}");
    }
}

#[test]
fn a_number_that_may_be_another_process_proves_nothing() {
    let unproved_by = |scene: &Scene, pid: u32, what: &str| {
        told(scene, &[line("running", json!({"pid": pid}))], now());
        let facts = scene.facts(now());
        assert_eq!((facts.state.word(), facts.liveness), ("unknown", Liveness::Unproved), "{what}");
    };
    let unproved = |scene: &Scene, what: &str| unproved_by(scene, WORKER.0, what);
    let scene = Scene::new();
    unproved(&scene, "one that has gone before it was looked up");
    process(&scene, WORKER, "pid:[4026532999]");
    unproved(&scene, "one of another namespace");
    process(&scene, WORKER, FIRST);
    scene.write("proc/4711/cmdline", "");
    unproved(&scene, "a thread of the kernel");
    process(&scene, (1, 3), FIRST);
    unproved_by(&scene, 1, "the first process of the machine");
}

#[test]
fn who_reads_from_the_worker_vouches_for_it_for_ten_minutes() {
    let scene = Scene::new();
    process(&scene, READER, FIRST);
    let setting = || Setting { reader: Some(READER.0), ..Setting::default() };
    for (age, want) in [(599, "running"), (601, "unknown")] {
        ingest(&scene, setting(), &[line("running", json!({"at": ago(age).to_string()}))], now());
        assert_eq!(scene.facts(now()).state.word(), want, "{age}");
        fs::remove_file(scene.path("workers.jsonl")).unwrap();
    }
    ingest(&scene, setting(), &[line("running", json!({}))], now());
    gone(&scene, READER.0);
    let facts = scene.facts(now());
    assert_eq!((facts.state.word(), facts.liveness), ("unknown", Liveness::Unproved));
}

#[test]
fn no_worker_raises_itself_above_a_hook() {
    for tier in ["caller", "server", "registry", "lock", "hook", "transcript", "clock"] {
        let scene = Scene::new();
        told(&scene, &[line("idle", json!({"tier": tier, "liveness": "alive"}))], now());
        let facts = scene.facts(now());
        assert!(facts.tier <= EvidenceTier::Hook, "{tier}");
        assert_eq!(facts.tier.word() == tier, facts.tier < EvidenceTier::Hook || tier == "hook");
        assert_eq!(facts.liveness, Liveness::Unproved);
    }
}

#[test]
fn no_instant_lies_behind_the_one_it_was_told_at() {
    let scene = Scene::new();
    let far = "2099-01-01T00:00:00Z";
    let line = line(
        "rate_limited",
        json!({"at": far, "since": far, "last_activity": far, "started_at": far,
               "checks": [{"label": "test", "outcome": "passed", "at": far}],
               "limits": [{"window": "primary", "resets_at": far, "seen_at": far}]}),
    );
    told(&scene, &[line], now());
    let facts = scene.facts(now());
    let at = Some(now());
    assert_eq!((facts.since, facts.last_activity, facts.started_at), (at, at, at));
    assert_eq!(facts.checks[0].at, at);
    let resets_at = Some(far.parse().unwrap());
    let limit = Limit { resets_at, seen_at: at, ..facts.limits[0].clone() };
    assert_eq!(facts.limits, [limit]);
}

#[test]
fn a_clock_that_was_put_back_lets_newer_lines_count() {
    let scene = Scene::new();
    told(&scene, &[line("running", json!({}))], now() + SignedDuration::from_hours(24));
    assert_eq!(scene.facts(now()).state, SessionState::Unknown);
    told(&scene, &[line("idle", json!({}))], ago(1));
    let facts = scene.facts(now());
    assert_eq!((facts.state, facts.last_activity), (SessionState::Idle, Some(ago(1))));
}

#[test]
fn a_line_without_an_instant_is_newer_than_the_one_before_it() {
    let scene = Scene::new();
    let lines: Vec<Value> = ["idle", "running", "idle", "ended"].map(|state| line(state, json!({}))).into();
    told(&scene, &lines, now());
    assert_eq!(scene.facts(now()).state, SessionState::Ended);
    // Of one instant, the one that was told last counts.
    let (scene, at) = (Scene::new(), json!({"at": now().to_string()}));
    told(&scene, &[line("errored", at.clone()), line("ended", at.clone()), line("idle", at)], now());
    assert_eq!(scene.facts(now()).state, SessionState::Idle);
}

#[test]
fn what_was_written_long_ago_is_no_news() {
    let scene = Scene::new();
    let (sources, words, key) = (scene.sources(), PrivateWords::none(TierKind::Local), key());
    let spool = Spool::of(&scene.path(""));
    let mut intake = Intake::new(&spool, &sources, &key, &words, Setting::default());
    for state in ["running", "waiting_answer"] {
        intake.line(line(state, json!({})).to_string().as_bytes(), now(), Some(ago(3600))).unwrap();
    }
    intake.flush(now()).unwrap();
    let facts = scene.facts(now());
    assert_eq!((facts.state, facts.rule), (SessionState::Unknown, Rule::NoProcess));
    assert!(facts.last_activity.unwrap() < ago(3599));
    let old = line("idle", json!({"at": ago(8 * 24 * 3600).to_string(), "session_id": "old"}));
    intake.line(old.to_string().as_bytes(), now(), None).unwrap();
    assert_eq!((intake.old(), intake.sessions().len()), (1, 2));
    intake.flush(now()).unwrap();
    assert_eq!(scene.sweep(now()).sessions.len(), 1);
}

#[test]
fn sessions_are_forgotten_after_seven_days_and_the_file_is_short_again() {
    let scene = Scene::new();
    let lines: Vec<Value> = (0..2000)
        .map(|at| {
            let (job, at) = (format!("job-{at}"), ago(7 * 24 * 3600 - at).to_string());
            line("idle", json!({"session_id": job, "at": at}))
        })
        .collect();
    told(&scene, &lines, now());
    assert_eq!(scene.sweep(ago(0)).sessions.len(), 2000);
    let later = now() + SignedDuration::from_hours(1);
    told(&scene, &[line("idle", json!({}))], later);
    assert_eq!(scene.sweep(later).sessions.len(), 1);
    assert!(fs::metadata(scene.path("workers.jsonl")).unwrap().len() < 1000);
}

#[test]
fn more_sessions_than_anybody_has_are_not_kept() {
    let scene = Scene::new();
    let lines: Vec<Value> = (0..5000)
        .map(|at| line("idle", json!({"session_id": format!("job-{at}"), "at": ago(6000 - at).to_string()})))
        .collect();
    told(&scene, &lines, now());
    let sessions = scene.sweep(now()).sessions;
    assert_eq!(sessions.len(), 4096);
    let newest = key().handle(HandleKind::Session, "custom_worker", "job-4999");
    let oldest = key().handle(HandleKind::Session, "custom_worker", "job-0");
    assert!(sessions.iter().any(|seen| seen.facts.session_id == newest));
    assert!(sessions.iter().all(|seen| seen.facts.session_id != oldest));
}

#[test]
fn a_line_that_names_no_lane_is_of_the_one_that_holds_for_all() {
    let scene = Scene::new();
    let goal = |id: &str| GoalId::parse(id).unwrap();
    let agent = |id: &str| loopx_contract::AgentId::parse(id).unwrap();
    let setting = || Setting { goal: Some(goal("pilot")), agent: Some(agent("ann")), ..Setting::default() };
    for (at, (more, want)) in [
        (json!({}), (goal("pilot"), Some(agent("ann")))),
        (json!({"agent_id": "bob"}), (goal("pilot"), Some(agent("bob")))),
        // The agent that holds for all is none of another goal.
        (json!({"goal_id": "other"}), (goal("other"), None)),
        (json!({"goal_id": "other", "agent_id": "bob"}), (goal("other"), Some(agent("bob")))),
    ]
    .into_iter()
    .enumerate()
    {
        let at = ago(60 - i64::try_from(at).unwrap());
        ingest(&scene, setting(), &[line("idle", more)], at);
        assert_eq!(scene.only(now()).private.expose().lane, Some(want));
    }
    let (sources, words, key) = (scene.sources(), PrivateWords::none(TierKind::Local), key());
    let mut intake = Intake::new(&Spool::of(&scene.path("")), &sources, &key, &words, Setting::default());
    let faults = intake.line(line("idle", json!({"agent_id": "bob"})).to_string().as_bytes(), now(), None);
    let faults: Vec<String> = faults.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["agent_id: needs a goal_id"]);
}

#[test]
fn a_name_that_the_screen_refuses_is_kept_as_its_hash_alone() {
    let scene = Scene::new();
    let uuid = "88a73867-150f-4f26-a74c-8cf20a491c54";
    told(&scene, &[line("idle", json!({"session_id": uuid}))], now());
    let kept = String::from_utf8(small(&scene.path("workers.jsonl"), 1 << 20).unwrap()).unwrap();
    assert!(!kept.contains("88a73867"), "{kept}");
    assert_eq!(scene.only(now()).private.expose().native_id, "");
}

#[test]
fn a_spool_of_noise_is_read_as_far_as_it_can_be() {
    let scene = Scene::new();
    told(&scene, &[line("idle", json!({}))], now());
    let sound = small(&scene.path("workers.jsonl"), 1 << 20).unwrap();
    let mut noise = b"\xff\xfe\n{}\n[1,2]\nnull\n".to_vec();
    noise.extend_from_slice(&sound);
    // One that says another runtime than may be said there is read as what it says, and is no session of that one.
    noise.extend_from_slice(
        b"{\"at\":1,\"read\":1,\"session\":\"/etc\",\"runtime\":\"w\",\"state\":\"idle\"}\n{\"at",
    );
    fs::write(scene.path("workers.jsonl"), noise).unwrap();
    assert_eq!(scene.facts(now()).runtime_id.as_str(), RuntimeId::CUSTOM_WORKER);
}

/// A line of the property: how many seconds ago, and the state.
type Said = (i64, usize);

const STATES: [&str; 4] = ["running", "waiting_answer", "idle", "ended"];

fn facts_of(batches: &[Vec<Said>]) -> SessionFacts {
    let scene = Scene::new();
    process(&scene, WORKER, FIRST);
    for (at, batch) in batches.iter().enumerate() {
        let lines: Vec<Value> = batch
            .iter()
            .map(|(seconds, state)| {
                let at = ago(*seconds).to_string();
                line(STATES[*state], json!({"at": at, "pid": WORKER.0, "children": seconds}))
            })
            .collect();
        told(&scene, &lines, ago(0) + SignedDuration::from_millis(i64::try_from(at).unwrap()));
    }
    scene.facts(now())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn neither_order_nor_repetition_tells(
        said in proptest::collection::btree_map(1..1000_i64, 0..STATES.len(), 1..12),
        more in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        shuffle in any::<u64>(),
    ) {
        // In their order, in one batch and in batches of one.
        let mut ordered: Vec<Said> = said.into_iter().collect();
        ordered.reverse();
        let want = facts_of(std::slice::from_ref(&ordered));
        let singly: Vec<Vec<Said>> = ordered.iter().map(|one| vec![*one]).collect();
        prop_assert_eq!(&facts_of(&singly), &want);
        let run = ordered.iter().rev().take_while(|(_, state)| *state == ordered[ordered.len() - 1].1);
        prop_assert_eq!(want.since, run.last().map(|(seconds, _)| ago(*seconds)));
        // Some of them again, all of them in any order and in any batches.
        let mut any: Vec<Said> = ordered.clone();
        any.extend(more.iter().map(|(index, _)| *index.get(&ordered)));
        let mut noise = shuffle;
        any.sort_by_cached_key(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            noise >> 16
        });
        let once = facts_of(&[any.clone()]);
        prop_assert_eq!(&once, &want);
        let batches: Vec<Vec<Said>> = any.chunks(1 + more.len() / 3).map(<[Said]>::to_vec).collect();
        let found = facts_of(&batches);
        // Where a line came too late to say when a state ended, it is said to stand for a shorter time, never longer.
        prop_assert!(found.since >= want.since && found.since <= want.last_activity);
        prop_assert_eq!(SessionFacts { since: want.since, ..found }, want);
    }
}
