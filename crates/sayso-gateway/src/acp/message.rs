//! What an agent says: which requests are judged, and how a request for permission is read, in both shapes that there are.

use sayso_core::text::node::{Node, Value};

use crate::rpc::message;
pub(super) use crate::rpc::message::{
    BAD_PARAMS, Id, LONGEST, MessageError, NO_REQUEST, Refused, Said,
};
use crate::rpc::message::{Judged, spelled};

/// The agent wants a yes of the person.
pub(super) const PERMISSION: &str = "session/request_permission";
/// The agent has the editor write a file.
pub(super) const WRITE: &str = "fs/write_text_file";
/// The agent has the editor read a file.
pub(super) const READ: &str = "fs/read_text_file";
/// The agent has the editor run a command.
pub(super) const TERMINAL: &str = "terminal/create";

const JUDGED: Judged = Judged {
    methods: &[PERMISSION, WRITE, READ, TERMINAL],
    keys: &[
        "sessionId",
        "toolCall",
        "options",
        "title",
        "description",
        "subject",
        "path",
        "content",
        "line",
        "limit",
        "command",
        "args",
        "env",
        "cwd",
        "outputByteLimit",
        "_meta",
    ],
};
/// What is asked of a terminal that was judged when it was made.
const OF_TERMINALS: [&str; 4] = [
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
];
/// What touches the machine, by whatever name a later protocol or an editor of its own has for it.
const TOUCHES: [&str; 2] = ["fs", "terminal"];
const TOOL_CALL_KEYS: [&str; 8] = [
    "toolCallId",
    "title",
    "kind",
    "status",
    "rawInput",
    "content",
    "locations",
    "_meta",
];
const SUBJECT_KEYS: [&str; 6] = ["type", "toolCall", "toolCallId", "command", "cwd", "_meta"];
const CONTENT_KEYS: [&str; 6] = ["type", "path", "oldText", "newText", "content", "_meta"];

/// Reads a line. Blank ones are none of ours and have no message.
///
/// # Errors
/// Whatever an editor might read differently.
pub(super) fn read(line: &[u8]) -> Result<Option<Said>, Refused> {
    message::read(line, &JUDGED)
}

/// Whether a request is judged.
pub(super) fn is_judged(method: &str) -> bool {
    let names = |part: &str| TOUCHES.iter().any(|name| part.eq_ignore_ascii_case(name));
    let touches =
        method.contains('/') && method.split('/').any(names) && !OF_TERMINALS.contains(&method);
    touches || method == PERMISSION
}

/// A request for permission.
#[derive(Clone, Debug)]
pub(super) struct Permission {
    /// What kind of tool it is, by the agent's own program.
    pub kind: String,
    /// What the agent calls it.
    pub title: String,
    /// The arguments of the tool; none where the agent gives none.
    pub input: Option<Node>,
    /// Files that it is about, with their new text.
    pub diffs: Vec<(String, String)>,
    /// Files that it is about.
    pub paths: Vec<String>,
    /// All of it, for the person.
    pub shown: Node,
}

/// The text under a key.
pub(super) fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::as_text)
}

/// Reads a request for permission: of the first version by its tool call, of the second by its subject.
///
/// # Errors
/// What is missing, of another kind, or could be read in two ways.
pub(super) fn permission(params: &Node) -> Result<Permission, MessageError> {
    let (call, subject) = (given(params, "toolCall"), given(params, "subject"));
    match (call, subject) {
        (Some(_), Some(_)) => Err(MessageError::TwoSubjects),
        (Some(call), None) => of_tool_call(call, text(params, "title")),
        (None, Some(subject)) => of_subject(subject, params),
        // A question of the second version that names nothing.
        (None, None) => match text(params, "title") {
            Some(title) => Ok(unknown(title, without_options(params))),
            None => Err(MessageError::NoSubject),
        },
    }
}

/// A value that is there and not null.
fn given<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    node.get(key)
        .filter(|node| !matches!(node.value, Value::Null))
}

fn without_options(params: &Node) -> Node {
    let kept = params
        .entries()
        .iter()
        .filter(|entry| !matches!(entry.key.as_str(), "options" | "sessionId" | "_meta"));
    Node::map(kept.map(|entry| (entry.key.clone(), entry.node.clone())))
}

fn unknown(title: &str, shown: Node) -> Permission {
    Permission {
        kind: "other".to_owned(),
        title: title.to_owned(),
        input: None,
        diffs: Vec::new(),
        paths: Vec::new(),
        shown,
    }
}

fn of_subject(subject: &Node, params: &Node) -> Result<Permission, MessageError> {
    spelled(subject, &SUBJECT_KEYS)?;
    let title = text(params, "title").ok_or(MessageError::Missing("title"))?;
    if given(subject, "toolCall").is_some() && given(subject, "command").is_some() {
        return Err(MessageError::TwoKinds);
    }
    match text(subject, "type") {
        Some("tool_call") => of_tool_call(
            given(subject, "toolCall").ok_or(MessageError::Missing("subject.toolCall"))?,
            Some(title),
        ),
        Some("command") => {
            let command =
                text(subject, "command").ok_or(MessageError::NoText("subject.command"))?;
            let cwd = given(subject, "cwd").map(|cwd| ("cwd", cwd.clone()));
            let input = Node::map([("command", Node::text(command))].into_iter().chain(cwd));
            Ok(Permission {
                kind: "execute".to_owned(),
                input: Some(input),
                ..unknown(title, without_options(params))
            })
        }
        // Whatever a later protocol has there: it is shown whole, and nothing in it counts.
        Some(_) => Ok(unknown(title, without_options(params))),
        None => Err(MessageError::NoText("subject.type")),
    }
}

fn of_tool_call(call: &Node, title: Option<&str>) -> Result<Permission, MessageError> {
    let Value::Map(_) = call.value else {
        return Err(MessageError::NoObject("toolCall", call.kind_word()));
    };
    spelled(call, &TOOL_CALL_KEYS)?;
    let kind = match given(call, "kind") {
        None => "other",
        Some(kind) => kind
            .as_text()
            .ok_or(MessageError::NoText("toolCall.kind"))?,
    };
    let title = text(call, "title").or(title).unwrap_or_default();
    let (mut diffs, mut paths) = (Vec::new(), Vec::new());
    for content in given(call, "content").map(Node::items).unwrap_or_default() {
        spelled(content, &CONTENT_KEYS)?;
        match (
            text(content, "type"),
            text(content, "path"),
            text(content, "newText"),
        ) {
            (Some("diff"), Some(path), Some(new)) => diffs.push((path.to_owned(), new.to_owned())),
            (Some("diff"), path, _) => paths.extend(path.map(str::to_owned)),
            _ => {}
        }
    }
    for location in given(call, "locations")
        .map(Node::items)
        .unwrap_or_default()
    {
        paths.extend(text(location, "path").map(str::to_owned));
    }
    let shown = call
        .entries()
        .iter()
        .filter(|entry| !matches!(entry.key.as_str(), "toolCallId" | "status" | "_meta"));
    let shown = Node::map(shown.map(|entry| (entry.key.clone(), entry.node.clone())));
    Ok(Permission {
        kind: kind.to_owned(),
        title: title.to_owned(),
        input: given(call, "rawInput").cloned(),
        diffs,
        paths,
        shown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sayso_core::text::{Limits, json};

    fn of(text: &str) -> Result<Permission, MessageError> {
        permission(&json::read(text, &Limits::default()).unwrap())
    }

    #[test]
    fn both_shapes_say_the_same() {
        let first = of(r#"{"toolCall":{"toolCallId":"c","title":"t","kind":"execute","rawInput":{"command":"ls"}}}"#).unwrap();
        let second = of(
            r#"{"title":"Run?","subject":{"type":"tool_call","toolCall":{"toolCallId":"c","title":"t","kind":"execute","rawInput":{"command":"ls"}}}}"#,
        )
        .unwrap();
        let command =
            of(r#"{"title":"t","subject":{"type":"command","command":"ls","toolCallId":"c"}}"#)
                .unwrap();
        for permission in [first, second, command] {
            assert_eq!(
                (permission.kind.as_str(), permission.title.as_str()),
                ("execute", "t")
            );
            assert_eq!(
                permission
                    .input
                    .as_ref()
                    .and_then(|input| text(input, "command")),
                Some("ls")
            );
        }
        let later = of(r#"{"title":"t","subject":{"type":"_odd","command":"ls"}}"#).unwrap();
        assert_eq!(
            (later.kind.as_str(), later.input.is_none()),
            ("other", true),
            "nothing in an unknown subject counts"
        );
        assert!(of(r#"{"title":"t"}"#).unwrap().input.is_none());
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for text in [
            r#"{"toolCall":{"title":"t"},"subject":{"type":"command","command":"ls"}}"#,
            r#"{"toolCall":{"title":"t","rawInput":{},"raw_input":{"command":"x"}}}"#,
            r#"{"toolCall":{"kind":7}}"#,
            r#"{"toolCall":[]}"#,
            r#"{"title":"t","subject":{"command":"ls"}}"#,
            r#"{"title":"t","subject":{"type":"command","command":"ls","toolCall":{"title":"t"}}}"#,
            r#"{"title":"t","subject":{"type":"command","Command":"ls","command":"x"}}"#,
            r#"{"toolCall":{"content":[{"type":"diff","path":"a","Path":"b"}]}}"#,
            "{}",
        ] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_touches_the_machine_is_judged_by_whatever_name() {
        for method in [
            PERMISSION,
            WRITE,
            READ,
            TERMINAL,
            "fs/delete",
            "Fs/remove",
            "terminal/run",
            "TERMINAL/run",
            "_zed.dev/terminal/create",
            "_vendor/fs",
        ] {
            assert!(is_judged(method), "{method}");
        }
        for method in
            OF_TERMINALS
                .into_iter()
                .chain(["session/update", "_vendor/notes", "fs", "fsx/read"])
        {
            assert!(!is_judged(method), "{method}");
        }
    }
}
