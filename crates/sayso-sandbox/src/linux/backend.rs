//! Which sandbox this machine has: picked by what works, and not by what is installed.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use sayso_core::text::visible::visible;
use thiserror::Error as ThisError;

use super::bubblewrap;
use super::landlock;

/// A way to run a command under a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// bubblewrap: all of a profile.
    Bubblewrap {
        /// Where it is.
        program: PathBuf,
        /// What it says its version is.
        version: String,
    },
    /// Landlock and a filter of system calls: a part of a profile.
    Landlock {
        /// The version of the kernel's interface.
        abi: i32,
    },
}

/// Why a back end does not work here.
#[derive(Clone, Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum BackendError {
    #[error("bubblewrap is not installed (on Debian: `apt install bubblewrap`)")]
    NotInstalled,
    #[error("bubblewrap cannot be started: {0}")]
    NotStarted(Arc<io::Error>),
    #[error("bubblewrap does not work here: {}", visible(.stderr))]
    Fails { stderr: String },
    #[error("this kernel has no Landlock")]
    NoLandlock,
    #[error("{bubblewrap}; {landlock}")]
    Neither {
        bubblewrap: Box<BackendError>,
        landlock: Box<BackendError>,
    },
}

/// A back end by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// `bubblewrap`.
    Bubblewrap,
    /// `landlock`.
    Landlock,
}

/// What Landlock cannot do, in words.
pub const PARTIAL: &str = "cannot keep a part of a writable folder read-only or hidden, has no own /tmp and no own processes, and leaves chmod and \
                           sockets that are files alone";

impl Name {
    /// The back end of a word.
    pub fn from_word(word: &str) -> Option<Name> {
        match word {
            "bubblewrap" | "bwrap" => Some(Name::Bubblewrap),
            "landlock" => Some(Name::Landlock),
            _ => None,
        }
    }
}

impl Backend {
    /// Whether it can do all of a profile; only then does it satisfy `require: true`.
    pub fn is_full(&self) -> bool {
        matches!(self, Backend::Bubblewrap { .. })
    }

    /// The best one that works here.
    ///
    /// # Errors
    /// Why none does.
    pub fn best() -> Result<Backend, BackendError> {
        Backend::named(Name::Bubblewrap).or_else(|bubblewrap| {
            Backend::named(Name::Landlock).map_err(|landlock| BackendError::Neither {
                bubblewrap: Box::new(bubblewrap),
                landlock: Box::new(landlock),
            })
        })
    }

    /// One that can do all of a profile.
    ///
    /// # Errors
    /// Why there is none.
    pub fn full() -> Result<Backend, BackendError> {
        Backend::named(Name::Bubblewrap)
    }

    /// This one, if it works here. It is tried once a process.
    ///
    /// # Errors
    /// Why it does not.
    pub fn named(name: Name) -> Result<Backend, BackendError> {
        static FOUND: [OnceLock<Result<Backend, BackendError>>; 2] =
            [OnceLock::new(), OnceLock::new()];
        let [bubblewrap, landlock] = &FOUND;
        match name {
            Name::Bubblewrap => bubblewrap.get_or_init(try_bubblewrap).clone(),
            Name::Landlock => landlock.get_or_init(try_landlock).clone(),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Bubblewrap { version, .. } => write!(out, "{version}"),
            Backend::Landlock { abi } => write!(out, "Landlock (version {abi})"),
        }
    }
}

/// Sets a small sandbox up, with everything that a real one uses.
fn try_bubblewrap() -> Result<Backend, BackendError> {
    let Some(program) = bubblewrap::program() else {
        return Err(BackendError::NotInstalled);
    };
    let quiet = |command: &mut Command| {
        command
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| BackendError::NotStarted(Arc::new(error)))
    };
    let said = quiet(Command::new(&program).arg("--version"))?;
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let mut probe = Command::new(&program);
    probe.args([
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--unshare-net",
        "--cap-drop",
    ]);
    probe.args([
        "ALL",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
        "--",
        "/bin/sh",
        "-c",
        ":",
    ]);
    let tried = quiet(&mut probe)?;
    if tried.status.success() {
        return Ok(Backend::Bubblewrap { program, version });
    }
    let stderr = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(BackendError::Fails { stderr })
}

fn try_landlock() -> Result<Backend, BackendError> {
    landlock::abi()
        .map(|abi| Backend::Landlock { abi })
        .ok_or(BackendError::NoLandlock)
}
