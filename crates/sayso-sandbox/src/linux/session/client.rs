//! The side of the command: finds or starts the holder of its session's sandbox, and prepares the way in.

use std::ffi::{CString, OsString};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt,
};
use sayso_core::policy::terms::Network;

use super::comparison::{Fit, compare};
use super::entrance::{Entrance, Namespaces};
use super::mounts::Addition;
use super::orders::HolderOrders;
use super::wire::{self, Message};
use super::{HOLDER_COMMAND, LeftRunning, SOCKET, SessionChoice, SessionError, TURN};
use crate::linux::child::Child;
use crate::linux::init::{self, INNER_COMMAND, Orders, Purpose};
use crate::linux::landlock;
use crate::linux::refusals::Watcher;
use crate::linux::seccomp::{self, Sockets};
use crate::linux::start::{Guard, Planned, Ready, Sandbox, in_memory, uncounted};
use crate::profile::{Limits, Profile};

/// How long the holder has to answer.
const MAX_ANSWER: std::time::Duration = std::time::Duration::from_secs(20);
/// The variable with the marks of a command.
const MARK: &str = "SAYSO_COMMAND";

/// One command as it is to be run.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) bubblewrap: &'a Path,
    pub(crate) profile: &'a Profile,
    pub(crate) workspace: &'a Path,
    pub(crate) words: &'a [OsString],
    pub(crate) session: bool,
}

/// How a command of a session runs.
pub(crate) enum Way {
    /// In the session's sandbox.
    In(Box<Ready>),
    /// In one of its own, with the session's folders for temporary files; the session stands still as long as this lives.
    Beside(Attached),
    /// In one of its own, with nothing of the session, since others are using that.
    Alone,
}

/// A connection to the holder, for one command.
#[derive(Debug)]
pub(crate) struct Attached {
    socket: OwnedFd,
    entered: bool,
}

impl Attached {
    pub(crate) fn has_entered(&self) -> bool {
        self.entered
    }

    /// A copy that keeps the connection open as long as something else runs.
    pub(crate) fn lease(&self) -> io::Result<OwnedFd> {
        self.socket.try_clone()
    }

    /// Says that the command has ended.
    pub(crate) fn finish(
        self,
        by_force: bool,
        pipes: &[BorrowedFd<'_>],
        listener: Option<&OwnedFd>,
    ) -> LeftRunning {
        let how: &[u8] = if by_force { b"force" } else { b"" };
        let watched: &[u8] = if listener.is_some() { b"watched" } else { b"" };
        let files: Vec<BorrowedFd<'_>> = pipes
            .iter()
            .copied()
            .chain(listener.map(AsFd::as_fd))
            .collect();
        let answer = wire::send(&self.socket, &[b"finished", how, watched], &files)
            .and_then(|()| wire::receive(&self.socket));
        let Ok(Some(answer)) = answer else {
            return LeftRunning::default();
        };
        LeftRunning {
            limit: Some(answer.text(1).to_owned()).filter(|words| !words.is_empty()),
            is_alive: answer.text(2) == "alive",
            processes: (3..answer.parts.len())
                .map(|at| answer.text(at).to_owned())
                .collect(),
        }
    }
}

/// How the command runs: the holder is found or started, and asked.
pub(crate) fn way(
    sandbox: &Sandbox,
    choice: &SessionChoice,
    call: &Call<'_>,
) -> Result<Way, SessionError> {
    let folder = choice.folder(&sandbox.folder);
    let mut is_new = false;
    loop {
        let socket = match connected(&folder) {
            Ok(socket) => socket,
            Err(_) => {
                is_new = true;
                start(sandbox, choice, call, &folder)?;
                connected(&folder)?
            }
        };
        if !wire::is_same_user(&socket) {
            return Err(SessionError::OtherUser);
        }
        wire::send(&socket, &[b"begin", mark(call.profile).as_bytes()], &[])?;
        let answer = wire::receive(&socket)?.ok_or(SessionError::Answer)?;
        if answer.name() == "busy" {
            return Ok(Way::Alone);
        }
        let open = Open::read(answer).ok_or(SessionError::Answer)?;
        let shared = super::shared_folders(&folder);
        let planned = sandbox.planned(call.profile, call.workspace, shared.clone())?;
        let fit = open.fit(&planned, call.profile)?;
        let fit = match fit {
            // Only this command may do less; or the policy has become stricter, and then the session ends.
            Fit::Less if !is_new => {
                let base = (choice.base)().ok_or(SessionError::NoBase)?;
                let of_base = sandbox.planned(&base, call.workspace, shared)?;
                if open.fit(&of_base, &base)? == Fit::Less {
                    drop(of_base);
                    wire::send(&socket, &[b"restart"], &[])?;
                    wait_for_the_end(&socket)?;
                    is_new = true;
                    continue;
                }
                Fit::More
            }
            Fit::Less => Fit::More,
            fit => fit,
        };
        if let Fit::Enter { add, besides } = fit {
            wire::send(&socket, &[b"enter"], &[])?;
            let attached = Attached {
                socket,
                entered: true,
            };
            let ready = open.entered(sandbox, call, planned, &add, &besides, attached)?;
            return Ok(Way::In(Box::new(ready)));
        }
        wire::send(&socket, &[b"beside"], &[])?;
        let answer = wire::receive(&socket)?.ok_or(SessionError::Answer)?;
        return Ok(match answer.name() {
            "still" => Way::Beside(Attached {
                socket,
                entered: false,
            }),
            _ => Way::Alone,
        });
    }
}

/// Ends a session, if it has a holder.
pub(super) fn end(folder: &Path) -> Result<(), SessionError> {
    let Ok(socket) = connected(folder) else {
        return Ok(());
    };
    if !wire::is_same_user(&socket) {
        return Err(SessionError::OtherUser);
    }
    wire::send(&socket, &[b"end"], &[])?;
    wait_for_the_end(&socket)
}

fn wait_for_the_end(socket: &OwnedFd) -> Result<(), SessionError> {
    match wire::receive(socket) {
        Ok(None) => Ok(()),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(()),
        Ok(Some(_)) => Err(SessionError::Answer),
        Err(error) => Err(error.into()),
    }
}

/// The mark of a command, from its environment.
fn mark(profile: &Profile) -> String {
    let marks = profile.environment.iter().find(|(name, _)| name == MARK);
    let marks = marks.map(|(_, value)| value.to_string_lossy().into_owned());
    let marks = marks.unwrap_or_default();
    marks.rsplit(':').next().unwrap_or_default().to_owned()
}

/// A connection to the holder. The path to a socket must be short, so its folder is opened first.
fn connected(folder: &Path) -> io::Result<OwnedFd> {
    let folder = rustix::fs::open(
        folder,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let path = format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd());
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(MAX_ANSWER))?;
    Ok(socket)
}

/// Starts the holder, unless another command was faster.
fn start(
    sandbox: &Sandbox,
    choice: &SessionChoice,
    call: &Call<'_>,
    folder: &Path,
) -> Result<(), SessionError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let turn = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(folder.join(TURN))?;
    rustix::io::retry_on_intr(|| flock(&turn, FlockOperation::LockExclusive))
        .map_err(io::Error::from)?;
    if connected(folder).is_ok() {
        return Ok(());
    }
    super::sweep(&sandbox.folder);
    let orders = HolderOrders {
        bubblewrap: call.bubblewrap.to_owned(),
        folder: sandbox.folder.clone(),
        program: sandbox.program.clone(),
        session: folder.to_owned(),
        workspace: call.workspace.to_owned(),
        watch: choice.watch,
        limits: choice.limits,
        profile: (choice.base)().ok_or(SessionError::NoBase)?,
    };
    let (ours, theirs) = io::pipe()?;
    let mut command = Command::new(&sandbox.program);
    command
        .arg(HOLDER_COMMAND)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let child = Child {
        session: true,
        keep: vec![
            (in_memory(&orders.write())?, init::ORDERS),
            (theirs.into(), init::CHECKED),
        ],
        ..Child::default()
    };
    child.prepare(&mut command)?;
    let mut child = command.spawn()?;
    drop(command);
    // It outlives this process; where it does not, somebody has to take its status.
    std::thread::spawn(move || child.wait());
    let time = Timespec::try_from(MAX_ANSWER).map_err(io::Error::other)?;
    let ready = poll(&mut [PollFd::new(&ours, PollFlags::IN)], Some(&time));
    if ready.map_err(io::Error::from)? == 0 {
        return Err(SessionError::NotStarted("it took too long".to_owned()));
    }
    let mut said = String::new();
    ours.take(4096).read_to_string(&mut said)?;
    match said.as_str() {
        super::holder::READY => Ok(()),
        "" => Err(SessionError::NotStarted("it ended".to_owned())),
        why => Err(SessionError::NotStarted(why.to_owned())),
    }
}

/// An open session, as its holder told.
struct Open {
    mountinfo: Vec<u8>,
    namespaces: Namespaces,
    network: Network,
    links: Vec<(PathBuf, PathBuf)>,
}

impl Open {
    fn read(message: Message) -> Option<Open> {
        if message.name() != "here" {
            return None;
        }
        let network = match message.text(1) {
            "all" => Network::Everything,
            "none" => Network::Nothing,
            _ => return None,
        };
        let has_inner = match message.text(2) {
            "inner" => true,
            "one" => false,
            _ => return None,
        };
        let path = |bytes: &Vec<u8>| PathBuf::from(OsString::from_vec(bytes.clone()));
        let links = message.parts.get(3..)?.chunks_exact(2);
        let links = links
            .filter_map(|pair| Some((path(pair.first()?), path(pair.get(1)?))))
            .collect();
        let mut files = message.files.into_iter();
        let mut mountinfo = Vec::new();
        File::from(files.next()?).read_to_end(&mut mountinfo).ok()?;
        let namespaces = Namespaces {
            outer: files.next()?,
            mounts: files.next()?,
            inner: if has_inner { Some(files.next()?) } else { None },
            others: files.collect(),
        };
        (namespaces.others.len() >= 4).then_some(Open {
            mountinfo,
            namespaces,
            network,
            links,
        })
    }

    fn fit(&self, planned: &Planned, profile: &Profile) -> Result<Fit, SessionError> {
        let fit = compare(planned, profile, &self.mountinfo).ok_or(SessionError::Mounts)?;
        let has_links = profile.links.iter().all(|(link, to)| {
            self.links
                .iter()
                .any(|(known, leads)| known == link && leads == to)
        });
        Ok(match (&profile.network, &self.network) {
            (Network::Hosts(_), _) => Fit::More,
            (Network::Nothing, Network::Everything) => Fit::Less,
            (wanted, has) if wanted != has && fit != Fit::Less => Fit::More,
            _ if !has_links && fit != Fit::Less => Fit::More,
            _ => fit,
        })
    }

    /// A process that enters.
    fn entered(
        self,
        sandbox: &Sandbox,
        call: &Call<'_>,
        planned: Planned,
        add: &[crate::plan::Step],
        besides: &[u8],
        attached: Attached,
    ) -> Result<Ready, SessionError> {
        let Planned {
            handles,
            placeholders,
            mut mounted,
            ..
        } = planned;
        mounted.extend_from_slice(besides);
        let mut additions: Vec<Addition> = add
            .iter()
            .filter_map(|step| Addition::of(step, &handles.nothing))
            .collect();
        additions.sort_by_key(|addition| std::cmp::Reverse(addition.depth()));
        let limits = call.profile.limits;
        let (watcher, inner) = match sandbox.watch {
            true => Some(Watcher::listen(call.profile)?).unzip(),
            false => (None, None),
        };
        let orders = Orders {
            processes: limits.processes.map(|most| most.saturating_add(2)),
            watched: watcher.is_some(),
            purpose: Purpose::Enter,
            environment: call.profile.environment.clone(),
            mounted,
            ..Orders::default()
        };
        let (checked, theirs) = io::pipe()?;
        let mut keep = vec![
            (in_memory(&orders.write())?, init::ORDERS),
            (theirs.into(), init::CHECKED),
            (File::open("/dev/null")?.into(), init::MOUNTINFO),
        ];
        keep.extend(inner.map(|inner| (inner, init::WATCHER)));
        let text = |word: &[u8]| CString::new(word).map_err(io::Error::other);
        let program = sandbox.program.as_os_str().as_bytes();
        let words = [program, INNER_COMMAND.as_bytes()]
            .into_iter()
            .chain(call.words.iter().map(|word| word.as_bytes()))
            .map(text)
            .collect::<io::Result<Vec<CString>>>()?;
        let folder = call.profile.cwd.as_os_str().as_bytes();
        let environment = vec![text(&[b"PWD=", folder].concat())?];
        let entrance = Entrance::new(
            self.namespaces,
            additions,
            text(folder)?,
            File::open(&sandbox.program)?.into(),
            words,
            environment,
        )?;
        let mut command = Command::new(&sandbox.program);
        let child = Child {
            session: call.session,
            limits: Limits {
                processes: None,
                ..limits
            },
            keep,
            landlock: match self.network {
                Network::Nothing => None,
                _ => landlock::scope_sockets().map_err(super::SetupError::from)?,
            },
            filter: Some(seccomp::filter(Sockets::Isolated).map_err(super::SetupError::from)?),
            entrance: Some(entrance),
            ..Child::default()
        };
        child.prepare(&mut command)?;
        let mut guard = Guard::new(checked.into())?
            .holding(placeholders)
            .watched_by(watcher);
        guard.attached = Some(attached);
        Ok(Ready {
            command,
            guard,
            not_covered: uncounted(call.profile),
        })
    }
}
