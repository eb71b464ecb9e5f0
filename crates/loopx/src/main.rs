//! LoopX: one local control plane for agent sessions. Whom is each one waiting on?

mod app;
mod cli;
mod clock;
mod config;
mod env;
mod error;
mod ui;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(&env::Env::of_process(), std::env::args_os().collect())
}
