//! What sessions spent: each response once, for the session that spent it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::CheckOutcome;
use loopx_runtimes::{
    Backfill, Fold, Index, Inherited, Runtime, Scope, Spender, Spent, Tokens, Verdict, inspect, observe,
    session_handle,
};
use loopx_safety::Handle;

use crate::scene::{Scene, after, key, recording, written};

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";
const FORK: &str = "99a73867-150f-4f26-a74c-8cf20a491c54";
const PARENT: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";
const CHILD: &str = "01a229b3-655e-7a92-ada8-9990ba89127b";

/// What a session spent; `None` where it is not known.
fn spent(scene: &Scene, runtime: Runtime, session: &str) -> Option<Spent> {
    let mut index = Index::in_memory(&key());
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    assert!(index.backfill(&scene.sources(), &key(), now, Fold::All, &|_: Backfill| true).complete);
    let spending = index.spent_so_far(&key()).unwrap();
    let handle = session_handle(&key(), runtime, session);
    let found = spending.sessions.iter().find(|spender| spender.session == handle)?;
    let sum = found.spent.iter().fold(Spent::default(), |sum, (_, spent)| sum.plus(*spent));
    (found.inherited == Inherited::Known).then_some(sum)
}

fn output(scene: &Scene, runtime: Runtime, session: &str) -> u64 {
    spent(scene, runtime, session).map_or(0, |spent| spent.tokens.output)
}

fn response(session: &str, id: &str, output: u64, more: &str) -> String {
    format!(
        "{{\"type\":\"assistant\",\"sessionId\":\"{session}\",\"uuid\":\"{id}-{output}\",\"requestId\":\"r-{id}\",\
         \"timestamp\":\"2026-11-29T23:00:00Z\"{more},\"message\":{{\"id\":\"{id}\",\"role\":\"assistant\",\
         \"content\":[{{\"type\":\"text\",\"text\":\"x\"}}],\"stop_reason\":\"end_turn\",\"usage\":{{\
         \"input_tokens\":1,\"cache_creation_input_tokens\":10,\"cache_read_input_tokens\":100,\
         \"output_tokens\":{output}}}}}}}\n"
    )
}

/// Tokens doubled by counting every line of a response.
#[test]
fn a_response_of_several_lines_counts_once() {
    let scene = Scene::new();
    let lines = [("m1", 3), ("m1", 7), ("m2", 5), ("m1", 6)].map(|(id, out)| response(SESSION, id, out, ""));
    scene.transcript(SESSION, &lines.concat());
    let spent = spent(&scene, Runtime::ClaudeCode, SESSION).unwrap();
    assert_eq!(spent.tokens, Tokens { input: 222, cached: 200, output: 12, reasoning: None });
}

/// Costs doubled by a fork's file, which tells its parent's responses again.
#[test]
fn what_a_fork_replays_counts_once() {
    let scene = Scene::new();
    let own: String = ["m1", "m2"].map(|id| response(SESSION, id, 10, "")).concat();
    let replayed: String = ["m1", "m2"].map(|id| response(FORK, id, 10, "")).concat();
    scene.transcript(SESSION, &own);
    scene.transcript(FORK, &(replayed + &response(FORK, "m3", 4, "")));
    let both = [SESSION, FORK].map(|session| output(&scene, Runtime::ClaudeCode, session));
    assert_eq!(both.iter().sum::<u64>(), 24);
    assert!(both.contains(&4) && both.contains(&20), "{both:?}");
}

#[test]
fn subagents_count_for_the_session_that_started_them() {
    let scene = Scene::new();
    let side = ",\"isSidechain\":true,\"agentId\":\"a1\"";
    scene.transcript(SESSION, &response(SESSION, "m1", 10, ""));
    let folder = "claude/projects/-home-ann-atlas";
    scene.write(&format!("{folder}/{SESSION}/subagents/agent-a1.jsonl"), &response(SESSION, "m2", 20, side));
    scene.write(
        &format!("{folder}/{SESSION}/subagents/workflows/w1/agent-a2.jsonl"),
        &response(SESSION, "m3", 40, side),
    );
    scene.write(&format!("{folder}/agent-a3.jsonl"), &response(SESSION, "m4", 80, side));
    // What spilled there is nobody's, and never opened.
    scene.write(
        &format!("{folder}/{SESSION}/tool-results/agent-x.jsonl"),
        &response(SESSION, "m5", 160, side),
    );
    assert_eq!(output(&scene, Runtime::ClaudeCode, SESSION), 150);
}

#[test]
fn the_warm_up_of_a_subagent_is_no_session() {
    let scene = Scene::new();
    for (at, name) in ["2.0.76_agent-a8a515a", "2.0.76_agent-ab2b017"].iter().enumerate() {
        let text = recording(&format!("claude-code/{name}.jsonl"));
        scene.write(&format!("claude/projects/-w/agent-{at}.jsonl"), &text);
    }
    let mut index = Index::in_memory(&key());
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    index.backfill(&scene.sources(), &key(), now, Fold::All, &|_: Backfill| true);
    assert!(index.spent_so_far(&key()).unwrap().sessions.is_empty());
}

/// Totals of a fork begin with its parent's.
#[test]
fn a_fork_that_goes_on_from_its_parents_totals_counts_its_own() {
    let scene = Scene::new();
    scene.rollout(CHILD, &recording("codex/0.171.0_fork_then_compact_then_kill9.jsonl"));
    let spent = spent(&scene, Runtime::Codex, CHILD).unwrap();
    assert_eq!(spent.tokens, Tokens { input: 4200, cached: 4000, output: 114, reasoning: Some(22) });
    assert_eq!(spent.turns, 2);
}

fn meta(id: &str, more: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-11-29T22:00:00Z\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\",\
         \"timestamp\":\"2026-11-29T22:00:00Z\",\"cli_version\":\"0.145.0\",\"source\":\"cli\"{more}}}}}\n"
    )
}

fn turn(id: &str, total: u64, last: u64) -> String {
    let event = |payload: &str| {
        format!("{{\"timestamp\":\"2026-11-29T22:01:00Z\",\"type\":\"event_msg\",\"payload\":{payload}}}\n")
    };
    let count = |n: u64| {
        format!(
            "{{\"input_tokens\":{n},\"cached_input_tokens\":0,\"output_tokens\":{n},\"total_tokens\":{n}}}"
        )
    };
    let tokens = format!(
        "{{\"type\":\"token_count\",\"info\":{{\"total_token_usage\":{},\"last_token_usage\":{}}}}}",
        count(total),
        count(last)
    );
    event(&format!("{{\"type\":\"task_started\",\"turn_id\":\"{id}\"}}"))
        + &event(&tokens)
        + &event(&tokens)
        + &event(&format!("{{\"type\":\"task_complete\",\"turn_id\":\"{id}\",\"last_agent_message\":\"x\"}}"))
}

/// Subagents inflated by the copy of their parent's records that they begin with.
#[test]
fn what_a_child_copies_of_its_parent_counts_once() {
    let scene = Scene::new();
    let copied = turn("t1", 100, 100) + &turn("t2", 300, 200);
    let child = meta(CHILD, &format!(",\"forked_from_id\":\"{PARENT}\""))
        + &meta(PARENT, "")
        + &copied
        + &turn("t3", 350, 50);
    scene.rollout(CHILD, &child);
    assert_eq!(spent(&scene, Runtime::Codex, CHILD), None, "without its parent it can't be told");
    scene.rollout(PARENT, &(meta(PARENT, "") + &copied));
    assert_eq!(output(&scene, Runtime::Codex, PARENT), 300);
    assert_eq!(output(&scene, Runtime::Codex, CHILD), 50);
    let subagent = format!(
        ",\"thread_source\":\"subagent\",\"parent_thread_id\":\"{PARENT}\",\"session_id\":\"{PARENT}\""
    );
    scene.rollout(CHILD, &(meta(CHILD, &subagent) + &copied + &turn("t3", 350, 50)));
    assert_eq!(output(&scene, Runtime::Codex, PARENT), 350, "with what it started, each turn once");
    // One that copies nothing has the same fields.
    scene.rollout(CHILD, &(meta(CHILD, &subagent) + &turn("t9", 70, 70)));
    assert_eq!(output(&scene, Runtime::Codex, PARENT), 370);
}

/// What was spent since an instant, by session: turns and output tokens.
fn since(scene: &Scene, index: &mut Index, since: Timestamp) -> Vec<(Handle, u64, u64)> {
    let sources = scene.sources();
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    observe(&sources, index, &key(), now, &BTreeSet::new(), Scope::Hot);
    let spenders = index.spent_since(&sources, &key(), since, &|_: Backfill| true);
    let sum = |spender: &Spender| {
        let spent = spender.spent.iter().fold(Spent::default(), |sum, (_, spent)| sum.plus(*spent));
        (spender.session, spent.turns, spent.tokens.output)
    };
    let mut sums: Vec<_> = spenders.iter().map(sum).collect();
    sums.sort();
    sums
}

/// A limit used up by turns of last week, which a fork of today tells again.
#[test]
fn what_is_older_than_asked_for_counts_for_nobody_and_is_known_all_the_same() {
    let scene = Scene::new();
    let (week, today): (Timestamp, Timestamp) =
        ("2026-11-22T12:00:00Z".parse().unwrap(), "2026-11-29T00:00:00Z".parse().unwrap());
    let old = |text: String| text.replace("2026-11-29T22", "2026-11-22T11");
    let copied = turn("t1", 100, 100) + &turn("t2", 300, 200);
    // The copies bear the fork's instants.
    let fork = meta(CHILD, &format!(",\"forked_from_id\":\"{PARENT}\"")) + &meta(PARENT, "") + &copied;
    scene.rollout(CHILD, &(fork + &turn("t3", 350, 50)));
    let parent = scene.rollout(PARENT, &old(meta(PARENT, "") + &copied));
    written(&parent, week);
    let replayed: String = ["m1", "m2"].map(|id| response(FORK, id, 10, "")).concat();
    scene.transcript(FORK, &(replayed + &response(FORK, "m3", 4, "")));
    let mut index = Index::in_memory(&key());
    let handle = |runtime, session| session_handle(&key(), runtime, session);
    let mut expected = [(handle(Runtime::Codex, CHILD), 1, 50), (handle(Runtime::ClaudeCode, FORK), 1, 24)];
    expected.sort();
    let told = since(&scene, &mut index, today);
    assert_eq!(
        told.iter().map(|(session, _, output)| (*session, *output)).collect::<Vec<_>>(),
        expected.iter().map(|(session, _, output)| (*session, *output)).collect::<Vec<_>>()
    );
    assert_eq!(told.iter().find(|(session, ..)| *session == handle(Runtime::Codex, CHILD)).unwrap().1, 1);
    // Asked again it says the same, and after all that was said.
    assert_eq!(since(&scene, &mut index, today), told);
    assert_eq!(since(&scene, &mut index, "2026-11-29T23:30:00Z".parse().unwrap()), []);
}

#[test]
fn since_ever_is_all_that_was_spent() {
    let scene = Scene::new();
    for (at, name) in ["0.171.0_interrupted", "0.171.0_usage_limit"].iter().enumerate() {
        scene.rollout(
            &format!("01a229a5-924c-7440-b3e2-{at:012}"),
            &recording(&format!("codex/{name}.jsonl")),
        );
    }
    for (at, name) in ["2.1.332_interrupted", "2.1.332_ratelimited"].iter().enumerate() {
        let session = format!("88a73867-150f-4f26-a74c-{at:012}");
        scene.transcript(&session, &recording(&format!("claude-code/{name}.jsonl")));
    }
    let mut index = Index::in_memory(&key());
    let some = since(&scene, &mut index, "2020-01-01T00:00:00Z".parse().unwrap());
    let mut all: Vec<_> = index
        .spent_so_far(&key())
        .unwrap()
        .sessions
        .iter()
        .map(|spender| {
            let dated = spender.spent.iter().filter(|(at, _)| at.is_some());
            let spent = dated.fold(Spent::default(), |sum, (_, spent)| sum.plus(*spent));
            (spender.session, spent.turns, spent.tokens.output)
        })
        .collect();
    all.sort();
    assert!(!all.is_empty());
    assert_eq!(some, all);
}

#[test]
fn hidden_threads_are_left_out() {
    let scene = Scene::new();
    for (thread, hidden) in
        [(PARENT, ",\"thread_source\":\"title\""), (CHILD, ",\"source\":{\"subagent\":\"review\"}")]
    {
        let text = meta(thread, hidden).replace("\"source\":\"cli\",\"source\"", "\"source\"");
        scene.rollout(thread, &(text + &turn("t1", 100, 100)));
    }
    assert_eq!((spent(&scene, Runtime::Codex, PARENT), spent(&scene, Runtime::Codex, CHILD)), (None, None));
    assert!(scene.sweep("2026-11-30T00:00:00Z".parse().unwrap()).sessions.is_empty());
}

#[test]
fn archived_and_packed_files_are_read_and_the_plain_one_wins() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let plain = recording("codex/0.171.0_usage_limit.jsonl");
    let now = after(&text).max(after(&plain));
    let scene = Scene::new();
    let packed = |path: &str, text: &str| {
        let mut bytes = Vec::new();
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress(text.as_bytes(), &mut bytes, level);
        let path = scene.write(path, "");
        std::fs::write(path, bytes).unwrap();
    };
    packed(&format!("codex/archived_sessions/rollout-2026-11-29T23-30-46-{PARENT}.jsonl.zst"), &text);
    assert_eq!(scene.facts(now).state.word(), "interrupted");
    let other = recording(
        "codex/0.125.0_exec_exit3_rollout-2026-11-29T23-37-24-01a229ab-a3d5-7f42-b5cb-3ccb1abad0a8.jsonl",
    );
    packed(&format!("codex/sessions/2026/11/29/rollout-2026-11-29T23-30-46-{CHILD}.jsonl.zst"), &other);
    assert_eq!(scene.sweep(now).sessions.len(), 2);
    let whole = spent(&scene, Runtime::Codex, CHILD);
    assert!(whole.is_some_and(|spent| spent.tokens.output > 0), "{whole:?}");
    // While it is unpacked both are there.
    let path = scene.rollout(CHILD, &plain);
    let seen = scene.sweep(now);
    let handle = session_handle(&key(), Runtime::Codex, CHILD);
    let facts = &seen.sessions.iter().find(|seen| seen.facts.session_id == handle).unwrap().facts;
    assert_eq!(facts.state.word(), "rate_limited");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn bare_lines_of_2025_are_read() {
    let text = "{\"id\":\"5973b6c0-94b8-487b-a530-2aeb6098ae0e\",\"timestamp\":\"2025-07-01T10:00:00Z\",\
        \"instructions\":null,\"git\":{}}\n{\"record_type\":\"state\"}\n\
        {\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"go\"}]}\n\
        {\"type\":\"function_call\",\"name\":\"shell\",\"call_id\":\"c1\",\
        \"arguments\":\"{\\\"command\\\":[\\\"bash\\\",\\\"-lc\\\",\\\"cargo test\\\"]}\"}\n\
        {\"type\":\"function_call_output\",\"call_id\":\"c1\",\
        \"output\":\"{\\\"output\\\":\\\"x\\\",\\\"metadata\\\":{\\\"exit_code\\\":101,\\\"duration_seconds\\\":0.4}}\"}\n\
        {\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"no\"}]}\n";
    let scene = Scene::new();
    let path = scene.rollout(PARENT, text);
    let now = "2025-07-01T10:05:00Z".parse().unwrap();
    let seen = inspect(&path, Runtime::Codex, &key(), now, None).unwrap();
    let Verdict::Session(facts) = seen.verdict else { panic!("{seen:?}") };
    assert_eq!((facts.state.word(), facts.lines.malformed), ("unknown", 0), "{facts:?}");
    assert_eq!(facts.last_activity, Some("2025-07-01T10:00:00Z".parse().unwrap()));
    let told: Vec<_> = facts.checks.iter().map(|check| (check.outcome, check.exit_code)).collect();
    assert_eq!(told, [(CheckOutcome::Failed, Some(101))]);
}

/// A look that waited for a small file that unpacks to a huge one.
#[test]
fn a_small_packed_file_that_is_huge_inside_is_left_to_the_backfill() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let padding = format!("{{\"type\":\"world_state\",\"payload\":{{\"x\":\"{}\"}}}}\n", "y".repeat(1 << 20));
    let (first, rest) = text.split_once('\n').unwrap();
    let long = format!("{first}\n{}{rest}", padding.repeat(10));
    let scene = Scene::new();
    let mut bytes = Vec::new();
    ruzstd::encoding::compress(long.as_bytes(), &mut bytes, ruzstd::encoding::CompressionLevel::Fastest);
    assert!(bytes.len() < 200_000, "{}", bytes.len());
    let path =
        scene.write(&format!("codex/archived_sessions/rollout-2026-11-29T23-30-46-{PARENT}.jsonl.zst"), "");
    std::fs::write(path, bytes).unwrap();
    let mut index = Index::in_memory(&key());
    let now = after(&text);
    let look = |index: &mut Index| {
        let also = std::collections::BTreeSet::new();
        observe(&scene.sources(), index, &key(), now, &also, Scope::Hot).sessions
    };
    assert_eq!(look(&mut index).len(), 0);
    assert!(index.backfill(&scene.sources(), &key(), now, Fold::All, &|_: Backfill| true).complete);
    assert_eq!(look(&mut index)[0].facts.state.word(), "interrupted");
}
