//! Names and values: every argument of a call as it stands, for tools that have no closer view.

use sayso_core::analysis::effect::Target;
use sayso_core::analysis::fact::{PathFact, PathKind};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::paths::join;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::json;
use sayso_core::text::node::{Entry, Node};
use sayso_core::text::visible::visible;

use super::{About, Made, size, target};

type Row = (String, String);

/// The presentation of a call by its arguments. They are the full ones: what a tool leaves out of its key is shown, too (H-67).
pub(super) fn make(about: About<'_>) -> Made {
    let mut rows = Vec::new();
    if let Some(description) = about.operation.words_of_tool() {
        rows.push((
            "the tool says".to_owned(),
            visible(description).into_owned(),
        ));
    }
    if matches!(about.operation.kind(), Kind::Custom | Kind::Opaque) {
        rows.push((
            "the tool".to_owned(),
            visible(about.operation.tool()).into_owned(),
        ));
    }
    let before = rows.len();
    for entry in about.operation.args().entries() {
        match role(about, &entry.key) {
            Some(Role::Arguments) => rows.extend(
                entry
                    .node
                    .entries()
                    .iter()
                    .map(|inner| row(&format!("{}.", entry.key), inner)),
            ),
            Some(Role::Attachments) => rows.extend(
                entry
                    .node
                    .items()
                    .iter()
                    .map(|item| attachment(about, item)),
            ),
            Some(Role::Url) => rows.extend(address(about, entry)),
            Some(
                Role::Path
                | Role::From
                | Role::To
                | Role::Agent
                | Role::Server
                | Role::ServerTool
                | Role::NamePattern,
            ) => {
                rows.push((
                    label(&entry.key),
                    visible(entry.node.as_text().unwrap_or_default()).into_owned(),
                ));
            }
            _ => rows.push(row("", entry)),
        }
    }
    if rows.len() == before {
        rows.push(("no arguments".to_owned(), String::new()));
    }
    if let Some(description) = about
        .operation
        .mcp()
        .and_then(|identity| identity.description.as_deref())
    {
        rows.push((
            "the server says of it".to_owned(),
            visible(description).into_owned(),
        ));
    }
    let mut made = Made::of(Body::Structured(rows));
    made.warnings.extend(replaced(about));
    made.warnings.extend(address_warning(about));
    if let Some(identity) = about.operation.mcp() {
        if identity.changed {
            made = made
                .warn("the server describes this tool in another way than when it was first seen");
        }
        made.warnings.extend(
            identity
                .warnings
                .iter()
                .map(|warning| visible(warning).into_owned()),
        );
    }
    made
}

/// What an argument means, by its name.
pub(super) fn role(about: About<'_>, key: &str) -> Option<Role> {
    let row = about.operation.kind().tool()?;
    row.arguments
        .iter()
        .find(|argument| argument.names.contains(&key))
        .map(|argument| argument.role)
}

/// One argument as JSON.
pub(super) fn row(before: &str, entry: &Entry) -> Row {
    (
        format!("{before}{}", label(&entry.key)),
        visible(&json::write(&entry.node)).into_owned(),
    )
}

/// The name of an argument. One that is no plain word is quoted, so that it cannot pass for one of our own labels.
pub(crate) fn label(key: &str) -> String {
    let plain = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain {
        key.to_owned()
    } else {
        visible(&json::quote(key)).into_owned()
    }
}

/// A file that goes along: which one it really is, its size, and who gets it.
fn attachment(about: About<'_>, item: &Node) -> Row {
    let written = item.as_text().unwrap_or_default();
    let receiver = visible(about.operation.text(Role::Agent).unwrap_or_default()).into_owned();
    let what = match target::place_of(about, written) {
        Some(fact) => format!("{}{}", visible(written), stands(about, written, fact)),
        None => format!(
            "{} (which file that is shows only when it runs)",
            visible(written)
        ),
    };
    (
        "attached file".to_owned(),
        format!("{what}, for {receiver}"),
    )
}

/// What stands at a path, in brackets: " (2.3 KB)", " (leads to /x, 2.3 KB)".
fn stands(about: About<'_>, written: &str, fact: &PathFact) -> String {
    let kind = match fact.kind {
        PathKind::Missing => "there is no such file".to_owned(),
        PathKind::Folder => "a folder".to_owned(),
        PathKind::Link => "a link".to_owned(),
        PathKind::Device | PathKind::Channel => "a device or a pipe".to_owned(),
        PathKind::File => {
            let bytes = fact.size.or_else(|| {
                about
                    .world
                    .content(&fact.canonical, 0)
                    .ok()
                    .flatten()
                    .map(|content| content.size)
            });
            bytes.map_or("a file".to_owned(), size::words)
        }
    };
    if fact.canonical == join(&about.operation.cwd(), written) {
        format!(" ({kind})")
    } else {
        format!(" (leads to {}, {kind})", visible(&fact.canonical))
    }
}

/// An address whole, and the host that is really asked.
fn address(about: About<'_>, entry: &Entry) -> Vec<Row> {
    let mut out = vec![(
        label(&entry.key),
        visible(entry.node.as_text().unwrap_or_default()).into_owned(),
    )];
    for effect in &about.reading.effects {
        match &effect.target {
            Target::Url(url) => {
                let own = matches!(
                    (url.scheme.as_str(), url.port),
                    ("http", 80) | ("https", 443)
                );
                let port = if own {
                    String::new()
                } else {
                    format!(", port {}", url.port)
                };
                let private = if url.is_private() {
                    " (this machine or a private network)"
                } else {
                    ""
                };
                out.push((
                    "the host".to_owned(),
                    format!("{}{port}{private}", visible(&url.host)),
                ));
            }
            Target::Host(_) => out.push(("the host".to_owned(), "cannot be told".to_owned())),
            _ => {}
        }
    }
    out
}

fn address_warning(about: About<'_>) -> Option<String> {
    if about.operation.kind() != Kind::WebFetch {
        return None;
    }
    about
        .reading
        .effects
        .iter()
        .find_map(|effect| match &effect.target {
            Target::Host(_) => Some(format!(
                "the address cannot be read in one way only: {}",
                visible(
                    effect
                        .note
                        .as_deref()
                        .unwrap_or("it is not written as usual")
                )
            )),
            Target::Url(url) if url.host.split('.').any(|label| label.starts_with("xn--")) => Some(
                "the host has letters of other alphabets, which may look like others".to_owned(),
            ),
            _ => None,
        })
}

/// What a move or a copy would replace.
fn replaced(about: About<'_>) -> Option<String> {
    let fact = target::fact(about, Role::To).filter(|_| about.outlook.failure.is_none())?;
    match fact.kind {
        PathKind::File | PathKind::Link => Some(format!(
            "it replaces the file that is there: {}",
            visible(&fact.canonical)
        )),
        PathKind::Folder => Some(format!(
            "a folder is there already, so it may go into it: {}",
            visible(&fact.canonical)
        )),
        _ => None,
    }
}
