//! What `sayso doctor` has proved of an agent's hook, as far as it may be relied on now.

use std::io::Read as _;
use std::path::Path;

use sayso_core::node::Node;
use sayso_core::text::{Limits, json};
use sayso_store::folder::Folder;

use super::Who;

/// A proof does not count for longer.
const DAYS: i64 = 7;
/// The longest one that is read.
const LONGEST: u64 = 64 << 10;

/// What a proof has to be about.
pub struct Now<'a> {
    /// The agent.
    pub who: Who,
    /// Its version.
    pub version: &'a str,
    /// The sayso that its hook starts.
    pub program: &'a Path,
    /// The digest of the settings that the hook stands in.
    pub settings: &'a str,
    /// The time, in seconds since 1970.
    pub at: i64,
}

/// Whether it is proved that the hook of an agent fires, and that nothing runs where it breaks.
///
/// # Errors
/// What is missing.
pub fn proved(state: &Path, now: &Now<'_>) -> Result<(), String> {
    let name = now.who.name();
    let folder = Folder::open_existing(state)?.map(|state| state.inner("canary", false)).transpose()?.flatten();
    let file = folder.map(|folder| folder.read(&format!("{name}.json"))).transpose()?.flatten();
    let file = file.ok_or("it was never tried")?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| format!("the proof cannot be read: {error}"))?;
    let proof = json::read(&text, &Limits::default()).map_err(|finding| format!("the proof cannot be read: {}", finding.message))?;
    let is = |key: &str, value: &str| proof.get(key).and_then(Node::as_text) == Some(value);
    let holds = |key: &str| proof.get(key).and_then(Node::as_bool) == Some(true);
    let at = proof.get("at").and_then(Node::as_whole).and_then(|at| i64::try_from(at).ok());
    let age = at.map(|at| now.at.saturating_sub(at));
    match () {
        () if !is("agent", name) => Err("the proof is about another agent".to_owned()),
        () if !is("version", now.version) => Err("it was tried with another version of the agent".to_owned()),
        () if now.program.to_str().is_none_or(|program| !is("sayso", program)) => Err("it was tried with another sayso".to_owned()),
        () if !is("settings", now.settings) => Err("the settings of the hook were changed since it was tried".to_owned()),
        () if !age.is_some_and(|age| (0..=DAYS * 24 * 3600).contains(&age)) => Err(format!("it was not tried within the last {DAYS} days")),
        () if !holds("fires") => Err("the hook did not fire when it was tried".to_owned()),
        () if !holds("fails_closed") => Err("calls ran when the hook broke".to_owned()),
        () => Ok(()),
    }
}
