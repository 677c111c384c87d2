//! Answers the hooks of agents: what the agent is about to do is judged, written down, and answered in the agent's own words.
//!
//! Everything that goes wrong on the way is a denial, or, where nothing can be denied any more, words on the error stream.

mod after;
pub mod agent;
mod deadline;
pub mod dialect;
pub mod error;
mod inbox;
pub mod patch;
mod place;

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::runner::NoSandbox;
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::call::operation::{Call, Operation};
use sayso_core::call::tool::Kind;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::setting_words::{HooksAsk, HooksExec};
use sayso_core::policy::settings::Resolved;
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::error::port_error;
use sayso_gate::finished::Finished;
use sayso_gate::gate::Gate;
use sayso_gate::host::{Answer, Asked, Asker, HostCall};
use sayso_gate::ids::Ids;
use sayso_sandbox::alarm::LastWords;

use crate::hook::agent::{Agent, Around, Event, Moment, Reply, Said, Wanted, document, with};
use deadline::TooLate;
use error::{AskError, ClockError, HookError};
use place::{HookRunner, Place, now, state_folder};
use sayso_runtime::answered_elsewhere::{self, Pending};
use sayso_runtime::ask_inbox;
use sayso_runtime::assemble::FindInstalled;
use sayso_runtime::{held_text, lineage};

/// The status of a hook that has something to complain about and nothing to deny.
const COMPLAINS: u8 = 1;

/// Starts the time that a hook has, for an agent that waits so many seconds, if it says.
///
/// # Errors
/// When the time cannot be watched.
pub fn start_clock(wait: Option<u64>) -> Result<(), ClockError> {
    let words = || {
        let Said { out, error, code } = too_late();
        LastWords { out, error, code }
    };
    let say = || {
        too_late().say();
        too_late().code
    };
    deadline::start(wait, TooLate { words, say })
}

fn too_late() -> Said {
    Said::refused("it could not be judged in time; nothing was changed")
}

/// Answers one call of a hook. `installed` finds where sayso is installed, for the policy.
pub fn answer(agent: &dyn Agent, input: &[u8], around: &Around, installed: FindInstalled) -> Said {
    let document = match document(input) {
        Ok(document) => document,
        Err(why) => return Said::refused(&why.to_string()),
    };
    let event = match agent.read(&document, around) {
        Ok(event) => event,
        Err(why) => return refused(agent, &document, why.to_string()),
    };
    let complain = |done: Result<(), HookError>| match done {
        Ok(()) => Said::nothing(),
        Err(why) => Said {
            code: COMPLAINS,
            ..Said::refused(&why.to_string())
        },
    };
    let deny = |why: HookError| Reply::Deny(why.to_string());
    let placed = |wanted: Wanted| placed(agent, &document, wanted);
    match event {
        Event::Before(wanted) => agent.before(
            &placed(wanted)
                .and_then(|wanted| before(agent, &wanted, around, installed))
                .unwrap_or_else(deny),
        ),
        Event::Permission(wanted) => agent.permission(
            &placed(wanted)
                .and_then(|wanted| permission(agent, &wanted, installed))
                .unwrap_or_else(deny),
        ),
        Event::After {
            wanted,
            succeeded,
            milliseconds,
        } => {
            complain(placed(wanted).and_then(|wanted| {
                after::after(agent, &wanted, (succeeded, milliseconds), installed)
            }))
        }
        Event::Started(session) => complain(after::started(agent, &session, installed)),
        Event::Idle(session) => complain(after::idle(agent, &session, installed)),
        Event::Ended(session) => complain(after::ended(agent, &session, installed)),
        Event::Other => Said::nothing(),
    }
}

/// A document that says what it is about and not what it wants.
fn refused(agent: &dyn Agent, document: &Node, why: String) -> Said {
    match agent.moment(document) {
        Some(Moment::Before) => agent.before(&Reply::Deny(why)),
        Some(Moment::Permission) => agent.permission(&Reply::Deny(why)),
        Some(Moment::After | Moment::Failed) => Said {
            code: COMPLAINS,
            ..Said::refused(&why)
        },
        _ => Said::refused(&why),
    }
}

/// The call in its workspace, where the agent only says in which folder the model wants to work: whatever folder that is, it is no workspace.
fn placed(agent: &dyn Agent, document: &Node, mut wanted: Wanted) -> Result<Wanted, HookError> {
    if agent.folder_is_of_the_call() {
        let session = wanted
            .calls
            .first()
            .map(|call| call.session.clone())
            .unwrap_or_default();
        let workspace = answered_elsewhere::beginning(&state_folder()?, &session)
            .map_err(HookError::runtime)?
            .or_else(|| agent.workspace_by_itself(document));
        let workspace = workspace.ok_or(HookError::NoBeginning)?;
        wanted
            .calls
            .iter_mut()
            .for_each(|call| call.workspace.clone_from(&workspace));
    }
    Ok(wanted)
}

/// The answer to a call that is about to run. An error is a denial.
fn before(
    agent: &dyn Agent,
    wanted: &Wanted,
    around: &Around,
    installed: FindInstalled,
) -> Result<Reply, HookError> {
    let named = wanted.key.as_ref().map(|_| with_own_id(agent, wanted));
    let wanted = named.as_ref().unwrap_or(wanted);
    let first = wanted.calls.first().ok_or(HookError::NoCall)?;
    // The process ends with its answer, and gives everything back at once, which is faster than piece by piece.
    let place: &'static Place = Box::leak(Box::new(Place::open(
        &first.workspace,
        &first.session,
        installed,
    )?));
    // Not every agent says when a session begins, and a session may be older than this sayso.
    lineage::remember(place.state(), agent.name()).map_err(HookError::runtime)?;
    let settings = place.settings()?;
    after::went_on(agent, place, first)?;
    let gate = place.gate(HookRunner {
        no_sandbox: no_sandbox(agent, settings),
        containment: Some(place.containment(&first.workspace)),
    });
    let judged = match gate.judge_calls(&wanted.calls) {
        Ok(judged) => judged,
        Err(finished) => return Ok(Reply::Deny(refused_words(place, *finished))),
    };
    let calls = event_calls(&wanted.calls, judged);
    let reply = reply_to(agent, place, &gate, calls, (wanted, around))?;
    if let (Some(key), Reply::Allow(_)) = (&wanted.key, &reply) {
        answered_elsewhere::put_name(place.state(), &first.session, key, &first.id)
            .map_err(HookError::runtime)?;
    }
    Ok(reply)
}

/// The calls under an id of their own, also where the agent gives them none: what was answered once must not count for the next one.
fn with_own_id(agent: &dyn Agent, wanted: &Wanted) -> Wanted {
    let id = Ids::new().next(agent.name());
    let mut named = wanted.clone();
    named
        .calls
        .iter_mut()
        .for_each(|call| call.id.clone_from(&id));
    named.calls = agent::numbered(named.calls);
    named
}

/// The reply to an event whose calls were judged.
fn reply_to(
    agent: &dyn Agent,
    place: &'static Place,
    gate: &Gate,
    mut calls: Vec<EventCall<'_>>,
    (wanted, around): (&Wanted, &Around),
) -> Result<Reply, HookError> {
    let first = wanted.calls.first().ok_or(HookError::NoCall)?;
    let settings = place.settings()?;
    let verdicts: Vec<Verdict> = if calls.len() > 1 {
        calls
            .iter()
            .map(|one| one.judged.verdict().clone())
            .collect()
    } else {
        Vec::new()
    };
    place.remember_changes(&verdicts);
    // Of several calls, one that is not simply allowed answers for all.
    let strictest =
        strictest(&calls).filter(|index| calls.get(*index).is_some_and(|one| !one.is_allowed()));
    if let Some(index) = strictest {
        calls = vec![calls.swap_remove(index)];
    }
    let can_ask = |operation: &Operation, verdict: &Verdict| match ask_inbox::is_asked_there(
        place.state(),
        settings,
    ) {
        Err(why) => Err(port_error(why)),
        Ok(true) => Ok(Asker::Gate),
        Ok(false) => can_ask(agent, settings, around, wanted, operation, verdict)
            .map(|()| Asker::Host)
            .map_err(|why| port_error(answerable(place, settings, why))),
    };
    let mut approved = Vec::new();
    for EventCall { call, judged } in calls {
        match gate.answer_judged(judged, &can_ask) {
            Answer::Run(one) => {
                if one.yes().is_some() {
                    for_gateway(place, call)?;
                    // Its own question about the same call, which comes next, is answered with this.
                    answered_elsewhere::put_yes(place.state(), call).map_err(HookError::runtime)?;
                }
                approved.push(one);
            }
            Answer::Refuse(finished) => return Ok(Reply::Deny(refused_words(place, *finished))),
            Answer::Ask(asked) if is_deferred(agent, settings, around) => {
                return Ok(Reply::Defer(format!(
                    "{}. {}",
                    question(&asked),
                    agent.how_to_go_on()
                )));
            }
            Answer::Ask(asked)
                if is_handed_over_when_asked(agent, place, around, &asked, wanted) =>
            {
                return hand_over_asked(agent, place, gate, *asked, wanted);
            }
            Answer::Ask(asked) => {
                // Whatever comes to the gateway was let through by the dialog.
                for_gateway(place, call)?;
                let all = if verdicts.is_empty() {
                    std::slice::from_ref(asked.verdict.as_ref())
                } else {
                    &verdicts
                };
                let change = place.keep_files(first, all, true);
                answered_elsewhere::put(
                    place.state(),
                    first,
                    &Pending {
                        asked: true,
                        change,
                        ..Pending::default()
                    },
                )
                .map_err(HookError::runtime)?;
                return Ok(Reply::Ask(question(&asked)));
            }
        }
    }
    if wanted.is_inner {
        return Ok(Reply::Nothing);
    }
    match approved.pop() {
        Some(only) if approved.is_empty() && is_handed_over(agent, &only, settings) => {
            hand_over(agent, place, gate, only, wanted)
        }
        Some(last) => {
            // Of several calls one was asked about, and all of them run.
            let verdicts = if verdicts.is_empty() {
                vec![last.verdict().clone()]
            } else {
                verdicts
            };
            let asked = last.yes().is_some();
            approved.push(last);
            if let Some(change) = place.keep_files(first, &verdicts, asked) {
                let pending = Pending {
                    change: Some(change),
                    ..Pending::default()
                };
                answered_elsewhere::put(place.state(), first, &pending)
                    .map_err(HookError::runtime)?;
            }
            Ok(Reply::Allow(decided_by(&approved)))
        }
        None => Err(HookError::NotJudged),
    }
}

/// A call of an event, judged once.
struct EventCall<'a> {
    call: &'a Call,
    judged: HostCall,
}

impl EventCall<'_> {
    fn is_allowed(&self) -> bool {
        self.judged.verdict().decision == Decision::Allow
    }
}

fn event_calls(calls: &[Call], judged: Vec<HostCall>) -> Vec<EventCall<'_>> {
    let pairs = calls.iter().zip(judged);
    pairs
        .map(|(call, judged)| EventCall { call, judged })
        .collect()
}

/// Which of the calls has the strictest verdict.
fn strictest(calls: &[EventCall<'_>]) -> Option<usize> {
    let verdicts = calls.iter().map(|one| one.judged.verdict()).enumerate();
    verdicts
        .max_by_key(|(_, verdict)| (verdict.decision, verdict.confirm))
        .map(|(index, _)| index)
}

/// Why the agent's dialog is not enough, and where the person can answer instead.
fn answerable(place: &Place, settings: &Resolved, why: AskError) -> AskError {
    AskError::Elsewhere {
        why: Box::new(why),
        instead: ask_inbox::where_to_answer(place.state(), settings),
    }
}

/// What the agent is told of a call that does not run. Where nobody answered in time, also where the question was.
fn refused_words(place: &Place, finished: Finished) -> String {
    match (finished.outcome, place.settings()) {
        (Outcome::TimedOut, Ok(settings)) => format!(
            "{}. {}",
            finished.message,
            ask_inbox::where_to_answer(place.state(), settings)
        ),
        _ => finished.message,
    }
}

/// A call of an MCP tool may come to a gateway next, where the person is not asked again.
fn for_gateway(place: &Place, call: &Call) -> Result<(), HookError> {
    let is_mcp =
        sayso_core::call::tool::find(&call.tool).is_some_and(|tool| tool.kind == Kind::Mcp);
    if is_mcp {
        answered_elsewhere::put_for_gateway(place.state(), call).map_err(HookError::runtime)
    } else {
        Ok(())
    }
}

/// Whether a question ends the run, to be gone on with when the person has answered it by a rule.
fn is_deferred(agent: &dyn Agent, settings: &Resolved, around: &Around) -> bool {
    settings.hooks_defer && agent.can_defer(around)
}

/// Whether the agent's own dialog is enough for a question.
fn can_ask(
    agent: &dyn Agent,
    settings: &Resolved,
    around: &Around,
    wanted: &Wanted,
    operation: &Operation,
    verdict: &Verdict,
) -> Result<(), AskError> {
    if !is_deferred(agent, settings, around) {
        agent.can_ask(around)?;
        wanted.ask_is_lost.clone().map_or(Ok(()), Err)?;
    }
    if verdict.confirm == Confirm::Double {
        let agent = agent.title();
        return Err(AskError::OneConfirmation(agent));
    }
    let is_bounded = verdict.terms.sandbox_required || verdict.terms.contained;
    if operation.kind() == Kind::Terminal
        && is_bounded
        && (settings.hooks_exec == HooksExec::Never || !agent.asks_about_what_runs())
    {
        return Err(AskError::NoSandbox);
    }
    Ok(())
}

/// So many reasons have room in a dialog of somebody else.
const MAX_REASONS: usize = 3;

/// What the person reads in the agent's own dialog.
fn question(asked: &Asked) -> String {
    let reasons: Vec<&str> = asked
        .why
        .iter()
        .take(MAX_REASONS)
        .map(|why| why.text.as_str())
        .collect();
    let reasons = if reasons.is_empty() {
        String::new()
    } else {
        format!(": {}", reasons.join("; "))
    };
    format!(
        "{} ({}){reasons}",
        asked.sentence,
        asked.verdict.level().words()
    )
}

/// Why sayso cannot run a command in the agent's place, if it cannot: then there is no sandbox for it.
fn no_sandbox(agent: &dyn Agent, settings: &Resolved) -> Option<NoSandbox> {
    match (settings.hooks_exec, agent.changes_arguments()) {
        (HooksExec::Never, _) => Some(NoSandbox::HooksExecNever),
        (_, true) => None,
        (_, false) => Some(NoSandbox::FixedCommand {
            agent: agent.title().to_owned(),
        }),
    }
}

/// Whether sayso runs a command itself: what was answered to by a person is bound to what was shown, and what needs a sandbox gets one.
fn is_handed_over(agent: &dyn Agent, approved: &Approved, settings: &Resolved) -> bool {
    if approved.operation().kind() != Kind::Terminal {
        return false;
    }
    let answered = approved.yes().is_some() || approved.verdict().granted_by().is_some();
    let bounded = approved.terms().contained || approved.terms().sandbox_required;
    match settings.hooks_exec {
        // What was answered to runs as it was shown all the same; it is only not bound to it.
        _ if !agent.changes_arguments() => bounded,
        HooksExec::Always => true,
        HooksExec::Never => bounded,
        HooksExec::Auto => bounded || answered,
    }
}

/// Keeps an approved command, and lets the agent run `sayso exec` in its place.
fn hand_over(
    agent: &dyn Agent,
    place: &Place,
    gate: &Gate,
    approved: Approved,
    wanted: &Wanted,
) -> Result<Reply, HookError> {
    let settings = place.settings()?;
    let (operation, by) = (
        Arc::new(approved.operation().clone()),
        approved.decided_by(),
    );
    let hold = || -> Result<String, HookError> {
        if let Some(why) = no_sandbox(agent, settings) {
            return Err(HookError::NoSandbox(why));
        }
        let held = gate.set_aside(approved)?;
        let text = held_text::write(&place.choice, &held.write()).map_err(HookError::runtime)?;
        let id = place
            .recorder
            .keep(&text, now())
            .map_err(HookError::runtime)?;
        let pending = Pending {
            handed_over: true,
            ..Pending::default()
        };
        answered_elsewhere::put(place.state(), &operation.call(), &pending)
            .map_err(HookError::runtime)?;
        place.command(&id)
    };
    match hold() {
        Ok(command) => Ok(Reply::AllowAs(
            by,
            with(&wanted.input, "command", Node::text(command)),
        )),
        Err(why) => {
            place.was_not_run(&operation);
            Err(HookError::NotHandedOver(Box::new(why)))
        }
    }
}

/// Whether sayso runs a command that the agent asks about: then what was shown is what runs. The agent's own rules never see what it is, so
/// that where it has some, they are left to say no.
fn is_handed_over_when_asked(
    agent: &dyn Agent,
    place: &Place,
    around: &Around,
    asked: &Asked,
    wanted: &Wanted,
) -> bool {
    let exec = place
        .settings()
        .map_or(HooksExec::Never, |settings| settings.hooks_exec);
    let exec = if agent.changes_arguments() {
        exec
    } else {
        HooksExec::Never
    };
    if asked.operation.kind() != Kind::Terminal
        || wanted.calls.len() != 1
        || exec == HooksExec::Never
        || !agent.asks_about_what_runs()
    {
        return false;
    }
    let bounded = asked.verdict.terms.contained || asked.verdict.terms.sandbox_required;
    bounded
        || exec == HooksExec::Always
        || !agent.has_rules_for_commands(around, asked.operation.workspace())
}

/// What the person has to know about a command that they see behind `#`.
const BESIDE: &str = "With your yes, sayso runs exactly what stands behind `#` above, once";

/// Keeps a command that the agent asks about, and lets it ask about `sayso exec` in its place, with the command beside it.
fn hand_over_asked(
    agent: &dyn Agent,
    place: &Place,
    gate: &Gate,
    asked: Asked,
    wanted: &Wanted,
) -> Result<Reply, HookError> {
    let (operation, question) = (Arc::clone(&asked.operation), question(&asked));
    let hold = || -> Result<String, HookError> {
        let held = gate.set_aside_asked(asked, dialog(agent))?;
        let text = held_text::write(&place.choice, &held.write()).map_err(HookError::runtime)?;
        let id = place
            .recorder
            .keep_for_dialog(&text, now())
            .map_err(HookError::runtime)?;
        let pending = Pending {
            asked: true,
            handed_over: true,
            held: Some(id.clone()),
            ..Pending::default()
        };
        answered_elsewhere::put(place.state(), &operation.call(), &pending)
            .map_err(HookError::runtime)?;
        place.command_beside(&id, operation.command().unwrap_or_default())
    };
    match hold() {
        Ok(command) => Ok(Reply::AskAs(
            format!("{question}. {BESIDE}"),
            with(&wanted.input, "command", Node::text(command)),
        )),
        Err(why) => {
            place.was_not_run(&operation);
            Err(HookError::NotHandedOver(Box::new(why)))
        }
    }
}

/// Who answers a question that the agent asks.
fn dialog(agent: &dyn Agent) -> DecidedBy {
    DecidedBy::Dialog(agent.title().to_owned())
}

/// Who decided calls that may run: of several, a person who was asked.
fn decided_by(approved: &[Approved]) -> DecidedBy {
    let mut all = approved.iter().map(Approved::decided_by);
    let first = all.next().unwrap_or(DecidedBy::Policy);
    if first.is_person() {
        first
    } else {
        all.find(DecidedBy::is_person).unwrap_or(first)
    }
}

/// Whether a person said yes to these very calls in the inbox a moment ago, which is used up with that.
fn was_answered(place: &Place, calls: &[Call]) -> Result<bool, HookError> {
    let mut all = !calls.is_empty();
    for call in calls {
        all &= answered_elsewhere::take_yes(place.state(), call).map_err(HookError::runtime)?;
    }
    Ok(all)
}

/// The answer in place of the person, where the agent would ask by itself. An error is a denial.
fn permission(
    agent: &dyn Agent,
    wanted: &Wanted,
    installed: FindInstalled,
) -> Result<Reply, HookError> {
    let first = wanted.calls.first().ok_or(HookError::NoCall)?;
    let place = Place::open(&first.workspace, &first.session, installed)?;
    if wanted.is_inner || place.is_own_command(&wanted.input) {
        return Ok(Reply::Nothing);
    }
    let settings = place.settings()?;
    // The agent runs what is let through here, and not in a sandbox.
    let gate = place.gate(HookRunner {
        no_sandbox: no_sandbox(agent, settings),
        containment: None,
    });
    let mut calls = match gate.judge_calls(&wanted.calls) {
        Ok(judged) => event_calls(&wanted.calls, judged),
        Err(finished) => return Ok(Reply::Deny(finished.message)),
    };
    let index = strictest(&calls).ok_or(HookError::NoCall)?;
    let verdicts: Vec<Verdict> = calls
        .iter()
        .map(|one| one.judged.verdict().clone())
        .collect();
    let verdict = verdicts.get(index).ok_or(HookError::NoCall)?;
    let bounded = verdicts
        .iter()
        .any(|verdict| verdict.terms.contained || verdict.terms.sandbox_required);
    match verdict.decision {
        Decision::Allow if bounded || !agent.answers_questions() => return Ok(Reply::Nothing),
        Decision::Allow => {}
        // The person was asked a moment ago, and said yes to this very call.
        Decision::Ask if was_answered(&place, &wanted.calls)? => {
            return Ok(if agent.answers_questions() {
                Reply::Allow(DecidedBy::Grant)
            } else {
                Reply::Nothing
            });
        }
        // The person is asked by the agent, and that is enough.
        Decision::Ask
            if verdict.confirm != Confirm::Double
                && settings.hooks_ask != HooksAsk::Inbox
                && wanted.ask_is_lost.is_none() =>
        {
            return Ok(Reply::Nothing);
        }
        Decision::Ask | Decision::Deny => calls = vec![calls.swap_remove(index)],
    }
    place.remember_changes(&verdicts);
    let can_ask = |_: &Operation, _: &Verdict| {
        if ask_inbox::is_asked_there(place.state(), settings).map_err(port_error)? {
            return Ok(Asker::Gate);
        }
        let twice = || AskError::OneConfirmation(agent.title());
        let why = wanted.ask_is_lost.clone().unwrap_or_else(twice);
        Err(port_error(answerable(&place, settings, why)))
    };
    let mut approved = Vec::new();
    for one in calls {
        match gate.answer_judged(one.judged, &can_ask) {
            Answer::Run(one) => approved.push(one),
            Answer::Refuse(finished) => return Ok(Reply::Deny(finished.message)),
            Answer::Ask(..) => return Ok(Reply::Nothing),
        }
    }
    Ok(Reply::Allow(decided_by(&approved)))
}
