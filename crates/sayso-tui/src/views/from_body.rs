//! Makes a document of a body: which lines there are, in which order, and what stands out in them.

use std::ops::Range;

use sayso_core::prompt::presentation::{
    Body, Change, Diff, DiffLine, Hunk, Mark, Meaning, Part, content_heading,
};
use sayso_core::text::size;

use crate::theme::Tone;

use super::document::{Document, Kind, Section};
use crate::fold::width;
use crate::safe_glyphs::spelled;

/// Names up to this width stand in a column.
const WIDEST_NAME: usize = 24;

/// The document of a body.
pub(super) fn document(body: &Body) -> Document {
    let mut out = Document::default();
    match body {
        Body::Text(lines) => {
            out.push_all(Kind::Plain, lines);
            out.section(0);
        }
        Body::Structured(rows) => structured(&mut out, rows),
        Body::Binary { path, media, size } => {
            out.push(
                Kind::Plain,
                &format!(
                    "{}: binary file, {media} ({})",
                    spelled(path),
                    size::words(*size)
                ),
            );
            out.section(0);
        }
        Body::Content {
            path,
            language,
            lines,
            size,
            notes,
            over,
        } => {
            out.language = *language;
            out.push(
                Kind::Heading,
                &content_heading(&spelled(path), *size, *language, over.as_deref()),
            );
            out.push_all(Kind::Note, notes);
            out.expect(lines.len(), lines.iter().map(String::len).sum());
            for (index, line) in lines.iter().enumerate() {
                out.push_marked(Kind::Added, (0, number(index + 1)), line, &[]);
            }
            out.digits = (0, digits(lines.len()));
            out.section(0);
        }
        Body::Command {
            lines,
            marks,
            folder,
            parts,
            effects,
        } => {
            command(&mut out, lines, marks);
            under(&mut out, folder, parts, effects);
            out.section(0);
        }
        Body::Diff(diff) => change(&mut out, diff),
    }
    out
}

fn structured(out: &mut Document, rows: &[(String, String)]) {
    let widest = rows
        .iter()
        .map(|(name, _)| width(&spelled(name)))
        .filter(|width| *width <= WIDEST_NAME)
        .max()
        .unwrap_or_default();
    for (name, value) in rows {
        for (index, line) in value.split('\n').enumerate() {
            let name = if index == 0 { spelled(name) } else { "".into() };
            let fill = widest.saturating_sub(width(&name));
            let text = format!("{name}{:fill$}  {}", "", spelled(line));
            out.push_marked(Kind::Plain, (0, 0), &text, &[(0..name.len(), Tone::Key)]);
        }
    }
    out.section(0);
}

fn command(out: &mut Document, lines: &[String], marks: &[Mark]) {
    for (index, line) in lines.iter().enumerate() {
        let kind = if index == 0 {
            Kind::Command
        } else {
            Kind::More
        };
        let first = marks.partition_point(|mark| mark.line < index);
        let of_line = marks
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(|mark| mark.line == index);
        // A place that is none of this line marks nothing.
        let pieces: Vec<(Range<usize>, Tone)> = of_line
            .filter(|mark| {
                line.get(mark.start..mark.end)
                    .is_some_and(|piece| !piece.is_empty())
            })
            .map(|mark| (mark.start..mark.end, meaning(mark.meaning)))
            .collect();
        out.push_marked(kind, (0, 0), line, &pieces);
    }
}

fn meaning(meaning: Meaning) -> Tone {
    match meaning {
        Meaning::Runs => Tone::Name,
        Meaning::Reads => Tone::Quoted,
        Meaning::Connects => Tone::Type,
        Meaning::Writes => Tone::Variable,
        Meaning::Deletes | Meaning::Danger => Tone::Warning,
        Meaning::Unclear => Tone::Keyword,
    }
}

/// Where it runs, what each part does, and what no part alone does.
fn under(out: &mut Document, folder: &str, parts: &[Part], effects: &[String]) {
    if !folder.is_empty() {
        let label = "in ";
        out.push_marked(
            Kind::Under,
            (0, 0),
            &format!("{label}{}", spelled(folder)),
            &[(0..label.len(), Tone::Faint)],
        );
    }
    for part in parts {
        let effects = part
            .effects
            .iter()
            .map(|effect| spelled(effect).into_owned())
            .collect();
        let part = Part {
            program: spelled(&part.program).into_owned(),
            effects,
        };
        let words = part.words();
        let program = "runs `".len().."runs `".len() + part.program.len();
        out.push_marked(Kind::Under, (0, 0), &words, &[(program, Tone::Name)]);
    }
    let told = |effect: &&String| parts.iter().any(|part| part.effects.contains(effect));
    out.push_all(Kind::Under, effects.iter().filter(|effect| !told(effect)));
}

fn change(out: &mut Document, diff: &Diff) {
    out.language = diff.language;
    out.push(
        Kind::Heading,
        &format!("{}  +{} -{}", spelled(&diff.path), diff.added, diff.removed),
    );
    out.push_all(Kind::Note, &diff.notes);
    out.section(0);
    // The last line before the place that comes next, in the old file and in the new one.
    let (mut old, mut new) = (0usize, 0usize);
    for hunk in &diff.hunks {
        let between = hunk.new_start.saturating_sub(new + 1);
        fold(out, between, &hunk.before, (old, new));
        place(out, hunk);
        old = hunk.old_start.saturating_sub(1)
            + hunk
                .lines
                .iter()
                .filter(|line| line.change != Change::Added)
                .count();
        new = hunk.new_start.saturating_sub(1)
            + hunk
                .lines
                .iter()
                .filter(|line| line.change != Change::Removed)
                .count();
    }
    fold(out, diff.rest.len(), &diff.rest, (old, new));
    out.digits = (digits(old + diff.rest.len()), digits(new + diff.rest.len()));
}

/// What stays between two places.
fn fold(out: &mut Document, count: usize, lines: &[String], (old, new): (usize, usize)) {
    if count == 0 {
        return;
    }
    let whole = lines.len() == count;
    let (from, to) = (new + 1, new + count);
    let label = match (count, whole) {
        (1, true) => format!("line {from} stays the same (z shows it)"),
        (1, false) => format!("line {from} stays the same"),
        (_, true) => format!("{count} lines stay the same, {from} to {to} (z shows them)"),
        (_, false) => format!("{count} lines stay the same, {from} to {to}"),
    };
    let label = out.push(Kind::Fold, &label);
    let first = out.next();
    for (index, line) in lines.iter().enumerate().filter(|_| whole) {
        out.push_marked(
            Kind::Between,
            (number(old + index + 1), number(new + index + 1)),
            line,
            &[],
        );
    }
    let lines = first..out.next();
    out.sections.push(Section::Between { label, lines });
}

fn place(out: &mut Document, hunk: &Hunk) {
    let heading = out.push(Kind::Place, &hunk.heading());
    let first = out.next();
    let mut room = Room::default();
    out.expect(
        hunk.lines.len(),
        hunk.lines
            .iter()
            .flat_map(|line| &line.pieces)
            .map(|piece| piece.text.len())
            .sum(),
    );
    hunk.lines
        .iter()
        .for_each(|line| changed(out, line, &mut room));
    let lines = first..out.next();
    out.sections.push(Section::Hunk { heading, lines });
}

/// Room for a line of several pieces, used again for the next one.
#[derive(Default)]
struct Room {
    text: String,
    marks: Vec<(Range<usize>, Tone)>,
}

fn changed(out: &mut Document, line: &DiffLine, Room { text, marks }: &mut Room) {
    let (kind, tone) = match line.change {
        Change::Same => (Kind::Same, Tone::Text),
        Change::Added => (Kind::Added, Tone::AddedPart),
        Change::Removed => (Kind::Removed, Tone::RemovedPart),
    };
    let numbers = (line.old.map_or(0, number), line.new.map_or(0, number));
    // Nearly all lines are of one piece, and need no copy.
    if let [piece] = line.pieces.as_slice() {
        let whole = [(0..piece.text.len(), tone)];
        out.push_marked(
            kind,
            numbers,
            &piece.text,
            if piece.emphasised { &whole } else { &[] },
        );
        return;
    }
    text.clear();
    marks.clear();
    for piece in &line.pieces {
        let start = text.len();
        text.push_str(&piece.text);
        if piece.emphasised {
            marks.push((start..text.len(), tone));
        }
    }
    out.push_marked(kind, numbers, text, marks);
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

fn digits(number: usize) -> u16 {
    u16::try_from(number.max(1).ilog10() + 1).unwrap_or(20)
}
