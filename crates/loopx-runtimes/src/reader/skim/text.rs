//! Strings of a record: where they end, and what they say.

use std::borrow::Cow;

use wide::u8x32;

use super::Bad;

/// How many bytes of a string are looked at at once before a search is called: most strings are shorter.
const NEAR: usize = 32;

/// Where the body of a string ends that begins with `bytes`; `None` where it has no end or a control character.
pub fn end(bytes: &[u8]) -> Option<usize> {
    near(bytes).or_else(|| far(bytes))
}

/// The same for a short string without escapes; `None` for any other.
pub fn near(bytes: &[u8]) -> Option<usize> {
    let near: &[u8; NEAR] = bytes.first_chunk()?;
    let stop = stop(near);
    near.get(stop).is_some_and(|byte| *byte == b'"').then_some(stop)
}

/// The same for a string of any length.
fn far(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', bytes.get(at..)?)?;
        let body = bytes.get(..at)?;
        let slashes = body.iter().rev().take_while(|byte| **byte == b'\\').count();
        if slashes.is_multiple_of(2) {
            // One pass without a branch: it runs at the speed of memory.
            let least = body.iter().fold(u8::MAX, |least, byte| least.min(*byte));
            return (least >= b' ').then_some(at);
        }
        at += 1;
    }
}

/// Where the first quote, backslash or control character is, if there is one.
fn stop(near: &[u8; NEAR]) -> usize {
    let near = u8x32::from(*near);
    let control = near.min(u8x32::splat(b' ' - 1)).simd_eq(near);
    let stops = control | near.simd_eq(u8x32::splat(b'"')) | near.simd_eq(u8x32::splat(b'\\'));
    stops.to_bitmask().trailing_zeros() as usize
}

/// The text of a body. Bytes that aren't UTF-8 are replaced.
pub fn text(body: &[u8]) -> Result<Cow<'_, str>, Bad> {
    if is_plain(body) {
        return Ok(lossy(body));
    }
    let mut quoted = Vec::with_capacity(body.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(body);
    quoted.push(b'"');
    serde_json::from_str(&lossy(&quoted)).map(Cow::Owned).map_err(|_| Bad)
}

/// The first bytes of a body, decoded: at least `wanted` of them as they stand, where there are so many. What can't be
/// decoded is given as it stands.
pub fn decoded(body: &[u8], wanted: usize) -> Cow<'_, str> {
    let mut cut = body.len();
    if body.len() > wanted {
        // An escape is at most six bytes long, and a pair of surrogates is two of them.
        cut = wanted;
        let mut at = 0;
        while at < cut {
            let escape = match body.get(at) {
                Some(b'\\') if is_surrogate(body.get(at + 1..).unwrap_or_default()) => 12,
                Some(b'\\') if body.get(at + 1) == Some(&b'u') => 6,
                Some(b'\\') => 2,
                _ => 1,
            };
            at += escape;
        }
        cut = at.min(body.len());
        while cut < body.len() && body.get(cut).is_some_and(|byte| byte & 0xc0 == 0x80) {
            cut += 1;
        }
    }
    let part = body.get(..cut).unwrap_or(body);
    text(part).unwrap_or_else(|Bad| lossy(part))
}

/// Whether an escape, without its backslash, is the first half of a pair.
fn is_surrogate(escape: &[u8]) -> bool {
    matches!(escape, [b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
}

/// Whether a body has no escapes.
pub fn is_plain(body: &[u8]) -> bool {
    memchr::memchr(b'\\', body).is_none()
}

/// Bytes as text. What is text is not looked at twice.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
