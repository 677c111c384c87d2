//! An agent's hook described as data: under which keys its documents say what, what its tools and their arguments are called, and in which
//! form it is answered. An agent whose hook is like that of others is a table and a few words.

use sayso_core::call::operation::{Agent as Caller, Call, ToolSays};
use sayso_core::call::tool::{self, Kind};
use sayso_core::paths::join;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

use crate::hook::agent::{
    Agent, Around, Event, Moment, Reply, Said, Session, Wanted, allowed_by,
    document as read_document, foreign, maybe, numbered, reason, text, with, without,
};
use crate::hook::error::{AskError, PayloadError};
use sayso_runtime::mcp_servers::name::split_mcp;

/// The server and the tool of a call of an MCP tool; none where it is no such call, or can be read in two ways.
pub type Server = Option<(String, String)>;

/// How an agent's hook speaks.
pub struct Dialect {
    /// The name on the command line and in the record.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The name of the event that a document is about.
    pub event: fn(&Node) -> Result<&str, PayloadError>,
    /// The events it has.
    pub events: &'static [(&'static str, Moment)],
    /// Under which keys its documents say what.
    pub keys: Keys,
    /// Its own tools that our registry has, too.
    pub tools: &'static [Own],
    /// Its tools that are its own business.
    pub inner: &'static [&'static str],
    /// Calls that no table can describe: tools that do several things at once.
    pub several: fn(&str, &Node) -> Parts,
    /// The tool and its arguments, where a document says them in a way of its own; none where the keys say it.
    pub call: fn(&Node) -> Called,
    /// Which MCP tool a call is about, by the document and the name of the tool.
    pub server: fn(&Node, &str) -> Result<Server, PayloadError>,
    /// An answer to a call before it runs.
    pub before: fn(&Reply) -> Said,
    /// An answer in place of the person.
    pub permission: fn(&Reply) -> Said,
    /// Whether a hook can put other arguments in place of those of a call.
    pub changes_arguments: bool,
    /// Whether its tools are those of our registry, by our names.
    pub has_our_tools: bool,
}

/// What a tool that does several things does, or what of it cannot be read; none for any other tool.
pub type Parts = Result<Option<Vec<Part>>, PayloadError>;

/// A tool and its arguments, or what of them cannot be read; none where the keys say it.
pub type Called = Result<Option<(String, Node)>, PayloadError>;

/// A call of a tool of our registry.
pub type Part = (&'static str, Node);

/// Under which keys a document says what.
pub struct Keys {
    /// The session.
    pub session: &'static str,
    /// The folder that the agent works in.
    pub folder: for<'a> fn(&'a Node, &'a Around) -> Result<&'a str, PayloadError>,
    /// The tool.
    pub tool: &'static str,
    /// Its arguments.
    pub input: &'static str,
    /// The id of the call; an agent without one gives its calls none.
    pub id: Option<&'static str>,
    /// The arguments may be a text that has an object in it.
    pub text_input: bool,
}

/// The keys of Claude Code, which many have taken over.
pub const USUAL: Keys = Keys {
    session: "session_id",
    folder: cwd,
    tool: "tool_name",
    input: "tool_input",
    id: Some("tool_use_id"),
    text_input: false,
};

/// A tool of an agent that our registry has, too.
pub struct Own {
    /// What the agent calls it.
    pub name: &'static str,
    /// What we call it.
    pub is: &'static str,
    /// What the agent calls its arguments, and what we call them; nothing is what means nothing. An argument that is not here may mean anything.
    pub arguments: &'static [(&'static str, &'static str)],
}

/// A row of the table.
pub const fn own(
    name: &'static str,
    is: &'static str,
    arguments: &'static [(&'static str, &'static str)],
) -> Own {
    Own {
        name,
        is,
        arguments,
    }
}

/// So long a command may run that sayso runs, in milliseconds, where the agent does not say; it ends the command before that where it wants to.
const LONGEST: &str = "3600000";

/// `hook_event_name`, as most agents say it.
///
/// # Errors
/// When it is missing.
pub fn hook_event_name(document: &Node) -> Result<&str, PayloadError> {
    text(document, "hook_event_name")
}

/// `cwd`, as most agents say it.
///
/// # Errors
/// When it is missing.
pub fn cwd<'a>(document: &'a Node, _: &'a Around) -> Result<&'a str, PayloadError> {
    text(document, "cwd")
}

/// The keys say what is called.
///
/// # Errors
/// Never.
pub fn by_keys(_: &Node) -> Called {
    Ok(None)
}

/// No tool does several things.
///
/// # Errors
/// Never.
pub fn nothing_several(_: &str, _: &Node) -> Parts {
    Ok(None)
}

/// The server of a joined name `mcp__server__tool`.
///
/// # Errors
/// Never.
pub fn joined_by_two(_: &Node, name: &str) -> Result<Server, PayloadError> {
    Ok(split_mcp(name).map(|(server, tool)| (server.to_owned(), tool.to_owned())))
}

/// An agent that asks nobody, or cannot be answered there.
pub fn never_answered(_: &Reply) -> Said {
    Said::nothing()
}

/// A JSON document of these.
pub fn says(fields: Vec<(&'static str, Node)>) -> Said {
    Said::json(&Node::map(fields))
}

/// A word and a reason that is never empty.
pub fn because(key: &'static str, why: &str) -> (&'static str, Node) {
    (key, Node::text(reason(why)))
}

/// An answer as Claude Code takes it, for an agent that takes neither a question nor other arguments.
pub fn by_permission(reply: &Reply) -> Said {
    let answer = |decision: &str, why: &str| {
        let fields = [
            ("hookEventName", Node::text("PreToolUse")),
            ("permissionDecision", Node::text(decision)),
            because("permissionDecisionReason", why),
        ];
        says(vec![("hookSpecificOutput", Node::map(fields))])
    };
    match reply {
        Reply::Allow(by) => answer("allow", &allowed_by(by)),
        Reply::Deny(why) => answer("deny", why),
        Reply::AllowAs(..) | Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => {
            answer("deny", CANNOT_ASK)
        }
        Reply::Nothing => Said::nothing(),
    }
}

/// An answer by the status alone: only a denial has words.
pub fn by_status(reply: &Reply) -> Said {
    match reply {
        Reply::Allow(_) | Reply::Nothing => Said::nothing(),
        Reply::Deny(why) => Said::refused(why),
        Reply::AllowAs(..) | Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => {
            Said::refused(CANNOT_ASK)
        }
    }
}

/// Nobody gets here: an agent that cannot ask is never told to. A denial all the same.
pub const CANNOT_ASK: &str = "the person cannot be asked here";

impl Dialect {
    fn when(&self, document: &Node) -> Result<Option<Moment>, PayloadError> {
        let event = (self.event)(document)?;
        Ok(self
            .events
            .iter()
            .find(|(name, _)| *name == event)
            .map(|(_, moment)| *moment))
    }

    fn session(&self, document: &Node, around: &Around) -> Result<Session, PayloadError> {
        let folder = (self.keys.folder)(document, around)?;
        if !folder.starts_with('/') {
            return Err(PayloadError::RelativeWorkspace(folder.to_owned()));
        }
        let workspace = join("/", folder);
        if workspace == "/" {
            return Err(PayloadError::RootWorkspace);
        }
        Ok(Session {
            id: text(document, self.keys.session)?.to_owned(),
            workspace,
        })
    }

    /// Who calls: a sub-agent where the document names one.
    fn caller(&self, document: &Node) -> Result<Caller, PayloadError> {
        Ok(
            match (maybe(document, "agent_id")?, maybe(document, "agent_type")?) {
                (None, None) => Caller {
                    name: self.name.to_owned(),
                    parents: Vec::new(),
                },
                // What a sub-agent is called, it was called by the agent; its rights are never more than those of the agent itself.
                (_, kind) => Caller {
                    name: kind.unwrap_or("sub-agent").to_owned(),
                    parents: vec![self.name.to_owned()],
                },
            },
        )
    }

    /// The tool and its arguments.
    fn called(&self, document: &Node) -> Result<(String, Node), PayloadError> {
        if let Some(called) = (self.call)(document)? {
            return Ok(called);
        }
        let name = text(document, self.keys.tool)?.to_owned();
        let given = document
            .get(self.keys.input)
            .ok_or_else(|| PayloadError::missing(self.keys.input))?;
        match &given.value {
            Value::Map(_) => Ok((name, given.clone())),
            Value::Text(inner) if self.keys.text_input => {
                let inner =
                    read_document(inner.as_bytes()).map_err(|source| PayloadError::Inside {
                        key: self.keys.input,
                        source: Box::new(source),
                    })?;
                Ok((name, inner))
            }
            _ => Err(PayloadError::NotObject {
                key: self.keys.input.to_owned(),
                found: given.kind_word(),
            }),
        }
    }

    fn wanted(&self, document: &Node, session: &Session) -> Result<Wanted, PayloadError> {
        let (name, input) = &self.called(document)?;
        let name = name.as_str();
        let id = self
            .keys
            .id
            .map(|key| maybe(document, key))
            .transpose()?
            .flatten()
            .unwrap_or_default();
        let caller = self.caller(document)?;
        let call = |tool: &str, args: Node| Call {
            id: id.to_owned(),
            agent: caller.clone(),
            session: session.id.clone(),
            ..Call::new(tool, args, &session.workspace)
        };
        // A tool of a server is that, whatever it is called.
        let server = (self.server)(document, name)?;
        let is_inner = server.is_none() && self.inner.contains(&name);
        let several = if server.is_none() {
            (self.several)(name, input)?
        } else {
            None
        };
        let calls = match (
            several,
            self.tools
                .iter()
                .find(|own| own.name == name)
                .filter(|_| server.is_none()),
        ) {
            _ if is_inner => vec![Call {
                says: ToolSays::PreApproved,
                ..call(name, input.clone())
            }],
            (Some(parts), _) => parts
                .into_iter()
                .map(|(tool, args)| call(tool, args))
                .collect(),
            (None, Some(own)) => vec![call(own.is, self.arguments(own, input)?)],
            (None, None)
                if self.has_our_tools && server.is_none() && tool::find(name).is_some() =>
            {
                vec![call(name, input.clone())]
            }
            (None, None) => {
                let server = server
                    .as_ref()
                    .map(|(server, tool)| (server.as_str(), tool.as_str()));
                let (tool, args) = foreign(self.name, name, server, input);
                vec![call(&tool, args)]
            }
        };
        let key = id.is_empty().then(|| key(name, input));
        Ok(Wanted {
            calls: numbered(calls),
            input: input.clone(),
            is_inner,
            key,
            ask_is_lost: None,
        })
    }

    /// The arguments of a tool by our names. A name that means something to us only is one that the agent may well leave aside.
    ///
    /// # Errors
    /// Where two names mean one argument: which of them the agent takes, nobody knows.
    fn arguments(&self, own: &Own, input: &Node) -> Result<Node, PayloadError> {
        let known = tool::find(own.is).map_or(&[][..], |tool| tool.arguments);
        let is_known = |key: &str| known.iter().any(|argument| argument.names.contains(&key));
        let one = |key: &str| match own.arguments.iter().find(|(theirs, _)| *theirs == key) {
            Some((_, "")) => None,
            Some((_, ours)) => Some((*ours).to_owned()),
            None if is_known(key) => Some(format!("{}:{key}", self.name)),
            None => Some(key.to_owned()),
        };
        let named: Vec<(String, Node)> = input
            .entries()
            .iter()
            .filter_map(|entry| Some((one(&entry.key)?, entry.node.clone())))
            .collect();
        if let Some((twice, _)) = named
            .iter()
            .enumerate()
            .find_map(|(at, pair)| named.get(..at)?.iter().find(|other| other.0 == pair.0))
        {
            return Err(PayloadError::SameArgument {
                tool: own.name,
                argument: twice.clone(),
            });
        }
        let args = Node::map(named);
        let is_command = tool::find(own.is).is_some_and(|tool| tool.kind == Kind::Terminal);
        Ok(match args.get("timeout_ms").map(|node| &node.value) {
            None | Some(Value::Null) if is_command => with(
                &without(&args, &["timeout_ms"]),
                "timeout_ms",
                Value::Number(LONGEST.to_owned()).into(),
            ),
            _ => args,
        })
    }
}

/// What a call without an id is known by.
fn key(tool: &str, input: &Node) -> String {
    Digest::of_node(&Node::map([
        ("tool", Node::text(tool)),
        ("input", input.clone()),
    ]))
    .to_string()
}

impl Agent for Dialect {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn moment(&self, document: &Node) -> Option<Moment> {
        self.when(document).ok().flatten()
    }

    fn read(&self, document: &Node, around: &Around) -> Result<Event, PayloadError> {
        let Some(moment) = self.when(document)? else {
            return Err(PayloadError::UnknownEvent {
                event: (self.event)(document)?.to_owned(),
                agent: self.title,
            });
        };
        let took = || {
            document
                .get("duration_ms")
                .and_then(Node::as_whole)
                .unwrap_or(0)
        };
        Ok(match moment {
            Moment::Other => Event::Other,
            // Nothing can be denied there, least of all what the person says.
            Moment::Idle => self
                .session(document, around)
                .map_or(Event::Other, Event::Idle),
            Moment::Started => Event::Started(self.session(document, around)?),
            Moment::Ended => Event::Ended(self.session(document, around)?),
            Moment::Before => {
                Event::Before(self.wanted(document, &self.session(document, around)?)?)
            }
            Moment::Permission => {
                Event::Permission(self.wanted(document, &self.session(document, around)?)?)
            }
            Moment::After | Moment::Failed => Event::After {
                wanted: self.wanted(document, &self.session(document, around)?)?,
                succeeded: moment == Moment::After,
                milliseconds: took(),
            },
        })
    }

    fn before(&self, reply: &Reply) -> Said {
        (self.before)(reply)
    }

    fn permission(&self, reply: &Reply) -> Said {
        (self.permission)(reply)
    }

    fn changes_arguments(&self) -> bool {
        self.changes_arguments
    }

    /// None of them is trusted with a question: where nobody sits in front of it, some ignore it, some wait for ever, and none of them says
    /// whether somebody does.
    fn can_ask(&self, _: &Around) -> Result<(), AskError> {
        Err(AskError::Unreliable(self.title))
    }

    fn can_defer(&self, _: &Around) -> bool {
        false
    }

    fn asks_about_what_runs(&self) -> bool {
        false
    }

    fn has_rules_for_commands(&self, _: &Around, _: &str) -> bool {
        false
    }

    /// Its own questions are the person's: most of these agents know no answer in their place.
    fn answers_questions(&self) -> bool {
        false
    }

    fn folder_is_of_the_call(&self) -> bool {
        false
    }

    fn workspace_by_itself(&self, _: &Node) -> Option<String> {
        None
    }
}
