//! A small world to put facts into, one at a time.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{
    AgentId, EvidenceTier, GateId, GoalId, LineCounts, Liveness, Mode, RunId, RuntimeId, SessionFacts,
    SessionFactsVersion, SessionState, TodoId, Turn,
};
use loopx_core::actor::ProofFloor;
use loopx_core::agent::{Agent, AgentKind, AgentState};
use loopx_core::gate::{Gate, GateActor, GateDecision};
use loopx_core::goal::{BoundaryRule, Goal, GoalState};
use loopx_core::quota::{Observed, Quota};
use loopx_core::run::{Run, RunKind, Validation, ValidationOutcome};
use loopx_core::scope::Glob;
use loopx_core::todo::{Audience, Blocker, Blocking, Claim, Covers, Priority, Todo, TodoClass, TodoState};
use loopx_core::{Caller, Decision, Inputs, Known, Sight, State, first_screen};
use loopx_safety::{HandleKind, InstallKey, PublicText};

/// A goal `atlas` with the lanes `codex` and `claude`.
#[derive(Clone)]
pub struct World {
    pub state: State,
    pub sessions: Vec<SessionFacts>,
    pub observed: Observed,
    pub caller: Option<Caller>,
    pub now: Timestamp,
}

pub fn text(text: &str) -> PublicText {
    PublicText::new(text).expect("clean")
}

pub fn goal_id() -> GoalId {
    GoalId::parse("atlas").expect("a slug")
}

pub fn agent_id(name: &str) -> AgentId {
    AgentId::parse(name).expect("a slug")
}

pub fn todo_id(name: &str) -> TodoId {
    TodoId::parse(&format!("todo_{name}")).expect("an id")
}

pub fn gate_id(name: &str) -> GateId {
    GateId::parse(&format!("gate_{name}")).expect("an id")
}

pub fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().expect("an instant")
}

pub fn minutes(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}

fn agent(name: &str) -> Agent {
    Agent {
        id: agent_id(name),
        kind: AgentKind::Automation,
        runtime: None,
        capabilities: BTreeSet::new(),
        state: AgentState::Active,
        quota: Quota::default(),
        created_at: now() - minutes(1000),
        latest_run: None,
        validations: Vec::new(),
        latest_projection: None,
    }
}

impl World {
    pub fn new() -> Self {
        let mut state = State {
            goal: Some(Goal {
                id: goal_id(),
                objective: text("the atlas is printed"),
                state: GoalState::Active,
                boundary: BoundaryRule {
                    read: vec![],
                    write: vec![],
                    private_data_rule: None,
                    stop_condition: text("stop for user gate, missing authority, or unsafe write"),
                },
                authority_sources: vec![],
                quota: Quota::default(),
                proof: ProofFloor::None,
                authority_key: None,
                mode: Mode::ReadOnlyProjection,
                created_at: now() - minutes(1000),
                last_finished: None,
            }),
            ..State::default()
        };
        for name in ["claude", "codex"] {
            state.agents.insert(agent_id(name), agent(name));
        }
        Self { state, sessions: vec![], observed: Observed::default(), caller: None, now: now() }
    }

    pub fn goal(&mut self) -> &mut Goal {
        self.state.goal.as_mut().expect("a goal")
    }

    pub fn agent(&mut self, name: &str) -> &mut Agent {
        self.state.agents.get_mut(&agent_id(name)).expect("a lane")
    }

    pub fn todo(&mut self, name: &str) -> &mut Todo {
        let id = todo_id(name);
        if !self.state.todos.contains(&id) {
            let todo = Todo {
                id: id.clone(),
                title: text(&format!("draw {name}")),
                audience: Audience::Agent,
                priority: Priority::P2,
                state: TodoState::Open,
                class: TodoClass::Advance,
                globs: vec![],
                needs: BTreeSet::new(),
                blocked_by: BTreeSet::new(),
                claim: None,
                epoch: 0,
                offered: None,
                added_by: None,
                created_at: now() - minutes(500),
                closed_at: None,
            };
            self.state.todos.insert(id.clone(), todo);
        }
        self.state.todos.get_mut(&id).expect("a todo")
    }

    pub fn user_todo(&mut self, name: &str, blocking: Blocking) -> &mut Todo {
        let todo = self.todo(name);
        todo.audience = Audience::User { covers: Covers::goal(), blocking, gate: None };
        todo
    }

    pub fn claim(&mut self, name: &str, by: &str) {
        let until = self.now + minutes(60);
        self.todo(name).claim = Some(Claim { agent: agent_id(by), until, epoch: 1 });
    }

    pub fn block(&mut self, name: &str, on: Blocker) {
        self.todo(name).blocked_by.insert(on);
    }

    /// A gate over the whole goal, with the user todo that goes with a user's.
    pub fn gate(&mut self, name: &str, actor: GateActor, decision: GateDecision) -> &mut Gate {
        let linked = (actor == GateActor::User).then(|| todo_id(&format!("for_{name}")));
        if let Some(linked) = &linked {
            let todo = self.todo(linked.as_str().trim_start_matches("todo_"));
            todo.audience = Audience::User {
                covers: Covers::goal(),
                blocking: Blocking::NonBlocking,
                gate: Some(gate_id(name)),
            };
        }
        let gate = Gate {
            id: gate_id(name),
            question: text(&format!("print {name}?")),
            actor,
            covers: Covers::goal(),
            state: decision,
            expires_at: None,
            linked_todo: linked,
            asked_by: None,
            proof: None,
            created_at: now() - minutes(100),
            decided_at: None,
        };
        self.state.gates.insert(gate_id(name), gate);
        self.state.gates.get_mut(&gate_id(name)).expect("a gate")
    }

    /// A live session of the lane asked about.
    pub fn session(&mut self, name: &str, state: SessionState) -> &mut SessionFacts {
        let key = InstallKey::from_bytes([7; 32], "test");
        let at = self.now - minutes(1);
        self.sessions.push(SessionFacts {
            schema_version: SessionFactsVersion::V0,
            runtime_id: RuntimeId::parse("claude_code").expect("a runtime"),
            session_id: key.handle(HandleKind::Session, "claude_code", name),
            state,
            tier: EvidenceTier::Registry,
            rule: loopx_contract::Rule::Works,
            liveness: Liveness::Alive,
            turn: Turn::Unknown,
            since: Some(at),
            last_activity: Some(at),
            started_at: Some(at - minutes(60)),
            missing: vec![],
            hints: vec![],
            limits: vec![],
            checks: vec![],
            usage: None,
            children: 0,
            event_id: None,
            outcome_id: None,
            lines: LineCounts::default(),
        });
        self.sessions.last_mut().expect("a session")
    }

    pub fn run(&mut self, label: &str, outcome: ValidationOutcome, at: Timestamp) {
        let run = Run {
            id: RunId::parse(&format!("run_{}", label.replace(' ', "_"))).expect("an id"),
            revision: 9,
            agent: agent_id("codex"),
            kind: RunKind::Validation,
            todo: None,
            session: None,
            validation: Some(Validation { label: text(label), outcome, exit_code: None }),
            summary: None,
            event_id: None,
            outcome_id: None,
            at,
            resolved_at: None,
        };
        let agent = self.agent("codex");
        agent.validations.push(run.clone());
        agent.latest_run = Some(run);
    }

    pub fn write_scope(&mut self, glob: &str) {
        self.goal().boundary.write = vec![Glob::parse(text(glob)).expect("a glob")];
    }

    pub fn inputs<'a>(&'a self, goal: &'a GoalId, agent: &'a AgentId) -> Inputs<'a> {
        Inputs {
            goal,
            agent,
            known: Known::State(&self.state),
            sessions: &self.sessions,
            sight: Sight::Observed,
            observed: &self.observed,
            caller: self.caller.as_ref(),
            record: None,
            now: self.now,
        }
    }

    /// The first screen of the lane `codex`.
    pub fn decide(&self) -> Decision {
        self.decide_for("codex")
    }

    pub fn decide_for(&self, agent: &str) -> Decision {
        first_screen(&self.inputs(&goal_id(), &agent_id(agent)))
    }
}
