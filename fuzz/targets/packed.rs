//! Whatever a packed file unpacks to, and if it doesn't: nothing but an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_runtimes::Runtime;
use loopx_runtimes::testing::Folding;

fuzz_target!(|packed: &[u8]| {
    let _ = Folding::new(Runtime::Codex).unpack(packed);
});
