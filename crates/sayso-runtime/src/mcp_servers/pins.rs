//! What was approved under the name of a server: which server it was, and what it said of its tools. Kept in sayso's own folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_store::Folder;

use super::error::{Damage, PinsError};

const FOLDER: &str = "mcp";
const LOCK: &str = "lock";
/// The largest file of pins.
const LARGEST: u64 = 16 << 20;
/// So many servers, or forms of a tool, may have been approved under one name; then the oldest is forgotten, and asked about again.
const MOST: usize = 8;

/// What was approved under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// The name of the server.
    pub server: String,
    /// The servers, each with its words.
    pub identities: Vec<(Digest, String)>,
    /// The tools by their names.
    pub tools: BTreeMap<String, Pin>,
}

/// What was approved of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    /// The forms of it.
    pub digests: Vec<Digest>,
    /// What the server said of it at the last approval, as JSON.
    pub said: String,
}

impl Pins {
    /// Reads those of a server; none where nothing was approved yet.
    ///
    /// # Errors
    /// When they are there and cannot be read: then nobody knows what was approved.
    pub fn read(state: &Path, server: &str) -> Result<Pins, PinsError> {
        let none = || Pins {
            server: server.to_owned(),
            ..Pins::default()
        };
        let Some(folder) = Folder::open_existing(state)?
            .map(|state| state.inner(FOLDER, false))
            .transpose()?
            .flatten()
        else {
            return Ok(none());
        };
        Ok(load(&folder, &file(server))?
            .filter(|pins| pins.server == server)
            .unwrap_or_else(none))
    }

    /// Those of all other servers, as far as they can be read.
    pub fn others(state: &Path, server: &str) -> Vec<Pins> {
        let folder = Folder::open_existing(state)
            .ok()
            .flatten()
            .and_then(|state| state.inner(FOLDER, false).ok().flatten());
        let Some(folder) = folder else {
            return Vec::new();
        };
        let names = folder
            .names()
            .unwrap_or_default()
            .into_iter()
            .filter(|name| name.len() == 64);
        names
            .filter_map(|name| load(&folder, &name).ok().flatten())
            .filter(|pins| pins.server != server)
            .collect()
    }

    /// Whether something else was approved under this name, and not this server.
    pub fn is_other_server(&self, identity: Digest) -> bool {
        !self.identities.is_empty() && self.identities.iter().all(|(known, _)| *known != identity)
    }

    /// Whether a server and a form of a tool were approved.
    pub fn knows(&self, identity: Digest, tool: Option<(&str, Digest)>) -> bool {
        let knows_tool = |(name, digest): (&str, Digest)| {
            self.tools
                .get(name)
                .is_some_and(|pin| pin.digests.contains(&digest))
        };
        self.identities.iter().any(|(known, _)| *known == identity) && tool.is_none_or(knows_tool)
    }

    /// Takes a server and a tool in; false if both were known.
    pub fn add(&mut self, identity: (Digest, &str), tool: Option<(&str, Digest, &str)>) -> bool {
        let mut is_new = false;
        if self
            .identities
            .iter()
            .all(|(known, _)| *known != identity.0)
        {
            self.identities.push((identity.0, identity.1.to_owned()));
            let more = self.identities.len().saturating_sub(MOST);
            self.identities.drain(..more);
            is_new = true;
        }
        if let Some((name, digest, said)) = tool {
            let pin = self.tools.entry(name.to_owned()).or_default();
            if !pin.digests.contains(&digest) {
                pin.digests.push(digest);
                let more = pin.digests.len().saturating_sub(MOST);
                pin.digests.drain(..more);
                said.clone_into(&mut pin.said);
                is_new = true;
            }
        }
        is_new
    }

    /// Nobody else changes any of them while this is held.
    ///
    /// # Errors
    /// When the folder cannot be had.
    pub fn lock(state: &Path) -> Result<File, PinsError> {
        let folder = Folder::open(state)?
            .inner(FOLDER, true)?
            .ok_or(PinsError::NoFolder)?;
        let file = folder.append(LOCK)?;
        rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))
            .map_err(io::Error::from)?;
        Ok(file)
    }

    /// Keeps them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&self, state: &Path) -> Result<(), PinsError> {
        let folder = Folder::open(state)?
            .inner(FOLDER, true)?
            .ok_or(PinsError::NoFolder)?;
        let text = json::write(&self.node());
        Ok(folder.put(&file(&self.server), text.as_bytes(), false)?)
    }

    fn node(&self) -> Node {
        let text = |digest: &Digest| Node::text(digest.to_string());
        let identities = self.identities.iter().map(|(digest, words)| {
            Node::map([("digest", text(digest)), ("words", Node::text(words))])
        });
        let tool = |(name, pin): (&String, &Pin)| {
            let digests: Node = Value::List(pin.digests.iter().map(text).collect()).into();
            (
                name.clone(),
                Node::map([("digests", digests), ("said", Node::text(&pin.said))]),
            )
        };
        Node::map([
            ("server", Node::text(&self.server)),
            ("identities", Value::List(identities.collect()).into()),
            ("tools", Node::map(self.tools.iter().map(tool))),
        ])
    }
}

fn file(server: &str) -> String {
    String::from_utf8_lossy(&Digest::of_bytes(server.as_bytes()).hex()).into_owned()
}

fn load(folder: &Folder, name: &str) -> Result<Option<Pins>, PinsError> {
    let Some(file) = folder.read(name)? else {
        return Ok(None);
    };
    let mut text = String::new();
    let damaged = |why| PinsError::Damaged {
        path: folder.path().join(name),
        why,
    };
    file.take(LARGEST)
        .read_to_string(&mut text)
        .map_err(|error| damaged(error.into()))?;
    let node = json::read(&text, &Limits::default())
        .map_err(|finding| damaged(Damage::NotJson(finding)))?;
    parse(&node)
        .map(Some)
        .ok_or_else(|| damaged(Damage::Incomplete))
}

fn parse(node: &Node) -> Option<Pins> {
    let digest = |node: &Node| Digest::parse(node.as_text()?);
    let identity = |node: &Node| {
        Some((
            digest(node.get("digest")?)?,
            node.get("words")?.as_text()?.to_owned(),
        ))
    };
    let pin = |node: &Node| {
        let digests: Option<Vec<Digest>> =
            node.get("digests")?.items().iter().map(digest).collect();
        Some(Pin {
            digests: digests?,
            said: node.get("said")?.as_text()?.to_owned(),
        })
    };
    let tools: Option<BTreeMap<String, Pin>> = node
        .get("tools")?
        .entries()
        .iter()
        .map(|entry| Some((entry.key.clone(), pin(&entry.node)?)))
        .collect();
    let identities: Option<Vec<(Digest, String)>> = node
        .get("identities")?
        .items()
        .iter()
        .map(identity)
        .collect();
    Some(Pins {
        server: node.get("server")?.as_text()?.to_owned(),
        identities: identities?,
        tools: tools?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_approved_is_found_again_and_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().canonicalize().unwrap().join("state");
        let one = Digest::of_bytes(b"1");
        let mut pins = Pins::read(&state, "a").unwrap();
        assert!(!pins.is_other_server(one));
        assert!(
            pins.add((one, "x"), Some(("t", one, "{}")))
                && !pins.add((one, "x"), Some(("t", one, "{}")))
        );
        pins.write(&state).unwrap();
        assert_eq!(Pins::read(&state, "a").unwrap(), pins);
        assert!(pins.is_other_server(Digest::of_bytes(b"2")));
        assert_eq!(Pins::others(&state, "b").len(), 1);
        for number in 0..20u8 {
            pins.add((Digest::of_bytes(&[number]), "x"), None);
        }
        assert_eq!(pins.identities.len(), MOST);
        std::fs::write(state.join("mcp").join(file("a")), "{}").unwrap();
        assert!(
            Pins::read(&state, "a")
                .unwrap_err()
                .to_string()
                .contains("remove")
        );
    }
}
