//! Where LoopX keeps its own things, and the key that makes its handles.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use loopx_safety::{InstallKey, io_words};
use serde::{Deserialize, Serialize};

use crate::app::file;
use crate::env::Env;
use crate::error::CliError;

/// LoopX's own folders. `LOOPX_HOME` puts both in one.
#[derive(Clone, Debug)]
pub struct Home {
    /// The store and the install key.
    pub data: PathBuf,
    /// `config.toml`.
    pub config: PathBuf,
}

impl Home {
    /// The folders of this environment; none where neither `LOOPX_HOME`, XDG variables nor `HOME` name one.
    pub fn of(env: &Env) -> Option<Self> {
        if let Some(home) = env.var_os("LOOPX_HOME") {
            let home = env.cwd.as_deref().unwrap_or(Path::new("/")).join(home);
            return Some(Self { data: home.clone(), config: home });
        }
        let folder = |var: &str, default: &str| {
            xdg(env, var).or_else(|| Some(env.home()?.join(default))).map(|folder| folder.join("loopx"))
        };
        Some(Self {
            data: folder("XDG_DATA_HOME", ".local/share")?,
            config: folder("XDG_CONFIG_HOME", ".config")?,
        })
    }

    /// The folders, or what is missing.
    pub fn require(env: &Env) -> Result<Self, CliError> {
        Self::of(env).ok_or_else(|| {
            CliError::internal("neither HOME nor LOOPX_HOME is set: there is no place for LoopX's own files")
                .hint("set LOOPX_HOME to a folder of yours")
        })
    }

    /// The user's config file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's config file as a shell finds it: from the variable, or the `~`, that names its base folder. The
    /// folder's own path is not said.
    pub fn named_config_file(env: &Env) -> &'static str {
        if env.var_os("LOOPX_HOME").is_some() {
            "$LOOPX_HOME/config.toml"
        } else if xdg(env, "XDG_CONFIG_HOME").is_some() {
            "$XDG_CONFIG_HOME/loopx/config.toml"
        } else {
            "~/.config/loopx/config.toml"
        }
    }
}

/// A folder that an XDG variable names: one that is relative doesn't count.
fn xdg(env: &Env, var: &str) -> Option<PathBuf> {
    env.var_os(var).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The stored form of the install key.
#[derive(Serialize, Deserialize)]
struct KeyFile {
    schema_version: String,
    install_id: String,
    key: String,
}

const KEY_VERSION: &str = "loopx_install_v0";

/// The key of this install: read, or made at the first use. Where it can be neither read nor kept, handles are made
/// with a key of this run alone.
pub fn install_key(data: &Path) -> Result<InstallKey, CliError> {
    let path = data.join("install.json");
    match read_key(&path) {
        Ok(Some(key)) => return Ok(key),
        Ok(None) => {}
        Err(error) => {
            return Err(CliError::internal(format!(
                "failed to read install.json: {}",
                io_words(error.kind())
            ))
            .hint("run `loopx doctor`"));
        }
    }
    let new = InstallKey::generate()
        .map_err(|_| CliError::internal("failed to draw a key: the system gives no random numbers"))?;
    let hex = new.key.expose().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let key = InstallKey::from_bytes(*new.key.expose(), &new.install_id);
    let file =
        KeyFile { schema_version: KEY_VERSION.to_owned(), install_id: new.install_id.clone(), key: hex };
    match write_key(data, &path, &file) {
        // Another process made it meanwhile: its key is the one that counts.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read_key(&path)
            .ok()
            .flatten()
            .ok_or_else(|| CliError::internal("failed to read install.json").hint("run `loopx doctor`")),
        Ok(()) | Err(_) => Ok(key),
    }
}

/// The key of this install, where there is one. Makes none.
pub fn kept_key(data: &Path) -> io::Result<Option<InstallKey>> {
    read_key(&data.join("install.json"))
}

fn read_key(path: &Path) -> io::Result<Option<InstallKey>> {
    let Some(text) = file::text(path, 4096)? else { return Ok(None) };
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "not an install key");
    let file: KeyFile = serde_json::from_str(&text).map_err(|_| bad())?;
    if file.schema_version != KEY_VERSION || file.key.len() != 64 || !file.key.is_ascii() {
        return Err(bad());
    }
    let mut bytes = [0u8; 32];
    for (byte, digits) in bytes.iter_mut().zip(file.key.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).map_err(|_| bad())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
    }
    Ok(Some(InstallKey::from_bytes(bytes, &file.install_id)))
}

/// Writes the whole file beside its place and links it there, so that a half-written key is never seen and the
/// first of several processes wins.
fn write_key(data: &Path, path: &Path, file: &KeyFile) -> io::Result<()> {
    make_folder(data)?;
    let temporary = data.join(format!("install.json.{}", std::process::id()));
    let mut out =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    out.write_all(&serde_json::to_vec_pretty(file)?)?;
    out.sync_all()?;
    let linked = fs::hard_link(&temporary, path);
    let _ = fs::remove_file(&temporary);
    linked
}

/// A folder of ours: 0700, made with its parents.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(0o700)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
