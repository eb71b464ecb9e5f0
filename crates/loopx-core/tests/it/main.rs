//! Tests of the domain.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]

mod decide;
mod first_screen;
mod histories;
mod support;
