//! Instants as a person reads them: local, with how far that is from UTC. JSON is UTC.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::CliError;

/// An instant as RFC 3339.
pub fn parse_instant(text: &str) -> Result<Timestamp, CliError> {
    text.parse().map_err(|_| {
        CliError::usage(format!("not an instant: {text}")).hint("write it as 2026-11-29T23:31:00Z")
    })
}

/// An instant in a time zone, with how far that is from UTC.
pub fn local(at: Timestamp, zone: &TimeZone) -> String {
    if *zone == TimeZone::UTC {
        return at.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
    }
    at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%:z").to_string()
}

/// A sentence of a first screen, as the operator reads it: its instants are the contract's, UTC, and are shown local.
pub fn localized(text: &str, zone: &TimeZone) -> String {
    // As in 2026-11-29T23:31:00Z.
    const BEFORE_Z: usize = 19;
    let shape = |found: &str| {
        let mut bytes = found.bytes().zip("0000-00-00T00:00:00Z".bytes());
        bytes.all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { byte == like })
    };
    let (mut out, mut rest) = (String::new(), text);
    while let Some(end) = rest.find('Z') {
        let found =
            end.checked_sub(BEFORE_Z).and_then(|start| rest.get(start..=end)).filter(|found| shape(found));
        let at: Option<Timestamp> = found.and_then(|found| found.parse().ok());
        match at {
            Some(at) => out += &format!("{}{}", &rest[..end - BEFORE_Z], local(at, zone)),
            None => out += &rest[..=end],
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stood_in_utc_beside_local_ones() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        for (text, shown) in [
            (
                "no automatic turn before 2026-11-29T23:31:00Z",
                "no automatic turn before 2026-11-30 01:31:00+02:00",
            ),
            (
                "2026-11-29T23:31:00Z, Z or 2026-11-29T00:00:00Z.",
                "2026-11-30 01:31:00+02:00, Z or 2026-11-29 02:00:00+02:00.",
            ),
            ("wait for 2026-99-29T23:31:00Z: éZ", "wait for 2026-99-29T23:31:00Z: éZ"),
            ("Z", "Z"),
        ] {
            assert_eq!(localized(text, &zone), shown);
        }
        assert_eq!(localized("at 2026-11-29T23:31:00Z", &TimeZone::UTC), "at 2026-11-29 23:31:00Z");
    }
}
