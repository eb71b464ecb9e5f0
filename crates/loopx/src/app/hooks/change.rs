//! One change of one settings file: what it would come to, and doing it.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use loopx_contract::Ref;
use loopx_runtimes::hooks::{names, tells_limits};
use loopx_runtimes::{Sources, Version};
use loopx_safety::{InstallKey, io_words};

use super::entries::{self, Left, LineIs, Wanted};
use super::program::Program;
use super::record::{Record, Written};
use super::role::Role;
use crate::app::folder;
use crate::app::settings::file::{Original, Trouble};
use crate::app::settings::{Fault, Piece, Position, Rest, Site, Taken};
use crate::error::{CliError, ErrorKind};

/// What is asked for in one file.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The version of the runtime.
    pub version: Option<Version>,
    /// Whether the user named it.
    pub is_named: bool,
    /// The events.
    pub events: Vec<&'static str>,
    /// The status line.
    pub line: LineAsked,
}

/// What is asked for the status line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineAsked {
    /// The user's own is wrapped, where the version tells it of limits.
    Usual,
    /// Where there is none, one is added that shows nothing.
    Added,
    /// It is left alone.
    Left,
}

/// A change of one file, not done yet.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which file.
    pub role: Role,
    /// Where something of ours stays, because it is not as it was written: in the text as it would be.
    pub stays: Vec<Position>,
    /// The runtime's events that are told of and would be told of no more.
    pub drops: Vec<&'static str>,
    original: Original,
    text: String,
    file: Ref,
    written: Option<Written>,
    /// Whether the file goes with what is taken out of it.
    removes: bool,
}

/// Why a file is not changed: a part of a sentence, and the way out.
pub type Refused = CliError;

impl Change {
    /// The text as it is.
    pub fn before(&self) -> &str {
        self.original.text()
    }

    /// The text as it would be.
    pub fn after(&self) -> &str {
        &self.text
    }

    /// Whether the file would be another one.
    pub fn changes(&self) -> bool {
        self.before() != self.after()
    }

    /// Whether the file is made, or taken away.
    pub const fn makes(&self) -> bool {
        !self.original.exists()
    }

    /// Whether the file is taken away.
    pub const fn removes(&self) -> bool {
        self.removes
    }

    /// What would stand there.
    pub const fn written(&self) -> Option<&Written> {
        self.written.as_ref()
    }

    /// Whether the runtime would read it.
    pub fn is_read(&self) -> bool {
        entries::is_read(self.role, &self.text)
    }

    /// Whether the file can be replaced.
    pub fn check(&self) -> Result<(), Refused> {
        if !self.changes() {
            return Ok(());
        }
        self.original.check().map_err(|trouble| troubled(self.role, &trouble))
    }

    /// Does it. What is noted is noted first: what was written and is not noted could not be taken out to the byte.
    pub fn apply(&self, data: &Path, record: &mut Record) -> Result<(), Refused> {
        let was = record.of(self.role, &self.file).cloned();
        if was == self.written && !self.changes() {
            return Ok(());
        }
        let done = match &self.written {
            Some(written) => {
                record.set(self.role, &self.file, Some(written.clone()));
                record.write(data)?;
                self.put()
            }
            None => self.put(),
        };
        if let Err(trouble) = done {
            record.set(self.role, &self.file, was);
            record.write(data)?;
            return Err(troubled(self.role, &trouble));
        }
        if self.written.is_none() {
            record.set(self.role, &self.file, None);
            record.write(data)?;
        }
        Ok(())
    }

    fn put(&self) -> Result<(), Trouble> {
        if !self.changes() {
            Ok(())
        } else if self.removes() {
            self.original.remove()
        } else {
            self.original.replace(&self.text)
        }
    }
}

/// A file as it is, and what is noted of it.
struct Look<'a> {
    original: Original,
    file: Ref,
    written: Option<&'a Written>,
}

impl<'a> Look<'a> {
    fn at(role: Role, sources: &Sources, key: &InstallKey, record: &'a Record) -> Result<Self, Refused> {
        let path = role.path(sources).ok_or_else(|| troubled(role, &Trouble::NoFolder))?;
        let original = Original::read(&path).map_err(|trouble| troubled(role, &trouble))?;
        let file = folder::handle(key, original.path());
        let written = record.of(role, &file);
        Ok(Self { original, file, written })
    }

    fn pieces(&self) -> &'a [Piece] {
        self.written.map(|written| written.pieces.as_slice()).unwrap_or_default()
    }
}

/// The handle of the file that is meant by a role.
pub(super) fn file_of(role: Role, sources: &Sources, key: &InstallKey) -> Option<(Original, Ref)> {
    let original = Original::read(&role.path(sources)?).ok()?;
    let file = folder::handle(key, original.path());
    Some((original, file))
}

/// What putting in what is asked for would come to.
pub fn install(
    role: Role,
    sources: &Sources,
    key: &InstallKey,
    record: &Record,
    program: &Program,
    asked: &Asked,
    now: Timestamp,
) -> Result<Change, Refused> {
    let look = Look::at(role, sources, key, record)?;
    let failed = |fault| faulty(role, &fault);
    let before = look.original.text();
    // Here its places are those of the file.
    entries::check(role, before).map_err(failed)?;
    let mut rest = Rest::of(before);
    let taken = entries::take(role, &mut rest, look.pieces()).map_err(failed)?;
    let left = entries::left(role, rest.text(), program).map_err(failed)?;
    let is_whole = is_whole(&taken) && left.groups.is_empty();
    let stays = places(&rest, &taken, &left);
    // Where each stands on what the other has made, neither could go first.
    let had = look.written.map(|written| written.wanted.events.as_slice()).unwrap_or_default();
    let added: Vec<&str> =
        asked.events.iter().copied().filter(|event| !had.iter().any(|had| had == event)).collect();
    if !had.is_empty() && entries::is_beside(rest.text(), &added, &left.others) {
        used(role, &rest, &taken, &left, |taken| matches!(taken, Taken::Changed(_) | Taken::InUse))?;
    }
    if !stays.is_empty() {
        used(role, &rest, &taken, &left, |taken| matches!(taken, Taken::Changed(_)))?;
        return Err(by_hand(role, &stays));
    }
    entries::take(role, &mut rest, &left.groups).map_err(failed)?;
    let found = left.groups.iter().filter_map(|piece| entries::event_of(&piece.place));
    let told: Vec<&str> = had.iter().map(String::as_str).chain(found).collect();
    let is_dropped = |event: &&str| told.contains(event) && !asked.events.contains(event);
    let drops = names(role.runtime()).into_iter().filter(is_dropped).collect();
    let text = rest.text();
    let line = line(role, text, asked).map_err(failed)?;
    let events = asked.events.iter().map(|event| (*event).to_owned()).collect();
    let wanted = Wanted { program: program.clone(), events, line };
    if let Some(written) = look.written.filter(|written| is_whole && written.wanted == wanted) {
        let (version, is_named) = (asked.version, asked.is_named);
        let (written, text) = (Some(Written { version, is_named, ..written.clone() }), before.to_owned());
        let Look { file, original, .. } = look;
        return Ok(Change { role, stays, drops, text, written, removes: false, file, original });
    }
    let (text, put) = entries::put(role, text, &wanted).map_err(failed)?;
    // What others use stays ours to take out.
    let used = taken.iter().zip(look.pieces().iter().rev());
    let used = used.filter(|((_, taken), _)| *taken == Taken::InUse).map(|(_, piece)| piece);
    let mut pieces: Vec<Piece> = used.cloned().collect();
    pieces.reverse();
    pieces.extend(put);
    let made = look.written.map_or(!look.original.exists(), |written| written.made);
    let file = look.file.clone();
    let (version, is_named) = (asked.version, asked.is_named);
    let written = Written { role, file, at: now, made, version, is_named, wanted, pieces };
    let Look { file, original, .. } = look;
    Ok(Change { role, stays, drops, text, written: Some(written), removes: false, file, original })
}

/// What becomes of the status line of a text.
fn line(role: Role, text: &str, asked: &Asked) -> Result<LineIs, Fault> {
    if role != Role::ClaudeSettings {
        return Ok(LineIs::Left);
    }
    Ok(match (asked.line, entries::has_line(text)?) {
        (LineAsked::Added, Some(true)) => LineIs::Wrapped,
        (LineAsked::Usual, Some(true)) if tells_limits(role.runtime(), asked.version) => LineIs::Wrapped,
        (LineAsked::Added, None) => LineIs::Added,
        (LineAsked::Usual | LineAsked::Left, _) | (LineAsked::Added, Some(false)) => LineIs::Left,
    })
}

/// What taking out all that is ours would come to; none where nothing is.
pub fn uninstall(
    role: Role,
    sources: &Sources,
    key: &InstallKey,
    record: &Record,
    program: &Program,
) -> Result<Option<Change>, Refused> {
    let look = match Look::at(role, sources, key, record) {
        Ok(look) => look,
        // Where there is no folder there is nothing of ours.
        Err(_) if role.path(sources).is_none_or(|path| !path.exists()) => return Ok(None),
        Err(error) => return Err(error),
    };
    if look.written.is_none() && !look.original.exists() {
        return Ok(None);
    }
    let failed = |fault| faulty(role, &fault);
    let mut rest = Rest::of(look.original.text());
    let taken = entries::take(role, &mut rest, look.pieces()).map_err(failed)?;
    let left = entries::left(role, rest.text(), program).map_err(failed)?;
    used(role, &rest, &taken, &left, |taken| matches!(taken, Taken::Changed(_) | Taken::InUse))?;
    if look.written.is_none() && left.groups.is_empty() && left.changed.is_empty() {
        return Ok(None);
    }
    entries::take(role, &mut rest, &left.groups).map_err(failed)?;
    let text = rest.text().to_owned();
    // Where it will stand then.
    let mut rest = Rest::of(&text);
    let taken = entries::take(role, &mut rest, look.pieces()).map_err(failed)?;
    let left = entries::left(role, rest.text(), program).map_err(failed)?;
    let stays = places(&rest, &taken, &left);
    let made = look.written.is_some_and(|written| written.made);
    let removes = made && look.original.exists() && text.trim().is_empty();
    let Look { file, original, .. } = look;
    Ok(Some(Change { role, stays, drops: Vec::new(), text, written: None, removes, file, original }))
}

/// Where something of ours stands in the file that is not as it was written.
pub(super) fn places(rest: &Rest<'_>, taken: &[(Site, Taken)], left: &Left) -> Vec<Position> {
    let changed = taken.iter().filter_map(|(_, taken)| match taken {
        Taken::Changed(at) => Some(at),
        Taken::Out | Taken::Gone | Taken::InUse => None,
    });
    let places: BTreeSet<Position> = changed.chain(&left.changed).map(|at| rest.place(*at)).collect();
    places.into_iter().collect()
}

/// Refuses what would pull away what another LoopX has put its own into: only in the other order each can take out
/// exactly what it wrote.
fn used(
    role: Role,
    rest: &Rest<'_>,
    taken: &[(Site, Taken)],
    left: &Left,
    counts: impl Fn(Taken) -> bool,
) -> Result<(), Refused> {
    let mut sites = taken.iter().filter(|(_, taken)| counts(*taken));
    if !sites.any(|(site, _)| entries::is_used(role, rest.text(), site, &left.others)) {
        return Ok(());
    }
    let places = left.others.iter().map(|at| rest.place(*at)).collect::<Vec<_>>();
    let message = format!(
        "in {} hooks of a LoopX with another folder stand on what this one wrote: {}",
        role.words(),
        named(role, &places)
    );
    Err(CliError::new(ErrorKind::Conflict, message).hint(
        "take those out first: run `loopx hooks uninstall` with LOOPX_HOME or XDG_DATA_HOME set as it is written there, \
         then this again; nothing was changed",
    ))
}

/// Each place in a file.
pub fn named(role: Role, places: &[Position]) -> String {
    let places: Vec<String> = places.iter().map(|place| format!("{}:{place}", role.file())).collect();
    places.join(", ")
}

/// What was changed by hand is not written over.
fn by_hand(role: Role, places: &[Position]) -> Refused {
    let message =
        format!("{} has entries of LoopX's that were changed by hand: {}", role.words(), named(role, places));
    CliError::new(ErrorKind::Conflict, message)
        .hint(format!("{BY_HAND}, then run it again; nothing was changed"))
}

/// What to do about entries that were changed by hand.
pub const BY_HAND: &str = "in your editor, take each of them out, or put your own command in its place";

/// What to do about such entries where nothing else of ours is there.
pub const LEFT: &str = "in your editor, take it out, or put your own command in its place: then all of it is out. If you want the hooks \
     back, run `loopx hooks install` after that";

/// Whether all that was written is still there.
pub(super) fn is_whole(taken: &[(Site, Taken)]) -> bool {
    taken.iter().all(|(_, taken)| matches!(taken, Taken::Out | Taken::InUse))
}

/// A text that is not edited.
pub(super) fn faulty(role: Role, fault: &Fault) -> Refused {
    let place = fault.at.map_or_else(String::new, |at| format!(" at {at}"));
    CliError::new(ErrorKind::Conflict, format!("{} is not edited: {}{place}", role.words(), fault.what))
        .hint("put it right there, then run it again; nothing was changed")
}

/// A file that is neither read nor written.
fn troubled(role: Role, trouble: &Trouble) -> Refused {
    let (what, hint) = match trouble {
        Trouble::NoFolder => {
            let hint = "start the runtime once, or name its folder: CLAUDE_CONFIG_DIR, CODEX_HOME";
            return CliError::not_found(format!("no folder for {}", role.words())).hint(hint);
        }
        Trouble::Dangling => ("it is a link that leads nowhere", "put the link right"),
        Trouble::NotAFile => ("it is no file", "put a file in its place"),
        Trouble::TooLong => ("it is longer than 4 MiB", "make it shorter"),
        Trouble::NotText => ("it is not UTF-8", "save it as UTF-8"),
        Trouble::ReadOnly => (
            "it or its folder is read-only",
            "if another program writes it, add there what `--dry-run` shows; else make it writable",
        ),
        Trouble::Linked => ("it has several names, by hard links", "leave it one name"),
        Trouble::NotYours => ("it belongs to somebody else", "run it as its owner"),
        Trouble::Changed => ("it was changed meanwhile", "run it again"),
        Trouble::Io(error) => {
            let message = format!("failed to edit {}: {}", role.words(), io_words(error.kind()));
            return CliError::internal(message).hint("nothing was changed");
        }
    };
    let message = format!("{} is not edited: {what}", role.words());
    CliError::new(ErrorKind::Conflict, message).hint(format!("{hint}; nothing was changed"))
}
