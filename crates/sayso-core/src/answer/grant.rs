//! A remembered answer: what it covers, for how long, and up to which risk.

use std::sync::Arc;

use crate::analysis::draft::Reading;
use crate::analysis::effect::EffectKind;
use crate::analysis::fact::Ignored;
use crate::analysis::risk::Risk;
use crate::answer::learned_rule::LearnedRule;
use crate::call::operation::{Operation, ToolSays};
use crate::call::tool::{Kind, Role};
use crate::packed::packed;
use crate::paths::{below, secret};
use crate::text::digest::Digest;

/// A remembered answer. Grants are made of literals; a name with `*` in it is just a name (H-34).
#[derive(Clone, Debug)]
pub struct Grant {
    /// Its id in the store.
    pub id: String,
    /// What it covers.
    pub key: GrantKey,
    /// How far it reaches.
    pub reach: Reach,
    /// The agent it was given to with all that started it ([`Agent::line`](crate::call::operation::Agent::line)); no other has it.
    pub agent: String,
    /// When it ends, in seconds since 1970.
    pub expires: Option<i64>,
    /// How many more times it may be used.
    pub uses_left: Option<u64>,
    /// The risk that was shown when it was given; it never covers a higher one.
    pub risk: Risk,
    /// The digest of the scripts that were shown, for what runs files by their name; another content is another question.
    pub seal: Option<Digest>,
}

/// What a grant covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantKey {
    /// Exactly this operation: tool, arguments with their content, folder and workspace.
    Exact(Digest),
    /// Calls that the tool itself takes for the same, by its own payload.
    Payload {
        /// The tool.
        tool: String,
        /// The digest of the payload.
        payload: Digest,
    },
    /// A single simple command that starts with these words, in this folder: "this cmd".
    Command {
        /// Program and subcommand.
        words: Vec<String>,
        /// The folder it runs in.
        folder: String,
    },
    /// What a rule of the person covers: a pattern of commands, files or addresses, or a tool.
    Rule(Arc<LearnedRule>),
    /// Reads of this workspace that are neither secret nor ignored by git: "all reads".
    Reads(String),
    /// Writes of this one file by this kind of tool, with any content.
    AnyContent {
        /// The tool's kind.
        kind: Kind,
        /// The canonical path.
        path: String,
    },
    /// One tool of one MCP server, as long as its schema stays the same.
    McpTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What was pinned when the grant was given.
        schema: Option<Digest>,
    },
    /// Everything else in the batch.
    RestOfBatch,
    /// Writes and edits of files in this workspace by file tools: "all edits". Deletes, moves and protected files are none.
    Edits(String),
}

/// How far a grant reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only the operation with this id; it is never kept.
    Once(String),
    /// The rest of this batch.
    Batch(String),
    /// This session.
    Session(String),
    /// This workspace.
    Project(String),
    /// Everywhere.
    Always,
}

packed! { struct Grant { id, key, reach, agent, expires, uses_left, risk, seal } }
packed! { enum Reach { Once(id), Batch(batch), Session(session), Project(workspace), Always } }
packed! {
    enum GrantKey {
        Exact(digest), Payload { tool, payload }, Command { words, folder }, Rule(rule), Reads(workspace),
        AnyContent { kind, path }, McpTool { server, tool, schema }, RestOfBatch, Edits(workspace),
    }
}

impl Grant {
    /// Whether the grant covers an operation. Must-asks and ask rules are not its business: they are judged before.
    pub fn covers(&self, operation: &Operation, reading: &Reading, risk: Risk, now: i64) -> bool {
        self.agent == operation.agent().line()
            && self.expires.is_none_or(|end| now < end)
            && self.uses_left != Some(0)
            && risk <= self.risk
            && self.reaches(operation)
            && self.is_about(operation, reading)
    }

    fn reaches(&self, operation: &Operation) -> bool {
        match &self.reach {
            Reach::Once(id) => !id.is_empty() && id == operation.id(),
            Reach::Batch(batch) => operation.batch() == Some(batch),
            Reach::Session(session) => !session.is_empty() && session == operation.session(),
            Reach::Project(workspace) => workspace == operation.workspace(),
            Reach::Always => true,
        }
    }

    fn is_about(&self, operation: &Operation, reading: &Reading) -> bool {
        match &self.key {
            GrantKey::Exact(digest) => *digest == operation.digest(),
            GrantKey::Payload { tool, payload } => match operation.says() {
                ToolSays::NeedsApproval { payload: given, .. } => {
                    tool == operation.tool() && *payload == Digest::of_node(given)
                }
                _ => false,
            },
            GrantKey::Command { words, folder } => {
                operation.kind() == Kind::Terminal
                    && *folder == operation.cwd()
                    && is_this_command(words, reading)
            }
            GrantKey::Rule(rule) => rule.covers(operation, reading),
            GrantKey::Reads(workspace) => {
                workspace == operation.workspace() && is_ordinary_read(operation, reading)
            }
            GrantKey::AnyContent { kind, path } => {
                operation.kind() == *kind
                    && matches!(reading.effects.as_slice(), [one] if one.place().and_then(|place| place.fact.as_ref()).is_some_and(|fact| fact.canonical == *path))
            }
            GrantKey::McpTool {
                server,
                tool,
                schema,
            } => {
                operation.kind() == Kind::Mcp
                    && operation.text(Role::Server) == Some(server)
                    && operation.text(Role::ServerTool) == Some(tool)
                    && operation.mcp().is_none_or(|identity| !identity.changed)
                    && operation.mcp().and_then(|identity| identity.schema) == *schema
            }
            GrantKey::RestOfBatch => matches!(self.reach, Reach::Batch(_)),
            GrantKey::Edits(workspace) => {
                workspace == operation.workspace() && is_edit_inside(operation, reading)
            }
        }
    }
}

/// A grant for "this cmd" is for one plain command: no second part, wrapper, assignment or redirect, and nothing that runs its arguments.
fn is_this_command(words: &[String], reading: &Reading) -> bool {
    let [command] = reading.commands.as_slice() else {
        return false;
    };
    reading.opaque.is_none()
        && command.literal
        && !command.interprets
        && command.wrappers.is_empty()
        && command.assignments.is_empty()
        && !words.is_empty()
        && command.words.get(..words.len()) == Some(words)
        && command.leads.iter().all(|lead| lead.word < words.len())
        && reading.effects.iter().all(|effect| {
            // What other arguments of the call do has no part, and was not in the words that were shown.
            effect.part == Some(0)
                && !effect.manner.redirect
                && effect.kind != EffectKind::Environment
        })
}

/// Whether a file tool writes the text of files in the workspace, and does nothing else (D-14).
pub fn is_edit_inside(operation: &Operation, reading: &Reading) -> bool {
    use Kind::{FileAppend, FileCreate, FileEdit, FileInsertAfter, FileInsertBefore, FileWrite};
    matches!(
        operation.kind(),
        FileWrite | FileEdit | FileCreate | FileAppend | FileInsertAfter | FileInsertBefore
    ) && reading.opaque.is_none()
        && !reading.effects.is_empty()
        && reading.effects.iter().all(|effect| {
            effect.kind == EffectKind::Write
                && effect.manner.file_tool
                && effect
                    .place()
                    .and_then(|place| place.fact.as_ref())
                    .is_some_and(|fact| below(&fact.canonical, &reading.surroundings.workspace))
        })
}

fn is_ordinary_read(operation: &Operation, reading: &Reading) -> bool {
    let surroundings = &reading.surroundings;
    matches!(
        operation.kind(),
        Kind::FileRead | Kind::FileGrep | Kind::Glob | Kind::List
    ) && !reading.effects.is_empty()
        && reading.effects.iter().all(|effect| {
            effect.kind == EffectKind::Read
                && effect
                    .place()
                    .and_then(|place| place.fact.as_ref())
                    .is_some_and(|fact| {
                        below(&fact.canonical, &surroundings.workspace)
                        && secret(&fact.canonical, surroundings.home.as_deref()).is_none()
                        // Outside of a repository nothing says which files are private (H-28).
                        && fact.ignored == Ignored::No
                    })
        })
}
