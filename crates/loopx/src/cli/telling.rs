//! `--notify`: how what stays on tells that something waits on a person.

use std::time::Duration;

use jiff::Timestamp;
use loopx_runtimes::Waker;

use crate::app::Overview;
use crate::app::notify::{MUTE, Notifier, Settings, Wake};
use crate::app::placing::Only;
use crate::cli::Context;
use crate::cli::list::local_zone;
use crate::config::{Config, Stamp};
use crate::error::CliError;

/// Tells where that is asked for, by the flag or by the configuration, and follows what the user's file says of it.
pub struct Teller {
    /// Whether the flag asks for it.
    flag: bool,
    notifier: Option<Notifier>,
    /// Wakes who waits for something to happen.
    waker: Option<Waker>,
    /// Which version of the user's file was read.
    read: Option<Stamp>,
    /// Why it can't be read.
    broken: Option<String>,
}

impl Teller {
    /// For one look: where it is asked for by the flag and nothing can tell, that is an error.
    pub fn once(context: &mut Context, flag: bool) -> Result<Self, CliError> {
        let settings = settings(context, &context.config);
        if flag && !settings.tells() {
            let (what, hint) = MUTE.split_once("; ").unwrap_or((MUTE, ""));
            return Err(CliError::usage(what).hint(hint));
        }
        let flag = flag || settings.tells() && context.config.notifies_always();
        let mut teller = Self { flag, notifier: None, waker: None, read: None, broken: None };
        if flag {
            teller.set(context, settings)?;
        }
        Ok(teller)
    }

    /// For what stays on: it begins although nothing can tell, and says so.
    pub fn stays(context: &mut Context, flag: bool, waker: Waker) -> Result<Self, CliError> {
        let mut teller = Self { flag, notifier: None, waker: Some(waker), read: None, broken: None };
        if flag || context.config.notifies_always() {
            let settings = settings(context, &context.config);
            teller.set(context, settings)?;
        }
        Ok(teller)
    }

    fn set(&mut self, context: &Context, settings: Settings) -> Result<(), CliError> {
        if let Some(notifier) = &mut self.notifier {
            notifier.follow(settings);
            return Ok(());
        }
        let wake: Wake = match self.waker.clone() {
            Some(waker) => Box::new(move || waker.wake()),
            None => Box::new(|| {}),
        };
        self.notifier = Some(Notifier::new(settings, context.home()?.data, wake));
        Ok(())
    }

    /// Reads the user's file again if it is another one than it was. One that can't be read changes nothing.
    fn follow(&mut self, context: &Context) -> Result<(), CliError> {
        let stamp = Stamp::of(&context.home()?.config_file());
        if self.waker.is_none() || stamp == self.read {
            return Ok(());
        }
        self.read = stamp;
        match Config::of_user(&context.env) {
            Ok(config) => {
                self.broken = None;
                if self.flag || config.notifies_always() {
                    self.set(context, settings(context, &config))?;
                } else {
                    self.notifier = None;
                }
            }
            Err(error) => self.broken = Some(format!("{}: notify.* stays as it was", error.message)),
        }
        Ok(())
    }

    /// Whether anything is to be told, as the user's file stands.
    pub fn is_on(&mut self, context: &Context) -> Result<bool, CliError> {
        self.follow(context)?;
        Ok(self.notifier.is_some())
    }

    /// After a look: tells what began to wait, and rings.
    pub fn tell(&mut self, context: &mut Context, overview: &Overview, only: &Only, now: Timestamp) {
        if let Some(notifier) = &mut self.notifier {
            let told = notifier.looked(overview.waits(only), only, now);
            if notifier.rings(&told) {
                context.ui.bell();
            }
        }
    }

    /// After a look that failed: what was begun is told all the same.
    pub fn settle(&mut self, now: Timestamp) {
        if let Some(notifier) = &mut self.notifier {
            notifier.settle(now);
        }
    }

    /// When to look again at the latest.
    pub fn due(&self) -> Option<Duration> {
        self.notifier.as_ref().and_then(Notifier::due)
    }

    /// What goes wrong, each until it goes right again.
    pub fn complaints(&self) -> Vec<String> {
        let of_notifier = self.notifier.iter().flat_map(Notifier::complaints).map(str::to_owned);
        self.broken.iter().cloned().chain(of_notifier).collect()
    }

    /// Whether something that waits could not be told so far.
    pub fn has_failed(&self) -> bool {
        self.notifier.as_ref().is_some_and(Notifier::has_failed)
    }

    /// Waits until all that was begun is told.
    pub fn finish(&mut self) {
        if let Some(notifier) = &mut self.notifier {
            notifier.finish();
        }
    }
}

fn settings(context: &Context, config: &Config) -> Settings {
    Settings::of(config, &context.env, local_zone(context), context.ui.is_terminal())
}
