//! What a command leaves running is ended, wherever it went.

use sayso_tools::result::ToolResult;

use super::{command, fact, in_folder, lives, run};

/// Each leaves a process behind and prints its number.
const LEFT: [(&str, &str); 9] = [
    ("in the background", "sleep 1000 & echo $!"),
    ("in its own session", "setsid sleep 1000 & echo $!"),
    (
        "with no output of ours",
        "setsid sleep 1000 >/dev/null 2>&1 & echo $!",
    ),
    (
        "deaf to a hang-up",
        "nohup sleep 1000 >/dev/null 2>&1 & echo $!",
    ),
    ("forked twice", "( sleep 1000 >/dev/null 2>&1 & echo $! )"),
    (
        "forked twice into a session",
        "( setsid bash -c 'sleep 1000 & echo $! > up; wait' & ); until [ -s up ]; do sleep 0.01; done; cat up",
    ),
    ("in its own group", "set -m; sleep 1000 & echo $!"),
    ("disowned", "sleep 1000 & echo $!; disown -a"),
    ("without its environment", "env -i sleep 1000 & echo $!"),
];

#[test]
fn nothing_is_left_running() {
    for (how, text) in LEFT {
        let folder = tempfile::tempdir().unwrap();
        let outcome = run(in_folder(text, folder.path()));
        assert!(!outcome.output.trim().is_empty(), "{how}");
        assert!(!lives(&outcome.output), "{how}: {}", outcome.output);
        assert!(
            outcome
                .left_behind
                .iter()
                .any(|name| name.starts_with("sleep (") || name.starts_with("bash (")),
            "{how}: {outcome:?}"
        );
        let told = ToolResult::from(outcome);
        assert!(told.success, "{how}");
        assert!(
            told.output
                .contains("[ended what the command left running: "),
            "{how}: {}",
            told.output
        );
        assert_eq!(
            fact(&told, "left_behind").map(|node| node.items().is_empty()),
            Some(false),
            "{how}"
        );
    }
}

#[test]
fn what_ignores_the_request_to_end_is_killed_too() {
    let folder = tempfile::tempdir().unwrap();
    let deaf = "setsid bash -c 'trap \"\" TERM HUP INT; echo $BASHPID > up; while :; do sleep 0.05; done' &";
    let outcome = run(in_folder(
        &format!("{deaf} until [ -s up ]; do sleep 0.01; done; cat up"),
        folder.path(),
    ));
    assert!(
        !outcome.output.is_empty() && !lives(&outcome.output) && outcome.survivors.is_empty(),
        "{outcome:?}"
    );
}

#[test]
fn nobody_waits_for_the_pipe_of_what_was_left_behind() {
    let outcome = run(command("(while :; do echo more; done) & echo done"));
    assert!(outcome.output.contains("done\n") && !outcome.left_behind.is_empty());
}

#[test]
fn what_is_about_to_end_may() {
    // On a machine with much to do `cat` may be late; not always.
    let is_whole = |_| {
        let outcome = run(command("echo text > >(cat)"));
        outcome.output == "text\n" && outcome.left_behind.is_empty()
    };
    assert!((0..50).any(is_whole));
}

#[test]
fn a_name_cannot_forge_the_message() {
    let folder = tempfile::tempdir().unwrap();
    let text = "cp \"$(command -v sleep)\" $'a\\n]b'; ./$'a\\n]b' 1000 & echo $!";
    let outcome = run(in_folder(text, folder.path()));
    assert!(!lives(&outcome.output));
    assert!(
        outcome.left_behind.iter().all(|name| !name.contains('\n')),
        "{:?}",
        outcome.left_behind
    );
}
