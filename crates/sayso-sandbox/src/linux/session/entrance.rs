//! How a child enters a session's sandbox between fork and exec: system calls only, with everything prepared before.
//!
//! bubblewrap nests two user namespaces where the user is not root: the outer one owns all the others and the mounts, and commands are in the
//! inner one. Whoever enters the outer one has every right there: with these the mounts are completed, and then all of them are given up,
//! since nothing of what holds for the first process of a sandbox is inherited by one that enters.

use std::ffi::{CStr, CString, c_char};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd, RawFd};

use super::mounts::{self, Addition};
use crate::linux::child::{done, keep_rights, put};
use crate::linux::init;

/// The namespaces of a sandbox.
#[derive(Debug)]
pub(super) struct Namespaces {
    /// The user namespace that owns the mounts.
    pub(super) outer: OwnedFd,
    /// That of the commands, if it is another one.
    pub(super) inner: Option<OwnedFd>,
    pub(super) mounts: OwnedFd,
    /// The rest, in any order.
    pub(super) others: Vec<OwnedFd>,
}

impl Namespaces {
    fn all(&mut self) -> impl Iterator<Item = &mut OwnedFd> {
        [&mut self.outer, &mut self.mounts]
            .into_iter()
            .chain(&mut self.inner)
            .chain(&mut self.others)
    }
}

/// The way into a sandbox, and the program that is run there.
#[derive(Debug)]
pub struct Entrance {
    namespaces: Namespaces,
    additions: Vec<Addition>,
    /// The `/proc` of the machine: the one in the sandbox does not show who comes from outside.
    proc: OwnedFd,
    folder: CString,
    program: OwnedFd,
    words: List,
    environment: List,
    parent: i32,
    /// What is mounted in the sandbox, once it was entered.
    mountinfo: RawFd,
    /// Above all the numbers that the program gets.
    above: RawFd,
}

/// Words as the kernel takes them: pointers to each, and none at the end.
#[derive(Debug)]
struct List {
    _words: Vec<CString>,
    pointers: Vec<*const c_char>,
}

#[allow(unsafe_code, reason = "pointers to memory that the value itself owns")]
// SAFETY: the pointers lead to the words, which belong to the same value, are on the heap and are never changed.
unsafe impl Send for List {}
#[allow(unsafe_code, reason = "pointers to memory that the value itself owns")]
// SAFETY: as above; nothing is written through them.
unsafe impl Sync for List {}

impl List {
    fn new(words: Vec<CString>) -> List {
        let pointers = words
            .iter()
            .map(|word| word.as_ptr())
            .chain([std::ptr::null()])
            .collect();
        List {
            _words: words,
            pointers,
        }
    }
}

impl Entrance {
    /// The way in, to run a program with these words in this folder of the sandbox.
    pub(super) fn new(
        namespaces: Namespaces,
        additions: Vec<Addition>,
        folder: CString,
        program: OwnedFd,
        words: Vec<CString>,
        environment: Vec<CString>,
    ) -> io::Result<Entrance> {
        Ok(Entrance {
            namespaces,
            additions,
            proc: File::open("/proc")?.into(),
            folder,
            program,
            words: List::new(words),
            environment: List::new(environment),
            parent: rustix::process::getpid().as_raw_nonzero().get(),
            mountinfo: -1,
            above: 3,
        })
    }

    /// Moves its own descriptors above the numbers that the program gets.
    pub(crate) fn raise(&mut self, above: RawFd) -> io::Result<()> {
        self.above = above;
        let Entrance {
            namespaces,
            proc,
            program,
            ..
        } = self;
        for fd in namespaces.all().chain([proc, program]) {
            *fd = rustix::io::fcntl_dupfd_cloexec(fd.as_fd(), above)?;
        }
        Ok(())
    }

    /// Enters, and completes the mounts on the way.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        let it = &mut self.namespaces;
        set_namespace(&it.outer)?;
        mounts::take_along(&mut self.additions)?;
        set_namespace(&it.mounts)?;
        mounts::add(&self.additions)?;
        it.others.iter().try_for_each(set_namespace)?;
        it.inner.iter().try_for_each(set_namespace)?;
        // What is mounted where this process is now; it is read by the program.
        self.mountinfo = open_at(&self.proc, c"self/mountinfo", self.above)?;
        Ok(())
    }

    pub(crate) fn keep_mounts(&self) -> io::Result<()> {
        put(self.mountinfo, init::MOUNTINFO)
    }

    /// Gives up every right, goes to its folder, and ends with the process that started it.
    pub(crate) fn settle(&self) -> io::Result<()> {
        keep_rights(0)?;
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: the path is a whole one and ends with a zero.
        done(unsafe { libc::chdir(self.folder.as_ptr()) }.into())?;
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: numbers only.
        let tied = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as usize, 0, 0, 0) };
        done(tied.into())?;
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: nothing is handed over.
        let parent = unsafe { libc::getppid() };
        // It ended before the signal was set.
        if parent == self.parent {
            Ok(())
        } else {
            Err(io::ErrorKind::NotConnected.into())
        }
    }

    /// Becomes the program; comes back only if that fails.
    pub(crate) fn run(&self) -> io::Result<()> {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: both lists end with a null pointer, and all that they lead to is there until the program is another one.
        done(unsafe {
            libc::syscall(
                libc::SYS_execveat,
                self.program.as_raw_fd(),
                c"".as_ptr(),
                self.words.pointers.as_ptr(),
                self.environment.pointers.as_ptr(),
                libc::AT_EMPTY_PATH,
            )
        })
    }
}

fn set_namespace(fd: &OwnedFd) -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only; the kernel knows the kind of the namespace.
    done(unsafe { libc::setns(fd.as_raw_fd(), 0) }.into())
}

/// Opens a file under a number that is not below this one: another thread may have closed what kept the numbers below from being free.
fn open_at(folder: &OwnedFd, name: &CStr, above: RawFd) -> io::Result<RawFd> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the name ends with a zero.
    let fd = unsafe {
        libc::openat(
            folder.as_raw_fd(),
            name.as_ptr(),
            libc::O_RDONLY | libc::O_CLOEXEC,
        )
    };
    done(fd.into())?;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only; the first one is closed when the program starts.
    let raised = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, above) };
    done(raised.into())?;
    Ok(raised)
}
