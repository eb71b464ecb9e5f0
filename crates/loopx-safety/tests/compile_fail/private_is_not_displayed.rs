use loopx_safety::Private;

fn main() {
    let _ = format!("{}", Private::new("said in a session"));
}
