//! `loopx check --text`: what is found in a tree, where, and that none of it is repeated.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::world::{Ran, World};

/// Two secrets, put together here so that the project holds none.
pub fn token() -> String {
    ["ghp_", "0123456789abcdefghij", "ABCDEFGHIJ012345"].concat()
}

pub fn mail() -> String {
    ["somebody", "@", "corp-mail", ".example"].concat()
}

/// Writes a file of the tree.
pub fn put(world: &World, name: &str, bytes: impl AsRef<[u8]>) {
    let file = world.path("work/tree").join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    fs::write(file, bytes).expect("a file");
}

/// Checks the tree.
pub fn check(world: &World, more: &[&str]) -> Ran {
    let ran = world.run(&[&["check", "--text", "tree"], more].concat());
    for secret in [token(), mail()] {
        assert!(!ran.out.contains(&secret[..12]) && !ran.err.contains(&secret[..12]), "{ran:?}");
    }
    ran
}

#[track_caller]
fn says(ran: &Ran, line: &str) {
    assert!(ran.out.lines().any(|one| one.starts_with(line)), "no {line:?} in {ran:?}");
}

#[test]
fn a_clean_tree_passes() {
    let world = World::new();
    put(&world, "README.md", "# A title\n\n\tindented by a tab\r\nand a line break of Windows\r\n   \n");
    put(&world, "src/empty.rs", "");
    put(&world, "src/accents.txt", "é ü 日本 … ✅ no line break at the end");
    let ran = check(&world, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.err, "3 files: 0 findings, 0 excepted, 0 warnings\n");
}

#[test]
fn a_finding_names_file_line_columns_and_class() {
    let world = World::new();
    put(&world, "docs/notes.md", format!("# notes\n\nwrite to {} soon\n", mail()));
    let ran = check(&world, &[]);
    assert_eq!(ran.code, 7, "{ran:?}");
    says(&ran, "docs/notes.md:3:10-35: error mail: name the role instead of the address");
    let document = check(&world, &["--json"]).json();
    assert_eq!(document["schema_version"], "loopx_check_text_v0");
    assert_eq!(document["accepted"], false);
    let finding = &document["findings"][0];
    assert_eq!((&finding["path"], &finding["line"]), (&"docs/notes.md".into(), &3.into()));
    assert_eq!(finding["columns"], serde_json::json!({ "start": 10, "end": 36 }));
    assert_eq!(finding["class"], "mail");
}

#[test]
fn everything_on_a_line_is_found_not_only_the_first_thing() {
    let world = World::new();
    put(&world, "a.txt", format!("{} and {} and /etc/{}\n", token(), mail(), "passwd"));
    let ran = check(&world, &[]);
    for class in ["credential", "mail", "path"] {
        assert!(ran.out.contains(&format!("error {class}: ")), "no {class} in {ran:?}");
    }
}

#[test]
fn the_word_after_a_secret_is_no_secret() {
    let world = World::new();
    put(
        &world,
        "a.txt",
        format!("{}: {} Recovered from the backup\n", ["pass", "word"].concat(), "hunter2x9"),
    );
    let ran = check(&world, &[]);
    assert_eq!(
        ran.out,
        "a.txt:1:11-19: error credential: take the secret out, and rotate it if it was real\n"
    );
}

#[test]
fn what_an_invisible_character_splits_is_found() {
    let world = World::new();
    let (head, tail) = (&token()[..9], &token()[9..]);
    put(&world, "a.txt", format!("{head}\u{200b}{tail}\n"));
    let ran = check(&world, &[]);
    says(&ran, "a.txt:1:10: error control: ");
    says(&ran, "a.txt:1:1-41: error credential: ");
}

#[test]
fn a_refused_name_is_found_and_not_shown() {
    let world = World::new();
    put(&world, &format!("a/{}/b.txt", mail()), format!("{}\n", token()));
    put(&world, &format!("a/{}.txt", token()), "clean\n");
    let ran = check(&world, &[]);
    says(&ran, "a/[redacted:mail:2] (its name, columns 1-26): error mail: ");
    says(&ran, "a/[redacted:mail:2]/b.txt:1:1-40: error credential: ");
    says(&ran, "a/[redacted:credential:1] (its name, columns 1-40): error credential: ");
    check(&world, &["--sarif"]);
    check(&world, &["--json"]);
}

#[test]
fn ignored_files_are_left_out_unless_asked_for_and_hidden_ones_are_not() {
    let world = World::new();
    for name in ["by_git.log", "by_ignore.log", "excluded.log", "docs/.hidden", ".git/config", "plain.log"] {
        put(&world, name, format!("{}\n", token()));
    }
    put(&world, ".gitignore", "by_git.log\n");
    put(&world, ".ignore", "by_ignore.log\n");
    put(&world, ".git/info/exclude", "excluded.log\n");
    let found = |ran: &Ran| {
        let mut names: Vec<_> = ran
            .out
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, _)| name.to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(found(&check(&world, &[])), ["docs/.hidden", "plain.log"]);
    let all = ["by_git.log", "by_ignore.log", "docs/.hidden", "excluded.log", "plain.log"];
    assert_eq!(found(&check(&world, &["--no-ignore"])), all);
}

#[test]
fn a_gitignore_outside_of_any_repository_does_not_reach_in() {
    let world = World::new();
    fs::write(world.path("work/.gitignore"), "*.md\n").expect("a file");
    put(&world, "a.md", format!("{}\n", token()));
    says(&check(&world, &[]), "a.md:1:1-40: error credential: ");
}

#[test]
fn links_are_named_and_not_followed_and_where_they_point_is_screened() {
    let world = World::new();
    put(&world, "a.txt", "clean\n");
    fs::write(world.path("work/outside.txt"), token()).expect("a file");
    symlink("../outside.txt", world.path("work/tree/out")).expect("a link");
    symlink("a.txt", world.path("work/tree/in")).expect("a link");
    symlink(".", world.path("work/tree/loop")).expect("a link");
    let ran = check(&world, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(check(&world, &["--json"]).json()["links"], serde_json::json!(["in", "loop", "out"]));
    symlink(Path::new("/home").join("somebody").join("x"), world.path("work/tree/far")).expect("a link");
    let ran = check(&world, &[]);
    assert_eq!(ran.code, 7, "{ran:?}");
    says(&ran, "far (where it points, columns 1-16): error path: ");
    assert!(!ran.out.contains("somebody"), "{ran:?}");
}

#[test]
fn archives_pipes_and_unreadable_files_are_findings() {
    let world = World::new();
    put(&world, "a.zip", b"PK\x03\x04rest");
    put(&world, "a.gz", b"\x1f\x8b\x08\x00rest");
    put(&world, "locked", "x\n");
    fs::set_permissions(world.path("work/tree/locked"), fs::Permissions::from_mode(0o000)).expect("a mode");
    let fifo = world.path("work/tree/fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let ran = check(&world, &[]);
    assert_eq!(ran.code, 7, "{ran:?}");
    for name in ["a.zip", "a.gz", "fifo"] {
        says(&ran, &format!("{name}: error unread: "));
    }
    // The superuser reads everything.
    if fs::File::open(world.path("work/tree/locked")).is_err() {
        says(&ran, "locked: error unread: ");
    }
}

#[test]
fn nothing_looked_into_is_no_pass() {
    let world = World::new();
    put(&world, ".gitignore", "*\n");
    put(&world, "a.md", "x\n");
    says(&check(&world, &[]).fails(7, "0 files"), ".: error unread: ");
}

#[test]
fn utf_16_and_bytes_that_are_no_text_are_read_and_said() {
    let world = World::new();
    let wide: Vec<u8> =
        format!("\u{feff}first\n{}\n", token()).encode_utf16().flat_map(u16::to_be_bytes).collect();
    put(&world, "wide.txt", wide);
    put(&world, "bom.txt", format!("\u{feff}{}\n", token()));
    let latin: Vec<u8> = [b"caf\xe9 au lait ", token().as_bytes(), b"\n"].concat();
    put(&world, "latin.txt", latin);
    let ran = check(&world, &[]);
    says(&ran, "wide.txt:2:1-40: error credential: ");
    says(&ran, "wide.txt: note read as UTF-16");
    says(&ran, "bom.txt:1:1-40: error credential: ");
    says(&ran, "latin.txt:1:14-53: error credential: ");
    says(&ran, "latin.txt: note not all of it is UTF-8");
}

#[test]
fn a_binary_file_is_searched_for_runs_of_text_in_one_byte_and_in_two() {
    let world = World::new();
    let noise: Vec<u8> = (0..=255).cycle().filter(|byte| *byte < 32 || *byte > 126).take(1000).collect();
    put(&world, "narrow.bin", [&noise[..], token().as_bytes(), &noise[..]].concat());
    let wide: Vec<u8> = token().encode_utf16().flat_map(u16::to_le_bytes).collect();
    put(&world, "wide.bin", [&noise[..], &wide[..], &noise[..]].concat());
    let ran = check(&world, &[]);
    for name in ["narrow.bin", "wide.bin"] {
        says(&ran, &format!("{name} (byte 1000): error credential: "));
        says(&ran, &format!("{name}: note binary: "));
    }
}

#[test]
fn stdin_folders_and_files_are_named_as_they_were_typed() {
    let world = World::new();
    put(&world, "docs/a.md", format!("{}\n", token()));
    put(&world, "b.md", format!("{}\n", token()));
    let ran = world.run(&["check", "--text", "tree/docs", "./tree/b.md"]);
    says(&ran, "tree/docs/a.md:1:1-40: ");
    says(&ran, "tree/b.md:1:1-40: ");
    world.run(&["check", "--text", "nowhere"]).fails(3, "no file or folder nowhere");
    for alone in ["--no-ignore", "--sarif", "--allow=x"] {
        world.run(&["check", "tree", alone]).fails(2, "--text");
    }
}

#[test]
fn a_path_is_fine_locally_and_not_in_the_showcase() {
    let world = World::new();
    put(&world, "a.txt", "see src/cli/check.rs\n");
    assert_eq!(check(&world, &[]).code, 0);
    says(&check(&world, &["--tier", "showcase"]), "a.txt:1:5-20: error path: ");
}

#[test]
fn a_name_that_is_no_text_is_looked_at() {
    let world = World::new();
    put(&world, "a.txt", "clean\n");
    let name = std::ffi::OsString::from_vec([b"caf\xe9 ", mail().as_bytes()].concat());
    fs::write(world.path("work/tree").join(name), "clean\n").expect("a file");
    says(&check(&world, &[]), "[redacted:mail:2] (its name, columns 6-31): error mail: ");
}
