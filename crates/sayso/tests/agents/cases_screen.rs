//! What Claude Code is made to do at a terminal, with a person in front of it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::Case;
use crate::cases_claude::reads_why;
use crate::stage::{Hook, POLICY, Stage, bash, model, result};

const ROW: &str = "Claude Code at a terminal";
/// What the model says last.
const DONE: &str = "DONE";
/// What stands in the dialog.
const DIALOG: &str = "Do you want to proceed?";

pub fn all() -> Vec<Case> {
    let case = |column: &'static str, run: fn(&Path) -> String| Case {
        row: ROW,
        column,
        run,
    };
    vec![
        case("the policy allows", allowed),
        case("the policy denies", |agents| denied(agents, &[])),
        case("the policy asks", asked),
        case("denied, in the mode that asks nothing", |agents| {
            denied(agents, &["--dangerously-skip-permissions"])
        }),
        case("asked, in the mode that asks nothing", |agents| {
            dialog(agents, &["--dangerously-skip-permissions"])
        }),
        case("the hook is killed", |agents| broken(agents, Hook::Killed)),
        case("the hook is late", |agents| broken(agents, Hook::Slow)),
        case("the hook prints no answer", |agents| {
            broken(agents, Hook::Garbage)
        }),
        case("the hook is not there", |agents| {
            broken(agents, Hook::Missing)
        }),
    ]
}

const USUAL: [&str; 2] = ["--permission-mode", "default"];

fn allowed(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch allowed-1")]);
    let screen = stage
        .hooks_claude(Hook::Sayso, true)
        .at_terminal(&model, &[&USUAL[..], &["work"]].concat());
    let shown = screen.wait_for(DONE);
    assert!(stage.has("allowed-1") && !shown.contains(DIALOG), "{shown}");
    "runs".to_owned()
}

fn denied(agents: &Path, words: &[&str]) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch denied-1")]);
    let screen = stage
        .hooks_claude(Hook::Sayso, true)
        .at_terminal(&model, &[words, &["work"]].concat());
    let shown = screen.wait_for(DONE);
    reads_why(&result(&model, 0), "not that one");
    assert!(!stage.has("denied-1"), "{shown}");
    if words.is_empty() {
        "does not run; told why".to_owned()
    } else {
        "does not run".to_owned()
    }
}

fn asked(agents: &Path) -> String {
    dialog(agents, &USUAL)
}

/// The agent's own dialog: yes runs it, no does not.
fn dialog(agents: &Path, words: &[&str]) -> String {
    for yes in [true, false] {
        let stage = Stage::with(agents, POLICY);
        let model = model(vec![bash("touch other-1")]);
        let screen = stage
            .hooks_claude(Hook::Sayso, true)
            .at_terminal(&model, &[words, &["work"]].concat());
        let shown = screen.wait_for(DIALOG);
        assert!(
            shown.contains("touch other-1") && shown.contains("it changes files"),
            "the dialog does not say what and why:\n{shown}"
        );
        assert!(!stage.has("other-1"), "nothing runs before the answer");
        screen.keys(if yes { &["Enter"] } else { &["Escape"] });
        if yes {
            screen.wait_for(DONE);
            assert!(stage.has("other-1"));
            let approved = |entry: &serde_json::Value| {
                entry["outcome"] == "approved" && entry.to_string().contains("the dialog of claude")
            };
            wait_until(
                || stage.record().iter().any(approved),
                "the record says who approved it",
            );
        } else {
            std::thread::sleep(Duration::from_secs(1));
            assert!(!stage.has("other-1"));
        }
    }
    "its dialog: yes runs, no does not".to_owned()
}

fn wait_until(mut is: impl FnMut() -> bool, what: &str) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn broken(agents: &Path, hook: Hook) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![bash("touch any-1")]);
    let screen = stage
        .hooks_claude(hook, true)
        .at_terminal(&model, &["--dangerously-skip-permissions", "work"]);
    screen.wait_for(DONE);
    assert!(
        hook == Hook::Garbage || !stage.has("any-1"),
        "it does not fail closed: {hook:?}"
    );
    if stage.has("any-1") {
        "**runs**".to_owned()
    } else {
        "does not run".to_owned()
    }
}
