//! What the API is, as `OpenAPI`: its places, and the schemas of the types that answer there.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::app::charting::documents::ChartsDocument;
use crate::app::documents::{
    FollowLine, GoalSetDocument, OneSessionDocument, SessionsDocument, StatusDocument, WhyDocument,
};
use crate::error::CliError;
use crate::ui::ErrorDocument;

/// One place.
struct Place {
    path: &'static str,
    /// What names it to programs that are made of this document.
    id: &'static str,
    what: &'static str,
    /// What the path and what stands behind the question mark name: name, place, and what it is.
    takes: &'static [(&'static str, &'static str, &'static str)],
    schema: fn(&mut SchemaGenerator) -> Value,
}

const GOAL: (&str, &str, &str) = ("goal", "path", "The goal's id.");

const PLACES: &[Place] = &[
    Place {
        path: "/api/v0/status",
        id: "status",
        what: "Whom every goal and session is waiting on: `loopx status --json`.",
        takes: &[(
            "at",
            "query",
            "As it was at this instant, from the log (RFC 3339): `loopx status --at INSTANT --json`.",
        )],
        schema: of::<StatusDocument<'static>>,
    },
    Place {
        path: "/api/v0/goals/{goal}",
        id: "goal",
        what: "All that is set for one goal: `loopx goal show GOAL --json`.",
        takes: &[GOAL],
        schema: of::<GoalSetDocument>,
    },
    Place {
        path: "/api/v0/goals/{goal}/status",
        id: "goalStatus",
        what: "Whom one goal is waiting on: `loopx status GOAL --json`.",
        takes: &[GOAL],
        schema: of::<StatusDocument<'static>>,
    },
    Place {
        path: "/api/v0/goals/{goal}/lanes/{agent}",
        id: "lane",
        what: "A lane's first screen, and why: `loopx why --goal GOAL --agent AGENT --json`.",
        takes: &[GOAL, ("agent", "path", "The lane's agent.")],
        schema: of::<WhyDocument<'static>>,
    },
    Place {
        path: "/api/v0/charts",
        id: "charts",
        what: "What lanes waited on lately, what runs came to, and where limits lead: the charts of the page.",
        takes: &[("reach", "query", "How far back: `day`, which it is without, or `week`.")],
        schema: of::<ChartsDocument<'static>>,
    },
    Place {
        path: "/api/v0/sessions",
        id: "sessions",
        what: "The sessions that are seen: `loopx sessions list --json`.",
        takes: &[],
        schema: of::<SessionsDocument<'static>>,
    },
    Place {
        path: "/api/v0/sessions/{session}",
        id: "session",
        what: "All that is known of one session: `loopx sessions show SESSION --json`.",
        takes: &[("session", "path", "The session's handle, or a unique prefix of it.")],
        schema: of::<OneSessionDocument<'static>>,
    },
    Place {
        path: "/api/v0/events",
        id: "events",
        what: "A stream of events (server-sent): the `data` of each event `lane` is a line of `loopx follow --jsonl`, \
               its `id` the revision to go on after. Who sends that back in `Last-Event-ID` misses nothing and reads \
               nothing twice, at a server that was started anew too.",
        takes: &[
            ("Last-Event-ID", "header", "The id of the last event that was read."),
            ("after", "query", "The same, where no header can be sent."),
        ],
        schema: of::<FollowLine<'static>>,
    },
    Place {
        path: "/api/v0/openapi.json",
        id: "openapi",
        what: "What the API is: this document.",
        takes: &[],
        schema: |_| json!({ "type": "object" }),
    },
];

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// The document, as it is served and kept in `docs/reference`.
pub fn document() -> Result<String, CliError> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.contract = Contract::Serialize;
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let error = of::<ErrorDocument<'static>>(&mut generator);
    let failed = json!({
        "description": "What went wrong, as the command line says it under `--json`.",
        "content": { "application/json": { "schema": error } },
    });
    let mut paths = Map::new();
    for place in PLACES {
        let kind = if place.id == "events" { "text/event-stream" } else { "application/json" };
        let schema = (place.schema)(&mut generator);
        let answer = if place.id == "events" {
            json!({ "x-data": schema, "schema": { "type": "string" } })
        } else {
            json!({ "schema": schema })
        };
        let takes: Vec<Value> = place
            .takes
            .iter()
            .map(|(name, place, what)| {
                json!({
                    "name": name, "in": place, "description": what, "required": *place == "path",
                    "schema": { "type": "string" },
                })
            })
            .collect();
        let mut content = Map::new();
        content.insert(kind.to_owned(), answer);
        let asked = json!({
            "operationId": place.id,
            "summary": place.what,
            "parameters": takes,
            "responses": {
                "200": { "description": "The document.", "content": content },
                "default": failed,
            },
        });
        paths.insert(place.path.to_owned(), json!({ "get": asked }));
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "LoopX",
            "version": "v0",
            "description": "What `loopx serve` tells programs of this machine: the documents of the command line, byte \
                            for byte. It reads: no token carries authority.",
        },
        "servers": [{ "url": "http://127.0.0.1:7717", "description": "`loopx serve`, at its usual port" }],
        "security": [{ "token": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "`loopx serve token add NAME`" },
                "cookie": {
                    "type": "apiKey", "in": "cookie", "name": "loopx-7717",
                    "description": "A browser that was let in; its name ends with the port.",
                },
            },
            "schemas": generator.take_definitions(true),
        },
    });
    let mut document = document;
    // Sorted already, unless some crate of the build turns on serde_json's `preserve_order`.
    document.sort_all_objects();
    Ok(format!("{document:#}\n"))
}
