//! `loopx check --text` on long lines: what is cut is found once, in its place.

use serde_json::{Value, json};

use crate::verbs_check_text::{check, put, token};
use crate::world::World;

fn findings(world: &World) -> Vec<Value> {
    check(world, &["--json"]).json()["findings"].as_array().expect("findings").clone()
}

fn words(bytes: usize) -> String {
    "word ".repeat(bytes / 5 + 1)[..bytes].to_owned()
}

#[test]
fn a_secret_is_found_wherever_a_long_line_is_cut() {
    let world = World::new();
    let end = 1 << 20;
    for at in (end - 600..end + 40).step_by(71) {
        put(&world, "long.txt", format!("first\n{} {} {}\n", words(at), token(), words(1500)));
        let found = findings(&world);
        assert_eq!(found.len(), 1, "{at}: {found:?}");
        assert_eq!(found[0]["columns"], json!({ "start": at + 2, "end": at + 42 }));
        assert_eq!(found[0]["line"], 2);
    }
}

#[test]
fn each_secret_of_a_long_line_is_found_once_wherever_its_parts_are_cut() {
    let world = World::new();
    for at in (2900..4200).step_by(37) {
        let middle = words(3500);
        put(&world, "long.txt", format!("{} {} é{middle} {}\n", words(at), token(), token()));
        let columns: Vec<_> = findings(&world).into_iter().map(|one| one["columns"].clone()).collect();
        let first = at + 2;
        let second = first + 40 + 2 + middle.len() + 1;
        let expected = [first, second].map(|start| json!({ "start": start, "end": start + 40 }));
        assert_eq!(columns, expected, "{at}");
    }
}

#[test]
fn a_cut_never_falls_into_a_character() {
    let world = World::new();
    for before in 0..4 {
        let text = format!("{}{} {}", "x".repeat(before), "\u{20000}".repeat(1 << 18), token());
        put(&world, "long.txt", text);
        let found = findings(&world);
        let start = before + (1 << 18) + 2;
        let columns = json!({ "start": start, "end": start + 40 });
        let is_it = |one: &&Value| one["class"] == "credential" && one["columns"] == columns;
        assert_eq!(found.iter().filter(is_it).count(), 1, "{before}: {found:?}");
    }
}

#[test]
fn no_secret_is_lost_in_a_line_without_a_space() {
    let world = World::new();
    for at in (3300..4200).step_by(53) {
        let commas = |bytes: usize| "word,".repeat(bytes / 5 + 1)[..bytes].to_owned();
        put(&world, "long.txt", format!("{},{},{}\n", commas(at), token(), commas(5000)));
        let found = findings(&world);
        assert!(found.iter().any(|one| one["class"] == "credential"), "{at}: {found:?}");
    }
}

#[test]
fn a_long_line_full_of_findings_says_what_it_left_out() {
    let world = World::new();
    put(&world, "many.txt", format!("{} ", "10.1.2.3").repeat(2000));
    let ran = check(&world, &[]);
    assert_eq!(ran.code, 7);
    assert!(ran.out.contains("error ip: ") && ran.out.contains("error unread: the rest"), "{ran:?}");
}

#[test]
fn a_file_full_of_findings_is_counted_to_its_end() {
    let world = World::new();
    put(&world, "many.txt", format!("{}\n", token()).repeat(10_005));
    let ran = check(&world, &[]).fails(7, "1 file: 10005 findings");
    assert!(ran.out.contains("many.txt: 5 findings more not listed\n"), "{ran:?}");
    assert_eq!(check(&world, &["--json"]).json()["unlisted"], 5);
}
