//! The policy for a process that lives for one answer: from the snapshot if all its sources are as they were, else read and kept for the next.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use sayso_core::text::digest::Digest;
use sayso_store::rules_and_grants::generation::{Generation, Mark};
use sayso_store::{Folder, snapshot};
use sayso_world::locations::Whereabouts;
use sayso_world::policy_files::{self, PolicyFile};

use crate::assemble;
use crate::assemble::{Choice, Loaded};

/// Loads the policy, without a word on what is odd in its files: that is for commands that are about the policy.
pub fn load(whereabouts: &Whereabouts, workspace: &Path, choice: &Choice) -> Loaded {
    // Nothing is made for somebody who only asks.
    match Folder::open_existing(&whereabouts.state).ok().flatten() {
        Some(folder) => load_in(
            &folder,
            whereabouts,
            workspace,
            choice,
            policy_files::general(whereabouts),
        ),
        None => assemble::load(whereabouts, workspace, choice),
    }
}

/// The same for somebody who has opened the state folder already, and read the files that count everywhere.
pub fn load_in(
    folder: &Folder,
    whereabouts: &Whereabouts,
    workspace: &Path,
    choice: &Choice,
    general: Vec<PolicyFile>,
) -> Loaded {
    let Some(bound) = bound(folder, whereabouts, workspace, choice, general) else {
        return assemble::load(whereabouts, workspace, choice);
    };
    let session = choice.session.as_deref();
    let apart = || session.and_then(|session| snapshot::load_apart(folder, &bound, session));
    if let Some((policy, grants)) = snapshot::load(folder, &bound).or_else(apart) {
        let mut loaded = Loaded {
            policy,
            grants,
            is_apart: false,
            files: Vec::new(),
        };
        loaded.look_for_sandbox();
        return loaded;
    }
    let loaded = assemble::load(whereabouts, workspace, choice);
    // Files or rules that changed meanwhile: what was read may be newer than what it would be kept for.
    let again = self::bound(
        folder,
        whereabouts,
        workspace,
        choice,
        policy_files::general(whereabouts),
    );
    if loaded.policy.why_broken().is_none() && again == Some(bound) {
        // Where it cannot be kept, the next one reads again.
        let _ = match session.filter(|_| loaded.is_apart) {
            Some(session) => {
                snapshot::store_apart(folder, &bound, &loaded.policy, &loaded.grants, session)
            }
            None => snapshot::store(folder, &bound, &loaded.policy, &loaded.grants),
        };
    }
    loaded
}

/// The digest of everything that decides what the policy is; none where a file cannot be read, which must be told.
pub fn bound(
    folder: &Folder,
    whereabouts: &Whereabouts,
    workspace: &Path,
    choice: &Choice,
    general: Vec<PolicyFile>,
) -> Option<Digest> {
    let mut files = general;
    files.extend(policy_files::of_project(whereabouts, workspace));
    files.extend(assemble::named(whereabouts, choice));
    let mut sources: Vec<(String, Vec<u8>)> = Vec::new();
    for PolicyFile {
        path,
        layer,
        text,
        trusted,
        ..
    } in files
    {
        sources.push((
            format!("file {} {layer:?} {trusted}", path.display()),
            text.ok()?.into_bytes(),
        ));
    }
    for name in ["SAYSO_MODE", "SAYSO_PROFILE"]
        .into_iter()
        .filter(|_| !choice.ignores_environment)
    {
        sources.extend(
            std::env::var(name)
                .ok()
                .map(|value| (name.to_owned(), value.into_bytes())),
        );
    }
    sources.extend(
        choice
            .profile
            .as_ref()
            .map(|profile| ("--profile".to_owned(), profile.clone().into_bytes())),
    );
    sources.extend(
        choice
            .mode
            .map(|mode| ("--mode".to_owned(), mode.word().as_bytes().to_vec())),
    );
    // Another build of the same version may read the same file differently.
    let program = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let build = format!(
        "{} {} {} {}",
        program.ino(),
        program.size(),
        program.mtime(),
        program.mtime_nsec()
    );
    sources.push(("program".to_owned(), build.into_bytes()));
    let generation = match Generation::open_in(folder)
        .and_then(|mut generation| generation.now(&whereabouts.state))
        .ok()?
    {
        Mark::Never => 0,
        Mark::Unknown => return None,
        Mark::At {
            number,
            file,
            changed,
        } => {
            sources.push((
                "generation".to_owned(),
                format!("{file} {changed:?}").into_bytes(),
            ));
            number
        }
    };
    Some(snapshot::bound(
        sources
            .iter()
            .map(|(name, content)| (name.as_str(), content.as_slice())),
        generation,
    ))
}
