//! Prints a dictionary for the targets of the screen: the marks that credentials begin with, the words that they are
//! set to, and what other steps go by.

use std::collections::BTreeSet;

use loopx_safety::screen::credential::kinds::KINDS;

/// What addresses, paths, names, encodings and mark-up are written with.
const SIGNS: &[&str] = &[
    "/home/", "/Users/", "C:\\", "\\\\", "~/", "../", "file://", "https://", "ssh://", "www.", "git@", ".com",
    ".internal", ".local", "localhost", ":8080", "@", "[::1]", "127.0.0.1", "fe80::", "%2f", "%252f", "&#47;",
    "&sol;", "\\u002f", "\\u{2f}", "\\x2f", "L2hvbWUv", "2f686f6d652f", "password=", "token: ", "commit ", "sha256:",
    "<system-reminder>", "```", "\u{ff0f}", "\u{200b}", "\u{202e}", "\u{430}", "xn--", "todo_", "gate_", "T00:00:00Z",
];

fn main() {
    let marks: BTreeSet<&str> = KINDS.iter().flat_map(|kind| kind.marks()).chain(SIGNS.iter().copied()).collect();
    for mark in marks {
        let escaped: String = mark.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        println!("\"{escaped}\"");
    }
}
