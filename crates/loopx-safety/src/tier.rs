//! How far a text may travel: two tiers, as types.

use std::fmt::Debug;
use std::hash::Hash;

mod sealed {
    /// Keeps the set of tiers closed: a third one would need its own rules in the screen.
    pub trait Sealed {}
}

/// A tier of public text, as a marker type: [`Local`] or [`Showcase`].
pub trait Tier: sealed::Sealed + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The same tier as a value, for the screen.
    const KIND: TierKind;
}

/// What the operator of this machine may see: project-relative paths pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Local {}

/// What the whole world may see: relative paths are refused too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Showcase {}

/// A tier as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TierKind {
    /// See [`Local`].
    Local,
    /// See [`Showcase`]. Accepts a subset of what `Local` accepts.
    Showcase,
}

impl sealed::Sealed for Local {}
impl sealed::Sealed for Showcase {}

impl Tier for Local {
    const KIND: TierKind = TierKind::Local;
}

impl Tier for Showcase {
    const KIND: TierKind = TierKind::Showcase;
}
