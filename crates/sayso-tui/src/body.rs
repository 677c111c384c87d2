//! The body of a presentation as lines: a command, a change, the content of a file, names and values.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::presentation::{Body, Change, Diff};

use crate::block::Block;
use crate::fold::{Spans, line};
use crate::key::Key;
use crate::theme::{Theme, Tone};

/// A body on the screen.
pub struct BodyView {
    block: Block,
    top: usize,
}

impl BodyView {
    /// A view of a body.
    pub fn new(body: &Body) -> Self {
        BodyView { block: Block::new(lines(body)), top: 0 }
    }

    /// How many rows it fills at a width.
    pub fn height(&mut self, width: u16) -> usize {
        self.block.height(width)
    }

    /// The row that is drawn first.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Draws from this row on next time.
    pub fn scroll_to(&mut self, top: usize) {
        self.top = top;
    }

    /// Draws it.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        self.block.draw(self.top, area, buffer, theme);
    }

    /// Takes a key; false where it means nothing here.
    pub fn key(&mut self, _: &Key) -> bool {
        false
    }

    /// How many rows were not on the screen yet.
    pub fn unseen(&self) -> usize {
        self.block.unseen()
    }
}

/// The lines of a body. Nothing of it is cut.
pub fn lines(body: &Body) -> Vec<Spans> {
    match body {
        Body::Text(lines) => lines.iter().map(|text| line(Tone::Text, text)).collect(),
        Body::Command { lines, folder, effects } => command(lines, folder, effects),
        Body::Diff(diff) => change(diff),
        Body::Content { path, language, lines, size } => {
            let what = language.map_or(String::new(), |language| format!(", {language}"));
            let mut out = vec![line(Tone::Heading, format!("new file {path} ({size} bytes{what})"))];
            let width = lines.len().to_string().len();
            out.extend(lines.iter().enumerate().map(|(at, text)| numbered(at + 1, width, Tone::Added, format!("+{text}"))));
            out
        }
        Body::Structured(rows) => table(rows),
        Body::Binary { path, media, size } => vec![line(Tone::Text, format!("{path}: binary file, {media} ({size} bytes)"))],
    }
}

fn numbered(number: usize, width: usize, tone: Tone, text: String) -> Spans {
    vec![(Tone::Faint, format!("{number:>width$} ")), (tone, text)]
}

/// Names and values, one below the other; a value may have several lines.
pub fn table(rows: &[(String, String)]) -> Vec<Spans> {
    const WIDEST: usize = 28;
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().min(WIDEST);
    let mut out = Vec::new();
    for (name, value) in rows {
        for (at, text) in value.split('\n').enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            out.push(vec![(Tone::Faint, format!("{name:<width$}  ")), (Tone::Text, text.to_owned())]);
        }
    }
    out
}

fn command(lines: &[String], folder: &str, effects: &[String]) -> Vec<Spans> {
    // Each line is marked as a shell would: without, a line of a command could look like one of ours.
    let mark = |at: usize| if at == 0 { "$ " } else { "> " };
    let mut out: Vec<Spans> =
        lines.iter().enumerate().map(|(at, text)| vec![(Tone::Faint, mark(at).to_owned()), (Tone::Strong, text.clone())]).collect();
    out.push(line(Tone::Faint, format!("  in {folder}")));
    out.extend(effects.iter().map(|effect| line(Tone::Text, format!("  • {effect}"))));
    out
}

fn change(diff: &Diff) -> Vec<Spans> {
    let mut out = vec![line(Tone::Heading, format!("{}  +{} -{}", diff.path, diff.added, diff.removed))];
    let all = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let width = all.filter_map(|line| line.new.max(line.old)).max().unwrap_or_default().to_string().len();
    for hunk in &diff.hunks {
        out.push(line(Tone::Heading, format!("@@ -{} +{} @@", hunk.old_start, hunk.new_start)));
        for one in &hunk.lines {
            let (sign, tone, part) = match one.change {
                Change::Same => (" ", Tone::Text, Tone::Text),
                Change::Removed => ("-", Tone::Removed, Tone::RemovedPart),
                Change::Added => ("+", Tone::Added, Tone::AddedPart),
            };
            let number = one.new.or(one.old).unwrap_or_default();
            let mut spans = numbered(number, width, tone, sign.to_owned());
            spans.extend(one.pieces.iter().map(|piece| (if piece.emphasised { part } else { tone }, piece.text.clone())));
            out.push(spans);
        }
    }
    out
}
