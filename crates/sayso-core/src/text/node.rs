//! A value as it was written: JSON or YAML text becomes this tree, with the place of every part.
//!
//! Numbers keep their source text, maps keep their order, and no reader lets a key stand twice. A tree that was made by code may be deeper
//! than any stack; it can be measured and thrown away all the same.

use crate::packed::packed;

/// A byte range in the text a node was read from; `0..0` for values that were made by code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

packed! { struct Span { start, end } }

/// A value and where it stood.
#[derive(Clone, Debug)]
pub struct Node {
    /// What was written.
    pub value: Value,
    /// Where it was written.
    pub span: Span,
}

/// What can be written.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, by its source text: `1`, `1.0` and `1e0` are three values.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys and values in source order; keys are unique.
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stood.
    pub key_span: Span,
    /// Its value.
    pub node: Node,
}

impl Span {
    /// The span from `start` to `end`; positions beyond 4 GiB are clamped (texts are bounded far below that).
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        Span {
            start: clamp(start),
            end: clamp(end),
        }
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        Node {
            value,
            span: Span::default(),
        }
    }
}

impl Drop for Node {
    /// Takes the tree apart level by level: the compiler's own way would need as much stack as the tree is deep.
    fn drop(&mut self) {
        if !self
            .children()
            .any(|child| child.children().next().is_some())
        {
            return;
        }
        let mut rest = self.take_children();
        while let Some(mut node) = rest.pop() {
            rest.append(&mut node.take_children());
        }
    }
}

impl Node {
    /// Takes the value out.
    pub fn into_value(mut self) -> Value {
        std::mem::replace(&mut self.value, Value::Null)
    }

    /// Whether lists and maps stand more than `most` deep in each other.
    pub fn is_deeper_than(&self, most: usize) -> bool {
        let mut rest = vec![(self, 0)];
        while let Some((node, depth)) = rest.pop() {
            if depth > most {
                return true;
            }
            rest.extend(node.children().map(|child| (child, depth + 1)));
        }
        false
    }

    fn children(&self) -> impl Iterator<Item = &Node> {
        self.items()
            .iter()
            .chain(self.entries().iter().map(|entry| &entry.node))
    }

    fn take_children(&mut self) -> Vec<Node> {
        match std::mem::replace(&mut self.value, Value::Null) {
            Value::List(items) => items,
            Value::Map(entries) => entries.into_iter().map(|entry| entry.node).collect(),
            _ => Vec::new(),
        }
    }

    /// A text made by code.
    pub fn text(text: impl Into<String>) -> Self {
        Value::Text(text.into()).into()
    }

    /// A map made by code. A key that comes twice keeps its last value.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Node)>) -> Self {
        let mut list: Vec<Entry> = Vec::new();
        for (key, node) in entries {
            let key = key.into();
            list.retain(|entry| entry.key != key);
            list.push(Entry {
                key,
                key_span: Span::default(),
                node,
            });
        }
        Value::Map(list).into()
    }

    /// The value under `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.node)
    }

    /// The entries of a map; empty for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; empty for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number as a whole non-negative one, if it is written as one.
    pub fn as_whole(&self) -> Option<u64> {
        match &self.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// What kind of value this is, in the words of error messages.
    pub fn kind_word(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true/false",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}
