//! What is sent to other machines is encrypted.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopx_safety::io_words;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::app::file;
use crate::env::Env;
use crate::error::CliError;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// What encrypts with a certificate and its key.
pub fn acceptor(env: &Env, (certificate, key): &(PathBuf, PathBuf)) -> Result<TlsAcceptor, CliError> {
    let folder = env.cwd.as_deref().unwrap_or(Path::new("/"));
    let (certificate, key) = (folder.join(certificate), folder.join(key));
    let bad = |what: &str, why: &str| {
        CliError::usage(format!("{what} can't be used: {why}")).hint(
            "both are PEM files: the certificate with what it leads to, and its key without a passphrase",
        )
    };
    let read = |what: &str, path: &Path| match file::text(path, LONGEST) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(bad(what, "there is no such file")),
        Err(error) => Err(bad(what, io_words(error.kind()))),
    };
    let chain = read("--tls-cert", &certificate)?;
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(chain.as_bytes()).collect();
    let chain = chain.map_err(|_| bad("--tls-cert", "it is no certificate"))?;
    if std::fs::metadata(&key).is_ok_and(|meta| meta.mode() & 0o007 != 0) {
        return Err(CliError::refused("--tls-key can be read by every user of this machine")
            .hint("`chmod 600` it, and make another one if it was so for long"));
    }
    let key = PrivateKeyDer::from_pem_slice(read("--tls-key", &key)?.as_bytes())
        .map_err(|_| bad("--tls-key", "it is no key"))?;
    let fits = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
    let mut config = fits.map_err(|_| bad("--tls-cert", "it does not belong to this key"))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
