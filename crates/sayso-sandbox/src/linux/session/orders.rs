//! What the holder of a session's sandbox is told when it starts: one file in memory, of which nothing is left out.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sayso_core::policy::terms::Network;

use crate::profile::{Level, Limits, Profile};

/// How much all commands of a session may take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// It ends after this time without a command or a process.
    pub idle: Duration,
    /// MiB in its `/tmp` and `/var/tmp`.
    pub tmp: u64,
    /// MiB of memory of all its processes.
    pub memory: Option<u64>,
    /// Processes at once.
    pub processes: Option<u64>,
}

impl Default for SessionLimits {
    fn default() -> SessionLimits {
        SessionLimits {
            idle: Duration::from_secs(60 * 60),
            tmp: 4096,
            memory: None,
            processes: None,
        }
    }
}

/// All that the holder needs to set the sandbox up and to keep it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HolderOrders {
    /// bubblewrap.
    pub(super) bubblewrap: PathBuf,
    /// sayso's own folder for sandboxes.
    pub(super) folder: PathBuf,
    /// The program with the hidden commands.
    pub(super) program: PathBuf,
    /// The folder of this session.
    pub(super) session: PathBuf,
    pub(super) workspace: PathBuf,
    /// It ends with this process.
    pub(super) watch: Option<i32>,
    pub(super) limits: SessionLimits,
    /// What each of its commands may do. Its environment is left out.
    pub(super) profile: Profile,
}

impl HolderOrders {
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        for path in [
            &self.bubblewrap,
            &self.folder,
            &self.program,
            &self.session,
            &self.workspace,
            &self.profile.cwd,
        ] {
            out.path(path);
        }
        out.number(self.watch.map_or(0, |id| u64::from(id.unsigned_abs())));
        out.number(self.limits.idle.as_secs());
        out.number(self.limits.tmp);
        let profile = self.profile.limits;
        for limit in [
            self.limits.memory,
            self.limits.processes,
            profile.time,
            profile.memory,
            profile.processes,
        ] {
            out.number(limit.unwrap_or(0));
        }
        out.number(u64::from(self.profile.network == Network::Everything));
        out.number(self.profile.paths.len() as u64);
        for (path, level) in &self.profile.paths {
            out.number(*level as u64);
            out.path(path);
        }
        out.number(self.profile.pinned.len() as u64);
        self.profile.pinned.iter().for_each(|path| out.path(path));
        out.number(self.profile.links.len() as u64);
        for (link, to) in &self.profile.links {
            out.path(link);
            out.path(to);
        }
        out.number(self.profile.placed.len() as u64);
        for (place, source) in &self.profile.placed {
            out.path(place);
            out.path(source);
        }
        out.0
    }

    pub(super) fn read(bytes: &[u8]) -> Option<HolderOrders> {
        let mut from = Reader(bytes);
        let (bubblewrap, folder, program) = (from.path()?, from.path()?, from.path()?);
        let (session, workspace, cwd) = (from.path()?, from.path()?, from.path()?);
        let watch = i32::try_from(from.number()?).ok().filter(|id| *id > 0);
        let (idle, tmp) = (Duration::from_secs(from.number()?), from.number()?);
        let limits = SessionLimits {
            idle,
            tmp,
            memory: from.limit()?,
            processes: from.limit()?,
        };
        let profile_limits = Limits {
            time: from.limit()?,
            memory: from.limit()?,
            processes: from.limit()?,
        };
        let network = match from.number()? {
            0 => Network::Nothing,
            _ => Network::Everything,
        };
        let paths = (0..from.number()?)
            .map(|_| {
                let level = match from.number()? {
                    0 => Level::Hidden,
                    1 => Level::Private,
                    2 => Level::Read,
                    3 => Level::Write,
                    _ => return None,
                };
                Some((from.path()?, level))
            })
            .collect::<Option<_>>()?;
        let pinned = (0..from.number()?)
            .map(|_| from.path())
            .collect::<Option<_>>()?;
        let links = (0..from.number()?)
            .map(|_| Some((from.path()?, from.path()?)))
            .collect::<Option<_>>()?;
        let placed = (0..from.number()?)
            .map(|_| Some((from.path()?, from.path()?)))
            .collect::<Option<_>>()?;
        let profile = Profile {
            cwd,
            paths,
            pinned,
            links,
            placed,
            network,
            environment: Vec::new(),
            limits: profile_limits,
        };
        from.0.is_empty().then_some(HolderOrders {
            bubblewrap,
            folder,
            program,
            session,
            workspace,
            watch,
            limits,
            profile,
        })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn path(&mut self, path: &Path) {
        self.0.extend_from_slice(path.as_os_str().as_bytes());
        self.0.push(0);
    }

    fn number(&mut self, number: u64) {
        self.path(Path::new(&number.to_string()));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn path(&mut self) -> Option<PathBuf> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let (part, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.get(1..)?;
        Some(PathBuf::from(OsString::from_vec(part.to_vec())))
    }

    fn number(&mut self) -> Option<u64> {
        self.path()?.to_str()?.parse().ok()
    }

    /// Zero is no limit.
    fn limit(&mut self) -> Option<Option<u64>> {
        Some(Some(self.number()?).filter(|limit| *limit > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_come_back_as_they_were_written_and_not_in_part() {
        let orders = HolderOrders {
            bubblewrap: "/usr/bin/bwrap".into(),
            folder: "/s/sandbox".into(),
            program: "/usr/bin/sayso".into(),
            session: "/s/sandbox/sessions/ab".into(),
            workspace: "/w x\n".into(),
            watch: Some(12),
            limits: SessionLimits {
                memory: Some(7),
                ..SessionLimits::default()
            },
            profile: Profile {
                cwd: "/w".into(),
                paths: [
                    ("/w".into(), Level::Write),
                    ("/w/.env".into(), Level::Hidden),
                ]
                .into(),
                pinned: vec!["/w/.git".into()],
                links: [("/bin".into(), "/usr/bin".into())].into(),
                placed: [("/h/.npm/x".into(), "/h/.npm/y".into())].into(),
                network: Network::Everything,
                environment: Vec::new(),
                limits: Limits {
                    time: None,
                    memory: Some(3),
                    processes: Some(9),
                },
            },
        };
        let bytes = orders.write();
        assert_eq!(HolderOrders::read(&bytes), Some(orders));
        assert!(
            (0..bytes.len()).all(|end| HolderOrders::read(bytes.get(..end).unwrap()).is_none())
        );
    }
}
