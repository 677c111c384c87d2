//! `sayso hook AGENT`: answers one call of an agent's hook, in time and whatever happens.

use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Args;

use sayso_agents::Which;
use sayso_agents::hook;
use sayso_agents::hook::agent::{Agent, LONGEST, Said};

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

/// As long as an agent waits at least, and at most.
const LEAST: u64 = 60;
const MOST: u64 = 86_400;

/// So much stack the work has, whatever limit the agent was started with.
const STACK: usize = 8 << 20;
/// `sayso hook AGENT` and nothing else, before anything that other commands need is set up.
pub(super) fn early() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let which = Which::of(words.next()?.to_str()?)?;
    let wait = match words.next() {
        None => None,
        Some(flag) if flag == "--wait" => {
            let wait = words
                .next()?
                .to_str()?
                .parse()
                .ok()
                .filter(|wait| (LEAST..=MOST).contains(wait));
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
    // What a panic says goes to the agent as the reason, and nowhere else.
    std::panic::set_hook(Box::new(|_| ()));
    let agent = which.hook();
    let said = match hook::start_clock(wait) {
        Ok(()) => with_stack(move || answer(agent)).unwrap_or_else(|_| {
            Said::refused("it could not be judged: sayso itself broke; nothing was changed")
        }),
        Err(why) => Said::refused(&format!(
            "it could not be judged: {why}; nothing was changed"
        )),
    };
    if !sayso_sandbox::alarm::may_speak() {
        // The other one is about to end everything, with its own answer.
        loop {
            std::thread::park();
        }
    }
    said.say()
}

/// Works here if there is stack enough, else in a thread that has it.
fn with_stack(work: impl FnOnce() -> Said + Send + 'static) -> std::thread::Result<Said> {
    let most = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    if most.is_none_or(|most| most >= STACK as u64) {
        return catch_unwind(AssertUnwindSafe(work));
    }
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(worker) => worker.join(),
        Err(error) => Ok(Said::refused(&format!(
            "it could not be judged: {error}; nothing was changed"
        ))),
    }
}

fn answer(agent: &'static dyn Agent) -> Said {
    let mut input = Vec::new();
    match std::io::stdin()
        .lock()
        .take(LONGEST as u64 + 1)
        .read_to_end(&mut input)
    {
        Ok(_) => hook::answer(
            agent,
            &input,
            &agent.around(),
            sayso_agents::registry::installed_paths,
        ),
        Err(error) => Said::refused(&format!(
            "what the agent wants to do could not be read: {error}"
        )),
    }
}
