//! The session at a terminal: keys, news of the turn, and frames. It waits when nothing happens, and the turn works beside it.

mod keys;
mod question;
pub(crate) mod turn_view;
mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sayso_core::prompt::{Ended, Prompt};
use sayso_tools::files::Files;
use sayso_tools::undo::Plan;
use sayso_tui::chat::draw::Chat;
use sayso_tui::chat::settings::Wish;
use sayso_tui::key::{Key, Keys};
use sayso_tui::patterns::Patterns;
use sayso_tui::prompt_state::Asking;

use crate::model::Usage;
use crate::session_state::SessionState;
use crate::turn_events::{News, ToScreen};
use sayso_tui::terminal::notice::Waiting;
use sayso_tui::terminal::tty::{Event, Taken, Tty};

pub(super) use question::{changed, switches_mode, with_mode};

/// What is asked before a change is taken back.
const TAKE_BACK: &str = "take it back? y, or any other key to leave it";
/// What is asked before asking is switched off.
const SWITCH_OFF: &str = "switch it off? y, or any other key to leave it";
/// No more frames than this: what comes faster is shown together.
const FRAME: Duration = Duration::from_millis(33);
/// So often the sign of something that goes on turns.
const SPIN: Duration = Duration::from_millis(250);
/// When more follows within this time, a key was no key of a person's.
const MOMENT: Duration = Duration::from_millis(30);
/// Two times Ctrl-C within this time leaves.
const TWICE: Duration = Duration::from_secs(2);
/// What is typed so soon after a question was not meant for it.
const ARMING: Duration = Duration::from_millis(300);
/// So much news is heard before keys are looked at again: a command that prints without end must not make the screen deaf.
const MOST_HEARD: usize = 256;
/// Colours come when they are ready; so often it is looked whether they are.
const COLOURS: Duration = Duration::from_millis(25);

/// What a session at a terminal works with.
pub struct App {
    /// What it has in common with every other session.
    pub state: SessionState,
    /// A signal came that Ctrl-C sends.
    pub interrupted: Arc<AtomicBool>,
    /// The way of news to this screen.
    pub to: ToScreen,
    /// The other end of it.
    pub news: Receiver<News>,
    /// What a pattern would have covered.
    pub patterns: Arc<dyn Patterns>,
    /// The screen.
    pub chat: Chat,
    /// What is open and goes on; nothing at the start.
    pub now: Now,
}

/// What is open and goes on.
#[derive(Default)]
pub struct Now {
    asking: Option<Open>,
    worker: Option<JoinHandle<()>>,
    /// The number of the words that are being written.
    pub(super) words: Option<usize>,
    /// The number of the call that runs.
    pub(super) call: Option<usize>,
    /// What was read of it in short, for its heading.
    pub(super) subject: String,
    pub(super) usage: Usage,
    /// When Ctrl-C was pressed last.
    pressed: Option<Instant>,
    /// A change that is taken back on `y`, and since when that is asked.
    undo: Option<(Instant, Box<(Files, Plan)>)>,
    /// A setting that is changed on `y`, and since when that is asked.
    sure: Option<(Instant, Wish)>,
    /// A text that is sent when the turn is over.
    queued: Option<String>,
    dirty: bool,
    /// There is more news than was heard.
    behind: bool,
    over: bool,
}

/// A question that is open.
struct Open {
    asking: Asking,
    prompt: Arc<Prompt>,
    reply: SyncSender<Ended>,
    notice: Waiting,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The person left.
    Person,
    /// The terminal is gone.
    Lost,
}

impl App {
    /// Works until the person leaves, or the terminal does.
    ///
    /// # Errors
    /// When the terminal breaks.
    pub fn work(&mut self, tty: &mut Tty) -> io::Result<Left> {
        let worked = tty.take().and_then(|mut taken| self.rounds(&mut taken));
        // However it ends, nothing goes on without somebody who could stop it.
        self.stop();
        self.answer(Ended::Failed("the screen is gone".to_owned()));
        if let Some(worker) = self.now.worker.take() {
            while !worker.is_finished() {
                for news in self.news.try_iter() {
                    if let News::Asked(_, reply) = news {
                        let _ = reply.send(Ended::Cancelled);
                    }
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = worker.join();
        }
        worked
    }

    fn rounds(&mut self, taken: &mut Taken<'_>) -> io::Result<Left> {
        let mut keys = Keys::default();
        let mut quiet_since = Instant::now();
        let mut painted = self.paint(taken)?;
        loop {
            match taken.wait(self.longest(&keys, quiet_since, painted))? {
                Event::Lost => return Ok(Left::Lost),
                Event::Bytes(bytes) => {
                    quiet_since = Instant::now();
                    let typed = keys.feed(&bytes);
                    self.press(typed, &keys, taken)?;
                }
                Event::Nothing => {
                    let typed: Vec<Key> = keys.quiet(quiet_since.elapsed()).into_iter().collect();
                    self.press(typed, &keys, taken)?;
                }
                Event::Signal => {
                    self.now.dirty = true;
                    if taken.was_away()?
                        && let Some(open) = &mut self.now.asking
                    {
                        open.asking.disarm();
                    }
                    if self.interrupted.swap(false, Ordering::SeqCst) {
                        self.press(vec![Key::Ctrl('c')], &keys, taken)?;
                    }
                }
            }
            self.hear();
            self.look_at_the_clock(taken);
            if self.state.leave.load(Ordering::SeqCst) {
                return Ok(Left::Lost);
            }
            if self.now.over {
                return Ok(Left::Person);
            }
            let is_due = painted.elapsed() >= FRAME;
            if is_due && (self.now.dirty || self.moves()) {
                painted = self.paint(taken)?;
            }
        }
    }

    /// Whether the screen changes by itself.
    fn moves(&self) -> bool {
        self.chat.activity.is_some() || self.now.asking.is_some()
    }

    fn paint(&mut self, taken: &mut Taken<'_>) -> io::Result<Instant> {
        let (columns, rows) = taken.size();
        let now = Instant::now();
        turn_view::bar(self);
        let asking = self.now.asking.as_mut().map(|open| &mut open.asking);
        let frame = self.chat.frame(asking, columns, rows, now);
        taken.show(frame, rows)?;
        if let Some(open) = self
            .now
            .asking
            .as_mut()
            .filter(|_| self.chat.settings.is_none())
        {
            open.asking.painted(Instant::now());
        }
        self.now.dirty = false;
        Ok(Instant::now())
    }

    /// How long to wait at most; for ever when nothing goes on.
    fn longest(&self, keys: &Keys, quiet_since: Instant, painted: Instant) -> Option<Duration> {
        let now = Instant::now();
        let key = keys
            .waits()
            .map(|wait| wait.saturating_sub(now.saturating_duration_since(quiet_since)));
        let frame = self
            .now
            .dirty
            .then(|| FRAME.saturating_sub(painted.elapsed()));
        let behind = self.now.behind.then_some(Duration::ZERO);
        let spin = self
            .chat
            .activity
            .as_ref()
            .filter(|_| self.now.asking.is_none())
            .map(|_| SPIN);
        let open = self.now.asking.as_ref();
        let clock = open.and_then(|open| open.asking.next_change(now));
        let call = open.and_then(|open| open.notice.next(now));
        let colours = open
            .filter(|open| open.asking.is_waiting())
            .map(|_| COLOURS);
        [key, frame, behind, spin, clock, call, colours]
            .into_iter()
            .flatten()
            .min()
    }

    fn look_at_the_clock(&mut self, taken: &mut Taken<'_>) {
        let now = Instant::now();
        let Some(open) = &mut self.now.asking else {
            return;
        };
        open.notice.tell(now, taken);
        if open.asking.is_over(now) {
            self.answer(Ended::TimedOut);
        }
    }

    /// Hears what the turn tells.
    fn hear(&mut self) {
        self.now.behind = true;
        for _ in 0..MOST_HEARD {
            let Ok(news) = self.news.try_recv() else {
                self.now.behind = false;
                return;
            };
            self.now.dirty = true;
            match news {
                News::Asked(prompt, reply) => self.ask(prompt, reply),
                News::Over(ended, said) => {
                    self.state.said = said;
                    self.now.worker = None;
                    turn_view::over(self, &ended);
                    match self.now.queued.take() {
                        None => {}
                        // What was typed for a turn that went on is not meant for one that was stopped.
                        Some(text) if ended.trouble.is_some() => self.chat.input.put_back(text),
                        Some(text) => self.sent(&text),
                    }
                }
                News::Ends(finished) => {
                    turn_view::hear(self, News::Ends(finished));
                    self.switch_mode();
                }
                other => turn_view::hear(self, other),
            }
        }
    }
}
