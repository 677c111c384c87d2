//! What comes behind a call: its outcome is written down beside its decision, and sessions begin and end.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::text::node::Node;
use sayso_gate::approved::Yes;
use sayso_gate::entry::{Entry, What};
use sayso_gate::ports::Store as _;
use sayso_gate::run_result::Brief;
use sayso_store::held_operations;
use sayso_store::record;

use super::error::HookError;
use super::place::{Place, now, state_folder};
use crate::hook::agent::{Agent, Session, Wanted, numbered};
use sayso_runtime::answered_elsewhere::{self, Open};
use sayso_runtime::assemble::FindInstalled;
use sayso_runtime::{assemble, lineage, sandbox};

/// A call has run.
///
/// # Errors
/// When that cannot be written down.
pub(super) fn after(
    agent: &dyn Agent,
    wanted: &Wanted,
    ran: (bool, u64),
    installed: FindInstalled,
) -> Result<(), HookError> {
    let Some(first) = wanted.calls.first() else {
        return Ok(());
    };
    let Some(key) = &wanted.key else {
        return finished(agent, wanted, ran, installed);
    };
    let state = state_folder()?;
    // A command that sayso put there is none that was let through, and tells its end itself.
    let Some(id) =
        answered_elsewhere::take_name(&state, &first.session, key).map_err(HookError::runtime)?
    else {
        return Ok(());
    };
    let mut named = wanted.clone();
    named
        .calls
        .iter_mut()
        .for_each(|call| call.id.clone_from(&id));
    named.calls = numbered(named.calls);
    finished(agent, &named, ran, installed)
}

fn finished(
    agent: &dyn Agent,
    wanted: &Wanted,
    (succeeded, milliseconds): (bool, u64),
    installed: FindInstalled,
) -> Result<(), HookError> {
    let Some(first) = wanted.calls.first() else {
        return Ok(());
    };
    let place = Place::open(&first.workspace, &first.session, installed)?;
    let pending = answered_elsewhere::take(place.state(), &first.session, &first.id)
        .map_err(HookError::runtime)?;
    if pending.handed_over || place.is_own_command(&wanted.input) {
        return Ok(());
    }
    let changed = pending
        .change
        .as_deref()
        .map_or(Ok(Vec::new()), |name| place.files_changed(name))?;
    let profile = place.settings()?.profile.clone();
    for call in wanted.calls.iter().filter(|call| !call.id.is_empty()) {
        let operation = Arc::new(
            Operation::freeze(call.clone()).map_err(|malformed| HookError::runtime(malformed.0))?,
        );
        let append = |what: What| {
            let entry = Entry {
                at: now(),
                operation: Some(Arc::clone(&operation)),
                what,
            };
            place.recorder.append(&entry)
        };
        if pending.asked {
            // It has run, so somebody said yes in the agent's own dialog.
            let yes = Yes {
                by: super::dialog(agent),
                scope: Scope::Once,
                prompt: "host".into(),
                confirmations: 1,
                kept: None,
                typed: None,
            };
            append(What::Decided {
                verdict: None,
                outcome: Outcome::Approved,
                yes: Some(yes),
                note: None,
                typed: None,
                denied_by: None,
                message: String::new(),
                profile: profile.clone(),
            })?;
        }
        append(What::Finished {
            succeeded,
            started: true,
            milliseconds,
            result: Brief {
                changed: changed.clone(),
                ..Brief::default()
            },
        })?;
    }
    Ok(())
}

/// A session begins.
///
/// # Errors
/// When that cannot be written down.
pub(super) fn started(
    agent: &dyn Agent,
    session: &Session,
    installed: FindInstalled,
) -> Result<(), HookError> {
    let place = Place::open(&session.workspace, &session.id, installed)?;
    if let Some(warning) = assemble::warning_at_start(&place.policy) {
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
    answered_elsewhere::clear(place.state(), now());
    lineage::remember(place.state(), agent.name()).map_err(HookError::runtime)?;
    if agent.folder_is_of_the_call() {
        answered_elsewhere::begin(place.state(), &session.id, &session.workspace)
            .map_err(HookError::runtime)?;
    }
    let fields = [
        ("session", session.id.as_str()),
        ("agent", agent.name()),
        ("workspace", session.workspace.as_str()),
    ];
    let fields = fields.map(|(name, value)| (name, record::text(value)));
    let noted = place.recorder.note("session_started", fields.into());
    noted.map_err(HookError::runtime)
}

/// The agent waits for the person: what its dialog asked about and did not run was not wanted, and nobody can run it any more.
///
/// # Errors
/// When that cannot be written down.
pub(super) fn idle(
    agent: &dyn Agent,
    session: &Session,
    installed: FindInstalled,
) -> Result<(), HookError> {
    close(
        agent,
        session,
        &Place::open(&session.workspace, &session.id, installed)?,
        false,
    )
}

/// A session is over, and what was granted for it.
///
/// # Errors
/// When that cannot be written down.
pub(super) fn ended(
    agent: &dyn Agent,
    session: &Session,
    installed: FindInstalled,
) -> Result<(), HookError> {
    let place = Place::open(&session.workspace, &session.id, installed)?;
    close(agent, session, &place, true)?;
    // Where its holder cannot be told, it ends with the agent's process.
    let _ = sandbox::session::end(
        place.state(),
        agent.name(),
        &session.id,
        Path::new(&session.workspace),
    );
    place
        .recorder
        .end_session(&session.id)
        .map_err(HookError::runtime)
}

/// The agent wants something else: a command that its dialog asked about before, and that did not run, was refused there.
///
/// # Errors
/// When that cannot be written down.
pub(super) fn went_on(agent: &dyn Agent, place: &Place, call: &Call) -> Result<(), HookError> {
    let refused =
        answered_elsewhere::take_refused(place.state(), call).map_err(HookError::runtime)?;
    give_up(agent, &call.session, place, refused)
}

fn close(agent: &dyn Agent, session: &Session, place: &Place, all: bool) -> Result<(), HookError> {
    give_up(
        agent,
        &session.id,
        place,
        answered_elsewhere::take_open(place.state(), &session.id, all),
    )
}

fn give_up(
    agent: &dyn Agent,
    session: &str,
    place: &Place,
    questions: Vec<Open>,
) -> Result<(), HookError> {
    for open in questions {
        // What somebody has taken, runs or ran, and says so itself.
        let was_taken = open.held.as_deref().map_or(Ok(false), |id| {
            held_operations::give_up(place.state(), id).map(|was_there| !was_there)
        });
        let was_taken = was_taken.map_err(HookError::runtime)?;
        if !was_taken {
            let fields = [
                ("call", record::text(&open.call)),
                ("tool", record::text(&open.tool)),
                ("session", record::text(session)),
                ("agent", record::text(&open.agent)),
                ("outcome", Node::text(Outcome::Cancelled.word())),
                (
                    "message",
                    record::text(&format!(
                        "the dialog of {} ended without a yes",
                        agent.title()
                    )),
                ),
            ];
            place
                .recorder
                .note("decided", fields.into())
                .map_err(HookError::runtime)?;
        }
    }
    Ok(())
}
