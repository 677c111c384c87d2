//! H-74: nothing in a value can end a line, start another, or give an entry a second field of a name.

use proptest::prelude::*;
use sayso_core::text::node::{Node, Value};
use sayso_store::Sync;
use sayso_store::read::Reader;

use crate::scene::Scene;

/// Text with what a forger would use.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::char::range('\0', '\u{FF}').prop_map(String::from),
        prop::sample::select(vec![
            "\n",
            "\r",
            "\r\n",
            "\u{2028}",
            "\u{2029}",
            "\u{85}",
            "\"",
            "\\",
            "\\\"",
            "\\n",
            "\0",
            "\u{1B}[2K",
            "\"}\n",
            "{\"v\":1,\"n\":",
            ",\"digest\":\"",
            "\",\"kind\":\"torn\"",
            "\u{FEFF}",
            "]",
            "}",
            ",",
            "\u{202E}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        hostile().prop_map(Node::text),
        hostile().prop_map(|text| Value::Number(text).into()),
        Just(Value::Null.into())
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| Value::List(items).into()),
            prop::collection::vec((hostile(), inner), 0..4).prop_map(Node::map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn h_74_no_value_forges_an_entry(values in prop::collection::vec(node(), 1..4)) {
        let scene = Scene::new();
        let journal = scene.journal();
        for value in &values {
            journal.append("decided", vec![("value", value.clone())], Sync::System).unwrap();
        }
        let report = scene.verify();
        prop_assert!(report.is_sound(), "{report:?}");
        prop_assert_eq!(report.entries, values.len() as u64);
        let text = std::fs::read(scene.first()).unwrap();
        prop_assert_eq!(text.iter().filter(|byte| **byte < b' ').count(), values.len());
        let stored: Vec<_> = Reader::open(&scene.state()).unwrap().forwards().unwrap().map(Result::unwrap).collect();
        for (stored, value) in stored.iter().zip(&values) {
            let node = stored.node().unwrap();
            let names: Vec<&str> = node.entries().iter().map(|entry| entry.key.as_str()).collect();
            prop_assert_eq!(names, ["v", "n", "at", "prev", "kind", "value", "digest"]);
            prop_assert_eq!(stored.kind.as_str(), "decided");
            if let Some(text) = value.as_text() {
                prop_assert_eq!(node.get("value").unwrap().as_text(), Some(text));
            }
        }
    }
}
