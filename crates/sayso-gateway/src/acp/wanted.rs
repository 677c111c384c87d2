//! What a request of an agent comes to: calls that are judged, and beside them what it may also mean, which can only forbid.

use std::path::Path;

use sayso_core::paths::join;
use sayso_core::text::node::{Node, Value};
use sayso_shell::quote;

use super::answered::What;
use super::message::{MessageError, Permission, READ, TERMINAL, WRITE, text};

/// A tool and its arguments.
#[derive(Clone, Debug)]
pub(super) struct One {
    pub tool: String,
    pub args: Node,
}

/// What a request comes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// All of these have to be allowed. The first of them stands for the request.
    pub calls: Vec<One>,
    /// What it may mean besides, by texts that say nothing for sure: a denial of one of these, or a danger, counts, and nothing else.
    pub perhaps: Vec<One>,
    /// The files that are written, with their new text, so that a yes to them is known again.
    pub writes: Vec<(String, String)>,
    /// The command with its folder and its variables, for the same.
    pub command: Option<What>,
}

/// Names of the argument that is a file.
const PATHS: [&str; 6] = [
    "path",
    "file_path",
    "filepath",
    "filePath",
    "absolute_path",
    "abs_path",
];
/// Arguments of an edit besides its file: they say what is new in it, which the request shows as a difference.
const OF_EDITS: [&str; 12] = [
    "diff",
    "content",
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "old_text",
    "new_text",
    "replace_all",
    "replaceAll",
    "description",
    "instruction",
];
/// Arguments of a read besides its file.
const OF_READS: [&str; 5] = ["offset", "limit", "line", "start_line", "end_line"];
/// Arguments of a fetch besides its address.
const OF_FETCHES: [&str; 3] = ["format", "timeout", "prompt"];
/// Arguments of a command besides its text: those that change nothing of what runs, and the folder.
const OF_COMMANDS: [&str; 4] = ["description", "timeout", "cwd", "workdir"];

fn one(tool: &str, args: impl IntoIterator<Item = (&'static str, Node)>) -> One {
    One {
        tool: tool.to_owned(),
        args: Node::map(args),
    }
}

fn command(text: &str, cwd: Option<&str>) -> One {
    let cwd = cwd.map(|cwd| ("cwd", Node::text(cwd)));
    one(
        "terminal",
        [("command", Node::text(text))].into_iter().chain(cwd),
    )
}

fn write(path: &str, content: &str) -> One {
    one(
        "file_write",
        [("path", Node::text(path)), ("content", Node::text(content))],
    )
}

/// A call of a tool that nobody knows.
fn unknown(name: &str, args: Node) -> One {
    One {
        tool: format!(
            "acp:{}",
            name.chars()
                .filter(|sign| !sign.is_whitespace())
                .take(64)
                .collect::<String>()
        ),
        args,
    }
}

/// Whatever stands in some arguments, found by its names and looks.
fn by_looks(agent: &str, name: &str, args: &Node) -> One {
    let is_plain = !name.is_empty()
        && name.len() <= 64
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    // A name that is none must not keep anybody from looking.
    let name = if is_plain { name } else { "other" };
    one(
        "mcp",
        [
            ("server", Node::text(agent)),
            ("tool", Node::text(name)),
            ("arguments", args.clone()),
        ],
    )
}

impl Wanted {
    /// What a request to the editor comes to.
    ///
    /// # Errors
    /// What is missing, of another kind, or could be read in two ways.
    pub(super) fn of_request(
        agent: &str,
        method: &str,
        params: &Node,
        folder: &str,
    ) -> Result<Wanted, MessageError> {
        match method {
            WRITE => {
                let (path, content) = (
                    absolute(params, "path")?,
                    text(params, "content").ok_or(MessageError::NoText("content"))?,
                );
                let writes = vec![(path.to_owned(), content.to_owned())];
                Ok(Wanted {
                    calls: vec![write(path, content)],
                    writes,
                    ..Wanted::default()
                })
            }
            READ => Ok(Wanted {
                calls: vec![one(
                    "file_read",
                    [("path", Node::text(absolute(params, "path")?))],
                )],
                ..Wanted::default()
            }),
            TERMINAL => terminal(params, folder),
            // A way to the machine that is not known yet.
            method => {
                let name = method.replace('/', "-");
                Ok(Wanted {
                    calls: vec![unknown(&name, params.clone())],
                    perhaps: vec![by_looks(agent, &name, params)],
                    ..Wanted::default()
                })
            }
        }
    }

    /// The same where only the person can tell which yes is meant: a rule for what is done says nothing of that, and only its denials count.
    pub(super) fn for_the_person(self, shown: Node) -> Wanted {
        let perhaps = self.calls.into_iter().chain(self.perhaps).collect();
        Wanted {
            calls: vec![unknown("choice", shown)],
            perhaps,
            writes: self.writes,
            command: self.command,
        }
    }

    /// What a request for permission comes to.
    pub(super) fn of_permission(agent: &str, permission: &Permission, folder: &str) -> Wanted {
        let known = permission
            .input
            .as_ref()
            .and_then(|input| known(permission, input, folder));
        if let Some(known) = known {
            return Wanted {
                writes: permission.diffs.clone(),
                ..known
            };
        }
        let mut perhaps: Vec<One> = permission
            .diffs
            .iter()
            .map(|(path, new)| write(path, new))
            .collect();
        let other = permission
            .paths
            .iter()
            .filter(|path| permission.diffs.iter().all(|(known, _)| known != *path));
        perhaps.extend(other.filter_map(|path| touched(&permission.kind, path)));
        perhaps.extend(
            permission
                .input
                .as_ref()
                .map(|input| by_looks(agent, &permission.kind, input)),
        );
        perhaps.extend(by_title(permission));
        let calls = vec![unknown(&permission.kind, permission.shown.clone())];
        Wanted {
            calls,
            perhaps,
            writes: permission.diffs.clone(),
            command: None,
        }
    }
}

/// What is done to a file, by the kind of a tool.
fn touched(kind: &str, path: &str) -> Option<One> {
    match kind {
        "edit" => Some(write(path, "")),
        "delete" | "move" => Some(one("file_delete", [("path", Node::text(path))])),
        "read" | "search" => Some(one("file_read", [("path", Node::text(path))])),
        _ => None,
    }
}

/// What a title may mean: a command, where the tool runs one, or the name of a tool.
fn by_title(permission: &Permission) -> Vec<One> {
    let title = permission.title.trim().trim_matches('`');
    let is_name = !title.is_empty()
        && title.len() <= 128
        && title
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte));
    let mut all = Vec::new();
    if permission.kind == "execute" && permission.input.is_none() && !title.is_empty() {
        all.push(command(title, None));
        // Some put words behind the command.
        all.extend(
            title
                .split_once(" [")
                .into_iter()
                .chain(title.split_once(" ("))
                .map(|(start, _)| command(start, None)),
        );
    }
    match sayso_runtime::mcp_servers::name::split_mcp(title) {
        Some((server, tool)) => all.push(by_looks(
            server,
            tool,
            permission
                .input
                .as_ref()
                .unwrap_or(&Node::map::<String>([])),
        )),
        None if is_name && permission.kind != "execute" => {
            all.push(One {
                tool: title.to_owned(),
                args: Node::map::<String>([]),
            });
        }
        None => {}
    }
    all
}

/// A tool by its kind and the arguments that are known; none where one of them could mean anything.
fn known(permission: &Permission, input: &Node, session: &str) -> Option<Wanted> {
    let Value::Map(entries) = &input.value else {
        return None;
    };
    // What comes with differences changes files, whatever its kind says.
    if permission.kind != "edit" && !permission.diffs.is_empty() {
        return None;
    }
    let only = |names: &[&str], others: &[&str]| {
        let named: Vec<&Node> = entries
            .iter()
            .filter(|entry| names.contains(&entry.key.as_str()))
            .map(|entry| &entry.node)
            .collect();
        let all = entries.iter().all(|entry| {
            names.contains(&entry.key.as_str()) || others.contains(&entry.key.as_str())
        });
        if let ([only], true) = (named.as_slice(), all) {
            Some(*only)
        } else {
            None
        }
    };
    match permission.kind.as_str() {
        "execute" => {
            let given = only(&["command", "cmd"], &OF_COMMANDS)?;
            let text = match &given.value {
                Value::Text(text) => text.clone(),
                Value::List(words) => quote(
                    &words
                        .iter()
                        .map(|word| word.as_text().map(str::to_owned))
                        .collect::<Option<Vec<_>>>()?,
                ),
                _ => return None,
            };
            let folder = match (input.get("cwd"), input.get("workdir")) {
                (None, None) => None,
                (Some(folder), None) | (None, Some(folder)) => {
                    Some(folder.as_text().filter(|folder| folder.starts_with('/'))?)
                }
                _ => return None,
            };
            let what = What::command(&text, folder.unwrap_or(session), None);
            // A yes to other words than the command is none to the command.
            let command_shown = permission.title.contains(text.as_str()).then_some(what);
            Some(Wanted {
                calls: vec![command(&text, folder)],
                command: command_shown,
                ..Wanted::default()
            })
        }
        "edit" => {
            let path = only(&PATHS, &OF_EDITS)?.as_text()?;
            let is_this = |other: &str| other == path;
            // What is written is known only from the differences; each file that is named has to have one.
            let shown = permission.diffs.iter().all(|(other, _)| is_this(other))
                && permission.paths.iter().all(|other| is_this(other));
            let (_, new) = permission
                .diffs
                .first()
                .filter(|_| shown && permission.diffs.len() == 1 && path.starts_with('/'))?;
            Some(Wanted {
                calls: vec![write(path, new)],
                ..Wanted::default()
            })
        }
        "read" => {
            let path = only(&PATHS, &OF_READS)?
                .as_text()
                .filter(|path| path.starts_with('/'))?;
            if permission.paths.iter().any(|other| other != path) {
                return None;
            }
            Some(Wanted {
                calls: vec![one("file_read", [("path", Node::text(path))])],
                ..Wanted::default()
            })
        }
        "fetch" => {
            let url = only(&["url"], &OF_FETCHES)?.as_text()?;
            Some(Wanted {
                calls: vec![one("webfetch", [("url", Node::text(url))])],
                ..Wanted::default()
            })
        }
        _ => None,
    }
}

/// A path as the protocol wants it; of a relative one nobody knows where the editor begins.
fn absolute<'a>(params: &'a Node, key: &'static str) -> Result<&'a str, MessageError> {
    let path = text(params, key).ok_or(MessageError::NoText(key))?;
    if path.starts_with('/') {
        Ok(path)
    } else {
        Err(MessageError::NotAbsolute(key))
    }
}

/// A command for the editor. Some editors start the program with its arguments, others give all of it to a shell, so that both have to be allowed.
fn terminal(params: &Node, folder: &str) -> Result<Wanted, MessageError> {
    let program = text(params, "command")
        .filter(|command| !command.trim().is_empty())
        .ok_or(MessageError::NoText("command"))?;
    let words = |node: &Node| {
        node.items()
            .iter()
            .map(|word| word.as_text().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    };
    let is_null = |key: &str| {
        params
            .get(key)
            .is_none_or(|node| matches!(node.value, Value::Null))
    };
    let args = match params.get("args").filter(|_| !is_null("args")) {
        None => Vec::new(),
        Some(
            node @ Node {
                value: Value::List(_),
                ..
            },
        ) => words(node).ok_or(MessageError::Argument)?,
        Some(node) => return Err(MessageError::NoList("args", node.kind_word())),
    };
    let cwd = if is_null("cwd") {
        None
    } else {
        Some(absolute(params, "cwd")?)
    };
    let environment = environment(params, is_null("env"))?;
    let joined = std::iter::once(program)
        .chain(args.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ");
    let quoted = quote(
        &std::iter::once(program.to_owned())
            .chain(args.iter().cloned())
            .collect::<Vec<_>>(),
    );
    let stands_there = program.contains(char::is_whitespace)
        && Path::new(&join(cwd.unwrap_or(folder), program))
            .symlink_metadata()
            .is_ok();
    let mut readings = vec![joined.clone()];
    if joined != quoted && (!args.is_empty() || stands_there) {
        readings.push(quoted);
    }
    let calls = readings.iter().map(|reading| {
        let mut call = command(reading, cwd);
        let Value::Map(entries) = &mut call.args.value else {
            return call;
        };
        let more = environment.iter().map(|node| ("env", node.clone()));
        let says = readings
            .iter()
            .find(|other| *other != reading)
            .map(|other| {
                (
                    "description",
                    Node::text(format!(
                        "the editor may also read it as `{}`",
                        sayso_core::text::visible::visible(other)
                    )),
                )
            });
        entries.extend(Node::map(more.chain(says)).entries().iter().cloned());
        call
    });
    // With two readings, nobody can tell which of them a yes was to.
    let what = What::command(&joined, cwd.unwrap_or(folder), environment.as_ref());
    Ok(Wanted {
        calls: calls.collect(),
        command: Some(what).filter(|_| readings.len() == 1),
        ..Wanted::default()
    })
}

/// The variables of a command; a name that stands twice could mean either.
fn environment(params: &Node, is_null: bool) -> Result<Option<Node>, MessageError> {
    let Some(node) = params.get("env").filter(|_| !is_null) else {
        return Ok(None);
    };
    let Value::List(items) = &node.value else {
        return Err(MessageError::NoList("env", node.kind_word()));
    };
    let mut all: Vec<(String, Node)> = Vec::new();
    for item in items {
        crate::rpc::message::spelled(item, &["name", "value", "_meta"])?;
        let (name, value) = text(item, "name")
            .zip(text(item, "value"))
            .ok_or(MessageError::Variable)?;
        if all.iter().any(|(known, _)| known == name) {
            let name = sayso_core::text::visible::visible(name);
            return Err(MessageError::VariableTwice(name.into_owned()));
        }
        all.push((name.to_owned(), Node::text(value)));
    }
    Ok((!all.is_empty()).then(|| Node::map(all)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acp::message::permission;
    use sayso_core::text::{Limits, json};

    fn node(text: &str) -> Node {
        json::read(text, &Limits::default()).unwrap()
    }

    fn asked(call: &str) -> Vec<String> {
        let wanted = Wanted::of_permission(
            "a",
            &permission(&node(&format!("{{\"toolCall\":{call}}}"))).unwrap(),
            "/",
        );
        wanted.calls.iter().map(|one| one.tool.clone()).collect()
    }

    #[test]
    fn only_what_is_known_whole_is_a_tool_of_ours() {
        for (call, tool) in [
            (
                r#"{"kind":"execute","rawInput":{"command":"ls"}}"#,
                "terminal",
            ),
            (
                r#"{"kind":"execute","rawInput":{"command":["ls","-l"],"cwd":"/x","description":"d"}}"#,
                "terminal",
            ),
            (
                r#"{"kind":"execute","rawInput":{"command":"ls","shell":"zsh"}}"#,
                "acp:execute",
            ),
            (
                r#"{"kind":"execute","rawInput":{"command":"ls","cmd":"rm x"}}"#,
                "acp:execute",
            ),
            (
                r#"{"kind":"execute","rawInput":{"command":"ls","cwd":"/a","workdir":"/b"}}"#,
                "acp:execute",
            ),
            (
                r#"{"kind":"execute","rawInput":{"command":["ls",7]}}"#,
                "acp:execute",
            ),
            (
                r#"{"kind":"execute","rawInput":{"command":"ls","cwd":"x"}}"#,
                "acp:execute",
            ),
            (r#"{"kind":"execute","rawInput":"ls"}"#, "acp:execute"),
            (r#"{"kind":"execute","title":"ls"}"#, "acp:execute"),
            (
                r#"{"kind":"execute","title":"ls","rawInput":null}"#,
                "acp:execute",
            ),
            (r#"{"kind":"read","rawInput":{"command":"ls"}}"#, "acp:read"),
            (
                r#"{"kind":"read","rawInput":{"file_path":"/a"}}"#,
                "file_read",
            ),
            (
                r#"{"kind":"read","rawInput":{"file_path":"a"}}"#,
                "acp:read",
            ),
            (
                r#"{"kind":"edit","rawInput":{"filepath":"/a","diff":""},"content":[{"type":"diff","path":"/a","newText":"x"}]}"#,
                "file_write",
            ),
            (
                r#"{"kind":"edit","rawInput":{"filepath":"/a","diff":""},"content":[{"type":"diff","path":"/b","newText":"x"}]}"#,
                "acp:edit",
            ),
            (
                r#"{"kind":"edit","rawInput":{"filepath":"/a"},"content":[{"type":"diff","path":"/a","newText":"x"},{"type":"diff","path":"/a","newText":"y"}]}"#,
                "acp:edit",
            ),
            (
                r#"{"kind":"edit","rawInput":{"filepath":"/a"},"locations":[{"path":"/b"}],"content":[{"type":"diff","path":"/a","newText":"x"}]}"#,
                "acp:edit",
            ),
            (
                r#"{"kind":"edit","rawInput":{"filepath":"/a","diff":""}}"#,
                "acp:edit",
            ),
            (
                r#"{"kind":"edit","rawInput":{"filepath":"/a","mode":"0777"},"content":[{"type":"diff","path":"/a","newText":"x"}]}"#,
                "acp:edit",
            ),
            (
                r#"{"kind":"fetch","rawInput":{"url":"https://a.example","format":"text"}}"#,
                "webfetch",
            ),
            (
                r#"{"kind":"fetch","rawInput":{"url":"https://a.example","method":"POST"}}"#,
                "acp:fetch",
            ),
            (
                r#"{"kind":"delete","rawInput":{"path":"/a"}}"#,
                "acp:delete",
            ),
            (
                r#"{"kind":"terminal","rawInput":{"command":"ls"}}"#,
                "acp:terminal",
            ),
            (r#"{"rawInput":{"command":"ls"}}"#, "acp:other"),
        ] {
            assert_eq!(asked(call), [tool], "{call}");
        }
    }

    #[test]
    fn a_command_with_arguments_has_two_readings() {
        let of = |text: &str| Wanted::of_request("a", TERMINAL, &node(text), "/nowhere");
        let commands = |wanted: Wanted| {
            wanted
                .calls
                .iter()
                .map(|one| {
                    one.args
                        .get("command")
                        .and_then(Node::as_text)
                        .unwrap_or_default()
                        .to_owned()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            commands(of(r#"{"command":"ls -l | wc"}"#).unwrap()),
            ["ls -l | wc"]
        );
        assert_eq!(
            commands(of(r#"{"command":"ls","args":["-l","a"]}"#).unwrap()),
            ["ls -l a"]
        );
        let both = commands(of(r#"{"command":"echo","args":["a; rm b"]}"#).unwrap());
        assert_eq!(both.len(), 2);
        assert_eq!(both[0], "echo a; rm b");
        for bad in [
            "{}",
            r#"{"command":" "}"#,
            r#"{"command":["ls"]}"#,
            r#"{"command":"ls","args":"-l"}"#,
            r#"{"command":"ls","args":[1]}"#,
            r#"{"command":"ls","cwd":"x"}"#,
            r#"{"command":"ls","env":{"A":"b"}}"#,
            r#"{"command":"ls","env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}"#,
            r#"{"command":"ls","env":[{"name":"A"}]}"#,
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
        assert!(
            Wanted::of_request("a", WRITE, &node(r#"{"path":"x","content":""}"#), "/").is_err()
        );
        assert!(Wanted::of_request("a", READ, &node(r#"{"path":["/x"]}"#), "/").is_err());
    }
}
