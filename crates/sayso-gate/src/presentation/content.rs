//! The content of a whole file, line by line.

use sayso_core::prompt::presentation::Body;
use sayso_core::text::visible::visible;

use super::{MOST_LINES, Made, binary, language, notes};
use crate::error::PresentError;

/// The body for a text that would be a whole file.
fn body(path: &str, text: &str, over: Option<String>) -> Result<Body, PresentError> {
    Ok(Body::Content {
        path: visible(path).into_owned(),
        language: language::of(path),
        lines: lines(text)?,
        size: text.len() as u64,
        notes: notes::of_content(text),
        over,
    })
}

/// The same, and bytes that nobody could read are named instead; `view` still shows them.
///
/// `over` says what it does to a file that is there; none where the file is new.
pub(super) fn make(path: &str, text: &str, over: Option<String>) -> Result<Made, PresentError> {
    let content = body(path, text, over)?;
    if !binary::is_meant_as_bytes(text) {
        return Ok(Made::of(content));
    }
    let made = Made::of(binary::body(path, text.as_bytes(), text.len() as u64));
    let words = binary::words(binary::media(path, text.as_bytes()), text.len() as u64);
    Ok(Made {
        full: Some(content),
        ..made
    }
    .detail("type", words)
    .warn("the content is not meant to be read as text"))
}

/// The lines as they are shown. A break at the end opens no line of its own, and one of CR LF is a break like any other
/// where all of them are.
pub(super) fn lines(text: &str) -> Result<Vec<String>, PresentError> {
    let count = text.bytes().filter(|byte| *byte == b'\n').count();
    if count > MOST_LINES {
        return Err(PresentError::TooManyLines { count });
    }
    let returns = has_returns(text);
    Ok(split(text)
        .map(|line| visible(bare(line, returns)).into_owned())
        .collect())
}

/// The lines with their breaks.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// Whether every line break is CR LF, so that the CR need not be shown.
pub(super) fn has_returns(text: &str) -> bool {
    let breaks = || text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let bytes = text.as_bytes();
    breaks().next().is_some()
        && breaks()
            .all(|(at, _)| at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\r'))
}

/// A line without its break.
pub(super) fn bare(line: &str, returns: bool) -> &str {
    let Some(line) = line.strip_suffix('\n') else {
        return line;
    };
    if returns {
        line.strip_suffix('\r').unwrap_or(line)
    } else {
        line
    }
}
