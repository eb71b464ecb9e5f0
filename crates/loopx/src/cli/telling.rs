//! `--notify`: how what stays on tells that something waits on a person.

use jiff::Timestamp;

use crate::app::Overview;
use crate::app::notify::{Notifier, Settings};
use crate::app::placing::Only;
use crate::cli::Context;
use crate::cli::list::local_zone;
use crate::error::CliError;

/// What tells, where that is asked for: by the flag, or by the configuration.
pub fn notifier(context: &mut Context, flag: bool) -> Result<Option<Notifier>, CliError> {
    if !flag && !context.config.notifies_always() {
        return Ok(None);
    }
    let settings = Settings::of(&context.config, &context.env, local_zone(context));
    if !settings.tells(context.ui.is_terminal()) {
        if flag {
            return Err(CliError::usage("nothing here can tell: no desktop, no bell, no command")
                .hint("name a program in notify.command: see `loopx config --help`"));
        }
        return Ok(None);
    }
    Ok(Some(Notifier::new(settings, context.home()?.data)))
}

/// After a look: tells what began to wait, and rings.
pub fn tell(
    context: &mut Context,
    notifier: &mut Notifier,
    overview: &Overview,
    only: &Only,
    now: Timestamp,
) {
    let told = notifier.looked(overview.waits(only), only, now);
    if !told.is_empty() && notifier.rings() {
        context.ui.bell();
    }
}
