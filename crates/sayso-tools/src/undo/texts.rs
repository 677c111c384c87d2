//! The texts of a file before a change, after it and now, and what a person is shown of them.

use std::io::Read as _;
use std::path::Path;

use sayso_core::text::visible::visible_block;
use similar::TextDiff;

use crate::files::Files;
use crate::hunks;
use crate::open_nofollow::{self, Spot};
use crate::path_state::State;

/// The longest text that is compared for a person.
const MAX_COMPARED: u64 = 1 << 20;
/// The longest diff that is shown, in lines.
const MAX_LINES: usize = 200;

/// What a file held, if it is a text that is kept. Where there was no file, that is nothing.
pub(super) fn kept(kit: &Files, state: &State) -> Option<String> {
    match state {
        State::Absent => Some(String::new()),
        State::File {
            digest: Some(digest),
            size,
            ..
        } if *size <= MAX_COMPARED => {
            std::io::read_to_string(kit.backups().read(digest).ok()?).ok()
        }
        _ => None,
    }
}

/// What a file holds now, if it is a text.
pub(super) fn now(path: &Path) -> Option<String> {
    let spot = Spot::of(path).ok()?;
    let (file, _) = open_nofollow::file(&spot.folder, &spot.name, path).ok()?;
    let mut text = String::new();
    file.take(MAX_COMPARED + 1)
        .read_to_string(&mut text)
        .ok()
        .filter(|_| text.len() as u64 <= MAX_COMPARED)?;
    Some(text)
}

/// How two texts differ, as a unified diff.
pub(super) fn diff(old: &str, new: &str, names: (&str, &str)) -> String {
    if old == new {
        return String::new();
    }
    let diff = TextDiff::from_lines(old, new);
    let text = diff
        .unified_diff()
        .context_radius(3)
        .header(names.0, names.1)
        .to_string();
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES + 1).collect();
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("… and more");
    }
    visible_block(&lines.join("\n"))
}

/// The three texts of a file that was changed since: what the change did, what came after it, and which hunks still fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreeWay {
    /// What the change did, as a unified diff; empty where there is none.
    pub change: String,
    /// What came after it, as a unified diff; empty where there is none.
    pub since: String,
    /// The hunks of the change that can still be taken back.
    pub fitting: Vec<usize>,
}

impl ThreeWay {
    /// Of a file that was `was` before a change and `left` by it.
    pub(super) fn of(kit: &Files, path: &Path, was: &State, left: &State) -> ThreeWay {
        let (Some(left), Some(now)) = (kept(kit, left), now(path)) else {
            return ThreeWay::default();
        };
        let since = diff(&left, &now, ("as it was left", "as it is now"));
        let Some(was) = kept(kit, was) else {
            return ThreeWay {
                since,
                ..ThreeWay::default()
            };
        };
        ThreeWay {
            change: diff(&was, &left, ("before the change", "as it was left")),
            since,
            fitting: hunks::fitting(&was, &left, &now),
        }
    }
}
