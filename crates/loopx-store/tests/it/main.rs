//! What a store promises, on SQLite.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

mod common;
mod conformance;
mod damage;
mod histories;
mod log;
mod processes;
mod signed;
mod upkeep;
