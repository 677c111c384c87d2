//! Turns the parser's positions, which count characters, into byte positions.

/// One mark is kept for this many characters; finding a byte costs at most as many steps.
const STRIDE: usize = 64;

/// A text with the byte position of every 64th character.
pub(super) struct Positions<'a> {
    text: &'a str,
    /// Empty for ASCII text, where both counts are the same.
    marks: Vec<usize>,
}

impl<'a> Positions<'a> {
    pub fn new(text: &'a str) -> Self {
        let marks = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices()
                .step_by(STRIDE)
                .map(|(at, _)| at)
                .collect()
        };
        Positions { text, marks }
    }

    /// The byte position of a character; the length of the text for any position behind the last.
    pub fn byte(&self, character: usize) -> usize {
        if self.marks.is_empty() {
            return character.min(self.text.len());
        }
        let Some(mark) = self.marks.get(character / STRIDE) else {
            return self.text.len();
        };
        let rest = self.text.get(*mark..).unwrap_or("");
        rest.char_indices()
            .nth(character % STRIDE)
            .map_or(self.text.len(), |(at, _)| mark + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_counting(text in "[a-cé漢🦀]{0,300}", beyond in 0_usize..3) {
            let positions = Positions::new(&text);
            let length = text.chars().count();
            for (index, (at, _)) in text.char_indices().enumerate() {
                prop_assert_eq!(positions.byte(index), at);
            }
            prop_assert_eq!(positions.byte(length + beyond), text.len());
        }
    }
}
