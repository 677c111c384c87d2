//! What it costs to keep a workspace before a command, beside one walk of `lstat` over the same names in the same run.
//!
//! `cargo bench -p sayso-tools --bench keep [-- FILES]` prints a table: the first time, when all contents are copied, again when nothing
//! changed, and after a command that changed one file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench has no caller to hand an error to"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sayso_tools::backups::Limits;
use sayso_tools::files::{About, Files, Settings};
use sayso_tools::list_workspace::Rules;
use sayso_tools::workspace_backup::{KeepLimits, Keeping};

const FILES: usize = 200_000;
const ROUNDS: usize = 5;

fn main() {
    let files = std::env::args()
        .skip(1)
        .find_map(|word| word.parse().ok())
        .unwrap_or(FILES);
    let scratch = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(scratch.path()).unwrap();
    let workspace = root.join("ws");
    for number in 0..files {
        let folder = workspace.join(format!("d{}/e{}", number / 2000, number / 50));
        if number % 50 == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        fs::write(
            folder.join(format!("f{number}")),
            format!("content {number}"),
        )
        .unwrap();
    }
    // What was written just now is not trusted to be the same.
    std::thread::sleep(Duration::from_secs(3));
    let settings = Settings {
        limits: Limits::default(),
        sync: false,
    };
    let kit = Files::open(&root.join("state"), settings).unwrap();
    let limits = KeepLimits {
        names: files * 2,
        ..KeepLimits::default()
    };
    let keep = || Keeping::before(&kit, About::default(), &workspace, limits, Rules::NONE).unwrap();
    let walk = timed(|| {
        walk(&workspace);
    });
    let line = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / walk.as_secs_f64();
        println!(
            "{what:<44} {:>9.1} ms {ratio:>6.2} walks",
            time.as_secs_f64() * 1000.0
        );
    };
    println!("{files} files");
    line("one walk of lstat, one thread", walk);
    let mut first = None;
    let copied = once(|| first = Some(keep()));
    line("kept, the first time: all is read and copied", copied);
    first.take().unwrap().cancel();
    line("kept again, nothing changed", timed(|| keep().cancel()));
    let (mut after, mut before) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let mut keeping = None;
        before.push(once(|| keeping = Some(keep())));
        fs::write(workspace.join("d0/e0/f0"), format!("round {round}")).unwrap();
        let keeping = keeping.unwrap();
        after.push(once(|| drop(keeping.after(&kit, Rules::NONE).unwrap())));
    }
    line("kept after a command that changed one file", median(before));
    line("what a command did that changed one file", median(after));
}

fn walk(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        count += 1;
        if fs::symlink_metadata(&path).unwrap().is_dir() {
            count += walk(&path);
        }
    }
    count
}

fn once(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn timed(mut work: impl FnMut()) -> Duration {
    work();
    median((0..ROUNDS).map(|_| once(&mut work)).collect())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
