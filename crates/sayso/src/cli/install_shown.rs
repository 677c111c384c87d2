//! A change as the person sees it before it is made: line by line, with nothing hidden and no secret beside it.

use std::path::Path;

use sayso_core::prompt::presentation::{Change, DiffLine};
use sayso_core::text::redact::redact_text;
use sayso_core::text::visible::visible;
use sayso_gate::presentation::diff;

use super::SourceError;
use sayso_tui::lines::paint::{Paint, Tone};

/// The change of a file, where none means that there is none.
///
/// # Errors
/// When the texts are too long to be compared.
pub fn unified(
    path: &Path,
    old: Option<&str>,
    new: Option<&str>,
    paint: Paint,
) -> Result<String, SourceError> {
    let name = path.to_string_lossy();
    let found = diff::diff(&name, old.unwrap_or_default(), new.unwrap_or_default())?;
    let heading = |sign: &str, text: Option<&str>| {
        let name = if text.is_some() {
            visible(&name)
        } else {
            "/dev/null".into()
        };
        format!("{}\n", paint.tone(Tone::Strong, &format!("{sign} {name}")))
    };
    let mut out = heading("---", old) + &heading("+++", new);
    for hunk in &found.hunks {
        out.push_str(&format!("{}\n", paint.tone(Tone::Blue, &hunk.heading())));
        out.extend(
            hunk.lines
                .iter()
                .map(|one| format!("{}\n", line(one, paint))),
        );
    }
    Ok(out)
}

fn line(line: &DiffLine, paint: Paint) -> String {
    let text = format!("{}{}", line.change.sign(), line.text());
    match line.change {
        // What stands around the change is the person's own, and can be a key.
        Change::Same => paint.folded(&redact_text(&text), "    ↪ "),
        Change::Removed => paint.tone(Tone::Red, &paint.folded(&redact_text(&text), "    ↪ ")),
        Change::Added => paint.tone(Tone::Green, &paint.folded(&text, "    ↪ ")),
    }
}
