//! What the arguments of an MCP tool name: paths, commands and addresses become effects, so that the rules for those hold there, too.
//!
//! A tool of a server stays a black box: what is found here only comes on top. Names and values are what it is found by, and where they
//! leave a doubt, more is taken for a path, a command or an address than less.

mod names;

use std::borrow::Cow;

use crate::analysis::draft::{Draft, Opaque};
use crate::analysis::effect::{Effect, EffectKind, Manner, Target};
use crate::analysis::tool_effects::{place, unknown_arguments};
use crate::analysis::tool_paths::decoded;
use crate::call::mcp_meaning::Meaning;
use crate::call::operation::Operation;
use crate::call::tool::Role;
use crate::call::url::Url;
use crate::text::node::{Node, Value};
use names::{ADDRESSES, COMMANDS, DELETERS, MOVERS, PATHS, READERS, SOURCES, TEXTS, WRITERS};

/// So many values are looked at; a call with more is asked about.
const MOST_VALUES: usize = 10_000;
/// So many effects a call can have by its arguments.
const MOST_EFFECTS: usize = 256;
/// A longer text is no path that is only told by its looks.
const LONGEST_PATH: usize = 4096;

/// The effects of a call of an MCP tool, its arguments among them; not those of a command, which the reader of commands finds.
pub fn add(draft: &mut Draft, operation: &Operation) {
    let server = operation.text(Role::Server).unwrap_or_default().to_owned();
    let tool = operation
        .text(Role::ServerTool)
        .unwrap_or_default()
        .to_owned();
    let target = Target::McpTool {
        server,
        tool: tool.clone(),
    };
    draft.effects.push(
        match operation
            .mcp()
            .is_some_and(|identity| identity.is_described_whole)
        {
            true => Effect {
                manner: Manner {
                    known_program: true,
                    ..Manner::default()
                },
                ..Effect::new(EffectKind::Run, target)
            },
            false => Effect {
                target,
                ..Effect::unknown("a tool of an MCP server is a black box")
            },
        },
    );
    let verbs = words(&tool);
    let before = draft.effects.len();
    let whole = each_text(operation, &mut |found| {
        if draft.effects.len() - before < MOST_EFFECTS {
            one(draft, operation, &verbs, &found);
        } else {
            draft.opaque = Some(too_much(
                "it names more files and addresses than can be looked at",
            ));
        }
    });
    if !whole {
        draft.opaque = Some(too_much("it has more arguments than can be looked at"));
    }
    draft.effects.extend(unknown_arguments(operation));
}

/// The commands that a call of an MCP tool names, one below the other, as a shell would get them.
pub fn commands(operation: &Operation) -> Option<String> {
    if operation.kind() != crate::call::tool::Kind::Mcp {
        return None;
    }
    let mut out: Vec<String> = Vec::new();
    each_text(operation, &mut |found| {
        if found.meaning(operation) == Some(Meaning::Runs) && !found.text.trim().is_empty() {
            let more = found.beside.map_or(String::new(), arguments_of);
            out.push(format!("{}{more}", found.text));
        }
    });
    (!out.is_empty()).then(|| out.join("\n"))
}

/// The arguments that stand beside a command in a list of their own, each as one word.
fn arguments_of(beside: &Node) -> String {
    let list = ["args", "arguments", "argv"]
        .into_iter()
        .find_map(|key| beside.get(key));
    list.map_or(&[][..], Node::items)
        .iter()
        .map(quoted)
        .collect()
}

/// A value as one more word of a command.
fn quoted(word: &Node) -> String {
    match &word.value {
        Value::Text(text) | Value::Number(text) => format!(" '{}'", text.replace('\'', "'\\''")),
        // What it becomes is not known.
        _ => " \"$1\"".to_owned(),
    }
}

/// A text among the arguments.
struct Found<'a> {
    /// Its name with those above it: `options.path`.
    name: String,
    /// Its own name, folded; that of its list for an item.
    key: String,
    text: Cow<'a, str>,
    /// The object it stands in.
    beside: Option<&'a Node>,
}

/// Calls with every text of the arguments; false if there are too many.
fn each_text<'a>(operation: &'a Operation, see: &mut dyn FnMut(Found<'a>)) -> bool {
    let Some(arguments) = operation.argument(Role::Arguments) else {
        return true;
    };
    let mut open: Vec<(String, String, &Node, Option<&Node>)> =
        vec![(String::new(), String::new(), arguments, None)];
    let mut seen = 0usize;
    while let Some((name, key, node, beside)) = open.pop() {
        seen += 1;
        if seen > MOST_VALUES {
            return false;
        }
        match &node.value {
            Value::Text(text) => see(Found {
                name,
                key,
                text: Cow::Borrowed(text),
                beside,
            }),
            // A command can come as its words.
            Value::List(items) if COMMANDS.contains(&key.as_str()) => {
                see(Found {
                    name,
                    key,
                    text: Cow::Owned(
                        items
                            .iter()
                            .map(quoted)
                            .collect::<String>()
                            .trim_start()
                            .to_owned(),
                    ),
                    beside,
                });
            }
            Value::List(items) => open.extend(
                items
                    .iter()
                    .rev()
                    .map(|item| (name.clone(), key.clone(), item, beside)),
            ),
            Value::Map(entries) => open.extend(entries.iter().rev().map(|entry| {
                let name = if name.is_empty() {
                    entry.key.clone()
                } else {
                    format!("{name}.{}", entry.key)
                };
                (name, folded(&entry.key), &entry.node, Some(node))
            })),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    true
}

impl Found<'_> {
    /// What it means: as the person has described it, or by its name and its looks. None where nothing tells.
    fn meaning(&self, operation: &Operation) -> Option<Meaning> {
        let given = operation
            .mcp()
            .map_or(&[][..], |identity| &identity.meanings);
        if let Some((_, meaning)) = given.iter().find(|(name, _)| *name == self.name) {
            return Some(*meaning);
        }
        let key = self.key.as_str();
        if COMMANDS.contains(&key) {
            return Some(Meaning::Runs);
        }
        if has_scheme(&self.text) {
            return Some(if file_of(&self.text).is_some() {
                Meaning::Touches
            } else {
                Meaning::Connects
            });
        }
        if TEXTS.contains(&key) {
            return None;
        }
        if ADDRESSES.contains(&key) {
            return Some(Meaning::Connects);
        }
        let named = PATHS.contains(&key)
            || ["path", "file", "dir", "directory", "folder", "filename"]
                .iter()
                .any(|end| key.ends_with(end));
        (named && !self.text.is_empty() || looks_like_path(&self.text)).then_some(Meaning::Touches)
    }
}

fn one(draft: &mut Draft, operation: &Operation, verbs: &[String], found: &Found<'_>) {
    let Some(meaning) = found.meaning(operation) else {
        return;
    };
    let described = operation.mcp().is_some_and(|identity| {
        identity
            .meanings
            .iter()
            .any(|(name, _)| *name == found.name)
    });
    let manner = Manner {
        argument: true,
        ..Manner::default()
    };
    let write = Manner {
        file_tool: described,
        ..manner
    };
    let recursive = found
        .beside
        .and_then(|beside| beside.get("recursive"))
        .is_some_and(|node| node.as_bool() != Some(false));
    let file = file_of(&found.text);
    let path = file.as_deref().unwrap_or(&found.text);
    let is = |list: &[&str]| verbs.iter().any(|verb| list.contains(&verb.as_str()));
    let from = SOURCES.contains(&found.key.as_str());
    match meaning {
        Meaning::Data | Meaning::Runs => {}
        Meaning::Connects => connect(draft, &found.text, manner),
        Meaning::Reads => place(
            draft,
            path,
            EffectKind::Read,
            Manner {
                recursive,
                ..manner
            },
        ),
        Meaning::Writes => place(draft, path, EffectKind::Write, write),
        Meaning::Deletes => place(
            draft,
            path,
            EffectKind::Delete,
            Manner { recursive, ..write },
        ),
        Meaning::MovesAway => place(
            draft,
            path,
            EffectKind::Write,
            Manner {
                moved_away: true,
                recursive: true,
                ..write
            },
        ),
        Meaning::Touches if is(DELETERS) => place(
            draft,
            path,
            EffectKind::Delete,
            Manner { recursive, ..write },
        ),
        Meaning::Touches if is(MOVERS) && from => {
            place(
                draft,
                path,
                EffectKind::Write,
                Manner {
                    moved_away: true,
                    recursive: true,
                    ..write
                },
            );
        }
        Meaning::Touches if is(&["copy", "cp"]) && from => place(
            draft,
            path,
            EffectKind::Read,
            Manner {
                recursive: true,
                ..manner
            },
        ),
        Meaning::Touches if is(WRITERS) || is(MOVERS) => {
            place(draft, path, EffectKind::Write, write)
        }
        Meaning::Touches if is(READERS) => place(
            draft,
            path,
            EffectKind::Read,
            Manner {
                recursive,
                ..manner
            },
        ),
        // Nobody knows which of both it is.
        Meaning::Touches => {
            let before = draft.effects.len();
            place(draft, path, EffectKind::Read, manner);
            place(draft, path, EffectKind::Write, manner);
            draft
                .effects
                .iter_mut()
                .skip(before)
                .for_each(|effect| effect.certain = false);
        }
    }
}

fn connect(draft: &mut Draft, written: &str, manner: Manner) {
    draft.effects.push(match Url::parse(written) {
        Ok(url) => Effect {
            manner,
            ..Effect::new(EffectKind::Connect, Target::Url(url))
        },
        Err(why) => Effect {
            manner,
            note: Some(why.0),
            ..Effect::new(EffectKind::Connect, Target::Host(written.to_owned()))
        },
    });
}

/// The path of a `file:` address, with its escapes written out.
fn file_of(text: &str) -> Option<Cow<'_, str>> {
    let rest = text
        .trim()
        .get(..5)
        .filter(|start| start.eq_ignore_ascii_case("file:"))
        .and_then(|_| text.trim().get(5..))?;
    let path = rest
        .strip_prefix("//localhost/")
        .and_then(|_| rest.get(11..))
        .or_else(|| rest.strip_prefix("//"))
        .unwrap_or(rest);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some(if path.contains('%') {
        Cow::Owned(decoded(path))
    } else {
        Cow::Borrowed(path)
    })
}

fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://").or_else(|| {
        text.split_once(':')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file"))
    }) else {
        return false;
    };
    (2..=20).contains(&scheme.len())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn looks_like_path(text: &str) -> bool {
    let starts = [
        "/",
        "~",
        "./",
        "../",
        "$HOME",
        "${HOME",
        "$env:",
        "%USERPROFILE%",
        "%HOME%",
        "$XDG_",
    ];
    let starts =
        starts.iter().any(|start| text.starts_with(start)) || text == ".." || text.contains("/../");
    starts && text.len() <= LONGEST_PATH && !text.contains('\n')
}

/// A name without what only parts its words.
fn folded(key: &str) -> String {
    key.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The words of a name like `read_file`, `read-file` or `readFile`.
fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && before.is_lowercase() {
            out.push(String::new());
        }
        if let Some(last) = out.last_mut().filter(|_| letter.is_alphanumeric()) {
            last.extend(letter.to_lowercase());
        }
        before = letter;
    }
    out.retain(|word| !word.is_empty());
    out
}

fn too_much(why: &str) -> Opaque {
    Opaque {
        reason: why.to_owned(),
        start: 0,
        end: 0,
        seen: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::operation::{Call, McpIdentity};
    use crate::text::{Limits, json};

    fn operation(tool: &str, arguments: &str, identity: McpIdentity) -> Operation {
        let arguments = json::read(arguments, &Limits::default()).unwrap();
        let args = Node::map([
            ("server", Node::text("s")),
            ("tool", Node::text(tool)),
            ("arguments", arguments),
        ]);
        Operation::freeze(Call {
            mcp: Some(identity),
            ..Call::new("mcp", args, "/ws")
        })
        .unwrap()
    }

    /// The effects behind the black box, in short.
    fn effects(tool: &str, arguments: &str) -> Vec<String> {
        let mut draft = Draft::default();
        add(
            &mut draft,
            &operation(tool, arguments, McpIdentity::default()),
        );
        let target = |target: &Target| match target {
            Target::Path(place) => place.written.clone(),
            Target::UnknownPath(written) | Target::Host(written) => written.clone(),
            Target::Url(url) => url.host.clone(),
            other => format!("{other:?}"),
        };
        draft
            .effects
            .iter()
            .skip(1)
            .map(|effect| format!("{} {}", effect.kind.word(), target(&effect.target)))
            .collect()
    }

    #[test]
    fn paths_and_addresses_are_found_by_name_and_by_looks() {
        for (tool, arguments, expected) in [
            (
                "write_file",
                r#"{"path":".env","content":"/etc/passwd"}"#,
                &["write .env"][..],
            ),
            ("readFile", r#"{"filePath":"a"}"#, &["read a"]),
            (
                "read_multiple_files",
                r#"{"paths":["a","/etc/shadow"]}"#,
                &["read a", "read /etc/shadow"],
            ),
            (
                "move_file",
                r#"{"source":"a","destination":"b"}"#,
                &["write a", "write b"],
            ),
            (
                "copy",
                r#"{"from":"/a","to":"/b"}"#,
                &["read /a", "write /b"],
            ),
            ("delete", r#"{"target":"/a"}"#, &["delete /a"]),
            (
                "frobnicate",
                r#"{"x":{"y":"../z"}}"#,
                &["read ../z", "write ../z"],
            ),
            (
                "fetch",
                r#"{"url":"https://a.example/x"}"#,
                &["connect a.example"],
            ),
            (
                "go",
                r#"{"q":"ftp://a.example"}"#,
                &["connect ftp://a.example"],
            ),
            (
                "read_resource",
                r#"{"uri":"file:///etc/passwd"}"#,
                &["read /etc/passwd"],
            ),
            (
                "read_resource",
                r#"{"uri":"file:///etc/p%61sswd"}"#,
                &["read /etc/passwd"],
            ),
            ("add", r#"{"a":1,"b":"plain words"}"#, &[]),
            ("say", r#"{"message":"/help me","n":true}"#, &[]),
        ] {
            assert_eq!(effects(tool, arguments), expected, "{tool} {arguments}");
        }
    }

    #[test]
    fn t09_a_command_is_one_text_with_its_arguments() {
        let commands =
            |arguments: &str| commands(&operation("x", arguments, McpIdentity::default()));
        assert_eq!(
            commands(r#"{"command":"rm -rf /"}"#).as_deref(),
            Some("rm -rf /")
        );
        assert_eq!(
            commands(r#"{"command":"rm","args":["-rf","a b'c"]}"#).as_deref(),
            Some(r"rm '-rf' 'a b'\''c'")
        );
        assert_eq!(
            commands(r#"{"o":{"cmd":"a"},"script":"b"}"#).as_deref(),
            Some("a\nb")
        );
        assert_eq!(
            commands(r#"{"command":["rm","-rf","/"]}"#).as_deref(),
            Some("'rm' '-rf' '/'")
        );
        assert_eq!(commands(r#"{"content":"rm"}"#), None);
    }

    #[test]
    fn what_the_person_has_described_counts_and_not_the_guess() {
        let identity = McpIdentity {
            meanings: vec![
                ("path".into(), Meaning::Reads),
                ("q".into(), Meaning::Runs),
                ("url".into(), Meaning::Data),
            ],
            is_described_whole: true,
            ..McpIdentity::default()
        };
        let operation = operation(
            "write_it",
            r#"{"path":"a","q":"ls","url":"https://a.example"}"#,
            identity,
        );
        let mut draft = Draft::default();
        add(&mut draft, &operation);
        let kinds: Vec<&str> = draft
            .effects
            .iter()
            .map(|effect| effect.kind.word())
            .collect();
        assert_eq!(kinds, ["run", "read"]);
        assert_eq!(commands(&operation).as_deref(), Some("ls"));
    }

    #[test]
    fn a_call_with_more_than_can_be_looked_at_is_opaque() {
        let many: Vec<String> = (0..400).map(|number| format!("\"/{number}\"")).collect();
        let mut draft = Draft::default();
        add(
            &mut draft,
            &operation(
                "read",
                &format!("{{\"paths\":[{}]}}", many.join(",")),
                McpIdentity::default(),
            ),
        );
        assert!(draft.opaque.is_some());
    }
}
