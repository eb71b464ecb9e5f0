//! Which version of a runtime counts: what is found out today, or what was known when its hooks were written.

use loopx_runtimes::{FoundBy, Installed, Runtime, Sources};
use loopx_safety::InstallKey;

use super::change::file_of;
use super::record::Record;
use super::role::Role;

/// A version, and whether the user named it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// The version, if one is known.
    pub installed: Option<Installed>,
    /// Whether the user named it.
    pub is_named: bool,
}

/// The version that counts where one is found out, or none. One that the user named counts until a newer one is found out,
/// any other that hooks were written for counts where none is.
pub fn counts(
    runtime: Runtime,
    sources: &Sources,
    key: &InstallKey,
    record: &Record,
    found: Option<Installed>,
) -> Counts {
    let written = Role::of(runtime).iter().find_map(|role| {
        let (_, file) = file_of(*role, sources, key)?;
        let written = record.of(*role, &file)?;
        Some((written.version?, written.is_named))
    });
    let Some((version, is_named)) = written else { return Counts { installed: found, is_named: false } };
    match found {
        Some(found) if !is_named || found.version >= version => {
            Counts { installed: Some(found), is_named: false }
        }
        Some(_) | None => {
            Counts { installed: Some(Installed { version, found_by: FoundBy::Record }), is_named }
        }
    }
}
