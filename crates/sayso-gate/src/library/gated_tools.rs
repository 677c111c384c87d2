//! The one thing an agent talks to: it checks calls, asks about them, and runs those of registered tools.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::grant::Reach;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::RunnerCapabilities;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Agent, Call, MAX_DEPTH, Operation, ToolSays};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;

use super::answers::Response;
use super::builder::Builder;
use super::check::{Checked, Request, ToolCall};
use super::presenter::{OfCall, Presenting};
use super::tool::Tools;
use crate::approved::Approved;
use crate::error::GatedError;
use crate::finished::Finished;
use crate::pipeline::batch::{Batch, Options};
use crate::pipeline::batch_context::Turn;
use crate::pipeline::gate::Gate;
use crate::pipeline::{Bench, judge, read};
use crate::ports::{Ran, World};
use crate::seal;

/// The tools of a host behind the gate, for one agent in one session.
#[derive(Clone)]
pub struct GatedTools {
    pub(super) gate: Arc<Gate>,
    pub(super) tools: Arc<Tools>,
    pub(super) presenting: Arc<Presenting>,
    /// The host runs what is not registered, too.
    pub(super) runs_itself: bool,
    pub(super) workspace: String,
    pub(super) cwd: String,
    pub(super) agent: Agent,
    pub(super) session: String,
}

impl GatedTools {
    /// Starts with the workspace, an absolute path, and what answers questions about the machine.
    pub fn builder(workspace: impl Into<String>, world: Arc<dyn World + Send + Sync>) -> Builder {
        Builder::new(workspace.into(), world)
    }

    /// Calls a registered tool: judged, asked about where it has to be, recorded, and run.
    pub async fn call(&self, tool: &str, args: Node) -> Result<Node, GatedError> {
        let finished = Box::new(self.finish(ToolCall::new(tool, args)).await);
        match finished.ran {
            Some(Ran::Done(result)) => Ok(result),
            Some(_) => Err(GatedError::Failed(finished)),
            None => Err(GatedError::Refused(finished)),
        }
    }

    /// The same, with all that there is to know of its end. Every call has an end, and it is never a panic.
    pub async fn finish(&self, call: ToolCall) -> Finished {
        self.gate.call(self.registered(call)).await
    }

    /// Calls that came together, one after the other; an answer may be for the rest of them.
    pub async fn batch(&self, calls: Vec<ToolCall>, options: Options<'_>) -> Batch {
        let calls = calls.into_iter().map(|call| self.registered(call));
        self.gate.batch(calls.collect(), options).await
    }

    /// What the policy says of a call, without asking anybody, remembering or recording anything: cheap enough for every call.
    ///
    /// It says nothing of answers that were given before, and counts for nothing later: what runs is judged again.
    pub fn check(&self, call: &ToolCall) -> Checked {
        if call.args.is_deeper_than(MAX_DEPTH) {
            return Checked::malformed("the arguments are nested too deep");
        }
        let spoken = self.spoken_for(call.clone());
        let group = spoken.group.clone();
        let operation = match Operation::freeze(spoken) {
            Ok(operation) => operation,
            Err(malformed) => return Checked::malformed(&malformed.0),
        };
        // Nothing that was answered before, and as if a person could be asked.
        let policy = self.gate.policy();
        let bench = Bench {
            world: self.gate.ports.world.as_ref(),
            policy: &policy,
            grants: &[],
            uses: None,
            run: How::Interactive,
            now: self.gate.now(),
            runner: RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        let mut judged = judge(&bench, &operation);
        self.gate
            .tighten(&operation, &judged.reading, &mut judged.verdict);
        let presenter = self.tools.presenter(&call.tool);
        Checked::of(&operation, &judged.verdict, call.clone(), presenter, group)
    }

    /// Asks about a call: first the mode of this run and what was answered before; only then is anything drawn, shown and remembered.
    ///
    /// The permission is for exactly what was shown, and running uses it up. A host that runs the tool itself runs what is in
    /// [`Approved::operation`], and not the arguments it still has. Whatever goes wrong is a denial.
    pub async fn request_approval(&self, request: Request) -> Result<Approved, GatedError> {
        self.ask(request, None).await
    }

    /// Runs what was approved, which uses the approval up, and records its end.
    pub async fn run(&self, approved: Approved) -> Finished {
        self.gate.run(approved).await
    }

    /// Whether what was approved is still what was shown: the scripts it runs, the files it changes, the folder it runs in. A host that
    /// runs it itself asks this right before; [`GatedTools::run`] does so by itself.
    pub fn still_holds(&self, approved: &Approved) -> bool {
        approved.seals.iter().all(|seal| self.gate.holds(seal))
    }

    /// How far the yes goes that an approval comes from; a session for one that was remembered so long.
    pub fn scope(&self, approved: &Approved) -> Scope {
        if let Some(yes) = &approved.yes {
            return yes.scope;
        }
        let id = approved.verdict.granted_by();
        let grants = self.gate.ports.store.grants();
        let grant = grants
            .iter()
            .find(|grant| id.is_some_and(|id| id.is_of(grant)));
        grant.map_or(Scope::Once, |grant| match grant.reach {
            Reach::Once(_) => Scope::Once,
            Reach::Batch(_) => Scope::Batch,
            Reach::Session(_) => Scope::Session,
            Reach::Project(_) => Scope::Project,
            Reach::Always => Scope::Always,
        })
    }

    /// What would come of a call now, by the mode of this run and the answers given before: for a host that asks the person in its own way
    /// and then brings the answer with [`GatedTools::apply_response`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use sayso_gate::library::{Action, Checked, GatedTools, Response};
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
    /// let tools = GatedTools::builder("/ws", machine).profile("opencode").build()?;
    /// let Checked::Request(request) = tools.check_bash("cargo test") else { panic!("it asks") };
    /// // The host shows `request.description` and asks the person in its own way.
    /// let answer = Response::new(Action::Pattern("cargo test *".into()), "ann");
    /// assert!(tools.apply_response(*request, answer).is_ok());
    /// assert!(matches!(tools.check_bash("cargo test --workspace"), Checked::PreApproved { .. }));
    /// assert!(tools.is_dangerous("git push --force"));
    /// # Ok::<(), sayso_gate::error::BuildError>(())
    /// ```
    pub fn check_now(&self, call: ToolCall) -> Checked {
        if call.args.is_deeper_than(MAX_DEPTH) {
            return Checked::malformed("the arguments are nested too deep");
        }
        let operation = match Operation::freeze(self.plain(call.clone())) {
            Ok(operation) => operation,
            Err(malformed) => return Checked::malformed(&malformed.0),
        };
        let verdict = self.gate.preview(&operation);
        let mut checked = Checked::of(&operation, &verdict, call, None, None);
        if let Checked::Request(request) = &mut checked {
            // The answer will count for what it is about now.
            request.seal = self.seal(&operation);
        }
        checked
    }

    /// Whether a command may run now.
    pub fn check_bash(&self, command: &str) -> Checked {
        self.check_now(texts("bash", [("command", command)]))
    }

    /// Whether a part of a file may be replaced now.
    pub fn check_edit(&self, path: &str, find: &str, replace: &str) -> Checked {
        let args = [("path", path), ("find", find), ("replace", replace)];
        self.check_now(texts("edit", args))
    }

    /// Whether an address may be fetched now.
    pub fn check_webfetch(&self, url: &str) -> Checked {
        self.check_now(texts("webfetch", [("url", url)]))
    }

    /// Whether a command is known to be dangerous or worse. What is not may still need an answer: ask [`GatedTools::check_bash`].
    pub fn is_dangerous(&self, command: &str) -> bool {
        let call = texts("bash", [("command", command)]);
        Operation::freeze(self.plain(call))
            .is_ok_and(|operation| self.gate.preview(&operation).tier != Tier::None)
    }

    /// Brings what the person said to a request of [`GatedTools::check_now`]. The call is judged again, the answer counts for exactly what
    /// was asked, and what it stores is what a prompt would have offered: nothing wider.
    pub fn apply_response(
        &self,
        request: Request,
        response: Response,
    ) -> Result<Approved, GatedError> {
        let now = Operation::freeze(self.plain(request.call.clone()))
            .ok()
            .and_then(|operation| self.seal(&operation));
        if now.is_none() || now != request.seal {
            return Err(GatedError::Changed);
        }
        // The answer is there already, so nothing waits.
        let asked = pin!(self.ask(request, Some(response)));
        match asked.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(decision) => decision,
            Poll::Pending => Err(GatedError::AnswerLost),
        }
    }

    /// The same tools and person in another session: answers for a session do not reach over.
    #[must_use]
    pub fn in_session(&self, session: impl Into<String>) -> Self {
        GatedTools {
            session: session.into(),
            ..self.clone()
        }
    }

    /// The same for an agent that this one started. It has no more rights than this one, and none of its answers.
    #[must_use]
    pub fn for_sub_agent(&self, name: impl Into<String>) -> Self {
        let mut sub = self.clone();
        let parent = std::mem::replace(&mut sub.agent.name, name.into());
        sub.agent.parents.insert(0, parent);
        sub
    }

    /// The gate: its events, counts and policy.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The names of the tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.names()
    }

    async fn ask(
        &self,
        request: Request,
        response: Option<Response>,
    ) -> Result<Approved, GatedError> {
        let id = self.gate.ids.next("call");
        let presenter = request.presentation;
        let _kept = self.presenting.keep(
            &id,
            OfCall {
                presenter,
                response,
            },
        );
        let call = Call {
            id,
            says: request.says,
            group: request.group_id,
            ..self.plain(request.call)
        };
        let held = self.gate.hold(call, &mut Turn::alone()).await;
        held.map_err(GatedError::Refused)
    }

    /// The digest of the files that an operation is about, as they are now.
    fn seal(&self, operation: &Operation) -> Option<Digest> {
        let world = self.gate.ports.world.as_ref();
        let files = seal::all(world, operation, &read(world, operation));
        self.gate.seal(files).map(|seal| seal.digest)
    }

    /// The call of a tool that must be registered.
    fn registered(&self, call: ToolCall) -> Call {
        let missing = !self.runs_itself && !self.tools.has(&call.tool);
        let mut call = self.spoken_for(call);
        if missing {
            call.says = ToolSays::Blocked {
                reason: "it is not registered in this agent".to_owned(),
            };
        }
        call
    }

    /// The call with what its tool says of it.
    fn spoken_for(&self, call: ToolCall) -> Call {
        let said = self.tools.says(&call.tool, &call.args);
        let (says, group) = said.unwrap_or_default();
        Call {
            says,
            group,
            ..self.plain(call)
        }
    }

    fn plain(&self, call: ToolCall) -> Call {
        Call {
            cwd: self.cwd.clone(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            metadata: call.metadata,
            ..Call::new(call.tool, call.args, self.workspace.clone())
        }
    }
}

fn texts<const N: usize>(tool: &str, args: [(&str, &str); N]) -> ToolCall {
    ToolCall::new(
        tool,
        Node::map(args.map(|(key, text)| (key, Node::text(text)))),
    )
}
