//! What a store promises, on SQLite.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the crash proof says how far it went")]

mod common;
mod conformance;
mod crash;
mod damage;
mod histories;
mod log;
mod processes;
mod signed;
mod staying;
mod upkeep;
