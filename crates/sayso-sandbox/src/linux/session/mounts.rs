//! Mounts that are added to a session's sandbox when a command enters it: each only takes something away.
//!
//! They come from the deepest place up, and what is below comes along into each: so they also hold for a process that was in a folder before
//! the folder was mounted over itself. No link is followed on the way to a place.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::linux::child::done;
use crate::plan::Step;

const OPEN_TREE_CLONE: u32 = 1;
const FSOPEN_CLOEXEC: u32 = 1;
const FSCONFIG_SET_STRING: u32 = 1;
const FSCONFIG_CMD_CREATE: u32 = 6;
const FSMOUNT_CLOEXEC: u32 = 1;
const FROM_DESCRIPTOR: u32 = 0x4;
const TO_DESCRIPTOR: u32 = 0x40;
const READ_ONLY: u64 = 0x1;
const NO_SET_USER: u64 = 0x2;
const NO_DEVICES: u64 = 0x4;
const RECURSIVE: i32 = 0x8000;
const NO_SYMLINKS: u64 = 0x04;
const NO_MAGIC_LINKS: u64 = 0x02;

/// What is put over a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cover {
    /// The file that nobody can read.
    Nothing,
    /// An empty folder.
    Empty,
    /// Itself, read-only.
    ReadOnly,
    /// Itself, so that it cannot be moved.
    Pinned,
}

/// One mount that is added.
#[derive(Debug)]
pub(super) struct Addition {
    cover: Cover,
    place: CString,
    /// The file that nobody can read, on the machine.
    nothing: CString,
    /// It, detached from the machine's mounts.
    taken: RawFd,
}

impl Addition {
    /// The mount of a step that takes something away; none for one that gives something.
    pub(super) fn of(step: &Step, nothing: &Path) -> Option<Addition> {
        let (cover, path) = match step {
            Step::HideFile(path) => (Cover::Nothing, path),
            Step::HideFolder(path) | Step::KeepAbsent(path) => (Cover::Empty, path),
            Step::ReadOnly(path) | Step::StandIn(path) => (Cover::ReadOnly, path),
            Step::Pinned(path) => (Cover::Pinned, path),
            _ => return None,
        };
        Some(Addition {
            cover,
            place: CString::new(path.as_os_str().as_bytes()).ok()?,
            nothing: CString::new(nothing.as_os_str().as_bytes()).ok()?,
            taken: -1,
        })
    }

    pub(super) fn depth(&self) -> usize {
        self.place
            .as_bytes()
            .iter()
            .filter(|byte| **byte == b'/')
            .count()
    }
}

/// Takes along what is of the machine: it cannot be seen from inside. Needs every right in a user namespace of its own.
pub(super) fn take_along(additions: &mut [Addition]) -> io::Result<()> {
    let mut is_apart = false;
    for addition in additions {
        if addition.cover != Cover::Nothing {
            continue;
        }
        if !is_apart {
            #[allow(unsafe_code, reason = "a system call")]
            // SAFETY: a number only. Nothing else shares what is taken apart: this is a child of its own.
            done(unsafe { libc::unshare(libc::CLONE_NEWNS) }.into())?;
            is_apart = true;
        }
        addition.taken = clone_tree(libc::AT_FDCWD, &addition.nothing, 0)?;
        restrict(addition.taken, READ_ONLY)?;
    }
    Ok(())
}

/// Adds them, in the order given.
pub(super) fn add(additions: &[Addition]) -> io::Result<()> {
    additions.iter().try_for_each(|addition| {
        let place = open_place(&addition.place)?;
        let mount = match addition.cover {
            Cover::Nothing => addition.taken,
            Cover::Empty => empty_folder()?,
            Cover::ReadOnly => {
                let copy = clone_tree(place, c"", RECURSIVE | libc::AT_EMPTY_PATH)?;
                restrict(copy, READ_ONLY)?;
                copy
            }
            Cover::Pinned => {
                let copy = clone_tree(place, c"", RECURSIVE | libc::AT_EMPTY_PATH)?;
                restrict(copy, 0)?;
                copy
            }
        };
        attach(mount, place)
    })
}

fn clone_tree(folder: RawFd, path: &CStr, flags: i32) -> io::Result<RawFd> {
    let flags = OPEN_TREE_CLONE | (flags | libc::O_CLOEXEC).cast_unsigned();
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the path ends with a zero.
    descriptor(unsafe { libc::syscall(libc::SYS_open_tree, folder, path.as_ptr(), flags) })
}

/// As bubblewrap mounts: no devices, no programs with more rights, and what is asked for besides; for all that is below, too.
fn restrict(mount: RawFd, besides: u64) -> io::Result<()> {
    /// As the kernel reads it.
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        users: u64,
    }
    let attributes = Attributes {
        set: NO_SET_USER | NO_DEVICES | besides,
        clear: 0,
        propagation: 0,
        users: 0,
    };
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads as many bytes as it is told that there are.
    done(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount,
            c"".as_ptr(),
            RECURSIVE | libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    })
}

fn empty_folder() -> io::Result<RawFd> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the name ends with a zero.
    let made =
        descriptor(unsafe { libc::syscall(libc::SYS_fsopen, c"tmpfs".as_ptr(), FSOPEN_CLOEXEC) })?;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: key and value end with zeros.
    done(unsafe {
        libc::syscall(
            libc::SYS_fsconfig,
            made,
            FSCONFIG_SET_STRING,
            c"mode".as_ptr(),
            c"0555".as_ptr(),
            0,
        )
    })?;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: this order takes null pointers.
    done(unsafe {
        libc::syscall(
            libc::SYS_fsconfig,
            made,
            FSCONFIG_CMD_CREATE,
            std::ptr::null::<u8>(),
            std::ptr::null::<u8>(),
            0,
        )
    })?;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only.
    descriptor(unsafe {
        libc::syscall(
            libc::SYS_fsmount,
            made,
            FSMOUNT_CLOEXEC,
            NO_SET_USER | NO_DEVICES,
        )
    })
}

/// A place in the sandbox, reached by no link.
fn open_place(path: &CStr) -> io::Result<RawFd> {
    /// As the kernel reads it.
    #[repr(C)]
    struct How {
        flags: u64,
        mode: u64,
        resolve: u64,
    }
    let how = How {
        flags: u64::from((libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW).cast_unsigned()),
        mode: 0,
        resolve: NO_SYMLINKS | NO_MAGIC_LINKS,
    };
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the path ends with a zero, and the kernel reads as many bytes as it is told that there are.
    descriptor(unsafe {
        libc::syscall(
            libc::SYS_openat2,
            libc::AT_FDCWD,
            path.as_ptr(),
            &raw const how,
            size_of::<How>(),
        )
    })
}

fn attach(mount: RawFd, place: RawFd) -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: both names end with zeros.
    done(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount,
            c"".as_ptr(),
            place,
            c"".as_ptr(),
            FROM_DESCRIPTOR | TO_DESCRIPTOR,
        )
    })
}

fn descriptor(result: libc::c_long) -> io::Result<RawFd> {
    done(result)?;
    RawFd::try_from(result).map_err(|_| io::ErrorKind::InvalidData.into())
}
