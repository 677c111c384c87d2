//! What a sent text starts: a command, or a turn on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sayso_core::text::visible::visible;
use sayso_gate::ids::Ids;
use sayso_tui::chat::draw::Activity;
use sayso_tui::chat::item::Item;
use sayso_tui::fold::line;
use sayso_tui::theme::Tone;

use super::turn_view;
use super::{App, SWITCH_OFF, TAKE_BACK};
use crate::commands;
use crate::conversation::close;
use crate::session_state::system;
use crate::slash;
use crate::slash::Came;
use crate::turn;
use crate::turn::Turn;
use crate::turn_events::{News, Reporter};

impl App {
    pub(super) fn sent(&mut self, text: &str) {
        self.chat.transcript.follow();
        let trimmed = text.trim();
        if slash::is_command(text) {
            self.chat.transcript.add(Item::person(trimmed));
            return self.command(trimmed);
        }
        self.chat.transcript.add(Item::person(text.trim_end()));
        if let Err(why) = self.state.person_says(text.to_owned()) {
            return turn_view::problem(self, format!("the session cannot be kept: {why}"));
        }
        self.turn();
    }

    /// Carries out what starts with `/`.
    pub(super) fn command(&mut self, text: &str) {
        let came = slash::carry_out(&self.state.desk(), text);
        // Whatever it was, it may be a setting.
        self.judge_again();
        match came {
            Ok(Came::Lines(lines)) => turn_view::note(self, lines),
            Ok(Came::Settings) => self.open_settings(),
            Ok(Came::Undo(plan, lines)) => {
                turn_view::note(self, lines);
                self.now.undo = Some((Instant::now(), plan));
                self.chat.notice = Some(TAKE_BACK.to_owned());
            }
            Ok(Came::Sure(words, wish)) => {
                turn_view::note(self, vec![line(Tone::Warning, words)]);
                self.now.sure = Some((Instant::now(), wish));
                self.chat.notice = Some(SWITCH_OFF.to_owned());
            }
            Ok(Came::Model(model)) => {
                self.state.model = Arc::from(model);
                let words = format!(
                    "✓ `{}` answers from here on",
                    visible(self.state.model.name())
                );
                turn_view::note(self, vec![line(Tone::Good, words)]);
            }
            Ok(Came::Quit) => self.now.over = true,
            Err(why) => turn_view::problem(self, &why),
        }
    }

    /// Starts a turn on a thread of its own.
    pub(super) fn turn(&mut self) {
        self.state.stopped.store(false, Ordering::SeqCst);
        self.chat.activity = Some(Activity {
            words: "thinking".to_owned(),
            since: Instant::now(),
        });
        let said = Mutex::new(std::mem::take(&mut self.state.said));
        let (base, model, stopped) = (
            Arc::clone(&self.state.base),
            Arc::clone(&self.state.model),
            Arc::clone(&self.state.stopped),
        );
        let (around, to, session) = (
            self.state.around.clone(),
            self.to.clone(),
            Arc::clone(&self.state.session),
        );
        let work = move || {
            let mut said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
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
                system: system(&base, &around),
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
            Err(error) => turn_view::problem(self, format!("no thread could be started: {error}")),
        }
    }

    /// The mode that an answer switched to counts from here on.
    pub(super) fn switch_mode(&mut self) {
        match self.state.base.switch_mode(&self.state.around.agent) {
            Ok(None) => {}
            Ok(now) => {
                let lines = commands::switched(
                    &self.state.base,
                    &self.state.around.session,
                    &self.state.around.agent,
                    now,
                );
                turn_view::note(self, lines);
            }
            Err(why) => turn_view::problem(self, &why),
        }
    }

    /// The turn ends as soon as it can.
    pub(super) fn stop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
    }
}
