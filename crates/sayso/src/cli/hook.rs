//! `sayso hook AGENT`: answers one call of an agent's hook, in time and whatever happens.

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use crate::agents::Which;
use crate::hook;
use crate::intake::agent::{Agent, Around, LONGEST, REFUSED, Said};
use crate::intake::claude::Claude;
use crate::intake::codex::Codex;

/// Answer a hook of an agent: judge what it is about to do.
#[derive(Debug, Args)]
#[command(
    after_help = "The agent starts this, not you. It reads one event from standard input as JSON, and answers as that agent wants it:\n\
what is allowed runs, what is denied does not and the agent learns why, and what has to be asked is asked by the agent's own dialog\n\
where it has one and somebody sits in front of it. Whatever goes wrong is a denial.\n\n\
Exit status: 0 answered, 2 denied with words on standard error, 1 something that no longer can be denied went wrong."
)]
pub(super) struct HookArgs {
    /// Whose hook it is.
    #[arg(value_name = "AGENT")]
    agent: Which,

    /// So many seconds the agent waits for the answer, by its settings; a question in the inbox may stay open almost as long.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(LEAST..=MOST))]
    wait: Option<u64>,
}

/// Shorter than any agent waits for an answer: one that comes too late is none, and then the tool runs.
const DEADLINE: Duration = Duration::from_secs(25);
/// Where the agent's settings say how long it waits, the answer is there so much earlier.
const MARGIN: u64 = 15;
/// So long the hook has after an answer of a person, or after the time for the judge.
const AFTER: Duration = Duration::from_secs(1);
/// As long as an agent waits at least, and at most.
const LEAST: u64 = 60;
const MOST: u64 = 86_400;

/// So much stack the work has, whatever limit the agent was started with.
const STACK: usize = 8 << 20;
/// The thread that watches the time does little; a large stack would only take time to set up.
const SMALL_STACK: usize = 128 << 10;

/// `sayso hook AGENT` and nothing else, before anything that other commands need is set up.
pub(super) fn early() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let which = match words.next()?.to_str()? {
        "claude" => Which::Claude,
        "codex" => Which::Codex,
        _ => return None,
    };
    let wait = match words.next() {
        None => None,
        Some(flag) if flag == "--wait" => {
            let wait = words.next()?.to_str()?.parse().ok().filter(|wait| (LEAST..=MOST).contains(wait));
            Some(wait?)
        }
        Some(_) => return None,
    };
    words.next().is_none().then(|| run(which, wait))
}

pub(super) fn run_args(args: &HookArgs) -> ExitCode {
    run(args.agent, args.wait)
}

fn run(which: Which, wait: Option<u64>) -> ExitCode {
    let deadline = wait.map_or(DEADLINE, |wait| Duration::from_secs(wait - MARGIN));
    let end = Instant::now() + deadline;
    hook::inbox::answer_until(end);
    // What a panic says goes to the agent as the reason, and nowhere else.
    std::panic::set_hook(Box::new(|_| ()));
    let agent: &'static dyn Agent = match which {
        Which::Claude => &Claude,
        Which::Codex => &Codex,
    };
    let answered = Arc::new(AtomicBool::new(false));
    // The work is done by the thread that is there already, since that is faster, and another one watches the time.
    let watched = Arc::clone(&answered);
    let watch = std::thread::Builder::new().stack_size(SMALL_STACK).spawn(move || {
        std::thread::sleep(DEADLINE.min(deadline));
        // People take longer than the judge, and what they said still has to be written down.
        let mut last = Instant::now();
        while Instant::now() < end && last.elapsed() < AFTER {
            if hook::inbox::is_waiting() {
                last = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        // Whoever is first speaks, and the other one is silent: two answers would be none.
        if !watched.swap(true, Ordering::SeqCst) {
            say(&Said::refused("it could not be judged in time; nothing was changed"));
            std::process::exit(i32::from(REFUSED));
        }
    });
    let said = match watch {
        Ok(_) => with_stack(move || answer(agent))
            .unwrap_or_else(|_| Said::refused("it could not be judged: sayso itself broke; nothing was changed")),
        Err(error) => Said::refused(&format!("it could not be judged: {error}; nothing was changed")),
    };
    if answered.swap(true, Ordering::SeqCst) {
        // The other one is about to end everything, with its own answer.
        loop {
            std::thread::park();
        }
    }
    say(&said)
}

/// Works here if there is stack enough, else in a thread that has it.
fn with_stack(work: impl FnOnce() -> Said + Send + 'static) -> std::thread::Result<Said> {
    let most = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    if most.is_none_or(|most| most >= STACK as u64) {
        return catch_unwind(AssertUnwindSafe(work));
    }
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(worker) => worker.join(),
        Err(error) => Ok(Said::refused(&format!("it could not be judged: {error}; nothing was changed"))),
    }
}

fn answer(agent: &'static dyn Agent) -> Said {
    let mut input = Vec::new();
    match std::io::stdin().lock().take(LONGEST as u64 + 1).read_to_end(&mut input) {
        Ok(_) => hook::answer(agent, &input, &Around::from_environment()),
        Err(error) => Said::refused(&format!("what the agent wants to do could not be read: {error}")),
    }
}

/// Writes the answer. One that nobody can read is a denial.
fn say(said: &Said) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(said.out.as_bytes()).and_then(|()| out.flush());
    let mut error = std::io::stderr().lock();
    match written {
        Ok(()) => {
            // The status says it as well.
            let _ = error.write_all(said.error.as_bytes());
            ExitCode::from(said.code)
        }
        Err(why) => {
            let _ = writeln!(error, "sayso: the answer could not be written: {why}");
            ExitCode::from(REFUSED)
        }
    }
}
