//! Texts that a person or agent gives, screened; what may not be said is refused, or taken out where that is asked for.

use std::collections::BTreeMap;

use loopx_safety::{Class, PrivateWords, PublicText, Refusal, TierKind, screen_with};

use super::Context;
use crate::app::words;
use crate::error::CliError;

impl Context {
    /// A name that others are told from by it, screened. Nothing is taken out of it: it would be another one's.
    pub fn name(&mut self, field: &str, text: &str) -> Result<PublicText, CliError> {
        let name = PublicText::without(text, self.words()?);
        name.map_err(|refusal| refused(field, &refusal).hint(refusal.hint()))
    }

    /// A text, screened; a refusal names the field, the class and the columns.
    pub fn text(&mut self, field: &str, text: &str) -> Result<PublicText, CliError> {
        let redact = self.globals.redact;
        let words = self.words()?;
        if !redact {
            return PublicText::without(text, words).map_err(|refusal| refused_text(field, &refusal));
        }
        let redacted = PublicText::redacted(text, words).map_err(|refusal| refused_text(field, &refusal))?;
        if !redacted.counts.is_empty() {
            self.ui.note(&format!("redacted in {field}: {}", counted(&redacted.counts)));
        }
        for (class, count) in redacted.counts {
            *self.redacted.entry(class).or_default() += count;
        }
        Ok(redacted.text)
    }

    /// Refuses the id of a thing that is to be made, where it holds a private word: it is shown wherever the thing is.
    pub fn new_id(&mut self, field: &str, id: &str) -> Result<(), CliError> {
        let found = screen_with(id, TierKind::Local, usize::MAX, self.words()?);
        found.map_err(|refusal| refused(field, &refusal).hint(refusal.hint()))
    }

    /// The names that no text may hold, read at the first text.
    fn words(&mut self) -> Result<&PrivateWords, CliError> {
        let words = if let Some(words) = self.words.take() {
            words
        } else {
            let now = self.now();
            self.plane()?.private_words(TierKind::Local, now)
        };
        Ok(self.words.insert(words))
    }

    /// The names that no text may hold which is to be published: of sessions of any age. Nothing of ours need be there.
    pub fn words_of_all(&self, tier: TierKind) -> Result<PrivateWords, CliError> {
        words::of_all(&self.env, tier, self.now())
    }

    /// What was taken out of the texts so far.
    pub const fn redacted(&self) -> &BTreeMap<Class, usize> {
        &self.redacted
    }
}

fn counted(counts: &BTreeMap<Class, usize>) -> String {
    counts.iter().map(|(class, count)| format!("{count} {class}")).collect::<Vec<_>>().join(", ")
}

/// A text that the screen refused.
pub fn refused_text(field: &str, refusal: &Refusal) -> CliError {
    let (error, hint) = (refused(field, refusal), refusal.hint());
    match refusal.class {
        Class::Empty | Class::TooLong => error.hint(hint),
        Class::MultiLine
        | Class::Control
        | Class::Path
        | Class::Url
        | Class::Host
        | Class::Mail
        | Class::Ip
        | Class::Uuid
        | Class::Credential
        | Class::HighEntropy
        | Class::Disguised
        | Class::DocId
        | Class::PrivateWord
        | Class::Markup
        | Class::Handle => error.hint(format!("{hint}, or add `--redact`")),
    }
}

fn refused(field: &str, refusal: &Refusal) -> CliError {
    CliError::refused(format!("{field} refused: {refusal}"))
}
