//! Where what a goal leans on is found: kept on this machine, under a handle, and never projected.

use loopx_contract::{GoalId, Ref};
use loopx_core::goal::{AuthorityRole, AuthoritySource};
use loopx_safety::{HandleKind, Private, PublicText};

use crate::app::ControlPlane;
use crate::error::CliError;

/// The word of a role.
pub const fn role(role: AuthorityRole) -> &'static str {
    match role {
        AuthorityRole::Owner => "owner",
        AuthorityRole::Design => "design",
        AuthorityRole::Policy => "policy",
        AuthorityRole::Validation => "validation",
        AuthorityRole::Source => "source",
    }
}

/// What a source's pointer is kept under.
pub fn handle(plane: &ControlPlane, goal: &GoalId, of: AuthorityRole, label: &PublicText) -> Ref {
    let name = format!("authority {goal} {} {label}", role(of));
    plane.key().handle(HandleKind::File, "loopx", &name).into()
}

/// A source's pointer, where one is kept.
pub fn read(
    plane: &mut ControlPlane,
    goal: &GoalId,
    source: &AuthoritySource,
) -> Result<Option<Private<Vec<u8>>>, CliError> {
    let handle = handle(plane, goal, source.role, &source.label);
    Ok(plane.store().pointer(&handle)?)
}
