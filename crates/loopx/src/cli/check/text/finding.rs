//! What stands against a file: a class and a place, never a part of the text.

use std::ops::Range;

use loopx_safety::Class;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The class of what could not be looked into, beside those of the screen.
pub const UNREAD: &str = "unread";

/// The class of a link, which is named and never followed.
pub const LINK: &str = "link";

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The screen refused it.
    Refused(Class),
    /// It was not looked into.
    Unread(Why),
}

/// Why something was not looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// What lies in it is packed.
    Packed,
    /// Reading failed.
    Unreadable,
    /// A pipe, a socket or a device.
    NotAFile,
    /// More was found in a part of a line than is listed.
    Crowded,
    /// There was nothing to look into.
    Nothing,
}

impl Kind {
    /// The class's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Refused(class) => class.as_str(),
            Self::Unread(_) => UNREAD,
        }
    }

    /// A short remedy.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Refused(class) => class.hint(),
            Self::Unread(why) => why.hint(),
        }
    }
}

impl Why {
    /// What to do about it: a fragment that completes "hint: …".
    const fn hint(self) -> &'static str {
        match self {
            Self::Packed => {
                "what is packed in it was not looked into: unpack it and check that, then allow it"
            }
            Self::Unreadable => "it can't be read: make it readable, or take it away",
            Self::NotAFile => "it is a pipe, a socket or a device: take it away",
            Self::Crowded => {
                "the rest of this part of the line was not looked into: mend what was found first"
            }
            Self::Nothing => "no file was looked into: name another path, or add --no-ignore",
        }
    }
}

/// Where in a file. Lines and columns are 1-based, columns are counted in characters, and ends are excluded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// Its name, or the name of the folder.
    Name(Range<usize>),
    /// Where a link points.
    Target(Range<usize>),
    /// A line.
    Line(u64, Range<usize>),
    /// Bytes of a file that has no lines.
    Bytes(Range<u64>),
}

impl Place {
    /// Its columns, in a text.
    pub const fn columns(&self) -> Option<&Range<usize>> {
        match self {
            Self::Name(columns) | Self::Target(columns) | Self::Line(_, columns) => Some(columns),
            Self::Whole | Self::Bytes(_) => None,
        }
    }
}

/// What stands against a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub place: Place,
}

/// A finding of a file, to be written as a document.
pub struct Placed<'a>(pub &'a str, pub &'a Finding);

impl Serialize for Placed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(path, Finding { kind, place }) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", path)?;
        match place {
            Place::Whole => map.serialize_entry("place", "file")?,
            Place::Name(columns) => {
                map.serialize_entry("place", "name")?;
                map.serialize_entry("columns", columns)?;
            }
            Place::Target(columns) => {
                map.serialize_entry("place", "target")?;
                map.serialize_entry("columns", columns)?;
            }
            Place::Line(line, columns) => {
                map.serialize_entry("place", "line")?;
                map.serialize_entry("line", line)?;
                map.serialize_entry("columns", columns)?;
            }
            Place::Bytes(bytes) => {
                map.serialize_entry("place", "bytes")?;
                map.serialize_entry("bytes", bytes)?;
            }
        }
        map.serialize_entry("class", kind.word())?;
        map.serialize_entry("hint", kind.hint())?;
        map.end()
    }
}
