use loopx_contract::Ref;
use loopx_safety::{Handle, Private};

fn make(value: Private<String>, handle: Handle) {
    let _ = Ref::from(value); // neighbour: let _ = Ref::from(handle);
}

fn main() {
    let _ = make;
}
