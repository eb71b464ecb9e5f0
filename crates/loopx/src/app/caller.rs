//! The session that this very process runs in.

use loopx_contract::{Ref, RuntimeId};
use loopx_core::Caller;
use loopx_safety::{Handle, InstallKey};

use crate::env::Env;

/// `LOOPX_SESSION`, a runtime's own variables, or a runtime among the ancestors.
pub fn find(env: &Env, key: &InstallKey) -> Option<Caller> {
    let _ = (env, key);
    let _: Option<(Ref, RuntimeId, Handle)> = None;
    None
}
