//! The checked-in schemas are those of the types, and the types serialize to them.

use loopx_contract::schema;
use loopx_contract::{
    Check, CheckLabel, CheckOutcome, EvidenceTier, Hint, Limit, LimitWindow, LineCounts, Liveness,
    MissingFact, Projection, RuntimeId, SessionFacts, SessionFactsVersion, SessionState, Turn, Usage,
};
use loopx_safety::{HandleKind, InstallKey, PublicText};
use serde_json::{Value, json};

use crate::cases::CONTRACT;
use crate::changes;

const COMMITTED: [(&str, &str); 3] = [
    (
        "session_runtime_loopx_projection_v0.json",
        include_str!("../../../../schemas/session_runtime_loopx_projection_v0.json"),
    ),
    ("session_facts_v0.json", include_str!("../../../../schemas/session_facts_v0.json")),
    ("worker_facts_v0.json", include_str!("../../../../schemas/worker_facts_v0.json")),
];

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    for ((name, text), (committed, old)) in schema::files().into_iter().zip(COMMITTED) {
        assert_eq!(name, committed);
        assert!(text == old, "schemas/{name} has drifted: cargo run -p loopx-contract --example schemas");
    }
}

#[track_caller]
fn assert_valid(schema: &Value, instance: &Value) {
    let validator = jsonschema::draft202012::new(schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(instance).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn projections_are_valid() {
    let schema = schema::projection();
    assert_valid(&schema, &serde_json::from_str(CONTRACT).unwrap());
    let mut projection: Projection = serde_json::from_str(CONTRACT).unwrap();
    assert_valid(&schema, &serde_json::to_value(&projection).unwrap());
    projection.runtime.session_id = None;
    projection.loopx_refs = loopx_contract::LoopxRefs::default();
    projection.first_screen.boundary.read_scope = Some(vec![PublicText::new("src/**").unwrap()]);
    projection.first_screen.boundary.private_data_rule = Some(PublicText::new("no customer data").unwrap());
    assert_valid(&schema, &serde_json::to_value(&projection).unwrap());
}

#[test]
fn what_is_no_projection_is_not_valid() {
    let validator = jsonschema::draft202012::new(&schema::projection()).unwrap();
    for value in [
        json!([]),
        json!({}),
        changes!["/schema_version" = "v1"],
        changes!["l.outcome_id" = gone],
        changes!["r.session_id" = gone],
        changes!["s.waiting_on" = "human"],
        changes!["s.next_action" = ""],
        changes!["s.open_user_todo" = "123"],
        changes!["b.credentials_copied" = "no"],
        changes!["/goal_id" = "a b"],
    ] {
        assert!(!validator.is_valid(&value), "{value}");
    }
}

#[test]
fn session_facts_are_valid() {
    let schema = schema::session_facts();
    let mut facts = facts();
    let value = serde_json::to_value(&facts).unwrap();
    assert_valid(&schema, &value);
    assert_eq!(serde_json::from_value::<SessionFacts>(value).unwrap(), facts);
    (facts.since, facts.usage, facts.event_id) = (None, None, None);
    facts.limits.clear();
    assert_valid(&schema, &serde_json::to_value(&facts).unwrap());
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let mut native = serde_json::to_value(&facts).unwrap();
    native["session_id"] = "my-native-id".into();
    assert!(!validator.is_valid(&native));
}

fn facts() -> SessionFacts {
    let key = InstallKey::from_bytes([7; 32], "0123456789abcdef");
    let at = Some("2026-11-30T10:00:00Z".parse().unwrap());
    SessionFacts {
        schema_version: SessionFactsVersion::V0,
        runtime_id: RuntimeId::parse("claude_code").unwrap(),
        session_id: key.handle(HandleKind::Session, "claude_code", "a"),
        state: SessionState::Unknown,
        tier: EvidenceTier::Transcript,
        rule: loopx_contract::Rule::Works,
        liveness: Liveness::Unproved,
        turn: Turn::Open,
        since: at,
        last_activity: at,
        started_at: at,
        missing: vec![MissingFact::Liveness, MissingFact::PermissionState],
        hints: vec![Hint::EscalationRequested],
        limits: vec![Limit {
            window: LimitWindow::Primary,
            used_basis_points: Some(9_950),
            window_minutes: Some(300),
            resets_at: at,
            reached: false,
            seen_at: at,
        }],
        checks: vec![Check {
            label: CheckLabel::Test,
            outcome: CheckOutcome::Failed,
            exit_code: Some(101),
            at,
            compound: true,
        }],
        usage: Some(Usage { turns: 3, input_tokens: 12_000, ..Usage::default() }),
        children: 1,
        event_id: Some(key.handle(HandleKind::Event, "claude_code", "e")),
        outcome_id: None,
        lines: LineCounts { read: 10, malformed: 1, ..LineCounts::default() },
    }
}
