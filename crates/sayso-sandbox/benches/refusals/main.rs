//! What it costs to note refusals: the same work in the sandbox with a watcher and without, in turns, in one run.
//!
//! `cargo bench -p sayso-sandbox --bench refusals [-- ROUNDS] [NAME]` prints a table of ratios.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench has nobody to hand an error to"
)]

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use sayso_core::policy::terms::{Network, Terms};
use sayso_sandbox::backend::{Backend, Name};
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::init::INNER_COMMAND;
use sayso_sandbox::profile::Profile;
use sayso_sandbox::start::Sandbox;

const ROUNDS: usize = 7;

/// Work by name: what it stands for, and the script.
const WORK: [(&str, &str, &str); 7] = [
    ("nothing", "starting a sandbox", "/bin/true"),
    (
        "write",
        "20,000 files made, written and removed, and nothing else",
        "python3 -S -c 'import os\nfor n in range(20000):\n f = os.open(\"f\", os.O_CREAT | os.O_WRONLY); os.write(f, b\"x\" * 100); os.close(f); os.unlink(\"f\")'",
    ),
    (
        "refused",
        "20,000 files that cannot be made",
        "python3 -S -c 'import os\nfor n in range(20000):\n try: os.mkdir(\"/etc/%d\" % n)\n except OSError: pass'",
    ),
    (
        "read",
        "200,000 files opened to read",
        "python3 -S -c 'import os\nfor n in range(200000): os.close(os.open(\"README.md\", os.O_RDONLY))'",
    ),
    (
        "processes",
        "500 programs started",
        "for n in {1..500}; do /bin/true > /dev/null; done",
    ),
    (
        "git",
        "a repository of 2,000 files, committed and cloned",
        "mkdir r && cd r && git init -q . && for n in {1..2000}; do echo $n > f$n; done && git -c core.fsync=none add . && git -c user.name=a -c user.email=a@b commit -qm x && git clone -q . ../c && cd .. && rm -rf r c",
    ),
    (
        "compile",
        "12 C programs compiled by make",
        "mkdir m && cd m && for n in {1..12}; do printf '#include <stdio.h>\\n#include <stdlib.h>\\n#include <string.h>\\nint main(void){puts(\"x\");return 0;}\\n' > p$n.c; done && printf 'all: $(patsubst %%.c,%%,$(wildcard *.c))\\n' > Makefile && make -s -j2 CFLAGS=-O2 && cd .. && rm -rf m",
    ),
];

struct Place {
    _scratch: tempfile::TempDir,
    home: PathBuf,
    workspace: PathBuf,
    folder: PathBuf,
}

impl Place {
    fn new() -> Place {
        let scratch = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(scratch.path()).unwrap().join("home");
        let (workspace, folder) = (home.join("ws"), home.join("own"));
        for folder in [&workspace, &folder] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(workspace.join("README.md"), "x").unwrap();
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
            ..Terms::default()
        };
        derive(&terms, around).unwrap()
    }

    /// Milliseconds of a script in the sandbox.
    fn time(&self, script: &str, watch: bool) -> f64 {
        let sandbox = Sandbox {
            backend: Backend::named(Name::Bubblewrap).unwrap(),
            folder: self.folder.clone(),
            program: std::env::current_exe().unwrap(),
            connect: None,
            session: None,
            watch,
        };
        let words = ["/bin/bash", "--norc", "-ec", script].map(OsString::from);
        let ready = sandbox
            .ready(&self.profile(), &self.workspace, &words, true)
            .unwrap();
        let start = Instant::now();
        finish(ready.command);
        let time = start.elapsed().as_secs_f64() * 1e3;
        assert!(!ready.guard.report().failed);
        time
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

/// The least and the median.
fn sorted(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    (at(0), at(times.len() / 2))
}

fn main() {
    // What is measured starts this program in the sandbox.
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some((_, command)) = words
        .split_first()
        .filter(|(first, _)| *first == INNER_COMMAND)
    {
        std::process::exit(sayso_sandbox::init::run(command).into());
    }
    if let Err(why) = Backend::named(Name::Bubblewrap) {
        eprintln!("NOT MEASURED: {why}");
        return;
    }
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let rounds = words
        .iter()
        .find_map(|word| word.parse().ok())
        .unwrap_or(ROUNDS);
    let only = words
        .iter()
        .find(|word| WORK.iter().any(|(name, ..)| name == *word));
    println!("{rounds} rounds.\n");
    println!(
        "| what | not watched, min | median | watched, min | median | ×, min | ×, median |\n|---|{}",
        "--:|".repeat(6)
    );
    for (_, what, script) in WORK
        .iter()
        .filter(|(name, ..)| only.is_none_or(|only| name == only))
    {
        let place = Place::new();
        place.time(script, true);
        let (without, with): (Vec<f64>, Vec<f64>) = (0..rounds)
            .map(|_| (place.time(script, false), place.time(script, true)))
            .unzip();
        let ((least, middle), (min, median)) = (sorted(without), sorted(with));
        println!(
            "| {what} | {least:.1} ms | {middle:.1} ms | {min:.1} ms | {median:.1} ms | {:.2} | {:.2} |",
            min / least,
            median / middle
        );
    }
}
