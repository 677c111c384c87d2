//! What a sandbox costs a command: `/bin/true` without one, in bubblewrap and under Landlock, one after another in one run.
//!
//! `cargo bench -p sayso-sandbox --bench overhead [-- ROUNDS] [bubblewrap|Landlock]` prints a table. Each sandbox runs in turns with a command that has none, so that
//! a busy machine is busy for both; what it costs is the difference. A round includes deriving the profile, since each command does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench has nobody to hand an error to"
)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sayso_core::policy::terms::{Network, Terms};
use sayso_sandbox::backend::{Backend, Name};
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::init::INNER_COMMAND;
use sayso_sandbox::path_check;
use sayso_sandbox::plan::plan;
use sayso_sandbox::profile::Profile;
use sayso_sandbox::start::Sandbox;

const ROUNDS: usize = 201;
const FILES: usize = 5_000;
const TRUE: &str = "/bin/true";

/// A workspace with its home.
struct Place {
    _scratch: tempfile::TempDir,
    home: PathBuf,
    workspace: PathBuf,
    folder: PathBuf,
}

impl Place {
    fn new(files: usize) -> Place {
        let scratch = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(scratch.path()).unwrap().join("home");
        let (workspace, folder) = (home.join("ws"), home.join("own"));
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
        for number in 0..files {
            let folder = workspace.join(format!("src/part{}", number / 50));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("file{number}.rs")), "x").unwrap();
        }
        Place {
            _scratch: scratch,
            home,
            workspace,
            folder,
        }
    }

    fn profile(&self) -> Profile {
        let environment = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", self.home.to_str().unwrap()),
        ];
        let environment: Vec<(OsString, OsString)> = environment
            .map(|(name, value)| (name.into(), value.into()))
            .into();
        let own = [self.folder.clone()];
        let around = Around {
            workspace: &self.workspace,
            cwd: &self.workspace,
            home: Some(&self.home),
            own: &own,
            environment: &environment,
            caches: None,
            protected: &|_| false,
        };
        let terms = Terms {
            write: vec![self.workspace.to_str().unwrap().to_owned()],
            network: Network::Nothing,
            process_limit: Some(2048),
            ..Terms::default()
        };
        derive(&terms, around).unwrap()
    }

    fn direct(&self) {
        let mut command = Command::new(TRUE);
        command.env_clear().current_dir(&self.workspace);
        finish(command);
    }

    fn bounded(&self, backend: &Backend) {
        let sandbox = Sandbox {
            backend: backend.clone(),
            folder: self.folder.clone(),
            program: std::env::current_exe().unwrap(),
            connect: None,
            watch: true,
            session: None,
        };
        let ready = sandbox
            .ready(&self.profile(), &self.workspace, &[TRUE.into()], true)
            .unwrap();
        finish(ready.command);
        assert!(!ready.guard.report().failed);
    }
}

fn finish(mut command: Command) {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    drop(command);
    assert!(child.wait().unwrap().success());
}

/// Milliseconds.
fn time(call: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64() * 1e3
}

fn sorted(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (
        times.first().copied().unwrap_or_default(),
        times.get(times.len() / 2).copied().unwrap_or_default(),
    )
}

fn main() {
    // What is measured starts this program in the sandbox.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == INNER_COMMAND)
    {
        let words: Vec<OsString> = std::env::args_os().skip(2).collect();
        std::process::exit(sayso_sandbox::init::run(&words).into());
    }
    let rounds = std::env::args()
        .skip(1)
        .find_map(|word| word.parse().ok())
        .unwrap_or(ROUNDS);
    let only = std::env::args().find_map(|word| {
        ["bubblewrap", "Landlock"]
            .into_iter()
            .find(|name| *name == word)
    });
    let backends: Vec<(&str, Option<Backend>, f64)> = [
        ("bubblewrap", Name::Bubblewrap, 15.0),
        ("Landlock", Name::Landlock, 2.0),
    ]
    .map(|(word, name, budget)| {
        (
            word,
            Backend::named(name)
                .map_err(|why| eprintln!("NOT MEASURED: {word}: {why}"))
                .ok(),
            budget,
        )
    })
    .into();
    println!("`{TRUE}`, {rounds} rounds.\n");
    println!(
        "| what | without, min | median | with, min | median | × | more, min | more, median | budget | |"
    );
    println!("|---|{}---|", "--:|".repeat(8));
    for (words, files) in [
        ("small workspace", 0),
        ("workspace with 5,000 files", FILES),
    ] {
        let place = Place::new(files);
        place.direct();
        let pure = (0..rounds).map(|_| {
            time(|| {
                let profile = place.profile();
                std::hint::black_box(plan(&profile, &path_check::look(&profile)));
            })
        });
        let (min, median) = sorted(pure.collect());
        println!(
            "| {words}: profile and plan alone | | | {min:.2} ms | {median:.2} ms | | | | | |"
        );
        for (word, backend, budget) in &backends {
            let Some(backend) = backend
                .as_ref()
                .filter(|_| only.is_none_or(|only| only == *word))
            else {
                continue;
            };
            let round = |_| {
                let times = (time(|| place.direct()), time(|| place.bounded(backend)));
                // What the kernel still clears up of one sandbox is not counted to what comes next.
                if matches!(backend, Backend::Bubblewrap { .. }) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                times
            };
            let (direct, bounded): (Vec<f64>, Vec<f64>) = (0..rounds).map(round).unzip();
            let ((least, middle), (min, median)) = (sorted(direct), sorted(bounded));
            let (more, usual) = (min - least, median - middle);
            let met = match () {
                () if usual <= *budget => "met",
                () if more <= *budget => "met by the fastest",
                () => "**missed**",
            };
            let ratio = median / middle;
            println!(
                "| {words}: in {word} | {least:.2} ms | {middle:.2} ms | {min:.2} ms | {median:.2} ms | {ratio:.1} | {more:.2} ms | {usual:.2} ms | ≤ {budget:.0} ms | {met} |"
            );
        }
        assert!(Path::new(TRUE).exists());
    }
    if rustix::process::geteuid().is_root() {
        as_another_user();
    }
}

/// The same once more for somebody without rights, as most people are: root has things of the system hidden from it that others cannot read
/// anyway.
fn as_another_user() {
    const NOBODY: u32 = 65534;
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("overhead");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    println!("\nThe same as another user than root:\n");
    let mut command = Command::new(copy);
    command
        .args(std::env::args_os().skip(1))
        .env_clear()
        .env("TMPDIR", "/tmp")
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/");
    assert!(command.status().unwrap().success());
}
