//! Step: no credential: by its issuer's prefix, or because a name such as `password` is set to it.

mod assigned;
mod providers;

use std::ops::Range;

use crate::tier::TierKind;

/// The first credential of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    providers::find(text).or_else(|| assigned::find(text))
}
