//! Tests of the readers: tables of good and bad documents, second opinions, and texts made to hurt.

mod hostile;
mod json_agreement;
mod json_table;
mod yaml_agreement;
mod yaml_table;

use super::{Limits, json, yaml};
use crate::text::diagnostic::{Diagnostic, Source};
use crate::text::node::{Node, Value};
use proptest::prelude::*;

type Read = fn(&str, &Limits) -> Result<Node, Diagnostic>;

/// Checks that a text is refused at `line:column` with this message.
fn refused(read: Read, text: &str, place: &str, message: &str) {
    let error = read(text, &Limits::default()).expect_err(text);
    let (line, column) = Source { name: "", text }.line_column(error.span.start as usize);
    assert_eq!(
        (format!("{line}:{column}").as_str(), error.message.as_str()),
        (place, message),
        "for {text:?}"
    );
    assert!(
        error.span.start <= error.span.end && error.span.end as usize <= text.len(),
        "for {text:?}: {:?}",
        error.span
    );
    error.render(Source { name: "test", text });
}

/// The pieces of the text that the spans of a tree cover, keys and values in order.
fn pieces<'a>(text: &'a str, node: &Node, out: &mut Vec<&'a str>) {
    out.push(&text[node.span.start as usize..node.span.end as usize]);
    for entry in node.entries() {
        out.push(&text[entry.key_span.start as usize..entry.key_span.end as usize]);
        pieces(text, &entry.node, out);
    }
    for item in node.items() {
        pieces(text, item, out);
    }
}

fn all_pieces<'a>(text: &'a str, node: &Node) -> Vec<&'a str> {
    let mut out = Vec::new();
    pieces(text, node, &mut out);
    out
}

/// Whether two trees say the same, wherever they stand.
fn same(left: &Node, right: &Node) -> bool {
    match (&left.value, &right.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) | (Value::Text(left), Value::Text(right)) => {
            left == right
        }
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Map(left), Value::Map(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| left.key == right.key && same(&left.node, &right.node))
        }
        _ => false,
    }
}

/// Random trees; the texts in them come from `text`.
fn any_node(text: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = Node> {
    let number = "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,5})?([eE][-+]?[0-9]{1,2})?";
    let leaf = prop_oneof![
        Just(Node::from(Value::Null)),
        any::<bool>().prop_map(|value| Value::Bool(value).into()),
        number.prop_map(|text| Value::Number(text).into()),
        text.clone().prop_map(Node::text),
    ];
    leaf.prop_recursive(5, 60, 12, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(|items| Value::List(items).into()),
            prop::collection::vec((text.clone(), inner), 0..12).prop_map(Node::map),
        ]
    })
}
