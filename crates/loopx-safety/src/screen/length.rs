//! Step: something to say, on a line that is not too long.

use crate::refusal::{Class, Refusal};

/// Counted in characters; `max` is the most that pass.
pub(super) fn check(text: &str, max: usize) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::at(Class::Empty, text, 0..text.len()));
    }
    // As many bytes or fewer can't be too many characters.
    if text.len() > max
        && let Some((over, _)) = text.char_indices().nth(max)
    {
        return Err(Refusal::at(Class::TooLong, text, over..text.len()));
    }
    Ok(())
}
