//! Beyond the loopback interface: encrypted, by a name of ours, and for reading alone.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::started::{LONG, Started};
use crate::world::World;

const NAME: &str = "loopx.test";

/// A world with a certificate for [`NAME`], and what trusts it.
fn world() -> (World, Arc<ClientConfig>) {
    let world = World::new();
    let made = rcgen::generate_simple_self_signed(vec![NAME.to_owned()]).expect("a certificate");
    std::fs::write(world.path("work/cert.pem"), made.cert.pem()).expect("a file");
    let key = world.path("work/key.pem");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("a file");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(made.cert.der().to_vec())).expect("a root");
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (world, Arc::new(config))
}

const TLS: [&str; 8] =
    ["--bind", "0.0.0.0", "--host", NAME, "--tls-cert", "cert.pem", "--tls-key", "key.pem"];

/// Asks over an encrypted connection; the status and all that came.
fn ask(config: &Arc<ClientConfig>, port: u16, request: &str) -> (u16, String) {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let name = NAME.try_into().expect("a name");
    let client = ClientConnection::new(Arc::clone(config), name).expect("a client");
    let mut stream = StreamOwned::new(client, stream);
    stream.write_all(request.as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0), text)
}

#[test]
fn what_leaves_the_machine_is_encrypted_and_decides_nothing() {
    let (world, config) = world();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    let args = [&["serve", "--port", "0"][..], &TLS].concat();
    let mut program = Started::of(world.built(&args).stdout(Stdio::piped()));
    let line = program.lines().recv_timeout(LONG).expect("an address");
    let address = line.trim().strip_prefix("https://loopx.test:").expect("an address");
    let (port, enter) = address.split_once('/').expect("a path");
    let port: u16 = port.parse().expect("a port");
    let get = |host: &str, path: &str, more: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n{more}\r\n");
        ask(&config, port, &head)
    };
    assert_eq!(get(NAME, "/api/v0/status", "").0, 401);
    assert_eq!(get("evil.example", "/healthz", "").0, 421, "another name is none of ours");
    let (status, text) = get(NAME, &format!("/{enter}"), "");
    assert!(status == 303 && text.contains("; Secure"), "{text}");
    let cookie = text.split_once("set-cookie: ").expect("a cookie").1.split(';').next().expect("a cookie");
    let with = format!("cookie: {cookie}\r\n");
    assert_eq!(get(NAME, "/api/v0/status", &with).0, 200);
    let token = world.json(&["serve", "token", "add", "far"])["token"].as_str().expect("a token").to_owned();
    assert_eq!(get(NAME, "/api/v0/status", &format!("authorization: Bearer {token}\r\n")).0, 200);
    for path in ["/goals/pilot/preview", "/goals/pilot/confirm", "/pair"] {
        let body = "act=pause&key=page-one&seen=";
        let change = format!(
            "POST {path} HTTP/1.1\r\nhost: {NAME}:{port}\r\norigin: https://{NAME}:{port}\r\n{with}connection: close\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(ask(&config, port, &change).0, 403, "{path}");
    }
    assert_eq!(world.json(&["goal", "show", "pilot"])["state"], "active");
    let invited = world.run(&["serve", "invite"]).ok().out;
    assert!(invited.starts_with(&format!("https://loopx.test:{port}/enter/")), "{invited}");
    // Who does not encrypt is told nothing.
    let mut plain = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    plain.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let head = format!("GET /healthz HTTP/1.1\r\nhost: {NAME}:{port}\r\nconnection: close\r\n\r\n");
    plain.write_all(head.as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    let _ = plain.read_to_end(&mut bytes);
    assert!(!bytes.starts_with(b"HTTP"), "{bytes:?}");
}

#[test]
fn what_is_not_safe_is_not_served() {
    let (world, _) = world();
    world.run(&["serve", "--bind", "0.0.0.0"]).fails(7, "has to be encrypted");
    world.run(&["serve", "--bind", "192.0.2.1", "--host", NAME]).fails(7, "has to be encrypted");
    world.run(&["serve", "--host", NAME]).fails(2, "--bind");
    world.run(&["serve", "--bind", "0.0.0.0", "--tls-cert", "cert.pem"]).fails(2, "--tls-key");
    let unnamed = [&["serve", "--bind", "::"][..], &TLS[4..]].concat();
    world.run(&unnamed).fails(2, "is no name to ask for");
    let odd = [&["serve", "--bind", "0.0.0.0", "--host", "a/b"][..], &TLS[4..]].concat();
    world.run(&odd).fails(2, "not a host's name");
    let fails = |words: &str| {
        let args = [&["serve", "--port", "0"][..], &TLS].concat();
        let mut program = Started::of(world.built(&args).stderr(Stdio::piped()));
        let said = program.words().recv_timeout(LONG).expect("words");
        assert!(said.contains(words) && !program.end().success(), "{said}");
    };
    let key = world.path("work/key.pem");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    fails("can be read by every user");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    let other = rcgen::generate_simple_self_signed(vec![NAME.to_owned()]).expect("a certificate");
    std::fs::write(&key, other.signing_key.serialize_pem()).expect("a file");
    fails("does not belong to this key");
    std::fs::write(&key, "no key").expect("a file");
    fails("it is no key");
    std::fs::remove_file(&key).expect("gone");
    fails("there is no such file");
}
