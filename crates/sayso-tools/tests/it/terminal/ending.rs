//! How a command ends, by itself or by its time limit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sayso_tools::result::ToolResult;
use sayso_tools::terminal::{self, Command, End, Outcome};

use super::{command, fact, lives, number, result, run, truth};

fn short(text: &str) -> Command<'static> {
    Command {
        time_limit: Duration::from_millis(300),
        ..command(text)
    }
}

#[test]
fn the_status_is_told() {
    let done = result("true");
    assert!(done.success && done.error.is_empty());
    assert_eq!(
        (
            number(&done, "exit_status"),
            truth(fact(&done, "timed_out"))
        ),
        (Some(0), Some(false))
    );
    let failed = result("echo why; exit 3");
    assert_eq!(
        (
            failed.success,
            failed.output.as_str(),
            failed.error.as_str()
        ),
        (false, "why\n", "exit status 3")
    );
    assert_eq!(number(&failed, "exit_status"), Some(3));
    let killed = result("kill -KILL $$");
    assert_eq!(
        (killed.success, killed.error.as_str()),
        (false, "killed by SIGKILL")
    );
    assert_eq!(
        fact(&killed, "signal").and_then(|node| node.as_text()),
        Some("SIGKILL")
    );
    assert_eq!(result("no_such_program_here").error, "exit status 127");
    assert_eq!(result("if").error, "exit status 2");
}

#[test]
fn text_that_looks_like_an_option_is_a_command() {
    for text in ["-x", "--version", "-c true", "--rcfile x", "-", "+x"] {
        assert_eq!(result(text).error, "exit status 127", "{text}");
    }
}

#[test]
fn the_time_limit_ends_it() {
    let outcome = run(short("echo $$; sleep 1000"));
    assert_eq!(outcome.end, End::TimeLimit(Duration::from_millis(300)));
    assert!(!lives(&outcome.output));
    let told = ToolResult::from(outcome);
    assert!(
        !told.success && told.error.starts_with("stopped after 0.3 s"),
        "{}",
        told.error
    );
    assert_eq!(truth(fact(&told, "timed_out")), Some(true));
}

#[test]
fn what_ignores_the_request_to_end_is_killed() {
    let outcome = run(short("trap '' TERM; echo $$; while :; do sleep 0.05; done"));
    assert!(matches!(outcome.end, End::TimeLimit(_)));
    assert!(!lives(&outcome.output) && outcome.survivors.is_empty());
}

/// Runs until the output is as wanted, and is then ended as by the time limit.
fn until(text: &str, wanted: impl Fn(&str) -> bool) -> Outcome {
    let (stop, mut seen) = (AtomicBool::new(false), String::new());
    let outcome = terminal::run(
        Command {
            stop: Some(&stop),
            ..command(text)
        },
        &mut |_, bytes| {
            seen.push_str(&String::from_utf8_lossy(bytes));
            stop.store(wanted(&seen), Ordering::Relaxed);
        },
    );
    outcome.unwrap()
}

#[test]
fn what_obeys_the_request_may_clean_up() {
    let outcome = until(
        "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.02; done",
        |seen| seen.contains("ready"),
    );
    assert!(
        outcome.end == End::Stopped && outcome.output.contains("bye\n"),
        "{outcome:?}"
    );
}

#[test]
fn endless_output_ends_in_time() {
    let outcome = run(short("yes"));
    assert!(matches!(outcome.end, End::TimeLimit(_)) && outcome.survivors.is_empty());
    let outcome = run(short("trap '' TERM; while :; do echo x; done"));
    assert!(matches!(outcome.end, End::TimeLimit(_)) && outcome.survivors.is_empty());
}

#[test]
fn a_stopped_command_ends_in_time() {
    let outcome = run(short("echo $$; kill -STOP $$; sleep 1000"));
    assert!(matches!(outcome.end, End::TimeLimit(_)) && !lives(&outcome.output));
}

#[test]
fn the_children_end_with_it() {
    let text = "trap '' TERM; setsid bash -c 'trap \"\" TERM; echo $BASHPID; sleep 1000 & echo $!; wait' & sleep 1000 & echo $!; wait; wait";
    let outcome = until(text, |seen| seen.matches('\n').count() == 3);
    assert!(
        outcome.output.lines().count() >= 3 && outcome.survivors.is_empty(),
        "{outcome:?}"
    );
    assert!(
        outcome.output.lines().all(|number| !lives(number)),
        "{}",
        outcome.output
    );
}

#[test]
fn it_ends_when_it_is_told_to_stop() {
    let outcome = until("echo $$; sleep 1000", |seen| seen.ends_with('\n'));
    assert!(outcome.end == End::Stopped && !lives(&outcome.output));
    assert!(
        ToolResult::from(outcome)
            .error
            .starts_with("stopped on request")
    );
}

#[test]
fn a_panic_on_the_way_leaves_nothing_running() {
    let number = std::sync::Mutex::new(String::new());
    let caught = std::panic::catch_unwind(|| {
        terminal::run(command("echo $$; sleep 1000"), &mut |_, bytes| {
            *number
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner) =
                String::from_utf8_lossy(bytes).into_owned();
            std::panic::resume_unwind(Box::new(()));
        })
    });
    assert!(caught.is_err());
    assert!(!lives(
        &number
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    ));
}
