use std::os::unix::fs::symlink;

use super::*;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("settings.json");
    (folder, path)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").mode() & 0o777
}

#[track_caller]
fn bytes(path: &Path) -> Vec<u8> {
    contents(path).expect("a file")
}

#[test]
fn a_file_keeps_its_mode_and_its_mark_and_nothing_is_left_beside_it() {
    let (folder, path) = folder();
    fs::write(&path, "\u{feff}{}").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
    let original = Original::read(&path).expect("read");
    assert_eq!(original.text(), "{}");
    original.replace("{ }").expect("replaced");
    assert_eq!((bytes(&path).as_slice(), mode(&path)), ("\u{feff}{ }".as_bytes(), 0o640));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_link_is_followed_and_stays_a_link() {
    let (folder, path) = folder();
    let real = folder.path().join("real");
    fs::write(&real, "{}").expect("a file");
    symlink("real", &path).expect("a link");
    Original::read(&path).expect("read").replace("x").expect("replaced");
    assert!(fs::symlink_metadata(&path).expect("a link").is_symlink());
    assert_eq!(bytes(&real), b"x");
    fs::remove_file(&real).expect("gone");
    assert!(matches!(Original::read(&path), Err(Trouble::Dangling)));
}

#[test]
fn a_file_that_is_not_there_is_made_for_its_owner_and_taken_away_again() {
    let (_folder, path) = folder();
    let original = Original::read(&path).expect("read");
    assert!(!original.exists() && original.text().is_empty());
    original.replace("{}").expect("made");
    assert_eq!(mode(&path), 0o600);
    Original::read(&path).expect("read").remove().expect("gone");
    assert!(!path.exists());
    assert!(matches!(Original::read(&path.join("no/such")), Err(Trouble::NoFolder | Trouble::Io(_))));
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let (folder, path) = folder();
    fs::write(&path, "{}").expect("a file");
    let original = Original::read(&path).expect("read");
    fs::write(&path, "{\"a\":1}").expect("a file");
    assert!(matches!(original.replace("x"), Err(Trouble::Changed)));
    assert!(matches!(original.remove(), Err(Trouble::Changed)));
    fs::remove_file(&path).expect("gone");
    assert!(matches!(original.replace("x"), Err(Trouble::Io(_))));
    let nothing = Original::read(&path).expect("read");
    fs::write(&path, "theirs").expect("a file");
    assert!(matches!(nothing.replace("x"), Err(Trouble::Changed | Trouble::Io(_))));
    assert_eq!(bytes(&path), b"theirs");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn what_nobody_may_write_to_is_left_alone_by_root_too() {
    let (folder, path) = folder();
    fs::write(&path, "{}").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("a mode");
    assert!(matches!(Original::read(&path).expect("read").replace("x"), Err(Trouble::ReadOnly)));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).expect("a mode");
    let refused = Original::read(&path).expect("read").replace("x");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    assert!(matches!(refused, Err(Trouble::ReadOnly)));
    assert_eq!(bytes(&path), b"{}");
}

#[test]
fn what_is_no_plain_text_file_is_left_alone() {
    let (folder, path) = folder();
    fs::create_dir(&path).expect("a folder");
    assert!(matches!(Original::read(&path), Err(Trouble::NotAFile)));
    fs::remove_dir(&path).expect("gone");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).expect("a pipe");
    assert!(matches!(Original::read(&path), Err(Trouble::NotAFile)));
    fs::remove_file(&path).expect("gone");
    fs::write(&path, [0xff, b'{', b'}']).expect("a file");
    assert!(matches!(Original::read(&path), Err(Trouble::NotText)));
    fs::write(&path, vec![b' '; 5 << 20]).expect("a file");
    assert!(matches!(Original::read(&path), Err(Trouble::TooLong)));
    fs::write(&path, "{}").expect("a file");
    fs::hard_link(&path, folder.path().join("other")).expect("a link");
    assert!(matches!(Original::read(&path).expect("read").replace("x"), Err(Trouble::Linked)));
}
