//! Builds what a person looks at, only when somebody is asked: the command, the change, the content, or names and values.
//!
//! Everything comes from the frozen operation and from the files it is about, and everything that somebody else wrote passes
//! [`visible`](sayso_core::text::visible) on its way here.

pub mod as_node;
pub mod binary;
mod change;
mod command;
mod command_sentence;
mod content;
mod deletion;
mod details;
pub mod diff;
mod effect_lines;
mod from_node;
pub mod language;
mod marks;
mod notes;
mod scripts;
mod sentence;
pub(crate) mod structured;
mod target;
pub mod tool_drawing;
pub mod truncate;
mod undo;
pub mod views;
mod warnings;
mod why;

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Kind;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::Why;
use sayso_core::prompt::presentation::{Body, Presentation};

use crate::error::PresentError;
use crate::ports::{Outlook, World};

pub use as_node::{prompt_to_node, to_node};
pub use from_node::from_node;
pub use sayso_core::text::size;
pub use sentence::who;
pub use truncate::truncate_for_display;
pub use why::NOT_KNOWN;

/// More lines than these are not shown to anybody, and so not asked about.
pub const MOST_LINES: usize = 500_000;

/// What the parts of a presentation are made from.
#[derive(Clone, Copy)]
struct About<'a> {
    world: &'a dyn World,
    operation: &'a Operation,
    reading: &'a Reading,
    verdict: &'a Verdict,
    /// What will come of it at this door.
    outlook: &'a Outlook,
}

/// A body with what belongs to it.
struct Made {
    body: Body,
    /// All of it, where the body itself does not show it.
    full: Option<Body>,
    /// So many lines of all of it are on the screen.
    shown: usize,
    /// What else decides, such as what the command runs.
    deciding: Vec<(String, String)>,
    /// Facts besides.
    details: Vec<(String, String)>,
    /// What a person has to know that neither the verdict nor the arguments say.
    warnings: Vec<String>,
}

impl Made {
    fn of(body: Body) -> Self {
        Made {
            body,
            full: None,
            shown: 0,
            deciding: Vec::new(),
            details: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn warn(mut self, text: impl Into<String>) -> Self {
        self.warnings.push(text.into());
        self
    }

    fn detail(mut self, label: &str, value: impl Into<String>) -> Self {
        self.details.push((label.to_owned(), value.into()));
        self
    }
}

/// What a prompt says.
pub struct Built {
    /// What the person looks at.
    pub presentation: Presentation,
    /// Who wants to do what.
    pub sentence: String,
    /// Why it is asked.
    pub why: Vec<Why>,
}

/// The sentence of a question and why it is asked, for a dialog of somebody else that has no room for more.
pub fn words(
    world: &dyn World,
    operation: &Operation,
    reading: &Reading,
    verdict: &Verdict,
) -> (String, Vec<Why>) {
    let outlook = &world.outlook(operation, verdict);
    let about = About {
        world,
        operation,
        reading,
        verdict,
        outlook,
    };
    let teller = effect_lines::Teller::new(about);
    let sentence = sentence::make(about, &teller);
    let why = why::all(about, &teller, &sentence, &[]);
    (sentence, why)
}

/// What the person looks at. An error is a denial: nobody is asked about what cannot be shown (H-27).
pub fn build(
    world: &dyn World,
    operation: &Operation,
    reading: &Reading,
    verdict: &Verdict,
    settings: &Resolved,
) -> Result<Built, PresentError> {
    let outlook = &world.outlook(operation, verdict);
    let about = About {
        world,
        operation,
        reading,
        verdict,
        outlook,
    };
    let made = match operation.kind() {
        Kind::Terminal => command::make(about),
        Kind::FileWrite
        | Kind::FileEdit
        | Kind::FileCreate
        | Kind::FileCreateOverwrite
        | Kind::FileAppend
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore => change::make(about)?,
        Kind::FileDelete | Kind::FileRmdir => deletion::make(about),
        _ => structured::make(about),
    };
    let mut presentation = Presentation::of(made.body);
    let lines = usize::try_from(settings.truncate_lines).unwrap_or(usize::MAX);
    truncate::cut(&mut presentation, lines);
    if let Some(full) = made.full.filter(|_| presentation.full.is_none()) {
        presentation.hidden_lines = truncate::count(&full).saturating_sub(made.shown);
        presentation.full = Some(Box::new(full));
    }
    presentation.undo = undo::undo(about);
    (presentation.details, presentation.deciding) =
        details::all(about, made.deciding, made.details);
    presentation.warnings = warnings::all(about, made.warnings, presentation.hidden_lines);
    let teller = effect_lines::Teller::new(about);
    let sentence = sentence::make(about, &teller);
    let why = why::all(about, &teller, &sentence, &presentation.warnings);
    Ok(Built {
        presentation,
        sentence,
        why,
    })
}
