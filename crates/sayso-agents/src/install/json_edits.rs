//! Changes a JSON text of somebody else's at single places: every byte that is not part of the change stays as it was written.

use sayso_core::text::diagnostic::{Diagnostic, Source};
use sayso_core::text::node::{Entry, Node, Span, Value};
use sayso_core::text::{Limits, json};

use super::InstallError;
use super::finding::FileFinding;

/// What a settings file may have.
const LIMITS: Limits = Limits {
    bytes: super::settings_file::LONGEST,
    depth: 64,
    nodes: 500_000,
};

/// A text with the name of its file. Nothing is JSON here that the agents would not read: no comments, no comma at the end, no key twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What people know it by.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Document {
    /// The text of a file; an empty one counts as an object without keys.
    pub fn new(name: &str, text: Option<&str>) -> Document {
        let text = text
            .filter(|text| !text.trim().is_empty())
            .unwrap_or("{}\n");
        Document {
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The tree of it.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub fn read(&self) -> Result<Node, InstallError> {
        json::read(&self.text, &LIMITS)
            .map_err(|finding| InstallError::NotJson(self.finding(finding)))
    }

    /// A refusal at a place of the text.
    pub fn refuse(&self, finding: Diagnostic) -> InstallError {
        InstallError::BadSettings(self.finding(finding))
    }

    fn finding(&self, finding: Diagnostic) -> Box<FileFinding> {
        let source = Source {
            name: &self.name,
            text: &self.text,
        };
        FileFinding::new(source, finding)
    }

    /// A refusal of a value that is not what the agent wants there.
    pub fn unexpected(&self, node: &Node, what: &str, wanted: &str) -> InstallError {
        self.refuse(Diagnostic::error(
            node.span,
            format!("`{what}` is {}, not {wanted}", node.kind_word()),
        ))
    }

    /// Adds an item behind all others of the list under these keys; what is missing on the way is made.
    ///
    /// # Errors
    /// When something else than maps and a list stands there.
    pub fn append(&mut self, keys: &[&str], item: Node) -> Result<(), InstallError> {
        let root = self.read()?;
        let Some((map, rest)) = self.deepest(&root, keys)? else {
            let list = keys
                .iter()
                .try_fold(&root, |node, key| node.get(key))
                .unwrap_or(&root);
            let Value::List(_) = list.value else {
                return Err(self.unexpected(list, &keys.join("."), "a list"));
            };
            self.insert(list, None, &item);
            return Ok(());
        };
        self.insert_path(map, rest, Value::List(vec![item]).into());
        Ok(())
    }

    /// Gives the key at the end of these keys a value; what is missing on the way is made.
    ///
    /// # Errors
    /// When something else than maps stands on the way.
    pub fn set(&mut self, keys: &[&str], value: Node) -> Result<(), InstallError> {
        let root = self.read()?;
        match self.deepest(&root, keys)? {
            Some((map, rest)) => self.insert_path(map, rest, value),
            None => {
                let old = keys
                    .iter()
                    .try_fold(&root, |node, key| node.get(key))
                    .unwrap_or(&root);
                self.replace(old, &value);
            }
        }
        Ok(())
    }

    /// The last map on the way that is there, and the keys that are not; none if all are.
    fn deepest<'n, 'k>(
        &self,
        root: &'n Node,
        keys: &'k [&'k str],
    ) -> Result<Option<(&'n Node, &'k [&'k str])>, InstallError> {
        let mut node = root;
        for (index, key) in keys.iter().enumerate() {
            let Value::Map(_) = node.value else {
                let name = keys.get(..index).unwrap_or_default().join(".");
                return Err(self.unexpected(
                    node,
                    if name.is_empty() {
                        "the whole file"
                    } else {
                        &name
                    },
                    "a map",
                ));
            };
            match node.get(key) {
                Some(inner) => node = inner,
                None => return Ok(Some((node, keys.get(index..).unwrap_or_default()))),
            }
        }
        Ok(None)
    }

    fn insert_path(&mut self, map: &Node, keys: &[&str], value: Node) {
        let Some((first, rest)) = keys.split_first() else {
            return;
        };
        let value = rest
            .iter()
            .rev()
            .fold(value, |value, key| Node::map([(*key, value)]));
        self.insert(map, Some(first), &value);
    }

    /// Writes another value in the place of one.
    pub fn replace(&mut self, old: &Node, new: &Node) {
        let written = self.layout().write(new, "", true);
        self.splice(old.span.start as usize, old.span.end as usize, &written);
    }

    /// Puts a child behind all others of a list or map.
    fn insert(&mut self, parent: &Node, key: Option<&str>, child: &Node) {
        let layout = self.layout();
        let (start, end) = (parent.span.start as usize, parent.span.end as usize);
        let children = children(parent);
        let Some((first, last)) = children.first().zip(children.last()) else {
            let indent = self.indent_at(start);
            let inner = format!("{indent}{}", layout.unit);
            let (open, close) = if key.is_some() {
                ('{', '}')
            } else {
                ('[', ']')
            };
            let written = layout.child(key, child, &inner, layout.is_inline || key.is_none());
            let text = match layout.is_inline {
                true => format!("{open}{written}{close}"),
                false => format!(
                    "{open}{0}{inner}{written}{0}{indent}{close}",
                    layout.line_end
                ),
            };
            self.splice(start, end, &text);
            return;
        };
        let is_inline = !slice(&self.text, start, first.start as usize).contains('\n');
        let indent = self.indent_at(last.start as usize);
        let written = layout.child(key, child, &indent, is_inline || key.is_none());
        let text = match is_inline {
            true => format!("{}{written}", layout.comma()),
            false => format!(",{}{indent}{written}", layout.line_end),
        };
        self.splice(last.end as usize, last.end as usize, &text);
    }

    /// Takes a child of a list or map away, with the comma that belongs to it.
    pub fn remove(&mut self, parent: &Node, index: usize) {
        let children = children(parent);
        let at = |index: usize| children.get(index).copied();
        let Some(this) = at(index) else { return };
        let (start, end) = match (index.checked_sub(1).and_then(at), at(index + 1)) {
            (Some(before), _) => (before.end, this.end),
            (None, Some(after)) => (this.start, after.start),
            (None, None) => (parent.span.start + 1, parent.span.end.saturating_sub(1)),
        };
        self.splice(start as usize, end as usize, "");
    }

    fn splice(&mut self, start: usize, end: usize, text: &str) {
        self.text = format!(
            "{}{text}{}",
            slice(&self.text, 0, start),
            slice(&self.text, end, self.text.len())
        );
    }

    /// The blanks that the line of a place begins with.
    fn indent_at(&self, place: usize) -> String {
        let line = slice(&self.text, 0, place)
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        let blanks = line
            .find(|sign| sign != ' ' && sign != '\t')
            .unwrap_or(line.len());
        slice(line, 0, blanks).to_owned()
    }

    fn layout(&self) -> Layout {
        let indented = self
            .text
            .lines()
            .skip(1)
            .find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map(|line| {
            slice(
                line,
                0,
                line.find(|sign| sign != ' ' && sign != '\t').unwrap_or(0),
            )
            .to_owned()
        });
        let body = self.text.trim();
        Layout {
            unit: unit.unwrap_or_else(|| "  ".to_owned()),
            line_end: if self.text.contains("\r\n") {
                "\r\n"
            } else {
                "\n"
            },
            is_inline: !body.contains('\n') && body.len() > 2,
            is_tight: !body.contains('\n') && body.len() > 2 && !body.contains("\": "),
        }
    }
}

/// How the text is written, so that what is new looks the same.
struct Layout {
    unit: String,
    line_end: &'static str,
    /// All of it stands on one line.
    is_inline: bool,
    /// And without blanks.
    is_tight: bool,
}

impl Layout {
    fn comma(&self) -> &'static str {
        if self.is_tight { "," } else { ", " }
    }

    fn child(&self, key: Option<&str>, node: &Node, indent: &str, is_inline: bool) -> String {
        let value = self.write(node, indent, is_inline);
        match key {
            Some(key) if is_inline && self.is_tight => format!("{}:{value}", json::quote(key)),
            Some(key) => format!("{}: {value}", json::quote(key)),
            None => value,
        }
    }

    /// A value on lines of its own, where `indent` is that of the line it begins on; items of lists take one line each, as a person has to
    /// read all of it.
    fn write(&self, node: &Node, indent: &str, is_inline: bool) -> String {
        let inner = format!("{indent}{}", self.unit);
        let parts: Vec<String> = match &node.value {
            Value::List(items) => items
                .iter()
                .map(|item| self.child(None, item, &inner, true))
                .collect(),
            Value::Map(entries) => entries
                .iter()
                .map(|entry| self.child(Some(&entry.key), &entry.node, &inner, is_inline))
                .collect(),
            _ => return json::write(node),
        };
        let (open, close) = if matches!(node.value, Value::List(_)) {
            ('[', ']')
        } else {
            ('{', '}')
        };
        match (parts.is_empty(), is_inline) {
            (true, _) => format!("{open}{close}"),
            (false, true) => format!("{open}{}{close}", parts.join(self.comma())),
            (false, false) => {
                let lines = parts.join(&format!(",{}{inner}", self.line_end));
                format!("{open}{0}{inner}{lines}{0}{indent}{close}", self.line_end)
            }
        }
    }
}

/// Where each child of a list or map stands, its key included.
fn children(node: &Node) -> Vec<Span> {
    let of_entry = |entry: &Entry| Span {
        start: entry.key_span.start,
        end: entry.node.span.end,
    };
    match &node.value {
        Value::List(items) => items.iter().map(|item| item.span).collect(),
        Value::Map(entries) => entries.iter().map(of_entry).collect(),
        _ => Vec::new(),
    }
}

fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}
