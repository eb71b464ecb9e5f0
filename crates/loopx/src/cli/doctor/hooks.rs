//! Hooks in runtimes' settings: what stands there, against what was written.

use loopx_runtimes::Runtime;

use super::{Found, Looked, Report};
use crate::app::home::Home;
use crate::app::hooks::{BY_HAND, LEFT, Standing, State, called, named, survey};
use crate::cli::Context;

/// Looks at them.
pub fn look(context: &Context, home: &Home, report: &mut Report) {
    let all = match survey(&context.env, home, &Runtime::ALL, context.now()) {
        Ok(all) => all,
        Err(error) => {
            report.looked_at.push(Looked::at("hooks", "unknown"));
            report.findings.push(Found {
                code: "hooks",
                goal_id: None,
                problem: error.message,
                way_out: error.hint.unwrap_or_else(|| "see `loopx hooks status`".to_owned()),
            });
            return;
        }
    };
    let mut states = Vec::new();
    for one in &all {
        for file in &one.files {
            report.findings.extend(finding(file));
            report.findings.extend(nobodys(file));
        }
        let state = one.files.iter().map(|file| file.state).find(|state| *state != State::NotInstalled);
        let state = state.unwrap_or(State::NotInstalled);
        states.push(format!("{}: {}", called(one.runtime), state.words()));
    }
    report.looked_at.push(Looked::at("hooks", states.join("; ")));
}

/// What is wrong with a file. One that says nothing yet may only lack your trust: that is no damage.
fn finding(file: &Standing) -> Option<Found> {
    let name = file.role.words();
    let places = if file.places.is_empty() {
        String::new()
    } else {
        format!(", changed by hand: {}", named(file.role, &file.places))
    };
    let in_editor = format!("{BY_HAND}, then run `loopx hooks install`");
    let (problem, way_out) = match file.state {
        State::NotInstalled | State::Installed | State::Untrusted | State::Silent => return None,
        // Without anything of ours noted there, it is no business of ours.
        State::Unreadable if file.written.is_none() => return None,
        State::Unreadable => (format!("{name} can't be read"), "look at it with `loopx hooks status`"),
        State::BinaryGone => {
            (format!("the program that {name} runs is gone"), "`loopx hooks install` writes where it is now")
        }
        State::Older => (
            format!("the hooks in {name} are of an older version"),
            "`loopx hooks install` brings them up to date",
        ),
        State::Left => (format!("an entry like LoopX's is left in {name}{places}"), LEFT),
        State::ChangedByHand | State::Unrecorded if !file.places.is_empty() => {
            (format!("the hooks in {name} are not as they were written{places}"), in_editor.as_str())
        }
        State::ChangedByHand => (
            format!("the hooks in {name} are not as they were written"),
            "`loopx hooks install` puts them in anew",
        ),
        State::Unrecorded => (
            format!("{name} holds hooks of LoopX that are not noted here"),
            "`loopx hooks uninstall` takes them out",
        ),
    };
    Some(Found { code: "hooks", goal_id: None, problem, way_out: way_out.to_owned() })
}

/// Hooks that are of no runtime: one that is mistyped ends well like any other, and nobody would notice.
fn nobodys(file: &Standing) -> Option<Found> {
    let first = file.nobodys.first()?;
    let more = match file.nobodys.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(Found {
        code: "hooks",
        goal_id: None,
        problem: format!(
            "a hook in {} is of no runtime that LoopX knows, and notes nothing: {}:{first}{more}",
            file.role.words(),
            file.role.file()
        ),
        way_out: format!("write `loopx hook {}` there, or take it out", file.role.runtime().word()),
    })
}
