//! What a file holds after a file tool changed it. The prompt shows this and the tool writes this, so there is only one way to read a call.

use crate::call::operation::{MAX_BYTES, Operation};
use crate::call::tool::{Kind, Role};
use crate::text::node::{Node, Value};

/// What an edit may make of a file, in bytes; a text of megabytes in a million places would fill the memory.
const MOST_RESULT: usize = 4 * MAX_BYTES;

/// The text of an argument; a number counts as it was written.
pub fn text(operation: &Operation, role: Role) -> String {
    match operation.argument(role).map(|node| &node.value) {
        Some(Value::Text(text) | Value::Number(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The text of a file after the call, from the text that is there now, or why that cannot be told; then nothing may be written.
pub fn over(operation: &Operation, old: &str) -> Result<String, String> {
    match operation.kind() {
        Kind::FileEdit => edited(operation, old),
        Kind::FileAppend => Ok(format!("{old}{}", text(operation, Role::Content))),
        Kind::FileInsertAfter | Kind::FileInsertBefore => inserted(operation, old),
        Kind::FileWrite | Kind::FileCreate | Kind::FileCreateOverwrite => {
            Ok(text(operation, Role::Content))
        }
        other => Err(format!("`{}` changes no text", other.word())),
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
fn edited(operation: &Operation, old: &str) -> Result<String, String> {
    let (find, replace) = (text(operation, Role::Find), text(operation, Role::Replace));
    if find.is_empty() {
        return Err("the text that is looked for is empty, so it may be found anywhere".to_owned());
    }
    let count = old.matches(find.as_str()).count();
    // Texts that overlap themselves occur more often than they can be replaced, and tools differ in what they count.
    let only = count == 1 && old.find(find.as_str()) == old.rfind(find.as_str());
    let grown = count
        .saturating_mul(replace.len())
        .saturating_add(old.len());
    if grown > MOST_RESULT {
        return Err(format!(
            "the text that is looked for occurs {count} times, and what comes of it is too large to be compared"
        ));
    }
    let times = |count: usize| {
        if count == 1 {
            "once".to_owned()
        } else {
            format!("{count} times")
        }
    };
    match places(operation) {
        _ if count == 0 => Err("the text that is looked for does not occur in the file".to_owned()),
        Places::One | Places::All | Places::Exactly(1) | Places::Unclear if only => {
            Ok(old.replacen(find.as_str(), &replace, 1))
        }
        Places::All => Ok(old.replace(find.as_str(), &replace)),
        Places::Exactly(wanted) if wanted == count as u64 && count > 1 => {
            Ok(old.replace(find.as_str(), &replace))
        }
        Places::Exactly(wanted) => Err(format!(
            "the text that is looked for occurs {} in the file, not {wanted} times",
            times(count)
        )),
        Places::One | Places::Unclear => Err(format!(
            "the text that is looked for occurs {} in the file, so it cannot be told which place changes",
            if count == 1 {
                "more than once".to_owned()
            } else {
                times(count)
            }
        )),
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
fn inserted(operation: &Operation, old: &str) -> Result<String, String> {
    let after = operation.kind() == Kind::FileInsertAfter;
    let at = match operation.argument(Role::Find) {
        Some(node) if matches!(node.value, Value::Number(_)) => at_line(node, old, after)?,
        Some(node) => at_text(node.as_text().unwrap_or_default(), old, after)?,
        None => return Err("the call does not say where the text is inserted".to_owned()),
    };
    let (start, end) = old
        .split_at_checked(at)
        .ok_or("the place in the file could not be found")?;
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
fn at_line(node: &Node, old: &str, after: bool) -> Result<usize, String> {
    let number = node
        .as_whole()
        .and_then(|number| usize::try_from(number).ok())
        .ok_or("the number of the line cannot be read")?;
    let count = lines(old).count();
    if number > count {
        return Err(format!(
            "the file has {}, and the text would be inserted at line {number}",
            crate::text::count::count(count, "line")
        ));
    }
    let before = if after {
        number
    } else {
        number.saturating_sub(1)
    };
    Ok(lines(old).take(before).map(str::len).sum())
}

/// Where the line that holds a text starts or ends.
fn at_text(anchor: &str, old: &str, after: bool) -> Result<usize, String> {
    let first = old.find(anchor).filter(|_| !anchor.is_empty());
    let Some(first) = first else {
        return Err("the text that marks the place does not occur in the file".to_owned());
    };
    if old.rfind(anchor) != Some(first) {
        return Err("the text that marks the place occurs more than once in the file".to_owned());
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
        over(&operation, old)
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
