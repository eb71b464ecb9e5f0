//! The index: it says what the files say, costs what changed, and can be thrown away.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::SessionState;
use loopx_runtimes::{Backfill, Fold, Index, Runtime, Scope, Spent, Sweep, observe, session_handle};
use loopx_safety::InstallKey;

use crate::scene::{Scene, after, entry, key, recording, written};

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";
const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";

fn look(scene: &Scene, index: &mut Index, now: Timestamp) -> Sweep {
    observe(&scene.sources(), index, &key(), now, &BTreeSet::new(), Scope::Hot)
}

fn open(scene: &Scene) -> Index {
    Index::open(&scene.path("index.db"), &key())
}

fn fill(scene: &Scene, index: &mut Index, now: Timestamp) -> Backfill {
    index.backfill(&scene.sources(), &key(), now, Fold::All, &|_: Backfill| true)
}

fn append(path: &Path, text: &str) {
    File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn states(sweep: &Sweep) -> Vec<SessionState> {
    sweep.sessions.iter().map(|seen| seen.facts.state).collect()
}

/// A file that grows line by line says at each look what it says when it is looked at for the first time.
#[test]
fn a_growing_file_is_followed() {
    for (name, codex) in [
        ("codex/0.171.0_rollout-2026-11-29T23-30-46-01a229a5-924c-7440-b3e2-411a8a756bc4.jsonl", true),
        ("codex/0.171.0_late_item_after_end.jsonl", true),
        ("claude-code/2.1.332_running_tool.jsonl", false),
        ("claude-code/done_v1.jsonl", false),
    ] {
        let text = recording(name);
        let now = after(&text);
        let scene = Scene::new();
        let path = if codex { scene.rollout(THREAD, "") } else { scene.transcript(SESSION, "") };
        for line in text.split_inclusive('\n') {
            let (first, second) = line.split_at(line.len() / 2);
            // Each opening of the index is another process.
            append(&path, first);
            look(&scene, &mut open(&scene), now);
            append(&path, second);
            let followed = look(&scene, &mut open(&scene), now);
            let anew = look(&scene, &mut Index::in_memory(&key()), now);
            assert_eq!(
                followed.sessions.iter().map(|seen| &seen.facts).collect::<Vec<_>>(),
                anew.sessions.iter().map(|seen| &seen.facts).collect::<Vec<_>>(),
                "{name}"
            );
        }
    }
}

#[test]
fn a_file_that_was_replaced_or_cut_is_read_anew() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let path = scene.rollout(THREAD, &text);
    let mut index = open(&scene);
    assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::Interrupted]);
    let other = recording("codex/0.171.0_usage_limit.jsonl");
    // In place, shorter, longer, and as another file under the same name.
    fs::write(&path, &other).unwrap();
    assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::RateLimited]);
    // As long as before, and with the same end.
    let moved = other.replace("2026-11-29T", "2026-11-28T");
    fs::write(&path, moved).unwrap();
    let facts = look(&scene, &mut index, now).sessions.remove(0).facts;
    assert!(facts.last_activity < Some(now - SignedDuration::from_hours(20)), "{facts:?}");
    let open_turn = text.lines().take(6).collect::<Vec<_>>().join("\n") + "\n";
    fs::write(&path, &open_turn).unwrap();
    assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::Unknown]);
    let beside = scene.write("beside.jsonl", &text);
    fs::rename(beside, &path).unwrap();
    assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::Interrupted]);
}

#[test]
fn a_cold_file_that_grows_is_seen_within_a_minute_and_at_once_when_asked() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let path = scene.rollout(THREAD, &text);
    let long_ago = now - SignedDuration::from_hours(24 * 20);
    written(&path, long_ago);
    let mut index = open(&scene);
    assert_eq!((look(&scene, &mut index, now).older, fill(&scene, &mut index, now).complete), (1, true));
    append(&path, "{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_started\",\"turn_id\":\"t9\"}}\n");
    written(&path, now);
    let soon = now + SignedDuration::from_secs(30);
    let sweep = look(&scene, &mut index, soon);
    assert_eq!((sweep.sessions.len(), sweep.swept_at), (0, Some(now)), "between two sweeps cold files rest");
    let fresh = observe(&scene.sources(), &mut index, &key(), soon, &BTreeSet::new(), Scope::Fresh);
    assert_eq!((states(&fresh), fresh.swept_at), (vec![SessionState::Unknown], Some(soon)));
    let later = look(&scene, &mut index, soon + SignedDuration::from_secs(61));
    assert_eq!(later.swept_at, Some(soon + SignedDuration::from_secs(61)));
    // A clock that was set back does not stop the looking.
    assert_eq!(look(&scene, &mut index, now).swept_at, Some(now));
}

#[test]
fn who_is_told_of_changes_names_the_cold_file_that_grew() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let path = scene.rollout(THREAD, &text);
    written(&path, now - SignedDuration::from_hours(24 * 20));
    let mut index = open(&scene);
    assert_eq!(look(&scene, &mut index, now).older, 1);
    append(&path, "{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_started\",\"turn_id\":\"t9\"}}\n");
    let soon = |seconds| now + SignedDuration::from_secs(seconds);
    let told = |index: &mut Index, also: &BTreeSet<_>, at| {
        observe(&scene.sources(), index, &key(), at, also, Scope::Told)
    };
    let nothing = BTreeSet::new();
    let sweep = told(&mut index, &nothing, soon(300));
    assert_eq!((sweep.sessions.len(), sweep.swept_at), (0, Some(now)), "it is left alone for longer");
    let named = BTreeSet::from([session_handle(&key(), Runtime::Codex, THREAD)]);
    assert_eq!(states(&told(&mut index, &named, soon(301))), [SessionState::Unknown]);
    // From then on it is one that was written to lately.
    assert_eq!(told(&mut index, &nothing, soon(302)).sessions.len(), 1);
    // Who was not told all is made up for.
    assert_eq!(told(&mut index, &nothing, soon(601)).swept_at, Some(soon(601)));
}

#[test]
fn an_index_that_another_process_made_anew_is_not_taken_for_the_one_that_is_open() {
    let scene = Scene::new();
    let index = open(&scene);
    assert!(index.is_there());
    fs::remove_file(scene.path("index.db")).unwrap();
    assert!(!index.is_there());
    let other = open(&scene);
    assert!(other.is_there() && !index.is_there());
    assert!(!Index::in_memory(&key()).is_there());
}

#[test]
fn a_new_file_is_seen_at_once() {
    let text = recording("claude-code/2.1.332_pending_ask.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let mut index = open(&scene);
    assert_eq!(look(&scene, &mut index, now).sessions.len(), 0);
    scene.transcript(SESSION, &text);
    assert_eq!(look(&scene, &mut index, now).sessions.len(), 1, "in a folder that was not there");
    scene.transcript("99a73867-150f-4f26-a74c-8cf20a491c54", &text);
    assert_eq!(look(&scene, &mut index, now).sessions.len(), 2, "in a folder that was");
}

#[test]
fn a_living_session_is_looked_at_however_old_its_file_is() {
    let text = recording("claude-code/2.1.332_pending_permission.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let path = scene.transcript(SESSION, &text);
    written(&path, now - SignedDuration::from_hours(24 * 30));
    let mut index = open(&scene);
    assert_eq!(look(&scene, &mut index, now).sessions.len(), 0);
    scene.alive();
    scene.entry(&entry(SESSION, "waiting", Some("permission prompt"), now));
    assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::WaitingPermission]);
}

#[test]
fn what_is_wrong_with_the_index_costs_nothing_but_time() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    let path = scene.path("index.db");
    let expect = |what: &str| {
        let mut index = open(&scene);
        assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::Interrupted], "{what}");
        assert!(fill(&scene, &mut index, now).complete, "{what}");
        assert_eq!(index.spent_so_far(&key()).unwrap().sessions.len(), 1, "{what}");
    };
    expect("new");
    fs::remove_file(&path).unwrap();
    expect("deleted");
    fs::write(
        &path,
        "this is no database at all, and longer than a header of one hundred bytes would be ....",
    )
    .unwrap();
    expect("garbage");
    let whole = bytes(&path);
    for at in (0..whole.len()).step_by(997) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        remove(&path);
        fs::write(&path, flipped).unwrap();
        expect(&format!("flipped at {at}"));
    }
    remove(&path);
    fs::create_dir(&path).unwrap();
    expect("a folder in its place");
    fs::remove_dir(&path).unwrap();
    let other = InstallKey::from_bytes([9; 32], "fedcba9876543210");
    drop(Index::open(&path, &other));
    expect("made with another key");
}

#[test]
fn a_link_in_place_of_the_index_is_not_followed() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    let elsewhere = scene.path("elsewhere.db");
    for exists in [false, true] {
        remove(&scene.path("index.db"));
        if exists {
            fs::copy(scene.path("elsewhere-made.db"), &elsewhere).unwrap();
        }
        let before = elsewhere.exists().then(|| bytes(&elsewhere));
        std::os::unix::fs::symlink(&elsewhere, scene.path("index.db")).unwrap();
        let mut index = open(&scene);
        assert_eq!(look(&scene, &mut index, now).sessions.len(), 1);
        drop(index);
        assert_eq!(elsewhere.exists().then(|| bytes(&elsewhere)), before);
        fs::copy(scene.path("index.db"), scene.path("elsewhere-made.db")).unwrap();
    }
}

#[test]
fn a_pipe_in_place_of_the_lock_stops_nobody() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    let made = std::process::Command::new("mkfifo").arg(scene.path("index.lock")).status();
    assert!(made.is_ok_and(|made| made.success()));
    assert!(fill(&scene, &mut open(&scene), after(&text)).complete);
}

#[test]
fn an_index_that_another_process_holds_is_not_thrown_away() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    fill(&scene, &mut open(&scene), now);
    let path = scene.path("index.db");
    let inode = || std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let before = inode();
    let holder = rusqlite::Connection::open(&path).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE swept SET at = 0")
        .unwrap();
    let mut index = open(&scene);
    assert_eq!(states(&look(&scene, &mut index, now)), [SessionState::Interrupted]);
    assert!(fill(&scene, &mut index, now).complete);
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(inode(), before, "the file was replaced");
}

fn remove(path: &Path) {
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{end}", path.display()));
    }
}

#[expect(clippy::disallowed_methods, reason = "it is ours, and short")]
fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn the_index_is_its_owners_alone_and_holds_no_word_of_a_transcript() {
    use std::os::unix::fs::PermissionsExt as _;
    let canary = "zanzibar-canary";
    let text = recording("claude-code/2.1.332_pending_ask.jsonl").replace("Which db?", canary);
    let prompt = format!(
        "{{\"type\":\"user\",\"sessionId\":\"{SESSION}\",\"uuid\":\"u9\",\"message\":{{\"role\":\"user\",\
         \"content\":\"{canary} please\"}}}}\n{{\"type\":\"assistant\",\"sessionId\":\"{SESSION}\",\"uuid\":\"u10\",\
         \"message\":{{\"id\":\"m1\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\
         \"input\":{{\"command\":\"cargo test {canary}\"}}}}]}}}}\n"
    );
    let now = after(&text);
    let scene = Scene::new();
    scene.transcript(SESSION, &format!("{}\n{prompt}", text.trim_end()));
    let mut index = open(&scene);
    look(&scene, &mut index, now);
    fill(&scene, &mut index, now);
    for end in ["", "-wal", "-shm"] {
        let path = PathBuf::from(format!("{}{end}", scene.path("index.db").display()));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{end}");
        let held = String::from_utf8_lossy(&bytes(&path)).into_owned();
        assert!(!held.contains(canary), "{end}");
    }
}

#[test]
fn what_the_runtime_cleans_up_stays_counted() {
    let text =
        recording("codex/0.171.0_rollout-2026-11-29T23-30-46-01a229a5-924c-7440-b3e2-411a8a756bc4.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let path = scene.rollout(THREAD, &text);
    let mut index = open(&scene);
    fill(&scene, &mut index, now);
    let before = index.spent_so_far(&key()).unwrap().sessions[0].spent.clone();
    assert!(!before.is_empty());
    fs::remove_file(path).unwrap();
    let later = now + SignedDuration::from_mins(2);
    assert_eq!(look(&scene, &mut index, later).sessions.len(), 0);
    fill(&scene, &mut index, later);
    assert_eq!(index.spent_so_far(&key()).unwrap().sessions[0].spent, before);
}

#[test]
fn what_is_gone_is_forgotten_where_there_is_no_room() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    for n in 0..200u32 {
        scene.rollout(
            &format!("{n:08}-924c-7440-b3e2-411a8a756bc4"),
            &text.replace("01a229a5", &format!("{n:08}")),
        );
    }
    let mut index = open(&scene);
    fill(&scene, &mut index, now);
    let all = total(&index).0;
    index.trim(0).unwrap();
    assert_eq!(total(&index).0, all, "what is there is not forgotten");
    for n in 0..100u32 {
        let name = format!("rollout-2026-11-29T23-30-46-{n:08}-924c-7440-b3e2-411a8a756bc4.jsonl");
        fs::remove_file(scene.path("codex/sessions/2026/11/29").join(name)).unwrap();
    }
    fill(&scene, &mut index, now + SignedDuration::from_mins(2));
    assert_eq!(total(&index).0, all, "there is room");
    index.trim(0).unwrap();
    assert_eq!(total(&index).0, all / 2);
}

/// Stopped at any place, it goes on from there and ends where one run ends.
#[test]
fn a_backfill_goes_on_where_it_was_stopped() {
    let text = recording("claude-code/2.1.332_running_tool.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let filler = format!(
        "{{\"type\":\"attachment\",\"sessionId\":\"{SESSION}\",\"x\":\"{}\"}}\n",
        "y".repeat(500_000)
    );
    let mut long = String::new();
    for line in text.lines().take(60) {
        long += &format!("{line}\n{filler}{filler}{filler}");
    }
    scene.transcript(SESSION, &long);
    for n in 0..20u32 {
        scene.transcript(&format!("{n:08}-150f-4f26-a74c-8cf20a491c54"), &text);
    }
    let mut whole = Index::in_memory(&key());
    fill(&scene, &mut whole, now);
    let want = total(&whole);
    let mut stops = 0;
    loop {
        let asked = std::sync::atomic::AtomicU32::new(0);
        let mut index = open(&scene);
        let pace = |_: Backfill| asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 3;
        if index.backfill(&scene.sources(), &key(), now, Fold::All, &pace).complete {
            break;
        }
        stops += 1;
        assert!(stops < 200);
    }
    assert!(stops > 3, "{stops}");
    assert_eq!(total(&open(&scene)), want);
}

fn total(index: &Index) -> (usize, u64, u64) {
    let spending = index.spent_so_far(&key()).unwrap();
    let spent = spending.sessions.iter().flat_map(|session| &session.spent);
    let sum = spent.fold(loopx_runtimes::Spent::default(), |sum, (_, spent)| sum.plus(*spent));
    (spending.sessions.len(), sum.tokens.output, sum.turns)
}

#[test]
fn several_processes_share_an_index() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    for n in 0..30u32 {
        scene.rollout(&format!("{n:08}-924c-7440-b3e2-411a8a756bc4"), &text);
    }
    std::thread::scope(|threads| {
        for worker in 0..6 {
            let scene = &scene;
            threads.spawn(move || {
                for _ in 0..5 {
                    let mut index = open(scene);
                    assert_eq!(look(scene, &mut index, now).sessions.len(), 30);
                    if worker % 2 == 0 {
                        assert!(fill(scene, &mut index, now).complete);
                    } else {
                        index.backfill(&scene.sources(), &key(), now, Fold::Known, &|_: Backfill| true);
                    }
                }
            });
        }
    });
    let turns = total(&open(&scene)).2;
    let mut once = Index::in_memory(&key());
    fill(&scene, &mut once, now);
    assert_eq!(turns, total(&once).2);
}

/// What every session spent, all of it read.
fn spent(scene: &Scene, index: &mut Index, now: Timestamp) -> Vec<(Option<Timestamp>, Spent)> {
    let spending = index.spending(&scene.sources(), &key(), now, &|_: Backfill| true).unwrap();
    assert_eq!(spending.open, 0);
    spending.sessions.into_iter().flat_map(|session| session.spent).collect()
}

/// A session that spent something, longer than a first look reads.
fn long() -> (Scene, Timestamp) {
    let text =
        recording("codex/0.171.0_rollout-2026-11-29T23-30-46-01a229a5-924c-7440-b3e2-411a8a756bc4.jsonl");
    let filler = format!(
        "{{\"type\":\"response_item\",\"payload\":{{\"type\":\"reasoning\",\"text\":\"{}\"}}}}\n",
        "x".repeat(1000)
    );
    let scene = Scene::new();
    let now = after(&text);
    let (head, rest) = text.split_once('\n').unwrap();
    scene.rollout(THREAD, &format!("{head}\n{}{rest}", filler.repeat(2000)));
    (scene, now)
}

#[test]
fn a_look_of_another_process_takes_nothing_from_what_was_spent() {
    let (scene, now) = long();
    let told = spent(&scene, &mut Index::in_memory(&key()), now);
    assert!(!told.is_empty());
    let looked = AtomicBool::new(false);
    // Just before the file is folded another one looks at it, and saves that: its end alone.
    let pace = |_: Backfill| {
        if !looked.swap(true, Ordering::Relaxed) {
            assert_eq!(look(&scene, &mut open(&scene), now).sessions.len(), 1);
        }
        true
    };
    let spending = open(&scene).spending(&scene.sources(), &key(), now, &pace).unwrap();
    let beside: Vec<_> = spending.sessions.into_iter().flat_map(|session| session.spent).collect();
    assert_eq!(beside, told);
}

#[test]
fn what_is_damaged_inside_the_index_is_folded_again() {
    let (scene, now) = long();
    let told = spent(&scene, &mut Index::in_memory(&key()), now);
    let path = scene.path("index.db");
    let change = |what: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(what).unwrap();
    for what in [
        "DELETE FROM fold",
        "UPDATE fold SET kept = x'00' || substr(kept, 2)",
        "UPDATE fold SET kept = substr(kept, 1, 40) || x'ff00' || substr(kept, 43)",
        "UPDATE fold SET kept = 'words', behind = 7",
        "UPDATE file SET len = 'long'",
        "DROP TABLE spent",
        "DROP TABLE fold",
    ] {
        assert_eq!(spent(&scene, &mut open(&scene), now), told);
        change(what);
        assert_eq!(spent(&scene, &mut open(&scene), now), told, "{what}");
        assert_eq!(spent(&scene, &mut open(&scene), now), told, "{what}, and again");
    }
}

#[test]
fn a_damaged_page_of_the_index_is_not_the_end_of_usage() {
    let (scene, now) = long();
    let told = spent(&scene, &mut open(&scene), now);
    let path = scene.path("index.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let whole = bytes(&path);
    for page in 0..whole.len() / 4096 {
        let mut damaged = whole.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        remove(&path);
        fs::write(&path, damaged).unwrap();
        assert_eq!(spent(&scene, &mut open(&scene), now), told, "page {page}");
        assert_eq!(spent(&scene, &mut open(&scene), now), told, "page {page}, and again");
    }
}
