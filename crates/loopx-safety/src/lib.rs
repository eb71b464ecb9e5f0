//! What may be said.
//!
//! No output of `LoopX` ever holds a prompt, a transcript, a credential, a local path, a host or a document id taken
//! from a session. That is kept by construction first: what adapters read is [`Private`] and leads nowhere, what a
//! projection holds is [`PublicText`], made only by a constructor that screens, and what names a foreign thing is a
//! [`Handle`], a keyed hash. What a person needs to find a thing is a [`Diagnostic`], which is never serialized.
//!
//! This crate does no I/O and knows nothing of goals, runtimes or doors.

pub mod base32;
pub mod diagnostic;
pub mod handle;
pub mod io_words;
pub mod private;
pub mod redact;
pub mod refusal;
pub mod screen;
pub mod text;
pub mod tier;
pub mod words;

pub use diagnostic::{Diagnostic, escape, escape_json};
pub use handle::{Handle, HandleKind, InstallKey, NewInstall};
pub use io_words::io_words;
pub use private::Private;
pub use redact::Redacted;
pub use refusal::{Class, Refusal};
pub use screen::{Step, screen, screen_with};
pub use text::{ActionText, PublicText};
pub use tier::{Local, Showcase, Tier, TierKind};
pub use words::{PrivateWord, PrivateWords, WordKind};
