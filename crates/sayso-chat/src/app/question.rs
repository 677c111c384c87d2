//! The question that is open: shown, answered by keys, and ended by the clock or by changed settings.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::keymap::{Action, Keymap};
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};
use sayso_tui::key::{Key, Keys};
use sayso_tui::prompt_state::{Asking, Next};

use super::{App, MOMENT, Open};
use sayso_tui::prompt_style::Look;
use sayso_tui::terminal::notice::Notice;
use sayso_tui::terminal::tty::Taken;

impl App {
    pub(super) fn ask(&mut self, prompt: Arc<Prompt>, reply: SyncSender<Ended>) {
        let Some(settings) = self.state.base.settings(&self.state.around.agent) else {
            let _ = reply.send(Ended::Failed("the policy cannot be read".to_owned()));
            return;
        };
        let shown = with_mode(&prompt, &settings);
        let mut asking = Asking::new(
            shown,
            Look::of(&settings),
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

    /// Ends the open question.
    pub(super) fn answer(&mut self, ended: Ended) {
        if let Some(open) = self.now.asking.take() {
            // Nobody may be waiting any more.
            let _ = open.reply.send(ended);
            self.chat.bar.open = 0;
            self.now.dirty = true;
        }
    }

    /// Keys at an open question.
    pub(super) fn prompt_keys(
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
                    let is_denied = is_yes && self.state.base.denies_by_now(&open.prompt.operation);
                    match is_denied {
                        true => self.judge_again(),
                        false => {
                            if switches_mode(
                                &open.prompt,
                                &answer.choice,
                                self.state.base.settings(&self.state.around.agent).as_ref(),
                            ) {
                                self.state.base.edits_from_now_on(&self.state.around.agent);
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

    /// A change of settings may deny a question that is open, and never approves one.
    pub(super) fn judge_again(&mut self) {
        let Some(open) = &self.now.asking else { return };
        if self.state.base.denies(&open.prompt.operation) {
            let denial = changed(&open.prompt);
            self.answer(denial);
            self.chat.notice = Some("the open question is denied by the settings now".to_owned());
        }
    }
}

/// Whether an answer is 004's "always edits", by a keymap that has a key for it.
pub(crate) fn switches_mode(prompt: &Prompt, choice: &Choice, settings: Option<&Resolved>) -> bool {
    let has_key = settings.is_some_and(|settings| {
        Keymap::named(settings.keymap.word())
            .key_of(Action::Edits)
            .is_some()
    });
    matches!(choice, Choice::Offer(at) if has_key && Action::Edits.offers(prompt).contains(at))
}

/// The prompt with words about the mode that the session goes on in, behind the answer that switches it.
pub(crate) fn with_mode(prompt: &Arc<Prompt>, settings: &Resolved) -> Arc<Prompt> {
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
pub(crate) fn changed(prompt: &Prompt) -> Ended {
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
