//! `sayso hook AGENT`: answers one call of an agent's hook, in time and whatever happens.

use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Args;

use sayso_agents::Which;
use sayso_agents::hook;
use sayso_agents::hook::agent::{LONGEST, Said};

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
pub(super) fn early() -> Option<HookArgs> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let agent = Which::of(words.next()?.to_str()?)?;
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
    words.next().is_none().then_some(HookArgs { agent, wait })
}

/// Answers in time, and with a denial where anything goes wrong.
pub(super) fn run(args: &HookArgs) -> ExitCode {
    // What a panic says goes to the agent as the reason, and nowhere else.
    std::panic::set_hook(Box::new(|_| ()));
    let agent = args.agent.hook();
    let work = move || match read_event() {
        Ok(event) => hook::answer(
            agent,
            &event,
            &agent.around(),
            sayso_agents::registry::installed_paths,
        ),
        Err(refused) => refused,
    };
    let said = match hook::start_clock(args.wait) {
        Err(why) => Ok(not_judged(why)),
        Ok(()) if has_stack() => catch_unwind(AssertUnwindSafe(work)),
        Ok(()) => on_a_thread(work),
    };
    let said = said.unwrap_or_else(|_| not_judged("sayso itself broke"));
    if !sayso_sandbox::alarm::may_speak() {
        // The other one is about to end everything, with its own answer.
        loop {
            std::thread::park();
        }
    }
    said.say()
}

fn not_judged(why: impl std::fmt::Display) -> Said {
    Said::refused(&format!(
        "it could not be judged: {why}; nothing was changed"
    ))
}

fn has_stack() -> bool {
    let most = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    most.is_none_or(|most| most >= STACK as u64)
}

/// Works with a stack that the agent's limit does not shrink.
fn on_a_thread(work: impl FnOnce() -> Said + Send + 'static) -> std::thread::Result<Said> {
    match std::thread::Builder::new().stack_size(STACK).spawn(work) {
        Ok(worker) => worker.join(),
        Err(error) => Ok(not_judged(error)),
    }
}

/// The event, as the agent wrote it to standard input.
fn read_event() -> Result<Vec<u8>, Said> {
    let mut event = Vec::new();
    let input = std::io::stdin().lock();
    match input.take(LONGEST as u64 + 1).read_to_end(&mut event) {
        Ok(_) => Ok(event),
        Err(error) => Err(Said::refused(&format!(
            "what the agent wants to do could not be read: {error}"
        ))),
    }
}
