//! Documents of any shape, for properties.

use std::fmt::Write as _;

use proptest::prelude::*;

/// A value, written with whatever may stand between its parts.
pub fn written(value: &serde_json::Value, seed: &mut u64, out: &mut String) {
    match value {
        serde_json::Value::Array(list) => {
            out.push('[');
            for (at, one) in list.iter().enumerate() {
                trivia(seed, out);
                written(one, seed, out);
                trivia(seed, out);
                if at + 1 < list.len() {
                    out.push(',');
                }
            }
            trivia(seed, out);
            out.push(']');
        }
        serde_json::Value::Object(object) => {
            out.push('{');
            for (at, (name, one)) in object.iter().enumerate() {
                trivia(seed, out);
                write!(out, "{}:", serde_json::Value::from(name.as_str())).expect("text");
                trivia(seed, out);
                written(one, seed, out);
                trivia(seed, out);
                if at + 1 < object.len() {
                    out.push(',');
                }
            }
            trivia(seed, out);
            out.push('}');
        }
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => write!(out, "{value}").expect("text"),
    }
}

fn draw(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).expect("31 bits") % below
}

/// Whatever may stand between two parts.
pub fn trivia(seed: &mut u64, out: &mut String) {
    for _ in 0..draw(seed, 3) {
        out.push_str(
            ["", " ", "\n", "\t", "\r\n", "    ", "\n  ", "/* ] } , */", "// { [ \"\n"][draw(seed, 9)],
        );
    }
}

/// Any value.
pub fn values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        "[a\\\\\"/é{}\\[\\],:]{0,6}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map("[a-c\"é]{1,2}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}
