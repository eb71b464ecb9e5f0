//! Recordings, damaged: the state is the right one or less certain, and the next turn heals it.
//!
//! Right is what the intact file says, or the file without the lines that were hit: a reader can't tell a line that was
//! changed from one that was never there. Whatever else is said of a damaged file is `unknown`, but for what `damage`
//! excuses, with the reason. After another turn the file says what it says after it intact, or without those lines.
//!
//! A part is tried, the same one every time; with `LOOPX_CORRUPTION=full` all of it.

mod case;
mod damage;
mod looks;
mod made_up;
mod trial;

use jiff::{SignedDuration, Timestamp};
use loopx_runtimes::testing::{Folding, Process};
use serde_json::Value;

use case::{Case, NO_SESSION, cases, joined};
use damage::fields;
use trial::{Random, Trial, is_full};

/// The cases: every so many lines of a session, or a part of that.
fn some_cases() -> Vec<Case> {
    cases(if is_full() { 4 } else { 23 })
}

#[test]
fn cut_at_every_97th_byte() {
    let mut trial = Trial::new("cuts", 1);
    for case in cases(usize::MAX) {
        let bytes = case.bytes();
        // What is folded of the whole lines before the cut.
        let mut folding = Folding::new(case.runtime);
        let mut before = case.words(&folding);
        for cut in (0..bytes.len()).step_by(97) {
            let whole = bytes[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            folding.grow(&bytes[..whole]);
            before.clone_from(&case.words(&folding));
            let mut torn = folding.clone();
            torn.grow(&bytes[..cut]);
            trial.takes();
            let said = case.words(&torn);
            // A last line that is whole but for its newline counts.
            let full = serde_json::from_slice::<Value>(&bytes[whole..cut]).is_ok();
            let good =
                |at: usize| full || said[at] == before[at] || matches!(said[at], "unknown" | NO_SESSION);
            let wrong =
                (0..said.len()).filter(|at| !good(*at)).map(|at| format!("{} for {}", said[at], before[at]));
            trial.note(&case, || format!("cut at {cut}"), &wrong.collect::<Vec<_>>());
            // It may still be being written: then it takes nothing away.
            let fresh = torn.facts(Process::Unproved, Some(case.now), case.now);
            let quiet = folding.facts(Process::Unproved, Some(case.now), case.now);
            let state =
                |facts: &Option<loopx_contract::SessionFacts>| facts.as_ref().map(|facts| facts.state);
            if !full && quiet.is_some() && state(&fresh) != state(&quiet) {
                trial.note(&case, || format!("cut at {cut}, fresh"), &[format!("{:?}", state(&fresh))]);
            }
        }
    }
    trial.end();
}

#[test]
fn bits_flipped() {
    let mut trial = Trial::new("bits", 1);
    for case in some_cases() {
        let bytes = case.bytes();
        for seed in 0..if is_full() { 600 } else { 12 } {
            let mut random = Random::new(seed);
            let (at, bit) = (random.below(bytes.len()), random.below(8));
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            trial.takes();
            let line = bytes[..at].split(|byte| *byte == b'\n').count() - 1;
            let mut may = vec![case.without(line)];
            let both;
            let mut hits = Vec::new();
            if bytes[at] == b'\n' && line + 1 < case.lines.len() {
                both = case.said(&case.with(line, 2, &[]));
                may.extend([case.without(line + 1), &both]);
            } else if let Some(damaged) = flipped.split(|byte| *byte == b'\n').nth(line) {
                hits.push(case.hit(line, damaged));
            }
            let wrong = case.wrong(&case.said(&flipped), &may, &hits);
            trial.note(&case, || format!("seed {seed}: bit {bit} of byte {at}, line {}", line + 1), &wrong);
        }
    }
    trial.end();
}

#[test]
fn lines_twice_and_swapped_and_gone() {
    let mut trial = Trial::new("lines", 3);
    for case in some_cases() {
        for at in 0..case.lines.len() {
            if !trial.takes() {
                continue;
            }
            let line = case.lines[at].as_slice();
            let said = case.said(&case.with(at, 1, &[line, line]));
            let mut wrong = case.wrong(&said, &[], &[]);
            // What is queued twice is two things, until somebody types.
            let queued = String::from_utf8_lossy(line).contains("\"operation\":\"enqueue\"");
            wrong.retain(|wrong| !(queued && wrong.contains("background instead of [\"idle\"]")));
            trial.note(&case, || format!("line {} twice", at + 1), &wrong);
            let wrong = case.wrong(case.without(at), &[case.without(at)], &[]);
            trial.note(&case, || format!("line {} gone", at + 1), &wrong);
            if let Some(next) = case.lines.get(at + 1) {
                let swapped = case.said(&case.with(at, 2, &[next, line]));
                let both = case.said(&case.with(at, 2, &[]));
                let wrong = case.wrong(&swapped, &[case.without(at), case.without(at + 1), &both], &[]);
                trial.note(&case, || format!("lines {} and {} swapped", at + 1, at + 2), &wrong);
            }
        }
    }
    trial.end();
}

/// Every field of every line in turn a value of another type, or another word.
#[test]
fn values_of_another_type() {
    let others = [
        Value::Null,
        Value::from(true),
        Value::from(7),
        Value::from(-0.5),
        Value::from("x"),
        Value::from(vec![Value::Null]),
        Value::Object(serde_json::Map::new()),
    ];
    let kind = std::mem::discriminant::<Value>;
    let mut trial = Trial::new("values", 53);
    for case in some_cases() {
        for (at, line) in case.lines.iter().enumerate() {
            let value: Value = serde_json::from_slice(line).unwrap();
            let mut paths = Vec::new();
            fields(&value, "", &mut paths);
            for path in paths {
                for other in &others {
                    let held = value.pointer(&path).unwrap();
                    if kind(held) == kind(other) && !held.is_string() || !trial.takes() {
                        continue;
                    }
                    let mut changed = value.clone();
                    *changed.pointer_mut(&path).unwrap() = other.clone();
                    let changed = changed.to_string().into_bytes();
                    let said = case.said(&case.with(at, 1, &[&changed]));
                    let wrong = case.wrong(&said, &[case.without(at)], &[case.hit(at, &changed)]);
                    trial.note(&case, || format!("line {}, {path} is {other}", at + 1), &wrong);
                }
            }
        }
    }
    trial.end();
}

#[test]
fn huge_lines_put_in() {
    let text = "x\\\\".repeat(2 << 18);
    let list = "7,".repeat(9 << 19);
    let mut trial = Trial::new("huge", 53);
    for case in some_cases() {
        let kind = if case.lines[0].windows(10).any(|part| part == b"\"payload\":") {
            "compacted"
        } else {
            "summary"
        };
        for at in 0..=case.lines.len() {
            if !trial.takes() {
                continue;
            }
            // A string as long as you like is skipped.
            let long = format!("{{\"type\":\"{kind}\",\"payload\":{{\"text\":\"{text}\"}}}}");
            let mut wrong = case.wrong(&case.said(&case.with(at, 0, &[long.as_bytes()])), &[], &[]);
            // So it is within a line.
            if let Some(line) = case.lines.get(at) {
                let longer = [&line[..line.len() - 1], format!(",\"z\":\"{text}\"}}").as_bytes()].concat();
                let said = case.said(&case.with(at, 1, &[&longer]));
                wrong.extend((said != case.intact).then(|| "a longer line says something else".to_owned()));
            }
            // A line that is long but for its strings is lost, and with it what stood in it.
            let long = format!("{{\"type\":\"{kind}\",\"payload\":[{list}0]}}");
            let said = case.said(&case.with(at, 0, &[long.as_bytes()]));
            wrong.extend(case.wrong(&said, &[], &[]));
            let newest = at == case.lines.len() && said.words[..3].iter().any(|word| *word != "unknown");
            wrong.extend(newest.then(|| "the newest line is lost and something is said".to_owned()));
            trial.note(&case, || format!("huge lines before line {}", at + 1), &wrong);
        }
    }
    trial.end();
}

/// The file with other instants in some lines.
fn restamped(
    case: &Case,
    which: impl Fn(usize) -> bool,
    stamp: impl Fn(Timestamp) -> Option<Timestamp>,
) -> Vec<u8> {
    joined(case.lines.iter().enumerate().map(|(at, line)| {
        let mut value: Value = serde_json::from_slice(line).unwrap();
        if let Some(held) = value.get_mut("timestamp").filter(|_| which(at)) {
            let at: Timestamp = held.as_str().unwrap().parse().unwrap();
            *held = stamp(at).map_or(Value::Null, |at| Value::from(at.to_string()));
        }
        value.to_string()
    }))
}

/// Sets a clock, or takes it away.
type Stamp = fn(Timestamp) -> Option<Timestamp>;

#[test]
fn clocks_a_year_off_or_none() {
    const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);
    let stamps: [(&str, Stamp); 3] =
        [("ahead", |at| Some(at + YEAR)), ("back", |at| Some(at - YEAR)), ("none", |_| None)];
    let mut trial = Trial::new("clocks", 7);
    for case in some_cases() {
        for (name, stamp) in stamps {
            for at in (0..case.lines.len()).map(Some).chain([None]) {
                if at.is_some() && !trial.takes() {
                    continue;
                }
                let file = restamped(&case, |line| at.is_none_or(|at| at == line), stamp);
                let said = case.said(&file);
                // What the process says is set against the records by their instants: its word is left out here.
                let wrong = (0..3).filter_map(|process| {
                    let (got, right) = (said.words[process], case.intact.words[process]);
                    let healed = (said.healed[process], case.intact.healed[process]);
                    (got != "unknown" && got != right || healed.0 != healed.1)
                        .then(|| format!("{got} instead of {right}, {healed:?}"))
                });
                trial.note(&case, || format!("{name}, line {at:?}"), &wrong.collect::<Vec<_>>());
                let folding = Folding::of(case.runtime, &file);
                let facts = folding.facts(Process::Unproved, None, case.now).unwrap();
                let latest = case.now + SignedDuration::from_mins(5);
                let shown = [facts.since, facts.last_activity, facts.started_at];
                let beyond = shown.into_iter().flatten().filter(|at| *at > latest);
                trial.note(
                    &case,
                    || format!("{name}, line {at:?}"),
                    &beyond.map(|at| at.to_string()).collect::<Vec<_>>(),
                );
            }
        }
    }
    trial.end();
}
