//! Step: no IP address of either kind, no hardware address.

use std::net::Ipv6Addr;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::gate;
use super::pattern::compile;
use super::runs::Bytes;
use crate::tier::TierKind;

pub(super) static V4: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?:^|[^0-9A-Za-z.])((?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|0?[0-9]?[0-9])(?:\.|\[\.\])){3}",
        r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[0-9]?[0-9]))(?:$|[^0-9A-Za-z.]|\.(?:$|[^0-9]))",
        r"|(?i)\b(ip-[0-9]{1,3}(?:-[0-9]{1,3}){3})\b",
        r"|\b((?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2})\b",
        r"|\b(0x[0-9a-f]{8})\b|\b([0-9]{9,10})\b",
    ))
});

/// What the addresses of [`V4`] are written with, and what keeps a word going.
static PARTS: Bytes = Bytes::alphanumeric_or(b"_.:-[]");
/// How long they are at least.
const SHORTEST: usize = 7;
static V6_PARTS: Bytes = Bytes::hex_or(b":.");

/// The first address of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    // No letter, digit or `_` stands around a run, so it may be searched by itself.
    let v4 = PARTS.runs(text, SHORTEST).filter(|run| gate::address(&text[run.clone()])).find_map(|run| {
        V4.captures_iter(&text[run.clone()]).find_map(|found| {
            let address = found.iter().skip(1).flatten().next()?;
            let at = run.start + address.start()..run.start + address.end();
            (!is_harmless(address.as_str(), &text[..at.start])).then_some(at)
        })
    });
    v4.or_else(|| if text.contains(':') { find_v6(text) } else { None })
}

/// A version in four parts that says so, or a number that is no private address written as one.
fn is_harmless(address: &str, before: &str) -> bool {
    if let Ok(number) = address.parse::<u64>() {
        let net = |first: u64, bits: u32| number >> (32 - bits) == first;
        return !(net(10, 8) || net(127, 8) || net(0xac1, 12) || net(0xc0a8, 16));
    }
    before.ends_with("version ") || before.ends_with("release ")
}

/// A run of hexadecimal digits, colons and dots that reads as an address and holds a digit: `a::b` is a name.
fn find_v6(text: &str) -> Option<Range<usize>> {
    for Range { start: at, end } in V6_PARTS.runs(text, 3) {
        let run = &text[at..end];
        let before = text[..at].chars().next_back();
        if !run.contains(':') || before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let address = run.trim_end_matches('.');
        let address = if address.ends_with("::") { address } else { address.trim_end_matches(':') };
        let after = text[at + address.len()..].chars().next();
        if address.contains("::") && after.is_some_and(char::is_alphanumeric) {
            continue;
        }
        if address.bytes().any(|byte| byte.is_ascii_digit()) && address.parse::<Ipv6Addr>().is_ok() {
            return Some(at..at + address.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found() {
        for text in [
            "10.0.0.5",
            "host=192.168.1.20",
            "203.0.113.7:8080",
            "10.0.0.0/8",
            "at 8.8.8.8.",
            "::1",
            "node fe80::1%eth0",
            "[2001:db8::1]:443",
            "::ffff:10.0.0.1",
            "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
            "00:1A:2B:3C:4D:5E",
            "ip-10-0-3-7",
            "fd12:3456:789a::1.",
            "host=2130706433",
            "0x7f000001",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn versions_times_and_names_pass() {
        for text in [
            "1.2.3",
            "v1.2.3.4",
            "12:30",
            "12:30:45",
            "std::fmt",
            "a::b",
            "2026-11-29T23:31:11Z",
            "1.2.3.4.5",
            "::",
            "300.1.1.1",
            "version 10.0.0.1",
            "1767225600",
        ] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
