//! From a row to the contract's projection: refs, fields and the last screening.

use loopx_contract::{
    Boundary, FirstScreen, GateState, LoopxRefs, MissingFact, Mode, Projection, ProjectionVersion,
    QuotaState, Ref, RuntimeId, RuntimeRef, SessionFacts, SessionState, TodoId, WaitingOn,
};
use loopx_safety::{ActionText, PublicText};

use crate::first_screen::lane::{Ask, Lane};
use crate::first_screen::sessions::Sessions;
use crate::first_screen::{Decision, Fact, Inputs, Row, Sight, validation};
use crate::goal::Goal;
use crate::quota::Frees;
use crate::todo::Todo;

/// The stop condition of a goal that states none.
pub const STOP_CONDITION: &str = "stop for user gate, missing authority, or unsafe write";

/// What a row says.
pub(super) struct Answer<'a> {
    row: Row,
    waiting_on: WaitingOn,
    quota: QuotaState,
    exit: u8,
    next_action: String,
    todo: Option<TodoId>,
    executable: Option<&'a Todo>,
    session: Option<RuntimeRef>,
    frees: Option<Frees>,
    cites: Vec<Fact>,
}

impl<'a> Answer<'a> {
    pub fn new(row: Row, waiting_on: WaitingOn, quota: QuotaState, exit: u8, next_action: String) -> Self {
        Self {
            row,
            waiting_on,
            quota,
            exit,
            next_action,
            todo: None,
            executable: None,
            session: None,
            frees: None,
            cites: Vec::new(),
        }
    }

    pub fn todo(mut self, todo: Option<&Todo>) -> Self {
        self.todo = todo.map(|todo| todo.id.clone());
        self
    }

    pub fn todo_id(mut self, todo: Option<&TodoId>) -> Self {
        self.todo = todo.cloned();
        self
    }

    pub fn executable(mut self, todo: Option<&'a Todo>) -> Self {
        self.executable = todo;
        self
    }

    pub fn cite(mut self, fact: Fact) -> Self {
        self.cites.push(fact);
        self
    }

    pub fn cite_session(mut self, session: Option<&SessionFacts>) -> Self {
        if let Some(session) = session {
            self.session = Some(runtime_of(session));
            self.cites.push(Fact::Session(session.session_id.into()));
        }
        self
    }

    pub fn cite_asks(mut self, asks: &[Ask<'_>]) -> Self {
        self.cites.extend(asks.iter().map(|ask| match ask {
            Ask::Gate(gate) => Fact::Gate(gate.id.clone()),
            Ask::Todo(todo) => Fact::Todo(todo.id.clone()),
        }));
        self
    }

    pub fn cite_todo(self, todo: Option<&Todo>) -> Self {
        match todo {
            Some(todo) => self.cite(Fact::Todo(todo.id.clone())),
            None => self,
        }
    }

    pub fn cite_claim(self, todo: Option<&Todo>) -> Self {
        match todo {
            Some(todo) => self.cite(Fact::Claim(todo.id.clone())),
            None => self,
        }
    }

    /// When the limit frees that holds turns back.
    pub fn frees(mut self, frees: Option<Frees>) -> Self {
        self.frees = frees;
        self
    }

    /// A limit of ours that is used up.
    pub fn cite_limit(self, frees: Option<Frees>) -> Self {
        if frees.is_some() { self.frees(frees).cite(Fact::Limit) } else { self }
    }
}

fn runtime_of(session: &SessionFacts) -> RuntimeRef {
    RuntimeRef {
        runtime_id: session.runtime_id.clone(),
        session_id: Some(session.session_id.into()),
        source_ids_redacted: false,
    }
}

fn no_runtime() -> RuntimeRef {
    RuntimeRef { runtime_id: RuntimeId::none(), session_id: None, source_ids_redacted: false }
}

/// Our own words, known to be clean.
fn ours(text: &'static str) -> PublicText {
    PublicText::new(text).unwrap_or_else(|_| PublicText::purged())
}

fn bare_boundary() -> Boundary {
    Boundary {
        mode: Mode::ReadOnlyProjection,
        raw_transcripts_copied: false,
        credentials_copied: false,
        private_paths_copied: false,
        stop_condition: ours(STOP_CONDITION),
        read_scope: None,
        write_scope: None,
        private_data_rule: None,
    }
}

fn boundary(goal: &Goal) -> Boundary {
    let globs = |globs: &[crate::scope::Glob]| {
        (!globs.is_empty()).then(|| globs.iter().map(|glob| glob.as_text().clone()).collect())
    };
    Boundary {
        mode: goal.mode,
        stop_condition: goal.boundary.stop_condition.clone(),
        read_scope: globs(&goal.boundary.read),
        write_scope: globs(&goal.boundary.write),
        private_data_rule: goal.boundary.private_data_rule.clone(),
        ..bare_boundary()
    }
}

/// A projection of enums and ids alone, for a goal of which nothing can be shown.
fn bare(inputs: &Inputs<'_>, row: Row, next_action: &str, fact: Fact, boundary: Boundary) -> Decision {
    let exit = if row == Row::UnknownLane { 3 } else { 11 };
    let latest = if row == Row::Integrity {
        "no validation can be read; missing: log"
    } else {
        "no validation recorded; missing: registration"
    };
    let next_action = ActionText::new(next_action)
        .or_else(|_| ActionText::new("run `loopx doctor`"))
        .unwrap_or_else(|_| ActionText::purged());
    Decision {
        row,
        projection: Projection {
            schema_version: ProjectionVersion::V0,
            goal_id: inputs.goal.clone(),
            agent_id: inputs.agent.clone(),
            runtime: no_runtime(),
            loopx_refs: LoopxRefs { run_id: inputs.record.cloned(), ..LoopxRefs::default() },
            first_screen: FirstScreen {
                waiting_on: WaitingOn::Controller,
                next_action,
                open_user_todo: None,
                first_executable_agent_todo: None,
                latest_validation: ours(latest),
                gate_state: GateState::Blocked,
                quota_state: QuotaState::Blocked,
                boundary,
            },
        },
        exit,
        cites: vec![fact],
        lacking: Vec::new(),
        frees: None,
    }
}

/// Row 1.
pub(super) fn damaged(inputs: &Inputs<'_>, code: &str) -> Decision {
    bare(inputs, Row::Integrity, &format!("run `loopx doctor`: {code}"), Fact::Damage, bare_boundary())
}

/// Row 2, without a goal.
pub(super) fn unknown_goal(inputs: &Inputs<'_>) -> Decision {
    let text = format!("run `loopx goal add {} --objective TEXT`", inputs.goal);
    bare(inputs, Row::UnknownLane, &text, Fact::Unregistered, bare_boundary())
}

/// Row 2, without the lane.
pub(super) fn unknown_lane(inputs: &Inputs<'_>, goal: &Goal) -> Decision {
    let agent = if inputs.agent.as_str() == "none" { "NAME" } else { inputs.agent.as_str() };
    let text = format!("run `loopx agent add {agent} --goal {}`", goal.id);
    bare(inputs, Row::UnknownLane, &text, Fact::Unregistered, boundary(goal))
}

/// The projection of a registered lane.
pub(super) fn render(
    inputs: &Inputs<'_>,
    lane: &Lane<'_>,
    all: &[SessionFacts],
    sessions: &Sessions<'_>,
    answer: Answer<'_>,
    gate_state: GateState,
) -> Decision {
    let shown = shown_session(inputs, lane, sessions, &answer);
    let facts = all.iter().find(|session| Some(session.session_id.to_string()) == shown_id(&shown));
    let missing = missing(inputs, lane, &shown, facts);
    let latest = validation::latest(lane.agent, all, &missing, inputs.now);
    let (Ok(next_action), Ok(latest_validation)) =
        (ActionText::new(&answer.next_action), PublicText::new(&latest))
    else {
        return damaged(inputs, "unsafe_output");
    };
    let closed = answer.row == Row::Closed;
    Decision {
        row: answer.row,
        exit: answer.exit,
        projection: Projection {
            schema_version: ProjectionVersion::V0,
            goal_id: inputs.goal.clone(),
            agent_id: inputs.agent.clone(),
            runtime: shown,
            loopx_refs: refs(inputs, lane, facts, answer.todo),
            first_screen: FirstScreen {
                waiting_on: answer.waiting_on,
                next_action,
                open_user_todo: if closed { None } else { lane.open_user_todo() },
                first_executable_agent_todo: answer.executable.map(|todo| todo.id.clone()),
                latest_validation,
                gate_state,
                quota_state: answer.quota,
                boundary: boundary(lane.goal),
            },
        },
        cites: answer.cites,
        lacking: missing,
        frees: answer.frees,
    }
}

fn shown_id(runtime: &RuntimeRef) -> Option<String> {
    runtime.session_id.as_ref().map(ToString::to_string)
}

/// The session that decides, else the caller's own, else the newest current one, else none.
fn shown_session(
    inputs: &Inputs<'_>,
    lane: &Lane<'_>,
    sessions: &Sessions<'_>,
    answer: &Answer<'_>,
) -> RuntimeRef {
    if lane.is_human() {
        return no_runtime();
    }
    if let Some(session) = &answer.session {
        return session.clone();
    }
    if let Some(caller) = inputs.caller {
        return RuntimeRef {
            runtime_id: caller.runtime.clone(),
            session_id: caller.session.clone(),
            source_ids_redacted: false,
        };
    }
    sessions.current.map_or_else(no_runtime, runtime_of)
}

/// What is missing: the session itself where none is attached, else what its facts lack.
fn missing(
    inputs: &Inputs<'_>,
    lane: &Lane<'_>,
    shown: &RuntimeRef,
    facts: Option<&SessionFacts>,
) -> Vec<&'static str> {
    if lane.is_human() {
        return Vec::new();
    }
    if inputs.sight == Sight::Unrecorded {
        return vec!["session state then"];
    }
    let own = inputs.caller.and_then(|caller| caller.session.as_ref());
    match (&shown.session_id, facts) {
        (None, _) if inputs.caller.is_some() => vec!["session_id"],
        (None, _) => vec!["session"],
        // A call from inside proves its session running, whatever its file can't tell.
        (Some(session), _) if own == Some(session) => Vec::new(),
        (Some(_), Some(facts)) if facts.state == SessionState::Unknown && facts.missing.is_empty() => {
            vec![MissingFact::SessionState.word()]
        }
        (Some(_), Some(facts)) => facts.missing.iter().map(|fact| fact.word()).collect(),
        (Some(_), None) => Vec::new(),
    }
}

fn refs(
    inputs: &Inputs<'_>,
    lane: &Lane<'_>,
    facts: Option<&SessionFacts>,
    todo: Option<TodoId>,
) -> LoopxRefs {
    if let Some(run) = inputs.record {
        return LoopxRefs {
            run_id: Some(run.clone()),
            todo_id: todo,
            event_id: facts.and_then(|facts| facts.event_id).map(Ref::from),
            outcome_id: facts.and_then(|facts| facts.outcome_id).map(Ref::from),
        };
    }
    let run = lane.agent.latest_run.as_ref();
    LoopxRefs {
        run_id: run.map(|run| run.id.clone()),
        todo_id: todo,
        event_id: run.and_then(|run| run.event_id.clone()),
        outcome_id: run.and_then(|run| run.outcome_id.clone()),
    }
}
