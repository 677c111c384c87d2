//! What a person sees and answers in a terminal: prompts that are painted and take single keys, or lines where that is not wanted.

pub mod ago;
pub mod columns;
pub mod line;
pub mod painted;
pub mod progress;
pub mod scripted;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use std::time::Instant;

use sayso_core::policy::setting_words::PromptStyle;
use sayso_core::policy::settings::Resolved;
use sayso_gate::ports::Ask;
use sayso_tui::lines::plain::Look;

use sayso_runtime::earlier_calls::InRecord;

/// The way to ask at this terminal: painted, or a line at a time where the person, the policy or the terminal wants no more than that.
/// `state` is the folder of the record.
pub fn at_terminal(
    settings: &Resolved,
    plain: bool,
    state: &Path,
    stopped: &Arc<AtomicBool>,
    interrupts: painted::Interrupts,
) -> io::Result<Arc<dyn Ask>> {
    let patterns = Arc::new(InRecord::new(state.to_owned()));
    if plain || settings.prompt_style == PromptStyle::Line || !can_be_painted_on() {
        let line = line::Line::open(
            |paint| Look::of(settings, paint),
            patterns,
            Arc::clone(stopped),
        )?;
        return Ok(Arc::new(line));
    }
    Ok(Arc::new(painted::Painted::open(
        settings,
        patterns,
        Arc::clone(stopped),
        interrupts,
    )?))
}

/// The deadline of the prompt on the screen, where the inbox keeps it: every screen shows this one, and none has another.
pub trait Deadline: Send + Sync {
    /// When it is denied; none waits for ever.
    fn due(&self) -> Option<Instant>;
    /// Somebody is at the prompt; whoever keeps the deadline may move it.
    fn activity(&self);
}

/// The way to ask at this terminal for the inbox: the deadline is kept there, and Ctrl-C answers nothing.
pub fn for_inbox(
    settings: &Resolved,
    plain: bool,
    state: &Path,
    stopped: &Arc<AtomicBool>,
    deadline: Arc<dyn Deadline>,
) -> io::Result<Arc<dyn Ask>> {
    let patterns = Arc::new(InRecord::new(state.to_owned()));
    if plain || settings.prompt_style == PromptStyle::Line || !can_be_painted_on() {
        let line = line::Line::open(
            |paint| Look::of(settings, paint),
            patterns,
            Arc::clone(stopped),
        )?;
        return Ok(Arc::new(line.with_deadline(deadline)));
    }
    let painted = painted::Painted::open(
        settings,
        patterns,
        Arc::clone(stopped),
        painted::Interrupts::Leave,
    )?;
    Ok(Arc::new(painted.with_deadline(deadline)))
}

/// Whether the terminal says that it can move its cursor.
pub fn can_be_painted_on() -> bool {
    std::env::var("TERM").is_ok_and(|term| !term.is_empty() && term != "dumb")
}
