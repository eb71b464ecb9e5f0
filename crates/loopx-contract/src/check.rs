//! The acceptance checks.
