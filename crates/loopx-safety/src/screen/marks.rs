//! The gate before the steps: which marks a text has.

/// A set of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u32);

/// From how many token bytes in a row on a text may hold a credential or a random token.
const TOKEN_LEN: usize = 14;

/// As long as the shortest number that is a private address.
const NUMBER_LEN: usize = 9;

/// The class of a byte that makes up tokens: letters, digits, the signs of the base64 alphabets and dots.
const TOKEN_BYTE: u32 = 1 << 15;

/// A small letter.
const SMALL: u32 = 1 << 16;
/// A capital.
const CAPITAL: u32 = 1 << 17;

/// From so many capitals behind small letters on a text may hold a token in pieces.
const HUMPS_LEN: u32 = 3;

impl Marks {
    /// A C0 character or DEL.
    pub(super) const CONTROL: Self = Self(1);
    /// A character beyond ASCII.
    pub(super) const WIDE: Self = Self(1 << 1);
    /// What paths are written with: `/ \ ~ % $`.
    pub(super) const SLASH: Self = Self(1 << 2);
    /// `.`
    pub(super) const DOT: Self = Self(1 << 3);
    /// `:`
    pub(super) const COLON: Self = Self(1 << 4);
    /// `@`
    pub(super) const AT: Self = Self(1 << 5);
    /// `=`
    pub(super) const EQUALS: Self = Self(1 << 6);
    /// `-`
    pub(super) const DASH: Self = Self(1 << 7);
    /// A long run of token bytes.
    pub(super) const TOKEN: Self = Self(1 << 8);
    /// The word "dot", as in an address that is spelled out.
    pub(super) const DOT_WORD: Self = Self(1 << 9);

    /// `&`, as in an entity.
    pub(super) const ENTITY: Self = Self(1 << 10);
    /// A run of token bytes as long as a number can be that is an address.
    pub(super) const NUMBER: Self = Self(1 << 11);
    /// A digit.
    pub(super) const DIGIT: Self = Self(1 << 12);

    /// What mark-up is written with.
    pub(super) const BRACKET: Self = Self(1 << 13);

    /// Several capitals behind small letters.
    pub(super) const HUMPS: Self = Self(1 << 14);

    /// Both sets.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets share a mark.
    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The marks of a text, in one pass.
    pub(super) fn of(text: &str) -> Self {
        let mut seen = 0;
        let mut run = 0;
        let mut longest = 0;
        let (mut before, mut humps) = (0, 0);
        for &byte in text.as_bytes() {
            let class = TABLE[byte as usize];
            seen |= class;
            run = if class & TOKEN_BYTE == 0 { 0 } else { run + 1 };
            longest = longest.max(run);
            humps += u32::from(before & SMALL != 0 && class & CAPITAL != 0);
            before = class;
        }
        let mut marks = Self(seen & !(TOKEN_BYTE | SMALL | CAPITAL));
        if humps >= HUMPS_LEN {
            marks = marks.or(Self::HUMPS);
        }
        if longest >= TOKEN_LEN || text.contains("-----") {
            marks = marks.or(Self::TOKEN);
        }
        if longest >= NUMBER_LEN && marks.has(Self::DIGIT) {
            marks = marks.or(Self::NUMBER);
        }
        if text.contains("dot") {
            marks = marks.or(Self::DOT_WORD);
        }
        marks
    }
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        table[byte as usize] = class(byte);
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

const fn class(byte: u8) -> u32 {
    match byte {
        0..=0x1f | 0x7f => Marks::CONTROL.0,
        0x80.. => Marks::WIDE.0,
        b'/' => Marks::SLASH.0 | TOKEN_BYTE,
        b'\\' | b'~' | b'%' | b'$' => Marks::SLASH.0,
        b'&' => Marks::ENTITY.0,
        b'.' => Marks::DOT.0 | TOKEN_BYTE,
        b':' => Marks::COLON.0,
        b'@' => Marks::AT.0,
        b'=' => Marks::EQUALS.0,
        b'-' => Marks::DASH.0 | TOKEN_BYTE,
        b'0'..=b'9' => Marks::DIGIT.0 | TOKEN_BYTE,
        b'a'..=b'z' => SMALL | TOKEN_BYTE,
        b'A'..=b'Z' => CAPITAL | TOKEN_BYTE,
        b'_' | b'+' => TOKEN_BYTE,
        b'<' | b'[' | b'{' | b'`' | b'\'' | b'"' => Marks::BRACKET.0,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_prose_has_no_mark() {
        assert_eq!(Marks::of("review the keyboard navigation before the next release"), Marks(0));
    }

    #[test]
    fn marks_are_seen() {
        let marks = Marks::of("a/b at 12:30");
        assert!(marks.has(Marks::SLASH) && marks.has(Marks::COLON) && !marks.has(Marks::TOKEN));
        assert!(Marks::of("abcdefgh01234567").has(Marks::TOKEN));
    }
}
