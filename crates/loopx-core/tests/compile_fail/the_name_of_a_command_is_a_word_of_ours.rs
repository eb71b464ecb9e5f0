use loopx_core::CommandName;

fn main() {
    let read = String::from("said in a session");
    let _ = CommandName::from(read.as_str()); // neighbour: let _ = CommandName::from("todo add");
}
