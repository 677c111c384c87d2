//! `sayso watch`: the inbox in this terminal. Prompts come one after the other, and one that somebody else answers goes away.

use std::collections::{HashMap, VecDeque};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use sayso_core::node::Node;
use sayso_core::prompt::{Choice, Ended};
use sayso_core::text::json;
use sayso_core::visible::visible;
use sayso_gate::ports::Ask;
use sayso_world::whereabouts::Whereabouts;

use super::{Stop, say};
use crate::assemble::Choice as Flags;
use crate::exit_code::Exit;
use crate::screen::painted::Interrupts;
use crate::screen::{self, line};
use crate::serve::client::{Client, Event, Trouble};
use crate::serve::wire;
use crate::{quick, record_folder, workbench};

/// Answer the questions of all agents in this terminal, as they come.
#[derive(Debug, Args)]
#[command(after_help = "Several may watch at once, here and in browsers: the first answer counts, and the others see whose it was.\n\
While somebody watches, hooks with `hooks.ask: auto` ask here. Ctrl-C leaves, and answers nothing.")]
pub(super) struct WatchArgs {
    /// Print what happens as JSON, one event a line, and ask nothing.
    #[arg(long, conflicts_with = "plain")]
    json: bool,

    /// Ask a line at a time, and paint nothing.
    #[arg(long)]
    plain: bool,
}

/// So long the inbox may take for a small question.
const SHORT: Duration = Duration::from_secs(10);
/// So long is waited before the inbox is looked for again.
const AGAIN: Duration = Duration::from_millis(500);
/// So often it is looked for prompts although nothing was heard of any.
const ANYWAY: Duration = Duration::from_secs(5);

pub(super) fn run(args: &WatchArgs) -> Result<Exit, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    if args.json {
        return stream(&whereabouts);
    }
    if !line::is_there() {
        return Err(Stop::hint("there is no terminal to ask at", "`sayso watch --json` prints what happens, for programs"));
    }
    watch(&whereabouts, args.plain)
}

/// Events as they come, for programs.
fn stream(whereabouts: &Whereabouts) -> Result<Exit, Stop> {
    let client = client(whereabouts)?;
    let mut heard = client.listen("/v1/events", None).map_err(|trouble| Stop::usage(trouble.words()))?;
    let mut out = io::stdout().lock();
    loop {
        match heard.wait() {
            Ok(Event { name, data }) => {
                writeln!(out, "{}", json::write_plain(&Node::map([("event", Node::text(name)), ("data", data)])))?;
                out.flush()?;
            }
            Err(Trouble::Broken(_)) => return Ok(Exit::Allowed),
            Err(trouble) => return Err(Stop::usage(trouble.words())),
        }
    }
}

fn client(whereabouts: &Whereabouts) -> Result<Client, Stop> {
    let client = Client::new(&whereabouts.state).map_err(Stop::usage)?;
    client.ok_or_else(|| Stop::usage(Trouble::NotThere.words()))
}

/// What the listening side and the asking side share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The prompt on the screen has ended, or the person leaves.
    stop: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    /// The prompt on the screen.
    current: Option<String>,
    /// Prompts that were answered here; one may still be listed for a moment.
    mine: VecDeque<String>,
    /// How prompts ended that somebody else answered.
    ended: HashMap<String, (String, Option<String>)>,
    /// Something happened since it was looked at last.
    news: bool,
    lost: bool,
}

impl Shared {
    /// The prompt on the screen is over: the screen, which waits for keys and signals, looks up as after a change of the window.
    fn stop_asking(&self) {
        self.stop.store(true, Ordering::SeqCst);
        // Where that fails, the screen sees it with the next second of the countdown.
        let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH);
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let out = act(&mut state);
        self.changed.notify_all();
        out
    }

    /// Waits for news, but not for ever: a signal says nothing here.
    fn wait(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.news {
            drop(self.changed.wait_timeout(state, Duration::from_millis(200)));
        }
    }
}

fn watch(whereabouts: &Whereabouts, plain: bool) -> Result<Exit, Stop> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let shared = Arc::new(Shared::default());
    let leave = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Where a signal cannot be caught, it ends sayso as it always did.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&leave));
        let _ = signal_hook::flag::register(signal, Arc::clone(&leave));
        let _ = signal_hook::flag::register(signal, Arc::clone(&shared.stop));
    }
    let loaded = quick::load(whereabouts, Path::new("/"), &Flags::default());
    let settings = workbench::settings(&loaded.policy).ok_or_else(|| Stop::usage("the policy cannot be read, so everything is denied"))?;
    let screen = screen::at_terminal(settings, plain, &whereabouts.state, &shared.stop, Interrupts::Leave)
        .map_err(|error| Stop::usage(format!("the terminal cannot be opened: {error}")))?;
    // There has to be one to begin with; later it is waited for.
    let first = client(whereabouts)?;
    first.request("GET", "/v1/me", None, Instant::now() + SHORT).map_err(|trouble| Stop::usage(trouble.words()))?;
    listen(whereabouts, &shared);
    say("watching; prompts appear here, and Ctrl-C leaves\n")?;
    let (mut told_lost, mut told_open) = (false, Vec::new());
    // When it was looked last, if there was nothing then: until something happens, nothing has to be asked for.
    let mut nothing_since: Option<Instant> = None;
    while !leave.load(Ordering::SeqCst) {
        let (news, lost) = shared.with(|state| (std::mem::take(&mut state.news), state.lost));
        if !news && lost == told_lost && nothing_since.is_some_and(|since| since.elapsed() < ANYWAY) {
            shared.wait();
            continue;
        }
        if lost != told_lost {
            say(if lost { "the inbox is gone; waiting for it\n" } else { "the inbox is back\n" })?;
            told_lost = lost;
        }
        let listed = next(whereabouts);
        nothing_since = listed.is_none().then(Instant::now);
        match listed {
            Some(listed) if !lost => {
                tell_open(&listed.open, &mut told_open)?;
                one(whereabouts, &shared, screen.as_ref(), &listed.first, &leave)?;
            }
            _ => shared.wait(),
        }
    }
    Ok(Exit::Allowed)
}

/// Listens on a thread of its own, and goes on behind the last event after a break.
fn listen(whereabouts: &Whereabouts, shared: &Arc<Shared>) {
    let (state, shared) = (whereabouts.state.clone(), Arc::clone(shared));
    std::thread::spawn(move || {
        let mut after: Option<String> = None;
        loop {
            let heard = Client::new(&state)
                .ok()
                .flatten()
                .map(|client| client.listen("/v1/events?kinds=requested,responded,stopping", after.as_deref()));
            if let Some(Ok(mut heard)) = heard {
                shared.with(|state| (state.lost, state.news) = (false, true));
                while let Ok(event) = heard.wait() {
                    hear(&shared, &event);
                }
                after = heard.id.clone();
            }
            shared.with(|state| {
                state.lost = true;
                // Nobody can answer the one on the screen any more.
                if state.current.is_some() {
                    shared.stop_asking();
                }
            });
            std::thread::sleep(AGAIN);
        }
    });
}

fn hear(shared: &Shared, event: &Event) {
    let text = |key: &str| event.data.get(key).and_then(Node::as_text).map(str::to_owned);
    shared.with(|state| {
        state.news = true;
        if let (Some(id), Some(answer)) = (text("prompt"), text("answer")) {
            if state.current.as_ref() == Some(&id) {
                shared.stop_asking();
            }
            if state.ended.len() > 1000 {
                state.ended.clear();
            }
            state.ended.insert(id, (answer, text("by")));
        }
    });
}

/// What is open: the oldest prompt with everything, and all of them in short.
struct Listed {
    first: Node,
    open: Open,
}

/// The prompts that are open, the oldest first: the id and a line of each that is listed, and how many there are.
struct Open {
    lines: Vec<(String, String)>,
    total: u64,
}

/// So many of them are listed.
const LISTED: usize = 6;

fn next(whereabouts: &Whereabouts) -> Option<Listed> {
    let client = Client::new(&whereabouts.state).ok()??;
    let ask = |path: &str| client.request("GET", path, None, Instant::now() + SHORT).ok().filter(crate::serve::client::Answer::is_done);
    let first = ask("/v1/prompts?full=true&limit=1")?.body.get("prompts")?.items().first().cloned()?;
    let answer = ask(&format!("/v1/prompts?limit={LISTED}"))?;
    let text = |prompt: &Node, key: &str| visible(prompt.get(key).and_then(Node::as_text).unwrap_or_default()).into_owned();
    let line = |prompt: &Node| {
        let words = ["agent", "risk", "message"].map(|key| text(prompt, key));
        (text(prompt, "id"), words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · "))
    };
    let lines = answer.body.get("prompts")?.items().iter().map(line).collect();
    let total = answer.body.get("total").and_then(Node::as_whole).unwrap_or(1);
    Some(Listed { first, open: Open { lines, total } })
}

/// Lists what is open where that is more than the one that is asked about next, and not the same as was told last.
fn tell_open(open: &Open, told: &mut Vec<String>) -> Result<(), Stop> {
    let ids: Vec<String> = open.lines.iter().map(|(id, _)| id.clone()).collect();
    let is_news = ids.iter().any(|id| !told.contains(id));
    if open.lines.len() > 1 && is_news {
        let mut words = format!("{} prompts are open, the oldest first:\n", open.total);
        for (place, (_, line)) in open.lines.iter().enumerate() {
            let cut: String = line.chars().take(LONGEST_LINE).collect();
            let more = if cut.len() < line.len() { "…" } else { "" };
            words.push_str(&format!("  {} {cut}{more}\n", if place == 0 { "▸" } else { " " }));
        }
        let more = open.total.saturating_sub(open.lines.len() as u64);
        if more > 0 {
            words.push_str(&format!("    and {more} more\n"));
        }
        say(&words)?;
    }
    *told = ids;
    Ok(())
}

/// So many of the prompts that were answered here are kept in mind.
const REMEMBERED: usize = 64;

/// A line of the list is shown up to so many characters: the prompt itself shows everything.
const LONGEST_LINE: usize = 72;

/// Shows one prompt, and sends the answer.
fn one(whereabouts: &Whereabouts, shared: &Shared, screen: &dyn Ask, document: &Node, leave: &AtomicBool) -> Result<(), Stop> {
    let text = |key: &str| document.get(key).and_then(Node::as_text).unwrap_or_default();
    let (id, digest) = (text("id").to_owned(), text("digest").to_owned());
    if shared.with(|state| state.mine.contains(&id)) {
        shared.wait();
        return Ok(());
    }
    let prompt = match wire::shown(document) {
        Ok(prompt) => prompt,
        Err(why) => {
            say(&format!("a prompt cannot be shown here, so answer it in a browser: {}\n", visible(&why)))?;
            shared.wait();
            return Ok(());
        }
    };
    let over = shared.with(|state| {
        shared.stop.store(leave.load(Ordering::SeqCst), Ordering::SeqCst);
        state.current = Some(id.clone());
        state.ended.get(&id).cloned()
    });
    let ended = if over.is_some() { Ended::Cancelled } else { pollster::block_on(screen.ask(Arc::new(prompt))) };
    let over = shared.with(|state| {
        state.current = None;
        state.ended.get(&id).cloned()
    });
    if let Some((answer, by)) = over {
        let by = by.map_or_else(String::new, |by| format!(" by {}", visible(&by)));
        return say(&format!("\nit was answered elsewhere{by}: {}\n", visible(&answer)));
    }
    // Whoever leaves says nothing, and the prompt stays open for others.
    if leave.load(Ordering::SeqCst) || shared.stop.load(Ordering::SeqCst) {
        return Ok(());
    }
    match ended {
        Ended::Answered { answer, .. } => {
            if send(whereabouts, &id, &digest, &answer.choice, answer.note)? {
                shared.with(|state| {
                    state.mine.push_front(id);
                    state.mine.truncate(REMEMBERED);
                });
            }
            Ok(())
        }
        // Without a terminal nobody watches: as long as this went on, hooks would ask here in vain.
        Ended::Failed(why) => Err(Stop::usage(format!("nobody can be asked here any more: {why}"))),
        _ => {
            shared.wait();
            Ok(())
        }
    }
}

/// Sends an answer; whether it counts.
fn send(whereabouts: &Whereabouts, id: &str, digest: &str, choice: &Choice, note: Option<String>) -> Result<bool, Stop> {
    let mut pin: Option<String> = None;
    loop {
        let mut fields = wire::choice_fields(choice);
        fields.push(("digest", Node::text(digest)));
        fields.extend(note.as_ref().map(|note| ("note", Node::text(note))));
        fields.extend(pin.as_ref().map(|pin| ("pin", Node::text(pin))));
        let answer =
            client(whereabouts)?.request("POST", &format!("/v1/prompts/{id}/answer"), Some(&Node::map(fields)), Instant::now() + SHORT);
        match answer {
            Ok(answer) if answer.is_done() => return Ok(true),
            Ok(answer) if answer.kind() == "pin" && io::stdin().is_terminal() => {
                say(&format!("{}\nPIN (empty goes back): ", answer.problem()))?;
                let mut line = String::new();
                io::stdin().read_line(&mut line).map_err(|error| Stop::usage(format!("the PIN cannot be read: {error}")))?;
                let typed = line.trim_end_matches(['\r', '\n']).to_owned();
                if typed.is_empty() {
                    return Ok(false);
                }
                pin = Some(typed);
            }
            Ok(answer) => {
                say(&format!("the answer did not count: {}\n", visible(&answer.problem())))?;
                return Ok(false);
            }
            Err(trouble) => {
                say(&format!("the answer did not get there: {}\n", visible(&trouble.words())))?;
                return Ok(false);
            }
        }
    }
}
