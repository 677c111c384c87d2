//! What a check of a call says: it may run, a person has to be asked, or it must not run.

use sayso_core::answer::explain;
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::call::operation::{Operation, ToolSays};
use sayso_core::call::tool_says::Approval;
use sayso_core::policy::decision::Decision;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;

use super::presenter::Presenter;
use crate::describe;

/// A call that the agent wants to make.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments, a map.
    pub args: Node,
    /// Names and values (`run_id`, `session_id`, `caller`, `batch_id`, …) that the host finds again in prompts, events and the record.
    /// Nothing in here is interpreted: a `session_id` makes no session and a `caller` has no rights. Those are said to the
    /// [`Builder`](super::Builder), by code and not by what a call brings.
    pub metadata: Vec<(String, String)>,
}

/// What came of a check. There is no third way between "approved" and "ask": a tool that says nothing of itself is judged by the policy,
/// and an unknown one is asked about.
#[derive(Clone, Debug)]
pub enum Checked {
    /// It may run: it was approved when it was set up, or the policy allows it.
    PreApproved {
        /// By what.
        because: String,
    },
    /// A person has to be asked, with [`request_approval`](super::GatedTools::request_approval).
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
    /// The call; all of its arguments are shown, whatever the payload is.
    pub call: ToolCall,
    /// What the person reads.
    pub description: String,
    /// Draws what the person looks at, if the tool does that itself.
    pub presentation: Option<Presenter>,
    /// Calls of a batch with the same group are one question.
    pub group_id: Option<String>,
    /// Two answers are needed, since it is dangerous or deletes.
    pub needs_two: bool,
    pub(super) says: ToolSays,
    /// What it was about when it was asked, where a host asks by itself.
    pub(super) seal: Option<Digest>,
}

impl ToolCall {
    /// A call without metadata.
    pub fn new(tool: impl Into<String>, args: Node) -> Self {
        ToolCall {
            tool: tool.into(),
            args,
            metadata: Vec::new(),
        }
    }

    /// The same call with metadata.
    #[must_use]
    pub fn with<const N: usize>(mut self, metadata: [(&str, &str); N]) -> Self {
        self.metadata = metadata
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        self
    }
}

impl Request {
    /// A request from a name and arguments, for tools that want nothing special. Without a description the person reads
    /// `tool(key=value, …)`; arguments in `exclude_keys` are shown and do not make another call when the answer is remembered.
    ///
    /// ```
    /// use sayso_core::text::node::Node;
    /// use sayso_gate::library::Request;
    ///
    /// let args = Node::map([("to", Node::text("ann@example.com")), ("body", Node::text("Hello"))]);
    /// let request = Request::simple("send_email", args, None, &["body"]);
    /// assert_eq!(request.description, "send_email(to=ann@example.com, body=Hello)");
    /// assert!(request.payload().get("to").is_some() && request.payload().get("body").is_none());
    /// ```
    pub fn simple(
        tool: &str,
        args: Node,
        description: Option<&str>,
        exclude_keys: &[&str],
    ) -> Self {
        let approval = Approval {
            description: description.map(str::to_owned),
            exclude_keys: exclude_keys.iter().map(|key| (*key).to_owned()).collect(),
            payload: None,
        };
        let says = approval.says(tool, &args);
        let description = match &says {
            ToolSays::NeedsApproval { description, .. } => description.clone(),
            _ => String::new(),
        };
        Request {
            call: ToolCall::new(tool, args),
            description,
            presentation: None,
            group_id: None,
            needs_two: false,
            says,
            seal: None,
        }
    }

    /// What counts as the same call when the answer is remembered: all arguments, or what the tool says.
    pub fn payload(&self) -> &Node {
        match &self.says {
            ToolSays::NeedsApproval { payload, .. } => payload,
            _ => &self.call.args,
        }
    }

    /// The same question, drawn by the host.
    #[must_use]
    pub fn presented_by(mut self, presenter: Presenter) -> Self {
        self.presentation = Some(presenter);
        self
    }
}

impl Checked {
    /// What a verdict means for the host.
    pub(super) fn of(
        operation: &Operation,
        verdict: &Verdict,
        call: ToolCall,
        presentation: Option<Presenter>,
        group_id: Option<String>,
    ) -> Self {
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
                needs_two: verdict.confirm == Confirm::Double,
                seal: None,
                call,
                presentation,
                group_id,
            })),
        }
    }

    pub(super) fn malformed(why: &str) -> Self {
        Checked::Blocked {
            reason: format!("the call is malformed: {}", visible(why)),
        }
    }
}
