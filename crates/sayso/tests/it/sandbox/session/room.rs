//! A workspace with sessions in it, in which commands really run.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::policy::terms::{Network, Terms};
use sayso_sandbox::backend::Backend;
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::profile::Profile;
use sayso_sandbox::session::{self, SessionChoice, SessionLimits};
use sayso_sandbox::start::Sandbox;
use sayso_tools::terminal::{self, Bounds, Command, Outcome, StartError};

/// How long something has to come true.
const MAX_WAIT: Duration = Duration::from_secs(20);

pub struct Room {
    _scratch: tempfile::TempDir,
    pub home: PathBuf,
    pub workspace: PathBuf,
    pub own: PathBuf,
    pub limits: SessionLimits,
    /// The policy lets commands only read.
    pub stricter: bool,
}

/// What a command is run with.
pub struct Given<'a> {
    pub session: &'a str,
    pub terms: Terms,
    pub time: Duration,
}

impl Room {
    /// One that is not below a folder for temporary files, as most workspaces are.
    pub fn new() -> Room {
        Room::below(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    pub fn below(folder: &Path) -> Room {
        let scratch = tempfile::Builder::new()
            .prefix("room-")
            .tempdir_in(folder)
            .unwrap();
        let root = fs::canonicalize(scratch.path()).unwrap();
        let (home, own) = (root.join("home"), root.join("state/sandbox"));
        let workspace = home.join("ws");
        for folder in [&workspace, &own] {
            fs::create_dir_all(folder).unwrap();
        }
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).unwrap();
        Room {
            _scratch: scratch,
            home,
            workspace,
            own,
            limits: SessionLimits::default(),
            stricter: false,
        }
    }

    pub fn terms(&self) -> Terms {
        Terms {
            sandbox_required: true,
            write: vec![self.workspace.to_str().unwrap().to_owned()],
            process_limit: Some(2048),
            ..Terms::default()
        }
    }

    pub fn profile(&self, terms: &Terms) -> Profile {
        profile(&self.home, &self.workspace, &self.own, terms)
    }

    pub fn sandbox(&self, session: Option<&str>) -> Sandbox {
        let (home, workspace, own) = (self.home.clone(), self.workspace.clone(), self.own.clone());
        let mut terms = self.terms();
        if self.stricter {
            terms.read_only = std::mem::take(&mut terms.write);
        }
        Sandbox {
            backend: Backend::full().unwrap(),
            folder: self.own.clone(),
            program: env!("CARGO_BIN_EXE_sayso").into(),
            connect: Some(Arc::new(|_, _| Err("nothing is reached".into()))),
            watch: true,
            session: session.map(|key| SessionChoice {
                key: key.to_owned(),
                watch: None,
                limits: self.limits,
                base: Arc::new(move || Some(profile(&home, &workspace, &own, &terms))),
            }),
        }
    }

    pub fn given<'a>(&self, session: &'a str) -> Given<'a> {
        Given {
            session,
            terms: self.terms(),
            time: Duration::from_secs(60),
        }
    }

    /// Runs a command in the sandbox of a session.
    pub fn run(&self, session: &str, text: &str) -> Outcome {
        self.run_with(&self.given(session), text)
    }

    pub fn run_with(&self, given: &Given<'_>, text: &str) -> Outcome {
        let sandbox = self.sandbox(Some(given.session));
        self.run_in(&sandbox, given, text)
    }

    /// Runs it in a sandbox of its own.
    pub fn run_alone(&self, text: &str) -> Outcome {
        self.run_in(&self.sandbox(None), &self.given(""), text)
    }

    pub fn run_in(&self, sandbox: &Sandbox, given: &Given<'_>, text: &str) -> Outcome {
        let outcome = self.try_in(sandbox, given, text).unwrap();
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        outcome
    }

    /// The same, which may not be possible.
    pub fn try_run(&self, given: &Given<'_>, text: &str) -> Result<Outcome, StartError> {
        self.try_in(&self.sandbox(Some(given.session)), given, text)
    }

    fn try_in(
        &self,
        sandbox: &Sandbox,
        given: &Given<'_>,
        text: &str,
    ) -> Result<Outcome, StartError> {
        let profile = self.profile(&given.terms);
        let command = Command {
            time_limit: given.time,
            bounds: Some(Bounds {
                sandbox,
                profile: &profile,
                workspace: &self.workspace,
            }),
            ..Command::new(text, &self.workspace)
        };
        terminal::run(command, &mut |_, _| ())
    }

    /// What a command of a session prints.
    #[track_caller]
    pub fn says(&self, session: &str, text: &str) -> String {
        let outcome = self.run(session, text);
        outcome.output
    }

    /// The folder of a session.
    pub fn folder(&self, session: &str) -> PathBuf {
        self.own.join("sessions").join(session)
    }

    /// The process that holds a session.
    pub fn holder(&self, session: &str) -> Option<i32> {
        let alive = self.folder(session).join("alive");
        processes().find(|id| {
            let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten();
            open.flatten()
                .any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to == alive))
        })
    }

    /// Processes with this in their command line.
    pub fn running(&self, mark: &str) -> usize {
        processes()
            .filter(|id| {
                let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).contains(mark)
            })
            .count()
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.workspace).unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let sessions = fs::read_dir(self.own.join("sessions"))
            .into_iter()
            .flatten();
        for entry in sessions.flatten() {
            let _ = session::end(&self.own, &entry.file_name().to_string_lossy());
        }
    }
}

fn profile(home: &Path, workspace: &Path, own: &Path, terms: &Terms) -> Profile {
    let environment: Vec<(OsString, OsString)> = [
        ("HOME", home.to_str().unwrap()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    let around = Around {
        workspace,
        cwd: workspace,
        home: Some(home),
        own: &[own.to_owned()],
        environment: &environment,
        caches: None,
        protected: &|_| false,
    };
    derive(terms, around).unwrap()
}

fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[track_caller]
pub fn wait_until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + MAX_WAIT;
    while !is() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// All of the network, as a command that was given more has it.
pub fn everything() -> Network {
    Network::Everything
}
