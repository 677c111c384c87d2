//! A home with a workspace, and commands that run in its sandbox.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sayso_core::policy::terms::{Network, Terms};
use sayso_sandbox::backend::{Backend, Name};
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::profile::Profile;
use sayso_sandbox::refusal::{Refusal, Refused};
use sayso_sandbox::start::{Ready, Sandbox};

/// A test by its name.
pub type Test = (&'static str, fn());

/// A home folder that no machine has, so that nothing of it is a folder for scratch.
pub const HOME: &str = "/home/of-a-test";
/// Nobody's number.
const NOBODY: u32 = 65534;

pub struct Desk {
    _scratch: tempfile::TempDir,
    pub workspace: PathBuf,
    pub network: Network,
    folder: PathBuf,
}

/// How a command ended, and what was noticed.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub output: String,
    pub refusals: Vec<Refusal>,
}

impl Ran {
    /// What was refused, in order.
    pub fn refused(&self) -> Vec<Refused> {
        self.refusals
            .iter()
            .map(|refusal| refusal.what.clone())
            .collect()
    }
}

impl Desk {
    pub fn new() -> Desk {
        let scratch = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(scratch.path()).unwrap();
        let (workspace, folder) = (root.join("ws"), root.join("own"));
        for folder in [
            &workspace.join(".git/hooks"),
            &workspace.join(".git/info"),
            &folder,
        ] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in [".git/config", ".git/HEAD", ".env", "README.md"] {
            fs::write(workspace.join(name), "x").unwrap();
        }
        Desk {
            _scratch: scratch,
            workspace,
            network: Network::Nothing,
            folder,
        }
    }

    pub fn profile(&self) -> Profile {
        let environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", HOME)];
        let environment: Vec<(OsString, OsString)> = environment
            .map(|(name, value)| (name.into(), value.into()))
            .into();
        let own = [self.folder.clone()];
        let around = Around {
            workspace: &self.workspace,
            cwd: &self.workspace,
            home: Some(Path::new(HOME)),
            own: &own,
            environment: &environment,
            caches: None,
            protected: &|_| false,
        };
        let terms = Terms {
            write: vec![self.workspace.to_str().unwrap().to_owned()],
            network: self.network.clone(),
            process_limit: Some(2048),
            ..Terms::default()
        };
        derive(&terms, around).unwrap()
    }

    pub fn ready(&self, words: &[&str]) -> Ready {
        let sandbox = Sandbox {
            backend: Backend::named(Name::Bubblewrap).unwrap(),
            folder: self.folder.clone(),
            program: std::env::current_exe().unwrap(),
            connect: None,
            watch: true,
            session: None,
        };
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        sandbox
            .ready(&self.profile(), &self.workspace, &words, true)
            .unwrap()
    }

    /// Runs a script of bash to its end.
    pub fn run(&self, script: &str) -> Ran {
        self.run_words(&["/bin/bash", "--norc", "-c", script])
    }

    pub fn python(&self, script: &str) -> Ran {
        self.run_words(&["/usr/bin/python3", "-S", "-c", script])
    }

    pub fn run_words(&self, words: &[&str]) -> Ran {
        let mut ready = self.ready(words);
        let child = ready
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(ready.command);
        let done = child.wait_with_output().unwrap();
        let report = ready.guard.report();
        let output = [done.stdout, done.stderr].concat();
        let output = String::from_utf8_lossy(&output).into_owned();
        assert!(!report.failed, "{output}");
        Ran {
            code: done.status.code(),
            output,
            refusals: report.refusals,
        }
    }
}

/// Whether a program of the system is here; what is not checked without it is said.
pub fn has(name: &str) -> bool {
    let there = ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).exists());
    if !there {
        eprintln!("NOT CHECKED: everything that takes `{name}`, which is not here");
    }
    there
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub fn user() -> String {
    format!("user {}", rustix::process::geteuid().as_raw())
}

/// Runs all of it once more as a user without rights; whether that went well.
pub fn as_another_user() -> bool {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("refusals");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let mut command = Command::new(copy);
    command
        .args(std::env::args_os().skip(1))
        .env_clear()
        .env("TMPDIR", "/tmp")
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/");
    command.status().unwrap().success()
}
