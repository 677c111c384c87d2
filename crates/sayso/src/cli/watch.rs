//! `sayso watch`: the inbox in this terminal. Prompts come one after the other, and one that somebody else answers goes away.

use std::collections::{HashMap, VecDeque};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt, Round};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::ports::Ask;
use sayso_world::locations::Whereabouts;

use super::{Stop, say};
use crate::exit_code::Exit;
use crate::screen;
use crate::screen::Deadline;
use sayso_inbox::now_ms;
use sayso_inbox::presence;
use sayso_runtime::inbox_client::client::{Client, Event, Trouble};
use sayso_runtime::inbox_client::wire;
use sayso_runtime::{policy_snapshot, record_folder, workbench};
use sayso_tui::terminal::typed_ahead;

/// Answer the questions of all agents in this terminal, as they come.
#[derive(Debug, Args)]
#[command(
    after_help = "Several may watch at once, here and in browsers: the first answer counts, and the others see whose it was.\n\
While somebody watches and pressed a key in the last 5 minutes, hooks with `hooks.ask: auto` ask here. Ctrl-C leaves, and answers nothing."
)]
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
    if !typed_ahead::is_there() {
        return Err(Stop::hint(
            "there is no terminal to ask at",
            "`sayso watch --json` prints what happens, for programs",
        ));
    }
    watch(&whereabouts, args.plain)
}

/// Events as they come, for programs.
fn stream(whereabouts: &Whereabouts) -> Result<Exit, Stop> {
    let client = client(whereabouts)?;
    let mut heard = client
        .listen("/v1/events", None)
        .map_err(|trouble| Stop::usage(trouble.words()))?;
    let mut out = io::stdout().lock();
    loop {
        match heard.wait() {
            Ok(Event { name, data }) => {
                writeln!(
                    out,
                    "{}",
                    json::write_plain(&Node::map([("event", Node::text(name)), ("data", data)]))
                )?;
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
struct Shared {
    state: Mutex<State>,
    /// When somebody pressed a key last, or started it.
    pressed: Mutex<Instant>,
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
    /// When the prompt on the screen is denied, in milliseconds since 1970, as the inbox says.
    due: Option<i64>,
    /// When it was said last that somebody is at it.
    active: Option<Instant>,
}

/// That somebody is at a prompt is said this often at most.
const ACTIVITY: Duration = Duration::from_secs(20);

/// The deadline that the inbox keeps for the prompt on the screen.
struct InboxDeadline {
    shared: Arc<Shared>,
    state: std::path::PathBuf,
}

impl Deadline for InboxDeadline {
    fn due(&self) -> Option<Instant> {
        let due = self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .due?;
        let left = u64::try_from(due.saturating_sub(now_ms())).unwrap_or(0);
        Instant::now().checked_add(Duration::from_millis(left))
    }

    fn activity(&self) {
        let current = self.shared.with(|state| {
            let is_known = state.active.is_some_and(|since| since.elapsed() < ACTIVITY);
            let current = state.current.clone().filter(|_| !is_known);
            state.active = if current.is_some() {
                Some(Instant::now())
            } else {
                state.active
            };
            current
        });
        let Some(id) = current else { return };
        let state = self.state.clone();
        // Keys do not wait for it; where it does not get there, the prompt ends as every screen shows.
        std::thread::spawn(move || {
            let client = Client::new(&state).ok().flatten()?;
            client
                .request(
                    "POST",
                    &format!("/v1/prompts/{id}/activity"),
                    None,
                    Instant::now() + SHORT,
                )
                .ok()
        });
    }
}

impl Shared {
    fn new() -> Shared {
        let (state, changed, stop) = (Mutex::default(), Condvar::new(), Arc::default());
        Shared {
            state,
            pressed: Mutex::new(Instant::now()),
            changed,
            stop,
        }
    }

    /// Somebody is there.
    fn somebody(&self) {
        *self.pressed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether somebody was there lately.
    fn is_attended(&self) -> bool {
        self.pressed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .elapsed()
            < presence::IDLE
    }

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
    let shared = Arc::new(Shared::new());
    let leave = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Where a signal cannot be caught, it ends sayso as it always did.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&leave));
        let _ = signal_hook::flag::register(signal, Arc::clone(&leave));
        let _ = signal_hook::flag::register(signal, Arc::clone(&shared.stop));
    }
    let loaded = policy_snapshot::load(whereabouts, Path::new("/"), &super::no_flags());
    let settings = workbench::settings(&loaded.policy)
        .ok_or_else(|| Stop::usage("the policy cannot be read, so everything is denied"))?;
    let deadline = Arc::new(InboxDeadline {
        shared: Arc::clone(&shared),
        state: whereabouts.state.clone(),
    });
    let screen = screen::for_inbox(settings, plain, &whereabouts.state, &shared.stop, deadline)
        .map_err(|error| Stop::usage(format!("the terminal cannot be opened: {error}")))?;
    // There has to be one to begin with; later it is waited for.
    let first = client(whereabouts)?;
    first
        .request("GET", "/v1/me", None, Instant::now() + SHORT)
        .map_err(|trouble| Stop::usage(trouble.words()))?;
    tell_presence(&whereabouts.state, true);
    listen(whereabouts, &shared);
    stay(whereabouts, &shared);
    say("watching; prompts appear here, and Ctrl-C leaves\n")?;
    let (mut told_lost, mut told_away, mut told_open) = (false, false, Vec::new());
    // When it was looked last, if there was nothing then: until something happens, nothing has to be asked for.
    let mut nothing_since: Option<Instant> = None;
    while !leave.load(Ordering::SeqCst) {
        if was_pressed() {
            shared.somebody();
            tell_presence(&whereabouts.state, true);
        }
        let away = !shared.is_attended();
        if away != told_away {
            say(if away {
                AWAY
            } else {
                "welcome back: agents ask here again\n"
            })?;
            told_away = away;
        }
        let (news, lost) = shared.with(|state| (std::mem::take(&mut state.news), state.lost));
        if !news && lost == told_lost && nothing_since.is_some_and(|since| since.elapsed() < ANYWAY)
        {
            shared.wait();
            continue;
        }
        if lost != told_lost {
            say(if lost {
                "the inbox is gone; waiting for it\n"
            } else {
                "the inbox is back\n"
            })?;
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
    tell_presence(&whereabouts.state, false);
    Ok(Exit::Allowed)
}

/// What is said when nobody pressed a key for long.
const AWAY: &str = "nobody pressed a key here for 5 minutes: agents ask in their own dialogs until you press Enter\n";

/// Tells the inbox whether somebody is at this terminal. Where that fails, hooks ask in the agents' own dialogs.
fn tell_presence(state: &Path, is_here: bool) {
    let body = Node::map([
        ("screen", Node::text("watch")),
        ("here", Node::from(Value::Bool(is_here))),
    ]);
    if let Ok(Some(client)) = Client::new(state) {
        let _ = client.request("POST", "/v1/here", Some(&body), Instant::now() + SHORT);
    }
}

/// Says on a thread of its own that somebody is there, as long as somebody is.
fn stay(whereabouts: &Whereabouts, shared: &Arc<Shared>) {
    let (state, shared) = (whereabouts.state.clone(), Arc::clone(shared));
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(presence::EVERY);
            if shared.is_attended() {
                tell_presence(&state, true);
            }
        }
    });
}

/// Whether somebody pressed Enter while nothing was asked; what was typed is forgotten.
fn was_pressed() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let input = io::stdin();
    // A process in the background must not read.
    let is_ours =
        rustix::termios::tcgetpgrp(&input).is_ok_and(|group| group == rustix::process::getpgrp());
    let now = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let is_ready = || matches!(poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&now)), Ok(count) if count > 0);
    let mut bytes = [0_u8; 4096];
    is_ours && is_ready() && rustix::io::read(&input, &mut bytes).is_ok_and(|count| count > 0)
}

/// Listens on a thread of its own, and goes on behind the last event after a break.
fn listen(whereabouts: &Whereabouts, shared: &Arc<Shared>) {
    let (state, shared) = (whereabouts.state.clone(), Arc::clone(shared));
    std::thread::spawn(move || {
        let mut after: Option<String> = None;
        loop {
            let heard = Client::new(&state).ok().flatten().map(|client| {
                client.listen(
                    "/v1/events?kinds=requested,responded,activity,stopping",
                    after.as_deref(),
                )
            });
            if let Some(Ok(mut heard)) = heard {
                if shared.is_attended() {
                    tell_presence(&state, true);
                }
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

/// What a yes to the first of two confirmations is.
const HALF: &str = "1 of 2: it asks once more";

fn hear(shared: &Shared, event: &Event) {
    let text = |key: &str| {
        event
            .data
            .get(key)
            .and_then(Node::as_text)
            .map(str::to_owned)
    };
    shared.with(|state| {
        if event.name == "activity" {
            if text("prompt").is_some() && state.current == text("prompt") {
                state.due = event
                    .data
                    .get("expires_at")
                    .and_then(Node::as_whole)
                    .and_then(|at| i64::try_from(at).ok());
            }
            return;
        }
        state.news = true;
        if let (Some(id), Some(answer)) = (text("prompt"), text("answer")) {
            if state.current.as_ref() == Some(&id) {
                shared.stop_asking();
            }
            if state.ended.len() > 1000 {
                state.ended.clear();
            }
            let is_half = text("round").as_deref() == Some("first")
                && !matches!(answer.as_str(), "deny" | "quit");
            let answer = if is_half {
                format!("{answer}, {HALF}")
            } else {
                answer
            };
            state
                .ended
                .insert(id, (answer, text("by_words").or_else(|| text("by"))));
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
    let ask = |path: &str| {
        client
            .request("GET", path, None, Instant::now() + SHORT)
            .ok()
            .filter(sayso_runtime::inbox_client::client::Answer::is_done)
    };
    let first = ask("/v1/prompts?full=true&limit=1")?
        .body
        .get("prompts")?
        .items()
        .first()
        .cloned()?;
    let answer = ask(&format!("/v1/prompts?limit={LISTED}"))?;
    let text = |prompt: &Node, key: &str| {
        visible(prompt.get(key).and_then(Node::as_text).unwrap_or_default()).into_owned()
    };
    let line = |prompt: &Node| {
        let words = ["level", "sentence"].map(|key| text(prompt, key));
        (
            text(prompt, "id"),
            words
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" · "),
        )
    };
    let lines = answer
        .body
        .get("prompts")?
        .items()
        .iter()
        .map(line)
        .collect();
    let total = answer
        .body
        .get("total")
        .and_then(Node::as_whole)
        .unwrap_or(1);
    Some(Listed {
        first,
        open: Open { lines, total },
    })
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
            words.push_str(&format!(
                "  {} {cut}{more}\n",
                if place == 0 { "▸" } else { " " }
            ));
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
const LONGEST_LINE: usize = 120;

/// Shows one prompt, and sends the answer.
fn one(
    whereabouts: &Whereabouts,
    shared: &Shared,
    screen: &dyn Ask,
    document: &Node,
    leave: &AtomicBool,
) -> Result<(), Stop> {
    let text = |key: &str| {
        document
            .get(key)
            .and_then(Node::as_text)
            .unwrap_or_default()
    };
    let (id, digest) = (text("id").to_owned(), text("digest").to_owned());
    if shared.with(|state| state.mine.contains(&id)) {
        shared.wait();
        return Ok(());
    }
    let prompt = match wire::shown(document) {
        Ok(prompt) => prompt,
        Err(why) => {
            say(&format!(
                "a prompt cannot be shown here, so answer it in a browser: {}\n",
                visible(&why.to_string())
            ))?;
            shared.wait();
            return Ok(());
        }
    };
    let over = shared.with(|state| {
        shared
            .stop
            .store(leave.load(Ordering::SeqCst), Ordering::SeqCst);
        state.current = Some(id.clone());
        state.due = document
            .get("expires_at")
            .and_then(Node::as_whole)
            .and_then(|at| i64::try_from(at).ok());
        state.active = None;
        state.ended.get(&id).cloned()
    });
    // The inbox keeps the time: what is left of it is what is said here.
    let left = |at: i64| {
        u64::try_from(at.saturating_sub(now_ms()))
            .unwrap_or(0)
            .div_ceil(1000)
    };
    let prompt = Prompt {
        timeout: shared.with(|state| state.due).map(left),
        ..prompt
    };
    let is_half = prompt.round == Round::First;
    let ended = if over.is_some() {
        Ended::Cancelled
    } else {
        pollster::block_on(screen.ask(Arc::new(prompt)))
    };
    let over = shared.with(|state| {
        state.current = None;
        state.ended.get(&id).cloned()
    });
    if let Some((answer, by)) = over {
        let by = by.map_or_else(String::new, |by| format!(" by {}", visible(&by)));
        return say(&format!(
            "\nit was answered elsewhere{by}: {}\n",
            visible(&answer)
        ));
    }
    // Whoever leaves says nothing, and the prompt stays open for others.
    if leave.load(Ordering::SeqCst) || shared.stop.load(Ordering::SeqCst) {
        return Ok(());
    }
    match ended {
        Ended::Answered { answer, .. } => {
            shared.somebody();
            let is_yes = !matches!(answer.choice, Choice::Deny | Choice::Quit);
            if send(whereabouts, &id, &digest, &answer)? {
                if is_half && is_yes {
                    say(&format!("you confirmed it, {HALF}\n"))?;
                }
                shared.with(|state| {
                    state.mine.push_front(id);
                    state.mine.truncate(REMEMBERED);
                });
            }
            Ok(())
        }
        // Without a terminal nobody watches: as long as this went on, hooks would ask here in vain.
        Ended::Failed(why) => Err(Stop::usage(format!(
            "nobody can be asked here any more: {why}"
        ))),
        _ => {
            shared.wait();
            Ok(())
        }
    }
}

/// Sends an answer; whether it counts.
fn send(whereabouts: &Whereabouts, id: &str, digest: &str, given: &Answer) -> Result<bool, Stop> {
    let mut pin: Option<String> = None;
    loop {
        let mut fields = wire::choice_fields(&given.choice);
        fields.push(("digest", Node::text(digest)));
        fields.extend(given.note.as_ref().map(|note| ("note", Node::text(note))));
        fields.extend(
            given
                .typed
                .as_ref()
                .map(|typed| ("typed", Node::text(typed))),
        );
        fields.extend(pin.as_ref().map(|pin| ("pin", Node::text(pin))));
        let answer = client(whereabouts)?.request(
            "POST",
            &format!("/v1/prompts/{id}/answer"),
            Some(&Node::map(fields)),
            Instant::now() + SHORT,
        );
        match answer {
            Ok(answer) if answer.is_done() => return Ok(true),
            Ok(answer) if answer.kind() == "pin" && io::stdin().is_terminal() => {
                say(&format!("{}\nPIN (empty goes back): ", answer.problem()))?;
                let mut line = String::new();
                io::stdin()
                    .read_line(&mut line)
                    .map_err(|error| Stop::usage(format!("the PIN cannot be read: {error}")))?;
                let typed = line.trim_end_matches(['\r', '\n']).to_owned();
                if typed.is_empty() {
                    return Ok(false);
                }
                pin = Some(typed);
            }
            Ok(answer) => {
                say(&format!(
                    "the answer did not count: {}\n",
                    visible(&answer.problem())
                ))?;
                return Ok(false);
            }
            Err(trouble) => {
                say(&format!(
                    "the answer did not get there: {}\n",
                    visible(&trouble.words())
                ))?;
                return Ok(false);
            }
        }
    }
}
