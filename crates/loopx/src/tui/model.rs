//! What is on the screen, and what each key does to it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::app::board::{Board, Card};
use crate::error::CliError;

/// Whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// It does.
    On,
    /// It was ended.
    Ends,
}

/// What keys mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They move through the lanes.
    #[default]
    Lanes,
    /// They are a word that lanes are filtered by.
    Filter,
    /// Any of them goes back to the lanes.
    Help,
}

/// What a key does among the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Moves on by so many lanes, or back.
    Step(isize),
    /// Asks for a word.
    Filter,
    /// Shows all lanes.
    All,
    /// Says what keys do.
    Help,
    /// Ends it.
    End,
}

/// The keys, what each does, in words where the help names it.
pub const KEYS: [(KeyCode, &str, Does); 14] = [
    (KeyCode::Char('j'), "j ↓        the next lane", Does::Step(1)),
    (KeyCode::Down, "", Does::Step(1)),
    (KeyCode::Char('k'), "k ↑        the lane before", Does::Step(-1)),
    (KeyCode::Up, "", Does::Step(-1)),
    (KeyCode::PageDown, "PgDn PgUp  ten lanes on, ten back", Does::Step(10)),
    (KeyCode::PageUp, "", Does::Step(-10)),
    (KeyCode::Char('g'), "g Home     the first lane", Does::Step(isize::MIN)),
    (KeyCode::Home, "", Does::Step(isize::MIN)),
    (KeyCode::Char('G'), "G End      the last lane", Does::Step(isize::MAX)),
    (KeyCode::End, "", Does::Step(isize::MAX)),
    (KeyCode::Char('/'), "/          show lanes that hold a word; Esc shows all", Does::Filter),
    (KeyCode::Esc, "", Does::All),
    (KeyCode::Char('?'), "?          this help", Does::Help),
    (KeyCode::Char('q'), "q Ctrl-C   end", Does::End),
];

/// The screen.
pub struct Model {
    /// Whether colour tells too.
    pub colored: bool,
    /// What keys mean.
    pub mode: Mode,
    /// The word that lanes are filtered by.
    pub filter: String,
    /// Why the last look failed, if it did.
    pub failure: Option<CliError>,
    board: Option<Board>,
    selected: Option<(String, String)>,
}

impl Model {
    /// Nothing was looked at yet.
    pub fn new(colored: bool) -> Self {
        Self {
            colored,
            mode: Mode::default(),
            filter: String::new(),
            failure: None,
            board: None,
            selected: None,
        }
    }

    /// A look came in: what is selected stays selected, wherever it moved.
    pub fn looked(&mut self, looked: Result<Board, CliError>) -> Goes {
        match looked {
            Ok(board) => (self.board, self.failure) = (Some(board), None),
            Err(error) => self.failure = Some(error),
        }
        Goes::On
    }

    /// What was looked at last.
    pub const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// All lanes, whether or not they are shown.
    pub fn all(&self) -> Vec<Card<'_>> {
        self.board.as_ref().map(Board::cards).unwrap_or_default()
    }

    /// The lanes that are shown, those that need somebody first.
    pub fn cards(&self) -> Vec<Card<'_>> {
        let word = self.filter.to_lowercase();
        self.all().into_iter().filter(|card| word.is_empty() || is_about(card, &word)).collect()
    }

    /// Which of them is selected: the first, where it is none of them.
    pub fn selected(&self, cards: &[Card<'_>]) -> usize {
        let chosen = self.selected.as_ref();
        let at = chosen.and_then(|chosen| cards.iter().position(|card| name(card) == *chosen));
        at.unwrap_or(0)
    }

    /// A key.
    pub fn typed(&mut self, key: KeyEvent) -> Goes {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Goes::Ends;
        }
        match self.mode {
            Mode::Help => self.mode = Mode::Lanes,
            Mode::Filter => self.filters(key.code),
            Mode::Lanes => return self.moves(key.code),
        }
        Goes::On
    }

    fn moves(&mut self, key: KeyCode) -> Goes {
        let Some((.., does)) = KEYS.into_iter().find(|(known, ..)| *known == key) else { return Goes::On };
        match does {
            Does::Step(by) => self.step(by),
            Does::Filter => self.mode = Mode::Filter,
            Does::All => self.filter.clear(),
            Does::Help => self.mode = Mode::Help,
            Does::End => return Goes::Ends,
        }
        Goes::On
    }

    fn filters(&mut self, key: KeyCode) {
        if key == KeyCode::Esc {
            self.filter.clear();
        }
        if key == KeyCode::Esc || key == KeyCode::Enter {
            self.mode = Mode::Lanes;
        } else if key == KeyCode::Backspace {
            self.filter.pop();
        } else if let KeyCode::Char(sign) = key {
            self.filter.push(sign);
        }
    }

    fn step(&mut self, by: isize) {
        let cards = self.cards();
        let last = cards.len().saturating_sub(1);
        let to = self.selected(&cards).saturating_add_signed(by).min(last);
        self.selected = cards.get(to).map(name);
    }
}

fn name(card: &Card<'_>) -> (String, String) {
    (card.goal().to_string(), card.agent().to_string())
}

fn is_about(card: &Card<'_>, word: &str) -> bool {
    let screen = &card.decision.projection.first_screen;
    let texts = [
        card.goal().as_str(),
        card.agent().as_str(),
        screen.next_action.as_str(),
        screen.gate_state.word(),
        screen.quota_state.word(),
        card.reading().word,
    ];
    texts.iter().any(|text| text.to_lowercase().contains(word))
}
