//! stub until joined
use loopx_contract::{CheckLabel, CheckOutcome};
use serde::{Deserialize, Serialize};
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    pub label: CheckLabel,
    pub joined: Joined,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Joined {
    Alone,
    Conjoined,
    Masked,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Failed,
    Cancelled,
    Unknown,
}
impl Kind {
    pub fn compound(self) -> bool {
        self.joined != Joined::Alone
    }
    pub fn outcome(self, _e: Exit) -> (CheckOutcome, Option<i32>) {
        (CheckOutcome::Unknown, None)
    }
}
pub fn of_line(_l: &str) -> Option<Kind> {
    None
}
pub fn of_words<S: AsRef<str>>(_w: &[S]) -> Option<Kind> {
    None
}
