//! Carries a plan out: a process that, once started, is in its sandbox before the first instruction of the command.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustix::fs::{MemfdFlags, OFlags, fcntl_getfl, fcntl_setfl, memfd_create};
use sayso_core::verdict::Network;

use crate::backend::Backend;
use crate::bubblewrap::{self, Handles};
use crate::child::Child;
use crate::explain::Refusal;
use crate::found;
use crate::landlock;
use crate::placeholders::Placeholders;
use crate::plan::{Kind, Step, plan};
use crate::profile::{Limits, Profile};
use crate::proxy::{Connect, Proxy};
use crate::scratch::Scratch;
use crate::seccomp::{self, Sockets};

/// Numbers of what bubblewrap is handed; it closes them before the command starts.
const ARGUMENTS: RawFd = 10;
const STATUS: RawFd = 11;
const FILTERS: RawFd = 20;
/// The number of the socket that the inner step sends its listener through.
const INNER: RawFd = 12;
/// Where the program stands in the sandbox that makes the inner step.
const INNER_PROGRAM: &str = "/run/sayso/inner";
/// The hidden command that makes it.
pub const INNER_COMMAND: &str = "sandbox-inner";

/// How much of what bubblewrap says of the command is read.
const MOST_STATUS: u64 = 4096;

/// What runs between bubblewrap and the command: it waits a moment for what the command left running (`> >(tee log)`), since all of it
/// ends with this.
///
/// The number of processes is limited here, where only those of the sandbox count.
const LINGER: &str = r#"limit=$1; shift; [ "$limit" = 0 ] || ulimit -u "$limit" 2>/dev/null
"$@"; status=$?; tries=0
while set -- /proc/[0-9]*; [ $# -gt 2 ] && [ $tries -lt 20 ]; do tries=$((tries + 1)); sleep 0.01; done
exit $status"#;

/// A sandbox to start commands in.
#[derive(Clone)]
pub struct Sandbox {
    /// What it is made with.
    pub backend: Backend,
    /// A folder of sayso's own, private.
    pub folder: PathBuf,
    /// How chosen hosts are reached.
    pub way_out: Option<WayOut>,
}

/// How chosen hosts are reached.
#[derive(Clone)]
pub struct WayOut {
    /// Connects to a host that is let through.
    pub connect: Arc<Connect>,
    /// The program that has the hidden command for the inner step.
    pub program: PathBuf,
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
    proxy: Option<Proxy>,
    _placeholders: Option<Placeholders>,
    _scratch: Option<Scratch>,
}

/// What the sandbox knows of a command that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The command itself was never started: the sandbox could not be set up.
    pub failed: bool,
    /// Hosts that were asked for and not let through.
    pub hosts: Vec<Refusal>,
}

impl Sandbox {
    /// Makes a process for a command: its words, the first of which is an absolute path. With `session` it has no terminal.
    ///
    /// # Errors
    /// Why it cannot be bounded so. Nothing was run.
    pub fn ready(&self, profile: &Profile, workspace: &Path, words: &[OsString], session: bool) -> Result<Ready, String> {
        match &self.backend {
            Backend::Bubblewrap { program, .. } => self.bubblewrap(program, profile, workspace, words, session),
            Backend::Landlock { .. } => self.landlock(profile, words, session),
        }
    }

    fn bubblewrap(&self, program: &Path, profile: &Profile, workspace: &Path, words: &[OsString], session: bool) -> Result<Ready, String> {
        let seen = found::look(profile);
        let mut steps = plan(profile, &seen);
        found::check(&steps)?;
        let missing: Vec<PathBuf> =
            steps.iter().filter_map(|step| if let Step::KeepAbsent(path) = step { Some(path.clone()) } else { None }).collect();
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
        let mut handles = Handles { status: Some(STATUS), nothing: nothing(&self.folder)?, ..Handles::default() };
        for (number, program) in (FILTERS..).zip(seccomp::programs(Sockets::Isolated)?) {
            keep.push((in_memory(&seccomp::bytes(&program))?, number));
            handles.filters.push(number);
        }
        let (status, theirs) = std::io::pipe().map_err(|error| trouble(&error))?;
        keep.push((theirs.into(), STATUS));
        let mut words = lingering(words, profile.limits.processes)?;
        let proxy = match &profile.network {
            Network::Hosts(_) => {
                let way_out = self.way_out.as_ref().ok_or("chosen hosts cannot be reached from here; nothing was run")?;
                let connect = Arc::clone(&way_out.connect);
                let (proxy, inner) = Proxy::listen(profile.network.clone(), Box::new(move |host, port| connect(host, port)))
                    .map_err(|error| trouble(&error))?;
                keep.push((inner, INNER));
                handles.program = Some((way_out.program.clone(), PathBuf::from(INNER_PROGRAM)));
                let inner = [INNER_PROGRAM, INNER_COMMAND, &INNER.to_string(), "--"].map(OsString::from);
                words = inner.into_iter().chain(words).collect();
                Some(proxy)
            }
            _ => None,
        };
        let arguments = bubblewrap::arguments(&steps, &profile.environment, &handles);
        let mut bytes = Vec::new();
        for argument in &arguments {
            bytes.extend_from_slice(argument.as_encoded_bytes());
            bytes.push(0);
        }
        keep.push((in_memory(&bytes)?, ARGUMENTS));
        let mut command = Command::new(program);
        // Nothing of the command's environment is there while bubblewrap itself runs.
        command.env_clear().args(["--args", &ARGUMENTS.to_string(), "--"]).args(words);
        let limits = Limits { processes: None, ..profile.limits };
        let child = Child { session, limits, keep, landlock: landlock::scope_only()?, ..Child::default() };
        child.prepare(&mut command).map_err(|error| trouble(&error))?;
        let status = File::from(OwnedFd::from(status));
        let flags = fcntl_getfl(status.as_fd()).and_then(|flags| fcntl_setfl(status.as_fd(), flags | OFlags::NONBLOCK));
        flags.map_err(|error| trouble(&error.into()))?;
        let guard = Guard { status: Some(status), proxy, _placeholders: Some(placeholders), _scratch: None };
        Ok(Ready { command, guard, not_covered: Vec::new() })
    }

    fn landlock(&self, profile: &Profile, words: &[OsString], session: bool) -> Result<Ready, String> {
        let scratch = Scratch::make(&self.folder)?;
        let rules = landlock::rules(profile, scratch.path())?;
        let ruleset = rules.fd.ok_or("this kernel has no Landlock; nothing was run")?;
        let sockets = if profile.network == Network::Everything { Sockets::All } else { Sockets::UnixOnly };
        let (first, rest) = words.split_first().ok_or("there is no command")?;
        let mut command = Command::new(first);
        command.args(rest).env_clear().envs(profile.environment.iter().cloned()).env("TMPDIR", scratch.path()).current_dir(&profile.cwd);
        let child = Child {
            session,
            limits: profile.limits,
            few_rights: true,
            landlock: Some(ruleset),
            programs: seccomp::programs(sockets)?,
            ..Child::default()
        };
        child.prepare(&mut command).map_err(|error| trouble(&error))?;
        let guard = Guard { status: None, proxy: None, _placeholders: None, _scratch: Some(scratch) };
        Ok(Ready { command, guard, not_covered: rules.not_covered.into_iter().chain(rules.lacking).collect() })
    }
}

impl Guard {
    /// What the sandbox knows, after the command has ended by itself.
    pub fn report(mut self) -> Report {
        let failed = self.status.as_mut().is_some_and(|status| {
            let mut text = String::new();
            // Where nothing more comes, what came counts.
            let _ = status.take(MOST_STATUS).read_to_string(&mut text);
            !bubblewrap::has_started(&text)
        });
        Report { failed, hosts: self.proxy.as_ref().map(Proxy::refusals).unwrap_or_default() }
    }
}

/// The words with what waits for the rest in front.
fn lingering(words: &[OsString], processes: Option<u64>) -> Result<Vec<OsString>, String> {
    let bash = ["/bin/bash", "/usr/bin/bash", "/run/current-system/sw/bin/bash"].into_iter().find(|place| Path::new(place).exists());
    let bash = bash.ok_or("there is no bash, which the sandbox needs; nothing was run")?;
    let limit = processes.map_or(0, |most| most.saturating_add(2)).to_string();
    let first = [bash, "--noprofile", "--norc", "-p", "-c", LINGER, "sayso", &limit].map(OsString::from);
    Ok(first.into_iter().chain(words.iter().cloned()).collect())
}

/// A file that nobody can read, to stand before those that are hidden.
fn nothing(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join("nothing");
    match OpenOptions::new().write(true).create_new(true).mode(0o000).open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let found = std::fs::symlink_metadata(&path).map_err(|error| trouble(&error))?;
            let is_sound = found.is_file() && found.len() == 0 && found.mode() & 0o777 == 0;
            if is_sound { Ok(path) } else { Err(format!("the sandbox could not be set up: `{}` is not what sayso made", path.display())) }
        }
        Err(error) => Err(trouble(&error)),
    }
}

/// Bytes that a process reads as a file.
fn in_memory(bytes: &[u8]) -> Result<OwnedFd, String> {
    let mut file = File::from(memfd_create("sayso", MemfdFlags::CLOEXEC).map_err(|error| trouble(&error.into()))?);
    file.write_all(bytes).and_then(|()| file.rewind()).map_err(|error| trouble(&error))?;
    Ok(file.into())
}

fn trouble(error: &std::io::Error) -> String {
    format!("the sandbox could not be set up: {error}; nothing was run")
}
