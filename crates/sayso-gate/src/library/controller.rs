//! The one thing an agent talks to: it checks calls, asks about them, and runs those of registered tools.

use std::sync::Arc;

use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Agent, Call, MAX_DEPTH, Operation, ToolSays};
use sayso_core::text::node::Node;

use super::check::{Checked, Context, Request, checked, malformed};
use super::decision::{Decision, scope_of};
use super::presenter::Presenting;
use super::tools::Tools;
use crate::approved::Approved;
use crate::finished::Finished;
use crate::pipeline::batch::{Batch, Options};
use crate::pipeline::batch_context::Turn;
use crate::pipeline::gate::Gate;

/// A gate with its tools, for one agent in one session.
#[derive(Clone)]
pub struct Controller {
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

impl Controller {
    /// Calls a registered tool: judged, asked about where it has to be, recorded, and run. Every call has an end, and it is never a panic.
    pub async fn call(&self, tool: &str, args: Node) -> Finished {
        self.call_in(Context::new(tool, args)).await
    }

    /// The same with metadata.
    pub async fn call_in(&self, context: Context) -> Finished {
        self.gate.call(self.registered(context)).await
    }

    /// Calls that came together, one after the other; an answer may be for the rest of them.
    pub async fn batch(&self, contexts: Vec<Context>, options: Options<'_>) -> Batch {
        self.gate
            .batch(
                contexts
                    .into_iter()
                    .map(|context| self.registered(context))
                    .collect(),
                options,
            )
            .await
    }

    /// What the policy says of a call, without asking anybody, remembering or recording anything: cheap enough for every call.
    ///
    /// It says nothing of answers that were given before, and counts for nothing later: what runs is judged again.
    pub fn check(&self, context: &Context) -> Checked {
        if context.args.is_deeper_than(MAX_DEPTH) {
            return malformed("the arguments are nested too deep");
        }
        let call = self.spoken_for(context.clone());
        let (tool, group) = (call.tool.clone(), call.group.clone());
        match Operation::freeze(call) {
            Ok(operation) => {
                let verdict = self.gate.judge_by_policy(&operation);
                checked(
                    &operation,
                    &verdict,
                    context.clone(),
                    self.presenting.by_tool.get(&tool).cloned(),
                    group,
                )
            }
            Err(why) => malformed(&why.0),
        }
    }

    /// Asks about a call: first the mode of this run and what was answered before; only then is anything drawn, shown and remembered.
    ///
    /// Whatever goes wrong is a denial.
    pub async fn request_approval(&self, request: Request) -> Decision {
        self.request(self.gate.ids.next("call"), request).await
    }

    /// The same under a call's id that is known before.
    pub(super) async fn request(&self, id: String, request: Request) -> Decision {
        let Request {
            context,
            says,
            presentation,
            group_id,
            ..
        } = request;
        let call = Call {
            id: id.clone(),
            says,
            group: group_id,
            ..self.plain(context)
        };
        let _drawn = self.presenting.draw_call(&id, presentation);
        match self.gate.hold(call, &mut Turn::alone()).await {
            Ok(approved) => {
                let scope = self.scope(&approved);
                Decision::yes(approved, scope)
            }
            Err(finished) => Decision::no(*finished),
        }
    }

    /// Runs what was approved, which uses the approval up, and records its end.
    pub async fn run(&self, approved: Approved) -> Finished {
        self.gate.run(approved).await
    }

    /// Whether what was approved is still what was shown: the scripts it runs, the files it changes, the folder it runs in. A host that
    /// runs it itself asks this right before; [`Controller::run`] does so by itself.
    pub fn still_holds(&self, approved: &Approved) -> bool {
        approved.seals.iter().all(|seal| self.gate.holds(seal))
    }

    /// The same tools and person in another session: answers for a session do not reach over.
    #[must_use]
    pub fn in_session(&self, session: impl Into<String>) -> Self {
        Controller {
            session: session.into(),
            ..self.clone()
        }
    }

    /// The same for an agent that this one started. It has no more rights than this one, and none of its answers.
    #[must_use]
    pub fn for_sub_agent(&self, name: impl Into<String>) -> Self {
        let mut parents = self.agent.parents.clone();
        parents.insert(0, self.agent.name.clone());
        Controller {
            agent: Agent {
                name: name.into(),
                parents,
            },
            ..self.clone()
        }
    }

    /// The gate: its events, counts and policy.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The tools.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// How far the yes goes that an approval comes from.
    fn scope(&self, approved: &Approved) -> Scope {
        if let Some(yes) = &approved.yes {
            return yes.scope;
        }
        let grant = approved.verdict.granted_by();
        let grants = self.gate.ports.store.grants();
        let reach = grants
            .iter()
            .find(|one| grant.is_some_and(|id| id.is_of(one)))
            .map(|one| scope_of(&one.reach));
        reach.unwrap_or(Scope::Once)
    }

    /// The call of a tool that must be registered.
    fn registered(&self, context: Context) -> Call {
        let missing = !self.runs_itself && !self.tools.has(&context.tool_name);
        let call = self.spoken_for(context);
        match missing {
            false => call,
            true => Call {
                says: ToolSays::Blocked {
                    reason: "it is not registered in this agent".to_owned(),
                },
                ..call
            },
        }
    }

    /// The call with what its tool says of it.
    fn spoken_for(&self, context: Context) -> Call {
        let (says, group) = self
            .tools
            .says(&context.tool_name, &context.args)
            .unwrap_or_default();
        Call {
            says,
            group,
            ..self.plain(context)
        }
    }

    pub(super) fn plain(&self, context: Context) -> Call {
        Call {
            cwd: self.cwd.clone(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            metadata: context.metadata.pairs(),
            ..Call::new(context.tool_name, context.args, self.workspace.clone())
        }
    }
}
