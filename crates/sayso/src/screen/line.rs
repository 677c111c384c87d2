//! Asks on the terminal, a line at a time: shows the prompt, then takes only what was typed after it was there.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::tcgetwinsize;
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::{Action, Keymap};
use sayso_core::prompt::patterns::Patterns;
use sayso_core::prompt::{Answer, Choice, Ended, Offer, Prompt, Round, RuleText, Stores};
use sayso_core::text::visible::visible;
use sayso_gate::ports::{Ask, Later};
use sayso_tui::lines::body;
use sayso_tui::lines::paint::{Paint, Tone};
use sayso_tui::lines::plain::{self, Look};
use sayso_tui::lines::reply::{self, Reply};
use sayso_tui::lines::scrolled::{rows, scrolled};
use sayso_tui::terminal::typed_ahead::{self, forget_typed, is_typed};

use super::Deadline;

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
    patterns: Arc<dyn Patterns>,
    stopped: Arc<AtomicBool>,
    deadline: Option<Arc<dyn Deadline>>,
}

/// What came of waiting for a line.
enum Typed {
    Line(String),
    TimedOut,
    Stopped,
}

impl Line {
    /// Opens the terminal. `stopped` says that the person pressed Ctrl-C.
    pub fn open(
        look: impl FnOnce(Paint) -> Look,
        patterns: Arc<dyn Patterns>,
        stopped: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let tty = typed_ahead::open()?;
        let look = look(Paint::for_stream(&tty));
        Ok(Line {
            tty: Mutex::new(tty),
            look,
            patterns,
            stopped,
            deadline: None,
        })
    }

    /// The same with a deadline that is kept elsewhere.
    #[must_use]
    pub fn with_deadline(self, deadline: Arc<dyn Deadline>) -> Self {
        Line {
            deadline: Some(deadline),
            ..self
        }
    }

    fn put(&self, prompt: &Prompt) -> Ended {
        let mut tty = self.tty.lock().unwrap_or_else(PoisonError::into_inner);
        let mut asking = Asking {
            tty: &mut tty,
            look: self.look,
            patterns: self.patterns.as_ref(),
            stopped: &self.stopped,
            clock: Clock::start(prompt.timeout, self.deadline.clone()),
            enter_approves: self.look.enter_approves && prompt.is_routine(),
        };
        asking
            .put(prompt)
            .unwrap_or_else(|error| Ended::Failed(format!("the terminal broke: {error}")))
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
    /// Where it is kept elsewhere, that counts.
    kept: Option<Arc<dyn Deadline>>,
}

impl Clock {
    fn start(seconds: Option<u64>, kept: Option<Arc<dyn Deadline>>) -> Self {
        let wait = seconds.map(Duration::from_secs);
        let after = |wait: Duration| Instant::now().checked_add(wait);
        Clock {
            wait,
            due: wait.and_then(after),
            last: wait.and_then(|wait| after(wait.saturating_mul(LONGEST_WAIT))),
            kept,
        }
    }

    /// Somebody is at the prompt.
    fn activity(&mut self) {
        if let Some(kept) = &self.kept {
            return kept.activity();
        }
        if let (Some(wait), Some(last)) = (self.wait, self.last) {
            self.due = Instant::now().checked_add(wait).map(|due| due.min(last));
        }
    }

    /// What is left, none for ever; zero when the time is up.
    fn left(&self) -> Option<Duration> {
        let due = self.kept.as_ref().map_or(self.due, |kept| kept.due());
        due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

/// One prompt at the terminal.
struct Asking<'a> {
    tty: &'a mut File,
    look: Look,
    patterns: &'a dyn Patterns,
    stopped: &'a AtomicBool,
    clock: Clock,
    /// Enter says yes. What is typed too early or means nothing ends that: whoever did so is not looking (Z-03).
    enter_approves: bool,
}

impl Asking<'_> {
    fn put(&mut self, prompt: &Prompt) -> io::Result<Ended> {
        let mut lines = vec![String::new()];
        lines.extend(plain::whole(prompt, self.look));
        let scrolled = scrolled(prompt, &lines, self.look, self.height());
        let mut unseen = scrolled.unseen;
        lines.extend(scrolled.lines);
        self.say(&lines)?;
        let question = match prompt.round {
            Round::Second => format!("Really? [{}/N]: ", self.key(Action::Allow(Scope::Once))),
            _ => "Your answer: ".to_owned(),
        };
        loop {
            let typed = match self.answer(&question)? {
                Typed::Line(typed) => typed,
                Typed::TimedOut => return Ok(Ended::TimedOut),
                Typed::Stopped => return Ok(answered(prompt, Choice::Quit, None, "Ctrl-C")),
            };
            if typed.trim().is_empty() {
                return Ok(answered(prompt, self.enter(prompt), None, "Enter"));
            }
            let key = reply::parts(&typed).0;
            match reply::read(prompt, self.look.keymap, &typed) {
                Reply::Decided(Choice::Offer(_) | Choice::Pattern { .. }, _)
                | Reply::Wider(_)
                | Reply::Kept(_)
                | Reply::Pattern
                    if unseen =>
                {
                    self.say(&[format!(
                        "  its start is out of sight; `{}` shows it first, and nothing is decided",
                        self.key(Action::View)
                    )])?;
                }
                Reply::Decided(choice, note) => return Ok(answered(prompt, choice, note, key)),
                Reply::Wider(offers) => {
                    if let Some(choice) = self.confirm(prompt, &offers)? {
                        return Ok(answered(prompt, choice, None, key));
                    }
                }
                Reply::Kept(choice) => {
                    if let Some(choice) = self.keep(prompt, choice)? {
                        return Ok(answered(prompt, choice, None, key));
                    }
                }
                Reply::Pattern => {
                    if let Some(choice) = self.pattern(prompt)? {
                        return Ok(answered(prompt, choice, None, key));
                    }
                }
                Reply::View => unseen &= !self.view(prompt)?,
                Reply::Help => self.say(&plain::legend(prompt, self.look, self.enter_approves))?,
                Reply::Nothing(why) => {
                    self.say(&[format!(
                        "  {why}; nothing is decided. `{}` shows them",
                        self.key(Action::Help)
                    )])?;
                    self.disturb()?;
                }
            }
        }
    }

    /// Enter alone is a denial, except where the policy lets it approve what is routine (Z-03).
    fn enter(&self, prompt: &Prompt) -> Choice {
        match prompt.offer(Scope::Once) {
            Some(once) if self.enter_approves => Choice::Offer(once),
            _ => Choice::Deny,
        }
    }

    /// Something was typed that answers nothing: from here on Enter denies.
    fn disturb(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.enter_approves) {
            self.say(&["  Enter denies from here on".to_owned()])?;
        }
        Ok(())
    }

    fn key(&self, action: Action) -> char {
        self.look.keymap.key_of(action).unwrap_or('?')
    }

    /// A wider yes shows what it would store first, and needs a second key.
    fn confirm(&mut self, prompt: &Prompt, offers: &[usize]) -> io::Result<Option<Choice>> {
        let words = |at: &usize| {
            prompt
                .offers
                .get(*at)
                .map_or("", |offer| offer.words.as_str())
        };
        let chosen = match offers {
            [] => return Ok(None),
            [one] => *one,
            several => {
                let marked = self.look.keymap.first_proposal(prompt, several);
                let mark = |at: usize| {
                    if marked > 0 && at == marked {
                        "▸"
                    } else {
                        " "
                    }
                };
                let list: Vec<String> = several
                    .iter()
                    .enumerate()
                    .map(|(at, offer)| format!(" {}{}  {}", mark(at), at + 1, words(offer)))
                    .collect();
                self.say(&list)?;
                let Some(at) = self.number("How wide?")? else {
                    return Ok(None);
                };
                let Some(chosen) = several.get(at) else {
                    return Ok(None);
                };
                *chosen
            }
        };
        self.keep(prompt, Choice::Offer(chosen))
    }

    /// Shows what a choice keeps and what it would have covered, and asks for the second key.
    fn keep(&mut self, prompt: &Prompt, choice: Choice) -> io::Result<Option<Choice>> {
        let (words, stores, scope) = match &choice {
            Choice::Offer(at) => match prompt.offers.get(*at) {
                Some(offer) => (
                    offer.to_confirm(prompt.operation.tool()),
                    offer.stores.clone(),
                    offer.scope,
                ),
                None => return Ok(None),
            },
            Choice::Pattern { text, scope } => match self.patterns.check(text, prompt) {
                Ok(rule) => {
                    let stores = Stores::Rule(RuleText {
                        key: rule.key(),
                        pattern: rule.pattern().into(),
                    });
                    (format!("this would {}", rule.words(*scope)), stores, *scope)
                }
                Err(why) => {
                    self.say(&[format!(
                        "  ✗ {}; nothing is decided",
                        visible(&why.to_string())
                    )])?;
                    return Ok(None);
                }
            },
            Choice::Deny | Choice::Quit => return Ok(Some(choice)),
        };
        let mut lines = vec![format!("  {}", self.look.paint.tone(Tone::Yellow, &words))];
        lines.extend(
            self.patterns
                .earlier(&stores, scope, prompt)
                .map(|earlier| format!("  {}", earlier.words(prompt))),
        );
        self.say(&lines)?;
        Ok(self.sure()?.then_some(choice))
    }

    /// A pattern of the person's own. The gate checks it: it has to fit this call, and must not be too broad.
    fn pattern(&mut self, prompt: &Prompt) -> io::Result<Option<Choice>> {
        let proposed = prompt.proposed();
        let list: Vec<String> = proposed
            .iter()
            .enumerate()
            .map(|(at, pattern)| format!("  {}  {}", at + 1, visible(pattern)))
            .collect();
        self.say(&list)?;
        let example = proposed
            .last()
            .copied()
            .unwrap_or("git status *")
            .to_owned();
        let question = format!(
            "Which one, or a pattern of your own (e.g. `{}`; Enter goes back): ",
            visible(&example)
        );
        let Typed::Line(text) = self.answer(&question)? else {
            return Ok(None);
        };
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let text = match text.parse::<usize>() {
            Ok(number) => match number.checked_sub(1).and_then(|at| proposed.get(at)) {
                Some(pattern) => (*pattern).to_owned(),
                None => return Ok(None),
            },
            Err(_) => text.to_owned(),
        };
        if let Err(why) = self.patterns.check(&text, prompt) {
            self.say(&[format!(
                "  ✗ {}; nothing is decided",
                visible(&why.to_string())
            )])?;
            return Ok(None);
        }
        let Some(scope) = self.scope(&prompt.rule_scopes())? else {
            return Ok(None);
        };
        let same = |offer: &Offer| {
            offer.scope == scope && offer.rule().is_some_and(|rule| *rule.pattern == *text)
        };
        let choice = prompt
            .offers
            .iter()
            .position(same)
            .map_or(Choice::Pattern { text, scope }, Choice::Offer);
        self.keep(prompt, choice)
    }

    /// How far a pattern is to reach, where there is a choice.
    fn scope(&mut self, scopes: &[Scope]) -> io::Result<Option<Scope>> {
        match scopes {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several => {
                let list: Vec<String> = several
                    .iter()
                    .enumerate()
                    .map(|(at, scope)| format!("  {}  {}", at + 1, scope.place()))
                    .collect();
                self.say(&list)?;
                Ok(self
                    .number("How far?")?
                    .and_then(|at| several.get(at))
                    .copied())
            }
        }
    }

    /// The index of a numbered row; none goes back.
    fn number(&mut self, question: &str) -> io::Result<Option<usize>> {
        let Typed::Line(typed) = self.answer(&format!("{question} (Enter goes back): "))? else {
            return Ok(None);
        };
        Ok(typed
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1)))
    }

    fn sure(&mut self) -> io::Result<bool> {
        Ok(
            matches!(self.answer("Keep that? [y/N]: ")?, Typed::Line(typed) if Keymap::named("sayso").answer(typed.trim()) == Some(Action::Allow(Scope::Once))),
        )
    }

    /// All of it, a page at a time; whether its end was reached.
    fn view(&mut self, prompt: &Prompt) -> io::Result<bool> {
        let mut lines = body::lines(
            prompt.presentation.whole(),
            prompt.operation.workspace(),
            self.look.paint,
        );
        lines.push(String::new());
        lines.extend(plain::details(prompt, self.look));
        let rows = rows(&lines, self.look.paint);
        let count = rows.len();
        let mut shown = 0;
        // The question below a page has a row of its own.
        for page in rows.chunks(PAGE.min(self.height().saturating_sub(1)).max(1)) {
            self.say(page)?;
            shown += page.len();
            if shown < count {
                match self.read(&format!(
                    "-- {shown} of {count} lines; Enter shows more, q goes back: "
                ))? {
                    Typed::Line(typed) if typed.trim().is_empty() => {}
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// How many rows the screen has.
    fn height(&self) -> usize {
        tcgetwinsize(&*self.tty)
            .ok()
            .map(|size| usize::from(size.ws_row))
            .filter(|rows| *rows > 0)
            .unwrap_or(USUAL_HEIGHT)
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
            // Whoever is in the middle of a sentence goes on typing: the moment starts again until nothing comes any more.
            while forget_typed(&*self.tty)? && !self.is_over() {
                self.disturb()?;
            }
            match self.read(question)? {
                Typed::Line(_) if is_typed(&*self.tty, TOO_SOON)? => {
                    self.say(&["  what is pasted answers nothing; type it".to_owned()])?;
                    self.disturb()?;
                }
                typed => return Ok(typed),
            }
        }
    }

    /// Whether the person stopped it, or the time is up.
    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::SeqCst) || self.clock.left().is_some_and(|left| left.is_zero())
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
            let wait = self
                .clock
                .left()
                .unwrap_or(Duration::from_millis(200))
                .min(Duration::from_millis(200));
            let wait = Timespec {
                tv_sec: 0,
                tv_nsec: wait.subsec_nanos().into(),
            };
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

fn answered(prompt: &Prompt, choice: Choice, note: Option<String>, typed: &str) -> Ended {
    let typed = Some(visible(typed).into_owned());
    Ended::Answered {
        answer: Answer {
            note,
            typed,
            ..prompt.answer(choice)
        },
        by: DecidedBy::Terminal,
    }
}
