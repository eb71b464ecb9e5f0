use loopx_contract::Ref;

fn main() {
    let _: Ref = String::from("said in a session").into(); // neighbour: let _: Result<Ref, _> = String::from("said in a session").try_into();
}
