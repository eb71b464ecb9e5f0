use super::*;
use crate::refusal::Class;

fn words(tier: TierKind, words: &[(WordKind, &str)]) -> PrivateWords {
    let words: Vec<PrivateWord> = words.iter().map(|(kind, text)| PrivateWord::new(*kind, *text)).collect();
    PrivateWords::new(tier, &words)
}

/// What is found in a text.
fn found<'a>(words: &PrivateWords, text: &'a str) -> Option<&'a str> {
    words.find(text).map(|at| &text[at])
}

#[test]
fn a_name_is_found_however_it_is_put_together() {
    let words = words(TierKind::Local, &[(WordKind::Term, "Quasar-Next")]);
    for (text, name) in [
        ("ship quasar-next today", "quasar-next"),
        ("ship QuasarNext", "QuasarNext"),
        ("QUASAR_NEXT is late", "QUASAR_NEXT"),
        ("the quasar next rollout", "quasar next"),
        ("quasarnext", "quasarnext"),
        ("see quasar/next.", "quasar/next"),
        ("quasar-next-v2", "quasar-next"),
    ] {
        assert_eq!(found(&words, text), Some(name), "{text}");
    }
    for text in [
        "quasar::next",
        "**quasar** next",
        "quasar, next",
        "quasar - next",
        "quasar2: quasar-next2",
        "QUASARNext",
        "quàsar-nëxt",
    ] {
        assert!(found(&words, text).is_some(), "{text}");
    }
    for text in ["quasar", "next quasar", "quasar, then next", "quasars next", "aquasar-next", "quasar2next"]
    {
        assert_eq!(found(&words, text), None, "{text}");
    }
}

#[test]
fn a_name_of_one_part_passed_in_two() {
    let all = [(WordKind::Remote, "acmecorp"), (WordKind::Host, "vostok7"), (WordKind::User, "jdoerr")];
    let words = words(TierKind::Local, &all);
    for text in ["AcmeCorp", "acmeCorp", "Acme Corp", "acme_corp", "Vostok-7", "j.doerr", "HTTPAcmeCorp2"] {
        assert!(found(&words, text).is_some(), "{text}");
    }
    for text in ["acme", "corp acme", "acmecorps", "doerr", "vostok 70", "vostok"] {
        assert_eq!(found(&words, text), None, "{text}");
    }
}

#[test]
fn a_name_in_other_letters_is_found() {
    let letters =
        [(WordKind::Term, "straßenfest"), (WordKind::Term, "Łódź-Οδός"), (WordKind::Term, "borealis")];
    let all = words(TierKind::Local, &letters);
    for text in ["STRASSENFEST", "lodz οδοσ", "boréalis", "BOREALİS", "borealıs", "bo\u{301}realis"] {
        assert!(found(&all, text).is_some(), "{text}");
    }
    let words = words(TierKind::Local, &[(WordKind::Term, "Zürich-Æon"), (WordKind::Term, "極秘計画")]);
    assert_eq!(found(&words, "zürich-æon"), Some("zürich-æon"));
    assert_eq!(found(&words, "zu\u{308}rich æon at last"), Some("zu\u{308}rich æon"));
    assert_eq!(found(&words, "新しい極秘計画を直す"), Some("極秘計画"));
    assert_eq!(found(&words, "新しい計画を直す"), None);
}

#[test]
fn a_name_that_was_encoded_passed() {
    let words = words(TierKind::Local, &[(WordKind::Term, "borealis")]);
    for text in
        ["ship Ym9yZWFsaXM= now", "ship 626f7265616c6973 now", "ship borealis%21 now", "ship bore%61lis now"]
    {
        let refusal = crate::screen_with(text, TierKind::Local, 240, &words).unwrap_err();
        assert!(
            [Class::PrivateWord, Class::Disguised, Class::HighEntropy].contains(&refusal.class),
            "{text}"
        );
    }
    let refusal = crate::screen_with("ship Ym9yZWFsaXM= now", TierKind::Local, 240, &words).unwrap_err();
    assert_eq!((refusal.class, refusal.columns), (Class::PrivateWord, 6..18));
}

#[test]
fn what_is_common_or_short_gives_nothing_away_alone() {
    let mut words = PrivateWords::none(TierKind::Showcase);
    for text in ["main", "API", "ed", "x-1", "the", "Tests", "grace", "-", ""] {
        assert!(!words.add(&PrivateWord::new(WordKind::Term, text)), "{text}");
    }
    assert!(words.is_empty());
    assert!(words.add(&PrivateWord::new(WordKind::Folder, "api-docs")));
    assert_eq!(found(&words, "the api docs are out"), None);
    assert_eq!(found(&words, "open api-docs"), Some("api-docs"));
}

#[test]
fn a_local_text_may_name_its_folder_and_branch_and_no_more() {
    let all = [
        (WordKind::Term, "borealis"),
        (WordKind::User, "jdoerr"),
        (WordKind::Host, "vostok-7"),
        (WordKind::Remote, "acmecorp"),
        (WordKind::Folder, "quasar"),
        (WordKind::Branch, "spica"),
    ];
    let (local, showcase) = (words(TierKind::Local, &all), words(TierKind::Showcase, &all));
    for (kind, text) in all {
        assert!(showcase.find(text).is_some(), "{text}");
        assert_eq!(local.find(text).is_some(), kind.refuses(TierKind::Local), "{text}");
    }
    assert!(local.find("quasar and spica").is_none());
}

#[test]
fn a_remote_is_its_machine_its_keeper_and_its_own_name() {
    let read = |address: &str| -> Vec<(WordKind, String)> {
        PrivateWord::of_remote(address)
            .into_iter()
            .map(|word| (word.kind, word.text.into_exposed()))
            .collect()
    };
    let word = |kind, text: &str| (kind, text.to_owned());
    let at_home = [
        word(WordKind::Host, "git.corp.example"),
        word(WordKind::Host, "corp"),
        word(WordKind::Remote, "acme"),
        word(WordKind::Remote, "core"),
        word(WordKind::Folder, "quasar"),
    ];
    for address in [
        "git@git.corp.example:acme/core/quasar.git",
        "https://ann:pass@git.corp.example/acme/core/quasar",
        "ssh://git@git.corp.example:2222/acme/core/quasar.git",
    ] {
        assert_eq!(read(address), at_home, "{address}");
    }
    let known = [word(WordKind::Remote, "acme"), word(WordKind::Folder, "quasar")];
    assert_eq!(read("git@github.com:acme/quasar.git"), known);
    let local = [word(WordKind::Folder, "srv"), word(WordKind::Folder, "quasar")];
    assert_eq!(read("/srv/quasar.git"), local);
    assert_eq!(read(""), []);
}

#[test]
fn nothing_of_a_word_is_printed() {
    let words = words(TierKind::Local, &[(WordKind::Term, "borealis")]);
    let word = PrivateWord::new(WordKind::Term, "borealis");
    assert!(!format!("{words:?} {word:?}").contains("borealis"));
}
