//! The namespaces of a session's sandbox, as they are given to a command that enters.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::Pid;
use sayso_core::policy::terms::Network;

use super::{SessionError, wire};
use crate::profile::Profile;

/// What a command needs to enter.
pub(super) struct Answer {
    files: Vec<OwnedFd>,
    parts: Vec<Vec<u8>>,
}

impl Answer {
    pub(super) fn new(first: Pid, profile: &Profile) -> Result<Answer, SessionError> {
        let open = |name: &str| {
            File::open(format!("/proc/{}/{name}", first.as_raw_nonzero())).map(OwnedFd::from)
        };
        let (inner, mounts) = (open("ns/user")?, open("ns/mnt")?);
        let outer = owner(&mounts)?;
        let number = |fd: &OwnedFd| File::from(fd.try_clone()?).metadata().map(|it| it.ino());
        let has_inner = number(&inner)? != number(&outer)?;
        let mut files = vec![open("mountinfo")?, outer, mounts];
        files.extend(has_inner.then_some(inner));
        for name in ["ns/pid", "ns/ipc", "ns/uts", "ns/net"] {
            files.push(open(name)?);
        }
        // Kernels without it have none to enter.
        files.extend(open("ns/cgroup"));
        let network: &[u8] = match profile.network {
            Network::Everything => b"all",
            _ => b"none",
        };
        let users: &[u8] = if has_inner { b"inner" } else { b"one" };
        let mut parts = vec![b"here".to_vec(), network.to_vec(), users.to_vec()];
        for (link, to) in &profile.links {
            parts.push(link.as_os_str().as_bytes().to_vec());
            parts.push(to.as_os_str().as_bytes().to_vec());
        }
        Ok(Answer { files, parts })
    }

    pub(super) fn send(&self, socket: &OwnedFd) -> io::Result<()> {
        let parts: Vec<&[u8]> = self.parts.iter().map(Vec::as_slice).collect();
        let files: Vec<BorrowedFd<'_>> = self.files.iter().map(|file| file.as_fd()).collect();
        wire::send(socket, &parts, &files)
    }
}

/// The user namespace that owns another namespace.
fn owner(namespace: &OwnedFd) -> io::Result<OwnedFd> {
    const OWNER: libc::c_ulong = 0xb701;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the request takes no argument, and gives a descriptor that is nobody else's.
    unsafe {
        let fd = libc::ioctl(namespace.as_raw_fd(), OWNER as _);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}
