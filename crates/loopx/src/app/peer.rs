//! The process at the other end of a connection on this machine, where the system tells.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use crate::app::file;
use crate::env::Env;

/// The longest table of connections that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// This process.
    Process(u32),
    /// Nobody any more: whoever asked does not wait for the answer.
    Gone,
    /// It is not known: it may be another user's.
    Unknown,
}

/// Who opened a connection from this address to this port.
pub fn of(env: &Env, from: SocketAddr, port: u16) -> Peer {
    let Ok(Some(table)) = file::text(&env.proc.join("self/net/tcp"), LONGEST) else { return Peer::Unknown };
    let inode = table.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (local, remote) = (words.next()?, words.next()?);
        let is_it = port_of(local)? == from.port() && port_of(remote)? == port;
        // After these two: state, queues, timer, retransmissions, user, timeout, inode.
        is_it.then(|| words.nth(6)).flatten()
    });
    // A connection that its process has closed belongs to nobody.
    let Some(inode) = inode.filter(|inode| *inode != "0") else { return Peer::Gone };
    let socket = format!("socket:[{inode}]");
    let pids = fs::read_dir(&env.proc).into_iter().flatten();
    let mut pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let found = pids.find(|pid| has(&env.proc.join(pid.to_string()).join("fd"), &socket));
    found.map_or(Peer::Unknown, Peer::Process)
}

fn port_of(address: &str) -> Option<u16> {
    u16::from_str_radix(address.split_once(':')?.1, 16).ok()
}

fn has(descriptors: &Path, socket: &str) -> bool {
    let Ok(entries) = fs::read_dir(descriptors) else { return false };
    entries.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|link| link.as_os_str() == socket))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn who_does_not_wait_for_the_answer_is_gone() {
        let env = Env::of_process();
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asks = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        let (_held, from) = listener.accept().expect("a connection");
        assert_eq!(of(&env, from, port), Peer::Process(std::process::id()));
        drop(asks);
        assert_eq!(of(&env, from, port), Peer::Gone);
        let nowhere = Env { proc: "/nowhere".into(), ..env };
        assert_eq!(of(&nowhere, from, port), Peer::Unknown);
    }
}
