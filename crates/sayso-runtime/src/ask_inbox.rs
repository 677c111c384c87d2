//! Whether questions go to the inbox, where they can be answered, and starting it when it has to be there.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use sayso_core::policy::setting_words::HooksAsk;
use sayso_core::policy::settings::Resolved;
use sayso_core::text::node::Node;
use thiserror::Error;

use crate::inbox_client::client::{Client, Trouble};

/// So long a small question to the inbox may take.
const SHORT: Duration = Duration::from_millis(500);
/// So long an inbox may take to be ready.
const STARTING: Duration = Duration::from_secs(3);

/// Why questions cannot go to the inbox, though they have to.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum AskError {
    #[error(
        "questions go to the inbox, `hooks.start` is to open it, and {0}; open it yourself with `sayso serve`, which says what is wrong, {OTHERWISE}"
    )]
    NotStarted(#[from] StartError),
    #[error("questions go to the inbox (`hooks.ask: inbox`), and {}; {OTHERWISE}", .0.words())]
    Inbox(Trouble),
}

/// Why the inbox was not started.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum StartError {
    #[error("it could not be started: {0}")]
    Io(#[from] io::Error),
    #[error("it ended at once ({0})")]
    Ended(ExitStatus),
    #[error("it was not ready within {} s", STARTING.as_secs())]
    TooSlow,
}

/// Whether questions go to the inbox, by what the person said and by whether somebody is there.
///
/// # Errors
/// When they have to, and there is none; says what to do.
pub fn is_asked_there(state: &Path, settings: &Resolved) -> Result<bool, AskError> {
    match settings.hooks_ask {
        HooksAsk::Inbox => match is_there(state) {
            Ok(_) => Ok(true),
            Err(Trouble::NotThere) if settings.hooks_start => Ok(start(state).map(|()| true)?),
            Err(trouble) => Err(AskError::Inbox(trouble)),
        },
        // Where nobody looks, or something is wrong with it, the agent's own dialog is as good as ever.
        HooksAsk::Auto => Ok(is_there(state).is_ok_and(|present| present > 0)),
        HooksAsk::Host => Ok(false),
    }
}

const OTHERWISE: &str = "or set `hooks.ask: host`, or allow it with a rule";

/// Where a question can be answered that the agent's own dialog is not enough for, and what the agent does then.
pub fn where_to_answer(state: &Path, settings: &Resolved) -> String {
    let url = Client::new(state)
        .ok()
        .flatten()
        .and_then(|client| client.home().told())
        .and_then(|told| told.url);
    let open = match (settings.hooks_ask, url) {
        (HooksAsk::Host, _) => "To be asked by sayso instead, the person sets `hooks.ask: auto` in their policy and opens its page (`sayso serve`) or `sayso watch`".to_owned(),
        (_, Some(url)) => format!("sayso asks the person in `sayso watch` in a terminal, or on its page at {url} (`sayso serve --link` opens it), while one of them is looked at"),
        (_, None) => "sayso asks the person in its inbox: `sayso serve` starts it, and they answer on its page or with `sayso watch` in a terminal, while one of them is looked at".to_owned(),
    };
    format!(
        "{open}. Try the same call again then; or the person allows it with a rule (`sayso rules add`)"
    )
}

/// How many people are there: screens that somebody looks at.
pub fn is_there(state: &Path) -> Result<u64, Trouble> {
    let client = Client::new(state)
        .map_err(|error| Trouble::Broken(error.to_string()))?
        .ok_or(Trouble::NotThere)?;
    let answer = client.request("GET", "/v1/me", None, Instant::now() + SHORT)?;
    match answer.body.get("present").and_then(Node::as_whole) {
        Some(present) if answer.is_done() => Ok(present),
        _ => Err(Trouble::Broken(answer.problem())),
    }
}

/// Opens the inbox, in a session of its own and with nothing of the agent's environment.
pub fn start(state: &Path) -> Result<(), StartError> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["serve", "--detached"])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for name in [
        "HOME",
        "PATH",
        "LANG",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
    ] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    // A group of its own: what ends the agent does not end it.
    command.process_group(0).current_dir("/");
    let mut child = command.spawn()?;
    let end = Instant::now() + STARTING;
    let mut ended = None;
    while is_there(state).is_err() {
        // One that another hook has just started ends this one at once, and may still need a moment itself.
        ended = ended.or(child.try_wait().ok().flatten());
        if Instant::now() > end {
            return Err(match ended {
                Some(status) => StartError::Ended(status),
                None => StartError::TooSlow,
            });
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
