//! Quiet hours: nothing is told then.

use std::str::FromStr;

use jiff::ZonedDateTime as Zoned;
use jiff::civil::Time;

/// Hours of every day, local time, from one minute up to another; over midnight where the first is the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    from: Time,
    to: Time,
}

impl Quiet {
    /// Whether an instant lies in them, by the clock on the wall there.
    pub fn holds(&self, at: &Zoned) -> bool {
        let at = at.time();
        if self.from < self.to { self.from <= at && at < self.to } else { at >= self.from || at < self.to }
    }
}

impl FromStr for Quiet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text} is no span of hours: write it as 22:00-07:00");
        let (from, to) = text.split_once('-').ok_or_else(bad)?;
        let time = |text: &str| {
            let (hour, minute) = text.trim().split_once(':')?;
            let number = |digits: &str| {
                let is_number = matches!(digits.len(), 1 | 2) && digits.bytes().all(|b| b.is_ascii_digit());
                digits.parse::<i8>().ok().filter(|_| is_number)
            };
            Time::new(number(hour)?, number(minute)?, 0, 0).ok()
        };
        let (from, to) = (time(from).ok_or_else(bad)?, time(to).ok_or_else(bad)?);
        if from == to { Err(format!("{text} begins as it ends")) } else { Ok(Self { from, to }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(quiet: &str, at: &str) -> bool {
        let quiet: Quiet = quiet.parse().expect("hours");
        quiet.holds(&at.parse::<Zoned>().expect("an instant"))
    }

    #[test]
    fn hours_over_midnight_are_quiet_on_both_sides() {
        for (at, quiet) in
            [("21:59", false), ("22:00", true), ("00:00", true), ("06:59", true), ("07:00", false)]
        {
            assert_eq!(holds("22:00-07:00", &format!("2026-11-30T{at}[UTC]")), quiet, "{at}");
        }
        for (at, quiet) in [("11:59", false), ("12:00", true), ("12:59", true), ("13:00", false)] {
            assert_eq!(holds("12:00-13:00", &format!("2026-11-30T{at}[UTC]")), quiet, "{at}");
        }
    }

    #[test]
    fn the_clock_on_the_wall_counts_when_it_is_set() {
        // The night when 02:00 is followed by 03:00, and the one when 02:59 is followed by 02:00.
        for (at, quiet) in [
            ("2026-03-29T00:59Z[Europe/Berlin]", true),
            ("2026-03-29T01:00Z[Europe/Berlin]", false),
            ("2026-10-25T00:29Z[Europe/Berlin]", true),
            ("2026-10-25T00:30Z[Europe/Berlin]", false),
            ("2026-10-25T01:00Z[Europe/Berlin]", true),
            ("2026-10-25T01:30Z[Europe/Berlin]", false),
        ] {
            let at: Zoned = at.parse().expect("an instant");
            let quiet_hours: Quiet = "22:00-2:30".parse().expect("hours");
            assert_eq!(quiet_hours.holds(&at), quiet, "{at}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused() {
        for bad in
            ["", "22:00", "22-07", "24:00-07:00", "22:60-07:00", "22:00-22:00", "+1:00-07:00", "a:b-c:d"]
        {
            assert!(bad.parse::<Quiet>().is_err(), "{bad}");
        }
    }
}
