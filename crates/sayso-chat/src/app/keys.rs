//! Keys of the person: for the text that is written, the settings, and what asks for one more key.

use std::io;
use std::time::Instant;

use sayso_tui::chat::input::Typed;
use sayso_tui::chat::settings::{Settings, Wish};
use sayso_tui::fold::line;
use sayso_tui::key::{Key, Keys};
use sayso_tui::theme::Tone;

use super::turn_view;
use super::{ARMING, App, SWITCH_OFF, TAKE_BACK, TWICE};
use crate::slash;
use crate::tabs;
use sayso_tui::terminal::tty::Taken;

impl App {
    pub(super) fn press(
        &mut self,
        keys: Vec<Key>,
        rest: &Keys,
        taken: &mut Taken<'_>,
    ) -> io::Result<()> {
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

    pub(super) fn key(&mut self, key: Key, taken: &mut Taken<'_>) -> io::Result<()> {
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
                turn_view::undo(self, &plan);
                return Ok(());
            }
            turn_view::note(self, vec![line(Tone::Faint, "  nothing was taken back")]);
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
                match tabs::carry_out(&self.state.base, &wish) {
                    Ok(words) => {
                        turn_view::note(self, vec![line(Tone::Good, format!("✓ {words}"))])
                    }
                    Err(why) => turn_view::problem(self, &why),
                }
                self.judge_again();
                return Ok(());
            }
            turn_view::note(self, vec![line(Tone::Faint, "  nothing was changed")]);
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
                    let _ = self.state.history.add(&text);
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
    pub(super) fn interrupt(&mut self) {
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

    /// Shows the settings.
    pub(super) fn open_settings(&mut self) {
        self.chat.settings = Some(Settings::new(tabs::tabs(&self.state.base)));
    }

    pub(super) fn settings_key(&mut self, key: &Key) {
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
                    tabs::tabs(&self.state.base),
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
                let came = tabs::carry_out(&self.state.base, &wish);
                let tabs = tabs::tabs(&self.state.base);
                if let Some(settings) = &mut self.chat.settings {
                    settings.renew(tabs, came);
                }
                self.judge_again();
            }
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
