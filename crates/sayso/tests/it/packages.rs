//! `./test` installs Debian packages, and waits while another process holds a package lock.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/packages/apt.sh");
const WAITS: &str = "another process holds the package lock";

/// `apt_get …` as `./test` calls it, after some words of bash.
fn apt(before: &str, words: &[&str]) -> Command {
    let mut bash = Command::new("bash");
    bash.args(["-c", &format!("{before}\n. \"$0\"; apt_get \"$@\""), SCRIPT])
        .args(words);
    bash.env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null());
    bash
}

/// An `apt-get` that does what some words of bash say. It is no file: one that was just written may be busy.
fn stand_in(folder: &Path, script: &str) -> String {
    format!(
        "cd {:?}\napt-get() {{\necho \"$@\" >> calls\n{script}\n}}",
        folder.to_str().unwrap()
    )
}

/// finding W-26: `./test` waits for the package lock, in whatever way apt-get tells of it, and tries again.
#[test]
fn finding_w_26_apt_get_is_tried_again_while_a_lock_is_held() {
    for message in [
        "E: Could not get lock /x/lock. It is held by process 1 (apt-get)",
        "E: Unable to lock directory /x/",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let before = stand_in(
            folder.path(),
            &format!("[ -e second ] && exit 0\n: > second\necho {message:?} >&2\nexit 100"),
        );
        let done = apt(&before, &["update", "-q"]).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success(), "{said}");
        assert!(said.contains(message) && said.contains(WAITS), "{said}");
        let calls = fs::read_to_string(folder.path().join("calls")).unwrap();
        assert_eq!(calls, "-o DPkg::Lock::Timeout=600 update -q\n".repeat(2));
    }
}

/// finding W-26: any other failure of apt-get is one at once, with its own exit code.
#[test]
fn finding_w_26_another_failure_of_apt_get_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let before = stand_in(
        folder.path(),
        "echo 'E: Unable to locate package x' >&2\nexit 100",
    );
    let done = apt(&before, &["install", "-y", "x"]).output().unwrap();
    assert_eq!(done.status.code(), Some(100));
    assert_eq!(
        fs::read_to_string(folder.path().join("calls"))
            .unwrap()
            .lines()
            .count(),
        1
    );
}

/// finding W-26: a lock that is never let go is an error after the time that was set.
#[test]
fn finding_w_26_a_lock_is_not_waited_for_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let before = stand_in(
        folder.path(),
        "echo 'E: Could not get lock /x' >&2\nexit 100",
    );
    let done = apt(&before, &["update"])
        .env("SAYSO_APT_LOCK_SECONDS", "0")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(100));
}

/// A process that holds the lock of a file until it is told to end.
fn hold(lock: &Path) -> (Child, BufReader<ChildStdout>) {
    let script = "import fcntl, sys\nfile = open(sys.argv[1], 'w')\nfcntl.lockf(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()";
    let mut python = Command::new("python3");
    python
        .args(["-c", script])
        .arg(lock)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = python.spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");
    (child, output)
}

/// finding W-26: the same with the real apt-get, in folders of its own, where another process really holds the lock of the package lists.
#[test]
fn finding_w_26_the_real_apt_get_waits_for_the_lock_of_the_lists() {
    if !Path::new("/usr/bin/apt-get").exists() {
        return eprintln!("SKIPPED: there is no apt-get");
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in [
        "etc/apt.conf.d",
        "etc/preferences.d",
        "state/lists/partial",
        "cache/archives/partial",
        "dpkg",
    ] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["etc/sources.list", "dpkg/status"] {
        fs::write(root.join(name), "").unwrap();
    }
    let at = root.display();
    let settings = format!(
        "Dir::Etc \"{at}/etc/\";\nDir::State \"{at}/state/\";\nDir::State::status \"{at}/dpkg/status\";\nDir::Cache \"{at}/cache/\";\n\
         APT::Sandbox::User \"\";\n"
    );
    fs::write(root.join("apt.conf"), settings).unwrap();
    let (mut holder, _output) = hold(&root.join("state/lists/lock"));
    let mut waiting = apt("", &["update", "-q"]);
    waiting
        .env("APT_CONFIG", root.join("apt.conf"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut waiting = waiting.spawn().unwrap();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(WAITS) {
        assert!(
            lines.read_line(&mut said).unwrap() > 0,
            "it did not wait:\n{said}"
        );
    }
    assert!(said.contains("Could not get lock"), "{said}");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    lines.read_to_string(&mut said).unwrap();
    assert!(waiting.wait().unwrap().success(), "{said}");
}
