//! `sayso chat`: a conversation with a model whose every tool call goes through the gate.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::policy::setting_words::PromptStyle;
use sayso_core::text::count::{agreed, count};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};
use sayso_gate::ids::Ids;
use sayso_gate::ports::Ask;
use sayso_gate::run_mode;
use sayso_tui::chat::draw::{Bar, Chat};
use sayso_tui::chat::input::Input;
use sayso_tui::chat::item::Item;
use sayso_tui::chat::transcript::Transcript;
use sayso_tui::theme::{Theme, Tone};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::run::{Nobody, exit, result};
use super::{Place, PolicyChoice, Stop, Unasked, say};
use crate::exit_code::Exit;
use crate::screen;
use crate::screen::ago::ago;
use crate::screen::line::Line;
use crate::screen::painted::Interrupts;
use crate::screen::progress::Progress;
use sayso_chat as chat;
use sayso_chat::app::{App, Left, Now};
use sayso_chat::commands::{COMMANDS, sandbox};
use sayso_chat::conversation::Said;
use sayso_chat::history::History;
use sayso_chat::in_lines::{AtLines, InLines};
use sayso_chat::model::Model;
use sayso_chat::model::configured::Configured;
use sayso_chat::one_turn::Lines;
use sayso_chat::runtime::{Base, MakeTold, Start};
use sayso_chat::session;
use sayso_chat::session::{Session, short};
use sayso_chat::session_state::{SessionState, system};
use sayso_chat::tool_schemas::Around;
use sayso_chat::turn::{Ended, Turn};
use sayso_chat::turn_events::{News, ToScreen};
use sayso_core::policy::settings::Resolved;
use sayso_runtime::earlier_calls::InRecord;
use sayso_runtime::record_folder;
use sayso_runtime::workbench::settings;
use sayso_tui::lines::paint::Paint;
use sayso_tui::lines::plain::Look;
use sayso_tui::terminal::tty::Tty;

/// The longest question that is read from standard input.
const LONGEST_QUESTION: u64 = 4 << 20;

/// Talk with a model; every tool it calls goes through the gate.
#[derive(Debug, Args)]
#[command(
    after_help = "Models: the built-in `scripted` one, `openai:NAME` and `anthropic:NAME` (keys in OPENAI_API_KEY and ANTHROPIC_API_KEY, other\n\
addresses in OPENAI_BASE_URL and ANTHROPIC_BASE_URL), and those of `chat.yaml` in the folder of your policy, each with `key_env` or `key_file`.\n\n\
Examples:\n  sayso chat\n  sayso chat --model anthropic:claude-sonnet-4-5\n  sayso chat 'what does this project do?'\n  git diff | sayso chat --strict 'review this'\n  sayso chat --resume\n\n\
Exit status of one turn: 0 all ran, 1 a tool or the model failed, 20 some calls were refused, 2 usage."
)]
pub(super) struct ChatArgs {
    #[command(flatten)]
    choice: PolicyChoice,

    /// A question: it is answered in one turn, without a screen. What is piped in goes with it.
    #[arg(value_name = "QUESTION")]
    question: Vec<String>,

    /// Who answers.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Who the calls are from, for the rules of single agents.
    #[arg(long, value_name = "NAME", default_value = "chat")]
    agent: String,

    #[command(flatten)]
    unasked: Unasked,

    /// Go on with an earlier session: the last one of this folder, or the one with this id.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    resume: Option<String>,

    /// Show the earlier sessions.
    #[arg(long, conflicts_with_all = ["question", "resume"])]
    list: bool,

    /// A conversation and questions in plain lines, without painting on the terminal: for screen readers, and for logs of a session.
    #[arg(long)]
    plain: bool,

    /// Print the answer and what came of each call as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ChatArgs) -> Result<Exit, Stop> {
    if args.list {
        return list(args.json);
    }
    let place = Place::open(&args.choice)?;
    place.warn();
    place.insist()?;
    let how = place.settle(args.unasked.flags())?;
    let configured =
        Configured::read(&place.whereabouts, Path::new(&place.folder)).map_err(Stop::usage)?;
    let model = configured
        .model(args.model.as_deref())
        .map_err(Stop::usage)?;
    let is_session = args.question.is_empty()
        && !args.json
        && io::stdin().is_terminal()
        && io::stdout().is_terminal();
    let question = match is_session {
        true => None,
        false => Some(question(args)?),
    };
    let (session, said) = opened(args, &place)?;
    let style = settings(&place.loaded.policy).map(|settings| settings.prompt_style);
    let in_lines_only = args.plain || style == Some(PromptStyle::Line);
    let opening = Opening {
        args,
        place,
        how,
        configured,
        model,
        session,
        said,
    };
    match question {
        Some(question) => once(opening, question),
        None if in_lines_only || !screen::can_be_painted_on() => in_lines(opening),
        None => on_screen(opening),
    }
}

/// A session that is about to start.
struct Opening<'a> {
    args: &'a ChatArgs,
    place: Place,
    how: How,
    configured: Configured,
    model: Box<dyn Model>,
    session: Session,
    said: Vec<Said>,
}

impl Opening<'_> {
    /// Puts the policy, the gate and the tools together.
    fn state(
        self,
        ask: Arc<dyn Ask>,
        told: MakeTold,
        stopped: &Arc<AtomicBool>,
        leave: Arc<AtomicBool>,
    ) -> Result<SessionState, Stop> {
        let base = Base::open(Start {
            whereabouts: self.place.whereabouts,
            workspace: self.place.folder.clone(),
            choice: self.args.choice.flags(),
            how: self.how,
            ask,
            told,
            stopped: Arc::clone(stopped),
            keys: self.configured.key_files(),
        });
        let base = base.map_err(|why| {
            Stop::hint(why, "nothing was run: what cannot be recorded does not run")
        })?;
        Ok(SessionState {
            history: History::of(&base.whereabouts().state),
            base: Arc::new(base),
            session: Arc::new(self.session),
            said: self.said,
            model: Arc::from(self.model),
            configured: self.configured,
            // A grant for a session is for this run of it: after `--resume`, calls are asked about again.
            around: Around {
                workspace: self.place.folder,
                agent: self.args.agent.clone(),
                session: Ids::new().next("chat"),
            },
            stopped: Arc::clone(stopped),
            leave,
        })
    }
}

fn flag() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

/// A session with a screen.
fn on_screen(opening: Opening<'_>) -> Result<Exit, Stop> {
    let cannot = |error: io::Error| Stop::usage(format!("the terminal cannot be opened: {error}"));
    let mut tty = Tty::open().map_err(cannot)?;
    let (to, news) = ToScreen::new(tty.waker().map_err(cannot)?);
    let (stopped, leave, interrupted) = (flag(), flag(), flag());
    for (signal, flag) in [(SIGTERM, &leave), (SIGHUP, &leave), (SIGINT, &interrupted)] {
        // Where a signal cannot be caught, it ends sayso as it always did.
        let _ = signal_hook::flag::register(signal, Arc::clone(flag));
    }
    let told = to.clone();
    let patterns = Arc::new(InRecord::new(opening.place.whereabouts.state.clone()));
    let ask = Arc::new(to.clone());
    let state = opening.state(ask, Box::new(move || told.told()), &stopped, leave)?;
    let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let typed = state
        .history
        .load()
        .into_iter()
        .chain(state.said.iter().filter_map(|one| match one {
            Said::Person(text) => Some(text.clone()),
            _ => None,
        }));
    let chat = Chat {
        transcript: Transcript::default(),
        input: Input::new(COMMANDS, typed.collect()),
        bar: Bar::default(),
        banner: None,
        activity: None,
        notice: None,
        settings: None,
        theme: if colours {
            Theme::COLOURS
        } else {
            Theme::PLAIN
        },
    };
    let mut app = App {
        state,
        interrupted,
        to,
        news,
        patterns,
        chat,
        now: Now::default(),
    };
    greet(&mut app);
    // It is tried out, which takes a moment: the first frame does not wait for it.
    let to = app.to.clone();
    drop(std::thread::Builder::new().spawn(move || to.tell(News::Sandbox(sandbox()))));
    let left = app.work(&mut tty);
    ended(&app.state, left)
}

/// The end of a session is written down, and the person is told how to go on with it.
fn ended(state: &SessionState, left: io::Result<Left>) -> Result<Exit, Stop> {
    let recorder = &state.base.bench().0.workbench.recorder;
    super::end_session(recorder, &state.around.session);
    match left {
        Ok(Left::Person) => {
            say(&format!(
                "the session is kept; `sayso chat --resume {}` goes on with it\n",
                visible(short(&state.session.id))
            ))?;
            Ok(Exit::Allowed)
        }
        Ok(Left::Lost) => Ok(Exit::Failed),
        Err(error) => Err(Stop::usage(format!("the terminal broke: {error}"))),
    }
}

/// A session in lines.
fn in_lines(opening: Opening<'_>) -> Result<Exit, Stop> {
    let (stopped, leave) = (flag(), flag());
    for (signal, flag) in [
        (SIGTERM, &leave),
        (SIGHUP, &leave),
        (SIGTERM, &stopped),
        (SIGHUP, &stopped),
        (SIGINT, &stopped),
    ] {
        // Where a signal cannot be caught, it ends sayso as it always did.
        let _ = signal_hook::flag::register(signal, Arc::clone(flag));
    }
    let usual = settings(&opening.place.loaded.policy)
        .cloned()
        .ok_or_else(|| Stop::usage("the policy cannot be read"))?;
    let patterns = Arc::new(InRecord::new(opening.place.whereabouts.state.clone()));
    let stops = Arc::clone(&stopped);
    let open = move |settings: &Resolved| -> io::Result<Box<dyn Ask>> {
        let look = |paint| Look::of(settings, paint);
        let line = Line::open(look, Arc::<InRecord>::clone(&patterns), Arc::clone(&stops))?;
        Ok(Box::new(line))
    };
    let ask = Arc::new(AtLines::new(usual, Box::new(open)));
    let progress = Arc::new(progress(false));
    let asks = Arc::<AtLines>::clone(&ask);
    let state = opening.state(asks, told(&progress), &stopped, leave)?;
    ask.stands_on(&state.base);
    let mut lines = InLines {
        state,
        ask,
        progress,
    };
    let left = lines.work();
    ended(&lines.state, left)
}

/// Tells what runs in lines.
fn told(progress: &Arc<Progress>) -> MakeTold {
    let progress = Arc::clone(progress);
    Box::new(move || progress.told())
}

/// The first lines of a session.
fn greet(app: &mut App) {
    let mut lines = vec![
        vec![
            (Tone::Strong, "sayso chat".to_owned()),
            (
                Tone::Text,
                format!(" in {}", visible(&app.state.around.workspace)),
            ),
        ],
        vec![(
            Tone::Faint,
            format!(
                "{} answers; every tool it calls goes through the gate. /help says what there is",
                visible(app.state.model.name())
            ),
        )],
    ];
    let bench = app.state.base.bench();
    lines.extend(
        bench
            .0
            .workbench
            .remarks
            .iter()
            .map(|remark| vec![(Tone::Warning, remark.clone())]),
    );
    app.chat.transcript.add(Item::note(lines));
    chat::earlier(app);
}

/// A new session, or an earlier one with what was said in it.
fn opened(args: &ChatArgs, place: &Place) -> Result<(Session, Vec<Said>), Stop> {
    let state = &place.whereabouts.state;
    let Some(id) = &args.resume else {
        return Session::start(state, &place.folder)
            .map(|session| (session, Vec::new()))
            .map_err(Stop::usage);
    };
    let resumed = Session::resume(
        state,
        &place.folder,
        Some(id.as_str()).filter(|id| !id.is_empty()),
    )
    .map_err(Stop::usage)?;
    if resumed.unreadable > 0 {
        let _ = writeln!(
            io::stderr(),
            "sayso: {} of the session could not be read, and {} left out",
            count(resumed.unreadable, "line"),
            agreed(resumed.unreadable, "is", "are")
        );
    }
    Ok((resumed.session, resumed.said))
}

/// What is asked: the words of the command line, and what is piped in.
fn question(args: &ChatArgs) -> Result<String, Stop> {
    let mut words = args.question.join(" ");
    if !io::stdin().is_terminal() {
        let mut bytes = Vec::new();
        let read = io::stdin()
            .lock()
            .take(LONGEST_QUESTION + 1)
            .read_to_end(&mut bytes);
        read.map_err(|error| Stop::usage(format!("cannot read standard input: {error}")))?;
        let piped = super::text_of(bytes, LONGEST_QUESTION, "standard input")?;
        if !words.is_empty() && !piped.trim().is_empty() {
            words.push_str("\n\n");
        }
        words.push_str(piped.trim_end());
    }
    match words.trim().is_empty() {
        true => Err(Stop::hint(
            "there is no question",
            "say one: `sayso chat 'what is in this folder?'`",
        )),
        false => Ok(words),
    }
}

/// One turn, without a screen.
fn once(opening: Opening<'_>, question: String) -> Result<Exit, Stop> {
    let Opening {
        args, place, how, ..
    } = &opening;
    let args = *args;
    if let Some(banner) = run_mode::banner(*how, settings(&place.loaded.policy)) {
        let _ = writeln!(io::stderr(), "{banner}");
    }
    let stopped = super::stopped_by_signals();
    let progress = Arc::new(progress(args.json));
    let ask: Arc<dyn Ask> = match how {
        How::Interactive => {
            let settings = settings(&place.loaded.policy)
                .ok_or_else(|| Stop::usage("the policy cannot be read"))?;
            screen::at_terminal(
                settings,
                args.plain,
                &place.whereabouts.state,
                &stopped,
                Interrupts::Stop,
            )
            .map_err(|error| Stop::usage(format!("the terminal cannot be opened: {error}")))?
        }
        _ => Arc::new(Nobody),
    };
    let mut state = opening.state(ask, told(&progress), &stopped, flag())?;
    for remark in &state.base.bench().0.workbench.remarks {
        let _ = writeln!(io::stderr(), "sayso: {remark}");
    }
    state.person_says(question).map_err(Stop::usage)?;
    let (base, around) = (&state.base, &state.around);
    let lines = Lines::new(progress, Arc::clone(&state.session), args.json);
    let (tools, troubles) = base.served().tools();
    for why in troubles {
        let _ = writeln!(io::stderr(), "sayso: {}", visible_block(&why));
    }
    let turn = Turn {
        model: state.model.as_ref(),
        system: system(base, around),
        tools: &tools,
        around,
        ids: &Ids::new(),
        stopped: &stopped,
    };
    let gate = || {
        // Where it cannot be read, the gate denies everything, and says so.
        let _ = base.refresh();
        base.bench()
    };
    let ended = turn.take(&mut state.said, &gate, &lines);
    super::end_session(&base.bench().0.workbench.recorder, &around.session);
    finish(args, &ended, &state.said, &state.session.id)
}

fn finish(args: &ChatArgs, ended: &Ended, said: &[Said], id: &str) -> Result<Exit, Stop> {
    let trouble = ended.trouble.as_ref().map(ToString::to_string);
    if args.json {
        say(&format!(
            "{}\n",
            json::write_plain(&as_node(ended, said, id, trouble.as_deref()))
        ))?;
    }
    if let Some(words) = ended.usage.words().filter(|_| !args.json) {
        let _ = writeln!(io::stderr(), "sayso: {words}");
    }
    if let Some(why) = &trouble {
        let _ = writeln!(io::stderr(), "sayso: {why}");
    }
    Ok(match (exit(&ended.calls), &ended.trouble) {
        (Exit::Denied, _) => Exit::Denied,
        (_, Some(_)) => Exit::Failed,
        (Exit::Allowed, None) if ended.malformed > 0 => Exit::Failed,
        (exit, None) => exit,
    })
}

fn as_node(ended: &Ended, said: &[Said], id: &str, trouble: Option<&str>) -> Node {
    let number = |number: u64| -> Node { Value::Number(number.to_string()).into() };
    let answer = said.iter().rev().find_map(|one| match one {
        Said::Model(answer) => Some(answer.text.as_str()),
        _ => None,
    });
    let mut usage = vec![
        ("input", number(ended.usage.input)),
        ("output", number(ended.usage.output)),
    ];
    usage.extend(
        ended
            .usage
            .cost
            .map(|cost| ("cost", Value::Number(format!("{cost:.6}")).into())),
    );
    Node::map([
        ("session", Node::text(id)),
        ("answer", Node::text(answer.unwrap_or_default())),
        (
            "calls",
            Value::List(ended.calls.iter().map(result).collect()).into(),
        ),
        ("malformed", number(ended.malformed as u64)),
        ("usage", Node::map(usage)),
        (
            "error",
            trouble.map_or_else(|| Value::Null.into(), Node::text),
        ),
    ])
}

/// What calls do goes beside the answer: to the screen, or to standard error where the answer is wanted alone.
fn progress(as_json: bool) -> Progress {
    match (as_json, io::stdout().is_terminal()) {
        (false, true) => Progress::new(Box::new(io::stdout()), Paint::for_stream(&io::stdout())),
        (false, false) => Progress::new(Box::new(io::stderr()), Paint::for_stream(&io::stderr())),
        (true, _) if io::stderr().is_terminal() => {
            Progress::new(Box::new(io::stderr()), Paint::for_stream(&io::stderr()))
        }
        (true, _) => Progress::new(Box::new(io::sink()), Paint::PLAIN),
    }
}

/// The earlier sessions, the newest first.
fn list(as_json: bool) -> Result<Exit, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    let all = session::list(&whereabouts.state).map_err(Stop::usage)?;
    let mut out = String::new();
    for one in &all {
        if as_json {
            let node = Node::map([
                ("id", Node::text(&one.id)),
                ("workspace", Node::text(&one.workspace)),
                ("changed", Value::Number(one.changed.to_string()).into()),
                ("first", Node::text(&one.first)),
            ]);
            out.push_str(&format!("{}\n", json::write_plain(&node)));
            continue;
        }
        let first: String = one
            .first
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(60)
            .collect();
        let when = ago(
            one.changed.saturating_mul(1000),
            super::now().saturating_mul(1000),
        );
        out.push_str(&format!(
            "{}  {when}  {}  {}\n",
            visible(short(&one.id)),
            visible(&one.workspace),
            visible(&first)
        ));
    }
    if all.is_empty() && !as_json {
        out.push_str("there are no sessions yet\n");
    }
    say(&out)?;
    Ok(Exit::Allowed)
}
