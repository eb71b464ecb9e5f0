//! The screen: what a text is looked at for, in order, before it may be said.
//!
//! A pass over the bytes notes which marks occur at all; a step is asked only where one of its marks does. Most clean
//! text has none and costs that one pass. Each step finds the bytes of the first thing of its class, or nothing.

pub(crate) mod control;
mod credential;
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
mod path;
mod pattern;
mod url;
mod uuid;

use std::ops::Range;

use crate::refusal::{Class, Refusal};
use crate::tier::TierKind;
use marks::Marks;

/// Finds the bytes of the first thing of a class.
type Find = fn(&str, TierKind) -> Option<Range<usize>>;

/// One thing that is looked for: its class, the marks it never goes without, and who finds it.
struct Step(Class, Marks, Find);

/// What an address or a name of a machine is written with.
const DOTTED: Marks = Marks::DOT.or(Marks::COLON);

/// In this order: a narrow class before a wide one, so that the refusal names what a person would.
const STEPS: [Step; 12] = [
    Step(Class::Disguised, Marks::WIDE.or(Marks::SLASH).or(Marks::ENTITY).or(Marks::DIGIT), disguise::find),
    Step(Class::Credential, Marks::TOKEN.or(Marks::BRACKET), credential::find_issued),
    Step(
        Class::Credential,
        Marks::TOKEN.or(Marks::DIGIT).or(Marks::EQUALS).or(Marks::COLON),
        credential::find_assigned,
    ),
    Step(Class::Url, Marks::SLASH.or(DOTTED), url::find),
    Step(Class::Mail, Marks::AT.or(Marks::DOT_WORD), mail::find),
    Step(Class::Uuid, Marks::TOKEN, uuid::find),
    Step(Class::Ip, Marks::DASH.or(Marks::NUMBER).or(DOTTED), ip::find),
    Step(Class::Path, Marks::SLASH.or(Marks::DASH), path::find),
    Step(Class::Host, DOTTED, host::find),
    Step(Class::DocId, Marks::DIGIT.or(Marks::EQUALS), doc_id::find),
    Step(Class::Markup, Marks::BRACKET.or(Marks::COLON), markup::find),
    Step(Class::HighEntropy, Marks::TOKEN, entropy::find),
];

/// Whether a text of at most `max` characters may be said at a tier. The refusal holds no part of the text.
pub fn screen(text: &str, tier: TierKind, max: usize) -> Result<(), Refusal> {
    length::check(text, max)?;
    let masked = own::masked(text);
    let text = masked.as_ref();
    let marks = Marks::of(text);
    if marks.has(Marks::CONTROL.or(Marks::WIDE)) {
        control::check(text)?;
    }
    for Step(class, when, find) in &STEPS {
        if marks.has(*when)
            && let Some(at) = find(text, tier)
        {
            return Err(Refusal::at(*class, text, at));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
