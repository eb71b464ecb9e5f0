//! One thing that stands against a projection.

use loopx_safety::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

/// What was found, as a stable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The bytes are no JSON.
    MalformedJson,
    /// Nothing in it to check.
    EmptyDocument,
    /// One object has the same key twice: readers would disagree on what it says.
    DuplicateKey,
    /// Nested deeper than any projection.
    TooDeep,
    /// More values, or bytes, than any projection.
    TooLarge,
    /// A projection is an object.
    NotAnObject,
    /// A field of the contract is absent.
    MissingField,
    /// A field is of another type.
    WrongType,
    /// A text says nothing.
    EmptyText,
    /// A word outside of a closed vocabulary.
    UnknownValue,
    /// A field that the contract doesn't know.
    UnknownField,
    /// Not the schema version of this contract.
    WrongSchemaVersion,
    /// An id or reference that is empty or too long.
    IdLength,
    /// An id or reference with white space.
    IdWhiteSpace,
    /// An id of another alphabet or without its prefix.
    IdShape,
    /// An id or reference that the screen refused.
    IdUnsafe,
    /// Attached, but the session is neither named, nor withheld, nor said to be missing.
    SessionMissing,
    /// A session of no runtime.
    SessionWithoutRuntime,
    /// Attached, but with neither run nor todo.
    NothingToReconcile,
    /// The executable todo is not among the references.
    TodoNotLinked,
    /// The references name another todo than the one to advance.
    TodoMismatch,
    /// Said to be redacted, but every source id is there.
    RedactionUnfounded,
    /// An executable todo on a screen that doesn't wait on an agent with quota.
    ExecutableNotRunnable,
    /// Quota for an agent that is not waited on.
    EligibleNotAgent,
    /// Quota, but no todo to spend it on.
    EligibleWithoutExecutable,
    /// The user is waited on, and asked nothing.
    UserNotAsked,
    /// A blocked gate beside an executable todo.
    BlockedGateExecutable,
    /// The gate is a user todo, and none is open.
    UserTodoUnnamed,
    /// One todo for user and agent.
    TodoOfTwoAudiences,
    /// No decision gives this `waiting_on` with this `quota_state`.
    ImpossiblePair,
    /// No decision gives this `gate_state` with the rest.
    ImpossibleGate,
    /// A runtime fact is missing, and `latest_validation` doesn't name it.
    MissingFactUnnamed,
    /// A todo to execute, though the session's state is not known.
    GuessedAction,
    /// A word in the place of a null.
    PlaceholderRef,
    /// Not read-only, and no acceptance of writeback beside it.
    WritebackNotAccepted,
    /// The acceptance beside it covers another goal, lane or runtime.
    WritebackElsewhere,
    /// A text that the screen refused.
    UnsafeText,
    /// A key that the screen refused.
    UnsafeKey,
    /// A handle of a session, event, outcome or file in the showcase.
    HandleInShowcase,
    /// A `*_copied` flag says otherwise than the strings.
    FlagDisagrees,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The projection is not acceptable.
    Error,
    /// Worth a look; it may be right.
    Warning,
}

/// One finding. It never holds any of the text that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What.
    pub code: Code,
    /// The acceptance check it stands against, 1 to 5.
    pub check: u8,
    /// How much it weighs.
    pub severity: Severity,
    /// Where, as a JSON pointer; of something below an unsafe key, the nearest place that can be said.
    pub pointer: String,
    /// What to do about it.
    pub hint: String,
    /// What the screen said: class and columns.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// Findings as they come in.
#[derive(Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    /// Adds what stands against the projection.
    pub fn error(&mut self, check: u8, code: Code, pointer: impl Into<String>, hint: impl Into<String>) {
        self.push(check, code, Severity::Error, pointer.into(), hint.into(), None);
    }

    /// Adds what is worth a look.
    pub fn warning(&mut self, check: u8, code: Code, pointer: impl Into<String>, hint: impl Into<String>) {
        self.push(check, code, Severity::Warning, pointer.into(), hint.into(), None);
    }

    /// Adds what the screen refused.
    pub fn refused(&mut self, check: u8, code: Code, pointer: &str, hint: String, refusal: Refusal) {
        self.push(check, code, Severity::Error, pointer.to_owned(), hint, Some(refusal));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// By check, else as they came in.
    pub fn sorted(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|finding| finding.check);
        self.0
    }

    fn push(
        &mut self,
        check: u8,
        code: Code,
        severity: Severity,
        pointer: String,
        hint: String,
        refusal: Option<Refusal>,
    ) {
        self.0.push(Finding { code, check, severity, pointer, hint, refusal });
    }
}
