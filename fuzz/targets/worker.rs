//! A line of a worker of the user's own: it is understood, or each fault has a name. A key that nobody knows is dropped,
//! counted, and changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_contract::worker::read;
use loopx_safety::{PrivateWords, TierKind};

fuzz_target!(|line: &[u8]| {
    let words = PrivateWords::none(TierKind::Local);
    match read(line, &words) {
        Err(faults) => assert!(!faults.is_empty(), "refused for nothing"),
        Ok(understood) => {
            let open = line.iter().position(|byte| *byte == b'{').expect("an object");
            let (before, rest) = line.split_at(open + 1);
            let more = [before, br#""a_key_that_nobody_knows":[{"a":"b"}],"#, rest].concat();
            let more = read(&more, &words).expect("one more key is no fault");
            assert_eq!(more.facts, understood.facts);
            assert_eq!(more.dropped, understood.dropped + 1);
        }
    }
});
