//! The answers of the world as an entry keeps them: short, and read again by the questions they belong to.
//!
//! An answer says of itself only what is not usual. A path is a text of letters (`f` file, `d` folder, `m` missing, `l` link, `v` device,
//! `c` pipe or socket; `r` root's, `o` somebody else's; `w` others can write it; `i` no case; `y` ignored by git, `n` no repository,
//! `u` unknown), then `:` and where it is, unless that is where it was written. The size of a file and the values of git's settings are
//! left out: no verdict depends on them.

use sayso_core::analysis::fact::{
    BelowFact, Fact, GitFact, GitHelper, GitHelperKind, GitScope, Ignored, Link, NamesFact, Owner,
    PathFact, PathKind, ProgramFact, Question, SettingsFact, from_home,
};
use sayso_core::paths::join;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

const KINDS: [(char, PathKind); 6] = [
    ('f', PathKind::File),
    ('d', PathKind::Folder),
    ('m', PathKind::Missing),
    ('l', PathKind::Link),
    ('v', PathKind::Device),
    ('c', PathKind::Channel),
];

const HELPERS: [(char, GitHelperKind); 9] = [
    ('p', GitHelperKind::Program),
    ('h', GitHelperKind::Hook),
    ('f', GitHelperKind::Fetch),
    ('b', GitHelperKind::Bare),
    ('o', GitHelperKind::Outside),
    ('s', GitHelperKind::Stash),
    ('l', GitHelperKind::Login),
    ('t', GitHelperKind::Untracked),
    ('u', GitHelperKind::Unknown),
];

/// Where paths start that are not written from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct From<'a> {
    pub cwd: &'a str,
    pub home: Option<&'a str>,
}

/// A short name for a list of questions: another sayso may ask others, and then answers mean nothing.
pub(super) fn questions_name(questions: &[Question]) -> String {
    let digest = Digest::of_bytes(format!("{questions:?}").as_bytes()).hex();
    digest
        .iter()
        .take(12)
        .map(|byte| char::from(*byte))
        .collect()
}

/// One answer.
pub(super) fn pack(question: &Question, fact: Option<&Fact>, from: From<'_>) -> Node {
    match fact {
        None => Value::Null.into(),
        Some(Fact::Path(fact)) => pack_path(fact, usual(question, from).as_deref()),
        Some(Fact::Below(fact)) => {
            let mut fields = Vec::new();
            for (name, texts) in [("s", &fact.secrets), ("p", &fact.private), ("o", &fact.odd)] {
                if !texts.is_empty() {
                    fields.push((name, list(texts.iter().map(Node::text))));
                }
            }
            fields.extend(fact.incomplete.then(|| ("i", yes())));
            Node::map(fields)
        }
        Some(Fact::Names(fact)) => {
            let pairs = |pairs: &[(String, PathFact)]| {
                list(pairs.iter().map(|(name, fact)| {
                    list([
                        Node::text(name),
                        pack_path(fact, Some(&join(from.cwd, name))),
                    ])
                }))
            };
            let mut fields = vec![("f", pairs(&fact.files))];
            if !fact.links.is_empty() {
                fields.push(("l", pairs(&fact.links)));
            }
            fields.extend(fact.incomplete.then(|| ("i", yes())));
            Node::map(fields)
        }
        Some(Fact::Program(fact)) => {
            let mut flags = String::new();
            flags.extend(fact.changeable.then_some('c'));
            flags.extend(fact.inside_workspace.then_some('w'));
            match &fact.file {
                Some(file) if flags.is_empty() => Node::text(file),
                file => list([
                    file.as_ref().map_or_else(|| Value::Null.into(), Node::text),
                    Node::text(flags),
                ]),
            }
        }
        Some(Fact::Git(fact)) => match &fact.root {
            Some(root) if fact.helpers.is_empty() && !fact.incomplete => Node::text(root),
            root => {
                let mut fields: Vec<(&str, Node)> =
                    root.iter().map(|root| ("r", Node::text(root))).collect();
                if !fact.helpers.is_empty() {
                    fields.push(("h", list(fact.helpers.iter().map(pack_helper))));
                }
                fields.extend(fact.incomplete.then(|| ("i", yes())));
                Node::map(fields)
            }
        },
        Some(Fact::Settings(fact)) => fact.found.as_ref().map_or_else(yes, Node::text),
    }
}

/// The answer to a question; nothing where it is none to that question.
pub(super) fn unpack(
    question: &Question,
    node: &Node,
    from: From<'_>,
) -> Result<Option<Fact>, Unreadable> {
    if matches!(node.value, Value::Null) {
        return Ok(None);
    }
    let fact = match question {
        Question::Path { .. } => {
            unpack_path(node, usual(question, from).as_deref()).map(Fact::Path)
        }
        Question::Below { .. } | Question::Tracked { .. } => Some(Fact::Below(BelowFact {
            secrets: texts(node, "s"),
            private: texts(node, "p"),
            odd: texts(node, "o"),
            incomplete: is(node, "i"),
            tracked: matches!(question, Question::Tracked { .. }),
        })),
        Question::Names { .. } => unpack_names(node, from).map(Fact::Names),
        Question::Program { .. } => unpack_program(node).map(Fact::Program),
        Question::GitHelpers { .. } => unpack_git(node).map(Fact::Git),
        Question::Settings { .. } => match node.value {
            Value::Bool(true) => Some(Fact::Settings(SettingsFact { found: None })),
            _ => text_of(node).map(|file| Fact::Settings(SettingsFact { found: Some(file) })),
        },
    };
    fact.map(Some).ok_or(Unreadable)
}

/// An answer that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Where a path is if no link leads elsewhere.
fn usual(question: &Question, from: From<'_>) -> Option<String> {
    let Question::Path { path, .. } = question else {
        return None;
    };
    Some(join(from.cwd, &from_home(path, from.home)?))
}

fn pack_path(fact: &PathFact, usual: Option<&str>) -> Node {
    let mut text = String::new();
    text.extend(
        KINDS
            .iter()
            .find(|(_, kind)| *kind == fact.kind)
            .map(|(letter, _)| *letter),
    );
    text.extend(match fact.owner {
        Owner::Me => None,
        Owner::Root => Some('r'),
        Owner::Other => Some('o'),
    });
    text.extend(fact.writable_by_others.then_some('w'));
    text.extend(fact.closed_to_others.then_some('c'));
    text.extend(fact.case_insensitive.then_some('i'));
    text.extend(match fact.ignored {
        Ignored::No => None,
        Ignored::Yes => Some('y'),
        Ignored::NoRepository => Some('n'),
        Ignored::Unknown => Some('u'),
    });
    if usual != Some(fact.canonical.as_str()) {
        text.push(':');
        text.push_str(&fact.canonical);
    }
    if fact.hard_links == 1 && fact.links.is_empty() {
        return Node::text(text);
    }
    let link = |link: &Link| {
        list([
            Node::text(&link.at),
            Node::text(&link.to),
            Value::Bool(link.dangling).into(),
        ])
    };
    list([
        Node::text(text),
        Value::Number(fact.hard_links.to_string()).into(),
        list(fact.links.iter().map(link)),
    ])
}

fn unpack_path(node: &Node, usual: Option<&str>) -> Option<PathFact> {
    let (text, hard_links, links) = match node.items() {
        [] => (node.as_text()?, 1, Vec::new()),
        [text, hard_links, links] => {
            let link = |node: &Node| match node.items() {
                [at, to, dangling] => Some(Link {
                    at: text_of(at)?,
                    to: text_of(to)?,
                    dangling: dangling.as_bool()?,
                }),
                _ => None,
            };
            (
                text.as_text()?,
                hard_links.as_whole()?,
                links.items().iter().map(link).collect::<Option<_>>()?,
            )
        }
        _ => return None,
    };
    let (letters, canonical) = match text.split_once(':') {
        Some((letters, canonical)) => (letters, canonical),
        None => (text, usual?),
    };
    let first = letters.chars().next()?;
    let has = |letter: char| letters.chars().skip(1).any(|other| other == letter);
    Some(PathFact {
        canonical: canonical.to_owned(),
        links,
        kind: KINDS.iter().find(|(letter, _)| *letter == first)?.1,
        hard_links,
        owner: match () {
            () if has('r') => Owner::Root,
            () if has('o') => Owner::Other,
            () => Owner::Me,
        },
        writable_by_others: has('w'),
        closed_to_others: has('c'),
        case_insensitive: has('i'),
        ignored: match () {
            () if has('y') => Ignored::Yes,
            () if has('n') => Ignored::NoRepository,
            () if has('u') => Ignored::Unknown,
            () => Ignored::No,
        },
        size: None,
    })
}

fn unpack_names(node: &Node, from: From<'_>) -> Option<NamesFact> {
    let pairs = |key: &str| -> Option<Vec<(String, PathFact)>> {
        let pair = |node: &Node| match node.items() {
            [name, fact] => {
                let name = text_of(name)?;
                let fact = unpack_path(fact, Some(&join(from.cwd, &name)))?;
                Some((name, fact))
            }
            _ => None,
        };
        node.get(key)
            .map_or(&[][..], Node::items)
            .iter()
            .map(pair)
            .collect()
    };
    Some(NamesFact {
        files: pairs("f")?,
        links: pairs("l")?,
        incomplete: is(node, "i"),
    })
}

fn unpack_program(node: &Node) -> Option<ProgramFact> {
    let (file, flags) = match node.items() {
        [] => (Some(text_of(node)?), ""),
        [file, flags] => (file.as_text().map(str::to_owned), flags.as_text()?),
        _ => return None,
    };
    Some(ProgramFact {
        file,
        changeable: flags.contains('c'),
        inside_workspace: flags.contains('w'),
    })
}

fn pack_helper(helper: &GitHelper) -> Node {
    let mut flags = String::new();
    flags.extend(
        HELPERS
            .iter()
            .find(|(_, kind)| *kind == helper.kind)
            .map(|(letter, _)| *letter),
    );
    flags.extend((helper.scope == GitScope::Repository).then_some('R'));
    flags.extend(helper.on_read.then_some('O'));
    list([
        Node::text(&helper.name),
        Node::text(&helper.file),
        Node::text(flags),
    ])
}

fn unpack_git(node: &Node) -> Option<GitFact> {
    if let Some(root) = node.as_text() {
        return Some(GitFact {
            root: Some(root.to_owned()),
            helpers: Vec::new(),
            incomplete: false,
        });
    }
    let helper = |node: &Node| match node.items() {
        [name, file, flags] => {
            let flags = flags.as_text()?;
            let first = flags.chars().next()?;
            Some(GitHelper {
                name: text_of(name)?,
                value: String::new(),
                file: text_of(file)?,
                scope: if flags.contains('R') {
                    GitScope::Repository
                } else {
                    GitScope::Person
                },
                kind: HELPERS.iter().find(|(letter, _)| *letter == first)?.1,
                on_read: flags.contains('O'),
            })
        }
        _ => None,
    };
    let helpers = node
        .get("h")
        .map_or(&[][..], Node::items)
        .iter()
        .map(helper)
        .collect::<Option<_>>()?;
    Some(GitFact {
        root: node.get("r").and_then(text_of),
        helpers,
        incomplete: is(node, "i"),
    })
}

fn text_of(node: &Node) -> Option<String> {
    node.as_text().map(str::to_owned)
}

fn texts(node: &Node, key: &str) -> Vec<String> {
    node.get(key)
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(text_of)
        .collect()
}

fn is(node: &Node, key: &str) -> bool {
    node.get(key).and_then(Node::as_bool).unwrap_or(false)
}

fn list(items: impl IntoIterator<Item = Node>) -> Node {
    Value::List(items.into_iter().collect()).into()
}

fn yes() -> Node {
    Value::Bool(true).into()
}
