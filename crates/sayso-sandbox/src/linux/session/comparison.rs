//! Whether a command may enter a session's sandbox: its own plan compared with what is mounted there.

use std::path::{Path, PathBuf};

use crate::linux::mount_check::{self, Differences, Unexpected};
use crate::linux::start::Planned;
use crate::plan::Step;
use crate::profile::{Level, Profile};

/// How a plan fits what is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is that, once these mounts are added, each of which takes something away. Besides, these harmless ones may be there.
    Enter { add: Vec<Step>, besides: Vec<u8> },
    /// The command was given more than the session has.
    More,
    /// The session has more than the command may have.
    Less,
}

/// Compares; none if what is mounted cannot be told.
pub(super) fn compare(planned: &Planned, profile: &Profile, mountinfo: &[u8]) -> Option<Fit> {
    let differences = mount_check::differences(&planned.mounted, mountinfo)?;
    let places = mount_check::places(&planned.mounted, mountinfo);
    let session = Session {
        planned,
        profile,
        places: &places,
    };
    Some(session.fit(differences))
}

struct Session<'a> {
    planned: &'a Planned,
    profile: &'a Profile,
    /// Its mounts: where, whether of the machine, and whether writable.
    places: &'a [(PathBuf, bool, bool)],
}

impl Session<'_> {
    fn fit(&self, differences: Differences) -> Fit {
        let unexpected: Vec<Meaning> = differences
            .unexpected
            .iter()
            .map(|mount| self.judge(mount))
            .collect();
        if !differences.writable.is_empty() || unexpected.contains(&Meaning::Less) {
            return Fit::Less;
        }
        if unexpected.contains(&Meaning::More) {
            return Fit::More;
        }
        let mut add = Vec::new();
        for place in &differences.missing {
            match self.restriction(place) {
                Some(step) => add.push(step),
                None => return Fit::More,
            }
        }
        let mut besides = Vec::new();
        for mount in &differences.unexpected {
            besides.extend_from_slice(b"may ");
            besides.extend_from_slice(&mount.key);
            besides.push(b'\n');
        }
        Fit::Enter { add, besides }
    }

    /// What a mount means that the plan does not have.
    fn judge(&self, mount: &Unexpected) -> Meaning {
        let has = match (mount.of_machine, mount.is_writable) {
            (true, true) => Level::Write,
            (true, false) => Level::Read,
            // An empty folder stands before what the plan shows.
            (false, _) => return Meaning::More,
        };
        let wants = self.profile.level(&mount.place);
        let is_itself = mount_check::straight(&self.planned.mountinfo, &mount.place)
            .is_some_and(|key| key == mount.key);
        match () {
            () if wants < has => Meaning::Less,
            () if wants == has && is_itself => Meaning::Same,
            () => Meaning::More,
        }
    }

    /// The step of a place where something is missing, if it only takes away from what the session shows there.
    fn restriction(&self, place: &Path) -> Option<Step> {
        let mut steps = self.planned.steps.iter();
        let step = steps.find(|step| target(step) == Some(place))?;
        let above = place.parent()?;
        match step {
            Step::HideFile(_) | Step::HideFolder(_) | Step::KeepAbsent(_) => {
                (self.level(above) >= Level::Read).then(|| step.clone())
            }
            Step::ReadOnly(_) | Step::StandIn(_) => {
                (self.level(place) >= Level::Read).then(|| step.clone())
            }
            Step::Pinned(path) | Step::Writable(path) => {
                (self.level(place) == Level::Write).then(|| Step::Pinned(path.clone()))
            }
            _ => None,
        }
    }

    /// What the session shows at a path, as the machine has it there.
    fn level(&self, path: &Path) -> Level {
        let around = self
            .places
            .iter()
            .filter(|(place, ..)| path.starts_with(place))
            .max_by_key(|(place, ..)| place.components().count());
        match around {
            Some((place, ..)) if self.planned.handles.shared.contains_key(place) => Level::Private,
            Some((_, true, true)) => Level::Write,
            Some((_, true, false)) => Level::Read,
            Some((place, false, _)) if place != Path::new("/") => Level::Private,
            _ => Level::Hidden,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Same,
    More,
    Less,
}

fn target(step: &Step) -> Option<&Path> {
    match step {
        Step::ReadOnly(path)
        | Step::Writable(path)
        | Step::Pinned(path)
        | Step::Private(path)
        | Step::HideFolder(path)
        | Step::HideFile(path)
        | Step::KeepAbsent(path)
        | Step::StandIn(path) => Some(path),
        _ => None,
    }
}
