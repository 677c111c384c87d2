//! The program of an agent: where it is, how it is started and ended, and what it says of its version.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use thiserror::Error as ThisError;

use crate::which::Which;

/// So long it may take to say its version.
const SHORT: Duration = Duration::from_secs(15);
/// How often is looked whether it is over.
const PAUSE: Duration = Duration::from_millis(20);
/// So much is read of what it prints.
pub const MOST: u64 = 64 << 10;

/// What an agent needs of the environment to find its settings; no key of the person's is among it, and no address.
const KEPT: [&str; 17] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
];

/// Why a program does not say its version.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum ProgramError {
    #[error("it could not be started: {0}")]
    NotStarted(#[from] io::Error),
    #[error("it has no output")]
    NoOutput,
    #[error("it says nothing")]
    Silent,
    #[error("it said nothing for {} s", SHORT.as_secs())]
    TooSlow,
    #[error("it ended with {0}")]
    Ended(ExitStatus),
    #[error("it does not say its version")]
    NoVersion,
}

/// The first program of that name that can be started, as a shell would find it.
pub fn find(which: Which, path: &[PathBuf]) -> Option<PathBuf> {
    let name = which.facts().program?;
    let candidates = path
        .iter()
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name));
    candidates.into_iter().find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What the program says of its version: the first word that begins with a digit.
///
/// # Errors
/// When it does not start, or says nothing of the kind.
pub fn version(program: &Path) -> Result<String, ProgramError> {
    let said = ask(program, "--version")?;
    // It may end a sentence.
    let mut words = said
        .split_whitespace()
        .map(|word| word.trim_end_matches(['.', ',']));
    let word = words.find(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    let plain = |word: &&str| {
        word.len() < 40
            && word
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || ".-+".contains(sign))
    };
    word.filter(plain)
        .map(str::to_owned)
        .ok_or(ProgramError::NoVersion)
}

/// The first line of what a program says to one word.
pub fn ask(program: &Path, word: &str) -> Result<String, ProgramError> {
    let mut command = plain(program);
    command
        .arg(word)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = command.spawn()?;
    let out = child.stdout.take().ok_or(ProgramError::NoOutput)?;
    let (send, receive) = mpsc::sync_channel(1);
    // Something that it leaves running may hold its output open for ever; nobody waits for that.
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let read = BufReader::new(out.take(MOST)).read_until(b'\n', &mut line);
        let _ = send.send(read.map(|_| String::from_utf8_lossy(&line).into_owned()));
    });
    match wait(&mut child, SHORT) {
        Some(status) if status.success() => {
            let line = receive.recv_timeout(SHORT);
            Ok(line.map_err(|_| ProgramError::Silent)??)
        }
        Some(status) => Err(ProgramError::Ended(status)),
        None => Err(ProgramError::TooSlow),
    }
}

/// Waits for the end, and ends it with all it has started when the time is over.
pub fn wait(child: &mut Child, longest: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + longest;
    let mut status = None;
    while status.is_none() && Instant::now() < until {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(PAUSE),
            Ok(found) => status = found,
            Err(_) => break,
        }
    }
    // What it left running is ended in any case.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    status
}

/// The program with as much of the environment as it needs.
pub fn plain(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(
        KEPT.iter()
            .filter_map(|name| Some((*name, std::env::var_os(name)?))),
    );
    command
}
