//! What a runtime's folder has to say so that its files can be found, folded and kept in the index.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::reader::{Fold, Steps};
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

/// A folder, and which files are wanted below it.
pub(crate) struct Root {
    /// Where.
    pub path: PathBuf,
    /// What is wanted.
    pub steps: Steps,
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
