//! Run history, blockers and rewards.

use loopx_core::command::{AuthorityCommand, LaneCommand, RewardGive, RunDraft, RunRecord};
use loopx_core::reward::Judgement;
use loopx_core::run::{RunKind, Validation, ValidationOutcome};
use loopx_core::testing::{agent, text};
use loopx_core::todo::Blocker;
use loopx_core::{Event, RefusalCode};

use super::*;

fn draft(kind: RunKind, check: Option<(&str, ValidationOutcome)>) -> RunDraft {
    RunDraft {
        kind,
        session: None,
        validation: check.map(|(label, outcome)| Validation { label: text(label), outcome, exit_code: None }),
        summary: Some(text("what happened")),
        event_id: None,
        outcome_id: None,
        id: None,
    }
}

fn record(world: &mut World, todo: Option<&TodoId>, run: RunDraft) -> Outcome {
    let record = RunRecord { agent: agent("ash"), todo: todo.cloned(), run };
    as_lane(world, "ash", LaneCommand::RunRecord(record))
}

#[test]
fn a_run_says_what_its_kind_needs() {
    use ValidationOutcome::Passed;
    let long = "x ".repeat(41);
    for (kind, check, with_todo, taken) in [
        (RunKind::Validation, None, false, false),
        (RunKind::Validation, Some(("test", Passed)), false, true),
        (RunKind::Validation, Some((long.as_str(), Passed)), false, false),
        (RunKind::Projection, Some(("test", Passed)), false, false),
        (RunKind::Projection, None, false, true),
        (RunKind::Blocker, None, false, false),
        (RunKind::Blocker, None, true, true),
        (RunKind::Blocker, Some(("test", Passed)), true, false),
        (RunKind::Progress, None, false, true),
    ] {
        let mut world = world();
        let todo = add(&mut world, "prune");
        let outcome = record(&mut world, with_todo.then_some(&todo), draft(kind, check));
        assert_eq!(outcome.is_ok(), taken, "{kind:?} {check:?} {with_todo}");
    }
}

#[test]
fn a_blocker_stands_in_the_way_until_it_is_resolved() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let run = the_run(record(&mut world, Some(&todo), draft(RunKind::Blocker, None)));
    assert_eq!(world.state.todos.get(&todo).unwrap().blocked_by, [Blocker::Run(run.clone())].into());
    assert_eq!(world.state.agents.get(&agent("ash")).unwrap().validations.len(), 1);
    assert_eq!(code(claim(&mut world, "ash", &todo)), Some(RefusalCode::Conflict));
    let resolve = LaneCommand::RunResolve { run: run.clone() };
    as_lane(&mut world, "birch", resolve.clone()).unwrap();
    assert!(world.state.agents.get(&agent("ash")).unwrap().validations.is_empty());
    assert_eq!(code(as_lane(&mut world, "birch", resolve)), Some(RefusalCode::Conflict));
    assert!(claim(&mut world, "ash", &todo).is_ok());
}

#[test]
fn an_unknown_outcome_never_clears_a_failure_of_its_label() {
    use ValidationOutcome::{Failed, Passed, Unknown};
    for (outcomes, kept) in [
        (vec![("test", Failed), ("test", Unknown)], vec![Failed]),
        (vec![("test", Passed), ("test", Unknown)], vec![Unknown]),
        (vec![("test", Failed), ("test", Passed)], vec![Passed]),
        (vec![("test", Failed), ("lint", Passed)], vec![Failed, Passed]),
    ] {
        let mut world = world();
        for check in &outcomes {
            record(&mut world, None, draft(RunKind::Validation, Some(*check))).unwrap();
        }
        let runs = &world.state.agents.get(&agent("ash")).unwrap().validations;
        let now: Vec<_> = runs.iter().map(|run| run.validation.as_ref().unwrap().outcome).collect();
        assert_eq!(now, kept, "{outcomes:?}");
    }
}

#[test]
fn a_projection_is_neutral() {
    let mut world = world();
    let run = the_run(record(&mut world, None, draft(RunKind::Progress, None)));
    let shown = the_run(record(&mut world, None, draft(RunKind::Projection, None)));
    let ash = world.state.agents.get(&agent("ash")).unwrap();
    assert_eq!(ash.latest_run.as_ref().map(|run| &run.id), Some(&run));
    assert_eq!(ash.latest_projection, Some(shown));
}

#[test]
fn finishing_records_its_run_and_spends_its_turn_in_one_step() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    let amount = loopx_core::quota::Amount { turns: 1, minutes: 0, tokens: 0 };
    let key = loopx_core::TurnKey::parse("turn-1").expect("a key");
    let finish = TodoFinish {
        run: Some(draft(RunKind::Progress, Some(("test", ValidationOutcome::Passed)))),
        spend: Some(loopx_core::command::SpendDraft { agent: None, key, amount, at: None }),
        ..finishing(&todo, Some("ash"), None)
    };
    let done = as_lane(&mut world, "ash", LaneCommand::TodoFinish(finish)).unwrap();
    assert!(
        matches!(
            done.events[..],
            [Event::TodoFinished { .. }, Event::RunRecorded { .. }, Event::Spent { agent: Some(_), .. }]
        ),
        "{done:?}"
    );
    let refused = TodoFinish {
        run: Some(draft(RunKind::Blocker, None)),
        ..finishing(&add(&mut world, "graft"), Some("ash"), None)
    };
    assert_eq!(
        code(as_lane(&mut world, "ash", LaneCommand::TodoFinish(refused))),
        Some(RefusalCode::Invalid)
    );
}

#[test]
fn a_lesson_becomes_a_todo_once() {
    let mut world = world();
    let run = the_run(record(&mut world, None, draft(RunKind::Progress, None)));
    let give = || {
        let lesson = Some(text("sharpen the saw"));
        let give = RewardGive { run: run.clone(), judgement: Judgement::Mixed, reason: None, lesson };
        AuthorityCommand::RewardGive(give)
    };
    as_person(&mut world, give()).unwrap();
    as_person(&mut world, give()).unwrap();
    assert_eq!((world.state.rewards.len(), world.state.todos.len()), (2, 1));
}
