//! Step: no host name. What tells one from a file name or a sentence is its last part.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::tier::TierKind;

/// Last parts that make a dotted name a host.
static DOMAINS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "com net org io dev ai app cloud internal local corp lan intranet localdomain example test invalid \
    localhost cn co uk de fr jp kr ru eu nl ch se pl cz at be au nz ca br mx ar tw hk sg vn th es pt fi dk ie hu ro gr tr \
    ua il ae za ng ke gov edu mil info biz name xyz tech site online store shop blog page pages run work works team tools \
    systems network services solutions digital agency company email host hosting space website link live today world \
    studio design media news wiki software engineering security finance bank vip club top win fun icu pro mobi tv me gg \
    fm so us cc ly gl li ms vc tk ml ga cf onion svc consul docker k8s private prod staging 公司 网络 中国 рф",
    )
});

/// Domains that are words of a sentence or of code: two parts alone don't make a host of them.
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "at be me us in it is to no my am as do id by or an run work works name info test local page pages \
    team tools link live today world design media news host private prod staging localhost space email network \
    services security top win fun pro wiki store software docker app site services systems svc invalid blog shop online \
    ms li es cloud ga cf tv se co",
    )
});

/// Domains that end no name of code.
const ALWAYS: [&str; 10] =
    ["com", "corp", "edu", "gov", "internal", "intranet", "lan", "local", "localdomain", "org"];

/// Products that are written like hosts.
const PRODUCTS: [&str; 6] = ["asp.net", "vb.net", "ado.net", "ml.net", "socket.io", "draw.io"];

/// The host that has no dot.
const LOCAL: &str = "localhost";

/// The first host name of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    let mut end = 0;
    // A host has a dot, or is the one that has none: that one counts with its port.
    let mut dots = text.match_indices('.').map(|(at, _)| at).peekable();
    let mut local = text.match_indices(':').filter_map(|(at, _)| local_before(text, at)).peekable();
    loop {
        // Whichever comes first.
        let is_local = local.peek().is_some_and(|name| dots.peek().is_none_or(|dot| name < dot));
        let dot = if is_local { local.next()? } else { dots.next()? };
        if dot < end {
            continue;
        }
        let before = text[end..dot].rfind(|c| !is_part(c));
        let at =
            before.map_or(end, |at| end + at + text[end + at..].chars().next().map_or(0, char::len_utf8));
        end = dot + text[dot..].find(|c| !is_part(c)).unwrap_or(text.len() - dot);
        let run = &text[at..end];
        let name = run.trim_matches(['.', '-', '_']);
        if run.starts_with('.') && name.bytes().filter(|&byte| byte == b'.').count() == 1 {
            // A hidden file, such as a sample of the environment.
            continue;
        }
        let at = at + run.find(name).unwrap_or(0);
        let after = &text[at + name.len()..];
        if is_host(name, after) {
            return Some(at..at + name.len());
        }
    }
}

/// Where the host without a dot begins that ends at `end`.
fn local_before(text: &str, end: usize) -> Option<usize> {
    let start = end.checked_sub(LOCAL.len())?;
    text.get(start..end)?.eq_ignore_ascii_case(LOCAL).then_some(start)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

fn is_host(name: &str, after: &str) -> bool {
    let port = after.strip_prefix(':').is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    if name.eq_ignore_ascii_case(LOCAL) {
        return port;
    }
    let Some((front, last)) = name.rsplit_once('.') else { return false };
    let second = front.rsplit('.').next().unwrap_or(front);
    if front.split('.').any(str::is_empty) || !second.chars().any(char::is_alphabetic) {
        return false;
    }
    let lower = name.to_lowercase();
    let domain = lower.rsplit('.').next().unwrap_or_default();
    if !DOMAINS.contains(domain) || PRODUCTS.contains(&lower.as_str()) {
        return false;
    }
    // "done.In" is a sentence that misses a space, "System.Data.Net" code; hosts are written in one case, but for some.
    let is_capital = last.starts_with(char::is_uppercase) && front.chars().any(char::is_lowercase);
    if is_capital && !(front.contains('.') && ALWAYS.contains(&domain)) {
        return false;
    }
    // A machine of its owner's network.
    if domain == "local" && front.contains('-') {
        return true;
    }
    front.contains('.') || port || after.starts_with('/') || !WORDS.contains(domain)
}

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found() {
        for text in [
            "api.example.com",
            "see wiki.acme.corp.",
            "localhost:8080",
            "from localhost to Localhost:80",
            "WIKI.ACME.CORP",
            "例子.公司",
            "microsoft.com",
            "(nas.lan)",
            "bücher.example/x",
            "db_1.prod.acme.io",
            "redis.local:6379",
            "GitLab.Acme.Corp",
            "JIRA.Acme.COM",
            "Anns-MacBook-Pro.local",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn files_versions_and_sentences_pass() {
        for text in [
            "main.rs",
            "Cargo.toml",
            "package.json",
            "1.2.3",
            "e.g. this",
            "i.e.",
            "done.In time",
            "done.it works",
            "node.js",
            "asp.net",
            "gpt-5.4",
            "...",
            "a.m.",
            "session.id",
            "v1.0.0-rc.1",
            "README.md.",
            "on localhost",
            "self.name",
            "settings.local.json",
            ".env.example",
            "std.fmt",
            "0.18.dev",
        ] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
