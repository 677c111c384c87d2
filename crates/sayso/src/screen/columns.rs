//! Lists for people: columns side by side, the last one cut where the line ends.

use sayso_core::text::visible::visible;

/// A line is never cut to less than this.
const NARROWEST: usize = 40;

/// Rows of cells as lines of text. The first row is the head. Every cell is made visible.
pub fn columns(head: &[&str], rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let rows: Vec<Vec<String>> =
        std::iter::once(head.iter().map(|cell| (*cell).to_owned()).collect())
            .chain(
                rows.iter()
                    .map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect()),
            )
            .collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|at| {
            rows.iter()
                .filter_map(|row| row.get(at))
                .map(|cell| long(cell))
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if at > 0 {
                line.push_str("  ");
            }
            line.push_str(cell);
            if at + 1 < row.len() {
                line.extend(std::iter::repeat_n(' ', width.saturating_sub(long(cell))));
            }
        }
        cut(line.trim_end(), width.map(|width| width.max(NARROWEST)))
    };
    rows.iter().map(line).collect()
}

fn long(text: &str) -> usize {
    text.chars().count()
}

fn cut(line: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if long(line) > width => line
            .chars()
            .take(width.saturating_sub(1))
            .chain(['…'])
            .collect(),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_under_each_other_and_the_end_is_cut() {
        let rows = vec![
            vec!["a".to_owned(), "x\u{1b}[2J".to_owned()],
            vec!["longer".to_owned(), "y".repeat(80)],
        ];
        let lines = columns(&["ID", "WHAT"], &rows, Some(50));
        assert_eq!(lines[0], "ID      WHAT");
        assert!(
            lines[1].starts_with("a       x") && !lines[1].contains('\u{1b}'),
            "{}",
            lines[1]
        );
        assert_eq!(lines[2].chars().count(), 50);
        assert!(lines[2].ends_with('…'));
    }
}
