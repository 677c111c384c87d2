//! A home folder with a project, and the ways to work in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use sayso_core::policy::terms::{Network, Terms};
use sayso_sandbox::backend::Backend;
use sayso_sandbox::caches;
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::start::Sandbox;
use tempfile::TempDir;

use crate::program::{Outcome, run};
use crate::scene::{PATH, put};

/// How a command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Without a sandbox.
    Outside,
    /// `sayso sandbox -- CMD`.
    Command,
    /// A sandbox for the command, with the folder for caches that a session has.
    SessionCaches,
}

pub const SANDBOXED: [Way; 2] = [Way::Command, Way::SessionCaches];

/// The variables of the person who runs the tests that would lead to their own caches.
const CACHES: [&str; 11] = [
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "GOPATH",
    "GOCACHE",
    "GOMODCACHE",
    "PIP_CACHE_DIR",
    "PIP_FIND_LINKS",
    "UV_CACHE_DIR",
    "XDG_CACHE_HOME",
    "npm_config_cache",
    "VIRTUAL_ENV",
];

/// The home folder is not below `/tmp`, of which every sandbox has its own.
pub struct Desk {
    _scratch: TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
    session: PathBuf,
    path: String,
}

impl Desk {
    /// None where there is no sandbox, or a program is missing; it is said which.
    pub fn with(programs: &[&str]) -> Option<Desk> {
        if !super::super::works("real work") {
            return None;
        }
        let cargo = Path::new(env!("CARGO")).parent().unwrap().display();
        let mut path = format!("{PATH}:{cargo}");
        let own = std::env::var("PATH").unwrap_or_default();
        for program in programs {
            let is_in = |folder: &PathBuf| folder.join(program).exists();
            if std::env::split_paths(&path).any(|folder| is_in(&folder)) {
                continue;
            }
            let Some(folder) = std::env::split_paths(&own).find(is_in) else {
                eprintln!("NOT CHECKED: real work with {program}: it is not installed");
                return None;
            };
            path = format!("{path}:{}", folder.display());
        }
        let scratch = tempfile::Builder::new()
            .prefix("place-")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("home/projects/work"));
        fs::create_dir_all(&project).unwrap();
        Some(Desk {
            _scratch: scratch,
            session: root.join("session"),
            home,
            project,
            path,
        })
    }

    pub fn file(&self, name: &str, text: &str) {
        put(&self.project.join(name), text);
    }

    /// Runs a script outside, with the network: what a person did before. Nothing is checked if that fails.
    pub fn prepare(&self, script: &str) -> Option<()> {
        let done = self.try_to(Way::Outside, script);
        if done.code != 0 {
            eprintln!(
                "NOT CHECKED: `{script}` fails outside: {}{}",
                done.out, done.err
            );
        }
        (done.code == 0).then_some(())
    }

    pub fn try_to(&self, way: Way, script: &str) -> Outcome {
        let words = ["bash", "-euo", "pipefail", "-c", script];
        match way {
            Way::Outside => run(self.outside("bash").args(&words[1..]), b""),
            Way::Command => {
                let program = env!("CARGO_BIN_EXE_sayso");
                run(
                    self.outside(program).args(["sandbox", "--"]).args(words),
                    b"",
                )
            }
            Way::SessionCaches => self.with_session_caches(&words),
        }
    }

    /// It has to work.
    #[track_caller]
    pub fn work(&self, way: Way, script: &str) -> String {
        let done = self.try_to(way, script);
        assert_eq!(done.code, 0, "{way:?}: {script}\n{}{}", done.out, done.err);
        done.out
    }

    /// It has to work in every way, and how long it takes is printed. `clean` runs before each.
    #[track_caller]
    pub fn work_everywhere(&self, what: &str, clean: &str, script: &str) {
        let ways = [Way::Outside, Way::Command, Way::SessionCaches];
        let times = ways.map(|way| {
            self.work(Way::Outside, clean);
            let start = Instant::now();
            self.work(way, script);
            start.elapsed().as_millis()
        });
        let [outside, command, session] = times;
        eprintln!(
            "real work | {what} | {outside} ms outside | {command} ms in a sandbox | {session} ms with a session's caches"
        );
    }

    fn outside(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("PATH", &self.path)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(&self.project);
        for name in CACHES {
            command.env_remove(name);
        }
        command
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let (home, path) = (self.home.clone(), self.path.clone());
        vec![("HOME".into(), home.into()), ("PATH".into(), path.into())]
    }

    fn with_session_caches(&self, words: &[&str]) -> Outcome {
        let (environment, folder) = (self.environment(), self.session.join("caches"));
        let own = self.home.join(".local/state/sayso");
        fs::create_dir_all(&own).unwrap();
        if !folder.exists() {
            fs::create_dir_all(&self.session).unwrap();
            let left = caches::prepare(&folder, Some(&self.home), &environment).unwrap();
            assert!(left.is_empty(), "{left:?} are too large");
        }
        let around = Around {
            workspace: &self.project,
            cwd: &self.project,
            home: Some(&self.home),
            own: std::slice::from_ref(&own),
            environment: &environment,
            caches: Some(&folder),
            protected: &|_| false,
        };
        let terms = Terms {
            write: vec![self.project.to_str().unwrap().to_owned()],
            network: Network::Nothing,
            ..Terms::default()
        };
        let sandbox = Sandbox {
            backend: Backend::full().unwrap(),
            folder: own.clone(),
            program: env!("CARGO_BIN_EXE_sayso").into(),
            connect: None,
            watch: true,
            session: None,
        };
        let words: Vec<OsString> = std::iter::once("/usr/bin/bash")
            .chain(words.iter().skip(1).copied())
            .map(OsString::from)
            .collect();
        let profile = derive(&terms, around).unwrap();
        let mut ready = sandbox
            .ready(&profile, &self.project, &words, true)
            .unwrap();
        let outcome = run(&mut ready.command, b"");
        assert!(!ready.guard.report().failed, "{outcome:?}");
        outcome
    }
}
