//! Keeps each actor's last command with what would undo it.

use super::inverse::inverse;
use super::things::{changed_by, relied_on};
use crate::actor::Who;
use crate::event::{Event, Recorded};
use crate::state::State;
use crate::undo::{LastCommand, Undo, WhyNot};

impl State {
    /// Notes what an event changes and how it is undone, before it is applied.
    pub(super) fn remember(&mut self, recorded: &Recorded) {
        // An attempt changed nothing: what the actor did before is still its last command.
        if matches!(recorded.event, Event::Refused { .. }) {
            return;
        }
        // What would be brought back may hold a text that was purged.
        if matches!(recorded.event, Event::Purged { .. }) {
            let all: Vec<Who> = self.last_commands.iter().map(|(who, _)| who.clone()).collect();
            return self.give_up(&all, WhyNot::Purged);
        }
        let things = changed_by(self, &recorded.event);
        let overtaken = |(_, last): &(&Who, &LastCommand)| {
            last.command != recorded.command
                && matches!(last.undo, Undo::By(_))
                && !last.things.is_disjoint(&things)
        };
        let overtaken: Vec<Who> =
            self.last_commands.iter().filter(overtaken).map(|(who, _)| who.clone()).collect();
        self.give_up(&overtaken, WhyNot::Overtaken);

        let inverse = inverse(self, &recorded.event);
        let relied_on = relied_on(self, &recorded.event);
        let who = &recorded.actor.who;
        if self.last_commands.get(who).is_none_or(|last| last.command != recorded.command) {
            let (command, things) = (recorded.command, std::collections::BTreeSet::new());
            self.last_commands.insert(who.clone(), LastCommand { command, things, undo: Undo::By(vec![]) });
        }
        let Some(last) = self.last_commands.get_mut(who) else { return };
        match (&mut last.undo, inverse) {
            (Undo::Never(_), _) => {}
            (undo @ Undo::By(_), Err(why)) => {
                *undo = Undo::Never(why);
                last.things.clear();
            }
            (Undo::By(events), Ok(mut before)) => {
                // What was done last is undone first.
                before.append(events);
                *events = before;
                last.things.extend(things);
                last.things.extend(relied_on);
            }
        }
    }

    fn give_up(&mut self, actors: &[Who], why: WhyNot) {
        for who in actors {
            if let Some(last) = self.last_commands.get_mut(who) {
                last.undo = Undo::Never(why);
                last.things.clear();
            }
        }
    }
}
