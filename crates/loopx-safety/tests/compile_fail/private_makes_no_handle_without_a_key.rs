use loopx_safety::{Handle, Private};

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = Handle::from(value); // neighbour: let _ = Handle::parse(value.expose());
}
