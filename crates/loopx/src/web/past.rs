//! Pages of what has been: charts, and the first screen of an instant gone by.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, LOCATION};
use jiff::{SignedDuration, Timestamp};
use loopx_contract::GoalId;
use loopx_core::first_screen::instant;
use maud::{Markup, html};
use serde::Deserialize;

use super::Server;
use super::pages::charts::{self, Reach};
use super::pages::history::{self, Span};
use super::reply::{self, Reply, TEXT, page, reply};
use super::routes::unlooked;
use crate::app::SessionView;
use crate::app::board::Board;
use crate::clock::Clock;
use crate::error::CliError;

/// How long a page that shows more than charts waits for them.
const PATIENCE: Duration = Duration::from_millis(400);

/// How far back charts go.
#[derive(Default, Deserialize)]
pub struct Asked {
    reach: Option<String>,
}

impl Asked {
    fn reach(&self) -> Reach {
        Reach::parse(self.reach.as_deref())
    }
}

/// The charts of all goals.
pub async fn all(State(server): State<Arc<Server>>, Query(asked): Query<Asked>) -> Reply {
    let Some((board, cursor)) = server.feed.board() else { return unlooked() };
    let reach = asked.reach();
    let drawn = server.archive.ask(move |plane, charting| {
        let charts = charting.charts(plane, &board, None, reach.length(), Clock.now())?;
        Ok(charts::page(&board, &charts, reach, cursor))
    });
    drawn.await.map_or_else(|error| reply::failed(&error), |drawn| page(StatusCode::OK, drawn))
}

/// The charts of one goal, for its page. It does not wait for long.
pub async fn of_goal(server: &Server, board: &Arc<Board>, goal: &GoalId, asked: &Asked) -> Markup {
    let (board, asked_for, reach) = (Arc::clone(board), goal.clone(), asked.reach());
    let drawn = server.archive.ask(move |plane, charting| {
        let charts = charting.charts(plane, &board, Some(&asked_for), reach.length(), Clock.now())?;
        Ok(charts::of_goal(&board, &charts, reach))
    });
    patiently(drawn).await.unwrap_or_else(|| charts::later(goal))
}

/// The line of one session, for its page.
pub async fn of_session(server: &Server, board: &Arc<Board>, view: &SessionView) -> Markup {
    let (board, view) = (Arc::clone(board), view.clone());
    let drawn = server.archive.ask(move |plane, charting| {
        let now = Clock.now();
        let turns = charting.turns_of(plane, &board, view.facts.session_id, now)?;
        Ok(charts::of_session(&view, &turns, &board.zone, now))
    });
    patiently(drawn).await.unwrap_or_else(|| html! {})
}

async fn patiently(drawn: impl Future<Output = Result<Markup, CliError>>) -> Option<Markup> {
    match tokio::time::timeout(PATIENCE, drawn).await {
        Ok(Ok(drawn)) => Some(drawn),
        Ok(Err(error)) => Some(html! { p.failure { "The charts can't be drawn: " (error.message) } }),
        Err(_) => None,
    }
}

/// The instant of the first screen that is asked for: by itself, or by the slider.
#[derive(Deserialize)]
pub struct At {
    at: Option<String>,
    /// Seconds since the beginning of the log.
    second: Option<i64>,
}

/// The first screen as it was at an instant.
pub async fn history(State(server): State<Arc<Server>>, Query(asked): Query<At>) -> Reply {
    let Some((board, _)) = server.feed.board() else { return unlooked() };
    let Ok(at) = asked.at.as_deref().map(str::parse::<Timestamp>).transpose() else {
        return reply::failed(
            &CliError::usage("at: that is no instant")
                .hint("write it as 2026-11-30T08:00:00Z: /history?at=2026-11-30T08:00:00Z"),
        );
    };
    let found = server.archive.ask(move |plane, charting| {
        let now = Clock.now();
        let from = plane.began()?.unwrap_or(now).min(now);
        if let Some(second) = asked.second {
            let at = from.checked_add(SignedDuration::from_secs(second)).unwrap_or(now);
            return Ok(Found::At(at.clamp(from, now)));
        }
        let at = at.unwrap_or(now).clamp(from, now);
        let mut then = plane.world_at(at, None)?.overview(None)?;
        then.sort();
        let ran = charting.running_at(plane, &board, at, now)?;
        Ok(Found::Page(history::page(Span { from, to: now }, at, &then, &ran, &board.zone)))
    });
    match found.await {
        Ok(Found::Page(found)) => page(StatusCode::OK, found),
        Ok(Found::At(at)) => {
            let mut reply = reply(StatusCode::SEE_OTHER, TEXT, "");
            if let Ok(place) = HeaderValue::try_from(format!("/history?at={}", instant(at))) {
                reply.headers_mut().insert(LOCATION, place);
            }
            reply
        }
        Err(error) => reply::failed(&error),
    }
}

enum Found {
    Page(Markup),
    /// What the slider stands at has an address of its own.
    At(Timestamp),
}
