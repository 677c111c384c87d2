//! What a file tool would write, and how that differs from what is there.

use sayso_core::edit;
use sayso_core::presentation::Body;
use sayso_core::tool::{Kind, Role};

use super::target::{self, Standing};
use super::{About, Made, binary, content, diff, notes, size};

/// The presentation of a call that changes or makes one file.
pub(super) fn make(about: About<'_>) -> Result<Made, String> {
    let made = compare(about)?;
    // Such breaks are not shown line by line, so it is said once; a change and a new content have it among their notes.
    if !matches!(made.body, Body::Text(_)) {
        return Ok(made);
    }
    let returns = [Role::Content, Role::Replace].into_iter().any(|role| content::has_returns(&edit::text(about.operation, role)));
    Ok(if returns { made.detail("line breaks", "CR LF, as on Windows") } else { made })
}

fn compare(about: About<'_>) -> Result<Made, String> {
    let path = about.operation.text(Role::Path).unwrap_or_default();
    match target::standing(about)? {
        Standing::Text { text, executable } => over_text(about, path, &text, executable),
        Standing::Nothing => new_file(about, path),
        Standing::Bytes(old) => {
            let is = binary::words(binary::media(path, &old.bytes), old.size);
            let what = if old.bytes.contains(&0) { "no text" } else { "not written in UTF-8" };
            Ok(alone(about, path)?.warn(format!("what is there is {what}, so the change cannot be compared. {is}")))
        }
        Standing::Large(bytes) => {
            Ok(alone(about, path)?.warn(format!("the file that is there is too large to be compared ({})", size::words(bytes))))
        }
        Standing::Unknown => Ok(alone(about, path)?.warn("which file this changes shows only when it runs")),
    }
}

fn over_text(about: About<'_>, path: &str, old: &str, executable: Option<bool>) -> Result<Made, String> {
    let new = match edit::over(about.operation, old) {
        Ok(new) => new,
        Err(why) => return Ok(alone(about, path)?.warn(why)),
    };
    let mut diff = diff::diff(path, old, &new)?;
    diff.notes = notes::of_change(old, &new, executable);
    let mut made = Made::of(Body::Diff(diff)).detail("change", change_in_size(old, &new));
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
        Kind::FileEdit if edit::text(about.operation, Role::Find).is_empty() => {
            Ok(content::make(path, &edit::text(about.operation, Role::Replace))?.warn("there is no such file: it may be made anew"))
        }
        Kind::FileEdit | Kind::FileInsertAfter | Kind::FileInsertBefore => Ok(alone(about, path)?.warn("there is no such file")),
        _ => content::make(path, &edit::text(about.operation, Role::Content)),
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
            quote("the text that is looked for:", '-', &edit::text(about.operation, Role::Find))?;
            quote("the text that replaces it:", '+', &edit::text(about.operation, Role::Replace))?;
        }
        Kind::FileInsertAfter | Kind::FileInsertBefore => {
            let place = if about.operation.kind() == Kind::FileInsertAfter { "after:" } else { "before:" };
            quote(place, ' ', &edit::text(about.operation, Role::Find))?;
            quote("the text that is inserted:", '+', &edit::text(about.operation, Role::Content))?;
        }
        _ => return content::make(path, &edit::text(about.operation, Role::Content)),
    }
    Ok(Made::of(Body::Text(lines)))
}
