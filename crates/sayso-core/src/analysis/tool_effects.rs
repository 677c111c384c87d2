//! What every tool but the shell would do: arguments in, effects and questions out.

use crate::analysis::draft::{Draft, Opaque};
use crate::analysis::effect::{Effect, EffectKind, Manner, Place, Target};
use crate::analysis::fact::{Question, Search};
use crate::analysis::tool_paths::{Alternative, alternatives, odd_to_change};
use crate::call::operation::Operation;
use crate::call::tool::{Kind, Role};
use crate::call::url::Url;
use crate::paths::alternatives_of;
use crate::paths::{Odd, odd};
use crate::text::node::{Node, Value};

/// The draft of an operation that is no shell command.
pub fn draft(operation: &Operation) -> Draft {
    let mut draft = Draft::default();
    let tool_write = Manner {
        file_tool: true,
        ..Manner::default()
    };
    match operation.kind() {
        Kind::FileRead => path(
            &mut draft,
            operation,
            Role::Path,
            EffectKind::Read,
            Manner::default(),
        ),
        Kind::FileGrep | Kind::List => {
            // Listing names is not reading what is in the files, but a search is, and both may go deep.
            let recursive =
                operation.kind() == Kind::FileGrep || operation.args().get("recursive").is_some();
            folder(
                &mut draft,
                operation,
                Manner {
                    recursive,
                    ..Manner::default()
                },
            );
            let below = operation
                .text(Role::Path)
                .filter(|text| !text.is_empty())
                .unwrap_or(".");
            // A refused spelling is no question: it could say something else to the world.
            if operation.kind() == Kind::FileGrep && odd(below).is_none() {
                draft.ask_search(
                    below,
                    Search {
                        hidden: true,
                        ignored: true,
                        ..Search::default()
                    },
                    Vec::new(),
                );
            }
            let patterns = NAMES_OF_SEARCH
                .iter()
                .filter_map(|key| operation.args().get(key));
            if operation.kind() == Kind::FileGrep && patterns.into_iter().any(may_climb) {
                draft.effects.push(Effect::unknown(
                    "the pattern of names may climb out of the folder that is searched",
                ));
            }
        }
        Kind::Glob => glob(&mut draft, operation),
        Kind::FileWrite
        | Kind::FileEdit
        | Kind::FileCreate
        | Kind::FileAppend
        | Kind::FileInsertAfter
        | Kind::FileInsertBefore => path(
            &mut draft,
            operation,
            Role::Path,
            EffectKind::Write,
            tool_write,
        ),
        Kind::FileCreateOverwrite => {
            path(
                &mut draft,
                operation,
                Role::Path,
                EffectKind::Write,
                Manner {
                    overwrite: true,
                    ..tool_write
                },
            );
        }
        Kind::FileDelete => path(
            &mut draft,
            operation,
            Role::Path,
            EffectKind::Delete,
            tool_write,
        ),
        Kind::FileRmdir => {
            // Only a plain `false` says that a full folder stays; anything else may mean the opposite.
            let recursive = operation
                .args()
                .get("recursive")
                .is_some_and(|node| node.as_bool() != Some(false));
            path(
                &mut draft,
                operation,
                Role::Path,
                EffectKind::Delete,
                Manner {
                    recursive,
                    ..tool_write
                },
            );
        }
        Kind::FileMkdir => path(
            &mut draft,
            operation,
            Role::Path,
            EffectKind::Write,
            Manner {
                makes_folder: true,
                ..tool_write
            },
        ),
        Kind::FileMove => {
            let away = Manner {
                moved_away: true,
                recursive: true,
                ..tool_write
            };
            path(&mut draft, operation, Role::From, EffectKind::Write, away);
            path(
                &mut draft,
                operation,
                Role::To,
                EffectKind::Write,
                tool_write,
            );
        }
        Kind::FileCopy => {
            path(
                &mut draft,
                operation,
                Role::From,
                EffectKind::Read,
                Manner {
                    recursive: true,
                    ..Manner::default()
                },
            );
            path(
                &mut draft,
                operation,
                Role::To,
                EffectKind::Write,
                tool_write,
            );
        }
        Kind::WebFetch => fetch(&mut draft, operation),
        Kind::Mcp => crate::analysis::mcp_arguments::add(&mut draft, operation),
        Kind::Delegate => delegate(&mut draft, operation),
        Kind::AgentCreate => {
            let name = operation.text(Role::Agent).unwrap_or_default();
            let mut effect = Effect::new(EffectKind::Run, Target::Agent(name.to_owned()));
            effect.note = Some("makes a new agent".into());
            draft.effects.push(effect);
        }
        Kind::ShareFile => {
            path(
                &mut draft,
                operation,
                Role::Path,
                EffectKind::Read,
                Manner::default(),
            );
            let name = operation.text(Role::Agent).unwrap_or_default();
            let mut effect = Effect::new(EffectKind::Run, Target::Agent(name.to_owned()));
            effect.note = Some("hands a file to another agent".into());
            draft.effects.push(effect);
        }
        Kind::Custom => draft.effects.push(Effect {
            target: Target::Tool(operation.tool().to_owned()),
            ..Effect::unknown("sayso does not know this tool")
        }),
        // The shell has a reader of its own; a draft from here would be empty, so it says that it does not know.
        Kind::Terminal | Kind::Opaque => draft.opaque = Some(opaque("the call could not be read")),
    }
    draft.effects.extend(unknown_arguments(operation));
    draft
}

/// What the other arguments of a shell call do: change the environment, or nobody knows what.
pub fn beside_command(operation: &Operation) -> Vec<Effect> {
    let mut effects: Vec<Effect> = unknown_arguments(operation).collect();
    for (name, _) in operation
        .environment()
        .iter()
        .filter(|(name, value)| !is_harmless_variable(name, value))
        .take(MOST_NAMED)
    {
        let mut effect = Effect::new(EffectKind::Environment, Target::Nothing);
        effect.note = Some(format!("sets the environment variable `{name}`"));
        effects.push(effect);
    }
    effects
}

/// Variables that only change how output looks. Some of them can name files, so a value that looks like a path is not harmless.
pub fn is_harmless_variable(name: &str, value: &str) -> bool {
    let plain = value.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || b"_.@+,-".contains(&byte) || byte == b'/' && name == "TZ"
    });
    let inside = !value.starts_with('/') && !value.contains("..");
    let known = matches!(
        name,
        "LANG" | "TZ" | "NO_COLOR" | "CLICOLOR" | "FORCE_COLOR" | "COLUMNS" | "LINES" | "TERM"
    );
    plain
        && inside
        && (known
            || name.starts_with("LC_")
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
}

/// So many arguments that nobody knows are named; of more, a person learns nothing new.
const MOST_NAMED: usize = 8;

pub(crate) fn unknown_arguments(operation: &Operation) -> impl Iterator<Item = Effect> {
    let word = operation.kind().word();
    operation
        .unknown_arguments()
        .take(MOST_NAMED)
        .map(move |key| {
            Effect::unknown(format!(
                "`{word}` has no argument `{key}`, so it may mean anything"
            ))
        })
}

fn path(draft: &mut Draft, operation: &Operation, role: Role, kind: EffectKind, manner: Manner) {
    match operation.text(role) {
        Some(text) => place(draft, text, kind, manner),
        None => draft
            .effects
            .push(Effect::unknown("the call names no path")),
    }
}

/// One path as a file tool will open it, by every reading that it may have.
pub(crate) fn place(draft: &mut Draft, written: &str, kind: EffectKind, manner: Manner) {
    let changes = matches!(kind, EffectKind::Write | EffectKind::Delete);
    match odd(written) {
        Some(Odd::Ask(why)) => {
            draft.opaque = Some(opaque(why));
            draft.effects.push(Effect {
                manner,
                ..Effect::new(kind, Target::UnknownPath(written.to_owned()))
            });
        }
        // A refused spelling never reaches the file system: the judge denies it by this effect.
        Some(Odd::Refuse(why)) => {
            draft.effects.push(Effect {
                manner,
                note: Some(why.to_owned()),
                ..Effect::new(kind, Target::UnknownPath(written.to_owned()))
            });
            return;
        }
        None => {
            let target = asked(draft, written.to_owned(), kind, manner);
            draft.effects.push(Effect {
                manner,
                ..Effect::new(kind, target)
            });
            if let Some(why) = odd_to_change(written).filter(|_| changes) {
                draft.opaque = Some(opaque(why));
            }
        }
    }
    for alternative in alternatives(written) {
        let (target, maybe_option) = match alternative {
            Alternative::Path(path) => (asked(draft, path, kind, manner), false),
            Alternative::AsSeen(path) => (asked(draft, path, kind, manner), true),
            Alternative::Pattern(pattern) => {
                let question = draft.ask(Question::Names {
                    pattern,
                    parted: false,
                });
                (
                    Target::Path(Place {
                        written: written.to_owned(),
                        question,
                        fact: None,
                    }),
                    true,
                )
            }
        };
        draft.effects.push(Effect {
            certain: false,
            manner: Manner {
                maybe_option,
                ..manner
            },
            ..Effect::new(kind, target)
        });
    }
}

/// A path that the world is asked about.
fn asked(draft: &mut Draft, path: String, kind: EffectKind, manner: Manner) -> Target {
    // Deleting and moving act on a link itself, everything else on what it leads to.
    let no_follow = kind == EffectKind::Delete || manner.moved_away;
    let question = draft.ask(Question::Path {
        path: path.clone(),
        no_follow,
    });
    Target::Path(Place {
        written: path,
        question,
        fact: None,
    })
}

fn folder(draft: &mut Draft, operation: &Operation, manner: Manner) {
    place(
        draft,
        operation
            .text(Role::Path)
            .filter(|text| !text.is_empty())
            .unwrap_or("."),
        EffectKind::Read,
        manner,
    );
}

/// Whether a part of a pattern may stand for the folder above: `..` itself, or wild signs that some let match a dot.
fn may_be_above(part: &str) -> bool {
    let mut letters = part.chars();
    let wild = |letter: Option<char>| letter.is_some_and(|letter| "*?[@+!({\\".contains(letter));
    match letters.next() {
        Some('.') => part.starts_with("..") || wild(letters.next()),
        Some('[') => part.contains('.'),
        _ => part.contains(".."),
    }
}

/// What a search calls its patterns of names.
const NAMES_OF_SEARCH: [&str; 4] = ["include", "glob", "file_pattern", "include_pattern"];

/// Whether a pattern of names, or one of several, may be more than names below a folder: some programs put it behind the folder and look for
/// whatever fits.
fn may_climb(node: &Node) -> bool {
    // Some take several patterns in one text.
    let several = |pattern: &str| {
        pattern.split([',', ' ', '|', '(', ')']).any(|pattern| {
            pattern
                .trim_start_matches('!')
                .starts_with(['/', '~', '\\', '$'])
                || pattern.split('/').any(may_be_above)
        })
    };
    match (&node.value, node.as_text()) {
        (_, Some(text)) => {
            text.contains("..")
                || alternatives_of(text).map_or(true, |patterns| {
                    patterns.iter().any(|pattern| several(pattern))
                })
        }
        (Value::List(items), None) => items.iter().any(may_climb),
        (Value::Null, None) => false,
        _ => true,
    }
}

/// A pattern of names reads the folder before its first wildcard, which need not be in the workspace.
fn glob(draft: &mut Draft, operation: &Operation) {
    let base = operation
        .text(Role::Path)
        .filter(|text| !text.is_empty())
        .unwrap_or(".");
    let pattern = operation.text(Role::NamePattern).unwrap_or_default();
    // Braces can hold whole paths: each choice is judged as a pattern of its own.
    match alternatives_of(pattern) {
        Ok(patterns) => patterns
            .iter()
            .for_each(|pattern| one_glob(draft, base, pattern)),
        Err(_) => draft.effects.push(Effect::unknown(
            "the pattern has braces that cannot be read",
        )),
    }
}

fn one_glob(draft: &mut Draft, base: &str, pattern: &str) {
    let (start, wild) = start_of_glob(base, pattern);
    if pattern.starts_with(['~', '$', '%', '@']) {
        draft.effects.push(Effect::unknown(
            "the start of the pattern may mean another folder, such as the home",
        ));
        place(
            draft,
            start_of_glob("", pattern).0.trim_start_matches('/'),
            EffectKind::Read,
            Manner::default(),
        );
    }
    // In the last place it would be no more than a name.
    let folders = wild.split_last().map_or(&[][..], |(_, folders)| folders);
    if wild.iter().any(|part| part.contains("..")) || folders.iter().any(|part| may_be_above(part))
    {
        draft.effects.push(Effect::unknown(
            "the pattern climbs out of the folder it names",
        ));
    }
    place(draft, &start, EffectKind::Read, Manner::default());
}

/// The folder that a pattern without choices starts from, and its parts from the first wild one on. It is read below `base`, and alone if it
/// is absolute. What is judged and what is looked through is this one folder.
pub fn start_of_glob<'p>(base: &str, pattern: &'p str) -> (String, Vec<&'p str>) {
    let is_wild = |part: &&str| part.contains(['*', '?', '[', '{', '(', '!']);
    let fixed: Vec<&str> = pattern
        .split('/')
        .take_while(|part| !is_wild(part))
        .collect();
    let wild = pattern.split('/').skip(fixed.len()).collect();
    let fixed = fixed.join("/");
    let start = match (pattern.starts_with('/'), fixed.is_empty()) {
        (true, true) => "/".to_owned(),
        (true, false) => fixed,
        (false, true) => base.to_owned(),
        (false, false) => format!("{base}/{fixed}"),
    };
    (start, wild)
}

fn fetch(draft: &mut Draft, operation: &Operation) {
    let written = operation.text(Role::Url).unwrap_or_default();
    draft.effects.push(match Url::parse(written) {
        Ok(url) => Effect::new(EffectKind::Connect, Target::Url(url)),
        Err(why) => Effect {
            note: Some(why.0),
            ..Effect::new(EffectKind::Connect, Target::Host(written.to_owned()))
        },
    });
}

fn delegate(draft: &mut Draft, operation: &Operation) {
    let name = operation.text(Role::Agent).unwrap_or_default();
    draft
        .effects
        .push(Effect::new(EffectKind::Run, Target::Agent(name.to_owned())));
    let attachments = operation
        .argument(Role::Attachments)
        .map_or(&[][..], |node| node.items());
    for attachment in attachments {
        place(
            draft,
            attachment.as_text().unwrap_or_default(),
            EffectKind::Read,
            Manner::default(),
        );
    }
}

fn opaque(reason: &str) -> Opaque {
    Opaque {
        reason: reason.to_owned(),
        start: 0,
        end: 0,
        seen: Vec::new(),
    }
}
