//! The body of a presentation as lines of text: a command, a change, the content of a file, names and values.

use sayso_core::presentation::{Body, Change, Diff};
use sayso_core::size;

use super::paint::{Paint, Tone};

/// The lines of a body. Nothing of it is cut here; the terminal wraps what is too long.
pub fn lines(body: &Body, paint: Paint) -> Vec<String> {
    match body {
        Body::Text(lines) => lines.clone(),
        Body::Command { lines, folder, effects, .. } => command(lines, folder, effects, paint),
        Body::Diff(diff) => change(diff, paint),
        Body::Content { path, language, lines, size, notes } => {
            let what = language.map_or(String::new(), |language| format!(", {language}"));
            let mut out = vec![paint.tone(Tone::Blue, &format!("new file {path} ({}{what})", size::words(*size)))];
            out.extend(notes.iter().map(|note| paint.tone(Tone::Yellow, note)));
            let width = lines.len().to_string().len();
            out.extend(lines.iter().enumerate().map(|(at, line)| {
                let number = paint.tone(Tone::Faint, &format!("{:>width$}", at + 1));
                format!("{number} {}", paint.tone(Tone::Green, &format!("+{line}")))
            }));
            out
        }
        Body::Structured(rows) => {
            let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().min(24);
            rows.iter().flat_map(|(name, value)| row(name, value, width, paint)).collect()
        }
        Body::Binary { path, media, size } => vec![format!("{path}: binary file, {media} ({})", size::words(*size))],
    }
}

/// A name and its value, which may have several lines.
pub fn row(name: &str, value: &str, width: usize, paint: Paint) -> Vec<String> {
    let mut out = Vec::new();
    for (at, line) in value.split('\n').enumerate() {
        let name = if at == 0 { name } else { "" };
        out.push(format!("{}  {line}", paint.tone(Tone::Faint, &format!("{name:<width$}"))));
    }
    out
}

fn command(lines: &[String], folder: &str, effects: &[String], paint: Paint) -> Vec<String> {
    let mut out: Vec<String> = lines
        .iter()
        .enumerate()
        // Each line of it is marked as a shell would: without, a line of a command could look like the end of the prompt.
        .map(|(at, line)| format!("{} {}", if at == 0 { "$" } else { ">" }, paint.tone(Tone::Strong, line)))
        .collect();
    out.push(paint.tone(Tone::Faint, &format!("  in {folder}")));
    if !effects.is_empty() {
        out.push(String::new());
        out.extend(effects.iter().map(|effect| format!("  • {effect}")));
    }
    out
}

fn change(diff: &Diff, paint: Paint) -> Vec<String> {
    let mut out = vec![paint.tone(Tone::Blue, &format!("{}  +{} -{}", diff.path, diff.added, diff.removed))];
    out.extend(diff.notes.iter().map(|note| paint.tone(Tone::Yellow, note)));
    let last = diff.hunks.iter().flat_map(|hunk| &hunk.lines).filter_map(|line| line.new.max(line.old)).max().unwrap_or_default();
    let width = last.to_string().len();
    for hunk in &diff.hunks {
        out.push(paint.tone(Tone::Blue, &hunk.heading()));
        for line in &hunk.lines {
            let number = line.new.or(line.old).map_or(String::new(), |number| number.to_string());
            let text = format!("{}{}", line.change.sign(), line.text());
            let text = match line.change {
                Change::Same => text,
                Change::Removed => paint.tone(Tone::Red, &text),
                Change::Added => paint.tone(Tone::Green, &text),
            };
            out.push(format!("{} {text}", paint.tone(Tone::Faint, &format!("{number:>width$}"))));
        }
    }
    out
}
