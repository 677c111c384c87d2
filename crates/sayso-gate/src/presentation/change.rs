//! What a file tool would write, and how that differs from what is there.

use sayso_core::call::edit;
use sayso_core::call::tool::{Kind, Role};
use sayso_core::prompt::presentation::Body;

use super::target::{self, Standing};
use super::{About, Made, binary, content, diff, notes, size};
use crate::error::PresentError;

/// The presentation of a call that changes or makes one file.
pub(super) fn make(about: About<'_>) -> Result<Made, PresentError> {
    let made = compare(about)?;
    // Such breaks are not shown line by line, so it is said once; a change and a new content have it among their notes.
    if !matches!(made.body, Body::Text(_)) {
        return Ok(made);
    }
    let returns = [Role::Content, Role::Replace]
        .into_iter()
        .any(|role| content::has_returns(&edit::text(about.operation, role)));
    Ok(if returns {
        made.detail("line breaks", "CR LF, as on Windows")
    } else {
        made
    })
}

fn compare(about: About<'_>) -> Result<Made, PresentError> {
    let path = about.operation.text(Role::Path).unwrap_or_default();
    match target::standing(about)? {
        Standing::Text { text, executable } => over_text(about, path, &text, executable),
        Standing::Nothing => new_file(about, path),
        Standing::Bytes(old) => {
            let is = match old.bytes.contains(&0) {
                true => format!(
                    "a binary file: {} ({})",
                    binary::media(path, &old.bytes),
                    size::words(old.size)
                ),
                false => format!("a file that is not UTF-8 text ({})", size::words(old.size)),
            };
            let made = alone(about, path, &is)?;
            Ok(made.warn(format!(
                "the change cannot be compared: what is there is {is}"
            )))
        }
        Standing::Large(bytes) => {
            let is = format!("a file of {}", size::words(bytes));
            Ok(alone(about, path, &is)?.warn(format!(
                "the change cannot be compared: what is there is {is}"
            )))
        }
        Standing::Unknown => Ok(alone(about, path, "a file that shows only when it runs")?
            .warn("which file this changes shows only when it runs")),
    }
}

fn over_text(
    about: About<'_>,
    path: &str,
    old: &str,
    executable: Option<bool>,
) -> Result<Made, PresentError> {
    let new = match edit::over(about.operation, old) {
        Ok(new) => new,
        // Where sayso runs it, the outlook says that this fails; the tool of an agent may do with it what it likes.
        Err(why) => {
            let made = alone(
                about,
                path,
                &format!("a file of {}", size::words(old.len() as u64)),
            )?;
            return Ok(if about.outlook.failure.is_some() {
                made
            } else {
                made.warn(why.to_string())
            });
        }
    };
    if about.operation.kind() == Kind::FileCreate && about.outlook.failure.is_some() {
        let over = format!(
            "is not written: a file of {} is there",
            size::words(old.len() as u64)
        );
        return content::make(path, &new, Some(over));
    }
    let mut diff = diff::diff(path, old, &new)?;
    diff.notes = notes::of_change(old, &new, executable);
    let mut made = Made::of(Body::Diff(diff)).detail("change", change_in_size(old, &new));
    if old == new {
        made = made.warn("it changes nothing: this is what the file holds already");
    } else if diff::changes_breaks(old, &new) {
        made = made.warn("it changes the line breaks of the whole file");
    }
    if about.operation.kind() == Kind::FileCreate {
        made =
            made.warn("the file is there already: the tool may refuse, or replace what is in it");
    }
    Ok(made)
}

fn change_in_size(old: &str, new: &str) -> String {
    format!(
        "{} become {}",
        size::words(old.len() as u64),
        size::words(new.len() as u64)
    )
}

fn new_file(about: About<'_>, path: &str) -> Result<Made, PresentError> {
    match about.operation.kind() {
        // Some tools take an edit of nothing for a new file.
        Kind::FileEdit if edit::text(about.operation, Role::Find).is_empty() => {
            Ok(
                content::make(path, &edit::text(about.operation, Role::Replace), None)?
                    .warn("there is no such file: it may be made anew"),
            )
        }
        Kind::FileEdit | Kind::FileInsertAfter | Kind::FileInsertBefore => {
            let made = alone(about, path, "")?;
            Ok(if about.outlook.failure.is_some() {
                made
            } else {
                made.warn("there is no such file")
            })
        }
        _ => content::make(path, &edit::text(about.operation, Role::Content), None),
    }
}

/// What the call alone says, whole, where it cannot be compared with the file that is there.
fn alone(about: About<'_>, path: &str, there: &str) -> Result<Made, PresentError> {
    let mut lines = Vec::new();
    // Only what is quoted from the call has a sign in front, so nothing in it can pass for a heading.
    let mut quote = |heading: &str, sign: char, text: &str| {
        lines.push(heading.to_owned());
        lines.extend(
            content::lines(text)?
                .into_iter()
                .map(|line| format!("{sign} {line}")),
        );
        Ok::<(), PresentError>(())
    };
    match about.operation.kind() {
        Kind::FileEdit => {
            quote(
                "the text that is looked for:",
                '-',
                &edit::text(about.operation, Role::Find),
            )?;
            quote(
                "the text that replaces it:",
                '+',
                &edit::text(about.operation, Role::Replace),
            )?;
        }
        Kind::FileInsertAfter | Kind::FileInsertBefore => {
            let place = if about.operation.kind() == Kind::FileInsertAfter {
                "after:"
            } else {
                "before:"
            };
            quote(place, ' ', &edit::text(about.operation, Role::Find))?;
            quote(
                "the text that is inserted:",
                '+',
                &edit::text(about.operation, Role::Content),
            )?;
        }
        kind => {
            let verb = if kind == Kind::FileAppend {
                "is added to"
            } else {
                "replaces"
            };
            return content::make(
                path,
                &edit::text(about.operation, Role::Content),
                Some(format!("{verb} {there}")),
            );
        }
    }
    Ok(Made::of(Body::Text(lines)))
}
