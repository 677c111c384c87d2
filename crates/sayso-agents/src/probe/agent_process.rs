//! Starts an agent in a folder of its own, with little of the environment, and ends it in time.

use std::fs::{DirBuilder, File};
use std::io::Read as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use sayso_core::text::visible::visible;

use super::error::ProbeError;
use crate::program::{MOST, plain, wait};
use crate::scripted_model::Model;

/// So long one start of an agent may take.
const LONGEST: Duration = Duration::from_secs(60);

/// How the folder of a start is called.
pub const FOLDER: &str = "sayso-canary-";

/// 32 random digits.
pub fn random() -> Result<String, ProbeError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(ProbeError::NoRandom)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Folders for one start, which go away with the value.
pub struct Folders {
    root: PathBuf,
    /// An empty folder to work in.
    pub workspace: PathBuf,
    /// An empty home, for a copy of settings.
    pub home: PathBuf,
}

impl Folders {
    /// Makes them, where nobody else can look or write.
    pub fn make(nonce: &str) -> Result<Folders, ProbeError> {
        let base = std::env::temp_dir();
        let problem = |source| ProbeError::NoFolder {
            base: base.clone(),
            source,
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
pub fn command(program: &Path, model: &Model, folders: &Folders) -> Command {
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

/// Writes settings for a copy.
pub fn put(file: &Path, settings: &sayso_core::text::node::Node) -> Result<(), ProbeError> {
    put_text(file, &sayso_core::text::json::write(settings))
}

/// Writes a file for a copy, and the folders above it.
pub fn put_text(file: &Path, text: &str) -> Result<(), ProbeError> {
    let made = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(file, text));
    made.map_err(ProbeError::SettingsNotWritten)
}

/// How an agent ended.
#[derive(Clone, Debug)]
pub struct Ended {
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
pub fn run(command: &mut Command, folders: &Folders) -> Result<Ended, ProbeError> {
    let output = folders.file("output");
    let file = File::create(&output).map_err(ProbeError::NotStarted)?;
    let other = file.try_clone().map_err(ProbeError::NotStarted)?;
    command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(other)
        .process_group(0);
    let mut child = command.spawn().map_err(ProbeError::NotStarted)?;
    let status = wait(&mut child, LONGEST);
    Ok(Ended {
        status,
        said: said(&output),
    })
}

fn said(file: &Path) -> String {
    let mut bytes = Vec::new();
    // Without its words there is only less to tell.
    let _ = File::open(file).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
