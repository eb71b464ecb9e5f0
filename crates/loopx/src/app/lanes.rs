//! Whether a lane that is named from outside is there. The log is looked at, and nothing is made or changed.

use std::path::Path;

use loopx_core::Names;
use loopx_runtimes::worker::Lane;
use loopx_store::{SqliteStore, Store as _};

/// What is not there of a lane, and the way out; none where all of it is, and where that can't be told: what is wrong
/// with the log is said by those who need it.
pub fn missing(data: &Path, (goal, agent): &Lane) -> Option<(String, String)> {
    let mut store = SqliteStore::open(data).ok()?;
    if !store.goals().ok()?.iter().any(|one| one.id == *goal) {
        let hint = format!(
            "`loopx goal add {goal} --objective TEXT` adds it, `loopx goal list` shows those that are there"
        );
        return Some((format!("there is no goal {goal}"), hint));
    }
    let agent = agent.as_ref()?;
    let state = store.load(goal, &Names::default()).ok()?;
    if state.agents.get(agent).is_some() {
        return None;
    }
    let hint = format!(
        "`loopx agent add {agent} --goal {goal}` adds it, `loopx agent list --goal {goal}` shows those that are there"
    );
    Some((format!("there is no lane {agent} in {goal}"), hint))
}
