//! One tool call, whatever agent made it: checked, frozen, and named by the digest of exactly what it says.

use crate::call::checks::{check_arguments, folder, name, text_bytes};
use crate::call::mcp_meaning::Meaning;
use crate::call::tool::{self, Kind, Role};
use crate::text::digest::{Digest, Encoder};
use crate::text::node::{Node, Value};

/// Longest operation, in bytes of all its texts.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Deepest arguments: lists and maps in each other.
pub const MAX_DEPTH: usize = 512;
const MAX_FOLDER: usize = 4095;
const MAX_FILE_NAME: usize = 255;

/// What a door knows of a call before it is checked.
#[derive(Clone, Debug)]
pub struct Call {
    /// The call's id, for answers; the gate gives one where the door has none.
    pub id: String,
    /// The tool's name as it was called.
    pub tool: String,
    /// Its arguments.
    pub args: Node,
    /// The folder it runs in, absolute.
    pub cwd: String,
    /// The workspace, absolute.
    pub workspace: String,
    /// Who calls, as the door knows it, with the parents of a sub-agent.
    pub agent: Agent,
    /// The session, as the door knows it.
    pub session: String,
    /// The batch it came in.
    pub batch: Option<String>,
    /// Calls of a batch with the same group are one question; grouping is said by the host and never guessed.
    pub group: Option<String>,
    /// What the tool itself says about being approved; only a host can set it.
    pub says: ToolSays,
    /// What the door knows of an MCP tool.
    pub mcp: Option<McpIdentity>,
    /// What the host wants to find again in prompts, events and the record (a run, a trace). It is carried and never interpreted: it is
    /// no part of the digest, and no rule, grant or default looks at it.
    pub metadata: Vec<(String, String)>,
}

/// Who makes a call. It comes from the door, never from arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The agents that started it, nearest first.
    pub parents: Vec<String>,
}

impl Agent {
    /// The agent with all that started it, in one text. No name can hold the sign between them.
    pub fn line(&self) -> String {
        let names: Vec<&str> = std::iter::once(self.name.as_str())
            .chain(self.parents.iter().map(String::as_str))
            .collect();
        names.join("\u{1f}")
    }
}

/// What a tool says of its own call (the host's own tools only).
#[derive(Clone, Debug, Default)]
pub enum ToolSays {
    /// Nothing, which is no approval.
    #[default]
    Nothing,
    /// It was approved when it was set up.
    PreApproved,
    /// It needs approval, remembered under its own key and shown with its own words.
    NeedsApproval {
        /// What counts as the same call.
        payload: Node,
        /// What the person reads.
        description: String,
    },
    /// It must not run.
    Blocked {
        /// Why.
        reason: String,
    },
}

/// What the door knows of an MCP tool beyond its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpIdentity {
    /// The digest of server identity, name, description, schema and annotations.
    pub schema: Option<Digest>,
    /// It is not what was pinned to that name before.
    pub changed: bool,
    /// The server's own hints (`readOnlyHint`), which never lower a verdict by themselves.
    pub annotations: Vec<(String, bool)>,
    /// What the arguments mean, by their names, where the person has described the tool; what is not named here is guessed.
    pub meanings: Vec<(String, Meaning)>,
    /// The person has said that the tool does nothing but what its arguments mean.
    pub is_described_whole: bool,
    /// Why every call of it is asked about, besides a change: a name that passes for another one, say.
    pub asks: Vec<String>,
    /// What the person has to read before an answer: how it changed, what its description hides.
    pub warnings: Vec<String>,
    /// What the server says of the tool.
    pub description: Option<String>,
}

/// Why a call is no operation. It is denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

/// A checked call. Nothing in it changes any more: what is judged, shown and run is this value.
#[derive(Clone, Debug)]
pub struct Operation {
    call: Call,
    kind: Kind,
    digest: Digest,
}

impl Call {
    /// A call by nobody in particular in `workspace`.
    pub fn new(tool: impl Into<String>, args: Node, workspace: impl Into<String>) -> Self {
        let workspace = workspace.into();
        Call {
            id: String::new(),
            tool: tool.into(),
            args,
            cwd: workspace.clone(),
            workspace,
            agent: Agent::default(),
            session: String::new(),
            batch: None,
            group: None,
            says: ToolSays::Nothing,
            mcp: None,
            metadata: Vec::new(),
        }
    }

    /// Whether its values are nested too deep to be looked at; such a call is refused, and must not be copied.
    pub fn is_too_deep(&self) -> bool {
        let payload = match &self.says {
            ToolSays::NeedsApproval { payload, .. } => Some(payload),
            _ => None,
        };
        self.args.is_deeper_than(MAX_DEPTH)
            || payload.is_some_and(|payload| payload.is_deeper_than(MAX_DEPTH))
    }

    /// The call of a command.
    pub fn command(text: impl Into<String>, workspace: impl Into<String>) -> Self {
        Call::new(
            "terminal",
            Node::map([("command", Node::text(text))]),
            workspace,
        )
    }
}

impl Operation {
    /// Checks a call and freezes it.
    pub fn freeze(mut call: Call) -> Result<Operation, Malformed> {
        // First of all: whatever looks into the values goes as deep as they do.
        if call.is_too_deep() {
            return Err(Malformed(format!(
                "the arguments are nested more than {MAX_DEPTH} deep"
            )));
        }
        if matches!(call.args.value, Value::Null) {
            call.args = Node::map::<String>([]);
        }
        let Value::Map(_) = call.args.value else {
            return Err(Malformed(format!(
                "the arguments are {}, not a map of names and values",
                call.args.kind_word()
            )));
        };
        if text_bytes(&call.args) > MAX_BYTES {
            return Err(Malformed("the call is larger than 16 MiB".into()));
        }
        name("the tool's name", &call.tool)?;
        name("the agent's name", &call.agent.name)?;
        for parent in &call.agent.parents {
            name("the name of a parent agent", parent)?;
        }
        folder("cwd", &call.cwd)?;
        folder("workspace", &call.workspace)?;
        let row = tool::find(&call.tool);
        let kind = row.map_or(Kind::Custom, |tool| tool.kind);
        if let Some(row) = row {
            check_arguments(row, &call.args)?;
        }
        let digest = digest(&call, kind);
        Ok(Operation { call, kind, digest })
    }

    /// The call that it was made of.
    pub fn call(&self) -> Call {
        self.call.clone()
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.call.id
    }

    /// The tool's name as it was called.
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// The kind, from the registry.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The arguments.
    pub fn args(&self) -> &Node {
        &self.call.args
    }

    /// The folder it runs in: the `cwd` argument where the tool has one, else the caller's.
    pub fn cwd(&self) -> String {
        match self.text(Role::Cwd) {
            Some(folder) => crate::paths::join(&self.call.cwd, folder),
            None => self.call.cwd.clone(),
        }
    }

    /// The workspace.
    pub fn workspace(&self) -> &str {
        &self.call.workspace
    }

    /// Who calls.
    pub fn agent(&self) -> &Agent {
        &self.call.agent
    }

    /// The session.
    pub fn session(&self) -> &str {
        &self.call.session
    }

    /// The batch it came in.
    pub fn batch(&self) -> Option<&str> {
        self.call.batch.as_deref()
    }

    /// The calls of its batch that it is one question with.
    pub fn group(&self) -> Option<&str> {
        self.call.group.as_deref()
    }

    /// What the tool says of its own call.
    pub fn says(&self) -> &ToolSays {
        &self.call.says
    }

    /// What the tool says of its own call in words of its own; none where they were made from its arguments.
    pub fn words_of_tool(&self) -> Option<&str> {
        match &self.call.says {
            ToolSays::NeedsApproval { description, .. } => {
                Some(description.as_str()).filter(|words| {
                    *words != crate::call::tool_says::describe(&self.call.tool, &self.call.args)
                })
            }
            _ => None,
        }
    }

    /// What the door knows of an MCP tool.
    pub fn mcp(&self) -> Option<&McpIdentity> {
        self.call.mcp.as_ref()
    }

    /// What the host gave along; it means nothing here.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.call.metadata
    }

    /// The digest of tool, arguments, folder, workspace and environment.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The argument with a role.
    pub fn argument(&self, role: Role) -> Option<&Node> {
        let row = self.kind.tool()?;
        row.arguments
            .iter()
            .filter(|argument| argument.role == role)
            .find_map(|argument| {
                argument
                    .names
                    .iter()
                    .find_map(|name| self.call.args.get(name))
            })
    }

    /// The text of the argument with a role.
    pub fn text(&self, role: Role) -> Option<&str> {
        self.argument(role)?.as_text()
    }

    /// The command text of a terminal call.
    pub fn command(&self) -> Option<&str> {
        self.text(Role::Command)
    }

    /// Arguments that the registry does not know for this tool; they may mean anything.
    pub fn unknown_arguments(&self) -> impl Iterator<Item = &str> {
        let row = self.kind.tool();
        self.call
            .args
            .entries()
            .iter()
            .map(|entry| entry.key.as_str())
            .filter(move |key| {
                row.is_some_and(|row| {
                    !row.arguments
                        .iter()
                        .any(|argument| argument.names.contains(key))
                })
            })
    }

    /// The environment variables the call sets.
    pub fn environment(&self) -> Vec<(String, String)> {
        let text = |node: &Node| match &node.value {
            Value::Number(text) => text.clone(),
            Value::Bool(value) => value.to_string(),
            _ => node.as_text().unwrap_or_default().to_owned(),
        };
        self.argument(Role::Environment).map_or(Vec::new(), |node| {
            node.entries()
                .iter()
                .map(|entry| (entry.key.clone(), text(&entry.node)))
                .collect()
        })
    }

    /// Lines added plus lines removed, where the call alone tells; `replaces_file` says that a file may stand there already.
    pub fn changed_lines(&self, replaces_file: bool) -> Option<u64> {
        let lines = |role| Some(self.text(role)?.lines().count() as u64);
        let everywhere = ["replace_all", "replaceAll", "all", "expected_replacements"]
            .iter()
            .any(|key| self.call.args.get(key).is_some());
        match self.kind {
            // How often a text is replaced everywhere shows only in the file.
            Kind::FileEdit if everywhere => None,
            Kind::FileEdit => Some(lines(Role::Find)? + lines(Role::Replace)?),
            Kind::FileAppend | Kind::FileInsertAfter | Kind::FileInsertBefore => {
                lines(Role::Content)
            }
            Kind::FileWrite | Kind::FileCreate | Kind::FileCreateOverwrite if !replaces_file => {
                lines(Role::Content)
            }
            _ => None,
        }
    }
}

/// Whether a system can have a folder of this name: no name in it is longer than 255 bytes, and all of it no longer than 4095.
pub fn is_possible_folder(path: &str) -> bool {
    path.len() <= MAX_FOLDER && path.split('/').all(|name| name.len() <= MAX_FILE_NAME)
}

fn digest(call: &Call, kind: Kind) -> Digest {
    let mut encoder = Encoder::new("operation");
    // A known tool counts by its kind, so that `bash` and `terminal` are the same call; an unknown one by its name.
    encoder.text(kind.word());
    if kind == Kind::Custom {
        encoder.text(&call.tool);
    }
    encoder.text(&call.cwd);
    encoder.text(&call.workspace);
    match &call.args.value {
        Value::Map(entries) => {
            // Arguments count by their meaning where the registry knows it, so that two names of one argument do not make two operations.
            encoder.map(
                entries
                    .iter()
                    .map(|entry| (canonical_name(kind, &entry.key), &entry.node)),
            );
        }
        _ => encoder.node(&call.args),
    }
    if let Some(identity) = &call.mcp {
        encoder.text(
            &identity
                .schema
                .map(|digest| digest.to_string())
                .unwrap_or_default(),
        );
    }
    encoder.finish()
}

fn canonical_name(kind: Kind, key: &str) -> &str {
    let argument = kind.tool().and_then(|row| {
        row.arguments
            .iter()
            .find(|argument| argument.names.contains(&key))
    });
    // Names of these are alike for the judge and not for the tool: a time in seconds or milliseconds, a line by its number or by its text.
    let inserts = matches!(kind, Kind::FileInsertAfter | Kind::FileInsertBefore);
    let alike_only_here =
        |role: Role| matches!(role, Role::Data | Role::TimeLimit) || role == Role::Find && inserts;
    let argument = argument.filter(|argument| !alike_only_here(argument.role));
    argument
        .and_then(|argument| argument.names.first())
        .copied()
        .unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn freeze(tool: &str, args: &[(&str, Node)]) -> Result<Operation, Malformed> {
        Operation::freeze(Call::new(
            tool,
            Node::map(args.iter().map(|(key, node)| (*key, node.clone()))),
            "/ws",
        ))
    }

    #[test]
    fn h_41_a_blank_command_is_refused_cleanly() {
        for text in ["", "   ", "\n", "\t \n"] {
            assert_eq!(
                freeze("bash", &[("command", Node::text(text))]).unwrap_err(),
                Malformed("the command is blank".into())
            );
        }
    }

    #[test]
    fn h_02_a_name_in_the_arguments_does_not_change_the_kind() {
        let operation = freeze(
            "terminal",
            &[
                ("command", Node::text("rm -rf /")),
                ("name", Node::text("glob")),
            ],
        )
        .unwrap();
        assert_eq!(operation.kind(), Kind::Terminal);
        assert_eq!(operation.unknown_arguments().collect::<Vec<_>>(), ["name"]);
    }

    #[test]
    fn malformed_calls_are_named() {
        let number: Node = Value::Number("1".into()).into();
        for (tool, args) in [
            ("bash", vec![]),
            ("bash", vec![("command", number.clone())]),
            ("bash", vec![("command", Node::text("a\0b"))]),
            (
                "bash",
                vec![("command", Node::text("a")), ("cmd", Node::text("b"))],
            ),
            ("file_read", vec![("path", number.clone())]),
            ("file_read", vec![("path", Node::text("a\0"))]),
            ("file_edit", vec![("path", Node::text("a"))]),
            (
                "delegate",
                vec![("agent", Node::text("a")), ("attachments", Node::text("b"))],
            ),
            ("x\u{1b}[2K", vec![]),
        ] {
            assert!(freeze(tool, &args).is_err(), "{tool} {args:?}");
        }
        assert!(Operation::freeze(Call::new("bash", Value::List(vec![]).into(), "/ws")).is_err());
        assert!(Operation::freeze(Call::new("list", Value::Null.into(), "relative")).is_err());
    }

    #[test]
    fn what_is_nested_deeper_than_the_stack_is_refused() {
        let nested = |depth: usize| {
            (0..depth).fold(Node::text("x"), |node, _| Value::List(vec![node]).into())
        };
        assert!(
            Operation::freeze(Call::new(
                "my_tool",
                Node::map([("x", nested(MAX_DEPTH - 1))]),
                "/ws"
            ))
            .is_ok()
        );
        assert!(
            Operation::freeze(Call::new(
                "my_tool",
                Node::map([("x", nested(MAX_DEPTH))]),
                "/ws"
            ))
            .is_err()
        );
        let maps = (0..300_000).fold(Node::text("x"), |node, _| Node::map([("k", node)]));
        assert!(Operation::freeze(Call::new("my_tool", maps, "/ws")).is_err());
        let says = ToolSays::NeedsApproval {
            payload: nested(300_000),
            description: String::new(),
        };
        assert!(
            Operation::freeze(Call {
                says,
                ..Call::new("my_tool", Node::map::<String>([]), "/ws")
            })
            .is_err()
        );
    }

    #[test]
    fn h_33_the_digest_tells_types_apart_and_not_names_of_one_thing() {
        let yes: Node = Value::Bool(true).into();
        let one: Node = Value::Number("1".into()).into();
        let forced = |node: &Node| {
            freeze("deploy", &[("force", node.clone())])
                .unwrap()
                .digest()
        };
        assert_ne!(forced(&yes), forced(&one));
        assert_ne!(forced(&one), forced(&Node::text("1")));
        let alias = freeze(
            "write_file",
            &[("file", Node::text("a")), ("text", Node::text("b"))],
        )
        .unwrap();
        let ours = freeze(
            "file_write",
            &[("content", Node::text("b")), ("path", Node::text("a"))],
        )
        .unwrap();
        assert_eq!(alias.digest(), ours.digest());
        let elsewhere = Operation::freeze(Call {
            cwd: "/ws/x".into(),
            ..Call::command("ls", "/ws")
        })
        .unwrap();
        assert_ne!(
            elsewhere.digest(),
            Operation::freeze(Call::command("ls", "/ws"))
                .unwrap()
                .digest()
        );
    }
}
