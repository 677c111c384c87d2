//! Markdown with nothing left out: every character of a line stays, and only its tone says what it is. So no text can hide in it, and a link
//! shows where it leads.

use sayso_core::text::visible::visible;

use crate::fold::Spans;
use crate::theme::Tone;

/// Where a text is: inside of a block of code, or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    /// The sign that opened the block, and how many there were.
    fence: Option<(char, usize)>,
}

impl Markdown {
    /// One line, without its end.
    pub fn line(&mut self, text: &str) -> Spans {
        let text = blank_tabs(text.trim_end_matches('\r'));
        let text = visible(&text);
        let bare = text.trim_start();
        let sign = bare.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        let count = sign.map_or(0, |sign| {
            bare.chars().take_while(|one| *one == sign).count()
        });
        match (self.fence, sign) {
            (Some((open, least)), Some(sign))
                if sign == open
                    && count >= least
                    && bare.trim_end().chars().all(|one| one == sign) =>
            {
                self.fence = None;
                return vec![(Tone::Faint, text.into_owned())];
            }
            (Some(_), _) => return vec![(Tone::Quoted, text.into_owned())],
            (None, Some(sign)) if count >= 3 => {
                self.fence = Some((sign, count));
                return vec![(Tone::Faint, text.into_owned())];
            }
            _ => {}
        }
        let level = bare.chars().take_while(|one| *one == '#').count();
        if (1..=6).contains(&level) && bare.chars().nth(level).is_none_or(|one| one == ' ') {
            return vec![(Tone::Strong, text.into_owned())];
        }
        if bare.starts_with('>') {
            return vec![(Tone::Comment, text.into_owned())];
        }
        inline(&text)
    }
}

/// The only signs that are not shown as they are: blanks stand for a tab.
pub(super) fn blank_tabs(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains('\t') {
        true => text.replace('\t', "    ").into(),
        false => text.into(),
    }
}

/// Code, strong words and links inside of a line.
fn inline(text: &str) -> Spans {
    let mut out: Spans = Vec::new();
    let mut rest = text;
    let mut plain = 0;
    while let Some(at) = rest
        .get(plain..)
        .and_then(|behind| behind.find(['`', '*', '[', '<']))
        .map(|at| at + plain)
    {
        let behind = rest.get(at..).unwrap_or_default();
        match piece(behind) {
            Some((tone, length)) => {
                push(&mut out, Tone::Text, rest.get(..at).unwrap_or_default());
                push(&mut out, tone, behind.get(..length).unwrap_or_default());
                rest = behind.get(length..).unwrap_or_default();
                plain = 0;
            }
            None => plain = at + behind.chars().next().map_or(1, char::len_utf8),
        }
    }
    push(&mut out, Tone::Text, rest);
    out
}

fn push(out: &mut Spans, tone: Tone, text: &str) {
    match out.last_mut().filter(|(last, _)| *last == tone) {
        Some((_, known)) => known.push_str(text),
        None if text.is_empty() => {}
        None => out.push((tone, text.to_owned())),
    }
}

/// What starts here, and how many bytes it has.
fn piece(text: &str) -> Option<(Tone, usize)> {
    if text.starts_with('`') {
        let count = text.bytes().take_while(|byte| *byte == b'`').count();
        let end = text.get(count..)?.find(&"`".repeat(count))?;
        return Some((Tone::Quoted, count + end + count));
    }
    if let Some(rest) = text.strip_prefix("**") {
        let end = rest
            .find("**")
            .filter(|end| *end > 0 && !rest.starts_with(' '))?;
        return Some((Tone::Strong, end + 4));
    }
    if text.starts_with('[') {
        let middle = text.find("](")?;
        let end = text.get(middle..)?.find(')')?;
        return Some((Tone::Heading, middle + end + 1));
    }
    let end = text.strip_prefix('<')?.find('>')?;
    let inner = text.get(1..=end)?;
    (inner.starts_with("http://") || inner.starts_with("https://"))
        .then_some((Tone::Heading, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tones(text: &str) -> Vec<(Tone, String)> {
        Markdown::default().line(text)
    }

    #[test]
    fn tones_say_what_is_what() {
        assert_eq!(tones("# Title"), [(Tone::Strong, "# Title".to_owned())]);
        assert_eq!(tones("#!/bin/sh")[0].0, Tone::Text);
        let line = tones("a **b** `c *d*` [good](https://evil.example) e");
        let of = |tone: Tone| {
            line.iter()
                .filter(|(one, _)| *one == tone)
                .map(|(_, text)| text.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(Tone::Strong), ["**b**"]);
        assert_eq!(of(Tone::Quoted), ["`c *d*`"]);
        assert_eq!(
            of(Tone::Heading),
            ["[good](https://evil.example)"],
            "a link shows where it leads"
        );
        assert_eq!(
            tones("2 * 3 ** 4 [x] <b>"),
            [(Tone::Text, "2 * 3 ** 4 [x] <b>".to_owned())]
        );
        let mut block = Markdown::default();
        let lines =
            ["```sh", "# no title", "```x", "````", "text"].map(|line| block.line(line)[0].0);
        assert_eq!(
            lines,
            [
                Tone::Faint,
                Tone::Quoted,
                Tone::Quoted,
                Tone::Faint,
                Tone::Text
            ]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_left_out_and_no_tone_is_of_sayso(lines in prop::collection::vec("[`*#>~\\[\\]()<! a-c\u{1b}\u{202e}:/h.t-]{0,40}|.{0,30}", 0..8)) {
            let mut state = Markdown::default();
            for line in lines {
                let line = line.replace(['\n', '\r'], "");
                let spans = state.line(&line);
                let all: String = spans.iter().map(|(_, text)| text.as_str()).collect();
                prop_assert_eq!(all, visible(&blank_tabs(&line)).into_owned());
                let allowed = [Tone::Text, Tone::Strong, Tone::Faint, Tone::Quoted, Tone::Heading, Tone::Comment];
                prop_assert!(spans.iter().all(|(tone, _)| allowed.contains(tone)));
            }
        }
    }
}
