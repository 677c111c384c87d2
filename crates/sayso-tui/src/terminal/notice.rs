//! Calls somebody when a prompt waits and nobody is at it: a bell, a message of the terminal, a program of the person's. Off by default.
//!
//! Nothing of what an agent wrote goes into it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sayso_core::policy::setting_words::TerminalNotice;
use sayso_core::policy::settings::Resolved;

use super::tty::Taken;

/// What is told.
const WORDS: &str = "an agent waits for your answer";
/// How long the program may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// How somebody is called.
#[derive(Clone, Debug)]
pub struct Notice {
    after: Duration,
    bell: bool,
    desktop: TerminalNotice,
    command: Vec<String>,
}

/// A prompt that waits.
pub struct Waiting {
    notice: Option<Notice>,
    due: Instant,
}

impl Notice {
    /// As the settings say.
    pub fn of(settings: &Resolved) -> Notice {
        Notice {
            after: Duration::from_secs(settings.notify_after),
            bell: settings.notify_bell,
            desktop: settings.notify_terminal,
            command: settings.notify_command.clone(),
        }
    }

    fn is_on(&self) -> bool {
        self.bell || self.desktop != TerminalNotice::None || !self.command.is_empty()
    }

    /// A prompt starts to wait.
    pub fn start(&self) -> Waiting {
        let now = Instant::now();
        Waiting {
            notice: Some(self.clone()).filter(Notice::is_on),
            due: now.checked_add(self.after).unwrap_or(now),
        }
    }
}

impl Waiting {
    /// A key was pressed: whoever did need not be called.
    pub fn somebody_is_there(&mut self) {
        self.notice = None;
    }

    /// How long until somebody is called.
    pub fn next(&self, now: Instant) -> Option<Duration> {
        self.notice
            .as_ref()
            .map(|_| self.due.saturating_duration_since(now))
    }

    /// Calls, once, when it is time.
    pub fn tell(&mut self, now: Instant, taken: &mut Taken<'_>) {
        if now < self.due {
            return;
        }
        let Some(notice) = self.notice.take() else {
            return;
        };
        let mut bytes = match notice.desktop {
            TerminalNotice::Osc9 => format!("\x1b]9;sayso: {WORDS}\x07"),
            TerminalNotice::Osc777 => format!("\x1b]777;notify;sayso;{WORDS}\x07"),
            TerminalNotice::None => String::new(),
        };
        if notice.bell {
            bytes.push('\x07');
        }
        // A prompt that calls nobody is still a prompt.
        let _ = taken.write(bytes.as_bytes());
        if !notice.command.is_empty() {
            drop(
                std::thread::Builder::new()
                    .name("sayso-notice".to_owned())
                    .spawn(move || start(&notice.command)),
            );
        }
    }
}

/// Starts the program without a shell, in the root folder, with the words as its last argument.
fn start(words: &[String]) {
    let Some((program, arguments)) = words.split_first() else {
        return;
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(format!("sayso: {WORDS}"))
        .current_dir("/");
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return };
    let until = Instant::now() + PATIENCE;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > until {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(PAUSE);
    }
}
