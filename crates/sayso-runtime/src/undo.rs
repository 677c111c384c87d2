//! Takes changes of sayso's file tools back, and writes that down.

use std::time::SystemTime;

use sayso_core::text::node::{Node, Value};
use sayso_gate::ids::Ids;
use sayso_store::journal::{Journal, JournalError, Sync};
use sayso_store::rules_and_grants::generation::{Generation, GenerationError};
use sayso_tools::files::Files;
use sayso_tools::undo::{self, Part, Plan, Undone, Which};
use sayso_world::locations::Whereabouts;
use thiserror::Error;

/// Why nothing is taken back.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum UndoError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Tool(#[from] undo::UndoError),
    #[error(transparent)]
    Generation(#[from] GenerationError),
}

/// Takes it back, and writes that down first, as every change is.
///
/// # Errors
/// When it cannot be written down, or something stands against it by now.
pub fn carry_out(
    whereabouts: &Whereabouts,
    files: &Files,
    plan: &Plan,
) -> Result<Undone, UndoError> {
    let id = Ids::new().next("undo");
    let journal = Journal::open(&whereabouts.state)?;
    let undone: Vec<Node> = plan
        .changes
        .iter()
        .map(|change| Node::text(&change.id))
        .collect();
    let fields = vec![
        ("call", Node::text(&id)),
        ("user", Value::Number(whereabouts.uid.to_string()).into()),
        ("undoes", Value::List(undone).into()),
    ];
    journal.append("undo", fields, Sync::Disk)?;
    let done = undo::apply(files, plan, &id, "")?;
    if plan.changes.iter().any(|change| change.tool == "install") {
        // Where sayso is installed is part of each copy of the policy.
        Generation::open(&whereabouts.state)?.grow(&whereabouts.state)?;
    }
    for change in &plan.changes {
        let fields = vec![
            ("call", Node::text(&change.id)),
            ("undo", Node::text(&id)),
            ("session", Node::text(&change.session)),
        ];
        journal.append("undone", fields, Sync::System)?;
    }
    journal.append(
        "finished",
        vec![
            ("call", Node::text(&id)),
            ("succeeded", Value::Bool(true).into()),
        ],
        Sync::System,
    )?;
    Ok(done)
}

/// What is to be taken back.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// The last change.
    Last,
    /// A change by its own id, else a batch, else a call.
    Id(&'a str),
    /// All since a time.
    Since(SystemTime),
    /// All of a session.
    Session(&'a str),
}

/// What would be done.
///
/// # Errors
/// When there is nothing to take back.
pub fn plan(files: &Files, id: Option<&str>) -> Result<Plan, undo::UndoError> {
    plan_part(files, id.map_or(Wanted::Last, Wanted::Id), &Part::default())
}

/// What would be done to take a part of it back.
///
/// # Errors
/// When there is nothing to take back, or the part is not in it.
pub fn plan_part(files: &Files, wanted: Wanted<'_>, part: &Part) -> Result<Plan, undo::UndoError> {
    let which = match wanted {
        Wanted::Last => Which::Last,
        Wanted::Since(time) => Which::Since(time),
        Wanted::Session(session) => Which::Session(session),
        Wanted::Id(id) => {
            let all = files.changes().finished();
            let is_one = all.iter().any(|change| undo::is_handle(change, id));
            let is_batch = all.iter().any(|change| change.batch.as_deref() == Some(id));
            match is_batch && !is_one {
                true => Which::Batch(id),
                false => Which::Id(id),
            }
        }
    };
    undo::plan_part(files, which, part)
}
