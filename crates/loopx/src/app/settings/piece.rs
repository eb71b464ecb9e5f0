//! One text of ours in a settings file: where it belongs, and its exact bytes.

use serde::{Deserialize, Serialize};

/// A text that was put in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// What it is.
    pub place: Site,
    /// What stands before it that is ours: white space, or all of it where there is no body.
    pub lead: String,
    /// Itself.
    pub body: String,
    /// What stands behind it that is ours.
    pub tail: String,
    /// What stood before it when it was put in.
    pub before: Before,
}

/// What stands before a piece, among its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// Nothing.
    Nothing,
    /// Something with a comma behind it.
    Theirs,
    /// Something, and a comma was put behind it.
    OurComma,
}

/// What a piece is, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Site {
    /// The whole document.
    Root,
    /// A member of the object at this path.
    Member {
        /// The names that lead to the object.
        path: Vec<String>,
        /// The member's name.
        name: String,
    },
    /// An element of the list at this path.
    Element {
        /// The names that lead to the list.
        path: Vec<String>,
    },
    /// What stands around the text at this path, inside its quotes.
    Around {
        /// The names that lead to the text.
        path: Vec<String>,
    },
    /// A line of its own that sets a key of the document.
    Line {
        /// The key.
        name: String,
    },
    /// The first elements of the list that a key of the document is set to.
    First {
        /// The key.
        name: String,
    },
}

/// What became of a piece that was to be taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is out.
    Out,
    /// It was not there.
    Gone,
    /// Others have put something into it, so it stays.
    InUse,
    /// It is not what was written any more, so it stays: at this byte.
    Changed(usize),
}
