//! What a tool draws of its own call: a text, a diff, the content of a file, a command, or names and values, as data and never as control.
//!
//! It is the tool's word, and shown as that: every argument stands below it, and nothing in it can hide, move or pass for sayso's own.

use sayso_core::call::tool::Kind;
use sayso_core::prompt::Prompt;
use sayso_core::prompt::presentation::{
    Body, Change, Diff, DiffLine, Hunk, Part, Piece, Presentation,
};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use thiserror::Error;

use super::{language, structured, truncate};

/// The kinds of pictures that a tool may draw.
pub const TYPES: [&str; 5] = ["text", "diff", "file_content", "command", "structured"];
/// The longest content, and the longest value of its metadata, in characters.
pub const MAX_CONTENT: usize = 1 << 18;
/// A prompt shows so many lines of it; the rest is behind `view`.
const SHOWN_LINES: usize = 50;
const LIMITS: Limits = Limits {
    bytes: 4 * MAX_CONTENT,
    depth: 64,
    nodes: 200_000,
};

/// Why a tool's picture of its call is not taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the names and messages say it")]
pub enum DrawingError {
    #[error("it is {is}, not an object")]
    NotAnObject { is: &'static str },
    #[error("there is no `{}` in it", visible(.key))]
    UnknownKey { key: String },
    #[error("`{key}` is {is}, not {wanted}")]
    WrongKind {
        key: &'static str,
        is: &'static str,
        wanted: &'static str,
    },
    #[error("`{key}` is missing")]
    Missing { key: &'static str },
    #[error("`type` is one of {}", TYPES.join(", "))]
    UnknownType,
    #[error("its content is longer than {MAX_CONTENT} characters")]
    TooLong,
}

/// A tool's picture of its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    body: Body,
    /// All of it, where the tool sends a short one.
    full: Option<Body>,
    /// What else the tool sends along.
    more: Vec<(String, String)>,
    kind: &'static str,
}

impl Given {
    /// The picture of a value `{type, content, language?, metadata?}`.
    ///
    /// # Errors
    /// What is missing, of another kind, or too long.
    pub fn read(node: &Node) -> Result<Given, DrawingError> {
        const KEYS: [&str; 4] = ["type", "content", "language", "metadata"];
        let Value::Map(entries) = &node.value else {
            return Err(DrawingError::NotAnObject {
                is: node.kind_word(),
            });
        };
        if let Some(entry) = entries
            .iter()
            .find(|entry| !KEYS.contains(&entry.key.as_str()))
        {
            return Err(DrawingError::UnknownKey {
                key: entry.key.clone(),
            });
        }
        let wrong = |key, node: &Node, wanted| DrawingError::WrongKind {
            key,
            is: node.kind_word(),
            wanted,
        };
        let text = |key: &'static str| match node.get(key) {
            None => Ok(None),
            Some(one) if matches!(one.value, Value::Null) => Ok(None),
            Some(one) => one
                .as_text()
                .map(Some)
                .ok_or_else(|| wrong(key, one, "text")),
        };
        let kind = text("type")?.ok_or(DrawingError::Missing { key: "type" })?;
        let kind = TYPES
            .into_iter()
            .find(|one| *one == kind)
            .ok_or(DrawingError::UnknownType)?;
        let content = text("content")?.ok_or(DrawingError::Missing { key: "content" })?;
        let language = text("language")?.and_then(language::named);
        let metadata = match node.get("metadata") {
            None => &[][..],
            Some(one) if matches!(one.value, Value::Null | Value::Map(_)) => one.entries(),
            Some(one) => return Err(wrong("metadata", one, "an object")),
        };
        let of = |keys: &[&str]| {
            metadata
                .iter()
                .find(|entry| keys.contains(&entry.key.as_str()))
                .and_then(|entry| entry.node.as_text())
        };
        let path = of(&["path", "file"]).unwrap_or_default();
        let folder = of(&["cwd", "working_directory"]).unwrap_or_default();
        let full = of(&["full_content"]);
        let values = metadata.iter().filter_map(|entry| entry.node.as_text());
        if [content]
            .into_iter()
            .chain(values)
            .any(|text| text.chars().count() > MAX_CONTENT)
        {
            return Err(DrawingError::TooLong);
        }
        let body = |content: &str| match kind {
            "diff" => diff(content, path, language).unwrap_or_else(|| Body::Text(lines(content))),
            "file_content" => Body::Content {
                path: visible(path).into_owned(),
                language: language.or_else(|| language::of(path)),
                lines: lines(content),
                size: content.len() as u64,
                notes: Vec::new(),
                over: Some("as the tool shows it".to_owned()),
            },
            "command" => Body::Command {
                lines: lines(content),
                marks: Vec::new(),
                folder: visible(folder).into_owned(),
                parts: Vec::<Part>::new(),
                effects: vec![
                    "what it does is the tool's word: sayso has not read this command".to_owned(),
                ],
            },
            "structured" => rows(content).unwrap_or_else(|| Body::Text(lines(content))),
            _ => Body::Text(lines(content)),
        };
        let more = metadata
            .iter()
            .filter(|entry| entry.key != "full_content")
            .map(|entry| structured::row("", entry))
            .collect();
        Ok(Given {
            body: body(content),
            full: full.map(body),
            more,
            kind,
        })
    }

    /// The same prompt with the tool's picture. Whatever sayso has a view of its own for keeps that view, with the tool's beside it.
    pub fn draw(&self, prompt: &Prompt) -> Presentation {
        if prompt.operation.kind() != Kind::Custom {
            let mut presentation = prompt.presentation.clone();
            presentation.details.push((
                format!("the tool shows ({})", self.kind),
                text_of(&self.body),
            ));
            return presentation;
        }
        let mut presentation = drawn(prompt, self.body.clone());
        let says = (
            format!("drawn by the tool ({})", self.kind),
            "what is above are its words; its arguments are below".to_owned(),
        );
        presentation.details.insert(0, says);
        presentation.deciding += 1;
        presentation.details.extend(
            self.more
                .iter()
                .map(|(name, value)| (format!("the tool adds {name}"), value.clone())),
        );
        truncate::cut(&mut presentation, SHOWN_LINES);
        if let Some(full) = &self.full {
            presentation.hidden_lines =
                truncate::count(full).saturating_sub(truncate::count(&presentation.body));
            presentation.full = Some(Box::new(full.clone()));
        }
        presentation
    }
}

/// The tool's picture, with every argument below it: what is shown is all of what would run, so all of it decides.
pub(crate) fn drawn(prompt: &Prompt, body: Body) -> Presentation {
    let mut presentation = prompt.presentation.clone();
    let says = prompt
        .operation
        .words_of_tool()
        .map(|words| ("the tool says".to_owned(), visible(words).into_owned()));
    let arguments = prompt.operation.args().entries().iter();
    let arguments = arguments.map(|entry| {
        (
            structured::label(&entry.key),
            visible(&json::write(&entry.node)).into_owned(),
        )
    });
    let rows: Vec<(String, String)> = says.into_iter().chain(arguments).collect();
    let at = presentation.deciding.min(presentation.details.len());
    presentation.deciding = at + rows.len();
    presentation.details.splice(at..at, rows);
    presentation.body = body;
    presentation.hidden_lines = 0;
    presentation.full = None;
    presentation
}

/// Lines with nothing in them that could hide or move.
fn lines(content: &str) -> Vec<String> {
    let content = content.strip_suffix('\n').unwrap_or(content);
    content
        .split('\n')
        .map(|line| visible(line).into_owned())
        .collect()
}

/// Names and values of a JSON object; none where it is no such thing.
fn rows(content: &str) -> Option<Body> {
    let node = json::read(content, &LIMITS).ok()?;
    let Value::Map(entries) = &node.value else {
        return None;
    };
    Some(Body::Structured(
        entries
            .iter()
            .map(|entry| structured::row("", entry))
            .collect(),
    ))
}

/// A picture as one text, for a row beside another view.
fn text_of(body: &Body) -> String {
    let sign = |change: Change| match change {
        Change::Same => ' ',
        Change::Removed => '-',
        Change::Added => '+',
    };
    match body {
        Body::Text(lines) | Body::Content { lines, .. } | Body::Command { lines, .. } => {
            lines.join("\n")
        }
        Body::Structured(rows) => rows
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect::<Vec<_>>()
            .join("\n"),
        Body::Binary { media, .. } => (*media).to_owned(),
        Body::Diff(diff) => {
            let line = |line: &DiffLine| {
                let text: String = line
                    .pieces
                    .iter()
                    .map(|piece| piece.text.as_str())
                    .collect();
                format!("{}{text}", sign(line.change))
            };
            diff.hunks
                .iter()
                .flat_map(|hunk| hunk.lines.iter().map(line))
                .collect::<Vec<_>>()
                .join("\n")
        }
    }
}

/// A unified diff; none where a line of it is not one, so that it is shown as the text that it is.
fn diff(content: &str, path: &str, language: Option<&'static str>) -> Option<Body> {
    let mut path = path.to_owned();
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut added, mut removed, mut notes) = (0, 0, Vec::new());
    let (mut old, mut new) = (0usize, 0usize);
    for line in content.strip_suffix('\n').unwrap_or(content).split('\n') {
        if let Some(rest) = line.strip_prefix("@@ ") {
            (old, new) = starts(rest)?;
            hunks.push(Hunk {
                old_start: old,
                new_start: new,
                before: Vec::new(),
                lines: Vec::new(),
            });
            continue;
        }
        let Some(hunk) = hunks.last_mut() else {
            if let Some(name) = line.strip_prefix("+++ ") {
                path = if path.is_empty() {
                    name.strip_prefix("b/").unwrap_or(name).to_owned()
                } else {
                    path
                };
            } else if !(line.starts_with("--- ")
                || line.starts_with("diff ")
                || line.starts_with("index "))
            {
                return None;
            }
            continue;
        };
        let (change, text) = match line.split_at_checked(1) {
            Some(("+", text)) => (Change::Added, text),
            Some(("-", text)) => (Change::Removed, text),
            Some((" ", text)) => (Change::Same, text),
            Some(("\\", text)) => {
                notes.push(visible(text.trim()).into_owned());
                continue;
            }
            None => (Change::Same, ""),
            _ => return None,
        };
        let line = DiffLine {
            change,
            old: (change != Change::Added).then_some(old),
            new: (change != Change::Removed).then_some(new),
            pieces: vec![Piece {
                text: visible(text).into_owned(),
                emphasised: false,
            }],
        };
        added += usize::from(change == Change::Added);
        removed += usize::from(change == Change::Removed);
        old = old.saturating_add(usize::from(line.old.is_some()));
        new = new.saturating_add(usize::from(line.new.is_some()));
        hunk.lines.push(line);
    }
    let language = language.or_else(|| language::of(&path));
    let path = visible(&path).into_owned();
    (!hunks.is_empty()).then(|| {
        Body::Diff(Diff {
            path,
            language,
            hunks,
            added,
            removed,
            notes,
            rest: Vec::new(),
        })
    })
}

/// Where a hunk starts in the old and the new file, from `-1,3 +1,5 @@`.
fn starts(rest: &str) -> Option<(usize, usize)> {
    let mut words = rest.split(' ');
    let number =
        |word: Option<&str>, sign: char| word?.strip_prefix(sign)?.split(',').next()?.parse().ok();
    let starts = (number(words.next(), '-')?, number(words.next(), '+')?);
    (words.next() == Some("@@")).then_some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Result<Given, DrawingError> {
        Given::read(&json::read(text, &Limits::default()).unwrap())
    }

    #[test]
    fn the_diff_of_001_is_one() {
        let text = "@@ -1,3 +1,5 @@\n # Weekly Report\n-## Summary\n+## Executive Summary\n+Key findings from this week:\n";
        let Some(Body::Diff(diff)) = diff(text, "notes/report.md", None) else {
            panic!("no diff")
        };
        assert_eq!(
            (diff.added, diff.removed, diff.language, diff.hunks.len()),
            (2, 1, Some("markdown"), 1)
        );
        let numbers: Vec<_> = diff.hunks[0]
            .lines
            .iter()
            .map(|line| (line.old, line.new))
            .collect();
        assert_eq!(
            numbers,
            [
                (Some(1), Some(1)),
                (Some(2), None),
                (None, Some(2)),
                (None, Some(3))
            ]
        );
    }

    #[test]
    fn what_is_no_diff_is_a_text() {
        for text in [
            "",
            "hello",
            "@@ x @@\n+a",
            "@@ -1 +1 @@\n*a",
            "--- a\nhello\n@@ -1 +1 @@",
        ] {
            assert_eq!(diff(text, "", None), None, "{text}");
        }
        let Body::Text(lines) = given(r#"{"type":"diff","content":"a\u001b[2Jb"}"#)
            .unwrap()
            .body
        else {
            panic!()
        };
        assert!(!lines[0].contains('\u{1b}'), "{lines:?}");
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        for text in [
            "[]",
            "{}",
            r#"{"type":"html","content":"x"}"#,
            r#"{"type":"text"}"#,
            r#"{"type":"text","content":1}"#,
            r#"{"type":"text","content":"x","style":"y"}"#,
            r#"{"type":"text","content":"x","metadata":[]}"#,
        ] {
            assert!(given(text).is_err(), "{text}");
        }
        let long = format!(
            "{{\"type\":\"text\",\"content\":\"{}\"}}",
            "x".repeat(MAX_CONTENT + 1)
        );
        assert!(given(&long).is_err());
        assert!(given(r#"{"type":"text","content":"x","language":null,"metadata":null}"#).is_ok());
    }
}
