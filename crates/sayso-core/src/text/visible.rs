//! Shows text that somebody else wrote: nothing in it can move the cursor, hide, or turn the reading direction.
//!
//! Two different texts never look the same because of the spelling: control characters become their pictures
//! (`␛`), every other hidden character becomes its code (`‹U+202E›`), and so do the pictures and the `‹` themselves.

use std::borrow::Cow;

/// Opens a spelled-out code; spelled out itself, so that a written `‹U+202E›` is told from the real character.
const OPENER: char = '\u{2039}';
/// Closes a spelled-out code.
const CLOSER: char = '\u{203A}';

/// The text on one line, with every character that is not plainly visible spelled out.
pub fn visible(text: &str) -> Cow<'_, str> {
    match text.find(is_spelled) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(spell(text, |_| false)),
    }
}

/// The same for text of several lines: a line feed stays a line break.
pub fn visible_block(text: &str) -> String {
    spell(text, |character| character == '\n')
}

/// The same for text on one line that was made visible before, such as what the record keeps of a call: its spelling is not spelled out again.
pub fn visible_again(text: &str) -> String {
    spell(text, |character| {
        is_spelled(character) && !is_hidden(character)
    })
}

/// Whether the text holds a character that [`visible`] spells out, other than a line feed or a tab.
pub fn has_hidden(text: &str) -> bool {
    text.chars()
        .any(|character| !matches!(character, '\n' | '\t') && is_spelled(character))
}

/// Whether [`visible`] spells a character out for what it is, and not because the spelling itself is made of it.
pub fn is_hidden(character: char) -> bool {
    is_spelled(character) && !matches!(character, OPENER | '\u{2400}'..='\u{2421}')
}

fn spell(text: &str, kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if kept(character) || !is_spelled(character) {
            out.push(character);
            continue;
        }
        match picture(character) {
            Some(picture) => out.push(picture),
            None => {
                out.push(OPENER);
                out.push_str(&format!("U+{:04X}", u32::from(character)));
                out.push(CLOSER);
            }
        }
    }
    out
}

/// The Unicode control picture of an ASCII control character.
fn picture(character: char) -> Option<char> {
    match character {
        '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(character)),
        '\u{7F}' => Some('\u{2421}'),
        _ => None,
    }
}

fn is_spelled(character: char) -> bool {
    match character {
        ' '..='~' => false,
        // What the spelling itself is made of.
        OPENER | '\u{2400}'..='\u{2421}' => true,
        _ => {
            character.is_control()
                || is_invisible(character)
                || is_odd_space(character)
                || is_unassignable(character)
        }
    }
}

/// Format characters and fillers: they take no room, or turn the direction, or choose a variant.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        // Zero-width spaces and joiners, direction marks, embeddings, isolates, invisible operators.
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFC}'
        // Fillers and format controls of single scripts and of music.
        | '\u{13430}'..='\u{1343F}' | '\u{16FE4}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D159}' | '\u{1D173}'..='\u{1D17A}'
        // Tags and the second block of variation selectors.
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Spaces other than U+0020, and the braille cell without dots, which looks like one.
fn is_odd_space(character: char) -> bool {
    matches!(
        character,
        '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{2800}' | '\u{3000}'
    )
}

/// Private use and noncharacters: no font and no reader can know what they show.
fn is_unassignable(character: char) -> bool {
    let code = u32::from(character);
    matches!(code, 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xF0000..=0x10_FFFF)
        || code & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Undoes `visible`; `None` when the text is not something `visible` writes.
    fn unspell(shown: &str) -> Option<String> {
        let mut out = String::new();
        let mut characters = shown.chars();
        while let Some(character) = characters.next() {
            match character {
                '\u{2400}'..='\u{241F}' => out.push(char::from_u32(u32::from(character) - 0x2400)?),
                '\u{2421}' => out.push('\u{7F}'),
                OPENER => {
                    let code: String = characters
                        .by_ref()
                        .take_while(|next| *next != CLOSER)
                        .collect();
                    out.push(char::from_u32(
                        u32::from_str_radix(code.strip_prefix("U+")?, 16).ok()?,
                    )?);
                }
                _ => out.push(character),
            }
        }
        Some(out)
    }

    fn any_text() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            any::<char>(),
            prop::char::range('\0', '\u{FF}'),
            prop::char::range('\u{2000}', '\u{206F}'),
            prop::char::range('\u{2400}', '\u{2426}'),
            prop::sample::select(vec![
                OPENER,
                CLOSER,
                'U',
                '+',
                '2',
                '0',
                'E',
                '\u{202E}',
                '\u{E0041}',
                '\u{FEFF}'
            ]),
        ];
        prop::collection::vec(character, 0..40).prop_map(|list| list.into_iter().collect())
    }

    #[test]
    fn table() {
        for (text, shown) in [
            ("", ""),
            ("plain text, ünïcödé 漢字 🦀", "plain text, ünïcödé 漢字 🦀"),
            ("\u{1B}[2K\r", "␛[2K␍"),
            ("a\tb\nc\0\u{7F}", "a␉b␊c␀␡"),
            ("␛ \u{2420} \u{2421}", "‹U+241B› ‹U+2420› ‹U+2421›"),
            ("‹U+202E›", "‹U+2039›U+202E›"),
            ("\u{202E}exe\u{2066}", "‹U+202E›exe‹U+2066›"),
            (
                "\u{85}\u{9B}\u{A0}\u{AD}\u{2028}",
                "‹U+0085›‹U+009B›‹U+00A0›‹U+00AD›‹U+2028›",
            ),
            (
                "\u{FEFF}\u{E000}\u{FFFE}\u{1FFFF}\u{E0041}\u{10FFFD}",
                "‹U+FEFF›‹U+E000›‹U+FFFE›‹U+1FFFF›‹U+E0041›‹U+10FFFD›",
            ),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(unspell(shown).as_deref(), Some(text));
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
        assert_eq!(visible_block("a\n\tb\r\n"), "a\n␉b␍\n");
        assert!(!has_hidden("a\n\tb"));
        assert!(has_hidden("a\rb") && has_hidden("a\u{200B}b") && has_hidden("\u{1B}"));
    }

    #[test]
    fn every_hidden_range_is_spelled() {
        let ranges: &[(u32, u32)] = &[
            (0, 0x1F),
            (0x7F, 0xA0),
            (0xAD, 0xAD),
            (0x34F, 0x34F),
            (0x61C, 0x61C),
            (0x115F, 0x1160),
            (0x1680, 0x1680),
            (0x17B4, 0x17B5),
            (0x180B, 0x180F),
            (0x2000, 0x200F),
            (0x2028, 0x202F),
            (0x205F, 0x2064),
            (0x2066, 0x2069),
            (0x3000, 0x3000),
            (0x3164, 0x3164),
            (0xE000, 0xF8FF),
            (0xFDD0, 0xFDEF),
            (0xFE00, 0xFE0F),
            (0xFEFF, 0xFEFF),
            (0xFFA0, 0xFFA0),
            (0xFFF9, 0xFFFB),
            (0xFFFE, 0xFFFF),
            (0xE0000, 0xE0FFF),
            (0xF0000, 0x10FFFF),
        ];
        for code in ranges.iter().flat_map(|(first, last)| *first..=*last) {
            let character = char::from_u32(code).expect("no surrogates in the table");
            let shown = visible(character.encode_utf8(&mut [0; 4])).into_owned();
            assert!(
                !shown.contains(character),
                "U+{code:04X} shows as {shown:?}"
            );
        }
    }

    #[test]
    fn no_two_characters_look_the_same() {
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        let shown: std::collections::HashSet<String> = all
            .iter()
            .map(|one| visible(&one.to_string()).into_owned())
            .collect();
        assert_eq!(shown.len(), all.len());
    }

    proptest! {
        #[test]
        fn spelling_can_be_undone(text in any_text()) {
            prop_assert_eq!(unspell(&visible(&text)), Some(text));
        }

        #[test]
        fn different_texts_look_different(left in any_text(), right in any_text()) {
            prop_assert_eq!(visible(&left) == visible(&right), left == right);
        }

        #[test]
        fn nothing_hidden_is_left(text in any_text()) {
            // The pictures and the opener are what the spelling is made of; everything else must be gone.
            let made_of = |character: char| matches!(character, OPENER | '\u{2400}'..='\u{2421}');
            prop_assert!(!visible(&text).chars().any(|one| is_spelled(one) && !made_of(one)));
            prop_assert!(!visible_block(&text).chars().any(|one| one != '\n' && is_spelled(one) && !made_of(one)));
        }

        #[test]
        fn printable_ascii_is_left_alone(text in "[ -~]{0,60}") {
            prop_assert!(matches!(visible(&text), Cow::Borrowed(same) if same == text));
            prop_assert!(!has_hidden(&text));
        }

        #[test]
        fn a_block_is_its_lines(text in any_text()) {
            let lines: Vec<String> = text.split('\n').map(|line| visible(line).into_owned()).collect();
            prop_assert_eq!(visible_block(&text), lines.join("\n"));
        }
    }
}
