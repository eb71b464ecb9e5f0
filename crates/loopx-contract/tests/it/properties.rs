//! Over any JSON: no panic, nothing echoed, and what has no error deserializes and is valid by the schema.

use std::sync::LazyLock;

use loopx_contract::Projection;
use loopx_contract::check::{Options, check, check_document};
use loopx_safety::{Showcase, TierKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases::{CONTRACT, options};

const POINTERS: [&str; 25] = [
    "",
    "/schema_version",
    "/goal_id",
    "/agent_id",
    "/runtime",
    "/runtime/runtime_id",
    "/runtime/session_id",
    "/runtime/source_ids_redacted",
    "/loopx_refs",
    "/loopx_refs/run_id",
    "/loopx_refs/todo_id",
    "/loopx_refs/event_id",
    "/loopx_refs/outcome_id",
    "/first_screen",
    "/first_screen/waiting_on",
    "/first_screen/next_action",
    "/first_screen/open_user_todo",
    "/first_screen/first_executable_agent_todo",
    "/first_screen/latest_validation",
    "/first_screen/gate_state",
    "/first_screen/quota_state",
    "/first_screen/boundary",
    "/first_screen/boundary/mode",
    "/first_screen/boundary/stop_condition",
    "/first_screen/boundary/private_paths_copied",
];

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "none",
        "user",
        "agent",
        "runtime",
        "clear",
        "blocked",
        "eligible",
        "throttled",
        "deferred",
        "approved",
        "todo_1",
        "run_1",
        "evt_1",
        "a b",
        "",
        "missing: session",
        "operator_gate",
        "monitor_quiet_skip",
    ]);
    let leaf = prop_oneof![
        4 => words.prop_map(Value::from),
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn any_mutation() -> impl Strategy<Value = Value> {
    prop::collection::vec((prop::sample::select(&POINTERS[..]), any_json()), 0..6).prop_map(|changes| {
        let mut value: Value = serde_json::from_str(CONTRACT).unwrap();
        for (pointer, to) in changes {
            if let Some(place) = value.pointer_mut(pointer) {
                *place = to;
            }
        }
        value
    })
}

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&loopx_contract::schema::projection()).unwrap());

proptest! {
    #[test]
    fn what_has_no_error_deserializes_and_is_valid(value in any_mutation()) {
        if check(&value, &Options::new(TierKind::Local)).is_accepted() {
            prop_assert!(serde_json::from_value::<Projection>(value.clone()).is_ok());
            prop_assert!(SCHEMA.is_valid(&value));
        }
        if check(&value, &options()).is_accepted() {
            prop_assert!(serde_json::from_value::<Projection<Showcase>>(value).is_ok());
        }
    }

    #[test]
    fn any_value_and_its_bytes_are_judged_alike(value in any_json()) {
        let report = check(&value, &options());
        let document = check_document(value.to_string().as_bytes(), &options());
        if !value.is_array() {
            prop_assert_eq!(&document.items[0].report, &report);
        }
    }

    #[test]
    fn any_bytes_are_judged(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = check_document(&bytes, &options());
    }
}
