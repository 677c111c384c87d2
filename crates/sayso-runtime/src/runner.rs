//! Runs what was approved with sayso's own tools: commands, files, the web, and functions of the host.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::{Kind, Role};
use sayso_core::call::url::Url;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::ports::{Later, Ran, Run};
use sayso_tools::files::{self, About, Files};
use sayso_tools::result::ToolResult;
use sayso_tools::terminal::{self, Command, DEFAULT_TIME_LIMIT, MOST_OUTPUT, Stream};
use sayso_tools::web;

use crate::mcp_servers::Servers;
use crate::outlook::Others;
use crate::sandbox::profile::Bounding;
use crate::sandbox::run;
use crate::sandbox::run::Around;

/// A function of the host, for a tool that sayso does not know.
pub type HostTool = Box<dyn Fn(&Node) -> ToolResult + Send + Sync>;

/// Gets each piece of a command's output as it comes.
pub type OnOutput = Box<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// Who is told what goes on.
pub struct Told {
    /// Something starts.
    pub start: Box<dyn Fn(&Approved) + Send + Sync>,
    /// A command printed something; these are its bytes, so whoever shows them passes them through `visible`.
    pub output: OnOutput,
}

/// Says whether a redirect of an approved fetch may be followed: the operation, and where it leads.
pub type Hop = Box<dyn Fn(&Operation, &Url) -> Result<(), String> + Send + Sync>;

/// sayso's own tools.
pub struct Runner {
    files: Arc<Files>,
    /// The person pressed Ctrl-C.
    stopped: Arc<AtomicBool>,
    told: Told,
    hop: Hop,
    /// What the policy says about fetches from this machine and private networks.
    private: Decision,
    bounding: Bounding,
    host: BTreeMap<String, HostTool>,
    servers: Option<Arc<Servers>>,
    /// Whether commands can run unasked because a sandbox bounds them.
    contains: bool,
}

impl Runner {
    /// Tools over the files of a state folder.
    pub fn new(
        files: Arc<Files>,
        stopped: Arc<AtomicBool>,
        told: Told,
        hop: Hop,
        private: Decision,
        bounding: Bounding,
    ) -> Self {
        Runner {
            files,
            stopped,
            told,
            hop,
            private,
            bounding,
            host: BTreeMap::new(),
            servers: None,
            contains: false,
        }
    }

    /// With a function of the host.
    pub fn with(mut self, name: &str, tool: HostTool) -> Self {
        self.host.insert(name.to_owned(), tool);
        self
    }

    /// With MCP servers.
    pub fn with_servers(mut self, servers: Option<Arc<Servers>>) -> Self {
        self.servers = servers;
        self
    }

    /// Where commands can run unasked because a sandbox bounds them.
    pub fn containing(mut self, contains: bool) -> Self {
        self.contains = contains;
        self
    }

    fn work(&self, approved: &Approved) -> ToolResult {
        let operation = approved.operation();
        match operation.kind() {
            Kind::Terminal => self.command(approved).unwrap_or_else(ToolResult::failed),
            Kind::WebFetch => self.fetch(operation),
            kind if files::is_file_tool(kind) => {
                files::run(&self.files, operation, approved.verdict())
            }
            _ => match (
                self.others().can_run(operation),
                self.host.get(operation.tool()),
                &self.servers,
            ) {
                (Err(why), ..) => ToolResult::failed(format!("{why}; nothing was changed")),
                (Ok(()), Some(tool), _) => tool(operation.args()),
                (Ok(()), None, Some(servers)) => servers.run(
                    operation,
                    approved
                        .terms()
                        .time_limit
                        .map_or(DEFAULT_TIME_LIMIT, Duration::from_secs),
                ),
                (Ok(()), None, None) => {
                    ToolResult::failed("there are no MCP servers here; nothing was run")
                }
            },
        }
    }

    fn others(&self) -> Others {
        Others {
            host: self.host.keys().cloned().collect(),
            servers: self.servers.is_some(),
        }
    }

    fn command(&self, approved: &Approved) -> Result<ToolResult, String> {
        let operation = approved.operation();
        let cwd = operation.cwd();
        let bounded = self.bounding.bound(operation, approved.terms())?;
        let usual = approved
            .terms()
            .time_limit
            .map_or(DEFAULT_TIME_LIMIT, Duration::from_secs);
        let command = Command {
            text: operation.command().ok_or("the call has no command")?,
            cwd: Path::new(&cwd),
            environment: &operation.environment(),
            time_limit: terminal::time_limit_of(operation, usual)?,
            most_output: MOST_OUTPUT,
            stop: Some(&self.stopped),
            bounds: None,
            scripts: approved.scripts(),
        };
        let output = &mut |stream: Stream, bytes: &[u8]| (self.told.output)(stream, bytes);
        match bounded {
            None => Ok(terminal::run(command, output).map(ToolResult::from)?),
            Some(bounded) => {
                let about = About::of(operation, approved.yes().is_some());
                let around = Around {
                    bounding: &self.bounding,
                    files: &self.files,
                    terms: approved.terms(),
                    about,
                };
                run::run(around, &bounded, command, output)
            }
        }
    }

    fn fetch(&self, operation: &Operation) -> ToolResult {
        let limits = match terminal::time_limit_of(operation, web::Limits::default().time) {
            Ok(time) => {
                // A yes is for what the address says: a name that looks public and leads to a private address was never asked about.
                let (private, private_by_name) = (
                    self.private != Decision::Deny,
                    self.private == Decision::Allow,
                );
                web::Limits {
                    time,
                    private,
                    private_by_name,
                    ..web::Limits::default()
                }
            }
            Err(why) => return ToolResult::failed(why),
        };
        web::fetch(
            operation.text(Role::Url).unwrap_or_default(),
            &limits,
            &|url| Ok((self.hop)(operation, url)?),
        )
    }
}

impl Run for Runner {
    /// Commands run in a sandbox where they need one; functions of the host and MCP servers run outside of any.
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        RunnerCapabilities {
            no_sandbox: None,
            no_sandbox_for_tools: Some(&NoSandbox::Host),
            containment: &self.contains,
        }
    }

    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
        Box::pin(async move {
            if self.stopped.load(Ordering::SeqCst) {
                return Ran::NotRun("it was not run: the person stopped everything".to_owned());
            }
            (self.told.start)(&approved);
            let start = Instant::now();
            let result = self.work(&approved);
            let operation = approved.operation();
            let node = result.to_node(operation.id(), operation.tool(), start.elapsed());
            if result.success {
                Ran::Done(node)
            } else {
                Ran::Failed {
                    why: result.error,
                    result: node,
                }
            }
        })
    }
}
