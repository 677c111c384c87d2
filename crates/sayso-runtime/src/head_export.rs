//! Hands the head of the record to a program of the person's, so that it is kept where nobody can change it together with the record.
//!
//! `audit.head_command` is started after every `audit.head_every` entries, without a shell, in the root folder. It gets the head (`1042:sha256:…`) as
//! its last argument and as a line on its standard input. Nobody waits for it while calls are judged; at the end of the run it has a few
//! seconds. What goes wrong is told once, and recorded.

use std::io::{self, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sayso_core::policy::settings::Resolved;
use sayso_core::text::visible::visible;
use sayso_store::journal::{Appended, Journal, Sync};
use sayso_store::record;
use thiserror::Error;

/// How long the program may take for one head.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Hands heads on, beside the work.
pub struct Heads {
    every: u64,
    line: Mutex<Option<(Sender<Appended>, JoinHandle<()>)>>,
}

impl Heads {
    /// As the settings say; none where they name no program or no number.
    pub fn new(settings: &Resolved, journal: &Arc<Journal>) -> Option<Heads> {
        let (every, words) = (settings.audit_head_every, &settings.audit_head_command);
        if every == 0 || words.is_empty() {
            return None;
        }
        let (sender, receiver) = channel();
        let (words, journal) = (words.clone(), Arc::clone(journal));
        let thread = std::thread::spawn(move || follow(&receiver, &words, &journal));
        Some(Heads {
            every,
            line: Mutex::new(Some((sender, thread))),
        })
    }

    /// An entry was added.
    pub fn added(&self, entry: Appended) {
        if !entry.number.is_multiple_of(self.every) {
            return;
        }
        if let Some((sender, _)) = &*self.line.lock().unwrap_or_else(PoisonError::into_inner) {
            // Without anybody who listens there is nothing to hand on.
            let _ = sender.send(entry);
        }
    }
}

impl Drop for Heads {
    /// The last head gets through, or its time is up.
    fn drop(&mut self) {
        let line = self
            .line
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some((sender, thread)) = line {
            drop(sender);
            let _ = thread.join();
        }
    }
}

fn follow(receiver: &Receiver<Appended>, words: &[String], journal: &Journal) {
    let mut told = false;
    while let Ok(mut head) = receiver.recv() {
        // Where several wait, the newest says all that the others would.
        while let Ok(newer) = receiver.try_recv() {
            head = newer;
        }
        let Err(why) = hand_on(words, &format!("{}:{}", head.number, head.digest)) else {
            continue;
        };
        if told {
            continue;
        }
        told = true;
        let message = format!("the head of the record could not be kept elsewhere: {why}");
        let _ = writeln!(std::io::stderr(), "sayso: warning: {}", visible(&message));
        // Not through the recorder: the entry would be the head of another try.
        let _ = journal.append(
            "trouble",
            vec![("message", record::text(&message))],
            Sync::System,
        );
    }
}

/// Why a head was not handed on.
#[derive(Debug, Error)]
enum HeadError {
    #[error("`audit.head_command` names no program")]
    NoProgram,
    #[error("`{0}` cannot be started: {1}")]
    NotStarted(String, io::Error),
    #[error("`{0}` failed ({1})")]
    Failed(String, ExitStatus),
    #[error("`{program}` took longer than {} s and was ended", PATIENCE.as_secs())]
    TooSlow { program: String },
    #[error("`{0}` cannot be waited for: {1}")]
    NotWaitedFor(String, io::Error),
}

fn hand_on(words: &[String], head: &str) -> Result<(), HeadError> {
    let (program, arguments) = words.split_first().ok_or(HeadError::NoProgram)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(head)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| HeadError::NotStarted(program.clone(), error))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that reads its argument need not read this.
        let _ = input.write_all(format!("{head}\n").as_bytes());
    }
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(HeadError::Failed(program.clone(), status)),
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(HeadError::TooSlow {
                    program: program.clone(),
                });
            }
            Err(error) => return Err(HeadError::NotWaitedFor(program.clone(), error)),
        }
    }
}
