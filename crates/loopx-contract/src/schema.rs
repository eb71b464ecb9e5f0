//! The JSON Schemas of what is exchanged, generated from the types. The checked-in copies are under `schemas/`.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::Value;

use crate::projection::{PROJECTION_VERSION, Projection};
use crate::session::{SESSION_FACTS_VERSION, SessionFacts};
use crate::worker::WorkerFacts;

/// The schema of [`Projection`].
pub fn projection() -> Value {
    of::<Projection>(PROJECTION_VERSION, WRITTEN)
}

/// The schema of [`SessionFacts`].
pub fn session_facts() -> Value {
    of::<SessionFacts>(SESSION_FACTS_VERSION, WRITTEN)
}

/// The schema of [`WorkerFacts`]: what may stand on a line of a worker's.
pub fn worker_facts() -> Value {
    of::<WorkerFacts>("worker_facts_v0", Contract::Deserialize)
}

/// Every schema: the name of its file and what stands in it.
pub fn files() -> [(&'static str, String); 3] {
    [
        ("session_runtime_loopx_projection_v0.json", text(projection())),
        ("session_facts_v0.json", text(session_facts())),
        ("worker_facts_v0.json", text(worker_facts())),
    ]
}

/// As it is serialized: a field that may be null is present all the same.
const WRITTEN: Contract = Contract::Serialize;

fn of<T: JsonSchema>(title: &str, contract: Contract) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.contract = contract);
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
