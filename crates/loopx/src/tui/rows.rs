//! What stands in a view, row by row, as of the last look. What grows older by itself is drawn, not kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, GoalId, HandoffId, RunId, TodoId, WaitingOn};
use loopx_core::gate::{GateActor, GateStanding};
use loopx_core::todo::Todo;
use loopx_core::{State, agent::AgentState};
use loopx_safety::Handle;

use super::text::brief;
use crate::app::GoalView;
use crate::app::board::{Board, Card};
use crate::app::lately::Lately;
use crate::app::overview::{Held, SessionView};
use crate::app::placing::Place;
use crate::app::reading::{self, BY_ATTENTION, Reading, heading};

/// How many of a kind are shown of a goal: nobody reads more here.
const SHOWN: usize = 200;

/// How many of the person's todos that no lane asks for are shown below the lanes.
const WISHES: usize = 5;

/// How many runs are shown, the latest first.
const RUNS: usize = 20;

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// A lane.
    Lane(GoalId, AgentId),
    /// A session.
    Session(Handle),
    /// A gate.
    Gate(GateId),
    /// A todo.
    Todo(TodoId),
    /// A handoff.
    Handoff(HandoffId),
    /// A run.
    Run(RunId),
    /// What the goal may spend, or a lane of it.
    Quota(Option<AgentId>),
}

/// One row.
#[derive(Clone, Debug)]
pub enum Row {
    /// Heads a group.
    Heading {
        /// What it says.
        words: &'static str,
        /// How many are in it.
        count: usize,
        /// Whom they wait on.
        whom: Option<WaitingOn>,
    },
    /// Something that can be selected.
    Line(Arc<Line>),
    /// Says something.
    Words(String),
}

/// A row that can be selected.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is about.
    pub id: Id,
    /// A sign that tells how it stands without colour.
    pub shape: &'static str,
    /// The same in a word.
    pub word: String,
    /// Whom it waits on.
    pub whom: WaitingOn,
    /// What it is called.
    pub name: String,
    /// Since when it is so, UTC.
    pub since: Option<Timestamp>,
    /// What there is to say.
    pub text: String,
}

impl Line {
    fn holds(&self, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let all = format!("{} {} {}", self.word, self.name, self.text).to_lowercase();
        words.iter().all(|word| all.contains(word))
    }
}

impl Row {
    /// What can be selected of it.
    pub fn line(&self) -> Option<&Line> {
        match self {
            Self::Line(line) => Some(line),
            Self::Heading { .. } | Self::Words(_) => None,
        }
    }
}

/// The rows of lanes in their order, kept for goals that are as they were.
#[derive(Default)]
pub struct Lanes {
    views: Vec<Arc<GoalView>>,
    sorted: Vec<Lane>,
}

/// A lane's row, and its place.
struct Lane {
    /// Where the view lies that it was made of: while that is held, no other one lies there.
    made_of: usize,
    whom: WaitingOn,
    row: u8,
    /// What it asks of a person.
    ask: Option<String>,
    line: Arc<Line>,
    /// What stands there below a lane that asks for the same: it is said once.
    same: Arc<Line>,
}

impl Lane {
    fn of(card: &Card<'_>, made_of: usize) -> Self {
        let line = lane(card);
        Self {
            made_of,
            whom: line.whom,
            row: card.decision.row.number(),
            ask: card.asks().first().map(ToString::to_string),
            same: Arc::new(Line { text: "the same as above".to_owned(), ..line.clone() }),
            line: Arc::new(line),
        }
    }

    fn order(&self) -> impl Ord {
        let Line { id, name, .. } = self.line.as_ref();
        let goal = if let Id::Lane(goal, _) = id { Some(goal) } else { None };
        (self.whom.attention(), self.row, goal, &self.ask, name)
    }
}

impl Lanes {
    /// All of a look, those that need somebody first.
    fn of(&mut self, board: &Board) -> &[Lane] {
        let place = |view: &Arc<GoalView>| Arc::as_ptr(view).addr();
        let places = |views: &[Arc<GoalView>]| views.iter().map(place).collect::<BTreeSet<_>>();
        let (before, now) = (places(&self.views), places(&board.overview.goals));
        self.sorted.retain(|lane| now.contains(&lane.made_of));
        let new: Vec<Lane> = board
            .overview
            .goals
            .iter()
            .filter(|view| !before.contains(&place(view)))
            .flat_map(|view| board.cards_of(view).into_iter().map(move |card| Lane::of(&card, place(view))))
            .collect();
        // A few find their places among many that stand in order.
        if new.len() < self.sorted.len() / 4 {
            for lane in new {
                let at = self.sorted.partition_point(|other| other.order() <= lane.order());
                self.sorted.insert(at, lane);
            }
        } else {
            self.sorted.extend(new);
            self.sorted.sort_by(|one, other| one.order().cmp(&other.order()));
        }
        self.views.clone_from(&board.overview.goals);
        &self.sorted
    }
}

/// Every lane, those that need somebody first, and prompts in no lane after those that wait on the person.
pub fn lanes(kept: &mut Lanes, board: &Board, filter: &str) -> Vec<Row> {
    let words = filter_words(filter);
    let lanes = kept.of(board);
    let mut rows = Vec::with_capacity(lanes.len() + 8);
    for group in BY_ATTENTION {
        let of_group = lanes.iter().filter(|lane| lane.whom == group && lane.line.holds(&words));
        let mut above = None;
        let rest = of_group.map(|lane| {
            let asked = std::mem::replace(&mut above, lane.ask.as_deref());
            Arc::clone(if asked.is_some() && asked == above { &lane.same } else { &lane.line })
        });
        put(&mut rows, heading(group), Some(group), rest, &[]);
        if group == WaitingOn::User {
            put(&mut rows, "Prompts in no lane", Some(group), board.prompts().map(prompt), &words);
        }
    }
    let wishes: Vec<_> = board.wishes().collect();
    if !wishes.is_empty() && words.is_empty() {
        rows.push(Row::Heading { words: "Your other todos", count: wishes.len(), whom: None });
        let said =
            wishes.iter().take(WISHES).map(|(goal, todo)| Row::Words(format!("  {goal}: {}", todo.title)));
        rows.extend(said);
    }
    rows
}

/// What was recorded on a goal lately: most of it is in no state that is kept ready.
#[derive(Clone, Copy)]
pub enum Recent<'a> {
    /// It is being looked for.
    Sought,
    /// It can't be read.
    Unread,
    /// This.
    Read(&'a Lately),
}

/// A goal: its lanes, what is to be decided, done and handed over, what was done, what may be spent, its sessions.
pub fn goal(board: &Board, goal: &GoalId, recent: Recent<'_>, filter: &str) -> Vec<Row> {
    let words = filter_words(filter);
    let mut rows = Vec::new();
    let Some(view) = board.goal(goal) else {
        return vec![Row::Words("It is not there, or put away: Esc goes back".to_owned())];
    };
    let state = match board.world.goals.get(goal) {
        Some(Held::State(state)) => Some(state.as_ref()),
        Some(Held::Damaged(code)) => {
            let damaged =
                format!("Its log is damaged ({code}): nothing of it is shown. `loopx doctor` says more");
            rows.push(Row::Words(damaged));
            None
        }
        None => None,
    };
    if let Some(head) = state.and_then(|state| state.goal.as_ref()) {
        rows.push(Row::Words(head.objective.to_string()));
        rows.push(Row::Words(format!("{}; decisions need {}", head.state.word(), head.proof.word())));
    }
    put(&mut rows, "Lanes", None, board.cards_of(view).iter().map(lane), &words);
    if let Some(state) = state {
        of_state(&mut rows, board, state, &words);
        match recent {
            Recent::Read(lately) => {
                handoffs(&mut rows, &lately.state, board.overview.now, &words);
                runs(&mut rows, &lately.state, &words);
            }
            Recent::Sought => handoffs(&mut rows, state, board.overview.now, &words),
            Recent::Unread => {
                handoffs(&mut rows, state, board.overview.now, &words);
                rows.push(Row::Words("Runs can't be read at the moment".to_owned()));
            }
        }
        quota(&mut rows, state, &words);
    }
    let of_goal = |place: &Place| match place {
        Place::Lane(of, _) | Place::Goal(of) => of == goal,
        Place::Nowhere => false,
    };
    let sessions = board.overview.sessions.iter().filter(|view| of_goal(&view.place));
    put(&mut rows, "Sessions", None, sessions.map(session), &words);
    rows
}

fn of_state(rows: &mut Vec<Row>, board: &Board, state: &State, words: &[String]) {
    let now = board.overview.now;
    let mut gates: Vec<_> =
        state.gates.values().filter(|gate| gate.standing(now) != GateStanding::Withdrawn).collect();
    gates.sort_by_key(|gate| (reading::gate::rank(gate.standing(now)), gate.actor, gate.created_at));
    put(
        rows,
        "Gates",
        None,
        gates.into_iter().map(|gate| {
            let asked = gate.standing(now) == GateStanding::Requested;
            let (shape, whom) = if asked {
                let whom = match gate.actor {
                    GateActor::User => WaitingOn::User,
                    GateActor::Controller => WaitingOn::Controller,
                };
                (Reading::of(whom).shape, whom)
            } else {
                ("–", WaitingOn::None)
            };
            Line {
                id: Id::Gate(gate.id.clone()),
                shape,
                word: reading::standing(gate.standing(now)).to_owned(),
                whom,
                name: brief(gate.id.as_str()),
                since: Some(gate.created_at),
                text: gate.question.to_string(),
            }
        }),
        words,
    );
    // A gate's own todo is the gate, which stands above.
    let is_shown = |todo: &&Todo| todo.linked_gate().is_none() && reading::todo::is_ahead(todo, state, now);
    let mut todos: Vec<_> = state.todos.values().filter(is_shown).collect();
    todos.sort_by_key(|todo| reading::todo::order(todo, state, now));
    put(
        rows,
        "Todos",
        None,
        todos.into_iter().map(|todo| {
            let is_open = state.is_open(todo, now);
            let (shape, whom) = match (is_open, todo.is_agents()) {
                (true, false) => ("●", WaitingOn::User),
                (true, true) => ("▷", WaitingOn::Agent),
                (false, _) => ("–", WaitingOn::None),
            };
            let notes = reading::todo::notes(todo, state, now);
            let said = std::iter::once(todo.title.to_string()).chain(notes.iter().map(|note| brief(note)));
            let said: Vec<String> = said.collect();
            Line {
                id: Id::Todo(todo.id.clone()),
                shape,
                word: format!("{:?} {}", todo.priority, reading::todo::audience_word(todo)),
                whom,
                name: brief(todo.id.as_str()),
                since: Some(todo.created_at),
                text: said.join("; "),
            }
        }),
        words,
    );
}

fn handoffs(rows: &mut Vec<Row>, state: &State, now: Timestamp, words: &[String]) {
    let mut handoffs: Vec<_> = state.handoffs.values().collect();
    handoffs.sort_by_key(|handoff| reading::handoff::rank(handoff, now));
    put(
        rows,
        "Handoffs",
        None,
        handoffs.into_iter().map(|handoff| {
            let offered = handoff.is_offered(now);
            let whom = if offered { WaitingOn::Agent } else { WaitingOn::None };
            let (from, to) = (&handoff.from, reading::handoff::receiver(handoff));
            Line {
                id: Id::Handoff(handoff.id.clone()),
                shape: if offered { "▷" } else { "–" },
                word: reading::handoff::state_word(handoff, now).to_owned(),
                whom,
                name: brief(handoff.id.as_str()),
                since: Some(handoff.created_at),
                text: format!("{from} → {to}: {}", handoff.next_action),
            }
        }),
        words,
    );
}

fn runs(rows: &mut Vec<Row>, state: &State, words: &[String]) {
    let mut runs: Vec<_> = state.runs.values().collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.revision));
    let lines = runs.into_iter().take(RUNS).map(|run| {
        let (summary, check) = (run.summary.as_ref().map(ToString::to_string), reading::run::check(run));
        let judged = state.rewards.values().filter(|reward| reward.run == run.id);
        let judged =
            judged.map(|reward| format!("judged {}", reading::run::judgement_word(reward.judgement)));
        let said: Vec<String> =
            summary.into_iter().chain(Some(check)).chain(judged).filter(|said| !said.is_empty()).collect();
        Line {
            id: Id::Run(run.id.clone()),
            shape: "–",
            word: reading::run::kind_word(run).to_owned(),
            whom: WaitingOn::None,
            name: brief(run.id.as_str()),
            since: Some(run.at),
            text: format!("{}: {}", run.agent, said.join("; ")),
        }
    });
    put(rows, "Runs", None, lines, words);
}

fn quota(rows: &mut Vec<Row>, state: &State, words: &[String]) {
    let Some(goal) = &state.goal else { return };
    let of_goal = (None, "the goal".to_owned(), &goal.quota, goal.state.word());
    let of_agents = state.agents.iter().map(|(id, agent)| {
        let standing = match agent.state {
            AgentState::Active => "active",
            AgentState::Paused => "paused",
        };
        (Some(id.clone()), id.to_string(), &agent.quota, standing)
    });
    let lines = std::iter::once(of_goal).chain(of_agents).map(|(agent, name, quota, standing)| Line {
        id: Id::Quota(agent),
        shape: "–",
        word: standing.to_owned(),
        whom: WaitingOn::None,
        name,
        since: None,
        text: reading::quota::in_words(quota),
    });
    put(rows, "Quota and pause", None, lines, words);
}

fn lane(card: &Card<'_>) -> Line {
    let Reading { shape, word, .. } = card.reading();
    Line {
        id: Id::Lane(card.goal().clone(), card.agent().clone()),
        shape,
        word: word.to_owned(),
        whom: card.waiting_on(),
        name: format!("{} / {}", card.goal(), card.agent()),
        since: card.since(),
        text: brief(&card.next_action()),
    }
}

fn prompt(view: &SessionView) -> Line {
    let of = match &view.place {
        Place::Goal(goal) | Place::Lane(goal, _) => format!("of goal {goal}, in no lane"),
        Place::Nowhere => "of no goal: `loopx bind` gives it one".to_owned(),
    };
    Line { text: format!("{}; {of}", words_of(view)), ..session(view) }
}

fn session(view: &SessionView) -> Line {
    let Reading { shape, word, .. } = Reading::of(view.waiting_on);
    Line {
        id: Id::Session(view.facts.session_id),
        shape,
        word: word.to_owned(),
        whom: view.waiting_on,
        name: view.facts.runtime_id.to_string(),
        since: view.facts.since,
        text: format!(
            "{}, by {}: {}; {}",
            words_of(view),
            view.facts.tier.word(),
            view.facts.rule.words(),
            brief(&view.facts.session_id.to_string())
        ),
    }
}

fn words_of(view: &SessionView) -> &'static str {
    use loopx_contract::SessionState::{
        Background, Ended, Errored, Idle, Interrupted, RateLimited, Running, Unknown, WaitingAnswer,
        WaitingPermission,
    };
    match view.facts.state {
        WaitingPermission => "a permission prompt is up",
        WaitingAnswer => "a question is up",
        state @ (Running | Idle | Background | Interrupted | Errored | RateLimited | Ended | Unknown) => {
            state.word()
        }
    }
}

/// The words that rows are filtered by.
fn filter_words(filter: &str) -> Vec<String> {
    filter.split_whitespace().map(str::to_lowercase).collect()
}

/// Puts a group there, if anything of it is shown.
fn put(
    rows: &mut Vec<Row>,
    words: &'static str,
    whom: Option<WaitingOn>,
    lines: impl Iterator<Item = impl Into<Arc<Line>>>,
    filter: &[String],
) {
    let mut lines: Vec<Arc<Line>> = lines.map(Into::into).filter(|line| line.holds(filter)).collect();
    if lines.is_empty() {
        return;
    }
    let count = lines.len();
    rows.push(Row::Heading { words, count, whom });
    let more = if whom.is_none() { count.saturating_sub(SHOWN) } else { 0 };
    lines.truncate(count - more);
    rows.extend(lines.into_iter().map(Row::Line));
    if more > 0 {
        rows.push(Row::Words(format!("{more} more: the command line lists them all")));
    }
}
