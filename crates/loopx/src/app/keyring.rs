//! The keys that sign decisions, in `authority.json`: sealed under a passphrase, opened by it alone.
//!
//! The passphrase goes through argon2id, and what comes of it seals each private key with XChaCha20-Poly1305. Nothing
//! in the file has to be believed: which key counts stands in each goal's log.

use std::io;
use std::path::Path;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use ed25519_dalek::{Signer as _, SigningKey};
use loopx_core::AuthorityKey;
use loopx_safety::io_words;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::app::file;
use crate::app::home::make_folder;
use crate::app::marks::Marks;
use crate::error::CliError;

/// The file's name in the data folder.
pub const FILE: &str = "authority.json";

const VERSION: &str = "loopx_authority_v0";

/// What argon2id takes here: half a second and 128 MiB for each guess.
const MEMORY_KIB: u32 = 128 * 1024;
const PASSES: u32 = 4;

/// The most of a file's own parameters that is tried: somebody else may have written it.
const MOST_MEMORY_KIB: u32 = 2 << 20;
const MOST_PASSES: u32 = 64;

/// The file, as it lies on the disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sealed {
    schema_version: String,
    kdf: Kdf,
    /// In the order they were made: the last one locks new goals.
    keys: Vec<SealedKey>,
    /// What was locked with them.
    #[serde(default)]
    pub marks: Marks,
}

/// How the passphrase becomes a key.
#[derive(Debug, Serialize, Deserialize)]
struct Kdf {
    algorithm: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
}

/// One private key, sealed.
#[derive(Debug, Serialize, Deserialize)]
struct SealedKey {
    public_key: AuthorityKey,
    cipher: String,
    nonce: String,
    sealed: String,
}

/// Why the keys were not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOpened {
    /// By this passphrase they can't be.
    Wrong,
    /// The file asks for what this program does not do.
    Unknown,
}

impl NotOpened {
    /// The reason.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Wrong => "the passphrase is wrong",
            Self::Unknown => "authority.json is sealed in a way that this version does not know",
        }
    }
}

/// The keys, open; at first none.
#[derive(Default)]
pub struct Keyring(Vec<OpenKey>);

/// One private key, open. Forgotten when dropped.
pub struct OpenKey(SigningKey);

impl OpenKey {
    fn generate() -> io::Result<Self> {
        let mut secret = Zeroizing::new([0; 32]);
        getrandom::fill(secret.as_mut_slice()).map_err(io::Error::other)?;
        Ok(Self(SigningKey::from_bytes(&secret)))
    }
}

impl loopx_store::Signer for OpenKey {
    fn public_key(&self) -> AuthorityKey {
        AuthorityKey::new(self.0.verifying_key().to_bytes())
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl Sealed {
    /// The file of this data folder, if there is one.
    pub fn read(data: &Path) -> io::Result<Option<Self>> {
        let Some(text) = file::text(&data.join(FILE), 1 << 20)? else { return Ok(None) };
        let file: Self = serde_json::from_str(&text).map_err(io::Error::from)?;
        if file.schema_version != VERSION || file.keys.is_empty() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Some(file))
    }

    /// Whether it holds this key.
    pub fn has(&self, key: &AuthorityKey) -> bool {
        self.keys.iter().any(|sealed| sealed.public_key == *key)
    }

    /// The key that locks new goals.
    pub fn newest(&self) -> Option<AuthorityKey> {
        self.keys.last().map(|key| key.public_key)
    }

    /// Whether its marks are as its newest key signed them.
    pub fn marks_are_right(&self) -> bool {
        self.newest().is_some_and(|key| self.marks.are_signed_by(&key))
    }

    /// Opens every key.
    pub fn open(&self, passphrase: &[u8]) -> Result<Keyring, NotOpened> {
        let cipher = self.kdf.cipher(passphrase)?;
        let open = |sealed: &SealedKey| {
            if sealed.cipher != "xchacha20poly1305" {
                return Err(NotOpened::Unknown);
            }
            let nonce: [u8; 24] =
                unhex(&sealed.nonce).and_then(|it| it.try_into().ok()).ok_or(NotOpened::Unknown)?;
            let msg = unhex(&sealed.sealed).ok_or(NotOpened::Unknown)?;
            let payload = Payload { msg: &msg, aad: sealed.public_key.bytes() };
            let secret = cipher.decrypt(XNonce::from_slice(&nonce), payload).map_err(|_| NotOpened::Wrong)?;
            let secret = Zeroizing::new(secret);
            let secret: &[u8; 32] = secret.as_slice().try_into().map_err(|_| NotOpened::Wrong)?;
            let key = OpenKey(SigningKey::from_bytes(secret));
            let right = loopx_store::Signer::public_key(&key) == sealed.public_key;
            if right { Ok(key) } else { Err(NotOpened::Wrong) }
        };
        self.keys.iter().map(open).collect::<Result<_, _>>().map(Keyring)
    }

    /// Writes the file whole, readable by its owner alone, in the place of the one that is there.
    pub fn write(&self, data: &Path) -> io::Result<()> {
        make_folder(data)?;
        file::replace(&data.join(FILE), &serde_json::to_vec_pretty(self)?)
    }
}

impl Kdf {
    fn new() -> io::Result<Self> {
        let salt = hex(&random::<16>()?);
        let algorithm = "argon2id".to_owned();
        Ok(Self { algorithm, memory_kib: MEMORY_KIB, passes: PASSES, lanes: 1, salt })
    }

    fn cipher(&self, passphrase: &[u8]) -> Result<XChaCha20Poly1305, NotOpened> {
        let known = self.algorithm == "argon2id"
            && self.memory_kib <= MOST_MEMORY_KIB
            && self.passes <= MOST_PASSES
            && self.lanes <= 16;
        let salt = unhex(&self.salt).filter(|_| known).ok_or(NotOpened::Unknown)?;
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(32));
        let params = params.map_err(|_| NotOpened::Unknown)?;
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase, &salt, key.as_mut_slice())
            .map_err(|_| NotOpened::Unknown)?;
        Ok(XChaCha20Poly1305::new(key.as_slice().into()))
    }
}

impl Keyring {
    /// Makes a key: from now on it is the newest.
    pub fn add(&mut self) -> io::Result<()> {
        self.0.push(OpenKey::generate()?);
        Ok(())
    }

    /// The key with this public half.
    pub fn signer(&self, key: &AuthorityKey) -> Option<&OpenKey> {
        self.0.iter().find(|open| loopx_store::Signer::public_key(*open) == *key)
    }

    /// The first of these keys that is open.
    pub fn signer_of(&self, keys: &[AuthorityKey]) -> Option<&dyn loopx_store::Signer> {
        keys.iter().find_map(|key| self.signer(key)).map(|key| key as &dyn loopx_store::Signer)
    }

    /// The key that locks new goals.
    pub fn newest(&self) -> Option<&OpenKey> {
        self.0.last()
    }

    /// Signs a file's marks, and keeps it.
    pub fn mark(&self, sealed: &mut Sealed, data: &Path) -> Result<(), CliError> {
        if let Some(newest) = sealed.newest().and_then(|key| self.signer(&key)) {
            sealed.marks.sign(newest);
        }
        let failed = |error: io::Error| CliError::internal(io_words(error.kind()));
        sealed.write(data).map_err(failed)
    }

    /// Seals every key anew.
    pub fn seal(&self, passphrase: &[u8], mut marks: Marks) -> io::Result<Sealed> {
        let refused = |_| io::Error::other("the keys could not be sealed");
        let kdf = Kdf::new()?;
        let cipher = kdf.cipher(passphrase).map_err(|why| io::Error::other(why.words()))?;
        let mut keys = Vec::new();
        for open in &self.0 {
            let public_key = loopx_store::Signer::public_key(open);
            let nonce = random::<24>()?;
            let payload = Payload { msg: open.0.as_bytes(), aad: public_key.bytes() };
            let sealed = cipher.encrypt(XNonce::from_slice(&nonce), payload).map_err(refused)?;
            let cipher = "xchacha20poly1305".to_owned();
            keys.push(SealedKey { public_key, cipher, nonce: hex(&nonce), sealed: hex(&sealed) });
        }
        if let Some(newest) = self.newest() {
            marks.sign(newest);
        }
        Ok(Sealed { schema_version: VERSION.to_owned(), kdf, keys, marks })
    }
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if digits.len().is_multiple_of(2) { digits.chunks(2).map(pair).collect() } else { None }
}
