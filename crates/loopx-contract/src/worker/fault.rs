//! Why a line was refused: the field and what is wrong with it, never its value.

use std::fmt;

use loopx_safety::{Class, Refusal};

use super::{LONGEST, LONGEST_PATH, MOST};
use crate::ids::IdError;

/// Which field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// In a list: which element, from 0.
    pub item: Option<usize>,
    /// In an object: the name there.
    pub part: Option<&'static str>,
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)?;
        if let Some(item) = self.item {
            write!(out, "[{item}]")?;
        }
        if let Some(part) = self.part {
            write!(out, ".{part}")?;
        }
        Ok(())
    }
}

/// What is wrong with a line, or with one field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field; none where it is the line itself.
    pub field: Option<Field>,
    /// What is wrong.
    pub problem: Problem,
}

impl Fault {
    pub(super) const fn of_line(problem: Problem) -> Self {
        Self { field: None, problem }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(out, "{field}: {}", self.problem),
            None => self.problem.fmt(out),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The line is too long.
    #[error("over {LONGEST} bytes")]
    LongLine,
    /// The line is no UTF-8 from this byte on.
    #[error("not UTF-8 from byte {column} on")]
    NotUtf8 {
        /// The byte, from 1.
        column: usize,
    },
    /// The line is no JSON from this byte on.
    #[error("not JSON from byte {column} on")]
    NotJson {
        /// The byte, from 1.
        column: usize,
    },
    /// The line ends in the middle of a value.
    #[error("ends in the middle of a value")]
    Ends,
    /// Values in values in values.
    #[error("nested too deep at byte {column}")]
    Deep {
        /// The byte, from 1.
        column: usize,
    },
    /// The line is JSON, and no object.
    #[error("not an object")]
    NotAnObject,
    /// The field must be there.
    #[error("missing")]
    Missing,
    /// The field is there twice.
    #[error("given twice")]
    Twice,
    /// None of the words that it may be.
    #[error("not one of {}", .0.join(", "))]
    NotOneOf(&'static [&'static str]),
    /// No text.
    #[error("not a text")]
    NotAText,
    /// Neither true nor false.
    #[error("neither true nor false")]
    NotAFlag,
    /// No whole number of this range.
    #[error("not a whole number from {least} to {most}")]
    NotANumber {
        /// The least.
        least: i128,
        /// The most.
        most: i128,
    },
    /// No instant.
    #[error("not an instant such as 2026-11-30T12:00:00Z")]
    NotAnInstant,
    /// No list.
    #[error("not a list")]
    NotAList,
    /// No object where one has to be.
    #[error("not an object")]
    NotAnObjectHere,
    /// Too long a list.
    #[error("over {MOST} elements")]
    LongList,
    /// No absolute path.
    #[error("not an absolute path of at most {LONGEST_PATH} bytes")]
    NotAFolder,
    /// A runtime that is not the user's own.
    #[error("a built-in runtime: use {own} or a word of your own", own = crate::RuntimeId::CUSTOM_WORKER)]
    BuiltIn,
    /// An agent of which goal?
    #[error("needs a goal_id")]
    NoGoal,
    /// No id of its kind.
    #[error("{0}")]
    NotAnId(IdError),
    /// The screen refuses it.
    #[error("refused: {0}")]
    Refused(Refusal),
}

impl Problem {
    /// Its word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::LongLine => "long_line",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::NotJson { .. } => "not_json",
            Self::Ends => "ends",
            Self::Deep { .. } => "too_deep",
            Self::NotAnObject | Self::NotAnObjectHere => "not_an_object",
            Self::Missing => "missing",
            Self::Twice => "twice",
            Self::NotOneOf(_) => "not_one_of",
            Self::NotAText => "not_a_text",
            Self::NotAFlag => "not_a_flag",
            Self::NotANumber { .. } => "not_a_number",
            Self::NotAnInstant => "not_an_instant",
            Self::NotAList => "not_a_list",
            Self::LongList => "long_list",
            Self::NotAFolder => "not_a_folder",
            Self::BuiltIn => "built_in",
            Self::NoGoal => "no_goal",
            Self::NotAnId(IdError::Malformed { .. } | IdError::Length { .. }) => "not_an_id",
            Self::NotAnId(IdError::Unsafe { .. }) | Self::Refused(_) => "refused",
        }
    }

    /// What the screen found, where it did.
    pub const fn class(&self) -> Option<Class> {
        match self {
            Self::NotAnId(IdError::Unsafe { refusal, .. }) | Self::Refused(refusal) => Some(refusal.class),
            Self::NotAnId(IdError::Malformed { .. } | IdError::Length { .. })
            | Self::LongLine
            | Self::NotUtf8 { .. }
            | Self::NotJson { .. }
            | Self::Ends
            | Self::Deep { .. }
            | Self::NotAnObject
            | Self::Missing
            | Self::Twice
            | Self::NotOneOf(_)
            | Self::NotAText
            | Self::NotAFlag
            | Self::NotANumber { .. }
            | Self::NotAnInstant
            | Self::NotAList
            | Self::NotAnObjectHere
            | Self::LongList
            | Self::NotAFolder
            | Self::BuiltIn
            | Self::NoGoal => None,
        }
    }
}
