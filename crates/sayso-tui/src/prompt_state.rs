//! One prompt and somebody at it: keys and time go in, an answer comes out. It draws nothing and waits for nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::Action;
use sayso_core::prompt::presentation::Body;
use sayso_core::prompt::{Answer, Choice, Prompt, Round};

use crate::block::Block;
use crate::clock::{ARMING, Clock};
use crate::confirm::Confirm;
use crate::document::Document;
use crate::key::Key;
use crate::legend;
use crate::patterns::{PatternEntry, Patterns};
use crate::prompt_style::{Look, is_compact, must_be_seen};
use crate::text_cursor::TextCursor;

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// More keys are needed.
    Wait,
    /// It is answered.
    Answered(Answer),
    /// The person wants their shell back for a while.
    Suspend,
    /// The screen is to be painted anew.
    Repaint,
    /// Ctrl-C: whoever asks knows whether that stops a batch, or only leaves the screen.
    Interrupted,
}

/// What the keys are for.
pub(crate) enum Mode {
    /// The question itself.
    Question,
    /// A wider yes: how far and how wide it goes is shown, and a second key is needed.
    Confirm(Confirm),
    /// A pattern is typed.
    Pattern(PatternEntry),
    /// Words for the agent are typed.
    Note { entry: TextCursor, opened: Instant },
    /// What the keys do.
    Help { block: Block, top: usize },
    /// All of it, on the whole screen: one body after the other, then what stands around them.
    View { pane: usize },
}

/// A prompt and somebody at it.
pub struct Asking {
    pub(crate) prompt: Arc<Prompt>,
    pub(crate) look: Look,
    pub(crate) document: Document,
    /// The bodies as they are, where the question is too short for them and somebody has looked.
    pub(crate) viewed: Option<Document>,
    /// What is only known of the call.
    pub(crate) details: Document,
    pub(crate) mode: Mode,
    /// Why the last key decided nothing.
    pub(crate) notice: Option<String>,
    /// The last frame had no room for what has to be seen.
    pub(crate) cramped: bool,
    pub(crate) clock: Clock,
    patterns: Arc<dyn Patterns>,
    /// Something was pressed that means nothing here: whoever did so is not looking, and Enter is no yes any more.
    disturbed: bool,
    /// The key that chose the answer, as the record shows it.
    pressed: Option<String>,
    /// From when keys count; none until the question stands there.
    armed: Option<Instant>,
}

impl Asking {
    /// Starts to ask.
    pub fn new(prompt: Arc<Prompt>, look: Look, patterns: Arc<dyn Patterns>, now: Instant) -> Self {
        let (document, details) = (
            Document::question(&prompt, &look),
            Document::details(&prompt, &look),
        );
        let clock = Clock::start(prompt.timeout, now);
        Asking {
            prompt,
            look,
            document,
            viewed: None,
            details,
            mode: Mode::Question,
            notice: None,
            cramped: false,
            clock,
            patterns,
            disturbed: false,
            pressed: None,
            armed: None,
        }
    }

    /// The question stands on the screen now.
    pub fn painted(&mut self, now: Instant) {
        if self.armed.is_none() {
            self.armed = now.checked_add(ARMING);
        }
    }

    /// What follows has to stand there for a moment before a key counts.
    pub fn disarm(&mut self) {
        self.armed = None;
    }

    /// The time that somebody else keeps for this prompt, and every other screen shows.
    pub fn set_due(&mut self, due: Option<Instant>) {
        self.clock = Clock::until(due);
    }

    /// Whether the time is up.
    pub fn is_over(&self, now: Instant) -> bool {
        self.clock.left(now).is_some_and(|left| left.is_zero())
    }

    /// How long until the screen shows something else without a key.
    pub fn next_change(&self, now: Instant) -> Option<Duration> {
        self.clock.next_change(now)
    }

    /// Whether colours are still being worked out, so that another frame in a moment may have more of them.
    pub fn is_waiting(&self) -> bool {
        self.viewed.as_ref().unwrap_or(&self.document).is_waiting()
    }

    /// More came with the key that would have answered: somebody pasted, or did not look.
    pub fn too_fast(&mut self) {
        self.notice = Some("that came too fast for a key, and decides nothing".to_owned());
        self.disturbed = true;
        self.disarm();
    }

    /// Something was typed that was not meant for this question: from here on Enter is no yes.
    pub fn disturb(&mut self) {
        self.disturbed = true;
    }

    /// Whether Enter says yes now: where the policy lets it, for what is routine, and only as the first key that is pressed.
    pub(crate) fn enter_approves(&self) -> bool {
        self.look.enter_approves && !self.disturbed && self.prompt.is_routine()
    }

    /// Takes what came in one go.
    pub fn keys(&mut self, keys: Vec<Key>, now: Instant) -> Next {
        let typed = keys
            .iter()
            .filter(|key| matches!(key, Key::Char(_) | Key::Enter))
            .count();
        let in_text = matches!(self.mode, Mode::Pattern(_) | Mode::Note { .. });
        // Nobody types two keys in the same moment: a terminal that does not tell pastes apart sends them like this.
        if typed > 1 && !in_text && !keys.contains(&Key::Ctrl('c')) {
            self.clock.activity(now);
            let is_yes = |key: &Key| matches!(key, Key::Char(key) if self.look.keymap.key(*key) == Some(Action::Allow(Scope::Once)));
            if self.cancels_with_any_key() && !self.is_too_early(now) && !keys.iter().all(is_yes) {
                return self.answer(Choice::Deny, None);
            }
            self.too_fast();
            return Next::Wait;
        }
        for key in keys {
            if typed > 1 && key == Key::Enter {
                continue;
            }
            match self.key(key, now) {
                Next::Wait => {}
                next => return next,
            }
        }
        Next::Wait
    }

    fn key(&mut self, key: Key, now: Instant) -> Next {
        let too_early = self.is_too_early(now);
        if too_early && !matches!(key, Key::Focus(_)) {
            // Whoever is in the middle of a sentence goes on typing: the moment starts again with each key.
            self.armed = now.checked_add(ARMING);
        }
        match key {
            Key::Focus(_) => return Next::Wait,
            Key::Ctrl('c') => return Next::Interrupted,
            Key::Ctrl('z') => return Next::Suspend,
            Key::Ctrl('l') => return Next::Repaint,
            _ => {}
        }
        self.clock.activity(now);
        if too_early {
            self.disturbed = true;
            self.notice =
                Some("what was typed before the question stood there does not count".to_owned());
            return Next::Wait;
        }
        self.notice = None;
        if self.cancels_with_any_key() {
            return self.confirmation(&key);
        }
        match &mut self.mode {
            Mode::Question => self.question(key, now),
            Mode::Confirm(_) => self.confirm(&key, now),
            Mode::Pattern(_) => self.pattern(&key, now),
            Mode::Note { .. } => self.note(&key, now),
            Mode::Help { block, top } => {
                let most = block.rows().saturating_sub(1);
                match key {
                    Key::Down | Key::PageDown => {
                        *top = (*top + if key == Key::Down { 1 } else { 10 }).min(most)
                    }
                    Key::Up | Key::PageUp => {
                        *top = top.saturating_sub(if key == Key::Up { 1 } else { 10 })
                    }
                    _ => self.mode = Mode::Question,
                }
                Next::Wait
            }
            Mode::View { .. } => self.view(&key),
        }
    }

    /// Whether what is typed comes too early to count. What is typed as text always counts.
    fn is_too_early(&self, now: Instant) -> bool {
        !matches!(self.mode, Mode::Pattern(_) | Mode::Note { .. })
            && self.armed.is_none_or(|armed| now < armed)
    }

    /// At the second of two confirmations every key but the yes key cancels (P-07).
    fn cancels_with_any_key(&self) -> bool {
        self.prompt.round == Round::Second && matches!(self.mode, Mode::Question)
    }

    fn confirmation(&mut self, key: &Key) -> Next {
        // What a terminal reports is no key of a person's.
        if *key == Key::Other {
            return Next::Wait;
        }
        self.pressed = Some(key.name());
        let pressed = if let Key::Char(character) = key {
            self.look.keymap.key(*character)
        } else {
            None
        };
        match Action::at(pressed, &self.prompt) {
            Some(yes @ Action::Allow(_)) => self.allow(yes),
            Some(Action::Quit) => self.answer(Choice::Quit, None),
            _ => self.answer(Choice::Deny, None),
        }
    }

    fn question(&mut self, key: Key, now: Instant) -> Next {
        self.pressed = Some(key.name());
        match key {
            Key::Esc => self.answer(Choice::Deny, None),
            Key::Enter if self.enter_approves() => self.act(Action::Allow(Scope::Once), now),
            Key::Enter => self.nothing("Enter decides nothing here"),
            Key::Tab => {
                self.mode = Mode::Note {
                    entry: TextCursor::default(),
                    opened: now,
                };
                Next::Wait
            }
            Key::Paste(_) => {
                self.disarm();
                self.nothing("what is pasted answers nothing")
            }
            Key::Char(' ') => {
                self.document.scroll(&Key::PageDown);
                Next::Wait
            }
            Key::Char(character) => match Action::at(self.look.keymap.key(character), &self.prompt)
            {
                Some(action) => self.act(action, now),
                None => self.nothing("that is none of the keys, and decides nothing"),
            },
            other => {
                self.document.scroll(&other);
                Next::Wait
            }
        }
    }

    fn act(&mut self, action: Action, now: Instant) -> Next {
        match action {
            Action::Deny => self.answer(Choice::Deny, None),
            Action::Quit => self.answer(Choice::Quit, None),
            Action::View => {
                if self.viewed.is_none() && is_compact(&self.prompt) {
                    self.viewed = Some(Document::with_bodies(&self.prompt, &self.look));
                }
                // A command that was seen whole in the question is not what is looked for: what is left are its details.
                let is_command = matches!(self.prompt.presentation.whole(), Body::Command { .. });
                let pane = if is_command && self.document.unseen_call() == 0 {
                    self.bodies().bodies()
                } else {
                    0
                };
                self.mode = Mode::View { pane };
                Next::Wait
            }
            Action::Help => {
                self.mode = Mode::Help {
                    block: Block::new(legend::help(
                        &self.prompt,
                        &self.look,
                        self.enter_approves(),
                    )),
                    top: 0,
                };
                Next::Wait
            }
            Action::Pattern if legend::takes_pattern(&self.prompt) => {
                if let Some(why) = self.withheld() {
                    return self.nothing(&why);
                }
                self.mode = Mode::Pattern(PatternEntry::open(
                    &self.prompt,
                    None,
                    self.patterns.as_ref(),
                    now,
                ));
                Next::Wait
            }
            // Where no pattern can be kept, the key means the project.
            Action::Pattern => self.allow(Action::Allow(Scope::Project)),
            Action::Allow(_) | Action::Edits | Action::ServerTool => self.allow(action),
        }
    }

    fn allow(&mut self, action: Action) -> Next {
        let offers = action.offers(&self.prompt);
        let Some(first) = offers.first().copied() else {
            return self.nothing("that is not offered here");
        };
        if let Some(why) = self.withheld() {
            return self.nothing(&why);
        }
        if action == Action::Allow(Scope::Once) {
            return self.answer(Choice::Offer(first), None);
        }
        self.mode = Mode::Confirm(Confirm::open(
            action,
            offers,
            &self.prompt,
            self.look.keymap,
            self.patterns.as_ref(),
        ));
        // The second key is a fresh one.
        self.disarm();
        Next::Wait
    }

    /// Why a yes does not count yet (Z-50, Z-51).
    pub(crate) fn withheld(&self) -> Option<String> {
        if self.cramped {
            return Some("the window is too small to show this: make it larger first".to_owned());
        }
        // Whoever is asked for the second time has seen it the first time.
        let is_command = self.prompt.round != Round::Second
            && matches!(self.prompt.presentation.whole(), Body::Command { .. });
        let unseen = match (must_be_seen(&self.prompt), is_command) {
            (true, _) => self.document.unseen(),
            (false, true) => self.document.unseen_call(),
            (false, false) => 0,
        };
        let key = self.look.keymap.key_of(Action::View).unwrap_or('v');
        let lines = if unseen == 1 {
            "1 line was".to_owned()
        } else {
            format!("{unseen} lines were")
        };
        (unseen > 0).then(|| {
            format!(
                "{lines} not on the screen yet: look first (PgDn, or {key} for all), then say yes"
            )
        })
    }

    fn confirm(&mut self, key: &Key, now: Instant) -> Next {
        let Mode::Confirm(confirm) = &mut self.mode else {
            return Next::Wait;
        };
        match key {
            Key::Char('y' | 'Y') if !self.cramped => match confirm.chosen() {
                Some(offer) => return self.answer(Choice::Offer(offer), None),
                None => self.mode = Mode::Question,
            },
            Key::Char('y' | 'Y') => {
                return self.nothing("the window is too small to show this: make it larger first");
            }
            Key::Char('e' | 'E') if self.prompt.takes_pattern() => {
                let offer = confirm.chosen().and_then(|at| self.prompt.offers.get(at));
                self.mode = Mode::Pattern(PatternEntry::open(
                    &self.prompt,
                    offer,
                    self.patterns.as_ref(),
                    now,
                ));
            }
            Key::Esc | Key::Char('n' | 'N' | 'q') | Key::Backspace => self.mode = Mode::Question,
            Key::Paste(_) => {
                self.disarm();
                return self.nothing("what is pasted answers nothing");
            }
            key if confirm.key(key, &self.prompt, self.patterns.as_ref()) => {}
            _ => return self.nothing("only y keeps that; Esc goes back"),
        }
        Next::Wait
    }

    fn pattern(&mut self, key: &Key, now: Instant) -> Next {
        let Mode::Pattern(entry) = &mut self.mode else {
            return Next::Wait;
        };
        match key {
            Key::Esc => self.mode = Mode::Question,
            Key::Enter if now.saturating_duration_since(entry.opened) < ARMING => {
                return self.nothing("that came too fast; look at it first");
            }
            Key::Enter if self.cramped => {
                return self.nothing("the window is too small to show this: make it larger first");
            }
            Key::Enter => match entry.choice(&self.prompt) {
                Ok(choice) => return self.answer(choice, None),
                Err(why) => return self.nothing(&why.to_string()),
            },
            key => entry.key(key, &self.prompt, self.patterns.as_ref()),
        }
        Next::Wait
    }

    fn note(&mut self, key: &Key, now: Instant) -> Next {
        let Mode::Note { entry, opened } = &mut self.mode else {
            return Next::Wait;
        };
        match key {
            Key::Esc => self.mode = Mode::Question,
            Key::Enter if now.saturating_duration_since(*opened) < ARMING => {}
            Key::Enter => {
                let words = Some(entry.text().trim().to_owned()).filter(|words| !words.is_empty());
                return self.answer(Choice::Deny, words);
            }
            key => {
                entry.key(key);
            }
        }
        Next::Wait
    }

    fn view(&mut self, key: &Key) -> Next {
        let Mode::View { pane } = &mut self.mode else {
            return Next::Wait;
        };
        let document = self.viewed.as_mut().unwrap_or(&mut self.document);
        let panes = document.bodies() + 1;
        let taken = match document.body(*pane) {
            // While a search is typed, every key is a letter of it.
            Some(body) => {
                (body.is_typing() || !matches!(key, Key::Tab | Key::BackTab)) && body.key(key)
            }
            None => self.details.scroll(key),
        };
        if taken {
            return Next::Wait;
        }
        let is_view = |character: char| self.look.keymap.key(character) == Some(Action::View);
        match key {
            Key::Tab => *pane = (*pane + 1) % panes,
            Key::BackTab => *pane = (*pane + panes - 1) % panes,
            Key::Char(' ') => drop(self.details.scroll(&Key::PageDown)),
            Key::Char(character) if *character == 'q' || is_view(*character) => self.leave_view(),
            Key::Esc | Key::Enter => self.leave_view(),
            _ => return self.nothing("Esc goes back to the question"),
        }
        Next::Wait
    }

    /// The document whose bodies are looked at.
    pub(crate) fn bodies(&mut self) -> &mut Document {
        self.viewed.as_mut().unwrap_or(&mut self.document)
    }

    fn leave_view(&mut self) {
        self.mode = Mode::Question;
        self.document.scroll(&Key::Home);
        self.disarm();
    }

    fn nothing(&mut self, why: &str) -> Next {
        self.notice = Some(why.to_owned());
        self.disturbed = true;
        Next::Wait
    }

    fn answer(&self, choice: Choice, note: Option<String>) -> Next {
        Next::Answered(Answer {
            note,
            typed: self.pressed.clone(),
            ..self.prompt.answer(choice)
        })
    }
}
