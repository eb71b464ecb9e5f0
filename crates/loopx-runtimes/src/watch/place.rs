//! The folders that are watched.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use notify::RecursiveMode;

use crate::Sources;

/// A folder that is to be watched, there or not.
pub(super) struct Place {
    /// Where.
    pub path: PathBuf,
    /// Whether folders in it are watched too.
    pub mode: RecursiveMode,
    /// Whether it is LoopX's own.
    pub is_own: bool,
    /// Which folder is watched: its device and inode.
    seen: Option<(u64, u64)>,
}

/// Every folder that a look depends on.
pub(super) fn all(sources: &Sources, own: &Path) -> Vec<Place> {
    let deep = |path: PathBuf| Place { path, mode: RecursiveMode::Recursive, is_own: false, seen: None };
    let flat = |path: PathBuf| Place { path, mode: RecursiveMode::NonRecursive, is_own: false, seen: None };
    let codex = sources
        .codex_homes
        .iter()
        .flat_map(|home| [deep(home.join("sessions")), flat(home.join("thread-writer-locks"))]);
    let claude = sources
        .claude_roots
        .iter()
        .flat_map(|root| [deep(root.join("projects")), flat(root.join("sessions"))]);
    codex.chain(claude).chain([Place { is_own: true, ..flat(own.to_owned()) }]).collect()
}

impl Place {
    fn there(&self) -> Option<(u64, u64)> {
        let meta = fs::metadata(&self.path).ok().filter(fs::Metadata::is_dir)?;
        Some((meta.dev(), meta.ino()))
    }

    /// Whether it is there, and is not the folder that is watched.
    pub fn is_new(&self) -> bool {
        let there = self.there();
        there.is_some() && there != self.seen
    }

    /// It may be another one by now.
    pub const fn forget(&mut self) {
        self.seen = None;
    }

    /// It is watched from now on.
    pub fn watched(&mut self) {
        self.seen = self.there();
    }

    /// Whether all that happens in it happens on this machine: no other one's changes are told of.
    pub fn is_local(&self) -> bool {
        // NFS, SMB, CIFS, SMB2, FUSE, 9p, AFS, Ceph, shared folders of virtual machines.
        const SHARED: [i64; 10] = [
            0x6969,
            0x517b,
            0xff53_4d42,
            0xfe53_4d42,
            0x6573_5546,
            0x0102_1997,
            0x5346_414f,
            0x00c3_6400,
            0x786f_4256,
            0xbacb_acbc,
        ];
        let found = rustix::fs::statfs(&self.path);
        #[expect(clippy::useless_conversion, reason = "the number's width is the machine's")]
        let kind = found.map(|found| i64::from(found.f_type) & 0xffff_ffff);
        kind.is_ok_and(|kind| !SHARED.contains(&kind))
    }
}
