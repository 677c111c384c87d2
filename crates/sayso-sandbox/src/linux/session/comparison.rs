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
        if unexpected.contains(&Meaning::More) || !differences.read_only.is_empty() {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::linux::bubblewrap::Handles;
    use crate::linux::placeholders::Placeholders;
    use crate::plan::{Kind, Seen, plan};
    use crate::profile::Limits;
    use sayso_core::policy::terms::Network;

    const MACHINE: &[u8] =
        b"1 0 254:0 / / rw - ext4 /dev/vda rw\n2 1 0:5 / /proc rw - proc proc rw\n";

    fn planned(paths: &[(&str, Level)]) -> (Profile, Planned) {
        let profile = Profile {
            cwd: "/w".into(),
            paths: paths
                .iter()
                .map(|(path, level)| (PathBuf::from(path), *level))
                .collect(),
            pinned: Vec::new(),
            links: BTreeMap::new(),
            network: Network::Nothing,
            environment: Vec::new(),
            limits: Limits::default(),
        };
        let seen: Seen = paths
            .iter()
            .map(|(path, _)| {
                let kind = if path.contains('.') {
                    Kind::File
                } else {
                    Kind::Folder
                };
                (PathBuf::from(path), kind)
            })
            .collect();
        let steps = plan(&profile, &seen);
        let handles = Handles {
            nothing: "/own/nothing".into(),
            ..Handles::default()
        };
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let planned = Planned {
            mounted: mount_check::expected(&steps, &handles, MACHINE).unwrap(),
            steps,
            handles,
            placeholders: Placeholders::make(own.path(), work.path(), &[]).unwrap(),
            mountinfo: MACHINE.to_vec(),
        };
        (profile, planned)
    }

    /// What the kernel tells of a sandbox with these mounts of the machine.
    fn mounted(mounts: &[(&str, &str, &str)]) -> Vec<u8> {
        let own = "1 0 0:3 / / ro - tmpfs x rw\n2 1 0:4 / /proc ro - proc x rw\n3 1 0:6 / /dev rw - tmpfs x rw\n\
                   4 3 0:7 / /dev/pts rw - devpts x rw\n";
        let mut text = own.to_owned();
        for (root, place, options) in mounts {
            text.push_str(&format!("5 1 254:0 {root} {place} {options} - ext4 x rw\n"));
        }
        text.into_bytes()
    }

    fn fit(paths: &[(&str, Level)], mounts: &[(&str, &str, &str)]) -> Fit {
        let (profile, planned) = planned(paths);
        compare(&planned, &profile, &mounted(mounts)).unwrap()
    }

    const WORK: (&str, &str, &str) = ("/w", "/w", "rw,nosuid");
    const SECRET: (&str, &str, &str) = ("/own/nothing", "/w/.env", "ro,nosuid");

    #[test]
    fn the_same_enters_and_what_is_missing_is_added() {
        let plan = [("/w", Level::Write), ("/w/.env", Level::Hidden)];
        let nothing = Fit::Enter {
            add: Vec::new(),
            besides: Vec::new(),
        };
        assert_eq!(fit(&plan, &[WORK, SECRET]), nothing);
        let add = vec![Step::HideFile("/w/.env".into())];
        assert_eq!(
            fit(&plan, &[WORK]),
            Fit::Enter {
                add,
                besides: Vec::new()
            }
        );
    }

    #[test]
    fn what_was_given_more_does_not_enter() {
        let work = ("/w", Level::Write);
        // A secret that may be read, another folder, and a part that may be written.
        assert_eq!(fit(&[work], &[WORK, SECRET]), Fit::More);
        assert_eq!(fit(&[work, ("/other", Level::Read)], &[WORK]), Fit::More);
        let part = ("/w/git", "/w/git", "ro,nosuid");
        assert_eq!(fit(&[work], &[WORK, part]), Fit::More);
        let pinned = [work, ("/w/git", Level::Write)];
        assert_eq!(fit(&pinned, &[WORK, part]), Fit::More);
    }

    #[test]
    fn what_may_do_less_does_not_enter() {
        let read = [("/w", Level::Read)];
        assert_eq!(fit(&read, &[WORK]), Fit::Less);
        let other = ("/other", "/other", "ro,nosuid");
        assert_eq!(fit(&[("/w", Level::Write)], &[WORK, other]), Fit::Less);
    }

    #[test]
    fn a_mount_of_something_else_under_a_known_name_does_not_enter() {
        let elsewhere = ("/home/.ssh", "/w/sub", "rw,nosuid");
        assert_eq!(fit(&[("/w", Level::Write)], &[WORK, elsewhere]), Fit::More);
        let itself = ("/w/sub", "/w/sub", "rw,nosuid");
        assert!(matches!(
            fit(&[("/w", Level::Write)], &[WORK, itself]),
            Fit::Enter { add, besides } if add.is_empty() && besides == b"may 254:0 /w/sub /w/sub\n"
        ));
    }
}
