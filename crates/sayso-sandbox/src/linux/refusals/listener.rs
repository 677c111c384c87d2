//! The listener of a filter: made where the sandbox is, answered outside.
//!
//! Every call is answered with "continue". What it may do is decided by the mounts, the network and the other filter; a listener that erred, or
//! was lied to, has said something wrong and let nothing through.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, FromRawFd as _, OwnedFd};

use super::calls;
use crate::linux::bpf;

/// A call that waits for its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) id: u64,
    /// The thread, as it is numbered here.
    pub(super) thread: u32,
    pub(super) number: u32,
    pub(super) arguments: [u64; 6],
}

/// Why a listener has nothing to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The caller went away, or a signal came.
    Again,
    /// No call will come any more.
    Ended,
}

/// Installs the watching filter for this thread and all that it starts, and gives its listener. None where this kernel cannot watch without
/// disturbing: signals would interrupt the calls that wait (before Linux 5.19), or a sandbox around this one watches already.
pub(super) fn install() -> Option<OwnedFd> {
    let program = bpf::notifier(&calls::watched())?;
    let length = u16::try_from(program.len()).ok()?;
    let program = libc::sock_fprog {
        len: length,
        filter: program.as_ptr().cast_mut(),
    };
    let flags =
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads as many steps as there are, and writes none.
    let made = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    let number = i32::try_from(made).ok().filter(|number| *number >= 0)?;
    #[allow(unsafe_code, reason = "a system call gives a number only")]
    // SAFETY: the kernel has just made it, and nothing else knows its number.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Whether it is a listener, asked in a way that changes nothing: no call has this number.
pub(super) fn is_listener(file: &impl AsFd) -> bool {
    let none = u64::MAX;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads eight bytes.
    let result = unsafe {
        libc::ioctl(
            file.as_fd().as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
            &raw const none,
        )
    };
    result != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT)
}

/// Has a caller and its listener take turns on one processor, where the kernel can (Linux 6.6): each waits for the other anyway.
pub(super) fn take_turns(listener: &OwnedFd) {
    const SYNC_WAKE_UP: u64 = 1;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: a number only. Where it is not known, nothing changes.
    unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS,
            SYNC_WAKE_UP,
        );
    }
}

/// Takes the next call; blocks if there is none.
pub(super) fn receive(listener: &OwnedFd) -> Result<Waiting, Silence> {
    /// Room for what later kernels may add.
    #[repr(C)]
    struct Room {
        call: libc::seccomp_notif,
        _more: [u64; 32],
    }
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: zeros are a value of this type; the kernel fills no more than it knows of, which fits.
    let (result, room) = unsafe {
        let mut room: Room = std::mem::zeroed();
        let result = libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_RECV,
            &raw mut room,
        );
        (result, room)
    };
    if result != 0 {
        return Err(silence());
    }
    Ok(Waiting {
        id: room.call.id,
        thread: room.call.pid,
        number: room.call.data.nr.cast_unsigned(),
        arguments: room.call.data.args,
    })
}

/// Lets a call go on. Whether its caller was still there: if so, all that was read of it meanwhile is its own.
pub(super) fn resume(listener: &OwnedFd, id: u64) -> bool {
    let mut answer = libc::seccomp_notif_resp {
        id,
        val: 0,
        error: 0,
        flags: u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap_or(1),
    };
    loop {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: the kernel reads the answer.
        let result = unsafe {
            libc::ioctl(
                listener.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND,
                &raw mut answer,
            )
        };
        if result == 0 {
            return true;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return false;
        }
    }
}

/// Whether the caller is still there.
pub(super) fn waits(listener: &OwnedFd, id: u64) -> bool {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads eight bytes.
    let result = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
            &raw const id,
        )
    };
    result == 0
}

fn silence() -> Silence {
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::ENOENT | libc::EINTR | libc::EAGAIN | libc::EINPROGRESS) => Silence::Again,
        _ => Silence::Ended,
    }
}
