//! A panic while a prompt stands on the screen: the person gets the terminal back as it was.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sayso::screen::painted::{Interrupts, Painted};
use sayso_core::prompt::Prompt;
use sayso_core::text::{Limits, json};
use sayso_gate::ports::Ask as _;
use sayso_runtime::inbox_client::wire;
use sayso_tui::patterns::{Earlier, Patterns};

use super::screen::Screen;
use crate::serve::Served;

/// Where the prompt is that the other process shows.
const PROMPT: &str = "SAYSO_TEST_PROMPT";

/// Breaks as soon as somebody types a pattern.
struct Broken;

impl Patterns for Broken {
    fn check(
        &self,
        _: &str,
        _: &Prompt,
    ) -> Result<
        sayso_core::answer::learned_rule::LearnedRule,
        sayso_core::prompt::patterns::TypedPatternError,
    > {
        panic!("broken on purpose");
    }

    fn earlier(
        &self,
        _: &sayso_core::prompt::Stores,
        _: sayso_core::answer::scope::Scope,
        _: &Prompt,
    ) -> Option<Earlier> {
        panic!("broken on purpose");
    }
}

/// No test by itself: what the other one starts at a terminal of its own, with the prompt of the library and something in it that breaks.
#[test]
#[ignore = "it is started by the other test, at a terminal"]
fn breaks_while_a_prompt_is_there() {
    let file = std::env::var_os(PROMPT).expect("the other test says which prompt");
    let document = json::read(&std::fs::read_to_string(file).unwrap(), &Limits::default()).unwrap();
    let whereabouts = sayso_runtime::record_folder::whereabouts().unwrap();
    let loaded = sayso_runtime::policy_snapshot::load(
        &whereabouts,
        Path::new("/"),
        &sayso_runtime::assemble::Choice::new(sayso_agents::registry::installed_paths),
    );
    let settings = sayso_runtime::workbench::settings(&loaded.policy).unwrap();
    let painted = Painted::open(
        settings,
        Arc::new(Broken),
        Arc::new(AtomicBool::new(false)),
        Interrupts::Stop,
    )
    .unwrap();
    pollster::block_on(painted.ask(Arc::new(wire::shown(&document).unwrap())));
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", serde_json::json!({"command": "make all"}));
    let mut prompt = served.prompt();
    let file = served.desk.scene.home.join("prompt.json");
    let this = std::env::current_exe().unwrap();
    let name = format!(
        "{}::breaks_while_a_prompt_is_there",
        module_path!().split_once("::").unwrap().1
    );
    for style in ["inline", "status", "modal"] {
        prompt["style"] = style.into();
        std::fs::write(&file, prompt.to_string()).unwrap();
        let line = format!(
            "echo before; {PROMPT}={} {} --ignored --exact {name} --nocapture; echo ended $?; stty -a; echo after",
            file.display(),
            this.display()
        );
        let mut screen = Screen::start(
            served.desk.scene.workspace.as_ref(),
            &served.desk.scene.home,
            &line,
            120,
            50,
        );
        screen.see("make all");
        screen.press("p");
        let raw_before = screen.raw();
        screen.see("after");
        let raw = screen.raw();
        let (text, _) = screen.end();
        assert!(
            raw_before.contains("\u{1b}[?2004h"),
            "{style}: it was taken over"
        );
        assert!(
            text.contains("broken on purpose") && text.contains("ended 101"),
            "{style}: {text}"
        );
        let is_set = |flag: &str| text.split_whitespace().any(|word| word == flag);
        assert!(
            ["icanon", "echo", "isig", "icrnl", "opost"]
                .into_iter()
                .all(is_set),
            "{style}: {text}"
        );
        assert!(
            text.contains("before") && !text.contains("allow once") && !text.contains(" wants to "),
            "{style}: {text}"
        );
        let last = |on: &str, off: &str| raw.rfind(on) <= raw.rfind(off);
        assert!(
            last("\u{1b}[?2004h", "\u{1b}[?2004l") && last("\u{1b}[?1049h", "\u{1b}[?1049l"),
            "{style}"
        );
        assert!(
            last("\u{1b}[?25l", "\u{1b}[?25h"),
            "{style}: the cursor is back"
        );
    }
    hook.kill();
}
