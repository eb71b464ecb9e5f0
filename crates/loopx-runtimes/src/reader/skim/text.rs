//! Strings of a record: where they end, and what they say.

use std::borrow::Cow;

use super::Bad;

/// Where the body of a string ends that begins with `bytes`, and whether it has escapes; `None` where it has no end
/// or a control character.
pub fn end(bytes: &[u8]) -> Option<(usize, bool)> {
    let mut at = 0;
    let mut escapes = false;
    loop {
        at += memchr::memchr(b'"', bytes.get(at..)?)?;
        let body = bytes.get(..at)?;
        let slashes = body.iter().rev().take_while(|byte| **byte == b'\\').count();
        if slashes.is_multiple_of(2) {
            escapes |= slashes > 0;
            // One pass without a branch: it runs at the speed of memory.
            let (least, any) = body.iter().fold((u8::MAX, false), |(least, any), byte| {
                (least.min(*byte), any | (*byte == b'\\'))
            });
            return (least >= b' ').then_some((at, escapes | any));
        }
        escapes = true;
        at += 1;
    }
}

/// The text of a body. Bytes that aren't UTF-8 are replaced.
pub fn text(body: &[u8], escapes: bool) -> Result<Cow<'_, str>, Bad> {
    if !escapes {
        return Ok(String::from_utf8_lossy(body));
    }
    let mut quoted = Vec::with_capacity(body.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(body);
    quoted.push(b'"');
    serde_json::from_str(&String::from_utf8_lossy(&quoted)).map(Cow::Owned).map_err(|_| Bad)
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
    let escapes = memchr::memchr(b'\\', part).is_some();
    text(part, escapes).unwrap_or_else(|Bad| String::from_utf8_lossy(part))
}

/// Whether an escape, without its backslash, is the first half of a pair.
fn is_surrogate(escape: &[u8]) -> bool {
    matches!(escape, [b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
}
