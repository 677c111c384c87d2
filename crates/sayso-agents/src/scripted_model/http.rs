//! As much of HTTP/1.1 as an agent needs to talk to a model: one request a connection, all of it bounded.

use std::io::{self, Read};

use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};
use thiserror::Error as ThisError;

/// The longest head of a request.
const LONGEST_HEAD: usize = 64 << 10;
/// The longest body. Agents send all of their instructions and tools with each request, which is a few hundred kilobytes.
const LONGEST_BODY: usize = 16 << 20;

/// What is wrong with a request.
#[derive(Debug, ThisError)]
pub(super) enum RequestError {
    #[error("it could not be read: {0}")]
    NotRead(#[from] io::Error),
    #[error("it ends early")]
    EndsEarly,
    #[error("the head is too long")]
    LongHead,
    #[error("the head is no UTF-8")]
    HeadNotUtf8,
    #[error("there is no request")]
    NoRequest,
    #[error("the body must be plain, with its length")]
    Encoded,
    #[error("the body is too long")]
    LongBody,
    #[error("the body is no UTF-8")]
    BodyNotUtf8,
    #[error("the body is no JSON: {}", .0.message)]
    NotJson(Diagnostic),
}

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub method: String,
    /// What stands behind the method.
    pub target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The path, without a query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Whether somebody takes this for a proxy.
    pub fn is_for_elsewhere(&self) -> bool {
        self.method == "CONNECT" || !self.target.starts_with('/')
    }

    /// Whether it brings the key, in one of the ways there are.
    pub fn has_key(&self, key: &str) -> bool {
        let plain = self
            .header("x-api-key")
            .or_else(|| self.header("x-goog-api-key"));
        let given = plain.or_else(|| self.header("authorization")?.strip_prefix("Bearer "));
        given.is_some_and(|given| is_same(given, key))
    }

    /// The body as JSON; of no body, an empty object.
    pub fn json(&self) -> Result<Node, RequestError> {
        let text = std::str::from_utf8(&self.body).map_err(|_| RequestError::BodyNotUtf8)?;
        if text.is_empty() {
            return Ok(Node::map::<String>([]));
        }
        let limits = Limits {
            bytes: LONGEST_BODY,
            depth: 128,
            nodes: 1_000_000,
        };
        json::read(text, &limits).map_err(RequestError::NotJson)
    }
}

/// Compares without telling by its time where the difference is.
fn is_same(given: &str, key: &str) -> bool {
    given.len() == key.len()
        && given
            .bytes()
            .zip(key.bytes())
            .fold(0, |sum, (one, other)| sum | (one ^ other))
            == 0
}

/// Reads one request.
pub(super) fn read(stream: &mut impl Read) -> Result<Request, RequestError> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 16 << 10];
    let mut more = |bytes: &mut Vec<u8>| -> Result<(), RequestError> {
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Err(RequestError::EndsEarly);
        }
        bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
        Ok(())
    };
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(RequestError::LongHead);
        }
        more(&mut bytes)?;
    };
    let mut request = head(bytes.get(..end).unwrap_or_default())?;
    if request.header("transfer-encoding").is_some() || request.header("content-encoding").is_some()
    {
        return Err(RequestError::Encoded);
    }
    let length = match request.header("content-length") {
        None => 0,
        Some(length) => length
            .parse::<usize>()
            .ok()
            .filter(|length| *length <= LONGEST_BODY)
            .ok_or(RequestError::LongBody)?,
    };
    let start = end.saturating_add(4);
    while bytes.len() < start.saturating_add(length) {
        more(&mut bytes)?;
    }
    request.body = bytes
        .get(start..start.saturating_add(length))
        .unwrap_or_default()
        .to_vec();
    Ok(request)
}

fn head(bytes: &[u8]) -> Result<Request, RequestError> {
    let text = std::str::from_utf8(bytes).map_err(|_| RequestError::HeadNotUtf8)?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    if method.is_empty() || target.is_empty() {
        return Err(RequestError::NoRequest);
    }
    let header = |line: &str| {
        line.split_once(':')
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    Ok(Request {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: lines.filter_map(header).collect(),
        body: Vec::new(),
    })
}

/// What is answered.
pub(super) struct Reply {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Reply {
    /// One document.
    pub fn json(node: Node) -> Reply {
        Reply {
            status: 200,
            kind: "application/json",
            body: json::write(&node),
        }
    }

    /// A row of events, each with its name in it under `type`.
    pub fn events(events: &[Node]) -> Reply {
        let event = |node: &Node| {
            let name = node.get("type").and_then(Node::as_text).unwrap_or_default();
            format!("event: {name}\ndata: {}\n\n", json::write(node))
        };
        Reply {
            status: 200,
            kind: "text/event-stream",
            body: events.iter().map(event).collect(),
        }
    }

    /// A row of pieces without names, and the word that ends it.
    pub fn pieces(pieces: &[Node]) -> Reply {
        let body: String = pieces
            .iter()
            .map(|node| format!("data: {}\n\n", json::write(node)))
            .collect();
        Reply {
            status: 200,
            kind: "text/event-stream",
            body: format!("{body}data: [DONE]\n\n"),
        }
    }

    /// One piece without a name, and nothing behind it.
    pub fn last_piece(node: &Node) -> Reply {
        Reply {
            status: 200,
            kind: "text/event-stream",
            body: format!("data: {}\n\n", json::write(node)),
        }
    }

    /// An error.
    pub fn problem(status: u16, why: &str) -> Reply {
        let error = Node::map([
            ("type", Node::text("invalid_request_error")),
            ("message", Node::text(why)),
        ]);
        let body = Node::map([("type", Node::text("error")), ("error", error)]);
        Reply {
            status,
            kind: "application/json",
            body: json::write(&body),
        }
    }

    /// As it goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let words = match self.status {
            200 => "OK",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            _ => "Bad Request",
        };
        let (status, kind, length) = (self.status, self.kind, self.body.len());
        let head = format!(
            "HTTP/1.1 {status} {words}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        [head.as_bytes(), self.body.as_bytes()].concat()
    }
}
