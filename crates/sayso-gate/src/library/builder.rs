//! Puts a gate together for an agent: policy, workspace, person, store and tools.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Agent;
use sayso_core::policy::profile::PROFILES;
use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_shell::Bash;

use super::checker::{Checker, Staged};
use super::controller::Controller;
use super::presenter::Presenting;
use super::tools::Tools;
use super::wrapper::Tool;
use crate::ids::Ids;
use crate::memory::Memory;
use crate::pipeline::gate::{Clock, Gate, Ports};
use crate::ports::{Ask, Later, Run, Store, World};

/// Everything a gate needs. What is left out is as strict as can be: without a person, what would be asked is denied.
pub struct Builder {
    workspace: String,
    world: Arc<dyn World + Send + Sync>,
    cwd: Option<String>,
    agent: String,
    session: Option<String>,
    profile: Option<String>,
    texts: Vec<(String, String)>,
    policy: Option<Arc<Policy>>,
    person: Option<Arc<dyn Ask>>,
    store: Option<Arc<dyn Store>>,
    runner: Option<Arc<dyn Run>>,
    tools: Vec<Arc<dyn Tool>>,
    how: How,
    dry_run: bool,
    clock: Option<Clock>,
}

impl Builder {
    /// Starts with the workspace, an absolute path, and what answers questions about the machine.
    pub fn new(workspace: impl Into<String>, world: Arc<dyn World + Send + Sync>) -> Self {
        Builder {
            workspace: workspace.into(),
            world,
            cwd: None,
            agent: String::new(),
            session: None,
            profile: None,
            texts: Vec::new(),
            policy: None,
            person: None,
            store: None,
            runner: None,
            tools: Vec::new(),
            how: How::Interactive,
            dry_run: false,
            clock: None,
        }
    }

    /// The profile, by its name; `sayso` if it is left out.
    #[must_use]
    pub fn profile(self, name: impl Into<String>) -> Self {
        Builder {
            profile: Some(name.into()),
            ..self
        }
    }

    /// A policy in YAML, with a name for messages.
    #[must_use]
    pub fn policy_text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.push((name.into(), text.into()));
        self
    }

    /// A policy that is put together already; profile and texts do not count then.
    #[must_use]
    pub fn policy(self, policy: Arc<Policy>) -> Self {
        Builder {
            policy: Some(policy),
            ..self
        }
    }

    /// The folder that calls run in; the workspace if it is left out.
    #[must_use]
    pub fn cwd(self, folder: impl Into<String>) -> Self {
        Builder {
            cwd: Some(folder.into()),
            ..self
        }
    }

    /// The agent's name. Policies have sections for agents, and an answer to one is none to another.
    #[must_use]
    pub fn agent(self, name: impl Into<String>) -> Self {
        Builder {
            agent: name.into(),
            ..self
        }
    }

    /// The session; a new one if it is left out.
    #[must_use]
    pub fn session(self, id: impl Into<String>) -> Self {
        Builder {
            session: Some(id.into()),
            ..self
        }
    }

    /// Who is asked.
    #[must_use]
    pub fn person(self, person: Arc<dyn Ask>) -> Self {
        Builder {
            person: Some(person),
            ..self
        }
    }

    /// What keeps answers and the record; the memory of this process if it is left out.
    #[must_use]
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Builder {
            store: Some(store),
            ..self
        }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Adds a set of tools.
    #[must_use]
    pub fn tools<T: Tool + 'static>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(
            tools
                .into_iter()
                .map(|tool| Arc::new(tool) as Arc<dyn Tool>),
        );
        self
    }

    /// Runs what was approved in the host's own way, for any tool. Registered tools are then only asked what they say of themselves.
    #[must_use]
    pub fn runner(self, runner: Arc<dyn Run>) -> Self {
        Builder {
            runner: Some(runner),
            ..self
        }
    }

    /// How this run treats questions. Only a person may choose that, by a flag of the host, and never an agent.
    #[must_use]
    pub fn how(self, how: How) -> Self {
        Builder { how, ..self }
    }

    /// Only judges; nothing runs.
    #[must_use]
    pub fn dry_run(self) -> Self {
        Builder {
            dry_run: true,
            ..self
        }
    }

    /// Tells the time, in seconds since 1970; the machine's clock if it is left out.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Builder {
            clock: Some(clock),
            ..self
        }
    }

    /// Puts it together. The error is for the person who set it up; nothing may start then.
    pub fn build(self) -> Result<Controller, String> {
        let policy = self.read_policy()?;
        let mut tools = Tools::default();
        for tool in self.tools {
            tools.add(tool)?;
        }
        for (what, path) in [
            ("workspace", Some(&self.workspace)),
            ("folder", self.cwd.as_ref()),
        ] {
            if path.is_some_and(|path| !path.starts_with('/')) {
                return Err(format!("the {what} is not an absolute path"));
            }
        }
        let tools = Arc::new(tools);
        let presenting = Arc::new(Presenting {
            person: self.person.unwrap_or_else(|| Arc::new(Nobody)),
            by_tool: tools.presenters().collect::<HashMap<_, _>>(),
            by_call: Mutex::default(),
        });
        let ports = Ports {
            world: self.world,
            ask: Arc::clone(&presenting) as Arc<dyn Ask>,
            run: self
                .runner
                .clone()
                .unwrap_or_else(|| Arc::clone(&tools) as Arc<dyn Run>),
            store: self.store.unwrap_or_else(|| Arc::new(Memory::new())),
        };
        let gate = Gate::new(
            ports,
            policy,
            self.how,
            self.clock.unwrap_or_else(|| Arc::new(machine_clock)),
        );
        Ok(Controller {
            gate: Arc::new(if self.dry_run { gate.dry() } else { gate }),
            tools,
            presenting,
            runs_itself: self.runner.is_some(),
            cwd: self.cwd.unwrap_or_else(|| self.workspace.clone()),
            workspace: self.workspace,
            agent: Agent {
                name: self.agent,
                parents: Vec::new(),
            },
            session: self
                .session
                .filter(|id| !id.is_empty())
                .unwrap_or_else(|| Ids::new().next("session")),
        })
    }

    /// A checker instead, for a host that asks and runs by itself.
    pub fn checker(self) -> Result<Checker, String> {
        let staged = Arc::new(Staged::default());
        let builder = Builder {
            person: Some(Arc::clone(&staged) as Arc<dyn Ask>),
            ..self
        };
        Ok(Checker::new(builder.build()?, staged))
    }

    fn read_policy(&self) -> Result<Arc<Policy>, String> {
        if let Some(policy) = &self.policy {
            return Ok(Arc::clone(policy));
        }
        if let Some(name) = self
            .profile
            .as_ref()
            .filter(|name| !PROFILES.iter().any(|(known, _)| known == name))
        {
            let known: Vec<&str> = PROFILES.iter().map(|(known, _)| *known).collect();
            return Err(format!(
                "there is no profile `{name}`\nhint: there are {}",
                known.join(", ")
            ));
        }
        let layers = self
            .texts
            .iter()
            .map(|(name, text)| layer(name, text))
            .collect::<Result<Vec<_>, _>>()?;
        let overrides = Overrides {
            profile: self.profile.clone(),
            ..Overrides::default()
        };
        Ok(Arc::new(Policy::assemble(layers, &overrides, &Bash)))
    }
}

/// Reads a policy text as one of the person.
fn layer(name: &str, text: &str) -> Result<Layer, String> {
    let source = Source { name, text };
    let (layer, findings) = read(source, Format::Yaml, Origin::User, &Bash);
    let errors = || {
        findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
    };
    match layer {
        Some(layer) if errors().next().is_none() => Ok(layer),
        _ => Err(errors().map(|finding| finding.render(source)).collect()),
    }
}

fn machine_clock() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Nobody was named, so nobody can be asked.
struct Nobody;

impl Ask for Nobody {
    fn ask<'a>(&'a self, _: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async { Ended::Nobody })
    }
}
