//! The change of a file line by line, and word by word inside of changed lines, in bounded time.

use std::time::{Duration, Instant};

use sayso_core::prompt::presentation::{Change, Diff, DiffLine, Hunk, Piece};
use sayso_core::text::visible::visible;
use similar::{ChangeTag, DiffOp, TextDiff, group_diff_ops};

use super::content::{bare, has_returns, split};
use super::{MOST_LINES, language};
use crate::error::PresentError;

/// Lines around a change.
const CONTEXT: usize = 3;
/// Files with more lines than this are compared by their common start and end only.
const MOST_COMPARED: usize = 200_000;
/// So long the shortest change is looked for; after that, any change that is right will do.
const LONGEST: Duration = Duration::from_millis(150);
/// More unchanged lines than these are not kept for those who want to unfold them.
const MOST_AROUND: usize = 20_000;
/// A changed place of more bytes is not looked at word by word: nobody would see it.
const MOST_INLINE: usize = 16 * 1024;

/// The change from one text to another.
pub fn diff(path: &str, old: &str, new: &str) -> Result<Diff, PresentError> {
    let before: Vec<&str> = split(old).collect();
    let after: Vec<&str> = split(new).collect();
    // A CR before every line break of both is how the file is written, and no news.
    let returns = has_returns(old) && (has_returns(new) || !new.contains('\n'));
    let deadline = Instant::now() + LONGEST;
    let mut out = Diff {
        path: visible(path).into_owned(),
        language: language::of(path),
        hunks: Vec::new(),
        added: 0,
        removed: 0,
        notes: Vec::new(),
        rest: Vec::new(),
    };
    let writer = |fine| Writer {
        before: &before,
        after: &after,
        returns,
        fine,
        deadline,
    };
    if before.len().max(after.len()) > MOST_COMPARED {
        writer(None).write(coarse(&before, &after), &mut out)?;
    } else {
        let fine = TextDiff::configure()
            .deadline(deadline)
            .diff_slices(&before, &after);
        writer(Some(&fine)).write(fine.ops().to_vec(), &mut out)?;
    }
    Ok(out)
}

/// One change between the common start and the common end.
fn coarse(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let start = before
        .iter()
        .zip(after)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = (before.len() - start).min(after.len() - start);
    let end = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let (old_len, new_len) = (before.len() - start - end, after.len() - start - end);
    let ops = [
        DiffOp::Equal {
            old_index: 0,
            new_index: 0,
            len: start,
        },
        DiffOp::Replace {
            old_index: start,
            old_len,
            new_index: start,
            new_len,
        },
        DiffOp::Equal {
            old_index: start + old_len,
            new_index: start + new_len,
            len: end,
        },
    ];
    ops.into_iter()
        .filter(|op| !op.old_range().is_empty() || !op.new_range().is_empty())
        .collect()
}

/// What stays between the changed places.
struct Stays {
    /// Where the last changed place ended.
    end: usize,
    /// Few enough that all of them are kept.
    kept: bool,
}

struct Writer<'a, 'text> {
    before: &'a [&'text str],
    after: &'a [&'text str],
    returns: bool,
    fine: Option<&'a TextDiff<'text, 'text, str>>,
    deadline: Instant,
}

impl Writer<'_, '_> {
    fn write(&self, ops: Vec<DiffOp>, out: &mut Diff) -> Result<(), PresentError> {
        let groups = group_diff_ops(ops, CONTEXT);
        let lines_of = |op: &DiffOp| {
            if is_same(op) {
                op.old_range().len()
            } else {
                op.old_range().len() + op.new_range().len()
            }
        };
        let lines: usize = groups.iter().flatten().map(lines_of).sum();
        if lines > MOST_LINES {
            return Err(PresentError::TooManyChangedLines { count: lines });
        }
        let mut stays = Stays {
            end: 0,
            kept: self.after.len().saturating_sub(lines) <= MOST_AROUND,
        };
        for group in &groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            let before = self.around(&mut stays, first.new_range().start);
            stays.end = last.new_range().end;
            let mut lines = Vec::with_capacity(group.iter().map(lines_of).sum());
            for op in group {
                if !is_same(op) {
                    out.removed += op.old_range().len();
                    out.added += op.new_range().len();
                }
                self.lines(op, &mut lines);
            }
            out.hunks.push(Hunk {
                old_start: first.old_range().start + 1,
                new_start: first.new_range().start + 1,
                before,
                lines,
            });
        }
        out.rest = self.around(&mut stays, self.after.len());
        Ok(())
    }

    /// The lines from the end of the last changed place up to here, which are the same in both.
    fn around(&self, stays: &mut Stays, start: usize) -> Vec<String> {
        let lines = self
            .after
            .get(stays.end..start)
            .filter(|_| stays.kept)
            .unwrap_or_default();
        lines
            .iter()
            .map(|line| visible(bare(line, self.returns)).into_owned())
            .collect()
    }

    fn lines(&self, op: &DiffOp, out: &mut Vec<DiffLine>) {
        if let Some(fine) = self.fine.filter(|_| self.is_worth_words(op)) {
            out.extend(
                fine.iter_inline_changes_deadline(op, Some(self.deadline))
                    .map(|change| DiffLine {
                        change: match change.tag() {
                            ChangeTag::Equal => Change::Same,
                            ChangeTag::Delete => Change::Removed,
                            ChangeTag::Insert => Change::Added,
                        },
                        old: change.old_index().map(|index| index + 1),
                        new: change.new_index().map(|index| index + 1),
                        pieces: self.pieces(change.values()),
                    }),
            );
            return;
        }
        if is_same(op) {
            for (old, new) in op.old_range().zip(op.new_range()) {
                out.push(self.line(Change::Same, Some(old), Some(new), self.before.get(old)));
            }
            return;
        }
        out.extend(
            op.old_range()
                .map(|old| self.line(Change::Removed, Some(old), None, self.before.get(old))),
        );
        out.extend(
            op.new_range()
                .map(|new| self.line(Change::Added, None, Some(new), self.after.get(new))),
        );
    }

    /// Whether words are compared: lines that replace others, few enough, and time is left.
    fn is_worth_words(&self, op: &DiffOp) -> bool {
        let bytes = |lines: Option<&[&str]>| {
            lines
                .unwrap_or_default()
                .iter()
                .map(|line| line.len())
                .sum::<usize>()
        };
        matches!(op, DiffOp::Replace { .. })
            && bytes(self.before.get(op.old_range())) + bytes(self.after.get(op.new_range()))
                <= MOST_INLINE
            && Instant::now() < self.deadline
    }

    fn line(
        &self,
        change: Change,
        old: Option<usize>,
        new: Option<usize>,
        text: Option<&&str>,
    ) -> DiffLine {
        let pieces = self.pieces(&[(false, text.copied().unwrap_or_default())]);
        DiffLine {
            change,
            old: old.map(|index| index + 1),
            new: new.map(|index| index + 1),
            pieces,
        }
    }

    /// The pieces of one line without its break; neighbours that are alike become one.
    fn pieces(&self, values: &[(bool, &str)]) -> Vec<Piece> {
        let mut out: Vec<(bool, String)> = Vec::new();
        for (emphasised, text) in values {
            match out.last_mut() {
                Some((same, before)) if same == emphasised => before.push_str(text),
                _ => out.push((*emphasised, (*text).to_owned())),
            }
        }
        // The break may be a piece of its own, and so may its two halves.
        let mut broken = false;
        if let Some((_, last)) = out.last_mut()
            && last.ends_with('\n')
        {
            last.pop();
            broken = true;
        }
        out.retain(|(_, text)| !text.is_empty());
        if let Some((_, last)) = out.last_mut()
            && broken
            && self.returns
            && last.ends_with('\r')
        {
            last.pop();
        }
        out.retain(|(_, text)| !text.is_empty());
        // Where all of a line differs, nothing stands out.
        let whole = out.iter().all(|(emphasised, _)| *emphasised);
        let shown = |(emphasised, text): (bool, String)| Piece {
            text: visible(&text).into_owned(),
            emphasised: emphasised && !whole,
        };
        out.into_iter().map(shown).collect()
    }
}

fn is_same(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

/// What changes about the break at the end of the file, which no line shows.
pub(super) fn end(old: &str, new: &str) -> Option<&'static str> {
    match (
        old.is_empty() || old.ends_with('\n'),
        new.is_empty() || new.ends_with('\n'),
    ) {
        (true, false) => Some("the new content has no line break at its end"),
        (false, true) => Some("a line break is added at the end"),
        _ => None,
    }
}

/// Whether line breaks of another kind take the place of those that are there.
pub(super) fn changes_breaks(old: &str, new: &str) -> bool {
    old.contains('\n') && new.contains('\n') && has_returns(old) != has_returns(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coarse_comparison_is_right_where_texts_overlap() {
        for (old, new) in [
            ("a\na\na\n", "a\na\n"),
            ("a\n", "a\na\n"),
            ("", "a\n"),
            ("a\n", ""),
            ("a\nb\nc\n", "a\nx\nc\n"),
            ("", ""),
        ] {
            let before: Vec<&str> = split(old).collect();
            let after: Vec<&str> = split(new).collect();
            let mut rebuilt = String::new();
            for op in coarse(&before, &after) {
                rebuilt.extend(after.get(op.new_range()).unwrap().iter().copied());
                if is_same(&op) {
                    assert_eq!(before.get(op.old_range()), after.get(op.new_range()));
                }
            }
            assert_eq!(rebuilt, new, "{old:?}");
        }
    }

    #[test]
    fn a_line_keeps_its_carriage_return_unless_all_have_one() {
        let text = |diff: &Diff| {
            diff.hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .map(DiffLine::text)
                .collect::<Vec<_>>()
        };
        assert_eq!(text(&diff("a", "x\r\n", "y\r\n").unwrap()), ["x", "y"]);
        assert_eq!(text(&diff("a", "x\n", "y\r\n").unwrap()), ["x", "y␍"]);
        assert_eq!(
            text(&diff("a", "x\r\n", "evil\ry\r\n").unwrap()),
            ["x", "evil␍y"]
        );
        assert_eq!(text(&diff("a", "x\r\n", "x").unwrap()), ["x", "x"]);
    }
}
