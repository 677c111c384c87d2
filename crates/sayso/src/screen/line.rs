//! Asks on the terminal, a line at a time: shows the prompt, then takes only what was typed after it was there.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, tcflush, tcgetattr, tcgetwinsize, tcsetattr};
use sayso_core::keymap::{Action, Keymap};
use sayso_core::prompt::{Answer, Choice, Ended, Prompt, Round, Scope, Stores};
use sayso_core::verdict::{Confirm, Risk};
use sayso_core::visible::visible;
use sayso_gate::ports::{Ask, Later};

use super::paint::Tone;
use super::plain::{self, Look};
use super::reply::{self, Reply};
use super::scrolled::{rows, scrolled};
use super::{body, paint::Paint};

/// What was typed before the prompt stood there for so long does not count (I-11).
const ARMING: Duration = Duration::from_millis(300);
/// What follows a line so soon was pasted together with it, and no hand typed it.
const TOO_SOON: Duration = Duration::from_millis(30);
/// Typing puts the end off, but not beyond so many times the whole wait, as at every other screen.
const LONGEST_WAIT: u32 = 4;
/// So many lines are shown at a time by `view`.
const PAGE: usize = 40;
/// The rows of a terminal that does not say how many it has.
const USUAL_HEIGHT: usize = 24;
/// A typed line has no more bytes than these.
const LONGEST_LINE: usize = 4096;

/// The terminal of the person. It is opened by its own name: what is piped into sayso can answer nothing.
pub struct Line {
    tty: Mutex<File>,
    look: Look,
    stopped: Arc<AtomicBool>,
}

/// What came of waiting for a line.
enum Typed {
    Line(String),
    TimedOut,
    Stopped,
}

/// Whether there is a terminal that a person sits at: one that is looked at, and one that can be asked.
pub fn is_there() -> bool {
    (io::stdout().is_terminal() || io::stderr().is_terminal()) && open().is_ok()
}

fn open() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

/// Lets a question stand there for a moment, and forgets what was typed until then.
pub fn forget_typed(tty: &impl AsFd) -> io::Result<()> {
    std::thread::sleep(ARMING);
    Ok(tcflush(tty, QueueSelector::IFlush)?)
}

impl Line {
    /// Opens the terminal. `stopped` says that the person pressed Ctrl-C.
    pub fn open(look: impl FnOnce(Paint) -> Look, stopped: Arc<AtomicBool>) -> io::Result<Self> {
        let tty = open()?;
        let look = look(Paint::for_stream(&tty));
        Ok(Line { tty: Mutex::new(tty), look, stopped })
    }

    fn put(&self, prompt: &Prompt) -> Ended {
        let mut tty = self.tty.lock().unwrap_or_else(PoisonError::into_inner);
        let mut asking = Asking { tty: &mut tty, look: self.look, stopped: &self.stopped, clock: Clock::start(prompt.timeout) };
        asking.put(prompt).unwrap_or_else(|error| Ended::Failed(format!("the terminal broke: {error}")))
    }
}

impl Ask for Line {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move { self.put(&prompt) })
    }
}

/// Until when an answer is waited for.
struct Clock {
    wait: Option<Duration>,
    due: Option<Instant>,
    last: Option<Instant>,
}

impl Clock {
    fn start(seconds: Option<u64>) -> Self {
        let wait = seconds.map(Duration::from_secs);
        let after = |wait: Duration| Instant::now().checked_add(wait);
        Clock { wait, due: wait.and_then(after), last: wait.and_then(|wait| after(wait.saturating_mul(LONGEST_WAIT))) }
    }

    /// Somebody is at the prompt.
    fn activity(&mut self) {
        if let (Some(wait), Some(last)) = (self.wait, self.last) {
            self.due = Instant::now().checked_add(wait).map(|due| due.min(last));
        }
    }

    /// What is left, none for ever; zero when the time is up.
    fn left(&self) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

/// One prompt at the terminal.
struct Asking<'a> {
    tty: &'a mut File,
    look: Look,
    stopped: &'a AtomicBool,
    clock: Clock,
}

impl Asking<'_> {
    fn put(&mut self, prompt: &Prompt) -> io::Result<Ended> {
        let mut lines = vec![String::new()];
        lines.extend(plain::whole(prompt, self.look));
        let scrolled = scrolled(prompt, &lines, self.look, self.height());
        let mut unseen = scrolled.unseen;
        lines.extend(scrolled.lines);
        self.say(&lines)?;
        let question = if prompt.round == Round::Second { "Really? [y/N]: " } else { "Your answer: " };
        loop {
            let typed = match self.answer(question)? {
                Typed::Line(typed) => typed,
                Typed::TimedOut => return Ok(Ended::TimedOut),
                Typed::Stopped => return Ok(answered(prompt, Choice::Quit, None)),
            };
            if typed.trim().is_empty() {
                return Ok(answered(prompt, self.enter(prompt), None));
            }
            match reply::read(prompt, self.look.keymap, &typed) {
                Reply::Decided(Choice::Offer(_) | Choice::Pattern { .. }, _) | Reply::Wider(_) | Reply::Pattern if unseen => {
                    self.say(&[format!(
                        "  its start is out of sight; `{}` shows it first, and nothing is decided",
                        self.key(Action::View)
                    )])?;
                }
                Reply::Decided(choice, note) => return Ok(answered(prompt, choice, note)),
                Reply::Wider(offers) => {
                    if let Some(choice) = self.confirm(prompt, &offers)? {
                        return Ok(answered(prompt, choice, None));
                    }
                }
                Reply::Pattern => {
                    if let Some(choice) = self.pattern(prompt)? {
                        return Ok(answered(prompt, choice, None));
                    }
                }
                Reply::View => unseen &= !self.view(prompt)?,
                Reply::Help => self.say(&plain::legend(prompt, self.look))?,
                Reply::Nothing(why) => self.say(&[format!("  {why}; nothing is decided. `{}` shows them", self.key(Action::Help))])?,
            }
        }
    }

    /// Enter alone is a denial, except where the policy lets it approve what is routine (Z-03).
    fn enter(&self, prompt: &Prompt) -> Choice {
        let routine = prompt.verdict.confirm != Confirm::Double
            && matches!(prompt.verdict.risk, Risk::Low | Risk::Medium)
            && !prompt.verdict.reasons.iter().any(|reason| reason.must_ask);
        match prompt.offer(Scope::Once) {
            Some(once) if self.look.enter_approves && routine => Choice::Offer(once),
            _ => Choice::Deny,
        }
    }

    fn key(&self, action: Action) -> char {
        self.look.keymap.key_of(action).unwrap_or('?')
    }

    /// A wider yes shows what it would store first, and needs a second key.
    fn confirm(&mut self, prompt: &Prompt, offers: &[usize]) -> io::Result<Option<Choice>> {
        let words = |at: &usize| prompt.offers.get(*at).map_or("", |offer| offer.words.as_str());
        let chosen = match offers {
            [] => return Ok(None),
            [one] => *one,
            several => {
                let list: Vec<String> = several.iter().enumerate().map(|(at, offer)| format!("  {}  {}", at + 1, words(offer))).collect();
                self.say(&list)?;
                let Typed::Line(typed) = self.answer("Which one? (Enter goes back): ")? else { return Ok(None) };
                let number = typed.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let Some(chosen) = number.and_then(|at| several.get(at)) else { return Ok(None) };
                *chosen
            }
        };
        self.say(&[format!("  {}", self.look.paint.tone(Tone::Yellow, &format!("this would {}", words(&chosen))))])?;
        Ok(self.sure()?.then_some(Choice::Offer(chosen)))
    }

    /// A pattern of the person's own. The gate checks it: it has to fit this call, and must not be too broad.
    fn pattern(&mut self, prompt: &Prompt) -> io::Result<Option<Choice>> {
        let is_rule = |at: &usize| prompt.offers.get(*at).is_some_and(|offer| matches!(offer.stores, Stores::Rule(_)));
        let rules: Vec<usize> = (0..prompt.offers.len()).filter(is_rule).collect();
        let of = |at: &usize| prompt.offers.get(*at);
        let list = rules.iter().filter_map(of).enumerate();
        let list: Vec<String> = list.map(|(at, offer)| format!("  {}  {}", at + 1, offer.words)).collect();
        self.say(&list)?;
        let Typed::Line(text) = self.answer("Which one, or a pattern of your own (e.g. `git *`; Enter goes back): ")? else {
            return Ok(None);
        };
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Ok(None);
        }
        if let Ok(number) = text.parse::<usize>() {
            let Some(chosen) = number.checked_sub(1).and_then(|at| rules.get(at)) else { return Ok(None) };
            return self.confirm(prompt, &[*chosen]);
        }
        let mut scopes: Vec<Scope> = rules.iter().filter_map(of).map(|offer| offer.scope).collect();
        scopes.dedup();
        let Some((scope, reach)) = self.scope(&scopes)? else { return Ok(None) };
        self.say(&[format!("  {}", self.look.paint.tone(Tone::Yellow, &format!("this would allow `{}` {reach}", visible(&text))))])?;
        Ok(self.sure()?.then_some(Choice::Pattern { text, scope }))
    }

    /// How far a pattern is to reach, where there is a choice.
    fn scope(&mut self, scopes: &[Scope]) -> io::Result<Option<(Scope, &'static str)>> {
        let words = |scope: Scope| match scope {
            Scope::Project => "in this project",
            Scope::Always => "everywhere",
            _ => "in this session",
        };
        let scope = match scopes {
            [] => return Ok(None),
            [one] => *one,
            several => {
                let list: Vec<String> = several.iter().enumerate().map(|(at, scope)| format!("  {}  {}", at + 1, words(*scope))).collect();
                self.say(&list)?;
                let Typed::Line(typed) = self.answer("How far? (Enter goes back): ")? else { return Ok(None) };
                let number = typed.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let Some(scope) = number.and_then(|at| several.get(at)) else { return Ok(None) };
                *scope
            }
        };
        Ok(Some((scope, words(scope))))
    }

    fn sure(&mut self) -> io::Result<bool> {
        Ok(
            matches!(self.answer("Keep that? [y/N]: ")?, Typed::Line(typed) if Keymap::named("sayso").answer(typed.trim()) == Some(Action::Allow(Scope::Once))),
        )
    }

    /// All of it, a page at a time; whether its end was reached.
    fn view(&mut self, prompt: &Prompt) -> io::Result<bool> {
        let rows = rows(&body::lines(prompt.presentation.whole(), self.look.paint), self.look.paint);
        let count = rows.len();
        let mut shown = 0;
        // The question below a page has a row of its own.
        for page in rows.chunks(PAGE.min(self.height().saturating_sub(1)).max(1)) {
            self.say(page)?;
            shown += page.len();
            if shown < count {
                match self.read(&format!("-- {shown} of {count} lines; Enter shows more, q goes back: "))? {
                    Typed::Line(typed) if typed.trim().is_empty() => {}
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// How many rows the screen has.
    fn height(&self) -> usize {
        tcgetwinsize(&*self.tty).ok().map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0).unwrap_or(USUAL_HEIGHT)
    }

    fn say(&mut self, lines: &[String]) -> io::Result<()> {
        let mut text = plain::folded(lines, self.look.paint).join("\n");
        text.push('\n');
        self.tty.write_all(text.as_bytes())?;
        self.tty.flush()
    }

    /// One line that a hand typed after the question stood there: what came before it is forgotten, and lines that come in one go are a
    /// paste, which answers nothing (H-40).
    fn answer(&mut self, question: &str) -> io::Result<Typed> {
        loop {
            forget_typed(&*self.tty)?;
            match self.read(question)? {
                Typed::Line(_) if self.follows()? => {
                    self.say(&["  what is pasted answers nothing; type it".to_owned()])?;
                }
                typed => return Ok(typed),
            }
        }
    }

    /// Whether more was typed by now, or is in a moment: also a line without an end, which a terminal keeps for itself while it gives lines.
    fn follows(&self) -> io::Result<bool> {
        let lines = tcgetattr(&*self.tty)?;
        let mut bytes = lines.clone();
        bytes.local_modes.remove(LocalModes::ICANON);
        bytes.special_codes[SpecialCodeIndex::VMIN] = 1;
        bytes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&*self.tty, OptionalActions::Now, &bytes)?;
        let moment = Timespec { tv_sec: 0, tv_nsec: TOO_SOON.subsec_nanos().into() };
        let found = poll(&mut [PollFd::new(&*self.tty, PollFlags::IN)], Some(&moment));
        tcsetattr(&*self.tty, OptionalActions::Now, &lines)?;
        match found {
            Ok(count) => Ok(count > 0),
            // Nobody knows, so it is asked again.
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// One typed line. The terminal gives whole lines; a closed one is a stop.
    fn read(&mut self, question: &str) -> io::Result<Typed> {
        self.tty.write_all(question.as_bytes())?;
        self.tty.flush()?;
        let mut line = Vec::new();
        loop {
            if self.stopped.load(Ordering::SeqCst) {
                return Ok(Typed::Stopped);
            }
            if self.clock.left().is_some_and(|left| left.is_zero()) {
                self.say(&[String::new()])?;
                return Ok(Typed::TimedOut);
            }
            // Short waits, so that a Ctrl-C that comes between two of them is seen.
            let wait = self.clock.left().unwrap_or(Duration::from_millis(200)).min(Duration::from_millis(200));
            let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
            let mut ready = [PollFd::new(&*self.tty, PollFlags::IN)];
            match poll(&mut ready, Some(&wait)) {
                Ok(0) => continue,
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let mut bytes = [0u8; 256];
            let count = match self.tty.read(&mut bytes) {
                Ok(0) => return Ok(Typed::Stopped),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            line.extend_from_slice(bytes.get(..count).unwrap_or_default());
            if line.len() > LONGEST_LINE {
                line.clear();
                self.say(&["  that line is too long; nothing is decided".to_owned()])?;
            }
            if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
                self.clock.activity();
                line.truncate(end);
                return Ok(Typed::Line(String::from_utf8_lossy(&line).into_owned()));
            }
        }
    }
}

fn answered(prompt: &Prompt, choice: Choice, note: Option<String>) -> Ended {
    Ended::Answered { answer: Answer { note, ..prompt.answer(choice) }, by: "terminal".to_owned() }
}
