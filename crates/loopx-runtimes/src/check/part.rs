//! What the exit code of a part of a line tells of the checks in it.

use std::cmp::Ordering;

use super::Kind;
use super::word::Word;

/// A part of a line: a command, a pipe, commands joined, a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// The check in it.
    pub(super) kind: Option<Kind>,
    /// The check in it, if the code is that of the first command of its pipe.
    pub(super) first: Option<Kind>,
    /// What its code can be.
    pub(super) code: Code,
    /// Whether its failure ends the shell.
    pub(super) guarded: bool,
}

/// What the code of a part can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Code {
    /// Anything.
    #[default]
    Any,
    /// Never 0.
    Failure,
    /// Never 0, and the shell ends: `exit 1`.
    Leave,
    /// That of the command before, and the shell ends: `exit $?`.
    LeaveAsBefore,
    /// That of the first command in the pipe before, and the shell ends: `exit ${PIPESTATUS[0]}`.
    LeaveAsFirst,
}

impl Code {
    /// Whether it may end the shell with 0.
    pub(super) fn may_leave_well(self) -> bool {
        match self {
            Code::Any | Code::Failure | Code::Leave => false,
            Code::LeaveAsBefore | Code::LeaveAsFirst => true,
        }
    }

    /// What `exit` gives, with this behind it.
    pub(super) fn of_exit(code: Option<&Word<'_>>) -> Code {
        let Some(code) = code else { return Code::LeaveAsBefore };
        match code.text().as_ref() {
            "$?" => Code::LeaveAsBefore,
            "${PIPESTATUS[0]}" | "$PIPESTATUS" | "${pipestatus[1]}" | "$pipestatus[1]" => Code::LeaveAsFirst,
            number => match number.parse::<i64>() {
                Ok(number) if number & 0xFF != 0 => Code::Leave,
                Ok(_) | Err(_) => Code::Any,
            },
        }
    }
}

impl Part {
    pub(super) fn masked(self) -> Self {
        Self { kind: masked(self.kind), first: masked(self.first), code: Code::Any, guarded: false }
    }

    /// With the code of one of its checks handed on by an `exit`.
    pub(super) fn leaving(self, kind: Option<Kind>) -> Self {
        Self { kind: kind.map(Kind::conjoined), first: masked(kind), ..self }
    }

    /// Where it ends no shell but its own.
    pub(super) fn in_own_shell(self) -> Self {
        let code = match self.code {
            Code::Any | Code::LeaveAsBefore | Code::LeaveAsFirst => Code::Any,
            Code::Failure | Code::Leave => Code::Failure,
        };
        Self { code, guarded: false, ..self }
    }

    /// `self && right`
    pub(super) fn and(self, right: Self) -> Self {
        let code = match (self.code, right.code) {
            (Code::Leave, _) => Code::Leave,
            (Code::Failure, _) | (_, Code::Failure | Code::Leave) => Code::Failure,
            (Code::Any | Code::LeaveAsBefore | Code::LeaveAsFirst, _) => Code::Any,
        };
        let kind = both(self.kind.map(Kind::conjoined), right.kind.map(Kind::conjoined));
        Self { kind, first: masked(kind), code, guarded: false }
    }

    /// `self || right`
    pub(super) fn or(self, right: Self) -> Self {
        let (left, guarded) = match right.code {
            Code::Any | Code::LeaveAsFirst => (masked(self.kind), false),
            Code::Failure => (self.kind.map(Kind::conjoined), false),
            Code::Leave | Code::LeaveAsBefore => (self.kind.map(Kind::conjoined), true),
        };
        let kind = both(left, masked(right.kind));
        Self { kind, first: masked(kind), code: Code::Any, guarded }
    }
}

pub(super) fn masked(kind: Option<Kind>) -> Option<Kind> {
    kind.map(Kind::masked)
}

/// The stronger of two checks; of two like ones, as little as the code tells of either.
pub(super) fn both(one: Option<Kind>, other: Option<Kind>) -> Option<Kind> {
    let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
    let kind = match a.label.cmp(&b.label) {
        Ordering::Less => a,
        Ordering::Equal => Kind { label: a.label, joined: a.joined.max(b.joined) },
        Ordering::Greater => b,
    };
    Some(kind.conjoined())
}
