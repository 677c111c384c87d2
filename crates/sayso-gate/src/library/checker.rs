//! Answers about commands, edits and addresses, for a host that asks the person by itself and then says what came of it.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as Polled, Poll, Waker};

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{MAX_DEPTH, Operation};
use sayso_core::prompt::{Answer, Choice, Ended, Prompt, Round};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;

use super::check::{Checked, Context, Request, checked, malformed};
use super::controller::Controller;
use super::decision::Decision;
use crate::pipeline::batch_context::Turn;
use crate::ports::{Ask, Later};

/// What the person did with a question of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Allow this time only.
    Once,
    /// Allow from now on in this session, or as far as [`Response::scope`] says; what is dangerous is allowed once and no more.
    Always,
    /// Allow by a pattern of the person's own. One that does not fit, or is far too wide, is a denial.
    Pattern(String),
    /// No.
    Reject,
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// What they did.
    pub action: Action,
    /// What the agent is told with a denial.
    pub note: Option<String>,
    /// Who it was.
    pub by: String,
    /// How far a yes that is kept reaches. Without it that is the session of the checker, and nothing wider.
    pub scope: Option<Scope>,
    /// How often they were asked and said so. A question that [needs two](Request::needs_two) is denied with less than 2.
    pub confirmations: u8,
}

impl Response {
    /// One answer of a person.
    pub fn new(action: Action, by: impl Into<String>) -> Self {
        Response {
            action,
            note: None,
            by: by.into(),
            scope: None,
            confirmations: 1,
        }
    }
}

/// Checks what an agent wants to do. Unlike [`Controller::check`] it knows what was answered before.
///
/// ```
/// use std::sync::Arc;
/// use sayso_gate::library::{Action, Builder, Checked, Response};
/// # use sayso_core::text::digest::Digest; use sayso_core::analysis::fact::{Fact, Facts, GitFact, Ignored, Owner, PathFact, PathKind, ProgramFact, Question, Surroundings};
/// # use sayso_gate::{ports::World, seal::Sealed};
/// # struct Machine;
/// # impl World for Machine {
/// #     fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
/// #         let surroundings = Surroundings { workspace: workspace.into(), cwd: cwd.into(), home: None, own: vec![] };
/// #         let answer = |question: &Question| match question {
/// #             Question::Program { name } => {
/// #                 Some(Fact::Program(ProgramFact { file: Some(format!("/usr/bin/{name}")), changeable: false, inside_workspace: false }))
/// #             }
/// #             Question::GitHelpers { .. } => Some(Fact::Git(GitFact { root: None, helpers: vec![], incomplete: false })),
/// #             Question::Path { path, .. } => Some(Fact::Path(PathFact {
/// #                 canonical: format!("{cwd}/{path}"), links: vec![], kind: PathKind::Missing, hard_links: 0, owner: Owner::Me,
/// #                 writable_by_others: false, closed_to_others: false, case_insensitive: false, ignored: Ignored::No, size: None,
/// #             })),
/// #             _ => None,
/// #         };
/// #         Facts { surroundings, answers: questions.iter().map(answer).collect() }
/// #     }
/// #     fn seal(&self, files: &[Sealed]) -> Option<Digest> { Some(Digest::of_bytes(format!("{files:?}").as_bytes())) }
/// # }
/// # let machine = Arc::new(Machine);
/// let checker = Builder::new("/ws", machine).profile("opencode").checker()?;
/// let Checked::Request(request) = checker.check_bash("cargo test") else { panic!("it asks") };
/// // The host shows `request.description()` and asks the person in its own way.
/// let decision = checker.apply_response(*request, Response::new(Action::Pattern("cargo test *".into()), "ann"));
/// assert!(decision.approved);
/// assert!(matches!(checker.check_bash("cargo test --workspace"), Checked::PreApproved { .. }));
/// assert!(checker.is_dangerous("git push --force"));
/// # Ok::<(), String>(())
/// ```
pub struct Checker {
    controller: Controller,
    staged: Arc<Staged>,
}

impl Checker {
    pub(super) fn new(controller: Controller, staged: Arc<Staged>) -> Self {
        Checker { controller, staged }
    }

    /// Whether a command may run.
    pub fn check_bash(&self, command: &str) -> Checked {
        self.check(Context::new(
            "bash",
            Node::map([("command", Node::text(command))]),
        ))
    }

    /// Whether a part of a file may be replaced.
    pub fn check_edit(&self, path: &str, find: &str, replace: &str) -> Checked {
        let args = [
            ("path", Node::text(path)),
            ("find", Node::text(find)),
            ("replace", Node::text(replace)),
        ];
        self.check(Context::new("edit", Node::map(args)))
    }

    /// Whether an address may be fetched.
    pub fn check_webfetch(&self, url: &str) -> Checked {
        self.check(Context::new(
            "webfetch",
            Node::map([("url", Node::text(url))]),
        ))
    }

    /// Whether any other call may be made.
    pub fn check(&self, context: Context) -> Checked {
        if context.args.is_deeper_than(MAX_DEPTH) {
            return malformed("the arguments are nested too deep");
        }
        match self.judge(context.clone()) {
            Ok((operation, verdict)) => match checked(&operation, &verdict, context, None, None) {
                // The answer will count for what it is about now.
                Checked::Request(request) => Checked::Request(Box::new(Request {
                    seal: self.seal(&operation),
                    ..*request
                })),
                other => other,
            },
            Err(why) => malformed(&why),
        }
    }

    /// Whether a command is known to be dangerous or worse. What is not may still need an answer: ask [`Checker::check_bash`].
    pub fn is_dangerous(&self, command: &str) -> bool {
        let judged = self.judge(Context::new(
            "bash",
            Node::map([("command", Node::text(command))]),
        ));
        judged.is_ok_and(|(_, verdict)| verdict.tier != Tier::None)
    }

    /// Says what the person said. The call is judged again, the answer counts for exactly what was asked, and what it stores is what a
    /// prompt would have offered: nothing wider.
    pub fn apply_response(&self, request: Request, response: Response) -> Decision {
        let changed = Decision::trouble(
            "denied: what it is about has changed since it was asked. nothing was changed",
        );
        let before = request.seal;
        let now = Operation::freeze(self.controller.plain(request.context.clone()))
            .ok()
            .and_then(|operation| self.seal(&operation));
        if before.is_none() || before != now {
            return changed;
        }
        let id = self.controller.gate.ids.next("call");
        self.staged.answers().insert(id.clone(), response);
        // The answer is there already, so nothing waits.
        let asked = pin!(self.controller.request(id.clone(), request));
        let decision = match asked.poll(&mut Polled::from_waker(Waker::noop())) {
            Poll::Ready(decision) => decision,
            Poll::Pending => {
                Decision::trouble("denied: the answer did not arrive. nothing was changed")
            }
        };
        self.staged.answers().remove(&id);
        decision
    }

    /// The controller behind it: its gate, events and counts.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// The digest of the files that an operation is about, as they are now.
    fn seal(&self, operation: &Operation) -> Option<Digest> {
        let gate = &self.controller.gate;
        let reading = crate::pipeline::read(gate.ports.world.as_ref(), operation);
        gate.seal(crate::seal::all(
            gate.ports.world.as_ref(),
            operation,
            &reading,
        ))
        .map(|seal| seal.digest)
    }

    fn judge(&self, context: Context) -> Result<(Operation, Verdict), String> {
        let operation = Operation::freeze(self.controller.plain(context)).map_err(|why| why.0)?;
        let verdict = self
            .controller
            .gate
            .judge(&operation, &Turn::alone())
            .verdict;
        Ok((operation, std::sync::Arc::unwrap_or_clone(verdict)))
    }
}

/// Answers that the host brings, each for one call.
#[derive(Default)]
pub(super) struct Staged(Mutex<HashMap<String, Response>>);

impl Staged {
    fn answers(&self) -> MutexGuard<'_, HashMap<String, Response>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ask for Staged {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let response = self.answers().get(prompt.operation.id()).cloned();
        Box::pin(async move {
            match response {
                Some(response) => said(&prompt, response),
                None => Ended::Nobody,
            }
        })
    }
}

/// What a response says to a prompt.
fn said(prompt: &Prompt, response: Response) -> Ended {
    let Response {
        action,
        note,
        by,
        scope,
        confirmations,
    } = response;
    if prompt.round != Round::Only && confirmations < 2 && action != Action::Reject {
        return Ended::Failed("it needs two confirmations".to_owned());
    }
    let choice = match action {
        Action::Reject => Choice::Deny,
        Action::Once => Choice::Offer(0),
        // Where nothing can be kept for so long, once is what is left: never anything wider than what was said.
        Action::Always => prompt.always(scope).unwrap_or(Choice::Offer(0)),
        Action::Pattern(text) => match prompt.own_pattern(&text, scope) {
            Some(choice) => choice,
            None => return Ended::Failed("a pattern cannot be kept for this".to_owned()),
        },
    };
    Ended::Answered {
        answer: Answer {
            note,
            ..prompt.answer(choice)
        },
        by: by.into(),
    }
}
