//! A thousand open prompts, answered in random order by competing threads: none lost, none crossed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sayso_core::prompt::{Choice, Ended};
use sayso_gate::prompts::{Answerer, Prompts, Refused};

use super::prompt;

/// A small generator: the order must be the same in every run.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut state = seed;
    let mut order: Vec<usize> = (0..count).collect();
    for index in (1..count).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(
            index,
            usize::try_from((state >> 33) % (index as u64 + 1)).unwrap(),
        );
    }
    order
}

#[test]
fn a_thousand_prompts_are_answered_once_each_whoever_is_first() {
    const COUNT: usize = 1000;
    let prompts = Prompts::new();
    let first = prompts.join(Answerer::new("thread 0"));
    let list: Vec<_> = (0..COUNT)
        .map(|number| prompt(&format!("p{number}"), "s", (number % 3 == 0).then_some(600)))
        .collect();
    let (won, lost) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let waiting: Vec<_> = list
            .iter()
            .map(|prompt| {
                let ticket = prompts.open(Arc::clone(prompt));
                // Half of them wait on a thread, half as a future.
                scope.spawn(move || {
                    if prompt.id.ends_with(['1', '3', '5', '7', '9']) {
                        ticket.wait()
                    } else {
                        pollster::block_on(ticket)
                    }
                })
            })
            .collect();
        assert_eq!(first.pending().len(), COUNT);
        for seed in 0..4u64 {
            let (prompts, list, won, lost) = (&prompts, &list, &won, &lost);
            scope.spawn(move || {
                let seat = prompts.join(Answerer::new(format!("thread {seed}")));
                for index in shuffled(COUNT, seed) {
                    // What is said depends on the prompt, so a crossed answer would show.
                    let choice = if index % 2 == 0 {
                        Choice::Deny
                    } else {
                        Choice::Offer(0)
                    };
                    match seat.answer(list[index].answer(choice)) {
                        Ok(()) => won.fetch_add(1, Ordering::Relaxed),
                        Err(Refused::AlreadyAnswered) => lost.fetch_add(1, Ordering::Relaxed),
                        Err(other) => panic!("{other}"),
                    };
                }
            });
        }
        for (index, thread) in waiting.into_iter().enumerate() {
            let Ended::Answered { answer, by } = thread.join().unwrap() else {
                panic!("prompt {index} was lost")
            };
            assert_eq!(
                (answer.prompt, answer.choice),
                (
                    list[index].id.clone(),
                    if index % 2 == 0 {
                        Choice::Deny
                    } else {
                        Choice::Offer(0)
                    }
                )
            );
            assert!(by.text().starts_with("thread "));
        }
    });
    let (won, lost) = (won.into_inner(), lost.into_inner());
    eprintln!(
        "{COUNT} prompts, 4 competing threads: {won} answers counted, {lost} came second, none lost, none crossed"
    );
    assert_eq!((won, lost, prompts.len()), (COUNT, 3 * COUNT, 0));
}
