//! What is said where a plain prompt is higher than the screen: its start is out of sight when the question stands there.

use sayso_core::prompt::Prompt;
use sayso_core::prompt::keymap::Action;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::count::count;

use super::body;
use super::paint::{Paint, Tone};
use super::plain::{self, Look};

/// What stands above the question besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrolled {
    /// The words, and the command again where it has room.
    pub lines: Vec<String>,
    /// No yes counts before all of it was viewed.
    pub unseen: bool,
}

/// The rows of the screen that lines take.
pub fn rows(lines: &[String], paint: Paint) -> Vec<String> {
    plain::folded(lines, paint)
        .iter()
        .flat_map(|line| line.split('\n'))
        .map(str::to_owned)
        .collect()
}

/// What has to be said about a prompt of these lines on a screen of so many rows; nothing where all of it is in sight.
pub fn scrolled(prompt: &Prompt, lines: &[String], look: Look, height: usize) -> Scrolled {
    // The question has a row of its own.
    let taken = rows(lines, look.paint).len() + 1;
    if taken <= height {
        return Scrolled::default();
    }
    let said = |above: usize, rest: &str| {
        let words = format!(
            "↑ {} of this prompt scrolled out of sight{rest}",
            count(above, "row")
        );
        vec![
            String::new(),
            format!("  {}", look.paint.tone(Tone::Yellow, &words)),
        ]
    };
    if let Body::Command {
        lines: command,
        folder,
        ..
    } = &prompt.presentation.body
    {
        let again = Body::Command {
            lines: command.clone(),
            folder: folder.clone(),
            effects: Vec::new(),
            parts: Vec::new(),
            marks: Vec::new(),
        };
        let again: Vec<String> = body::lines(&again, prompt.operation.workspace(), look.paint)
            .into_iter()
            .map(|line| format!("  {line}"))
            .collect();
        let mut out = said(taken, "; the command again:");
        out.extend(again);
        let added = rows(&out, look.paint).len();
        if added < height {
            let mut lines = said(
                (taken + added).saturating_sub(height),
                "; the command again:",
            );
            lines.extend(out.into_iter().skip(lines.len()));
            return Scrolled {
                lines,
                unseen: false,
            };
        }
    }
    let key = look.keymap.key_of(Action::View).unwrap_or('v');
    let unseen = plain::is_grave(&prompt.verdict);
    let rest = format!(
        "; `{key}` shows all of it, a page at a time{}",
        if unseen {
            ", and no yes counts before"
        } else {
            ""
        }
    );
    Scrolled {
        lines: said((taken + 2).saturating_sub(height), &rest),
        unseen,
    }
}
