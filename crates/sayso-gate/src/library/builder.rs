//! Puts gated tools together: policy, workspace, person, store and the tools.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Agent;
use sayso_core::policy::profile::PROFILES;
use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_shell::Bash;

use super::gated_tools::GatedTools;
use super::presenter::Presenting;
use super::tool::{Tool, Tools};
use crate::error::BuildError;
use crate::ids::Ids;
use crate::memory::Memory;
use crate::pipeline::gate::{Clock, Gate, Ports};
use crate::ports::{Ask, Run, Store, World};

/// Everything that [`GatedTools`] need. What is left out is as strict as can be: without a person, what would be asked is denied.
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
    tools: Vec<Tool>,
    how: How,
    dry_run: bool,
    clock: Option<Clock>,
}

impl Builder {
    pub(super) fn new(workspace: String, world: Arc<dyn World + Send + Sync>) -> Self {
        Builder {
            workspace,
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
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// A policy in YAML, with a name for messages.
    #[must_use]
    pub fn policy_text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.push((name.into(), text.into()));
        self
    }

    /// A policy that is put together already; profile and texts do not count then.
    #[must_use]
    pub fn policy(mut self, policy: Arc<Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// The folder that calls run in; the workspace if it is left out.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<String>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// The agent's name. Policies have sections for agents, and an answer to one is none to another.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agent = name.into();
        self
    }

    /// The session; a new one if it is left out.
    #[must_use]
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// Who is asked.
    #[must_use]
    pub fn person(mut self, person: Arc<dyn Ask>) -> Self {
        self.person = Some(person);
        self
    }

    /// What keeps answers and the record; the memory of this process if it is left out.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds a set of tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Runs what was approved in the host's own way, for any tool. Registered tools are then only asked what they say of themselves.
    #[must_use]
    pub fn runner(mut self, runner: Arc<dyn Run>) -> Self {
        self.runner = Some(runner);
        self
    }

    /// How this run treats questions. Only a person may choose that, by a flag of the host, and never an agent.
    #[must_use]
    pub fn how(mut self, how: How) -> Self {
        self.how = how;
        self
    }

    /// Only judges; nothing runs.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Tells the time, in seconds since 1970; the machine's clock if it is left out.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Puts it together. The error is for the person who set it up; nothing may start then.
    pub fn build(self) -> Result<GatedTools, BuildError> {
        let policy = self.read_policy()?;
        let tools = Arc::new(Tools::new(self.tools)?);
        let cwd = self.cwd.unwrap_or_else(|| self.workspace.clone());
        for (what, path) in [("workspace", &self.workspace), ("folder", &cwd)] {
            if !path.starts_with('/') {
                return Err(BuildError::NotAbsolute { what });
            }
        }
        let presenting = Arc::new(Presenting {
            person: self.person,
            tools: Arc::clone(&tools),
            by_call: Mutex::default(),
        });
        let runs_itself = self.runner.is_some();
        let ports = Ports {
            world: self.world,
            ask: Arc::clone(&presenting) as Arc<dyn Ask>,
            run: self
                .runner
                .unwrap_or_else(|| Arc::clone(&tools) as Arc<dyn Run>),
            store: self.store.unwrap_or_else(|| Arc::new(Memory::new())),
        };
        let clock = self.clock.unwrap_or_else(|| Arc::new(machine_clock));
        let gate = Gate::new(ports, policy, self.how, clock);
        Ok(GatedTools {
            gate: Arc::new(if self.dry_run { gate.dry() } else { gate }),
            tools,
            presenting,
            runs_itself,
            cwd,
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

    fn read_policy(&self) -> Result<Arc<Policy>, BuildError> {
        if let Some(policy) = &self.policy {
            return Ok(Arc::clone(policy));
        }
        if let Some(name) = &self.profile
            && !PROFILES.iter().any(|(known, _)| known == name)
        {
            return Err(BuildError::UnknownProfile { name: name.clone() });
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
fn layer(name: &str, text: &str) -> Result<Layer, BuildError> {
    let source = Source { name, text };
    let (layer, findings) = read(source, Format::Yaml, Origin::User, &Bash);
    let errors: Vec<String> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.render(source))
        .collect();
    layer
        .filter(|_| errors.is_empty())
        .ok_or(BuildError::Policy { errors })
}

fn machine_clock() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
