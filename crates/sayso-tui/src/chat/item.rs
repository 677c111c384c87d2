//! One thing of a conversation on the screen: lines behind a mark that says whose they are, folded for a width when somebody looks.

use sayso_core::text::count::count;
use sayso_core::text::visible::visible;

use super::markdown::{Markdown, blank_tabs};
use crate::fold::{self, GOES_ON, Spans, line};
use crate::theme::Tone;

/// What a model wrote stands behind this, on every row.
pub const MODEL: &str = "▍ ";
/// What a tool brought stands behind this, on every row.
pub const OUTPUT: &str = "┆ ";
/// What the person wrote starts with this.
pub const PERSON: &str = "› ";
/// What is sayso's own has nothing before it.
const OWN: &str = "  ";
/// A line of a text that comes in pieces is folded for good when it is longer than this.
const LONG: usize = 2048;
/// So many lines of what a tool brought show where they are folded.
const FEW: usize = 6;
/// So many of them are kept; the whole is in the session's file.
const MOST: usize = 5000;
/// A line is kept up to so many characters.
const LONGEST_LINE: usize = 2000;

/// Whose a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Person,
    Model,
    Output,
    Own,
}

impl Whose {
    /// The mark of its first row and of the others.
    fn marks(self) -> (Tone, &'static str, &'static str) {
        match self {
            Whose::Person => (Tone::Key, PERSON, OWN),
            Whose::Model => (Tone::Heading, MODEL, MODEL),
            Whose::Output => (Tone::Faint, OUTPUT, OUTPUT),
            Whose::Own => (Tone::Text, "", ""),
        }
    }
}

/// One thing.
#[derive(Debug)]
pub struct Item {
    content: Content,
    /// The rows at a width; of a text that comes in pieces, those that stay.
    rows: Option<(u16, bool, Vec<Spans>)>,
    /// How many lines of it are in the rows.
    done: usize,
    /// How many rows stay when more comes: those behind them are of the line that is being written.
    stays: usize,
}

#[derive(Debug)]
enum Content {
    Lines(Vec<(Whose, Spans)>),
    /// A model's words: whole lines, and the one that is being written.
    Words {
        lines: Vec<Spans>,
        tail: String,
        state: Markdown,
    },
    /// A call: what it is, what it brought, and how it ended.
    Call {
        head: Spans,
        output: Vec<String>,
        part: String,
        more: usize,
        end: Vec<Spans>,
    },
}

impl Item {
    fn of(content: Content) -> Item {
        Item {
            content,
            rows: None,
            done: 0,
            stays: 0,
        }
    }

    /// What the person said.
    pub fn person(text: &str) -> Item {
        let lines = text
            .split('\n')
            .map(|one| (Whose::Person, line(Tone::Strong, visible(one))))
            .collect();
        Item::of(Content::Lines(lines))
    }

    /// Words of sayso's own. Whatever of somebody else's is in them was made visible before.
    pub fn note(lines: Vec<Spans>) -> Item {
        Item::of(Content::Lines(
            lines.into_iter().map(|one| (Whose::Own, one)).collect(),
        ))
    }

    /// What a model says, from its start.
    pub fn words() -> Item {
        Item::of(Content::Words {
            lines: Vec::new(),
            tail: String::new(),
            state: Markdown::default(),
        })
    }

    /// A call that starts.
    pub fn call(head: Spans) -> Item {
        Item::of(Content::Call {
            head,
            output: Vec::new(),
            part: String::new(),
            more: 0,
            end: Vec::new(),
        })
    }

    /// Whether a blank row stands before it.
    pub fn is_apart(&self) -> bool {
        match &self.content {
            Content::Lines(lines) => lines
                .first()
                .is_some_and(|(whose, _)| *whose == Whose::Person),
            Content::Words { .. } => true,
            Content::Call { .. } => false,
        }
    }

    /// More words of the model.
    pub fn more(&mut self, text: &str) {
        let Content::Words { lines, tail, state } = &mut self.content else {
            return;
        };
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(state.line(&std::mem::take(tail)));
            }
            tail.push_str(piece);
            if tail.len() > LONG {
                lines.push(state.line(&std::mem::take(tail)));
            }
        }
    }

    /// The words start again: what came so far was half of an answer that broke off.
    pub fn again(&mut self) {
        if matches!(self.content, Content::Words { .. }) {
            *self = Item::words();
        }
    }

    /// The words are whole.
    pub fn whole(&mut self) {
        if let Content::Words { lines, tail, state } = &mut self.content {
            if !tail.is_empty() {
                lines.push(state.line(&std::mem::take(tail)));
            }
            // What ends a text is no line of it.
            while lines.last().is_some_and(Vec::is_empty) && self.done < lines.len() {
                lines.pop();
            }
        }
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        matches!(&self.content, Content::Words { lines, tail, .. } if lines.is_empty() && tail.is_empty())
    }

    /// A tool brought something.
    pub fn output(&mut self, text: &str) {
        let Content::Call {
            output, part, more, ..
        } = &mut self.content
        else {
            return;
        };
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                let one = std::mem::take(part);
                match output.len() < MOST {
                    true => output.push(one.trim_end_matches('\r').to_owned()),
                    false => *more += 1,
                }
            }
            let room = LONGEST_LINE.saturating_sub(part.chars().count());
            part.extend(piece.chars().take(room));
        }
        self.rows = None;
    }

    /// Whether a tool brought something so far.
    pub fn has_output(&self) -> bool {
        matches!(&self.content, Content::Call { output, part, .. } if !output.is_empty() || !part.is_empty())
    }

    /// The call has its end.
    pub fn ends(&mut self, new_head: Spans, lines: Vec<Spans>) {
        if let Content::Call {
            head,
            output,
            part,
            end,
            ..
        } = &mut self.content
        {
            *head = new_head;
            if !part.is_empty() {
                output.push(std::mem::take(part));
            }
            *end = lines;
        }
        self.rows = None;
    }

    /// The rows at a width. Where `open` is false, what a tool brought is folded.
    pub fn rows(&mut self, width: u16, open: bool) -> &[Spans] {
        self.measure(width, open);
        self.rows.as_ref().map_or(&[], |(_, _, rows)| rows)
    }

    /// How many rows it takes.
    pub fn height(&mut self, width: u16, open: bool) -> usize {
        self.measure(width, open);
        self.rows.as_ref().map_or(0, |(_, _, rows)| rows.len())
    }

    fn measure(&mut self, width: u16, open: bool) {
        let fits = self.rows.as_ref().is_some_and(|(of, was, _)| {
            *of == width && (*was == open || !matches!(self.content, Content::Call { .. }))
        });
        if !fits {
            self.rows = None;
            (self.done, self.stays) = (0, 0);
        }
        let lead = if self.is_apart() {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
        let (_, _, rows) = self.rows.get_or_insert((width, open, lead));
        match &self.content {
            Content::Lines(lines) => {
                for (whose, spans) in lines.get(self.done..).unwrap_or_default() {
                    put(rows, *whose, self.done == 0, spans, width);
                    self.done += 1;
                }
            }
            Content::Words { lines, tail, state } => {
                // The rows of the line that is being written go, and come again with more in them.
                if self.done > 0 || self.stays > 0 {
                    rows.truncate(self.stays);
                }
                for spans in lines.get(self.done..).unwrap_or_default() {
                    put(rows, Whose::Model, false, spans, width);
                    self.done += 1;
                }
                self.stays = rows.len();
                if !tail.is_empty() {
                    put(rows, Whose::Model, false, &state.clone().line(tail), width);
                }
            }
            Content::Call { .. } if !rows.is_empty() => {}
            Content::Call {
                head,
                output,
                part,
                more,
                end,
            } => {
                put(rows, Whose::Own, true, head, width);
                let few = if open { output.len() } else { FEW };
                let text = |one: &String| line(Tone::Faint, visible(&blank_tabs(one)));
                output
                    .iter()
                    .take(few)
                    .for_each(|one| put(rows, Whose::Output, false, &text(one), width));
                if !part.is_empty() && output.len() < few {
                    put(rows, Whose::Output, false, &text(part), width);
                }
                let hidden = output.len().saturating_sub(few) + more;
                if hidden > 0 {
                    let words = format!(
                        "… {}{}",
                        count(hidden, "more line"),
                        if open { "" } else { " (Ctrl-O shows all)" }
                    );
                    put(
                        rows,
                        Whose::Own,
                        false,
                        &line(Tone::Faint, format!("  {words}")),
                        width,
                    );
                }
                end.iter()
                    .for_each(|one| put(rows, Whose::Own, false, one, width));
            }
        }
    }
}

/// Folds a line behind its mark. A row of sayso's own that goes on does so behind a mark, too: what stands there may have been written by others.
fn put(rows: &mut Vec<Spans>, whose: Whose, is_first: bool, spans: &Spans, width: u16) {
    let (tone, first, others) = whose.marks();
    let room = usize::from(width).saturating_sub(fold::width(first)).max(4);
    let goes_on = if whose == Whose::Own {
        "    ↪ "
    } else {
        GOES_ON
    };
    for (at, row) in fold::fold(spans, room, goes_on).into_iter().enumerate() {
        let mark = if at == 0 && (is_first || whose != Whose::Person) {
            first
        } else {
            others
        };
        let mut out: Spans = if mark.is_empty() {
            Vec::new()
        } else {
            vec![(tone, mark.to_owned())]
        };
        out.extend(row);
        rows.push(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(item: &mut Item, width: u16, open: bool) -> Vec<String> {
        item.rows(width, open)
            .iter()
            .map(|row| row.iter().map(|(_, text)| text.as_str()).collect())
            .collect()
    }

    #[test]
    fn words_come_in_pieces_and_read_as_if_they_had_come_at_once() {
        let whole =
            "Hello **you**\n\n```\nlet x = 1;\n```\nthe end of a line that is longer than the row";
        let mut once = Item::words();
        once.more(whole);
        once.whole();
        let mut pieces = Item::words();
        for letter in whole.chars() {
            pieces.more(&letter.to_string());
            let _ = pieces.rows(20, false);
        }
        pieces.whole();
        assert_eq!(text(&mut once, 20, false), text(&mut pieces, 20, false));
        assert_eq!(text(&mut once, 20, false)[1], "▍ Hello **you**");
        assert!(
            text(&mut once, 20, false)
                .iter()
                .skip(1)
                .all(|row| row.starts_with(MODEL))
        );
        pieces.again();
        assert!(pieces.is_empty());
    }

    #[test]
    fn what_a_tool_brought_is_folded_and_can_be_opened() {
        let mut item = Item::call(line(Tone::Strong, "terminal(ls)"));
        item.output(&(0..20).map(|at| format!("line {at}\n")).collect::<String>());
        item.ends(
            line(Tone::Good, "✓ terminal(ls)"),
            vec![line(Tone::Faint, "  ran, unasked")],
        );
        let folded = text(&mut item, 60, false);
        assert_eq!(folded.len(), 1 + FEW + 1 + 1);
        assert_eq!(folded[FEW + 1], "  … 14 more lines (Ctrl-O shows all)");
        let open = text(&mut item, 60, true);
        assert_eq!((open.len(), open[20].as_str()), (22, "┆ line 19"));
    }

    proptest! {
        #[test]
        fn nothing_of_others_reaches_the_first_columns(words in any::<String>(), out in any::<String>(), width in 12u16..60) {
            let mut item = Item::words();
            item.more(&words);
            item.whole();
            prop_assert!(text(&mut item, width, true).iter().skip(1).all(|row| row.starts_with(MODEL)));
            let mut call = Item::call(line(Tone::Strong, "head"));
            call.output(&out);
            call.ends(line(Tone::Strong, "head"), Vec::new());
            prop_assert!(text(&mut call, width, true).iter().skip(1).all(|row| row.starts_with(OUTPUT)));
        }
    }
}
