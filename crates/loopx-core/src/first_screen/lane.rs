//! One lane's view of a goal: what is away, what touches it, what asks, what is free, and the first executable todo.

use jiff::Timestamp;
use loopx_contract::{GateId, TodoId};

use crate::agent::{Agent, AgentKind};
use crate::gate::{Gate, GateActor, GateStanding};
use crate::goal::Goal;
use crate::handoff::Handoff;
use crate::quota::{Frees, Observed, Spending};
use crate::state::State;
use crate::todo::{Audience, Blocker, Blocking, Covers, Todo, TodoClass, TodoState};

/// One lane's view of a goal at an instant.
pub(crate) struct Lane<'a> {
    pub state: &'a State,
    pub goal: &'a Goal,
    pub agent: &'a Agent,
    pub now: Timestamp,
    /// What sessions of the goal were observed to spend.
    observed: &'a Observed,
    /// Open agent todos that are not away, in the order of the table: priority, age, id.
    pub here: Vec<&'a Todo>,
    /// Open agent todos that are away, in the same order.
    pub away: Vec<&'a Todo>,
    /// Requested gates and user todos that are owed, in order.
    pub asks: Vec<Ask<'a>>,
    /// The first executable todo.
    pub executable: Option<&'a Todo>,
    /// Gates that hold something.
    holding: Vec<&'a Gate>,
    /// Open user todos that hold what they cover.
    blocking: Vec<&'a Todo>,
}

/// A decision or deed that is owed and touches the lane.
#[derive(Clone, Copy)]
pub(crate) enum Ask<'a> {
    Gate(&'a Gate),
    Todo(&'a Todo),
}

impl<'a> Ask<'a> {
    /// The todo to show for it: a gate's own, or itself.
    pub fn todo(&self) -> Option<&'a TodoId> {
        match self {
            Self::Gate(gate) => gate.linked_todo.as_ref(),
            Self::Todo(todo) => Some(&todo.id),
        }
    }

    pub fn actor(&self) -> GateActor {
        match self {
            Self::Gate(gate) => gate.actor,
            Self::Todo(_) => GateActor::User,
        }
    }
}

/// What stands in a todo's way, as far as it does.
pub(crate) enum Obstacle<'a> {
    /// An open, deferred or unknown todo, or a gate that holds or is unknown.
    Thing(&'a Blocker),
    /// Unresolved external evidence.
    Evidence(&'a Blocker),
}

/// Whether this is an open user todo that holds what it covers. A gate's own todo is none: its gate holds.
fn is_blocking_ask(todo: &Todo, now: Timestamp) -> bool {
    match &todo.audience {
        Audience::User { blocking: Blocking::Blocking, gate: None, .. } => todo.is_open(now),
        Audience::User { .. } | Audience::Agent => false,
    }
}

/// The order of todos: priority, age, id.
fn order(todo: &Todo) -> (crate::todo::Priority, Timestamp, &TodoId) {
    (todo.priority, todo.created_at, &todo.id)
}

impl<'a> Lane<'a> {
    pub fn new(state: &'a State, goal: &'a Goal, agent: &'a Agent, now: Timestamp) -> Self {
        let mut lane = Self {
            state,
            goal,
            agent,
            now,
            observed: Observed::NOTHING,
            here: vec![],
            away: vec![],
            asks: vec![],
            executable: None,
            holding: state
                .gates
                .values()
                .filter(|gate| gate.standing(now) != GateStanding::Withdrawn)
                .collect(),
            blocking: state.todos.values().filter(|todo| is_blocking_ask(todo, now)).collect(),
        };
        let mut open: Vec<&Todo> =
            state.todos.values().filter(|todo| todo.is_agents() && state.is_open(todo, now)).collect();
        open.sort_by(|a, b| order(a).cmp(&order(b)));
        (lane.away, lane.here) = open.into_iter().partition(|todo| lane.is_away(todo));
        lane.asks = lane.find_asks();
        lane.executable = lane.find_executable();
        lane
    }

    /// The same lane, with what sessions of its goal were observed to spend.
    pub fn observing(self, observed: &'a Observed) -> Self {
        Self { observed, ..self }
    }

    pub fn is_human(&self) -> bool {
        self.agent.kind == AgentKind::Human
    }

    /// The standing offer over a todo.
    pub fn offer(&self, todo: &Todo) -> Option<&'a Handoff> {
        let handoff = self.state.handoffs.get(todo.offered.as_ref()?)?;
        handoff.is_offered(self.now).then_some(handoff)
    }

    /// Live claim by, or handoff offered to, another lane. An offer goes before the claim, whoever holds it.
    fn is_away(&self, todo: &Todo) -> bool {
        match self.offer(todo) {
            Some(offer) => !offer.is_for(&self.agent.id),
            None => todo.live_claim(self.now).is_some_and(|claim| claim.agent != self.agent.id),
        }
    }

    pub fn is_mine(&self, todo: &Todo) -> bool {
        todo.live_claim(self.now).is_some_and(|claim| claim.agent == self.agent.id)
    }

    /// The lane's own first live claim.
    pub fn claim(&self) -> Option<&'a Todo> {
        self.here.iter().copied().find(|todo| self.is_mine(todo))
    }

    /// Whether what is covered includes this lane or one of its open todos, or one of those names it.
    fn touches(&self, covers: &Covers, named: impl Fn(&Blocker) -> bool) -> bool {
        covers.goal
            || covers.agents.contains(&self.agent.id)
            || self
                .here
                .iter()
                .any(|todo| covers.todos.contains(&todo.id) || todo.blocked_by.iter().any(&named))
    }

    pub fn gate_touches(&self, gate: &Gate) -> bool {
        self.touches(&gate.covers, |blocker| matches!(blocker, Blocker::Gate(id) if *id == gate.id))
    }

    fn todo_touches(&self, todo: &Todo, covers: &Covers) -> bool {
        self.touches(covers, |blocker| matches!(blocker, Blocker::Todo(id) if *id == todo.id))
    }

    fn is_named(&self, user_todo: &TodoId) -> bool {
        self.here.iter().any(|todo| todo.blocked_by.contains(&Blocker::Todo(user_todo.clone())))
    }

    /// Gates of one standing that touch, in the order age, id.
    pub fn gates(&self, standing: GateStanding) -> Vec<&'a Gate> {
        let mut gates: Vec<&Gate> = self
            .state
            .gates
            .values()
            .filter(|gate| gate.standing(self.now) == standing && self.gate_touches(gate))
            .collect();
        gates.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        gates
    }

    /// User before controller, gates before todos, priority, age, id.
    fn find_asks(&self) -> Vec<Ask<'a>> {
        let gates = self.gates(GateStanding::Requested);
        let (user, controller): (Vec<&Gate>, Vec<&Gate>) =
            gates.into_iter().partition(|gate| gate.actor == GateActor::User);
        let mut todos: Vec<&Todo> =
            self.user_todos(|todo, blocking| blocking == Blocking::Blocking || self.is_named(&todo.id));
        todos.sort_by(|a, b| order(a).cmp(&order(b)));
        user.into_iter()
            .map(Ask::Gate)
            .chain(todos.into_iter().map(Ask::Todo))
            .chain(controller.into_iter().map(Ask::Gate))
            .collect()
    }

    /// Open user todos that touch and are no gate's, of which `which` holds.
    fn user_todos(&self, which: impl Fn(&Todo, Blocking) -> bool) -> Vec<&'a Todo> {
        self.state
            .todos
            .values()
            .filter(|todo| match &todo.audience {
                Audience::User { covers, blocking, gate: None } => {
                    todo.is_open(self.now) && self.todo_touches(todo, covers) && which(todo, *blocking)
                }
                Audience::User { gate: Some(_), .. } | Audience::Agent => false,
            })
            .collect()
    }

    /// Open user todos that touch but hold nothing, in order.
    pub fn wishes(&self) -> Vec<&'a Todo> {
        let mut todos =
            self.user_todos(|todo, blocking| blocking == Blocking::NonBlocking && !self.is_named(&todo.id));
        todos.sort_by(|a, b| order(a).cmp(&order(b)));
        todos
    }

    /// The todo to show for the first user ask, else for the first that holds nothing.
    pub fn open_user_todo(&self) -> Option<TodoId> {
        self.asks
            .iter()
            .filter(|ask| ask.actor() == GateActor::User)
            .find_map(Ask::todo)
            .or_else(|| self.wishes().first().map(|todo| &todo.id))
            .cloned()
    }

    /// Whether what is covered includes this lane or this todo.
    fn covers(&self, covers: &Covers, todo: &Todo) -> bool {
        covers.goal || covers.agents.contains(&self.agent.id) || covers.todos.contains(&todo.id)
    }

    /// Whether a gate covers a todo, seen from this lane, or is named by it.
    pub fn concerns(&self, gate: &Gate, todo: &Todo) -> bool {
        todo.blocked_by.contains(&Blocker::Gate(gate.id.clone())) || self.covers(&gate.covers, todo)
    }

    /// Whether a gate holds a todo, seen from this lane.
    pub fn gate_holds(&self, gate: &Gate, todo: &Todo) -> bool {
        self.concerns(gate, todo) && gate.holds(&todo.id, self.now)
    }

    /// The gates that hold a todo which does not name them: an approval that another todo took is one.
    pub fn gates_over(&self, todo: &Todo) -> Vec<&'a GateId> {
        let unnamed = |gate: &&&Gate| !todo.blocked_by.contains(&Blocker::Gate(gate.id.clone()));
        let over = self.holding.iter().filter(|gate| self.gate_holds(gate, todo));
        over.filter(unnamed).map(|gate| &gate.id).collect()
    }

    /// Whether an open blocking user todo holds a todo, seen from this lane.
    pub fn ask_holds(&self, ask: &Todo, todo: &Todo) -> bool {
        match &ask.audience {
            Audience::User { covers, .. } => is_blocking_ask(ask, self.now) && self.covers(covers, todo),
            Audience::Agent => false,
        }
    }

    /// Whether an ask holds or is named by a todo.
    pub fn is_held_by(&self, todo: &Todo, ask: &Ask<'_>) -> bool {
        match ask {
            Ask::Gate(gate) => self.gate_holds(gate, todo),
            Ask::Todo(ask) => {
                self.ask_holds(ask, todo) || todo.blocked_by.contains(&Blocker::Todo(ask.id.clone()))
            }
        }
    }

    /// What stands in a todo's way by its own `blocked_by`.
    pub fn obstacles(&self, todo: &'a Todo) -> impl Iterator<Item = Obstacle<'a>> {
        todo.blocked_by.iter().filter_map(|blocker| match blocker {
            Blocker::Todo(id) => {
                let gone = self.state.todos.get(id).is_some_and(|other| match other.linked_gate() {
                    Some(gate) => self.is_freed(gate, &todo.id),
                    None => other.is_closed(),
                });
                (!gone).then_some(Obstacle::Thing(blocker))
            }
            Blocker::Gate(id) => (!self.is_freed(id, &todo.id)).then_some(Obstacle::Thing(blocker)),
            Blocker::Evidence(_) => Some(Obstacle::Evidence(blocker)),
            Blocker::Run(id) => {
                let resolved = self.state.runs.get(id).is_some_and(|run| run.resolved_at.is_some());
                (!resolved).then_some(Obstacle::Evidence(blocker))
            }
        })
    }

    /// Whether a gate is known and does not hold a todo that names it.
    fn is_freed(&self, gate: &GateId, todo: &TodoId) -> bool {
        self.state.gates.get(gate).is_some_and(|gate| !gate.holds(todo, self.now))
    }

    pub fn is_due(&self, todo: &Todo) -> bool {
        match todo.class {
            TodoClass::Advance => true,
            TodoClass::Monitor { next_due_at } => next_due_at <= self.now,
        }
    }

    /// Due, held by no gate or ask seen from this lane, nothing blocking in `blocked_by`.
    pub fn is_free(&self, todo: &'a Todo) -> bool {
        self.is_due(todo)
            && self.obstacles(todo).next().is_none()
            && !self.holding.iter().any(|gate| self.gate_holds(gate, todo))
            && !self.blocking.iter().any(|ask| self.ask_holds(ask, todo))
    }

    /// What an agent lacks for a todo: the first missing capability, or the first glob outside the write scopes.
    pub fn lacks(&self, agent: &Agent, todo: &'a Todo) -> Option<Lack<'a>> {
        if let Some(need) = todo.needs.iter().find(|need| !agent.capabilities.contains(*need)) {
            return Some(Lack::Capability(need));
        }
        let outside =
            |glob: &&crate::scope::Glob| !self.goal.boundary.write.iter().any(|scope| glob.lies_in(scope));
        todo.globs.iter().find(outside).map(Lack::Scope)
    }

    /// Whether some lane of the goal could do it.
    pub fn fits_anyone(&self, todo: &'a Todo) -> bool {
        self.state.agents.values().any(|agent| self.lacks(agent, todo).is_none())
    }

    /// Own live claims first, then priority, work before monitors, age, id.
    fn find_executable(&self) -> Option<&'a Todo> {
        let mut todos = self.here.clone();
        todos.sort_by_key(|todo| {
            let monitor = matches!(todo.class, TodoClass::Monitor { .. });
            (!self.is_mine(todo), todo.priority, monitor, todo.created_at, &todo.id)
        });
        todos.into_iter().find(|todo| self.is_free(todo) && self.lacks(self.agent, todo).is_none())
    }

    /// Deferred agent todos in order, with the instant where there is one.
    pub fn deferred(&self) -> Vec<(&'a Todo, Option<Timestamp>)> {
        let mut todos: Vec<(&Todo, Option<Timestamp>)> = self
            .state
            .todos
            .values()
            .filter(|todo| todo.is_agents() && !todo.is_open(self.now))
            .filter_map(|todo| match todo.state {
                TodoState::Deferred { until } => Some((todo, until)),
                TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => None,
            })
            .collect();
        todos.sort_by(|a, b| order(a.0).cmp(&order(b.0)));
        todos
    }

    /// The first todo, in order, that a gate holds or that names it.
    pub fn held_todo(&self, held: impl Fn(&Todo) -> bool) -> Option<&'a Todo> {
        self.here.iter().copied().find(|todo| held(todo))
    }

    /// A valid approval that covers the todo.
    pub fn is_approved(&self, todo: &Todo) -> bool {
        self.state.gates.values().any(|gate| {
            let named = todo.blocked_by.contains(&Blocker::Gate(gate.id.clone()));
            gate.standing(self.now) == GateStanding::Approved && (named || self.covers(&gate.covers, todo))
        })
    }

    /// When the limits that are used up free; none if none is. The goal's limits count what every lane spent, and its
    /// sessions without one.
    pub fn used_up(&self) -> Option<Frees> {
        if self.is_human() {
            return None;
        }
        let mut latest = None;
        let both = [(None, self.goal.quota), (Some(&self.agent.id), self.agent.quota)];
        for (agent, quota) in both {
            if !quota.is_limited() {
                continue;
            }
            let spending = Spending::of(&self.state.ledger, self.observed, agent);
            latest = match (latest, spending.used_up(&quota, self.now)) {
                (Some(Frees::Never), _) | (_, Some(Frees::Never)) => Some(Frees::Never),
                (Some(Frees::At(one)), Some(Frees::At(other))) => Some(Frees::At(one.max(other))),
                (frees, None) | (None, frees) => frees,
            };
        }
        latest
    }
}

/// What a lane lacks for a todo.
#[derive(Clone, Copy)]
pub(crate) enum Lack<'a> {
    Capability(&'a crate::agent::Capability),
    Scope(&'a crate::scope::Glob),
}
