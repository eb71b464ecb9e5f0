use loopx_safety::{Handle, Local, PublicText};

fn main() {
    let handle = Handle::parse("ses_");
    let _ = handle.map(PublicText::<Local>::from); // neighbour: let _ = handle.map(|handle| PublicText::<Local>::new(&handle.to_string()));
}
