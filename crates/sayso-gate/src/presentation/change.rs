//! What a file tool would write, and how that differs from what is there.

use sayso_core::node::{Node, Value};
use sayso_core::operation::MAX_BYTES;
use sayso_core::presentation::Body;
use sayso_core::tool::{Kind, Role};
use sayso_core::visible::visible;

use super::target::{self, Standing};
use super::{About, Made, binary, content, diff, size};

/// What an edit may make of a file, in bytes; a text of megabytes in a million places would fill the memory.
const MOST_RESULT: usize = 4 * MAX_BYTES;

/// The presentation of a call that changes or makes one file.
pub(super) fn make(about: About<'_>) -> Result<Made, String> {
    let made = compare(about)?;
    // Such breaks are not shown line by line, so it is said once.
    let returns = [Role::Content, Role::Replace].into_iter().any(|role| content::has_returns(&text(about, role)));
    Ok(if returns { made.detail("line breaks", "CR LF, as on Windows") } else { made })
}

fn compare(about: About<'_>) -> Result<Made, String> {
    let path = about.operation.text(Role::Path).unwrap_or_default();
    match target::standing(about)? {
        Standing::Text(old) => over_text(about, path, &old),
        Standing::Nothing => new_file(about, path),
        Standing::Bytes(old) => {
            let is = binary::words(binary::media(path, &old.bytes), old.size);
            Ok(alone(about, path)?.warn(format!("what is there is no text, so the change cannot be compared. {is}")))
        }
        Standing::Large(bytes) => {
            Ok(alone(about, path)?.warn(format!("the file that is there is too large to be compared ({})", size::words(bytes))))
        }
        Standing::Unknown => Ok(alone(about, path)?.warn("which file this changes shows only when it runs")),
    }
}

fn over_text(about: About<'_>, path: &str, old: &str) -> Result<Made, String> {
    let new = match about.operation.kind() {
        Kind::FileEdit => edited(about, old),
        Kind::FileAppend => Ok(format!("{old}{}", text(about, Role::Content))),
        Kind::FileInsertAfter | Kind::FileInsertBefore => inserted(about, old),
        _ => Ok(text(about, Role::Content)),
    };
    let new = match new {
        Ok(new) => new,
        Err(why) => return Ok(alone(about, path)?.warn(why)),
    };
    let mut made = Made::of(Body::Diff(diff::diff(path, old, &new)?)).detail("change", change_in_size(old, &new));
    if let Some(end) = diff::end(old, &new) {
        made = made.detail("end of the file", end);
    }
    if old == new {
        made = made.warn("it changes nothing: this is what the file holds already");
    } else if diff::changes_breaks(old, &new) {
        made = made.warn("it changes the line breaks of the whole file");
    }
    if about.operation.kind() == Kind::FileCreate {
        made = made.warn("the file is there already: what is in it would be replaced");
    }
    Ok(made)
}

fn change_in_size(old: &str, new: &str) -> String {
    format!("{} become {}", size::words(old.len() as u64), size::words(new.len() as u64))
}

fn new_file(about: About<'_>, path: &str) -> Result<Made, String> {
    match about.operation.kind() {
        // Some tools take an edit of nothing for a new file.
        Kind::FileEdit if text(about, Role::Find).is_empty() => {
            Ok(content::make(path, &text(about, Role::Replace))?.warn("there is no such file: it may be made anew"))
        }
        Kind::FileEdit | Kind::FileInsertAfter | Kind::FileInsertBefore => Ok(alone(about, path)?.warn("there is no such file")),
        _ => content::make(path, &text(about, Role::Content)),
    }
}

/// What the call alone says, whole, where it cannot be compared with a file.
fn alone(about: About<'_>, path: &str) -> Result<Made, String> {
    let mut lines = Vec::new();
    // Only what is quoted from the call has a sign in front, so nothing in it can pass for a heading.
    let mut quote = |heading: &str, sign: char, text: &str| {
        lines.push(heading.to_owned());
        lines.extend(content::lines(text)?.into_iter().map(|line| format!("{sign} {line}")));
        Ok::<(), String>(())
    };
    match about.operation.kind() {
        Kind::FileEdit => {
            quote("the text that is looked for:", '-', &text(about, Role::Find))?;
            quote("the text that replaces it:", '+', &text(about, Role::Replace))?;
        }
        Kind::FileInsertAfter | Kind::FileInsertBefore => {
            let place = if about.operation.kind() == Kind::FileInsertAfter { "after:" } else { "before:" };
            quote(place, ' ', &text(about, Role::Find))?;
            quote("the text that is inserted:", '+', &text(about, Role::Content))?;
        }
        _ => return content::make(path, &text(about, Role::Content)),
    }
    Ok(Made::of(Body::Text(lines)))
}

/// The text of an argument; a number counts as it was written.
fn text(about: About<'_>, role: Role) -> String {
    match about.operation.argument(role).map(|node| &node.value) {
        Some(Value::Text(text) | Value::Number(text)) => text.clone(),
        _ => String::new(),
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
fn edited(about: About<'_>, old: &str) -> Result<String, String> {
    let (find, replace) = (text(about, Role::Find), text(about, Role::Replace));
    if find.is_empty() {
        return Err("the text that is looked for is empty, so it may be found anywhere".to_owned());
    }
    let count = old.matches(find.as_str()).count();
    // Texts that overlap themselves occur more often than they can be replaced, and tools differ in what they count.
    let only = count == 1 && old.find(find.as_str()) == old.rfind(find.as_str());
    let grown = count.saturating_mul(replace.len()).saturating_add(old.len());
    if grown > MOST_RESULT {
        return Err(format!("the text that is looked for occurs {count} times, and what comes of it is too large to be compared"));
    }
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match places(about) {
        _ if count == 0 => Err("the text that is looked for does not occur in the file".to_owned()),
        Places::One | Places::All | Places::Exactly(1) | Places::Unclear if only => Ok(old.replacen(find.as_str(), &replace, 1)),
        Places::All => Ok(old.replace(find.as_str(), &replace)),
        Places::Exactly(wanted) if wanted == count as u64 && count > 1 => Ok(old.replace(find.as_str(), &replace)),
        Places::Exactly(wanted) => Err(format!("the text that is looked for occurs {} in the file, not {wanted} times", times(count))),
        Places::One | Places::Unclear => Err(format!(
            "the text that is looked for occurs {} in the file, so it cannot be told which place changes",
            if count == 1 { "more than once".to_owned() } else { times(count) }
        )),
    }
}

fn places(about: About<'_>) -> Places {
    let given = |names: &[&str]| names.iter().find_map(|name| about.operation.args().get(name));
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
fn inserted(about: About<'_>, old: &str) -> Result<String, String> {
    let after = about.operation.kind() == Kind::FileInsertAfter;
    let at = match about.operation.argument(Role::Find) {
        Some(node) if matches!(node.value, Value::Number(_)) => at_line(node, old, after)?,
        Some(node) => at_text(node.as_text().unwrap_or_default(), old, after)?,
        None => return Err("the call does not say where the text is inserted".to_owned()),
    };
    let (start, end) = old.split_at_checked(at).ok_or("the place in the file could not be found")?;
    let mut new = start.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    new.push_str(&text(about, Role::Content));
    if !new.ends_with('\n') && !end.is_empty() {
        new.push('\n');
    }
    new.push_str(end);
    Ok(new)
}

/// Where the line with a number starts or ends, from 1; 0 is the start of the file.
fn at_line(node: &Node, old: &str, after: bool) -> Result<usize, String> {
    let number = node.as_whole().and_then(|number| usize::try_from(number).ok()).ok_or("the number of the line cannot be read")?;
    let count = content::split(old).count();
    if number > count {
        return Err(format!("the file has {count} lines, and the text would be inserted at line {number}"));
    }
    let lines = if after { number } else { number.saturating_sub(1) };
    Ok(content::split(old).take(lines).map(str::len).sum())
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
    let start = old.get(..first).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = old.get(first + inner.len()..).and_then(|rest| rest.find('\n')).map_or(old.len(), |at| first + inner.len() + at + 1);
    Ok(if after { end } else { start })
}

/// The first characters of what is looked for and of what replaces it, beside the change.
pub(super) fn preview(about: About<'_>) -> Vec<(String, String)> {
    const MOST: usize = 100;
    let short = |role| {
        let text = text(about, role);
        let mut shown: String = text.chars().take(MOST).collect();
        shown = visible(&shown).into_owned();
        match text.chars().count().saturating_sub(MOST) {
            0 => shown,
            more => format!("{shown}… [{more} more characters]"),
        }
    };
    match about.operation.kind() {
        Kind::FileEdit => vec![("find".to_owned(), short(Role::Find)), ("replace".to_owned(), short(Role::Replace))],
        Kind::FileInsertAfter | Kind::FileInsertBefore if about.operation.argument(Role::Find).is_some() => {
            vec![("place".to_owned(), short(Role::Find))]
        }
        _ => Vec::new(),
    }
}
