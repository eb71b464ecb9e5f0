//! Shows that the screen takes time in proportion to a text, whatever it holds:
//! `cargo run --release --example screen_curve [NAME…]`.
//!
//! Each line is a kind of text, repeated to a tenth, to one and to ten megabytes. A refusal early in the text would hide
//! what a later step costs, so each step is asked by itself too, and the slowest is named. A ratio is the time for ten
//! megabytes by that for one: about 10 where time grows with the text, and 0 where it is too short to tell. The last column is the peak of memory by the text.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::env;
use std::fs;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use data_encoding::{BASE64, HEXLOWER};
use loopx_safety::{Step, TierKind, screen};

const MB: usize = 1_000_000;

/// A text that takes longer for a megabyte is not tried with ten.
const PATIENCE: Duration = Duration::from_secs(4);

/// A step that takes less for ten megabytes only reads them, and has no ratio.
const SHORT: Duration = Duration::from_millis(60);

/// What is repeated over and over, a space between where the texts are words.
const REPEATED: &[(&str, &str)] = &[
    ("clean prose", "review the keyboard navigation of the second panel before the next release is cut "),
    (
        "clean numbers",
        "v3.22.6 passed 12 of 14 checks at 12:30, 5 % over the budget of sprint-7 (see main.rs) ",
    ),
    ("marks alone", "\u{301}\u{316}"),
    ("letters with marks", "e\u{301}u\u{308}"),
    ("expands a lot", "\u{fdfa}"),
    ("expands to a unit", "\u{3392}"),
    ("written signs", "… ½ （ ² "),
    ("composes", "n\u{30c}a "),
    ("one token", "a"),
    ("one token, capital", "A"),
    ("one token, digit", "7"),
    ("one token, mixed", "a7B"),
    ("one token, hex", "0a1b2c3d"),
    ("one token, wide", "公"),
    ("one token, sign", "_"),
    ("one token, space", " "),
    ("one token, control", "\u{1}"),
    ("two letters", "a "),
    ("odd pieces", "aB3x9 word "),
    ("open brackets", "("),
    ("angles", "<"),
    ("angle words", "<a_b "),
    ("dots", "."),
    ("dotted letters", "a."),
    ("dotted numbers", "1.1.1.1."),
    ("dotted domains", "a.com.x1."),
    ("dashes", "-"),
    ("dashed letters", "a-"),
    ("underscores, dashes", "a_b-"),
    ("ats", "@"),
    ("at words", "a@"),
    ("at domains", "a@b."),
    ("colons", ":"),
    ("hex colons", "a1:"),
    ("slashes", "/"),
    ("slashed numbers", "1/"),
    ("slashed letters", "a/"),
    ("backslashes", "\\"),
    ("equals", "="),
    ("quotes", "\"'`"),
    ("quoted names", "\"key\" "),
    ("dollars", "$a$b"),
    ("localhost", "localhost:"),
    ("JWT beginnings", "eyJ"),
    ("JWT pieces", "eyJabcdefgh."),
    ("token beginnings", "sk-ghp_AKIA"),
    ("tokens that are samples", "sk-xxxxx"),
    ("addresses", "https://"),
    ("addresses, spaced", "https:// "),
    ("routes", "GET /a/b "),
    ("keys", "key="),
    ("keys and words", "password token key secret "),
    ("keys, dotted", "key.a1:"),
    ("services", "walkmeter_api_key "),
    ("passwords", "password is "),
    ("own ids", "todo_0123456789abcdef "),
    ("instants", "2026-11-29T23:31:11Z "),
    ("hashes", "commit 7fae2d4019e617627341070933f44fd0f86815e4 "),
    ("spelled hosts", "a at b dot "),
    ("issues", "SHA-256 "),
    ("documents", "notion of the "),
    ("escapes", "\\u0041"),
    ("open escapes", "\\u{00"),
    ("percents", "%25"),
    ("entities", "&amp;"),
    ("open entities", "&#x"),
    ("entity letters", "&#97;"),
];

fn main() {
    let wanted: Vec<String> = env::args().skip(1).collect();
    println!(
        "{:<24} {:>8} {:>7}   {:<10} {:>8} {:>7}   {:<10} {:>7} {:>8}",
        "text", "MB/s", "ratio", "slowest", "MB/s", "ratio", "steepest", "ratio", "memory"
    );
    for (name, make) in texts() {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            show(&name, &*make);
        }
    }
}

type Make = Box<dyn Fn(usize) -> String>;

fn texts() -> Vec<(String, Make)> {
    let mut texts: Vec<(String, Make)> = Vec::new();
    for (name, unit) in REPEATED {
        texts.push(((*name).to_owned(), Box::new(|len| repeated(unit, len))));
    }
    texts.push(("every character".to_owned(), Box::new(|len| repeated(&every_character(), len))));
    texts.push(("every byte, spaced".to_owned(), Box::new(|len| repeated(&every_byte(), len))));
    texts.push(("base64, five deep".to_owned(), Box::new(|len| repeated(&nested("clean words here"), len))));
    texts.push(("percent, five deep".to_owned(), Box::new(|len| repeated("%2525252541 ", len))));
    texts.push(("one escape, five deep".to_owned(), Box::new(|len| repeated("ab ", len) + "%2525252541")));
    texts.push(("entities, five deep".to_owned(), Box::new(|len| repeated("&amp;amp;amp;amp;amp;x ", len))));
    texts
}

fn repeated(unit: &str, len: usize) -> String {
    unit.repeat(len / unit.len() + 1)
}

/// One of each sixteenth character there is: every category is among them.
fn every_character() -> String {
    ('\u{20}'..=char::MAX).step_by(16).collect()
}

/// Each visible byte, eight times, as a word.
fn every_byte() -> String {
    (b'!'..=b'~').map(|byte| char::from(byte).to_string().repeat(8) + " ").collect()
}

fn nested(text: &str) -> String {
    (0..5).fold(text.to_owned(), |inner, depth| {
        if depth % 2 == 0 { BASE64.encode(inner.as_bytes()) } else { HEXLOWER.encode(inner.as_bytes()) }
    }) + " "
}

/// What a work costs for one and for ten megabytes.
struct Cost {
    /// Megabytes a second.
    speed: f64,
    /// Time for ten by time for one, if it ended in time.
    ratio: f64,
}

fn cost(texts: &[String; 3], work: impl Fn(&str)) -> Cost {
    let timed = |text: &str| {
        let began = Instant::now();
        let busy = busy();
        work(black_box(text));
        busy.zip(self::busy()).map_or_else(|| began.elapsed(), |(before, after)| after.saturating_sub(before))
    };
    // The first asks for what is made once.
    timed(&texts[0]);
    let one = timed(&texts[1]).min(timed(&texts[1]));
    let speed = |text: &str, time: Duration| {
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        let len = text.len() as f64;
        len / 1e6 / time.as_secs_f64()
    };
    if one > PATIENCE {
        return Cost { speed: speed(&texts[1], one), ratio: f64::INFINITY };
    }
    let ten = timed(&texts[2]).min(timed(&texts[2]));
    // A shorter time tells of the memory's speed: one megabyte is still near the processor, ten are not.
    let ratio = if ten < SHORT { 0.0 } else { ten.as_secs_f64() / one.as_secs_f64() };
    Cost { speed: speed(&texts[2], ten), ratio }
}

fn show(name: &str, make: &dyn Fn(usize) -> String) {
    let texts = [MB / 10, MB, 10 * MB].map(make);
    let before = forget_peak();
    let whole = cost(&texts, |text| _ = black_box(screen(text, TierKind::Showcase, usize::MAX)));
    let steps: Vec<(Step, Cost)> = Step::ALL
        .into_iter()
        .map(|step| {
            (step, cost(&texts, |text| _ = black_box(step.find(text, TierKind::Showcase, usize::MAX))))
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    let memory = match (before, peak()) {
        (Some(before), Some(peak)) => {
            format!("{:.1} x", peak.saturating_sub(before) as f64 / texts[2].len() as f64)
        }
        _ => "unknown".to_owned(),
    };
    let least = |by: fn(&Cost) -> f64| steps.iter().min_by(|one, two| by(&one.1).total_cmp(&by(&two.1)));
    if let (Some((slow, slowest)), Some((steep, steepest))) =
        (least(|cost| cost.speed), least(|cost| -cost.ratio))
    {
        println!(
            "{name:<24} {:>8.1} {:>7.1}   {:<10} {:>8.1} {:>7.1}   {:<10} {:>7.1} {memory:>8}",
            whole.speed,
            whole.ratio,
            slow.as_str(),
            slowest.speed,
            slowest.ratio,
            steep.as_str(),
            steepest.ratio
        );
    }
}

/// How long this thread has had a processor: others that want it too make no difference.
#[expect(clippy::disallowed_methods, reason = "the system's own page about this process")]
fn busy() -> Option<Duration> {
    // What ran since the last switch is counted at the next.
    thread::yield_now();
    let page = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    page.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Starts the peak anew and says what is in use now, in bytes; nothing where the system does not tell.
fn forget_peak() -> Option<usize> {
    fs::write("/proc/self/clear_refs", "5").ok()?;
    peak()
}

/// The most memory that was in use, in bytes.
#[expect(clippy::disallowed_methods, reason = "the system's own page about this process")]
fn peak() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}
