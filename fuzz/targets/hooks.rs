//! What a hook is told: whatever it is, an event that is kept is read back as it was, and holds ids alone of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_runtimes::Runtime;
use loopx_runtimes::hooks::HookEvent;
use loopx_runtimes::testing::hooks;

/// Four ids of 128 bytes, each byte of which may be escaped, and what is ours.
const LONGEST: usize = 4 * 128 * 6 + 512;

fuzz_target!(|bytes: &[u8]| {
    let [first, payloads @ ..] = bytes else { return };
    let runtime = if first.is_multiple_of(2) { Runtime::Codex } else { Runtime::ClaudeCode };
    let (events, says) = hooks(runtime, payloads);
    assert!(!says || !events.is_empty(), "a state of nothing");
    for event in events {
        let kept = serde_json::to_string(&event).expect("a line");
        assert!(kept.len() <= LONGEST, "{} bytes", kept.len());
        assert_eq!(serde_json::from_str::<HookEvent>(&kept).expect("what was kept"), event);
    }
});
