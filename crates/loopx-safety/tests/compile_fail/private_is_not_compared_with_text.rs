use loopx_safety::Private;

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = value == "said in a session"; // neighbour: let _ = value == Private::from(String::from("said in a session"));
}
