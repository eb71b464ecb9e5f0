//! Folds spends into the ledger.

use crate::event::Event;
use crate::quota::{Amount, Slot, Spend};
use crate::state::State;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
    pub(super) fn fold_spend(&mut self, event: &Event) {
        match event {
            Event::Spent { key, agent, amount, spent_at } if !self.spends.contains(key) => {
                let (key, agent, amount) = (key.clone(), agent.clone(), *amount);
                let slot = Slot::at(agent.clone(), *spent_at);
                let sum = self.ledger.get(&slot).copied().unwrap_or_default().plus(amount);
                self.ledger.insert(slot, sum);
                let row = Spend { key: key.clone(), agent, amount, at: *spent_at, voided: false };
                self.spends.insert(key, row);
            }
            Event::SpendVoided { key } if self.spends.get(key).is_some_and(|spend| !spend.voided) => {
                let Some(spend) = self.spends.get_mut(key) else { return };
                spend.voided = true;
                let slot = Slot::at(spend.agent.clone(), spend.at);
                let left = self.ledger.get(&slot).map(|sum| sum.less(spend.amount));
                match left {
                    Some(left) if left == Amount::default() => drop(self.ledger.remove(&slot)),
                    Some(left) => self.ledger.insert(slot, left),
                    None => {}
                }
            }
            _ => {}
        }
    }
}
