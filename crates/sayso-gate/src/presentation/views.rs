//! The two ways a diff is read: one line under the other, and the old beside the new.

use sayso_core::prompt::presentation::{Change, Diff, DiffLine};

/// One line under the other, each with its sign, and a line with numbers before each changed place.
pub fn unified(diff: &Diff) -> Vec<String> {
    let mut out = Vec::new();
    for hunk in &diff.hunks {
        out.push(hunk.heading());
        out.extend(
            hunk.lines
                .iter()
                .map(|line| format!("{}{}", line.change.sign(), line.text())),
        );
    }
    out
}

/// The old beside the new: what goes stands beside what comes in its place.
pub fn side_by_side(diff: &Diff) -> Vec<(Option<DiffLine>, Option<DiffLine>)> {
    let mut out = Vec::new();
    for hunk in &diff.hunks {
        let (mut gone, mut come): (Vec<&DiffLine>, Vec<&DiffLine>) = (Vec::new(), Vec::new());
        for line in &hunk.lines {
            match line.change {
                Change::Removed if come.is_empty() => gone.push(line),
                Change::Added => come.push(line),
                _ => {
                    pair(&mut gone, &mut come, &mut out);
                    match line.change {
                        Change::Removed => gone.push(line),
                        _ => out.push((Some(line.clone()), Some(line.clone()))),
                    }
                }
            }
        }
        pair(&mut gone, &mut come, &mut out);
    }
    out
}

fn pair(
    gone: &mut Vec<&DiffLine>,
    come: &mut Vec<&DiffLine>,
    out: &mut Vec<(Option<DiffLine>, Option<DiffLine>)>,
) {
    let at = |lines: &[&DiffLine], index: usize| lines.get(index).map(|line| (*line).clone());
    out.extend((0..gone.len().max(come.len())).map(|index| (at(gone, index), at(come, index))));
    gone.clear();
    come.clear();
}
