//! The page and the terminal screen as doors: every route, every pane.

use super::doors::Output;
use super::home::Home;
use crate::serving::Served;
use crate::verbs_top::Top;

/// What is asked for beside the goals and lanes.
const PLACES: &[&str] = &[
    "/",
    "/charts",
    "/charts?reach=week",
    "/history",
    "/history?second=1",
    "/history?at=2000-01-01T00:00:00Z",
    "/history?at=nonsense",
    "/pair",
    "/jump",
    "/api/v0/status",
    "/api/v0/charts",
    "/assets/charts.css",
    "/assets/history.js",
    "/api/v0/status?at=2026-11-29T23:30:00Z",
    "/api/v0/status?at=yesterday",
    "/api/v0/sessions",
    "/api/v0/sessions/none",
    "/api/v0/goals/none",
    "/api/v0/openapi.json",
    "/api/v0/none",
    "/assets/loopx.js",
    "/assets/keep.js",
    "/assets/palette.js",
    "/assets/icon-you.svg",
    "/assets/icon-old.svg",
    "/none",
    "/goals/none",
    "/sessions/none",
    "/healthz",
];

/// Escape: twice, so that with what follows it is no other key.
const LEAVE: &str = "\u{1b}\u{1b}";

/// Keys, and what stands in `top` then, where that is the same in any home: every view, what can be done there, and what
/// would be recorded. All that was drawn is read at the end.
const PANES: &[(&str, &str)] = &[
    ("jj", ""),
    ("?", "keys"),
    ("x", ""),
    ("/cod", "/cod"),
    ("\r", ""),
    (LEAVE, ""),
    (":", "go to a goal"),
    ("\r", ""),
    ("a", ""),
    (LEAVE, ""),
    ("w", ""),
    ("\r", ""),
    ("G", ""),
    ("n", ""),
    ("G\r", ""),
    ("G", ""),
    ("\r", ""),
    ("u", ""),
    (LEAVE, ""),
    ("t", ""),
    (LEAVE, ""),
];

/// All that the page shows, and what `top` draws.
pub fn outputs(home: &Home) -> Vec<Output> {
    let served = Served::of(&home.world);
    let cookie = served.cookie();
    let with = [("cookie", cookie.as_str())];
    let mut places: Vec<String> = PLACES.iter().map(|place| (*place).to_owned()).collect();
    let status = home.world.json(&["status"]);
    for goal in status["goals"].as_array().expect("goals") {
        let id = goal["goal_id"].as_str().expect("an id");
        places.push(format!("/goals/{id}"));
        places.extend([format!("/api/v0/goals/{id}"), format!("/api/v0/goals/{id}/status")]);
        for lane in goal["lanes"].as_array().expect("lanes") {
            let agent = lane["projection"]["agent_id"].as_str().expect("an id");
            places.push(format!("/goals/{id}/{agent}"));
            places.push(format!("/api/v0/goals/{id}/lanes/{agent}"));
        }
    }
    for session in status["sessions"].as_array().expect("sessions") {
        let handle = session["session"]["session_id"].as_str().expect("a handle");
        places.extend([format!("/sessions/{handle}"), format!("/api/v0/sessions/{handle}")]);
    }
    let mut outputs = Vec::new();
    for place in &places {
        for (whose, headers) in [("a visitor", &with[..]), ("a stranger", &[])] {
            let answer = served.ask("GET", place, headers);
            let text = format!("{}\n\n{}", answer.head.replace(&cookie, ""), answer.body);
            outputs.push(Output::new(format!("{place}, {whose}"), text));
        }
    }
    for goal in places.iter().filter(|place| place.matches('/').count() == 2 && place.starts_with("/goals/"))
    {
        for act in ["undo", "pause", "nonsense"] {
            let answer = served.post(&cookie, &format!("{goal}/preview"), &[("act", act)]);
            outputs.push(Output::new(format!("{goal}, {act}"), answer.body));
        }
    }
    outputs.push(Output::new("/events", served.events(&cookie, "event: reset")));
    outputs.push(Output::new("/api/v0/events", served.stream("/api/v0/events", &cookie, "retry: ")));
    let mut top = Top::of(&home.world);
    let mut panes = vec![top.pane()];
    for (keys, stands) in PANES {
        panes.push(top.types(keys, stands));
    }
    panes.push(top.left());
    outputs.extend(panes.into_iter().map(|pane| Output::new("top", pane)));
    outputs
}
