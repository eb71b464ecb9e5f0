//! LoopX: one local control plane for agent sessions. Whom is each one waiting on?

use std::process::ExitCode;

use loopx::app::serving::Doors;
use loopx::ui::{self, Out};

fn main() -> ExitCode {
    let code = ui::guarded(|| {
        let doors = Doors { page: loopx::web::serve, terminal: loopx::tui::top };
        let (env, args) = (loopx::env::Env::of_process(), std::env::args_os().collect());
        loopx::cli::main(&env, args, Out::of_process(), doors)
    });
    ExitCode::from(code)
}
