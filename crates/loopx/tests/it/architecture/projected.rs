//! What is written as JSON for others holds no bare text: each of its fields is a number, an instant, a word of our
//! own, or a type that was screened or minted when it was made.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{Written, aliases, by_hand, made_by, written};
use super::none;
use super::project::{Source, source, sources};

/// Types of others that hold no text, and what they may be kept in.
const PLAIN: &[&str] = &[
    "bool",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "isize",
    "f64",
    "Vec",
    "Option",
    "Box",
    "BTreeMap",
    "BTreeSet",
    "Range",
    "Timestamp",
    "Date",
    "Local",
    "Showcase",
];

/// Types that write themselves: each with why nothing unscreened gets out.
const BY_HAND: &[(&str, &str)] = &[
    ("PublicText", "made by the screen alone"),
    ("Handle", "minted: a keyed hash"),
    ("Placed", "a class, a place, and a path whose refused names are not shown"),
    ("FreesAt", "an instant or a word of ours"),
    ("Revision", "digits of hashes"),
    ("Digest", "digits of a hash"),
];

/// Macros that make a type of one screened text, and call it what they are given first.
const MACROS: &[&str] = &["string_type", "minted", "key"];

/// Fields of bare text, each with why it may be one.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("$name.0", "ids: made by their parser alone, which screens"),
    ("AuthorityKey.0", "a public key, written as digits"),
    ("Finding.pointer", "keys of the contract; one that was refused is not named"),
    ("Finding.hint", "our sentence, with words of the contract and ids"),
    ("Fault.message", "the error's own sentence: ours, with what was typed in this call"),
    ("Fault.hint", "the same"),
    ("Looked.state", "our words and counts"),
    ("Found.problem", "our sentence; a file is named relative to its base"),
    ("Found.way_out", "the same"),
    ("Value.Word", "a setting, judged by its key when it was read"),
    ("Value.Words", "the same"),
    ("Checked.path", "a path as it was typed, or found below a typed one"),
    ("ReadFile.path", "a path whose refused names are not shown"),
    ("Document.links", "the same"),
    ("FolderDocument.files", "names of LoopX's own files, out of a fixed list"),
    ("DemoDocument.status", "the document of `status`, as it was written"),
    ("PurgeDocument.copies", "names of LoopX's own files"),
    ("AddedDocument.token", "drawn in this call, and shown this once"),
    ("UsageDocument.time_zone", "a name out of the time zones' table"),
];

/// Files of the binary that are written into its own folder and read by it alone, or put into a runtime's settings.
const OWN_FILES: &[&str] = &[
    "crates/loopx/src/app/home.rs",
    "crates/loopx/src/app/hooks/entries.rs",
    "crates/loopx/src/app/hooks/program.rs",
    "crates/loopx/src/app/hooks/record.rs",
    "crates/loopx/src/app/keyring.rs",
    "crates/loopx/src/app/marks.rs",
    "crates/loopx/src/app/secret.rs",
    "crates/loopx/src/app/settings/piece.rs",
    "crates/loopx/src/app/tokens.rs",
    "crates/loopx/src/app/visiting.rs",
    "crates/loopx/src/cli/ingest/follow.rs",
];

/// Where JSON is put together by hand, each with why.
const LOOSE: &[(&str, &str)] = &[
    ("crates/loopx/src/cli/check/text/sarif.rs", "another's format, out of the same findings"),
    ("crates/loopx/src/web/api/openapi.rs", "another's format, out of the types' schemas"),
    ("crates/loopx/src/cli/demo/files.rs", "made-up session files of the sample"),
];

#[test]
fn what_goes_out_as_json_holds_no_bare_text() {
    let found = projected(&sources());
    assert!(found.types.len() > 120, "only {} types were found", found.types.len());
    for must in ["Projection", "FirstScreen", "SessionFacts", "Event", "StatusDocument", "ReceiptDocument"] {
        assert!(found.types.contains(must), "{must} was not looked at");
    }
    none(&found.faults);
    let idle: Vec<_> = EXCEPTIONS.iter().filter(|(field, _)| !found.excepted.contains(*field)).collect();
    assert!(idle.is_empty(), "no longer needed: {idle:?}");
    let unused: Vec<_> = BY_HAND.iter().filter(|(name, _)| !found.by_hand.contains(*name)).collect();
    assert!(unused.is_empty(), "no longer there: {unused:?}");
}

#[test]
fn json_is_put_together_by_hand_nowhere_else() {
    let sources = sources();
    none(&sources.iter().flat_map(loose).collect::<Vec<_>>());
    for (path, _) in LOOSE {
        let still = sources.iter().any(|source| source.path == *path && source.text.contains("json!"));
        assert!(still, "{path} needs no reason any more");
    }
}

/// The texts that a log can hold, as `type.field` of the types that its events are made of.
pub(crate) fn texts_of_the_log() -> BTreeSet<String> {
    let event = sources().into_iter().find(|source| source.path == "crates/loopx-core/src/event.rs");
    let all = event.iter().flat_map(written).collect::<Vec<_>>();
    let fields = all.iter().flat_map(|one| one.fields.iter().map(move |field| (one, field)));
    let texts = fields.filter(|(one, field)| field.names(one).contains(&"LogText"));
    texts.map(|(one, field)| format!("{}.{}", one.name, field.name)).collect()
}

/// What was found of the types that go out.
#[derive(Default)]
struct Projected {
    types: BTreeSet<String>,
    excepted: BTreeSet<String>,
    by_hand: BTreeSet<String>,
    faults: Vec<String>,
}

/// Looks at every type that is written by contract, core and binary, and at all that those are made of.
fn projected(sources: &[Source]) -> Projected {
    let mut all: BTreeMap<String, Vec<Written>> = BTreeMap::new();
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut found, mut made) = (Projected::default(), BTreeSet::new());
    for source in sources {
        for one in written(source) {
            all.entry(one.name.clone()).or_default().push(one);
        }
        names.extend(aliases(source));
        made.extend(made_by(source, MACROS));
        found.by_hand.extend(by_hand(source));
    }
    let root = |written: &&Written| {
        let of = |name: &str| written.path.starts_with(&format!("crates/{name}/"));
        (of("loopx-contract") || of("loopx-core") || of("loopx"))
            && !OWN_FILES.contains(&written.path.as_str())
    };
    let mut open: Vec<&Written> = all.values().flatten().filter(root).collect();
    let mut seen: BTreeSet<*const Written> = BTreeSet::new();
    while let Some(one) = open.pop() {
        if !seen.insert(std::ptr::from_ref(one)) {
            continue;
        }
        found.types.insert(one.name.clone());
        for field in &one.fields {
            let place = format!("{}.{}", one.name, field.name);
            let short = place.trim_end_matches(".0");
            let excepted = EXCEPTIONS.iter().find(|(name, _)| *name == place || *name == short);
            let mut bare = Vec::new();
            let mut words: Vec<String> = field.names(one).into_iter().map(str::to_owned).collect();
            while let Some(word) = words.pop() {
                if let Some(types) = all.get(&word) {
                    open.extend(types);
                } else if let Some(of) = names.get(&word) {
                    words.extend(of.iter().filter(|word| is_type(word)).cloned());
                } else if !PLAIN.contains(&word.as_str())
                    && !made.contains(&word)
                    && !BY_HAND.iter().any(|(name, _)| *name == word)
                {
                    bare.push(word);
                }
            }
            match excepted {
                Some((name, _)) if !bare.is_empty() => drop(found.excepted.insert((*name).to_owned())),
                Some(_) | None => found.faults.extend(
                    bare.iter().map(|word| format!("{}:{} {place} is a {word}", one.path, field.line)),
                ),
            }
        }
    }
    let unknown = found.by_hand.iter().filter(|name| !BY_HAND.iter().any(|(known, _)| known == name));
    found.faults.extend(unknown.map(|name| format!("{name} writes itself as JSON")));
    found
}

/// Whether a word of an alias names a type: no mark, no lifetime and no constant.
fn is_type(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && !(word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

fn loose(source: &Source) -> Vec<String> {
    // Tests in a file of their own are tests all the same.
    if LOOSE.iter().any(|(path, _)| *path == source.path) || source.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    let text = source.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let tokens = super::tokens::tokens(text);
    let built = tokens.windows(2).filter(|two| two[0].text == "json" && two[1].text == "!");
    built.map(|two| format!("{}:{} puts JSON together", source.path, two[0].line)).collect()
}

// ---- over offenders

fn faults_of(texts: &[&str]) -> Vec<String> {
    let path = |index: usize| format!("crates/loopx-contract/src/f{index}.rs");
    let sources: Vec<Source> =
        texts.iter().enumerate().map(|(index, text)| source(&path(index), text)).collect();
    projected(&sources).faults
}

#[test]
fn a_bare_text_in_a_field_is_seen() {
    for (of, word) in [
        ("String", "String"),
        ("Option<Box<str>>", "str"),
        ("&'a str", "str"),
        ("Vec<Cow<'static, str>>", "Cow"),
        ("std::path::PathBuf", "PathBuf"),
        ("serde_json::Value", "Value"),
        ("BTreeMap<String, u64>", "String"),
        ("HashMap<u8, u8>", "HashMap"),
        ("(u64, [OsString; 2])", "OsString"),
        ("Vec<u8>", "bytes"),
        ("char", "char"),
        ("Arc<u64>", "Arc"),
    ] {
        let named = format!(
            "#[derive(Debug, Serialize)] #[serde(rename = \"x\")] pub struct A<'a> {{ pub(crate) f: {of}, g: u64 }}"
        );
        let found = faults_of(&[&named]);
        assert!(
            found.contains(&format!("crates/loopx-contract/src/f0.rs:1 A.f is a {word}")),
            "{of}: {found:?}"
        );
        let tuple = format!(
            "#[derive(serde::Serialize)]\nenum B {{ #[serde(other)] C, D(u64, {of}), E {{ f: {of} }} }}"
        );
        let found = faults_of(&[&tuple]);
        for field in ["D.1", "E.f"] {
            let fault = format!("crates/loopx-contract/src/f0.rs:2 B.{field} is a {word}");
            assert!(found.contains(&fault), "{of}: {found:?}");
        }
    }
}

#[test]
fn a_bare_text_behind_a_name_or_another_type_is_seen() {
    let alias = "type Names = Vec<String>; #[derive(Serialize)] struct A { names: Names }";
    assert_eq!(faults_of(&[alias]), ["crates/loopx-contract/src/f0.rs:1 A.names is a String"]);
    let far = [
        source("crates/loopx-contract/src/a.rs", "#[derive(Serialize)] struct A { b: Option<B> }"),
        source(
            "crates/loopx-store/src/b.rs",
            "#[derive(Serialize)] struct B(String); #[derive(Serialize)] struct C(String);",
        ),
    ];
    assert_eq!(projected(&far).faults, ["crates/loopx-store/src/b.rs:1 B.0 is a String"]);
    let own = "struct Secret; impl Serialize for Secret<'_> { } #[derive(Serialize)] struct A(Secret);";
    let found = faults_of(&[own]);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn typed_fields_pass() {
    let text = "
        #[derive(Serialize)] struct A<'a, T: Serialize> { word: &'static str, words: [&'static str; 2], b: &'a [B], t: T }
        #[derive(Serialize)] struct B { at: Option<jiff::Timestamp>, text: PublicText<Local, MAX>, #[serde(skip)] own: String }
        #[derive(Debug)] struct C { said: String }
        #[cfg(test)] mod tests { #[derive(Serialize)] struct D(String); }";
    let found = faults_of(&[text]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn json_by_hand_is_seen() {
    let text = "fn f() { json!({ \"a\": 1 }); serde_json::json!([]); }\n#[cfg(test)]\nmod tests { fn g() { json!(1); } }";
    assert_eq!(loose(&source("crates/loopx/src/cli/log.rs", text)).len(), 2);
}
