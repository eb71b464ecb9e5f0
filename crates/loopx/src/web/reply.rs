//! Answers: what stands on each, whatever it says.

use axum::body::{Body, Bytes};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY, RETRY_AFTER,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, Response, StatusCode};
use maud::{DOCTYPE, Markup, html};

use super::access::API;
use super::api;
use crate::error::{CliError, ErrorKind};

/// Nothing but this server's own files, and no frame around it. Referrers stay at home: without any, a browser would not
/// say which page sent a form.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A document.
pub const HTML: &str = "text/html; charset=utf-8";
/// One JSON document.
pub const JSON: &str = "application/json";
/// A stream of events.
pub const EVENTS: &str = "text/event-stream";
/// Plain words.
pub const TEXT: &str = "text/plain; charset=utf-8";

/// An answer.
pub type Reply = Response<Body>;

/// An answer with what stands on each.
pub fn reply(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Reply {
    let mut reply = Response::new(body.into());
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}

/// A document that was made just now.
pub fn page(status: StatusCode, page: Markup) -> Reply {
    reply(status, HTML, Bytes::from(page.into_string()))
}

/// Words alone, for whoever may not see more.
pub fn words(status: StatusCode, words: &str, way_out: &str) -> Reply {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { "LoopX" } }
            body { main { h1 { (words) } p { (way_out) } } }
        }
    };
    page(status, document)
}

/// Words alone; at a place of the API as the command line says them under `--json`.
pub fn said(path: &str, status: StatusCode, what: &str, way_out: &str) -> Reply {
    let mut reply = if path.starts_with(API) {
        let kind = if status == StatusCode::BAD_REQUEST { ErrorKind::Usage } else { ErrorKind::Refused };
        let error = CliError::new(kind, what);
        let error = if way_out.is_empty() { error } else { error.hint(way_out) };
        api::refused(status, &error)
    } else {
        words(status, what, way_out)
    };
    if status == StatusCode::UNAUTHORIZED {
        reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    reply
}

/// An answer as ours are. A library has its own words for what it can't read, and nothing on them.
pub fn ours(path: &str, reply: Reply) -> Reply {
    if reply.headers().contains_key(CONTENT_SECURITY_POLICY) {
        return reply;
    }
    let (what, way_out) = match reply.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ("this request is too long", ""),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ("a form is sent as application/x-www-form-urlencoded", ""),
        _ => (
            "this request can't be read",
            "Each field stands in it once, and those that are needed stand there.",
        ),
    };
    said(path, reply.status(), what, way_out)
}

/// What whoever has too many streams open is told.
pub fn full() -> Reply {
    let mut reply =
        said(API, StatusCode::SERVICE_UNAVAILABLE, "too many streams are open", "Close some of them first.");
    reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    reply
}

/// The status that says what went wrong.
pub const fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::Usage => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Refused => StatusCode::FORBIDDEN,
    }
}

/// What went wrong, with the way out, for whoever may look.
pub fn failed(error: &CliError) -> Reply {
    page(status(error.kind), super::pages::wrong(error))
}
