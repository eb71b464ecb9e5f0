//! Private words: names that have no form of their own, such as an internal project's. They are taken from where
//! sessions work and from the operator's own list, and looked for as whole words.

mod common;
mod parts;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use crate::private::Private;
use crate::tier::TierKind;
use parts::{is_unspaced, parts};

/// Words with fewer letters never refuse.
const LEAST: usize = 4;

/// The same for scripts that write no spaces, where a character says more.
const LEAST_UNSPACED: usize = 2;

/// Of a longer name the first parts are looked for.
const MOST_PARTS: usize = 8;

/// So many signs and spaces may stand between two parts of a name.
const GAP: usize = 3;

/// What a private word is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordKind {
    /// A word that the operator listed.
    Term,
    /// The user.
    User,
    /// A machine.
    Host,
    /// Who keeps a remote repository, and on which machine.
    Remote,
    /// A repository or a folder.
    Folder,
    /// A branch.
    Branch,
}

impl WordKind {
    /// Whether such a word refuses a text of this tier. A local title may name the project that it is about.
    pub const fn refuses(self, tier: TierKind) -> bool {
        match (self, tier) {
            (Self::Term | Self::User | Self::Host | Self::Remote, _) | (_, TierKind::Showcase) => true,
            (Self::Folder | Self::Branch, TierKind::Local) => false,
        }
    }
}

/// A word that nobody may say, read where a session works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateWord {
    /// What it names.
    pub kind: WordKind,
    /// The word.
    pub text: Private<String>,
}

impl PrivateWord {
    /// Closes a word in.
    pub fn new(kind: WordKind, text: impl Into<String>) -> Self {
        Self { kind, text: Private::new(text.into()) }
    }

    /// The words of a branch: its name, and each part of it that stands between slashes.
    pub fn of_branch(branch: &str) -> Vec<Self> {
        let parts = branch.split('/').filter(|part| part.len() < branch.len());
        std::iter::once(branch).chain(parts).map(|name| Self::new(WordKind::Branch, name)).collect()
    }

    /// The words of a remote repository's address: its machine, who keeps it there, and its own name. Machines that
    /// everybody knows say nothing.
    pub fn of_remote(address: &str) -> Vec<Self> {
        let place = address.split_once("://").map_or(address, |(_, rest)| rest);
        let place = place.rsplit_once('@').map_or(place, |(_, rest)| rest);
        let mut names = place.split(['/', ':', '\\']).filter(|name| !name.is_empty());
        let is_local = address.starts_with(['/', '.', '~']) || address.starts_with("file:");
        let host = if is_local { None } else { names.next() };
        let mut names: Vec<&str> =
            names.filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit())).collect();
        let own = names.pop().map(|name| name.strip_suffix(".git").unwrap_or(name));
        let kept = if is_local { WordKind::Folder } else { WordKind::Remote };
        let host = host.filter(|host| !common::is_forge(host));
        // The domain's own name, before what it ends with.
        let domain = host.and_then(|host| host.rsplit('.').nth(1));
        host.into_iter()
            .chain(domain)
            .map(|host| Self::new(WordKind::Host, host))
            .chain(names.into_iter().map(|name| Self::new(kept, name)))
            .chain(own.map(|name| Self::new(WordKind::Folder, name)))
            .collect()
    }
}

/// The private words that refuse a text of one tier.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateWords {
    tier: TierKind,
    /// Names by their parts, joined.
    names: HashMap<Box<str>, Gaps>,
    /// Names in scripts that write no spaces.
    unspaced: BTreeSet<Box<str>>,
    /// How many bytes the longest name has.
    longest: usize,
}

/// What may stand between the parts of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gaps {
    /// A space too.
    Any,
    /// Each part is a word that everybody uses: only together they are a name.
    Tight,
}

impl PrivateWords {
    /// No words yet, for texts of this tier.
    pub fn none(tier: TierKind) -> Self {
        Self { tier, names: HashMap::new(), unspaced: BTreeSet::new(), longest: 0 }
    }

    /// Those of these words that refuse a text of this tier.
    pub fn new<'a>(tier: TierKind, words: impl IntoIterator<Item = &'a PrivateWord>) -> Self {
        let mut all = Self::none(tier);
        words.into_iter().for_each(|word| {
            all.add(word);
        });
        all
    }

    /// Adds a word. False where it is not looked for: it refuses nothing at this tier, or is too short or too common.
    pub fn add(&mut self, word: &PrivateWord) -> bool {
        if !word.kind.refuses(self.tier) {
            return false;
        }
        let text = word.text.expose();
        if text.chars().any(is_unspaced) {
            let text: String = text.trim().nfkc().collect::<String>().to_lowercase();
            let is_long = text.chars().filter(|c| c.is_alphanumeric()).count() >= LEAST_UNSPACED;
            if is_long {
                self.unspaced.insert(text.into());
            }
            return is_long;
        }
        let names: Vec<String> = parts(text).take(MOST_PARTS).map(|(_, part)| part).collect();
        let is_plain = |part: &String| part.chars().count() < LEAST || common::is_common(part);
        let joined = names.concat();
        let letters = joined.chars().count();
        if letters < LEAST || common::is_common(&joined) || names.len() == 1 && names.iter().all(is_plain) {
            return false;
        }
        let gaps = if names.len() > 1 && names.iter().all(is_plain) { Gaps::Tight } else { Gaps::Any };
        self.longest = self.longest.max(joined.len());
        self.names.entry(joined.into()).or_insert(gaps);
        true
    }

    /// The tier of the texts that they refuse.
    pub const fn tier(&self) -> TierKind {
        self.tier
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.unspaced.is_empty()
    }

    /// The bytes of the first of them in a text.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        if self.is_empty() {
            return None;
        }
        self.find_name(text).into_iter().chain(self.find_unspaced(text)).min_by_key(|at| at.start)
    }

    /// A name begins and ends with a part, and goes over as many as it needs.
    fn find_name(&self, text: &str) -> Option<Range<usize>> {
        let parts: Vec<(Range<usize>, String)> =
            if self.names.is_empty() { Vec::new() } else { parts(text).collect() };
        let mut name = String::new();
        (0..parts.len()).find_map(|first| {
            name.clear();
            let (start, _) = parts.get(first)?;
            let (mut end, mut tight) = (start.end, true);
            for (at, part) in parts.get(first..)? {
                let gap = text.get(end..at.start).unwrap_or_default();
                name.push_str(part);
                if at.start > start.start && gap.chars().count() > GAP || name.len() > self.longest {
                    return None;
                }
                tight &= !gap.contains(char::is_whitespace);
                end = at.end;
                match self.names.get(name.as_str()) {
                    Some(Gaps::Any) => return Some(start.start..end),
                    Some(Gaps::Tight) if tight => return Some(start.start..end),
                    Some(Gaps::Tight) | None => {}
                }
            }
            None
        })
    }

    fn find_unspaced(&self, text: &str) -> Option<Range<usize>> {
        if self.unspaced.is_empty() || text.is_ascii() {
            return None;
        }
        let plain: String = text.nfkc().collect::<String>().to_lowercase();
        let found = self.unspaced.iter().filter_map(|word| Some((plain.find(&**word)?, word.len())));
        let (start, len) = found.min()?;
        // Columns of another spelling are no columns of this one.
        Some(if *plain == *text { start..start + len } else { 0..text.len() })
    }
}

impl std::fmt::Debug for PrivateWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PrivateWords(..)")
    }
}

#[cfg(test)]
mod tests;
