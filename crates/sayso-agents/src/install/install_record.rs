//! What an installation left behind in sayso's own folder, so that it can be taken back exactly.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_store::folder::Folder;

use super::{Edit, InstallError};
use crate::which::{Scope, Which};

/// The folder in sayso's own.
const FOLDER: &str = "installed";
/// The longest record that is read: two texts of settings, written as JSON.
const LONGEST: u64 = 64 << 20;
/// At most this many records are read.
const MAX_RECORDS: usize = 512;

/// What is remembered of one installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The files it changed.
    pub files: Vec<KeptFile>,
    /// What the agent's own approvals were before they were switched off, as JSON; the inner one is none where nothing stood there.
    pub takeover: Option<Option<String>>,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Where it really is.
    pub path: PathBuf,
    /// Its text without sayso; none if it was not there.
    pub before: Option<String>,
    /// The digest of the text that it was left with.
    pub after: String,
    /// The folders that were made for it.
    pub made: Vec<PathBuf>,
}

impl KeptFile {
    /// What a change leaves behind; none if the file goes.
    pub fn of(edit: &Edit) -> Option<KeptFile> {
        let after = Digest::of_bytes(edit.after.as_ref()?.as_bytes()).to_string();
        Some(KeptFile {
            path: edit.file.real.clone(),
            before: edit.base.clone(),
            after,
            made: edit.made.clone(),
        })
    }

    /// Whether the file still is as it was left.
    pub fn is_as_left(&self, text: Option<&str>) -> bool {
        text.is_some_and(|text| Digest::of_bytes(text.as_bytes()).to_string() == self.after)
    }

    fn to_node(&self) -> Option<Node> {
        let path = |path: &PathBuf| path.to_str().map(Node::text);
        Some(Node::map([
            ("path", path(&self.path)?),
            (
                "before",
                self.before
                    .as_ref()
                    .map_or_else(|| Value::Null.into(), Node::text),
            ),
            ("after", Node::text(&self.after)),
            (
                "made",
                Value::List(self.made.iter().filter_map(path).collect()).into(),
            ),
        ]))
    }

    fn from_node(node: &Node) -> Option<KeptFile> {
        let text = |key: &str| node.get(key).and_then(Node::as_text);
        Some(KeptFile {
            path: PathBuf::from(text("path")?),
            before: text("before").map(str::to_owned),
            after: text("after")?.to_owned(),
            made: node
                .get("made")?
                .items()
                .iter()
                .filter_map(Node::as_text)
                .map(PathBuf::from)
                .collect(),
        })
    }
}

impl Kept {
    /// What was remembered; none if nothing was, or if it is no record of this kind.
    ///
    /// # Errors
    /// When sayso's folder cannot be relied on.
    pub fn read(
        state: &Path,
        who: Which,
        scope: Scope,
        target: &Path,
    ) -> Result<Option<Kept>, InstallError> {
        let folder = Folder::open_existing(state)
            .and_then(|state| state.map(|state| state.inner(FOLDER, false)).transpose())
            .map_err(InstallError::storage)?
            .flatten();
        let Some(folder) = folder else {
            return Ok(None);
        };
        let file = folder.read(&name(who.name(), scope, target));
        let Some(file) = file.map_err(InstallError::storage)? else {
            return Ok(None);
        };
        let mut text = String::new();
        if file.take(LONGEST).read_to_string(&mut text).is_err() {
            return Ok(None);
        }
        let Ok(node) = json::read(
            &text,
            &Limits {
                bytes: 64 << 20,
                ..Limits::default()
            },
        ) else {
            return Ok(None);
        };
        let files = node
            .get("files")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(KeptFile::from_node)
            .collect();
        let takeover = node
            .get("takeover")
            .map(|before| before.as_text().map(str::to_owned));
        Ok(Some(Kept { files, takeover }))
    }

    /// Remembers it in place of what was remembered before; none forgets that.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(
        state: &Path,
        who: Which,
        scope: Scope,
        target: &Path,
        kept: Option<&Kept>,
    ) -> Result<(), InstallError> {
        let folder = folder(state)?;
        let name = name(who.name(), scope, target);
        let Some(kept) = kept else {
            return folder.remove(&name).map_err(InstallError::storage);
        };
        let mut fields = vec![
            ("agent", Node::text(who.name())),
            ("scope", Node::text(scope.word())),
            ("target", Node::text(target.to_string_lossy())),
            (
                "files",
                Value::List(kept.files.iter().filter_map(KeptFile::to_node).collect()).into(),
            ),
        ];
        if let Some(before) = &kept.takeover {
            fields.push((
                "takeover",
                before
                    .as_ref()
                    .map_or_else(|| Value::Null.into(), Node::text),
            ));
        }
        put(&folder, &name, &Node::map(fields))
    }
}

/// A program in which sayso was installed at some time; whether it still is, its settings say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The agent, or the client of MCP servers.
    pub agent: String,
    /// Whose settings.
    pub scope: Scope,
    /// The settings, as that program names them.
    pub target: PathBuf,
}

/// Everything that was installed. A record that cannot be read says nothing: the usual places are looked at without it.
pub fn records(state: &Path) -> Vec<Record> {
    let folder = Folder::open_existing(state)
        .ok()
        .flatten()
        .and_then(|state| state.inner(FOLDER, false).ok().flatten());
    let Some(folder) = folder else {
        return Vec::new();
    };
    let names = folder.names().unwrap_or_default();
    names
        .iter()
        .filter(|name| name.ends_with(".json"))
        .take(MAX_RECORDS)
        .filter_map(|name| record(&folder, name))
        .collect()
}

fn record(folder: &Folder, name: &str) -> Option<Record> {
    let mut text = String::new();
    folder
        .read(name)
        .ok()??
        .take(LONGEST)
        .read_to_string(&mut text)
        .ok()?;
    let node = json::read(
        &text,
        &Limits {
            bytes: 64 << 20,
            ..Limits::default()
        },
    )
    .ok()?;
    // Records of earlier versions name only where the file really is.
    let first = || node.get("files")?.items().first()?.get("path");
    let target = node.get("target").or_else(first).and_then(Node::as_text)?;
    let scope = match node.get("scope").and_then(Node::as_text)? {
        "project" => Scope::Project,
        "managed" => Scope::Managed,
        _ => Scope::User,
    };
    Some(Record {
        agent: node.get("agent").and_then(Node::as_text)?.to_owned(),
        scope,
        target: PathBuf::from(target),
    })
}

/// Remembers that sayso stands in a file, where nothing else has to be known to take it out.
///
/// # Errors
/// When it cannot be written.
pub fn write_record(
    state: &Path,
    agent: &str,
    scope: Scope,
    target: &Path,
) -> Result<(), InstallError> {
    let folder = folder(state)?;
    let fields = [
        ("agent", Node::text(agent)),
        ("scope", Node::text(scope.word())),
        ("target", Node::text(target.to_string_lossy())),
    ];
    put(&folder, &name(agent, scope, target), &Node::map(fields))
}

fn folder(state: &Path) -> Result<Folder, InstallError> {
    Folder::open(state)
        .and_then(|state| state.inner(FOLDER, true))
        .map_err(InstallError::storage)?
        .ok_or(InstallError::NoRecordFolder)
}

/// Puts a whole record in place of the one that is there.
fn put(folder: &Folder, name: &str, record: &Node) -> Result<(), InstallError> {
    folder
        .put(name, json::write(record).as_bytes(), true)
        .map_err(InstallError::RecordNotWritten)
}

/// One for each agent, scope and file.
fn name(agent: &str, scope: Scope, target: &Path) -> String {
    let digest = Digest::of_bytes(target.to_string_lossy().as_bytes())
        .hex()
        .map(char::from);
    format!(
        "{agent}-{}-{}.json",
        scope.word(),
        digest.iter().take(32).collect::<String>()
    )
}
