//! The terminal: taken, given back for as long as something else needs it, and left as it was.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use loopx_safety::io_words;
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Size;
use rustix::fs::OFlags;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use super::sheet::{Sheet, Standing};
use crate::error::CliError;

/// What a whole screen takes goes out at once.
const WHOLE: usize = 1 << 16;

/// What a terminal is told to be as it was: no mouse, no marked pastes, a cursor, the other screen.
const AS_IT_WAS: &[u8] =
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l\x1b[?1049l\x1b[?25h";

/// How the terminal was before it was taken first.
static BEFORE: OnceLock<(File, Termios)> = OnceLock::new();

/// Whether somebody else has it.
static IS_GIVEN_BACK: AtomicBool = AtomicBool::new(true);

type Writer = BufWriter<Stdout>;

/// Whether the mouse is told to this program, or selects text in the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mouse {
    /// It selects text.
    #[default]
    Selects,
    /// It is told.
    Told,
}

/// The terminal, while it is ours.
pub struct Screen {
    backend: CrosstermBackend<Writer>,
    standing: Standing,
    mouse: Mouse,
}

impl Screen {
    /// Takes it.
    pub fn take() -> Result<Self, CliError> {
        remember();
        let backend = CrosstermBackend::new(BufWriter::with_capacity(WHOLE, io::stdout()));
        let mut screen = Self { backend, standing: Standing::default(), mouse: Mouse::default() };
        screen.enter().map_err(failed)?;
        Ok(screen)
    }

    fn enter(&mut self) -> io::Result<()> {
        IS_GIVEN_BACK.store(false, Ordering::Relaxed);
        enable_raw_mode()?;
        let out = &mut self.backend;
        execute!(out, EnterAlternateScreen, EnableBracketedPaste, Hide)?;
        if self.mouse == Mouse::Told {
            execute!(out, EnableMouseCapture)?;
        }
        // Nothing is taken to stand there. The terminal is asked nothing: it might not answer.
        self.clear()
    }

    fn clear(&mut self) -> io::Result<()> {
        self.standing.clear(size()?);
        self.backend.clear()
    }

    fn leave(&mut self) -> io::Result<()> {
        let out = &mut self.backend;
        if self.mouse == Mouse::Told {
            execute!(out, DisableMouseCapture)?;
        }
        let left = execute!(out, DisableBracketedPaste, LeaveAlternateScreen, Show);
        disable_raw_mode()?;
        IS_GIVEN_BACK.store(true, Ordering::Relaxed);
        left
    }

    /// Takes it again: somebody else wrote on it, or had it.
    pub fn take_again(&mut self) -> Result<(), CliError> {
        self.enter().map_err(failed)
    }

    /// Draws what differs from what stands there.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Sheet)) -> Result<(), CliError> {
        let drawn = || -> io::Result<()> {
            let size = size()?;
            if size != self.standing.size() {
                self.clear()?;
            }
            let mut sheet = Sheet::new(self.standing.size());
            draw(&mut sheet);
            let changes = self.standing.take(sheet);
            if changes.is_empty() {
                return Ok(());
            }
            ratatui::crossterm::queue!(self.backend, BeginSynchronizedUpdate)?;
            self.backend.draw(changes.iter().flat_map(|(before, cells)| before.diff_iter(cells)))?;
            execute!(self.backend, EndSynchronizedUpdate)
        };
        drawn().map_err(failed)
    }

    /// Whom the mouse is for.
    pub fn mouse(&mut self, mouse: Mouse) -> Result<(), CliError> {
        self.mouse = mouse;
        let out = &mut self.backend;
        match mouse {
            Mouse::Selects => execute!(out, DisableMouseCapture),
            Mouse::Told => execute!(out, EnableMouseCapture),
        }
        .map_err(failed)
    }

    /// Gives it back for as long as this takes.
    pub fn given_back<T>(&mut self, meanwhile: impl FnOnce() -> T) -> Result<T, CliError> {
        self.leave().map_err(failed)?;
        let done = meanwhile();
        self.enter().map_err(failed)?;
        Ok(done)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _nothing_left_to_do = self.leave();
    }
}

/// How large it is.
fn size() -> io::Result<Size> {
    let size = tcgetwinsize(io::stdout())?;
    Ok(Size::new(size.ws_col, size.ws_row))
}

/// Whether the terminal is somebody else's.
pub fn is_given_back() -> bool {
    IS_GIVEN_BACK.load(Ordering::Relaxed)
}

/// Leaves the terminal as it was as far as that goes without waiting: nobody may read what is written there.
pub fn leave_at_once() {
    let Some((tty, before)) = BEFORE.get() else { return };
    if !is_given_back() {
        let _ = (&*tty).write(AS_IT_WAS);
    }
    let _ = tcsetattr(tty, OptionalActions::Now, before);
}

/// Keeps how the terminal was, and a way to it that never waits.
fn remember() {
    let own = i32::try_from(OFlags::NONBLOCK.bits() | OFlags::NOCTTY.bits()).unwrap_or_default();
    let opened = OpenOptions::new().write(true).custom_flags(own).open("/dev/tty");
    let Ok(tty) = opened else { return };
    if let Ok(before) = tcgetattr(&tty) {
        let _ = BEFORE.set((tty, before));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn failed(error: io::Error) -> CliError {
    CliError::internal(format!("failed to use the terminal: {}", io_words(error.kind())))
        .hint("`loopx status --watch` needs less of a terminal")
}
