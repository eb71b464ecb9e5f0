//! LoopX: one local control plane for agent sessions. Whom is each one waiting on?

use std::process::ExitCode;

use loopx::ui::{self, Out};

fn main() -> ExitCode {
    let code = ui::guarded(|| {
        loopx::cli::main(&loopx::env::Env::of_process(), std::env::args_os().collect(), Out::of_process())
    });
    ExitCode::from(code)
}
