//! The contract's own projection, the schemas and the acceptance checks.

#![expect(clippy::unwrap_used, reason = "a helper of the tests fails like a test")]
#![expect(clippy::too_many_lines, reason = "a table of cases is one thing, however long")]

mod cases;
mod check_boundary;
mod check_ids;
mod check_missing;
mod check_rules;
mod check_strings;
mod document;
mod neutral;
mod properties;
mod round_trip;
mod rows;
mod schemas;
mod worker;
