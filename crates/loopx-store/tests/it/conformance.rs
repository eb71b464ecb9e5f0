//! The SQLite engine is held to what every engine is.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use loopx_store::{SqliteStore, Store, conformance};

#[test]
fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let count = AtomicU32::new(0);
    let make = || -> Box<dyn Store> {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let base: PathBuf = folder.path().join(number.to_string());
        Box::new(SqliteStore::open(&base).unwrap())
    };
    let mut failed = Vec::new();
    for (name, check) in conformance::CHECKS {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&make))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
