//! What a kind of credential looks like: how it begins or what is said before it, and of what it is made.

use std::ops::RangeInclusive;

/// One kind of credential: a line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name: the vendor's, and what the vendor calls it.
    pub name: &'static str,
    /// What gives it away.
    pub mark: Mark,
    /// What follows the mark; see [`Part::read`].
    pub body: &'static str,
    /// What its last characters are computed from.
    pub sum: Option<Sum>,
}

/// What gives a credential away; several are separated by `|`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It begins with one of these.
    Begins(&'static str),
    /// It is set to a name that has one of these words, in any case.
    Named(&'static str),
}

/// Checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// The last six characters are the CRC-32 of those between the mark and them, in base 62.
    Crc32Base62,
}

/// A kind that begins with a mark.
pub(super) const fn begins(name: &'static str, marks: &'static str, body: &'static str) -> Kind {
    Kind { name, mark: Mark::Begins(marks), body, sum: None }
}

/// A kind that is set to a name.
pub(super) const fn named(name: &'static str, words: &'static str, body: &'static str) -> Kind {
    Kind { name, mark: Mark::Named(words), body, sum: None }
}

impl Kind {
    /// The same with a checksum.
    pub(super) const fn sum(self, sum: Sum) -> Self {
        Self { sum: Some(sum), ..self }
    }

    /// The marks, one by one.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> {
        let (Mark::Begins(marks) | Mark::Named(marks)) = self.mark;
        marks.split('|')
    }

    /// The parts of the body.
    pub fn parts(&self) -> Vec<Part> {
        self.body.split(' ').map(Part::read).collect()
    }
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// These very characters.
    Literal(&'static str),
    /// So many characters of an alphabet.
    Run(Alphabet, RangeInclusive<usize>),
}

impl Part {
    /// Reads a part: a letter for the alphabet and a length, `a36`, `x20..40` or `w20..`; anything else stands for
    /// itself.
    pub fn read(text: &'static str) -> Self {
        let run = || {
            let alphabet = Alphabet::of(text.chars().next()?)?;
            let length = text.get(1..)?;
            let (least, most) = length.split_once("..").unwrap_or((length, length));
            let least: usize = least.parse().ok()?;
            let most = if most.is_empty() { LONGEST } else { most.parse().ok()? };
            Some(Self::Run(alphabet, least..=most))
        };
        run().unwrap_or(Self::Literal(text))
    }
}

/// The longest run of a part whose length has no upper bound.
pub const LONGEST: usize = 4096;

/// The characters of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// `d`: digits.
    Digits,
    /// `x`: hexadecimal digits, small.
    SmallHex,
    /// `h`: hexadecimal digits of either case.
    Hex,
    /// `l`: small letters.
    Small,
    /// `u`: capitals.
    Capitals,
    /// `n`: small letters and digits.
    SmallDigits,
    /// `N`: capitals and digits.
    CapitalDigits,
    /// `a`: letters and digits.
    Alphanumeric,
    /// `t`: the same and `_`.
    Word,
    /// `w`: the same and `_` and `-`: base64 for addresses.
    Url,
    /// `b`: letters, digits, `+`, `/` and `=`: base64.
    Base64,
    /// `v`: letters, digits, `_`, `-`, `.`, `=`, `~`.
    Dotted,
    /// `p`: letters, digits, `.` and `/`: the base64 of crypt(3).
    Crypt,
    /// `c`: any sign of a password in an address: no `/`, `:` and `@`.
    Inside,
    /// `s`: any sign of a password, without quotes and brackets.
    Sign,
}

impl Alphabet {
    /// All of them, with their letters.
    pub const ALL: [(char, Self); 15] = [
        ('d', Self::Digits),
        ('x', Self::SmallHex),
        ('h', Self::Hex),
        ('l', Self::Small),
        ('u', Self::Capitals),
        ('n', Self::SmallDigits),
        ('N', Self::CapitalDigits),
        ('a', Self::Alphanumeric),
        ('t', Self::Word),
        ('w', Self::Url),
        ('b', Self::Base64),
        ('v', Self::Dotted),
        ('p', Self::Crypt),
        ('c', Self::Inside),
        ('s', Self::Sign),
    ];

    fn of(letter: char) -> Option<Self> {
        Self::ALL.iter().find(|(other, _)| *other == letter).map(|(_, alphabet)| *alphabet)
    }

    /// Whether a byte is one of them.
    pub const fn has(self, byte: u8) -> bool {
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::SmallHex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Small => byte.is_ascii_lowercase(),
            Self::Capitals => byte.is_ascii_uppercase(),
            Self::SmallDigits => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::CapitalDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'~'),
            Self::Crypt => byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'),
            Self::Inside => Self::Sign.has(byte) && !matches!(byte, b'/' | b':' | b'@'),
            Self::Sign => {
                byte.is_ascii_graphic()
                    && !matches!(
                        byte,
                        b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b',' | b';'
                    )
            }
        }
    }
}

/// How long the text is that the parts make at the beginning of `bytes`, if they do and end there.
pub fn measure(parts: &[Part], bytes: &[u8]) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(0) };
    match part {
        Part::Literal(literal) => {
            let after = bytes.strip_prefix(literal.as_bytes())?;
            measure(rest, after).map(|len| len + literal.len())
        }
        Part::Run(alphabet, lengths) => {
            let run = bytes.iter().take(lengths.end() + 1).take_while(|byte| alphabet.has(**byte)).count();
            let Some(next) = rest.first() else {
                // What is longer is something else.
                return lengths.contains(&run).then_some(run);
            };
            // What follows may begin with a character of the alphabet too.
            let lengths = *lengths.start()..=run.min(*lengths.end());
            let may_follow = |at: &usize| match next {
                Part::Literal(next) => bytes.get(*at..).is_some_and(|rest| rest.starts_with(next.as_bytes())),
                Part::Run(..) => *at == *lengths.end(),
            };
            lengths
                .clone()
                .rev()
                .filter(may_follow)
                .find_map(|at| Some(at + measure(rest, bytes.get(at..)?)?))
        }
    }
}

/// Whether the checksum of what follows a mark is right.
pub fn is_summed(sum: Sum, body: &str) -> bool {
    let Sum::Crc32Base62 = sum;
    let Some((random, told)) = body.len().checked_sub(6).and_then(|at| body.split_at_checked(at)) else {
        return false;
    };
    base62(crc32fast::hash(random.as_bytes())) == told
}

/// A number in base 62, six digits long.
pub fn base62(mut number: u32) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = ['0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = char::from(DIGITS[(number % 62) as usize]);
        number /= 62;
    }
    digits.iter().collect()
}
