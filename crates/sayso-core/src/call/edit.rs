//! What a file holds after a file tool changed it. The prompt shows this and the tool writes this, so there is only one way to read a call.

use std::fmt;

use crate::call::operation::{MAX_BYTES, Operation};
use crate::call::tool::{Kind, Role};
use crate::text::count::count;
use crate::text::node::{Node, Value};

/// What an edit may make of a file, in bytes; a text of megabytes in a million places would fill the memory.
const MOST_RESULT: usize = 4 * MAX_BYTES;

/// Why it cannot be told what a file holds after a call. The text that a call looks for is its `text`, and that of an insertion its `anchor`.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditError {
    /// Tools of this kind change no text.
    NoEdit(Kind),
    LooksForNothing,
    NotFound,
    TooLarge {
        count: usize,
    },
    OtherCount {
        count: usize,
        wanted: u64,
    },
    /// Where places overlap, one is more than one.
    Ambiguous {
        count: usize,
    },
    NoPlace,
    PlaceLost,
    NoLineNumber,
    NoSuchLine {
        lines: usize,
        number: usize,
    },
    AnchorNotFound,
    AnchorAmbiguous,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = "the text that is looked for";
        let anchor = "the text that marks the place";
        match self {
            EditError::NoEdit(kind) => write!(f, "`{}` changes no text", kind.word()),
            EditError::LooksForNothing => {
                write!(f, "{text} is empty, so it may be found anywhere")
            }
            EditError::NotFound => write!(f, "{text} does not occur in the file"),
            EditError::TooLarge { count } => write!(
                f,
                "{text} occurs {count} times, and what comes of it is too large to be compared"
            ),
            EditError::OtherCount { count: 1, wanted } => {
                write!(f, "{text} occurs once in the file, not {wanted} times")
            }
            EditError::OtherCount { count, wanted } => {
                write!(
                    f,
                    "{text} occurs {count} times in the file, not {wanted} times"
                )
            }
            EditError::Ambiguous { count } => {
                write!(f, "{text} occurs ")?;
                match count {
                    1 => f.write_str("more than once")?,
                    count => write!(f, "{count} times")?,
                }
                f.write_str(" in the file, so it cannot be told which place changes")
            }
            EditError::NoPlace => f.write_str("the call does not say where the text is inserted"),
            EditError::PlaceLost => f.write_str("the place in the file could not be found"),
            EditError::NoLineNumber => f.write_str("the number of the line cannot be read"),
            EditError::NoSuchLine { lines, number } => write!(
                f,
                "the file has {}, and the text would be inserted at line {number}",
                count(*lines, "line")
            ),
            EditError::AnchorNotFound => write!(f, "{anchor} does not occur in the file"),
            EditError::AnchorAmbiguous => {
                write!(f, "{anchor} occurs more than once in the file")
            }
        }
    }
}

impl std::error::Error for EditError {}

/// The text of an argument; a number counts as it was written.
pub fn text(operation: &Operation, role: Role) -> String {
    match operation.argument(role).map(|node| &node.value) {
        Some(Value::Text(text) | Value::Number(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The text of a file after the call, from the text that is there now, or why that cannot be told; then nothing may be written.
pub fn over(operation: &Operation, old: &str) -> Result<String, EditError> {
    match operation.kind() {
        Kind::FileEdit => edited(operation, old),
        Kind::FileAppend => Ok(format!("{old}{}", text(operation, Role::Content))),
        Kind::FileInsertAfter | Kind::FileInsertBefore => inserted(operation, old),
        Kind::FileWrite | Kind::FileCreate | Kind::FileCreateOverwrite => {
            Ok(text(operation, Role::Content))
        }
        other => Err(EditError::NoEdit(other)),
    }
}

/// How many places an edit is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    One,
    All,
    Exactly(u64),
    /// It says something that tools may read in two ways.
    Unclear,
}

/// The file after an edit, or why that cannot be told.
fn edited(operation: &Operation, old: &str) -> Result<String, EditError> {
    let (find, replace) = (text(operation, Role::Find), text(operation, Role::Replace));
    if find.is_empty() {
        return Err(EditError::LooksForNothing);
    }
    let count = old.matches(find.as_str()).count();
    // Texts that overlap themselves occur more often than they can be replaced, and tools differ in what they count.
    let only = count == 1 && old.find(find.as_str()) == old.rfind(find.as_str());
    let grown = count
        .saturating_mul(replace.len())
        .saturating_add(old.len());
    if grown > MOST_RESULT {
        return Err(EditError::TooLarge { count });
    }
    match places(operation) {
        _ if count == 0 => Err(EditError::NotFound),
        Places::One | Places::All | Places::Exactly(1) | Places::Unclear if only => {
            Ok(old.replacen(find.as_str(), &replace, 1))
        }
        Places::All => Ok(old.replace(find.as_str(), &replace)),
        Places::Exactly(wanted) if wanted == count as u64 && count > 1 => {
            Ok(old.replace(find.as_str(), &replace))
        }
        Places::Exactly(wanted) => Err(EditError::OtherCount { count, wanted }),
        Places::One | Places::Unclear => Err(EditError::Ambiguous { count }),
    }
}

fn places(operation: &Operation) -> Places {
    let given = |names: &[&str]| names.iter().find_map(|name| operation.args().get(name));
    let all = match given(&["replace_all", "replaceAll", "all"]).map(|node| &node.value) {
        None | Some(Value::Null | Value::Bool(false)) => Places::One,
        Some(Value::Bool(true)) => Places::All,
        Some(_) => Places::Unclear,
    };
    match given(&["expected_replacements"]) {
        None => all,
        Some(node) if matches!(node.value, Value::Null) => all,
        Some(node) => match (all, node.as_whole()) {
            (Places::One, Some(count)) => Places::Exactly(count),
            _ => Places::Unclear,
        },
    }
}

/// The file after an insertion, or why that cannot be told.
fn inserted(operation: &Operation, old: &str) -> Result<String, EditError> {
    let after = operation.kind() == Kind::FileInsertAfter;
    let at = match operation.argument(Role::Find) {
        Some(node) if matches!(node.value, Value::Number(_)) => at_line(node, old, after)?,
        Some(node) => at_text(node.as_text().unwrap_or_default(), old, after)?,
        None => return Err(EditError::NoPlace),
    };
    let (start, end) = old.split_at_checked(at).ok_or(EditError::PlaceLost)?;
    // Breaks that the call does not bring are those of the file.
    let line_break = if old
        .split_once('\n')
        .is_some_and(|(first, _)| first.ends_with('\r'))
    {
        "\r\n"
    } else {
        "\n"
    };
    let mut new = start.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push_str(line_break);
    }
    new.push_str(&text(operation, Role::Content));
    if !new.ends_with('\n') && !end.is_empty() {
        new.push_str(line_break);
    }
    new.push_str(end);
    Ok(new)
}

/// Where the line with a number starts or ends, from 1; 0 is the start of the file.
fn at_line(node: &Node, old: &str, after: bool) -> Result<usize, EditError> {
    let number = node
        .as_whole()
        .and_then(|number| usize::try_from(number).ok())
        .ok_or(EditError::NoLineNumber)?;
    let count = lines(old).count();
    if number > count {
        return Err(EditError::NoSuchLine {
            lines: count,
            number,
        });
    }
    let before = if after {
        number
    } else {
        number.saturating_sub(1)
    };
    Ok(lines(old).take(before).map(str::len).sum())
}

/// Where the line that holds a text starts or ends.
fn at_text(anchor: &str, old: &str, after: bool) -> Result<usize, EditError> {
    let first = old.find(anchor).filter(|_| !anchor.is_empty());
    let Some(first) = first else {
        return Err(EditError::AnchorNotFound);
    };
    if old.rfind(anchor) != Some(first) {
        return Err(EditError::AnchorAmbiguous);
    }
    let inner = anchor.strip_suffix('\n').unwrap_or(anchor);
    let start = old
        .get(..first)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let end = old
        .get(first + inner.len()..)
        .and_then(|rest| rest.find('\n'))
        .map_or(old.len(), |at| first + inner.len() + at + 1);
    Ok(if after { end } else { start })
}

/// The lines with their breaks.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::operation::Call;

    fn call(tool: &str, args: &[(&str, Node)], old: &str) -> Result<String, String> {
        let args = Node::map(
            args.iter()
                .map(|(key, node)| ((*key).to_owned(), node.clone())),
        );
        let operation = Operation::freeze(Call::new(tool, args, "/w"))
            .map_err(|why| format!("malformed: {}", why.0))?;
        over(&operation, old).map_err(|error| error.to_string())
    }

    #[test]
    fn an_edit_is_for_one_place_unless_it_says_so() {
        let path = || ("path", Node::text("a"));
        let find = |find: &str, more: Vec<(&'static str, Node)>| {
            let mut args = vec![
                path(),
                ("find", Node::text(find)),
                ("replace", Node::text("X")),
            ];
            args.extend(more);
            call("file_edit", &args, "a b a\n")
        };
        assert_eq!(find("b", vec![]), Ok("a X a\n".to_owned()));
        assert!(find("a", vec![]).is_err_and(|why| why.contains("2 times")));
        assert!(find("z", vec![]).is_err_and(|why| why.contains("does not occur")));
        assert!(find("", vec![]).is_err());
        assert_eq!(
            find("a", vec![("replace_all", Value::Bool(true).into())]),
            Ok("X b X\n".to_owned())
        );
        assert_eq!(
            find(
                "a",
                vec![("expected_replacements", Value::Number("2".into()).into())]
            ),
            Ok("X b X\n".to_owned())
        );
        assert!(
            find(
                "a",
                vec![("expected_replacements", Value::Number("3".into()).into())]
            )
            .is_err()
        );
    }

    #[test]
    fn an_insertion_is_whole_lines() {
        let insert = |tool: &str, place: Node| {
            let args = [
                ("path", Node::text("a")),
                ("content", Node::text("new")),
                ("pattern", place),
            ];
            call(tool, &args, "one\ntwo\nthree")
        };
        assert_eq!(
            insert("file_insert_after", Node::text("two")),
            Ok("one\ntwo\nnew\nthree".to_owned())
        );
        assert_eq!(
            insert("file_insert_before", Node::text("two")),
            Ok("one\nnew\ntwo\nthree".to_owned())
        );
        assert_eq!(
            insert("file_insert_after", Value::Number("3".into()).into()),
            Ok("one\ntwo\nthree\nnew".to_owned())
        );
        assert!(insert("file_insert_after", Value::Number("4".into()).into()).is_err());
        assert!(
            insert("file_insert_before", Node::text("e")).is_err(),
            "a place that is there twice is none"
        );
    }

    #[test]
    fn an_insertion_keeps_the_breaks_of_the_file() {
        let insert = |tool: &str, place: &str, old: &str| {
            let args = [
                ("path", Node::text("a")),
                ("content", Node::text("new")),
                ("pattern", Node::text(place)),
            ];
            call(tool, &args, old)
        };
        assert_eq!(
            insert("file_insert_after", "one", "one\r\ntwo\r\n"),
            Ok("one\r\nnew\r\ntwo\r\n".to_owned())
        );
        assert_eq!(
            insert("file_insert_before", "one", "one\r\ntwo"),
            Ok("new\r\none\r\ntwo".to_owned())
        );
        assert_eq!(
            insert("file_insert_after", "two", "one\r\ntwo"),
            Ok("one\r\ntwo\r\nnew".to_owned())
        );
        assert_eq!(
            insert("file_insert_after", "one", "one\ntwo\r\n"),
            Ok("one\nnew\ntwo\r\n".to_owned())
        );
    }
}
