//! Step: no absolute or home path, and in the showcase no path at all.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::gate;
use super::pattern::compile;
use super::runs::Bytes;
use crate::tier::TierKind;

/// Folders that stand right under `/`: one of them alone is a path, where `/help` is a command.
const ROOTS: &str = "Applications|Library|System|Users|Volumes|app|bin|boot|builds?|code|cygdrive|data|dev|etc|export|\
                     github|home|lib|media|mnt|nix|opt|private|proc|repos?|root|run|sbin|scratch|snap|srv|sys|tmp|usr|\
                     var|workdir|workspaces?|work|projects?";

/// Of them those that no project has a folder called like.
const TOPMOST: &str = "Users|etc|home|mnt|opt|private|root|srv|tmp|usr|var";

/// What stands before a path: anything that no path part ends with. A letter or digit before the slash makes the
/// path a relative one.
const BEFORE: &str = r#"(?:^|[\s"'`(\[{<=:,;|>!?&_@#+^-])"#;

pub(super) static ABSOLUTE: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        format!(r"{BEFORE}(//[^\s/]+/\S)"),
        // Two parts or more, or one of the folders under the root, or one part with an extension.
        format!(r#"{BEFORE}(/[^\s/`'"<>()|]+/[^\s]*)"#),
        format!(r"(?:{BEFORE}|[^\x00-\x7f])(/(?:{ROOTS})(?:[/\s.,;:)'`]|$))"),
        format!(r"(?:{BEFORE}|[^\x00-\x7f])(/+(?:{ROOTS})/)"),
        format!(r"{BEFORE}(/[^\s/]*\.[A-Za-z0-9]+)"),
        // Behind what else a relative path may go on from: an option of a compiler, a side of a comparison, an escaped
        // line break, a bracket.
        format!(r"(?:(?:^|\s)(?:-[A-Za-z]|[ab])|\\[nrt]|[)\]}}*%])(/(?:{TOPMOST})/[^\s]*)"),
        // Home folders: the caller's, another user's, by variable.
        r"(~[/\\]\S)".to_owned(),
        format!(r"{BEFORE}(~[A-Za-z][^\s/]*(?: [^\s/]+)?[/\\]\S)"),
        r"(\$\{?(?:env:)?[A-Za-z_]+\}?[/\\])".to_owned(),
        r"(%[A-Za-z_]+%[/\\]?)".to_owned(),
        // Windows: a drive, a share, a device.
        r"(?:^|[^A-Za-z0-9])([A-Za-z]:[/\\]+[^\s/\\])".to_owned(),
        r"(\\\\[^\s\\]+\\)".to_owned(),
        format!(r"{BEFORE}(\\(?:{ROOTS}|Windows)\\)"),
        // Out of the project, and addresses of files.
        r"((?:\.\.[/\\]){2,}\S)".to_owned(),
        r"((?i:\bfile):/)".to_owned(),
        r"((?i:%2f|%5c))".to_owned(),
    ];
    compile(&parts.join("|"))
});

/// Some runtimes name a folder by a home path with its slashes turned to dashes.
pub(super) static SLUG: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|[^A-Za-z0-9-])-(?:Users|home|root|private|var|tmp|mnt|opt|srv|workspaces?)-[^\s-]|[A-Za-z]--(?:Users|home)-|_--?[A-Za-z]|(?i:https?)-{2,3}[a-z0-9]|[a-z]_[a-z0-9]+(?:-[a-z0-9]+)+-(?:com|org|net|io|internal|corp)\b",
    )
});

/// More than one separator, or one and an extension.
static RELATIVE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"[^\s/\\]+[/\\][^\s/\\]*\.[A-Za-z][A-Za-z0-9]{0,9}\b|[^\s/\\]+[/\\][^\s/\\]+[/\\][^\s]*|(?:^|\s)\.{1,2}[/\\]\S|[^\s/\\]{2,}[/\\](?:\s|$)",
    )
});

/// The first path of a text.
pub(super) fn find(text: &str, tier: TierKind) -> Option<Range<usize>> {
    let absolute = || SIGNS.iter().filter_map(|sign| absolute(text, *sign)).min_by_key(|path| path.start);
    let relative = || {
        // A route names no file of this machine.
        let is_file = |path: &regex::Match<'_>| {
            let before = text.get(..path.start()).unwrap_or_default();
            !is_date(path.as_str()) && !is_route(before.trim_end_matches('/'))
        };
        RELATIVE.find_iter(text).find(is_file).map(|path| path.range())
    };
    let slashed = text.bytes().any(|byte| matches!(byte, b'/' | b'\\' | b'~' | b'%' | b'$'));
    let found = absolute().or_else(|| slug(text));
    match tier {
        TierKind::Showcase if slashed => found.or_else(relative),
        TierKind::Local | TierKind::Showcase => found,
    }
}

/// Every absolute path has one of these. A home comes first: its path may go on behind a space.
const SIGNS: &[u8] = b"~/\\%$";

/// The first absolute path of a text among the words that have a sign.
fn absolute(text: &str, sign: u8) -> Option<Range<usize>> {
    static WORD: Bytes = Bytes::all_but(b" ");
    WORD.around(text, sign).filter(|word| gate::absolute_path(&text[word.clone()])).find_map(|word| {
        // A user's name may have a space in it.
        let next = text.get(word.end + 1..).filter(|_| sign == b'~');
        let end = next.map_or(word.end, |next| word.end + 1 + next.find(' ').unwrap_or(next.len()));
        ABSOLUTE.captures_iter(&text[word.start..end]).find_map(|found| {
            let (part, path) =
                found.iter().enumerate().skip(1).find_map(|(part, path)| Some((part, path?)))?;
            let start = word.start + path.start();
            (part != 2 || !is_route(&text[..start])).then(|| to_space(text, start..word.start + path.end()))
        })
    })
}

/// The first slug of a path.
fn slug(text: &str) -> Option<Range<usize>> {
    static PARTS: Bytes = Bytes::alphanumeric_or(b"_-");
    PARTS.around(text, b'-').filter(|run| gate::path_slug(&text[run.clone()])).find_map(|run| {
        // With what stands before and behind it, which the slug counts in.
        let start = text[..run.start].char_indices().next_back().map_or(0, |(at, _)| at);
        let end = text[run.end..].chars().next().map_or(run.end, |c| run.end + c.len_utf8());
        SLUG.find(&text[start..end]).map(|slug| start + slug.start()..start + slug.end())
    })
}

/// Up to the next space: where the path most likely ends.
fn to_space(text: &str, at: Range<usize>) -> Range<usize> {
    let rest = &text[at.end..];
    at.start..at.end + rest.find(char::is_whitespace).unwrap_or(rest.len())
}

/// Whether a request method stands right before: the path is one of a service, as long as no root folder begins it.
fn is_route(before: &str) -> bool {
    ["GET ", "PUT ", "POST ", "HEAD ", "PATCH ", "DELETE "].iter().any(|method| before.ends_with(method))
}

fn is_date(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_and_home_paths_are_found() {
        for text in [
            "/home/x",
            "see /home/x/y.rs.",
            "~/x",
            "~bob/x",
            "C:\\x",
            "cd d:/code",
            "file:///x",
            "\\\\unc\\x",
            "$HOME/x",
            "${HOME}/x",
            "//server/share/x",
            "%USERPROFILE%\\x",
            "PATH=/usr/bin:/mnt/x",
            "run_/root/x",
            "open `-home-x-repo`",
            "打开/home/x",
            "../../other/x",
            "%2Fhome%2Fx",
            "/tmp",
            "/x.log",
            "(/opt/a)",
            "$env:USERPROFILE\\x",
            "cc -I/usr/include/x",
            "diff a/home/ann/x b/home/ann/x",
            "log\\n/home/ann/x",
            "[log]/home/ann/x",
            "**/Users/ann/x**",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn relative_paths_pass_locally_and_not_in_the_showcase() {
        for text in [
            "src/main.rs",
            "fix .github/workflows/ci.yml",
            "a/b/c",
            "./x",
            "../lib/x.json",
            "crates/*/Cargo.toml",
            "tests/it/main.rs:3",
            "see docs/",
            "app/[slug]/page.tsx",
            "app/(group)/layout.tsx",
            "src/{a,b}/x.rs",
            "src/home/index.ts",
        ] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
            assert!(find(text, TierKind::Showcase).is_some(), "{text}");
        }
    }

    #[test]
    fn a_slash_is_no_path() {
        for text in [
            "/",
            "and/or",
            "read/write",
            "a / b",
            "2026/11/30",
            "/help",
            "POST /api/v1",
            "100 %",
            "~5 min",
            "--home-dir",
            "3/4",
            "$5",
            "matches `\\\\PC*`",
        ] {
            assert_eq!(find(text, TierKind::Showcase), None, "{text}");
        }
    }

    #[test]
    fn code_words_between_slashes_are_no_absolute_path() {
        for text in ["the `a`/`b`/`c` traits", "<b>x</b></i>"] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
