//! The real server, as a browser, a program and a hostile page would speak to it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::started::{LONG, Started};
use crate::world::World;

/// A server over a world of its own. It ends with the test.
pub struct Served {
    program: Started,
    /// Its port.
    pub port: u16,
    /// The path that lets a browser in, once.
    pub enter: String,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// What followed it.
    pub body: String,
}

impl Served {
    /// Serves this world's store.
    pub fn of(world: &World) -> Self {
        Self::by(&mut world.built(&["serve", "--port", "0"]))
    }

    /// Serves it on this port.
    pub fn on(world: &World, port: u16) -> Self {
        Self::by(&mut world.built(&["serve", "--port", &port.to_string()]))
    }

    /// The same, after a shell has set this.
    pub fn under(world: &World, set: &str) -> Self {
        let shell = world.built(&[]);
        let program = shell.get_program().to_owned();
        let mut limited = Command::new("/bin/sh");
        limited.env_clear().envs(&world.env.vars).stdin(Stdio::null()).stderr(Stdio::null());
        limited.args(["-c", &format!("{set}; exec \"$0\" serve --port 0")]).arg(program);
        Self::by(&mut limited)
    }

    /// Serves by this command.
    pub fn by(command: &mut Command) -> Self {
        let mut program = Started::of(command.stdout(Stdio::piped()));
        let line = program.lines().recv_timeout(LONG).expect("an address");
        let address = line.trim().strip_prefix("http://loopx.localhost:").expect("an address");
        let (port, enter) = address.split_once('/').expect("a path");
        Self { program, port: port.parse().expect("a port"), enter: format!("/{enter}") }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: rustix::process::Signal) {
        self.program.signal(signal);
    }

    /// Ends it, as a system that goes down would.
    pub fn killed(self) {
        self.program.signal(Signal::KILL);
    }

    /// The server's process.
    pub const fn program(&mut self) -> &mut Started {
        &mut self.program
    }

    /// The host that requests name.
    pub fn host(&self) -> String {
        format!("loopx.localhost:{}", self.port)
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        self.connected().expect("a connection")
    }

    fn connected(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(stream)
    }

    /// Sends bytes, and reads until the server closes.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut bytes = Vec::new();
        // One that is gone answers nothing, and one that refuses may close before it has read all of it.
        if let Ok(mut stream) = self.connected() {
            let _ = stream.write_all(request);
            let _ = stream.read_to_end(&mut bytes);
        }
        Answer::of(&bytes)
    }

    /// Asks with these headers beside the host.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.host());
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        self.raw(format!("{request}\r\n").as_bytes())
    }

    /// Sends a form from the server's own page.
    pub fn post(&self, cookie: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let encoded = |text: &str| text.bytes().fold(String::new(), |to, byte| to + &format!("%{byte:02X}"));
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let body = fields.join("&");
        let host = self.host();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {cookie}\r\nconnection: close\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.raw(request.as_bytes())
    }

    /// What the stream of changes sends, up to these words.
    pub fn events(&self, cookie: &str, until: &str) -> String {
        self.told(cookie, until, || (), until)
    }

    /// What a stream sends, up to these words.
    pub fn stream(&self, path: &str, cookie: &str, until: &str) -> String {
        self.read(path, cookie, until, || (), until)
    }

    /// What the stream of changes sends: up to the first words, and after something was done up to the others.
    #[track_caller]
    pub fn told(&self, cookie: &str, first: &str, act: impl FnOnce(), until: &str) -> String {
        self.read("/events", cookie, first, act, until)
    }

    #[track_caller]
    fn read(&self, path: &str, cookie: &str, first: &str, act: impl FnOnce(), until: &str) -> String {
        let mut stream = self.connect();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\r\n", self.host());
        stream.write_all(request.as_bytes()).expect("sent");
        let mut text = String::new();
        let mut bytes = vec![0; 1 << 16];
        let deadline = Instant::now() + LONG;
        let mut read = |text: &mut String, until: &str| {
            while !text.contains(until) {
                assert!(Instant::now() < deadline, "no {until:?} in {text}");
                let count = stream.read(&mut bytes).expect("more");
                assert!(count > 0, "closed after {text}");
                *text += &String::from_utf8_lossy(&bytes[..count]);
            }
        };
        read(&mut text, first);
        act();
        read(&mut text, until);
        text
    }

    /// A page, once it holds this: what was recorded is seen a moment later.
    #[track_caller]
    pub fn until(&self, cookie: &str, path: &str, holds: &str) -> String {
        let deadline = Instant::now() + LONG;
        loop {
            let page = self.ask("GET", path, &[("cookie", cookie)]).body;
            if page.contains(holds) {
                return page;
            }
            assert!(Instant::now() < deadline, "no {holds} in {page}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The cookie of a browser that is let in.
    pub fn cookie(&self) -> String {
        let answer = self.ask("GET", &self.enter, &[]);
        assert_eq!(answer.status, 303, "{answer:?}");
        answer.header("set-cookie").split(';').next().expect("a cookie").to_owned()
    }
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The value of a hidden field, which must be there.
    #[track_caller]
    pub fn hidden(&self, name: &str) -> String {
        let field = format!("name=\"{name}\" value=\"");
        let value = self.body.split_once(&field).and_then(|(_, rest)| rest.split_once('"'));
        let (value, _) = value.unwrap_or_else(|| panic!("no {name} in {self:?}"));
        value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }

    /// A header, which must be there.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }
}
