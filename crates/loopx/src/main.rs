//! LoopX: one local control plane for agent sessions. Whom is each one waiting on?

use std::process::ExitCode;
use std::sync::Arc;

use loopx::app::serving::Doors;
use loopx::ui::{self, Out};
use signal_hook::consts::SIGXFSZ;

fn main() -> ExitCode {
    // A file that may grow no longer is an error like a full disk, and no end. Whom we start in our place gets the signal
    // as ever.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let code = ui::guarded(|| {
        let doors = Doors { page: loopx::web::serve, terminal: loopx::tui::top };
        let (env, args) = (loopx::env::Env::of_process(), std::env::args_os().collect());
        loopx::cli::main(&env, args, Out::of_process(), doors)
    });
    ExitCode::from(code)
}
