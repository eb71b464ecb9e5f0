//! LoopX's own files: folder, store, seal, install key, settings. Named relative to their folder.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use jiff::Timestamp;
use loopx_runtimes::hooks::{Dropped, EVENTS, Spool};
use loopx_runtimes::worker;
use loopx_safety::{Diagnostic, io_words};
use loopx_store::{Damage, DamageCode, SqliteStore, Store as _, StoreError};

use super::{Found, Looked, Report};
use crate::app::distrust::Distrust;
use crate::app::home::{Home, kept_key};
use crate::app::keyring::Sealed;
use crate::app::tokens;
use crate::app::visiting::{self, Visiting};
use crate::app::words::{self, OwnWords, TERMS};
use crate::cli::Context;
use crate::config::Config;
use crate::env::Env;
use crate::error::CliError;

/// Files of ours in the data folder that hold what nobody else should read.
const OWN: [&str; 9] = [
    "install.json",
    "authority.json",
    "loopx.db",
    "seal.json",
    "index.db",
    "hooks-installed.json",
    tokens::FILE,
    visiting::FILE,
    worker::SPOOL,
];

/// Looks at them.
pub fn look(context: &Context, home: &Home, rebuild: bool, report: &mut Report) -> Result<(), CliError> {
    let there = home.data.is_dir();
    report.looked_at.push(Looked::at("data folder", if there { "there" } else { "none yet" }));
    key(&home.data, report);
    passphrase(&home.data, report);
    modes(&home.data, report);
    lookers(&home.data, context.now(), report);
    store(&home.data, rebuild, report)?;
    let settings = match (Config::load(&context.env), home.config_file().exists()) {
        (Ok(_), true) => "sound",
        (Ok(_), false) => "none, so the defaults",
        (Err(error), _) => {
            report.findings.push(Found {
                code: "settings",
                goal_id: None,
                problem: error.message,
                way_out: error.hint.unwrap_or_else(|| "put config.toml right".to_owned()),
            });
            "broken"
        }
    };
    report.looked_at.push(Looked::at("settings", settings));
    terms(&context.env, home, report);
    events(&home.data, report);
    Ok(())
}

/// The operator's own list of names: how many are looked for, never which.
fn terms(env: &Env, home: &Home, report: &mut Report) {
    let file = words::terms_file(home);
    let state = match OwnWords::read(env, home).map(|own| own.terms()) {
        Ok((0, 0)) => "none".to_owned(),
        Ok((used, 0)) => format!("{used} looked for"),
        Ok((used, idle)) => format!("{used} looked for, {idle} too short or too common to be"),
        Err(error) => {
            report.findings.push(Found {
                code: "private_terms",
                goal_id: None,
                problem: error.message,
                way_out: error.hint.unwrap_or_else(|| format!("put {TERMS} right")),
            });
            "broken".to_owned()
        }
    };
    report.looked_at.push(Looked::at("private terms", state));
    let mode = fs::metadata(&file).map_or(0, |meta| meta.permissions().mode() & 0o777);
    if mode & !0o700 != 0 {
        report.findings.push(Found {
            code: "permissions",
            goal_id: None,
            problem: format!("config/{TERMS} has mode {mode:04o}: others can get at it"),
            way_out: format!("`chmod 600 {TERMS}` in the config folder"),
        });
    }
}

/// Who may look at the page and read its API.
fn lookers(data: &Path, now: Timestamp, report: &mut Report) {
    let visiting = Visiting::of(data, 0).visitors(now).map(|_| "sound".to_owned());
    let tokens = tokens::all(data).map(|tokens| match tokens.len() {
        0 => "none".to_owned(),
        1 => "1, which reads".to_owned(),
        count => format!("{count}, which read"),
    });
    for (what, name, state) in
        [("visitors of the page", visiting::FILE, visiting), ("tokens of the API", tokens::FILE, tokens)]
    {
        let state = state.unwrap_or_else(|why| {
            // Who else may get at it is said of all files at once.
            if why != Distrust::Open {
                report.findings.push(Found {
                    code: "distrusted",
                    goal_id: None,
                    problem: format!("data/{name} {}: nobody is let in by it", why.words()),
                    way_out: format!("move {name} out of the data folder: another is made when it is needed"),
                });
            }
            "counts for nothing".to_owned()
        });
        report.looked_at.push(Looked::at(what, state));
    }
}

/// What hooks tell, until somebody looks.
fn events(data: &Path, report: &mut Report) {
    let spool = Spool::of(data);
    let (state, found) = match (odd(data, &spool), spool.dropped()) {
        (Some((problem, way_out)), _) => ("odd".to_owned(), Some(("events_file", problem, way_out))),
        (None, None) => ("kept until somebody looks".to_owned(), None),
        (None, Some(Dropped { from, until: Some(until) })) => {
            (format!("those from {from:.0} to {until:.0} were dropped: nobody had looked for too long"), None)
        }
        (None, Some(Dropped { from, until: None })) => {
            let problem = format!("is full: what hooks tell is dropped since {from:.0}");
            let way_out =
                "`loopx status` begins it anew; look now and then, or keep `loopx status --watch` open";
            ("full".to_owned(), Some(("events_dropped", problem, way_out)))
        }
    };
    report.findings.extend(found.map(|(code, problem, way_out)| Found {
        code,
        goal_id: None,
        problem: format!("data/{EVENTS}, in which hooks note what happens, {problem}"),
        way_out: way_out.to_owned(),
    }));
    report.looked_at.push(Looked::at("events of hooks", state));
}

/// What is odd about the file, and the way out.
fn odd(data: &Path, spool: &Spool) -> Option<(String, &'static str)> {
    const AWAY: &str = "move hooks.jsonl out of the data folder: the next event makes a new one";
    const PRIVATE: &str = "`chmod 600 hooks.jsonl` in the data folder";
    let meta = fs::symlink_metadata(data.join(EVENTS)).ok()?;
    let kind = meta.file_type();
    if !kind.is_file() {
        let what = match (kind.is_dir(), kind.is_symlink()) {
            (true, _) => "a folder",
            (_, true) => "a link",
            (false, false) => "no file",
        };
        return Some((format!("is {what}: nothing is noted"), AWAY));
    }
    let mode = meta.permissions().mode() & 0o777;
    if mode & 0o600 != 0o600 {
        return Some((format!("has mode {mode:04o}: nothing can be noted in it or read of it"), PRIVATE));
    }
    if mode & !0o700 != 0 {
        return Some((format!("has mode {mode:04o}: others can get at it"), PRIVATE));
    }
    match spool.noise() {
        0 => None,
        1 => Some(("holds a line that is no event".to_owned(), AWAY)),
        lines => Some((format!("holds {lines} lines that are no events"), AWAY)),
    }
}

fn key(data: &Path, report: &mut Report) {
    let state = match kept_key(data) {
        Ok(Some(_)) => "sound",
        Ok(None) => "none yet",
        Err(error) => {
            report.findings.push(Found {
                code: "install_key",
                goal_id: None,
                problem: format!("data/install.json can't be read: {}", io_words(error.kind())),
                way_out: "move install.json out of the data folder: the next command makes a new one; then \
                     bind folders and sessions anew"
                    .to_owned(),
            });
            "broken"
        }
    };
    report.looked_at.push(Looked::at("install key", state));
}

fn passphrase(data: &Path, report: &mut Report) {
    let state = match Sealed::read(data) {
        Ok(Some(sealed)) => {
            report.findings.extend(marks(data, &sealed));
            "set up"
        }
        Ok(None) => "none",
        Err(error) => {
            report.findings.push(Found {
                code: "authority_key",
                goal_id: None,
                problem: format!("data/authority.json can't be read: {}", io_words(error.kind())),
                way_out: "put it back from a copy: without it no locked goal can be decided on".to_owned(),
            });
            "broken"
        }
    };
    report.looked_at.push(Looked::at("passphrase", state));
}

/// Logs that are not those that were signed: cut off, or written anew without their lock.
fn marks(data: &Path, sealed: &Sealed) -> Vec<Found> {
    let found = |goal_id, problem: &str| Found {
        code: "lock_taken_away",
        goal_id,
        problem: problem.to_owned(),
        way_out: "put the newest backup back, with the passphrase: `loopx restore FILE`".to_owned(),
    };
    if !sealed.marks_are_right() {
        return vec![found(None, "data/authority.json was changed without the passphrase")];
    }
    let differ = SqliteStore::open(data).and_then(|mut store| sealed.marks.differ(&mut store));
    let one = |goal| found(Some(goal), "its log is not the one that was signed with the passphrase");
    // What keeps the store from being read is said of the store.
    differ.unwrap_or_default().into_iter().map(one).collect()
}

/// What others could read. What others could write, the store refuses by itself.
fn modes(data: &Path, report: &mut Report) {
    let mut open = 0;
    for name in OWN {
        let file = data.join(name);
        let Ok(meta) = fs::metadata(&file) else { continue };
        let mode = meta.permissions().mode() & 0o777;
        if mode & !0o700 == 0 {
            continue;
        }
        open += 1;
        let shown = Diagnostic::own_file("data", data, &file);
        report.findings.push(Found {
            code: "permissions",
            goal_id: None,
            problem: format!("{shown} has mode {mode:04o}: others can get at it"),
            way_out: format!("`chmod 600 {name}` in the data folder"),
        });
    }
    report.looked_at.push(Looked::at("permissions", if open == 0 { "private" } else { "open to others" }));
}

fn store(data: &Path, rebuild: bool, report: &mut Report) -> Result<(), CliError> {
    let has = |name: &str| data.join(name).exists();
    let mut goals = 0;
    let before = report.findings.len();
    match examine(data, rebuild) {
        Ok((count, damages)) => {
            goals = count;
            report.findings.extend(damages.into_iter().map(of_damage));
        }
        // Others can write to it: that is said of the file already, unless it is the folder.
        Err(StoreError::Permissions { file, .. })
            if file != "." && report.findings.iter().any(|found| found.way_out.contains(file)) => {}
        Err(error @ (StoreError::Busy { .. } | StoreError::Refused(_))) => return Err(error.into()),
        Err(StoreError::Damaged(damage)) => report.findings.push(of_damage(damage)),
        Err(error) => report.findings.push(Found {
            code: error.code().word(),
            goal_id: None,
            way_out: error.hint(),
            problem: error.to_string(),
        }),
    }
    let state = match (has("loopx.db"), report.findings.len() > before) {
        (_, true) => "readable, the store is not sound",
        (true, false) => "in data/loopx.db, every event verified",
        (false, false) => "no store yet",
    };
    report.looked_at.push(Looked::counted("goals", state, goals));
    report.looked_at.push(Looked::at("seal", if has("seal.json") { "there" } else { "none yet" }));
    Ok(())
}

fn examine(data: &Path, rebuild: bool) -> Result<(u64, Vec<Damage>), StoreError> {
    let mut store = SqliteStore::open(data)?;
    let mut damages = store.doctor()?;
    if rebuild && damages.iter().any(|damage| damage.code == DamageCode::RowsDiffer) {
        for damage in damages.iter().filter(|damage| damage.code == DamageCode::RowsDiffer) {
            if let Some(goal) = &damage.goal {
                store.rebuild(goal)?;
            }
        }
        damages = store.doctor()?;
    }
    let goals = store.goals()?.len() as u64;
    Ok((goals, damages))
}

fn of_damage(damage: Damage) -> Found {
    Found {
        code: damage.code.word(),
        problem: damage.code.meaning().to_owned(),
        way_out: damage.way_out(),
        goal_id: damage.goal,
    }
}
