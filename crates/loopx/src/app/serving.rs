//! What the verb that serves hands to the page's door: neither door knows the other.

use jiff::tz::TimeZone;

use crate::env::Env;
use crate::error::CliError;
use crate::ui::Ui;

/// The port that is taken where none is named.
pub const PORT: u16 = 7717;

/// How the page is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The port on the loopback interface; 0 takes a free one.
    pub port: u16,
}

/// All that serving needs.
pub struct Serving<'a> {
    /// The environment.
    pub env: &'a Env,
    /// Where it is said that it serves.
    pub ui: &'a mut Ui,
    /// How.
    pub options: Options,
    /// The operator's time zone.
    pub zone: TimeZone,
}

/// All that the terminal screen needs.
pub struct Topping<'a> {
    /// The environment.
    pub env: &'a Env,
    /// Whether colour tells too.
    pub colored: bool,
    /// The operator's time zone.
    pub zone: TimeZone,
}

/// The doors that stay open, as `main` knows them.
#[derive(Clone, Copy)]
pub struct Doors {
    /// Serves the local page until it is ended.
    pub page: fn(Serving<'_>) -> Result<(), CliError>,
    /// Keeps the terminal screen until it is ended.
    pub terminal: fn(Topping<'_>) -> Result<(), CliError>,
}

impl Default for Doors {
    /// None of them stays open.
    fn default() -> Self {
        Self { page: |_| Err(closed()), terminal: |_| Err(closed()) }
    }
}

fn closed() -> CliError {
    CliError::usage("this door does not open here")
}
