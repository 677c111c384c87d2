//! What a host asks before it runs a tool: may it run, has somebody to be asked, or must it not run at all.

use sayso_core::answer::explain;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Operation, ToolSays};
use sayso_core::policy::decision::Decision;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;

use super::presenter::Presenter;
use crate::describe;
use crate::pipeline::gate::Gate;
use crate::pipeline::{Bench, judge};

/// A call that somebody wants to make.
#[derive(Clone, Debug)]
pub struct Context {
    /// The tool's name.
    pub tool_name: String,
    /// Its arguments, a map.
    pub args: Node,
    /// What the host wants to find again.
    pub metadata: Metadata,
}

/// What the host gives along, to find it again in prompts, events and the record. Nothing in here is interpreted: a `session_id` makes no
/// session and a `caller` has no rights. Those are said to the [`Builder`](super::Builder), by code and not by what a call brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The run of the agent.
    pub run_id: Option<String>,
    /// The host's session.
    pub session_id: Option<String>,
    /// Who called.
    pub caller: Option<String>,
    /// The host's batch.
    pub batch_id: Option<String>,
    /// Anything else, by name.
    pub more: Vec<(String, String)>,
}

/// What came of a check. There is no third way between "approved" and "ask": a tool that says nothing of itself is judged by the policy,
/// and one that nobody knows is asked about.
#[derive(Clone, Debug)]
pub enum Checked {
    /// It may run: it was approved when it was set up, or the policy allows it.
    PreApproved {
        /// By what.
        because: String,
    },
    /// Somebody has to be asked, with [`request_approval`](super::Controller::request_approval).
    Request(Box<Request>),
    /// It must not run.
    Blocked {
        /// Why.
        reason: String,
    },
}

/// A question that a host may ask.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) context: Context,
    pub(super) description: String,
    pub(super) says: ToolSays,
    pub(super) presentation: Option<Presenter>,
    pub(super) group_id: Option<String>,
    /// Two answers are needed.
    pub(super) twice: bool,
    /// What it was about when it was asked, where a host asks by itself.
    pub(super) seal: Option<Digest>,
}

impl Context {
    /// A call without metadata.
    pub fn new(tool_name: impl Into<String>, args: Node) -> Self {
        Context {
            tool_name: tool_name.into(),
            args,
            metadata: Metadata::default(),
        }
    }

    /// The same call with metadata.
    #[must_use]
    pub fn with(self, metadata: Metadata) -> Self {
        Context { metadata, ..self }
    }
}

impl Metadata {
    /// Names and values of all that is given.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let named = [
            ("run_id", &self.run_id),
            ("session_id", &self.session_id),
            ("caller", &self.caller),
            ("batch_id", &self.batch_id),
        ];
        let given = named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        given.chain(self.more.iter().cloned()).collect()
    }
}

impl Request {
    /// The tool's name.
    pub fn tool_name(&self) -> &str {
        &self.context.tool_name
    }

    /// The arguments; all of them are shown, whatever the payload is.
    pub fn args(&self) -> &Node {
        &self.context.args
    }

    /// What the person reads.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What counts as the same call when the answer is remembered: all arguments, or what the tool says.
    pub fn payload(&self) -> &Node {
        match &self.says {
            ToolSays::NeedsApproval { payload, .. } => payload,
            _ => &self.context.args,
        }
    }

    /// Draws what the person looks at, if the tool does that itself.
    pub fn presentation(&self) -> Option<&Presenter> {
        self.presentation.as_ref()
    }

    /// Calls of a batch with the same group are one question.
    pub fn group_id(&self) -> Option<&str> {
        self.group_id.as_deref()
    }

    /// What the host gave along.
    pub fn metadata(&self) -> &Metadata {
        &self.context.metadata
    }

    /// Whether two answers are needed, since it is dangerous or deletes.
    pub fn needs_two(&self) -> bool {
        self.twice
    }

    /// The same question, drawn by the host.
    #[must_use]
    pub fn presented_by(self, presenter: Presenter) -> Self {
        Request {
            presentation: Some(presenter),
            ..self
        }
    }

    /// The same question, as one of a group.
    #[must_use]
    pub fn in_group(self, group: impl Into<String>) -> Self {
        Request {
            group_id: Some(group.into()),
            ..self
        }
    }

    /// The same question with metadata.
    #[must_use]
    pub fn with(mut self, metadata: Metadata) -> Self {
        self.context.metadata = metadata;
        self
    }
}

impl Gate {
    /// The verdict of the policy alone: nothing that was answered before, and as if somebody could be asked.
    pub(super) fn judge_by_policy(&self, operation: &Operation) -> Verdict {
        let policy = self.policy();
        let bench = Bench {
            world: self.ports.world.as_ref(),
            policy: &policy,
            grants: &[],
            uses: None,
            run: How::Interactive,
            now: self.now(),
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        let mut judged = judge(&bench, operation);
        self.tighten(operation, &judged.reading, &mut judged.verdict);
        judged.verdict
    }
}

/// What a verdict means for the host.
pub(super) fn checked(
    operation: &Operation,
    verdict: &Verdict,
    context: Context,
    presentation: Option<Presenter>,
    group_id: Option<String>,
) -> Checked {
    let because = || {
        verdict.reasons.first().map_or_else(String::new, |reason| {
            explain::because(reason).trim().to_owned()
        })
    };
    match verdict.decision {
        Decision::Allow => Checked::PreApproved { because: because() },
        Decision::Deny => Checked::Blocked { reason: because() },
        Decision::Ask => Checked::Request(Box::new(Request {
            description: describe::description(operation, verdict),
            says: operation.says().clone(),
            twice: verdict.confirm == sayso_core::answer::verdict::Confirm::Double,
            seal: None,
            context,
            presentation,
            group_id,
        })),
    }
}

/// A call that is none.
pub(super) fn malformed(why: &str) -> Checked {
    Checked::Blocked {
        reason: format!("the call is malformed: {}", visible(why)),
    }
}
