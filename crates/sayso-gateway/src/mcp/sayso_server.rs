//! sayso's own MCP server: a tool that agents ask before they do something, and two that only tell.
//!
//! Each call is answered by a process of sayso itself that does just that: the hook, the check, the list of rules. What they refuse is refused
//! here, and nothing here decides anything.

use std::io;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use thiserror::Error;

use super::message;
use super::message::{BAD_PARAMS, CALL, Id, MessageError, Refused, Said};
use super::replies;
use sayso_tools::lines::{Line, Lines};

/// The newest revision with an `initialize`, and all of them.
const NEWEST: &str = "2025-11-25";
const VERSIONS: [&str; 4] = [NEWEST, "2025-06-18", "2025-03-26", "2024-11-05"];
/// The revision without one.
const MODERN: &str = "2026-07-28";
/// So many seconds a question may be open.
const WAIT: &str = "3600";
const NO_METHOD: i32 = -32601;

/// Serves a client over two streams until it has nothing more to say.
pub fn serve(input: impl Read, mut output: impl Write) {
    let mut lines = Lines::new(input, message::LONGEST);
    loop {
        let answer = match lines.wait() {
            Line::End => return,
            Line::TooLong(_) => Some(replies::refused(&Refused {
                id: None,
                code: message::NO_REQUEST,
                why: MessageError::TooLongHere,
            })),
            Line::Whole(line) => match message::read(&line) {
                Ok(Some(Said::Request(id, method, params))) => Some(answer(&id, &method, &params)),
                Ok(_) => None,
                Err(refused) => Some(replies::refused(&refused)),
            },
        };
        if answer.is_some_and(|answer| {
            output
                .write_all(&answer)
                .and_then(|()| output.flush())
                .is_err()
        }) {
            return;
        }
    }
}

fn answer(id: &Id, method: &str, params: &Node) -> Vec<u8> {
    let meta = params
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    let is_modern = meta.is_some();
    let result = match method {
        "initialize" => Ok(begin(params)),
        "server/discover" => Ok(discover()),
        "ping" => Ok(Node::map::<String>([])),
        "tools/list" => Ok(Node::map([("tools", tools())])),
        CALL => call(params),
        _ => Err((NO_METHOD, MessageError::UnknownMethod(method.to_owned()))),
    };
    match result {
        Ok(result) => {
            let kind = is_modern.then(|| ("resultType".to_owned(), Node::text("complete")));
            let result = Node::map(
                kind.into_iter().chain(
                    result
                        .entries()
                        .iter()
                        .map(|entry| (entry.key.clone(), entry.node.clone())),
                ),
            );
            let mut line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}",
                id.json(),
                json::write(&result)
            )
            .into_bytes();
            line.push(b'\n');
            line
        }
        Err((code, why)) => replies::refused(&Refused {
            id: Some(id.clone()),
            code,
            why,
        }),
    }
}

fn about() -> Node {
    Node::map([
        ("name", Node::text("sayso")),
        ("version", Node::text(env!("CARGO_PKG_VERSION"))),
    ])
}

fn capabilities() -> Node {
    Node::map([("tools", Node::map::<String>([]))])
}

fn begin(params: &Node) -> Node {
    let wanted = params
        .get("protocolVersion")
        .and_then(Node::as_text)
        .unwrap_or_default();
    let version = VERSIONS
        .iter()
        .find(|version| **version == wanted)
        .copied()
        .unwrap_or(NEWEST);
    Node::map([
        ("protocolVersion", Node::text(version)),
        ("capabilities", capabilities()),
        ("serverInfo", about()),
    ])
}

fn discover() -> Node {
    let versions: Node = Value::List(vec![Node::text(MODERN)]).into();
    Node::map([
        ("supportedVersions", versions),
        ("capabilities", capabilities()),
        ("serverInfo", about()),
    ])
}

fn tools() -> Node {
    let tool = |name: &str,
                description: &str,
                properties: &[(&str, &str)],
                required: &[&str],
                reads: bool| {
        let property = |(name, kind): &(&str, &str)| {
            (name.to_string(), Node::map([("type", Node::text(*kind))]))
        };
        let names: Node =
            Value::List(required.iter().map(|name| Node::text(*name)).collect()).into();
        let schema = Node::map([
            ("type", Node::text("object")),
            ("properties", Node::map(properties.iter().map(property))),
            ("required", names),
        ]);
        Node::map([
            ("name", Node::text(name)),
            ("description", Node::text(description)),
            ("inputSchema", schema),
            (
                "annotations",
                Node::map([("readOnlyHint", Node::from(Value::Bool(reads)))]),
            ),
        ])
    };
    let all = vec![
        tool(
            "approve",
            "Whether a call of a tool may run, for `--permission-prompt-tool`: judged by the policy, and asked of the person where it has to be.",
            &[
                ("tool_name", "string"),
                ("input", "object"),
                ("tool_use_id", "string"),
            ],
            &["tool_name", "input"],
            false,
        ),
        tool(
            "explain",
            "What sayso would say to a command, and why. Nothing runs.",
            &[("command", "string")],
            &["command"],
            true,
        ),
        tool(
            "rules",
            "The rules that were learned from answers.",
            &[],
            &[],
            true,
        ),
    ];
    Value::List(all).into()
}

fn call(params: &Node) -> Result<Node, (i32, MessageError)> {
    let (name, arguments) =
        message::tool_call(&mut params.clone()).map_err(|why| (BAD_PARAMS, why))?;
    let text = |key: &str| arguments.get(key).and_then(Node::as_text);
    match name.as_str() {
        "approve" => Ok(result(&json::write(&approve(&arguments)), false)),
        "explain" => {
            let command = text("command").ok_or((BAD_PARAMS, MessageError::Missing("command")))?;
            Ok(told(&["check", "--json", "--", command]))
        }
        "rules" => Ok(told(&["rules", "list", "--json"])),
        _ => Err((
            BAD_PARAMS,
            MessageError::UnknownTool(sayso_core::text::visible::visible(&name).into_owned()),
        )),
    }
}

fn result(text: &str, is_error: bool) -> Node {
    let content: Node = Value::List(vec![Node::map([
        ("type", Node::text("text")),
        ("text", Node::text(text)),
    ])])
    .into();
    Node::map([
        ("content", content),
        ("isError", Node::from(Value::Bool(is_error))),
    ])
}

/// What another process of sayso says.
fn told(words: &[&str]) -> Node {
    match ask(words, b"", &[]) {
        Ok(done) if !done.out.trim().is_empty() => result(done.out.trim(), false),
        Ok(done) if done.succeeded => result("nothing", false),
        Ok(done) => result(done.error.trim(), true),
        Err(why) => result(&format!("sayso: {why}"), true),
    }
}

/// What another process of sayso left.
struct Asked {
    out: String,
    error: String,
    succeeded: bool,
}

/// Why another process of sayso could not be asked.
#[derive(Debug, Error)]
enum AskError {
    #[error("sayso cannot find itself: {0}")]
    Itself(io::Error),
    #[error("it could not be asked: {0}")]
    NotAsked(io::Error),
    #[error("it did not answer: {0}")]
    NoAnswer(io::Error),
}

/// Runs sayso with words and an input.
fn ask(words: &[&str], input: &[u8], variables: &[(&str, &str)]) -> Result<Asked, AskError> {
    let own = std::env::current_exe().map_err(AskError::Itself)?;
    let mut command = Command::new(own);
    command
        .args(words)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(AskError::NotAsked)?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that reads nothing has answered already.
        let _ = stdin.write_all(input);
    }
    let done = child.wait_with_output().map_err(AskError::NoAnswer)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Asked {
        out: text(&done.stdout),
        error: text(&done.stderr),
        succeeded: done.status.success(),
    })
}

/// The answer for an agent that asks before it does something: what its hook would be told. Everything but a plain yes is a no.
fn approve(arguments: &Node) -> Node {
    let deny = |why: &str| {
        Node::map([
            ("behavior", Node::text("deny")),
            ("message", Node::text(why)),
        ])
    };
    let (Some(tool), Some(input)) = (arguments.get("tool_name"), arguments.get("input")) else {
        return deny("sayso: `tool_name` or `input` is missing; nothing was changed");
    };
    let folder = std::env::current_dir()
        .ok()
        .and_then(|folder| folder.to_str().map(str::to_owned))
        .unwrap_or_default();
    let session = std::env::var("CLAUDE_CODE_SESSION_ID")
        .unwrap_or_else(|_| format!("mcp-server-{}", std::process::id()));
    let event = Node::map([
        ("hook_event_name", Node::text("PreToolUse")),
        ("session_id", Node::text(session)),
        ("cwd", Node::text(&folder)),
        ("tool_name", tool.clone()),
        ("tool_input", input.clone()),
        (
            "tool_use_id",
            arguments
                .get("tool_use_id")
                .cloned()
                .unwrap_or_else(|| Value::Null.into()),
        ),
    ]);
    // Nobody sits in front of whoever asks here, so no dialog of its own can ask.
    let project = std::env::var("CLAUDE_PROJECT_DIR").unwrap_or(folder);
    let around = [
        ("CLAUDE_CODE_SESSION_ATTENDED", "0"),
        ("CLAUDE_PROJECT_DIR", project.as_str()),
    ];
    let Asked { out, error, .. } = match ask(
        &["hook", "claude", "--wait", WAIT],
        json::write(&event).as_bytes(),
        &around,
    ) {
        Ok(said) => said,
        Err(why) => return deny(&format!("sayso: {why}; nothing was changed")),
    };
    let node = json::read(&out, &Limits::default()).ok();
    let said = node
        .as_ref()
        .and_then(|node| node.get("hookSpecificOutput"));
    let text = |key: &str| said.and_then(|said| said.get(key)).and_then(Node::as_text);
    match text("permissionDecision") {
        Some("allow") => {
            let updated = said
                .and_then(|said| said.get("updatedInput"))
                .unwrap_or(input)
                .clone();
            Node::map([("behavior", Node::text("allow")), ("updatedInput", updated)])
        }
        Some(_) => deny(text("permissionDecisionReason").unwrap_or("sayso: denied")),
        None => deny(
            Some(error.trim())
                .filter(|error| !error.is_empty())
                .unwrap_or("sayso: it could not be judged; nothing was changed"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let mut out = Vec::new();
        serve(line.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn it_speaks_both_eras_and_refuses_what_it_does_not_know() {
        let begun = said(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}\n",
        );
        assert!(
            begun.contains("\"protocolVersion\":\"2025-06-18\"") && !begun.contains("resultType"),
            "{begun}"
        );
        let newer = said(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2099-01-01\"}}\n",
        );
        assert!(newer.contains("2025-11-25"), "{newer}");
        let meta = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}";
        let found = said(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{{{meta}}}}}\n"
        ));
        assert!(
            found.contains("\"resultType\":\"complete\"") && found.contains(MODERN),
            "{found}"
        );
        let list = said("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
        assert!(
            ["approve", "explain", "rules"]
                .iter()
                .all(|name| list.contains(&format!("\"name\":\"{name}\""))),
            "{list}"
        );
        assert!(said("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n").contains("-32601"));
        assert!(said("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}\n").contains("-32602"));
        assert!(
            said("x\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
                .contains("-32700")
        );
    }
}
