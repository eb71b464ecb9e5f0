//! Tests of the domain.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../../loopx-safety/tests/it/compile_fail.rs"]
mod compile_fail;
mod decide;
mod first_screen;
mod histories;
mod past;
mod spending;
mod support;
