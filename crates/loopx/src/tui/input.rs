//! A line of text that is being typed.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// More than any text may have.
const LONGEST: usize = 1024;

/// What was typed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input(String);

impl Input {
    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Nothing is typed.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Puts a text at its end, on one line.
    pub fn put(&mut self, text: &str) {
        let fits = LONGEST.saturating_sub(self.0.chars().count());
        self.0.extend(text.chars().filter(|sign| !sign.is_control()).take(fits));
    }

    /// Takes a key, if it is one that writes. Gives whether it was.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
    pub fn takes(&mut self, key: KeyEvent) -> bool {
        let with = |modifier| key.modifiers.contains(modifier);
        match key.code {
            KeyCode::Char('u') if with(KeyModifiers::CONTROL) => self.0.clear(),
            KeyCode::Char('w') if with(KeyModifiers::CONTROL) => self.rub_word(),
            KeyCode::Char(sign) if !with(KeyModifiers::CONTROL) && !with(KeyModifiers::ALT) => {
                self.put(sign.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Backspace => drop(self.0.pop()),
            _ => return false,
        }
        true
    }

    fn rub_word(&mut self) {
        let kept = self.0.trim_end().rfind(' ').map_or(0, |at| at + 1);
        self.0.truncate(kept);
    }
}
