//! What comes of a line that starts with `/`, for whoever shows it: a screen, or lines.

use sayso_core::text::visible::visible;
use sayso_tools::files::{Files, Settings};
use sayso_tools::undo::Plan;
use sayso_tui::chat::settings::Wish;
use sayso_tui::fold::{Spans, line};
use sayso_tui::theme::Tone;

use super::command_error::CommandError;
use super::model::Model;
use super::model::configured::Configured;
use super::runtime::Base;
use super::tool_schemas::Around;
use super::{commands, settings_text, tabs};
use sayso_runtime::undo::plan;

/// What commands work with.
pub struct Desk<'a> {
    /// The policy, the gate and the tools.
    pub base: &'a Base,
    /// Where calls come from.
    pub around: &'a Around,
    /// Who could answer.
    pub configured: &'a Configured,
    /// Who answers.
    pub model: &'a dyn Model,
}

/// What comes of a command.
pub enum Came {
    /// It says this.
    Lines(Vec<Spans>),
    /// The person wants to see the settings.
    Settings,
    /// This would be taken back, if the person says so.
    Undo(Box<(Files, Plan)>, Vec<Spans>),
    /// This would be changed, if the person says so; what it means.
    Sure(String, Wish),
    /// Somebody else answers from here on.
    Model(Box<dyn Model>),
    /// The person leaves.
    Quit,
}

/// Whether a text is a command.
pub fn is_command(text: &str) -> bool {
    text.trim_start().starts_with('/') && !text.trim().contains('\n')
}

/// Whether a text waits until a turn is over: everything does that is no command, or changes what the turn works with.
pub fn waits(text: &str) -> bool {
    !is_command(text) || matches!(commands::parse(text).0.as_str(), "/undo" | "/model")
}

/// Carries a command out.
///
/// # Errors
/// Why nothing came of it.
pub fn carry_out(desk: &Desk<'_>, text: &str) -> Result<Came, CommandError> {
    let (name, words) = commands::parse(text);
    let first = words.first().map_or("", String::as_str);
    let base = desk.base;
    Ok(match name.as_str() {
        "/help" => Came::Lines(commands::help()),
        "/permissions" => Came::Lines(commands::permissions(
            base,
            &desk.around.session,
            &desk.around.agent,
            first,
        )?),
        "/settings" if words.is_empty() => Came::Settings,
        "/settings"
            if settings_text::wished(base, text)
                .is_ok_and(|wish| tabs::switches_asking_off(&wish)) =>
        {
            Came::Sure(
                tabs::OFF_MEANS.to_owned(),
                settings_text::wished(base, text)?,
            )
        }
        "/settings" => Came::Lines(vec![line(
            Tone::Good,
            format!("✓ {}", settings_text::carry_out(base, text)?),
        )]),
        "/rules" => Came::Lines(commands::remembered(base, true)?),
        "/grants" => Came::Lines(commands::remembered(base, false)?),
        "/audit" => Came::Lines(commands::audit(base)?),
        "/undo" => return undo(base, Some(first).filter(|id| !id.is_empty())),
        "/model" if first.is_empty() => Came::Lines(vec![line(Tone::Text, models(desk))]),
        "/model" => Came::Model(desk.configured.model(Some(first))?),
        "/quit" => Came::Quit,
        other => {
            return Err(CommandError::NoCommand(other.to_owned()));
        }
    })
}

/// The names of models that can be chosen, and the one that answers.
fn models(desk: &Desk<'_>) -> String {
    let names = desk.configured.names().join(", ");
    format!(
        "`{}` answers; there are {}, and `openai:NAME`, `anthropic:NAME`",
        visible(desk.model.name()),
        visible(&names)
    )
}

/// Shows what would be taken back; the person says whether it is.
fn undo(base: &Base, id: Option<&str>) -> Result<Came, CommandError> {
    let files = Files::open(&base.whereabouts().state, Settings::default())
        .map_err(|error| CommandError::Undo(error.into()))?;
    let plan = plan(&files, id).map_err(|error| CommandError::Undo(error.into()))?;
    let mut out = vec![line(Tone::Strong, "this would")];
    // The words name the file.
    out.extend(
        plan.words
            .iter()
            .map(|(_, words)| line(Tone::Text, format!("  {}", visible(words)))),
    );
    for conflict in &plan.conflicts {
        out.push(line(
            Tone::Warning,
            format!(
                "  {}: {}",
                visible(&conflict.path.display().to_string()),
                visible(&conflict.why)
            ),
        ));
        out.extend(
            conflict
                .texts
                .since
                .lines()
                .map(|text| line(Tone::Faint, format!("    {}", visible(text)))),
        );
    }
    if !plan.conflicts.is_empty() {
        out.push(line(
            Tone::Warning,
            "  nothing was changed: it would lose what came after",
        ));
        return Ok(Came::Lines(out));
    }
    if plan.words.is_empty() {
        return Ok(Came::Lines(vec![line(
            Tone::Text,
            "everything is back as it was already",
        )]));
    }
    Ok(Came::Undo(Box::new((files, plan)), out))
}
