//! Everything the operator sees first: each goal's lanes with their decisions, and the sessions that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Ref, RunId, RuntimeId, SessionFacts, SessionState, TodoId, WaitingOn};
use loopx_core::first_screen::{Failure, GoalLine, Why, goal_line, is_current, why};
use loopx_core::goal::GoalState;
use loopx_core::quota::Observed;
use loopx_core::{Caller, Decision, Inputs, Known, Sight, State, first_screen};
use loopx_safety::{InstallKey, PrivateWords, TierKind};

use crate::app::caller::running;
use crate::app::counting::states;
use crate::app::kept::{Decided, Facts, Stands};
use crate::app::outgoing;
use crate::app::placing::{Bindings, Clues, Named, Only, Place, place};
use crate::app::waits::{Ask, Wait};
use crate::error::CliError;

/// Goals and sessions at one instant.
#[derive(Debug)]
pub struct Overview {
    /// The instant, UTC.
    pub now: Timestamp,
    /// The goals that are not put away.
    pub goals: Vec<Arc<GoalView>>,
    /// Every session that is seen.
    pub sessions: Vec<SessionView>,
}

/// One goal.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalView {
    /// Its id.
    pub id: GoalId,
    /// Its lanes' decisions; of a goal without lanes, the one that says so.
    pub lanes: Vec<Decision>,
    /// Prompts in sessions of the goal that belong to no lane.
    pub unbound_prompts: usize,
    /// All of it that waits on a person.
    pub waits: Vec<Wait>,
    /// Open todos of the person's that no lane asks for.
    pub wishes: Vec<TodoId>,
    /// Its place among goals, those first that need somebody.
    order: Option<(u8, u8)>,
}

impl GoalView {
    /// One of these lanes, of which nothing waits on a person.
    pub(super) fn new(id: GoalId, lanes: Vec<Decision>, unbound_prompts: usize) -> Self {
        let (waits, wishes) = (Vec::new(), Vec::new());
        let view = Self { id, lanes, unbound_prompts, waits, wishes, order: None };
        let order = view.line().map(|line| (line.order().0, line.order().1));
        Self { order, ..view }
    }

    /// The same with these lanes.
    #[must_use]
    fn with(self, lanes: Vec<Decision>) -> Self {
        Self { waits: self.waits, wishes: self.wishes, ..Self::new(self.id, lanes, self.unbound_prompts) }
    }

    /// What of a lane waits on a person, what its first screen speaks of first.
    pub fn waits_of(&self, agent: &AgentId) -> impl Iterator<Item = &Wait> {
        self.waits.iter().filter(move |wait| wait.agent.as_ref() == Some(agent))
    }

    /// The decision of a lane.
    pub fn lane(&self, agent: &AgentId) -> Option<&Decision> {
        self.lanes.iter().find(|lane| lane.projection.agent_id == *agent)
    }

    /// The goal's line.
    pub fn line(&self) -> Option<GoalLine<'_>> {
        goal_line(&self.lanes, self.unbound_prompts)
    }
}

impl Overview {
    /// Goals that need somebody come first.
    pub fn sort(&mut self) {
        self.goals.sort_by_key(|goal| goal.order);
    }

    /// All that waits on a person, among what is asked for: of goals, and in sessions that belong to none.
    pub fn waits(&self, only: &Only) -> Vec<Wait> {
        let of_goals = self.goals.iter().flat_map(|goal| goal.waits.iter().cloned());
        let nowhere =
            |view: &&SessionView| view.place == Place::Nowhere && view.waiting_on == WaitingOn::User;
        let of_none = self.sessions.iter().filter(nowhere).map(Wait::of_session);
        of_goals.chain(of_none).filter(|wait| wait.is_of(only)).collect()
    }
}

/// One session with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// What is known of it.
    pub facts: SessionFacts,
    /// Where it belongs.
    pub place: Place,
    /// Whom it waits on by itself.
    pub waiting_on: WaitingOn,
}

/// Whom a session waits on by itself: the person it asks, the agent that works, the runtime where that is not
/// known or it failed, nobody where no turn is open.
pub fn session_waits_on(facts: &SessionFacts, now: Timestamp) -> WaitingOn {
    // A failure stands for a day, whether or not its process lives, as in the row that says so.
    if Failure::at(facts, now).is_some() {
        return WaitingOn::Runtime;
    }
    if !is_current(facts, now) {
        return WaitingOn::None;
    }
    match facts.state {
        SessionState::WaitingPermission | SessionState::WaitingAnswer => WaitingOn::User,
        SessionState::Running | SessionState::Background => WaitingOn::Agent,
        SessionState::Unknown | SessionState::Errored | SessionState::RateLimited => WaitingOn::Runtime,
        SessionState::Idle | SessionState::Interrupted | SessionState::Ended => WaitingOn::None,
    }
}

/// What the log gives for one goal.
#[derive(Debug)]
pub enum Held {
    /// Its state.
    State(Arc<State>),
    /// It can't be read: the damage, as `doctor` names it.
    Damaged(String),
}

/// The world a decision looks at.
#[derive(Debug)]
pub struct World {
    /// Now, or the instant asked about, UTC.
    pub now: Timestamp,
    /// The goals.
    pub goals: BTreeMap<GoalId, Held>,
    /// The sessions with their places.
    pub sessions: Vec<SessionView>,
    /// Whether sessions could be looked at.
    pub sight: Sight,
    /// The session the question comes from.
    pub caller: Option<Caller>,
    /// The lane that session belongs to, as far as it is known: in any other lane it is a session like others.
    pub caller_place: Place,
    words: PrivateWords,
    observed: BTreeMap<GoalId, Observed>,
    decided: Option<Arc<Decided>>,
}

impl World {
    /// Joins goals and sessions.
    pub fn new(
        now: Timestamp,
        goals: BTreeMap<GoalId, Held>,
        bindings: &Bindings,
        seen: Option<Vec<(SessionFacts, Clues)>>,
        caller: Option<Caller>,
        named: Option<&Named>,
        key: &InstallKey,
    ) -> Self {
        let sight = if seen.is_some() { Sight::Observed } else { Sight::Unrecorded };
        let lookup = states(&goals);
        let own = caller.as_ref().and_then(|caller| caller.session.clone());
        let is_own = |facts: &SessionFacts| own.as_ref().is_some_and(|own| *own == facts.session_id.into());
        let sessions: Vec<SessionView> = seen
            .unwrap_or_default()
            .into_iter()
            .map(|(facts, clues)| if is_own(&facts) { (running(facts, now), clues) } else { (facts, clues) })
            .map(|(facts, clues)| SessionView {
                place: place((&facts.runtime_id, facts.session_id), &clues, named, bindings, &lookup, key),
                waiting_on: session_waits_on(&facts, now),
                facts,
            })
            .collect();
        let seen = sessions.iter().find(|view| is_own(&view.facts));
        let caller_place = match (seen, named) {
            (Some(view), _) => view.place.clone(),
            (None, Some(named)) => named.place(&lookup),
            (None, None) => Place::Nowhere,
        };
        let caller = caller.map(|caller| match seen {
            Some(view) => Caller { runtime: view.facts.runtime_id.clone(), ..caller },
            None => caller,
        });
        let words = PrivateWords::none(TierKind::Local);
        let observed = BTreeMap::new();
        Self { now, goals, sessions, sight, caller, caller_place, words, observed, decided: None }
    }

    /// Counts what the goals' sessions were observed to spend.
    #[must_use]
    pub fn counting(self, observed: BTreeMap<GoalId, Observed>) -> Self {
        Self { observed, ..self }
    }

    /// Takes what was decided a moment ago where it still holds, and keeps what is decided. No caller is known here.
    #[must_use]
    pub fn after(self, decided: Arc<Decided>) -> Self {
        Self { decided: Some(decided).filter(|_| self.caller.is_none()), ..self }
    }

    /// What a goal's sessions were observed to spend, as far as it is counted.
    pub fn observed(&self, goal: &GoalId) -> &Observed {
        self.observed.get(goal).unwrap_or(Observed::NOTHING)
    }

    /// Shows no text that holds one of these names.
    #[must_use]
    pub fn without(self, words: PrivateWords) -> Self {
        Self { words, ..self }
    }

    /// What is known of a session.
    pub fn session(&self, id: &Ref) -> Option<&SessionFacts> {
        self.sessions.iter().map(|view| &view.facts).find(|facts| Ref::from(facts.session_id) == *id)
    }

    fn known(&self, goal: &GoalId) -> Known<'_> {
        match self.goals.get(goal) {
            None => Known::Missing,
            Some(Held::Damaged(code)) => Known::Damaged { code },
            Some(Held::State(state)) => Known::State(state),
        }
    }

    fn sessions_of(&self, goal: &GoalId, agent: &AgentId) -> Vec<SessionFacts> {
        let lane = Place::Lane(goal.clone(), agent.clone());
        self.sessions.iter().filter(|view| view.place == lane).map(|view| view.facts.clone()).collect()
    }

    /// The caller, where the question is about the caller's own lane.
    fn caller_for(&self, goal: &GoalId, agent: &AgentId) -> Option<&Caller> {
        let own = match &self.caller_place {
            Place::Lane(of, lane) => of == goal && lane == agent,
            Place::Goal(of) => of == goal,
            Place::Nowhere => true,
        };
        self.caller.as_ref().filter(|_| own)
    }

    /// Decides for one lane.
    pub fn decide(
        &self,
        goal: &GoalId,
        agent: &AgentId,
        record: Option<&RunId>,
    ) -> Result<Decision, CliError> {
        let sessions = self.sessions_of(goal, agent);
        self.screened(&self.inputs(goal, agent, &sessions, record), None)
    }

    /// Decides for one lane and says why.
    pub fn why(&self, goal: &GoalId, agent: &AgentId) -> Result<Why, CliError> {
        let sessions = self.sessions_of(goal, agent);
        let inputs = self.inputs(goal, agent, &sessions, None);
        let (decision, reasons) = (self.screened(&inputs, None)?, why(&inputs));
        // What is shown in its place has a reason of its own.
        let same = reasons.decision.row == decision.row;
        Ok(if same { Why { decision, ..reasons } } else { why(&unsafe_output(&inputs)) })
    }

    /// Decides, and screens what goes out, unless that passed before.
    fn screened(&self, inputs: &Inputs<'_>, before: Option<&Decision>) -> Result<Decision, CliError> {
        let decision = first_screen(inputs);
        if before == Some(&decision) {
            return Ok(decision);
        }
        let screen = |projection: &_| outgoing::screen(projection, inputs.known, &self.words);
        outgoing::screened(decision, || first_screen(&unsafe_output(inputs)), screen)
    }

    fn inputs<'a>(
        &'a self,
        goal: &'a GoalId,
        agent: &'a AgentId,
        sessions: &'a [SessionFacts],
        record: Option<&'a RunId>,
    ) -> Inputs<'a> {
        Inputs {
            goal,
            agent,
            known: self.known(goal),
            sessions,
            sight: self.sight,
            observed: self.observed(goal),
            caller: self.caller_for(goal, agent),
            record,
            now: self.now,
        }
    }

    /// Every goal, and whether it is listed: those that are put away are not.
    pub fn listing(&self) -> impl Iterator<Item = (&GoalId, bool)> {
        self.goals.iter().map(|(id, held)| (id, is_listed(held)))
    }

    /// The lanes of a goal; of one without lanes, the one that says so.
    pub fn lanes(&self, goal: &GoalId) -> Result<Vec<AgentId>, CliError> {
        let agents: Vec<AgentId> = match self.known(goal) {
            Known::State(state) => state.agents.iter().map(|(id, _)| id.clone()).collect(),
            Known::Damaged { .. } | Known::Missing => Vec::new(),
        };
        Ok(if agents.is_empty() { vec![no_agent()?] } else { agents })
    }

    /// One goal with all its lanes.
    pub fn goal(&self, goal: &GoalId) -> Result<GoalView, CliError> {
        self.decided(goal, None)
    }

    /// The same, where this was decided before from the same state and for the same words.
    fn decided(&self, goal: &GoalId, before: Option<&GoalView>) -> Result<GoalView, CliError> {
        let agents = self.lanes(goal)?;
        // A caller of no known lane is in the one that it asks about: of several shown at once it is in none.
        let several = agents.len() > 1 || self.goals.len() > 1;
        let here = self.caller_place != Place::Nowhere || !several;
        let decided = |agent| {
            let sessions = self.sessions_of(goal, agent);
            let inputs = self.inputs(goal, agent, &sessions, None);
            let inputs = Inputs { caller: inputs.caller.filter(|_| here), ..inputs };
            let before = before.and_then(|before| before.lane(agent));
            self.screened(&inputs, before)
        };
        let lanes = agents.iter().map(decided).collect::<Result<Vec<Decision>, _>>()?;
        let unbound = Place::Goal(goal.clone());
        let prompts = |view: &&SessionView| view.place == unbound && view.waiting_on == WaitingOn::User;
        let prompts: Vec<&SessionView> = self.sessions.iter().filter(prompts).collect();
        let mut waits: Vec<Wait> = prompts.iter().map(|view| Wait::of_session(view)).collect();
        if let Known::State(state) = self.known(goal) {
            waits.extend(lanes.iter().flat_map(|lane| Wait::of_lane(lane, state, &self.sessions, self.now)));
        }
        let wishes = match self.known(goal) {
            Known::State(state) => wishes(goal, state, &waits, self.now),
            Known::Damaged { .. } | Known::Missing => Vec::new(),
        };
        Ok(GoalView { waits, wishes, ..GoalView::new(goal.clone(), lanes, prompts.len()) })
    }

    /// The same, where it was decided a moment ago and nothing is new as it was then.
    fn goal_after(&self, goal: &GoalId) -> Result<Arc<GoalView>, CliError> {
        let (Some(decided), Some(Held::State(state))) = (&self.decided, self.goals.get(goal)) else {
            return Ok(Arc::new(self.goal(goal)?));
        };
        let is_of = |view: &&SessionView| match &view.place {
            Place::Lane(of, _) | Place::Goal(of) => of == goal,
            Place::Nowhere => false,
        };
        let facts = Facts {
            sessions: self.sessions.iter().filter(is_of).cloned().collect(),
            observed: self.observed(goal).clone(),
        };
        let before = match decided.find(goal, state, &facts, &self.words, self.now) {
            Some((view, Stands::Still)) => return Ok(view),
            before => before.map(|(view, _)| view),
        };
        let view = self.decided(goal, before.as_deref())?;
        // What is as it was is the same one: nobody shows it anew.
        let view = before.filter(|before| **before == view).unwrap_or_else(|| Arc::new(view));
        decided.keep(state, facts, &self.words, &view, self.now);
        Ok(view)
    }

    /// Everything, or one goal with its sessions.
    pub fn overview(&self, only: Option<&GoalId>) -> Result<Overview, CliError> {
        let asked = |id: &GoalId, held: &Held| only.map_or_else(|| is_listed(held), |only| only == id);
        let goals = self.goals.iter().filter(|(id, held)| asked(id, held)).map(|(id, _)| self.goal_after(id));
        let goals = goals.collect::<Result<Vec<_>, _>>()?;
        let of = |view: &SessionView| match &view.place {
            Place::Lane(goal, _) | Place::Goal(goal) => only.is_none_or(|only| only == goal),
            Place::Nowhere => only.is_none(),
        };
        let sessions = self.sessions.iter().filter(|view| of(view)).cloned().collect();
        Ok(Overview { now: self.now, goals, sessions })
    }

    /// What `status` says: everything, one goal, or one lane of it, those that need somebody first.
    pub fn asked(&self, only: Option<&GoalId>, agent: Option<&AgentId>) -> Result<Overview, CliError> {
        let asked = match (only, agent) {
            (Some(goal), Some(agent)) => Some(self.decide(goal, agent, None)?),
            _ => None,
        };
        let mut overview = self.overview(only)?;
        if let Some(agent) = agent {
            for goal in &mut overview.goals {
                let of_agent = |lane: &Decision| lane.projection.agent_id == *agent;
                let lanes = asked.as_ref().map_or_else(
                    || goal.lanes.iter().filter(|lane| of_agent(lane)).cloned().collect(),
                    |asked| vec![asked.clone()],
                );
                *goal = Arc::new(goal.as_ref().clone().with(lanes));
            }
        }
        overview.goals.retain(|goal| !goal.lanes.is_empty());
        overview.sort();
        Ok(overview)
    }
}

/// A goal's open todos of the person's that no lane asks for: most hold nothing, some hold what can't go on anyway.
fn wishes(goal: &GoalId, state: &State, waits: &[Wait], now: Timestamp) -> Vec<TodoId> {
    let asked: BTreeSet<Ask<'_>> = waits.iter().map(Wait::ask).collect();
    let wishes = state.todos.iter().filter(|(id, todo)| {
        !todo.is_agents()
            && todo.linked_gate().is_none()
            && state.is_open(todo, now)
            && !asked.contains(&Ask::Todo(goal, id))
    });
    wishes.map(|(id, _)| id.clone()).collect()
}

/// Whether a goal is listed: one that is put away is not.
fn is_listed(held: &Held) -> bool {
    match held {
        Held::Damaged(_) => true,
        Held::State(state) => state.goal.as_ref().is_some_and(|goal| match goal.state {
            GoalState::Active | GoalState::Paused | GoalState::Done => true,
            GoalState::Archived => false,
        }),
    }
}

/// The same question of a log that can't be shown.
fn unsafe_output<'a>(inputs: &Inputs<'a>) -> Inputs<'a> {
    Inputs { known: Known::Damaged { code: outgoing::UNSAFE_OUTPUT }, ..*inputs }
}

/// The agent id of a goal that has no agents.
pub fn no_agent() -> Result<AgentId, loopx_contract::IdError> {
    AgentId::parse(RuntimeId::none().as_str())
}
