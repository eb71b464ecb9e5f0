use loopx_core::{AuthorityCommand, LaneCommand};

/// A door that compiles against what a lane may do.
fn door(_: LaneCommand) {}

fn main() {
    let _ = AuthorityCommand::GoalPause;
    door(AuthorityCommand::GoalPause); // neighbour: door(LaneCommand::Undo);
}
