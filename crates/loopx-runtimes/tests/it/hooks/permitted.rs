//! What a command proves of the prompt that it was permitted by.

use super::*;

#[test]
fn a_permission_that_was_given_is_told_by_the_command_that_runs() {
    let snapshot = "source /home/ann/.claude/shell-snapshots/snapshot-bash-1.sh && eval true";
    for (runtime, name, command, input) in [
        (Runtime::Codex, "0.171.0_pending_exec_approval", "true", "/dev/null"),
        (Runtime::Codex, "0.171.0_pending_exec_approval", "true", "/dev/pts/3"),
        (Runtime::ClaudeCode, "2.1.332_pending_permission", snapshot, "/dev/null"),
        (Runtime::ClaudeCode, "2.1.332_pending_permission", snapshot, "socket:[7]"),
    ] {
        let session = Session::of(runtime, name);
        session.tell(&ASKED);
        // A server of the runtime's own, from its start.
        session.child((3000, 3000, 150_000), command, input);
        assert_eq!(session.word(), "waiting_permission", "{name}");
        // A hook or a status line that stays in the runtime's session, and one that leads its own.
        session.child((3001, PID.0, 200_700), command, input);
        assert_eq!(session.word(), "waiting_permission", "{name}");
        session.child((3002, 3002, 200_700), "notify me", "pipe:[7]");
        assert_eq!(session.word(), "waiting_permission", "{name}");
        session.child((3003, 3003, 200_700), command, input);
        let facts = session.facts();
        assert_eq!((facts.state.word(), facts.rule), ("running", Rule::Works), "{name}");
    }
}

#[test]
fn a_permitted_command_that_had_ended_was_told_to_wait_for_the_user_again() {
    let snapshot = "source /home/ann/.claude/shell-snapshots/snapshot-bash-1.sh && eval true";
    for (runtime, name, command) in [
        (Runtime::Codex, "0.171.0_pending_exec_approval", "true"),
        (Runtime::ClaudeCode, "2.1.332_pending_permission", snapshot),
    ] {
        let session = Session::of(runtime, name);
        session.tell(&ASKED);
        assert_eq!(session.word(), "waiting_permission", "{name}");
        let before = session.spool();
        session.child((3003, 3003, 200_700), command, "/dev/null");
        let proved = session.facts();
        assert_eq!(proved.state.word(), "running", "{name}");
        let noted = session.spool();
        assert_eq!(noted.lines().count(), before.lines().count() + 1, "one note: {noted}");
        assert!(noted.starts_with(&before) && noted.contains("permitted"), "{noted}");
        assert_eq!(session.facts(), proved, "{name}: each look says the same");
        // The end of the command is told by no process, and its hook has not come.
        session.no_child();
        assert_eq!(session.facts(), proved, "{name}");
        assert_eq!(session.spool(), noted, "{name}: a note an ask, however often it is looked");
        // What another session tells meanwhile was told before the note: it is taken for no older for that.
        let spool = Spool::of(&session.scene.path(""));
        let elsewhere = |event: HookEvent| HookEvent { session: "other".to_owned(), ..event };
        spool.append(&elsewhere(session.event((20_000, What::Prompted, "")))).unwrap();
        session.tell(&[(21_000, What::CallEnded, "open"), (22_000, What::CallBegins, "next")]);
        let ask = session.event((22_100, What::AsksPermission, ""));
        let around = Around { tick: Some(200_900), ..ask.around };
        spool.append(&HookEvent { around, ..ask }).unwrap();
        assert_eq!(session.word(), "waiting_permission", "{name}: another one is asked");
    }
}

#[test]
fn a_note_makes_nothing_older_that_was_told_before_it() {
    let session = Session::of(Runtime::Codex, "0.171.0_pending_exec_approval");
    let spool = Spool::of(&session.scene.path(""));
    session.tell(&ASKED);
    let other = HookEvent { session: "other".to_owned(), ..session.event((25_000, What::Prompted, "")) };
    spool.append(&other).unwrap();
    session.child((3003, 3003, 200_700), "true", "/dev/null");
    assert_eq!(session.word(), "running");
    assert!(session.spool().contains("permitted"));
    let events = spool.read(session.now());
    let told = events.get(&(Runtime::Codex, "other".to_owned())).unwrap();
    assert_eq!(told.first().map(|event| event.at), Some(other.at));
}

#[test]
fn a_command_that_may_be_another_calls_proves_nothing() {
    let session = Session::of(Runtime::Codex, "0.171.0_pending_exec_approval");
    session.tell(&ASKED);
    session.child((3002, 3002, 200_700), "true", "/dev/null");
    let spool = Spool::of(&session.scene.path(""));
    let elsewhere = |event: HookEvent| HookEvent { session: "other".to_owned(), ..event };
    spool.append(&elsewhere(session.event((100, What::CallBegins, "theirs")))).unwrap();
    assert_eq!(session.word(), "unknown");
    spool.append(&elsewhere(session.event((200, What::CallEnded, "theirs")))).unwrap();
    // It may have left the command behind.
    assert_eq!(session.word(), "unknown");
    assert!(!session.spool().contains("permitted"));
    let session = Session::of(Runtime::Codex, "0.171.0_pending_exec_approval");
    session.tell(&ASKED);
    session.child((3002, 3002, 200_700), "true", "/dev/null");
    session.tell(&[(300, What::CallBegins, "beside")]);
    let facts = session.facts();
    assert_eq!(facts.state.word(), "unknown");
    assert!(facts.missing.contains(&MissingFact::PermissionState));
    // That is no proof to go by once it is over.
    assert!(!session.spool().contains("permitted"));
    session.no_child();
    assert_eq!(session.word(), "waiting_permission");
}

#[test]
fn a_command_that_an_agent_left_behind_made_a_prompt_vanish_for_good() {
    let snapshot = "source /home/ann/.claude/shell-snapshots/snapshot-bash-1.sh && eval true";
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    session.tell(&ASKED);
    let spool = Spool::of(&session.scene.path(""));
    let agents = |event: HookEvent| HookEvent { subagent: Some("a1".to_owned()), ..event };
    spool.append(&agents(session.event((100, What::CallBegins, "theirs")))).unwrap();
    session.child((3003, 3003, 200_700), snapshot, "/dev/null");
    spool.append(&agents(session.event((200, What::CallEnded, "theirs")))).unwrap();
    assert_eq!(session.word(), "unknown");
    session.no_child();
    assert!(!session.spool().contains("permitted"));
    assert_eq!(session.word(), "waiting_permission");
}

#[test]
fn a_command_proved_that_an_edit_was_permitted() {
    let snapshot = "source /home/ann/.claude/shell-snapshots/snapshot-bash-1.sh && eval true";
    let session = Session::of(Runtime::ClaudeCode, "2.1.332_pending_permission");
    let spool = Spool::of(&session.scene.path(""));
    for told in ASKED {
        spool.append(&HookEvent { tool: Some(Tool::Edit), ..session.event(told) }).unwrap();
    }
    session.child((3003, 3003, 200_700), snapshot, "/dev/null");
    assert_eq!(session.word(), "waiting_permission");
    assert!(!session.spool().contains("permitted"));
}

#[test]
fn a_prompt_that_was_told_twice_took_two_looks() {
    let session = Session::of(Runtime::Codex, "0.171.0_pending_exec_approval");
    session.tell(&ASKED);
    let ask = session.event((70, What::AsksPermission, ""));
    let around = Around { tick: Some(200_001), ..ask.around };
    Spool::of(&session.scene.path("")).append(&HookEvent { around, ..ask }).unwrap();
    session.child((3003, 3003, 200_700), "true", "/dev/null");
    assert_eq!(session.word(), "running");
    session.no_child();
    assert_eq!(session.word(), "running");
}

#[test]
fn the_end_of_a_turn_in_its_file_hid_what_an_agent_in_the_background_asks() {
    for ends in [What::TurnEndedInBackground, What::TurnEnded] {
        let session = Session::of(Runtime::ClaudeCode, "2.1.332_interrupted");
        let spool = Spool::of(&session.scene.path(""));
        session.tell(&[(-900, What::Prompted, "")]);
        for told in [(-300, What::CallBegins, "theirs"), (-200, What::AsksPermission, "")] {
            let event = HookEvent { subagent: Some("a1".to_owned()), ..session.event(told) };
            spool.append(&event).unwrap();
        }
        session.tell(&[(-100, ends, "")]);
        let waits = session.word() == "waiting_permission";
        assert_eq!(waits, ends == What::TurnEndedInBackground, "{ends:?}");
    }
}
