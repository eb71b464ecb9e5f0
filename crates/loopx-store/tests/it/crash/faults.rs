//! Disks.
use std::path::Path;
pub fn fill(_base: &Path) {}
