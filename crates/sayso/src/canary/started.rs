//! Starts an agent in a folder of its own, with little of the environment, and ends it in time.

use std::fs::{DirBuilder, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use sayso_core::text::visible::visible;

use crate::scripted::Model;

/// So long one start of an agent may take.
const LONGEST: Duration = Duration::from_secs(60);
/// So long it may take to say its version.
const SHORT: Duration = Duration::from_secs(15);
/// How often is looked whether it is over.
const PAUSE: Duration = Duration::from_millis(20);
/// So much is read of what it prints.
const MOST: u64 = 64 << 10;

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

/// How the folder of a start is called.
pub(super) const FOLDER: &str = "sayso-canary-";

/// 32 random digits.
pub(super) fn random() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("the system gives no random bytes: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Folders for one start, which go away with the value.
pub(super) struct Folders {
    root: PathBuf,
    /// An empty folder to work in.
    pub workspace: PathBuf,
    /// An empty home, for a copy of settings.
    pub home: PathBuf,
}

impl Folders {
    /// Makes them, where nobody else can look or write.
    pub fn make(nonce: &str) -> Result<Folders, String> {
        let base = std::env::temp_dir();
        let problem = |error: std::io::Error| {
            format!(
                "no folder could be made in `{}`: {error}",
                visible(&base.display().to_string())
            )
        };
        // Where the agent really is has to be where it is told that it is.
        let root = std::fs::canonicalize(&base)
            .map_err(problem)?
            .join(format!("{FOLDER}{nonce}"));
        let mut maker = DirBuilder::new();
        maker.mode(0o700);
        maker.create(&root).map_err(problem)?;
        let folders = Folders {
            workspace: root.join("workspace"),
            home: root.join("home"),
            root,
        };
        maker
            .create(&folders.workspace)
            .and_then(|()| maker.create(&folders.home))
            .map_err(problem)?;
        Ok(folders)
    }

    /// A file beside both.
    pub fn file(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        // The system clears its temporary folder, too.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// The agent with as much of the environment as it needs.
pub(super) fn command(program: &Path, model: &Model, folders: &Folders) -> Command {
    let mut command = plain(program);
    command.current_dir(&folders.workspace);
    // Whoever goes elsewhere all the same ends at the model, which only writes down where that was.
    for variable in [
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "https_proxy",
        "http_proxy",
        "ALL_PROXY",
    ] {
        command.env(variable, model.url());
    }
    command
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1")
        .env("TERM", "dumb");
    command
}

fn plain(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(
        KEPT.iter()
            .filter_map(|name| Some((*name, std::env::var_os(name)?))),
    );
    command
}

/// Writes settings for a copy.
pub(super) fn put(file: &Path, settings: &sayso_core::text::node::Node) -> Result<(), String> {
    put_text(file, &sayso_core::text::json::write(settings))
}

/// Writes a file for a copy, and the folders above it.
pub(super) fn put_text(file: &Path, text: &str) -> Result<(), String> {
    let made = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(file, text));
    made.map_err(|error| format!("the settings of the canary cannot be written: {error}"))
}

/// How an agent ended.
pub(super) struct Ended {
    status: Option<ExitStatus>,
    said: String,
}

impl Ended {
    /// That in words.
    pub fn words(&self) -> String {
        let end = match self.status {
            None => format!("it was ended after {} s", LONGEST.as_secs()),
            Some(status) => format!("it ended with {status}"),
        };
        let last: Vec<&str> = self
            .said
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(2)
            .collect();
        let last: String = last
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(300)
            .collect();
        if last.is_empty() {
            end
        } else {
            format!("{end} and said `{}`", visible(&last))
        }
    }
}

/// Runs an agent to its end, or to the end of its time.
pub(super) fn run(command: &mut Command, folders: &Folders) -> Result<Ended, String> {
    let output = folders.file("output");
    let problem = |error: std::io::Error| format!("the agent could not be started: {error}");
    let file = File::create(&output).map_err(problem)?;
    let other = file.try_clone().map_err(problem)?;
    command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other)
        .process_group(0);
    let mut child = command.spawn().map_err(problem)?;
    let status = wait(&mut child, LONGEST);
    Ok(Ended {
        status,
        said: said(&output),
    })
}

/// The first line of what a program says to one word.
pub(crate) fn ask(program: &Path, word: &str) -> Result<String, String> {
    let problem = |error: std::io::Error| format!("it could not be started: {error}");
    let mut command = plain(program);
    command
        .arg(word)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = command.spawn().map_err(problem)?;
    let out = child.stdout.take().ok_or("it has no output")?;
    let (send, receive) = mpsc::sync_channel(1);
    // Something that it leaves running may hold its output open for ever; nobody waits for that.
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let read = BufReader::new(out.take(MOST)).read_until(b'\n', &mut line);
        let _ = send.send(read.map(|_| String::from_utf8_lossy(&line).into_owned()));
    });
    match wait(&mut child, SHORT) {
        Some(status) if status.success() => receive
            .recv_timeout(SHORT)
            .map_err(|_| "it says nothing".to_owned())?
            .map_err(problem),
        Some(status) => Err(format!("it ended with {status}")),
        None => Err(format!("it said nothing for {} s", SHORT.as_secs())),
    }
}

/// Waits for the end, and ends it with all it has started when the time is over.
fn wait(child: &mut Child, longest: Duration) -> Option<ExitStatus> {
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

fn said(file: &Path) -> String {
    let mut bytes = Vec::new();
    // Without its words there is only less to tell.
    let _ = File::open(file).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
