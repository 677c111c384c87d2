//! The files of a sandbox, seen from outside: looked up below its root as the kernel does it for its processes, and never opened.

use std::fs::read_link;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, StatVfsMountFlags, StatxAttributes,
    StatxFlags, fstat, fstatvfs, openat, openat2, statx,
};
use rustix::io::Errno;

/// How often a lookup is tried again that a rename got in the way of.
const MAX_TRIES: usize = 3;

/// The root of a sandbox. No process of it can change its own: mounting, `chroot` and new namespaces are refused.
#[derive(Debug)]
pub(super) struct View {
    root: OwnedFd,
}

/// A file of the sandbox.
#[derive(Debug)]
pub(super) struct Found(OwnedFd);

impl View {
    /// The root of a process of it.
    pub(super) fn of(thread: u32) -> Option<View> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, format!("/proc/{thread}/root"), flags, Mode::empty()).ok()?;
        Some(View { root })
    }

    /// What is at an absolute path. A link at its end is followed, or found itself.
    pub(super) fn find(&self, path: &Path, follow: bool) -> Result<Found, Errno> {
        let mut flags = OFlags::PATH | OFlags::CLOEXEC;
        if !follow {
            flags |= OFlags::NOFOLLOW;
        }
        let mut result = Err(Errno::AGAIN);
        for _ in 0..MAX_TRIES {
            result = openat2(
                &self.root,
                path,
                flags,
                Mode::empty(),
                ResolveFlags::IN_ROOT,
            );
            if result.as_ref().err() != Some(&Errno::AGAIN) {
                break;
            }
        }
        result.map(Found)
    }
}

impl Found {
    pub(super) fn stat(&self) -> Option<Stat> {
        fstat(&self.0).ok()
    }

    /// Whether its mount is read-only, where that counts: devices and pipes are written there, too.
    pub(super) fn is_read_only(&self) -> bool {
        let mount = fstatvfs(&self.0);
        mount.is_ok_and(|mount| mount.f_flag.contains(StatVfsMountFlags::RDONLY))
            && self.stat().is_some_and(|stat| {
                matches!(
                    FileType::from_raw_mode(stat.st_mode),
                    FileType::RegularFile | FileType::Directory | FileType::Symlink
                )
            })
    }

    /// Whether something is mounted there, so that it cannot be moved or removed.
    pub(super) fn is_mount(&self) -> bool {
        let flags = AtFlags::EMPTY_PATH | AtFlags::NO_AUTOMOUNT;
        statx(&self.0, "", flags, StatxFlags::empty())
            .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
    }

    /// Its name in the sandbox, free of links.
    pub(super) fn name(&self) -> Option<PathBuf> {
        read_link(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
            .ok()
            .filter(|name| name.is_absolute())
    }
}
