//! What a request has to show before anything looks at it: it came to this server by name, from this server's own
//! page, along a path that means what it says.
//!
//! A browser is hostile ground: any page on the web may have it send requests here, and any name may be made to lead here.

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Version};

/// Where a browser says what a request is for.
static SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
static MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
static DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The longest path and query, in bytes.
const LONGEST: usize = 2048;

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// It names another host, none, or several.
    Host,
    /// It is neither GET, HEAD nor POST.
    Method,
    /// Its path is none of ours, however it is read.
    Path,
    /// It was sent by another site's page.
    Site,
    /// It would change something and does not say which page sent it.
    Origin,
}

impl Denied {
    /// The status of the answer.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Path => StatusCode::BAD_REQUEST,
            Self::Site | Self::Origin => StatusCode::FORBIDDEN,
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Host => "this server answers to its own name alone",
            Self::Method => "this server takes GET, HEAD and POST",
            Self::Path => "no such place",
            Self::Site => "another site's page may not use this server",
            Self::Origin => "a change has to come from this server's own page",
        }
    }
}

/// The names this server answers to.
pub struct Guard {
    scheme: &'static str,
    hosts: Vec<String>,
}

impl Guard {
    /// The guard of a server that is asked by these names on this port.
    pub fn new(scheme: &'static str, names: &[String], port: u16) -> Self {
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if (scheme, port) == ("https", 443) {
            // A browser leaves out the usual port.
            hosts.extend_from_slice(names);
        }
        Self { scheme, hosts }
    }

    /// How the server is named, for a browser to open it.
    pub fn place(&self) -> Option<String> {
        self.hosts.first().map(|host| format!("{}://{host}", self.scheme))
    }

    /// Judges a request before anything looks at its path.
    pub fn judge(&self, parts: &Parts) -> Result<(), Denied> {
        let host = only(&parts.headers, &HOST).ok_or(Denied::Host)?;
        if parts.version == Version::HTTP_2 || parts.uri.authority().is_some() {
            return Err(Denied::Host);
        }
        let host = self.hosts.iter().find(|known| known.eq_ignore_ascii_case(host)).ok_or(Denied::Host)?;
        let changes = match parts.method {
            Method::GET | Method::HEAD => false,
            Method::POST => true,
            _ => return Err(Denied::Method),
        };
        if !is_plain(parts.uri.path()) || parts.uri.query().map_or(0, str::len) > LONGEST {
            return Err(Denied::Path);
        }
        let says =
            |name: &HeaderName| parts.headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let site = says(&SITE);
        if changes {
            let own = format!("{}://{host}", self.scheme);
            if only(&parts.headers, &ORIGIN) != Some(own.as_str()) {
                return Err(Denied::Origin);
            }
            return if site.is_none_or(|site| site == "same-origin") { Ok(()) } else { Err(Denied::Site) };
        }
        let is_visit = says(&MODE) == Some("navigate") && says(&DEST) == Some("document");
        match site {
            None | Some("same-origin" | "none") => Ok(()),
            // A link from elsewhere leads here: what comes of it is shown to the person alone.
            Some(_) if is_visit => Ok(()),
            Some(_) => Err(Denied::Site),
        }
    }
}

/// A header that is there once, as text.
pub fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() { None } else { first.to_str().ok() }
}

/// Whether a path can be read in one way alone: no part of it is empty, hidden or leads back, nothing in it is encoded.
fn is_plain(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || b"-_.~".contains(&sign);
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_sign);
    path.len() <= LONGEST && (rest.is_empty() || rest.split('/').all(is_part))
}
