//! Writes down each change before the file system is touched: what stood there, what will, and where its unfinished parts lie.
//!
//! A change that is under way has a file that ends in `.open.json` and is locked by its process. The lock goes with the process, so
//! whoever finds such a file without a lock knows that the process was cut off. Blanks at its end count the steps that were carried out.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_own_files::{Place, random, write};

use crate::bytes_json::{bytes_node, bytes_of};
use crate::change_error::ChangeError;
use crate::path_state::State;
use crate::private_folder::{FolderError, make};

/// One switch of what stands at a path, which happens whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The path, absolute and without links.
    pub path: PathBuf,
    /// What stood there.
    pub before: State,
    /// What stands there then.
    pub after: State,
    /// The name in the same folder under which it is made, or taken away.
    pub temp: OsString,
    /// It goes here, where nothing stood.
    pub moved_to: Option<PathBuf>,
}

/// One change with all that is needed to take it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of its record; later changes have greater names.
    pub name: String,
    /// Its number, which no other change of this state folder ever has; none where it was written down before there were numbers.
    pub number: Option<u64>,
    /// The id of the operation.
    pub id: String,
    /// The batch it came in.
    pub batch: Option<String>,
    /// The session.
    pub session: String,
    /// The tool, or `undo`.
    pub tool: String,
    /// The workspace.
    pub workspace: String,
    /// The names of the changes that it takes back.
    pub undoes: Vec<String>,
    /// The names of the changes of which it takes a part back.
    pub undoes_part_of: Vec<String>,
    /// Why it cannot be taken back.
    pub unkept: Option<String>,
    /// What happened with it and is not taken back, in words.
    pub left_out: Vec<String>,
    /// It is a command that runs: its steps are not known yet, and this is the digest of the listing of the workspace before it.
    pub listing: Option<Digest>,
    /// Somebody else makes it: what stands there then is not known yet, and nobody of sayso is at work on it.
    pub awaited: bool,
    /// It is what a command did, which may have done more than is written down here.
    pub is_command: bool,
    /// A person was asked about it.
    pub asked: bool,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// The folder with all changes.
#[derive(Debug)]
pub struct Changes {
    folder: PathBuf,
    sync: bool,
}

/// A change that is under way.
#[derive(Debug)]
pub struct Open {
    path: PathBuf,
    /// Holds the lock.
    file: File,
    /// How long the record is without the blanks at its end: one for each step that was carried out.
    length: u64,
}

const UNDER_WAY: &str = ".open.json";
/// The number of the last change; its file is locked while it is counted up.
const LAST_NUMBER: &str = ".last-number";
const READ: Limits = Limits {
    bytes: 64 << 20,
    depth: 64,
    nodes: 4_000_000,
};

/// A name for what is unfinished, in the folder of the path it is for.
pub fn temp_name() -> OsString {
    OsString::from(format!(".sayso-{}.tmp", random()))
}

impl Step {
    /// A switch of what stands at a path.
    pub fn put(path: PathBuf, before: State, after: State) -> Step {
        Step {
            path,
            before,
            after,
            temp: temp_name(),
            moved_to: None,
        }
    }

    /// A move to a path where nothing stands.
    pub fn moved(path: PathBuf, to: PathBuf, what: State) -> Step {
        Step {
            path,
            before: what,
            after: State::Absent,
            temp: temp_name(),
            moved_to: Some(to),
        }
    }

    /// What takes it back.
    pub fn reversed(&self) -> Step {
        match &self.moved_to {
            Some(to) => Step::moved(to.clone(), self.path.clone(), self.before.clone()),
            None => Step::put(self.path.clone(), self.after.clone(), self.before.clone()),
        }
    }

    /// Whether it only gives a folder other permissions, whatever is in it.
    pub fn sets_permissions(&self) -> bool {
        matches!(
            (&self.before, &self.after),
            (
                State::Folder { inside: None, .. },
                State::Folder { inside: None, .. }
            )
        )
    }

    fn to_node(&self) -> Node {
        let mut entries = vec![
            ("path", bytes_node(self.path.as_os_str())),
            ("before", self.before.to_node()),
            ("after", self.after.to_node()),
            ("temp", bytes_node(&self.temp)),
        ];
        entries.extend(
            self.moved_to
                .iter()
                .map(|to| ("moved_to", bytes_node(to.as_os_str()))),
        );
        Node::map(entries)
    }

    fn from_node(node: &Node) -> Option<Step> {
        let moved_to = match node.get("moved_to") {
            Some(to) => Some(PathBuf::from(bytes_of(to)?)),
            None => None,
        };
        let temp = bytes_of(node.get("temp")?)?;
        // Recovery removes what is called so: it must be a plain name of ours.
        let is_ours = temp.to_str().is_some_and(|temp| {
            temp.starts_with(".sayso-") && temp.ends_with(".tmp") && !temp.contains('/')
        });
        let step = Step {
            path: PathBuf::from(bytes_of(node.get("path")?)?),
            before: State::from_node(node.get("before")?)?,
            after: State::from_node(node.get("after")?)?,
            temp,
            moved_to,
        };
        is_ours.then_some(step)
    }
}

impl Change {
    /// When it was made, from its name.
    pub fn time(&self) -> SystemTime {
        let nanos = self
            .name
            .split('-')
            .next()
            .and_then(|time| time.parse().ok())
            .unwrap_or(0);
        SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos)
    }

    /// What a person types to take it back: `u12`. It is the same wherever the change is named.
    pub fn handle(&self) -> String {
        self.number
            .map_or_else(|| self.name.clone(), |number| format!("u{number}"))
    }

    /// The contents it needs to be taken back, and those it made.
    pub fn digests(&self) -> impl Iterator<Item = Digest> {
        self.steps
            .iter()
            .flat_map(|step| step.before.files().into_iter().chain(step.after.files()))
            .filter_map(|(digest, _)| digest)
    }

    fn to_node(&self) -> Node {
        let seconds = self
            .time()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let mut entries = vec![
            (
                "number",
                self.number.map_or(Value::Null.into(), |number| {
                    Value::Number(number.to_string()).into()
                }),
            ),
            ("id", Node::text(&self.id)),
            (
                "batch",
                self.batch.as_ref().map_or(Value::Null.into(), Node::text),
            ),
            ("session", Node::text(&self.session)),
            (
                "time",
                Value::Number(format!(
                    "{}.{:03}",
                    seconds.as_secs(),
                    seconds.subsec_millis()
                ))
                .into(),
            ),
            ("tool", Node::text(&self.tool)),
            ("workspace", Node::text(&self.workspace)),
            (
                "undoes",
                Value::List(self.undoes.iter().map(Node::text).collect()).into(),
            ),
            (
                "unkept",
                self.unkept.as_ref().map_or(Value::Null.into(), Node::text),
            ),
            ("asked", Value::Bool(self.asked).into()),
            (
                "steps",
                Value::List(self.steps.iter().map(Step::to_node).collect()).into(),
            ),
        ];
        if !self.undoes_part_of.is_empty() {
            let names = self.undoes_part_of.iter().map(Node::text).collect();
            entries.push(("undoes_part_of", Value::List(names).into()));
        }
        if !self.left_out.is_empty() {
            entries.push((
                "left_out",
                Value::List(self.left_out.iter().map(Node::text).collect()).into(),
            ));
        }
        entries.extend(
            self.listing
                .iter()
                .map(|digest| ("listing", Node::text(digest.to_string()))),
        );
        entries.extend(self.awaited.then(|| ("awaited", Value::Bool(true).into())));
        entries.extend(
            self.is_command
                .then(|| ("command", Value::Bool(true).into())),
        );
        Node::map(entries)
    }

    fn from_node(name: &str, node: &Node) -> Option<Change> {
        let text = |key: &str| Some(node.get(key)?.as_text()?.to_owned());
        let left_out = node.get("left_out").map(Node::items).unwrap_or_default();
        let listing = match node.get("listing") {
            Some(digest) => Some(Digest::parse(digest.as_text()?)?),
            None => None,
        };
        Some(Change {
            name: name.to_owned(),
            number: node.get("number").and_then(Node::as_whole),
            id: text("id")?,
            batch: text("batch"),
            session: text("session")?,
            tool: text("tool")?,
            workspace: text("workspace")?,
            undoes: node
                .get("undoes")?
                .items()
                .iter()
                .map(|item| item.as_text().map(str::to_owned))
                .collect::<Option<_>>()?,
            undoes_part_of: node
                .get("undoes_part_of")
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .map(|item| item.as_text().map(str::to_owned))
                .collect::<Option<_>>()?,
            unkept: text("unkept"),
            left_out: left_out
                .iter()
                .filter_map(|item| item.as_text().map(str::to_owned))
                .collect(),
            listing,
            awaited: node.get("awaited").and_then(Node::as_bool).unwrap_or(false),
            is_command: node.get("command").and_then(Node::as_bool).unwrap_or(false),
            asked: node.get("asked").and_then(Node::as_bool).unwrap_or(true),
            steps: node
                .get("steps")?
                .items()
                .iter()
                .map(Step::from_node)
                .collect::<Option<_>>()?,
        })
    }
}

/// A name for the record of a new change: after all others of this process, and as late as the clock says.
pub fn new_name() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let last = LAST
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            Some(now.max(last + 1))
        })
        .unwrap_or(now);
    // The random part keeps two processes apart.
    format!("{:019}-{}", now.max(last + 1), random())
}

impl Changes {
    /// The changes in a folder, which is made.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(folder: PathBuf, sync: bool) -> Result<Changes, FolderError> {
        make(&folder)?;
        Ok(Changes { folder, sync })
    }

    /// Where they lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a change down. Only then may the file system be touched.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&self, change: &Change) -> Result<Open, ChangeError> {
        let path = self.folder.join(format!("{}{UNDER_WAY}", change.name));
        let text = json::write(&change.to_node());
        let begin = || -> std::io::Result<File> {
            let mut fresh = Place::at(&self.folder).fresh(&change.name)?;
            flock(&fresh.file, FlockOperation::LockExclusive)?;
            fresh.add(text.as_bytes())?;
            Ok(fresh.settle(&path, self.sync)?)
        };
        let file = begin().map_err(ChangeError::NotWritten)?;
        Ok(Open {
            path,
            file,
            length: text.len() as u64,
        })
    }

    /// A command was carried out, and its change holds the steps now.
    ///
    /// # Errors
    /// If that cannot be written down; then it is still under way.
    pub fn finish_as(&self, open: Open, change: &Change) -> Result<(), ChangeError> {
        let path = self.folder.join(format!("{}.json", change.name));
        write(&path, json::write(&change.to_node()).as_bytes(), self.sync)
            .map_err(|error| ChangeError::NotWritten(error.into()))?;
        open.discard();
        Ok(())
    }

    /// The changes whose process was cut off, each locked by this one now.
    pub fn cut_off(&self) -> Vec<(Change, Open)> {
        self.names()
            .iter()
            .filter(|name| name.ends_with(UNDER_WAY))
            .filter_map(|name| self.lock(name))
            .collect()
    }

    /// The change of this name that somebody else makes, locked by this process now; none if it was seen to already.
    pub fn awaited(&self, name: &str) -> Option<(Change, Open)> {
        let is_ours = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        self.lock(&format!("{name}{UNDER_WAY}"))
            .filter(|(change, _)| is_ours && change.awaited)
    }

    fn lock(&self, name: &str) -> Option<(Change, Open)> {
        let path = self.folder.join(name);
        let file = OpenOptions::new().read(true).write(true).open(&path).ok()?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        // It may have been finished between the look at the names and the lock.
        let same = |other: fs::Metadata| {
            file.metadata()
                .is_ok_and(|own| own.ino() == other.ino() && own.dev() == other.dev())
        };
        if !fs::symlink_metadata(&path).is_ok_and(same) {
            return None;
        }
        if self.folder.join(name.replace(UNDER_WAY, ".json")).exists() {
            // It was finished, and only this was left to do.
            let _ = fs::remove_file(&path);
            return None;
        }
        let length = fs::read_to_string(&path).ok()?.trim_end().len() as u64;
        Some((self.read(name)?, Open { path, file, length }))
    }

    /// All changes, also those under way, oldest first. What cannot be read is left out.
    pub fn all(&self) -> Vec<Change> {
        self.names()
            .iter()
            .filter_map(|name| self.read(name))
            .collect()
    }

    /// The changes that are under way or were cut off.
    pub fn under_way(&self) -> Vec<Change> {
        self.names()
            .iter()
            .filter(|name| name.ends_with(UNDER_WAY))
            .filter_map(|name| self.read(name))
            .collect()
    }

    /// The changes that were carried out, oldest first, without those that are under way.
    pub fn finished(&self) -> Vec<Change> {
        self.names()
            .iter()
            .filter(|name| !name.ends_with(UNDER_WAY))
            .filter_map(|name| self.read(name))
            .collect()
    }

    /// A number that no change has had so far; none where it cannot be written down.
    pub fn next_number(&self) -> Option<u64> {
        let path = self.folder.join(LAST_NUMBER);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .ok()?;
        flock(&file, FlockOperation::LockExclusive).ok()?;
        let mut written = Vec::new();
        std::io::Read::read_to_end(&mut &file, &mut written).ok()?;
        let written = std::str::from_utf8(&written)
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok());
        // Where the file was lost or damaged, the records know.
        let last = written
            .or_else(|| self.all().iter().filter_map(|change| change.number).max())
            .unwrap_or(0);
        let next = last.checked_add(1)?;
        let text = format!("{next}\n");
        file.write_all_at(text.as_bytes(), 0).ok()?;
        file.set_len(text.len() as u64).ok()?;
        Some(next)
    }

    /// Forgets a change.
    pub fn forget(&self, change: &Change) {
        let _ = fs::remove_file(self.folder.join(format!("{}.json", change.name)));
    }

    /// The names of all records, oldest first.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.retain(|name| name.ends_with(".json") && !name.starts_with('.'));
        names.sort_unstable();
        names
    }

    fn read(&self, file: &str) -> Option<Change> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        let name = file
            .strip_suffix(UNDER_WAY)
            .or_else(|| file.strip_suffix(".json"))?;
        Change::from_node(name, &json::read(&text, &READ).ok()?)
    }
}

impl Open {
    /// How many steps were carried out, give or take the one that was under way.
    pub fn progress(&self) -> usize {
        let length = self
            .file
            .metadata()
            .map_or(self.length, |metadata| metadata.len());
        usize::try_from(length.saturating_sub(self.length)).unwrap_or(0)
    }

    /// Writes down how many steps are carried out now. Only the recovery of several steps needs it, so an error changes nothing.
    pub fn set_progress(&self, steps: usize) {
        let _ = self
            .file
            .write_all_at(" ".repeat(steps).as_bytes(), self.length);
        let _ = self.file.set_len(self.length + steps as u64);
    }

    /// The change was carried out.
    ///
    /// # Errors
    /// If that cannot be written down; the next recovery does it.
    pub fn finish(self) -> Result<(), ChangeError> {
        let name = self.path.to_string_lossy().replace(UNDER_WAY, ".json");
        fs::rename(&self.path, &name).map_err(|source| ChangeError::NotClosed {
            path: self.path,
            source,
        })
    }

    /// Nothing of the change was carried out.
    pub fn discard(self) {
        let _ = fs::remove_file(&self.path);
    }
}
