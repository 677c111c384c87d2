//! What an answer would have covered: the calls of the record, looked up when somebody first looks at a wider answer, and no further back
//! than a bound.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use sayso_core::analysis::draft::Draft;
use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::learned_rule::{LearnedRule, RuleKey};
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::{self, Kind, Role};
use sayso_core::call::url::Url;
use sayso_core::paths::{join, relative};
use sayso_core::policy::command_pattern::Reach;
use sayso_core::policy::glob::Subject;
use sayso_core::prompt::patterns::{Earlier, Patterns};
use sayso_core::prompt::{Prompt, Stores};
use sayso_core::text::json;
use sayso_core::text::node::Node;
use sayso_gate::{offers, pattern};
use sayso_store::read::{Reader, Stored};

/// So many entries are looked at.
const MOST_ENTRIES: usize = 4000;
/// So many different calls are compared.
const MOST_CALLS: usize = 500;
/// Longer commands are left out: reading them would hold up the keys.
const LONGEST: usize = 4096;

/// The record of the person, for patterns.
pub struct InRecord {
    state: PathBuf,
    history: OnceLock<Option<History>>,
}

/// Calls as they were, once each.
struct History {
    calls: Vec<Past>,
    more: bool,
}

/// A call of the record.
struct Past {
    workspace: String,
    did: Did,
    denied: bool,
}

/// What a call was about. Of what the record does not say there is nothing to compare.
enum Did {
    Command {
        text: String,
        draft: Box<Draft>,
    },
    Files {
        key: RuleKey,
        paths: Vec<String>,
    },
    Fetch(Url),
    Tool {
        name: String,
        arguments: String,
    },
    Mcp {
        server: String,
        tool: String,
        arguments: String,
    },
}

impl InRecord {
    /// The record of this state folder.
    pub fn new(state: PathBuf) -> Self {
        InRecord {
            state,
            history: OnceLock::new(),
        }
    }

    fn read(&self) -> Option<History> {
        let reader = Reader::open(&self.state).ok()?;
        // By workspace and by what it was about.
        let mut found: BTreeMap<(String, String), Past> = BTreeMap::new();
        let mut more = false;
        for (at, entry) in reader.backwards().ok()?.enumerate() {
            if at >= MOST_ENTRIES || found.len() >= MOST_CALLS {
                more = true;
                break;
            }
            // What is damaged is told elsewhere; a preview is no reason to stop.
            let Ok(entry) = entry else { continue };
            if let Some((key, past)) = decided(&entry) {
                let denied = past.denied;
                found
                    .entry((past.workspace.clone(), key))
                    .or_insert(past)
                    .denied |= denied;
            }
        }
        Some(History {
            calls: found.into_values().collect(),
            more,
        })
    }
}

/// The call of an entry, with a text that is the same for the same call.
fn decided(entry: &Stored) -> Option<(String, Past)> {
    if entry.kind != "decided" {
        return None;
    }
    let node = entry.node().ok()?;
    let text = |name: &str| node.get(name).and_then(Node::as_text);
    let (tool, args) = (text("tool")?, node.get("args")?);
    if node.get("args_cut").is_some() {
        return None;
    }
    let argument = |name: &str| args.get(name).and_then(Node::as_text);
    let kind = tool::find(tool).map_or(Kind::Custom, |row| row.kind);
    let all = || json::write_plain(args);
    let (key, did) = match (kind, RuleKey::of_kind(kind)) {
        (Kind::Mcp, _) => {
            let (server, name) = (argument("server")?.to_owned(), argument("tool")?.to_owned());
            let arguments = all();
            (
                format!("mcp {arguments}"),
                Did::Mcp {
                    server,
                    tool: name,
                    arguments,
                },
            )
        }
        (_, Some(RuleKey::Command)) => {
            let command = argument("command").filter(|command| command.len() <= LONGEST)?;
            (
                command.to_owned(),
                Did::Command {
                    text: command.to_owned(),
                    draft: Box::new(sayso_shell::analyse(command)),
                },
            )
        }
        (_, Some(key @ (RuleKey::Read | RuleKey::Write))) => {
            let paths = effects(&node, key)?;
            (
                format!("{} {}", key.word(), paths.join("\n")),
                Did::Files { key, paths },
            )
        }
        (_, Some(RuleKey::Fetch)) => {
            let url = Url::parse(argument("url")?).ok()?;
            (format!("fetch {}", url.written), Did::Fetch(url))
        }
        (_, Some(RuleKey::Tool)) => (
            format!("tool {tool} {}", all()),
            Did::Tool {
                name: tool.to_owned(),
                arguments: all(),
            },
        ),
        (_, None) => return None,
    };
    let denied = matches!(
        text("outcome").unwrap_or_default(),
        "denied" | "timed_out" | "cancelled" | "blocked"
    );
    Some((
        key,
        Past {
            workspace: text("workspace").unwrap_or_default().to_owned(),
            did,
            denied,
        },
    ))
}

/// The paths of an entry, as it keeps its effects: those in the workspace start there. None where it did something else, too.
fn effects(node: &Node, key: RuleKey) -> Option<Vec<String>> {
    let items = node.get("effects")?.items();
    let path = |item: &Node| match item.items() {
        [kind, path, ..] if kind.as_text() == Some(key.word()) => path.as_text().map(str::to_owned),
        _ => None,
    };
    items
        .iter()
        .map(path)
        .collect::<Option<Vec<String>>>()
        .filter(|paths| !paths.is_empty())
}

impl Past {
    /// Whether an answer would have covered it. What always asks was asked all the same, so this counts calls and not questions.
    fn fits(&self, key: &GrantKey) -> bool {
        match (key, &self.did) {
            (GrantKey::Rule(rule), did) => rule_fits(rule, did),
            (
                GrantKey::Reads(workspace),
                Did::Files {
                    key: RuleKey::Read,
                    paths,
                },
            )
            | (
                GrantKey::Edits(workspace),
                Did::Files {
                    key: RuleKey::Write,
                    paths,
                },
            ) => *workspace == self.workspace && paths.iter().all(|path| !path.starts_with('/')),
            (
                GrantKey::McpTool { server, tool, .. },
                Did::Mcp {
                    server: of,
                    tool: name,
                    ..
                },
            ) => server == of && tool == name,
            _ => false,
        }
    }

    /// Whether it is the call that is asked about.
    fn is(&self, operation: &Operation, asked: &[String]) -> bool {
        match &self.did {
            Did::Command { text, .. } => operation.command() == Some(text),
            Did::Files { paths, .. } => self.workspace == operation.workspace() && paths == asked,
            Did::Fetch(url) => operation.text(Role::Url) == Some(&url.written),
            Did::Tool { arguments, .. } | Did::Mcp { arguments, .. } => {
                *arguments == json::write_plain(operation.args())
            }
        }
    }
}

fn rule_fits(rule: &LearnedRule, did: &Did) -> bool {
    match (rule, did) {
        (LearnedRule::Command(pattern), Did::Command { draft, .. }) => {
            draft.opaque.is_none()
                && !draft.commands.is_empty()
                && draft
                    .commands
                    .iter()
                    .all(|command| pattern.matches(command, Reach::Narrow))
        }
        (
            LearnedRule::Read(glob),
            Did::Files {
                key: RuleKey::Read,
                paths,
            },
        )
        | (
            LearnedRule::Write(glob),
            Did::Files {
                key: RuleKey::Write,
                paths,
            },
        ) => paths.iter().all(|path| {
            // One that does not start in the workspace lies outside of it.
            let whole = join("/w", path);
            !path.starts_with('/')
                && glob.matches(Subject {
                    path: &whole,
                    workspace: "/w",
                    home: None,
                })
        }),
        (LearnedRule::Fetch(pattern), Did::Fetch(url)) => pattern.matches(url, Reach::Narrow),
        (LearnedRule::Tool(pattern), Did::Tool { name, .. }) => pattern.written == *name,
        _ => false,
    }
}

/// The paths that a prompt is about, as the record would keep them.
fn asked_paths(prompt: &Prompt) -> Vec<String> {
    let workspace = prompt.operation.workspace();
    let path = |effect: &sayso_core::analysis::effect::Effect| {
        Some(effect.place()?.fact.as_ref()?.canonical.clone())
    };
    let short = |path: String| match relative(&path, workspace) {
        Some("") => ".".to_owned(),
        Some(rest) => rest.to_owned(),
        None => path,
    };
    prompt
        .verdict
        .effects
        .iter()
        .filter_map(path)
        .map(short)
        .collect()
}

impl Patterns for InRecord {
    fn check(&self, text: &str, prompt: &Prompt) -> Result<LearnedRule, String> {
        Ok(pattern::check(text, prompt)?)
    }

    fn earlier(&self, stores: &Stores, scope: Scope, prompt: &Prompt) -> Option<Earlier> {
        let key = offers::key_of(stores).ok().flatten()?;
        // Of an answer for this very call there is nothing else to say.
        if matches!(
            key,
            GrantKey::Exact(_) | GrantKey::Payload { .. } | GrantKey::RestOfBatch
        ) {
            return None;
        }
        let history = self.history.get_or_init(|| self.read()).as_ref()?;
        let asked = asked_paths(prompt);
        let here =
            |past: &Past| scope == Scope::Always || past.workspace == prompt.operation.workspace();
        let (mut fit, mut denied) = (0, 0);
        for past in history
            .calls
            .iter()
            .filter(|past| here(past) && past.fits(&key) && !past.is(&prompt.operation, &asked))
        {
            fit += 1;
            denied += usize::from(past.denied);
        }
        Some(Earlier {
            looked_at: history.calls.len(),
            more: history.more,
            fit,
            denied,
        })
    }
}
