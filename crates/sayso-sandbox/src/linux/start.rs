//! Carries a plan out: a process that, once started, is in its sandbox before the first instruction of the command.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, OFlags, fcntl_getfl, fcntl_setfl, memfd_create};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use sayso_core::policy::terms::Network;

use super::backend::Backend;
use super::bubblewrap::{self, Handles};
use super::child::Child;
use super::error::SetupError;
use super::init::{self, INNER_COMMAND, Orders, Purpose};
use super::landlock;
use super::mount_check;
use super::path_check;
use super::placeholders::Placeholders;
use super::refusals::Watcher;
use super::seccomp::{self, Sockets};
use super::session::client::{self, Attached, Call, Way};
use super::session::{self, LeftRunning, SessionChoice, shared_folders};
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
    /// The session whose sandbox the command enters; none: it gets one to itself.
    pub session: Option<SessionChoice>,
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
#[derive(Debug, Default)]
pub struct Guard {
    status: Option<File>,
    /// What was read of it.
    told: String,
    proxy: Option<Proxy>,
    watcher: Option<Watcher>,
    /// What it noted before its listener was handed on.
    refusals: Vec<Refusal>,
    placeholders: Option<Placeholders>,
    _scratch: Option<Scratch>,
    /// The connection to the holder of the session's sandbox.
    pub(crate) attached: Option<Attached>,
    pub(crate) notes: Vec<String>,
}

/// What a sandbox of its own is started with besides the profile.
#[derive(Debug, Default)]
pub(crate) struct Setting {
    /// It has no terminal.
    pub(crate) session: bool,
    /// Folders of the session, by where they are shown.
    pub(crate) shared: BTreeMap<PathBuf, PathBuf>,
    /// It runs nothing, and ends with the other end of this.
    pub(crate) channel: Option<OwnedFd>,
    /// Open as long as anything in it runs.
    pub(crate) lease: Option<OwnedFd>,
}

/// What is mounted for a profile, and what was made for it.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) steps: Vec<Step>,
    pub(crate) handles: Handles,
    pub(crate) placeholders: Placeholders,
    /// What has to be mounted in the sandbox.
    pub(crate) mounted: Vec<u8>,
    /// What is mounted on the machine.
    pub(crate) mountinfo: Vec<u8>,
}

/// What Landlock lacks of a session's sandbox.
const NO_SESSION: &str = "a sandbox for the session: what a command leaves running ends with it, and so does its folder for temporary files";

/// What the sandbox knows of a command that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The command itself was never started: the sandbox could not be set up.
    pub failed: bool,
    /// Why, where the sandbox of a session said so.
    pub why: String,
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
        let mut setting = Setting {
            session,
            ..Setting::default()
        };
        let mut attached = None;
        let mut notes = Vec::new();
        if let Some(choice) = &self.session {
            let call = Call {
                bubblewrap: program,
                profile,
                workspace,
                words,
                session,
            };
            match client::way(self, choice, &call) {
                Ok(Way::In(ready)) => return Ok(*ready),
                Ok(Way::Beside(connection)) => {
                    setting.shared = session::shared_folders(&choice.folder(&self.folder));
                    setting.lease = Some(connection.lease()?);
                    attached = Some(connection);
                }
                Ok(Way::Alone) => {}
                // What goes wrong with a session never keeps a command from its own sandbox.
                Err(why) => notes.push(format!(
                    "the session's sandbox cannot be used, so the command has one to itself: {why}"
                )),
            }
        }
        let mut ready = self.alone(program, profile, workspace, words, setting)?;
        ready.guard.attached = attached;
        ready.guard.notes = notes;
        Ok(ready)
    }

    /// A sandbox of its own for a program.
    pub(crate) fn alone(
        &self,
        program: &Path,
        profile: &Profile,
        workspace: &Path,
        words: &[OsString],
        setting: Setting,
    ) -> Result<Ready, SetupError> {
        let is_shared = !setting.shared.is_empty();
        let mut planned = self.planned(profile, workspace, setting.shared)?;
        if is_shared {
            shared_folders::make_ready(&mut planned)?;
        }
        let Planned {
            steps,
            mut handles,
            placeholders,
            mounted,
            ..
        } = planned;
        handles.status = Some(STATUS);
        handles.filter = Some(FILTER);
        let mut keep: Vec<(OwnedFd, RawFd)> = Vec::new();
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
        let purpose = match setting.channel {
            Some(channel) => {
                keep.push((channel, init::CHANNEL));
                Purpose::Wait
            }
            None => Purpose::Alone,
        };
        let watcher = match self.watch && purpose == Purpose::Alone {
            true => {
                let (watcher, inner) = Watcher::listen(profile)?;
                keep.push((inner, init::WATCHER));
                Some(watcher)
            }
            false => None,
        };
        keep.push((placeholders.lease()?, init::PLACES));
        keep.extend(setting.lease.map(|lease| (lease, init::LEASE)));
        let orders = Orders {
            processes: profile.limits.processes.map(|most| most.saturating_add(2)),
            proxy: proxy.is_some(),
            watched: watcher.is_some(),
            purpose,
            environment: profile.environment.clone(),
            mounted,
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
            session: setting.session,
            limits,
            keep,
            landlock: landlock::scope_only()?,
            ..Child::default()
        };
        child.prepare(&mut command)?;
        let mut guard = Guard::new(status.into())?.holding(placeholders);
        guard.proxy = proxy;
        guard.watcher = watcher;
        Ok(Ready {
            command,
            guard,
            not_covered: uncounted(profile),
        })
    }

    /// The steps for a profile, with what is made for them on the machine.
    pub(crate) fn planned(
        &self,
        profile: &Profile,
        workspace: &Path,
        shared: BTreeMap<PathBuf, PathBuf>,
    ) -> Result<Planned, SetupError> {
        // What a killed process has left goes first, and nothing goes between this look and the mounts.
        let held = Placeholders::make(&self.folder, workspace, &[])?;
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
        drop(held);
        // What another command has put there is kept absent as well, and not shown.
        for step in &mut steps {
            if let Step::ReadOnly(path) = step
                && seen.get(path) == Some(&Kind::Folder)
                && placeholders.paths.contains(path)
            {
                *step = Step::KeepAbsent(path.clone());
            }
        }
        let handles = Handles {
            nothing: nothing(&symlinks::resolved(&self.folder))?,
            shared,
            ..Handles::default()
        };
        let mountinfo = std::fs::read("/proc/self/mountinfo")?;
        Ok(Planned {
            mounted: mount_check::expected(&steps, &handles, &mountinfo)?,
            steps,
            handles,
            placeholders,
            mountinfo,
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
        let mut guard = Guard::default();
        guard._scratch = Some(scratch);
        let no_session = self.session.iter().map(|_| NO_SESSION.to_owned());
        Ok(Ready {
            command,
            guard,
            not_covered: rules
                .not_covered
                .into_iter()
                .chain(rules.lacking)
                .chain(no_session)
                .collect(),
        })
    }
}

/// What is not counted.
pub(crate) fn uncounted(profile: &Profile) -> Vec<String> {
    let uncounted = profile.limits.processes.is_some() && rustix::process::getuid().is_root();
    uncounted
        .then(|| landlock::UNCOUNTED.to_owned())
        .into_iter()
        .collect()
}

impl Guard {
    /// One that hears from the sandbox by a pipe.
    pub(crate) fn new(status: OwnedFd) -> Result<Guard, SetupError> {
        let flags = fcntl_getfl(status.as_fd())
            .and_then(|flags| fcntl_setfl(status.as_fd(), flags | OFlags::NONBLOCK));
        flags.map_err(std::io::Error::from)?;
        let mut guard = Guard::default();
        guard.status = Some(File::from(status));
        Ok(guard)
    }

    /// With the places that it needs.
    pub(crate) fn holding(mut self, placeholders: Placeholders) -> Guard {
        self.placeholders = Some(placeholders);
        self
    }

    pub(crate) fn take_placeholders(&mut self) -> Option<Placeholders> {
        self.placeholders.take()
    }

    /// The first process of the sandbox, as soon as it is known.
    pub(crate) fn first_process(&mut self) -> Option<Pid> {
        self.listen();
        bubblewrap::first_process(&self.told).and_then(Pid::from_raw)
    }

    /// Whether the command is in the sandbox of a session, where what it leaves running may live on.
    pub fn is_in_session(&self) -> bool {
        self.attached.as_ref().is_some_and(Attached::has_entered)
    }

    /// What the person should know of how it was set up.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Tells the session's sandbox that the command has ended. What it left running lives on and is named, unless it ended by force:
    /// then all of it is ended. The pipes are emptied from then on, so that nothing that writes to them breaks.
    pub fn leave_session(&mut self, by_force: bool, pipes: &[BorrowedFd<'_>]) -> LeftRunning {
        let attached = self.attached.take_if(|attached| attached.has_entered());
        let Some(attached) = attached else {
            return LeftRunning::default();
        };
        // What is left running makes calls that wait for an answer: from here on the holder gives it.
        let listener = self.watcher.take().and_then(|watcher| {
            self.refusals = watcher.refusals();
            watcher.into_listener()
        });
        attached.finish(by_force, pipes, listener.as_ref())
    }

    /// What the sandbox knows, after the command has ended by itself.
    pub fn report(mut self) -> Report {
        self.listen();
        let failed = self.status.is_some()
            && !bubblewrap::has_started(&self.told)
            && !self.told.as_bytes().starts_with(init::AS_PLANNED);
        let why = match failed && bubblewrap::first_process(&self.told).is_none() {
            true => self.told.trim().to_owned(),
            false => String::new(),
        };
        Report {
            failed,
            why,
            hosts: self.proxy.as_ref().map(Proxy::refusals).unwrap_or_default(),
            refusals: match &self.watcher {
                Some(watcher) => watcher.refusals(),
                None => std::mem::take(&mut self.refusals),
            },
        }
    }

    /// The watcher, for processes that outlive the command: their listener is handed on, and nothing more of them is in the report.
    pub fn take_watcher(&mut self) -> Option<Watcher> {
        self.watcher.take()
    }

    /// With the watcher of what it refuses.
    pub(crate) fn watched_by(mut self, watcher: Option<Watcher>) -> Guard {
        self.watcher = watcher;
        self
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
        let first = bubblewrap::first_process(&self.told).and_then(Pid::from_raw);
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
pub(crate) fn in_memory(bytes: &[u8]) -> Result<OwnedFd, SetupError> {
    let file = memfd_create("sayso", MemfdFlags::CLOEXEC).map_err(std::io::Error::from)?;
    let mut file = File::from(file);
    file.write_all(bytes).and_then(|()| file.rewind())?;
    Ok(file.into())
}
