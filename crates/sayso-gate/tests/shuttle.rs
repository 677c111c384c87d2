//! The queue of prompts under a scheduler that tries many orders of its threads: every prompt ends once, and with an answer that is its own.
#![cfg(feature = "shuttle")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::sync::Arc;

use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::prompt::presentation::{Body, Presentation};
use sayso_core::prompt::{Choice, Ended, Offer, Prompt, Round, Stores, Style};
use sayso_gate::prompts::{Answerer, Prompts, Refused};
use shuttle::thread;

/// How many orders are tried for each scene.
const ORDERS: usize = 2000;

fn prompt(id: &str) -> Arc<Prompt> {
    let operation = Operation::freeze(Call::command(format!("make {id}"), "/ws")).unwrap();
    let reading =
        sayso_shell::analyse("make").settle(&sayso_core::analysis::fact::Facts::default());
    let case = sayso_core::decide::Case {
        operation: &operation,
        reading: &reading,
        grants: &[],
        uses: None,
        now: 0,
        run: sayso_core::answer::run_mode::Run::Interactive,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    let policy = Policy::assemble(Vec::new(), &Overrides::default(), &sayso_shell::Bash);
    Arc::new(Prompt {
        id: id.to_owned(),
        verdict: Arc::new(sayso_core::decide::decide(&policy, &case)),
        operation: Arc::new(operation),
        title: String::new(),
        sentence: "An agent wants to run a command".to_owned(),
        why: Vec::new(),
        description: String::new(),
        presentation: Presentation::of(Body::Text(Vec::new())),
        round: Round::Only,
        place: None,
        group: Vec::new(),
        alike: None,
        offers: vec![Offer {
            scope: Scope::Once,
            stores: Stores::Nothing,
            words: String::new(),
        }],
        style: Style::Inline,
        asked: 0,
        timeout: None,
    })
}

#[test]
fn two_answerers_and_a_host_that_takes_back() {
    let made = [prompt("a"), prompt("b")];
    shuttle::check_random(
        move || {
            let prompts = Prompts::new();
            let keep = prompts.join(Answerer::new("keep"));
            let tickets: Vec<_> = made
                .iter()
                .map(|prompt| prompts.open(Arc::clone(prompt)))
                .collect();
            let answerers: Vec<_> = ["x", "y"]
                .into_iter()
                .map(|name| {
                    let (prompts, made) = (prompts.clone(), made.clone());
                    thread::spawn(move || {
                        let seat = prompts.join(Answerer::new(name));
                        made.iter()
                            .map(|prompt| seat.answer(prompt.answer(Choice::Offer(0))))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            let mut tickets = tickets.into_iter();
            let (waiting, dropped) = (tickets.next().unwrap(), tickets.next().unwrap());
            let host = thread::spawn(move || drop(dropped));
            let Ended::Answered { answer, by } = waiting.wait() else {
                panic!("the first prompt has an answer")
            };
            assert_eq!(answer.prompt, "a");
            host.join().unwrap();
            let said: Vec<Vec<Result<(), Refused>>> = answerers
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect();
            let wins = |index: usize| said.iter().filter(|answers| answers[index].is_ok()).count();
            assert_eq!(wins(0), 1, "one answer counts, that of {by:?}");
            assert!(
                wins(1) <= 1,
                "the one that was taken back has an answer at most once"
            );
            assert_eq!(prompts.len(), 0);
            drop(keep);
        },
        ORDERS,
    );
}

#[test]
fn an_answer_against_the_last_answerer_leaving_and_a_shutdown() {
    let made = prompt("a");
    shuttle::check_random(
        move || {
            let prompts = Prompts::new();
            let (one, other) = (
                prompts.join(Answerer::new("one")),
                prompts.join(Answerer::new("other")),
            );
            let ticket = prompts.open(Arc::clone(&made));
            let answering = made.clone();
            let answers = thread::spawn(move || one.answer(answering.answer(Choice::Deny)).is_ok());
            let leaves = thread::spawn(move || drop(other));
            let closing = prompts.clone();
            let closes = thread::spawn(move || closing.close());
            let ended = ticket.wait();
            let counted = answers.join().unwrap();
            leaves.join().unwrap();
            closes.join().unwrap();
            // Whoever was first: the end that the host sees is the one that the answerer was told.
            assert_eq!(
                matches!(ended, Ended::Answered { .. }),
                counted,
                "{ended:?}"
            );
            assert_eq!(prompts.len(), 0);
        },
        ORDERS,
    );
}
