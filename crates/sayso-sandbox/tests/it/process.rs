//! Runs programs with the last steps of a child, as whoever runs the tests and as nobody.

use std::io::{Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sayso_sandbox::child::Child;

/// Nobody's number.
const NOBODY: u32 = 65534;

/// Who runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever runs the tests.
    Me,
    /// A user without any rights.
    Nobody,
}

/// Whom tests run programs as.
pub fn everybody() -> Vec<Who> {
    if am_root() {
        vec![Who::Me, Who::Nobody]
    } else {
        eprintln!("NOT CHECKED: as root, and as another user, since the tests do not run as root");
        vec![Who::Me]
    }
}

pub fn am_root() -> bool {
    rustix::process::getuid().is_root()
}

/// A program of the system that everybody can start, or a loud word that it is missing.
pub fn program(name: &str) -> Option<PathBuf> {
    let found = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("NOT CHECKED: everything that takes `{name}`, which is not here");
    }
    found
}

/// A folder for a test that everybody can write to.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    open_to_all(folder.path());
    folder
}

pub fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
}

/// A file with a word in it.
pub fn file(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A file without a name that holds this, to be read from its start.
pub fn holding(content: &[u8]) -> OwnedFd {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    file.into()
}

/// A command with a small environment, as somebody, in a folder.
pub fn command(program: &Path, who: Who, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .current_dir(folder);
    if who == Who::Nobody {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Starts a program with these last steps, gives it a text, and waits for its end.
pub fn run(child: Child, mut command: Command, input: &str) -> Output {
    child.prepare(&mut command).unwrap();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut started = command.spawn().unwrap();
    drop(command);
    // A program that ends at once does not read.
    let _ = started.stdin.take().unwrap().write_all(input.as_bytes());
    started.wait_with_output().unwrap()
}

/// The output of a python script; none if there is no python.
pub fn python(child: Child, who: Who, folder: &Path, script: &str) -> Option<String> {
    let mut command = command(&program("python3")?, who, folder);
    command.args(["-S", "-"]);
    let output = run(child, command, script);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{who:?}: {:?} {told}",
        output.status
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
