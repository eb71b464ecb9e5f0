//! What an act asks for before it is shown in full.

use loopx_contract::GoalId;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::input::Input;
use crate::app::acting::Asked;

/// One thing that is asked for.
#[derive(Clone, Debug)]
pub struct Field {
    name: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What stands in it.
    pub value: Value,
}

/// What stands in a field.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text.
    Text(Input),
    /// Digits.
    Number(Input),
    /// One of these, each with its words.
    Choice(Vec<(String, String)>, usize),
}

impl Field {
    /// A text.
    pub fn text(name: &'static str, label: &'static str) -> Self {
        Self { name, label, value: Value::Text(Input::default()) }
    }

    /// A number; what it is so far stands there.
    pub fn number(name: &'static str, label: &'static str, is: Option<u64>) -> Self {
        let mut input = Input::default();
        input.put(&is.map(|is| is.to_string()).unwrap_or_default());
        Self { name, label, value: Value::Number(input) }
    }

    /// One of several, the first at first.
    pub fn choice(name: &'static str, label: &'static str, of: Vec<(String, String)>) -> Self {
        Self { name, label, value: Value::Choice(of, 0) }
    }

    fn value(&self) -> String {
        match &self.value {
            Value::Text(input) | Value::Number(input) => input.text().trim().to_owned(),
            Value::Choice(of, at) => of.get(*at).map(|(value, _)| value.clone()).unwrap_or_default(),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    fn takes(&mut self, key: KeyEvent) {
        match &mut self.value {
            Value::Text(input) => drop(input.takes(key)),
            Value::Number(input) => {
                let writes = matches!(key.code, KeyCode::Char(sign) if !sign.is_ascii_digit());
                if !writes || !key.modifiers.is_empty() {
                    input.takes(key);
                }
            }
            Value::Choice(of, at) => match key.code {
                KeyCode::Right | KeyCode::Char(' ' | 'l') => *at = (*at + 1) % of.len().max(1),
                KeyCode::Left | KeyCode::Char('h') => *at = (*at + of.len().max(1) - 1) % of.len().max(1),
                _ => {}
            },
        }
    }

    fn pasted(&mut self, text: &str) {
        match &mut self.value {
            Value::Text(input) => input.put(text),
            Value::Number(input) => {
                input.put(&text.chars().filter(char::is_ascii_digit).collect::<String>());
            }
            Value::Choice(..) => {}
        }
    }
}

/// The fields of an act.
#[derive(Clone, Debug)]
pub struct Form {
    /// The goal it is done on.
    pub goal: GoalId,
    /// What it is called.
    pub title: String,
    /// What is asked for.
    pub fields: Vec<Field>,
    /// Which field is typed in.
    pub at: usize,
    about: Vec<(String, String)>,
}

/// What came of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// It is still being filled in.
    Not,
    /// It was left.
    Left,
    /// It is filled in.
    All,
}

impl Form {
    /// An act on a goal.
    pub fn new(goal: GoalId, title: String, act: &'static str) -> Self {
        Self { goal, title, fields: Vec::new(), at: 0, about: vec![("act".to_owned(), act.to_owned())] }
    }

    /// What it is about.
    #[must_use]
    pub fn about(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.about.push((name.to_owned(), value.into()));
        self
    }

    /// What else it asks for.
    #[must_use]
    pub fn asks(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// What is asked for, all in all.
    pub fn asked(&self) -> Asked {
        let fields = self.fields.iter().map(|field| (field.name.to_owned(), field.value()));
        Asked::of(self.about.iter().cloned().chain(fields).collect())
    }

    /// A key.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    pub fn typed(&mut self, key: KeyEvent) -> Filled {
        let last = self.fields.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return Filled::Left,
            KeyCode::Enter if self.at >= last => return Filled::All,
            KeyCode::Enter | KeyCode::Tab | KeyCode::Down => {
                self.at = if self.at >= last { 0 } else { self.at + 1 }
            }
            KeyCode::BackTab | KeyCode::Up => self.at = self.at.checked_sub(1).unwrap_or(last),
            _ => {
                if let Some(field) = self.fields.get_mut(self.at) {
                    field.takes(key);
                }
            }
        }
        Filled::Not
    }

    /// A text was pasted.
    pub fn pasted(&mut self, text: &str) {
        if let Some(field) = self.fields.get_mut(self.at) {
            field.pasted(text);
        }
    }
}
