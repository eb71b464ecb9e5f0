//! What a runtime's folder has to say so that its files can be found, folded and kept in the index.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::reader::Fold;
use crate::usage::Ledger;
use crate::{Runtime, Sources};

/// One runtime's files.
pub(crate) trait Adapter {
    /// The fold of its records.
    type Fold: Fold + Default + Serialize + DeserializeOwned + Send;

    /// The runtime.
    const RUNTIME: Runtime;
    /// Whether the first line of a file says what its end means.
    const HEADED: bool;

    /// The folders that its files lie in.
    fn roots(sources: &Sources) -> Vec<Root>;
    /// The session's id by a file's name; `None` for a file that no session has.
    fn native_id(path: &Path) -> Option<&str>;
    /// What a fold says that the index has to know.
    fn gist(path: &Path, fold: &Self::Fold) -> Gist;
    /// What a fold has noted of spending.
    fn ledger(fold: &mut Self::Fold) -> &mut Ledger;
}

/// A folder, and the files that are wanted in it.
pub(crate) struct Root {
    /// Where.
    pub path: PathBuf,
    /// Whose files they are.
    pub of: Of,
    /// The folders on the way down, outermost first: whether one of this name is gone into.
    pub folders: &'static [fn(&str) -> bool],
    /// Whether a file of this name is wanted.
    pub wanted: fn(&str) -> bool,
}

/// Whose files lie in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Sessions'.
    Sessions,
    /// Those of what sessions started: they are looked at for what they spent, never for the first screen.
    Children,
}

/// What the index has to know of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gist {
    /// The contract's word for its runtime.
    pub runtime: &'static str,
    /// What it is.
    pub role: Role,
    /// The folder it works in.
    pub cwd: Option<PathBuf>,
    /// When the session began, milliseconds since the epoch.
    pub began: Option<i64>,
    /// Whether what it spent is told by its own records.
    pub own: Own,
}

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A session.
    Session,
    /// What another session started, by that one's id where it is told.
    Child(Option<String>),
    /// A thread of the runtime's own, or no session at all.
    Nobody,
}

/// Whose spending a file's records tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// Its own.
    All,
    /// It may begin with a copy of this session's: only with that one at hand they can be told apart.
    WithCopyOf(Option<String>),
}

/// Goes into any folder.
pub(crate) fn any(_: &str) -> bool {
    true
}
