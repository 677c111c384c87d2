//! The tools of a host: functions with what they say about being approved.
//!
//! | what the tool is about | what should count as the same call | what should not |
//! |---|---|---|
//! | files | the path | the content |
//! | commands | the command or its pattern | its output |
//! | services | the address and the method | body and response |
//! | databases | the query as a pattern | its parameters |
//!
//! Times and ids should never count: with them in the payload no two calls are the same, and the person is asked each time.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::operation::{MAX_DEPTH, ToolSays};
use sayso_core::call::tool_says::Approval;
use sayso_core::text::node::Node;

use super::presenter::Presenter;
use crate::approved::Approved;
use crate::error::BuildError;
use crate::panic_guard::words;
use crate::ports::{Later, Ran, Run};

type OfArgs<T> = Arc<dyn Fn(&Node) -> T + Send + Sync>;
type Work = dyn Fn(&Node) -> Later<'static, Ran> + Send + Sync;

/// A function of the host that an agent can call. Without more it asks before each call.
///
/// ```
/// # use sayso_core::text::node::Node;
/// # use sayso_gate::library::Tool;
/// let deploy = Tool::new("deploy", |args| Ok::<_, String>(args.clone()))
///     .description("Deploy the site")
///     .payload(|args| args.get("stage").cloned().unwrap_or(Node::text("none")));
/// ```
#[derive(Clone)]
pub struct Tool {
    name: String,
    work: Arc<Work>,
    asks: Asks,
    description: Option<OfArgs<String>>,
    exclude_keys: Vec<String>,
    payload: Option<OfArgs<Node>>,
    blocked: Option<OfArgs<Option<String>>>,
    group: Option<OfArgs<Option<String>>>,
    presenter: Option<Presenter>,
}

fn ran<E: Display>(result: Result<Node, E>) -> Ran {
    result.map_or_else(|error| Ran::failed(error.to_string()), Ran::Done)
}

#[derive(Clone, Copy)]
enum Asks {
    Always,
    ByPolicy,
    Never,
}

impl Tool {
    /// A function under the exact name by which it is called.
    pub fn new<F, E>(name: impl Into<String>, function: F) -> Self
    where
        F: Fn(&Node) -> Result<Node, E> + Send + Sync + 'static,
        E: Display,
    {
        let work = move |args: &Node| -> Later<'static, _> { Box::pin(ready(ran(function(args)))) };
        Tool::with(name.into(), Arc::new(work))
    }

    /// An async function.
    ///
    /// ```
    /// # use sayso_core::text::node::Node;
    /// # use sayso_gate::library::Tool;
    /// async fn fetch(args: Node) -> Result<Node, std::io::Error> {
    ///     Ok(args)
    /// }
    /// let fetch = Tool::new_async("crm_lookup", fetch).exclude_keys(["request_id"]);
    /// ```
    pub fn new_async<F, L, E>(name: impl Into<String>, function: F) -> Self
    where
        F: Fn(Node) -> L + Send + Sync + 'static,
        L: Future<Output = Result<Node, E>> + Send + 'static,
        E: Display,
    {
        let work = move |args: &Node| -> Later<'static, _> {
            let result = function(args.clone());
            Box::pin(async move { ran(result.await) })
        };
        Tool::with(name.into(), Arc::new(work))
    }

    fn with(name: String, work: Arc<Work>) -> Self {
        Tool {
            name,
            work,
            asks: Asks::Always,
            description: None,
            exclude_keys: Vec::new(),
            payload: None,
            blocked: None,
            group: None,
            presenter: None,
        }
    }

    /// Asks before each call, unless the person allowed the same one before.
    #[must_use]
    pub fn always_asks(mut self) -> Self {
        self.asks = Asks::Always;
        self
    }

    /// The policy judges each call: by its kind, if sayso knows the name (`bash`, `read_file`), and else it is asked about.
    #[must_use]
    pub fn by_policy(mut self) -> Self {
        self.asks = Asks::ByPolicy;
        self
    }

    /// Approved when the agent was set up. What the policy denies, and what must be asked (secrets, dangers, places outside of the
    /// workspace), is denied and asked all the same.
    #[must_use]
    pub fn pre_approved(mut self) -> Self {
        self.asks = Asks::Never;
        self
    }

    /// What the person reads, in place of `name(key=value, …)`.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.describe(move |_| text.clone())
    }

    /// What the person reads, made from the arguments.
    #[must_use]
    pub fn describe(mut self, words: impl Fn(&Node) -> String + Send + Sync + 'static) -> Self {
        self.description = Some(Arc::new(words));
        self
    }

    /// Arguments that do not make another call. They are shown all the same.
    #[must_use]
    pub fn exclude_keys<K: Into<String>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.exclude_keys = keys.into_iter().map(Into::into).collect();
        self
    }

    /// What counts as the same call; then `exclude_keys` do not count.
    #[must_use]
    pub fn payload(mut self, payload: impl Fn(&Node) -> Node + Send + Sync + 'static) -> Self {
        self.payload = Some(Arc::new(payload));
        self
    }

    /// Refuses calls for a reason, without a prompt.
    #[must_use]
    pub fn blocked_if(
        mut self,
        why: impl Fn(&Node) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.blocked = Some(Arc::new(why));
        self
    }

    /// Calls of a batch with the same group are one question.
    #[must_use]
    pub fn grouped_by(
        mut self,
        group: impl Fn(&Node) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.group = Some(Arc::new(group));
        self
    }

    /// Draws the calls for a person.
    #[must_use]
    pub fn presented_by(mut self, presenter: Presenter) -> Self {
        self.presenter = Some(presenter);
        self
    }

    /// What it says about a call.
    pub fn says(&self, args: &Node) -> ToolSays {
        if let Some(reason) = self.blocked.as_ref().and_then(|why| why(args)) {
            return ToolSays::Blocked { reason };
        }
        match self.asks {
            Asks::ByPolicy => ToolSays::Nothing,
            Asks::Never => ToolSays::PreApproved,
            Asks::Always => Approval {
                description: self.description.as_ref().map(|words| words(args)),
                exclude_keys: self.exclude_keys.clone(),
                payload: self.payload.as_ref().map(|payload| payload(args)),
            }
            .says(&self.name, args),
        }
    }

    fn group(&self, args: &Node) -> Option<String> {
        self.group.as_ref().and_then(|group| group(args))
    }
}

/// The tools by their exact names. Nothing else calls them, and they are called only with what the gate let through.
#[derive(Default)]
pub(super) struct Tools(BTreeMap<String, Tool>);

impl Tools {
    /// Two tools of the same name are a mistake: it would be unclear which one was approved.
    pub(super) fn new(tools: Vec<Tool>) -> Result<Self, BuildError> {
        let mut named = Tools::default();
        for tool in tools {
            if let Some(tool) = named.0.insert(tool.name.clone(), tool) {
                return Err(BuildError::SameName { tool: tool.name });
            }
        }
        Ok(named)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn presenter(&self, name: &str) -> Option<Presenter> {
        self.0.get(name)?.presenter.clone()
    }

    /// What a tool says of a call, and which group it puts it in; none if there is no such tool. One that breaks is refused.
    pub(super) fn says(&self, name: &str, args: &Node) -> Option<(ToolSays, Option<String>)> {
        let tool = self.0.get(name)?;
        // The gate refuses it; nothing of the host has to look into it before.
        if args.is_deeper_than(MAX_DEPTH) {
            return None;
        }
        let said = catch_unwind(AssertUnwindSafe(|| (tool.says(args), tool.group(args))));
        Some(said.unwrap_or_else(|panic| {
            let reason = format!(
                "it broke when it was asked about this call: {}",
                words(panic.as_ref())
            );
            (ToolSays::Blocked { reason }, None)
        }))
    }
}

impl Run for Tools {
    /// A function of the host runs in the host, and no sandbox is around that.
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        RunnerCapabilities {
            no_sandbox_for_tools: Some(&NoSandbox::Host),
            ..RunnerCapabilities::without_sandbox(&NoSandbox::Host)
        }
    }

    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
        Box::pin(async move {
            let operation = approved.operation();
            let Some(tool) = self.0.get(operation.tool()) else {
                return Ran::failed("no tool of this name is registered");
            };
            // The judge denies this where the policy requires a sandbox. A held approval has its own terms, so they are checked here too.
            if approved.terms().sandbox_required || approved.terms().contained {
                return Ran::failed(NoSandbox::Host.to_string());
            }
            (tool.work)(operation.args()).await
        })
    }
}
