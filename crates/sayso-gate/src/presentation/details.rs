//! Facts beside the body: what stands at the target, whether it can be undone, who asks, and every argument that the body does not show.

use sayso_core::fact::{PathFact, PathKind};
use sayso_core::operation::ToolSays;
use sayso_core::paths::join;
use sayso_core::tool::{Kind, Role};
use sayso_core::visible::visible;

use super::structured::{self, label};
use super::{About, size, target};
use crate::ports::Backup;

/// Nothing is kept of what a tool replaces or deletes (Z-23).
const NO_BACKUP: &str = "No backup is made: this cannot be undone.";

/// What is kept of what stands at a path, and whether the call can be taken back: what is true for this call, and nothing else.
pub(super) fn backup(about: About<'_>, path: Option<&str>) -> String {
    match path.map_or(Backup::None, |path| about.world.backup(path)) {
        Backup::None => NO_BACKUP.to_owned(),
        Backup::Needless => "`sayso undo` can take it back.".to_owned(),
        Backup::Kept(place) => {
            let name = named_backup(about).map(|name| format!("{name}, ")).unwrap_or_default();
            format!("`sayso undo` can take it back (backup: {name}{})", visible(&place))
        }
        Backup::Not(why) => format!("No backup is made ({}): this cannot be undone.", visible(&why)),
    }
}

/// The name that one system gives to a backup; it stands there for people who know it, beside where the backup really is.
fn named_backup(about: About<'_>) -> Option<String> {
    let written = about.operation.text(Role::Path).filter(|_| about.profile == "kollabor-spec")?;
    let ending = if about.operation.kind() == Kind::FileDelete { "deleted" } else { "bak" };
    Some(format!("{}.{ending}", visible(written)))
}

/// All details: first what is sayso's own, last what the agent wrote beside the matter.
pub(super) fn all(about: About<'_>, own: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut out = own;
    for (name, role) in [("target", Role::Path), ("from", Role::From), ("to", Role::To)] {
        if let Some(fact) = target::fact(about, role) {
            out.extend(of_target(about, name, role, fact));
        }
    }
    // A deletion says it in its body.
    if let Some(role) = touched(about).filter(|_| !matches!(about.operation.kind(), Kind::FileDelete | Kind::FileRmdir)) {
        let path = target::fact(about, role).map(|fact| fact.canonical.as_str());
        // Where nothing is lost and nothing is kept, there is nothing to say.
        let words = backup(about, path);
        if loses_content(about) || words != NO_BACKUP {
            out.push(("backup".to_owned(), words));
        }
    }
    let agent = about.operation.agent();
    if !agent.name.is_empty() {
        let lineage: Vec<&str> = std::iter::once(agent.name.as_str()).chain(agent.parents.iter().map(String::as_str)).collect();
        out.push(("asked by".to_owned(), visible(&lineage.join(", started by ")).into_owned()));
    }
    if is_structured(about.operation.kind()) {
        return out;
    }
    if let ToolSays::NeedsApproval { description, .. } = about.operation.says() {
        out.push(("the tool says".to_owned(), visible(description).into_owned()));
    }
    let beside = about.operation.args().entries().iter().filter(|entry| !is_in_body(about, &entry.key));
    out.extend(beside.map(|entry| structured::row("", entry)).map(|(name, value)| (format!("argument {name}"), value)));
    out
}

fn of_target(about: About<'_>, name: &str, role: Role, fact: &PathFact) -> Vec<(String, String)> {
    let is = match fact.kind {
        PathKind::Missing => "does not exist yet".to_owned(),
        PathKind::File => fact.size.map_or("exists".to_owned(), |bytes| format!("exists, {}", size::words(bytes))),
        PathKind::Folder => "exists, a folder".to_owned(),
        PathKind::Link => "exists, a link".to_owned(),
        PathKind::Device | PathKind::Channel => "exists, a device or a pipe".to_owned(),
    };
    let mut out = vec![(name.to_owned(), is)];
    let written = about.operation.text(role).unwrap_or_default();
    if fact.canonical != join(&about.operation.cwd(), written) || !written.starts_with('/') {
        out.push((format!("{name}, in full"), visible(&fact.canonical).into_owned()));
    }
    out
}

/// Which path a file tool changes, of the tools that sayso can take back.
fn touched(about: About<'_>) -> Option<Role> {
    match about.operation.kind() {
        Kind::FileMove | Kind::FileCopy => Some(Role::To),
        Kind::FileDelete | Kind::FileRmdir | Kind::FileMkdir | Kind::FileCreateOverwrite => Some(Role::Path),
        kind if kind.is_file_edit() => Some(Role::Path),
        _ => None,
    }
}

/// Whether something that is there now would be gone.
fn loses_content(about: About<'_>) -> bool {
    let there = |role| target::fact(about, role).is_some_and(|fact| matches!(fact.kind, PathKind::File | PathKind::Link));
    match about.operation.kind() {
        Kind::FileWrite | Kind::FileEdit | Kind::FileCreate | Kind::FileCreateOverwrite => there(Role::Path),
        Kind::FileDelete | Kind::FileRmdir => true,
        Kind::FileMove | Kind::FileCopy => there(Role::To),
        _ => false,
    }
}

/// Whether the body lists all arguments already.
pub(super) fn is_structured(kind: Kind) -> bool {
    !matches!(kind, Kind::Terminal | Kind::FileDelete | Kind::FileRmdir | Kind::FileCreateOverwrite) && !kind.is_file_edit()
}

fn is_in_body(about: About<'_>, key: &str) -> bool {
    matches!(
        structured::role(about, key),
        Some(Role::Command | Role::Cwd | Role::Environment | Role::TimeLimit | Role::Path | Role::Content | Role::Find | Role::Replace)
    )
}

/// Which arguments of the call hold something, by name, for warnings.
pub(super) fn names_of(keys: &[&str]) -> String {
    const MOST: usize = 5;
    let mut out = keys.iter().take(MOST).map(|key| format!("`{}`", label(key))).collect::<Vec<_>>().join(", ");
    if keys.len() > MOST {
        out.push_str(&format!(" and {} more", keys.len() - MOST));
    }
    out
}
