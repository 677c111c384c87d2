//! Where numbers, signs and text stand in a row of a given width.

use super::document::Kind;

/// Narrower than this, two texts beside each other help nobody.
pub(super) const NARROWEST_PAIR: u16 = 60;
/// From this width on, a change is shown side by side unless somebody says otherwise (Z-49).
pub(super) const WIDE: u16 = 120;
/// Numbers are left out where less than this would be left for the text.
const LEAST_TEXT: u16 = 24;
/// The sign and the place behind it.
const SIGN: u16 = 2;

/// The columns of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Where it starts.
    pub left: u16,
    /// For the number in the old file; 0 shows none.
    pub old: u16,
    /// For the number in the new file; 0 shows none.
    pub new: u16,
    /// For the sign, and for what says that a line goes on; 0 where there is no room at all.
    pub sign: u16,
    /// For the text, at least 1.
    pub text: u16,
}

impl Columns {
    /// A line over the whole width.
    pub fn full(kind: Kind, digits: (u16, u16), width: u16) -> Columns {
        let (old, new) = if kind.is_of_file() { digits } else { (0, 0) };
        Columns::fit(0, old, new, width)
    }

    /// The old one of two.
    pub fn old(digits: (u16, u16), width: u16) -> Columns {
        Columns::fit(0, digits.0, 0, half(width))
    }

    /// The new one of two.
    pub fn new(digits: (u16, u16), width: u16) -> Columns {
        Columns::fit(
            half(width) + 1,
            0,
            digits.1,
            width.saturating_sub(half(width) + 1),
        )
    }

    fn fit(left: u16, old: u16, new: u16, width: u16) -> Columns {
        let sign = if width > SIGN + 1 { SIGN } else { 0 };
        let with = |old: u16, new: u16| {
            let numbers = if old > 0 { old + 1 } else { 0 } + if new > 0 { new + 1 } else { 0 };
            (old, new, width.saturating_sub(numbers + sign))
        };
        let (old, new, text) = [with(old, new), with(0, new)]
            .into_iter()
            .find(|(_, _, text)| *text >= LEAST_TEXT)
            .unwrap_or(with(0, 0));
        Columns {
            left,
            old,
            new,
            sign,
            text: text.max(1),
        }
    }

    /// Where the sign stands.
    pub fn sign_at(&self) -> u16 {
        self.left
            + if self.old > 0 { self.old + 1 } else { 0 }
            + if self.new > 0 { self.new + 1 } else { 0 }
    }

    /// Where the text starts.
    pub fn text_at(&self) -> u16 {
        self.sign_at() + self.sign
    }
}

/// Where the line between the old and the new stands.
pub(super) fn half(width: u16) -> u16 {
    width.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_width_and_no_more() {
        for width in 0..300u16 {
            for digits in [(0, 0), (0, 3), (4, 4), (6, 7)] {
                let full = Columns::full(Kind::Added, digits, width);
                assert_eq!(full.text_at() + full.text, width.max(1), "{full:?}");
                if width >= NARROWEST_PAIR {
                    let (old, new) = (Columns::old(digits, width), Columns::new(digits, width));
                    assert_eq!(old.text_at() + old.text, half(width));
                    assert_eq!(new.text_at() + new.text, width);
                }
            }
        }
        assert_eq!(
            Columns::full(Kind::Same, (3, 3), 80),
            Columns {
                left: 0,
                old: 3,
                new: 3,
                sign: 2,
                text: 70
            }
        );
        assert_eq!(Columns::full(Kind::Note, (3, 3), 80).text, 78);
    }
}
