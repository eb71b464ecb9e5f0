//! What hooks tell, against what files, locks, registry and processes say.

mod permitted;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, EvidenceTier, GoalId, LimitWindow, Liveness, MissingFact, Rule, SessionFacts};
use loopx_runtimes::hooks::{Around, HookEvent, Pid, Prompts, Spool, Tool, What, Windows};
use loopx_runtimes::{Runtime, Sources};
use proptest::prelude::*;

use crate::scene::{PID, Scene, after, entry, recording};

const CLAUDE: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";
const CODEX: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";
/// The calls that are open in the recordings of a pending prompt.
const CLAUDE_CALL: &str = "toolu_mock_1b926f82727d4931a980";
const CODEX_CALL: &str = "call_mock_67978fc57e9e";

/// What was told, so many milliseconds after the newest record, about a call.
type Told = (i64, What, &'static str);

/// A session of which a recording is there, and what its hooks told.
struct Session {
    scene: Scene,
    runtime: Runtime,
    native: &'static str,
    call: &'static str,
    newest: Timestamp,
    prompts: Prompts,
}

impl Session {
    fn of(runtime: Runtime, name: &str) -> Self {
        let scene = Scene::new();
        let (native, call, newest) = match runtime {
            Runtime::ClaudeCode => {
                let text = recording(&format!("claude-code/{name}.jsonl"));
                scene.transcript(CLAUDE, &text);
                (CLAUDE, CLAUDE_CALL, after(&text))
            }
            Runtime::Codex => {
                let text = recording(&format!("codex/{name}.jsonl"));
                scene.rollout(CODEX, &text);
                (CODEX, CODEX_CALL, after(&text))
            }
        };
        let newest = newest - SignedDuration::from_mins(1);
        scene.alive();
        Self { scene, runtime, native, call, newest, prompts: Prompts::Told }
    }

    fn sources(&self) -> Sources {
        self.scene.sources()
    }

    fn event(&self, (millis, what, call): Told) -> HookEvent {
        let call = if call == "open" { self.call } else { call };
        HookEvent {
            at: self.newest + SignedDuration::from_millis(millis),
            runtime: self.runtime,
            session: self.native.to_owned(),
            what,
            call: (!call.is_empty()).then(|| call.to_owned()),
            turn: None,
            tool: None,
            subagent: None,
            around: Around {
                process: Pid::of(&self.sources(), PID.0),
                tick: Some(200_000),
                prompts: self.prompts,
                lane: None,
            },
        }
    }

    fn tell(&self, told: &[Told]) {
        let spool = Spool::of(&self.scene.path(""));
        for one in told {
            spool.append(&self.event(*one)).unwrap();
        }
    }

    /// A child of the runtime's process: its id, the session it is in, and when it began.
    fn child(&self, (pid, leads, began): (u32, u32, u64), command: &str, input: &str) {
        let line = format!("{pid} (sh) S {} 1 {leads} 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {began} 0 0\n", PID.0);
        self.scene.write(&format!("proc/{pid}/stat"), &line);
        self.scene.write(&format!("proc/{pid}/cmdline"), &format!("/bin/bash\0-c\0{command}\0"));
        let fds = self.scene.path(&format!("proc/{pid}/fd"));
        std::fs::create_dir_all(&fds).unwrap();
        std::os::unix::fs::symlink(input, fds.join("0")).unwrap();
        self.scene.write(&format!("proc/{}/task/{}/children", PID.0, PID.0), &format!("{pid} "));
    }

    /// The runtime's process has no child.
    fn no_child(&self) {
        self.scene.write(&format!("proc/{}/task/{}/children", PID.0, PID.0), "");
    }

    fn spool(&self) -> String {
        std::io::read_to_string(std::fs::File::open(self.scene.path("hooks.jsonl")).unwrap()).unwrap()
    }

    fn now(&self) -> Timestamp {
        self.newest + SignedDuration::from_secs(30)
    }

    fn facts(&self) -> SessionFacts {
        let sweep = self.scene.sweep(self.now());
        let own = |seen: &loopx_runtimes::Observed| seen.private.expose().native_id == self.native;
        sweep.sessions.into_iter().find(own).unwrap().facts
    }

    fn word(&self) -> &'static str {
        self.facts().state.word()
    }
}

const ASKED: [Told; 3] =
    [(-900, What::Prompted, ""), (10, What::CallBegins, "open"), (60, What::AsksPermission, "")];

#[test]
fn a_prompt_that_no_file_tells_of_is_told_by_its_hook() {
    for (runtime, name) in [
        (Runtime::ClaudeCode, "2.1.332_pending_permission"),
        (Runtime::Codex, "0.171.0_pending_exec_approval"),
    ] {
        let session = Session::of(runtime, name);
        let before = session.facts();
        assert_eq!(before.state.word(), "unknown", "{name}");
        assert!(before.missing.contains(&MissingFact::PermissionState), "{name}");
        session.tell(&ASKED);
        let facts = session.facts();
        assert_eq!(
            (facts.state.word(), facts.tier, facts.rule, facts.liveness),
            ("waiting_permission", EvidenceTier::Hook, Rule::Asks, Liveness::Alive),
            "{name}"
        );
        assert_eq!(facts.since, Some(session.newest + SignedDuration::from_millis(60)));
        assert!(facts.missing.is_empty(), "{name}: {:?}", facts.missing);
        session.tell(&[(2000, What::CallEnded, "open")]);
        assert_eq!(session.word(), "running", "{name}");
    }
}

#[test]
fn a_dead_process_neither_asks_nor_works() {
    for told in [&ASKED[..], &ASKED[..2]] {
        let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
        session.tell(told);
        assert_ne!(session.word(), "unknown");
        std::fs::remove_dir_all(session.scene.path(&format!("proc/{}", PID.0))).unwrap();
        let facts = session.facts();
        assert_eq!((facts.state.word(), facts.liveness), ("unknown", Liveness::Dead), "{told:?}");
        assert_eq!(facts.rule, Rule::NoProcess);
    }
}

#[test]
fn a_process_that_was_stopped_is_not_at_work() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED[..2]);
    assert_eq!(session.word(), "running");
    let (pid, start) = PID;
    let line = format!("{pid} (claude) T 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start} 0 0\n");
    session.scene.write(&format!("proc/{pid}/stat"), &line);
    let facts = session.facts();
    assert_eq!((facts.state.word(), facts.liveness), ("unknown", Liveness::Unproved));
}

#[test]
fn of_two_processes_on_one_session_the_end_of_one_ends_not_the_other() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED);
    session.scene.process(2400, 1, "claude", 150_000);
    let mut end = session.event((2000, What::Ended, ""));
    end.around.process = Pid::of(&session.sources(), 2400);
    Spool::of(&session.scene.path("")).append(&end).unwrap();
    assert_eq!(session.word(), "waiting_permission");
    session.tell(&[(3000, What::Ended, "")]);
    assert_eq!(session.word(), "ended");
}

#[test]
fn what_another_machine_told_proves_no_life_here() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED);
    session.scene.write("machine-id", "another\n");
    let facts = session.facts();
    assert_eq!((facts.state.word(), facts.liveness), ("waiting_permission", Liveness::Unproved));
    // A prompt without proof counts for ten minutes.
    let later = session.scene.facts(session.newest + SignedDuration::from_mins(11));
    assert_eq!(later.state.word(), "unknown");
    assert!(later.missing.contains(&MissingFact::Liveness));
}

#[test]
fn the_file_clears_what_no_hook_clears() {
    // Esc and a refusal fire no hook in Claude Code: the record of them does.
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_interrupted");
    session.tell(&[
        (-8000, What::Prompted, ""),
        (-7000, What::CallBegins, "toolu_mock_8df33f39f0da4c4f86a9"),
        (-6900, What::AsksPermission, ""),
    ]);
    assert_eq!(session.word(), "interrupted");
    // A limit of Codex's likewise.
    let session = Session::of(Runtime::Codex, "0.171.0_usage_limit");
    session.tell(&[(-500, What::Prompted, "")]);
    assert_eq!(session.word(), "rate_limited");
}

#[test]
fn how_a_turn_ended_is_the_files_to_say() {
    // Claude Code 2.0 tells of a failed turn as of any other.
    for (name, word) in [("2.1.332_ratelimited", "rate_limited"), ("2.1.332_interrupted", "interrupted")] {
        let session = Session::of(Runtime::ClaudeCode, name);
        session.tell(&[(-900, What::Prompted, ""), (200, What::TurnEnded, "")]);
        // An end that is older than the turn is another one's.
        let session_of_another_turn = Session::of(Runtime::ClaudeCode, name);
        session_of_another_turn.tell(&[(900, What::Prompted, ""), (2000, What::TurnEnded, "")]);
        assert_eq!(session.word(), word);
        assert_eq!(session_of_another_turn.word(), "idle", "{name}");
    }
}

#[test]
fn a_call_that_no_hook_saw_begin_may_be_asking() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&[(-900, What::Prompted, "")]);
    let facts = session.facts();
    assert_eq!(facts.state.word(), "unknown");
    assert!(facts.missing.contains(&MissingFact::PermissionState));
    // Of a version that doesn't tell of prompts the same holds of every call.
    let session = Session { prompts: Prompts::Untold, ..session };
    session.tell(&[(10, What::CallBegins, "open")]);
    assert_eq!(session.word(), "unknown");
    let session = Session { prompts: Prompts::Told, ..session };
    session.tell(&[(11, What::CallEnded, "open"), (20, What::CallBegins, "open")]);
    assert_eq!(session.word(), "running");
}

#[test]
fn the_registry_comes_before_hooks_unless_these_are_fresher() {
    let at = |session: &Session, millis: i64| session.newest + SignedDuration::from_millis(millis);
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED);
    for (millis, status, waiting, word, tier) in [
        // Half a minute later it would have noticed: a rule decided, and nobody was asked.
        (20, "busy", None, "running", EvidenceTier::Registry),
        (90, "waiting", Some("permission prompt"), "waiting_permission", EvidenceTier::Registry),
        // It was given: no hook tells that.
        (3000, "busy", None, "running", EvidenceTier::Registry),
        (3000, "idle", None, "idle", EvidenceTier::Registry),
    ] {
        session.scene.entry(&entry(CLAUDE, status, waiting, at(&session, millis)));
        let facts = session.facts();
        assert_eq!((facts.state.word(), facts.tier), (word, tier), "{status} {millis}");
    }
}

#[test]
fn the_registry_lags_for_moments_alone() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED);
    session.scene.entry(&entry(CLAUDE, "busy", None, session.newest + SignedDuration::from_millis(20)));
    let after =
        |millis| session.scene.facts(session.newest + SignedDuration::from_millis(millis)).state.word();
    assert_eq!(after(1000), "waiting_permission");
    assert_eq!(after(9000), "running");
}

#[test]
fn a_prompt_that_another_hook_stopped_is_no_turn() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_interrupted");
    session.tell(&[(1000, What::Prompted, "")]);
    let after = |seconds| session.scene.facts(session.newest + SignedDuration::from_secs(seconds));
    assert_eq!(after(5).state.word(), "running");
    // No record of it came.
    assert_eq!(after(30).state.word(), "interrupted");
}

#[test]
fn a_process_that_went_on_to_another_session_has_left_this_one() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED);
    let other =
        |millis| HookEvent { session: "other".to_owned(), ..session.event((millis, What::Prompted, "")) };
    let spool = Spool::of(&session.scene.path(""));
    spool.append(&other(30)).unwrap();
    assert_eq!(session.word(), "waiting_permission", "an older event of another one");
    spool.append(&other(90)).unwrap();
    let facts = session.facts();
    assert_eq!((facts.state.word(), facts.rule), ("ended", Rule::Over));
}

#[test]
fn a_session_whose_agent_works_on_is_not_idle() {
    const CHILD: &str = "01a229a5-aaaa-7440-b3e2-411a8a756bc4";
    let session = Session::of(
        Runtime::Codex,
        "0.171.0_rollout-2026-11-29T23-33-06-01a229a7-b5a0-7773-8786-c04609a44213",
    );
    let child = recording("codex/0.171.0_pending_exec_approval.jsonl")
        .replace(CODEX, CHILD)
        .replace(
            "\"source\":\"cli\"",
            &format!("\"source\":{{\"subagent\":{{\"thread_spawn\":{{\"parent_thread_id\":\"{CODEX}\"}}}}}}"),
        )
        .replace("\"thread_source\":\"user\"", "\"thread_source\":\"subagent\"");
    assert_eq!(session.word(), "idle");
    session.scene.rollout(CHILD, &child);
    let seen = || {
        let facts = session.facts();
        (facts.state.word(), facts.rule, facts.missing)
    };
    let open = after(&child);
    let at = |millis: i64, what, call: &str| HookEvent {
        at: open + SignedDuration::from_millis(millis),
        call: Some(call.to_owned()),
        subagent: Some(CHILD.to_owned()),
        ..session.event((0, what, ""))
    };
    assert_eq!(session.facts().children, 1);
    session.scene.hold(&session.scene.lock(CHILD));
    assert_eq!(seen(), ("unknown", Rule::ChildOpen, vec![MissingFact::PermissionState]));
    // Its events are told under the session that started it.
    let spool = Spool::of(&session.scene.path(""));
    spool.append(&at(0, What::CallBegins, CODEX_CALL)).unwrap();
    assert_eq!(seen(), ("background", Rule::ChildWorks, Vec::new()));
    spool.append(&at(9, What::SubagentEnded, "")).unwrap();
    assert_eq!(seen().0, "idle");
}

#[test]
fn what_a_thread_of_codex_asks_goes_on_behind_the_end_of_the_turn_that_started_it() {
    const CHILD: &str = "01a229a5-aaaa-7440-b3e2-411a8a756bc4";
    for with_file in [true, false] {
        let session = Session::of(
            Runtime::Codex,
            "0.171.0_rollout-2026-11-29T23-33-06-01a229a7-b5a0-7773-8786-c04609a44213",
        );
        if with_file {
            let source =
                format!("{{\"subagent\":{{\"thread_spawn\":{{\"parent_thread_id\":\"{CODEX}\"}}}}}}");
            let child = recording("codex/0.171.0_pending_exec_approval.jsonl")
                .replace(CODEX, CHILD)
                .replace("\"source\":\"cli\"", &format!("\"source\":{source}"))
                .replace("\"thread_source\":\"user\"", "\"thread_source\":\"subagent\"");
            session.scene.rollout(CHILD, &child);
            session.scene.hold(&session.scene.lock(CHILD));
        }
        let of_child = |millis: i64, what, call: &str| HookEvent {
            call: Some(call.to_owned()),
            subagent: Some(CHILD.to_owned()),
            ..session.event((millis, what, ""))
        };
        let spool = Spool::of(&session.scene.path(""));
        session.tell(&[(-9000, What::Prompted, "")]);
        spool.append(&of_child(-800, What::CallBegins, CODEX_CALL)).unwrap();
        spool.append(&of_child(-750, What::AsksPermission, CODEX_CALL)).unwrap();
        session.tell(&[(-100, What::TurnEnded, "")]);
        assert_eq!(session.word(), "unknown", "it is asked still, with its file: {with_file}");
        spool.append(&of_child(2000, What::SubagentEnded, "")).unwrap();
        assert_eq!(session.word(), "idle", "with its file: {with_file}");
    }
}

#[test]
fn a_session_that_has_no_file_yet_is_told_of_by_its_hooks() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    let first = HookEvent { session: "new".to_owned(), ..session.event((900, What::Prompted, "")) };
    let seen = || {
        let sweep = session.scene.sweep(session.now());
        let new = |seen: &loopx_runtimes::Observed| seen.private.expose().native_id == "new";
        sweep.sessions.into_iter().find(new)
    };
    assert!(seen().is_none());
    std::os::unix::fs::symlink("/home/ann/atlas", session.scene.path(&format!("proc/{}/cwd", PID.0)))
        .unwrap();
    Spool::of(&session.scene.path("")).append(&first).unwrap();
    let observed = seen().unwrap();
    assert_eq!((observed.facts.state.word(), observed.facts.tier), ("running", EvidenceTier::Hook));
    assert_eq!(observed.private.expose().cwd.as_deref(), Some(std::path::Path::new("/home/ann/atlas")));
    // Without a process it is a word and no more.
    std::fs::remove_dir_all(session.scene.path(&format!("proc/{}", PID.0))).unwrap();
    assert!(seen().is_none());
}

#[test]
fn a_session_is_for_what_its_environment_names() {
    let session = Session::of(Runtime::Codex, "0.171.0_pending_exec_approval");
    assert_eq!(session.scene.only(session.now()).private.expose().lane, None);
    let lane = (GoalId::parse("atlas").unwrap(), Some(AgentId::parse("codex").unwrap()));
    let mut event = session.event(ASKED[0]);
    event.around.lane = Some(lane.clone());
    Spool::of(&session.scene.path("")).append(&event).unwrap();
    assert_eq!(session.scene.only(session.now()).private.expose().lane, Some(lane));
}

/// What the status line of 2.1.332 told, so many seconds after the newest record.
fn windows(session: &Session, seconds: i64, used: u32) -> Windows {
    let at = session.newest + SignedDuration::from_secs(seconds);
    let resets = at.as_second() + 3600;
    let input = format!(
        "{{\"session_id\":\"{}\",\"rate_limits\":{{\"five_hour\":{{\"used_percentage\":{used},\"resets_at\":{resets}}},\
         \"seven_day\":{{\"used_percentage\":40.5,\"resets_at\":{}}}}}}}",
        session.native,
        resets + 86_400
    );
    Windows::read(input.as_bytes(), at).unwrap()
}

#[test]
fn windows_that_a_status_line_tells_are_the_sessions_limits_and_nothing_else() {
    for (name, told) in [
        ("2.1.332_pending_permission", &[][..]),
        ("2.1.332_pending_permission", &ASKED[..]),
        ("2.1.332_interrupted", &[]),
        ("2.1.332_ratelimited", &[(900, What::Prompted, "")]),
    ] {
        let session = Session::of(Runtime::ClaudeCode, name);
        session.tell(told);
        let before = session.facts();
        let spool = Spool::of(&session.scene.path(""));
        spool.note(&windows(&session, 20, 25)).unwrap();
        // Another session's say nothing of this one, nor of where its process went.
        let other = Windows { session: "other".to_owned(), ..windows(&session, 25, 99) };
        spool.note(&other).unwrap();
        let after = session.facts();
        let shown: Vec<_> =
            after.limits.iter().map(|limit| (limit.window, limit.used_basis_points)).collect();
        let expected = [(LimitWindow::Primary, Some(2500)), (LimitWindow::Secondary, Some(4050))];
        assert_eq!(shown[..2], expected, "{name}");
        assert_eq!(shown.len(), 2 + before.limits.len(), "{name}: {shown:?}");
        assert_eq!(
            SessionFacts { limits: vec![], ..after },
            SessionFacts { limits: vec![], ..before },
            "{name}"
        );
        // A window whose reset has passed counts no more.
        let later = session.scene.facts(session.now() + SignedDuration::from_hours(2));
        assert!(later.limits.iter().all(|limit| limit.window != LimitWindow::Primary), "{:?}", later.limits);
    }
}

#[test]
fn a_limit_that_a_file_tells_without_its_reset_has_the_one_that_the_status_line_tells() {
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_ratelimited");
    let before = session.facts();
    assert_eq!(before.state.word(), "rate_limited");
    assert!(before.missing.contains(&MissingFact::LimitReset));
    Spool::of(&session.scene.path("")).note(&windows(&session, 2, 100)).unwrap();
    let after = session.facts();
    assert_eq!(after.state.word(), "rate_limited");
    assert!(!after.missing.contains(&MissingFact::LimitReset), "{:?}", after.missing);
    assert!(after.limits.iter().any(|limit| limit.is_used_up() && limit.resets_at.is_some()));
}

fn any_told() -> impl Strategy<Value = Told> {
    let what = prop::sample::select(vec![
        What::Started,
        What::Prompted,
        What::Compacts,
        What::Compacted,
        What::CallBegins,
        What::QuestionBegins,
        What::AsksPermission,
        What::AsksAnswer,
        What::SaysPermission,
        What::CallEnded,
        What::SubagentEnded,
        What::NoticedEnd,
        What::TurnEnded,
        What::TurnEndedInBackground,
        What::TurnFailed,
        What::TurnLimited,
        What::Interrupted,
        What::Ended,
        What::Permitted,
    ]);
    let call = prop::sample::select(vec!["", "open", "other"]);
    (-1000_i64..5000, what, call)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In whatever order and however often events are told, they say the same; and what they say keeps the rules.
    #[test]
    fn neither_order_nor_repetition_changes_a_verdict(
        told in prop::collection::vec(any_told(), 1..12),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
        codex in any::<bool>(),
    ) {
        let made = || if codex {
            Session::of(Runtime::Codex, "0.171.0_pending_exec_approval")
        } else {
            Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission")
        };
        let (straight, shuffled) = (made(), made());
        straight.tell(&told);
        let mut again: Vec<Told> = order.iter().map(|at| *at.get(&told)).collect();
        again.extend(told.iter().rev());
        shuffled.tell(&again);
        let facts = straight.facts();
        prop_assert_eq!(&facts, &shuffled.facts());
        // The file alone says unknown: another word needs an event that says so.
        let has = |what: &[What]| told.iter().any(|(_, of, _)| what.contains(of));
        match facts.state.word() {
            "waiting_permission" => prop_assert!(has(&[What::AsksPermission])),
            "waiting_answer" => prop_assert!(has(&[What::AsksAnswer, What::QuestionBegins])),
            "ended" => prop_assert!(has(&[What::Ended])),
            _ => {}
        }
    }
}
