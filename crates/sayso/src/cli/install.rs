//! `sayso install` and `sayso uninstall`: the hook in an agent's own settings, shown as a diff before anything changes.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::ids::Ids;
use sayso_store::journal::{Journal, Sync};
use sayso_tools::files::{Files, Settings};

use super::install_import;
use super::install_import::Wish as Import;
use super::install_shown as shown;
use super::{SAY_YES, Stop, confirmed, folder, now, say};
use crate::exit_code::Exit;
use sayso_agents::install;
use sayso_agents::install::{Around, Done, InstallError, Plan, Wish};
use sayso_agents::{Scope, Which};
use sayso_runtime::record_folder;
use sayso_tui::lines::paint::{Paint, Tone};

/// Put sayso's hook into an agent's own settings: it shows the change first, and asks.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso install claude             for you, in every project\n  sayso install codex --trust      and tell Codex that you trust the hook\n  sayso install claude --dry-run   only shows what would change\n  sayso install mcp cursor         the gateway in front of MCP servers: see `sayso install mcp --help`\n\n\
Other hooks, the order of keys and the way the file is written stay as they are. The file as it was is kept, and `sayso undo` and\n\
`sayso uninstall` bring it back. Installing again changes nothing.\n\n\
The agent's own approvals stay as they are, too. With --takeover they are switched off, which takes a hook of `--managed` and a proof by\n\
`sayso doctor --agents` that the agent runs nothing while the hook is broken.\n\n\
Exit status: 0 done, or nothing to do; 2 something stands against it; 20 you said no."
)]
pub(super) struct InstallArgs {
    #[command(flatten)]
    common: Common,

    /// Switch the agent's own approvals off, where that is proved to be safe.
    #[arg(long)]
    takeover: bool,

    /// Tell Codex that you trust the hook, as accepting it in its `/hooks` does.
    #[arg(long)]
    trust: bool,

    /// Use this sayso though it stands where it may be replaced or removed.
    #[arg(long)]
    anyway: bool,

    /// Bring the agent's own rules along, into a file of sayso's: shown first, with what differs.
    #[arg(long, conflicts_with_all = ["no_import", "dry_run", "json"])]
    import: bool,

    /// Do not offer to bring the agent's own rules along.
    #[arg(long)]
    no_import: bool,
}

/// Take sayso's hook out of an agent's settings: what was there before comes back.
#[derive(Debug, Args)]
#[command(
    after_help = "A file that nobody has changed since comes back byte for byte; else only what is sayso's is taken out. An approval mode that `--takeover` set goes back to what it was.\n\n\
Exit status: 0 done, or nothing to do; 2 something stands against it; 20 you said no."
)]
pub(super) struct UninstallArgs {
    #[command(flatten)]
    common: Common,
}

/// How a change of another program's settings is made.
#[derive(Debug, Args)]
pub(super) struct How {
    /// The project, if it is not the current folder.
    #[arg(short = 'C', value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,

    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "yes")]
    pub(super) dry_run: bool,

    /// Do it without asking.
    #[arg(long, short)]
    pub(super) yes: bool,

    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
struct Common {
    /// Whose settings.
    #[arg(value_name = "AGENT")]
    agent: Which,

    /// For you, in every project (this is what happens without a word).
    #[arg(long, group = "scope")]
    user: bool,

    /// For you, in this project only.
    #[arg(long, group = "scope")]
    project: bool,

    /// For everybody on this machine; only an administrator can switch it off.
    #[arg(long, group = "scope")]
    managed: bool,

    #[command(flatten)]
    how: How,
}

impl Common {
    fn scope(&self) -> Scope {
        match (self.project, self.managed) {
            (true, _) => Scope::Project,
            (_, true) => Scope::Managed,
            _ => Scope::User,
        }
    }

    fn around(&self) -> Result<Around, Stop> {
        around_of(self.how.folder.as_deref())
    }
}

/// Where everything is, for a project.
pub(super) fn around_of(project: Option<&Path>) -> Result<Around, Stop> {
    let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
    // The agent would take a relative one from wherever it is started, and nobody knows where that is.
    let variable = |name: &str| match std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
    {
        Some(path) if !path.is_absolute() => {
            Err(Stop::usage(format!("`{name}` is not an absolute path")))
        }
        path => Ok(path),
    };
    Ok(Around {
        home: whereabouts.home,
        claude: variable("CLAUDE_CONFIG_DIR")?,
        codex: variable("CODEX_HOME")?,
        config: variable("XDG_CONFIG_HOME")?,
        etc: PathBuf::from("/etc"),
        folder: PathBuf::from(folder(project)?),
        state: whereabouts.state,
        program: whereabouts.binary,
        path: whereabouts.path,
        now: now(),
    })
}

pub(super) fn install(args: &InstallArgs) -> Result<Exit, Stop> {
    let around = args.common.around()?;
    let wish = Wish {
        who: args.common.agent.installer(),
        scope: args.common.scope(),
        takeover: args.takeover,
        trust: args.trust,
        anyway: args.anyway,
    };
    clear_up(&args.common, &around)?;
    let mut plan = install::install(&around, wish).map_err(stop)?;
    let import = match (args.import, args.no_import) {
        (true, _) => Import::Yes,
        (_, true) => Import::No,
        _ => Import::Unsaid,
    };
    let who = args.common.agent;
    let rules =
        install_import::of(who.name(), who.title(), &around).filter(|_| import != Import::No);
    plan.notes
        .extend(rules.as_ref().map(install_import::Rules::note));
    let exit = go(&args.common, &around, &plan, "install")?;
    let is_for_people =
        !args.common.how.dry_run && !args.common.how.json && matches!(exit, Exit::Allowed);
    if let Some(rules) = rules.filter(|_| is_for_people) {
        rules.offer(import, args.common.how.yes)?;
    }
    Ok(exit)
}

pub(super) fn uninstall(args: &UninstallArgs) -> Result<Exit, Stop> {
    let around = args.common.around()?;
    clear_up(&args.common, &around)?;
    let plan = args
        .common
        .agent
        .installer()
        .uninstall(&around, args.common.scope())
        .map_err(stop)?;
    go(&args.common, &around, &plan, "uninstall")
}

pub(super) fn stop(error: InstallError) -> Stop {
    Stop::Usage(error.lines())
}

/// A run that was cut off left its files half done; they are looked at only after that is settled.
fn clear_up(args: &Common, around: &Around) -> Result<(), Stop> {
    if args.how.dry_run || !around.state.exists() {
        return Ok(());
    }
    let files = Files::open(&around.state, Settings::default()).map_err(Stop::usage)?;
    for left in files.recover().left {
        let _ = writeln!(
            io::stderr(),
            "sayso: an earlier run was cut off, and something is left: {}",
            visible(&left)
        );
    }
    Ok(())
}

fn go(args: &Common, around: &Around, plan: &Plan, verb: &'static str) -> Result<Exit, Stop> {
    let (who, scope) = (args.agent, args.scope());
    if args.how.json && !args.how.yes && !args.how.dry_run && !plan.edits.is_empty() {
        return Err(Stop::hint(
            "nobody can be asked between lines of JSON",
            "say `--yes` or `--dry-run`",
        ));
    }
    if scope == Scope::Managed
        && !args.how.dry_run
        && !plan.edits.is_empty()
        && !rustix::process::geteuid().is_root()
    {
        return Err(Stop::hint(
            "what holds for everybody is for an administrator to change",
            "run it as root, or with `--dry-run`",
        ));
    }
    if !args.how.json {
        say(&before(who, plan)?)?;
    }
    if args.how.dry_run || plan.edits.is_empty() {
        if args.how.json {
            say(&format!(
                "{}\n",
                json::write_plain(&as_node(who, scope, plan, None)?)
            ))?;
        } else if args.how.dry_run && !plan.edits.is_empty() {
            say("nothing was changed: this only shows it\n")?;
        }
        return Ok(Exit::Allowed);
    }
    if !args.how.yes && !confirmed("change this? [y/N] ", SAY_YES)? {
        say("nothing was changed\n")?;
        return Ok(Exit::Denied);
    }
    let id = Ids::new().next(verb);
    let journal = Journal::open(&around.state).map_err(Stop::usage)?;
    // Written down first, as every change is.
    let changes: Vec<Node> = plan.edits.iter().map(change_node).collect();
    let fields = vec![
        ("call", Node::text(&id)),
        (
            "user",
            Value::Number(rustix::process::geteuid().as_raw().to_string()).into(),
        ),
        ("agent", Node::text(who.name())),
        ("scope", Node::text(scope.word())),
        ("files", Value::List(changes).into()),
    ];
    journal
        .append(verb, fields, Sync::Disk)
        .map_err(Stop::usage)?;
    let done = install::carry_out(around, who, scope, plan, &id, !args.how.yes);
    let finished = vec![
        ("call", Node::text(&id)),
        ("succeeded", Value::Bool(done.is_ok()).into()),
    ];
    let noted = journal.append("finished", finished, Sync::System);
    let done = done.map_err(stop)?;
    noted.map_err(Stop::usage)?;
    match args.how.json {
        true => say(&format!(
            "{}\n",
            json::write_plain(&as_node(who, scope, plan, Some(&done))?)
        ))?,
        false => say(&after(who, &done, verb))?,
    }
    Ok(Exit::Allowed)
}

pub(super) fn change_node(edit: &install::Edit) -> Node {
    let digest = |text: &Option<String>| match text {
        Some(text) => Node::text(Digest::of_bytes(text.as_bytes()).to_string()),
        None => Value::Null.into(),
    };
    Node::map([
        ("path", Node::text(edit.file.real.to_string_lossy())),
        ("before", digest(&edit.file.text)),
        ("after", digest(&edit.after)),
    ])
}

/// What will change, and what there is to know of it.
fn before(who: Which, plan: &Plan) -> Result<String, Stop> {
    let paint = Paint::for_stream(&io::stdout());
    let mut out = String::new();
    for edit in &plan.edits {
        let diff = shown::unified(
            &edit.file.real,
            edit.file.text.as_deref(),
            edit.after.as_deref(),
            paint,
        )
        .map_err(Stop::usage)?;
        out.push_str(&diff);
        out.push('\n');
    }
    if plan.edits.is_empty() {
        out.push_str(&format!(
            "nothing changes in the settings of {}\n",
            who.title()
        ));
    }
    let told = |sign: String, words: &String| {
        format!(
            "{}\n",
            paint.folded(&format!("{sign} {}", visible(words)), "    ↪ ")
        )
    };
    out.extend(
        plan.warnings
            .iter()
            .map(|words| told(paint.tone(Tone::Yellow, "!"), words)),
    );
    out.extend(
        plan.notes
            .iter()
            .map(|words| told(paint.tone(Tone::Faint, "-"), words)),
    );
    Ok(out)
}

fn after(who: Which, done: &Done, verb: &str) -> String {
    let mut out = String::from("done\n");
    let path = |path: &Path| visible(&path.to_string_lossy()).into_owned();
    out.extend(
        done.backups
            .iter()
            .map(|(file, kept)| format!("  {} as it was: {}\n", path(file), path(kept))),
    );
    out.extend(
        done.remarks
            .iter()
            .map(|remark| format!("  {}\n", visible(remark))),
    );
    out.push_str(&format!("`sayso undo {}` takes this back\n", done.id));
    if verb == "install" {
        let also = if io::stdout().is_terminal() {
            "; sessions that run already go on without it"
        } else {
            ""
        };
        match who.was_run() {
            true => out.push_str(&format!(
                "`sayso doctor --agents` proves that {} calls it{also}\n",
                who.title()
            )),
            false => out.push_str(&format!(
                "try a call that your policy denies: {} was never run with sayso{also}\n",
                who.title()
            )),
        }
    }
    out
}

fn as_node(who: Which, scope: Scope, plan: &Plan, done: Option<&Done>) -> Result<Node, Stop> {
    let texts =
        |all: &[String]| -> Node { Value::List(all.iter().map(Node::text).collect()).into() };
    let nothing = || -> Node { Value::Null.into() };
    let mut files = Vec::new();
    for edit in &plan.edits {
        let real = &edit.file.real;
        let diff = shown::unified(
            real,
            edit.file.text.as_deref(),
            edit.after.as_deref(),
            Paint::PLAIN,
        )
        .map_err(Stop::usage)?;
        let backup = done.and_then(|done| done.backups.iter().find(|(file, _)| file == real));
        files.push(Node::map([
            ("path", Node::text(edit.file.path.to_string_lossy())),
            ("real", Node::text(real.to_string_lossy())),
            ("diff", Node::text(diff)),
            (
                "backup",
                backup.map_or_else(nothing, |(_, kept)| Node::text(kept.to_string_lossy())),
            ),
        ]));
    }
    Ok(Node::map([
        ("agent", Node::text(who.name())),
        ("scope", Node::text(scope.word())),
        ("changes", Value::Bool(!plan.edits.is_empty()).into()),
        ("done", Value::Bool(done.is_some()).into()),
        ("files", Value::List(files).into()),
        ("warnings", texts(&plan.warnings)),
        ("notes", texts(&plan.notes)),
        (
            "undo",
            done.map_or_else(nothing, |done| Node::text(&done.id)),
        ),
    ]))
}
