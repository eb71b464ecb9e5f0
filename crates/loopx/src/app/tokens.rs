//! Tokens with which programs read the API: names, digests and ends, in a file of the data folder. None carries
//! authority.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

use crate::app::distrust::{self, Distrust, Stamp};
use crate::app::secret::{self, Digest};
use crate::error::{CliError, ErrorKind};

/// Their file, in the data folder.
pub const FILE: &str = "tokens.json";

/// What every token begins with: whoever finds one knows what it is.
pub const BEGINS: &str = "loopx_";

/// The most tokens that are kept.
const MOST: usize = 64;

const VERSION: &str = "loopx_token_file_v0";

/// One token, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Token {
    /// What it is called.
    pub name: PublicText,
    digest: Digest,
    /// When it was made, UTC.
    pub made_at: Timestamp,
    /// When it ends, UTC.
    pub expires_at: Timestamp,
}

impl Token {
    /// What tells it from others.
    pub const fn digest(&self) -> Digest {
        self.digest
    }
}

#[derive(Serialize, Deserialize)]
struct File {
    schema_version: String,
    tokens: Vec<Token>,
}

impl Default for File {
    fn default() -> Self {
        Self { schema_version: VERSION.to_owned(), tokens: Vec::new() }
    }
}

impl File {
    fn read(path: &Path) -> Result<Vec<Token>, Distrust> {
        let Some(file) = distrust::read::<Self>(path)? else { return Ok(Vec::new()) };
        if file.schema_version == VERSION { Ok(file.tokens) } else { Err(Distrust::Torn) }
    }
}

/// All of them; why none counts where the file can't be trusted.
pub fn all(data: &Path) -> Result<Vec<Token>, Distrust> {
    File::read(&data.join(FILE))
}

/// What is said of a file of tokens that can't be trusted.
pub fn distrusted(why: Distrust) -> CliError {
    CliError::internal(format!("{FILE} {}: no token opens anything", why.words()))
        .hint("`loopx doctor` says the way out")
}

/// Makes one, and gives its secret: it is kept nowhere.
pub fn add(data: &Path, name: &PublicText, now: Timestamp, until: Timestamp) -> Result<String, CliError> {
    if until <= now {
        return Err(CliError::usage("the token would be over before it begins").hint("`--expires 90d`"));
    }
    // What could be put right is not written over.
    all(data).map_err(distrusted)?;
    let secret = format!("{BEGINS}{}", secret::draw()?);
    let token = Token { name: name.clone(), digest: Digest::of(&secret), made_at: now, expires_at: until };
    let added = distrust::change(&data.join(FILE), |file: &mut File| {
        file.tokens.retain(|token| token.expires_at > now);
        let is_taken = file.tokens.iter().any(|token| token.name == *name);
        let is_full = file.tokens.len() >= MOST;
        if !is_taken && !is_full {
            file.tokens.push(token);
        }
        (is_taken, is_full)
    })?;
    match added {
        (true, _) => Err(CliError::new(ErrorKind::Conflict, format!("there is a token {name}"))
            .hint("take it away first: `loopx serve token remove`, or choose another name")),
        (false, true) => Err(CliError::new(ErrorKind::Conflict, format!("there are {MOST} tokens"))
            .hint("take one away that is not used: `loopx serve token remove`")),
        (false, false) => Ok(secret),
    }
}

/// Takes one away: it is refused from then on.
pub fn remove(data: &Path, name: &str) -> Result<(), CliError> {
    let missing = || CliError::not_found(format!("no token {name}")).hint("see `loopx serve token list`");
    if !all(data).map_err(distrusted)?.iter().any(|token| token.name.as_str() == name) {
        return Err(missing());
    }
    let is_gone = distrust::change(&data.join(FILE), |file: &mut File| {
        let before = file.tokens.len();
        file.tokens.retain(|token| token.name.as_str() != name);
        file.tokens.len() < before
    })?;
    if is_gone { Ok(()) } else { Err(missing()) }
}

/// The tokens as a server knows them: looked at anew when their file is another one.
pub struct Known {
    path: PathBuf,
    read: Mutex<(Option<Stamp>, Vec<Token>)>,
}

impl Known {
    /// Those of a data folder.
    pub fn of(data: &Path) -> Self {
        Self { path: data.join(FILE), read: Mutex::default() }
    }

    /// What tells the token of this secret from others, if it is one that is not over.
    pub fn find(&self, secret: &str, now: Timestamp) -> Option<Digest> {
        let digest = Digest::of(secret);
        self.holds(digest, now).then_some(digest)
    }

    /// Whether this is a token's, and that token is not over.
    pub fn holds(&self, digest: Digest, now: Timestamp) -> bool {
        let stamp = Stamp::of(&self.path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != stamp {
            *read = (stamp, File::read(&self.path).unwrap_or_default());
        }
        let is_good = |token: &Token| token.made_at <= now && now < token.expires_at;
        // All are compared: how long it takes says nothing of which it is.
        read.1.iter().fold(false, |found, token| found | (token.digest == digest && is_good(token)))
    }
}
