use loopx_safety::{Local, Private, PublicText};

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = PublicText::<Local>::new(&value); // neighbour: let _ = PublicText::<Local>::new("ours");
}
