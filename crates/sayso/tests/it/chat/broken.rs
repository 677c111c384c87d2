//! Something in sayso itself breaks while a session has the screen: the person gets the terminal back, and nothing runs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sayso_chat::app::{App, Now};
use sayso_chat::history::History;
use sayso_chat::model::configured::Configured;
use sayso_chat::model::{Model, ModelError, Reply, Request, Told};
use sayso_chat::runtime::{Base, Start};
use sayso_chat::session::Session;
use sayso_chat::session_state::SessionState;
use sayso_chat::tool_schemas::Around;
use sayso_chat::turn_events::ToScreen;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::prompt::Prompt;
use sayso_runtime::assemble::Choice;
use sayso_tui::chat::draw::{Bar, Chat};
use sayso_tui::chat::input::Input;
use sayso_tui::chat::transcript::Transcript;
use sayso_tui::patterns::{Earlier, Patterns};
use sayso_tui::terminal::tty::Tty;
use sayso_tui::theme::Theme;

use super::at_screen::{READY, say};
use crate::terminal::screen::Room;

/// Whether the model breaks, and not the screen.
const MODEL: &str = "SAYSO_TEST_MODEL_BREAKS";

/// Breaks as soon as somebody types a pattern.
struct Screen;

impl Patterns for Screen {
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

/// Breaks as soon as it is asked.
struct Broken;

impl Model for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn answer(&self, _: &Request<'_>, _: Told<'_>) -> Result<Reply, ModelError> {
        panic!("broken on purpose");
    }
}

/// No test by itself: what the other ones start at a terminal of its own.
#[test]
#[ignore = "it is started by the other tests, at a terminal"]
fn breaks_in_a_session() {
    let whereabouts = sayso_runtime::record_folder::whereabouts().unwrap();
    let workspace = std::env::current_dir().unwrap().canonicalize().unwrap();
    let folder = workspace.display().to_string();
    let mut tty = Tty::open().unwrap();
    let (to, news) = ToScreen::new(tty.waker().unwrap());
    let flag = || Arc::new(AtomicBool::new(false));
    let (stopped, told) = (flag(), to.clone());
    let session = Session::start(&whereabouts.state, &folder).unwrap();
    let history = History::of(&whereabouts.state);
    let configured = Configured::read(&whereabouts, &workspace).unwrap();
    let model: Arc<dyn Model> = if std::env::var_os(MODEL).is_some() {
        Arc::new(Broken)
    } else {
        Arc::from(configured.model(Some("scripted")).unwrap())
    };
    let start = Start {
        whereabouts,
        workspace: folder.clone(),
        choice: Choice::new(sayso_agents::registry::installed_paths),
        how: How::Interactive,
        ask: Arc::new(to.clone()),
        told: Box::new(move || told.told()),
        stopped: Arc::clone(&stopped),
        keys: Vec::new(),
    };
    let state = SessionState {
        base: Arc::new(Base::open(start).unwrap()),
        session: Arc::new(session),
        said: Vec::new(),
        model,
        configured,
        around: Around {
            workspace: folder,
            agent: "chat".to_owned(),
            session: "s".to_owned(),
        },
        stopped,
        leave: flag(),
        history,
    };
    let mut app = App {
        state,
        interrupted: flag(),
        to,
        news,
        patterns: Arc::new(Screen),
        chat: Chat {
            transcript: Transcript::default(),
            input: Input::default(),
            bar: Bar::default(),
            banner: None,
            activity: None,
            notice: None,
            settings: None,
            theme: Theme::COLOURS,
        },
        now: Now::default(),
    };
    app.work(&mut tty).unwrap();
}

fn line(variables: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let name = format!(
        "{}::breaks_in_a_session",
        module_path!().split_once("::").unwrap().1
    );
    format!(
        "echo before; {variables} {} --ignored --exact {name} --nocapture; echo ended $?; stty -a; echo after",
        this.display()
    )
}

#[test]
fn a_panic_gives_the_terminal_back_and_nothing_runs() {
    let room = Room::new(&[]);
    let mut screen = room.start(&line(""), 120, 50);
    screen.see(READY);
    say(&mut screen, "run make all");
    screen.see(" wants to ");
    screen.press("p");
    screen.see("after");
    let raw = screen.raw();
    let (text, _) = screen.end();
    assert!(
        text.contains("broken on purpose") && text.contains("ended 101"),
        "{text}"
    );
    let is_set = |flag: &str| text.split_whitespace().any(|word| word == flag);
    assert!(
        ["icanon", "echo", "isig", "icrnl", "opost"]
            .into_iter()
            .all(is_set),
        "{text}"
    );
    let last = |on: &str, off: &str| raw.rfind(on) <= raw.rfind(off);
    assert!(
        last("\u{1b}[?2004h", "\u{1b}[?2004l")
            && last("\u{1b}[?1049h", "\u{1b}[?1049l")
            && last("\u{1b}[?25l", "\u{1b}[?25h")
    );
    assert!(
        text.contains("before") && !text.contains(" wants to "),
        "{text}"
    );
}

#[test]
fn a_turn_that_breaks_is_told_and_the_session_goes_on() {
    let room = Room::new(&[]);
    let mut screen = room.start(&line(&format!("{MODEL}=1")), 120, 50);
    screen.see(READY);
    say(&mut screen, "hello");
    screen.see("the turn broke");
    screen.see(READY);
    say(&mut screen, "/help");
    screen.see("paints the screen anew");
    screen.send("\x03");
    screen.see("Ctrl-C again leaves");
    screen.send("\x03");
    screen.see("after");
    assert!(screen.text().contains("ended 0"), "{}", screen.text());
}
