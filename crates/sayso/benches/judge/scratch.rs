//! A workspace with a repository and a home of its own, so that the machine's settings do not count.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use sayso_runtime::assemble::RealWorld;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use tempfile::TempDir;

use crate::policies::number;

pub(crate) struct Scratch {
    folder: TempDir,
    workspace: String,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("ws");
        std::fs::create_dir_all(path.join("src")).unwrap();
        std::fs::write(path.join("src/main.rs"), "fn main() {}\n").unwrap();
        std::fs::write(path.join(".gitignore"), "target/\n*.o\n").unwrap();
        let made = Command::new("git")
            .args(["init", "-q"])
            .current_dir(&path)
            .status()
            .expect("git is there");
        assert!(made.success());
        let workspace = path.to_str().expect("a name in UTF-8").to_owned();
        Scratch { folder, workspace }
    }

    pub(crate) fn workspace(&self) -> &str {
        &self.workspace
    }

    fn home(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) fn world(&self) -> RealWorld {
        let home = self.home();
        RealWorld(Machine::new(Whereabouts {
            config: home.join(".config/sayso"),
            state: home.join(".local/state/sayso"),
            git_configs: vec![home.join(".gitconfig")],
            git_ignore: Some(home.join(".config/git/ignore")),
            git_elsewhere: None,
            home: Some(home),
            ..Whereabouts::from_environment().expect("a home")
        }))
    }

    /// Pipes plain operations through the program, start and end of the process included.
    pub(crate) fn jsonl(&self) -> String {
        const MANY: usize = 50_000;
        const CALLS: [&str; 5] = [
            r#""tool":"terminal","args":{"command":"git status"}"#,
            r#""tool":"terminal","args":{"command":"ls -la src"}"#,
            r#""tool":"terminal","args":{"command":"cargo test --workspace"}"#,
            r#""tool":"file_read","args":{"path":"src/main.rs"}"#,
            r#""tool":"file_edit","args":{"path":"src/main.rs","find":"a","replace":"b"}"#,
        ];
        let mut input = String::new();
        for (id, call) in CALLS.iter().cycle().take(MANY).enumerate() {
            writeln!(input, "{{\"id\":{id},{call}}}").unwrap();
        }
        let before = children_seconds();
        let rates: Vec<f64> = (0..3)
            .map(|_| MANY as f64 / self.pipe(input.clone(), MANY))
            .collect();
        let own = children_seconds()
            .zip(before)
            .map(|(after, before)| 3.0 * MANY as f64 / (after - before));
        let best = rates.iter().copied().fold(0.0, f64::max);
        let word = |rate: f64| {
            if rate >= 20_000.0 {
                "met"
            } else {
                "**missed**"
            }
        };
        let all: Vec<String> = rates.iter().map(|rate| number(*rate as usize)).collect();
        let own = own.map_or("not measured".to_owned(), |rate| {
            format!("{} ({})", number(rate as usize), word(rate))
        });
        let operations = format!(
            "`sayso check --jsonl`, {} plain operations, budget ≥ 20,000 a second on one core",
            number(MANY)
        );
        format!(
            "{operations}: {} a second of wall time ({}); {own} a second of processor time.",
            all.join(", "),
            word(best)
        )
    }

    fn pipe(&self, input: String, lines: usize) -> f64 {
        let start = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_sayso"))
            .args(["check", "--jsonl"])
            .current_dir(&self.workspace)
            .env("HOME", self.home())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("its input is a pipe");
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let out = child.wait_with_output().expect("the program ends");
        let seconds = start.elapsed().as_secs_f64();
        writer
            .join()
            .expect("the writer ends")
            .expect("everything is read");
        assert_eq!(
            out.stdout.iter().filter(|byte| **byte == b'\n').count(),
            lines,
            "every line has an answer"
        );
        seconds
    }
}

/// The processor time of all children that ended, as the wall time tells little where others use the processor. Linux counts it in 1/100 s.
fn children_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in brackets may hold anything; `cutime` and `cstime` are the 14th and 15th field after it.
    let ticks = |index: usize| {
        stat.rsplit_once(") ")?
            .1
            .split(' ')
            .nth(index)?
            .parse::<f64>()
            .ok()
    };
    Some((ticks(13)? + ticks(14)?) / 100.0)
}
