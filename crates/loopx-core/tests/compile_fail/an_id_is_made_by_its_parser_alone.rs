use loopx_contract::GoalId;

fn main() {
    let _ = GoalId(String::from("said in a session")); // neighbour: let _ = GoalId::parse("said in a session");
}
