//! What is to be known of a call when it has run: each in a small file of its own, found by the session and the id that the agent gave it.

use std::io::{self, Read as _};
use std::path::Path;

use sayso_core::call::operation::{Call, Malformed, Operation};
use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_store::{Folder, FolderError, WriteError};
use thiserror::Error;

const FOLDER: &str = "hooks";
/// After so many seconds nobody will come back to a call.
const KEPT: i64 = 7 * 24 * 60 * 60;

/// What is to be known of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// The agent asked the person.
    pub asked: bool,
    /// `sayso exec` runs it, and writes down what comes of it.
    pub handed_over: bool,
    /// The id of the command that waits for a yes in the agent's dialog.
    pub held: Option<String>,
    /// The change under which its files are kept.
    pub change: Option<String>,
}

/// Why what is to be known of a call cannot be kept or read.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum HookStateError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the folder of hooks is missing")]
    NoFolder,
    #[error("{}", .0.told("what is to be known of the call cannot be written"))]
    NotWritten(#[from] WriteError),
    #[error("what is to be known of the call cannot be read: {0}")]
    NotRead(io::Error),
    #[error("{}", .0.message)]
    NotJson(Diagnostic),
    #[error("{}", .0.0)]
    Malformed(Malformed),
}

/// Keeps it.
///
/// # Errors
/// When it cannot be written.
pub fn put(state: &Path, call: &Call, pending: &Pending) -> Result<(), HookStateError> {
    if call.id.is_empty() {
        return Ok(());
    }
    let folder = Folder::open(state)?
        .inner(FOLDER, true)?
        .ok_or(HookStateError::NoFolder)?;
    let flag = |flag: bool| -> Node { Value::Bool(flag).into() };
    let maybe =
        |text: &Option<String>| text.as_ref().map_or_else(|| Value::Null.into(), Node::text);
    let node = Node::map([
        ("asked", flag(pending.asked)),
        ("handed_over", flag(pending.handed_over)),
        ("held", maybe(&pending.held)),
        ("change", maybe(&pending.change)),
        ("session", Node::text(&call.session)),
        ("call", Node::text(&call.id)),
        ("tool", Node::text(&call.tool)),
        ("agent", Node::text(&call.agent.name)),
        ("sub_agent", flag(!call.agent.parents.is_empty())),
    ]);
    write(&folder, &name("call", &call.session, &call.id), &node)?;
    // For the next call, which looks through all of them only where there is something to find.
    if pending.held.is_some() {
        write(&folder, &name("dialogs", &call.session, ""), &empty())
    } else {
        Ok(())
    }
}

/// Keeps that a person said yes to a call, for the agent's own question about it: that names no id, so the call itself has to be the same.
///
/// # Errors
/// When it cannot be written.
pub fn put_yes(state: &Path, call: &Call) -> Result<(), HookStateError> {
    let folder = Folder::open(state)?
        .inner(FOLDER, true)?
        .ok_or(HookStateError::NoFolder)?;
    write(
        &folder,
        &yes_name(call)?,
        &Node::map([("at", Node::from(Value::Number(now().to_string())))]),
    )
}

/// Takes it; false where nobody said yes to this very call, or not a moment ago.
///
/// # Errors
/// When it cannot be read.
pub fn take_yes(state: &Path, call: &Call) -> Result<bool, HookStateError> {
    let found = read(state, &yes_name(call)?, true)?;
    let at = found
        .as_ref()
        .and_then(|node| node.get("at"))
        .and_then(Node::as_whole);
    Ok(at.is_some_and(|at| now().saturating_sub(at) <= MOMENT))
}

/// Keeps that a call of an MCP tool was answered at the hook, for a gateway that the same call comes to next.
///
/// # Errors
/// When it cannot be written.
pub fn put_for_gateway(state: &Path, call: &Call) -> Result<(), HookStateError> {
    if call.id.is_empty() {
        return Ok(());
    }
    let folder = Folder::open(state)?
        .inner(FOLDER, true)?
        .ok_or(HookStateError::NoFolder)?;
    let name = name(
        "gateway",
        &call.id,
        &Digest::of_node(&call.args).to_string(),
    );
    write(
        &folder,
        &name,
        &Node::map([("at", Node::from(Value::Number(now().to_string())))]),
    )
}

/// Takes it; false where no hook let this very call through, or not lately. `args` are those of the call at the hook.
///
/// # Errors
/// When it cannot be read.
pub fn take_for_gateway(state: &Path, id: &str, args: &Node) -> Result<bool, HookStateError> {
    let found = read(
        state,
        &name("gateway", id, &Digest::of_node(args).to_string()),
        true,
    )?;
    let at = found
        .as_ref()
        .and_then(|node| node.get("at"))
        .and_then(Node::as_whole);
    Ok(at.is_some_and(|at| now().saturating_sub(at) <= DIALOG))
}

/// So many seconds an agent's own dialog may be open.
const DIALOG: u64 = 60 * 60;

/// So many seconds a yes is one of a moment ago.
const MOMENT: u64 = 60;

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

fn yes_name(call: &Call) -> Result<String, HookStateError> {
    let operation = Operation::freeze(call.clone()).map_err(HookStateError::Malformed)?;
    Ok(name("yes", &call.session, &operation.digest().to_string()))
}

/// Keeps in which folder a session began.
///
/// # Errors
/// When it cannot be written.
pub fn begin(state: &Path, session: &str, workspace: &str) -> Result<(), HookStateError> {
    let folder = Folder::open(state)?
        .inner(FOLDER, true)?
        .ok_or(HookStateError::NoFolder)?;
    write(
        &folder,
        &name("beginning", session, ""),
        &Node::map([("workspace", Node::text(workspace))]),
    )
}

/// In which folder a session began; none where nobody saw it.
///
/// # Errors
/// When that cannot be read.
pub fn beginning(state: &Path, session: &str) -> Result<Option<String>, HookStateError> {
    let Some(node) = read(state, &name("beginning", session, ""), false)? else {
        return Ok(None);
    };
    Ok(node
        .get("workspace")
        .and_then(Node::as_text)
        .map(str::to_owned))
}

/// Keeps the id of a call that the agent knows by no id, under what it is known by when it has run.
///
/// # Errors
/// When it cannot be written.
pub fn put_name(state: &Path, session: &str, key: &str, id: &str) -> Result<(), HookStateError> {
    let folder = Folder::open(state)?
        .inner(FOLDER, true)?
        .ok_or(HookStateError::NoFolder)?;
    write(
        &folder,
        &name("name", session, key),
        &Node::map([("id", Node::text(id))]),
    )
}

/// Takes it; none where no such call was let through.
///
/// # Errors
/// When it cannot be read.
pub fn take_name(state: &Path, session: &str, key: &str) -> Result<Option<String>, HookStateError> {
    let found = read(state, &name("name", session, key), true)?;
    Ok(found.and_then(|node| node.get("id").and_then(Node::as_text).map(str::to_owned)))
}

/// Takes what was kept; nothing, where nothing was.
///
/// # Errors
/// When it cannot be read.
pub fn take(state: &Path, session: &str, call: &str) -> Result<Pending, HookStateError> {
    Ok(read(state, &name("call", session, call), true)?
        .as_ref()
        .map_or_else(Pending::default, pending))
}

fn pending(node: &Node) -> Pending {
    let is = |key: &str| node.get(key).and_then(Node::as_bool).unwrap_or(false);
    let text = |key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
    Pending {
        asked: is("asked"),
        handed_over: is("handed_over"),
        held: text("held"),
        change: text("change"),
    }
}

/// A question of an agent's dialog that nobody came back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The id of the call.
    pub call: String,
    /// Its tool.
    pub tool: String,
    /// Who wanted it.
    pub agent: String,
    /// The id of the command that waits for a yes.
    pub held: Option<String>,
}

/// Which of a session's open questions are taken.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// All.
    All,
    /// The agent's own: its sub-agents work while it waits.
    Own,
    /// Held commands of the agent itself that were asked about before this call, and not together with it.
    Before(&'a Call),
}

/// Calls that a model wants at once come within so many seconds; their dialogs may be open at the same time.
const AT_ONCE: i64 = 1;

/// Takes the held commands that an agent asked about and did not run, once it wants something else.
///
/// # Errors
/// When that cannot be found out.
pub fn take_refused(state: &Path, call: &Call) -> Result<Vec<Open>, HookStateError> {
    let mark = name("dialogs", &call.session, "");
    if !call.agent.parents.is_empty() || read(state, &mark, true)?.is_none() {
        return Ok(Vec::new());
    }
    let (open, left) = take_some(state, &call.session, Which::Before(call));
    if left {
        let folder = Folder::open(state)?
            .inner(FOLDER, true)?
            .ok_or(HookStateError::NoFolder)?;
        write(&folder, &mark, &empty())?;
    }
    Ok(open)
}

/// Takes the questions of a session that are open; those of its sub-agents only with `all`, since they go on while the agent waits.
pub fn take_open(state: &Path, session: &str, all: bool) -> Vec<Open> {
    take_some(state, session, if all { Which::All } else { Which::Own }).0
}

/// The same for some of them, and whether there are others of the session.
fn take_some(state: &Path, session: &str, which: Which<'_>) -> (Vec<Open>, bool) {
    let folder = Folder::open_existing(state)
        .ok()
        .flatten()
        .and_then(|state| state.inner(FOLDER, false).ok().flatten());
    let Some(folder) = folder else {
        return (Vec::new(), false);
    };
    let (mut open, mut left) = (Vec::new(), false);
    for name in folder
        .names()
        .unwrap_or_default()
        .into_iter()
        .filter(|name| name.len() == 64)
    {
        let Some(node) = self::read(state, &name, false).ok().flatten() else {
            continue;
        };
        let text = |key: &str| {
            node.get(key)
                .and_then(Node::as_text)
                .unwrap_or_default()
                .to_owned()
        };
        let is_sub = node
            .get("sub_agent")
            .and_then(Node::as_bool)
            .unwrap_or(false);
        let pending = pending(&node);
        if !pending.asked || text("session") != session {
            continue;
        }
        let is_meant = match which {
            Which::All => true,
            Which::Own => !is_sub,
            Which::Before(call) => {
                let age = folder
                    .look(&name)
                    .ok()
                    .flatten()
                    .map_or(0, |found| now_signed().saturating_sub(found.st_mtime));
                !is_sub && pending.held.is_some() && text("call") != call.id && age > AT_ONCE
            }
        };
        left |= !is_meant;
        // Whoever removes it has it.
        if is_meant && folder.remove(&name).is_ok() {
            open.push(Open {
                call: text("call"),
                tool: text("tool"),
                agent: text("agent"),
                held: pending.held,
            });
        }
    }
    (open, left)
}

fn empty() -> Node {
    Node::map([("version", Node::text("1"))])
}

fn now_signed() -> i64 {
    i64::try_from(now()).unwrap_or(i64::MAX)
}

fn write(folder: &Folder, name: &str, node: &Node) -> Result<(), HookStateError> {
    Ok(folder.put(name, json::write(node).as_bytes(), false)?)
}

fn read(state: &Path, name: &str, takes: bool) -> Result<Option<Node>, HookStateError> {
    let folder = Folder::open_existing(state)?
        .map(|state| state.inner(FOLDER, false))
        .transpose()?
        .flatten();
    let Some(folder) = folder else {
        return Ok(None);
    };
    let Some(file) = folder.read(name)? else {
        return Ok(None);
    };
    let mut text = String::new();
    file.take(1 << 17)
        .read_to_string(&mut text)
        .map_err(HookStateError::NotRead)?;
    if takes {
        folder.remove(name)?;
    }
    json::read(&text, &Limits::default())
        .map(Some)
        .map_err(HookStateError::NotJson)
}

/// Removes what nobody came back to.
pub fn clear(state: &Path, now: i64) {
    let folder = Folder::open_existing(state)
        .ok()
        .flatten()
        .and_then(|state| state.inner(FOLDER, false).ok().flatten());
    let Some(folder) = folder else { return };
    for name in folder.names().unwrap_or_default() {
        let old = folder
            .look(&name)
            .ok()
            .flatten()
            .is_some_and(|found| now.saturating_sub(found.st_mtime) > KEPT);
        if old && name.len() >= 64 {
            // What cannot be removed is tried again.
            let _ = folder.remove(&name);
        }
    }
}

/// The name of a file: what it is about, whatever the agent calls its sessions and calls.
fn name(about: &str, session: &str, call: &str) -> String {
    let digest =
        Digest::of_bytes(format!("{about}\0{}\0{session}\0{call}", session.len()).as_bytes());
    String::from_utf8_lossy(&digest.hex()).into_owned()
}
