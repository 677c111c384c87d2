//! What counts as sayso's own because sayso is installed there: files that start it, programs that they start, settings that could switch
//! it off. Looked up when a policy is read, and kept in its snapshot.

use std::path::{Path, PathBuf};

use sayso_core::analysis::own_files::{InstalledPath, OwnReason};
use sayso_world::locations::Whereabouts;

use super::install_record::{Record, records};
use super::mcp_client::{McpClient, gateways};
use super::settings_file::Foreign;
use super::{Around, Installer};
use crate::which::Scope;

/// The name of the program.
const PROGRAM: &str = "sayso";
/// At most this many folders of `PATH` are looked at.
const MAX_FOLDERS: usize = 64;

/// Everything that counts as sayso's own on this machine, besides its folders: in the settings of these agents and clients, and on `PATH`.
pub fn look(
    whereabouts: &Whereabouts,
    agents: &[&dyn Installer],
    clients: &[McpClient],
) -> Vec<InstalledPath> {
    let around = around(whereabouts);
    let records = records(&whereabouts.state);
    let mut found = Found::default();
    for who in agents {
        look_at_agent(&around, *who, &records, &mut found);
    }
    look_at_clients(&around, clients, &records, &mut found);
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

fn look_at_agent(around: &Around, who: &dyn Installer, records: &[Record], found: &mut Found) {
    let usual = [Scope::Managed, Scope::User].map(|scope| (scope, who.target(around, scope).ok()));
    let usual = usual
        .into_iter()
        .filter_map(|(scope, path)| Some((scope, path?)));
    let recorded = records
        .iter()
        .filter(|record| record.agent == who.who().name());
    let recorded = recorded.map(|record| (record.scope, record.target.clone()));
    let installed = || OwnReason::Installed(who.who().title().to_owned());
    let switches = || OwnReason::SwitchesOff(who.who().title().to_owned());
    for (scope, path) in usual.chain(recorded) {
        let programs = Foreign::glance(&path)
            .map(|text| who.starts(&text))
            .unwrap_or_default();
        if programs.is_empty() {
            continue;
        }
        found.add(&path, installed());
        programs
            .iter()
            .for_each(|program| found.add_program(program));
        for beside in who.switches().beside {
            found.add(path.with_file_name(beside), switches());
        }
        for folder in who.switches().managed {
            found.add(around.etc.join(folder), switches());
        }
        for name in who.switches().names {
            match (scope, who.switches().project_of(&path)) {
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

/// Settings of clients that start the gateway in front of their servers.
fn look_at_clients(around: &Around, clients: &[McpClient], records: &[Record], found: &mut Found) {
    for client in clients.iter().copied() {
        let usual = client.target(around, false, None).ok();
        let recorded = records
            .iter()
            .filter(|record| record.agent == client.record())
            .map(|record| record.target.clone());
        for path in usual.into_iter().chain(recorded) {
            let programs = Foreign::glance(&path)
                .map(|text| gateways(client, &text))
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
