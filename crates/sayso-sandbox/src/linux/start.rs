//! Carries a plan out: a process that, once started, is in its sandbox before the first instruction of the command.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, OFlags, fcntl_getfl, fcntl_setfl, memfd_create};
use rustix::process::{PidfdFlags, pidfd_open};
use sayso_core::policy::terms::Network;

use super::backend::Backend;
use super::bubblewrap::{self, Handles};
use super::child::Child;
use super::error::SetupError;
use super::init::Orders;
use super::init::{self, INNER_COMMAND};
use super::landlock;
use super::mount_check;
use super::path_check;
use super::placeholders::Placeholders;
use super::refusals::Watcher;
use super::seccomp::{self, Sockets};
use super::temp_dir::Scratch;
use crate::explain::Explained;
use crate::plan::{Kind, Step, plan};
use crate::profile::{Level, Limits, Profile};
use crate::proxy::{Connect, Proxy};
use crate::refusal::Refusal;
use crate::symlinks;

/// Numbers of what bubblewrap is handed; it closes them before the command starts.
const ARGUMENTS: RawFd = 10;
const STATUS: RawFd = 11;
const FILTER: RawFd = 20;

/// How long the end of a sandbox is waited for.
const MOST_WAITING: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};

/// How much of what bubblewrap says of the command is read.
const MOST_STATUS: u64 = 4096;

/// A sandbox to start commands in.
#[derive(Clone)]
pub struct Sandbox {
    /// What it is made with.
    pub backend: Backend,
    /// A folder of sayso's own, private.
    pub folder: PathBuf,
    /// The program that has the hidden command for the [inner step](super::init).
    pub program: PathBuf,
    /// Connects to a chosen host; none: no host is reached.
    pub connect: Option<Arc<Connect>>,
    /// Whether it is noted what the sandbox refuses, as far as its back end and the kernel can.
    pub watch: bool,
}

/// A process that can be started.
#[derive(Debug)]
pub struct Ready {
    /// It. Only its streams are still to be set. It has to be dropped as soon as it was started.
    pub command: Command,
    /// What has to live as long as it runs.
    pub guard: Guard,
    /// What of the profile is not covered, in words.
    pub not_covered: Vec<String>,
}

/// What has to live as long as the command runs.
#[derive(Debug)]
pub struct Guard {
    status: Option<File>,
    /// What was read of it.
    told: String,
    proxy: Option<Proxy>,
    watcher: Option<Watcher>,
    _placeholders: Option<Placeholders>,
    _scratch: Option<Scratch>,
}

/// What the sandbox knows of a command that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The command itself was never started: the sandbox could not be set up.
    pub failed: bool,
    /// Hosts that were asked for and not let through.
    pub hosts: Vec<Explained>,
    /// What the kernel refused, as far as it was watched: each thing once, in order.
    pub refusals: Vec<Refusal>,
}

impl Sandbox {
    /// Makes a process for a command: its words, the first of which is an absolute path. With `session` it has no terminal.
    ///
    /// # Errors
    /// Why it cannot be bounded so. Nothing was run.
    pub fn ready(
        &self,
        profile: &Profile,
        workspace: &Path,
        words: &[OsString],
        session: bool,
    ) -> Result<Ready, SetupError> {
        match &self.backend {
            Backend::Bubblewrap { program, .. } => {
                self.bubblewrap(program, profile, workspace, words, session)
            }
            Backend::Landlock { .. } => self.landlock(profile, words, session),
        }
    }

    fn bubblewrap(
        &self,
        program: &Path,
        profile: &Profile,
        workspace: &Path,
        words: &[OsString],
        session: bool,
    ) -> Result<Ready, SetupError> {
        let seen = path_check::look(profile);
        let mut steps = plan(profile, &seen);
        path_check::check(&steps)?;
        let missing: Vec<PathBuf> = steps
            .iter()
            .filter_map(|step| {
                if let Step::KeepAbsent(path) | Step::StandIn(path) = step {
                    Some(path.clone())
                } else {
                    None
                }
            })
            .collect();
        let placeholders = Placeholders::make(&self.folder, workspace, &missing)?;
        // What another command has put there is kept absent as well, and not shown.
        for step in &mut steps {
            if let Step::ReadOnly(path) = step
                && seen.get(path) == Some(&Kind::Folder)
                && placeholders.paths.contains(path)
            {
                *step = Step::KeepAbsent(path.clone());
            }
        }
        let mut keep: Vec<(OwnedFd, RawFd)> = Vec::new();
        let handles = Handles {
            status: Some(STATUS),
            filter: Some(FILTER),
            nothing: nothing(&symlinks::resolved(&self.folder))?,
        };
        keep.push((
            in_memory(&seccomp::bytes(&seccomp::filter(Sockets::Isolated)?))?,
            FILTER,
        ));
        let (status, theirs) = std::io::pipe()?;
        keep.push((theirs.into(), STATUS));
        let proxy = match &profile.network {
            Network::Hosts(_) => {
                let connect = Arc::clone(self.connect.as_ref().ok_or(SetupError::NoHosts)?);
                let (proxy, inner) = Proxy::listen(
                    profile.network.clone(),
                    Box::new(move |host, port| connect(host, port)),
                )?;
                keep.push((inner, init::CHANNEL));
                Some(proxy)
            }
            _ => None,
        };
        let watcher = match self.watch {
            true => {
                let (watcher, inner) = Watcher::listen(profile)?;
                keep.push((inner, init::WATCHER));
                Some(watcher)
            }
            false => None,
        };
        let mountinfo = std::fs::read("/proc/self/mountinfo")?;
        let orders = Orders {
            processes: profile.limits.processes.map(|most| most.saturating_add(2)),
            proxy: proxy.is_some(),
            watched: watcher.is_some(),
            environment: profile.environment.clone(),
            mounted: mount_check::expected(&steps, &handles, &mountinfo)?,
        };
        keep.push((in_memory(&orders.write())?, init::ORDERS));
        let inner = File::open(&self.program)?;
        keep.push((inner.into(), init::PROGRAM));
        let arguments = bubblewrap::arguments(&steps, &handles);
        let mut bytes = Vec::new();
        for argument in &arguments {
            bytes.extend_from_slice(argument.as_encoded_bytes());
            bytes.push(0);
        }
        keep.push((in_memory(&bytes)?, ARGUMENTS));
        let mut command = Command::new(program);
        // Nothing of the command's environment is there while bubblewrap itself runs.
        command
            .env_clear()
            .args([
                "--args",
                &ARGUMENTS.to_string(),
                "--",
                &format!("/proc/self/fd/{}", init::PROGRAM),
                INNER_COMMAND,
            ])
            .args(words);
        let limits = Limits {
            processes: None,
            ..profile.limits
        };
        let child = Child {
            session,
            limits,
            keep,
            landlock: landlock::scope_only()?,
            ..Child::default()
        };
        child.prepare(&mut command)?;
        let status = File::from(OwnedFd::from(status));
        let flags = fcntl_getfl(status.as_fd())
            .and_then(|flags| fcntl_setfl(status.as_fd(), flags | OFlags::NONBLOCK));
        flags.map_err(std::io::Error::from)?;
        let guard = Guard {
            status: Some(status),
            told: String::new(),
            proxy,
            watcher,
            _placeholders: Some(placeholders),
            _scratch: None,
        };
        let uncounted = profile.limits.processes.is_some() && rustix::process::getuid().is_root();
        Ok(Ready {
            command,
            guard,
            not_covered: uncounted
                .then(|| landlock::UNCOUNTED.to_owned())
                .into_iter()
                .collect(),
        })
    }

    fn landlock(
        &self,
        profile: &Profile,
        words: &[OsString],
        session: bool,
    ) -> Result<Ready, SetupError> {
        let scratch = Scratch::make(&self.folder)?;
        let rules = landlock::rules(profile, scratch.path())?;
        let ruleset = rules.fd.ok_or(SetupError::NoLandlock)?;
        let sockets = if profile.network == Network::Everything {
            Sockets::Isolated
        } else {
            Sockets::UnixOnly
        };
        let (first, rest) = words.split_first().ok_or(SetupError::NoCommand)?;
        let mut command = Command::new(first);
        command
            .args(rest)
            .env_clear()
            .envs(profile.environment.iter().cloned())
            .env("TMPDIR", scratch.path())
            .current_dir(&profile.cwd);
        if hides_git_settings(profile) {
            // It takes a file that is refused for an error, and one that is not there for none.
            command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        }
        let child = Child {
            session,
            limits: profile.limits,
            few_rights: true,
            landlock: Some(ruleset),
            filter: Some(seccomp::filter(sockets)?),
            ..Child::default()
        };
        child.prepare(&mut command)?;
        let guard = Guard {
            status: None,
            told: String::new(),
            proxy: None,
            watcher: None,
            _placeholders: None,
            _scratch: Some(scratch),
        };
        Ok(Ready {
            command,
            guard,
            not_covered: rules.not_covered.into_iter().chain(rules.lacking).collect(),
        })
    }
}

impl Guard {
    /// What the sandbox knows, after the command has ended by itself.
    pub fn report(mut self) -> Report {
        self.listen();
        let failed = self.status.is_some() && !bubblewrap::has_started(&self.told);
        Report {
            failed,
            hosts: self.proxy.as_ref().map(Proxy::refusals).unwrap_or_default(),
            refusals: self
                .watcher
                .as_ref()
                .map(Watcher::refusals)
                .unwrap_or_default(),
        }
    }

    /// The watcher, for processes that outlive the command: their listener is handed on, and nothing more of them is in the report.
    pub fn take_watcher(&mut self) -> Option<Watcher> {
        self.watcher.take()
    }

    fn listen(&mut self) {
        if let Some(status) = &mut self.status {
            // Where nothing more comes, what came counts.
            let _ = status.take(MOST_STATUS).read_to_string(&mut self.told);
        }
    }
}

/// Waits for the end of the sandbox, which comes a moment after that of the command: each place that is taken from under a mount costs the
/// kernel far more than all of them afterwards.
impl Drop for Guard {
    fn drop(&mut self) {
        self.listen();
        let first = bubblewrap::first_process(&self.told).and_then(rustix::process::Pid::from_raw);
        if let Some(handle) = first.and_then(|first| pidfd_open(first, PidfdFlags::empty()).ok()) {
            let _ = poll(
                &mut [PollFd::new(&handle, PollFlags::IN)],
                Some(&MOST_WAITING),
            );
        }
    }
}

/// Whether the person's own settings of git are there and hidden.
fn hides_git_settings(profile: &Profile) -> bool {
    let home = profile
        .environment
        .iter()
        .find(|(name, _)| name == "HOME")
        .map(|(_, value)| Path::new(value));
    let files = home
        .into_iter()
        .flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    files
        .into_iter()
        .any(|file| file.exists() && profile.level(&file) < Level::Read)
}

/// A file that nobody can read, to stand before those that are hidden.
fn nothing(folder: &Path) -> Result<PathBuf, SetupError> {
    let path = folder.join("nothing");
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o000)
        .open(&path)
    {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let found = std::fs::symlink_metadata(&path)?;
            let is_sound = found.is_file() && found.len() == 0 && found.mode() & 0o777 == 0;
            if is_sound {
                Ok(path)
            } else {
                Err(SetupError::NotOurs(path))
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Bytes that a process reads as a file.
fn in_memory(bytes: &[u8]) -> Result<OwnedFd, SetupError> {
    let file = memfd_create("sayso", MemfdFlags::CLOEXEC).map_err(std::io::Error::from)?;
    let mut file = File::from(file);
    file.write_all(bytes).and_then(|()| file.rewind())?;
    Ok(file.into())
}
