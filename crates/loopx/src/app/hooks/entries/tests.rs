use loopx_runtimes::Runtime;
use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use super::*;
use crate::app::settings::json::testing::{trivia, values, written};

fn program() -> Program {
    serde_json::from_str(r#"{"path": "/it's \"here\"/loopx", "home": null}"#).expect("a program")
}

fn wanted(line: LineIs) -> Wanted {
    let events = ["SessionStart", "PreToolUse", "Stop"].map(str::to_owned).to_vec();
    Wanted { program: program(), events, line }
}

/// What a document says, as the parser of the settings reads it.
fn says(text: &str) -> Json {
    fn of(value: &Value<'_>) -> Json {
        match value {
            Value::Object(object) => object
                .properties
                .iter()
                .map(|property| (property.name.as_str().to_owned(), of(&property.value)))
                .collect::<Map<_, _>>()
                .into(),
            Value::Array(list) => list.elements.iter().map(of).collect::<Vec<_>>().into(),
            Value::StringLit(text) => text.value.as_ref().into(),
            Value::NumberLit(number) => number.value.into(),
            Value::BooleanLit(is) => is.value.into(),
            Value::NullKeyword(_) => Json::Null,
        }
    }
    Document::parse(text).expect("JSON").at(&[]).map_or(Json::Null, of)
}

/// The same without what is ours.
fn without_ours(mut value: Json, was: &Json) -> Json {
    let command = program().hook(Runtime::ClaudeCode, Prompts::Untold);
    let is_ours = |group: &Json| group["hooks"][0]["command"] == command.as_str();
    let object = value.as_object_mut().expect("an object");
    if let Some(hooks) = object.get_mut(HOOKS).and_then(Json::as_object_mut) {
        for groups in hooks.values_mut().filter_map(Json::as_array_mut) {
            groups.retain(|group| !is_ours(group));
        }
        hooks.retain(|event, groups| was[HOOKS].get(event).is_some() || groups != &Json::Array(Vec::new()));
    }
    if was.get(HOOKS).is_none() {
        object.remove(HOOKS);
    }
    let (before, behind) = program().around();
    if let Some(Json::String(command)) = object.get_mut(LINE).and_then(|line| line.get_mut("command")) {
        let rest = command.strip_prefix(&before).and_then(|rest| rest.strip_suffix(behind));
        *command = rest.expect("wrapped").to_owned();
    }
    value
}

proptest! {
    #[test]
    fn any_settings_come_back_to_the_byte_and_say_what_they_said_meanwhile(
        members in prop::collection::btree_map("[a-z]{1,3}", values(), 0..4),
        hooks in prop::option::of(
            prop::collection::btree_map("Stop|PreToolUse|Other", prop::collection::vec(values(), 0..3), 0..3),
        ),
        line in prop::option::of("[a-z \\\\\"/é'$#\n]{0,12}"),
        seed in any::<u64>(),
    ) {
        let mut object: Map<_, _> = members.into_iter().collect();
        if let Some(hooks) = hooks {
            let hooks: Map<_, _> = hooks.into_iter().map(|(event, list)| (event, list.into())).collect();
            object.insert(HOOKS.to_owned(), hooks.into());
        }
        let is = if let Some(line) = &line {
            let line = [("type", "command"), ("command", line)].map(|(name, text)| (name.to_owned(), text.into()));
            object.insert(LINE.to_owned(), Json::Object(line.into_iter().collect()));
            LineIs::Wrapped
        } else {
            LineIs::Left
        };
        let (mut seed, mut text) = (seed, String::new());
        trivia(&mut seed, &mut text);
        written(&object.into(), &mut seed, &mut text);
        trivia(&mut seed, &mut text);
        let was = says(&text);
        let (with, pieces) = put(Role::ClaudeSettings, &text, &wanted(is)).expect("put");
        prop_assert_eq!(without_ours(says(&with), &was), was);
        prop_assert!(left(Role::ClaudeSettings, &with, &program()).expect("JSON").changed.len() <= 1);
        let mut back = Rest::of(&with);
        let taken = take(Role::ClaudeSettings, &mut back, &pieces).expect("taken");
        prop_assert_eq!(back.text(), text);
        prop_assert!(taken.iter().all(|(_, taken)| *taken == Taken::Out));
    }
}
