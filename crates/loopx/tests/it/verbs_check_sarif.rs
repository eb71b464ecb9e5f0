//! `loopx check --text --sarif`: what the format wants of a document, and that it says no text.

use serde_json::Value;

use crate::verbs_check_text::{check, mail, put, token};
use crate::world::World;

fn document() -> Value {
    let world = World::new();
    put(&world, "docs/a b.md", format!("é {}\nask {}\n", token(), mail()));
    put(&world, &format!("{}.md", mail()), "clean\n");
    put(&world, "a.zip", b"PK\x03\x04");
    put(&world, "a.bin", [&[0, 1, 2, 3][..], token().as_bytes(), &[0, 1, 2][..]].concat());
    std::os::unix::fs::symlink("a.zip", world.path("work/tree/link")).expect("a link");
    let ran = check(&world, &["--sarif"]);
    assert_eq!(ran.code, 7, "{ran:?}");
    ran.json()
}

fn results(document: &Value) -> &Vec<Value> {
    document["runs"][0]["results"].as_array().expect("results")
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().filter(|text| !text.is_empty()).unwrap_or_else(|| panic!("no text: {value}"))
}

/// Section numbers are those of SARIF 2.1.0.
#[test]
fn it_has_all_that_the_schema_requires() {
    let document = document();
    assert_eq!(document["version"], "2.1.0", "3.13.2");
    assert!(text(&document["$schema"]).ends_with("sarif-2.1.0.json"), "3.13.3");
    let run = &document["runs"][0];
    let driver = &run["tool"]["driver"];
    text(&driver["name"]); // 3.19.8
    let rules = driver["rules"].as_array().expect("rules");
    for rule in rules {
        text(&rule["id"]); // 3.49.3
        text(&rule["shortDescription"]["text"]);
        text(&rule["help"]["text"]);
    }
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean(), "3.20.14");
    for notification in run["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list") {
        text(&notification["message"]["text"]); // 3.58.5
    }
    for result in results(&document) {
        text(&result["message"]["text"]); // 3.27.11
        assert!(matches!(text(&result["level"]), "error" | "note"), "3.27.10");
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"], "3.27.6");
        let place = &result["locations"][0]["physicalLocation"];
        let uri = text(&place["artifactLocation"]["uri"]);
        let is_relative = !uri.starts_with('/') && !uri.contains([':', ' ', '[', '\\']);
        assert!(is_relative, "3.4.3: {uri}");
        let number = |name: &str| place["region"][name].as_u64();
        if place.get("region").is_some() {
            let line = number("startLine").is_some_and(|line| line >= 1)
                && number("startColumn") < number("endColumn")
                && number("startColumn") >= Some(1);
            assert!(
                line || number("byteOffset").is_some() && number("byteLength") > Some(0),
                "3.30: {place}"
            );
        }
    }
}

#[test]
fn a_result_names_its_place_and_its_rule() {
    let document = document();
    let found = |uri: &str, rule: &str| {
        results(&document)
            .iter()
            .find(|one| {
                let place = &one["locations"][0]["physicalLocation"];
                place["artifactLocation"]["uri"] == uri && one["ruleId"] == rule
            })
            .unwrap_or_else(|| panic!("no {rule} at {uri}: {document:#}"))
    };
    let region = |result: &Value| result["locations"][0]["physicalLocation"]["region"].clone();
    let expected = serde_json::json!({ "startLine": 1, "startColumn": 3, "endColumn": 43 });
    assert_eq!(region(found("docs/a%20b.md", "credential")), expected);
    assert_eq!(document["runs"][0]["columnKind"], "unicodeCodePoints");
    assert_eq!(region(found("docs/a%20b.md", "mail"))["startLine"], 2);
    assert_eq!(region(found("a.bin", "credential"))["byteOffset"], 4);
    assert_eq!(region(found("a.zip", "unread")), Value::Null);
    assert_eq!(found("link", "link")["level"], "note");
    found("%5Bredacted%3Amail%3A5%5D", "mail");
}

#[test]
fn a_clean_tree_has_no_result_and_all_rules() {
    let world = World::new();
    put(&world, "a.md", "clean\n");
    let ran = check(&world, &["--sarif"]).ok();
    assert!(results(&ran.json()).is_empty());
    assert!(
        ran.json()["runs"][0]["tool"]["driver"]["rules"].as_array().is_some_and(|rules| rules.len() > 15)
    );
    check(&world, &["--sarif", "--json"]).fails(2, "cannot be used with");
}
