//! The body of a presentation as lines of text: a command, a change, the content of a file, names and values.

use sayso_core::prompt::presentation::{Body, Change, Diff, content_heading};
use sayso_core::text::size;
use sayso_core::text::visible::visible;

use super::paint::{Paint, Tone};

/// The lines of a body. Nothing of it is cut here; the terminal wraps what is too long.
///
/// The folder of a command is only told where it is not the workspace, and what it does is for the details.
pub fn lines(body: &Body, workspace: &str, paint: Paint) -> Vec<String> {
    match body {
        Body::Text(lines) => lines.clone(),
        Body::Command { lines, folder, .. } => command(lines, folder, workspace, paint),
        Body::Diff(diff) => change(diff, paint),
        Body::Content {
            path,
            language,
            lines,
            size,
            notes,
            over,
        } => {
            let mut out = vec![paint.tone(
                Tone::Blue,
                &content_heading(path, *size, *language, over.as_deref()),
            )];
            out.extend(notes.iter().map(|note| paint.tone(Tone::Yellow, note)));
            let width = lines.len().to_string().len();
            out.extend(lines.iter().enumerate().map(|(at, line)| {
                let number = paint.tone(Tone::Faint, &format!("{:>width$}", at + 1));
                format!("{number} {}", paint.tone(Tone::Green, &format!("+{line}")))
            }));
            out
        }
        Body::Structured(rows) => table(rows, paint),
        Body::Binary { path, media, size } => vec![format!(
            "{path}: binary file, {media} ({})",
            size::words(*size)
        )],
    }
}

/// Names and values, one below the other.
pub fn table(rows: &[(String, String)], paint: Paint) -> Vec<String> {
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default()
        .min(28);
    rows.iter()
        .flat_map(|(name, value)| row(name, value, width, paint))
        .collect()
}

/// A name and its value, which may have several lines.
fn row(name: &str, value: &str, width: usize, paint: Paint) -> Vec<String> {
    let mut out = Vec::new();
    for (at, line) in value.split('\n').enumerate() {
        let name = if at == 0 { name } else { "" };
        out.push(format!(
            "{}  {line}",
            paint.tone(Tone::Faint, &format!("{name:<width$}"))
        ));
    }
    out
}

fn command(lines: &[String], folder: &str, workspace: &str, paint: Paint) -> Vec<String> {
    let mut out: Vec<String> = lines
        .iter()
        .enumerate()
        // Each line of it is marked as a shell would: without, a line of a command could look like the end of the prompt.
        .map(|(at, line)| {
            format!(
                "{} {}",
                if at == 0 { "$" } else { ">" },
                paint.tone(Tone::Strong, line)
            )
        })
        .collect();
    if *folder != *visible(workspace) {
        out.push(paint.tone(Tone::Faint, &format!("  in {folder}")));
    }
    out
}

fn change(diff: &Diff, paint: Paint) -> Vec<String> {
    let mut out = vec![paint.tone(
        Tone::Blue,
        &format!("{}  +{} -{}", diff.path, diff.added, diff.removed),
    )];
    out.extend(diff.notes.iter().map(|note| paint.tone(Tone::Yellow, note)));
    let last = diff
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .filter_map(|line| line.new.max(line.old))
        .max()
        .unwrap_or_default();
    let width = last.to_string().len();
    for hunk in &diff.hunks {
        out.push(paint.tone(Tone::Blue, &hunk.heading()));
        for line in &hunk.lines {
            let number = line
                .new
                .or(line.old)
                .map_or(String::new(), |number| number.to_string());
            let text = format!("{}{}", line.change.sign(), line.text());
            let text = match line.change {
                Change::Same => text,
                Change::Removed => paint.tone(Tone::Red, &text),
                Change::Added => paint.tone(Tone::Green, &text),
            };
            out.push(format!(
                "{} {text}",
                paint.tone(Tone::Faint, &format!("{number:>width$}"))
            ));
        }
    }
    out
}
