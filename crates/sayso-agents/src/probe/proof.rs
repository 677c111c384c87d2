//! What was proved of an agent's hook, kept for whoever relies on it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_gate::error::{PortError, port_error};
use sayso_store::folder::{Folder, WriteError};
use thiserror::Error as ThisError;

use super::ask_modes::{Answer, Asked};

/// The folder in sayso's own.
const FOLDER: &str = "canary";
/// The longest proof that is read.
const LONGEST: u64 = 64 << 10;

/// What was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The agent.
    pub agent: String,
    /// Its version.
    pub version: String,
    /// The sayso that its hook started.
    pub sayso: PathBuf,
    /// The digest of the settings that the hook stands in.
    pub settings: String,
    /// When, in seconds since 1970.
    pub at: i64,
    /// The hook is called, and its denial counts.
    pub fires: bool,
    /// A call is denied when the hook breaks.
    pub fails_closed: bool,
    /// How that was seen, in words.
    pub words: Vec<String>,
    /// What came of questions, by mode and tool.
    pub asks: Vec<Asked>,
}

/// Why a proof could not be kept or read.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum ProofError {
    #[error("the folder of proofs is missing")]
    NoFolder,
    #[error("the path of sayso is not UTF-8")]
    ProgramNotUtf8,
    #[error("{}", .0.told("the proof cannot be written"))]
    NotWritten(WriteError),
    #[error("the proof cannot be read: {0}")]
    NotRead(io::Error),
    #[error("the proof cannot be read: {}", .0.message)]
    NotJson(Diagnostic),
    #[error("the proof is not one of this sayso")]
    OtherFormat,
    /// Of sayso's own folder.
    #[error("{0}")]
    Storage(PortError),
}

impl ProofError {
    fn storage(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ProofError {
        ProofError::Storage(port_error(error))
    }
}

impl Proof {
    /// Keeps it, in place of an older one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, state: &Path) -> Result<(), ProofError> {
        let folder = Folder::open(state)
            .and_then(|state| state.inner(FOLDER, true))
            .map_err(ProofError::storage)?
            .ok_or(ProofError::NoFolder)?;
        let sayso = self.sayso.to_str().ok_or(ProofError::ProgramNotUtf8)?;
        let node = Node::map([
            ("agent", Node::text(&self.agent)),
            ("version", Node::text(&self.version)),
            ("sayso", Node::text(sayso)),
            ("settings", Node::text(&self.settings)),
            ("at", Value::Number(self.at.to_string()).into()),
            ("fires", Value::Bool(self.fires).into()),
            ("fails_closed", Value::Bool(self.fails_closed).into()),
            (
                "words",
                Value::List(self.words.iter().map(Node::text).collect()).into(),
            ),
            ("asks", self.asks_as_node()),
        ]);
        folder
            .put(&name(&self.agent), json::write(&node).as_bytes(), true)
            .map_err(ProofError::NotWritten)
    }

    /// The table of questions, one a mode and a tool.
    pub fn asks_as_node(&self) -> Node {
        let cell = |asked: &Asked| {
            Node::map([
                ("mode", Node::text(&asked.mode)),
                ("tool", Node::text(&asked.tool)),
                ("answer", Node::text(asked.answer.word())),
            ])
        };
        Value::List(self.asks.iter().map(cell).collect()).into()
    }

    /// The last one; none where nothing was tried yet.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(state: &Path, agent: &str) -> Result<Option<Proof>, ProofError> {
        let folder = Folder::open_existing(state)
            .and_then(|state| state.map(|state| state.inner(FOLDER, false)).transpose())
            .map_err(ProofError::storage)?
            .flatten();
        let Some(folder) = folder else {
            return Ok(None);
        };
        let Some(file) = folder.read(&name(agent)).map_err(ProofError::storage)? else {
            return Ok(None);
        };
        let mut text = String::new();
        file.take(LONGEST)
            .read_to_string(&mut text)
            .map_err(ProofError::NotRead)?;
        let node = json::read(&text, &Limits::default()).map_err(ProofError::NotJson)?;
        let words = |key: &str| node.get(key).and_then(Node::as_text).map(str::to_owned);
        let flag = |key: &str| node.get(key).and_then(Node::as_bool);
        let whole = || {
            Some(Proof {
                agent: words("agent").filter(|name| name == agent)?,
                version: words("version")?,
                sayso: PathBuf::from(words("sayso")?),
                settings: words("settings")?,
                at: i64::try_from(node.get("at")?.as_whole()?).ok()?,
                fires: flag("fires")?,
                fails_closed: flag("fails_closed")?,
                words: node
                    .get("words")
                    .map(Node::items)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Node::as_text)
                    .map(str::to_owned)
                    .collect(),
                asks: node
                    .get("asks")
                    .map(Node::items)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(asked)
                    .collect(),
            })
        };
        whole().map(Some).ok_or(ProofError::OtherFormat)
    }

    /// Whether it is about what is there now.
    pub fn is_about(&self, version: &str, sayso: &Path, settings: &str) -> bool {
        self.version == version && self.sayso == sayso && self.settings == settings
    }
}

fn asked(node: &Node) -> Option<Asked> {
    let text = |key: &str| node.get(key).and_then(Node::as_text);
    let answer = Answer::from_word(text("answer")?)?;
    Some(Asked {
        mode: text("mode")?.to_owned(),
        tool: text("tool")?.to_owned(),
        answer,
    })
}

fn name(agent: &str) -> String {
    format!("{agent}.json")
}
