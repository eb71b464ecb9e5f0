//! Acting, step by step: what can be done, what it asks for, what would be recorded, what was.

use loopx_contract::GoalId;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::acts::{self, Act};
use super::desk::{Done, Preview};
use super::form::{Filled, Form};
use crate::app::acting::Asked;
use crate::error::CliError;

/// A step.
pub enum Dialog {
    /// What can be done.
    Menu(Vec<Act>, usize),
    /// What it asks for.
    Form(Form),
    /// The store is asked.
    Asking(Option<Form>),
    /// What would be recorded; how far it was scrolled.
    Preview(Box<Preview>, u16),
    /// What was recorded.
    Done(Box<Done>),
    /// Nothing was recorded.
    Failed(CliError),
}

/// What comes next.
pub enum Next {
    /// This step.
    Stay(Dialog),
    /// The list.
    Leave,
    /// The store is asked what would be recorded; what was filled in, to be filled in again.
    Preview(GoalId, Asked, Option<Form>),
    /// It is confirmed.
    Confirm(Box<Preview>),
}

impl Dialog {
    /// Begins with an act.
    pub fn begin(act: Act) -> Next {
        if act.form.fields.is_empty() {
            Next::Preview(act.form.goal.clone(), act.form.asked(), None)
        } else {
            Next::Stay(Self::Form(act.form))
        }
    }

    /// A key.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    pub fn typed(self, key: KeyEvent) -> Next {
        let leaves = matches!(key.code, KeyCode::Esc | KeyCode::Char('q'));
        match self {
            Self::Menu(acts, at) => in_menu(acts, at, key),
            Self::Form(mut form) => match form.typed(key) {
                Filled::Not => Next::Stay(Self::Form(form)),
                Filled::Left => Next::Leave,
                Filled::All => Next::Preview(form.goal.clone(), form.asked(), Some(form)),
            },
            // What is recorded is recorded, whether or not it is waited for.
            Self::Asking(form) if !leaves => Next::Stay(Self::Asking(form)),
            Self::Preview(preview, down) => match key.code {
                KeyCode::Char('y') | KeyCode::Enter
                    if preview.lacking.is_none() && !preview.events.is_empty() =>
                {
                    Next::Confirm(preview)
                }
                KeyCode::Char('j') | KeyCode::Down => {
                    Next::Stay(Self::Preview(preview, down.saturating_add(1)))
                }
                KeyCode::Char('k') | KeyCode::Up => {
                    Next::Stay(Self::Preview(preview, down.saturating_sub(1)))
                }
                KeyCode::Char('n') => Next::Leave,
                _ if leaves || preview.events.is_empty() => Next::Leave,
                _ => Next::Stay(Self::Preview(preview, down)),
            },
            Self::Done(done) if key.code == KeyCode::Char('u') => Self::begin(acts::undo(&done.receipt.goal)),
            Self::Asking(_) | Self::Done(_) | Self::Failed(_) => Next::Leave,
        }
    }

    /// A text was pasted.
    pub fn pasted(&mut self, text: &str) {
        match self {
            Self::Form(form) => form.pasted(text),
            Self::Menu(..) | Self::Asking(_) | Self::Preview(..) | Self::Done(_) | Self::Failed(_) => {}
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
fn in_menu(acts: Vec<Act>, at: usize, key: KeyEvent) -> Next {
    let last = acts.len().saturating_sub(1);
    let chosen = match key.code {
        KeyCode::Enter => Some(at),
        KeyCode::Char(letter) => acts.iter().position(|act| act.key == letter),
        _ => None,
    };
    if let Some(act) = chosen.and_then(|chosen| acts.get(chosen)) {
        return Dialog::begin(act.clone());
    }
    let at = match key.code {
        KeyCode::Esc | KeyCode::Char('q') => return Next::Leave,
        KeyCode::Down | KeyCode::Char('j') => (at + 1).min(last),
        KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
        _ => at,
    };
    Next::Stay(Dialog::Menu(acts, at))
}
