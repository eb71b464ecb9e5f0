//! The thread that is asked for the past: what was found out of it is kept there. Its store is opened when it is first
//! asked, and nothing that somebody records waits for it.

use std::sync::{Arc, Mutex, PoisonError};

use super::desk::Desk;
use crate::app::ControlPlane;
use crate::app::charting::Charting;
use crate::env::Env;
use crate::error::CliError;

/// The thread, from outside.
pub struct Archive {
    env: Env,
    desk: Mutex<Option<Arc<Desk>>>,
    charting: Arc<Mutex<Charting>>,
}

impl Archive {
    /// Nothing was asked yet.
    pub fn new(env: &Env) -> Self {
        Self { env: env.clone(), desk: Mutex::default(), charting: Arc::default() }
    }

    /// Has it do something, and waits for what came of it. What nobody waits for any more is done all the same, and kept.
    pub async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut ControlPlane, &mut Charting) -> Result<T, CliError> + Send + 'static,
    ) -> Result<T, CliError> {
        let charting = Arc::clone(&self.charting);
        let desk = self.desk()?;
        let job = move |plane: &mut ControlPlane| {
            job(plane, &mut charting.lock().unwrap_or_else(PoisonError::into_inner))
        };
        desk.ask(job).await
    }

    fn desk(&self) -> Result<Arc<Desk>, CliError> {
        let mut held = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(desk) = &*held {
            return Ok(Arc::clone(desk));
        }
        let desk = Arc::new(Desk::start(&self.env)?);
        *held = Some(Arc::clone(&desk));
        Ok(desk)
    }
}
