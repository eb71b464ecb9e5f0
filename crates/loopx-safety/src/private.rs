//! What adapters read and nobody may say.

use std::fmt;

/// A value out of a session: it has no way to be serialized or displayed, and debugs as a constant.
///
/// The one way in is [`Private::expose`], so that a search for that word finds every place that looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Private<T>(T);

impl<T> Private<T> {
    /// Closes a value in.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Looks at the value. Nothing that is reached from here may end in a projection.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Takes the value out.
    pub fn into_exposed(self) -> T {
        self.0
    }

    /// Works on the value without letting it out.
    pub fn map<U>(self, work: impl FnOnce(T) -> U) -> Private<U> {
        Private(work(self.0))
    }

    /// Borrows the value, still closed in.
    pub const fn as_ref(&self) -> Private<&T> {
        Private(&self.0)
    }
}

impl<T> From<T> for Private<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Private(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_a_constant() {
        let value = Private::new("what the session said");
        assert_eq!(format!("{value:?} {:#?}", Some(value)), "Private(..) Some(\n    Private(..),\n)");
    }

    #[test]
    fn map_keeps_it_closed() {
        let value = Private::new("four").map(str::len);
        assert_eq!(*value.expose(), 4);
        assert_eq!(value.into_exposed(), 4);
    }
}
