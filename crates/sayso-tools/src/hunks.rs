//! The hunks of a change to a text, numbered as people see them, and the way back for some of them in a text that others changed since.

use std::ops::Range;

use similar::TextDiff;

/// How many lines around a change belong to its hunk.
const CONTEXT: usize = 3;

/// One hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Its number, from 1.
    pub number: usize,
    /// As a diff, with a line that says where it is.
    pub diff: String,
    old: Range<usize>,
    new: Range<usize>,
}

/// The hunks that lead from one text to another.
pub fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&old, &new);
    let mut shown = diff.unified_diff();
    let hunks = shown.context_radius(CONTEXT).iter_hunks();
    hunks
        .enumerate()
        .filter_map(|(index, hunk)| {
            let (first, last) = (hunk.ops().first()?, hunk.ops().last()?);
            Some(Hunk {
                number: index + 1,
                old: first.old_range().start..last.old_range().end,
                new: first.new_range().start..last.new_range().end,
                diff: hunk.to_string(),
            })
        })
        .collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A hunk cannot be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkError {
    /// There is none with this number.
    Unknown(usize),
    /// The text around it is not the same any more, or is there more than once.
    Moved(usize),
}

/// Takes hunks back in a text that may have been changed since. Each must stand there with the lines around it exactly once.
///
/// # Errors
/// Which hunk cannot be taken back; then none is.
pub fn take_back(old: &str, new: &str, now: &str, wanted: &[usize]) -> Result<String, HunkError> {
    let all = hunks(old, new);
    let (old, new) = (lines(old), lines(new));
    let mut now: Vec<&str> = lines(now);
    let is_as_left = now == new;
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    // From the last one on, so that the places of those before it stay.
    for number in wanted.into_iter().rev() {
        let hunk = number.checked_sub(1).and_then(|index| all.get(index));
        let hunk = hunk.ok_or(HunkError::Unknown(number))?;
        let was = old.get(hunk.old.clone()).unwrap_or_default();
        let is = new.get(hunk.new.clone()).unwrap_or_default();
        let at = match is_as_left {
            true => Some(hunk.new.start),
            false => only_place(&now, is),
        };
        let at = at.ok_or(HunkError::Moved(number))?;
        now.splice(at..at + is.len(), was.iter().copied());
    }
    Ok(now.concat())
}

/// Where lines stand in a text, if that is one place.
fn only_place(text: &[&str], lines: &[&str]) -> Option<usize> {
    if lines.is_empty() {
        return text.is_empty().then_some(0);
    }
    let mut places = text
        .windows(lines.len())
        .enumerate()
        .filter(|(_, window)| *window == lines)
        .map(|(index, _)| index);
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// The hunks that could be taken back in a text now.
pub fn fitting(old: &str, new: &str, now: &str) -> Vec<usize> {
    hunks(old, new)
        .iter()
        .map(|hunk| hunk.number)
        .filter(|number| take_back(old, new, now, &[*number]).is_ok())
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::*;

    fn text(lines: std::ops::RangeInclusive<u32>) -> String {
        lines.map(|line| format!("line {line}\n")).collect()
    }

    #[test]
    fn each_hunk_is_taken_back_by_itself() {
        let old = text(1..=30);
        let new = old
            .replace("line 3\n", "three\n")
            .replace("line 20\n", "")
            .replace("line 28\n", "line 28\nmore\n");
        let all = hunks(&old, &new);
        assert_eq!(all.len(), 3);
        assert!(all[0].diff.contains("-line 3\n+three\n"), "{}", all[0].diff);
        assert_eq!(take_back(&old, &new, &new, &[1, 2, 3]).unwrap(), old);
        let one = take_back(&old, &new, &new, &[2]).unwrap();
        assert!(one.contains("line 20\n") && one.contains("three\n") && one.contains("more\n"));
        assert_eq!(
            take_back(&old, &new, &new, &[4]),
            Err(HunkError::Unknown(4))
        );
        assert_eq!(
            take_back(&old, &new, &new, &[0]),
            Err(HunkError::Unknown(0))
        );
    }

    #[test]
    fn a_hunk_is_found_again_where_lines_came_before_it_and_refused_where_it_changed() {
        let old = text(1..=30);
        let new = old
            .replace("line 5\n", "five\n")
            .replace("line 25\n", "twenty-five\n");
        let now = format!("// a new start\n{}", new.replace("line 24\n", "mine\n"));
        let back = take_back(&old, &new, &now, &[1]).unwrap();
        assert!(back.starts_with("// a new start\nline 1\n") && back.contains("line 5\n"));
        assert!(back.contains("mine\n") && back.contains("twenty-five\n"));
        assert_eq!(take_back(&old, &new, &now, &[2]), Err(HunkError::Moved(2)));
        assert_eq!(
            take_back(&old, &new, &now, &[1, 2]),
            Err(HunkError::Moved(2))
        );
        assert_eq!(fitting(&old, &new, &now), [1]);
        // Twice the same text is no place.
        let twice = format!("{new}{new}x");
        assert_eq!(fitting(&old, &new, &twice), [] as [usize; 0]);
    }

    #[test]
    fn ends_of_lines_and_of_the_text_stay_as_they_are() {
        for (old, new) in [
            ("a\r\nb\r\n", "a\r\nc"),
            ("a", "a\n"),
            ("", "x\n"),
            ("x\n", ""),
            ("a\n\n\nb", "a\nb\n"),
        ] {
            assert_eq!(take_back(old, new, new, &[1]).unwrap(), old, "{old:?}");
        }
    }
}
