//! The terminal screen: whom every lane waits on as it changes, a goal, a lane and why, a session, and acting.
//!
//! One thread looks, one reads keys, one hears signals, one is asked what would be recorded and records it. This one draws
//! what any of them brings, and waits for nothing else but the terminal.

mod acts;
mod desk;
mod detail;
mod dialog;
mod form;
mod input;
mod jump;
mod keys;
mod model;
mod rows;
mod screen;
mod sheet;
mod signals;
mod text;
mod typing;
mod view;

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use loopx_contract::GoalId;
use loopx_runtimes::caller;
use ratatui::crossterm::event::Event;

use crate::app::board::Board;
use crate::app::keeper::Keeper;
use crate::app::lately::Lately;
use crate::app::proving;
use crate::app::serving::Topping;
use crate::clock::Clock;
use crate::env::Env;
use crate::error::CliError;

use desk::{Desk, Done, Job, Preview};
use model::{Effect, Model};
use screen::Screen;
use typing::Typing;

/// How often ages are drawn anew where nothing happens.
const TICK: Duration = Duration::from_secs(1);

/// The shortest time between two drawings.
const FRAME: Duration = Duration::from_millis(33);

/// What there is to draw.
pub enum News {
    /// A look is there to be taken.
    Looked,
    /// Something was typed, pasted, pointed at, or the size is another.
    Typed(Event),
    /// The terminal is gone.
    Gone,
    /// What would be recorded.
    Previewed(Result<Box<Preview>, CliError>),
    /// What was recorded on a goal lately, as of a revision; nothing where that can't be read.
    Lately(GoalId, u64, Option<Box<Lately>>),
    /// What was recorded.
    Recorded(Result<Box<Done>, CliError>),
    /// It is asked to stop.
    Stop,
    /// It goes on after a stop.
    Continued,
    /// It is ended from outside, or can't go on.
    Over,
}

/// The last look, until it is taken. One that comes before it was takes its place.
#[derive(Clone, Default)]
struct Look(Arc<Mutex<Option<Result<Board, CliError>>>>);

impl Look {
    /// Puts one there. Gives whether the one before was taken.
    fn put(&self, looked: Result<Board, CliError>) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(looked).is_none()
    }

    fn take(&self) -> Option<Result<Board, CliError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Shows it until it is ended.
pub fn top(topping: Topping<'_>) -> Result<(), CliError> {
    let Topping { env, colored, zone } = topping;
    let (news, heard) = mpsc::channel();
    signals::hear(env, news.clone());
    let (look, failure) = (Look::default(), Arc::new(Mutex::new(None)));
    let desk = Desk::start(env, news.clone());
    let screen = Screen::take()?;
    keep(env, zone, look.clone(), Arc::clone(&failure), news.clone());
    let typing = Typing::start(news);
    let shown = Top { env, screen, model: Model::new(colored), look, desk, typing }.show(&heard);
    // Nobody waits for a look that is under way: nothing is lost with it.
    match failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => Err(error),
        None => shown,
    }
}

/// Tells of looks; and, after the first, that there are no more, however that comes.
struct Looks {
    look: Look,
    news: mpsc::Sender<News>,
    is_first: bool,
}

impl Looks {
    fn put(&mut self, looked: Result<Board, CliError>) {
        self.is_first = false;
        if self.look.put(looked) {
            let _ = self.news.send(News::Looked);
        }
    }
}

impl Drop for Looks {
    fn drop(&mut self) {
        if !self.is_first {
            let _ = self.news.send(News::Over);
        }
    }
}

/// Looks on a thread of its own. The first look may take long, or fail: then there is nothing to show.
fn keep(
    env: &Env,
    zone: TimeZone,
    look: Look,
    failure: Arc<Mutex<Option<CliError>>>,
    news: mpsc::Sender<News>,
) {
    let env = env.clone();
    let mut looks = Looks { look, news: news.clone(), is_first: true };
    let publish = move |looked| looks.put(looked);
    thread::spawn(move || {
        if let Err(error) = Keeper::start(&env, zone, screen::leave_at_once, publish) {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            let _ = news.send(News::Over);
        }
    });
}

/// Whether it goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    Ends,
}

struct Top<'a> {
    env: &'a Env,
    screen: Screen,
    model: Model,
    look: Look,
    desk: Desk,
    typing: Typing,
}

impl Top<'_> {
    /// What comes at once is drawn at once, and nothing is drawn twice in a frame.
    fn show(&mut self, heard: &mpsc::Receiver<News>) -> Result<(), CliError> {
        self.draw()?;
        let (mut drawn, mut is_stale) = (Instant::now(), false);
        loop {
            let rest = if is_stale { FRAME } else { TICK };
            match heard.recv_timeout(rest.saturating_sub(drawn.elapsed())) {
                Ok(news) => {
                    for news in std::iter::once(news).chain(heard.try_iter()) {
                        if self.hears(news)? == Goes::Ends {
                            return Ok(());
                        }
                    }
                    if let Some((goal, revision)) = self.model.wants() {
                        self.desk.ask(Job::Lately(goal, revision));
                    }
                    is_stale = true;
                }
                Err(RecvTimeoutError::Timeout) => is_stale = true,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if is_stale && drawn.elapsed() >= FRAME {
                self.draw()?;
                (drawn, is_stale) = (Instant::now(), false);
            }
        }
    }

    fn draw(&mut self) -> Result<(), CliError> {
        let (model, now) = (&mut self.model, Clock.now());
        self.screen.draw(|sheet| view::draw(sheet, model, now))
    }

    fn hears(&mut self, news: News) -> Result<Goes, CliError> {
        match news {
            News::Looked => {
                if let Some(looked) = self.look.take() {
                    self.model.looked(looked);
                }
            }
            News::Typed(event) => {
                let effect = self.model.event(event);
                let goes = self.effect(effect);
                self.typing.taken();
                return goes;
            }
            News::Previewed(previewed) => self.model.previewed(previewed),
            News::Recorded(recorded) => self.model.recorded(recorded),
            News::Lately(goal, revision, found) => self.model.found(goal, revision, found),
            News::Stop => self.stop()?,
            News::Continued => self.screen.take_again()?,
            News::Over | News::Gone => return Ok(Goes::Ends),
        }
        Ok(Goes::On)
    }

    fn effect(&mut self, effect: Effect) -> Result<Goes, CliError> {
        match effect {
            Effect::None => {}
            Effect::End => return Ok(Goes::Ends),
            Effect::Stop => self.stop()?,
            Effect::Redraw => self.screen.take_again()?,
            Effect::Mouse(mouse) => self.screen.mouse(mouse)?,
            Effect::Preview(goal, asked) => self.desk.ask(Job::Preview(goal, asked)),
            Effect::Confirm(preview) => self.confirm(preview)?,
        }
        Ok(Goes::On)
    }

    /// Has it proved as on the command line, outside this screen, and recorded then.
    fn confirm(&mut self, preview: Box<Preview>) -> Result<(), CliError> {
        let proved = if preview.is_to_be_proved() {
            let env = self.env;
            self.screen.given_back(|| preview.prove(env))?
        } else {
            Ok(proving::Proved::by(loopx_core::Proof::None))
        };
        match proved {
            Ok(proved) if proved.lacking.is_none() => {
                self.desk.ask(Job::Record(preview, proved.proof, proved.keyring));
            }
            Ok(proved) => {
                let why = proved.lacking.unwrap_or("nothing was proved");
                self.model.recorded(Err(CliError::refused(why).hint("act again to decide it")));
            }
            Err(error) => self.model.recorded(Err(error)),
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<(), CliError> {
        if caller::Job::own().is_some_and(|job| job.has_shell()) {
            self.screen.given_back(signals::stop)
        } else {
            self.model.said = Some("no shell waits here that could let it go on".to_owned());
            Ok(())
        }
    }
}
