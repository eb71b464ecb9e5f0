//! Words that are too common to give anything away: folders and branches that everybody has, users of every machine,
//! names that are words.

/// Places where everybody keeps repositories.
const FORGES: &[&str] = &[
    "bitbucket.org",
    "codeberg.org",
    "dev.azure.com",
    "git.sr.ht",
    "github.com",
    "gitlab.com",
    "huggingface.co",
    "localhost",
    "ssh.dev.azure.com",
    "ssh.github.com",
    "vs-ssh.visualstudio.com",
];

/// In small letters.
const COMMON: &str = include_str!("common.txt");

/// Whether it is such a word.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.split_ascii_whitespace().any(|common| common == word)
}

/// Whether everybody knows the machine.
pub(super) fn is_forge(host: &str) -> bool {
    FORGES.binary_search(&host.to_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_small() {
        let common: Vec<&str> = COMMON.split_ascii_whitespace().collect();
        for list in [FORGES, &common] {
            assert!(list.is_sorted_by(|a, b| a < b));
            assert!(list.iter().all(|word| !word.chars().any(char::is_uppercase)));
        }
    }
}
