//! The thread that reads the terminal. It reads on when what it read was taken, so that nobody reads there while a proof
//! is typed.

use std::io;
use std::sync::mpsc;
use std::thread;

use ratatui::crossterm::event;

use super::News;
use crate::app::live::is_gone;

/// The thread, from outside. It ends with the process.
pub struct Typing(mpsc::Sender<()>);

impl Typing {
    /// Starts it.
    pub fn start(news: mpsc::Sender<News>) -> Self {
        let (taken, waits) = mpsc::channel();
        // The library reads a terminal that is gone over and over, and finds nothing.
        let hung_up = news.clone();
        thread::spawn(move || {
            if is_gone(io::stdin()) {
                let _ = hung_up.send(News::Gone);
            }
        });
        thread::spawn(move || {
            loop {
                let told = event::read().map_or(News::Gone, News::Typed);
                let is_gone = matches!(told, News::Gone);
                if news.send(told).is_err() || is_gone || waits.recv().is_err() {
                    return;
                }
            }
        });
        Self(taken)
    }

    /// What it read last was taken.
    pub fn taken(&self) {
        let _ = self.0.send(());
    }
}
