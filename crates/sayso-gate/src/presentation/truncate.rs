//! Cuts a long body to a screen; all of it stays within reach, and how much is not shown is told. Commands are never cut.

use sayso_core::prompt::presentation::{Body, Diff, DiffLine, Hunk, Piece, Presentation};
use sayso_core::text::count as nouns;
use sayso_core::text::visible::visible_block;

/// A screen shows no more characters than this, however few lines they are on.
pub const MOST_CHARACTERS: usize = 2000;

/// What is left of a screen.
struct Room {
    lines: usize,
    characters: usize,
}

impl Room {
    /// Whether a line still fits; the rest of it is all that a line that does not fit can have.
    fn take(&mut self, text: &str) -> Fit {
        if self.lines == 0 || self.characters == 0 {
            return Fit::Nothing;
        }
        self.lines -= 1;
        // Counting stops where the room ends: a line may be megabytes long.
        match text.char_indices().nth(self.characters) {
            None => {
                self.characters -= text.chars().count().min(self.characters);
                Fit::Whole
            }
            Some((end, _)) => {
                self.characters = 0;
                Fit::Part(whole_codes(text, end))
            }
        }
    }
}

enum Fit {
    Whole,
    /// Up to this byte.
    Part(usize),
    Nothing,
}

/// Where to cut so that no spelled-out code is cut in two.
fn whole_codes(text: &str, end: usize) -> usize {
    let before = text.get(..end).unwrap_or(text);
    match (before.rfind('‹'), before.rfind('›')) {
        (Some(open), closed)
            if closed.is_none_or(|closed| closed < open) && before.len() - open < 16 =>
        {
            open
        }
        _ => end,
    }
}

fn part(text: &str, end: usize) -> String {
    let shown = text.get(..end).unwrap_or(text);
    let more = text.get(end..).unwrap_or_default().chars().count();
    format!("{shown}… [{}]", nouns::count(more, "more character"))
}

/// Cuts the body to `lines` lines and [`MOST_CHARACTERS`].
pub(super) fn cut(presentation: &mut Presentation, lines: usize) {
    let mut room = Room {
        lines: lines.max(1),
        characters: MOST_CHARACTERS,
    };
    let (short, hidden) = match &presentation.body {
        Body::Command { .. } | Body::Binary { .. } => return,
        Body::Text(lines) => {
            let (lines, hidden) = cut_lines(lines, &mut room);
            (Body::Text(lines), hidden)
        }
        Body::Content {
            path,
            language,
            lines,
            size,
            notes,
            over,
        } => {
            let (lines, hidden) = cut_lines(lines, &mut room);
            let (path, notes, over) = (path.clone(), notes.clone(), over.clone());
            (
                Body::Content {
                    path,
                    language: *language,
                    lines,
                    size: *size,
                    notes,
                    over,
                },
                hidden,
            )
        }
        Body::Structured(rows) => {
            let (rows, hidden) = cut_rows(rows, &mut room);
            (Body::Structured(rows), hidden)
        }
        Body::Diff(diff) => {
            let (diff, hidden) = cut_diff(diff, &mut room);
            (Body::Diff(diff), hidden)
        }
    };
    if hidden > 0 {
        let full = std::mem::replace(&mut presentation.body, short);
        presentation.full = Some(Box::new(full));
        presentation.hidden_lines = hidden;
    }
}

/// How many lines a body has.
pub(super) fn count(body: &Body) -> usize {
    match body {
        Body::Text(lines) | Body::Content { lines, .. } | Body::Command { lines, .. } => {
            lines.len()
        }
        Body::Structured(rows) => rows.len(),
        Body::Diff(diff) => diff.hunks.iter().map(|hunk| hunk.lines.len()).sum(),
        Body::Binary { .. } => 0,
    }
}

fn cut_lines(lines: &[String], room: &mut Room) -> (Vec<String>, usize) {
    let mut out = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match room.take(line) {
            Fit::Whole => out.push(line.clone()),
            fit => {
                if let Fit::Part(end) = fit {
                    out.push(part(line, end));
                }
                return (out, lines.len() - index);
            }
        }
    }
    (out, 0)
}

fn cut_rows(rows: &[(String, String)], room: &mut Room) -> (Vec<(String, String)>, usize) {
    let mut out = Vec::new();
    for (index, (name, value)) in rows.iter().enumerate() {
        // A name counts, too: it comes from the call as its value does.
        let long = room.characters < name.chars().take(room.characters + 1).count();
        let fit = if long { Fit::Nothing } else { room.take(value) };
        match fit {
            Fit::Whole => {
                room.characters = room.characters.saturating_sub(name.chars().count());
                out.push((name.clone(), value.clone()));
            }
            fit => {
                if let Fit::Part(end) = fit {
                    out.push((name.clone(), part(value, end)));
                }
                return (out, rows.len() - index);
            }
        }
    }
    (out, 0)
}

fn cut_diff(diff: &Diff, room: &mut Room) -> (Diff, usize) {
    let total: usize = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let (mut hunks, mut shown) = (Vec::new(), 0);
    'all: for hunk in &diff.hunks {
        let mut lines: Vec<DiffLine> = Vec::new();
        for line in &hunk.lines {
            let text = line.text();
            match room.take(&text) {
                Fit::Whole => {
                    lines.push(line.clone());
                    shown += 1;
                }
                fit => {
                    if let Fit::Part(end) = fit {
                        lines.push(DiffLine {
                            pieces: vec![Piece {
                                text: part(&text, end),
                                emphasised: false,
                            }],
                            ..line.clone()
                        });
                    }
                    if !lines.is_empty() {
                        hunks.push(cut_hunk(hunk, lines));
                    }
                    break 'all;
                }
            }
        }
        hunks.push(cut_hunk(hunk, lines));
    }
    let Diff {
        path,
        language,
        added,
        removed,
        notes,
        ..
    } = diff;
    let short = Diff {
        hunks,
        path: path.clone(),
        language: *language,
        added: *added,
        removed: *removed,
        notes: notes.clone(),
        // Only the whole change can be unfolded.
        rest: Vec::new(),
    };
    (short, total - shown)
}

fn cut_hunk(hunk: &Hunk, lines: Vec<DiffLine>) -> Hunk {
    Hunk {
        old_start: hunk.old_start,
        new_start: hunk.new_start,
        before: Vec::new(),
        lines,
    }
}

/// The first lines of a text as they can be shown, and "... [N more lines]" where there are more.
pub fn truncate_for_display(content: &str, lines: usize) -> String {
    let total = content.lines().count();
    if total <= lines {
        return visible_block(content);
    }
    let kept: Vec<&str> = content.lines().take(lines).collect();
    let mut out = visible_block(&kept.join("\n"));
    if !kept.is_empty() {
        out.push('\n');
    }
    out.push_str(&format!(
        "... [{}]",
        nouns::count(total - lines, "more line")
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l_07_a_long_text_ends_with_how_many_lines_are_missing() {
        for (text, lines, shown) in [
            ("a\nb\n", 2, "a\nb\n"),
            ("a\nb\nc", 2, "a\nb\n... [1 more line]"),
            ("a\nb", 0, "... [2 more lines]"),
            ("", 0, ""),
            ("\u{1b}a\nb", 1, "␛a\n... [1 more line]"),
        ] {
            assert_eq!(truncate_for_display(text, lines), shown, "{text:?}");
        }
    }

    #[test]
    fn a_code_is_never_cut_in_two() {
        let text = format!("{}‹U+202E›x", "a".repeat(MOST_CHARACTERS - 3));
        let mut one = Presentation::of(Body::Text(vec![text]));
        cut(&mut one, 50);
        let Body::Text(lines) = &one.body else {
            panic!("not a text")
        };
        assert_eq!(
            lines,
            &[format!(
                "{}… [9 more characters]",
                "a".repeat(MOST_CHARACTERS - 3)
            )]
        );
        assert_eq!(one.hidden_lines, 1);
        assert!(one.full.is_some());
    }
}
