//! The command line: one file a command, its help text beside its code.

mod acp;
mod agents;
mod argument_error;
mod ask;
pub(crate) mod audit;
mod chat;
mod check;
mod demo;
mod doctor;
mod exec;
mod grants;
mod hook;
mod install;
mod install_import;
mod install_mcp;
mod install_shown;
mod mcp;
mod mcp_server;
pub(crate) mod policy;
mod policy_examples;
mod policy_notes;
pub(crate) mod policy_show;
mod policy_test;
mod remembered;
pub(crate) mod rules;
mod run;
mod sandbox;
mod serve;
pub(crate) mod undo;
mod watch;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use argument_error::ArgumentError;
use clap::{Args, Parser, Subcommand};
use sayso_core::answer::run_mode::Run as How;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::profile::PROFILES;
use sayso_gate::run_mode::{self, Flags};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

use crate::exit_code::Exit;
use sayso_runtime::assemble;
use sayso_runtime::assemble::{Choice, Loaded, RealWorld};
use sayso_runtime::lineage;
use sayso_runtime::policy_snapshot;
use sayso_runtime::record_folder;
use sayso_runtime::recorder::Recorder;
use sayso_runtime::sandbox::profile::Bounding;
use sayso_runtime::workbench::now;
use sayso_tui::terminal::typed_ahead::{self, forget_typed};

/// The gate between AI agents and your machine: nothing runs without your say-so.
#[derive(Debug, Parser)]
#[command(
    name = "sayso",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(
    after_help = "Exit status: 0 allowed or done, 1 a check failed, 2 usage or unreadable input, 10 would ask, 20 would deny."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::CheckArgs),
    Ask(ask::AskArgs),
    Policy(policy::PolicyArgs),
    Run(run::RunArgs),
    Chat(chat::ChatArgs),
    Exec(exec::ExecArgs),
    Hook(hook::HookArgs),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Undo(undo::UndoArgs),
    Audit(audit::AuditArgs),
    Doctor(doctor::DoctorArgs),
    Demo(demo::DemoArgs),
    Rules(rules::RulesArgs),
    Grants(grants::GrantsArgs),
    Sandbox(sandbox::SandboxArgs),
    Serve(serve::ServeArgs),
    Watch(watch::WatchArgs),
    Acp(acp::AcpArgs),
    Mcp(mcp::McpArgs),
    McpServer(mcp_server::McpServerArgs),
    InstallMcp(install_mcp::InstallMcpArgs),
    /// Take the gateway away from a client's MCP servers (`sayso uninstall mcp CLIENT`).
    UninstallMcp(install_mcp::InstallMcpArgs),
}

impl Command {
    /// Whether it changes nothing that a person decides, so that what an agent runs may start it, too.
    fn only_looks(&self) -> bool {
        match self {
            // `hook` and `exec` are for agents and see to it themselves; a sandbox only takes away.
            Command::Check(_)
            | Command::Exec(_)
            | Command::Hook(_)
            | Command::Doctor(_)
            | Command::Demo(_)
            | Command::Sandbox(_) => true,
            // A server or an agent behind the gate can do less than without it, and the client that starts it may be an agent.
            Command::Acp(_) | Command::Mcp(_) | Command::McpServer(_) => true,
            Command::Policy(args) => args.only_looks(),
            Command::Audit(args) => args.only_looks(),
            Command::Rules(args) => args.only_looks(),
            Command::Grants(args) => args.only_looks(),
            Command::Undo(args) => args.only_looks(),
            Command::Serve(args) => args.only_looks(),
            Command::Ask(_)
            | Command::Run(_)
            | Command::Chat(_)
            | Command::Install(_)
            | Command::Uninstall(_)
            | Command::Watch(_) => false,
            Command::InstallMcp(_) | Command::UninstallMcp(_) => false,
        }
    }
}

impl Command {
    /// Whether it changes what is allowed or answers for a person, so that one has to be in front of it. What runs something asks by itself.
    fn needs_a_person(&self) -> bool {
        match self {
            Command::Run(_) | Command::Chat(_) => false,
            Command::Serve(args) => !args.only_opens(),
            other => !other.only_looks(),
        }
    }
}

/// Which policy counts.
#[derive(Debug, Args)]
struct PolicyChoice {
    /// Judge as if started in this folder.
    #[arg(short = 'C', value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Put this policy file on top of all others.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// Start from this profile.
    #[arg(long, value_name = "NAME", value_parser = profile_name)]
    profile: Option<String>,

    /// How eager to ask.
    #[arg(long, value_name = "MODE", value_parser = mode_word)]
    mode: Option<Mode>,
}

/// What becomes of calls that would be asked about.
#[derive(Debug, Args)]
struct Unasked {
    /// Run everything unasked, dangers too; denials stay denials, but for catastrophes in profile `kollabor-spec`.
    #[arg(long)]
    yolo: bool,

    /// Run what would be asked about.
    #[arg(long)]
    approve_all: bool,

    /// Deny what would be asked about.
    #[arg(long)]
    strict: bool,
}

impl Unasked {
    fn flags(&self) -> Flags {
        Flags {
            yolo: self.yolo,
            approve_all: self.approve_all,
            strict: self.strict,
            ..Flags::default()
        }
    }
}

impl PolicyChoice {
    /// What counts here, with no flags.
    fn here() -> PolicyChoice {
        PolicyChoice {
            folder: None,
            policy: None,
            profile: None,
            mode: None,
        }
    }

    fn flags(&self) -> Choice {
        let file = self
            .policy
            .as_ref()
            .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
        Choice {
            file,
            profile: self.profile.clone(),
            mode: self.mode,
            ..no_flags()
        }
    }
}

/// A choice without flags, which knows the agents that sayso is installed in.
fn no_flags() -> Choice {
    Choice::new(sayso_agents::registry::installed_paths)
}

fn profile_name(text: &str) -> Result<String, ArgumentError> {
    let known = PROFILES.iter().any(|(name, _)| *name == text);
    known.then(|| text.to_owned()).ok_or(ArgumentError::Profile)
}

fn mode_word(text: &str) -> Result<Mode, ArgumentError> {
    Mode::from_word(text).ok_or(ArgumentError::Mode)
}

/// Runs the program.
pub fn run() -> ExitCode {
    sayso_sandbox::signals::survive_file_limit();
    if let Some(args) = hook::early() {
        return hook::run(&args);
    }
    if let Some(code) = sayso_gateway::mcp::inner()
        .or_else(sandbox::inner)
        .or_else(exec::early)
    {
        return code;
    }
    let cli = match Cli::try_parse_from(install_mcp::joined(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Allowed
            };
            // Nothing is left to tell if the message itself cannot be written.
            let _ = error.print();
            return code.into();
        }
    };
    if !cli.command.only_looks() {
        let state = record_folder::whereabouts()
            .map(|whereabouts| whereabouts.state)
            .unwrap_or_default();
        let behind = || {
            cli.command
                .needs_a_person()
                .then(|| lineage::agent_behind_this(&state))
                .flatten()
        };
        if let Some(agent) = lineage::agent_above(&state).or_else(behind) {
            let _ = write!(
                std::io::stderr(),
                "sayso: this is for people, and it was started below {agent}; nothing was changed\nhint: run it in a terminal of your own; what is asked can be answered in the inbox\n"
            );
            return Exit::Denied.into();
        }
    }
    let result = match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Chat(args) => chat::run(&args),
        Command::Exec(args) => return exec::run_args(&args),
        Command::Hook(args) => return hook::run(&args),
        Command::Install(args) => install::install(&args),
        Command::Uninstall(args) => install::uninstall(&args),
        Command::Undo(args) => undo::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Grants(args) => grants::run(&args),
        Command::Sandbox(args) => sandbox::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Watch(args) => watch::run(&args),
        Command::Acp(args) => acp::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::McpServer(args) => mcp_server::run(&args),
        Command::InstallMcp(args) => install_mcp::run(&args, true),
        Command::UninstallMcp(args) => install_mcp::run(&args, false),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(Stop::Quiet(exit)) => exit.into(),
        Err(Stop::Usage(message)) => {
            let _ = write!(io::stderr(), "{message}");
            Exit::Usage.into()
        }
    }
}

/// The error of what another crate does.
type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Why a command ended early.
#[derive(Debug)]
enum Stop {
    /// Everything was said already.
    Quiet(Exit),
    /// Something is wrong with the input; the message is whole lines.
    Usage(String),
}

impl Stop {
    fn usage(message: impl std::fmt::Display) -> Stop {
        Stop::Usage(format!("sayso: {message}\n"))
    }

    fn hint(message: impl std::fmt::Display, hint: &str) -> Stop {
        Stop::Usage(format!("sayso: {message}\nhint: {hint}\n"))
    }
}

/// A reader that went away (`sayso … | head`) is no failure.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::Quiet(Exit::Allowed),
            _ => Stop::usage(format!("cannot write: {error}")),
        }
    }
}

/// Writes down that a session has ended, or says that it could not.
fn end_session(recorder: &Recorder, session: &str) {
    if let Err(why) = recorder.end_session(session) {
        let _ = writeln!(
            io::stderr(),
            "sayso: the end of the session could not be recorded: {why}"
        );
    }
}

/// The text in bytes that were read up to one more than the limit.
fn text_of(bytes: Vec<u8>, limit: u64, shown: &str) -> Result<String, Stop> {
    if bytes.len() as u64 > limit {
        let limit = limit >> 20;
        return Err(Stop::usage(format!("{shown} is larger than {limit} MiB")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to() + 1;
        Stop::usage(format!("{shown} is not UTF-8 text (byte {byte})"))
    })
}

/// Prints what an exit status sums up. If nobody reads it the status still has to tell: a denial must never look like an allow.
fn say(text: &str) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// The way to do something without being asked.
const SAY_YES: &str = "say `--yes` to do it without asking";

/// Whether the person at the terminal says yes; the hint is for where there is none.
fn confirmed(question: &str, hint: &str) -> Result<bool, Stop> {
    if !io::stdin().is_terminal() {
        return Err(Stop::hint("there is no terminal to ask on", hint));
    }
    say(question)?;
    // What was typed before the question stood there is no answer to it (I-11).
    forget_typed(&io::stdin())
        .map_err(|error| Stop::usage(format!("the terminal broke: {error}")))?;
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Stop::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(
        line.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}

/// The place a command works in, with its policy.
struct Place {
    whereabouts: Whereabouts,
    folder: String,
    loaded: Loaded,
}

impl Place {
    fn open(choice: &PolicyChoice) -> Result<Place, Stop> {
        let folder = folder(choice.folder.as_deref())?;
        let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
        let loaded = assemble::load(&whereabouts, Path::new(&folder), &choice.flags());
        Ok(Place {
            whereabouts,
            folder,
            loaded,
        })
    }

    /// The same for a command that gives one answer and says nothing of the files themselves.
    fn quick(choice: &PolicyChoice) -> Result<Place, Stop> {
        let folder = folder(choice.folder.as_deref())?;
        let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
        let loaded = policy_snapshot::load(&whereabouts, Path::new(&folder), &choice.flags());
        Ok(Place {
            whereabouts,
            folder,
            loaded,
        })
    }

    /// Prints warnings, and stops where a file is broken: no verdict is given on a policy that nobody meant.
    fn insist(&self) -> Result<(), Stop> {
        let broken: Vec<_> = self
            .loaded
            .files
            .iter()
            .filter(|file| file.is_broken())
            .collect();
        if broken.is_empty() {
            return Ok(());
        }
        let mut message: String = broken.iter().map(|file| file.render()).collect();
        message.push_str("sayso: the policy cannot be read, so everything is denied\nhint: fix it and run `sayso policy check`\n");
        Err(Stop::Usage(message))
    }

    /// Says what has to be said at each start.
    fn warn(&self) {
        self.warn_of_environment();
        if let Some(warning) = assemble::warning_at_start(&self.loaded.policy) {
            let _ = writeln!(io::stderr(), "{warning}");
        }
    }

    /// How this run asks, by its flags and by whether somebody is there. Where the mode asks nothing, nobody has to be.
    fn settle(&self, flags: Flags) -> Result<How, Stop> {
        let asks_nothing = sayso_runtime::workbench::settings(&self.loaded.policy)
            .is_some_and(|settings| settings.mode == Mode::TrustAll);
        let is_there = typed_ahead::is_there();
        let how = run_mode::settle(flags, is_there || asks_nothing).map_err(Stop::usage)?;
        let answered = is_there || flags.answers || flags.dry_run;
        Ok(if how == How::Interactive && !answered {
            How::Nobody
        } else {
            how
        })
    }

    /// A word in `SAYSO_MODE` or `SAYSO_PROFILE` that is not known is taken as the strictest there is; that must not go unsaid.
    fn warn_of_environment(&self) {
        let unknown = [
            (
                "SAYSO_MODE",
                std::env::var("SAYSO_MODE")
                    .ok()
                    .and_then(|text| Some((mode_word(&text).err()?, text))),
            ),
            (
                "SAYSO_PROFILE",
                std::env::var("SAYSO_PROFILE")
                    .ok()
                    .and_then(|text| Some((profile_name(&text).err()?, text))),
            ),
        ];
        for (name, found) in unknown {
            if let Some((why, text)) = found.filter(|(_, text)| !text.is_empty()) {
                let shown = sayso_core::text::visible::visible(&text);
                // Nothing is left to tell if the warning itself cannot be written.
                let _ = writeln!(
                    io::stderr(),
                    "sayso: warning: `{name}` is `{shown}`, so everything asks; {why}"
                );
            }
        }
    }

    /// Whether commands would run contained here.
    fn contains(&self) -> bool {
        let settings = sayso_runtime::workbench::settings(&self.loaded.policy);
        let bounding = settings
            .map(|settings| Bounding::new(self.whereabouts.clone(), &self.loaded.policy, settings));
        bounding.is_some_and(|bounding| bounding.contains())
    }

    fn world(&self) -> RealWorld {
        RealWorld(Machine::new(self.whereabouts.clone()).guarding(self.loaded.policy.installed()))
    }
}

/// The same for a door that has no place of its own yet: by what holds everywhere.
fn warn_at_start() {
    let choice = Choice {
        ignores_environment: true,
        ..no_flags()
    };
    let warning = record_folder::whereabouts().ok().and_then(|whereabouts| {
        let loaded = policy_snapshot::load(&whereabouts, Path::new("/"), &choice);
        assemble::warning_at_start(&loaded.policy)
    });
    if let Some(warning) = warning {
        let _ = writeln!(io::stderr(), "{warning}");
    }
}

/// The folder to work in, absolute.
fn folder(given: Option<&Path>) -> Result<String, Stop> {
    let path = match given {
        Some(path) => std::path::absolute(path)
            .map_err(|error| Stop::usage(format!("`{}` is no folder: {error}", path.display())))?,
        None => std::env::current_dir()
            .map_err(|error| Stop::usage(format!("the current folder cannot be found: {error}")))?,
    };
    if given.is_some() && !path.is_dir() {
        return Err(Stop::usage(format!("`{}` is not a folder", path.display())));
    }
    let text = path
        .to_str()
        .ok_or_else(|| Stop::usage(format!("`{}` has a name that is not UTF-8", path.display())))?;
    Ok(sayso_core::paths::join("/", text))
}

/// Ctrl-C and the like, except signals that were ignored when sayso started (`nohup`): commands inherit those as ignored.
fn signals_of_the_person() -> impl Iterator<Item = i32> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let all = [SIGINT, SIGTERM, SIGHUP].into_iter();
    all.filter(|signal| !sayso_sandbox::signals::is_ignored(*signal))
}

/// A flag that Ctrl-C and the like set: the running command and the batch end. The second time, sayso ends at once.
fn stopped_by_signals() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in signals_of_the_person() {
        // Where a signal cannot be caught, it ends sayso as it always did.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stopped));
        let _ = signal_hook::flag::register(signal, Arc::clone(&stopped));
    }
    stopped
}
