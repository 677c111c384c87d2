//! The session at a terminal: keys, news of the turn, and frames. It waits when nothing happens, and the turn works beside it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::keymap::{Action, Keymap};
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};
use sayso_core::text::visible::visible;
use sayso_gate::ids::Ids;
use sayso_tools::files::Files;
use sayso_tools::undo::Plan;
use sayso_tui::chat::draw::{Activity, Chat};
use sayso_tui::chat::input::Typed;
use sayso_tui::chat::item::Item;
use sayso_tui::chat::settings::{Settings, Wish};
use sayso_tui::fold::line;
use sayso_tui::key::{Key, Keys};
use sayso_tui::patterns::Patterns;
use sayso_tui::prompt_state::{Asking, Next};
use sayso_tui::theme::Tone;

use super::base::Base;
use super::conversation::{Said, close};
use super::history::History;
use super::instructions::instructions;
use super::model::configured::Configured;
use super::model::{Model, Usage};
use super::news::{News, Reporter, ToScreen};
use super::offered::Around;
use super::session::Session;
use super::slash::{self, Came, Desk};
use super::turn::{self, Turn};
use super::{commands, shown, tabs};
use crate::screen::notice::{Notice, Waiting};
use crate::screen::painted::look;
use crate::screen::tty::{Event, Taken, Tty};

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
    /// The policy, the gate and the tools.
    pub base: Arc<Base>,
    /// Where what is said is kept.
    pub session: Arc<Session>,
    /// What was said.
    pub said: Vec<Said>,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// Who else could.
    pub configured: Configured,
    /// Where calls come from.
    pub around: Around,
    /// The person stopped the turn.
    pub stopped: Arc<AtomicBool>,
    /// A signal wants sayso to end.
    pub leave: Arc<AtomicBool>,
    /// A signal came that Ctrl-C sends.
    pub interrupted: Arc<AtomicBool>,
    /// The way of news to this screen.
    pub to: ToScreen,
    /// The other end of it.
    pub news: Receiver<News>,
    /// What a pattern would have covered.
    pub patterns: Arc<dyn Patterns>,
    /// Where what is typed is kept for later sessions.
    pub history: History,
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
            if self.leave.load(Ordering::SeqCst) {
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
        shown::bar(self);
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
                    self.said = said;
                    self.now.worker = None;
                    shown::over(self, &ended);
                    match self.now.queued.take() {
                        None => {}
                        // What was typed for a turn that went on is not meant for one that was stopped.
                        Some(text) if ended.trouble.is_some() => self.chat.input.put_back(text),
                        Some(text) => self.sent(&text),
                    }
                }
                News::Ends(finished) => {
                    shown::hear(self, News::Ends(finished));
                    self.switch_mode();
                }
                other => shown::hear(self, other),
            }
        }
    }

    fn ask(&mut self, prompt: Arc<Prompt>, reply: SyncSender<Ended>) {
        let Some(settings) = self.base.settings(&self.around.agent) else {
            let _ = reply.send(Ended::Failed("the policy cannot be read".to_owned()));
            return;
        };
        let shown = with_mode(&prompt, &settings);
        let mut asking = Asking::new(
            shown,
            look(&settings),
            Arc::clone(&self.patterns),
            Instant::now(),
        );
        // Whoever is writing to the agent means Enter for that.
        if !self.chat.input.is_empty() {
            asking.disturb();
        }
        self.now.asking = Some(Open {
            asking,
            prompt,
            reply,
            notice: Notice::of(&settings).start(),
        });
        self.chat.bar.open = 1;
    }

    /// The mode that an answer switched to counts from here on.
    fn switch_mode(&mut self) {
        match self.base.switch_mode(&self.around.agent) {
            Ok(None) => {}
            Ok(now) => {
                let lines =
                    commands::switched(&self.base, &self.around.session, &self.around.agent, now);
                shown::note(self, lines);
            }
            Err(why) => shown::problem(self, &why),
        }
    }

    /// Ends the open question.
    fn answer(&mut self, ended: Ended) {
        if let Some(open) = self.now.asking.take() {
            // Nobody may be waiting any more.
            let _ = open.reply.send(ended);
            self.chat.bar.open = 0;
            self.now.dirty = true;
        }
    }

    /// The turn ends as soon as it can.
    fn stop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    fn press(&mut self, keys: Vec<Key>, rest: &Keys, taken: &mut Taken<'_>) -> io::Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        self.now.dirty = true;
        if self.chat.settings.is_some() {
            keys.iter().for_each(|key| self.settings_key(key));
            return Ok(());
        }
        if keys.contains(&Key::Ctrl('s')) {
            self.open_settings();
            return Ok(());
        }
        if self.now.asking.is_some() {
            return self.prompt_keys(keys, rest, taken);
        }
        for key in keys {
            self.key(key, taken)?;
        }
        Ok(())
    }

    /// Keys at an open question.
    fn prompt_keys(
        &mut self,
        keys: Vec<Key>,
        rest: &Keys,
        taken: &mut Taken<'_>,
    ) -> io::Result<()> {
        let Some(open) = &mut self.now.asking else {
            return Ok(());
        };
        open.notice.somebody_is_there();
        let now = Instant::now();
        match open.asking.keys(keys, now) {
            Next::Answered(answer) => {
                let is_yes = !matches!(answer.choice, Choice::Deny | Choice::Quit);
                // A terminal that does not mark pastes sends them like typing, only faster.
                if is_yes && (rest.waits().is_some() || taken.follows(MOMENT)?) {
                    open.asking.too_fast();
                } else if !open.asking.is_over(now) {
                    // Somebody may have changed the policy elsewhere since it was asked.
                    let is_denied = is_yes && self.base.denies_by_now(&open.prompt.operation);
                    match is_denied {
                        true => self.judge_again(),
                        false => {
                            if switches_mode(
                                &open.prompt,
                                &answer.choice,
                                self.base.settings(&self.around.agent).as_ref(),
                            ) {
                                self.base.edits_from_now_on(&self.around.agent);
                            }
                            self.answer(answered(answer));
                        }
                    }
                }
            }
            Next::Interrupted => {
                let quit = open.prompt.answer(Choice::Quit);
                self.stop();
                self.answer(answered(quit));
                self.now.pressed = Some(now);
                self.chat.notice = Some("stopped; Ctrl-C again leaves".to_owned());
            }
            Next::Suspend => {
                taken.suspend()?;
                if let Some(open) = &mut self.now.asking {
                    open.asking.disarm();
                }
            }
            Next::Repaint => taken.repaint(),
            Next::Wait => {}
        }
        Ok(())
    }

    fn key(&mut self, key: Key, taken: &mut Taken<'_>) -> io::Result<()> {
        let is_interrupt = key == Key::Ctrl('c');
        if !is_interrupt {
            self.chat.notice = None;
            self.now.pressed = None;
        }
        if self
            .now
            .undo
            .as_ref()
            .is_some_and(|(since, _)| since.elapsed() < ARMING)
            && !is_interrupt
        {
            // It was typed for something else.
            self.chat.notice = Some(TAKE_BACK.to_owned());
            return Ok(());
        }
        if let Some((_, plan)) = self.now.undo.take() {
            if key == Key::Char('y') {
                shown::undo(self, &plan);
                return Ok(());
            }
            shown::note(self, vec![line(Tone::Faint, "  nothing was taken back")]);
            if matches!(key, Key::Char('n') | Key::Esc) {
                return Ok(());
            }
        }
        if let Some((since, wish)) = self.now.sure.take() {
            if since.elapsed() < ARMING && !is_interrupt {
                self.chat.notice = Some(SWITCH_OFF.to_owned());
                self.now.sure = Some((since, wish));
                return Ok(());
            }
            if key == Key::Char('y') {
                match tabs::carry_out(&self.base, &wish) {
                    Ok(words) => shown::note(self, vec![line(Tone::Good, format!("✓ {words}"))]),
                    Err(why) => shown::problem(self, &why),
                }
                self.judge_again();
                return Ok(());
            }
            shown::note(self, vec![line(Tone::Faint, "  nothing was changed")]);
            if matches!(key, Key::Char('n') | Key::Esc) {
                return Ok(());
            }
        }
        match key {
            Key::Ctrl('c') => self.interrupt(),
            Key::Ctrl('z') => taken.suspend()?,
            Key::Ctrl('l') => taken.repaint(),
            Key::Ctrl('o') => self.chat.transcript.toggle(),
            Key::Ctrl('d') if self.chat.input.is_empty() => self.now.over = true,
            Key::PageUp | Key::PageDown => drop(self.chat.transcript.scroll(&key)),
            Key::End if self.chat.input.is_empty() => self.chat.transcript.follow(),
            Key::Enter if self.now.worker.is_some() && self.now.queued.is_some() => {
                self.chat.notice = Some("the model is still at work; Ctrl-C stops it".to_owned());
            }
            key => {
                if let Typed::Sent(text) = self.chat.input.key(&key) {
                    // It is a convenience: a text that cannot be kept is sent all the same.
                    let _ = self.history.add(&text);
                    match self.now.worker.is_some() && slash::waits(&text) {
                        true => {
                            self.chat.notice =
                                Some("that is sent when this turn is over".to_owned());
                            self.now.queued = Some(text);
                        }
                        false => self.sent(&text),
                    }
                }
            }
        }
        Ok(())
    }

    /// Ctrl-C: it stops the turn, or takes away what is typed; twice, it leaves.
    fn interrupt(&mut self) {
        let twice = self
            .now
            .pressed
            .is_some_and(|before| before.elapsed() < TWICE);
        self.now.pressed = Some(Instant::now());
        if twice {
            self.now.over = true;
        } else if self.now.worker.is_some() {
            self.stop();
            self.chat.notice = Some("stopping; Ctrl-C again leaves".to_owned());
        } else {
            self.chat.input.clear();
            self.chat.notice = Some("Ctrl-C again leaves".to_owned());
        }
    }

    fn sent(&mut self, text: &str) {
        self.chat.transcript.follow();
        let trimmed = text.trim();
        if slash::is_command(text) {
            self.chat.transcript.add(Item::person(trimmed));
            return self.command(trimmed);
        }
        self.chat.transcript.add(Item::person(text.trim_end()));
        let person = Said::Person(text.to_owned());
        if let Err(why) = self.session.keep(&person) {
            return shown::problem(self, &format!("the session cannot be kept: {why}"));
        }
        self.said.push(person);
        self.turn();
    }

    /// Carries out what starts with `/`.
    fn command(&mut self, text: &str) {
        let desk = Desk {
            base: &self.base,
            around: &self.around,
            configured: &self.configured,
            model: self.model.as_ref(),
        };
        let came = slash::carry_out(&desk, text);
        // Whatever it was, it may be a setting.
        self.judge_again();
        match came {
            Ok(Came::Lines(lines)) => shown::note(self, lines),
            Ok(Came::Settings) => self.open_settings(),
            Ok(Came::Undo(plan, lines)) => {
                shown::note(self, lines);
                self.now.undo = Some((Instant::now(), plan));
                self.chat.notice = Some(TAKE_BACK.to_owned());
            }
            Ok(Came::Sure(words, wish)) => {
                shown::note(self, vec![line(Tone::Warning, words)]);
                self.now.sure = Some((Instant::now(), wish));
                self.chat.notice = Some(SWITCH_OFF.to_owned());
            }
            Ok(Came::Model(model)) => {
                self.model = Arc::from(model);
                let words = format!("✓ `{}` answers from here on", visible(self.model.name()));
                shown::note(self, vec![line(Tone::Good, words)]);
            }
            Ok(Came::Quit) => self.now.over = true,
            Err(why) => shown::problem(self, &why),
        }
    }

    /// Starts a turn on a thread of its own.
    fn turn(&mut self) {
        self.stopped.store(false, Ordering::SeqCst);
        self.chat.activity = Some(Activity {
            words: "thinking".to_owned(),
            since: Instant::now(),
        });
        let said = Mutex::new(std::mem::take(&mut self.said));
        let (base, model, stopped) = (
            Arc::clone(&self.base),
            Arc::clone(&self.model),
            Arc::clone(&self.stopped),
        );
        let (around, to, session) = (
            self.around.clone(),
            self.to.clone(),
            Arc::clone(&self.session),
        );
        let work = move || {
            let mut said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
            let system = instructions(
                &around.workspace,
                shown::mode(base.how(), base.settings(&around.agent).as_ref()),
            );
            if !base.served().names().is_empty() {
                to.tell(News::Doing(
                    "asking the MCP servers for their tools".to_owned(),
                ));
            }
            let (tools, troubles) = base.served().tools();
            to.tell(News::Doing("thinking".to_owned()));
            for why in troubles {
                to.tell(News::Missing(why));
            }
            let turn = Turn {
                model: model.as_ref(),
                system,
                tools: &tools,
                around: &around,
                ids: &Ids::new(),
                stopped: &stopped,
            };
            let gate = || {
                // Where it cannot be read, the gate denies everything, and says so.
                let _ = base.refresh();
                base.bench()
            };
            let taken = AssertUnwindSafe(|| {
                turn.take(
                    &mut said,
                    &gate,
                    &Reporter {
                        to: to.clone(),
                        session,
                    },
                )
            });
            // Whatever breaks, the screen hears that the turn is over, and what was said is not lost.
            let ended = catch_unwind(taken).unwrap_or_else(|_| turn::Ended::broken());
            close(&mut said);
            to.tell(News::Over(Box::new(ended), said));
        };
        match std::thread::Builder::new()
            .name("sayso-turn".to_owned())
            .spawn(work)
        {
            Ok(worker) => self.now.worker = Some(worker),
            Err(error) => shown::problem(self, &format!("no thread could be started: {error}")),
        }
    }

    /// Shows the settings.
    fn open_settings(&mut self) {
        self.chat.settings = Some(Settings::new(tabs::tabs(&self.base)));
    }

    fn settings_key(&mut self, key: &Key) {
        let Some(settings) = &mut self.chat.settings else {
            return;
        };
        let wish = match self.now.sure.take() {
            Some((_, wish)) if *key == Key::Char('y') => Confirmed(wish),
            _ => Wished(settings.key(key)),
        };
        match wish {
            Wished(Wish::None) => {}
            Wished(Wish::Close) => {
                self.chat.settings = None;
                if let Some(open) = &mut self.now.asking {
                    // What stands there now was not there a moment ago.
                    open.asking.disarm();
                }
            }
            Wished(wish) if tabs::switches_asking_off(&wish) => {
                settings.renew(
                    tabs::tabs(&self.base),
                    Err(format!(
                        "y switches it off, any other key leaves it: {}",
                        tabs::OFF_MEANS
                    )),
                );
                self.now.sure = Some((Instant::now(), wish));
            }
            Wished(wish) if tabs::to_confirm(&wish).is_some() => {
                let words = tabs::to_confirm(&wish).unwrap_or_default();
                settings.ask(format!(
                    "y saves this rule, any other key leaves it: {words}"
                ));
                self.now.sure = Some((Instant::now(), wish));
            }
            Wished(wish) | Confirmed(wish) => {
                let came = tabs::carry_out(&self.base, &wish);
                let tabs = tabs::tabs(&self.base);
                if let Some(settings) = &mut self.chat.settings {
                    settings.renew(tabs, came);
                }
                self.judge_again();
            }
        }
    }

    /// A change of settings may deny a question that is open, and never approves one.
    fn judge_again(&mut self) {
        let Some(open) = &self.now.asking else { return };
        if self.base.denies(&open.prompt.operation) {
            let denial = changed(&open.prompt);
            self.answer(denial);
            self.chat.notice = Some("the open question is denied by the settings now".to_owned());
        }
    }
}

/// What the settings on the screen want.
enum Wanted {
    Wished(Wish),
    /// A second key said so, too.
    Confirmed(Wish),
}
use Wanted::{Confirmed, Wished};

/// Whether an answer is 004's "always edits", by a keymap that has a key for it.
pub(super) fn switches_mode(prompt: &Prompt, choice: &Choice, settings: Option<&Resolved>) -> bool {
    let has_key = settings.is_some_and(|settings| {
        Keymap::named(&settings.keymap)
            .key_of(Action::Edits)
            .is_some()
    });
    matches!(choice, Choice::Offer(at) if has_key && Action::Edits.offers(prompt).contains(at))
}

/// The prompt with words about the mode that the session goes on in, behind the answer that switches it.
pub(super) fn with_mode(prompt: &Arc<Prompt>, settings: &Resolved) -> Arc<Prompt> {
    let more = match settings.mode {
        Mode::ConfirmAll => {
            "; the session goes on in mode `auto-approve-edits`, where what only looks runs unasked, too"
        }
        Mode::Balanced => "; the session goes on in mode `auto-approve-edits`",
        _ => return Arc::clone(prompt),
    };
    let mut shown = (**prompt).clone();
    for (at, offer) in shown.offers.iter_mut().enumerate() {
        if switches_mode(prompt, &Choice::Offer(at), Some(settings)) {
            offer.words.push_str(more);
        }
    }
    Arc::new(shown)
}

/// The end of a question that the settings of the moment deny.
pub(super) fn changed(prompt: &Prompt) -> Ended {
    let note = Some("the settings were changed, and deny it now".to_owned());
    Ended::Answered {
        answer: Answer {
            note,
            ..prompt.answer(Choice::Deny)
        },
        by: DecidedBy::Settings,
    }
}

fn answered(answer: Answer) -> Ended {
    Ended::Answered {
        answer,
        by: DecidedBy::Terminal,
    }
}
