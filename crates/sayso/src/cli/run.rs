//! `sayso run`: a batch of tool calls through the gate, with sayso's own tools.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Call;
use sayso_core::call::tool::{self, Kind};
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::Ended;
use sayso_core::text::count::agreed;
use sayso_core::text::json;
use sayso_core::text::node::{Entry, Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::batch::{Batch, Options, Step};
use sayso_gate::error::port_error;
use sayso_gate::finished::Finished;
use sayso_gate::ids::Ids;
use sayso_gate::ports::{Ask, Later, Ran};
use sayso_gate::run_mode::{self, Flags};

use super::{Place, PolicyChoice, Stop, Unasked, say};
use crate::exit_code::Exit;
use crate::screen;
use crate::screen::painted::Interrupts;
use crate::screen::progress::Progress;
use crate::screen::scripted::Scripted;
use sayso_agents::generic::batch;
use sayso_agents::generic::batch::Around;
use sayso_runtime::held_text;
use sayso_runtime::mcp_servers::Servers;
use sayso_runtime::workbench::{Parts, Workbench, settings};
use sayso_tui::lines::paint::{Paint, Tone};
use sayso_tui::lines::plain::{self, Look};

/// The longest batch that is read, in bytes.
const LONGEST: u64 = batch::LONGEST as u64;

/// Run a batch of tool calls behind the gate.
#[derive(Debug, Args)]
#[command(
    after_help = "A batch is a JSON array, JSON lines or YAML; a call is {\"type\": \"file_edit\", \"id\": \"edit_0\", \"file\": \"a.txt\", \"find\": \"x\", \"replace\": \"y\"}\n\
or {\"tool\": \"terminal\", \"args\": {\"command\": \"ls\"}}.\n\n\
Examples:\n  sayso run calls.json\n  sayso run --hold calls.json\n  sayso run --answers y,n,q calls.yaml\n  my-agent | sayso run --strict --json -\n\n\
Exit status: 0 all ran, 1 a tool failed, 20 some were refused, 2 usage or unreadable input."
)]
pub(super) struct RunArgs {
    #[command(flatten)]
    choice: PolicyChoice,

    /// The file with the calls; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    unasked: Unasked,

    /// Judge and show, and run nothing.
    #[arg(long)]
    dry_run: bool,

    /// Run nothing: hold each approved command, and print its id for `sayso exec ID`.
    #[arg(long, conflicts_with = "dry_run")]
    hold: bool,

    /// Answer the prompts in order, with the keys or words of the prompt: `y,n,q`. A denial may carry words: `n:not now`.
    /// Under every profile these words count: yes, no, rest, session, project, always, view, quit.
    #[arg(long, value_name = "LIST")]
    answers: Option<String>,

    /// Ask with plain lines, without painting on the terminal: for screen readers, and for logs of a session.
    #[arg(long)]
    plain: bool,

    /// A denial by the person ends the batch.
    #[arg(long)]
    deny_aborts: bool,

    /// Print the results as JSON.
    #[arg(long)]
    json: bool,

    /// Who makes the calls.
    #[arg(long, value_name = "NAME", default_value = "")]
    agent: String,
}

pub(super) fn run(args: &RunArgs) -> Result<Exit, Stop> {
    let place = Place::open(&args.choice)?;
    place.warn();
    place.insist()?;
    let flags = Flags {
        dry_run: args.dry_run,
        answers: args.answers.is_some(),
        ..args.unasked.flags()
    };
    let how = place.settle(flags)?;
    let around = Around {
        workspace: place.folder.clone(),
        agent: args.agent.clone(),
        session: Ids::new().next("run"),
    };
    let session = around.session.clone();
    let (name, text) = input(&args.file)?;
    let calls =
        batch::read(&name, &text, &around).map_err(|error| Stop::Usage(error.to_string()))?;
    drop(text);
    if args.hold {
        only_commands(&calls)?;
    }
    let flags = args.choice.flags();
    if let Some(banner) = run_mode::banner(how, settings(&place.loaded.policy)) {
        let _ = writeln!(io::stderr(), "{banner}");
    }
    let stopped = super::stopped_by_signals();
    let policy = Arc::new(place.loaded.policy);
    let settings = settings(&policy)
        .ok_or_else(|| Stop::usage("the policy cannot be read, so everything is denied"))?;
    let progress = Arc::new(progress(args));
    let (ask, scripted) = asker(
        args,
        settings,
        how,
        &place.whereabouts.state,
        &progress,
        &stopped,
    )?;
    let servers = Arc::new(Servers::load(
        &place.whereabouts,
        Path::new(&place.folder),
        Arc::clone(&stopped),
        args.dry_run,
    ));
    let calls = calls
        .into_iter()
        .map(|call| servers.known(call))
        .collect::<Vec<_>>();
    let parts = Parts {
        whereabouts: place.whereabouts,
        workspace: PathBuf::from(&place.folder),
        policy: Arc::clone(&policy),
        how,
        dry_run: args.dry_run,
        ask,
        told: progress.told(),
        host: Vec::new(),
        stopped,
        known: None,
    };
    let workbench = Workbench::open_with(parts, Some(servers))
        .map_err(|why| Stop::hint(why, "nothing was run: what cannot be recorded does not run"))?;
    for remark in &workbench.remarks {
        let _ = writeln!(io::stderr(), "sayso: {remark}");
    }
    let told = |step: Step<'_>| progress.step(step);
    let keep = |held: &str| {
        let text = held_text::write(&flags, held).map_err(port_error)?;
        let kept = workbench.recorder.keep(&text, super::now());
        kept.map_err(port_error)
    };
    let options = Options {
        deny_aborts: args.deny_aborts,
        told: Some(&told),
        keep: args.hold.then_some(&keep),
    };
    let batch = pollster::block_on(workbench.gate.batch(calls, options));
    super::end_session(&workbench.recorder, &session);
    progress.summary(&batch, workbench.gate.stats_line().as_deref());
    if let Some(unused) = scripted
        .map(|scripted| scripted.unused())
        .filter(|unused| *unused > 0)
    {
        let _ = writeln!(
            io::stderr(),
            "sayso: {unused} of the answers {} not needed",
            agreed(unused, "was", "were")
        );
    }
    if args.json {
        say(&format!("{}\n", json::write_plain(&results(&batch))))?;
    }
    Ok(exit(&batch.results))
}

/// Nothing of a batch is asked about that could not be held in the end.
fn only_commands(calls: &[Call]) -> Result<(), Stop> {
    let is_command =
        |call: &Call| tool::find(&call.tool).is_some_and(|tool| tool.kind == Kind::Terminal);
    match calls.iter().find(|call| !is_command(call)) {
        None => Ok(()),
        Some(call) => Err(Stop::hint(
            format!(
                "only commands can be held, and `{}` is another tool; nothing was run",
                visible(&call.tool)
            ),
            "leave out `--hold`, or put the other calls into a batch of their own",
        )),
    }
}

/// The text of a batch and the name it has in messages.
fn input(file: &std::path::Path) -> Result<(String, String), Stop> {
    let is_standard = file.as_os_str() == "-";
    let name = if is_standard {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    };
    let shown = visible(&name).into_owned();
    let mut bytes = Vec::new();
    let read = if is_standard {
        io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        Stop::hint(
            format!("cannot read `{shown}`: {error}"),
            "name a file with tool calls, or `-` for standard input",
        )
    })?;
    let text = super::text_of(bytes, LONGEST, &format!("`{shown}`"))?;
    Ok((name, text))
}

/// Where progress goes: the screen, or beside the JSON.
fn progress(args: &RunArgs) -> Progress {
    match args.json {
        false => Progress::new(Box::new(io::stdout()), Paint::for_stream(&io::stdout())),
        true if io::stderr().is_terminal() => {
            Progress::new(Box::new(io::stderr()), Paint::for_stream(&io::stderr()))
        }
        true => Progress::new(Box::new(io::sink()), Paint::PLAIN),
    }
}

type Asker = (Arc<dyn Ask>, Option<Arc<Scripted>>);

/// Who is asked: the list of answers, the terminal, or nobody.
fn asker(
    args: &RunArgs,
    settings: &Resolved,
    how: How,
    state: &Path,
    progress: &Arc<Progress>,
    stopped: &Arc<AtomicBool>,
) -> Result<Asker, Stop> {
    if let Some(list) = &args.answers {
        let json = args.json;
        let progress = Arc::clone(progress);
        let look = Look::of(settings, Paint::for_stream(&io::stdout()));
        let show = move |prompt: &sayso_core::prompt::Prompt, answer: &str| {
            if !json {
                let mut lines = plain::whole(prompt, look);
                lines.push(look.paint.tone(
                    Tone::Yellow,
                    &format!("Answer (--answers): {}", visible(answer)),
                ));
                progress.say(&lines);
            }
        };
        let keymap = sayso_core::prompt::keymap::Keymap::named(settings.keymap.word());
        let scripted = Scripted::new(keymap, list, Box::new(show))
            .map_err(|why| Stop::hint(why, "write the keys or words of the prompt with commas between, such as `--answers y,n,quit`"))?;
        let scripted = Arc::new(scripted);
        return Ok((Arc::clone(&scripted) as Arc<dyn Ask>, Some(scripted)));
    }
    if how != How::Interactive || args.dry_run {
        return Ok((Arc::new(Nobody), None));
    }
    let ask = screen::at_terminal(settings, args.plain, state, stopped, Interrupts::Stop)
        .map_err(|error| Stop::usage(format!("the terminal cannot be opened: {error}")))?;
    Ok((ask, None))
}

/// Nobody is there.
pub(super) struct Nobody;

impl Ask for Nobody {
    fn ask<'a>(&'a self, _: Arc<sayso_core::prompt::Prompt>) -> Later<'a, Ended> {
        Box::pin(async { Ended::Nobody })
    }
}

/// All results in order, and what they come to.
fn results(batch: &Batch) -> Node {
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let number = |number: usize| -> Node { Value::Number(number.to_string()).into() };
    let count = |of: fn(&Finished) -> bool| {
        number(batch.results.iter().filter(|finished| of(finished)).count())
    };
    Node::map([
        ("results", list(batch.results.iter().map(result).collect())),
        (
            "executed",
            list(
                batch
                    .executed()
                    .map(|finished| Node::text(&finished.id))
                    .collect(),
            ),
        ),
        (
            "cancelled",
            count(|finished| finished.outcome == Outcome::Cancelled),
        ),
        (
            "failed",
            count(|finished| matches!(finished.ran, Some(Ran::Failed { .. } | Ran::NotRun(_)))),
        ),
        (
            "refused",
            count(|finished| !finished.outcome.ran() && finished.outcome != Outcome::DryRun),
        ),
        ("total", number(batch.results.len())),
        ("stopped", Value::Bool(batch.stopped).into()),
    ])
}

/// One result: what the tool brought, with everything that is known of the decision.
pub(super) fn result(finished: &Finished) -> Node {
    let held = sayso_tools::result::ToolResult::done("").to_node(
        &finished.id,
        &finished.tool,
        std::time::Duration::ZERO,
    );
    let empty = sayso_tools::result::ToolResult::failed(finished.message.clone()).to_node(
        &finished.id,
        &finished.tool,
        std::time::Duration::ZERO,
    );
    let ran = match &finished.ran {
        Some(Ran::Done(node) | Ran::Failed { result: node, .. })
            if !matches!(node.value, Value::Null) =>
        {
            node
        }
        _ if finished.held.is_some() => &held,
        _ => &empty,
    };
    let known = finished.to_node();
    let more = known
        .entries()
        .iter()
        .filter(|entry| !matches!(entry.key.as_str(), "id" | "tool" | "succeeded"));
    let mut entries: Vec<Entry> = ran.entries().iter().chain(more).cloned().collect();
    // The caller's own name, and what sayso takes it for where that is another.
    let kind = tool::find(&finished.tool)
        .map_or(Kind::Custom, |tool| tool.kind)
        .word();
    let at = entries
        .iter()
        .position(|entry| entry.key == "tool_type")
        .filter(|_| kind != finished.tool);
    if let Some(at) = at {
        let beside = Node::map([("tool_kind", Node::text(kind))]);
        entries.splice(at + 1..at + 1, beside.entries().iter().cloned());
    }
    Value::Map(entries).into()
}

/// Refusals count before failures: a script has to notice that something was not allowed.
pub(super) fn exit(results: &[Finished]) -> Exit {
    let refused = |finished: &Finished| match finished.outcome {
        // A dry run refuses nothing; it says what would be denied.
        Outcome::DryRun => false,
        outcome => !outcome.ran(),
    };
    let failed =
        |finished: &Finished| matches!(finished.ran, Some(Ran::Failed { .. } | Ran::NotRun(_)));
    match () {
        () if results.iter().any(refused) => Exit::Denied,
        () if results.iter().any(failed) => Exit::Failed,
        () => Exit::Allowed,
    }
}
