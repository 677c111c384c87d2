//! `sayso sandbox`: a command under the profile that the policy gives, for the person to see what an agent's command could do.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use sayso_core::policy::terms::{Network, Terms};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_sandbox::backend::{Backend, Name, PARTIAL};
use sayso_sandbox::explain::explain;
use sayso_sandbox::init::INNER_COMMAND;
use sayso_sandbox::path_check;
use sayso_sandbox::plan::plan;
use sayso_sandbox::session::{self, HOLDER_COMMAND, SessionChoice, SessionLimits, holder};

use super::{ArgumentError, Place, PolicyChoice, Stop, say};
use crate::exit_code::Exit;
use sayso_runtime::sandbox::cleanup;
use sayso_runtime::sandbox::cleanup::Newcomers;
use sayso_runtime::sandbox::profile::{Bounded, Bounding};
use sayso_tui::lines::paint::{Paint, Tone};

/// Run a command in the sandbox that the policy gives for this folder.
#[derive(Debug, Args)]
#[command(
    after_help = "The command runs with the workspace writable, tools and system read-only, secrets and your home folder hidden, its own /tmp, and the \
network of the policy (none unless it says otherwise).\n\n\
Examples:\n  sayso sandbox -- make\n  sayso sandbox --show-plan -- make\n  sayso sandbox --network -- npm ci\n\n\
Exit status: that of the command; 2 if it could not be started."
)]
pub(super) struct SandboxArgs {
    #[command(flatten)]
    choice: PolicyChoice,

    /// Use this back end: `bubblewrap` or `landlock`. Without it, the best that works.
    #[arg(long, value_name = "NAME", value_parser = backend_name)]
    backend: Option<Name>,

    /// Print what would be set up, and run nothing.
    #[arg(long)]
    show_plan: bool,

    /// Let it reach the network.
    #[arg(long)]
    network: bool,

    /// Enter the sandbox of a session with this name, which ends with this process. For tests.
    #[arg(long, hide = true, value_name = "NAME")]
    session: Option<String>,

    /// Print the plan as JSON.
    #[arg(long, requires = "show_plan")]
    json: bool,

    /// The command with its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

fn backend_name(text: &str) -> Result<Name, ArgumentError> {
    Name::from_word(text).ok_or(ArgumentError::Backend)
}

pub(super) fn run(args: &SandboxArgs) -> Result<Exit, Stop> {
    let place = Place::open(&args.choice)?;
    place.insist()?;
    let settings = sayso_runtime::workbench::settings(&place.loaded.policy)
        .ok_or_else(|| Stop::usage("the policy cannot be read, so nothing is run"))?;
    let bounding = Bounding::new(place.whereabouts.clone(), &place.loaded.policy, settings);
    let backend = match args.backend {
        Some(name) => Backend::named(name),
        None => Backend::best(),
    };
    let backend = backend
        .map_err(|why| Stop::hint(why, "run `sayso doctor` to see what this machine has"))?;
    let workspace = PathBuf::from(&place.folder);
    let network = if args.network {
        Network::Everything
    } else {
        settings.sandbox_network.clone()
    };
    let terms = Terms {
        network,
        ..settings.terms(&place.folder)
    };
    let mut bounded = bounding
        .profile(backend, &workspace, &workspace, &terms)
        .map_err(Stop::usage)?;
    if let Some(name) = &args.session {
        let profile = bounded.profile.clone();
        bounded.sandbox.session = Some(SessionChoice {
            key: name.bytes().map(|byte| format!("{byte:02x}")).collect(),
            watch: i32::try_from(std::process::id()).ok(),
            limits: SessionLimits::default(),
            base: Arc::new(move || Some(profile.clone())),
        });
    }
    if args.show_plan {
        return show(&bounded, args);
    }
    start(&bounding, &bounded, &terms, &args.command)
}

fn start(
    bounding: &Bounding,
    bounded: &Bounded,
    terms: &Terms,
    words: &[OsString],
) -> Result<Exit, Stop> {
    let words = resolved(bounded, words)?;
    let workspace = std::fs::canonicalize(&bounded.workspace).map_err(|error| {
        Stop::usage(format!(
            "the workspace cannot be looked at: {error}; nothing was run"
        ))
    })?;
    let is_protected = |path: &Path| bounding.is_protected(path, &workspace);
    let newcomers = Newcomers::before(&terms.write, bounding.home(), &is_protected)
        .map_err(|why| Stop::usage(format!("{why}; nothing was run")))?;
    let mut ready = bounded
        .sandbox
        .ready(&bounded.profile, &bounded.workspace, &words, false)
        .map_err(Stop::usage)?;
    // A session was asked for by name, so nothing else stands in for it.
    if bounded.sandbox.session.is_some() && !ready.guard.is_in_session() {
        return Err(Stop::usage(ready.guard.notes().join("; ")));
    }
    let mut err = std::io::stderr();
    if !bounded.sandbox.backend.is_full() {
        let _ = writeln!(
            err,
            "sayso: {} bounds only a part: it {PARTIAL}",
            bounded.sandbox.backend
        );
    }
    for words in &ready.not_covered {
        let _ = writeln!(err, "sayso: not covered: {}", visible(words));
    }
    let mut command = ready.command;
    let mut child = command
        .spawn()
        .map_err(|error| Stop::usage(format!("the sandbox could not be started: {error}")))?;
    drop(command);
    // What the person types goes to the command; sayso itself only waits.
    let _quiet = super::stopped_by_signals();
    let status = child
        .wait()
        .map_err(|error| Stop::usage(format!("the command could not be waited for: {error}")))?;
    ready.guard.leave_session(false, &[]);
    if let Some(choice) = &bounded.sandbox.session {
        // Where its holder cannot be told, it ends with this process.
        let _ = session::end(&bounded.sandbox.folder, &choice.key);
    }
    let report = ready.guard.report();
    // What no mount could keep out is taken away before anything else can have used it, as in a run.
    let taking = newcomers.take(
        &terms.changes,
        bounding.state(),
        &bounding.machine(),
        &is_protected,
    );
    for words in cleanup::words(&taking) {
        let _ = writeln!(err, "sayso: {words}");
    }
    // What the command wrote went to the person, so nothing is known of it but what was seen.
    let seen = explain(&bounded.profile, "", status.code(), &report.refusals);
    for refusal in seen.iter().chain(&report.hosts) {
        let _ = writeln!(err, "sayso: {}", refusal.line());
    }
    if report.failed && status.code().is_some_and(|code| code != 0) {
        return Err(Stop::usage(
            "the sandbox could not be set up; nothing was run",
        ));
    }
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1);
    std::process::exit(code);
}

/// The words with the program found: by the search path of the sandbox, as it is there.
fn resolved(bounded: &Bounded, words: &[OsString]) -> Result<Vec<OsString>, Stop> {
    let Some((first, rest)) = words.split_first() else {
        return Err(Stop::usage("there is no command"));
    };
    if Path::new(first).components().count() > 1 {
        let absolute = bounded.profile.cwd.join(first);
        return Ok(std::iter::once(absolute.into_os_string())
            .chain(rest.iter().cloned())
            .collect());
    }
    let path = bounded
        .profile
        .environment
        .iter()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value.clone())
        .unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join(first))
        .find(|file| file.is_file());
    let found = found.ok_or_else(|| {
        Stop::usage(format!(
            "there is no program `{}`",
            visible(&first.to_string_lossy())
        ))
    })?;
    Ok(std::iter::once(found.into_os_string())
        .chain(rest.iter().cloned())
        .collect())
}

fn show(bounded: &Bounded, args: &SandboxArgs) -> Result<Exit, Stop> {
    let steps = plan(&bounded.profile, &path_check::look(&bounded.profile));
    let words: Vec<String> = args
        .command
        .iter()
        .map(|word| visible(&word.to_string_lossy()).into_owned())
        .collect();
    let backend = &bounded.sandbox.backend;
    if args.json {
        let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
        let node = Node::map([
            ("backend", Node::text(backend.to_string())),
            ("full", Value::Bool(backend.is_full()).into()),
            (
                "command",
                list(
                    args.command
                        .iter()
                        .map(|word| Node::text(word.to_string_lossy()))
                        .collect(),
                ),
            ),
            (
                "steps",
                list(
                    steps
                        .iter()
                        .map(|step| Node::text(step.to_string()))
                        .collect(),
                ),
            ),
        ]);
        say(&format!("{}\n", json::write_plain(&node)))?;
        return Ok(Exit::Allowed);
    }
    let paint = Paint::for_stream(&std::io::stdout());
    let mut out = format!(
        "command       {}\n",
        paint.tone(Tone::Strong, &words.join(" "))
    );
    out.push_str(&format!(
        "with          {backend}{}\n",
        if backend.is_full() {
            String::new()
        } else {
            format!(", which {PARTIAL}")
        }
    ));
    for step in steps {
        out.push_str(&format!("{step}\n"));
    }
    say(&out)?;
    Ok(Exit::Allowed)
}

/// The steps that sayso itself starts, before the command line is read: `sayso sandbox-inner CMD…`, `sayso sandbox-session`.
pub(super) fn inner() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    if first == HOLDER_COMMAND {
        return Some(holder::run().into());
    }
    if first != INNER_COMMAND {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    Some(sayso_sandbox::init::run(&words).into())
}
