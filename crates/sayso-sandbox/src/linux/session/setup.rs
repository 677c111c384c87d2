//! How a holder sets the sandbox of its session up, before any command enters.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, flock};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with, socketpair,
};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::orders::HolderOrders;
use super::{ALIVE, SOCKET, SessionError, shared_folders};
use crate::linux::backend::Backend;
use crate::linux::init;
use crate::linux::placeholders::Placeholders;
use crate::linux::start::{Sandbox, Setting};

/// How long the sandbox has to be set up.
const MAX_SETUP: Timespec = Timespec {
    tv_sec: 15,
    tv_nsec: 0,
};

/// A sandbox that commands can enter.
pub(super) struct Setup {
    pub(super) orders: HolderOrders,
    /// Locked as long as it lives.
    pub(super) alive: File,
    pub(super) listener: OwnedFd,
    pub(super) bubblewrap: Child,
    /// Closes at the end of the sandbox, which ends when this is closed.
    pub(super) channel: OwnedFd,
    /// The process that the session ends with.
    pub(super) watched: Option<OwnedFd>,
    pub(super) first: Pid,
    pub(super) placeholders: Option<Placeholders>,
}

/// Sets it up as the orders say that this process was started with.
pub(super) fn set_up() -> Result<Setup, SessionError> {
    let mut bytes = Vec::new();
    let orders = init::handed(init::ORDERS).ok_or(SessionError::Answer)?;
    File::from(orders).read_to_end(&mut bytes)?;
    let orders = HolderOrders::read(&bytes).ok_or(SessionError::Answer)?;
    let alive = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(orders.session.join(ALIVE))?;
    flock(&alive, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from)?;
    let watched = orders.watch.and_then(Pid::from_raw);
    let watched = watched
        .map(|id| pidfd_open(id, PidfdFlags::empty()).map_err(io::Error::from))
        .transpose()?;
    shared_folders::make(&orders.session)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(io::Error::from)?;
    let (channel, inner) = socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .map_err(io::Error::from)?;
    let sandbox = Sandbox {
        backend: Backend::Bubblewrap {
            program: orders.bubblewrap.clone(),
            version: String::new(),
        },
        folder: orders.folder.clone(),
        program: orders.program.clone(),
        connect: None,
        watch: false,
        session: None,
    };
    let setting = Setting {
        session: true,
        shared: super::shared_folders(&orders.session),
        channel: Some(inner),
        lease: None,
    };
    let mut ready = sandbox.alone(
        &orders.bubblewrap,
        &orders.profile,
        &orders.workspace,
        &[],
        setting,
    )?;
    ready
        .command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut bubblewrap = ready.command.spawn()?;
    drop(ready.command);
    wait_for_setup(&channel, &mut bubblewrap)?;
    let first = ready.guard.first_process().ok_or(SessionError::Answer)?;
    let listener = listener(&orders)?;
    Ok(Setup {
        alive,
        listener,
        bubblewrap,
        channel,
        watched,
        first,
        placeholders: ready.guard.take_placeholders(),
        orders,
    })
}

/// Waits until the process in the sandbox has found everything as planned.
fn wait_for_setup(channel: &OwnedFd, bubblewrap: &mut Child) -> Result<(), SessionError> {
    let ready = poll(&mut [PollFd::new(channel, PollFlags::IN)], Some(&MAX_SETUP));
    let mut said = [0_u8; 64];
    if ready.is_ok_and(|ready| ready > 0)
        && rustix::io::read(channel, &mut said).is_ok_and(|count| {
            said.get(..count)
                .is_some_and(|said| said == init::AS_PLANNED)
        })
    {
        return Ok(());
    }
    let _ = bubblewrap.kill();
    let mut words = String::new();
    if let Some(error) = bubblewrap.stderr.take() {
        let _ = error.take(2048).read_to_string(&mut words);
    }
    let _ = bubblewrap.wait();
    Err(SessionError::NotStarted(words.trim().to_owned()))
}

/// Where commands come to. The path of a socket must be short, so it is made through an open folder.
fn listener(orders: &HolderOrders) -> Result<OwnedFd, SessionError> {
    let path = orders.session.join(SOCKET);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let folder = File::open(&orders.session)?;
    let listener = socket_with(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )
    .map_err(io::Error::from)?;
    let name = format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd());
    let address = SocketAddrUnix::new(name).map_err(io::Error::from)?;
    let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
    let bound = bind(&listener, &address);
    rustix::process::umask(before);
    bound.map_err(io::Error::from)?;
    listen(&listener, 64).map_err(io::Error::from)?;
    Ok(listener)
}
