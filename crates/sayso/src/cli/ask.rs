//! `sayso ask`: puts one question to the person, for a tool that sayso does not run itself.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::operation::{Agent, Call, Operation};
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use sayso_gate::approved::Approved;
use sayso_gate::batch_context::Turn;
use sayso_gate::finished::Finished;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::ports::{Ask, Later, Ran, Run};
use sayso_gate::presentation::tool_drawing::Given;
use sayso_store::journal::Journal;
use sayso_world::machine::Machine;

use super::run::Nobody;
use super::{Place, PolicyChoice, Stop, say};
use crate::exit_code::Exit;
use crate::screen;
use crate::screen::painted::Interrupts;
use sayso_gateway::rpc::inbox::in_inbox;
use sayso_runtime::ask_inbox;
use sayso_runtime::assemble::RealWorld;
use sayso_runtime::call_request::{MAX_DESCRIPTION, Request};
use sayso_runtime::recorder::Recorder;
use sayso_runtime::workbench::settings;
use sayso_tui::terminal::typed_ahead;

/// The longest JSON of an option, in bytes.
const MAX_JSON: usize = 16 << 20;

/// Put one question to the person, for a tool of your own.
#[derive(Debug, Args)]
#[command(
    after_help = "The policy judges first: what it denies is denied, what it allows, or was allowed before, asks nobody.\n\
Otherwise the question stands in this terminal; without one, in the inbox, if that is open. It runs nothing: the caller does, after a 0.\n\n\
Examples:\n  sayso ask deploy --arg target=prod --description \"Deploy 1.4 to production\" && ./deploy prod\n  \
sayso ask send_mail --args '{\"to\": \"ann@example.com\", \"body\": \"…\"}' --payload '{\"to\": \"ann@example.com\"}' --session mail-1\n  \
sayso ask terminal --arg command=\"make release\" --json\n\n\
Exit status: 0 allowed, 20 not allowed, 2 usage or unreadable input."
)]
pub(super) struct AskArgs {
    #[command(flatten)]
    choice: PolicyChoice,

    /// The name of the tool; one that sayso knows (`terminal`, `file_write`, …) is judged as what it is.
    #[arg(value_name = "TOOL")]
    tool: String,

    /// An argument of the call, as text.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    arg: Vec<String>,

    /// All arguments, as a JSON object.
    #[arg(long, value_name = "JSON")]
    args: Option<String>,

    /// What counts as the same call for an answer that is kept for the session, as a JSON object.
    #[arg(long, value_name = "JSON")]
    payload: Option<String>,

    /// What the tool does, in its own words; the person reads them as that.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// What the person looks at: {"type": "text|diff|file_content|command|structured", "content": "…"}. `@FILE` reads a file.
    #[arg(long, value_name = "JSON")]
    presentation: Option<String>,

    /// The session that an answer may be kept for.
    #[arg(long, value_name = "ID", default_value = "")]
    session: String,

    /// Who asks; a section of the policy for this name counts.
    #[arg(long, value_name = "NAME", default_value = "")]
    agent: String,

    /// Ask in the inbox, also where there is a terminal.
    #[arg(long)]
    inbox: bool,

    /// Ask with plain lines, without painting on the terminal.
    #[arg(long, conflicts_with = "inbox")]
    plain: bool,

    /// Wait no longer than so many seconds for the answer; the policy's own limit counts besides.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,

    /// Print the decision as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AskArgs) -> Result<Exit, Stop> {
    let place = Place::open(&args.choice)?;
    place.warn_of_environment();
    place.insist()?;
    let (call, given) = call(args, &place.folder)?;
    let policy = Arc::new(place.loaded.policy);
    let settings = settings(&policy)
        .ok_or_else(|| Stop::usage("the policy cannot be read, so everything is denied"))?;
    let state = place.whereabouts.state.clone();
    let (person, nobody) = person(args, settings, &state)?;
    let ask = Arc::new(Asks {
        person,
        given,
        timeout: args.timeout,
    });
    let journal = Journal::open(&state).map_err(|why| {
        Stop::hint(
            why,
            "nothing was asked: what cannot be recorded is not allowed",
        )
    })?;
    let recorder = Arc::new(Recorder::new(journal, place.whereabouts.uid, settings));
    let ports = Ports {
        world: Arc::new(RealWorld(
            Machine::new(place.whereabouts.clone()).guarding(policy.installed()),
        )),
        ask,
        run: Arc::new(NoRunner),
        store: recorder,
    };
    let gate = Gate::new(
        ports,
        Arc::clone(&policy),
        How::Interactive,
        Arc::new(super::now),
    );
    match pollster::block_on(gate.hold(call, &mut Turn::alone())) {
        Ok(approved) => allowed(args, &approved),
        Err(finished) => refused(args, &finished, nobody.as_deref()),
    }
}

/// The call that the options describe, and the tool's picture of it.
fn call(args: &AskArgs, folder: &str) -> Result<(Call, Option<Given>), Stop> {
    if args
        .description
        .as_ref()
        .is_some_and(|text| text.chars().count() > MAX_DESCRIPTION)
    {
        return Err(Stop::usage(format!(
            "`--description` is longer than {MAX_DESCRIPTION} characters"
        )));
    }
    let arguments = arguments(args)?;
    let payload = args
        .payload
        .as_deref()
        .map(|text| object("--payload", text))
        .transpose()?;
    let presentation = args.presentation.as_deref().map(presentation).transpose()?;
    let request = Request {
        payload,
        description: args.description.clone(),
        presentation,
        ..Request::default()
    };
    let agent = Agent {
        name: args.agent.clone(),
        parents: Vec::new(),
    };
    let call = Call {
        agent,
        session: args.session.clone(),
        ..Call::new(&args.tool, arguments, folder)
    };
    if call.is_too_deep() {
        return Err(Stop::usage("the arguments are nested too deep"));
    }
    let (call, given) = request.apply(call);
    // What is no call is an error of whoever wrote it, and no decision.
    Operation::freeze(call.clone()).map_err(|malformed| {
        Stop::hint(
            visible(&malformed.0),
            "`sayso ask --help` shows how a call is written",
        )
    })?;
    Ok((call, given))
}

/// The arguments of both options, each name once.
fn arguments(args: &AskArgs) -> Result<Node, Stop> {
    let whole = args
        .args
        .as_deref()
        .map(|text| object("--args", text))
        .transpose()?;
    let mut entries: Vec<(String, Node)> = whole
        .iter()
        .flat_map(Node::entries)
        .map(|entry| (entry.key.clone(), entry.node.clone()))
        .collect();
    for pair in &args.arg {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| {
                Stop::hint(
                    format!("`--arg {}` has no name and value", visible(pair)),
                    "write `--arg name=value`",
                )
            })?;
        if entries.iter().any(|(known, _)| known == name) {
            return Err(Stop::usage(format!(
                "the argument `{}` is given twice",
                visible(name)
            )));
        }
        entries.push((name.to_owned(), Node::text(value)));
    }
    Ok(Node::map(entries))
}

/// A JSON object of an option.
fn object(option: &str, text: &str) -> Result<Node, Stop> {
    let limits = Limits {
        bytes: MAX_JSON,
        ..Limits::default()
    };
    let node = json::read(text, &limits).map_err(|error| {
        Stop::hint(
            format!("`{option}` is no JSON: {}", visible(&error.message)),
            "write an object, such as '{\"to\": \"ann\"}'",
        )
    })?;
    match node.value {
        Value::Map(_) => Ok(node),
        _ => Err(Stop::hint(
            format!("`{option}` is {}, not an object", node.kind_word()),
            "write an object, such as '{\"to\": \"ann\"}'",
        )),
    }
}

/// The tool's picture, from the option or from the file that it names.
fn presentation(text: &str) -> Result<Given, Stop> {
    let read = match text.strip_prefix('@') {
        None => text.to_owned(),
        Some(file) => std::fs::read_to_string(file).map_err(|error| {
            Stop::usage(format!(
                "`--presentation @{}` cannot be read: {error}",
                visible(file)
            ))
        })?,
    };
    Given::read(&object("--presentation", &read)?)
        .map_err(|why| Stop::usage(format!("`--presentation`: {why}")))
}

/// Who is asked, and why there is nobody, if there is not.
type Person = (Arc<dyn Ask>, Option<String>);

fn person(args: &AskArgs, settings: &Resolved, state: &Path) -> Result<Person, Stop> {
    if !args.inbox && typed_ahead::is_there() {
        let stopped: Arc<AtomicBool> = super::stopped_by_signals();
        let screen =
            screen::at_terminal(settings, args.plain, state, &stopped, Interrupts::Stop)
                .map_err(|error| Stop::usage(format!("the terminal cannot be opened: {error}")))?;
        return Ok((screen, None));
    }
    match ask_inbox::is_there(state) {
        Ok(_) => Ok((Arc::new(InInbox(state.to_owned())), None)),
        Err(trouble) => {
            let terminal = if args.inbox {
                ""
            } else {
                "there is no terminal here, and "
            };
            let why = format!("{terminal}{}", trouble.words());
            Ok((Arc::new(Nobody), Some(why)))
        }
    }
}

/// Asks in the inbox.
struct InInbox(PathBuf);

impl Ask for InInbox {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(in_inbox(&self.0, prompt, false))
    }
}

/// Asks with the tool's own picture, and no longer than it was said.
struct Asks {
    person: Arc<dyn Ask>,
    given: Option<Given>,
    timeout: Option<u64>,
}

impl Ask for Asks {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let presentation = self
            .given
            .as_ref()
            .map_or_else(|| prompt.presentation.clone(), |given| given.draw(&prompt));
        let timeout = [prompt.timeout, self.timeout].into_iter().flatten().min();
        self.person.ask(Arc::new(Prompt {
            presentation,
            timeout,
            ..(*prompt).clone()
        }))
    }
}

/// Runs nothing: whoever asks does.
struct NoRunner;

impl Run for NoRunner {
    /// The caller runs it.
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        RunnerCapabilities::without_sandbox(&NoSandbox::Caller)
    }

    fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
        Box::pin(async { Ran::NotRun("`sayso ask` runs nothing".to_owned()) })
    }
}

fn allowed(args: &AskArgs, approved: &Approved) -> Result<Exit, Stop> {
    let (verdict, yes) = (approved.verdict(), approved.yes());
    let by = visible(&approved.decided_by().words()).into_owned();
    if args.json {
        let maybe = |text: Option<&str>| text.map_or_else(|| Value::Null.into(), Node::text);
        let flag = |flag: bool| -> Node { Value::Bool(flag).into() };
        let node = Node::map([
            ("tool", Node::text(approved.operation().tool())),
            ("approved", flag(true)),
            ("outcome", Node::text(approved.outcome().word())),
            (
                "auto_approved",
                flag(approved.outcome() == Outcome::AutoApproved),
            ),
            ("message", Node::text("")),
            ("note", Value::Null.into()),
            ("by_words", Node::text(&by)),
            ("scope", maybe(yes.map(|yes| yes.scope.word()))),
            ("risk", Node::text(verdict.risk.word())),
            ("tier", Node::text(verdict.tier.word())),
            ("digest", Node::text(verdict.digest.to_string())),
        ]);
        say(&format!("{}\n", json::write_plain(&node)))?;
        return Ok(Exit::Allowed);
    }
    say(&format!("allowed by {by}\n"))?;
    if let Some((_, words)) = yes.and_then(|yes| yes.kept.as_deref()) {
        say(&format!("{}\n", visible(words)))?;
    }
    Ok(Exit::Allowed)
}

fn refused(args: &AskArgs, finished: &Finished, nobody: Option<&str>) -> Result<Exit, Stop> {
    let nobody = nobody.filter(|_| finished.outcome == Outcome::Nobody);
    if args.json {
        let known = finished.to_node();
        let keys = [
            "tool",
            "approved",
            "outcome",
            "auto_approved",
            "message",
            "note",
            "by_words",
            "scope",
            "risk",
            "digest",
        ];
        let mut fields: Vec<(&str, Node)> = keys
            .iter()
            .filter_map(|key| Some((*key, known.get(key)?.clone())))
            .collect();
        fields.push((
            "tier",
            finished.verdict.as_deref().map_or_else(
                || Value::Null.into(),
                |verdict| Node::text(verdict.tier.word()),
            ),
        ));
        say(&format!("{}\n", json::write_plain(&Node::map(fields))))?;
    } else {
        say(&format!("{}\n", visible(&finished.message)))?;
    }
    if let Some(note) = finished
        .note
        .as_deref()
        .filter(|note| !args.json && !finished.message.contains(note))
    {
        say(&format!("note: {}\n", visible(note)))?;
    }
    if let Some(why) = nobody {
        // The decision stands on standard output; this is for whoever set it up.
        let hint =
            "run it in a terminal, or open the inbox with `sayso serve`, or allow it with a rule";
        let _ = write!(
            io::stderr(),
            "sayso: nobody can be asked: {why}\nhint: {hint}\n"
        );
    }
    Ok(Exit::Denied)
}
