//! The error at the edge: a kind, a cause in words, and the way out. One line each.

use std::fmt;

/// What went wrong, as an exit code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// 1: our own fault, or the machine's.
    Internal,
    /// 2: the command line makes no sense.
    Usage,
    /// 3: no such thing.
    NotFound,
    /// 4: another holds it, or it has moved on.
    Conflict,
    /// 7: the boundary or the authority does not allow it.
    Refused,
}

impl ErrorKind {
    /// The exit code.
    pub const fn exit(self) -> u8 {
        match self {
            Self::Internal => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Conflict => 4,
            Self::Refused => 7,
        }
    }

    /// The word in `--json`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
        }
    }
}

/// An error as a person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The cause: a lower-case fragment.
    pub message: String,
    /// The way out.
    pub hint: Option<String>,
}

impl CliError {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// A usage error.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// A thing that is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Our own fault, or the machine's.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// What the boundary or the authority does not allow.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

impl From<loopx_core::Refusal> for CliError {
    fn from(refusal: loopx_core::Refusal) -> Self {
        let kind = match refusal.exit() {
            2 => ErrorKind::Usage,
            3 => ErrorKind::NotFound,
            4 => ErrorKind::Conflict,
            _ => ErrorKind::Refused,
        };
        Self::new(kind, refusal.to_string()).hint(refusal.hint())
    }
}

impl From<loopx_contract::IdError> for CliError {
    fn from(error: loopx_contract::IdError) -> Self {
        match &error {
            loopx_contract::IdError::Unsafe { refusal, .. } => {
                Self::refused(error.to_string()).hint(refusal.class.hint())
            }
            loopx_contract::IdError::Malformed { .. } | loopx_contract::IdError::Length { .. } => {
                Self::usage(error.to_string()).hint("see `--help` of this command")
            }
        }
    }
}

impl From<loopx_store::StoreError> for CliError {
    fn from(error: loopx_store::StoreError) -> Self {
        let hint = error.hint();
        if let loopx_store::StoreError::Refused(refusal) = error {
            refusal.into()
        } else {
            Self::internal(error.to_string()).hint(hint)
        }
    }
}
