//! What counts as sayso's own because sayso is installed there: files that start it, programs that they start, settings that could switch
//! it off. Looked up when a policy is read, and kept in its snapshot.

use std::path::{Path, PathBuf};

use sayso_core::installed::{InstalledPath, OwnReason};
use sayso_world::whereabouts::Whereabouts;

use super::foreign::Foreign;
use super::hooks::{handler, places, started};
use super::kept;
use super::kept::Record;
use super::mcp;
use super::mcp::McpClient;
use super::spans::Document;
use super::{Around, others, switches, target};
use crate::agents;
use crate::agents::{Scope, Which};

/// The name of the program.
const PROGRAM: &str = "sayso";
/// At most this many folders of `PATH` are looked at.
const MAX_FOLDERS: usize = 64;

/// Everything that counts as sayso's own on this machine, besides its folders.
pub fn look(whereabouts: &Whereabouts) -> Vec<InstalledPath> {
    let around = around(whereabouts);
    let records = kept::records(&whereabouts.state);
    let mut found = Found::default();
    for who in agents::ALL {
        look_at_agent(&around, who, &records, &mut found);
    }
    look_at_clients(&around, &records, &mut found);
    look_at_path(whereabouts, &mut found);
    found.paths
}

#[derive(Default)]
struct Found {
    paths: Vec<InstalledPath>,
}

impl Found {
    fn add(&mut self, path: impl AsRef<Path>, reason: OwnReason) {
        // Paths of questions are text, so a path that is none is never asked about.
        let Some(path) = path.as_ref().to_str().map(str::to_owned) else {
            return;
        };
        if !self.paths.iter().any(|known| known.path == path) {
            self.paths.push(InstalledPath { path, reason });
        }
    }

    fn add_program(&mut self, program: &str) {
        if Path::new(program).is_absolute() {
            self.add(program, OwnReason::Sayso);
        }
    }
}

/// The usual places: what an agent's environment says does not count, and what `install` was told is in its records.
fn around(whereabouts: &Whereabouts) -> Around {
    let above = |path: &Path| path.parent().map(Path::to_owned);
    Around {
        home: whereabouts.home.clone(),
        claude: None,
        codex: None,
        config: above(&whereabouts.config),
        etc: above(&whereabouts.managed).unwrap_or_else(|| PathBuf::from("/etc")),
        folder: PathBuf::from("/"),
        state: whereabouts.state.clone(),
        program: whereabouts.binary.clone(),
        path: Vec::new(),
        now: 0,
    }
}

fn look_at_agent(around: &Around, who: Which, records: &[Record], found: &mut Found) {
    let usual = [Scope::Managed, Scope::User].map(|scope| (scope, target(around, who, scope).ok()));
    let usual = usual
        .into_iter()
        .filter_map(|(scope, path)| Some((scope, path?)));
    let recorded = records.iter().filter(|record| record.agent == who.name());
    let recorded = recorded.map(|record| (record.scope, record.target.clone()));
    let installed = || OwnReason::Installed(who.title().to_owned());
    let switches = || OwnReason::SwitchesOff(who.title().to_owned());
    for (scope, path) in usual.chain(recorded) {
        let programs = Foreign::glance(&path)
            .map(|text| starts(who, &text))
            .unwrap_or_default();
        if programs.is_empty() {
            continue;
        }
        found.add(&path, installed());
        programs
            .iter()
            .for_each(|program| found.add_program(program));
        for beside in switches::beside(who) {
            found.add(path.with_file_name(beside), switches());
        }
        for folder in switches::managed(who) {
            found.add(around.etc.join(folder), switches());
        }
        for name in switches::names(who) {
            match (scope, switches::project_of(who, &path)) {
                (Scope::Project, Some(project)) => {
                    found.add(project.join(name), switches());
                    around
                        .home
                        .iter()
                        .for_each(|home| found.add(home.join(name), switches()));
                }
                _ => found.add(name, switches()),
            }
        }
    }
}

/// The programs that the settings of an agent start as a hook of sayso.
fn starts(who: Which, text: &str) -> Vec<String> {
    match who {
        Which::Claude | Which::Codex => {
            let Ok(root) = Document::new("", Some(text)).read() else {
                return Vec::new();
            };
            places(who, &root)
                .iter()
                .filter_map(|place| started(who, handler(&root, place)?))
                .collect()
        }
        _ => others::starts(who, text),
    }
}

/// Settings of clients that start the gateway in front of their servers.
fn look_at_clients(around: &Around, records: &[Record], found: &mut Found) {
    for client in McpClient::ALL {
        let usual = client.target(around, false, None).ok();
        let recorded = records
            .iter()
            .filter(|record| record.agent == client.record())
            .map(|record| record.target.clone());
        for path in usual.into_iter().chain(recorded) {
            let programs = Foreign::glance(&path)
                .map(|text| mcp::gateways(client, &text))
                .unwrap_or_default();
            if !programs.is_empty() {
                found.add(&path, OwnReason::Installed(client.title().to_owned()));
                programs
                    .iter()
                    .for_each(|program| found.add_program(program));
            }
        }
    }
}

/// The names under which a shell finds sayso, and those that it would find before them.
fn look_at_path(whereabouts: &Whereabouts, found: &mut Found) {
    let folders = whereabouts
        .path
        .iter()
        .filter(|folder| folder.is_absolute())
        .take(MAX_FOLDERS);
    let names: Vec<PathBuf> = folders.map(|folder| folder.join(PROGRAM)).collect();
    // A link to a program of many names leads to no sayso, and its target is none of ours.
    let real = std::fs::canonicalize(&whereabouts.binary).ok();
    let is_there = |name: &PathBuf| match std::fs::symlink_metadata(name) {
        Ok(found) if found.is_symlink() => {
            real.is_some() && std::fs::canonicalize(name).ok() == real
        }
        found => found.is_ok_and(|found| found.is_file()),
    };
    let Some(first) = names.iter().position(is_there) else {
        return;
    };
    for (at, name) in names.iter().enumerate() {
        let is_missing = || std::fs::symlink_metadata(name).is_err();
        if is_there(name) || at < first && is_missing() {
            found.add(name, OwnReason::Sayso);
        }
    }
}
