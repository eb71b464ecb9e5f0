//! What keys, the mouse and the desk do to the screen.

use loopx_contract::GoalId;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::{Model, Over, Place};
use crate::app::acting::Asked;
use crate::error::CliError;
use crate::tui::acts;
use crate::tui::desk::{Done, Preview};
use crate::tui::dialog::{Dialog, Next};
use crate::tui::jump::{Jump, Target};
use crate::tui::keys::{self, Does};
use crate::tui::rows::Id;
use crate::tui::screen::Mouse;

/// How far the wheel goes.
const WHEEL: isize = 3;

/// What is to be done outside the screen.
pub enum Effect {
    /// Nothing.
    None,
    /// It was ended.
    End,
    /// It is to stop.
    Stop,
    /// All of it is to be drawn anew.
    Redraw,
    /// The mouse is for somebody else.
    Mouse(Mouse),
    /// The desk is asked what would be recorded.
    Preview(GoalId, Asked),
    /// It is confirmed.
    Confirm(Box<Preview>),
}

impl Model {
    /// Something came from the terminal.
    pub fn event(&mut self, event: Event) -> Effect {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.typed(key),
            Event::Mouse(mouse) => self.pointed(mouse),
            Event::Paste(text) => {
                self.pasted(&text);
                Effect::None
            }
            Event::Resize(..) | Event::FocusGained | Event::FocusLost | Event::Key(_) => Effect::None,
        }
    }

    /// A key.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    pub fn typed(&mut self, key: KeyEvent) -> Effect {
        self.said = None;
        // These two hold whatever is open.
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Effect::End,
                KeyCode::Char('z') => return Effect::Stop,
                _ => {}
            }
        }
        match std::mem::take(&mut self.over) {
            Over::Nothing => return keys::does(key).map_or(Effect::None, |does| self.does(does)),
            Over::Filter => self.filters(key),
            Over::Jump(jump) => self.jumps(jump, key),
            Over::Help(down) => match key.code {
                KeyCode::Down | KeyCode::Char('j') => self.over = Over::Help(down.saturating_add(1)),
                KeyCode::Up | KeyCode::Char('k') => self.over = Over::Help(down.saturating_sub(1)),
                _ => {}
            },
            Over::Dialog(dialog) => return self.comes(dialog.typed(key)),
        }
        Effect::None
    }

    fn does(&mut self, does: Does) -> Effect {
        match does {
            Does::Step(by) if self.is_list() => self.step(by),
            Does::Step(by) => self.scroll(by),
            Does::Page(by) => {
                let page = isize::try_from(self.list.height.max(2) - 1).unwrap_or(1);
                if self.is_list() { self.step(by * page) } else { self.scroll(by * page) }
            }
            Does::Next(by) => self.next_anywhere(by),
            Does::Open => return self.opens(),
            Does::Why => match self.meant() {
                (_, Some(Id::Lane(goal, agent))) => self.open(Place::Lane(goal, agent)),
                (_, Some(Id::Session(session))) => self.open(Place::Session(session)),
                _ => self.said = Some("a lane is decided by a row: select one".to_owned()),
            },
            Does::Back => self.goes_back(),
            Does::Act => return self.acts(),
            Does::Add => return self.acts_at_once(acts::add),
            Does::Undo => return self.acts_at_once(acts::undo),
            Does::Filter if self.is_list() => self.over = Over::Filter,
            Does::Filter => {}
            Does::Jump => self.over = Over::Jump(Jump::default()),
            Does::Mouse => {
                self.mouse = match self.mouse {
                    Mouse::Selects => Mouse::Told,
                    Mouse::Told => Mouse::Selects,
                };
                self.said = Some(
                    match self.mouse {
                        Mouse::Told => {
                            "a click selects, a second one opens, the wheel scrolls; m gives it back"
                        }
                        Mouse::Selects => "the mouse is the terminal's again",
                    }
                    .to_owned(),
                );
                return Effect::Mouse(self.mouse);
            }
            Does::Help => self.over = Over::Help(0),
            Does::Redraw => return Effect::Redraw,
            Does::Stop => return Effect::Stop,
            Does::End => return Effect::End,
        }
        Effect::None
    }

    /// Whether the view is one of rows.
    pub fn is_list(&self) -> bool {
        match self.view().place {
            Place::Lanes | Place::Goal(_) => true,
            Place::Lane(..) | Place::Session(_) => false,
        }
    }

    fn scroll(&mut self, by: isize) {
        let view = self.view_mut();
        view.down = view.down.saturating_add_signed(by);
    }

    fn next_anywhere(&mut self, by: isize) {
        if !self.is_list() {
            self.back_to_lanes();
        }
        if !self.next(by) {
            let here = if self.view().place == Place::Lanes { "nothing waits" } else { "nothing here waits" };
            self.said = Some(format!("{here} on you"));
        }
    }

    fn opens(&mut self) -> Effect {
        let (goal, id) = self.meant();
        match (self.view().place.clone(), id) {
            (Place::Lanes, Some(Id::Lane(goal, agent))) => {
                self.open(Place::Goal(goal.clone()));
                self.view_mut().chosen = Some(Id::Lane(goal, agent));
            }
            (Place::Goal(_), Some(Id::Lane(goal, agent))) => self.open(Place::Lane(goal, agent)),
            (Place::Lanes | Place::Goal(_), Some(Id::Session(session))) => self.open(Place::Session(session)),
            (Place::Lane(goal, agent), _) => {
                let card = self.board().and_then(|board| board.find(&goal, &agent));
                let session = card.and_then(|card| card.session_name()).map(|(_, session)| session);
                if let Some(session) = session {
                    self.open(Place::Session(session));
                }
            }
            (Place::Session(_), _) => {
                if let Some(goal) = goal {
                    self.open(Place::Goal(goal));
                }
            }
            (Place::Lanes | Place::Goal(_), Some(_)) => return self.acts(),
            (Place::Lanes | Place::Goal(_), None) => {}
        }
        Effect::None
    }

    fn goes_back(&mut self) {
        if self.view().filter.text().is_empty() {
            self.back();
        } else {
            self.view_mut().filter.clear();
            self.refresh();
        }
    }

    fn acts(&mut self) -> Effect {
        let (goal, id) = self.meant();
        let (Some(board), Some(goal)) = (self.board(), goal) else {
            self.said = Some("it belongs to no goal: answer it in its session".to_owned());
            return Effect::None;
        };
        let acts = acts::on(board, &goal, id.as_ref());
        if acts.is_empty() {
            self.said = Some(format!("nothing can be done on {goal}: `loopx doctor` says more"));
        } else {
            self.over = Over::Dialog(Dialog::Menu(acts, 0));
        }
        Effect::None
    }

    fn acts_at_once(&mut self, act: impl FnOnce(&GoalId) -> acts::Act) -> Effect {
        if let Some(goal) = self.meant().0 {
            return self.comes(Dialog::begin(act(&goal)));
        }
        self.said = Some("select something of a goal first".to_owned());
        Effect::None
    }

    fn comes(&mut self, next: Next) -> Effect {
        match next {
            Next::Stay(dialog) => self.over = Over::Dialog(dialog),
            Next::Leave => {}
            Next::Preview(goal, asked, form) => {
                self.over = Over::Dialog(Dialog::Asking(form));
                return Effect::Preview(goal, asked);
            }
            Next::Confirm(preview) => {
                self.over = Over::Dialog(Dialog::Asking(None));
                return Effect::Confirm(preview);
            }
        }
        Effect::None
    }

    /// What would be recorded; whoever left does not wait for it.
    pub fn previewed(&mut self, previewed: Result<Box<Preview>, CliError>) {
        let Over::Dialog(Dialog::Asking(form)) = &mut self.over else { return };
        let dialog = match (previewed, form.take()) {
            (Ok(preview), _) => Dialog::Preview(preview, 0),
            // What was typed is not lost.
            (Err(error), Some(form)) => {
                let hint = error.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
                self.said = Some(format!("{}{hint}", error.message));
                Dialog::Form(form)
            }
            (Err(error), None) => Dialog::Failed(error),
        };
        self.over = Over::Dialog(dialog);
    }

    /// What was recorded.
    pub fn recorded(&mut self, recorded: Result<Box<Done>, CliError>) {
        match (recorded, &self.over) {
            (Ok(done), Over::Dialog(Dialog::Asking(_))) => self.over = Over::Dialog(Dialog::Done(done)),
            (Ok(done), _) => {
                let revision = done.receipt.revision;
                self.said = Some(format!("recorded at revision {revision}: {}", done.words));
            }
            (Err(error), Over::Dialog(Dialog::Asking(_))) => {
                self.over = Over::Dialog(Dialog::Failed(error));
            }
            (Err(error), _) => self.said = Some(format!("nothing was recorded: {}", error.message)),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    fn filters(&mut self, key: KeyEvent) {
        match key.code {
            KeyCode::Esc => self.view_mut().filter.clear(),
            KeyCode::Enter => return,
            KeyCode::Down => {
                self.over = Over::Filter;
                return self.step(1);
            }
            KeyCode::Up => {
                self.over = Over::Filter;
                return self.step(-1);
            }
            _ => {
                self.view_mut().filter.takes(key);
                self.over = Over::Filter;
            }
        }
        self.refresh();
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    fn jumps(&mut self, mut jump: Jump, key: KeyEvent) {
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Enter => {
                let target = jump.targets(self.board()).into_iter().nth(jump.at);
                return match target {
                    Some(Target::Goal(goal)) => self.open(Place::Goal(goal)),
                    Some(Target::Lane(goal, agent)) => self.open(Place::Lane(goal, agent)),
                    None => self.over = Over::Jump(jump),
                };
            }
            KeyCode::Down | KeyCode::Tab => {
                let last = jump.targets(self.board()).len().saturating_sub(1);
                jump.at = (jump.at + 1).min(last);
            }
            KeyCode::Up | KeyCode::BackTab => jump.at = jump.at.saturating_sub(1),
            _ => {
                jump.input.takes(key);
                jump.at = 0;
            }
        }
        self.over = Over::Jump(jump);
    }

    /// What is pasted is a text where one is asked for, and no keys.
    fn pasted(&mut self, text: &str) {
        match &mut self.over {
            Over::Filter => {
                self.view_mut().filter.put(text);
                self.refresh();
            }
            Over::Jump(jump) => jump.input.put(text),
            Over::Dialog(dialog) => dialog.pasted(text),
            Over::Nothing | Over::Help(_) => {}
        }
    }

    fn pointed(&mut self, mouse: MouseEvent) -> Effect {
        let by = match mouse.kind {
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::Down(MouseButton::Left) => return self.clicked(mouse),
            MouseEventKind::Down(_)
            | MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => return Effect::None,
        };
        match &mut self.over {
            Over::Nothing => return self.does(Does::Step(by)),
            Over::Help(down) | Over::Dialog(Dialog::Preview(_, down)) => {
                *down = down.saturating_add_signed(i16::try_from(by).unwrap_or(1));
            }
            Over::Filter | Over::Jump(_) | Over::Dialog(_) => {}
        }
        Effect::None
    }

    fn clicked(&mut self, mouse: MouseEvent) -> Effect {
        let is_there = self.list.contains(Position { x: mouse.column, y: mouse.row });
        if !matches!(self.over, Over::Nothing) || !self.is_list() || !is_there {
            return Effect::None;
        }
        let at = self.view().down + usize::from(mouse.row - self.list.y);
        if self.selected() == Some(at) {
            return self.opens();
        }
        self.select(at);
        Effect::None
    }
}
