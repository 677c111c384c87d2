//! What a policy was read from, as it stands on the disk: as long as nothing of that has changed, it need not be read again.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sayso_world::locations::Whereabouts;

/// What changed less than this ago may change again without another time on it: clocks of file systems are coarse.
const SETTLED: Duration = Duration::from_secs(1);
/// The names that a policy of a person or an administrator may have in its folder, and the folder of what sayso wrote itself.
const NAMES: [&str; 4] = ["policy.yaml", "policy.yml", "policy.json", "policy.d"];

/// The places, each with what stood there.
pub struct Sources {
    marks: Vec<(PathBuf, Depth, Mark)>,
}

/// How closely a place is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// What it holds.
    Content,
    /// Which folder it is and who may write there: what else comes and goes in it does not matter.
    Way,
}

/// What is told of a place without opening it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Missing,
    There {
        device: u64,
        file: u64,
        mode: u32,
        owner: u32,
        group: u32,
        size: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    },
}

impl Mark {
    /// None where it cannot be told, and for a link, which leads to something that is not looked at here.
    fn of(path: &Path, depth: Depth) -> Option<Mark> {
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Some(Mark::Missing);
            }
            Err(_) => return None,
            Ok(found) if found.file_type().is_symlink() => return None,
            Ok(found) => found,
        };
        let whole = depth == Depth::Content;
        let of = |time: (i64, i64)| if whole { time } else { (0, 0) };
        Some(Mark::There {
            device: found.dev(),
            file: found.ino(),
            mode: found.mode(),
            owner: found.uid(),
            group: found.gid(),
            size: if whole { found.size() } else { 0 },
            modified: of((found.mtime(), found.mtime_nsec())),
            changed: of((found.ctime(), found.ctime_nsec())),
        })
    }

    /// Whether a later change would show.
    fn is_settled(&self, now: Duration) -> bool {
        let is_old = |(seconds, parts): (i64, i64)| {
            let at = u64::try_from(seconds)
                .ok()
                .zip(u32::try_from(parts).ok())
                .map(|(seconds, parts)| Duration::new(seconds, parts));
            at.and_then(|at| at.checked_add(SETTLED))
                .is_some_and(|end| end < now)
        };
        match self {
            Mark::Missing => true,
            Mark::There {
                modified, changed, ..
            } => is_old(*modified) && is_old(*changed),
        }
    }
}

impl Sources {
    /// Looks at everything that decides what the policy of a workspace is. None where that is not enough to see a change later: something
    /// is a link, was changed just now, or the project has a policy of its own.
    pub fn look(whereabouts: &Whereabouts, workspace: &Path) -> Option<Sources> {
        let mut places: Vec<(PathBuf, Depth)> = Vec::new();
        let mut add = |path: PathBuf, depth: Depth| {
            if !places.contains(&(path.clone(), depth)) {
                places.push((path, depth));
            }
        };
        let of_project = workspace.join(".sayso");
        if Mark::of(&of_project, Depth::Content) != Some(Mark::Missing) {
            return None;
        }
        add(of_project, Depth::Content);
        // Another build of the program may read the same files differently.
        add(std::env::current_exe().ok()?, Depth::Content);
        add(whereabouts.state.join("generation"), Depth::Content);
        let settings = whereabouts.config.join("policy.d");
        for folder in [
            &whereabouts.managed,
            &whereabouts.config,
            &settings,
            &whereabouts.state,
        ] {
            for above in folder
                .ancestors()
                .skip(1)
                .filter(|above| *above != settings && !above.as_os_str().is_empty())
            {
                add(above.to_owned(), Depth::Way);
            }
        }
        add(whereabouts.state.clone(), Depth::Way);
        for folder in [&whereabouts.managed, &whereabouts.config] {
            add(folder.clone(), Depth::Content);
            // What is not there now changes its folder when it comes.
            let there = NAMES
                .iter()
                .map(|name| folder.join(name))
                .filter(|path| fs::symlink_metadata(path).is_ok());
            there.for_each(|path| add(path, Depth::Content));
        }
        // What comes there later changes the folder, too.
        add(settings.clone(), Depth::Content);
        let own = std::iter::once(settings.join("settings.yaml")).chain(
            sayso_world::policy_files::imported_files(&whereabouts.config),
        );
        own.filter(|file| fs::symlink_metadata(file).is_ok())
            .for_each(|file| add(file, Depth::Content));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let mut marks = Vec::with_capacity(places.len());
        for (path, depth) in places {
            let mark = Mark::of(&path, depth)
                .filter(|mark| depth == Depth::Way || mark.is_settled(now))?;
            marks.push((path, depth, mark));
        }
        Some(Sources { marks })
    }

    /// Whether all of it still stands there as it did.
    pub fn stand(&self) -> bool {
        self.marks
            .iter()
            .all(|(path, depth, mark)| Mark::of(path, *depth) == Some(*mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything changed long ago.
    fn room() -> (tempfile::TempDir, Whereabouts, PathBuf) {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let whereabouts = Whereabouts {
            managed: root.join("etc/sayso"),
            config: root.join("config/sayso"),
            state: root.join("state/sayso"),
            ..Whereabouts::from_environment().unwrap()
        };
        for folder in ["etc", "config/sayso", "state/sayso", "ws"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(whereabouts.config.join("policy.yaml"), "version: 1\n").unwrap();
        fs::write(whereabouts.state.join("generation"), "x").unwrap();
        let workspace = root.join("ws");
        (scratch, whereabouts, workspace)
    }

    fn settled(whereabouts: &Whereabouts, workspace: &Path) -> Sources {
        loop {
            if let Some(sources) = Sources::look(whereabouts, workspace) {
                return sources;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[test]
    fn every_change_shows() {
        let (_scratch, whereabouts, workspace) = room();
        assert!(
            Sources::look(&whereabouts, &workspace).is_none(),
            "it was changed just now"
        );
        let policy = whereabouts.config.join("policy.yaml");
        let changes: [(&str, &dyn Fn()); 10] = [
            ("another text of the same length", &|| {
                fs::write(&policy, "version: 2\n").unwrap()
            }),
            ("another file in its place", &|| {
                let new = whereabouts.config.join("new");
                fs::write(&new, "version: 1\n").unwrap();
                fs::rename(&new, &policy).unwrap();
            }),
            ("a link in its place", &|| {
                fs::rename(&policy, whereabouts.config.join("other.yaml")).unwrap();
                std::os::unix::fs::symlink("other.yaml", &policy).unwrap();
            }),
            ("itself again", &|| {
                fs::rename(whereabouts.config.join("other.yaml"), &policy).unwrap()
            }),
            ("a rule or a grant", &|| {
                fs::write(whereabouts.state.join("generation"), "y").unwrap()
            }),
            ("a policy of the administrator's", &|| {
                fs::create_dir(&whereabouts.managed).unwrap()
            }),
            ("settings that sayso wrote", &|| {
                fs::create_dir(whereabouts.config.join("policy.d")).unwrap();
                fs::write(
                    whereabouts.config.join("policy.d/settings.yaml"),
                    "mode: balanced\n",
                )
                .unwrap();
            }),
            ("rules that were brought along", &|| {
                fs::write(
                    whereabouts.config.join("policy.d/imported-claude.yaml"),
                    "version: 1\n",
                )
                .unwrap();
            }),
            ("others may write there", &|| {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(
                    whereabouts.config.parent().unwrap(),
                    fs::Permissions::from_mode(0o777),
                )
                .unwrap();
            }),
            ("a policy of the project's", &|| {
                fs::create_dir(workspace.join(".sayso")).unwrap()
            }),
        ];
        for (name, change) in changes {
            let before = if name == "itself again" {
                None
            } else {
                Some(settled(&whereabouts, &workspace))
            };
            assert!(before.as_ref().is_none_or(Sources::stand), "{name}");
            change();
            assert!(
                before.as_ref().is_none_or(|before| !before.stand()),
                "{name} does not show"
            );
        }
        assert!(
            Sources::look(&whereabouts, &workspace).is_none(),
            "a project with a policy is read each time"
        );
    }
}
