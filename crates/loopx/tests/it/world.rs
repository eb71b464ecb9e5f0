//! A world of its own for every test: an empty LoopX home, no processes, no terminal, no runtime's variables.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use loopx::app::serving::Doors;
use loopx::env::Env;
use loopx::ui::Out;

/// An environment over a temporary folder. Clones share the folder.
#[derive(Clone)]
pub struct World {
    folder: Rc<tempfile::TempDir>,
    /// What the program sees.
    pub env: Env,
}

/// What one run came to.
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: u8,
    /// Data.
    pub out: String,
    /// Words.
    pub err: String,
}

impl World {
    /// An empty world.
    pub fn new() -> Self {
        let folder = Rc::new(tempfile::tempdir().expect("a folder"));
        for name in ["home", "proc", "work"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        std::fs::write(folder.path().join("machine-id"), "0123456789abcdef0123456789abcdef\n")
            .expect("a file");
        let at = |name: &str| folder.path().join(name);
        let env = Env {
            vars: [("HOME", at("home")), ("LOOPX_HOME", at("loopx"))]
                .into_iter()
                .map(|(name, path)| (name.into(), path.into()))
                .collect(),
            cwd: Some(at("work")),
            pid: 4_000_000,
            proc: at("proc"),
            machine_id: at("machine-id"),
            tty: at("no-tty"),
            exe: Some(PathBuf::from("/opt/loopx/bin/loopx")),
        };
        Self { folder, env }
    }

    /// A path in the world's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same world with one more variable.
    pub fn with(&self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        let mut world = self.clone();
        world.env.vars.insert(name.into(), value.as_ref().to_owned());
        world
    }

    /// The same world with another terminal device.
    pub fn at_tty(&self, tty: &Path) -> Self {
        let mut world = self.clone();
        world.env.tty = tty.to_owned();
        world
    }

    /// Runs the program.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_into(false, args)
    }

    /// Runs it with its data going to a terminal.
    pub fn run_shown(&self, args: &[&str]) -> Ran {
        self.run_into(true, args)
    }

    /// Runs it with arguments that need not be text.
    pub fn run_raw(&self, args: &[OsString]) -> Ran {
        self.run_words(false, args.iter().cloned())
    }

    fn run_into(&self, is_terminal: bool, args: &[&str]) -> Ran {
        self.run_words(is_terminal, args.iter().map(OsString::from))
    }

    fn run_words(&self, is_terminal: bool, args: impl Iterator<Item = OsString>) -> Ran {
        let (data, words) = (Sink::default(), Sink::default());
        let out = Out { data: Box::new(data.clone()), words: Box::new(words.clone()), is_terminal };
        let args = std::iter::once(OsString::from("loopx")).chain(args).collect();
        let code = loopx::cli::main(&self.env, args, out, Doors::default());
        Ran { code, out: data.text(), err: words.text() }
    }

    /// Runs it with `--json` and gives the document; it must succeed.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        self.run(&[args, &["--json"]].concat()).ok().json()
    }
}

impl Ran {
    /// It must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// It must have failed so, with these words.
    #[track_caller]
    pub fn fails(self, code: u8, words: &str) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.err.contains(words), "no {words:?} in {self:?}");
        self
    }

    /// Its data as one JSON document.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The `id` of a receipt.
    #[track_caller]
    pub fn id(&self) -> String {
        self.json()["id"].as_str().unwrap_or_else(|| panic!("no id: {self:?}")).to_owned()
    }
}

#[derive(Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("text")
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A JSON document without the values of such a key: those that are instants, or nothing.
pub fn without(document: &str, key: &str) -> String {
    let key = format!("\"{key}\":");
    let mut parts = document.split(&key);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + &part[part.find([',', '}']).expect("an end")..])
}

/// A JSON document without the instants at which was looked.
pub fn still(document: &str) -> String {
    without(&without(document, "now"), "swept_at")
}
