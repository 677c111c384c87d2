//! A script that is swapped while it is started: what was approved runs, or nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{exec, hold_asked, words};
use crate::desk::Desk;

const GOOD: &str = "#!/bin/bash\necho good \"$0\" \"${BASH_SOURCE[0]}\" \"$@\"\n";
const EVIL: &str = "#!/bin/bash\necho evil\n";

fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// How a script is swapped.
#[derive(Clone, Copy, Debug)]
enum Swap {
    /// Another file comes under its name.
    Rename,
    /// Other bytes come into it.
    Write,
    /// Another folder comes under the name of the one that it is in.
    Folder,
}

/// Swaps a script to and fro until it is told to stop.
fn swap(script: &Path, how: Swap, evil: &str, stop: &AtomicBool) {
    let good = fs::read_to_string(script).unwrap();
    let folder = script.parent().unwrap();
    let beside = |name: &str| PathBuf::from(format!("{}-{name}", folder.display()));
    if matches!(how, Swap::Folder) {
        fs::create_dir_all(beside("evil")).unwrap();
        put(&beside("evil").join(script.file_name().unwrap()), evil);
    }
    let mut turn = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        for text in [evil, &good] {
            match how {
                Swap::Rename => {
                    put(&beside("next"), text);
                    fs::rename(beside("next"), script).unwrap();
                }
                Swap::Write => fs::write(script, text).unwrap(),
                Swap::Folder if text == evil => {
                    fs::rename(folder, beside("good")).unwrap();
                    fs::rename(beside("evil"), folder).unwrap();
                }
                Swap::Folder => {
                    fs::rename(folder, beside("evil")).unwrap();
                    fs::rename(beside("good"), folder).unwrap();
                }
            }
            // Good for longer, so that the last look finds it often.
            let pause = if text == evil {
                1_000
            } else {
                2_000 + turn * 377 % 3_000
            };
            std::thread::sleep(Duration::from_micros(pause));
        }
    }
}

/// How many of so many runs had the changed script, and how many the approved one.
fn race(line: &str, how: Swap, evil: &str, rounds: usize) -> (usize, usize) {
    let (mut ran_evil, mut ran_good) = (0, 0);
    let desk = Desk::with(&[]);
    let script = desk.scene.workspace.join("sub/s.sh");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    for _ in 0..rounds {
        put(&script, GOOD);
        let id = hold_asked(&desk, line);
        let stop = AtomicBool::new(false);
        let done = std::thread::scope(|scope| {
            scope.spawn(|| swap(&script, how, evil, &stop));
            let done = exec(&desk, &id);
            stop.store(true, Ordering::Relaxed);
            done
        });
        let out = String::from_utf8_lossy(&done.stdout).into_owned();
        ran_evil += usize::from(out.contains("evil"));
        ran_good += usize::from(out.contains("good"));
        assert!(
            out.is_empty() || out.contains("evil") || out.starts_with("good "),
            "{out} {}",
            words(&done)
        );
    }
    (ran_evil, ran_good)
}

fn rounds() -> usize {
    std::env::var("SAYSO_RACES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(12)
}

#[test]
fn finding_d_10_a_script_that_is_swapped_runs_as_it_was_approved() {
    let (mut all, mut good) = (0, 0);
    for line in [
        "bash sub/s.sh a",
        "sub/s.sh a",
        ". sub/s.sh a",
        "cd sub && ./s.sh a",
        "true; bash -e sub/s.sh a | cat",
    ] {
        for how in [Swap::Rename, Swap::Write, Swap::Folder] {
            for evil in [EVIL, "#!/bin/echo evil\n"] {
                let (ran_evil, ran_good) = race(line, how, evil, rounds().div_ceil(6));
                assert_eq!(ran_evil, 0, "`{line}`, {how:?}: the changed script ran");
                all += rounds().div_ceil(6);
                good += ran_good;
            }
        }
    }
    eprintln!("{all} runs: 0 of the changed script, {good} of the approved one");
    assert!(good > 0);
}

#[test]
fn finding_d_10_a_script_sees_itself_by_its_own_name() {
    let desk = Desk::with(&[]);
    put(&desk.scene.workspace.join("s.sh"), GOOD);
    desk.scene.file(
        "s.py",
        "import sys, os\nprint(sys.argv, os.path.basename(__file__))\n",
    );
    desk.scene.file("plain", "echo $0 $1\n");
    fs::set_permissions(
        desk.scene.workspace.join("plain"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let folder = desk.scene.folder();
    for (line, expected) in [
        (
            "bash s.sh a b".to_owned(),
            "good s.sh s.sh a b\n".to_owned(),
        ),
        ("./s.sh a".to_owned(), "good ./s.sh ./s.sh a\n".to_owned()),
        (
            format!("{folder}/s.sh"),
            format!("good {folder}/s.sh {folder}/s.sh\n"),
        ),
        ("sh ./plain x".to_owned(), "./plain x\n".to_owned()),
        ("./plain y".to_owned(), "./plain y\n".to_owned()),
        (
            "python3 s.py 1".to_owned(),
            "['s.py', '1'] s.py\n".to_owned(),
        ),
        (
            "env X=1 timeout 60 bash s.sh z".to_owned(),
            "good s.sh s.sh z\n".to_owned(),
        ),
        (
            "(cd / && true); bash s.sh q & wait; echo end $?".to_owned(),
            "good s.sh s.sh q\nend 0\n".to_owned(),
        ),
        (
            "bash s.sh a; bash s.sh b; exit 3".to_owned(),
            "good s.sh s.sh a\ngood s.sh s.sh b\n".to_owned(),
        ),
    ] {
        let done = exec(&desk, hold_asked(&desk, &line));
        assert_eq!(
            String::from_utf8_lossy(&done.stdout),
            expected,
            "{line}: {}",
            words(&done)
        );
    }
}
