//! What is said about YAML that is not read: the parser's complaints in our words, and the features we refuse.

use super::positions::Positions;
use crate::text::build::Builder;
use crate::text::diagnostic::Diagnostic;
use crate::text::node::Span;
use saphyr_parser::ScanError;

pub(super) fn alias(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(word(text, span), "aliases are not read")
        .hint("write the value out; text that begins with `*` needs quotes")
}

pub(super) fn anchor(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(word(text, span), "anchors are not read")
        .hint("write the value out; text that begins with `&` needs quotes")
}

pub(super) fn tag(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(word(text, span), "tags are not read")
        .hint("remove the tag; text that begins with `!` needs quotes")
}

/// The span cut down, or drawn out, to its first word.
fn word(text: &str, span: Span) -> Span {
    let rest = text.get(span.start as usize..).unwrap_or("");
    let length = rest
        .find(|character: char| character.is_whitespace() || ",[]{}".contains(character))
        .unwrap_or(rest.len());
    Span::new(span.start as usize, span.start as usize + length)
}

/// The parser's error at its place.
pub(super) fn from_parser(
    error: &ScanError,
    text: &str,
    positions: &Positions<'_>,
    builder: &Builder<'_>,
) -> Diagnostic {
    let index = error.marker().index();
    let span = Span::new(positions.byte(index), positions.byte(index + 1));
    let info = error.info();
    match info {
        "recursion limit exceeded" => builder.too_deep(span),
        "while parsing node, found unknown anchor" => alias(text, span),
        "the handle wasn't declared" => tag(text, span),
        _ if info.starts_with("while scanning a tag")
            || info.starts_with("while parsing a tag") =>
        {
            tag(text, span)
        }
        _ => match in_our_words(info) {
            Some((message, "")) => Diagnostic::error(span, message),
            Some((message, hint)) => Diagnostic::error(span, message).hint(hint),
            None => Diagnostic::error(span, in_our_style(info)),
        },
    }
}

/// A message and a hint (or none) for the complaints that people meet.
fn in_our_words(info: &str) -> Option<(&'static str, &'static str)> {
    Some(match info {
        "did not find expected <document start>" => ("text after the end of the document", ""),
        "while scanning a quoted scalar, found unexpected end of stream" => {
            ("a text without its closing quote", "")
        }
        "while scanning a quoted scalar, found unexpected document indicator" => {
            ("a text without its closing quote", "")
        }
        "invalid trailing content after double-quoted scalar" => {
            ("text after the closing quote", "")
        }
        "invalid indentation in quoted scalar" => (
            "a text that goes on with less indentation",
            "indent every line of it",
        ),
        "simple key expected" | "simple key expect ':'" => {
            ("expected a key with `:` before this place", "")
        }
        "while parsing a block mapping, did not find expected key" => {
            ("expected a key", "check the indentation")
        }
        "while parsing a node, did not find expected node content" => ("expected a value", ""),
        "while parsing a block collection, did not find expected '-' indicator" => {
            ("expected `-`", "check the indentation")
        }
        "mapping values are not allowed in this context" => (
            "a `:` that makes a key where none can stand",
            "text with `: ` in it needs quotes",
        ),
        "block sequence entries are not allowed in this context" => (
            "a `-` that makes a list where none can stand",
            "begin the list on a line of its own, or put the text in quotes",
        ),
        "tabs disallowed within this context (block indentation)" => {
            ("a tab in the indentation", "indent with spaces")
        }
        "':' must be followed by a valid YAML whitespace" => {
            ("only tabs after `:`", "write a space after it")
        }
        "missing explicit document end marker before directive" => {
            ("directives are not read", "remove the line")
        }
        "while parsing a quoted scalar, found unknown escape character" => (
            "an unknown escape in this text",
            "a backslash itself is written as `\\\\`, or use single quotes",
        ),
        "while parsing a quoted scalar, found invalid Unicode character escape code" => (
            "an escape in this text that is no character",
            "beyond U+FFFF, write the character itself or `\\U` with eight digits",
        ),
        _ if info.starts_with("unexpected character") => (
            "no text can begin with this character",
            "put the text in quotes",
        ),
        _ => return None,
    })
}

/// Lowercase, without a full stop and what the parser was about, with backticks for quotes.
fn in_our_style(info: &str) -> String {
    let said = match info.split_once(", ") {
        Some((doing, said)) if doing.starts_with("while ") => said,
        _ => info,
    };
    let said = said
        .replace("did not find expected ", "expected ")
        .replace("did not find the expected ", "expected ");
    let said = said
        .replace("`[{`", "[{")
        .replace(['\'', '"'], "`")
        .replace(['<', '>'], "");
    let mut characters = said.trim_end_matches('.').chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => "this text cannot be read as YAML".to_owned(),
    }
}
