//! Project folders: the handles under which a session's working folder may be bound.

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use loopx_contract::Ref;
use loopx_safety::{HandleKind, InstallKey};

/// The handle of a folder, by its canonical path. The path itself never leaves this machine.
pub fn handle(key: &InstallKey, folder: &Path) -> Ref {
    let hex =
        folder.as_os_str().as_bytes().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    key.handle(HandleKind::Folder, "loopx", &hex).into()
}

/// The folder as the file system knows it; as it was given where it is gone.
pub fn canonical(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// The folder and all above it, nearest first; after each worktree of git, the folder that owns its repository.
pub fn chain(folder: &Path) -> Vec<PathBuf> {
    let mut chain = Vec::new();
    for ancestor in canonical(folder).ancestors() {
        chain.push(ancestor.to_owned());
        if let Some(owner) = worktree_owner(ancestor) {
            chain.push(owner);
        }
    }
    chain
}

/// The main working folder of a linked worktree: its `.git` is a file that names a folder whose `commondir` leads to
/// the repository.
fn worktree_owner(folder: &Path) -> Option<PathBuf> {
    let link = folder.join(".git");
    if !fs::symlink_metadata(&link).ok()?.is_file() {
        return None;
    }
    let gitdir = folder.join(read_line(&link)?.strip_prefix("gitdir:")?.trim());
    let common = fs::canonicalize(gitdir.join(read_line(&gitdir.join("commondir"))?.trim())).ok()?;
    if common.file_name()? == ".git" { common.parent().map(Path::to_owned) } else { Some(common) }
}

fn read_line(path: &Path) -> Option<String> {
    // A pipe that nobody writes to would hold us up for ever.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
    Some(text.lines().next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_belongs_to_its_repository() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a path");
        let (main, tree) = (root.join("main"), root.join("tree"));
        let private = main.join(".git/worktrees/tree");
        fs::create_dir_all(&private).expect("folders");
        fs::create_dir_all(tree.join("src")).expect("folders");
        fs::write(private.join("commondir"), "../..\n").expect("a file");
        fs::write(tree.join(".git"), format!("gitdir: {}\n", private.display())).expect("a file");
        let chain = chain(&tree.join("src"));
        assert_eq!(chain[..3], [tree.join("src"), tree.clone(), main]);
        // A pipe in its place is passed by, not waited for.
        fs::remove_file(private.join("commondir")).expect("gone");
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, private.join("commondir"), kind, mode, 0).expect("a pipe");
        assert_eq!(super::chain(&tree)[..2], [tree, root]);
    }
}
