use loopx_core::{AuthorityCommand, Command, LaneCommand};

fn main() {
    let command = AuthorityCommand::GoalPause;
    let _: LaneCommand = command.into(); // neighbour: let _: Command = Command::Authority(command);
    let _ = |command: Command| command;
}
