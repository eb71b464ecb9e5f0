//! JSON as it may be written: by a runtime, by another one, or by nobody in their right mind.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

/// A value, down to how its strings and numbers are spelled.
#[derive(Clone, Debug)]
pub enum Json {
    /// A number or a word.
    Plain(String),
    /// A string, by its body.
    Text(Vec<u8>),
    /// An array.
    List(Vec<Self>),
    /// An object: keys by their bodies.
    Object(Vec<(Vec<u8>, Self)>),
}

/// The keys that some record has, and some that none has.
const KEYS: &[&str] = &[
    "type",
    "payload",
    "timestamp",
    "id",
    "record_type",
    "instructions",
    "turn_id",
    "call_id",
    "name",
    "arguments",
    "action",
    "output",
    "exit_code",
    "role",
    "content",
    "error",
    "codex_error_info",
    "reason",
    "last_agent_message",
    "rate_limits",
    "primary",
    "secondary",
    "used_percent",
    "window_minutes",
    "resets_at",
    "resets_in_seconds",
    "rate_limit_reached_type",
    "info",
    "total_token_usage",
    "last_token_usage",
    "thread_token_usage",
    "usage",
    "input_tokens",
    "output_tokens",
    "item",
    "command",
    "cmd",
    "status",
    "approval_policy",
    "cwd",
    "cli_version",
    "source",
    "subagent",
    "thread_spawn",
    "thread_source",
    "parent_thread_id",
    "history_base",
    "git",
    "branch",
    "metadata",
    "session_id",
    "sandbox_permissions",
    "with_escalated_permissions",
    "text",
    "uuid",
    "sessionId",
    "isSidechain",
    "agentId",
    "gitBranch",
    "requestId",
    "message",
    "stop_reason",
    "subtype",
    "isMeta",
    "origin",
    "kind",
    "promptSource",
    "isApiErrorMessage",
    "apiErrorStatus",
    "toolUseResult",
    "isAsync",
    "stdout",
    "interrupted",
    "backgroundTaskId",
    "permissionMode",
    "operation",
    "pendingBackgroundAgentCount",
    "compactMetadata",
    "trigger",
    "hookErrors",
    "input",
    "tool_use_id",
    "is_error",
    "isCompactSummary",
    "x",
    "",
];

/// Words, numbers and what is neither.
const PLAIN: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "7",
    "-1",
    "429",
    "0.0",
    "100.0",
    "12.5",
    "-0.5",
    "1e3",
    "1E+2",
    "5e-1",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e22",
    "1e400",
    "-1e400",
    "1e-400",
    "0e999999999999",
    "4294967296",
    "123456789012345678901234567890",
    "01",
    "-",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "tru",
    "nul",
    "True",
    "NaN",
    "-Infinity",
    "truex",
    "",
    "\u{feff}",
    "'x'",
    "0x10",
    "1_000",
    "1 2",
];

/// How many of these are JSON.
const SOUND: usize = 30;

/// What strings are made of.
const PIECES: &[&[u8]] = &[
    b"event_msg",
    b"user",
    b"assistant",
    b"tool_use",
    b"task_complete",
    b"2026-11-29T23:31:11.087Z",
    b"42",
    b"-7",
    b" ",
    b"a",
    "ä".as_bytes(),
    "\u{1f600}".as_bytes(),
    "\u{2028}".as_bytes(),
    b"\x7f",
    b"{",
    b"}]",
    b",",
    b":",
    b"\\n",
    b"\\\"",
    b"\\\\",
    b"\\/",
    b"\\t",
    b"\\u0041",
    b"\\u00e4",
    b"\\u0000",
    b"\\ud83d\\ude00",
    b"\\uD83D\\uDE00",
    b"\\uFFFF",
    b"\\\\u0041",
    b"\xff",
    b"\xe2\x82",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\x80",
    // No escapes, and no characters of a string.
    b"\\x",
    b"\\u12",
    b"\\u12g4",
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83dx",
    b"\\ud83d\\n",
    b"\\ud83d\\u0041",
    b"\\U0041",
    b"\x00",
    b"\n",
    b"\t",
    b"\x1f",
    b"\\",
    b"\"",
];

/// How many of these a string may have.
const CLEAN: usize = 35;
/// And which of them are escapes, or no text.
const SIMPLE: usize = 18;

/// The body of a string, seldom a bad one.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let pieces = |upto: usize| vec(select(&PIECES[..upto]), 0..6).prop_map(|pieces| pieces.concat());
    prop_oneof![8 => pieces(SIMPLE), 8 => pieces(CLEAN), 1 => pieces(PIECES.len())]
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    let known = || select(KEYS).prop_map(|key| key.as_bytes().to_vec());
    // Its first letter as an escape.
    let spelled = known().prop_map(|key| match key.split_first() {
        Some((first, rest)) => [format!("\\u{first:04x}").as_bytes(), rest].concat(),
        None => key,
    });
    prop_oneof![16 => known(), 1 => spelled, 1 => body()]
}

fn plain() -> impl Strategy<Value = Json> {
    let among = |words: &'static [&str]| select(words).prop_map(|word| Json::Plain(word.to_owned()));
    prop_oneof![
        12 => among(&PLAIN[..SOUND]),
        6 => any::<i64>().prop_map(|number| Json::Plain(number.to_string())),
        1 => among(PLAIN),
    ]
}

/// Any value.
pub fn value() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![plain(), body().prop_map(Json::Text)];
    leaf.prop_recursive(6, 96, 8, |inside| {
        prop_oneof![
            1 => vec(inside.clone(), 0..5).prop_map(Json::List),
            3 => vec((key(), inside), 0..8).prop_map(Json::Object),
        ]
    })
    .boxed()
}

/// An object, seldom one with a key twice.
pub fn object() -> BoxedStrategy<Json> {
    vec((key(), value()), 0..12)
        .prop_flat_map(|fields| (Just(fields), 0..8u8))
        .prop_map(|(mut fields, again)| {
            if again > 0 {
                fields.sort_by(|a, b| a.0.cmp(&b.0));
                fields.dedup_by(|a, b| a.0 == b.0);
            }
            Json::Object(fields)
        })
        .boxed()
}

/// The white space between tokens.
pub fn spaces() -> impl Strategy<Value = Vec<&'static str>> {
    let odd = vec(select(&["", " ", "\t", "\r", "  ", "\r\n \t", "\n"][..]), 1..7);
    prop_oneof![4 => Just(vec![""]), 4 => odd, 1 => vec(select(&["", "\u{b}", "\u{a0}", "\u{feff}", "\0"][..]), 1..9)]
}

impl Json {
    /// A value of a recording.
    pub fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        let body = |text: &str| {
            let quoted = Value::from(text).to_string().into_bytes();
            quoted[1..quoted.len() - 1].to_vec()
        };
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Plain(value.to_string()),
            Value::String(text) => Self::Text(body(text)),
            Value::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Value::Object(fields) => {
                Self::Object(fields.iter().map(|(key, value)| (body(key), Self::of(value))).collect())
            }
        }
    }

    /// How many values it is made of, itself included.
    pub fn size(&self) -> usize {
        1 + match self {
            Self::Plain(_) | Self::Text(_) => 0,
            Self::List(items) => items.iter().map(Self::size).sum(),
            Self::Object(fields) => fields.iter().map(|(_, value)| value.size()).sum(),
        }
    }

    /// The value that comes so many values after this one, in the order of writing.
    pub fn nth(&mut self, mut n: usize) -> Option<&mut Self> {
        if n == 0 {
            return Some(self);
        }
        n -= 1;
        let inside: Vec<&mut Self> = match self {
            Self::Plain(_) | Self::Text(_) => Vec::new(),
            Self::List(items) => items.iter_mut().collect(),
            Self::Object(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
        };
        for value in inside {
            let size = value.size();
            if n < size {
                return value.nth(n);
            }
            n -= size;
        }
        None
    }

    /// As bytes, with these spaces in turn between its tokens.
    pub fn written(&self, spaces: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut spaces = spaces.iter().copied().cycle();
        self.write(&mut bytes, &mut spaces);
        bytes
    }

    fn write<'s>(&self, to: &mut Vec<u8>, spaces: &mut impl Iterator<Item = &'s str>) {
        let quoted = |to: &mut Vec<u8>, body: &[u8]| to.extend([b"\"", body, b"\""].concat());
        to.extend(spaces.next().unwrap_or_default().bytes());
        match self {
            Self::Plain(word) => to.extend(word.bytes()),
            Self::Text(body) => quoted(to, body),
            Self::List(items) => {
                to.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    to.extend((at > 0).then_some(b','));
                    item.write(to, spaces);
                }
                to.push(b']');
            }
            Self::Object(fields) => {
                to.push(b'{');
                for (at, (key, value)) in fields.iter().enumerate() {
                    to.extend((at > 0).then_some(b','));
                    to.extend(spaces.next().unwrap_or_default().bytes());
                    quoted(to, key);
                    to.extend(spaces.next().unwrap_or_default().bytes());
                    to.push(b':');
                    value.write(to, spaces);
                }
                to.push(b'}');
            }
        }
        to.extend(spaces.next().unwrap_or_default().bytes());
    }
}
