//! What the verb that serves hands to the page's door: neither door knows the other.

use std::net::IpAddr;
use std::path::PathBuf;

use jiff::tz::TimeZone;

use crate::env::Env;
use crate::error::CliError;
use crate::ui::Ui;

/// The port that is taken where none is named.
pub const PORT: u16 = 7717;

/// How the page is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The port; 0 takes a free one.
    pub port: u16,
    /// Whether browsers that were let in before may look on.
    pub before: Before,
    /// Where else than at `127.0.0.1` it listens.
    pub bind: Option<Bind>,
}

/// What may be done from a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acts {
    /// What its browser may.
    Some,
    /// Nothing: others than this machine's programs may ask.
    Nothing,
}

/// Browsers that were let in by a server before on this port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// They look on.
    Known,
    /// They have to be let in again.
    Forgotten,
}

/// An address to listen at, and what makes that safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The address.
    pub address: IpAddr,
    /// The names that it is asked by, beside its address.
    pub hosts: Vec<String>,
    /// The files of its certificate, with what that leads to, and of its key.
    pub tls: Option<(PathBuf, PathBuf)>,
}

impl Bind {
    /// Refuses what others on the network could listen to, or could be led to.
    pub fn judged(self) -> Result<Self, CliError> {
        if self.address.is_loopback() {
            return Ok(self);
        }
        if self.tls.is_none() {
            return Err(CliError::refused(format!(
                "{} can be reached from other machines: what is shown there has to be encrypted",
                self.address
            ))
            .hint(
                "add `--tls-cert FILE --tls-key FILE`, or reach it through `ssh -L` and leave --bind out",
            ));
        }
        if self.address.is_unspecified() && self.hosts.is_empty() {
            return Err(CliError::usage(format!("{} is no name to ask for", self.address))
                .hint("say by which name it is asked: `--host NAME`, as its certificate names it"));
        }
        for host in &self.hosts {
            let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || b"-.".contains(&sign);
            if host.is_empty() || host.len() > 253 || !host.bytes().all(is_sign) {
                return Err(
                    CliError::usage("not a host's name").hint("letters, digits, '-' and '.', no port")
                );
            }
        }
        Ok(self)
    }
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
