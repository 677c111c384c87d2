//! The top-level fields of a line, without a tree of everything in them: most of an entry is never asked for here.

use std::borrow::Cow;

use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

/// The fields of one entry, each with its value as it is written.
#[derive(Debug)]
pub(super) struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    /// Splits a line into its fields; none if it is not a JSON object.
    pub(super) fn of(line: &'a str) -> Option<Fields<'a>> {
        let mut fields = Vec::with_capacity(24);
        let scanned = json::Scanner::new(line).fields(|key, value| fields.push((key, value)));
        scanned.ok().map(|()| Fields(fields))
    }

    /// A value as it is written.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, value)| *value)
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        let raw = self.raw(name)?;
        let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        self.node(name)
            .and_then(|node| node.as_text().map(|text| Cow::Owned(text.to_owned())))
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> Option<i64> {
        self.raw(name)?.parse().ok()
    }

    /// True or false.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.raw(name)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// A value with everything in it.
    pub(super) fn node(&self, name: &str) -> Option<Node> {
        json::read(
            self.raw(name)?,
            &Limits {
                depth: 256,
                ..Limits::default()
            },
        )
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sayso_core::text::node::Value;

    fn value() -> impl Strategy<Value = Node> {
        let leaf = prop_oneof![
            Just(Node::from(Value::Null)),
            any::<bool>().prop_map(|flag| Value::Bool(flag).into()),
            any::<i64>().prop_map(|number| Value::Number(number.to_string()).into()),
            "[\\x00-\\x7f‹é\u{202e}{}\\[\\]\\\\\",:]{0,12}".prop_map(Node::text),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| Value::List(items).into()),
                prop::collection::vec(("[a-z\"\\\\]{0,3}", inner), 0..4).prop_map(Node::map),
            ]
        })
    }

    proptest! {
        #[test]
        fn each_field_is_what_the_whole_reader_finds(values in prop::collection::vec(value(), 0..6)) {
            let node = Node::map(values.into_iter().enumerate().map(|(index, value)| (format!("f{index}"), value)));
            for line in [json::write_plain(&node), json::write(&node)] {
                let fields = Fields::of(&line).unwrap();
                prop_assert_eq!(fields.0.len(), node.entries().len());
                for entry in node.entries() {
                    let name = entry.key.as_str();
                    prop_assert_eq!(fields.node(name).map(|node| json::write(&node)), Some(json::write(&entry.node)));
                    let text = fields.text(name);
                    prop_assert_eq!(text.as_deref(), entry.node.as_text());
                    prop_assert_eq!(fields.flag(name), entry.node.as_bool());
                }
            }
        }

        #[test]
        fn no_text_makes_it_fail_otherwise_than_with_none(text in "[ -~{}\\[\\]\\\\\",:\\n]{0,40}") {
            let _found = Fields::of(&text);
        }
    }

    #[test]
    fn what_is_no_object_has_no_fields() {
        for text in [
            "",
            "{",
            "}",
            "[]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1,}",
            "{\"a\":\"x}",
            "{\"a\":[}",
            "{\"a\":1}x",
            "{a:1}",
            "]{",
        ] {
            assert!(Fields::of(text).is_none(), "{text}");
        }
        assert_eq!(
            Fields::of(" { \"a\" : -7 , \"b\":\"\\u0041\" } ")
                .unwrap()
                .whole("a"),
            Some(-7)
        );
    }
}
