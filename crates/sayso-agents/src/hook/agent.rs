//! What every hook of an agent has in common: one JSON document in, what happened as an event, and an answer that no agent takes for a yes by
//! mistake.

use std::io::Write as _;
use std::process::ExitCode;

use rustix::fs::{FileType, major, minor};
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::call::operation::{Agent as Caller, Call};
use sayso_core::call::tool::{self, Role};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};

use super::error::{AskError, PayloadError};

/// The longest document that is read.
pub const LONGEST: usize = 16 << 20;
/// The status that every agent takes for a denial, if words stand on the error stream.
pub const REFUSED: u8 = 2;

/// `/dev/null` on Linux.
const NULL_DEVICE: (u32, u32) = (1, 3);

const LIMITS: Limits = Limits {
    bytes: LONGEST,
    depth: 128,
    nodes: 1_000_000,
};

/// What an agent tells its hook.
#[derive(Clone, Debug)]
pub enum Event {
    /// A tool is about to be called.
    Before(Wanted),
    /// The agent is about to ask the person by itself.
    Permission(Wanted),
    /// A tool was called.
    After {
        /// Which call.
        wanted: Wanted,
        /// Whether it did its work.
        succeeded: bool,
        /// How long it took, in milliseconds, where the agent says so.
        milliseconds: u64,
    },
    /// A session begins.
    Started(Session),
    /// The agent has come to an end of what it did, or the person says something new: none of its own dialogs is open any more.
    Idle(Session),
    /// A session is over.
    Ended(Session),
    /// Something that sayso has nothing to say to.
    Other,
}

/// When in the life of a call or a session an agent starts its hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A tool is about to be called.
    Before,
    /// The agent is about to ask the person by itself.
    Permission,
    /// A tool was called, and did its work.
    After,
    /// A tool was called, and did not do its work.
    Failed,
    /// A session begins.
    Started,
    /// None of the agent's dialogs is open any more.
    Idle,
    /// A session is over.
    Ended,
    /// Something that nothing depends on.
    Other,
}

/// A session of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub id: String,
    /// The folder it works in.
    pub workspace: String,
}

/// A call of a tool as the agent means it.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What it comes to: most tools make one call, a patch one for each file.
    pub calls: Vec<Call>,
    /// The arguments as the agent wrote them, for an answer that changes some.
    pub input: Node,
    /// The agent's own business, such as its list of things to do: it touches nothing, and sayso never answers for the person there.
    pub is_inner: bool,
    /// What the same call is known by when it has run, of an agent that gives its calls no ids.
    pub key: Option<String>,
    /// Why a question that the agent asks may not come to the person, by the mode that it works in.
    pub ask_is_lost: Option<AskError>,
}

/// What the agent is answered.
#[derive(Clone, Debug)]
pub enum Reply {
    /// It may run, and who decided that.
    Allow(DecidedBy),
    /// It may run with these arguments instead, and who decided that.
    AllowAs(DecidedBy, Node),
    /// It must not run, and why.
    Deny(String),
    /// The agent asks the person, and shows why.
    Ask(String),
    /// The same, and it may run with these arguments instead, which the person is shown.
    AskAs(String, Node),
    /// The run ends here; gone on with later, it asks its hook about this call again. Why, and what to do meanwhile.
    Defer(String),
    /// Nothing: the agent does what it does without a hook.
    Nothing,
}

/// What the process of the hook leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// On its output.
    pub out: String,
    /// On its error stream.
    pub error: String,
    /// Its status.
    pub code: u8,
}

impl Said {
    /// Nothing.
    pub fn nothing() -> Said {
        Said {
            out: String::new(),
            error: String::new(),
            code: 0,
        }
    }

    /// One JSON document.
    pub fn json(node: &Node) -> Said {
        Said {
            out: format!("{}\n", json::write_plain(node)),
            ..Said::nothing()
        }
    }

    /// A denial that every agent understands, whatever the event was: words on the error stream and a status.
    pub fn refused(why: &str) -> Said {
        Said {
            out: String::new(),
            error: format!("{}\n", reason(why)),
            code: REFUSED,
        }
    }

    /// Writes the answer. One that cannot be read is a denial.
    pub fn say(&self) -> ExitCode {
        let (code, words) = match write_out(self.out.as_bytes()) {
            Ok(()) => (self.code, self.error.clone()),
            Err(why) => (
                REFUSED,
                format!("sayso: the answer could not be written: {why}\n"),
            ),
        };
        // The status says it as well.
        let _ = std::io::stderr().lock().write_all(words.as_bytes());
        ExitCode::from(code)
    }
}

/// Writes to the output itself: the library takes a closed one for `/dev/null`, and an error of it for success.
fn write_out(bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let out = std::io::stdout();
    let found = rustix::fs::fstat(&out)?;
    // Where it was closed at the start, the library has opened this one in its place.
    if FileType::from_raw_mode(found.st_mode) == FileType::CharacterDevice
        && (major(found.st_rdev), minor(found.st_rdev)) == NULL_DEVICE
    {
        return Err(std::io::Error::other(
            "standard output is closed, or /dev/null",
        ));
    }
    let mut left = bytes;
    while !left.is_empty() {
        match rustix::io::retry_on_intr(|| rustix::io::write(&out, left))? {
            0 => return Err(std::io::ErrorKind::WriteZero.into()),
            written => left = left.get(written..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// An agent whose hooks sayso answers.
pub trait Agent: Sync {
    /// The name on the command line and in the record.
    fn name(&self) -> &'static str;

    /// What people call it.
    fn title(&self) -> &'static str;

    /// When it started the hook, as far as the document says so: a document that cannot be read is answered in the form of its event.
    fn moment(&self, document: &Node) -> Option<Moment> {
        match document.get("hook_event_name").and_then(Node::as_text)? {
            "PreToolUse" => Some(Moment::Before),
            "PermissionRequest" => Some(Moment::Permission),
            "PostToolUse" => Some(Moment::After),
            "PostToolUseFailure" => Some(Moment::Failed),
            _ => None,
        }
    }

    /// Whether a hook can put other arguments in place of those of a call before it runs.
    fn changes_arguments(&self) -> bool {
        true
    }

    /// What the process of the hook knows besides the document.
    fn around(&self) -> Around {
        Around::from_environment()
    }

    /// What the document says.
    ///
    /// # Errors
    /// What is wrong with it; that is a denial.
    fn read(&self, document: &Node, around: &Around) -> Result<Event, PayloadError>;

    /// An answer to a call before it runs.
    fn before(&self, reply: &Reply) -> Said;

    /// An answer in place of the person, where the agent would ask.
    fn permission(&self, reply: &Reply) -> Said;

    /// Whether the agent can be told to ask the person about a call, or why not.
    ///
    /// # Errors
    /// Why not, and what to do.
    fn can_ask(&self, around: &Around) -> Result<(), AskError>;

    /// Whether a run that nobody watches can be ended at a call, and gone on with later.
    fn can_defer(&self, around: &Around) -> bool;

    /// What to do about a run that was ended so.
    fn how_to_go_on(&self) -> &'static str {
        ""
    }

    /// Whether its dialog shows, and its yes runs, the arguments that a hook put in place of others.
    fn asks_about_what_runs(&self) -> bool;

    /// Whether it has rules of its own that forbid commands or ask about them. They are not looked at for a command that sayso runs.
    fn has_rules_for_commands(&self, around: &Around, workspace: &str) -> bool;

    /// Whether an allowed call answers the agent's own question, too.
    fn answers_questions(&self) -> bool;

    /// Whether the folder in a document is that of the call, which the model chooses; the workspace is then known from elsewhere.
    fn folder_is_of_the_call(&self) -> bool;

    /// The workspace of a session by what the agent itself keeps of it, for a session whose start nobody saw.
    fn workspace_by_itself(&self, document: &Node) -> Option<String>;
}

/// What the process of the hook knows besides the document.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Where the agent was started, whatever folder it works in by now, if it says so by a variable.
    pub project: Option<String>,
    /// `0` where nobody sits in front of it, if it says so by a variable.
    pub attended: Option<String>,
    /// The folders where the agent keeps what it is told, if its rules count.
    pub settings_folders: Vec<String>,
    /// The folder that the hook was started in, for agents that start it in their workspace and do not name it.
    pub folder: Option<String>,
}

impl Around {
    /// What holds for every agent.
    pub fn from_environment() -> Around {
        Around {
            folder: std::env::current_dir()
                .ok()
                .and_then(|folder| folder.to_str().map(str::to_owned)),
            ..Around::default()
        }
    }
}

/// A variable of the environment that is not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The one document of the input. Whatever another reader might read differently is refused.
///
/// # Errors
/// What is wrong with it.
pub fn document(bytes: &[u8]) -> Result<Node, PayloadError> {
    if bytes.len() > LONGEST {
        return Err(PayloadError::TooLong);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to() + 1;
        PayloadError::NotUtf8(at)
    })?;
    if text.trim().is_empty() {
        return Err(PayloadError::Empty);
    }
    let node = json::read(text, &LIMITS).map_err(PayloadError::NotJson)?;
    match node.value {
        Value::Map(_) => Ok(node),
        _ => Err(PayloadError::NoDocument(node.kind_word())),
    }
}

/// The text under a key.
///
/// # Errors
/// When it is missing or no text.
pub fn text<'a>(node: &'a Node, key: &str) -> Result<&'a str, PayloadError> {
    let value = node.get(key).ok_or_else(|| PayloadError::missing(key))?;
    value.as_text().ok_or_else(|| PayloadError::NotText {
        key: key.to_owned(),
        found: value.kind_word(),
    })
}

/// The text under a key that may be missing.
///
/// # Errors
/// When it is no text.
pub fn maybe<'a>(node: &'a Node, key: &str) -> Result<Option<&'a str>, PayloadError> {
    match node.get(key).map(|node| &node.value) {
        None | Some(Value::Null) => Ok(None),
        _ => text(node, key).map(Some),
    }
}

/// A call of a tool, as far as every agent says it in the same way.
pub struct Named<'a> {
    /// The tool, by the agent's own name.
    pub tool: &'a str,
    /// The arguments.
    pub input: &'a Node,
    id: &'a str,
    caller: Caller,
    session: &'a str,
}

impl<'a> Named<'a> {
    /// What a document of this agent says.
    ///
    /// # Errors
    /// What is missing or of another kind.
    pub fn read(
        document: &'a Node,
        agent: &str,
        session: &'a Session,
    ) -> Result<Named<'a>, PayloadError> {
        let input = document
            .get("tool_input")
            .ok_or_else(|| PayloadError::missing("tool_input"))?;
        let Value::Map(_) = input.value else {
            return Err(PayloadError::NotObject {
                key: "tool_input".to_owned(),
                found: input.kind_word(),
            });
        };
        let caller = match (maybe(document, "agent_id")?, maybe(document, "agent_type")?) {
            (None, None) => Caller {
                name: agent.to_owned(),
                parents: Vec::new(),
            },
            // What a sub-agent is called, it was called by the agent; its rights are never more than those of the agent itself.
            (_, kind) => Caller {
                name: kind.unwrap_or("sub-agent").to_owned(),
                parents: vec![agent.to_owned()],
            },
        };
        let id = maybe(document, "tool_use_id")?.unwrap_or_default();
        Ok(Named {
            tool: text(document, "tool_name")?,
            input,
            id,
            caller,
            session: &session.id,
        })
    }

    /// A call of a tool of our registry that comes to the same, in a folder.
    pub fn call(&self, tool: &str, args: Node, workspace: &str) -> Call {
        Call {
            id: self.id.to_owned(),
            agent: self.caller.clone(),
            session: self.session.to_owned(),
            ..Call::new(tool, args, workspace)
        }
    }
}

/// Tool and arguments of a call that is none of the agent's own: one of a server, or one that nobody knows.
pub fn foreign(
    agent: &str,
    name: &str,
    server: Option<(&str, &str)>,
    input: &Node,
) -> (String, Node) {
    match server {
        Some((server, tool)) => (
            "mcp".to_owned(),
            Node::map([
                ("server", Node::text(server)),
                ("tool", Node::text(tool)),
                ("arguments", input.clone()),
            ]),
        ),
        // It has a name that means something elsewhere; here it may be anything.
        None if tool::find(name).is_some() => (format!("{agent}:{name}"), input.clone()),
        None => (name.to_owned(), input.clone()),
    }
}

/// Several calls of one id are told apart by a number.
pub fn numbered(mut calls: Vec<Call>) -> Vec<Call> {
    for (index, call) in calls
        .iter_mut()
        .enumerate()
        .skip(1)
        .filter(|(_, call)| !call.id.is_empty())
    {
        call.id = format!("{}.{}", call.id, index + 1);
    }
    calls
}

/// An answer in place of the person, as agents take it: `allow`, perhaps with other arguments, or `deny` with a reason.
pub fn decision(reply: &Reply, takes_arguments: bool) -> Said {
    let answer = |decision: Vec<(&str, Node)>| {
        let fields = [
            ("hookEventName", Node::text("PermissionRequest")),
            ("decision", Node::map(decision)),
        ];
        Said::json(&Node::map([("hookSpecificOutput", Node::map(fields))]))
    };
    match reply {
        Reply::Allow(_) => answer(vec![("behavior", Node::text("allow"))]),
        Reply::AllowAs(_, input) if takes_arguments => answer(vec![
            ("behavior", Node::text("allow")),
            ("updatedInput", input.clone()),
        ]),
        Reply::Deny(why) => answer(vec![
            ("behavior", Node::text("deny")),
            ("message", Node::text(reason(why))),
        ]),
        Reply::AllowAs(..)
        | Reply::Ask(_)
        | Reply::AskAs(..)
        | Reply::Defer(_)
        | Reply::Nothing => Said::nothing(),
    }
}

/// Why a call may run, for the person: who decided it.
pub fn allowed_by(by: &DecidedBy) -> String {
    format!("allowed by {}", by.words())
}

/// The same for a command that sayso runs.
pub fn run_by_sayso(by: &DecidedBy) -> String {
    format!("{}, and run by sayso", allowed_by(by))
}

/// A reason that is never empty, on lines that hold nothing hidden.
pub fn reason(why: &str) -> String {
    // What was spelled out already is not spelled out again.
    let hidden = why
        .chars()
        .any(|sign| sign != '\n' && sayso_core::text::visible::is_hidden(sign));
    let shown = if hidden {
        sayso_core::text::visible::visible_block(why)
    } else {
        why.to_owned()
    };
    let shown = shown.trim();
    if shown.is_empty() {
        "sayso: denied".to_owned()
    } else {
        format!("sayso: {shown}")
    }
}

/// A name for a message.
pub fn shown(text: &str) -> String {
    visible(text).into_owned()
}

/// An object with one of its values replaced.
pub fn with(node: &Node, key: &str, value: Node) -> Node {
    let mut entries: Vec<(String, Node)> = node
        .entries()
        .iter()
        .map(|entry| (entry.key.clone(), entry.node.clone()))
        .collect();
    match entries.iter_mut().find(|(name, _)| name == key) {
        Some(entry) => entry.1 = value,
        None => entries.push((key.to_owned(), value)),
    }
    Node::map(entries)
}

/// The arguments of a tool by the names that the agent has for them. A name that means something to us only is one that the agent may well
/// leave aside, so what it says must not be relied on: a folder for a command, say, that the agent runs in another one.
pub fn own_names(agent: &str, tool: &str, input: &Node, names: &[&str]) -> Node {
    let known = tool::find(tool).map_or(&[][..], |tool| tool.arguments);
    let means = |key: &str| {
        known
            .iter()
            .any(|argument| argument.role != Role::Data && argument.names.contains(&key))
    };
    let name = |key: &str| {
        if means(key) && !names.contains(&key) {
            format!("{agent}:{key}")
        } else {
            key.to_owned()
        }
    };
    Node::map(
        input
            .entries()
            .iter()
            .map(|entry| (name(&entry.key), entry.node.clone())),
    )
}

/// An object without some of its keys.
pub fn without(node: &Node, keys: &[&str]) -> Node {
    let kept = node
        .entries()
        .iter()
        .filter(|entry| !keys.contains(&entry.key.as_str()));
    Node::map(kept.map(|entry| (entry.key.clone(), entry.node.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_only_we_know_means_nothing() {
        let input = Node::map(
            ["command", "cwd", "env", "timeout_ms", "description", "odd"]
                .map(|key| (key, Node::text("x"))),
        );
        let keys: Vec<String> = own_names("a", "Bash", &input, &["command"])
            .entries()
            .iter()
            .map(|entry| entry.key.clone())
            .collect();
        assert_eq!(
            keys,
            [
                "command",
                "a:cwd",
                "a:env",
                "a:timeout_ms",
                "description",
                "odd"
            ]
        );
    }

    #[test]
    fn one_sound_document_is_read_and_nothing_else() {
        assert!(document(br#" {"a": 1} "#).is_ok());
        let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
        let deep = format!("{{\"a\":{deep}}}");
        let bad: &[&[u8]] = &[
            b"",
            b" \n",
            b"\xef\xbb\xbf{}",
            b"{\"a\": \"\xff\"}",
            b"{\"a\": 1, \"a\": 2}",
            b"{\"a\": {\"b\": 1, \"b\": 2}}",
            b"{} {}",
            b"{}x",
            b"{\"a\": 1",
            b"[]",
            b"\"text\"",
            b"null",
            b"{'a': 1}",
            b"{\"a\": 01}",
            b"{\"a\": NaN}",
            deep.as_bytes(),
        ];
        for bytes in bad {
            assert!(
                document(bytes).is_err(),
                "{:?}",
                String::from_utf8_lossy(bytes)
            );
        }
    }

    #[test]
    fn a_reason_hides_nothing_and_spells_nothing_twice() {
        assert_eq!(reason("a\u{202e}b\r"), "sayso: a‹U+202E›b␍");
        assert_eq!(
            reason(&visible("a\u{202e}b‹\n")),
            format!("sayso: {}", visible("a\u{202e}b‹\n"))
        );
    }

    #[test]
    fn a_reason_is_never_empty() {
        for why in ["", " ", "\n\n"] {
            assert_eq!(reason(why), "sayso: denied");
            assert!(!Said::refused(why).error.trim().is_empty());
        }
    }
}
