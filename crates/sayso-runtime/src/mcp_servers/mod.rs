//! The servers that sayso itself calls, for `run` and `chat`: started when they are needed, known before a call is judged, and called
//! only with what was approved.

pub mod catalogue;
pub mod described;
pub mod error;
pub mod identity;
pub mod lookalikes;
pub mod name;
pub mod pins;
pub mod servers_file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::call::operation::{Call, Operation, ToolSays};
use sayso_core::call::tool::{self, Kind, Role};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_tools::mcp::{Client, Patience, START_LIMIT, Start};
use sayso_tools::result::ToolResult;
use sayso_world::locations::Whereabouts;

use crate::child_process as server;
use catalogue::Catalogue;
use described::Described;
use error::{CatalogueError, ConfigError, ServerError, UseError};
use identity::Identity;
use servers_file::Told;

/// All servers that the person has told.
pub struct Servers {
    state: PathBuf,
    workspace: PathBuf,
    stop: Arc<AtomicBool>,
    /// Nothing is started: it is only judged.
    is_dry: bool,
    described: Described,
    all: BTreeMap<String, Mutex<Server>>,
    /// Why there are none.
    trouble: Option<Arc<ConfigError>>,
}

/// One server.
struct Server {
    told: Told,
    known: Option<Known>,
}

/// A server that was looked at.
struct Known {
    identity: Identity,
    catalogue: Arc<Catalogue>,
    /// It runs, unless it has ended since.
    client: Option<Arc<Client>>,
}

/// A tool that a model may be told about.
#[derive(Clone, Debug)]
pub struct Offered {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What the server says of it.
    pub description: String,
    /// What its arguments have to be, as JSON Schema.
    pub schema: Node,
}

impl Servers {
    /// The servers that the person has told; nothing is started yet. With `is_dry`, nothing ever is.
    pub fn load(
        whereabouts: &Whereabouts,
        workspace: &Path,
        stop: Arc<AtomicBool>,
        is_dry: bool,
    ) -> Servers {
        let (told, trouble) = match servers_file::load(&whereabouts.config) {
            Ok(told) => (told, None),
            Err(why) => (BTreeMap::new(), Some(Arc::new(why))),
        };
        let all = told
            .into_iter()
            .map(|(name, told)| (name, Mutex::new(Server { told, known: None })))
            .collect();
        let described = Described::load(&whereabouts.config);
        Servers {
            state: whereabouts.state.clone(),
            workspace: workspace.to_owned(),
            stop,
            is_dry,
            described,
            all,
            trouble,
        }
    }

    /// The names of all servers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(String::as_str)
    }

    /// All tools of all servers, and why some are missing. A server that is not the one that was approved is not started for this; its
    /// tools are those that were approved.
    pub fn tools(&self) -> (Vec<Offered>, Vec<String>) {
        let (mut tools, mut troubles) = (Vec::new(), Vec::from_iter(self.trouble()));
        for name in self.names() {
            match self.tools_of(name) {
                Ok(all) => tools.extend(all),
                Err(why) => troubles.push(why.to_string()),
            }
        }
        (tools, troubles)
    }

    /// Why there are no servers at all.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.as_ref().map(ToString::to_string)
    }

    /// The tools of one server.
    ///
    /// # Errors
    /// Why there are none.
    pub fn tools_of(&self, name: &str) -> Result<Vec<Offered>, ServerError> {
        let (_, known) = self.look(name)?;
        Ok(known
            .said()
            .iter()
            .filter_map(|said| offered(name, said))
            .collect())
    }

    /// A call with everything that is known of its tool, as it has to be judged. Calls of other tools stay as they are; what cannot be
    /// called is blocked.
    #[must_use]
    pub fn known(&self, mut call: Call) -> Call {
        if tool::find(&call.tool).is_none_or(|tool| tool.kind != Kind::Mcp) {
            return call;
        }
        // What is malformed is denied for that.
        let Ok(operation) = Operation::freeze(call.clone()) else {
            return call;
        };
        let (server, tool) = names(&operation);
        match self.look(server) {
            Ok((is_stale, catalogue)) => {
                let mut identity = catalogue.called(tool, &arguments(&operation));
                if !is_stale && identity.schema.is_none() {
                    let reason =
                        format!("the MCP server `{server}` has no tool `{}`", visible(tool));
                    call.says = ToolSays::Blocked { reason };
                    return call;
                }
                self.described.tell(server, tool, &mut identity);
                let arguments = arguments(&operation);
                call.says = self.described.says(server, tool, &arguments);
                call.mcp = Some(identity);
            }
            Err(why) => {
                call.says = ToolSays::Blocked {
                    reason: why.to_string(),
                }
            }
        }
        call
    }

    fn server(&self, name: &str) -> Result<MutexGuard<'_, Server>, ServerError> {
        if let Some(why) = &self.trouble {
            return Err(ServerError::Config(Arc::clone(why)));
        }
        let server = self.all.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let known = match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            };
            ServerError::Unknown {
                name: name.to_owned(),
                known,
            }
        })?;
        Ok(server.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is known of a server: it is started for that, unless it is another one than was approved. Whether only the past is known.
    fn look(&self, name: &str) -> Result<(bool, Arc<Catalogue>), ServerError> {
        let mut server = self.server(name)?;
        if server.client().is_none() {
            let known = server.open(self, name)?;
            if self.is_dry || known.catalogue.is_other_server() {
                let catalogue = Arc::clone(&known.catalogue);
                server.known = Some(known);
                return Ok((true, catalogue));
            }
            let known = server.start(self, name, known)?;
            server.known = Some(known);
        }
        server
            .listed(self, name)
            .map(|(catalogue, _)| (false, catalogue))
    }

    /// Calls the tool of an operation that was approved.
    pub fn run(&self, operation: &Operation, time: Duration) -> ToolResult {
        self.try_run(operation, time)
            .unwrap_or_else(|why| ToolResult::failed(format!("{why}; nothing was run")))
    }

    fn try_run(&self, operation: &Operation, time: Duration) -> Result<ToolResult, ServerError> {
        let (name, tool) = names(operation);
        let judged = operation.mcp().ok_or(CatalogueError::JudgedBlind)?;
        let mut server = self.server(name)?;
        if server.client().is_none() {
            let known = server.open(self, name)?;
            // Who was asked was asked about this very server.
            if server
                .known
                .as_ref()
                .is_none_or(|before| before.identity != known.identity)
            {
                return Err(ServerError::ProgramChanged);
            }
            let known = server.start(self, name, known)?;
            server.known = Some(known);
        }
        let (catalogue, client) = server.listed(self, name)?;
        drop(server);
        match judged.schema {
            Some(digest) if catalogue.identity(tool).schema == Some(digest) => {
                catalogue.approved(operation)?
            }
            // Only its past was known, so it has to be as it was.
            None if catalogue.is_said_as_before(tool) => catalogue.approved_as_before(tool)?,
            _ => return Err(ServerError::ToolChanged),
        }
        Ok(client.call(
            tool,
            &arguments(operation),
            Patience::of(time, Some(&self.stop)),
        ))
    }
}

impl Server {
    fn client(&self) -> Option<Arc<Client>> {
        let client = self.known.as_ref()?.client.as_ref()?;
        client.ended().is_none().then(|| Arc::clone(client))
    }

    /// Where it is started: where no agent writes, unless the person wants it in the workspace.
    fn folder<'a>(&self, servers: &'a Servers) -> &'a Path {
        if self.told.workspace {
            &servers.workspace
        } else {
            &servers.state
        }
    }

    /// Looks at the program, and at what was approved under its name.
    fn open(&self, servers: &Servers, name: &str) -> Result<Known, ServerError> {
        let environment = self.told.all_variables(std::env::vars_os());
        let folder = self.folder(servers);
        let command =
            self.told
                .found(folder, &environment)
                .map_err(|source| ServerError::NotFound {
                    server: name.to_owned(),
                    source,
                })?;
        let identity = Identity::of_command(&command, folder);
        let catalogue = Arc::new(Catalogue::open(&servers.state, name, identity.clone()));
        Ok(Known {
            identity,
            catalogue,
            client: None,
        })
    }

    fn start(&self, servers: &Servers, name: &str, known: Known) -> Result<Known, ServerError> {
        self.try_start(servers, known)
            .map_err(|source| unusable(name, source))
    }

    fn try_start(&self, servers: &Servers, known: Known) -> Result<Known, UseError> {
        let environment = self.told.all_variables(std::env::vars_os());
        let command = self.told.found(self.folder(servers), &environment)?;
        let command = server::with_inner(&command)?;
        let start = Start {
            command,
            cwd: self.folder(servers).to_owned(),
            environment,
        };
        let patience = Patience::of(START_LIMIT, Some(&servers.stop));
        let client = Client::start(&start, patience)?;
        observe(&client, &known.catalogue, patience)?;
        Ok(Known {
            client: Some(Arc::new(client)),
            ..known
        })
    }

    /// The tools as they are now; asked for again where the server says that they changed.
    fn listed(
        &self,
        servers: &Servers,
        name: &str,
    ) -> Result<(Arc<Catalogue>, Arc<Client>), ServerError> {
        let failed = |source| unusable(name, source);
        let known = self
            .known
            .as_ref()
            .ok_or_else(|| failed(UseError::NotThere))?;
        let client = self.client().ok_or_else(|| failed(UseError::Ended))?;
        if client.has_changed() {
            observe(
                &client,
                &known.catalogue,
                Patience::of(START_LIMIT, Some(&servers.stop)),
            )
            .map_err(failed)?;
        }
        Ok((Arc::clone(&known.catalogue), client))
    }
}

fn unusable(server: &str, source: UseError) -> ServerError {
    ServerError::Unusable {
        server: server.to_owned(),
        source,
    }
}

fn observe(client: &Client, catalogue: &Catalogue, patience: Patience<'_>) -> Result<(), UseError> {
    let tools: Node = Value::List(client.tools(patience)?).into();
    catalogue.forget();
    Ok(catalogue.observe(&json::write(&Node::map([("tools", tools)])), false)?)
}

fn names(operation: &Operation) -> (&str, &str) {
    (
        operation.text(Role::Server).unwrap_or_default(),
        operation.text(Role::ServerTool).unwrap_or_default(),
    )
}

fn arguments(operation: &Operation) -> Node {
    let given = operation
        .argument(Role::Arguments)
        .filter(|given| !matches!(given.value, Value::Null));
    given.cloned().unwrap_or_else(|| Node::map::<String>([]))
}

fn offered(server: &str, said: &Node) -> Option<Offered> {
    let text = |key: &str| {
        said.get(key)
            .and_then(Node::as_text)
            .unwrap_or_default()
            .to_owned()
    };
    let schema = said
        .get("inputSchema")
        .cloned()
        .unwrap_or_else(|| Node::map([("type", Node::text("object"))]));
    said.get("name")?.as_text()?;
    Some(Offered {
        server: server.to_owned(),
        tool: text("name"),
        description: text("description"),
        schema,
    })
}
