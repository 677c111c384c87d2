//! A call that is written as JSON and read again is the same call, and a text that is none is refused.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use sayso_core::call::operation::{Agent, Call, McpIdentity};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_gate::call_json::{parts, read};

fn any_args() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Node::text),
        any::<i64>().prop_map(|number| Value::Number(number.to_string()).into()),
        any::<bool>().prop_map(|flag| Value::Bool(flag).into()),
        Just(Value::Null.into()),
        vec("[a-z]{0,3}", 0..3)
            .prop_map(|items| Value::List(items.iter().map(Node::text).collect()).into()),
    ];
    proptest::collection::btree_map(any::<String>(), leaf, 0..4).prop_map(Node::map)
}

fn any_call() -> impl Strategy<Value = Call> {
    let texts = (
        any::<[String; 6]>(),
        vec(any::<String>(), 0..3),
        vec(any::<(String, String)>(), 0..3),
    );
    let maybe = (
        of(any::<String>()),
        of(any::<String>()),
        of(of(any::<u8>())),
    );
    (texts, maybe, any_args()).prop_map(|((texts, parents, metadata), maybe, args)| {
        let [id, tool, cwd, workspace, name, session] = texts;
        let (batch, group, schema) = maybe;
        let mcp = schema.map(|schema| McpIdentity {
            schema: schema.map(|byte| Digest::of_bytes(&[byte])),
            ..McpIdentity::default()
        });
        Call {
            id,
            cwd,
            agent: Agent { name, parents },
            session,
            batch,
            group,
            mcp,
            metadata,
            ..Call::new(tool, args, workspace)
        }
    })
}

/// All of a call, without the places of its values in a text.
fn all(call: &Call) -> String {
    let args = json::write(&call.args);
    let rest = Call {
        args: Value::Null.into(),
        ..call.clone()
    };
    format!("{args} {rest:?}")
}

proptest! {
    #[test]
    fn a_call_that_is_written_and_read_is_the_same(call in any_call()) {
        let text = json::write(&Node::map(parts(&call)));
        let again = read(&json::read(&text, &Limits::default()).unwrap()).unwrap();
        prop_assert_eq!(all(&again), all(&call));
    }

    #[test]
    fn a_part_that_is_missing_or_of_another_kind_is_refused(call in any_call(), at in 0..12_usize) {
        let mut parts = parts(&call);
        let at = at % parts.len();
        let key = parts[at].0;
        parts[at].1 = Value::Number("7".to_owned()).into();
        prop_assert_eq!(read(&Node::map(parts.clone())).is_ok(), key == "args");
        parts.remove(at);
        let may_be_missing = ["metadata", "batch", "group", "schema"].contains(&key);
        prop_assert_eq!(read(&Node::map(parts)).is_ok(), may_be_missing);
    }
}
