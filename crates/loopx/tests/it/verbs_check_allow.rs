//! `loopx check --text --allow`: exceptions, and what is wrong with them.

use std::fs;

use crate::verbs_check_text::{check, mail, put, token};
use crate::world::{Ran, World};

/// A tree with a mail address in two files and a token beside one of them.
fn tree(allow: &str) -> World {
    let world = World::new();
    put(&world, "a.md", format!("one\nask {}\n", mail()));
    put(&world, "docs/b.md", format!("ask {} or {}\n", mail(), token()));
    fs::write(world.path("work/allow.toml"), allow).expect("a file");
    world
}

fn checked(allow: &str) -> Ran {
    check(&tree(allow), &["--allow", "allow.toml"])
}

const REASON: &str = "reason = \"a role's address\"\n";

#[test]
fn an_exception_takes_its_class_out_and_nothing_beside_it() {
    let ran = checked(&format!("[[allow]]\npath = \"**/*.md\"\nclass = \"mail\"\n{REASON}"));
    ran.fails(7, "2 files: 1 finding, 2 excepted, 0 warnings");
    let ran = checked(&format!("[[allow]]\npath = \"**/*.md\"\nclass = \"credential\"\n{REASON}"));
    assert!(ran.out.contains("error mail: ") && !ran.out.contains("error credential: "), "{ran:?}");
}

#[test]
fn an_exception_for_a_link_hides_nothing_in_it_or_after_it() {
    let world = tree(&format!("[[allow]]\npath = \"a.json\"\nclass = \"url\"\n{REASON}"));
    let random = ["q7Xk2vRt9", "LmZ4bWc8N", "hJ3sPd6Yf", "0GaUe5Ti"].concat();
    put(&world, "a.json", format!("{{\"u\":\"https://a.example/x/{random}\",\"m\":\"{}\"}}\n", mail()));
    let ran = check(&world, &["--allow", "allow.toml"]);
    for found in ["a.json:1:17-61: error high_entropy: ", "a.json:1:69-94: error mail: "] {
        assert!(ran.out.contains(found), "no {found} in {ran:?}");
    }
    assert!(!ran.out.contains("error url: ") && !ran.out.contains(&random[..9]), "{ran:?}");
}

#[test]
fn everything_excepted_is_a_pass() {
    let both = ["mail", "credential"]
        .map(|class| format!("[[allow]]\npath = \"**\"\nclass = \"{class}\"\n{REASON}"))
        .concat();
    checked(&both).ok();
}

#[test]
fn a_line_columns_or_a_number_narrow_it() {
    let entry = |more: &str| format!("[[allow]]\npath = \"a.md\"\nclass = \"mail\"\n{REASON}{more}\n");
    for fits in ["line = 2", "columns = \"5-30\"", "line = 2\ncolumns = \"5-30\"", "most = 1"] {
        let ran = checked(&entry(fits));
        assert!(!ran.out.contains("a.md:2:"), "{fits}: {ran:?}");
    }
    for fits_not in ["line = 1", "columns = \"5-31\"", "line = 3\nmost = 2"] {
        let ran = checked(&entry(fits_not));
        assert!(ran.out.contains("a.md:2:5-30: error mail: "), "{fits_not}: {ran:?}");
        assert!(ran.out.contains("allow.toml:1: warning unused: "), "{fits_not}: {ran:?}");
    }
}

#[test]
fn one_more_than_an_exception_allows_is_found() {
    let allow = format!("[[allow]]\npath = \"a.md\"\nclass = \"mail\"\nmost = 1\n{REASON}");
    let world = tree(&allow);
    put(&world, "a.md", format!("{}\n{}\n", mail(), mail()));
    let ran = check(&world, &["--allow", "allow.toml"]);
    assert!(!ran.out.contains("a.md:1:") && ran.out.contains("a.md:2:1-26: error mail: "), "{ran:?}");
}

#[test]
fn what_was_not_looked_into_can_be_excepted() {
    let world = tree(&format!("[[allow]]\npath = \"*.zip\"\nclass = \"unread\"\n{REASON}"));
    fs::remove_dir_all(world.path("work/tree")).expect("no tree");
    put(&world, "a.zip", b"PK\x03\x04");
    check(&world, &["--allow", "allow.toml"]).ok();
}

#[test]
fn a_refused_name_is_excepted_by_its_real_path() {
    let world = tree(&format!("[[allow]]\npath = \"{}.md\"\nclass = \"mail\"\n{REASON}", mail()));
    fs::remove_dir_all(world.path("work/tree")).expect("no tree");
    put(&world, &format!("{}.md", mail()), "clean\n");
    check(&world, &["--allow", "allow.toml"]).ok();
}

#[test]
fn an_exception_that_matches_nothing_is_a_warning_and_no_refusal() {
    let world = tree("# none\n\n[[allow]]\npath = \"c.md\"\nclass = \"url\"\nreason = \"x\"\n");
    fs::remove_dir_all(world.path("work/tree")).expect("no tree");
    put(&world, "a.md", "clean\n");
    let ran = check(&world, &["--allow", "allow.toml"]).ok();
    assert!(ran.out.contains("allow.toml:3: warning unused: "), "{ran:?}");
    assert_eq!(check(&world, &["--allow", "allow.toml", "--json"]).json()["unused"], serde_json::json!([3]));
}

#[test]
fn a_faulty_file_is_refused_by_its_line_with_a_way_out() {
    let entry = "[[allow]]\npath = \"a\"\nclass = \"url\"\n";
    for (allow, words) in [
        ("[[allow]]\npath = a\n".to_owned(), "line 2 of allow.toml: it is no TOML"),
        ("x = 1\n".to_owned(), "line 1 of allow.toml: this is no exception"),
        ("allow = [1]\n".to_owned(), "line 1 of allow.toml: this is no exception"),
        (entry.to_owned(), "line 1 of allow.toml: the exception has no reason"),
        (format!("{entry}reason = \" \"\n"), "line 4 of allow.toml: the reason is empty"),
        ("[[allow]]\nclass = \"url\"\nreason = \"x\"\n".to_owned(), "the exception has no path"),
        ("[[allow]]\npath = \"x\"\nreason = \"x\"\n".to_owned(), "the exception has no class"),
        (
            "[[allow]]\npath = \"x\"\nclass = \"links\"\n".to_owned(),
            "line 3 of allow.toml: there is no such class",
        ),
        ("[[allow]]\npath = \"[x\"\n".to_owned(), "line 2 of allow.toml: the path is no glob"),
        (format!("{entry}hash = \"x\"\n"), "line 4 of allow.toml: an exception has no such key"),
        (format!("{entry}line = 0\n"), "line 4 of allow.toml: this is no number"),
        (format!("{entry}columns = \"9-5\"\n"), "line 4 of allow.toml: these are no columns"),
    ] {
        let ran = checked(&allow).fails(2, words);
        assert!(ran.err.contains("\nhint: ") && ran.out.is_empty(), "{ran:?}");
    }
    tree("")
        .run(&["check", "--text", "tree", "--allow", "gone.toml"])
        .fails(3, "no file or folder gone.toml");
    tree("").run(&["check", "--text", "tree", "--allow", "tree"]).fails(2, "failed to read tree");
}

#[test]
fn a_faulty_file_is_not_repeated_in_its_error() {
    for allow in [format!("{}\n", token()), format!("[[allow]]\nclass = \"{}\"\n", token())] {
        checked(&allow).fails(2, "allow.toml: ");
    }
}
