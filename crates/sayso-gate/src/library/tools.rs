//! All tools of an agent. Nothing else calls them, and they are called only with what the gate let through.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::operation::{MAX_DEPTH, ToolSays};
use sayso_core::text::node::Node;

use super::presenter::Presenter;
use super::wrapper::Tool;
use crate::approved::Approved;
use crate::panic_guard::words;
use crate::ports::{Later, Ran, Run};

/// The tools by their exact names.
#[derive(Default)]
pub struct Tools(BTreeMap<String, Arc<dyn Tool>>);

impl Tools {
    /// Adds a tool. Two of the same name are a mistake: nobody could tell which one was approved.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), String> {
        let name = tool.name().to_owned();
        match self.0.insert(name.clone(), tool) {
            None => Ok(()),
            Some(_) => Err(format!("there are two tools with the name `{name}`")),
        }
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether there is a tool of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
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

    pub(super) fn presenters(&self) -> impl Iterator<Item = (String, Presenter)> {
        self.0
            .iter()
            .filter_map(|(name, tool)| Some((name.clone(), tool.presenter()?)))
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
            match tool.run(operation.args()).await {
                Ok(result) => Ran::Done(result),
                Err(why) => Ran::failed(why),
            }
        })
    }
}
