//! A session on the disk: a line for each thing that was said, added and never changed, so that a process that is killed loses nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use sayso_gate::ids::Ids;
use sayso_tools::private_folder;

use super::conversation::{Answer, Brought, Said, Wanted, close};
use crate::error::SourceError;

/// The folder of sessions, in the state folder.
const FOLDER: &str = "chats";
/// The longest session that is read again, in bytes.
const LONGEST: u64 = 256 << 20;
/// So much of a session is read to list it.
const BEGINNING: u64 = 64 << 10;

/// Why a session cannot be kept or taken up again.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("{0}")]
    Folder(SourceError),
    #[error("the session cannot be kept: {0}")]
    Create(io::Error),
    #[error(transparent)]
    Write(#[from] io::Error),
    #[error("the sessions cannot be read: {0}")]
    List(io::Error),
    #[error("the session `{}` cannot be read: {}", visible(.0), .1)]
    Read(String, io::Error),
    #[error("the session `{}` is longer than {} MiB", visible(.0), LONGEST >> 20)]
    TooLong(String),
    #[error("the session `{}` is open elsewhere", visible(.0))]
    OpenElsewhere(String),
    #[error("there is no session {}\nhint: `sayso chat --list` shows them",
        .0.as_ref().map_or_else(|| "of this folder".to_owned(), |id| format!("`{}`", visible(id))))]
    NotFound(Option<String>),
    #[error(
        "`{}` is the beginning of several sessions\nhint: say more of it",
        visible(.0)
    )]
    Ambiguous(String),
    #[error("this session was in `{folder}`\nhint: go there, or say `-C {folder}`", folder = visible(.0))]
    OtherWorkspace(String),
}

/// A session that goes on.
pub struct Session {
    /// Its id.
    pub id: String,
    file: Mutex<File>,
}

/// A session that was.
#[derive(Debug)]
pub struct Earlier {
    /// Its id.
    pub id: String,
    /// The workspace it was in.
    pub workspace: String,
    /// When it was changed last, in seconds since 1970.
    pub changed: i64,
    /// What the person said first.
    pub first: String,
}

/// A session that was taken up again.
pub struct Resumed {
    /// It.
    pub session: Session,
    /// What was said.
    pub said: Vec<Said>,
    /// How many lines could not be read.
    pub unreadable: usize,
}

fn folder(state: &Path) -> PathBuf {
    state.join(FOLDER)
}

fn path(state: &Path, id: &str) -> PathBuf {
    folder(state).join(format!("{id}.jsonl"))
}

impl Session {
    /// A new one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn start(state: &Path, workspace: &str) -> Result<Session, SessionError> {
        for folder in [state, &folder(state)] {
            private_folder::make(folder).map_err(|error| SessionError::Folder(error.into()))?;
        }
        let id = Ids::new().next("chat");
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create_new(true)
            .mode(0o600)
            .open(path(state, &id))
            .map_err(SessionError::Create)?;
        lock(&file, &id)?;
        let session = Session {
            id,
            file: Mutex::new(file),
        };
        session.add(&Node::map([
            ("chat", Value::Number("1".to_owned()).into()),
            ("id", Node::text(&session.id)),
            ("workspace", Node::text(workspace)),
        ]))?;
        Ok(session)
    }

    /// Takes one up again: the one of this id or beginning of it, or the last one of the workspace.
    ///
    /// # Errors
    /// When there is none, or it is open elsewhere, or was in another workspace.
    pub fn resume(
        state: &Path,
        workspace: &str,
        id: Option<&str>,
    ) -> Result<Resumed, SessionError> {
        let all = list(state)?;
        let fits = |one: &&Earlier| {
            id.map_or(one.workspace == workspace, |id| {
                one.id == id || short(&one.id).starts_with(id)
            })
        };
        let mut found = all.iter().filter(fits);
        let Some(earlier) = found.next() else {
            return Err(SessionError::NotFound(id.map(str::to_owned)));
        };
        if let Some(id) = id.filter(|id| *id != earlier.id)
            && found.next().is_some()
        {
            return Err(SessionError::Ambiguous(id.to_owned()));
        }
        if earlier.workspace != workspace {
            return Err(SessionError::OtherWorkspace(earlier.workspace.clone()));
        }
        let id = || earlier.id.clone();
        let cannot = |error: io::Error| SessionError::Read(id(), error);
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path(state, &earlier.id))
            .map_err(cannot)?;
        lock(&file, &earlier.id)?;
        if file.metadata().map_err(cannot)?.len() > LONGEST {
            return Err(SessionError::TooLong(id()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        // A process that was killed in the middle of a line leaves a piece of it, which stays for whoever wants to look.
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(cannot)?;
        }
        let (said, unreadable) = read(&bytes);
        Ok(Resumed {
            session: Session {
                id: id(),
                file: Mutex::new(file),
            },
            said,
            unreadable,
        })
    }

    /// Keeps something that was said.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, said: &Said) -> io::Result<()> {
        self.add(&as_node(said))
    }

    fn add(&self, node: &Node) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{}\n", json::write_plain(node));
        let before = file.seek(SeekFrom::End(0))?;
        file.write_all(line.as_bytes()).inspect_err(|_| {
            // Half a line would be one that cannot be read.
            let _ = file.set_len(before);
        })
    }
}

/// Nobody else goes on with it at the same time.
fn lock(file: &File, id: &str) -> Result<(), SessionError> {
    flock(file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| SessionError::OpenElsewhere(id.to_owned()))
}

/// What a person types of an id.
pub fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

/// All sessions, the newest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(state: &Path) -> Result<Vec<Earlier>, SessionError> {
    let entries = match std::fs::read_dir(folder(state)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::List(error)),
    };
    let mut out: Vec<(std::time::SystemTime, Earlier)> = entries
        .filter_map(|entry| earlier(&entry.ok()?.path()))
        .collect();
    out.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    Ok(out.into_iter().map(|(_, one)| one).collect())
}

fn earlier(path: &Path) -> Option<(std::time::SystemTime, Earlier)> {
    let id = path
        .file_name()?
        .to_str()?
        .strip_suffix(".jsonl")?
        .to_owned();
    let file = File::open(path).ok()?;
    let modified = file
        .metadata()
        .ok()
        .filter(|metadata| metadata.is_file())?
        .modified()
        .ok()?;
    let mut bytes = Vec::new();
    file.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text
        .lines()
        .filter_map(|line| json::read(line, &Limits::default()).ok());
    let head = lines.next()?;
    let workspace = head.get("workspace")?.as_text()?.to_owned();
    let first = lines
        .find_map(|line| line.get("person")?.as_text().map(str::to_owned))
        .unwrap_or_default();
    let since = modified
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?
        .as_secs();
    Some((
        modified,
        Earlier {
            id,
            workspace,
            changed: i64::try_from(since).ok()?,
            first,
        },
    ))
}

fn as_node(said: &Said) -> Node {
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    match said {
        Said::Person(text) => Node::map([("person", Node::text(text))]),
        Said::Model(answer) => {
            let call = |call: &Wanted| {
                Node::map([
                    ("id", Node::text(&call.id)),
                    ("tool", Node::text(&call.tool)),
                    ("arguments", Node::text(&call.arguments)),
                ])
            };
            Node::map([
                ("model", Node::text(&answer.text)),
                ("calls", list(answer.calls.iter().map(call).collect())),
            ])
        }
        Said::Results(results) => {
            let result = |result: &Brought| {
                Node::map([
                    ("id", Node::text(&result.id)),
                    ("text", Node::text(&result.text)),
                    ("failed", Value::Bool(result.failed).into()),
                ])
            };
            Node::map([("results", list(results.iter().map(result).collect()))])
        }
    }
}

fn from_node(node: &Node) -> Option<Said> {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
    if let Some(words) = text(node, "person") {
        return Some(Said::Person(words));
    }
    if let Some(words) = text(node, "model") {
        let call = |node: &Node| {
            Some(Wanted {
                id: text(node, "id")?,
                tool: text(node, "tool")?,
                arguments: text(node, "arguments")?,
            })
        };
        let calls = node
            .get("calls")?
            .items()
            .iter()
            .map(call)
            .collect::<Option<Vec<_>>>()?;
        return Some(Said::Model(Answer { text: words, calls }));
    }
    let result = |node: &Node| {
        Some(Brought {
            id: text(node, "id")?,
            text: text(node, "text")?,
            failed: node.get("failed")?.as_bool()?,
        })
    };
    Some(Said::Results(
        node.get("results")?
            .items()
            .iter()
            .map(result)
            .collect::<Option<Vec<_>>>()?,
    ))
}

/// What was said, so that it can go on, and how many lines could not be read.
fn read(bytes: &[u8]) -> (Vec<Said>, usize) {
    let mut said: Vec<Said> = Vec::new();
    let mut unreadable = 0;
    // The first line says whose it is.
    for line in bytes
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter(|line| !line.is_empty())
    {
        let one = std::str::from_utf8(line).ok().and_then(|line| {
            json::read(
                line,
                &Limits {
                    bytes: 64 << 20,
                    ..Limits::default()
                },
            )
            .ok()
        });
        let Some(one) = one.as_ref().and_then(from_node) else {
            unreadable += 1;
            continue;
        };
        let answers = match (&one, said.last()) {
            (Said::Results(results), Some(Said::Model(answer))) => {
                results.len() == answer.calls.len()
                    && results
                        .iter()
                        .zip(&answer.calls)
                        .all(|(result, call)| result.id == call.id)
            }
            (Said::Results(_), _) => false,
            _ => true,
        };
        if !answers {
            unreadable += 1;
            continue;
        }
        if !matches!(one, Said::Results(_)) {
            close(&mut said);
        }
        said.push(one);
    }
    close(&mut said);
    (said, unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::CUT_OFF;
    use proptest::prelude::*;

    fn said() -> Vec<Said> {
        let call = Wanted {
            id: "a".to_owned(),
            tool: "terminal".to_owned(),
            arguments: "{}".to_owned(),
        };
        vec![
            Said::Person("do it\n\u{1b}".to_owned()),
            Said::Model(Answer {
                text: "yes".to_owned(),
                calls: vec![call],
            }),
            Said::Results(vec![Brought {
                id: "a".to_owned(),
                text: "out".to_owned(),
                failed: false,
            }]),
            Said::Model(Answer {
                text: "done".to_owned(),
                calls: Vec::new(),
            }),
        ]
    }

    #[test]
    fn a_session_goes_on_where_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        let session = Session::start(scratch.path(), "/w").unwrap();
        said().iter().for_each(|one| session.keep(one).unwrap());
        let id = session.id.clone();
        assert!(
            Session::resume(scratch.path(), "/w", None)
                .err()
                .unwrap()
                .to_string()
                .contains("open elsewhere")
        );
        drop(session);
        let resumed = Session::resume(scratch.path(), "/w", Some(short(&id))).unwrap();
        assert_eq!((resumed.said, resumed.unreadable), (said(), 0));
        drop(resumed.session);
        assert!(
            Session::resume(scratch.path(), "/other", Some(&id))
                .err()
                .unwrap()
                .to_string()
                .contains("this session was in `/w`")
        );
        assert!(
            Session::resume(scratch.path(), "/other", None)
                .err()
                .unwrap()
                .to_string()
                .contains("there is no session")
        );
        assert!(
            Session::resume(scratch.path(), "/w", Some("../../etc/passwd"))
                .err()
                .unwrap()
                .to_string()
                .contains("there is no session")
        );
    }

    #[test]
    fn one_that_was_cut_off_has_an_end_for_every_call() {
        let scratch = tempfile::tempdir().unwrap();
        let session = Session::start(scratch.path(), "/w").unwrap();
        said()
            .iter()
            .take(2)
            .for_each(|one| session.keep(one).unwrap());
        let file = path(scratch.path(), &session.id);
        drop(session);
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.extend_from_slice(b"{\"model\": \"half a li");
        std::fs::write(&file, &bytes).unwrap();
        let resumed = Session::resume(scratch.path(), "/w", None).unwrap();
        assert_eq!(resumed.unreadable, 1);
        let Some(Said::Results(results)) = resumed.said.last() else {
            panic!("{:?}", resumed.said)
        };
        assert_eq!(
            (results[0].id.as_str(), results[0].text.as_str()),
            ("a", CUT_OFF)
        );
        resumed
            .session
            .keep(&Said::Person("on".to_owned()))
            .unwrap();
        drop(resumed);
        let again = Session::resume(scratch.path(), "/w", None).unwrap();
        assert_eq!(again.said.last(), Some(&Said::Person("on".to_owned())));
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut all = b"{}\n".to_vec();
            all.extend(bytes);
            let (said, _) = read(&all);
            prop_assert!(!matches!(said.last(), Some(Said::Model(answer)) if !answer.calls.is_empty()));
        }
    }
}
