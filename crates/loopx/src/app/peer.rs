//! The processes at the other end of a connection on this machine, where the system tells.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::Path;

use crate::app::file;
use crate::env::Env;

/// The longest table of connections that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// Who is at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peer {
    /// These processes hold it; one at least.
    Processes(Vec<u32>),
    /// It is not known: nobody waits for the answer, it is another user's, or whoever holds it hides.
    Unknown,
}

/// Who opened a connection from this address to that one.
pub fn of(env: &Env, from: SocketAddr, to: SocketAddr) -> Peer {
    let Ok(Some(table)) = file::text(&env.proc.join("self/net/tcp"), LONGEST) else { return Peer::Unknown };
    let inode = table.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let ends = (address(words.next()?)?, address(words.next()?)?);
        // After these two: state, queues, timer, retransmissions, user, timeout, inode.
        (ends == (from, to)).then(|| words.nth(6)).flatten()
    });
    // A connection that its process has closed belongs to nobody.
    let Some(inode) = inode.filter(|inode| *inode != "0") else { return Peer::Unknown };
    let socket = format!("socket:[{inode}]");
    let pids = fs::read_dir(&env.proc).into_iter().flatten();
    let pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let holds = |pid: &u32| has(&env.proc.join(pid.to_string()).join("fd"), &socket);
    let holders: Vec<u32> = pids.filter(holds).collect();
    if holders.is_empty() { Peer::Unknown } else { Peer::Processes(holders) }
}

/// An end of a connection, as the system's table has it: the address as one number in this machine's order, the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let address = u32::from_str_radix(address, 16).ok()?.to_ne_bytes();
    Some(SocketAddrV4::new(Ipv4Addr::from(address), u16::from_str_radix(port, 16).ok()?).into())
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
    fn who_does_not_wait_for_the_answer_is_nobody_that_is_known() {
        let env = Env::of_process();
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let to = listener.local_addr().expect("an address");
        let asks = TcpStream::connect(to).expect("a connection");
        let (_held, from) = listener.accept().expect("a connection");
        assert_eq!(of(&env, from, to), Peer::Processes(vec![std::process::id()]));
        // Another address of this machine has ports of its own.
        let other = SocketAddr::new(Ipv4Addr::new(127, 0, 0, 2).into(), from.port());
        assert_eq!(of(&env, other, to), Peer::Unknown);
        drop(asks);
        assert_eq!(of(&env, from, to), Peer::Unknown);
        let nowhere = Env { proc: "/nowhere".into(), ..env };
        assert_eq!(of(&nowhere, from, to), Peer::Unknown);
    }
}
