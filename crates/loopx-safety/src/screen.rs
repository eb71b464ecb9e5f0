//! The screen: what a text is looked at for, in order, before it may be said.
//!
//! A pass over the bytes notes which marks occur at all; a step is asked only where one of its marks does. Most clean
//! text has none and costs that one pass. Each step finds the bytes of the first thing of its class, or nothing.

pub mod control;
mod credential;
mod entropy;
mod host;
mod ip;
mod length;
mod mail;
mod marks;
mod path;
mod pattern;
mod url;
mod uuid;

use std::ops::Range;

use crate::refusal::{Class, Refusal};
use crate::tier::TierKind;
use marks::Marks;

/// One thing that is looked for.
struct Step {
    class: Class,
    /// The step is asked where the text has any of these.
    when: Marks,
    find: fn(&str, TierKind) -> Option<Range<usize>>,
}

/// In this order: a narrow class before a wide one, so that the refusal names what a person would.
const STEPS: [Step; 8] = [
    Step {
        class: Class::Credential,
        when: Marks::TOKEN.or(Marks::EQUALS).or(Marks::COLON),
        find: credential::find,
    },
    Step { class: Class::Url, when: Marks::SLASH.or(Marks::DOT).or(Marks::COLON), find: url::find },
    Step { class: Class::Mail, when: Marks::AT.or(Marks::DOT_WORD), find: mail::find },
    Step { class: Class::Uuid, when: Marks::TOKEN, find: uuid::find },
    Step { class: Class::Ip, when: Marks::DOT.or(Marks::COLON).or(Marks::DASH), find: ip::find },
    Step { class: Class::Path, when: Marks::SLASH.or(Marks::COLON).or(Marks::DASH), find: path::find },
    Step { class: Class::Host, when: Marks::DOT.or(Marks::COLON), find: host::find },
    Step { class: Class::HighEntropy, when: Marks::TOKEN, find: entropy::find },
];

/// Whether a text of at most `max` characters may be said at a tier. The refusal holds no part of the text.
pub fn screen(text: &str, tier: TierKind, max: usize) -> Result<(), Refusal> {
    length::check(text, max)?;
    let marks = Marks::of(text);
    if marks.has(Marks::CONTROL.or(Marks::WIDE)) {
        control::check(text)?;
    }
    for step in &STEPS {
        if marks.has(step.when)
            && let Some(at) = (step.find)(text, tier)
        {
            return Err(Refusal::at(step.class, text, at));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
