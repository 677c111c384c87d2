//! Answers that were given on the command line, one a prompt, in order: `--answers y,n,s`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::prompt::keymap::Keymap;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};
use sayso_core::text::visible::visible;
use sayso_gate::ports::{Ask, Later};

use sayso_tui::lines::reply::{self, Reply};

/// Shows a prompt with the answer it got.
pub type Show = Box<dyn Fn(&Prompt, &str) + Send + Sync>;

/// Why a list of answers cannot be read.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    #[error("`{}` is no answer of the keymap `{}`", visible(.0), .1)]
    NoAnswer(String, &'static str),
    #[error(
        "`{}` is no answer: only a denial and an answer that is kept can carry words",
        visible(.0)
    )]
    TakesNoWords(String),
}

/// Answers from a list. When it is used up, nobody is there.
pub struct Scripted {
    keymap: &'static Keymap,
    left: Mutex<VecDeque<String>>,
    show: Show,
}

impl Scripted {
    /// Reads the list. Words and keys are those of the prompt; a comma ends each.
    pub fn new(keymap: &'static Keymap, list: &str, show: Show) -> Result<Self, AnswersError> {
        let answers: VecDeque<String> = split(list)
            .into_iter()
            .map(|one| one.trim().to_owned())
            .collect();
        for answer in &answers {
            let (first, words) = reply::parts(answer);
            match keymap.answer(first) {
                None => return Err(AnswersError::NoAnswer(answer.clone(), keymap.name)),
                Some(action) if !reply::takes_words(action) && !words.is_empty() => {
                    return Err(AnswersError::TakesNoWords(answer.clone()));
                }
                Some(_) => {}
            }
        }
        Ok(Scripted {
            keymap,
            left: Mutex::new(answers),
            show,
        })
    }

    /// How many answers were not needed.
    pub fn unused(&self) -> usize {
        self.left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    fn next(&self, prompt: &Prompt) -> Ended {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some(typed) = left.pop_front() else {
                return Ended::Nobody;
            };
            (self.show)(prompt, &typed);
            let (choice, note) = match reply::read(prompt, self.keymap, &typed) {
                Reply::Decided(choice, note) => (choice, note),
                // The list was written on purpose, so a wider answer needs no second key: it is the one that a screen would mark first.
                Reply::Wider(offers) => {
                    let marked = offers.get(self.keymap.first_proposal(prompt, &offers));
                    (
                        marked.map_or(Choice::Deny, |marked| Choice::Offer(*marked)),
                        None,
                    )
                }
                Reply::Kept(choice) => (choice, None),
                Reply::View | Reply::Help => continue,
                Reply::Pattern => {
                    let words = "the answer needs a pattern behind it, such as `pattern docs/**` or `project docs/**`";
                    return Ended::Failed(words.to_owned());
                }
                Reply::Nothing(_) => {
                    return Ended::Failed(format!(
                        "the answer `{}` is not offered here",
                        sayso_core::text::visible::visible(&typed)
                    ));
                }
            };
            let typed = Some(reply::parts(&typed).0.to_owned());
            let answer = Answer {
                note,
                typed,
                ..prompt.answer(choice)
            };
            return Ended::Answered {
                answer,
                by: "--answers".into(),
            };
        }
    }
}

/// The answers of a list. A comma in braces is one of a pattern: `project src/{a,b}.rs`.
fn split(list: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut depth) = (0, 0u32);
    for (at, sign) in list.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.push(list.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return list.split(',').collect();
    }
    out.push(list.get(start..).unwrap_or_default());
    out
}

impl Ask for Scripted {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move { self.next(&prompt) })
    }
}
