//! The contract's own projection, the schemas and the acceptance checks.

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
