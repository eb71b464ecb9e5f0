//! The page's own files, in the binary.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderValue};

use super::reply::{Reply, reply, words};

/// Each with its kind.
const ASSETS: [(&str, &str, &str); 9] = [
    ("loopx.css", "text/css; charset=utf-8", include_str!("assets/loopx.css")),
    ("charts.css", "text/css; charset=utf-8", include_str!("assets/charts.css")),
    ("loopx.js", "text/javascript; charset=utf-8", include_str!("assets/loopx.js")),
    ("history.js", "text/javascript; charset=utf-8", include_str!("assets/history.js")),
    ("keep.js", "text/javascript; charset=utf-8", include_str!("assets/keep.js")),
    ("palette.js", "text/javascript; charset=utf-8", include_str!("assets/palette.js")),
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
    ("icon-you.svg", "image/svg+xml", include_str!("assets/icon-you.svg")),
    ("icon-old.svg", "image/svg+xml", include_str!("assets/icon-old.svg")),
];

/// Answers with one.
pub async fn asset(Path(name): Path<String>) -> Reply {
    let Some((_, kind, text)) = ASSETS.into_iter().find(|(known, ..)| *known == name) else {
        return words(StatusCode::NOT_FOUND, "no such file", "Go to the first screen: /");
    };
    let mut reply = reply(StatusCode::OK, kind, text);
    // Another version of the program has other ones.
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    reply
}
