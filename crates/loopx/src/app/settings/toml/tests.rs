use super::*;

const WORDS: [&str; 3] = ["/a b/loopx", "hook", "it's \"x\""];

/// The text without a piece.
fn take(text: &str, piece: &Piece) -> Result<(String, Taken), Fault> {
    super::take(text, piece).map(|(cut, taken)| (without(text, &cut), taken))
}

#[track_caller]
fn there_and_back(text: &str) -> String {
    let (with, piece) = match list(text, "notify").expect("TOML") {
        Some(_) => put_first(text, "notify", &WORDS),
        None => put_line(text, "notify", &WORDS),
    }
    .expect("put");
    let words = list(&with, "notify").expect("TOML").expect("a list");
    assert_eq!(words[..3], WORDS, "{with}");
    assert_eq!(take(&with, &piece).expect("TOML"), (text.to_owned(), Taken::Out));
    with
}

#[test]
fn what_was_put_in_is_taken_out_to_the_byte() {
    for text in [
        "",
        "\n",
        "# mine\nmodel = \"x\" # why\n",
        "model = \"x\"\r\n[a]\r\nnotify = 1\r\n",
        "[features]\nhooks = true",
        "notify = []",
        "notify = [\"say\"]\n",
        "# one\n  notify=[ # two\n  'say', \"it\", # three\n]\n[a.b]\nc = \"\"\"\nnotify = []\n\"\"\"\n",
        "\"notify\" = [\"say\"]\n",
    ] {
        there_and_back(text);
    }
    assert!(there_and_back("a = 1\r\n").starts_with("notify = [\"/a b/loopx\", \"hook\", "));
    assert!(there_and_back("a = 1\r\n").contains("]\r\na = 1"));
}

#[test]
fn what_others_changed_stays() {
    let (with, piece) = put_line("a = 1\n", "notify", &WORDS).expect("put");
    let changed = with.replace("\"hook\"", "\"look\"");
    assert!(matches!(take(&changed, &piece).expect("TOML").1, Taken::Changed(_)));
    let moved = format!("# theirs\n{with}b = 2\n");
    assert_eq!(take(&moved, &piece).expect("TOML").0, "# theirs\na = 1\nb = 2\n");
    for theirs in ["a = 1\n", "notify = [\"theirs\"]\n", "notify = 1\n"] {
        assert_eq!(take(theirs, &piece).expect("TOML"), (theirs.to_owned(), Taken::Gone));
    }
}

#[test]
fn what_is_no_list_of_texts_is_refused_with_its_place() {
    for (text, place) in [
        ("a = 1\nnotify = \"say\"\n", "2:10"),
        ("notify = [1]\n", "1:10"),
        ("a = = 1\n", "1:5"),
        ("a = 1\na = 2\n", "2:1"),
        ("[notify]\n", "1:1"),
    ] {
        let fault = list(text, "notify").expect_err(text);
        assert_eq!(fault.at.map(|at| at.to_string()).as_deref(), Some(place), "{text}");
    }
}
