//! Facts beside the body: what stands at the target, whether it can be undone, who asks, and every argument that the body does not show.

use sayso_core::analysis::fact::{PathFact, PathKind};
use sayso_core::answer::explain;
use sayso_core::call::tool::{Kind, Role};
use sayso_core::paths::join;
use sayso_core::text::visible::visible;

use super::structured::{self, label};
use super::{About, size, target, undo};

/// Details that decide, whatever else there is to know.
const DECIDING: [&str; 2] = ["backup", "undo"];

/// All details, and how many of them decide; those come first. Behind them what is sayso's own, last what the agent wrote beside the matter.
pub(super) fn all(
    about: About<'_>,
    deciding: Vec<(String, String)>,
    own: Vec<(String, String)>,
) -> (Vec<(String, String)>, usize) {
    let (mut first, rest): (Vec<_>, Vec<_>) = facts(about, own)
        .into_iter()
        .partition(|(label, _)| DECIDING.contains(&label.as_str()));
    first.splice(0..0, deciding);
    let count = first.len();
    first.extend(rest);
    (first, count)
}

fn facts(about: About<'_>, own: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut out = own;
    for (name, role) in [
        ("target", Role::Path),
        ("from", Role::From),
        ("to", Role::To),
    ] {
        if let Some(fact) = target::fact(about, role) {
            out.extend(of_target(about, name, role, fact));
        }
    }
    // A deletion says it in its body.
    if !matches!(about.operation.kind(), Kind::FileDelete | Kind::FileRmdir) {
        out.extend(undo::undo(about).map(|undo| ("undo".to_owned(), undo.words())));
    }
    if let Some(kind) =
        explain::kind_beside(about.operation).filter(|_| about.operation.kind() != Kind::Custom)
    {
        out.push((
            "tool".to_owned(),
            format!("{}, a {kind}", visible(about.operation.tool())),
        ));
    }
    let agent = about.operation.agent();
    if !agent.name.is_empty() {
        let lineage: Vec<&str> = std::iter::once(agent.name.as_str())
            .chain(agent.parents.iter().map(String::as_str))
            .collect();
        out.push((
            "asked by".to_owned(),
            visible(&lineage.join(", started by ")).into_owned(),
        ));
    }
    // What the host sends along is carried and never interpreted; who reads it has to know whose words it is.
    out.extend(
        about
            .operation
            .metadata()
            .iter()
            .map(|(name, value)| match name.as_str() {
                "description" => ("the tool says".to_owned(), visible(value).into_owned()),
                _ => (
                    format!("metadata {}", label(name)),
                    visible(value).into_owned(),
                ),
            }),
    );
    out.extend(
        about
            .operation
            .group()
            .map(|group| ("group".to_owned(), visible(group).into_owned())),
    );
    if is_structured(about.operation.kind()) {
        return out;
    }
    if let Some(description) = about.operation.words_of_tool() {
        out.push((
            "the tool says".to_owned(),
            visible(description).into_owned(),
        ));
    }
    let beside = about
        .operation
        .args()
        .entries()
        .iter()
        .filter(|entry| !is_in_body(about, &entry.key));
    out.extend(
        beside
            .map(|entry| structured::row("", entry))
            .map(|(name, value)| (format!("argument {name}"), value)),
    );
    out
}

fn of_target(about: About<'_>, name: &str, role: Role, fact: &PathFact) -> Vec<(String, String)> {
    let is = match fact.kind {
        PathKind::Missing if role == Role::From => "does not exist".to_owned(),
        PathKind::Missing => "does not exist yet".to_owned(),
        PathKind::File => fact.size.map_or("exists".to_owned(), |bytes| {
            format!("exists, {}", size::words(bytes))
        }),
        PathKind::Folder => "exists, a folder".to_owned(),
        PathKind::Link => "exists, a link".to_owned(),
        PathKind::Device | PathKind::Channel => "exists, a device or a pipe".to_owned(),
    };
    let mut out = vec![(name.to_owned(), is)];
    let written = about.operation.text(role).unwrap_or_default();
    if fact.canonical != join(&about.operation.cwd(), written) || !written.starts_with('/') {
        out.push((
            format!("{name}, in full"),
            visible(&fact.canonical).into_owned(),
        ));
    }
    out
}

/// Whether the body lists all arguments already.
pub(super) fn is_structured(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Terminal | Kind::FileDelete | Kind::FileRmdir | Kind::FileCreateOverwrite
    ) && !kind.is_file_edit()
}

fn is_in_body(about: About<'_>, key: &str) -> bool {
    matches!(
        structured::role(about, key),
        Some(
            Role::Command
                | Role::Cwd
                | Role::Environment
                | Role::TimeLimit
                | Role::Path
                | Role::Content
                | Role::Find
                | Role::Replace
        )
    )
}

/// Which arguments of the call hold something, by name, for warnings.
pub(super) fn names_of(keys: &[&str]) -> String {
    const MOST: usize = 5;
    let mut out = keys
        .iter()
        .take(MOST)
        .map(|key| format!("`{}`", label(key)))
        .collect::<Vec<_>>()
        .join(", ");
    if keys.len() > MOST {
        out.push_str(&format!(" and {} more", keys.len() - MOST));
    }
    out
}
