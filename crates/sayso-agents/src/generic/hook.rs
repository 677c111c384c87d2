//! Any program that can start a command with JSON on its input: the form is sayso's own, and so are the names of tools and arguments.
//!
//! docs/guide/hooks.md describes it. The plugins that sayso puts into agents speak it, too, with the names that those have for their tools.

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::text::node::Node;

use crate::hook::agent::{Around, Moment, Reply, Said, allowed_by, run_by_sayso, text};
use crate::hook::dialect::{
    CANNOT_ASK, Dialect, Keys, Server, because, by_keys, never_answered, nothing_several, says,
};
use crate::hook::error::PayloadError;

/// Any program.
pub static GENERIC: Dialect = Dialect {
    name: "generic",
    title: "this program",
    event,
    events: EVENTS,
    keys: KEYS,
    tools: &[],
    inner: &[],
    several: nothing_several,
    call: by_keys,
    server: named,
    before,
    permission: never_answered,
    // A program that leaves an answer like that aside would run what has to run in a sandbox without one.
    changes_arguments: false,
    has_our_tools: true,
};

/// When the hook is started.
pub const EVENTS: &[(&str, Moment)] = &[
    ("before", Moment::Before),
    ("after", Moment::After),
    ("failed", Moment::Failed),
    ("session_start", Moment::Started),
    ("session_idle", Moment::Idle),
    ("session_end", Moment::Ended),
];

/// Under which keys a document says what.
pub const KEYS: Keys = Keys {
    session: "session",
    folder,
    tool: "tool",
    input: "arguments",
    id: Some("id"),
    text_input: false,
};

/// When the hook is started, by its word.
///
/// # Errors
/// When it is missing.
pub fn event(document: &Node) -> Result<&str, PayloadError> {
    text(document, "event")
}

fn folder<'a>(document: &'a Node, _: &'a Around) -> Result<&'a str, PayloadError> {
    text(document, "folder")
}

/// `"mcp": {"server": …, "tool": …}`, where the call is one of an MCP tool.
pub fn named(document: &Node, _: &str) -> Result<Server, PayloadError> {
    match document.get("mcp") {
        None => Ok(None),
        Some(mcp) => Ok(Some((
            text(mcp, "server")?.to_owned(),
            text(mcp, "tool")?.to_owned(),
        ))),
    }
}

/// An answer to a call before it runs.
pub fn before(reply: &Reply) -> Said {
    let answer = |decision: &str, why: &str| {
        vec![("decision", Node::text(decision)), because("reason", why)]
    };
    match reply {
        Reply::Allow(by) => says(answer("allow", &allowed_by(by))),
        Reply::Nothing => says(answer("allow", &allowed_by(&DecidedBy::Policy))),
        Reply::AllowAs(by, input) => {
            let mut fields = answer("allow", &run_by_sayso(by));
            fields.push(("arguments", input.clone()));
            says(fields)
        }
        Reply::Deny(why) => says(answer("deny", why)),
        Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => says(answer("deny", CANNOT_ASK)),
    }
}
