//! Signed decisions: what the passphrase's key stands for, and what is found when somebody writes to the store who
//! knows all of its format and has no key.

use std::path::Path;

use ed25519_dalek::{Signer as _, SigningKey};
use loopx_core::{
    Actor, AuthorityCommand, AuthorityKey, Event, Names, Proof, ProofFloor, Refusal, RefusalCode, Request,
};
use loopx_store::conformance::script::{Ids, Script, agent_add, at, authority, goal, goal_add, person};
use loopx_store::{
    Damage, DamageCode, EventsOf, PurgeTarget, Receipt, Signer, SqliteStore, Store, StoreError,
};

/// A key that is open.
pub struct Key(SigningKey);

impl Key {
    pub fn new(seed: u8) -> Self {
        Self(SigningKey::from_bytes(&[seed; 32]))
    }
}

impl Signer for Key {
    fn public_key(&self) -> AuthorityKey {
        AuthorityKey::new(self.0.verifying_key().to_bytes())
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

fn by_passphrase(request: Request) -> Request {
    Request { actor: Actor { proof: Proof::Passphrase, ..person() }, ..request }
}

pub fn lock(id: &str, key: &Key) -> Request {
    by_passphrase(authority(id, AuthorityCommand::AuthorityLock { public_key: key.public_key() }))
}

pub fn signed(store: &mut SqliteStore, request: &Request, key: Option<&Key>) -> Result<Receipt, StoreError> {
    store.apply_signed(request, at(500), &mut Ids::apart(77), key.map(|key| key as &dyn Signer))
}

fn pause(id: &str) -> Request {
    by_passphrase(authority(id, AuthorityCommand::GoalPause))
}

/// A locked goal with one signed decision, and an open one.
fn locked(base: &Path, key: &Key) -> SqliteStore {
    let mut store = SqliteStore::open(base).unwrap();
    let mut script = Script::new(&mut store);
    for id in ["one", "two"] {
        script.done(&goal_add(id, ProofFloor::Terminal));
        script.done(&agent_add(id, "left"));
        script.todo(id, "work that is open");
    }
    signed(&mut store, &lock("one", key), Some(key)).unwrap();
    signed(&mut store, &pause("one"), Some(key)).unwrap();
    store
}

fn unsigned(store: &mut SqliteStore) {
    let damage = Damage { goal: Some(goal("one")), code: DamageCode::UnsignedDecision };
    assert_eq!(store.doctor().unwrap(), std::slice::from_ref(&damage));
    assert_eq!(store.load(&goal("one"), &Names::default()), Err(StoreError::Damaged(damage)));
    assert!(store.load(&goal("two"), &Names::default()).is_ok());
}

/// The seal is made not to fit the file any more, as a foreign write leaves it.
fn touched(base: &Path) {
    let conn = rusqlite::Connection::open(base.join("loopx.db")).unwrap();
    conn.execute_batch("CREATE TABLE mark (x); DROP TABLE mark;").unwrap();
}

#[test]
fn only_the_key_that_the_log_names_decides() {
    let folder = tempfile::tempdir().unwrap();
    let (key, other) = (Key::new(1), Key::new(2));
    let mut store = locked(folder.path(), &key);
    let resume = by_passphrase(authority("one", AuthorityCommand::GoalResume));
    for wrong in [None, Some(&other)] {
        let refused = signed(&mut store, &resume, wrong);
        let what = "goal resume";
        let refusal = Refusal::NotSigned { what, key: key.public_key() };
        assert_eq!(refused, Err(StoreError::Refused(refusal)));
    }
    let by_terminal = signed(&mut store, &authority("one", AuthorityCommand::GoalResume), Some(&key));
    let floor = ProofFloor::Passphrase;
    let refusal = Refusal::NeedsProof { floor, given: Proof::Terminal };
    assert_eq!(by_terminal, Err(StoreError::Refused(refusal)));
    signed(&mut store, &resume, Some(&key)).unwrap();
    let events = store.events(EventsOf::Goal { goal: &goal("one"), after: 5 }, 99).unwrap();
    let refused = |event: &Event| matches!(event, Event::Refused { code: RefusalCode::NeedsProof, .. });
    assert_eq!(events.iter().filter(|logged| refused(&logged.recorded.event)).count(), 3);
    // A lane goes on without any key.
    let mut script = Script::new(&mut store);
    script.ids = Ids::apart(9);
    script.todo("one", "more work");
    signed(&mut store, &authority("two", AuthorityCommand::GoalPause), None).unwrap();
    assert_eq!(store.doctor().unwrap(), []);
}

#[test]
fn a_key_is_followed_only_by_one_that_it_signs() {
    let folder = tempfile::tempdir().unwrap();
    let (key, next) = (Key::new(1), Key::new(2));
    let mut store = locked(folder.path(), &key);
    assert!(signed(&mut store, &lock("one", &next), Some(&next)).is_err());
    signed(&mut store, &lock("one", &next), Some(&key)).unwrap();
    assert!(
        signed(&mut store, &by_passphrase(authority("one", AuthorityCommand::GoalResume)), Some(&key))
            .is_err()
    );
    signed(&mut store, &by_passphrase(authority("one", AuthorityCommand::GoalResume)), Some(&next)).unwrap();
    assert_eq!(store.doctor().unwrap(), []);
    let again = signed(&mut store, &lock("one", &next), Some(&next)).unwrap();
    assert!(again.events.is_empty());
}

#[test]
fn a_goal_that_asks_for_a_passphrase_takes_no_decision_before_it_has_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let key = Key::new(1);
    let mut store = SqliteStore::open(folder.path()).unwrap();
    Script::new(&mut store).done(&goal_add("one", ProofFloor::Passphrase));
    let refused = signed(&mut store, &pause("one"), Some(&key));
    assert_eq!(refused, Err(StoreError::Refused(Refusal::NotLocked { what: "goal pause" })));
    signed(&mut store, &lock("one", &key), Some(&key)).unwrap();
    signed(&mut store, &pause("one"), Some(&key)).unwrap();
    assert_eq!(store.doctor().unwrap(), []);
}

#[test]
fn a_forged_decision_is_found_although_chain_rows_and_seal_are_right() {
    let forged = [
        Event::GoalStateSet {
            from: loopx_core::goal::GoalState::Paused,
            to: loopx_core::goal::GoalState::Active,
        },
        Event::AuthorityLocked { public_key: Key::new(2).public_key() },
        Event::AuthorityLocked { public_key: Key::new(1).public_key() },
    ];
    for event in forged {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::new(1);
        let mut store = locked(folder.path(), &key);
        let actor = Actor { proof: Proof::Passphrase, ..person() };
        store.append_all(&goal("one"), &actor, vec![(at(600), event)]).unwrap();
        // Whoever writes a seal too is read until somebody verifies: `doctor`, or the next one who signs.
        assert!(SqliteStore::open(folder.path()).unwrap().load(&goal("one"), &Names::default()).is_ok());
        let resume = by_passphrase(authority("one", AuthorityCommand::GoalResume));
        let damage = Damage { goal: Some(goal("one")), code: DamageCode::UnsignedDecision };
        assert_eq!(signed(&mut store, &resume, Some(&key)), Err(StoreError::Damaged(damage)));
        unsigned(&mut SqliteStore::open(folder.path()).unwrap());
    }
}

#[test]
fn a_forged_decision_under_a_foreign_seal_closes_its_goal_at_the_next_look() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = locked(folder.path(), &Key::new(1));
    let resumed = Event::GoalStateSet {
        from: loopx_core::goal::GoalState::Paused,
        to: loopx_core::goal::GoalState::Active,
    };
    store.append_all(&goal("one"), &person(), vec![(at(600), resumed)]).unwrap();
    touched(folder.path());
    let mut store = SqliteStore::open(folder.path()).unwrap();
    let damage = store.goals().unwrap().remove(0).damage.unwrap();
    assert_eq!(damage.code, DamageCode::UnsignedDecision);
    assert!(damage.way_out().contains("loopx restore"));
}

#[test]
fn a_signature_that_is_taken_away_changed_or_put_elsewhere_is_found() {
    let signature = "(SELECT signature FROM event WHERE goal = 1 AND revision = 4)";
    for statement in [
        "UPDATE event SET signature = NULL WHERE goal = 1 AND revision = 4".to_owned(),
        "UPDATE event SET signature = NULL WHERE goal = 1 AND revision = 5".to_owned(),
        "UPDATE event SET signature = zeroblob(64) WHERE goal = 1 AND revision = 5".to_owned(),
        format!("UPDATE event SET signature = {signature} WHERE goal = 1 AND revision = 5"),
        format!("UPDATE event SET signature = {signature} WHERE goal = 1 AND revision = 2"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        drop(locked(folder.path(), &Key::new(1)));
        let conn = rusqlite::Connection::open(folder.path().join("loopx.db")).unwrap();
        let changed = conn.execute(&statement, []).unwrap();
        drop(conn);
        let mut store = SqliteStore::open(folder.path()).unwrap();
        if statement.ends_with("revision = 2") {
            // Before the lock a signature says nothing, so that none is expected.
            assert_eq!(changed, 1);
        }
        assert_eq!(
            store.goals().unwrap()[0].damage.as_ref().map(|it| it.code),
            Some(DamageCode::UnsignedDecision),
            "{statement}"
        );
        unsigned(&mut store);
    }
}

#[test]
fn an_export_keeps_signatures_and_an_import_checks_them() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = Key::new(1);
    let mut store = locked(from.path(), &key);
    let mut lines = Vec::new();
    store.export(&mut lines, &[]).unwrap();
    let text = String::from_utf8(lines.clone()).unwrap();
    assert_eq!(text.matches("\"signature\":").count(), 2);
    let without: String = text
        .lines()
        .map(|line| match line.split_once(",\"signature\"") {
            Some((rest, _)) => format!("{rest}}}\n"),
            None => format!("{line}\n"),
        })
        .collect();
    let mut other = SqliteStore::open(to.path()).unwrap();
    let refused = other.import(&mut without.as_bytes(), &person());
    assert!(
        matches!(&refused, Err(StoreError::Import { reason, .. }) if reason.contains("not signed")),
        "{refused:?}"
    );
    other.import(&mut lines.as_slice(), &person()).unwrap();
    assert_eq!(other.doctor().unwrap(), []);
    let mut again = Vec::new();
    other.export(&mut again, &[goal("one")]).unwrap();
    assert_eq!(String::from_utf8(again).unwrap().matches("\"signature\":").count(), 2);
    signed(&mut other, &by_passphrase(authority("one", AuthorityCommand::GoalResume)), Some(&key)).unwrap();
}

#[test]
fn a_purge_is_signed_and_keeps_signatures_valid() {
    let folder = tempfile::tempdir().unwrap();
    let key = Key::new(1);
    let mut store = locked(folder.path(), &key);
    let edit = AuthorityCommand::GoalEdit {
        objective: Some(loopx_store::conformance::script::text("what should not be here")),
        stop_condition: None,
        private_data_rule: None,
    };
    let revision = signed(&mut store, &by_passphrase(authority("one", edit)), Some(&key)).unwrap().revision;
    let actor = Actor { proof: Proof::Passphrase, ..person() };
    let target = PurgeTarget::Revisions(vec![revision]);
    let other = Key::new(2);
    for wrong in [None, Some(&other as &dyn Signer)] {
        let refused = store.purge(&goal("one"), &target, &actor, at(700), wrong);
        assert!(matches!(refused, Err(StoreError::Refused(Refusal::NotSigned { what: "purge", .. }))));
    }
    store.purge(&goal("one"), &target, &actor, at(700), Some(&key)).unwrap();
    assert_eq!(store.doctor().unwrap(), []);
}
