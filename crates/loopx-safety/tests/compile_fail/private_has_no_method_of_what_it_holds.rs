use loopx_safety::Private;

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = value.len(); // neighbour: let _ = value.map(|said| said.len());
}
