//! LoopX: one local control plane for agent sessions. Whom is each one waiting on?
//!
//! The binary is [`cli::main`] over the process's own environment; everything else can be handed another one.

pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod env;
pub mod error;
pub mod tui;
pub mod ui;
pub mod web;
