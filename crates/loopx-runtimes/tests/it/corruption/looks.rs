//! Files that change between two looks with the same index: what is said is what a new index says.

use std::fs;

use loopx_runtimes::Runtime;

use super::trial::{Random, is_full};
use crate::pieces::{Growing, files};
use crate::scene::{after, text};

#[test]
fn files_that_shrink_or_are_replaced_or_go_on_between_two_looks() {
    let texts: Vec<(Runtime, String)> =
        files().iter().map(|(runtime, path)| (*runtime, text(path))).collect();
    let mut looks = 0;
    for seed in 0..if is_full() { 1500 } else { 40 } {
        let mut random = Random::new(seed);
        let (runtime, whole) = &texts[random.below(texts.len())];
        let mut growing = Growing::new(*runtime, after(whole));
        let mut file = Vec::new();
        for step in 0..8 {
            let place = |random: &mut Random, text: &[u8]| random.below(text.len() + 1);
            let done = random.below(6);
            match done {
                // It goes on, at times in the middle of a line.
                0 | 1 => {
                    let from = file.len().min(whole.len());
                    let upto = from + place(&mut random, &whole.as_bytes()[from..]);
                    file.extend(&whole.as_bytes()[from..upto]);
                }
                2 => file.truncate(place(&mut random, &file)),
                // Cut, and written on otherwise.
                3 => {
                    file.truncate(place(&mut random, &file));
                    let (_, other) = &texts[random.below(texts.len())];
                    let from = other.len() - place(&mut random, other.as_bytes());
                    let from = (0..=from).rev().find(|at| other.is_char_boundary(*at)).unwrap();
                    file.extend(other[from..].bytes());
                }
                // Another file in its place.
                4 => {
                    let upto = place(&mut random, whole.as_bytes());
                    file = whole.as_bytes()[..upto].to_vec();
                    let new = growing.path().with_extension("new");
                    fs::write(&new, b"").unwrap();
                    fs::rename(&new, growing.path()).unwrap();
                }
                _ => file.clear(),
            }
            growing.write(&file);
            let seen = growing.look();
            assert_eq!(seen, growing.look_beside(), "seed {seed}, step {step}: {done}");
            looks += 1;
        }
    }
    println!("looks: {looks}");
}
