//! Races.
use std::path::Path;
pub fn race(_base: &Path, _number: usize) {}
