//! The process at the other end of a connection on this machine, where the system tells.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use crate::app::file;
use crate::env::Env;

/// The longest table of connections that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// The process that opened a connection from this address to this port; none where that is not known: it may be another
/// user's.
pub fn of(env: &Env, from: SocketAddr, port: u16) -> Option<u32> {
    let table = file::text(&env.proc.join("self/net/tcp"), LONGEST).ok()??;
    let inode = table.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (local, remote) = (words.next()?, words.next()?);
        let is_it = port_of(local)? == from.port() && port_of(remote)? == port;
        // After these two: state, queues, timer, retransmissions, user, timeout, inode.
        is_it.then(|| words.nth(6)).flatten()
    })?;
    let socket = format!("socket:[{inode}]");
    let pids = fs::read_dir(&env.proc)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.into_iter().find(|pid| has(&env.proc.join(pid.to_string()).join("fd"), &socket))
}

fn port_of(address: &str) -> Option<u16> {
    u16::from_str_radix(address.split_once(':')?.1, 16).ok()
}

fn has(descriptors: &Path, socket: &str) -> bool {
    let Ok(entries) = fs::read_dir(descriptors) else { return false };
    entries.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|link| link.as_os_str() == socket))
}
