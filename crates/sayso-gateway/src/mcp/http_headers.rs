//! Headers of requests and answers: which of them go on, and which would have the two sides of the gateway read two things.

use hyper::HeaderMap;
use sayso_core::text::node::{Node, Value};
use thiserror::Error;

use super::message::MessageError;
use crate::error::UpstreamError;

/// Headers that are about one connection, or that are ours to say.
const OWN: [&str; 14] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "host",
    "origin",
    "referer",
    "content-length",
    "accept-encoding",
    "expect",
];
/// Headers of a server that would have a client go around the gateway.
const AROUND: [&str; 3] = ["alt-svc", "refresh", "link"];
/// Headers of which a second one could be the one that counts, beside all that start with `mcp-`.
const ONCE: [&str; 4] = [
    "content-type",
    "content-encoding",
    "authorization",
    "last-event-id",
];
/// Arguments that a client repeats, so that others on the way can see them.
const PARAM: &str = "mcp-param-";
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Whether a header of the client goes to the server.
pub(super) fn goes_on(name: &str) -> bool {
    !OWN.contains(&name)
}

/// Whether a header of the server goes to the client.
pub(super) fn comes_back(name: &str) -> bool {
    !OWN.contains(&name) && !AROUND.contains(&name)
}

/// Whether a body is of a kind, by its header.
pub(super) fn is_media(headers: &HeaderMap, media: &str) -> bool {
    let kind = headers
        .get("content-type")
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    kind.split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case(media)
}

/// What is wrong with the headers of a request.
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum HeaderError {
    #[error("`{0}` stands there twice")]
    Twice(String),
    #[error("a packed message is not passed on")]
    Packed,
    #[error("`content-type` is no plain text")]
    NoText,
    #[error("a message is `application/json` in UTF-8")]
    NoJson,
}

impl HeaderError {
    /// The status of HTTP for it.
    pub(super) fn status(&self) -> u16 {
        match self {
            HeaderError::Twice(_) => 400,
            _ => 415,
        }
    }
}

/// Refuses an answer that the client would read in another way than we do, or that sends it somewhere else.
///
/// # Errors
/// Why.
pub(super) fn is_readable(status: u16, headers: &HeaderMap) -> Result<(), UpstreamError> {
    if (300..400).contains(&status) && status != 304 {
        return Err(UpstreamError::PointsElsewhere);
    }
    if let Some(twice) = twice(headers) {
        return Err(UpstreamError::HeaderTwice(twice.to_owned()));
    }
    match is_packed(headers) {
        true => Err(UpstreamError::Packed),
        false => Ok(()),
    }
}

fn is_packed(headers: &HeaderMap) -> bool {
    headers
        .get("content-encoding")
        .is_some_and(|coded| !coded.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn twice(headers: &HeaderMap) -> Option<&str> {
    let is_once = |name: &&str| name.starts_with("mcp-") || ONCE.contains(name);
    headers
        .keys()
        .map(|name| name.as_str())
        .filter(is_once)
        .find(|name| headers.get_all(*name).iter().count() > 1)
}

/// Refuses a body that a server could unpack or decode into another message.
///
/// # Errors
/// Why.
pub(super) fn is_plain(headers: &HeaderMap) -> Result<(), HeaderError> {
    if let Some(twice) = twice(headers) {
        return Err(HeaderError::Twice(twice.to_owned()));
    }
    if is_packed(headers) {
        return Err(HeaderError::Packed);
    }
    let Some(kind) = headers.get("content-type") else {
        return Ok(());
    };
    let kind = kind.to_str().map_err(|_| HeaderError::NoText)?;
    let charset = |part: &str| {
        part.trim()
            .split_once('=')
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
            .map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase())
    };
    let is_utf8 = kind
        .split(';')
        .skip(1)
        .filter_map(charset)
        .all(|charset| charset == "utf-8" || charset == "utf8");
    match is_media(headers, "application/json") && is_utf8 {
        true => Ok(()),
        false => Err(HeaderError::NoJson),
    }
}

/// Refuses headers that say something else than the body: a server might go by them.
///
/// # Errors
/// Which one.
pub(super) fn headers_fit(
    headers: &HeaderMap,
    method: Option<&str>,
    params: &Node,
) -> Result<(), MessageError> {
    let named = params
        .get("name")
        .or_else(|| params.get("uri"))
        .and_then(Node::as_text);
    for (header, wanted) in [("mcp-method", method), ("mcp-name", named)] {
        if headers
            .get(header)
            .is_some_and(|value| !wanted.is_some_and(|wanted| says(value.as_bytes(), wanted)))
        {
            return Err(MessageError::NotTheBody(header));
        }
    }
    let version = params
        .get("_meta")
        .and_then(|meta| meta.get(META_VERSION))
        .and_then(Node::as_text);
    match (headers.get("mcp-protocol-version"), version) {
        (Some(value), Some(version)) if value.as_bytes() != version.as_bytes() => {
            Err(MessageError::NotTheBody("mcp-protocol-version"))
        }
        _ => Ok(()),
    }
}

/// Refuses headers that repeat an argument and say something else. Where the schema of the tool is known, it says which argument each repeats.
///
/// # Errors
/// Which one.
pub(super) fn arguments_fit(
    headers: &HeaderMap,
    arguments: &Node,
    schema: Option<&Node>,
) -> Result<(), MessageError> {
    for (name, value) in headers {
        let Some(what) = name.as_str().strip_prefix(PARAM) else {
            continue;
        };
        let mut found = Vec::new();
        match schema {
            Some(schema) => mirrored(schema, arguments, what, &mut found),
            None => plain_values(arguments, &mut found),
        }
        if !found.iter().any(|wanted| says(value.as_bytes(), wanted)) {
            return Err(MessageError::NotTheArguments(name.to_string()));
        }
    }
    Ok(())
}

/// The arguments that a schema has repeated in this header.
fn mirrored(schema: &Node, arguments: &Node, what: &str, found: &mut Vec<String>) {
    for property in schema.get("properties").map_or(&[][..], Node::entries) {
        let Some(argument) = arguments.get(&property.key) else {
            continue;
        };
        if property
            .node
            .get("x-mcp-header")
            .and_then(Node::as_text)
            .is_some_and(|name| name.eq_ignore_ascii_case(what))
        {
            found.extend(plain_value(argument));
        }
        mirrored(&property.node, argument, what, found);
    }
}

fn plain_values(node: &Node, found: &mut Vec<String>) {
    found.extend(plain_value(node));
    node.items()
        .iter()
        .for_each(|item| plain_values(item, found));
    node.entries()
        .iter()
        .for_each(|entry| plain_values(&entry.node, found));
}

fn plain_value(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether a header says this, in plain words or coded.
fn says(value: &[u8], wanted: &str) -> bool {
    match value.starts_with(b"=?base64?") {
        true => value == format!("=?base64?{}?=", base64(wanted.as_bytes())).as_bytes(),
        false => value == wanted.as_bytes(),
    }
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk
            .iter()
            .fold(0u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sign = SIGNS
                .get((number >> (18 - 6 * place) & 63) as usize)
                .copied()
                .unwrap_or(b'=');
            out.push(if place <= chunk.len() {
                char::from(sign)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;
    use sayso_core::text::{Limits, json};

    use super::*;
    use crate::mcp::message::CALL;

    fn head(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let params = Node::map([
            ("name", Node::text("ü")),
            (
                "_meta",
                Node::map([(META_VERSION, Node::text("2026-07-28"))]),
            ),
        ]);
        let fit = |lines: &[(&'static str, &'static str)]| {
            headers_fit(&head(lines), Some(CALL), &params).is_ok()
        };
        assert!(
            fit(&[])
                && fit(&[
                    ("mcp-method", "tools/call"),
                    ("mcp-name", "=?base64?w7w=?=")
                ])
        );
        assert!(
            !fit(&[("mcp-method", "ping")])
                && !fit(&[("mcp-name", "other")])
                && !fit(&[("mcp-name", "=?base64?b3RoZXI=?=")])
        );
        assert!(
            fit(&[("mcp-protocol-version", "2026-07-28")])
                && !fit(&[("mcp-protocol-version", "2025-06-18")])
        );
        // A message without a method is none of those that a header names.
        assert!(headers_fit(&head(&[("mcp-method", "tools/call")]), None, &params).is_err());
        assert_eq!(
            (base64(b"a"), base64(b"ab"), base64(b"abc")),
            ("YQ==".into(), "YWI=".into(), "YWJj".into())
        );
    }

    #[test]
    fn arguments_in_headers_are_those_of_the_body() {
        let read = |text| json::read(text, &Limits::default()).unwrap();
        let arguments = read(r#"{"region":"eu","deep":{"n":7},"other":"us"}"#);
        let schema = read(
            r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"properties":{"n":{"x-mcp-header":"N"}}},"other":{}}}"#,
        );
        let fit = |lines: &[(&'static str, &'static str)], schema| {
            arguments_fit(&head(lines), &arguments, schema).is_ok()
        };
        assert!(
            fit(
                &[("mcp-param-region", "eu"), ("mcp-param-n", "7")],
                Some(&schema)
            ) && fit(&[("mcp-param-region", "=?base64?ZXU=?=")], Some(&schema))
        );
        for odd in [
            ("mcp-param-region", "us"),
            ("mcp-param-n", "8"),
            ("mcp-param-other", "us"),
            ("mcp-param-what", "eu"),
        ] {
            assert!(!fit(&[odd], Some(&schema)), "{odd:?}");
        }
        // Where nobody knows which one it repeats, it has to be one of them.
        assert!(
            fit(&[("mcp-param-region", "us")], None) && !fit(&[("mcp-param-region", "asia")], None)
        );
    }

    #[test]
    fn bodies_are_json_in_utf_8_and_not_packed() {
        let plain = |lines: &[(&'static str, &'static str)]| is_plain(&head(lines)).is_ok();
        assert!(
            plain(&[])
                && plain(&[("content-type", "application/json")])
                && plain(&[("content-type", "Application/JSON; Charset=\"UTF-8\"")])
        );
        for odd in [
            ("content-type", "application/json; charset=utf-7"),
            (
                "content-type",
                "application/json; charset=utf-16; charset=utf-8",
            ),
            ("content-type", "application/x-www-form-urlencoded"),
            ("content-type", ""),
            ("content-encoding", "gzip"),
            ("content-encoding", "br"),
        ] {
            assert!(!plain(&[odd]), "{odd:?}");
        }
        assert!(plain(&[("content-encoding", "identity")]));
        for name in [
            "mcp-method",
            "mcp-session-id",
            "content-type",
            "authorization",
        ] {
            assert!(
                !plain(&[(name, "application/json"), (name, "application/json")]),
                "{name}"
            );
        }
    }

    #[test]
    fn answers_that_lead_elsewhere_or_are_packed_are_refused() {
        assert!(
            is_readable(200, &head(&[("content-type", "application/json")])).is_ok()
                && is_readable(404, &head(&[])).is_ok()
        );
        for status in [300, 301, 302, 303, 307, 308] {
            assert!(
                is_readable(status, &head(&[("location", "https://elsewhere.example")])).is_err(),
                "{status}"
            );
        }
        assert!(is_readable(200, &head(&[("content-encoding", "gzip")])).is_err());
        assert!(
            is_readable(
                200,
                &head(&[
                    ("content-type", "application/json"),
                    ("content-type", "text/event-stream")
                ])
            )
            .is_err()
        );
        assert!(
            !comes_back("alt-svc")
                && !comes_back("refresh")
                && comes_back("mcp-session-id")
                && comes_back("www-authenticate")
        );
    }
}
