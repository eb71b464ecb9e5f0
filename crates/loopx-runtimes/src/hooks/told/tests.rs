use super::*;
use crate::Runtime;
use crate::hooks::Around;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// An event so many milliseconds ago, of a runtime that tells of every prompt.
fn event(ago: i64, what: What, call: &str, subagent: &str) -> HookEvent {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    HookEvent {
        at: NOW - SignedDuration::from_millis(ago),
        runtime: Runtime::ClaudeCode,
        session: "one".to_owned(),
        what,
        call: some(call),
        turn: None,
        tool: None,
        subagent: some(subagent),
        around: Around { prompts: Prompts::Told, ..Around::default() },
    }
}

type Script = &'static [(What, &'static str)];

fn script(script: &[(What, &str)]) -> BTreeSet<HookEvent> {
    let ago = |at: usize| i64::try_from(script.len() - at).unwrap() * 100;
    script.iter().enumerate().map(|(at, (what, call))| event(ago(at), *what, call, "")).collect()
}

fn says(events: &BTreeSet<HookEvent>) -> Option<Says> {
    told(events, NOW, |turn| turn == "known").map(|told| told.live.says)
}

use What::{
    AsksAnswer, AsksPermission, CallBegins, CallEnded, Compacted, Compacts, Ended, Interrupted, Prompted,
    QuestionBegins, SaysPermission, Started, TurnEnded, TurnEndedInBackground, TurnLimited,
};

const PERMISSION: Says = Says::Asks(WaitingFor::Permission);
const ANSWER: Says = Says::Asks(WaitingFor::Answer);

/// As they were recorded from Claude Code 2.0.76 and 2.1.332, and from Codex 0.125 and 0.171.
const RECORDED: &[(&str, Script, Says)] = &[
    ("a session begins", &[(Started, "")], Says::NoTurn(None)),
    ("a turn begins", &[(Started, ""), (Prompted, "")], Says::Works),
    ("a tool runs", &[(Prompted, ""), (CallBegins, "a")], Says::Works),
    ("a prompt is up", &[(Prompted, ""), (CallBegins, "a"), (AsksPermission, "")], PERMISSION),
    (
        "it is up, and told of once more",
        &[(Prompted, ""), (CallBegins, "a"), (AsksPermission, ""), (SaysPermission, "")],
        PERMISSION,
    ),
    (
        "it was given and the tool is over",
        &[(Prompted, ""), (CallBegins, "a"), (AsksPermission, ""), (CallEnded, "a")],
        Says::Works,
    ),
    (
        "the notification comes late",
        &[(Prompted, ""), (CallBegins, "a"), (AsksPermission, ""), (CallEnded, "a"), (SaysPermission, "")],
        Says::Works,
    ),
    (
        "one of two calls ends, and which is asked about is not told",
        &[(Prompted, ""), (CallBegins, "b"), (CallBegins, "a"), (AsksPermission, ""), (CallEnded, "b")],
        Says::CallBegan,
    ),
    (
        "another call begins",
        &[(Prompted, ""), (CallBegins, "a"), (AsksPermission, ""), (CallBegins, "b")],
        PERMISSION,
    ),
    (
        "the first of two prompts is answered",
        &[
            (Prompted, ""),
            (CallBegins, "a"),
            (AsksPermission, ""),
            (CallBegins, "b"),
            (AsksPermission, ""),
            (CallEnded, "a"),
        ],
        PERMISSION,
    ),
    (
        "which call is asked about is not told",
        &[(Prompted, ""), (AsksPermission, ""), (CallEnded, "b")],
        Says::CallBegan,
    ),
    (
        "the user stops it",
        &[(Prompted, ""), (CallBegins, "a"), (AsksPermission, ""), (Interrupted, "")],
        Says::NoTurn(Some(SessionState::Interrupted)),
    ),
    ("a question is up", &[(Prompted, ""), (QuestionBegins, "a")], ANSWER),
    (
        "a question is up, and told of twice",
        &[(Prompted, ""), (QuestionBegins, "a"), (AsksAnswer, "")],
        ANSWER,
    ),
    (
        "it is answered",
        &[(Prompted, ""), (QuestionBegins, "a"), (AsksAnswer, ""), (CallEnded, "a")],
        Says::Works,
    ),
    ("the turn ends", &[(Prompted, ""), (TurnEnded, "")], Says::NoTurn(Some(SessionState::Idle))),
    (
        "a late result",
        &[(Prompted, ""), (CallBegins, "a"), (TurnEnded, ""), (CallEnded, "a")],
        Says::NoTurn(Some(SessionState::Idle)),
    ),
    (
        "another turn begins by itself",
        &[(Prompted, ""), (TurnEndedInBackground, ""), (CallBegins, "a")],
        Says::Works,
    ),
    (
        "agents work on",
        &[(Prompted, ""), (TurnEndedInBackground, "")],
        Says::NoTurn(Some(SessionState::Background)),
    ),
    ("a limit", &[(Prompted, ""), (TurnLimited, "")], Says::NoTurn(Some(SessionState::RateLimited))),
    ("it sums up", &[(TurnEnded, ""), (Compacts, "")], Says::Works),
    ("it has summed up", &[(TurnEnded, ""), (Compacts, ""), (Compacted, "")], Says::NoTurn(None)),
    (
        "it has summed up by itself, in a turn",
        &[(Prompted, ""), (CallBegins, "a"), (CallEnded, "a"), (Compacted, "")],
        Says::Works,
    ),
    ("it is over", &[(Prompted, ""), (CallBegins, "a"), (Ended, "")], Says::Over),
    ("it is taken up again", &[(Ended, ""), (Started, "")], Says::NoTurn(None)),
];

#[test]
fn what_was_recorded_says_what_was_on_the_screen() {
    for (name, events, expected) in RECORDED {
        assert_eq!(says(&script(events)), Some(*expected), "{name}");
    }
}

#[test]
fn a_call_may_be_asking_where_prompts_are_not_told() {
    let events = [(What::Prompted, ""), (What::CallBegins, "a")];
    let untold = |events: &[(What, &str)]| {
        let mut all: Vec<HookEvent> = script(events).into_iter().collect();
        for event in &mut all {
            event.around.prompts = Prompts::Untold;
        }
        says(&all.into_iter().collect())
    };
    assert_eq!(untold(&events[..1]), Some(Says::Works));
    assert_eq!(untold(&events), Some(Says::CallBegan));
    let late = [events[0], events[1], (What::SaysPermission, "")];
    assert_eq!(untold(&late), Some(Says::Asks(WaitingFor::Permission)));
    assert_eq!(untold(&[late[0], late[1], late[2], (What::CallEnded, "")]), Some(Says::Works));
}

#[test]
fn what_a_subagent_asks_is_asked_of_the_user() {
    let mut events = script(&[(What::Prompted, ""), (What::CallBegins, "task")]);
    events.insert(event(90, What::CallBegins, "inner", "sub"));
    assert_eq!(says(&events), Some(Says::Works));
    events.insert(event(80, What::AsksPermission, "", "sub"));
    assert_eq!(says(&events), Some(Says::Asks(WaitingFor::Permission)));
    // What the session's own agent does is no answer.
    events.insert(event(70, What::CallEnded, "other", ""));
    assert_eq!(says(&events), Some(Says::Asks(WaitingFor::Permission)));
    let mut answered = events.clone();
    answered.insert(event(60, What::CallEnded, "inner", "sub"));
    assert_eq!(says(&answered), Some(Says::Works));
    events.insert(event(60, What::SubagentEnded, "", "sub"));
    assert_eq!(says(&events), Some(Says::Works));
}

#[test]
fn an_agent_that_goes_on_may_have_been_answered() {
    // A refusal fires no hook: what begins long after the ask was not called together with what was asked about.
    let mut events: BTreeSet<HookEvent> = [
        event(9000, What::Prompted, "", ""),
        event(8000, What::CallBegins, "inner", "sub"),
        event(7900, What::AsksPermission, "", "sub"),
        event(7800, What::CallBegins, "beside", "sub"),
    ]
    .into();
    assert_eq!(says(&events), Some(Says::Asks(WaitingFor::Permission)));
    events.insert(event(3000, What::CallBegins, "next", "sub"));
    assert_eq!(says(&events), Some(Says::CallBegan));
    events.insert(event(2900, What::AsksPermission, "", "sub"));
    assert_eq!(says(&events), Some(Says::Asks(WaitingFor::Permission)));
}

#[test]
fn an_ask_whose_hook_came_late_asks_nothing() {
    let mut events = script(&[(What::Prompted, ""), (What::CallBegins, "a"), (What::CallEnded, "a")]);
    events.insert(event(20, What::AsksPermission, "", ""));
    assert_eq!(says(&events), Some(Says::Works));
    // Nor does a notification that comes after all is over, where prompts are not told.
    let mut untold = script(&[
        (What::Prompted, ""),
        (What::CallBegins, "a"),
        (What::CallEnded, "a"),
        (What::TurnEnded, ""),
    ]);
    let late = event(20, What::SaysPermission, "", "");
    untold.insert(HookEvent { around: Around::default(), ..late });
    assert_eq!(says(&untold), Some(Says::NoTurn(Some(SessionState::Idle))));
}

#[test]
fn what_an_agent_asks_behind_the_end_of_a_turn_is_still_asked() {
    let asked = |end| -> BTreeSet<HookEvent> {
        [
            event(9000, What::Prompted, "", ""),
            event(8000, What::CallBegins, "inner", "sub"),
            event(7900, What::AsksPermission, "", "sub"),
            event(100, end, "", ""),
        ]
        .into()
    };
    assert_eq!(says(&asked(What::TurnEndedInBackground)), Some(Says::Asks(WaitingFor::Permission)));
    // Of one that ended with the turn nothing is asked.
    assert_eq!(says(&asked(What::TurnEnded)), Some(Says::NoTurn(Some(SessionState::Idle))));
    assert_eq!(says(&asked(What::Interrupted)), Some(Says::NoTurn(Some(SessionState::Interrupted))));
}

#[test]
fn a_late_hook_of_an_ended_turn_opens_no_other() {
    let of = |ago: i64, what: What, call: &str, turn: &str| {
        let mut event = event(ago, what, call, "");
        event.turn = Some(turn.to_owned());
        event
    };
    let mut events: BTreeSet<HookEvent> =
        [of(900, What::Prompted, "", "t1"), of(500, What::TurnEnded, "", "t1")].into();
    events.insert(of(400, What::CallBegins, "a", "t1"));
    events.insert(of(390, What::AsksPermission, "", "t1"));
    assert_eq!(says(&events), Some(Says::NoTurn(Some(SessionState::Idle))));
    // Another turn, which began by itself.
    events.insert(of(300, What::CallBegins, "b", "t2"));
    assert_eq!(says(&events), Some(Says::Works));
}

#[test]
fn a_kind_of_tool_tells_which_call_is_asked_about() {
    let of = |ago: i64, what: What, call: &str, tool: Tool| HookEvent {
        tool: Some(tool),
        ..event(ago, what, call, "")
    };
    let asked = |tool| -> BTreeSet<HookEvent> {
        [
            event(900, What::Prompted, "", ""),
            of(800, What::CallBegins, "a", Tool::Command),
            of(790, What::CallBegins, "b", Tool::Edit),
            of(780, What::AsksPermission, "", tool),
        ]
        .into()
    };
    let permission = Some(Says::Asks(WaitingFor::Permission));
    let after = |tool, call: &str| {
        let mut events = asked(tool);
        assert_eq!(says(&events), permission);
        events.insert(event(700, What::CallEnded, call, ""));
        says(&events)
    };
    assert_eq!(after(Tool::Command, "b"), permission);
    assert_eq!(after(Tool::Command, "a"), Some(Says::Works));
    assert_eq!(after(Tool::Edit, "a"), permission);
}

#[test]
fn of_a_tool_that_tells_nothing_once_it_is_permitted_it_can_not_be_told() {
    let of = |ago: i64, what: What, call: &str| HookEvent {
        tool: Some(Tool::Other),
        ..event(ago, what, call, "")
    };
    let events =
        [of(800, What::CallBegins, "a"), of(790, What::AsksPermission, ""), of(100, What::CallEnded, "a")];
    assert_eq!(says(&events[..2].iter().cloned().collect()), Some(Says::CallBegan));
    assert_eq!(says(&events.into()), Some(Says::Works));
}

#[test]
fn a_notice_counts_of_a_turn_that_the_file_has() {
    let mut events = script(&[(What::Prompted, "")]);
    let mut notice = event(50, What::NoticedEnd, "", "");
    notice.turn = Some("hidden".to_owned());
    events.insert(notice.clone());
    assert_eq!(says(&events), Some(Says::Works));
    notice.turn = Some("known".to_owned());
    events.insert(notice);
    assert_eq!(says(&events), Some(Says::NoTurn(Some(SessionState::Idle))));
}

#[test]
fn the_late_end_of_an_older_turn_ends_no_newer_one() {
    let of = |ago: i64, what: What, turn: &str| {
        let mut event = event(ago, what, "", "");
        event.turn = Some(turn.to_owned());
        event
    };
    let mut events: BTreeSet<HookEvent> =
        [of(300, What::Prompted, "t1"), of(200, What::Prompted, "t2"), of(100, What::TurnEnded, "t1")].into();
    assert_eq!(says(&events), Some(Says::Works));
    events.insert(of(50, What::TurnEnded, "t2"));
    assert_eq!(says(&events), Some(Says::NoTurn(Some(SessionState::Idle))));
}

#[test]
fn what_another_clock_wrote_ahead_does_not_count() {
    let mut events = script(&[(What::Prompted, ""), (What::TurnEnded, "")]);
    events.insert(event(-3_600_000, What::Prompted, "", ""));
    assert_eq!(says(&events), Some(Says::NoTurn(Some(SessionState::Idle))));
}

#[test]
fn a_summing_up_that_esc_may_have_stopped_does_not_go_on_for_ever() {
    let of = |ago: i64, what: What| event(ago, what, "", "");
    let told = |ago: i64| -> BTreeSet<HookEvent> {
        [of(ago + 900, What::TurnEnded), of(ago, What::Compacts)].into()
    };
    assert_eq!(says(&told(60_000)), Some(Says::Works));
    assert_eq!(says(&told(60_001)), Some(Says::MayWork));
    // What is told since says that it was not stopped, or how it goes on.
    for (what, want) in [
        (What::Compacted, Says::NoTurn(None)),
        (What::CallBegins, Says::Works),
        (What::Prompted, Says::Works),
        (What::TurnEnded, Says::NoTurn(Some(SessionState::Idle))),
    ] {
        let mut events = told(90_000);
        events.insert(of(100, what));
        assert_eq!(says(&events), Some(want), "{what:?}");
    }
    // Codex tells of it otherwise.
    let codex = told(90_000).into_iter().map(|event| HookEvent { runtime: Runtime::Codex, ..event });
    assert_eq!(says(&codex.collect()), Some(Says::Works));
}

#[test]
fn a_notification_that_names_no_agent_may_be_of_any_and_is_never_taken_for_anothers() {
    // Claude Code before 2.0.45: no hook tells of prompts, and a notification names no agent.
    let of = |ago: i64, what: What, call: &str, agent: &str, tool: Tool| HookEvent {
        around: Around::default(),
        tool: Some(tool),
        ..event(ago, what, call, agent)
    };
    let told = |more: &[HookEvent]| {
        let mut events: BTreeSet<HookEvent> = [
            of(9000, What::Prompted, "", "", Tool::Other),
            of(8900, What::CallBegins, "task", "", Tool::Other),
            of(8800, What::CallBegins, "beside", "", Tool::Command),
            of(8700, What::CallBegins, "inner", "sub", Tool::Command),
        ]
        .into();
        events.extend(more.iter().cloned());
        says(&events)
    };
    let says_so = HookEvent { tool: None, ..of(2000, What::SaysPermission, "", "", Tool::Other) };
    let end = |call: &str, agent: &str| of(1000, What::CallEnded, call, agent, Tool::Command);
    assert_eq!(told(&[]), Some(Says::CallBegan));
    assert_eq!(told(std::slice::from_ref(&says_so)), Some(PERMISSION));
    // Whichever ends, it may be the one that was asked about.
    for (call, agent) in [("inner", "sub"), ("beside", "")] {
        assert_eq!(told(&[says_so.clone(), end(call, agent)]), Some(Says::CallBegan), "{call}");
    }
    // A refusal fires no hook: the agent goes on.
    let next = of(500, What::CallBegins, "next", "sub", Tool::Command);
    let late = HookEvent { at: says_so.at - SignedDuration::from_secs(1), ..says_so };
    assert_eq!(told(&[late, next]), Some(Says::CallBegan));
}

#[test]
fn an_ask_that_meant_one_of_several_calls_stayed_unknown_when_all_of_them_had_ended() {
    let parallel = [(Prompted, ""), (CallBegins, "a1"), (CallBegins, "a2")];
    for asks in 1..=2 {
        let mut all = parallel.to_vec();
        all.extend(vec![(AsksPermission, ""); asks]);
        assert_eq!(says(&script(&all)), Some(PERMISSION), "{asks}");
        all.push((CallEnded, "a1"));
        assert_eq!(says(&script(&all)), Some(Says::CallBegan), "{asks}");
        all.push((CallEnded, "a2"));
        assert_eq!(says(&script(&all)), Some(Says::Works), "{asks}");
        all.push((CallBegins, "b"));
        assert_eq!(says(&script(&all)), Some(Says::Works), "{asks}");
        // What is asked anew is asked.
        all.push((AsksPermission, ""));
        assert_eq!(says(&script(&all)), Some(PERMISSION), "{asks}");
    }
}

/// The events with a note that this one of them was permitted.
fn noted(events: &BTreeSet<HookEvent>, ask: usize) -> BTreeSet<HookEvent> {
    let asks = events.iter().filter(|event| is_ask(event));
    let note = asks.clone().nth(ask).unwrap().permitted();
    events.iter().cloned().chain([note]).collect()
}

#[test]
fn what_was_permitted_is_not_asked_again_and_nothing_else_is_permitted_by_it() {
    let mut all = vec![(Prompted, ""), (CallBegins, "a"), (AsksPermission, "")];
    let asked = script(&all);
    assert_eq!(says(&noted(&asked, 0)), Some(Says::Works));
    // Its instant may have been taken for another one, and two looks may note it.
    let mut twice = noted(&asked, 0);
    let note = twice.iter().find(|event| event.what == What::Permitted).cloned().unwrap();
    twice.insert(HookEvent { at: note.at - SignedDuration::from_secs(1), ..note });
    assert_eq!(says(&twice), Some(Says::Works));
    all.extend([(CallBegins, "b"), (AsksPermission, "")]);
    let mut events: Vec<HookEvent> = script(&all).into_iter().collect();
    for (tick, event) in (0..).zip(&mut events) {
        event.around.tick = Some(tick);
    }
    let asked: BTreeSet<HookEvent> = events.into_iter().collect();
    assert_eq!(says(&noted(&asked, 0)), Some(PERMISSION), "the other one is asked still");
    assert_eq!(says(&noted(&noted(&asked, 0), 1)), Some(Says::Works));
    // A note alone says nothing.
    let note = noted(&asked, 0).into_iter().filter(|event| event.what == What::Permitted);
    assert_eq!(says(&note.collect()), None);
}

#[test]
fn of_several_calls_it_is_not_known_which_was_permitted() {
    let mut all = vec![(Prompted, ""), (CallBegins, "a"), (CallBegins, "b"), (AsksPermission, "")];
    assert_eq!(says(&noted(&script(&all), 0)), Some(Says::CallBegan));
    all.extend([(CallEnded, "b"), (CallEnded, "a")]);
    assert_eq!(says(&noted(&script(&all), 0)), Some(Says::Works));
}

#[test]
fn a_call_that_was_permitted_asks_no_more_where_prompts_are_not_told() {
    let untold = |event: HookEvent| HookEvent { around: Around::default(), ..event };
    let asked = script(&[(Prompted, ""), (CallBegins, "a"), (SaysPermission, "")]);
    let asked: BTreeSet<HookEvent> = asked.into_iter().map(untold).collect();
    assert_eq!(says(&asked), Some(PERMISSION));
    let mut noted = noted(&asked, 0);
    assert_eq!(says(&noted), Some(Says::Works));
    noted.insert(untold(event(10, CallBegins, "b", "")));
    assert_eq!(says(&noted), Some(Says::CallBegan));
}

#[test]
fn a_prompt_was_taken_for_the_late_one_of_another_kind_of_call() {
    let of = |tool, event: HookEvent| HookEvent { tool: Some(tool), ..event };
    let mut events = script(&[(Prompted, "")]);
    events.insert(of(Tool::Command, event(90, CallBegins, "a", "")));
    events.insert(of(Tool::Command, event(80, CallEnded, "a", "")));
    let before = events.clone();
    events.insert(of(Tool::Edit, event(10, AsksPermission, "", "")));
    assert_eq!(says(&events), Some(PERMISSION));
    // Of the same kind it is the late one.
    let mut events = before.clone();
    events.insert(of(Tool::Command, event(10, AsksPermission, "", "")));
    assert_eq!(says(&events), Some(Says::Works));
    // A question of a server's is about no call.
    let mut events = before;
    events.insert(event(10, AsksAnswer, "", ""));
    assert_eq!(says(&events), Some(ANSWER));
}

#[test]
fn a_prompt_that_stands_for_certain_was_hidden_behind_one_that_may_be_over() {
    let of = |tool, event: HookEvent| HookEvent { tool: Some(tool), ..event };
    let mut events = script(&[(Prompted, "")]);
    events.insert(of(Tool::Other, event(90, CallBegins, "a", "")));
    events.insert(of(Tool::Other, event(80, AsksPermission, "", "")));
    assert_eq!(says(&events), Some(Says::CallBegan));
    events.insert(of(Tool::Command, event(30, CallBegins, "b", "agent")));
    events.insert(of(Tool::Command, event(20, AsksPermission, "", "agent")));
    assert_eq!(says(&events), Some(PERMISSION));
}

#[test]
fn what_an_agent_in_the_background_asks_went_with_the_next_turn() {
    let mut events = script(&[(Prompted, ""), (TurnEndedInBackground, "")]);
    events.insert(event(90, CallBegins, "a", "agent"));
    events.insert(event(80, AsksPermission, "", "agent"));
    let asked = |events: &BTreeSet<HookEvent>| {
        told(events, NOW, |_| false).map(|told| (told.live.says, told.live.whose))
    };
    assert_eq!(asked(&events), Some((PERMISSION, Whose::Background)));
    for begins in [Prompted, Compacts] {
        let mut events = events.clone();
        events.insert(event(50, begins, "", ""));
        assert_eq!(asked(&events), Some((PERMISSION, Whose::Background)), "{begins:?}");
        // The end of a turn with nothing in the background is the end of the agent too.
        events.insert(event(40, TurnEnded, "", ""));
        assert_eq!(asked(&events), Some((Says::NoTurn(Some(SessionState::Idle)), Whose::Own)));
    }
}

#[test]
fn a_summing_up_that_was_stopped_went_on_for_ever_once_anything_was_told() {
    let mut events = BTreeSet::from([event(200_000, Compacts, "", "")]);
    assert_eq!(says(&events), Some(Says::MayWork));
    events.insert(event(100_000, SaysPermission, "", ""));
    events.insert(event(90_000, CallEnded, "a", ""));
    assert_eq!(says(&events), Some(Says::MayWork));
    events.insert(event(80_000, CallBegins, "b", ""));
    assert_eq!(says(&events), Some(Says::Works));
}
