//! The queue of prompts: order, first answers, late and foreign ones, ends of every kind, and many at once.

mod crowd;
mod ends;

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::prompt::presentation::{Body, Presentation};
use sayso_core::prompt::{Offer, Prompt, Round, Stores, Style};
use sayso_gate::prompts::{Answerer, Reaches};

use crate::bench::{Setup, call};

/// A prompt as the gate would make it, with an id.
pub fn prompt(id: &str, session: &str, timeout: Option<u64>) -> Arc<Prompt> {
    about(id, session, timeout, &format!("bash make {id}"))
}

pub fn about(id: &str, session: &str, timeout: Option<u64>, text: &str) -> Arc<Prompt> {
    let call = Call {
        session: session.to_owned(),
        ..call(text)
    };
    let verdict: Verdict = Setup::profile("sayso").judge(call.clone());
    let rule = Stores::Rule(sayso_core::prompt::RuleText::command("make *"));
    Arc::new(Prompt {
        id: id.to_owned(),
        operation: Arc::new(Operation::freeze(call).unwrap()),
        verdict: Arc::new(verdict),
        title: String::new(),
        sentence: "An agent wants to run a command".to_owned(),
        why: Vec::new(),
        description: id.to_owned(),
        presentation: Presentation::of(Body::Text(Vec::new())),
        round: Round::Only,
        place: None,
        group: Vec::new(),
        alike: None,
        offers: vec![
            Offer {
                scope: Scope::Once,
                stores: Stores::Nothing,
                words: "once".to_owned(),
            },
            Offer {
                scope: Scope::Session,
                stores: rule,
                words: "make".to_owned(),
            },
        ],
        style: Style::Inline,
        asked: 0,
        timeout,
    })
}

pub fn of_session(name: &str, session: &str) -> Answerer {
    Answerer {
        reaches: Reaches::Session(session.to_owned()),
        ..Answerer::new(name)
    }
}

#[test]
fn outcomes_have_words_of_their_own() {
    let mut words: Vec<&str> = sayso_core::answer::outcome::OUTCOMES
        .iter()
        .map(|(_, word)| *word)
        .collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), sayso_core::answer::outcome::OUTCOMES.len());
    assert!(
        sayso_core::answer::outcome::OUTCOMES
            .iter()
            .all(|(outcome, word)| Outcome::from_word(word) == Some(*outcome))
    );
}
