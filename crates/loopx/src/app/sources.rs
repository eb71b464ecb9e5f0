//! What of the environment the runtimes' readers need.

use loopx_runtimes::hooks::Spool;
use loopx_runtimes::{Sources, worker};

use crate::app::home::Home;
use crate::env::Env;

/// The folders that the readers look at.
pub fn of(env: &Env) -> Sources {
    let sources = Sources::from_env(env.home(), |name| env.var_os(name).map(ToOwned::to_owned));
    let data = Home::of(env).map(|home| home.data);
    Sources {
        spool: data.as_deref().map(Spool::of),
        workers: data.as_deref().map(worker::Spool::of),
        proc_root: env.proc.clone(),
        machine_id: env.machine_id.clone(),
        ..sources
    }
}
