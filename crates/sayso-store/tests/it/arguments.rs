//! Stored arguments: no secrets, not too long, and comparable by a keyed digest.

use proptest::prelude::*;
use sayso_core::text::node::{Entry, Node, Span, Value};
use sayso_core::text::{Limits, json};
use sayso_store::record::{Kept, arguments, text};
use sayso_store::{Journal, Sync};

use crate::scene::Scene;

fn field<'a>(fields: &'a [(&'static str, Node)], name: &str) -> Option<&'a Node> {
    fields
        .iter()
        .find(|(field, _)| *field == name)
        .map(|(_, node)| node)
}

fn stored(journal: &Journal, args: &Node, kept: Kept) -> String {
    field(&arguments(journal, args, kept, &[]).unwrap(), "args")
        .map(json::write)
        .unwrap_or_default()
}

#[test]
fn secrets_are_not_stored_and_the_digest_is_of_all() {
    let scene = Scene::new();
    let journal = scene.journal();
    let args = |secret: &str| {
        Node::map([(
            "command",
            Node::text(format!(
                "curl -H 'Authorization: Bearer {secret}' https://example.org"
            )),
        )])
    };
    let (one, other) = (args("abcdefghijklmnop"), args("qrstuvwxyzabcdef"));
    assert_eq!(
        stored(&journal, &one, Kept::Redacted),
        stored(&journal, &other, Kept::Redacted)
    );
    assert!(!stored(&journal, &one, Kept::Redacted).contains("abcdefghijklmnop"));
    assert!(stored(&journal, &one, Kept::Full).contains("abcdefghijklmnop"));
    let digest = |args: &Node, kept| {
        json::write(
            field(
                &arguments(&journal, args, kept, &[]).unwrap(),
                "args_digest",
            )
            .unwrap(),
        )
    };
    assert_ne!(digest(&one, Kept::Redacted), digest(&other, Kept::Redacted));
    assert_eq!(digest(&one, Kept::Redacted), digest(&one, Kept::Nothing));
    // The same in another process, another one with another key.
    assert_eq!(
        scene.journal().key().unwrap().digest(&one),
        journal.key().unwrap().digest(&one)
    );
    assert_ne!(
        Scene::new().journal().key().unwrap().digest(&one),
        journal.key().unwrap().digest(&one)
    );
}

#[test]
fn z_47_off_drops_arguments_and_never_the_entry() {
    let scene = Scene::new();
    let journal = scene.journal();
    let fields = arguments(
        &journal,
        &Node::map([("command", Node::text("ls"))]),
        Kept::Nothing,
        &[],
    )
    .unwrap();
    assert_eq!(
        fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["args_digest"]
    );
    journal.append("decided", fields, Sync::System).unwrap();
    assert_eq!(scene.verify().entries, 1);
    assert!(!scene.text().contains("ls\""));
}

#[test]
fn excluded_keys_are_hidden_at_any_depth() {
    let scene = Scene::new();
    let args = Node::map([
        ("Customer", Node::text("one")),
        (
            "list",
            Value::List(vec![Node::map([
                ("customer", Node::text("two")),
                ("b", Node::text("three")),
            ])])
            .into(),
        ),
    ]);
    for kept in [Kept::Redacted, Kept::Full] {
        let fields = arguments(&scene.journal(), &args, kept, &["customer".to_owned()]).unwrap();
        let text = json::write(field(&fields, "args").unwrap());
        assert_eq!(
            text,
            r#"{"Customer":"[redacted]","list":[{"customer":"[redacted]","b":"three"}]}"#
        );
    }
}

#[test]
fn long_values_are_cut_with_their_length_said() {
    let scene = Scene::new();
    let journal = scene.journal();
    let long = Node::map([
        ("path", Node::text("a.rs")),
        ("content", Node::text("é".repeat(100_000))),
    ]);
    let fields = arguments(&journal, &long, Kept::Redacted, &[]).unwrap();
    let args = field(&fields, "args").unwrap();
    assert_eq!(args.get("path").unwrap().as_text(), Some("a.rs"));
    assert!(
        args.get("content")
            .unwrap()
            .as_text()
            .unwrap()
            .ends_with("é… (200000 bytes)")
    );
    assert_eq!(
        field(&fields, "args_cut").and_then(Node::as_bool),
        Some(true)
    );
    let list = Value::List(
        (0..5_000)
            .map(|index| Node::text(index.to_string()))
            .collect(),
    )
    .into();
    assert!(stored(&journal, &list, Kept::Redacted).ends_with(" more)\"]"));
    let short = arguments(
        &journal,
        &Node::map([("command", Node::text("ls"))]),
        Kept::Redacted,
        &[],
    )
    .unwrap();
    assert!(field(&short, "args_cut").is_none());
    assert_eq!(text("plain").as_text(), Some("plain"));
    assert!(
        text(&"x".repeat(5_000))
            .as_text()
            .unwrap()
            .ends_with("x… (5000 bytes)")
    );
}

#[test]
fn a_secret_behind_the_cut_does_not_show() {
    let scene = Scene::new();
    let journal = scene.journal();
    let key = format!("ghp_{}", "A1b2C3d4E5f6".repeat(3));
    for before in (16_300..16_420).step_by(7).chain((380..420).step_by(5)) {
        let args = Node::map([(
            "command",
            Node::text(format!("{} {key} x", "y".repeat(before))),
        )]);
        let text = stored(&journal, &args, Kept::Redacted);
        assert!(!text.contains("ghp_"), "{before}: {text}");
    }
}

#[test]
fn an_ordinary_entry_has_less_than_a_kibibyte() {
    let scene = Scene::new();
    let journal = scene.journal();
    for command in [
        "git status",
        &"cargo test --workspace ".repeat(12),
        &"x".repeat(100_000),
        &"\u{1}".repeat(1_000),
    ] {
        let mut fields = vec![
            ("id", Node::text("c-0123456789abcdef")),
            ("tool", Node::text("bash")),
            ("decision", Node::text("allow")),
            ("rule", Node::text("user:12")),
            ("cwd", Node::text("/home/person/project")),
            ("session", Node::text("s-0123456789")),
            ("agent", Node::text("main")),
            ("user", Node::text("person")),
        ];
        fields.extend(
            arguments(
                &journal,
                &Node::map([("command", Node::text(command))]),
                Kept::Redacted,
                &[],
            )
            .unwrap(),
        );
        journal.append("decided", fields, Sync::System).unwrap();
    }
    for line in scene.text().lines() {
        assert!(line.len() < 1024, "{} bytes: {line}", line.len());
    }
}

#[test]
fn keys_that_look_the_same_without_their_secrets_stay_two() {
    let scene = Scene::new();
    let key = |secret: &str| format!("https://user:{secret}@example.org/");
    let args = Node::map([
        (key("hunter2hunter2"), Node::text("a")),
        (key("another-secret"), Node::text("b")),
        ("…".to_owned(), Node::text("c")),
    ]);
    scene
        .journal()
        .append(
            "x",
            arguments(&scene.journal(), &args, Kept::Redacted, &[]).unwrap(),
            Sync::System,
        )
        .unwrap();
    let text = scene.text();
    let node = json::read(text.trim_end(), &Limits::default()).unwrap();
    assert_eq!(node.get("args").unwrap().entries().len(), 3);
    assert!(!text.contains("hunter2"));
}

#[test]
fn a_damaged_key_is_an_error_and_not_a_new_key() {
    let scene = Scene::new();
    scene.journal().key().unwrap();
    for damaged in ["", "x", &"g".repeat(65), &format!("{}\n\n", "a".repeat(64))] {
        std::fs::write(scene.state().join("digest.key"), damaged).unwrap();
        assert!(
            scene
                .journal()
                .key()
                .unwrap_err()
                .to_string()
                .contains("damaged")
        );
    }
}

fn any_node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        ".{0,40}".prop_map(Node::text),
        "[a-z ]{300,900}".prop_map(Node::text),
        "[0-9]{1,60}".prop_map(|text| Value::Number(text).into())
    ];
    leaf.prop_recursive(6, 60, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(|items| Value::List(items).into()),
            // Keys that stand twice do not come from a reader, but may from code.
            prop::collection::vec((".{0,12}", inner), 0..12).prop_map(|entries| {
                let entry = |(key, node)| Entry {
                    key,
                    key_span: Span::new(3, 900),
                    node,
                };
                Node {
                    value: Value::Map(entries.into_iter().map(entry).collect()),
                    span: Span::new(0, 70_000),
                }
            }),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_the_arguments_are_they_fit_and_can_be_read(node in any_node()) {
        let scene = Scene::new();
        let journal = scene.journal();
        for kept in [Kept::Redacted, Kept::Full] {
            let text = stored(&journal, &node, kept);
            prop_assert!(json::read(&text, &Limits::default()).is_ok(), "{text}");
            prop_assert!(kept == Kept::Full || text.len() < 900, "{} bytes: {text}", text.len());
        }
    }
}
