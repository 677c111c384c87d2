//! Asks on the whole terminal: paints the prompt, takes single keys, and gives the terminal back.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::patterns::Patterns;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};
use sayso_gate::ports::{Ask, Later};
use sayso_tui::key::{Key, Keys};
use sayso_tui::prompt_state::{Asking, Next};
use sayso_tui::prompt_style::Look;
use sayso_tui::terminal::notice::Notice;
use sayso_tui::terminal::tty::{Event, Taken, Tty};

use super::Deadline;

/// When more follows within this time, a key was no key of a person's.
const MOMENT: Duration = Duration::from_millis(30);

/// Colours come when they are ready; so often it is looked whether they are.
const COLOURS: Duration = Duration::from_millis(25);

/// The terminal of the person, with prompts painted on it.
pub struct Painted {
    tty: Mutex<Tty>,
    look: Look,
    patterns: Arc<dyn Patterns>,
    notice: Notice,
    stopped: Arc<AtomicBool>,
    interrupts: Interrupts,
    deadline: Option<Arc<dyn Deadline>>,
}

/// What Ctrl-C does at a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupts {
    /// It denies this one, and stops the batch.
    Stop,
    /// It is the signal that it always was, and answers nothing.
    Leave,
}

impl Painted {
    /// Opens the terminal. `stopped` says that the person pressed Ctrl-C, or that nobody has to answer any more.
    pub fn open(
        settings: &Resolved,
        patterns: Arc<dyn Patterns>,
        stopped: Arc<AtomicBool>,
        interrupts: Interrupts,
    ) -> io::Result<Self> {
        Ok(Painted {
            tty: Mutex::new(Tty::open()?),
            look: Look::of(settings),
            patterns,
            notice: Notice::of(settings),
            stopped,
            interrupts,
            deadline: None,
        })
    }

    /// The same with a deadline that is kept elsewhere.
    #[must_use]
    pub fn with_deadline(self, deadline: Arc<dyn Deadline>) -> Self {
        Painted {
            deadline: Some(deadline),
            ..self
        }
    }

    fn put(&self, prompt: Arc<Prompt>) -> io::Result<Ended> {
        let mut tty = self.tty.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = tty.take()?;
        // What was typed ahead is nobody's answer; what comes from here on is told what it came too early for.
        let typed_ahead = taken.forget_typed()?;
        let mut asking = Asking::new(
            Arc::clone(&prompt),
            self.look,
            Arc::clone(&self.patterns),
            Instant::now(),
        );
        if typed_ahead {
            asking.disturb();
        }
        let (notice, deadline) = (self.notice.start(), self.deadline.clone());
        let mut at = AtPrompt {
            asking,
            keys: Keys::default(),
            quiet_since: Instant::now(),
            notice,
            deadline,
        };
        at.follow_deadline();
        at.show(&mut taken)?;
        loop {
            if self.stopped.load(Ordering::SeqCst) {
                return Ok(match self.interrupts {
                    Interrupts::Stop => answered(prompt.answer(Choice::Quit)),
                    Interrupts::Leave => Ended::Cancelled,
                });
            }
            let next = match taken.wait(at.longest())? {
                Event::Lost => return Ok(Ended::Failed("the terminal is gone".to_owned())),
                Event::Bytes(bytes) => at.bytes(&bytes),
                Event::Nothing => at.quiet(),
                Event::Signal => {
                    if taken.was_away()? {
                        at.asking.disarm();
                    }
                    Next::Wait
                }
            };
            at.follow_deadline();
            let now = Instant::now();
            match next {
                Next::Answered(answer) => {
                    let is_yes = !matches!(answer.choice, Choice::Deny | Choice::Quit);
                    // A terminal that does not mark pastes sends them like typing, only faster.
                    if is_yes && (at.keys.waits().is_some() || taken.follows(MOMENT)?) {
                        at.asking.too_fast();
                    } else if !at.asking.is_over(now) {
                        return Ok(answered(answer));
                    }
                }
                Next::Interrupted if self.interrupts == Interrupts::Leave => {
                    signal_hook::low_level::raise(signal_hook::consts::SIGINT)?;
                    return Ok(Ended::Cancelled);
                }
                Next::Interrupted => return Ok(answered(prompt.answer(Choice::Quit))),
                Next::Suspend => {
                    taken.suspend()?;
                    at.asking.disarm();
                }
                Next::Repaint => taken.repaint(),
                Next::Wait => {}
            }
            if at.asking.is_over(now) {
                return Ok(Ended::TimedOut);
            }
            at.notice.tell(now, &mut taken);
            at.show(&mut taken)?;
        }
    }
}

/// One prompt on the screen.
struct AtPrompt {
    asking: Asking,
    keys: Keys,
    /// When the last byte came.
    quiet_since: Instant,
    notice: sayso_tui::terminal::notice::Waiting,
    deadline: Option<Arc<dyn Deadline>>,
}

impl AtPrompt {
    fn follow_deadline(&mut self) {
        if let Some(deadline) = &self.deadline {
            self.asking.set_due(deadline.due());
        }
    }

    fn show(&mut self, taken: &mut Taken<'_>) -> io::Result<()> {
        let (columns, rows) = taken.size();
        let frame = self.asking.frame(columns, rows, Instant::now());
        taken.show(frame, rows)?;
        self.asking.painted(Instant::now());
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Next {
        self.quiet_since = Instant::now();
        let keys = self.keys.feed(bytes);
        self.press(keys)
    }

    fn quiet(&mut self) -> Next {
        let keys: Vec<Key> = self
            .keys
            .quiet(self.quiet_since.elapsed())
            .into_iter()
            .collect();
        self.press(keys)
    }

    fn press(&mut self, keys: Vec<Key>) -> Next {
        if keys.is_empty() {
            return Next::Wait;
        }
        self.notice.somebody_is_there();
        if let Some(deadline) = &self.deadline {
            deadline.activity();
        }
        self.asking.keys(keys, Instant::now())
    }

    /// How long to wait at most: until the countdown changes, a key is whole, or somebody is to be called.
    fn longest(&self) -> Option<Duration> {
        let now = Instant::now();
        let key = self
            .keys
            .waits()
            .map(|wait| wait.saturating_sub(now.saturating_duration_since(self.quiet_since)));
        let colours = self.asking.is_waiting().then_some(COLOURS);
        [
            self.asking.next_change(now),
            key,
            self.notice.next(now),
            colours,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

impl Ask for Painted {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            self.put(prompt)
                .unwrap_or_else(|error| Ended::Failed(format!("the terminal broke: {error}")))
        })
    }
}

fn answered(answer: Answer) -> Ended {
    Ended::Answered {
        answer,
        by: DecidedBy::Terminal,
    }
}
