//! What the operating system said is shown in our words: `io_words` has them, and nothing shows a kind or an error of
//! `std::io` as it displays itself.

use super::none;
use super::project::{Source, source, sources};
use super::tokens::{Token, tokens};

/// What makes a text of what it is given.
const SHOWS: [&str; 3] = ["format", "write", "writeln"];

/// How many lines below its words a variant's fields end at most.
const FIELDS: usize = 8;

#[test]
fn no_error_of_the_system_is_shown_in_its_own_words() {
    none(&sources().iter().flat_map(shown_raw).collect::<Vec<_>>());
}

#[test]
fn an_error_in_the_systems_own_words_is_seen() {
    let faults = |text: &str| shown_raw(&source("crates/loopx/src/cli/x.rs", text)).len();
    assert_eq!(faults("fn f() { g(format!(\"failed: {}\", error.kind())); }"), 1);
    assert_eq!(faults("fn f() { format!(\"{}\",\n h(error.kind())); }"), 1);
    assert_eq!(faults("fn f() { error.kind().to_string() }"), 1);
    assert_eq!(faults("let f = |error: io::Error| format!(\"failed: {error}\");"), 1);
    assert_eq!(
        faults("#[error(\"{what}: {kind}\")]\nIo {\n what: &'static str,\n kind: std::io::ErrorKind,\n}"),
        1
    );
    assert_eq!(faults("fn f() { g(format!(\"failed: {}\", io_words(error.kind()))); }"), 0);
    assert_eq!(faults("fn f() { if error.kind() == K { format!(\"{}\", 1) } }"), 0);
}

fn shown_raw(source: &Source) -> Vec<String> {
    let fault = |line: usize| format!("{}:{line} shows an error in the system's own words", source.path);
    let tokens = tokens(&source.text);
    let mut faults: Vec<String> =
        (0..tokens.len()).filter(|at| is_raw(&tokens, *at)).map(|at| fault(tokens[at].line)).collect();
    let lines: Vec<&str> = source.text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let closure = line.contains("io::Error") && line.contains("{error}");
        let fields = || lines.iter().skip(at + 1).take(FIELDS).take_while(|line| !line.contains("#[error("));
        let variant = line.contains("#[error(")
            && line.contains("{kind}")
            && fields().any(|line| line.contains("io::ErrorKind"));
        if closure || variant {
            faults.push(fault(at + 1));
        }
    }
    faults
}

/// Whether a call of `kind` that stands here is shown: it is turned into a text, by name or by what formats.
fn is_raw(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if [text(at), text(at + 1), text(at + 2), text(at + 3)] != [".", "kind", "(", ")"] {
        return false;
    }
    if (text(at + 4), text(at + 5)) == (".", "to_string") {
        return true;
    }
    // Out of the brackets around it, until one belongs to `io_words` or to a macro that shows.
    let mut depth = 0;
    for before in (1..at).rev() {
        match text(before) {
            ")" | "]" | "}" => depth += 1,
            "(" if depth == 0 && text(before - 1) == "io_words" => return false,
            "(" if depth == 0 && before > 1 && text(before - 1) == "!" => {
                return SHOWS.contains(&text(before - 2));
            }
            "{" if depth == 0 => return false,
            "(" | "[" | "{" => depth = (depth - 1_i32).max(0),
            _ => {}
        }
    }
    false
}
