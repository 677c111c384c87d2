//! Which sandbox this machine has: picked by what works, and not by what is installed.

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

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
    pub fn best() -> Result<Backend, String> {
        Backend::named(Name::Bubblewrap).or_else(|bubblewrap| {
            Backend::named(Name::Landlock).map_err(|landlock| format!("{bubblewrap}; {landlock}"))
        })
    }

    /// One that can do all of a profile.
    ///
    /// # Errors
    /// Why there is none.
    pub fn full() -> Result<Backend, String> {
        Backend::named(Name::Bubblewrap)
    }

    /// This one, if it works here. It is tried once a process.
    ///
    /// # Errors
    /// Why it does not.
    pub fn named(name: Name) -> Result<Backend, String> {
        static FOUND: [OnceLock<Result<Backend, String>>; 2] = [OnceLock::new(), OnceLock::new()];
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
fn try_bubblewrap() -> Result<Backend, String> {
    let Some(program) = bubblewrap::program() else {
        return Err("bubblewrap is not installed (on Debian: `apt install bubblewrap`)".to_owned());
    };
    let quiet = |command: &mut Command| {
        command
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("bubblewrap cannot be started: {error}"))
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
    let why = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(format!(
        "bubblewrap does not work here: {}",
        sayso_core::text::visible::visible(&why)
    ))
}

fn try_landlock() -> Result<Backend, String> {
    landlock::abi()
        .map(|abi| Backend::Landlock { abi })
        .ok_or_else(|| "this kernel has no Landlock".to_owned())
}
