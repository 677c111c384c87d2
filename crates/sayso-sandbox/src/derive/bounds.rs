//! The bounds of an operator: a profile of their own, that another one is met with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sayso_core::policy::terms::{Bounds, Network};

use crate::derive::{Around, SCRATCH, SYSTEM};
use crate::profile::{Level, Limits, Profile};
use crate::symlinks;

/// The bounds as a profile that takes nothing from what it says nothing of.
pub(crate) fn profile(bounds: &Bounds, profile: &Profile, around: Around<'_>) -> Profile {
    let absolute = |written: &String| match (written.strip_prefix("~/"), around.home) {
        (Some(rest), Some(home)) => symlinks::resolved(&home.join(rest)),
        _ => symlinks::resolved(&around.workspace.join(written)),
    };
    let mut paths = BTreeMap::new();
    let root = match (&bounds.read, &bounds.write) {
        (None, None) => Level::Write,
        (None, Some(_)) => Level::Read,
        (Some(_), _) => Level::Hidden,
    };
    paths.insert(PathBuf::from("/"), root);
    let listed =
        |list: &Option<Vec<String>>| list.iter().flatten().map(absolute).collect::<Vec<_>>();
    let (read, write) = (listed(&bounds.read), listed(&bounds.write));
    // Programs do not start without the system, and what is private is nobody else's.
    if root == Level::Hidden {
        paths.extend(
            SYSTEM
                .iter()
                .map(|path| (symlinks::resolved(Path::new(path)), Level::Read)),
        );
        paths.extend(
            SCRATCH
                .iter()
                .map(|path| (PathBuf::from(path), Level::Private)),
        );
    }
    let all_written = bounds.write.is_none();
    paths.extend(read.into_iter().map(|path| {
        (
            path,
            if all_written {
                Level::Write
            } else {
                Level::Read
            },
        )
    }));
    paths.extend(write.into_iter().map(|path| (path, Level::Write)));
    paths.extend(
        bounds
            .hide
            .iter()
            .map(|path| (absolute(path), Level::Hidden)),
    );
    Profile {
        paths,
        pinned: Vec::new(),
        network: bounds.network.clone().unwrap_or(Network::Everything),
        limits: Limits::default(),
        ..profile.clone()
    }
}
