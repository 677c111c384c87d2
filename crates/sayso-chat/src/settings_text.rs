//! The settings in force as a word or a banner, and all of them in words, as they are typed: `/settings mode confirm-all`, and all of them as lines.

use sayso_core::answer::run_mode::Run as How;
use sayso_core::policy::settings::Resolved;
use sayso_core::text::visible::visible;
use sayso_gate::run_mode;
use sayso_tui::chat::settings::{Kind, Row, Tab, Wish};
use sayso_tui::fold::{Spans, line};
use sayso_tui::theme::Tone;

use super::command_error::{CommandError, Misuse};
use super::runtime::Base;
use super::tabs;
use crate::session::short;

/// How a row is changed, in words.
const HOW: &str = "`/settings NAME VALUE` changes one; `/settings add RULE`, `/settings ID on`, `off`, `edit PATTERN` or `delete` change rules and grants";

/// What counts in a word: a flag of the command line stands above the mode.
pub fn mode(how: How, settings: Option<&Resolved>) -> &'static str {
    match (how, settings) {
        (How::Interactive, Some(settings)) => settings.mode.word(),
        (How::Interactive, None) => "everything is denied",
        (how, _) => run_mode::word(how),
    }
}

/// What has to be seen all the time: that nothing is asked about, or less.
pub fn banner(base: &Base, agent: &str) -> Option<String> {
    run_mode::banner(base.how(), base.settings(agent).as_ref())
}

/// What can be typed for a row: its id, or the end of one that nobody would type whole.
fn name(row: &Row) -> String {
    match row.kind {
        Kind::Rule | Kind::Grant => short(&row.id).to_owned(),
        _ => row.id.clone(),
    }
}

/// All settings, a line each with what it means.
pub fn all(base: &Base) -> Vec<Spans> {
    let mut out = Vec::new();
    for Tab { title, rows } in tabs::tabs(base) {
        out.push(line(Tone::Strong, title));
        if rows.is_empty() {
            out.push(line(Tone::Faint, "  there is nothing here yet"));
        }
        for row in rows {
            let words = match &row.kind {
                Kind::OneOf(words) => format!(" (one of {})", words.join(", ")),
                Kind::Switch => " (on or off)".to_owned(),
                _ => String::new(),
            };
            let value = if row.value.is_empty() {
                String::new()
            } else {
                format!(": {}", row.value)
            };
            let (name, label) = match row.kind {
                Kind::Rule | Kind::Grant => (
                    visible(&name(&row)).into_owned(),
                    format!("  {}", row.label),
                ),
                Kind::Fact => (row.label.clone(), String::new()),
                _ => (visible(&name(&row)).into_owned(), String::new()),
            };
            out.push(vec![
                (Tone::Key, format!("  {name}{value}")),
                (Tone::Text, format!("{words}{label}")),
            ]);
            out.push(line(Tone::Faint, format!("    {}", row.help)));
        }
    }
    out.push(line(Tone::Text, HOW));
    out
}

/// Carries out what was typed behind `/settings`: what came of it.
///
/// # Errors
/// Why nothing was changed.
pub fn carry_out(base: &Base, text: &str) -> Result<String, CommandError> {
    tabs::carry_out(base, &wished(base, text)?)
}

/// What the words behind `/settings` mean.
///
/// # Errors
/// When they mean nothing.
pub fn wished(base: &Base, text: &str) -> Result<Wish, CommandError> {
    let rest = text
        .trim()
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest.trim());
    let rows: Vec<Row> = tabs::tabs(base)
        .into_iter()
        .flat_map(|tab| tab.rows)
        .collect();
    wish(&rows, rest)
}

/// What the words mean, for these rows.
fn wish(rows: &[Row], text: &str) -> Result<Wish, CommandError> {
    let (first, rest) = text
        .split_once(char::is_whitespace)
        .map_or((text, ""), |(first, rest)| (first, rest.trim()));
    // `template rust` and `export html` are one name.
    if let Some(row) = rows
        .iter()
        .find(|row| row.kind == Kind::Action && row.id == text && row.edited.is_empty())
    {
        return Ok(Wish::Do(row.id.clone()));
    }
    let mut fits = rows
        .iter()
        .filter(|row| name(row) == first || row.id == first);
    let typed = || first.to_owned();
    let row = fits
        .next()
        .ok_or_else(|| CommandError::NoSetting(typed()))?;
    if fits.next().is_some() {
        return Err(CommandError::AmbiguousSetting(typed()));
    }
    let id = row.id.clone();
    let (verb, more) = rest
        .split_once(char::is_whitespace)
        .map_or((rest, ""), |(verb, more)| (verb, more.trim()));
    let cannot = |misuse: Misuse| {
        let name = typed();
        Err(CommandError::Misused(name, misuse))
    };
    match &row.kind {
        Kind::Fact => cannot(Misuse::Fact),
        Kind::Action if rest.is_empty() => cannot(Misuse::Action),
        Kind::Action => Ok(Wish::Edit(id, rest.to_owned())),
        Kind::Grant if verb == "delete" => Ok(Wish::Delete(id)),
        Kind::Grant => cannot(Misuse::Grant),
        Kind::Rule => match verb {
            "on" | "off" if row.value == verb => cannot(Misuse::SameState(verb.to_owned())),
            "on" | "off" => Ok(Wish::Switch(id)),
            "delete" => Ok(Wish::Delete(id)),
            "edit" if !more.is_empty() => Ok(Wish::Edit(id, more.to_owned())),
            _ => cannot(Misuse::Rule),
        },
        Kind::Switch if !["on", "off"].contains(&rest) => cannot(Misuse::Switch),
        Kind::OneOf(words) if !words.iter().any(|word| word == rest) => {
            cannot(Misuse::OneOf(words.clone()))
        }
        Kind::Switch | Kind::OneOf(_) | Kind::Number => Ok(Wish::Set(id, rest.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, value: &str, edited: &str, kind: Kind) -> Row {
        let text = str::to_owned;
        Row {
            id: text(id),
            label: text(id),
            value: text(value),
            edited: text(edited),
            kind,
            help: String::new(),
        }
    }

    #[test]
    fn words_are_wishes() {
        let rows = [
            row("enabled", "on", "on", Kind::Switch),
            row(
                "mode",
                "balanced",
                "",
                Kind::OneOf(vec!["balanced".to_owned(), "safe-only".to_owned()]),
            ),
            row("audit.retention_days", "90", "90", Kind::Number),
            row("rule-1-abc", "on", "git *", Kind::Rule),
            row("grant-1-def", "", "", Kind::Grant),
            row("add", "", "allow command ", Kind::Action),
            row("export html", "", "", Kind::Action),
            row("found", "x", "", Kind::Fact),
        ];
        let set = |id: &str, value: &str| Wish::Set(id.to_owned(), value.to_owned());
        for (text, wanted) in [
            ("enabled off", set("enabled", "off")),
            ("mode safe-only", set("mode", "safe-only")),
            ("audit.retention_days 30", set("audit.retention_days", "30")),
            ("abc off", Wish::Switch("rule-1-abc".to_owned())),
            (
                "abc edit git log *",
                Wish::Edit("rule-1-abc".to_owned(), "git log *".to_owned()),
            ),
            ("rule-1-abc delete", Wish::Delete("rule-1-abc".to_owned())),
            ("def delete", Wish::Delete("grant-1-def".to_owned())),
            (
                "add allow command ls",
                Wish::Edit("add".to_owned(), "allow command ls".to_owned()),
            ),
            ("export html", Wish::Do("export html".to_owned())),
        ] {
            assert_eq!(wish(&rows, text).unwrap(), wanted, "{text}");
        }
        for text in [
            "",
            "nothing x",
            "mode trust-all",
            "mode",
            "enabled maybe",
            "abc on",
            "abc",
            "def on",
            "found x",
            "add",
            "export pdf",
        ] {
            assert!(wish(&rows, text).is_err(), "{text}");
        }
    }
}
