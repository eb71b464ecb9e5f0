//! The table of credentials, a line a kind, from the formats that their vendors publish.
//!
//! A kind is a name, its marks and what follows them: see [`Part::read`](super::kind::Part::read) for the letters. A new
//! one needs a line in one of the two lists and nothing else: the tests make its samples.

mod marked;
mod named;

use super::kind::Kind;
use marked::MARKED;
use named::NAMED;

/// Every kind: those that begin with a mark, then those that only their name gives away.
pub const KINDS: &[Kind] = &joined();

#[expect(clippy::large_stack_arrays, reason = "it is made when the program is compiled")]
const fn joined() -> [Kind; MARKED.len() + NAMED.len()] {
    let mut all = [MARKED[0]; MARKED.len() + NAMED.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < MARKED.len() { MARKED[at] } else { NAMED[at - MARKED.len()] };
        at += 1;
    }
    all
}
