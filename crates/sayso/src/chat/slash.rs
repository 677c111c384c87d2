//! Carries out what was typed with a `/`.

use std::sync::Arc;

use sayso_core::visible::visible;
use sayso_tools::files::{Files, Settings};
use sayso_tui::fold::{Spans, line};
use sayso_tui::theme::Tone;

use super::app::App;
use super::{commands, shown};
use crate::cli::undo::plan;

/// Whether a text waits until a turn is over: everything does that is no command, or changes what the turn works with.
pub fn waits(text: &str) -> bool {
    let is_command = text.trim_start().starts_with('/') && !text.trim().contains('\n');
    !is_command || matches!(commands::parse(text).0.as_str(), "/undo" | "/model")
}

/// Carries it out.
pub fn run(app: &mut App, text: &str) {
    let (name, words) = commands::parse(text);
    let first = words.first().map_or("", String::as_str);
    let said: Result<Vec<Spans>, String> = match name.as_str() {
        "/help" => Ok(commands::help()),
        "/permissions" => {
            let said = commands::permissions(&app.base, &app.around.session, &app.around.agent, first);
            app.judge_again();
            said
        }
        "/settings" => {
            app.open_settings();
            return;
        }
        "/rules" => commands::remembered(&app.base, true),
        "/grants" => commands::remembered(&app.base, false),
        "/audit" => commands::audit(&app.base),
        "/undo" => undo(app, Some(first).filter(|id| !id.is_empty())),
        "/model" if first.is_empty() => Ok(vec![line(Tone::Text, app.models())]),
        "/model" => match app.configured.model(Some(first)) {
            Ok(model) => {
                app.model = Arc::from(model);
                Ok(vec![line(Tone::Good, format!("✓ `{}` answers from here on", visible(app.model.name())))])
            }
            Err(why) => Err(why),
        },
        "/quit" => {
            app.quit();
            return;
        }
        other => Err(format!("there is no command `{}`; /help shows them", visible(other))),
    };
    match said {
        Ok(lines) => shown::note(app, lines),
        Err(why) => shown::problem(app, &why),
    }
}

/// Shows what would be taken back; the next key says whether it is.
fn undo(app: &mut App, id: Option<&str>) -> Result<Vec<Spans>, String> {
    let files = Files::open(&app.base.whereabouts().state, Settings::default())?;
    let plan = plan(&files, id)?;
    let mut out = vec![line(Tone::Strong, "this would")];
    for (path, words) in &plan.words {
        out.push(line(Tone::Text, format!("  {}: {}", visible(&path.display().to_string()), visible(words))));
    }
    for conflict in &plan.conflicts {
        out.push(line(Tone::Warning, format!("  {}: {}", visible(&conflict.path.display().to_string()), visible(&conflict.why))));
        out.extend(conflict.diff.lines().map(|text| line(Tone::Faint, format!("    {}", visible(text)))));
    }
    if !plan.conflicts.is_empty() {
        out.push(line(Tone::Warning, "  nothing was changed: it would lose what came after"));
        return Ok(out);
    }
    app.now.undo = Some(Box::new((files, plan)));
    app.chat.notice = Some("take it back? y, or any other key to leave it".to_owned());
    Ok(out)
}
