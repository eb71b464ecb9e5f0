//! Who asks for a decision: the program that was paired, and no other, whatever cookie it shows.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};

use axum::http::HeaderMap;
use loopx_runtimes::caller::Program;

use super::Server;
use crate::app::peer::{self, Peer};
use crate::app::{ControlPlane, caller};
use crate::env::Env;

/// Why a browser that was not paired decides nothing.
const UNPAIRED: &str = "this browser is not paired: press Enter in the terminal of `loopx serve`";
/// Why nobody decides where it can't be told who asks.
const HIDDEN: &str = "it can't be told which program asks: decide it in a terminal";
/// Why a program that was not paired decides nothing, whatever cookie it got hold of.
const ANOTHER: &str = "another program was paired with this cookie: press Enter in the terminal of `loopx serve` to pair this one";
/// Why an agent decides nothing, whatever cookie it got hold of.
const SESSION: &str = "an agent's session asks: decide it in a browser or a terminal of your own";

/// Who asks for a decision.
pub struct Deciding {
    env: Env,
    from: SocketAddr,
    to: SocketAddr,
    /// The program that was paired with the cookie that is shown.
    paired: Option<Program>,
}

impl Deciding {
    /// By its connection and its cookie.
    pub fn of(server: &Server, headers: &HeaderMap, from: SocketAddr) -> Self {
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
        Self { env: server.env.clone(), from, to, paired: server.paired(headers) }
    }

    /// The program that asks, outside every agent's session.
    pub fn program(&self, plane: &ControlPlane) -> Result<Program, &'static str> {
        let Peer::Processes(holders) = peer::of(&self.env, self.from, self.to) else { return Err(HIDDEN) };
        if holders.iter().any(|pid| caller::is_inside(plane.sources(), *pid)) {
            return Err(SESSION);
        }
        let programs: Option<BTreeSet<Program>> =
            holders.iter().map(|pid| Program::of(plane.sources(), *pid)).collect();
        match programs.map(Vec::from_iter).as_deref() {
            Some([program]) => Ok(*program),
            Some(_) | None => Err(HIDDEN),
        }
    }

    /// Why it may not decide in the person's name, if it may not.
    pub fn lacking(&self, plane: &ControlPlane) -> Option<&'static str> {
        let Some(paired) = self.paired else { return Some(UNPAIRED) };
        match self.program(plane) {
            Ok(program) if program == paired => None,
            Ok(_) => Some(ANOTHER),
            Err(why) => Some(why),
        }
    }
}
