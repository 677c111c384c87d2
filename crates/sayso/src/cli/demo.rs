//! `sayso demo`: the whole product in one command. A scripted agent works in a scratch workspace, and every call goes through the real
//! gate, tools and record.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Call;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::count::count;
use sayso_core::text::diagnostic::Source;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, yaml};
use sayso_gate::batch::{Options, Step};
use sayso_gate::ids::Ids;
use sayso_gate::ports::Ask;
use sayso_sandbox::backend::Backend;
use sayso_shell::Bash;
use sayso_store::verify;
use sayso_tools::files::{Files, Settings};
use sayso_tools::result::ToolResult;
use sayso_tools::undo::{self, Which};
use sayso_world::locations::Whereabouts;

use super::run::Nobody;
use super::{Stop, say};
use crate::exit_code::Exit;
use crate::screen;
use crate::screen::painted::Interrupts;
use crate::screen::progress::Progress;
use sayso_agents::generic::batch::{Around, call};
use sayso_runtime::runner::HostTool;
use sayso_runtime::workbench::{Parts, Workbench, settings};
use sayso_tui::lines::paint::{Paint, Tone};
use sayso_tui::terminal::typed_ahead;

/// What the agent says and does.
const SCRIPT: &str = include_str!("../../demo/agent.yaml");

/// What the person of the demo has added to the profile: commands whose effects nobody knows run unasked in a sandbox, where there is one.
const POLICY: &str = "version: 1\nsandbox: {auto_allow: run-in-workspace}\n";

/// The files of the scratch workspace.
const FILES: &[(&str, &str)] = &[
    (
        "src/greet.py",
        "def greet(name):\n    return \"Helo, \" + name\n",
    ),
    (
        "src/main.py",
        "from greet import greet\n\nprint(greet(\"world\"))\n",
    ),
    ("docs/draft.md", "# A draft\n\nNobody needs it any more.\n"),
    ("build/greet.pyc", "not really compiled\n"),
    (".env", "DEBUG=0\nDATABASE_PASSWORD=not-a-real-one\n"),
];

/// Watch a scripted agent work behind the gate, in a scratch workspace that is removed afterwards. On a terminal you are asked.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Ask with plain lines, without painting on the terminal.
    #[arg(long)]
    plain: bool,
}

pub(super) fn run(args: &DemoArgs) -> Result<Exit, Stop> {
    let mut whereabouts = Whereabouts::from_environment().map_err(Stop::usage)?;
    // A record of its own: the demo is no part of the person's.
    whereabouts.state = whereabouts.state.join("demo");
    let scratch = Scratch::new()?;
    show(args, whereabouts, &scratch.0)
}

/// The workspace of the demo. It goes with everything in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, Stop> {
        let id = Ids::new().next("demo");
        let short = id.rsplit('-').next().unwrap_or_default();
        let folder = std::env::temp_dir().join(format!("sayso-demo-{short}"));
        let cannot = |error: io::Error| {
            Stop::usage(format!(
                "cannot make the scratch workspace `{}`: {error}",
                folder.display()
            ))
        };
        std::fs::create_dir(&folder).map_err(cannot)?;
        let scratch = Scratch(std::fs::canonicalize(&folder).map_err(cannot)?);
        for (name, text) in FILES {
            let path = scratch.0.join(name);
            let parent = path.parent().unwrap_or(&scratch.0);
            std::fs::create_dir_all(parent)
                .and_then(|()| std::fs::write(&path, text))
                .map_err(cannot)?;
        }
        Ok(scratch)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The folder is ours and small; leaving it behind is no failure of the demo.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn show(args: &DemoArgs, whereabouts: Whereabouts, scratch: &Path) -> Result<Exit, Stop> {
    let workspace = scratch
        .to_str()
        .ok_or_else(|| Stop::usage("the scratch workspace has a name that is not UTF-8"))?;
    let around = Around {
        workspace: workspace.to_owned(),
        agent: "demo".to_owned(),
        session: Ids::new().next("demo"),
    };
    let (said, calls) = script(&around)?;
    let (layer, _) = read(
        Source {
            name: "demo",
            text: POLICY,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    let policy = Arc::new(Policy::assemble(
        layer.into_iter().collect(),
        &Overrides::default(),
        &Bash,
    ));
    let settings =
        settings(&policy).ok_or_else(|| Stop::usage("the built-in policy cannot be read"))?;
    let stopped = super::stopped_by_signals();
    let paint = Paint::for_stream(&io::stdout());
    let person = typed_ahead::is_there();
    let ask: Arc<dyn Ask> = match person {
        true => screen::at_terminal(
            settings,
            args.plain,
            &whereabouts.state,
            &stopped,
            Interrupts::Stop,
        )
        .map_err(|error| Stop::usage(error.to_string()))?,
        false => Arc::new(Nobody),
    };
    say(&heading(workspace, person, paint))?;

    let progress = Arc::new(Progress::new(Box::new(io::stdout()), paint));
    let state = whereabouts.state.clone();
    let parts = Parts {
        whereabouts,
        workspace: PathBuf::from(workspace),
        policy: Arc::clone(&policy),
        how: How::Interactive,
        dry_run: false,
        ask,
        told: progress.told(),
        host: vec![("post_message".to_owned(), post_message())],
        stopped,
        known: None,
    };
    let workbench = Workbench::open(parts).map_err(Stop::usage)?;
    let step = |step: Step<'_>| {
        if let Step::Starts(place, _) = step {
            let words = said.get(place.index - 1).map_or("", String::as_str);
            progress.say(&[
                String::new(),
                paint.tone(Tone::Blue, &format!("agent: {words}")),
            ]);
            pause();
        }
        progress.step(step);
    };
    let batch = pollster::block_on(workbench.gate.batch(
        calls,
        Options {
            told: Some(&step),
            ..Options::default()
        },
    ));
    take_back(&state, &progress, paint)?;
    progress.summary(&batch, workbench.gate.stats_line().as_deref());
    say(&ending(&state, person)?)?;
    Ok(Exit::Allowed)
}

/// So that a person can follow; a log needs no pauses.
fn pause() {
    if io::stdout().is_terminal() {
        let _ = io::stdout().flush();
        std::thread::sleep(Duration::from_millis(400));
    }
}

fn heading(workspace: &str, person: bool, paint: Paint) -> String {
    let title = paint.tone(Tone::Strong, "sayso: nothing runs without your say-so");
    let asked = match person {
        true => {
            "What only looks runs silently, what is risky asks you, what is a catastrophe is denied. Answer as you like, with one key (? says which): nothing here is real but the gate."
        }
        false => {
            "There is no terminal to ask on, so what would ask is denied. Run it on a terminal to be asked."
        }
    };
    let sandbox = match Backend::full() {
        Ok(backend) => {
            format!(
                "What cannot be known runs in a sandbox ({backend}): no network, no secrets, and `sayso undo` takes it back."
            )
        }
        Err(why) => format!("What cannot be known asks: there is no sandbox here ({why})."),
    };
    format!(
        "{title}\nA scripted agent works in {workspace}, under the profile `sayso` with `sandbox.auto_allow`.\n{asked}\n{sandbox}\n"
    )
}

/// What the agent says, and the calls it makes.
fn script(around: &Around) -> Result<(Vec<String>, Vec<Call>), Stop> {
    let node =
        yaml::read(SCRIPT, &Limits::default()).map_err(|finding| Stop::usage(finding.message))?;
    let mut out = (Vec::new(), Vec::new());
    for (index, item) in node.items().iter().enumerate() {
        let made = item
            .get("call")
            .ok_or_else(|| Stop::usage("a step of the script has no call"))?;
        out.0.push(
            item.get("say")
                .and_then(Node::as_text)
                .unwrap_or_default()
                .to_owned(),
        );
        out.1
            .push(call(made, index, around).map_err(|finding| Stop::usage(finding.message))?);
    }
    Ok(out)
}

/// A tool that only the host knows: the gate judges it like any other.
fn post_message() -> HostTool {
    Box::new(|args: &Node| {
        let text = args.get("text").and_then(Node::as_text).unwrap_or_default();
        ToolResult::done(format!("(a pretended chat) posted: {text}"))
    })
}

/// The person changes their mind about the notes.
fn take_back(state: &Path, progress: &Progress, paint: Paint) -> Result<(), Stop> {
    let files = Files::open(state, Settings::default()).map_err(Stop::usage)?;
    let plan = undo::plan(&files, Which::Id("notes")).map_err(Stop::usage)?;
    let id = plan
        .changes
        .first()
        .map(|change| change.handle())
        .unwrap_or_default();
    progress.say(&[
        String::new(),
        paint.tone(Tone::Blue, &format!("you:   sayso undo {id}")),
    ]);
    let undone = undo::apply(&files, &plan, &Ids::new().next("undo"), "").map_err(Stop::usage)?;
    let lines: Vec<String> = undone
        .words
        .iter()
        .map(|line| format!("      {}", paint.tone(Tone::Green, &format!("✓ {line}"))))
        .collect();
    progress.say(&lines);
    Ok(())
}

fn ending(state: &Path, person: bool) -> Result<String, Stop> {
    let report = verify::verify(state, None).map_err(Stop::usage)?;
    let chain = if report.faults.is_empty() {
        "nothing in it was changed"
    } else {
        "IT WAS CHANGED"
    };
    let mut out = format!(
        "\nThe record of all this is {} ({}, {chain}).\n",
        state.join("journal").display(),
        count(report.entries, "entry")
    );
    if !person {
        out.push_str("Nobody could be asked here, so everything that would ask was denied.\n");
    }
    out.push_str("Try your own: sayso check --explain -- 'git push --force'\n");
    Ok(out)
}
