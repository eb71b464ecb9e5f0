//! What the tests share.

use std::path::Path;

use loopx_contract::TodoId;
use loopx_core::event::LogAudience;
use loopx_core::text::LogText;
use loopx_core::todo::{Priority, TodoClass};
use loopx_core::{Event, ProofFloor};
use loopx_safety::PublicText;
use loopx_store::SqliteStore;

pub use loopx_store::conformance::script::{at, goal, person};

pub fn text(text: &str) -> LogText {
    PublicText::new(text).unwrap().into()
}

pub fn goal_added(floor: ProofFloor) -> Event {
    Event::GoalAdded {
        objective: text("reach the end"),
        proof: floor,
        read: vec![text("docs/**")],
        write: vec![text("src/**")],
        private_data_rule: None,
        stop_condition: text("stop when it is reached"),
    }
}

pub fn todo(number: u64) -> TodoId {
    TodoId::parse(&format!("todo_{number:08}")).unwrap()
}

pub fn todo_added(number: u64, title: &str) -> Event {
    Event::TodoAdded {
        todo: todo(number),
        title: text(title),
        audience: LogAudience::Agent,
        priority: Priority::P2,
        class: TodoClass::Advance,
        globs: vec![text("src/**")],
        needs: Vec::new(),
        blocked_by: Vec::new(),
        by: None,
    }
}

/// A store with goals of some events each.
pub fn filled(folder: &Path, goals: &[&str], todos: u64) -> SqliteStore {
    let mut store = SqliteStore::open(folder).unwrap();
    for id in goals {
        let mut events = vec![(at(0), goal_added(ProofFloor::None))];
        for number in 0..todos {
            events.push((at(1), todo_added(number, &format!("work item number {number}"))));
        }
        store.append_all(&goal(id), &person(), events).unwrap();
    }
    store
}
