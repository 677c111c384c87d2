//! `sayso exec`: runs exactly what was approved and held under an id, once, and is to its caller what the command would have been.

use std::io::Write as _;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::Args;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_gate::finished::Finished;
use sayso_gate::ports::Ran;
use sayso_store::held_operations;
use sayso_tools::terminal::{Stream, shell_status};

use super::SourceError;
use super::run::Nobody;
use crate::exit_code::Exit;
use sayso_runtime::runner::Told;
use sayso_runtime::workbench::{Parts, Workbench};
use sayso_runtime::{held_text, policy_snapshot, record_folder};

/// Run a command that was approved and held, once.
#[derive(Debug, Args)]
#[command(
    after_help = "`sayso run --hold FILE` judges and asks as usual, and prints the id of each approved command instead of running it.\n\
`sayso exec ID` runs it: the same command to the byte, in the folder it was approved for, judged again under the policy of now.\n\
It runs once, and within 15 minutes. What it prints is passed on as it is.\n\n\
Exit status: that of the command, 128 and the number of the signal that ended it, 124 at the end of its time;\n\
20 if it was not run, 2 usage."
)]
pub(super) struct ExecArgs {
    /// The id that `sayso run --hold` printed.
    #[arg(value_name = "ID")]
    id: String,
}

/// A pipe takes so many bytes whole once it takes any.
const PIECE: usize = 4096;
/// How often it is looked whether everything is to end while nobody reads.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};
/// The status of a command whose time was over, as `timeout` has it.
const TIME_OVER: u8 = 124;
/// The status of a command that writes where nobody reads.
const NOBODY_READS: u8 = 128 + 13;

/// `sayso exec ID` and nothing else, before anything that other commands need is set up.
pub(super) fn early() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let is_ours = words.next()? == "exec";
    let id = words.next()?.to_string_lossy().into_owned();
    (is_ours && words.next().is_none() && !id.starts_with('-')).then(|| run(&id))
}

pub(super) fn run_args(args: &ExecArgs) -> ExitCode {
    run(&args.id)
}

fn run(id: &str) -> ExitCode {
    match exec(id) {
        Ok(status) => ExitCode::from(status),
        Err(why) => {
            tell(&why.to_string());
            Exit::Denied.into()
        }
    }
}

/// Takes it, makes sure that it still may run, and runs it. Every error means that it was not run.
fn exec(id: &str) -> Result<u8, SourceError> {
    let signal = signal();
    let stopped = super::stopped_by_signals();
    let whereabouts = record_folder::whereabouts()?;
    let text = held_operations::take(&whereabouts.state, id, super::now())?;
    let (choice, held) = held_text::read(&text, sayso_agents::registry::installed_paths)?;
    let loaded = policy_snapshot::load(&whereabouts, Path::new(held.workspace()), &choice);
    let passing = Arc::new(Passing {
        stopped: Arc::clone(&stopped),
        is_broken: AtomicBool::new(false),
    });
    let output = Arc::clone(&passing);
    let parts = Parts {
        whereabouts,
        workspace: held.workspace().into(),
        policy: Arc::new(loaded.policy),
        how: How::Interactive,
        dry_run: false,
        ask: Arc::new(Nobody),
        told: Told {
            start: Box::new(|_| ()),
            output: Box::new(move |stream, bytes| output.pass(stream, bytes)),
        },
        host: Vec::new(),
        stopped,
        known: Some(loaded.grants),
    };
    let gate = Workbench::open(parts)?.gate;
    let approved = gate.resume(held)?;
    let finished = pollster::block_on(gate.run(approved));
    Ok(
        match (
            passing.is_broken.load(Ordering::SeqCst),
            signal.load(Ordering::SeqCst),
        ) {
            (true, _) => NOBODY_READS,
            (false, 0) => status(&finished),
            (false, signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        },
    )
}

/// The status that says how it ended, and words about what no status says.
fn status(finished: &Finished) -> u8 {
    let not_run = 20;
    let (result, why) = match &finished.ran {
        Some(Ran::Done(result)) => (result, ""),
        Some(Ran::Failed { result, why }) => (result, why.as_str()),
        Some(Ran::NotRun(why)) => {
            tell(why);
            return not_run;
        }
        None => return not_run,
    };
    for (name, said) in [
        ("left_behind", "ended what the command left running"),
        ("still_running", "still running, could not be ended"),
    ] {
        let names: Vec<&str> = result
            .get(name)
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(Node::as_text)
            .collect();
        if !names.is_empty() {
            tell(&format!("{said}: {}", visible(&names.join(", "))));
        }
    }
    if let Some(status) = shell_status(result) {
        return u8::try_from(status).unwrap_or(u8::MAX);
    }
    tell(why);
    let time_over = result.get("timed_out").and_then(Node::as_bool) == Some(true);
    if time_over { TIME_OVER } else { not_run }
}

fn tell(why: &str) {
    // Nothing is left to tell if the message itself cannot be written.
    let _ = writeln!(std::io::stderr(), "sayso: {why}");
}

/// The number of the signal that everything was ended by; 0 as long as there was none.
fn signal() -> Arc<AtomicUsize> {
    let signal = Arc::new(AtomicUsize::new(0));
    for number in super::signals_of_the_person() {
        // Where a signal cannot be caught, it ends sayso as it always did.
        let _ = signal_hook::flag::register_usize(
            number,
            Arc::clone(&signal),
            usize::try_from(number).unwrap_or(0),
        );
    }
    signal
}

/// Hands on what the command prints, as it is: a program reads it, or it is what the person would see of their own command.
struct Passing {
    stopped: Arc<AtomicBool>,
    /// Nobody reads any more.
    is_broken: AtomicBool,
}

impl Passing {
    fn pass(&self, stream: Stream, mut bytes: &[u8]) {
        let (out, error) = (std::io::stdout(), std::io::stderr());
        let to = match stream {
            Stream::Out => out.as_fd(),
            Stream::Error => error.as_fd(),
        };
        while !bytes.is_empty() && !self.is_broken.load(Ordering::SeqCst) {
            // Whoever is to end does not wait for a reader; until then the command waits with us.
            let is_stopped = self.stopped.load(Ordering::SeqCst);
            if !is_ready(
                to,
                if is_stopped {
                    Timespec::default()
                } else {
                    TICK
                },
            ) {
                if is_stopped {
                    return;
                }
                continue;
            }
            match rustix::io::write(to, bytes.get(..PIECE).unwrap_or(bytes)) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // As the signal would do that the command itself would get.
                Err(_) => {
                    self.is_broken.store(true, Ordering::SeqCst);
                    self.stopped.store(true, Ordering::SeqCst);
                }
            }
        }
    }
}

fn is_ready(to: BorrowedFd<'_>, most: Timespec) -> bool {
    poll(
        &mut [PollFd::from_borrowed_fd(to, PollFlags::OUT)],
        Some(&most),
    )
    .is_ok_and(|ready| ready > 0)
}
