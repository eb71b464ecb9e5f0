//! Where there is no more to give, it is said at once, and whoever may look still can.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::made::read;
use crate::serving::Served;
use crate::world::World;

/// A server that may have so many descriptors open.
fn limited(world: &World, descriptors: u32) -> Served {
    Served::under(world, &format!("ulimit -n {descriptors}"))
}

/// The processor time that it has used, in ticks of 10 ms.
fn ticks(served: &mut Served) -> u64 {
    let stat = read(std::path::Path::new(&format!("/proc/{}/stat", served.program().id())));
    let stat = String::from_utf8_lossy(&stat).into_owned();
    let (_, rest) = stat.rsplit_once(") ").expect("a name");
    let words: Vec<u64> = rest.split(' ').skip(11).take(2).map(|word| word.parse().expect("ticks")).collect();
    words.iter().sum()
}

#[test]
fn at_the_descriptor_limit_it_says_so_and_does_not_spin() {
    let world = World::new();
    let mut served = limited(&world, 64);
    let cookie = served.cookie();
    // Visitors who stay: each holds a stream.
    let request = format!("GET /events HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\r\n", served.host());
    let mut statuses: Vec<String> = Vec::new();
    let mut held: Vec<TcpStream> = Vec::new();
    for _ in 0..60 {
        let mut stream = served.connect();
        let _ = stream.write_all(request.as_bytes());
        let mut answer = [0; 12];
        let read = stream.read(&mut answer).unwrap_or(0);
        statuses.push(String::from_utf8_lossy(&answer[..read]).into_owned());
        held.push(stream);
    }
    let count = |status: &str| statuses.iter().filter(|answer| answer.ends_with(status)).count();
    assert!(count("200") >= 8 && count("503") > 0, "{statuses:?}");
    assert_eq!(count("200") + count("503"), 60, "everybody is told: {statuses:?}");
    let (before, began) = (ticks(&mut served), Instant::now());
    std::thread::sleep(Duration::from_secs(1));
    let used = ticks(&mut served) - before;
    assert!(u128::from(used) * 10 < began.elapsed().as_millis() / 2, "{used} ticks of 10 ms while all wait");
    drop(held);
    let until = Instant::now() + Duration::from_secs(20);
    while served.ask("GET", "/healthz", &[]).status != 200 {
        assert!(Instant::now() < until, "it answers again");
    }
}

#[test]
fn who_shows_nothing_makes_room_for_who_may_look() {
    let served = limited(&World::new(), 64);
    let cookie = served.cookie();
    let silent: Vec<TcpStream> = (0..200).map(|_| served.connect()).collect();
    for _ in 0..5 {
        let began = Instant::now();
        assert_eq!(served.ask("GET", "/api/v0/status", &[("cookie", &cookie)]).status, 200);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
    drop(silent);
}

#[test]
fn one_reader_leaves_streams_for_others() {
    let world = World::new();
    let served = limited(&world, 64);
    let one = served.cookie();
    let invited = world.run(&["serve", "invite"]).ok().out;
    let (_, code) = invited.trim().rsplit_once('/').expect("an address");
    let other = served.ask("GET", &format!("/enter/{code}"), &[]);
    let other = other.header("set-cookie").split(';').next().expect("a cookie").to_owned();
    let open = |cookie: &str| {
        let mut stream = served.connect();
        let request =
            format!("GET /api/v0/events HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\r\n", served.host());
        stream.write_all(request.as_bytes()).expect("sent");
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("a head");
        (head.ends_with(b"200"), stream)
    };
    let mut held = Vec::new();
    while let (true, stream) = open(&one) {
        held.push(stream);
        assert!(held.len() < 64, "nothing limits them");
    }
    assert!(held.len() >= 8, "{}", held.len());
    assert!(open(&other).0, "the other one's stream");
}

/// The memory that it has, in KB.
fn resident(served: &mut Served) -> u64 {
    let status = read(std::path::Path::new(&format!("/proc/{}/status", served.program().id())));
    let status = String::from_utf8_lossy(&status).into_owned();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("KB")
}

#[test]
fn a_reader_has_no_routes_of_its_own() {
    let mut served = limited(&World::new(), 1024);
    let request =
        format!("GET /events HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n", served.host(), served.cookie());
    let open = |served: &Served, many: usize| -> Vec<TcpStream> {
        let one = |_| {
            let (mut stream, mut head) = (served.connect(), [0; 12]);
            stream.write_all(request.as_bytes()).expect("sent");
            stream.read_exact(&mut head).expect("a head");
            assert!(head.ends_with(b"200"));
            stream
        };
        (0..many).map(one).collect()
    };
    // What is made once is made.
    let first = open(&served, 20);
    let before = resident(&mut served);
    let more = open(&served, 300);
    let each = resident(&mut served).saturating_sub(before) / 300;
    assert!(each < 36, "{each} KB each");
    drop((first, more));
}

#[test]
fn who_is_silent_takes_no_buffer() {
    let mut served = limited(&World::new(), 1024);
    assert_eq!(served.ask("GET", "/healthz", &[]).status, 200, "what is made once is made");
    let before = resident(&mut served);
    let silent: Vec<TcpStream> = (0..500).map(|_| served.connect()).collect();
    // Connections are taken in order: all of these are, once a later one is answered.
    assert_eq!(served.ask("GET", "/healthz", &[]).status, 200);
    let each = resident(&mut served).saturating_sub(before) * 1024 / 500;
    assert!(each < 4096, "{each} bytes each");
    drop(silent);
}

#[test]
fn a_body_without_an_end_is_not_waited_for() {
    let served = Served::of(&World::new());
    let cookie = served.cookie();
    let host = served.host();
    let mut slow = served.connect();
    let head = format!(
        "POST /pair HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {cookie}\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\ncode="
    );
    slow.write_all(head.as_bytes()).expect("sent");
    assert_eq!(served.ask("GET", "/healthz", &[]).status, 200, "the others are answered meanwhile");
    let began = Instant::now();
    let mut answer = [0; 12];
    slow.read_exact(&mut answer).expect("an answer");
    assert!(answer.ends_with(b"408") && began.elapsed() < Duration::from_secs(25), "{answer:?}");
}
