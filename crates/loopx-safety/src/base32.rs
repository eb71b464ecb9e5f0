//! Crockford's base32 in lower case: no look-alike letters, and sorting the text sorts the bytes.

/// The 32 digits, in order.
pub const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many digits 128 bits take.
pub const LEN_128: usize = 26;

/// How many digits 80 bits take.
pub const LEN_80: usize = 16;

/// Encodes bytes from the highest bit on; a rest of fewer than five bits is filled up with zeros.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity((bytes.len() * 8).div_ceil(5));
    let mut held: u32 = 0;
    let mut bits: u32 = 0;
    for &byte in bytes {
        held = (held << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(digit(held >> bits));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        out.push(digit(held << (5 - bits)));
    }
    out
}

/// Encodes 128 bits in 26 digits.
pub fn encode_u128(value: u128) -> String {
    encode(&value.to_be_bytes())
}

/// Whether every character is one of the 32 digits. True of the empty text.
pub fn is_base32(text: &str) -> bool {
    text.bytes().all(is_digit)
}

/// Whether a byte is one of the 32 digits.
pub const fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'h' | b'j' | b'k' | b'm' | b'n' | b'p'..=b't' | b'v'..=b'z')
}

fn digit(value: u32) -> char {
    char::from(ALPHABET[(value & 31) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_as_documented() {
        assert_eq!(encode(&[0xff; 10]), "z".repeat(LEN_80));
        assert_eq!(encode(&[0; 16]), "0".repeat(LEN_128));
        assert_eq!(encode_u128(u128::MAX), format!("{}w", "z".repeat(25)));
        assert_eq!(encode(b"LoopX"), "9hqpyw2r");
        assert_eq!(encode(b""), "");
    }

    #[test]
    fn sorting_the_text_sorts_the_bytes() {
        let values = [0, 1, 31, 32, 1 << 40, 1 << 80, u128::MAX / 2, u128::MAX];
        let texts = values.map(encode_u128);
        assert!(texts.is_sorted());
    }

    #[test]
    fn look_alikes_are_no_digits() {
        assert!(ALPHABET.iter().copied().all(is_digit));
        for byte in 0..=u8::MAX {
            assert_eq!(is_digit(byte), ALPHABET.contains(&byte));
        }
        assert!(!is_base32("ilou"));
    }
}
