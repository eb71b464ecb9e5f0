//! The skimmer finds what `serde_json` finds; what it alone reads has no fault but in an escape that nobody asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopx_runtimes::testing::{Agreement, Form, mended};

fuzz_target!(|line: &[u8]| {
    for form in Form::ALL {
        match form.compare(line) {
            Agreement::Same | Agreement::Refused => {}
            Agreement::Lenient => assert_eq!(form.compare(&mended(line)), Agreement::Same, "{form:?}"),
            Agreement::Strict => panic!("the skimmer alone refuses a {form:?}"),
            Agreement::Different(found) => panic!("{form:?}\n{found}"),
        }
    }
});
