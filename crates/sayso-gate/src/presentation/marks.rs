//! Which pieces of a command do what, by sayso's own reading of it, as places in the lines that are shown.

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::effect::EffectKind;
use sayso_core::prompt::presentation::{Mark, Meaning};
use sayso_core::text::visible::visible;

/// More pieces than these are not marked: marks help the eye, and the words below the command say everything.
const MOST: usize = 400;
/// Nothing behind so many bytes of a line is marked, so that finding the places stays cheap.
const FARTHEST: usize = 16 * 1024;

/// The marks of a command, in the order of its text; where two meet, the graver one comes later.
pub(super) fn all(text: &str, reading: &Reading) -> Vec<Mark> {
    let mut spans: Vec<(usize, usize, Meaning)> = Vec::new();
    for effect in &reading.effects {
        let Some((start, end)) = effect.at else {
            continue;
        };
        let dangerous = |part| {
            reading
                .dangers
                .iter()
                .any(|danger| danger.part == Some(part))
        };
        let meaning = match effect.kind {
            EffectKind::Run if effect.part.is_some_and(dangerous) => Meaning::Danger,
            EffectKind::Read => Meaning::Reads,
            EffectKind::Write => Meaning::Writes,
            EffectKind::Delete => Meaning::Deletes,
            EffectKind::Run | EffectKind::Environment | EffectKind::Signal => Meaning::Runs,
            EffectKind::Connect => Meaning::Connects,
            EffectKind::Privilege => Meaning::Danger,
            EffectKind::Unknown => Meaning::Unclear,
        };
        spans.push((start, end, meaning));
    }
    if let Some(opaque) = &reading.opaque {
        spans.push((opaque.start, opaque.end, Meaning::Unclear));
    }
    spans.sort_unstable_by_key(|(start, end, meaning)| (*start, *meaning, *end));
    spans.dedup();
    spans.truncate(MOST);
    let lines = Lines::of(text);
    let mut out: Vec<Mark> = spans
        .into_iter()
        .flat_map(|span| lines.marks(span))
        .collect();
    out.sort_by_key(|mark| (mark.line, mark.start, mark.meaning));
    out
}

/// The lines of a text by where they start.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Lines { text, starts }
    }

    /// A piece of the text as pieces of lines. A piece that ends on another line is marked on its first and on its last line.
    fn marks(&self, (start, end, meaning): (usize, usize, Meaning)) -> Vec<Mark> {
        let line_of = |at: usize| {
            self.starts
                .partition_point(|start| *start <= at)
                .saturating_sub(1)
        };
        let (first, last) = (line_of(start), line_of(end.saturating_sub(1).max(start)));
        let lines = if first == last {
            vec![first]
        } else {
            vec![first, last]
        };
        lines
            .into_iter()
            .filter_map(|line| self.mark(line, start, end, meaning))
            .collect()
    }

    fn mark(&self, line: usize, start: usize, end: usize, meaning: Meaning) -> Option<Mark> {
        let from = *self.starts.get(line)?;
        let to = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        let (start, end) = (start.max(from), end.min(to));
        // A place that is none of this text marks nothing.
        let before = self
            .text
            .get(from..start)
            .filter(|before| before.len() <= FARTHEST)?;
        let inside = self
            .text
            .get(start..end)
            .filter(|inside| !inside.is_empty())?;
        let shown = visible(before).len();
        Some(Mark {
            line,
            start: shown,
            end: shown + visible(inside).len(),
            meaning,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_lines_that_are_shown() {
        let text = "ls\u{1b}x\n\u{202e} rm -r build\nend";
        let at = text.find("build").unwrap();
        let lines = Lines::of(text);
        let shown: Vec<String> = text
            .split('\n')
            .map(|line| visible(line).into_owned())
            .collect();
        let marks = lines.marks((at, at + 5, Meaning::Deletes));
        assert_eq!(marks.len(), 1);
        assert_eq!(
            shown[marks[0].line].get(marks[0].start..marks[0].end),
            Some("build")
        );
        let across = lines.marks((0, text.len(), Meaning::Unclear));
        assert_eq!(
            across
                .iter()
                .map(|mark| &shown[mark.line][mark.start..mark.end])
                .collect::<Vec<_>>(),
            ["ls␛x", "end"]
        );
        for (start, end) in [
            (0, 0),
            (7, 5),
            (500, 600),
            (usize::MAX, usize::MAX),
            (0, usize::MAX),
            (text.find('\u{202e}').unwrap() + 1, 12),
        ] {
            for mark in lines.marks((start, end, Meaning::Runs)) {
                assert!(
                    shown[mark.line].get(mark.start..mark.end).is_some(),
                    "{start} {end} {mark:?}"
                );
            }
        }
    }
}
