//! What was said, from the first to the last: it scrolls, and only what is on the screen is measured, however long it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::item::Item;
use crate::fold;
use crate::key::Key;
use crate::theme::Theme;

/// A place: an item, and a row of it.
type Place = (usize, usize);

/// What was said.
#[derive(Debug, Default)]
pub struct Transcript {
    items: Vec<Item>,
    /// The first row on the screen; none while the end is followed.
    top: Option<Place>,
    /// The first row of the last frame.
    shown: Place,
    width: u16,
    height: u16,
    /// Whether what tools brought shows whole.
    open: bool,
}

impl Transcript {
    /// Adds something; its number.
    pub fn add(&mut self, item: Item) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    /// One of them.
    pub fn item(&mut self, number: usize) -> Option<&mut Item> {
        self.items.get_mut(number)
    }

    /// Takes the last one away where nothing was said in it.
    pub fn drop_empty(&mut self) {
        if self.items.last().is_some_and(Item::is_empty) {
            self.items.pop();
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether the end is on the screen.
    pub fn follows(&self) -> bool {
        self.top.is_none()
    }

    /// Goes to the end, and stays there.
    pub fn follow(&mut self) {
        self.top = None;
    }

    /// Shows what tools brought whole, or folds it.
    pub fn toggle(&mut self) {
        self.open = !self.open;
    }

    fn height_of(&mut self, number: usize) -> usize {
        let (width, open) = (self.width, self.open);
        self.items
            .get_mut(number)
            .map_or(0, |item| item.height(width, open))
    }

    /// The place so many rows before another.
    fn before(&mut self, (mut number, mut row): Place, mut rows: usize) -> Place {
        loop {
            if rows <= row {
                return (number, row - rows);
            }
            rows -= row;
            let Some(above) = number.checked_sub(1) else {
                return (0, 0);
            };
            number = above;
            row = self.height_of(number);
        }
    }

    /// The first row where the last one stands at the bottom.
    fn last_top(&mut self) -> Place {
        let end = (self.items.len(), 0);
        self.before(end, usize::from(self.height))
    }

    /// Scrolls; false for a key that scrolls nothing.
    pub fn scroll(&mut self, key: &Key) -> bool {
        let page = usize::from(self.height.saturating_sub(2).max(1));
        let from = self.top.unwrap_or(self.shown);
        match key {
            Key::PageUp => self.top = Some(self.before(from, page)),
            Key::PageDown if self.top.is_some() => self.top = Some(self.behind(from, page)),
            Key::PageDown => {}
            _ => return false,
        }
        if self.top.is_some_and(|top| top >= self.last_top()) {
            self.top = None;
        }
        true
    }

    /// The place so many rows behind another.
    fn behind(&mut self, (mut number, mut row): Place, mut rows: usize) -> Place {
        loop {
            let left = self.height_of(number).saturating_sub(row);
            if rows < left || number >= self.items.len() {
                return (number, row + rows);
            }
            rows -= left;
            (number, row) = (number + 1, 0);
        }
    }

    /// Draws what shows of it.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        (self.width, self.height) = (area.width, area.height);
        let last = self.last_top();
        if self.top.is_some_and(|top| top >= last) {
            self.top = None;
        }
        self.shown = self.top.unwrap_or(last);
        let (mut number, mut skip) = self.shown;
        let mut y = area.y;
        while y < area.bottom() {
            let (width, open) = (self.width, self.open);
            let Some(item) = self.items.get_mut(number) else {
                break;
            };
            for row in item.rows(width, open).iter().skip(skip) {
                if y >= area.bottom() {
                    break;
                }
                fold::put(buffer, area.x, y, usize::from(width), row, theme);
                y += 1;
            }
            (number, skip) = (number + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::line;
    use crate::theme::Tone;

    fn rows(transcript: &mut Transcript, width: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        transcript.draw(area, &mut buffer, Theme::PLAIN);
        let row = |y: u16| {
            (0..width)
                .map(|x| buffer[(x, y)].symbol().to_owned())
                .collect::<String>()
                .trim_end()
                .to_owned()
        };
        (0..height).map(row).collect()
    }

    #[test]
    fn the_end_is_followed_until_somebody_scrolls() {
        let mut transcript = Transcript::default();
        for at in 0..100 {
            transcript.add(Item::note(vec![line(Tone::Text, format!("note {at}"))]));
        }
        assert_eq!(
            rows(&mut transcript, 20, 3),
            ["note 97", "note 98", "note 99"]
        );
        assert!(transcript.scroll(&Key::PageUp) && !transcript.follows());
        assert_eq!(rows(&mut transcript, 20, 3)[0], "note 96");
        transcript.add(Item::note(vec![line(Tone::Text, "new")]));
        assert_eq!(
            rows(&mut transcript, 20, 3)[0],
            "note 96",
            "what comes does not move what is read"
        );
        for _ in 0..200 {
            transcript.scroll(&Key::PageUp);
        }
        assert_eq!(rows(&mut transcript, 20, 3)[0], "note 0");
        for _ in 0..200 {
            transcript.scroll(&Key::PageDown);
        }
        assert!(transcript.follows());
        assert_eq!(rows(&mut transcript, 20, 3)[2], "new");
    }

    #[test]
    fn any_size_is_drawn() {
        let mut transcript = Transcript::default();
        transcript.add(Item::person("a\nb"));
        let mut words = Item::words();
        words.more("some words that are folded, and `code`");
        transcript.add(words);
        for width in 1..30 {
            for height in 0..6 {
                rows(&mut transcript, width, height);
                transcript.scroll(&Key::PageUp);
                transcript.scroll(&Key::PageDown);
            }
        }
    }
}
