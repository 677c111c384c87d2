//! Puts tools behind the gate without changing them: functions, single tools, and sets of tools.
//!
//! | what the tool is about | what counts as the same call | what does not |
//! |---|---|---|
//! | files | the path | the content |
//! | commands | the command or its pattern | its output |
//! | services | the address and the method | body and response |
//! | databases | the query as a pattern | its parameters |
//!
//! Times and ids never count: with them in the payload no two calls are the same, and the person is asked each time.

use std::future::{Future, ready};
use std::sync::Arc;

use sayso_core::call::operation::ToolSays;
use sayso_core::call::tool_says::Approval;
use sayso_core::text::node::Node;

use super::presenter::Presenter;
use crate::ports::Later;

/// Something that an agent can call. Only [`Tools`](super::Tools) calls it, and only with what the gate let through.
///
/// A tool that says nothing of itself is judged by the policy: by its kind, if sayso knows the name (`bash`, `read_file`), and else it is
/// asked about. To pass without a question it has to say so.
pub trait Tool: Send + Sync {
    /// The exact name under which it is called.
    fn name(&self) -> &str;

    /// What it says about being approved.
    fn says(&self, args: &Node) -> ToolSays {
        let _ = args;
        ToolSays::Nothing
    }

    /// Calls of a batch with the same group are one question.
    fn group(&self, args: &Node) -> Option<String> {
        let _ = args;
        None
    }

    /// Draws its calls for a person.
    fn presenter(&self) -> Option<Presenter> {
        None
    }

    /// Does its work.
    fn run<'a>(&'a self, args: &'a Node) -> Later<'a, Result<Node, String>>;
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn says(&self, args: &Node) -> ToolSays {
        (**self).says(args)
    }

    fn group(&self, args: &Node) -> Option<String> {
        (**self).group(args)
    }

    fn presenter(&self) -> Option<Presenter> {
        (**self).presenter()
    }

    fn run<'a>(&'a self, args: &'a Node) -> Later<'a, Result<Node, String>> {
        (**self).run(args)
    }
}

type OfArgs<T> = Arc<dyn Fn(&Node) -> T + Send + Sync>;

/// A tool that asks before each call, and how.
#[derive(Clone)]
pub struct Wrapped {
    inner: Arc<dyn Tool>,
    description: Option<OfArgs<String>>,
    exclude_keys: Vec<String>,
    payload: Option<OfArgs<Node>>,
    blocked: Option<OfArgs<Option<String>>>,
    group: Option<OfArgs<Option<String>>>,
    presenter: Option<Presenter>,
}

/// A function that needs approval for every call.
///
/// ```
/// # use sayso_core::text::node::Node;
/// # use sayso_gate::library::requires_approval;
/// let deploy = requires_approval("deploy", |args| Ok(args.clone()))
///     .description("Deploy the site")
///     .payload(|args| args.get("stage").cloned().unwrap_or(Node::text("none")));
/// ```
pub fn requires_approval<F>(name: impl Into<String>, function: F) -> Wrapped
where
    F: Fn(&Node) -> Result<Node, String> + Send + Sync + 'static,
{
    Wrapped::of(gated(name, function))
}

/// The same for an async function.
///
/// ```
/// # use sayso_core::text::node::Node;
/// # use sayso_gate::library::requires_approval_async;
/// async fn fetch(args: Node) -> Result<Node, String> {
///     Ok(args)
/// }
/// let fetch = requires_approval_async("crm_lookup", fetch).exclude_keys(["request_id"]);
/// ```
pub fn requires_approval_async<F, L>(name: impl Into<String>, function: F) -> Wrapped
where
    F: Fn(Node) -> L + Send + Sync + 'static,
    L: Future<Output = Result<Node, String>> + Send + 'static,
{
    Wrapped::of(gated_async(name, function))
}

/// A function that says nothing of itself: the policy judges each call.
pub fn gated<F>(name: impl Into<String>, function: F) -> Arc<dyn Tool>
where
    F: Fn(&Node) -> Result<Node, String> + Send + Sync + 'static,
{
    let run = move |args: &Node| -> Later<'static, _> { Box::pin(ready(function(args))) };
    Arc::new(Function {
        name: name.into(),
        run,
        approved: false,
    })
}

/// The same for an async function.
pub fn gated_async<F, L>(name: impl Into<String>, function: F) -> Arc<dyn Tool>
where
    F: Fn(Node) -> L + Send + Sync + 'static,
    L: Future<Output = Result<Node, String>> + Send + 'static,
{
    let run = move |args: &Node| -> Later<'static, _> { Box::pin(function(args.clone())) };
    Arc::new(Function {
        name: name.into(),
        run,
        approved: false,
    })
}

/// A function that was approved when the agent was set up. What the policy denies, and what must be asked (secrets, dangers, places outside
/// of the workspace), is denied and asked all the same.
pub fn pre_approved<F>(name: impl Into<String>, function: F) -> Arc<dyn Tool>
where
    F: Fn(&Node) -> Result<Node, String> + Send + Sync + 'static,
{
    let run = move |args: &Node| -> Later<'static, _> { Box::pin(ready(function(args))) };
    Arc::new(Function {
        name: name.into(),
        run,
        approved: true,
    })
}

struct Function<F> {
    name: String,
    run: F,
    approved: bool,
}

impl<F> Tool for Function<F>
where
    F: Fn(&Node) -> Later<'static, Result<Node, String>> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn says(&self, _: &Node) -> ToolSays {
        if self.approved {
            ToolSays::PreApproved
        } else {
            ToolSays::Nothing
        }
    }

    fn run<'a>(&'a self, args: &'a Node) -> Later<'a, Result<Node, String>> {
        (self.run)(args)
    }
}

impl Wrapped {
    /// A tool that needs approval for every call. What it refuses itself stays refused.
    pub fn of(tool: impl Tool + 'static) -> Self {
        Wrapped {
            inner: Arc::new(tool),
            description: None,
            exclude_keys: Vec::new(),
            payload: None,
            blocked: None,
            group: None,
            presenter: None,
        }
    }

    /// A set of tools that all need approval for every call.
    pub fn all<T: Tool + 'static>(tools: impl IntoIterator<Item = T>) -> Vec<Self> {
        tools.into_iter().map(Wrapped::of).collect()
    }

    /// What the person reads, in place of `name(key=value, …)`.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.describe(move |_| text.clone())
    }

    /// What the person reads, made from the arguments.
    #[must_use]
    pub fn describe(self, words: impl Fn(&Node) -> String + Send + Sync + 'static) -> Self {
        Wrapped {
            description: Some(Arc::new(words)),
            ..self
        }
    }

    /// Arguments that do not make another call. They are shown all the same.
    #[must_use]
    pub fn exclude_keys<K: Into<String>>(self, keys: impl IntoIterator<Item = K>) -> Self {
        Wrapped {
            exclude_keys: keys.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// What counts as the same call; then `exclude_keys` do not count.
    #[must_use]
    pub fn payload(self, payload: impl Fn(&Node) -> Node + Send + Sync + 'static) -> Self {
        Wrapped {
            payload: Some(Arc::new(payload)),
            ..self
        }
    }

    /// Refuses calls for a reason; nobody is asked about them.
    #[must_use]
    pub fn blocked_if(self, why: impl Fn(&Node) -> Option<String> + Send + Sync + 'static) -> Self {
        Wrapped {
            blocked: Some(Arc::new(why)),
            ..self
        }
    }

    /// Calls of a batch that are one question.
    #[must_use]
    pub fn grouped_by(
        self,
        group: impl Fn(&Node) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Wrapped {
            group: Some(Arc::new(group)),
            ..self
        }
    }

    /// Draws the calls for a person.
    #[must_use]
    pub fn presented_by(self, presenter: Presenter) -> Self {
        Wrapped {
            presenter: Some(presenter),
            ..self
        }
    }

    fn is_plain(&self) -> bool {
        self.description.is_none() && self.exclude_keys.is_empty() && self.payload.is_none()
    }
}

impl Tool for Wrapped {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn says(&self, args: &Node) -> ToolSays {
        if let Some(reason) = self.blocked.as_ref().and_then(|why| why(args)) {
            return ToolSays::Blocked { reason };
        }
        match self.inner.says(args) {
            blocked @ ToolSays::Blocked { .. } => blocked,
            // What asks already goes on asking in its own words, unless the wrapper has others.
            asks @ ToolSays::NeedsApproval { .. } if self.is_plain() => asks,
            _ => {
                let approval = Approval {
                    description: self.description.as_ref().map(|words| words(args)),
                    exclude_keys: self.exclude_keys.clone(),
                    payload: self.payload.as_ref().map(|payload| payload(args)),
                };
                approval.says(self.name(), args)
            }
        }
    }

    fn group(&self, args: &Node) -> Option<String> {
        match &self.group {
            Some(group) => group(args),
            None => self.inner.group(args),
        }
    }

    fn presenter(&self) -> Option<Presenter> {
        self.presenter.clone().or_else(|| self.inner.presenter())
    }

    fn run<'a>(&'a self, args: &'a Node) -> Later<'a, Result<Node, String>> {
        self.inner.run(args)
    }
}
