use loopx_safety::{Local, Private, PublicText};

fn main() {
    let value = Private::new(String::from("said in a session"));
    let _ = PublicText::<Local>::try_from(value); // neighbour: let _ = PublicText::<Local>::try_from(String::from("ours"));
}
