//! What is on the screen: the views that were opened, what is selected in each, and what lies over them.

mod going;

pub use going::Effect;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, WaitingOn};
use loopx_safety::Handle;
use ratatui::layout::Rect;

use super::dialog::Dialog;
use super::input::Input;
use super::jump::Jump;
use super::rows::{self, Id, Lanes, Line, Recent, Row};
use super::screen::Mouse;
use crate::app::board::Board;
use crate::app::lately::Lately;
use crate::app::placing::Place as Of;
use crate::error::CliError;

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Every lane.
    Lanes,
    /// A goal.
    Goal(GoalId),
    /// A lane in full, and why.
    Lane(GoalId, AgentId),
    /// A session.
    Session(Handle),
}

/// A view that was opened.
#[derive(Clone, Debug)]
pub struct View {
    /// What it shows.
    pub place: Place,
    /// What is selected: the first, where nothing was.
    pub chosen: Option<Id>,
    /// Where that stood.
    pub at: usize,
    /// The first row that is shown.
    pub down: usize,
    /// The words that rows are filtered by.
    pub filter: Input,
}

impl View {
    /// One that was just opened.
    pub fn of(place: Place) -> Self {
        Self { place, chosen: None, at: 0, down: 0, filter: Input::default() }
    }
}

/// What lies over the view, and takes the keys.
#[derive(Default)]
pub enum Over {
    /// Nothing.
    #[default]
    Nothing,
    /// A filter is being typed.
    Filter,
    /// Where to go.
    Jump(Jump),
    /// The keys; how far it was scrolled.
    Help(u16),
    /// Acting.
    Dialog(Dialog),
}

/// The screen.
pub struct Model {
    /// Whether colour tells too.
    pub colored: bool,
    /// Whom the mouse is for.
    pub mouse: Mouse,
    /// What lies over the view.
    pub over: Over,
    /// What is said until the next key.
    pub said: Option<String>,
    /// Why the last look failed, if it did.
    pub failure: Option<CliError>,
    /// Where the rows were drawn last.
    pub list: Rect,
    /// When the last look came, UTC.
    pub looked_at: Option<Timestamp>,
    first: View,
    opened: Vec<View>,
    board: Option<Board>,
    rows: Vec<Row>,
    lanes: Lanes,
    lately: Wanted,
}

/// What was recorded lately on the goal that is shown.
#[derive(Default)]
struct Wanted {
    /// What was found last, and as of which revision.
    found: Option<(GoalId, u64, Option<Box<Lately>>)>,
    /// Whether it is being looked for.
    is_asked: bool,
}

impl Wanted {
    fn of(&self, goal: &GoalId) -> Recent<'_> {
        match &self.found {
            Some((of, _, Some(lately))) if of == goal => Recent::Read(lately),
            Some((of, _, None)) if of == goal => Recent::Unread,
            Some(_) | None => Recent::Sought,
        }
    }
}

impl Model {
    /// Nothing was looked at yet.
    pub fn new(colored: bool) -> Self {
        Self {
            colored,
            mouse: Mouse::default(),
            over: Over::default(),
            said: None,
            failure: None,
            list: Rect::default(),
            looked_at: None,
            first: View::of(Place::Lanes),
            opened: Vec::new(),
            board: None,
            rows: Vec::new(),
            lanes: Lanes::default(),
            lately: Wanted::default(),
        }
    }

    /// A look came in: what is selected stays selected, wherever it moved.
    pub fn looked(&mut self, looked: Result<Board, CliError>) {
        match looked {
            Ok(board) => {
                self.looked_at = Some(board.overview.now);
                (self.board, self.failure) = (Some(board), None);
                self.refresh();
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// The goal of which it is to be looked for what was recorded lately, and up to which revision.
    pub fn wants(&mut self) -> Option<(GoalId, u64)> {
        let Place::Goal(goal) = &self.view().place else { return None };
        let revision = self.board.as_ref()?.revision(goal)?;
        let is_found = self.lately.found.as_ref().is_some_and(|(of, at, _)| (of, *at) == (goal, revision));
        if is_found || self.lately.is_asked {
            return None;
        }
        let wanted = (goal.clone(), revision);
        self.lately.is_asked = true;
        Some(wanted)
    }

    /// What was recorded on a goal lately.
    pub fn found(&mut self, goal: GoalId, revision: u64, found: Option<Box<Lately>>) {
        self.lately = Wanted { found: Some((goal, revision, found)), is_asked: false };
        self.refresh();
    }

    /// What was looked at last.
    pub const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// The view that is shown.
    pub fn view(&self) -> &View {
        self.opened.last().unwrap_or(&self.first)
    }

    /// The same, to change it.
    pub fn view_mut(&mut self) -> &mut View {
        self.opened.last_mut().unwrap_or(&mut self.first)
    }

    /// The rows of the view.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The views from the first one to the one that is shown.
    pub fn trail(&self) -> impl Iterator<Item = &View> {
        std::iter::once(&self.first).chain(&self.opened)
    }

    /// Which row is selected, if one can be: where what was selected is gone, what stands there now.
    pub fn selected(&self) -> Option<usize> {
        let view = self.view();
        let is_chosen =
            |row: &Row| row.line().is_some_and(|line| view.chosen.as_ref().is_some_and(|id| line.id == *id));
        self.rows.iter().position(is_chosen).or_else(|| {
            let mut lines =
                self.rows.iter().enumerate().filter(|(_, row)| row.line().is_some()).map(|(at, _)| at);
            let last = lines.clone().next_back();
            lines.find(|at| *at >= view.at).or(last)
        })
    }

    /// What is selected.
    pub fn line(&self) -> Option<&Line> {
        self.rows.get(self.selected()?)?.line()
    }

    /// What is selected, or shown in full: its goal, and what it is.
    pub fn meant(&self) -> (Option<GoalId>, Option<Id>) {
        let of_session = |session: Handle| {
            let view = self.board.as_ref().and_then(|board| board.session(session));
            match view.map(|view| &view.place) {
                Some(Of::Lane(goal, _) | Of::Goal(goal)) => Some(goal.clone()),
                Some(Of::Nowhere) | None => None,
            }
        };
        let id = self.line().map(|line| line.id.clone());
        match &self.view().place {
            Place::Lanes => match &id {
                Some(Id::Lane(goal, _)) => (Some(goal.clone()), id),
                Some(Id::Session(session)) => (of_session(*session), id),
                Some(Id::Gate(_) | Id::Todo(_) | Id::Handoff(_) | Id::Run(_) | Id::Quota(_)) | None => {
                    (None, id)
                }
            },
            Place::Goal(goal) => (Some(goal.clone()), id),
            Place::Lane(goal, agent) => (Some(goal.clone()), Some(Id::Lane(goal.clone(), agent.clone()))),
            Place::Session(session) => (of_session(*session), Some(Id::Session(*session))),
        }
    }

    /// Makes the rows anew.
    pub fn refresh(&mut self) {
        let view = self.opened.last().unwrap_or(&self.first);
        let rows = match (&self.board, &view.place) {
            (Some(board), Place::Lanes) => rows::lanes(&mut self.lanes, board, view.filter.text()),
            (Some(board), Place::Goal(goal)) => {
                rows::goal(board, goal, self.lately.of(goal), view.filter.text())
            }
            (Some(_), Place::Lane(..) | Place::Session(_)) | (None, _) => Vec::new(),
        };
        self.rows = rows;
    }

    /// Opens a view.
    pub fn open(&mut self, place: Place) {
        if self.view().place != place {
            self.opened.push(View::of(place));
            self.refresh();
        }
    }

    /// Goes back. Gives whether there was something to go back to.
    pub fn back(&mut self) -> bool {
        let was = self.opened.pop().is_some();
        self.refresh();
        was
    }

    /// Goes back to the lanes.
    pub fn back_to_lanes(&mut self) {
        self.opened.clear();
        self.refresh();
    }

    /// Selects a row.
    pub fn select(&mut self, at: usize) {
        let Some(id) = self.rows.get(at).and_then(Row::line).map(|line| line.id.clone()) else { return };
        let view = self.view_mut();
        (view.chosen, view.at) = (Some(id), at);
    }

    /// Moves on by so many rows that can be selected.
    pub fn step(&mut self, by: isize) {
        let lines: Vec<usize> = self.lines(|_| true);
        let Some(selected) = self.selected() else { return };
        let at = lines.iter().position(|at| *at == selected).unwrap_or(0);
        let to = at.saturating_add_signed(by).min(lines.len().saturating_sub(1));
        if let Some(to) = lines.get(to) {
            self.select(*to);
        }
    }

    /// Goes to the next that waits on the person, around the end. Gives whether there is one.
    pub fn next(&mut self, by: isize) -> bool {
        let lines = self.lines(|line| line.whom == WaitingOn::User);
        let at = self.selected().unwrap_or(0);
        let to = if by > 0 {
            lines.iter().find(|line| **line > at).or(lines.first())
        } else {
            lines.iter().rfind(|line| **line < at).or(lines.last())
        };
        let Some(to) = to.copied() else { return false };
        self.select(to);
        true
    }

    fn lines(&self, is_one: impl Fn(&Line) -> bool) -> Vec<usize> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| row.line().is_some_and(&is_one)).map(|(at, _)| at).collect()
    }
}
