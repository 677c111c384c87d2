//! What a policy file may hold, as data: checking, error messages and the JSON Schema all come from these shapes.

use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Node, Span, Value};

/// What a value has to look like.
#[derive(Debug)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// A whole number in a range.
    Whole {
        /// Smallest.
        least: u64,
        /// Largest.
        most: u64,
    },
    /// Any text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list.
    List(&'static Shape),
    /// One value, or a list of them.
    OneOrMany(&'static Shape),
    /// A map from names that people choose.
    Names(&'static Shape),
    /// A map with these keys and no others.
    Record(&'static Record),
}

/// A map with fixed keys.
#[derive(Debug)]
pub struct Record {
    /// What it is called in messages.
    pub name: &'static str,
    /// Its keys.
    pub fields: &'static [Field],
}

/// One key of a record.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What its value has to look like.
    pub shape: Shape,
    /// What it is for, in one sentence.
    pub doc: &'static str,
}

impl Record {
    /// The field of a key.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

/// Checks a value against a shape and adds what is wrong.
pub fn check(node: &Node, shape: &Shape, findings: &mut Vec<Diagnostic>) {
    match (shape, &node.value) {
        (Shape::Bool, Value::Bool(_)) | (Shape::Text, Value::Text(_)) => {}
        (Shape::Bool, Value::Text(text))
            if matches!(
                text.to_ascii_lowercase().as_str(),
                "yes" | "no" | "on" | "off" | "true" | "false"
            ) =>
        {
            let plain = if matches!(text.to_ascii_lowercase().as_str(), "yes" | "on" | "true") {
                "true"
            } else {
                "false"
            };
            findings
                .push(wrong(node, "true or false").hint(format!("write {plain} without quotes")));
        }
        (Shape::Text, Value::Number(text)) => {
            findings.push(wrong(node, "text").hint(format!("put it in quotes: \"{text}\"")))
        }
        (Shape::Whole { least, most }, Value::Number(text)) => match text.parse::<u64>() {
            Ok(number) if (*least..=*most).contains(&number) => {}
            _ => findings.push(Diagnostic::error(
                node.span,
                format!("`{text}` is not a whole number from {least} to {most}"),
            )),
        },
        (Shape::Word(words), Value::Text(text)) => {
            if !words.contains(&text.as_str()) {
                let finding = Diagnostic::error(
                    node.span,
                    format!("`{text}` is not one of {}", plain_words(words)),
                );
                findings.push(match nearest(text, words.iter().copied()) {
                    Some(word) => finding.hint(format!("did you mean `{word}`?")),
                    None => finding,
                });
            }
        }
        (Shape::List(item), Value::List(nodes)) => {
            nodes.iter().for_each(|node| check(node, item, findings))
        }
        (Shape::OneOrMany(item), Value::List(nodes)) => {
            if nodes.is_empty() {
                findings.push(Diagnostic::error(
                    node.span,
                    "the list is empty, which would match nothing",
                ));
            }
            nodes.iter().for_each(|node| check(node, item, findings));
        }
        (Shape::OneOrMany(item), _) => check(node, item, findings),
        (Shape::Names(item), Value::Map(entries)) => entries
            .iter()
            .for_each(|entry| check(&entry.node, item, findings)),
        (Shape::Record(record), Value::Map(entries)) => {
            for entry in entries {
                match record.field(&entry.key) {
                    Some(field) => {
                        let before = findings.len();
                        check(&entry.node, &field.shape, findings);
                        if matches!(field.shape, Shape::Word(_)) {
                            findings
                                .iter_mut()
                                .skip(before)
                                .for_each(|finding| say_what_it_is_for(finding, field));
                        }
                    }
                    None => findings.push(unknown_key(record, &entry.key, entry.key_span)),
                }
            }
        }
        (Shape::Word(words), value) => {
            let found = match value {
                Value::Bool(is) => format!("`{is}`"),
                _ => node.kind_word().to_owned(),
            };
            let finding = Diagnostic::error(
                node.span,
                format!("expected one of {}, found {found}", plain_words(words)),
            );
            findings.push(match value {
                Value::Bool(is) => match meant(*is, words) {
                    Some(word) => finding.hint(format!("`{is}` would be `{word}`")),
                    None => finding,
                },
                _ => finding,
            });
        }
        // A key with nothing behind it sets nothing; YAML people leave such keys standing.
        (Shape::List(_) | Shape::Names(_) | Shape::Record(_), Value::Null) => {}
        (expected, _) => findings.push(wrong(node, word(expected))),
    }
}

/// The words of a choice without second spellings (`confirm_all` beside `confirm-all`).
fn plain_words(words: &[&str]) -> String {
    let plain: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !(word.contains('_') && words.contains(&word.replace('_', "-").as_str())))
        .collect();
    plain.join(", ")
}

/// Adds to a wrong word what the key is for, so that the right one can be chosen.
fn say_what_it_is_for(finding: &mut Diagnostic, field: &Field) {
    let about = format!("`{}`: {}", field.key, field.doc);
    finding.hint = Some(match finding.hint.take() {
        Some(hint) if hint.ends_with('?') => format!("{hint} {about}"),
        Some(hint) => format!("{hint}. {about}"),
        None => about,
    });
}

/// Which of some words `true` or `false` would mean, where one does.
fn meant(is: bool, words: &[&str]) -> Option<&'static str> {
    const YES: [&str; 6] = ["run-in-workspace", "always", "allow", "ask", "rw", "disk"];
    const NO: [&str; 4] = ["never", "none", "deny", "ro"];
    let first = |list: &[&'static str]| list.iter().copied().find(|word| words.contains(word));
    // Of the styles, the keys and the profiles, none is the opposite of another.
    let (yes, no) = (first(&YES)?, first(&NO)?);
    Some(if is { yes } else { no })
}

fn wrong(node: &Node, expected: &str) -> Diagnostic {
    Diagnostic::error(
        node.span,
        format!("expected {expected}, found {}", node.kind_word()),
    )
}

fn word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "true or false",
        Shape::Whole { .. } => "a whole number",
        Shape::Text => "text",
        Shape::Word(_) => "one of some words",
        Shape::List(_) => "a list",
        Shape::OneOrMany(_) => "a value or a list",
        Shape::Names(_) | Shape::Record(_) => "a map",
    }
}

fn unknown_key(record: &Record, key: &str, span: Span) -> Diagnostic {
    let finding = Diagnostic::error(span, format!("{} has no key `{key}`", record.name));
    match nearest(key, record.fields.iter().map(|field| field.key)) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => {
            let keys: Vec<&str> = record
                .fields
                .iter()
                .map(|field| field.key)
                .take(24)
                .collect();
            finding.hint(format!("the keys are {}", keys.join(", ")))
        }
    }
}

/// The nearest of some words, if one is near enough to be meant.
pub fn nearest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Long texts are no typos, and the distance is quadratic.
    if text.chars().count() > 40 {
        return None;
    }
    words
        .map(|word| (distance(text, word), word))
        .filter(|(distance, word)| *distance <= 1 + word.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, a) in one.chars().enumerate() {
        let mut before = index;
        let mut left = index + 1;
        for (b, cell) in other.iter().zip(row.iter_mut().skip(1)) {
            let here = (*cell + 1).min(left + 1).min(before + usize::from(a != *b));
            before = *cell;
            left = here;
            *cell = here;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

/// The JSON Schema of a shape.
pub fn json_schema(shape: &Shape) -> Node {
    let list = |words: &[&str]| -> Node {
        Value::List(words.iter().map(|word| Node::text(*word)).collect()).into()
    };
    let whole = |number: u64| -> Node { Value::Number(number.to_string()).into() };
    match shape {
        Shape::Bool => Node::map([("type", Node::text("boolean"))]),
        Shape::Text => Node::map([("type", Node::text("string"))]),
        Shape::Whole { least, most } => Node::map([
            ("type", Node::text("integer")),
            ("minimum", whole(*least)),
            ("maximum", whole(*most)),
        ]),
        Shape::Word(words) => Node::map([("enum", list(words))]),
        Shape::List(item) => {
            Node::map([("type", Node::text("array")), ("items", json_schema(item))])
        }
        Shape::OneOrMany(item) => {
            let many = Node::map([
                ("type", Node::text("array")),
                ("items", json_schema(item)),
                ("minItems", whole(1)),
            ]);
            Node::map([("anyOf", Value::List(vec![json_schema(item), many]).into())])
        }
        Shape::Names(item) => Node::map([
            ("type", Node::text("object")),
            ("additionalProperties", json_schema(item)),
        ]),
        Shape::Record(record) => {
            let properties = Node::map(record.fields.iter().map(|field| {
                let mut schema = json_schema(&field.shape);
                if let Value::Map(entries) = &mut schema.value {
                    entries.insert(
                        0,
                        crate::text::node::Entry {
                            key: "description".into(),
                            key_span: Span::default(),
                            node: Node::text(field.doc),
                        },
                    );
                }
                (field.key, schema)
            }));
            Node::map([
                ("type", Node::text("object")),
                ("properties", properties),
                ("additionalProperties", Value::Bool(false).into()),
            ])
        }
    }
}
