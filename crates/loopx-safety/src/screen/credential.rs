//! Step: no credential: by its issuer's prefix, or because a name such as `password` is set to it.

mod assigned;
mod issued;
pub mod kind;
pub mod kinds;
mod providers;
#[cfg(test)]
mod samples;
mod service;
mod vendors;

use std::ops::Range;

#[cfg(test)]
pub(super) use assigned::NAME;
#[cfg(test)]
pub(super) use providers::{PROVIDERS, may_be_issued};

use crate::tier::TierKind;

/// The names of the kinds that a text has tokens of.
pub fn kinds_in(text: &str) -> impl Iterator<Item = &'static str> {
    issued::find_kinds(text).map(|(_, kind)| kind.name).chain(service::find(text).map(|_| "service"))
}

/// The first token of a kind of the table.
pub(super) fn find_issued(text: &str, _: TierKind) -> Option<Range<usize>> {
    issued::find(text)
}

/// The first token that a known mark gives away, be it cut or mistyped.
pub(super) fn find_marked(text: &str, _: TierKind) -> Option<Range<usize>> {
    providers::find(text)
}

/// The first value that is set to a secret's name.
pub(super) fn find_assigned(text: &str, _: TierKind) -> Option<Range<usize>> {
    assigned::find(text)
}
