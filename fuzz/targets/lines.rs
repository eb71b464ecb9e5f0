//! Lines are what is between newlines, however the bytes come in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_runtimes::testing::lines;

fuzz_target!(|bytes: &[u8]| {
    let [pieces, bytes @ ..] = bytes else { return };
    let mut want: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if want.last().is_some_and(|line| line.is_empty()) {
        want.pop();
    }
    assert_eq!(lines(bytes, usize::from(*pieces) + 1), want);
});
