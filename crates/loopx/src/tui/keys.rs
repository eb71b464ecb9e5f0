//! The keys of the lists: what each does, in words where the help names it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key does in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Moves on by so many rows, or back.
    Step(isize),
    /// Moves on by so many screens, or back.
    Page(isize),
    /// Goes to the next that waits on the person, or the one before.
    Next(isize),
    /// Opens what is selected.
    Open,
    /// Says why it is so.
    Why,
    /// Goes back.
    Back,
    /// Shows what can be done with what is selected.
    Act,
    /// Asks for a todo's words.
    Add,
    /// Shows what an undo would take back.
    Undo,
    /// Asks for a word that is filtered by.
    Filter,
    /// Asks where to go.
    Jump,
    /// Whom the mouse is for.
    Mouse,
    /// Says what keys do.
    Help,
    /// Draws all of it anew.
    Redraw,
    /// Stops, until it is let go on.
    Stop,
    /// Ends it.
    End,
}

/// Keys that do the same.
pub struct Key {
    /// The keys.
    pub codes: &'static [(KeyCode, KeyModifiers)],
    /// How they are called.
    pub name: &'static str,
    /// What they do, in words.
    pub words: &'static str,
    /// What they do.
    pub does: Does,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

const fn key(
    codes: &'static [(KeyCode, KeyModifiers)],
    name: &'static str,
    words: &'static str,
    does: Does,
) -> Key {
    Key { codes, name, words, does }
}

/// The keys, those that are needed most first.
pub const KEYS: [Key; 22] = [
    key(&[(KeyCode::Char('j'), NONE), (KeyCode::Down, NONE)], "j ↓", "the next row", Does::Step(1)),
    key(&[(KeyCode::Char('k'), NONE), (KeyCode::Up, NONE)], "k ↑", "the row before", Does::Step(-1)),
    key(
        &[(KeyCode::PageDown, NONE), (KeyCode::Char('f'), CTRL), (KeyCode::Char(' '), NONE)],
        "PgDn Space",
        "a screen on",
        Does::Page(1),
    ),
    key(&[(KeyCode::PageUp, NONE), (KeyCode::Char('b'), CTRL)], "PgUp", "a screen back", Does::Page(-1)),
    key(
        &[(KeyCode::Char('g'), NONE), (KeyCode::Home, NONE)],
        "g Home",
        "the first row",
        Does::Step(isize::MIN),
    ),
    key(&[(KeyCode::Char('G'), NONE), (KeyCode::End, NONE)], "G End", "the last row", Does::Step(isize::MAX)),
    key(
        &[(KeyCode::Char('n'), NONE), (KeyCode::Tab, NONE)],
        "n Tab",
        "the next that waits on you",
        Does::Next(1),
    ),
    key(
        &[(KeyCode::Char('N'), NONE), (KeyCode::BackTab, NONE)],
        "N Shift-Tab",
        "the one before that waits on you",
        Does::Next(-1),
    ),
    key(
        &[(KeyCode::Enter, NONE), (KeyCode::Char('l'), NONE), (KeyCode::Right, NONE)],
        "Enter l →",
        "open it: a lane's goal, a lane, a session; else act",
        Does::Open,
    ),
    key(&[(KeyCode::Char('w'), NONE)], "w", "why it is so: the row, the facts used and lacking", Does::Why),
    key(
        &[
            (KeyCode::Esc, NONE),
            (KeyCode::Backspace, NONE),
            (KeyCode::Char('h'), NONE),
            (KeyCode::Left, NONE),
        ],
        "Esc Backspace h ←",
        "back; in the lanes, show all again",
        Does::Back,
    ),
    key(&[(KeyCode::Char('a'), NONE)], "a", "act on it: decide, finish, judge, limit, pause, …", Does::Act),
    key(&[(KeyCode::Char('t'), NONE)], "t", "add a todo to its goal", Does::Add),
    key(&[(KeyCode::Char('u'), NONE)], "u", "undo what was done last on its goal", Does::Undo),
    key(&[(KeyCode::Char('/'), NONE)], "/", "only rows that hold these words; Esc shows all", Does::Filter),
    key(
        &[(KeyCode::Char(':'), NONE), (KeyCode::Char('p'), CTRL)],
        ": Ctrl-P",
        "go to any goal or lane by some of its letters",
        Does::Jump,
    ),
    key(
        &[(KeyCode::Char('m'), NONE)],
        "m",
        "the mouse selects rows, or text in the terminal again",
        Does::Mouse,
    ),
    key(&[(KeyCode::Char('?'), NONE), (KeyCode::F(1), NONE)], "?", "this help", Does::Help),
    key(&[(KeyCode::Char('l'), CTRL)], "Ctrl-L", "draw everything anew", Does::Redraw),
    key(&[(KeyCode::Char('z'), CTRL)], "Ctrl-Z", "back to the shell; `fg` goes on", Does::Stop),
    key(&[(KeyCode::Char('q'), NONE)], "q", "end", Does::End),
    key(&[(KeyCode::Char('c'), CTRL)], "Ctrl-C", "end, whatever is open", Does::End),
];

/// What a key does in a list.
pub fn does(typed: KeyEvent) -> Option<Does> {
    // A capital says by itself that it was shifted.
    let modifiers = typed.modifiers.difference(KeyModifiers::SHIFT);
    KEYS.iter().find(|key| key.codes.contains(&(typed.code, modifiers))).map(|key| key.does)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_key_and_what_it_does() {
        let page = include_str!("../../../../docs/page.md");
        for key in &KEYS {
            let names: Vec<String> = key.name.split(' ').map(|name| format!("`{name}`")).collect();
            let line = format!("| {} | {} |", names.join(" "), key.words);
            assert!(page.contains(&line), "docs/page.md lacks: {line}");
        }
    }

    #[test]
    fn no_key_does_two_things() {
        let mut all: Vec<_> = KEYS.iter().flat_map(|key| key.codes).collect();
        let count = all.len();
        all.sort_by_key(|code| format!("{code:?}"));
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
