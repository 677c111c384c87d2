//! Proves that the hook of an agent fires: the agent itself is started with the person's own settings, and a scripted model makes it try
//! something that sayso denies to every agent.
//!
//! Nothing in the environment or in a file can make the hook behave otherwise than always; the call is one that no policy allows, and
//! that does no harm where nobody stops it. Whether the agent fails closed is tried with a copy of the hook's settings that leads to a
//! program which is killed, or which is too slow.

pub mod agent_process;
pub mod ask_modes;
pub mod configured_hooks;
pub mod error;
pub mod plugin;
pub mod proof;

use std::path::Path;

use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_store::read::Reader;
use sayso_world::locations::Whereabouts;

use crate::scripted_model::{Model, Script, Step};
use crate::which::Which;
use agent_process::{Ended, Folders, random};
use ask_modes::{Answer, Trial};
use configured_hooks::Configured;
pub use error::ProbeError;
use proof::Proof;

/// So many of the last entries are looked through for what the agent did.
const MOST_ENTRIES: usize = 2_000;

/// What the harmless call prints.
const HARMLESS: &str = "canary-of-the-doctor";

/// What is wrong with a hook that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It is killed.
    Killed,
    /// It takes longer than the agent waits.
    Slow,
}

impl Broken {
    fn words(self) -> &'static str {
        match self {
            Broken::Killed => "is killed",
            Broken::Slow => "is too slow",
        }
    }
}

/// How an agent is started for the canary.
pub trait Cage: Sync {
    /// The agent with the person's own settings and the scripted model.
    fn own(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
    ) -> Result<std::process::Command, ProbeError>;

    /// The agent with nothing but a copy of the hook's settings that leads to a broken program, or with no hook at all.
    fn copy(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
        hook: Option<&Node>,
    ) -> Result<std::process::Command, ProbeError>;

    /// A step that runs a command.
    fn step(&self, command: &str) -> Step;

    /// Its modes, where sayso lets it ask by its own dialog.
    fn modes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Lets it start in a mode.
    fn set_mode(&self, _command: &mut std::process::Command, _mode: &str) {}

    /// The tools that a hook asks about, one of each kind, in a workspace.
    fn trials(&self, _workspace: &Path) -> Result<Vec<Trial>, ProbeError> {
        Ok(Vec::new())
    }
}

/// Starts the agent and proves what can be proved.
pub fn prove(
    which: Which,
    cage: Option<&dyn Cage>,
    program: &Path,
    version: &str,
    hook: &Configured,
    place: &Whereabouts,
    now: i64,
) -> Proof {
    let mut proof = Proof {
        agent: which.name().to_owned(),
        version: version.to_owned(),
        sayso: place.binary.clone(),
        settings: hook.digest.clone(),
        at: now,
        fires: false,
        fails_closed: false,
        words: Vec::new(),
        asks: Vec::new(),
    };
    let Some(cage) = cage else {
        proof.words.push(format!(
            "{} cannot be started with a scripted model, so nothing is proved",
            which.title()
        ));
        return proof;
    };
    match fires(which, cage, program, place) {
        Ok(words) => {
            proof.fires = true;
            proof.words.push(words);
        }
        Err(why) => proof.words.push(why.to_string()),
    }
    if proof.fires {
        match fails_closed(cage, program, hook) {
            Ok(words) => {
                proof.fails_closed = true;
                proof.words.push(words);
            }
            Err(why) => proof.words.push(why.to_string()),
        }
        match ask_modes::tried(cage, program) {
            Ok(asks) => {
                proof.words.extend(in_words(&asks));
                proof.asks = asks;
            }
            Err(why) => proof.words.push(format!(
                "whether it asks when a hook says so could not be tried: {why}"
            )),
        }
    }
    proof
}

/// What came of the questions of a hook.
fn in_words(asks: &[ask_modes::Asked]) -> Option<String> {
    if asks.is_empty() {
        return None;
    }
    let swallowed: Vec<String> = asks
        .iter()
        .filter(|asked| asked.answer == Answer::Swallowed)
        .map(|asked| format!("`{}` in its mode `{}`", asked.tool, asked.mode))
        .collect();
    let tried = asks
        .iter()
        .filter(|asked| asked.answer != Answer::Untried)
        .count();
    Some(match swallowed.is_empty() {
        true => format!(
            "asks when a hook says so: of {} questions, one a mode and a tool, {tried} were tried and none was answered in your place",
            asks.len()
        ),
        false => format!(
            "answers questions of its hook in your place: {}",
            swallowed.join(", ")
        ),
    })
}

/// Whether the hook is called and its denial counts; the words say how that was seen, or why it was not.
fn fires(
    which: Which,
    cage: &dyn Cage,
    program: &Path,
    place: &Whereabouts,
) -> Result<String, ProbeError> {
    let (nonce, key) = (random()?, random()?);
    let folders = Folders::make(&nonce)?;
    let marker = format!("ran-{nonce}");
    let sayso = place.binary.to_str().ok_or(ProbeError::ProgramNotUtf8)?;
    // To run what was approved is for the hook alone. Where nothing stops it, it makes an empty file, and finds nothing to run.
    let denied = format!(
        "touch {marker} && {}",
        sayso_shell::quote(&[sayso.to_owned(), "exec".to_owned(), nonce.clone()])
    );
    let model = Model::start(
        Script::of(
            &nonce,
            vec![cage.step(&format!("echo {HARMLESS}")), cage.step(&denied)],
        ),
        &key,
    )?;
    let ended = agent_process::run(&mut cage.own(program, &model, &key, &folders)?, &folders)?;
    spoke(&model, &ended)?;
    let result = |number: usize| result_of(&model, number);
    let did_run = folders.workspace.join(&marker).exists();
    let shown = result(1).ok_or(ProbeError::NotTried(ended))?;
    if did_run {
        return Err(ProbeError::Ran);
    }
    if !shown.contains("sayso: ") {
        return Err(ProbeError::OtherDenial(shown));
    }
    if !is_recorded(which, &place.state, &nonce)? {
        return Err(ProbeError::NotRecorded(shown));
    }
    let first = result(0).unwrap_or_default();
    let harmless = if first.contains("sayso: ") {
        format!("was denied (`{}`)", short(&first))
    } else if first.contains(HARMLESS) {
        "ran".to_owned()
    } else {
        format!("did not run (`{}`)", short(&first))
    };
    Ok(format!(
        "fires: a call that no agent may make was denied and recorded, and the model saw why; a harmless one {harmless}"
    ))
}

/// Whether a call is denied where the hook breaks; the words say how that was seen, or why it was not.
fn fails_closed(cage: &dyn Cage, program: &Path, hook: &Configured) -> Result<String, ProbeError> {
    // Without the broken hook the same call has to run, or the rest would prove nothing. (An administrator's own hook stays in place.)
    if !runs(cage, program, None)? {
        return Err(ProbeError::NeverRuns);
    }
    for broken in [Broken::Killed, Broken::Slow] {
        if runs(cage, program, Some(&hook.broken(broken)))? {
            return Err(ProbeError::FailsOpen(broken));
        }
    }
    Ok("fails closed: with a copy of its settings whose hook is killed or too slow, the call did not run; without that, it did".to_owned())
}

/// Whether a harmless call runs with a copy of the hook's settings: what it prints is not in its text.
fn runs(cage: &dyn Cage, program: &Path, hook: Option<&Node>) -> Result<bool, ProbeError> {
    let (nonce, key) = (random()?, random()?);
    let folders = Folders::make(&nonce)?;
    let model = Model::start(
        Script::of(
            &nonce,
            vec![cage.step(&format!("printf '%s%s' ran- {nonce}"))],
        ),
        &key,
    )?;
    let ended = agent_process::run(
        &mut cage.copy(program, &model, &key, &folders, hook)?,
        &folders,
    )?;
    spoke(&model, &ended)?;
    let shown = result_of(&model, 0).ok_or(ProbeError::Stopped(ended))?;
    Ok(shown.contains(&format!("ran-{nonce}")))
}

/// Insists that the agent talked to the scripted model: whatever else it did is no proof of anything.
fn spoke(model: &Model, ended: &Ended) -> Result<(), ProbeError> {
    if !model.seen().is_empty() {
        return Ok(());
    }
    Err(ProbeError::SilentAgent {
        elsewhere: model.elsewhere(),
        ended: ended.clone(),
    })
}

/// What the model was shown as the result of its call with this number.
fn result_of(model: &Model, number: usize) -> Option<String> {
    let wanted = format!("_0_{number}");
    model
        .results()
        .into_iter()
        .find(|(id, _)| id.ends_with(&wanted))
        .map(|(_, text)| text)
}

/// Whether the record has the denial of the second call.
fn is_recorded(which: Which, state: &Path, nonce: &str) -> Result<bool, ProbeError> {
    // Of an agent that gives its calls no ids, the call is known by what it would have made.
    let has_ids = which.facts().has_call_ids;
    let wanted = if has_ids {
        format!("{nonce}_0_1")
    } else {
        nonce.to_owned()
    };
    let reader = Reader::open(state).map_err(ProbeError::record)?;
    let entries = reader.backwards().map_err(ProbeError::record)?;
    for entry in entries.take(MOST_ENTRIES) {
        let entry = entry.map_err(ProbeError::record)?;
        if !entry.text.contains(&wanted) {
            continue;
        }
        let node = entry.node().map_err(ProbeError::record)?;
        let is = |key: &str, value: &str| node.get(key).and_then(Node::as_text) == Some(value);
        let is_call = !has_ids
            || node
                .get("call")
                .and_then(Node::as_text)
                .is_some_and(|call| call.ends_with(&wanted));
        if is_call && is("kind", "decided") && is("decision", "deny") && is("agent", which.name()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// When an agent last called its hook, in milliseconds since 1970, as far as the last entries tell.
pub fn last_call(which: Which, state: &Path) -> Option<i64> {
    let entries = Reader::open(state).ok()?;
    let mut entries = entries
        .backwards()
        .ok()?
        .take(MOST_ENTRIES)
        .filter_map(Result::ok);
    entries
        .find(|entry| {
            entry.kind == "decided" && entry.node().is_ok_and(|node| is_call_of(which, &node))
        })
        .map(|entry| entry.at)
}

/// Whether an entry is about a call of this agent or of one below it, and none that `doctor` made itself.
fn is_call_of(which: Which, node: &Node) -> bool {
    let text = |key: &str| node.get(key).and_then(Node::as_text).unwrap_or_default();
    let is_own = Path::new(text("workspace")).components().any(|part| {
        part.as_os_str()
            .to_string_lossy()
            .starts_with(agent_process::FOLDER)
    });
    text("agent").rsplit(" < ").next() == Some(which.name()) && !is_own
}

fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first: String = words.join(" ").chars().take(160).collect();
    visible(&first).into_owned()
}
