//! A session in lines, for terminals that cannot be painted on and for people who have a screen read to them: nothing moves, nothing is
//! painted over, and questions come in lines, too.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_core::text::visible::{visible, visible_block};
use sayso_gate::ids::Ids;
use sayso_gate::ports::{Ask, Later};
use sayso_tui::fold::{Spans, fold, line};
use sayso_tui::theme::Tone;

use super::app::{Left, changed, switches_mode, with_mode};
use super::conversation::{Said, close};
use super::one_turn::{GUTTER, Lines, Progress};
use super::runtime::Base;
use super::session_state::{SessionState, system};
use super::slash;
use super::slash::Came;
use super::turn;
use super::turn::Turn;
use super::{commands, settings_text, tabs};
use sayso_runtime::undo;
use sayso_tui::lines::paint::Paint;
use sayso_tui::terminal::typed_ahead::forget_typed;

/// What stands before what the person types.
const PERSON: &str = "you: ";
/// The same, where a text goes on.
const GOES_ON: &str = "and: ";
/// How a line of ours goes on: what stands there may have been written by others.
const MORE: &str = "    ↪ ";
/// What follows a line so soon was pasted together with it.
const TOO_SOON: Duration = Duration::from_millis(30);
/// So often it is looked whether a signal came.
const LOOK: Duration = Duration::from_millis(200);
/// Two times Ctrl-C within this time leaves.
const TWICE: Duration = Duration::from_secs(2);
/// A text has no more bytes than these.
const LONGEST: usize = 256 << 10;

/// Opens the terminal for one question in lines, which looks as these settings say.
pub type OpenTerminal = dyn Fn(&Resolved) -> io::Result<Box<dyn Ask>> + Send + Sync;

/// Asks in lines, as the settings of the moment say.
pub struct AtLines {
    settings: Mutex<Resolved>,
    open: Box<OpenTerminal>,
    base: OnceLock<Weak<Base>>,
}

impl AtLines {
    /// With these settings.
    pub fn new(settings: Resolved, open: Box<OpenTerminal>) -> AtLines {
        AtLines {
            settings: Mutex::new(settings),
            open,
            base: OnceLock::new(),
        }
    }

    /// What it asks for: a yes counts only if that does not deny the call by then.
    pub fn stands_on(&self, base: &Arc<Base>) {
        let _ = self.base.set(Arc::downgrade(base));
    }
}

impl Ask for AtLines {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            let settings = self
                .settings
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            match (self.open)(&settings) {
                Ok(line) => {
                    let ended = line.ask(with_mode(&prompt, &settings)).await;
                    let is_yes = matches!(&ended, Ended::Answered { answer, .. } if !matches!(answer.choice, Choice::Deny | Choice::Quit));
                    let base = self.base.get().and_then(Weak::upgrade);
                    if is_yes
                        && base
                            .as_ref()
                            .is_some_and(|base| base.denies_by_now(&prompt.operation))
                    {
                        return changed(&prompt);
                    }
                    if let (Some(base), Ended::Answered { answer, .. }) = (base, &ended)
                        && switches_mode(&prompt, &answer.choice, Some(&settings))
                    {
                        base.edits_from_now_on(&prompt.operation.agent().name);
                    }
                    ended
                }
                Err(error) => Ended::Failed(format!("the terminal cannot be opened: {error}")),
            }
        })
    }
}

/// A session in lines.
pub struct InLines {
    /// What it has in common with every other session.
    pub state: SessionState,
    /// Who is asked.
    pub ask: Arc<AtLines>,
    /// Who shows what calls do.
    pub progress: Arc<dyn Progress>,
}

/// What came of waiting for the person.
enum Typed {
    Text(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D.
    End,
    Gone,
}

impl InLines {
    /// Works until the person leaves, or the terminal does.
    ///
    /// # Errors
    /// When the terminal breaks.
    pub fn work(&mut self) -> io::Result<Left> {
        let mut tty = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        self.greet(&mut tty)?;
        let mut pressed: Option<Instant> = None;
        loop {
            if let Some(banner) = settings_text::banner(&self.state.base, &self.state.around.agent)
            {
                say(&mut tty, &[banner])?;
            }
            let text = match self.typed(&mut tty)? {
                Typed::Text(text) => text,
                Typed::Gone => return Ok(Left::Lost),
                Typed::End => {
                    say(&mut tty, &[String::new()])?;
                    return Ok(Left::Person);
                }
                Typed::Interrupted if pressed.is_some_and(|before| before.elapsed() < TWICE) => {
                    say(&mut tty, &[String::new()])?;
                    return Ok(Left::Person);
                }
                Typed::Interrupted => {
                    pressed = Some(Instant::now());
                    say(&mut tty, &[String::new(), "Ctrl-C again leaves".to_owned()])?;
                    continue;
                }
            };
            pressed = None;
            if text.trim().is_empty() {
                continue;
            }
            // It is a convenience: a text that cannot be kept is sent all the same.
            let _ = self.state.history.add(&text);
            match slash::is_command(&text) {
                true => {
                    if self.command(&mut tty, text.trim())? {
                        return Ok(Left::Person);
                    }
                }
                false => self.turn(&mut tty, text)?,
            }
            if self.state.stopped.swap(false, Ordering::SeqCst) {
                pressed = Some(Instant::now());
            }
            if self.state.leave.load(Ordering::SeqCst) {
                return Ok(Left::Lost);
            }
        }
    }

    fn greet(&self, tty: &mut File) -> io::Result<()> {
        let settings = self.state.base.settings(&self.state.around.agent);
        let mode = settings_text::mode(self.state.base.how(), settings.as_ref());
        let profile = settings
            .map(|settings| settings.profile)
            .unwrap_or_default();
        let mut lines = vec![
            format!("sayso chat in {}, in lines", visible(&self.state.around.workspace)),
            format!("mode {mode}, profile {profile}, agent {}, model {}", visible(&self.state.around.agent), visible(self.state.model.name())),
            "every tool that the model calls goes through the gate. what a model wrote stands behind ▍; /help says what there is"
                .to_owned(),
        ];
        lines.extend(self.state.base.bench().0.workbench.remarks.iter().cloned());
        let before = self
            .state
            .said
            .iter()
            .filter(|one| matches!(one, Said::Person(_)))
            .count();
        if before > 0 {
            lines.push(format!(
                "it goes on: you said {before} things before, and this was the last"
            ));
        }
        say(tty, &lines)?;
        let last = self
            .state
            .said
            .iter()
            .rposition(|one| matches!(one, Said::Person(_)))
            .unwrap_or_default();
        for one in self.state.said.get(last..).unwrap_or_default() {
            let (mark, text) = match one {
                Said::Person(text) => (PERSON, text),
                Said::Model(answer) if !answer.text.is_empty() => (GUTTER, &answer.text),
                _ => continue,
            };
            let lines: Vec<String> = text
                .lines()
                .map(|line| format!("{mark}{}", visible(line)))
                .collect();
            say(tty, &lines)?;
        }
        Ok(())
    }

    /// Carries out what starts with `/`; whether the person leaves.
    fn command(&mut self, tty: &mut File, text: &str) -> io::Result<bool> {
        match slash::carry_out(&self.state.desk(), text) {
            Ok(Came::Lines(lines)) => say(tty, &texts(lines))?,
            Ok(Came::Settings) => say(tty, &texts(settings_text::all(&self.state.base)))?,
            Ok(Came::Undo(plan, lines)) => {
                say(tty, &texts(lines))?;
                forget_typed(tty)?;
                tty.write_all(b"take it back? [y/N]: ")?;
                let yes = matches!(self.line(tty)?, Typed::Text(word) if matches!(word.trim(), "y" | "yes"));
                let (files, plan) = *plan;
                match yes.then(|| undo::carry_out(self.state.base.whereabouts(), &files, &plan)) {
                    None => say(tty, &["nothing was taken back".to_owned()])?,
                    Some(Ok(done)) => {
                        let mut lines: Vec<String> = done
                            .words
                            .iter()
                            .map(|words| visible(words).into_owned())
                            .collect();
                        lines.push(format!("/undo {} takes this back, too", visible(&done.id)));
                        say(tty, &lines)?;
                    }
                    Some(Err(why)) => problem(tty, &why)?,
                }
            }
            Ok(Came::Sure(words, wish)) => {
                say(tty, &[words])?;
                forget_typed(tty)?;
                tty.write_all(b"switch it off? [y/N]: ")?;
                let yes = matches!(self.line(tty)?, Typed::Text(word) if matches!(word.trim(), "y" | "yes"));
                match yes.then(|| tabs::carry_out(&self.state.base, &wish)) {
                    None => say(tty, &["nothing was changed".to_owned()])?,
                    Some(Ok(words)) => say(tty, &[words])?,
                    Some(Err(why)) => problem(tty, &why)?,
                }
            }
            Ok(Came::Model(model)) => {
                self.state.model = Arc::from(model);
                say(
                    tty,
                    &[format!(
                        "`{}` answers from here on",
                        visible(self.state.model.name())
                    )],
                )?;
            }
            Ok(Came::Quit) => return Ok(true),
            Err(why) => problem(tty, &why)?,
        }
        if let Some(settings) = self.state.base.settings(&self.state.around.agent) {
            *self
                .ask
                .settings
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = settings;
        }
        Ok(false)
    }

    fn turn(&mut self, tty: &mut File, text: String) -> io::Result<()> {
        if let Err(why) = self.state.person_says(text) {
            return problem(tty, format!("the session cannot be kept: {why}"));
        }
        self.state.stopped.store(false, Ordering::SeqCst);
        let (tools, troubles) = self.state.base.served().tools();
        for why in troubles {
            problem(tty, &why)?;
        }
        let (base, around) = (&self.state.base, &self.state.around);
        let turn = Turn {
            model: self.state.model.as_ref(),
            system: system(base, around),
            tools: &tools,
            around,
            ids: &Ids::new(),
            stopped: &self.state.stopped,
        };
        let session = Arc::clone(&self.state.session);
        let lines = Lines::new(Arc::clone(&self.progress), session, false);
        let gate = || {
            // Where it cannot be recorded, the mode stays.
            let _ = base.switch_mode(&around.agent);
            // Where it cannot be read, the gate denies everything, and says so.
            let _ = base.refresh();
            base.bench()
        };
        let said = &mut self.state.said;
        let ended = catch_unwind(AssertUnwindSafe(|| turn.take(said, &gate, &lines)))
            .unwrap_or_else(|_| turn::Ended::broken());
        close(&mut self.state.said);
        let (base, around) = (&self.state.base, &self.state.around);
        if let Some(now) = base.switch_mode(&around.agent).ok().flatten() {
            let words = commands::switched(base, &around.session, &around.agent, Some(now));
            say(tty, &texts(words))?;
        }
        match &ended.trouble {
            None => {}
            Some(trouble) if trouble.is_stopped() => {
                say(tty, &["you stopped this turn".to_owned()])?
            }
            Some(trouble) => problem(tty, trouble)?,
        }
        match ended.usage.words() {
            Some(words) => say(tty, &[words]),
            None => Ok(()),
        }
    }

    /// A text of the person: a line, several that end with `\`, or several that were pasted, which are sent by an empty one.
    fn typed(&self, tty: &mut File) -> io::Result<Typed> {
        let (mut text, mut is_pasted) = (String::new(), false);
        tty.write_all(PERSON.as_bytes())?;
        loop {
            let line = match self.line(tty)? {
                Typed::Text(line) => line,
                other => return Ok(other),
            };
            if is_pasted && line.is_empty() {
                return Ok(Typed::Text(text.trim_end_matches('\n').to_owned()));
            }
            if text.len() + line.len() > LONGEST {
                say(tty, &["that is too long; nothing is sent".to_owned()])?;
                return Ok(Typed::Text(String::new()));
            }
            let follows = ready(tty, TOO_SOON)?;
            if follows || is_pasted {
                text.push_str(&line);
                text.push('\n');
                if !follows {
                    let count = text.lines().count();
                    say(
                        tty,
                        &[format!(
                            "{count} lines are there; an empty line sends them, Ctrl-C forgets them"
                        )],
                    )?;
                    tty.write_all(GOES_ON.as_bytes())?;
                }
                is_pasted = true;
                continue;
            }
            match line.strip_suffix('\\') {
                Some(more) => {
                    text.push_str(more);
                    text.push('\n');
                    tty.write_all(GOES_ON.as_bytes())?;
                }
                None => {
                    text.push_str(&line);
                    return Ok(Typed::Text(text));
                }
            }
        }
    }

    /// One line, as the terminal gives it.
    fn line(&self, tty: &mut File) -> io::Result<Typed> {
        let mut line = Vec::new();
        loop {
            if self.state.leave.load(Ordering::SeqCst) {
                return Ok(Typed::Gone);
            }
            if self.state.stopped.swap(false, Ordering::SeqCst) {
                return Ok(Typed::Interrupted);
            }
            if !ready(tty, LOOK)? {
                continue;
            }
            let mut byte = [0u8; 4096];
            let count = match tty.read(&mut byte) {
                Ok(0) if line.is_empty() => return Ok(Typed::End),
                Ok(0) => return Ok(Typed::Text(String::from_utf8_lossy(&line).into_owned())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Ok(Typed::Gone),
            };
            line.extend_from_slice(byte.get(..count).unwrap_or_default());
            if line.last() == Some(&b'\n') {
                line.pop();
                return Ok(Typed::Text(String::from_utf8_lossy(&line).into_owned()));
            }
        }
    }
}

/// Whether something can be read within this time. A terminal that is gone can be read: it says so.
fn ready(tty: &File, time: Duration) -> io::Result<bool> {
    let time = Timespec {
        tv_sec: 0,
        tv_nsec: time.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(tty, PollFlags::IN)], Some(&time)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn texts(lines: Vec<Spans>) -> Vec<String> {
    lines
        .into_iter()
        .map(|spans| spans.into_iter().map(|(_, text)| text).collect())
        .collect()
}

/// Lines of sayso's own, broken between words: somebody may have them read out.
fn say(tty: &mut File, lines: &[String]) -> io::Result<()> {
    let width = Paint::for_stream(tty).cut_at().unwrap_or(usize::MAX);
    let mut text = String::new();
    for row in lines
        .iter()
        .flat_map(|one| one.split('\n'))
        .flat_map(|one| fold(&line(Tone::Text, one), width, MORE))
    {
        text.extend(row.into_iter().map(|(_, text)| text));
        text.push('\n');
    }
    if text.is_empty() {
        text.push('\n');
    }
    tty.write_all(text.as_bytes())?;
    tty.flush()
}

fn problem(tty: &mut File, why: impl Display) -> io::Result<()> {
    let why = why.to_string();
    let why = visible_block(&why);
    let lines: Vec<String> = why
        .lines()
        .enumerate()
        .map(|(at, text)| format!("{}{text}", if at == 0 { "sayso: " } else { MORE }))
        .collect();
    say(tty, &lines)
}
