use loopx_safety::Private;

fn main() {
    let value = Private::new("said in a session");
    let _ = value.0;
}
