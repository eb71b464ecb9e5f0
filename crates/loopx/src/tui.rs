//! The terminal screen: whom every lane waits on, as it changes.
//!
//! One thread looks, one reads keys; this one draws what either brings, and waits for nothing else.

mod model;
mod view;

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use loopx_safety::io_words;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use crate::app::board::Board;
use crate::app::keeper::Keeper;
use crate::app::serving::Topping;
use crate::clock::Clock;
use crate::error::CliError;

use model::{Goes, Model};

/// How often ages are drawn anew where nothing happens.
const TICK: Duration = Duration::from_secs(1);

/// What there is to draw.
enum News {
    Looked(Box<Result<Board, CliError>>),
    Typed(Event),
    /// The keeper has ended: a signal, a terminal that is gone.
    Over,
}

/// Shows it until it is ended. It was looked once before anything is drawn.
pub fn top(topping: Topping<'_>) -> Result<(), CliError> {
    let Topping { env, colored, zone } = topping;
    let (news, heard) = mpsc::channel();
    let looks = Looks(news.clone());
    let keeper = Keeper::start(env, zone, ratatui::restore, move |looked| looks.send(looked))?;
    thread::spawn(move || {
        while let Ok(typed) = event::read() {
            if news.send(News::Typed(typed)).is_err() {
                return;
            }
        }
    });
    let mut terminal = ratatui::try_init().map_err(|error| failed(&error))?;
    let shown = show(&mut terminal, &heard, Model::new(colored));
    ratatui::restore();
    keeper.end()?;
    shown
}

fn failed(error: &std::io::Error) -> CliError {
    CliError::internal(format!("failed to use the terminal: {}", io_words(error.kind())))
        .hint("`loopx status --watch` needs less of a terminal")
}

/// Sends looks, and says when there are no more.
struct Looks(mpsc::Sender<News>);

impl Looks {
    fn send(&self, looked: Result<Board, CliError>) {
        let _ = self.0.send(News::Looked(Box::new(looked)));
    }
}

impl Drop for Looks {
    fn drop(&mut self) {
        let _ = self.0.send(News::Over);
    }
}

fn show(
    terminal: &mut ratatui::DefaultTerminal,
    heard: &mpsc::Receiver<News>,
    mut model: Model,
) -> Result<(), CliError> {
    loop {
        let first = match heard.recv_timeout(TICK) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        // What came at once is drawn at once.
        for news in first.into_iter().chain(heard.try_iter()) {
            let goes = match news {
                News::Looked(looked) => model.looked(*looked),
                News::Typed(Event::Key(key)) if key.kind != KeyEventKind::Release => model.typed(key),
                News::Typed(_) => Goes::On,
                News::Over => Goes::Ends,
            };
            if goes == Goes::Ends {
                return Ok(());
            }
        }
        let now = Clock.now();
        terminal.draw(|frame| view::draw(frame, &model, now)).map_err(|error| failed(&error))?;
    }
}
