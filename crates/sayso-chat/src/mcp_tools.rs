//! Tools of the MCP servers that the person has told, as models can be told of them: under names that every endpoint takes, with bounds on
//! what a server says of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::text::count::{agreed, count};
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};
use sayso_world::locations::Whereabouts;

use super::model::Offered;
use super::tool_schemas::{Tool, Tools};
use crate::error::SourceError;
use sayso_runtime::mcp_servers as mcp;
use sayso_runtime::mcp_servers::Servers;

/// What the name of such a tool starts with, as a model is told of it.
const PREFIX: &str = "mcp__";
/// The longest name that endpoints take.
const LONGEST_NAME: usize = 64;
/// So many tools are told; endpoints take no more than 128 in all.
const MOST_TOOLS: usize = 100;
/// So much of what a server says of a tool is told, in characters.
const LONGEST_ABOUT: usize = 4000;
/// The longest schema that is told, in bytes.
const LONGEST_SCHEMA: usize = 64 << 10;
/// After so long a server that could not be used is tried again.
const AGAIN: Duration = Duration::from_secs(300);
/// Keys at the top of a schema with which endpoints refuse everything that they are asked.
const REFUSED_KEYS: [&str; 6] = ["oneOf", "anyOf", "allOf", "not", "enum", "const"];

/// The servers of a session.
pub struct Served {
    servers: Arc<Servers>,
    stopped: Arc<AtomicBool>,
    past: Mutex<Past>,
}

/// What happened before.
#[derive(Default)]
struct Past {
    /// What was told of what is missing: each thing is told once.
    told: BTreeSet<String>,
    /// The servers that could not be used, and since when: nobody waits for them in every turn.
    failed: BTreeMap<String, Instant>,
}

impl Served {
    /// The servers that the person has told; none is started yet.
    pub fn load(whereabouts: &Whereabouts, workspace: &Path, stopped: Arc<AtomicBool>) -> Served {
        let servers = Arc::new(Servers::load(
            whereabouts,
            workspace,
            Arc::clone(&stopped),
            false,
        ));
        Served {
            servers,
            stopped,
            past: Mutex::default(),
        }
    }

    /// The servers themselves, for whoever runs what was approved.
    pub fn servers(&self) -> Arc<Servers> {
        Arc::clone(&self.servers)
    }

    fn past(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        self.servers.names().collect()
    }

    /// Everything that a model may call by now, and what is newly missing, in words for the person. Servers are started for this.
    pub fn tools(&self) -> (Tools, Vec<String>) {
        let names: Vec<&str> = {
            let mut past = self.past();
            past.failed.retain(|_, since| since.elapsed() < AGAIN);
            self.servers
                .names()
                .filter(|name| !past.failed.contains_key(*name))
                .collect()
        };
        // All at once: each may take its time to start.
        let looked: Vec<_> = std::thread::scope(|scope| {
            let started: Vec<_> = names
                .iter()
                .map(|name| {
                    scope.spawn(|| {
                        let tools = self.servers.tools_of(name);
                        tools.map_err(|error| ServerError::Failed(error.into()))
                    })
                })
                .collect();
            started
                .into_iter()
                .map(|one| one.join().unwrap_or(Err(ServerError::Panicked)))
                .collect()
        });
        let (mut said, mut troubles) = (Vec::new(), Vec::from_iter(self.servers.trouble()));
        let mut past = self.past();
        for (name, tools) in names.into_iter().zip(looked) {
            match tools {
                Ok(tools) => said.extend(tools),
                // It did not fail: the person did not want to wait.
                Err(_) if self.stopped.load(Ordering::SeqCst) => {}
                Err(error) => {
                    past.failed.insert(name.to_owned(), Instant::now());
                    troubles.push(error.to_string());
                }
            }
        }
        let (tools, more) = named(said);
        let news = troubles
            .into_iter()
            .chain(more)
            .filter(|trouble| past.told.insert(trouble.clone()))
            .collect();
        (Tools::of(self.servers(), tools), news)
    }
}

/// The tools under their names, and what cannot be told to a model.
fn named(said: Vec<mcp::Offered>) -> (Vec<Tool>, Vec<String>) {
    let mut out: BTreeMap<String, Tool> = BTreeMap::new();
    let mut troubles = Vec::new();
    let mut left = 0;
    for one in said {
        let name = name_of(&one.server, &one.tool);
        if out.len() >= MOST_TOOLS && !out.contains_key(&name) {
            left += 1;
            continue;
        }
        let shown = format!(
            "the tool `{}` of the MCP server `{}`",
            visible(&one.tool),
            visible(&one.server)
        );
        match schema(&one.schema) {
            Err(why) => troubles.push(format!("{shown} is left out: {why}")),
            Ok(_) if out.contains_key(&name) => {
                troubles.push(format!("{shown} is left out: another one has its name"))
            }
            Ok(schema) => {
                let short: String = one.description.chars().take(LONGEST_ABOUT).collect();
                // What nobody could see is told to no model either.
                let about = visible_block(&short);
                let offered = Offered {
                    name: name.clone(),
                    about,
                    schema,
                };
                out.insert(
                    name,
                    Tool {
                        server: one.server,
                        tool: one.tool,
                        offered,
                    },
                );
            }
        }
    }
    if left > 0 {
        troubles.push(format!(
            "{} of MCP servers {} left out: a model is told of {MOST_TOOLS} at most",
            count(left, "tool"),
            agreed(left, "is", "are")
        ));
    }
    (out.into_values().collect(), troubles)
}

/// The name that a model is told. Where letters have to be replaced, a digest keeps different tools apart.
fn name_of(server: &str, tool: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let simple = format!("{PREFIX}{server}__{tool}");
    // A `_` at the seam could belong to either side.
    let is_clear = !server.ends_with('_') && !tool.starts_with('_') && !tool.is_empty();
    if is_clear && simple.len() <= LONGEST_NAME && simple.chars().all(is_plain) {
        return simple;
    }
    let pair: Node = Value::List(vec![Node::text(server), Node::text(tool)]).into();
    let digest: String = Digest::of_node(&pair)
        .to_string()
        .chars()
        .rev()
        .take(8)
        .collect();
    let letters = simple
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '_' });
    format!(
        "{}_{digest}",
        letters
            .take(LONGEST_NAME - digest.len() - 1)
            .collect::<String>()
    )
}

/// Why the tools of a server are not there.
#[derive(Debug, thiserror::Error)]
enum ServerError {
    #[error("a server could not be looked at")]
    Panicked,
    #[error("{0}")]
    Failed(SourceError),
}

/// What a server says of the arguments of a tool that no endpoint would take.
#[derive(Debug, thiserror::Error)]
enum SchemaError {
    #[error("what it says of its arguments is no schema")]
    NoSchema,
    #[error("its arguments are no object")]
    NoObject,
    #[error("what it says of its arguments is longer than {} KiB", LONGEST_SCHEMA >> 10)]
    TooLong,
}

/// The schema as endpoints take it: one that they refuse would end the whole conversation. The server still checks what it gets.
fn schema(said: &Node) -> Result<Node, SchemaError> {
    let is_object = |node: &Node| node.as_text() == Some("object");
    match said.get("type") {
        _ if !matches!(said.value, Value::Map(_)) => {
            return Err(SchemaError::NoSchema);
        }
        Some(kind) if !is_object(kind) => return Err(SchemaError::NoObject),
        _ => {}
    }
    let kept = said
        .entries()
        .iter()
        .filter(|entry| !REFUSED_KEYS.contains(&entry.key.as_str()) && entry.key != "type");
    let mut fields = vec![("type".to_owned(), Node::text("object"))];
    fields.extend(kept.map(|entry| (entry.key.clone(), entry.node.clone())));
    if !fields
        .iter()
        .any(|(key, node)| key == "properties" && matches!(node.value, Value::Map(_)))
    {
        fields.retain(|(key, _)| key != "properties");
        fields.push(("properties".to_owned(), Node::map::<String>([])));
    }
    let out = Node::map(fields);
    match json::write(&out).len() > LONGEST_SCHEMA {
        true => Err(SchemaError::TooLong),
        false => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sayso_core::text::Limits;

    use super::*;

    fn said(server: &str, tool: &str, schema: &str) -> mcp::Offered {
        let schema = json::read(schema, &Limits::default()).unwrap();
        mcp::Offered {
            server: server.to_owned(),
            tool: tool.to_owned(),
            description: "d\u{1b}\u{e0041}".to_owned(),
            schema,
        }
    }

    #[test]
    fn tools_get_names_that_endpoints_take_and_odd_schemas_are_left_out() {
        let (tools, troubles) = named(vec![
            said("s", "echo", "{}"),
            said(
                "s",
                "a.b/c",
                r#"{"type":"object","oneOf":[],"properties":{"x":{"type":"string"}}}"#,
            ),
            said("s", "text", r#"{"type":"string"}"#),
            said("s", "list", "[]"),
            said("s", "echo", "{}"),
            said(
                "s",
                "large",
                &format!("{{\"x\":\"{}\"}}", "y".repeat(70_000)),
            ),
        ]);
        assert_eq!((tools.len(), troubles.len()), (2, 4), "{troubles:?}");
        let echo = tools.iter().find(|tool| tool.tool == "echo").unwrap();
        assert_eq!(
            (echo.offered.name.as_str(), echo.offered.about.as_str()),
            ("mcp__s__echo", "d␛‹U+E0041›")
        );
        assert_eq!(
            json::write(&echo.offered.schema),
            r#"{"type":"object","properties":{}}"#
        );
        let odd = tools.iter().find(|tool| tool.tool == "a.b/c").unwrap();
        assert!(
            odd.offered.name.starts_with("mcp__s__a_b_c_"),
            "{}",
            odd.offered.name
        );
        assert!(
            odd.offered.schema.get("oneOf").is_none()
                && odd
                    .offered
                    .schema
                    .get("properties")
                    .unwrap()
                    .get("x")
                    .is_some()
        );
        let many = (0..120)
            .map(|at| said("s", &format!("t{at}"), "{}"))
            .collect();
        let (tools, troubles) = named(many);
        assert_eq!((tools.len(), troubles.len()), (MOST_TOOLS, 1));
    }

    proptest! {
        #[test]
        fn different_tools_have_different_names(one in "[a-b_.-]{1,6}", other in "[a-b_.-]{1,6}", tool in "[a-b_./-]{0,6}|.{0,80}", second in "[a-b_./-]{0,6}") {
            let of = name_of(&one, &tool);
            prop_assert!(of.len() <= LONGEST_NAME && of.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'), "{of}");
            // Names of servers hold no `__`.
            prop_assume!(!one.contains("__") && !other.contains("__"));
            prop_assert!((one == other && tool == second) || of != name_of(&other, &second), "{of}");
        }
    }
}
