//! Each way a prompt can end, and each way an answer can fail to count.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Answer, Choice, Ended};
use sayso_core::text::digest::Digest;
use sayso_gate::error::port_error;
use sayso_gate::prompts::{Answerer, Prompts, Refused};

use super::{about, of_session, prompt};

#[test]
fn e_06_x_06_prompts_wait_in_the_order_they_were_asked() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let tickets: Vec<_> = ["c", "a", "b"]
        .iter()
        .map(|id| prompts.open(prompt(id, "s", None)))
        .collect();
    let ids = |seat: &sayso_gate::prompts::Seat| {
        seat.pending()
            .iter()
            .map(|prompt| prompt.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&seat), ["c", "a", "b"]);
    // Whoever comes later sees them, too, with everything in them.
    let later = prompts.join(Answerer::new("web"));
    assert_eq!(ids(&later), ["c", "a", "b"]);
    let open = later.pending();
    later.answer(open[1].answer(Choice::Offer(0))).unwrap();
    assert_eq!(ids(&seat), ["c", "b"]);
    drop(tickets);
    assert!(prompts.is_empty());
}

#[test]
fn e_07_the_first_valid_answer_wins_and_others_are_told() {
    let prompts = Prompts::new();
    let (tui, web) = (
        prompts.join(Answerer::new("tui")),
        prompts.join(Answerer::new("web")),
    );
    let one = prompt("one", "s", None);
    let ticket = prompts.open(Arc::clone(&one));
    web.answer(one.answer(Choice::Deny)).unwrap();
    assert_eq!(
        tui.answer(one.answer(Choice::Offer(0))),
        Err(Refused::AlreadyAnswered)
    );
    assert_eq!(
        ticket.wait(),
        Ended::Answered {
            answer: one.answer(Choice::Deny),
            by: "web".into()
        }
    );
    assert_eq!(
        tui.answer(one.answer(Choice::Offer(0))),
        Err(Refused::AlreadyAnswered),
        "after it was taken, too (X-05)"
    );
}

#[test]
fn h_31_h_42_an_answer_counts_for_its_own_prompt_as_it_was_shown() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let (one, other) = (prompt("one", "s", None), prompt("other", "s", None));
    let first = prompts.open(Arc::clone(&one));
    let _second = prompts.open(Arc::clone(&other));
    assert_eq!(
        seat.answer(Answer {
            prompt: "nobody".to_owned(),
            ..one.answer(Choice::Deny)
        }),
        Err(Refused::Unknown)
    );
    assert_eq!(
        seat.answer(Answer {
            prompt: "other".to_owned(),
            ..one.answer(Choice::Offer(0))
        }),
        Err(Refused::OtherDigest)
    );
    assert_eq!(
        seat.answer(Answer {
            digest: Digest::of_bytes(b""),
            ..one.answer(Choice::Offer(0))
        }),
        Err(Refused::OtherDigest)
    );
    assert_eq!(
        seat.answer(one.answer(Choice::Offer(2))),
        Err(Refused::NotOffered)
    );
    assert_eq!(
        seat.answer(one.answer(Choice::Pattern {
            text: "make *".into(),
            scope: Scope::Always
        })),
        Err(Refused::NotOffered)
    );
    let wide = one.answer(Choice::Pattern {
        text: "*".into(),
        scope: Scope::Session,
    });
    assert!(matches!(seat.answer(wide), Err(Refused::BadPattern(_))));
    assert_eq!(prompts.len(), 2, "what was refused has changed nothing");
    seat.answer(one.answer(Choice::Pattern {
        text: "make one".into(),
        scope: Scope::Session,
    }))
    .unwrap();
    assert!(matches!(first.wait(), Ended::Answered { .. }));
}

#[test]
fn h_31_a_late_answer_is_refused_and_does_not_reach_the_next() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let one = prompt("one", "s", Some(1));
    let ticket = prompts.open(Arc::clone(&one));
    prompts.expire(Instant::now() + Duration::from_secs(2));
    assert_eq!(ticket.wait(), Ended::TimedOut);
    let next = prompt("next", "s", None);
    let waiting = prompts.open(next);
    assert_eq!(
        seat.answer(one.answer(Choice::Offer(0))),
        Err(Refused::Late)
    );
    assert_eq!(prompts.len(), 1);
    drop(waiting);
}

#[test]
fn r_06_somebody_of_a_session_sees_and_answers_only_that_session() {
    let prompts = Prompts::new();
    let mine = prompts.join(of_session("mine", "s"));
    let _theirs = prompts.join(of_session("theirs", "t"));
    let (one, other) = (prompt("one", "s", None), prompt("other", "t", None));
    let (_a, _b) = (
        prompts.open(Arc::clone(&one)),
        prompts.open(Arc::clone(&other)),
    );
    assert_eq!(mine.pending().len(), 1);
    assert_eq!(
        mine.answer(other.answer(Choice::Offer(0))),
        Err(Refused::NotYours)
    );
    assert_eq!(mine.activity("other"), Err(Refused::NotYours));
    mine.answer(one.answer(Choice::Offer(0))).unwrap();
}

#[test]
fn nobody_there_ends_a_prompt_at_once_also_when_they_leave() {
    let prompts = Prompts::new();
    assert_eq!(prompts.open(prompt("one", "s", None)).wait(), Ended::Nobody);
    let seat = prompts.join(of_session("tui", "t"));
    assert_eq!(
        prompts.open(prompt("two", "s", None)).wait(),
        Ended::Nobody,
        "somebody else is not there for it"
    );
    let ticket = prompts.open(prompt("three", "t", None));
    let other = prompts.join(Answerer::new("web"));
    drop(seat);
    assert_eq!(prompts.len(), 1, "the web page can still answer");
    drop(other);
    assert_eq!(
        ticket.wait(),
        Ended::Nobody,
        "H-55: a screen that is gone leaves nothing waiting"
    );
}

#[test]
fn x_01_a_prompt_ends_in_time_and_activity_puts_it_off_up_to_a_limit() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let start = Instant::now();
    let at = |seconds: u64| start + Duration::from_secs(seconds);
    let ticket = prompts.open(prompt("one", "s", Some(1000)));
    prompts.expire(at(900));
    assert_eq!(prompts.len(), 1);
    seat.activity("one").unwrap();
    prompts.expire(at(900));
    assert_eq!(prompts.len(), 1);
    for _ in 0..100 {
        seat.activity("one").unwrap();
    }
    prompts.expire(at(6000));
    assert_eq!(
        ticket.wait(),
        Ended::TimedOut,
        "four times the wait and no longer"
    );
    assert_eq!(seat.activity("one"), Err(Refused::Late));
}

#[test]
fn x_01_the_keeper_ends_prompts_by_itself() {
    let prompts = Prompts::new();
    let _seat = prompts.join(Answerer::new("tui"));
    let start = Instant::now();
    let (long, short) = (
        prompts.open(prompt("long", "s", Some(600))),
        prompts.open(prompt("short", "s", Some(1))),
    );
    assert_eq!(short.wait(), Ended::TimedOut);
    assert!(start.elapsed() >= Duration::from_millis(900));
    assert_eq!(prompts.len(), 1);
    drop(long);
}

#[test]
fn x_04_a_call_that_is_taken_back_takes_its_prompt_along() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let one = prompt("one", "s", None);
    drop(prompts.open(Arc::clone(&one)));
    assert_eq!((prompts.len(), seat.pending().len()), (0, 0));
    assert_eq!(
        seat.answer(one.answer(Choice::Offer(0))),
        Err(Refused::Late)
    );
    let ticket = prompts.open(prompt("two", "s", None));
    prompts.end_session("s");
    assert_eq!(ticket.wait(), Ended::Cancelled);
    let ticket = prompts.open(prompt("three", "s", None));
    prompts.close();
    assert_eq!(
        ticket.wait(),
        Ended::Cancelled,
        "E-12: what is open when sayso shuts down is denied"
    );
    assert_eq!(
        prompts.open(prompt("four", "s", None)).wait(),
        Ended::Cancelled
    );
}

#[test]
fn e_05_h_32_a_prompt_can_be_answered_while_it_is_being_shown() {
    let prompts = Prompts::new();
    let seat = Arc::new(std::sync::OnceLock::<sayso_gate::prompts::Seat>::new());
    let inside = Arc::clone(&seat);
    let deliver: sayso_gate::prompts::Deliver = Arc::new(move |prompt| {
        inside
            .get()
            .unwrap()
            .answer(prompt.answer(Choice::Offer(0)))
            .map_err(|refused| port_error(refused.to_string()))
    });
    assert!(
        seat.set(prompts.join(Answerer {
            deliver: Some(deliver),
            ..Answerer::new("fast")
        }))
        .is_ok()
    );
    assert!(matches!(
        prompts.open(prompt("one", "s", None)).wait(),
        Ended::Answered { .. }
    ));
}

#[test]
fn e_05_a_prompt_that_cannot_be_shown_is_denied_at_once() {
    let prompts = Prompts::new();
    let failing = |words: &'static str| -> Option<sayso_gate::prompts::Deliver> {
        Some(Arc::new(move |_| Err(port_error(words))))
    };
    let broken: Option<sayso_gate::prompts::Deliver> = Some(Arc::new(|_| panic!("oh")));
    let _one = prompts.join(Answerer {
        deliver: failing("no window"),
        ..Answerer::new("tui")
    });
    let two = prompts.join(Answerer {
        deliver: broken,
        ..Answerer::new("web")
    });
    let Ended::Failed(why) = prompts.open(prompt("one", "s", None)).wait() else {
        panic!("it was not shown to anybody")
    };
    assert!(
        why.contains("no window") && why.contains("the screen broke"),
        "{why}"
    );
    drop(two);
    let _works = prompts.join(Answerer {
        deliver: Some(Arc::new(|_| Ok(()))),
        ..Answerer::new("other")
    });
    let ticket = prompts.open(prompt("two", "s", None));
    assert_eq!(prompts.len(), 1, "one that works is enough");
    drop(ticket);
}

#[test]
fn e_05_a_screen_that_breaks_takes_nothing_from_one_that_works() {
    let prompts = Prompts::new();
    let broken = || Answerer {
        deliver: Some(Arc::new(|_| Err(port_error("no window")))),
        ..Answerer::new("tui")
    };
    let web = prompts.join(Answerer::new("web"));
    let one = prompt("one", "s", None);
    let (ticket, other) = (
        prompts.open(Arc::clone(&one)),
        prompts.open(prompt("two", "s", None)),
    );
    // Whoever joins is shown what is open before they have their seat.
    let _tui = prompts.join(broken());
    assert_eq!(prompts.len(), 2, "the web page has them");
    web.answer(one.answer(Choice::Deny)).unwrap();
    assert!(matches!(ticket.wait(), Ended::Answered { .. }));
    drop(web);
    assert!(
        matches!(other.wait(), Ended::Failed(why) if why.contains("no window")),
        "nobody is left who sees it"
    );
}

#[test]
fn a_shutdown_is_news() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let version = seat.version();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pollster::block_on(seat.changed(version)));
        std::thread::sleep(Duration::from_millis(5));
        prompts.close();
        assert_ne!(waiting.join().unwrap(), version);
    });
}

#[test]
fn an_id_is_never_used_twice() {
    let prompts = Prompts::new();
    let _seat = prompts.join(Answerer::new("tui"));
    let first = prompts.open(prompt("one", "s", None));
    assert!(matches!(
        prompts
            .open(about("one", "s", None, "bash make other"))
            .wait(),
        Ended::Failed(_)
    ));
    assert_eq!(prompts.len(), 1);
    drop(first);
    assert!(matches!(
        prompts.open(prompt("one", "s", None)).wait(),
        Ended::Failed(_)
    ));
}

#[test]
fn news_wakes_whoever_waits_for_it() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let version = seat.version();
    assert_eq!(
        seat.wait(version, Duration::from_millis(5)),
        version,
        "nothing came"
    );
    let ticket = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| seat.wait(version, Duration::from_secs(10)));
        let ticket = prompts.open(prompt("one", "s", None));
        assert_ne!(waiting.join().unwrap(), version);
        ticket
    });
    assert_ne!(pollster::block_on(seat.changed(version)), version);
    drop(ticket);
}
