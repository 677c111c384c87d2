//! What a tool outside of sayso asks with: its payload, its words, its picture, its group, as `POST /v1/operations` and `sayso ask` take them.

use std::path::{Path, PathBuf};

use sayso_core::call::operation::Call;
use sayso_core::call::tool::{self, Kind, Role};
use sayso_core::call::tool_says::Approval;
use sayso_core::paths::join;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::presentation::tool_drawing::{DrawingError, Given};
use thiserror::Error;

/// The longest description, in characters.
pub const MAX_DESCRIPTION: usize = 4096;
/// The longest name of a group.
pub const MAX_GROUP: usize = 256;
/// So many entries of metadata are taken, with names and values up to so many characters.
pub const MAX_METADATA: usize = 64;
/// The longest value of metadata.
pub const MAX_METADATA_TEXT: usize = 1024;

/// What a tool says of its own call.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What counts as the same call for an answer that is kept.
    pub payload: Option<Node>,
    /// What the tool says it does.
    pub description: Option<String>,
    /// The tool's picture.
    pub presentation: Option<Given>,
    /// Calls of one group may be answered together.
    pub group: Option<String>,
    /// What the host wants to find again.
    pub metadata: Vec<(String, String)>,
}

/// The keys of a body that belong to it.
pub const KEYS: [&str; 5] = [
    "payload",
    "description",
    "presentation",
    "group_id",
    "metadata",
];

/// Why a body is not a request.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum RequestError {
    #[error("`{key}` is longer than {longest} characters")]
    TooLong { key: String, longest: usize },
    #[error("`{key}` is {found}, not {wanted}")]
    OtherKind {
        key: &'static str,
        found: &'static str,
        wanted: &'static str,
    },
    #[error("`presentation`: {0}")]
    Presentation(#[source] DrawingError),
    #[error("`metadata` has more than {MAX_METADATA} entries")]
    TooMuchMetadata,
}

impl RequestError {
    fn other_kind(key: &'static str, node: &Node, wanted: &'static str) -> RequestError {
        RequestError::OtherKind {
            key,
            found: node.kind_word(),
            wanted,
        }
    }
}

impl Request {
    /// What a body says.
    ///
    /// # Errors
    /// What is of another kind, or too long.
    pub fn read(body: &Node) -> Result<Request, RequestError> {
        let there = |key: &str| {
            body.get(key)
                .filter(|node| !matches!(node.value, Value::Null))
        };
        let text = |key: &'static str, longest: usize| match there(key) {
            None => Ok(None),
            Some(node) => match node.as_text() {
                Some(text) if text.chars().count() <= longest => Ok(Some(text.to_owned())),
                Some(_) => Err(RequestError::TooLong {
                    key: key.to_owned(),
                    longest,
                }),
                None => Err(RequestError::other_kind(key, node, "text")),
            },
        };
        let payload = match there("payload") {
            Some(node) if !matches!(node.value, Value::Map(_)) => {
                return Err(RequestError::other_kind("payload", node, "an object"));
            }
            payload => payload.cloned(),
        };
        let presentation = there("presentation")
            .map(Given::read)
            .transpose()
            .map_err(RequestError::Presentation)?;
        let group = text("group_id", MAX_GROUP)?.filter(|group| !group.is_empty());
        let metadata = there("metadata").map_or(Ok(Vec::new()), metadata)?;
        Ok(Request {
            payload,
            description: text("description", MAX_DESCRIPTION)?,
            presentation,
            group,
            metadata,
        })
    }

    /// The call with all of it. A tool that sends a payload, or one that sayso does not know, asks by itself.
    pub fn apply(self, mut call: Call) -> (Call, Option<Given>) {
        let kind = tool::find(&call.tool).map_or(Kind::Custom, |tool| tool.kind);
        call.group = self.group;
        call.metadata = self.metadata;
        let is_own = kind == Kind::Custom;
        // Of what sayso knows itself it says what it sees; the tool's words stand beside that.
        let (description, beside) = if is_own {
            (self.description, None)
        } else {
            (None, self.description)
        };
        call.metadata
            .extend(beside.map(|words| ("description".to_owned(), words)));
        if self.payload.is_some() || description.is_some() {
            let payload = self.payload.map(|payload| {
                if is_own {
                    payload
                } else {
                    bound(payload, kind, &call)
                }
            });
            call.says = Approval {
                description,
                exclude_keys: Vec::new(),
                payload,
            }
            .says(&call.tool, &call.args);
        }
        (call, self.presentation)
    }
}

fn metadata(node: &Node) -> Result<Vec<(String, String)>, RequestError> {
    let Value::Map(entries) = &node.value else {
        return Err(RequestError::other_kind("metadata", node, "an object"));
    };
    if entries.len() > MAX_METADATA {
        return Err(RequestError::TooMuchMetadata);
    }
    let mut out = Vec::new();
    for entry in entries {
        let value = entry
            .node
            .as_text()
            .map_or_else(|| json::write_plain(&entry.node), str::to_owned);
        if [&entry.key, &value]
            .iter()
            .any(|text| text.chars().count() > MAX_METADATA_TEXT)
        {
            let name: String = visible(&entry.key).chars().take(40).collect();
            return Err(RequestError::TooLong {
                key: format!("metadata.{name}"),
                longest: MAX_METADATA_TEXT,
            });
        }
        out.push((entry.key.clone(), value));
    }
    Ok(out)
}

/// The payload of a tool that sayso knows itself, with the arguments that count: a payload never makes another file, command or address
/// the same. For files that is where they really are, with any content; for everything else all arguments.
fn bound(payload: Node, kind: Kind, call: &Call) -> Node {
    let roles = kind.tool().map_or(&[][..], |tool| tool.arguments);
    let is_path = |key: &str| {
        let of_key = roles
            .iter()
            .find(|argument| argument.names.contains(&key))
            .map(|argument| argument.role);
        matches!(of_key, Some(Role::Path | Role::From | Role::To))
    };
    let arguments = if kind.is_file_edit() {
        let entries = call
            .args
            .entries()
            .iter()
            .filter(|entry| is_path(&entry.key));
        let real = |node: &Node| {
            Node::text(
                real(Path::new(&join(
                    &call.cwd,
                    node.as_text().unwrap_or_default(),
                )))
                .to_string_lossy(),
            )
        };
        Node::map(
            entries
                .map(|entry| (entry.key.clone(), real(&entry.node)))
                .collect::<Vec<_>>(),
        )
    } else {
        Node::map([
            ("cwd".to_owned(), Node::text(&call.cwd)),
            ("args".to_owned(), call.args.clone()),
        ])
    };
    Node::map([
        ("payload".to_owned(), payload),
        ("arguments".to_owned(), arguments),
    ])
}

/// Where a path leads: links of all that exists are followed.
fn real(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (above.canonicalize(), path.strip_prefix(above)) {
            return if rest.as_os_str().is_empty() {
                found
            } else {
                found.join(rest)
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sayso_core::call::operation::ToolSays;
    use sayso_core::text::Limits;
    use sayso_core::text::digest::Digest;

    fn node(text: &str) -> Node {
        json::read(text, &Limits::default()).unwrap()
    }

    fn key(tool: &str, args: &str, body: &str) -> Option<Digest> {
        let (call, _) =
            Request::read(&node(body))
                .unwrap()
                .apply(Call::new(tool, node(args), "/ws"));
        match call.says {
            ToolSays::NeedsApproval { payload, .. } => Some(Digest::of_node(&payload)),
            _ => None,
        }
    }

    #[test]
    fn payloads_are_equal_as_values_are() {
        let mail = |payload: &str| {
            key(
                "send_mail",
                r#"{"to":"a"}"#,
                &format!("{{\"payload\":{payload}}}"),
            )
        };
        assert_eq!(
            mail(r#"{"a":1,"b":[true,{"c":null}]}"#),
            mail(r#"{"b":[true,{"c":null}],"a":1}"#)
        );
        let all = [
            "{}",
            r#"{"a":1}"#,
            r#"{"a":true}"#,
            r#"{"a":"1"}"#,
            r#"{"a":null}"#,
            r#"{"a":[1]}"#,
            r#"{"a":{"b":1}}"#,
        ];
        for (place, one) in all.iter().enumerate() {
            for other in &all[place + 1..] {
                assert_ne!(mail(one), mail(other), "{one} {other}");
            }
        }
        assert_eq!(
            mail("{}"),
            key("send_mail", r#"{"to":"b"}"#, r#"{"payload":{}}"#),
            "a tool of one's own says what is the same"
        );
    }

    #[test]
    fn a_payload_does_not_make_another_command_or_file_the_same() {
        let body = r#"{"payload":{"x":1}}"#;
        assert_ne!(
            key("terminal", r#"{"command":"make a"}"#, body),
            key("terminal", r#"{"command":"make b"}"#, body)
        );
        let write = |path: &str, content: &str| {
            key(
                "write_file",
                &format!("{{\"path\":\"{path}\",\"content\":\"{content}\"}}"),
                body,
            )
        };
        assert_eq!(write("a.txt", "one"), write("a.txt", "two"));
        assert_ne!(write("a.txt", "one"), write("b.txt", "one"));
        assert_eq!(
            key(
                "terminal",
                r#"{"command":"make a"}"#,
                r#"{"description":"harmless"}"#
            ),
            None,
            "the policy decides"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (body, words) in [
            (r#"{"payload":[]}"#, "not an object"),
            (r#"{"description":1}"#, "not text"),
            (
                r#"{"presentation":{"type":"x","content":""}}"#,
                "`type` is one of",
            ),
            (r#"{"metadata":"x"}"#, "not an object"),
            (r#"{"group_id":{}}"#, "not text"),
        ] {
            let why = Request::read(&node(body)).unwrap_err();
            assert!(why.to_string().contains(words), "{body}: {why}");
        }
        let long = format!(
            "{{\"description\":\"{}\"}}",
            "x".repeat(MAX_DESCRIPTION + 1)
        );
        assert!(
            Request::read(&node(&long))
                .unwrap_err()
                .to_string()
                .contains("longer than")
        );
    }
}
