//! A thread that is asked for what no look has. It has a store of its own. One records and reads what is short; what grows
//! with the past is asked of the archive, which is another.

use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;

use crate::app::ControlPlane;
use crate::env::Env;
use crate::error::CliError;

type Job = Box<dyn FnOnce(&mut ControlPlane) + Send>;

/// How many jobs may wait: whoever asks for more is told to come back.
const WAITING: usize = 64;

/// The thread, from outside. It ends when nobody can ask it any more.
pub struct Desk(mpsc::SyncSender<Job>);

impl Desk {
    /// Starts it.
    pub fn start(env: &Env) -> Result<Self, CliError> {
        let env = env.clone();
        let (jobs, asked) = mpsc::sync_channel::<Job>(WAITING);
        let (ready, started) = mpsc::sync_channel(1);
        thread::spawn(move || {
            let mut plane = match ControlPlane::open(&env) {
                Ok(plane) => plane,
                Err(error) => return drop(ready.send(Err(error))),
            };
            plane.stay();
            let _ = ready.send(Ok(()));
            for job in asked {
                job(&mut plane);
            }
        });
        started.recv().map_err(|_| gone())??;
        Ok(Self(jobs))
    }

    /// Has it do something, and waits for what came of it.
    pub async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut ControlPlane) -> Result<T, CliError> + Send + 'static,
    ) -> Result<T, CliError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |plane| drop(answer.send(job(plane))));
        self.0.try_send(job).map_err(|error| match error {
            mpsc::TrySendError::Full(_) => CliError::internal("too much is asked at once").hint("try again"),
            mpsc::TrySendError::Disconnected(_) => gone(),
        })?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn gone() -> CliError {
    CliError::internal("the store can't be asked any more").hint("start `loopx serve` again")
}
