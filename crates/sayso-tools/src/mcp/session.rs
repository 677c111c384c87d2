//! A conversation with a server: its era, its tools, and one request after the other.

use std::time::Duration;

use sayso_core::text::node::{Node, Value};

use super::Patience;
use super::error::{McpError, ServerEnd, WaitError};
use super::inbox::Next;
use super::process::Process;
use super::wire;

/// The revision without sessions.
const MODERN: &str = "2026-07-28";
/// The newest revision before it, and all that are understood.
const OLDER: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// So long a server may take to say that it is modern; older ones may not answer at all.
const PROBE: Duration = Duration::from_secs(10);
/// So long a server may take to hear that a call was taken back.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// A list of tools has no more parts, and no more tools.
const MOST_PAGES: usize = 1000;
const MOST_TOOLS: usize = 10_000;

/// A conversation.
#[derive(Debug)]
pub(super) struct Session {
    process: Process,
    is_modern: bool,
    last: u64,
}

impl Session {
    /// Finds out which era a server is of, and begins.
    ///
    /// # Errors
    /// When it speaks no MCP that we know.
    pub(super) fn greet(process: Process, patience: Patience<'_>) -> Result<Session, McpError> {
        let mut session = Session {
            process,
            is_modern: false,
            last: 0,
        };
        if session.is_modern(patience.at_most(PROBE))? {
            session.is_modern = true;
            return Ok(session);
        }
        let client = Node::map([
            ("name", Node::text("sayso")),
            ("version", Node::text(env!("CARGO_PKG_VERSION"))),
        ]);
        let newest = OLDER.first().copied().unwrap_or_default();
        let params = Node::map([
            ("protocolVersion", Node::text(newest)),
            ("capabilities", Node::map::<String>([])),
            ("clientInfo", client),
        ]);
        match session.request("initialize", params, patience) {
            Ok(result) => {
                let version = result
                    .get("protocolVersion")
                    .and_then(Node::as_text)
                    .unwrap_or_default();
                if !OLDER.contains(&version) {
                    return Err(McpError::OtherRevision(version.to_owned()));
                }
                session
                    .process
                    .send(&wire::notice("notifications/initialized", None), patience)?;
                Ok(session)
            }
            // It may only have been slow to say that it is modern.
            Err(failed @ McpError::Answered { .. }) => match session.is_modern(patience)? {
                true => {
                    session.is_modern = true;
                    Ok(session)
                }
                false => Err(failed),
            },
            Err(other) => Err(other),
        }
    }

    fn is_modern(&mut self, patience: Patience<'_>) -> Result<bool, McpError> {
        self.is_modern = true;
        let found = self.request("server/discover", Node::map::<String>([]), patience);
        self.is_modern = false;
        match found {
            Ok(result) => {
                let known = result.get("supportedVersions").map_or(&[][..], Node::items);
                Ok(known
                    .iter()
                    .any(|version| version.as_text() == Some(MODERN)))
            }
            Err(McpError::NoAnswer(WaitError::Stopped)) => Err(McpError::Stopped),
            Err(McpError::Answered { .. } | McpError::NoAnswer(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// What every request of the newer era says of us.
    fn with_meta(&self, params: Node) -> Node {
        if !self.is_modern {
            return params;
        }
        let client = Node::map([
            ("name", Node::text("sayso")),
            ("version", Node::text(env!("CARGO_PKG_VERSION"))),
        ]);
        let meta = Node::map([
            (
                "io.modelcontextprotocol/protocolVersion",
                Node::text(MODERN),
            ),
            (
                "io.modelcontextprotocol/clientCapabilities",
                Node::map::<String>([]),
            ),
            ("io.modelcontextprotocol/clientInfo", client),
        ]);
        let mut entries: Vec<(String, Node)> = params
            .entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.node.clone()))
            .collect();
        entries.push(("_meta".to_owned(), meta));
        Node::map(entries)
    }

    fn request(
        &mut self,
        method: &str,
        params: Node,
        patience: Patience<'_>,
    ) -> Result<Node, McpError> {
        self.last += 1;
        let id = self.last;
        self.process.inbox.await_id(Some(id.to_string()));
        let line = wire::request(id, method, self.with_meta(params));
        self.process.send(&line, patience)?;
        loop {
            match self.process.inbox.wait(patience) {
                Next::Answer(answer) => return answer,
                Next::Wanted(id, method) => {
                    self.process.send(&wire::refusal(&id, &method), patience)?
                }
                Next::Over(why) => {
                    self.take_back(id, method);
                    return Err(McpError::NoAnswer(why));
                }
            }
        }
    }

    /// Tells the server that nobody waits for an answer any more. An `initialize` cannot be taken back.
    fn take_back(&mut self, id: u64, method: &str) {
        if matches!(method, "initialize" | "server/discover") {
            return;
        }
        let params = Node::map([
            ("requestId", Node::from(Value::Number(id.to_string()))),
            ("reason", Node::text("nobody waits any longer")),
        ]);
        // If it does not hear it, its answer is thrown away all the same.
        let _ = self.process.send(
            &wire::notice("notifications/cancelled", Some(params)),
            Patience::of(LAST_WORDS, None),
        );
    }

    /// All tools.
    pub(super) fn tools(&mut self, patience: Patience<'_>) -> Result<Vec<Node>, McpError> {
        // From here on a change is a new one.
        self.process.inbox.take_changed();
        let mut tools = Vec::new();
        let mut cursor: Option<Node> = None;
        for _ in 0..MOST_PAGES {
            let params = Node::map(cursor.take().map(|cursor| ("cursor", cursor)));
            let page = self.request("tools/list", params, patience)?;
            tools.extend(
                page.get("tools")
                    .map_or(&[][..], Node::items)
                    .iter()
                    .cloned(),
            );
            if tools.len() > MOST_TOOLS {
                return Err(McpError::TooManyTools { most: MOST_TOOLS });
            }
            cursor = page
                .get("nextCursor")
                .filter(|cursor| cursor.as_text().is_some())
                .cloned();
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(McpError::TooManyParts { most: MOST_PAGES })
    }

    pub(super) fn has_changed(&self) -> bool {
        self.process.inbox.has_changed()
    }

    pub(super) fn ended(&self) -> Option<ServerEnd> {
        self.process.inbox.ended()
    }

    /// Calls a tool.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: &Node,
        patience: Patience<'_>,
    ) -> Result<Node, McpError> {
        let params = Node::map([("name", Node::text(tool)), ("arguments", arguments.clone())]);
        self.request("tools/call", params, patience)
    }
}
