//! What is wrong with a text, where, and what to do next.

use std::fmt;

use crate::text::node::Span;
use crate::text::visible::visible;

/// Whether a finding stops the text from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the text is used.
    Warning,
    /// The text is not used.
    Error,
}

/// One finding about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What happened: lowercase, no full stop, the input in backticks.
    pub message: String,
    /// Where in the text.
    pub span: Span,
    /// The way out, when there is one.
    pub hint: Option<String>,
}

/// A text with the name people know it by.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// File name, or a name such as `profile sayso`.
    pub name: &'a str,
    /// The text itself.
    pub text: &'a str,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            hint: None,
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            message: message.into(),
            span,
            hint: None,
        }
    }

    /// The same finding with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The finding for people: `file:line:column`, the line with a caret under it, and the hint.
    pub fn render(&self, source: Source<'_>) -> String {
        let word = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let (line, column) = source.line_column(self.span.start as usize);
        let mut out = format!(
            "{}:{line}:{column}: {word}: {}\n",
            visible(source.name),
            visible(&self.message)
        );
        if let Some(excerpt) = source.excerpt(self.span) {
            out.push_str(&excerpt);
        }
        if let Some(hint) = &self.hint {
            out.push_str(&format!("hint: {}\n", visible(hint)));
        }
        out
    }
}

impl Source<'_> {
    /// Line and column of a byte position, both from 1; columns count characters.
    pub fn line_column(&self, position: usize) -> (usize, usize) {
        let before = floor_prefix(self.text, position);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or("");
        (line, last.chars().count() + 1)
    }

    /// The line of a span with a caret under it, at most about 120 characters around the place.
    fn excerpt(&self, span: Span) -> Option<String> {
        const BEFORE: usize = 60;
        const AFTER: usize = 60;
        let (number, column) = self.line_column(span.start as usize);
        let line = self
            .text
            .split('\n')
            .nth(number - 1)?
            .trim_end_matches('\r');
        let characters: Vec<char> = line.chars().collect();
        let at = (column - 1).min(characters.len());
        let first = at.saturating_sub(BEFORE);
        let last = (at + AFTER).min(characters.len());
        let width = floor_prefix(self.text, span.end as usize)
            .len()
            .saturating_sub(span.start as usize);
        let shown = |from: usize, to: usize| -> String {
            let part: String = characters.get(from..to).unwrap_or(&[]).iter().collect();
            visible(&part).into_owned()
        };
        let lead = shown(first, at);
        let marked_end = (at + width.max(1)).min(last).max(at);
        let carets = shown(at, marked_end).chars().count().max(1);
        let gutter = number.to_string().len();
        let mut out = format!("{number} | {lead}{}\n", shown(at, last));
        out.push_str(&format!(
            "{:gutter$} | {}{}\n",
            "",
            " ".repeat(lead.chars().count()),
            "^".repeat(carets)
        ));
        Some(out)
    }
}

/// The text up to a byte position, moved back to a character boundary.
fn floor_prefix(text: &str, position: usize) -> &str {
    let mut end = position.min(text.len());
    while end > 0 && !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}
