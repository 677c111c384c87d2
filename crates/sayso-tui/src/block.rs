//! A block of lines on the screen: folded to its width, and it remembers which rows somebody has had before them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::fold::{self, GOES_ON, Spans};
use crate::theme::Theme;

/// Lines, and the rows they fill.
#[derive(Clone, Debug, Default)]
pub struct Block {
    lines: Vec<Spans>,
    rows: Vec<Spans>,
    width: Option<u16>,
    seen: Vec<bool>,
    unseen: usize,
}

impl Block {
    /// A block of these lines.
    pub fn new(lines: Vec<Spans>) -> Self {
        let unseen = lines.len();
        Block {
            lines,
            unseen,
            ..Block::default()
        }
    }

    /// How many rows it fills at a width.
    pub fn height(&mut self, width: u16) -> usize {
        if self.width != Some(width) {
            let all_seen = self.width.is_some() && self.unseen == 0;
            self.rows = self
                .lines
                .iter()
                .flat_map(|line| fold::fold(line, usize::from(width), GOES_ON))
                .collect();
            self.seen = vec![all_seen; self.rows.len()];
            // Which rows were seen at another width says little about these.
            self.unseen = if all_seen { 0 } else { self.rows.len() };
            self.width = Some(width);
        }
        self.rows.len()
    }

    /// Draws the rows from `top` on.
    pub fn draw(&mut self, top: usize, area: Rect, buffer: &mut Buffer, theme: Theme) {
        self.height(area.width);
        let shown = self
            .rows
            .iter()
            .zip(&mut self.seen)
            .skip(top)
            .take(usize::from(area.height));
        for ((row, seen), y) in shown.zip(area.y..) {
            fold::put(buffer, area.x, y, usize::from(area.width), row, theme);
            if !*seen {
                *seen = true;
                self.unseen -= 1;
            }
        }
    }

    /// How many rows were not on the screen yet; lines, before anything was.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// How many rows it filled when it was last measured.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Tone;

    #[test]
    fn what_was_shown_is_seen_and_the_rest_is_not() {
        let mut block = Block::new(
            (0..10)
                .map(|at| fold::line(Tone::Text, format!("line {at}")))
                .collect(),
        );
        assert_eq!(block.unseen(), 10);
        let area = Rect::new(0, 0, 20, 4);
        let mut buffer = Buffer::empty(area);
        block.draw(0, area, &mut buffer, Theme::PLAIN);
        assert_eq!(block.unseen(), 6);
        block.draw(2, area, &mut buffer, Theme::PLAIN);
        assert_eq!(block.unseen(), 4);
        // At another width, what was seen in part is not seen.
        assert_eq!(block.height(5), 20);
        assert_eq!(block.unseen(), 20);
        block.draw(
            0,
            Rect::new(0, 0, 5, 30),
            &mut Buffer::empty(Rect::new(0, 0, 5, 30)),
            Theme::PLAIN,
        );
        assert_eq!(block.unseen(), 0);
        block.height(7);
        assert_eq!(block.unseen(), 0, "all of it was seen before");
    }
}
