//! The screen: what a text is looked at for, in order, before it may be said.
//!
//! A pass over the bytes notes which marks occur at all; a step is asked only where one of its marks does. Most clean
//! text has none and costs that one pass. Each step finds the bytes of the first thing of its class, or nothing.

pub(crate) mod control;
pub mod credential;
mod decode;
mod disguise;
mod doc_id;
mod entropy;
mod gate;
mod host;
mod ip;
mod length;
mod mail;
mod marks;
mod markup;
mod own;
mod passed;
mod path;
mod pattern;
mod plain;
mod runs;
mod scripts;
mod url;
mod uuid;
mod wordlist;

use std::borrow::Cow;
use std::ops::Range;

use crate::refusal::{Class, Refusal};
use crate::tier::TierKind;
use crate::words::PrivateWords;
use marks::Marks;
use plain::Form;

/// Finds the bytes of the first thing of a class.
type Find = fn(&str, TierKind) -> Option<Range<usize>>;

/// One thing that is looked for: its class, the marks it never goes without, and who finds it.
struct Search(Class, Marks, Find);

/// What an address or a name of a machine is written with.
const DOTTED: Marks = Marks::DOT.or(Marks::COLON);

/// One step of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Too long for its field, or nothing at all.
    Length,
    /// Characters that break the line, can't be seen or are private.
    Characters,
    /// Look-alike, encoded and piled-up characters.
    Disguise,
    /// Encoded text that is refused once it is decoded.
    Decode,
    /// Credentials of a known kind: the mark, the characters, the length and the checksum are right.
    Issued,
    /// What begins like a credential, be it cut or mistyped.
    Marked,
    /// Values that are set to a secret's name.
    Assigned,
    /// Addresses of pages.
    Url,
    /// Mail addresses.
    Mail,
    /// UUIDs.
    Uuid,
    /// IP and hardware addresses.
    Ip,
    /// Paths.
    Path,
    /// Host names.
    Host,
    /// Ids of documents.
    DocId,
    /// Mark-up of transcripts and tools.
    Markup,
    /// Long random-looking tokens.
    Entropy,
}

impl Step {
    /// In this order: a narrow class before a wide one, so that the refusal names what a person would.
    pub const ALL: [Self; 16] = [
        Self::Length,
        Self::Characters,
        Self::Disguise,
        Self::Decode,
        Self::Issued,
        Self::Marked,
        Self::Assigned,
        Self::Url,
        Self::Mail,
        Self::Uuid,
        Self::Ip,
        Self::Path,
        Self::Host,
        Self::DocId,
        Self::Markup,
        Self::Entropy,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Characters => "characters",
            Self::Disguise => "disguise",
            Self::Decode => "decode",
            Self::Issued => "issued",
            Self::Marked => "marked",
            Self::Assigned => "assigned",
            Self::Url => "url",
            Self::Mail => "mail",
            Self::Uuid => "uuid",
            Self::Ip => "ip",
            Self::Path => "path",
            Self::Host => "host",
            Self::DocId => "doc_id",
            Self::Markup => "markup",
            Self::Entropy => "entropy",
        }
    }

    /// What this step finds by itself in a text of at most `max` characters.
    pub fn find(self, text: &str, tier: TierKind, max: usize) -> Option<Refusal> {
        let masked = own::masked(text.into());
        self.refuse(if self == Self::Length { text } else { &masked }, Marks::of(&masked), tier, (max, 0))
            .err()
    }

    /// `max` characters may there be, and so deep in other encodings it stands.
    fn refuse(
        self,
        text: &str,
        marks: Marks,
        tier: TierKind,
        (max, depth): (usize, u8),
    ) -> Result<(), Refusal> {
        let Search(class, when, find) = match self {
            Self::Length => return length::check(text, max),
            Self::Characters if marks.has(Marks::CONTROL.or(Marks::WIDE)) => return control::check(text),
            Self::Characters => return Ok(()),
            Self::Decode => {
                let found = decode::find(text, tier, depth);
                return found.map_or(Ok(()), |at| Err(Refusal::at(Class::Disguised, text, at)));
            }
            Self::Disguise => Search(
                Class::Disguised,
                Marks::WIDE
                    .or(Marks::SLASH)
                    .or(Marks::ENTITY)
                    .or(Marks::DIGIT)
                    .or(Marks::HUMPS)
                    .or(Marks::DOT),
                disguise::find,
            ),
            Self::Issued => Search(
                Class::Credential,
                Marks::TOKEN.or(Marks::BRACKET).or(Marks::EQUALS).or(Marks::COLON),
                credential::find_issued,
            ),
            Self::Marked => {
                Search(Class::Credential, Marks::TOKEN.or(Marks::BRACKET), credential::find_marked)
            }
            Self::Assigned => Search(
                Class::Credential,
                Marks::TOKEN.or(Marks::DIGIT).or(Marks::EQUALS).or(Marks::COLON),
                credential::find_assigned,
            ),
            Self::Url => Search(Class::Url, Marks::SLASH.or(DOTTED), url::find),
            Self::Mail => Search(Class::Mail, Marks::AT.or(Marks::DOT_WORD), mail::find),
            Self::Uuid => Search(Class::Uuid, Marks::TOKEN, uuid::find),
            Self::Ip => Search(Class::Ip, Marks::DASH.or(Marks::NUMBER).or(DOTTED), ip::find),
            Self::Path => Search(Class::Path, Marks::SLASH.or(Marks::DASH), path::find),
            Self::Host => Search(Class::Host, DOTTED, host::find),
            Self::DocId => {
                Search(Class::DocId, Marks::DIGIT.or(Marks::EQUALS).or(Marks::TOKEN), doc_id::find)
            }
            Self::Markup => Search(Class::Markup, Marks::BRACKET.or(Marks::COLON), markup::find),
            Self::Entropy => Search(Class::HighEntropy, Marks::TOKEN, entropy::find),
        };
        if !marks.has(when) {
            return Ok(());
        }
        find(text, tier).map_or(Ok(()), |at| Err(Refusal::at(class, text, at)))
    }
}

/// Whether a text of at most `max` characters may be said at a tier. The refusal holds no part of the text.
pub fn screen(text: &str, tier: TierKind, max: usize) -> Result<(), Refusal> {
    length::check(text, max)?;
    if passed::has(text, tier) {
        return Ok(());
    }
    search(text, tier, 0)?;
    if plain_is_refused(text, tier, 0) {
        return Err(Refusal::at(Class::Disguised, text, 0..text.len()));
    }
    passed::put(text, tier);
    Ok(())
}

/// The same, and none of these words is in it. They are the last step: what has a form of its own is named by that.
pub fn screen_with(text: &str, tier: TierKind, max: usize, words: &PrivateWords) -> Result<(), Refusal> {
    screen(text, tier, max)?;
    if words.is_empty() {
        return Ok(());
    }
    let masked = own::masked(text.into());
    let found = words.find(&masked).or_else(|| decode::find_word(&masked, words, 0));
    found.map_or(Ok(()), |at| Err(Refusal::at(Class::PrivateWord, text, at)))
}

/// Whether what is read as the same text by others is refused.
fn plain_is_refused(text: &str, tier: TierKind, depth: u8) -> bool {
    let is_refused = |form: Form| form.changed(text).any(|plain| search(plain, tier, depth).is_err());
    Form::ALL.into_iter().any(is_refused)
}

fn search<'t>(text: impl Into<Cow<'t, str>>, tier: TierKind, depth: u8) -> Result<(), Refusal> {
    let text = own::masked(text.into());
    let marks = Marks::of(&text);
    Step::ALL.into_iter().skip(1).try_for_each(|step| step.refuse(&text, marks, tier, (usize::MAX, depth)))
}

/// Whether what came out of an encoding is refused.
fn refuse_decoded(text: &str, tier: TierKind, depth: u8) -> bool {
    search(text, tier, depth).is_err() || plain_is_refused(text, tier, depth)
}

#[cfg(test)]
mod tests;
