//! The JSON Schemas of what is exchanged, generated from the types. The checked-in copies are under `schemas/`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::projection::{PROJECTION_VERSION, Projection};
use crate::session::{SESSION_FACTS_VERSION, SessionFacts};

/// The schema of [`Projection`].
pub fn projection() -> Value {
    of::<Projection>(PROJECTION_VERSION)
}

/// The schema of [`SessionFacts`].
pub fn session_facts() -> Value {
    of::<SessionFacts>(SESSION_FACTS_VERSION)
}

/// Every schema: the name of its file and what stands in it.
pub fn files() -> [(&'static str, String); 2] {
    [
        ("session_runtime_loopx_projection_v0.json", text(projection())),
        ("session_facts_v0.json", text(session_facts())),
    ]
}

/// As it is serialized: a field that may be null is present all the same.
fn of<T: JsonSchema>(title: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// Pretty, keys sorted, a newline at the end.
fn text(mut schema: Value) -> String {
    // Sorted already, unless some crate of the build turns on serde_json's `preserve_order`.
    schema.sort_all_objects();
    format!("{schema:#}\n")
}
