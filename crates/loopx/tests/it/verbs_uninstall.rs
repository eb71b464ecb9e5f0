//! `loopx uninstall`.

use std::fs;

use crate::person::Types;
use crate::verbs_goal::with_goal;
use crate::world::World;

const CONFIRMED: [&str; 4] = ["uninstall", "--purge", "--confirm", "delete everything"];

#[test]
fn it_says_what_there_is_and_deletes_nothing() {
    let world = with_goal();
    let ran = world.run(&["uninstall"]).ok();
    assert!(ran.out.contains("data folder holds index.db, install.json, loopx.db"), "{ran:?}");
    assert!(ran.out.contains("hooks: none installed"), "{ran:?}");
    assert!(!ran.out.contains(world.path("").to_str().expect("text")), "{ran:?}");
    assert_eq!(world.json(&["uninstall"])["removed"], false);
    world.run(&["goal", "show"]).ok();
}

#[test]
fn without_anything_there_nothing_is_made() {
    let world = World::new();
    assert!(world.run(&["uninstall"]).ok().out.contains("data folder: nothing is there"));
    assert!(!world.path("loopx").exists());
    world.run(&CONFIRMED).ok();
}

#[test]
fn a_purge_needs_a_person_or_the_words() {
    let world = with_goal();
    world.run(&["uninstall", "--purge"]).fails(7, "there is no terminal").fails(7, "hint: ");
    world.run(&["uninstall", "--purge", "--confirm", "yes"]).fails(2, "those are not the words");
    world.run(&["uninstall", "--confirm", "delete everything"]).fails(2, "--purge");
    let (ran, _) = world.at_terminal(Types::Nonsense, &["uninstall", "--purge"]);
    ran.fails(7, "nothing was deleted: the code was not typed back");
    let inside = world.with("LOOPX_SESSION", "ses_0123456789abcdefghjkmnpqrs");
    inside.run(&CONFIRMED).fails(7, "this runs inside an agent's session");
    world.run(&["goal", "show"]).ok();
}

#[test]
fn a_purge_deletes_our_folders_and_nothing_else() {
    for typed in [true, false] {
        let world = with_goal();
        fs::write(world.path("loopx/config.toml"), "").expect("a file");
        fs::write(world.path("home/keep"), "").expect("a file");
        if typed {
            let (ran, shown) = world.at_terminal(Types::TheCode, &["uninstall", "--purge"]);
            ran.ok();
            assert!(shown.starts_with("delete all of LoopX's data and settings for good, "), "{shown}");
        } else {
            assert_eq!(world.run(&[&CONFIRMED[..], &["--json"]].concat()).ok().json()["removed"], true);
        }
        assert!(!world.path("loopx").exists());
        assert!(world.path("home/keep").is_file());
        world.run(&["goal", "show"]).fails(3, "no goal handbook");
    }
}

#[test]
fn data_and_settings_may_lie_apart() {
    let world = World::new();
    let mut world = world.with("XDG_DATA_HOME", world.path("home/data"));
    world.env.vars.remove(std::ffi::OsStr::new("LOOPX_HOME"));
    world.run(&["goal", "add", "a", "--objective", "x y"]).ok();
    fs::create_dir_all(world.path("home/.config/loopx")).expect("folders");
    fs::write(world.path("home/.config/loopx/config.toml"), "").expect("a file");
    assert!(world.run(&["uninstall"]).ok().out.contains("config folder holds config.toml"));
    world.run(&CONFIRMED).ok();
    assert!(!world.path("home/data/loopx").exists() && !world.path("home/.config/loopx").exists());
    assert!(world.path("home/.config").exists());
}

#[test]
fn a_folder_with_what_is_not_ours_is_left_alone() {
    let world = with_goal();
    fs::write(world.path("loopx/thesis.md"), "mine").expect("a file");
    world
        .run(&CONFIRMED)
        .fails(7, "the data folder holds what is not LoopX's: thesis.md")
        .fails(7, "hint: move it");
    assert!(world.run(&["uninstall"]).ok().out.contains("data folder: not LoopX's: thesis.md"));
    fs::remove_file(world.path("loopx/thesis.md")).expect("gone");
    std::os::unix::fs::symlink(world.path("home"), world.path("loopx/loopx.db.new")).expect("a link");
    world.run(&CONFIRMED).fails(7, "loopx.db.new");
    world.run(&["goal", "show"]).ok();
}

#[test]
fn a_demo_goes_with_it_unless_something_was_put_there() {
    let world = with_goal();
    world.run(&["demo"]).ok();
    assert!(world.run(&["uninstall"]).ok().out.contains("the sample of `loopx demo`"));
    fs::write(world.path("loopx/demo/mine"), "").expect("a file");
    world.run(&CONFIRMED).fails(7, "holds what is not LoopX's: demo");
    fs::remove_file(world.path("loopx/demo/mine")).expect("gone");
    world.run(&CONFIRMED).ok();
    assert!(!world.path("loopx").exists());
}
