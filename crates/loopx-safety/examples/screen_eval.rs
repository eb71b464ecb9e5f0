//! Measures the screen on labelled strings: `cargo run --release --example screen_eval -- FILE.jsonl…`.
//!
//! A line is an object with `text` and `class`, perhaps with `kind`, and with `tier: "local"` where the text is clean
//! in the local tier alone. Prints how much of each class each tier refuses, what each step finds by itself, and the
//! speed. With `--kinds CLASS` it counts which kinds of credential are found in the lines of a class. With `--missed CLASS` it lists the lines of that class that are said wrong, by number, with no text.

#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::time::Instant;

use loopx_safety::screen::credential::kinds_in;
use loopx_safety::text::TEXT_MAX;
use loopx_safety::{Class, TierKind};
use loopx_safety::{Step, screen};
use serde::Deserialize;

/// One labelled string.
#[derive(Deserialize)]
struct Labelled {
    text: String,
    class: String,
    tier: Option<String>,
    #[serde(skip)]
    place: String,
}

impl Labelled {
    /// Whether it is to be refused at a tier.
    fn is_unsafe(&self, tier: TierKind) -> bool {
        match (self.class.as_str(), tier) {
            ("clean", TierKind::Showcase) => self.tier.as_deref() == Some("local"),
            ("clean", TierKind::Local) | ("not_credential", _) => false,
            _ => true,
        }
    }
}

/// What one class comes to at one tier.
#[derive(Default)]
struct Tally {
    all: u32,
    refused: u32,
    /// Refused for their length or a line break, and for nothing else.
    by_form: u32,
}

const TIERS: [TierKind; 2] = [TierKind::Showcase, TierKind::Local];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut missed, mut kinds) = (None, None);
    let mut lines = Vec::new();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--missed" {
            missed = arguments.next();
        } else if argument == "--kinds" {
            kinds = arguments.next();
        } else {
            read(&argument, &mut lines)?;
        }
    }
    if lines.is_empty() {
        return Err("name a file of labelled strings".into());
    }
    if let Some(class) = kinds {
        show_kinds(&lines, &class);
        return Ok(());
    }
    if let Some(class) = missed {
        show_missed(&lines, &class);
        return Ok(());
    }
    show_classes(&lines);
    show_steps(&lines);
    show_speed(&lines);
    Ok(())
}

fn read(path: &str, lines: &mut Vec<Labelled>) -> Result<(), Box<dyn Error>> {
    for (nth, line) in BufReader::new(File::open(path)?).lines().enumerate() {
        let place = format!("{path}:{}", nth + 1);
        let read: Labelled = serde_json::from_str(&line?).map_err(|error| format!("{place}: {error}"))?;
        lines.push(Labelled { place, ..read });
    }
    Ok(())
}

fn refused(line: &Labelled, tier: TierKind) -> Option<Class> {
    screen(&line.text, tier, TEXT_MAX).err().map(|refusal| refusal.class)
}

/// Whether nothing but its length and its line breaks speaks against a text.
fn by_form(line: &Labelled, tier: TierKind) -> bool {
    let joined = line.text.replace(['\n', '\r'], " ");
    screen(&joined, tier, usize::MAX).is_ok()
}

fn show_classes(lines: &[Labelled]) {
    println!(
        "{:<16} {:>6} {:>20} {:>20}   of them by length or line breaks alone",
        "class", "lines", "showcase", "local"
    );
    let mut tallies: BTreeMap<&str, [Tally; 2]> = BTreeMap::new();
    for line in lines {
        for (tier, tally) in TIERS.into_iter().zip(tallies.entry(&line.class).or_default()) {
            // What is clean in one tier alone is counted there alone.
            if line.class == "clean" && line.is_unsafe(tier) {
                continue;
            }
            tally.all += 1;
            if refused(line, tier).is_some() {
                tally.refused += 1;
                tally.by_form += u32::from(by_form(line, tier));
            }
        }
    }
    for (class, tallies) in &tallies {
        let share = |tally: &Tally| {
            format!(
                "{:>5} = {:>6.2} %",
                tally.refused,
                f64::from(tally.refused) * 100.0 / f64::from(tally.all.max(1))
            )
        };
        let [showcase, local] = tallies;
        println!(
            "{class:<16} {:>6} {:>20} {:>20}   {} {}",
            local.all.max(showcase.all),
            share(showcase),
            share(local),
            showcase.by_form,
            local.by_form
        );
    }
    let of_tier = |line: &&Labelled| line.class == "clean" && line.is_unsafe(TierKind::Showcase);
    let paths: Vec<&Labelled> = lines.iter().filter(of_tier).collect();
    let found = paths.iter().filter(|line| refused(line, TierKind::Showcase).is_some()).count();
    println!("clean in the local tier alone: {found} of {} refused in the showcase\n", paths.len());
}

fn show_steps(lines: &[Labelled]) {
    let mut classes: Vec<&str> = lines.iter().map(|line| line.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    println!("what each step finds by itself, in % of a class, showcase tier");
    print!("{:<12}", "step");
    for class in &classes {
        print!(" {:>9}", class.chars().take(9).collect::<String>());
    }
    println!();
    for step in Step::ALL {
        print!("{:<12}", step.as_str());
        for class in &classes {
            let all: Vec<&Labelled> = lines.iter().filter(|line| line.class == *class).collect();
            let found =
                all.iter().filter(|line| step.find(&line.text, TierKind::Showcase, TEXT_MAX).is_some());
            #[expect(clippy::cast_precision_loss, reason = "a few thousand lines")]
            let share = found.count() as f64 * 100.0 / all.len() as f64;
            print!(" {share:>9.2}");
        }
        println!();
    }
    println!();
}

fn show_kinds(lines: &[Labelled], class: &str) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.class == class) {
        // What the gates before the tables keep out is not found.
        let is_found = Step::Issued.find(&line.text, TierKind::Showcase, TEXT_MAX).is_some();
        let found = if is_found { kinds_in(&line.text).next().unwrap_or("none") } else { "none" };
        *counts.entry(found).or_default() += 1;
        println!("{} {found}", line.place);
    }
    for (kind, count) in counts {
        println!("{count:>6} {kind}");
    }
}

fn show_missed(lines: &[Labelled], class: &str) {
    for line in lines.iter().filter(|line| line.class == class) {
        for tier in TIERS {
            let told = refused(line, tier);
            if told.is_some() != line.is_unsafe(tier) {
                println!("{} {tier:?} {}", line.place, told.map_or("passes", Class::as_str));
            }
        }
    }
}

fn show_speed(lines: &[Labelled]) {
    let clean: Vec<&str> = lines
        .iter()
        .filter(|line| line.class == "clean" && refused(line, TierKind::Local).is_none())
        .map(|line| line.text.as_str())
        .collect();
    if clean.is_empty() {
        return;
    }
    // Each clean line as eighty bytes of clean words; the same joined to one long text.
    let eighty: Vec<String> = clean.iter().map(|text| padded(text, 80)).filter(|text| passes(text)).collect();
    let long: String = eighty.iter().cycle().take(40_000).flat_map(|text| [text.as_str(), " "]).collect();
    for _ in 0..3 {
        run(&eighty);
    }
    let short = (0..9).map(|_| run(&eighty)).fold(f64::INFINITY, f64::min);
    let bytes: usize = eighty.iter().map(String::len).sum();
    #[expect(clippy::cast_precision_loss, reason = "a few thousand lines")]
    let (count, mean) = (eighty.len() as f64, bytes as f64 / eighty.len().max(1) as f64);
    println!("{:.0} ns for a clean line of {mean:.0} bytes ({} lines)", short * 1e9 / count, eighty.len());
    let told = screen(&long, TierKind::Local, usize::MAX).map_or("refused", |()| "passes");
    let all = speed(&long, || _ = black_box(screen(black_box(&long), TierKind::Local, usize::MAX)));
    println!("{all} MB/s on a clean text of {} bytes ({told}); by step:", long.len());
    for step in Step::ALL {
        let alone = speed(&long, || _ = black_box(step.find(black_box(&long), TierKind::Local, usize::MAX)));
        print!(" {} {alone}", step.as_str());
    }
    println!();
}

/// Megabytes a second, rounded.
fn speed(text: &str, work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    let bytes = text.len() as f64;
    (bytes / began.elapsed().as_secs_f64() / 1e6).round()
}

fn passes(text: &str) -> bool {
    screen(text, TierKind::Local, TEXT_MAX).is_ok()
}

/// A text filled up to a length with words.
fn padded(text: &str, len: usize) -> String {
    let mut words =
        "then review the open points with the team before the next release is cut".split(' ').cycle();
    let mut padded = text.to_owned();
    while padded.len() < len {
        padded.push(' ');
        padded.push_str(words.next().unwrap_or("so"));
    }
    padded
}

/// Seconds for all of them.
fn run(texts: &[String]) -> f64 {
    let began = Instant::now();
    for text in texts {
        let _ = black_box(screen(black_box(text), TierKind::Local, TEXT_MAX));
    }
    began.elapsed().as_secs_f64()
}
