//! `sayso policy`: look at, check and trust the policy.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::rule::Rule;
use sayso_core::policy::schema::POLICY;
use sayso_core::policy::shape::{Shape, json_schema};
use sayso_core::text::count as nouns;
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};
use sayso_shell::Bash;
use sayso_store::journal::{Journal, Sync};
use sayso_world::{policy_files, trust};

use super::{
    Place, PolicyChoice, Stop, policy_examples, policy_notes, policy_show, policy_test, say,
};
use crate::exit_code::Exit;
use sayso_agents::import;
use sayso_agents::import::{File, System};

/// Look at, check and trust the policy.
#[derive(Debug, Args)]
pub(super) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

impl PolicyArgs {
    /// Whether it changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        !matches!(
            self.command,
            PolicyCommand::Init { .. } | PolicyCommand::Trust { list: false, .. }
        )
    }
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    /// Show the merged policy with the source of each value and rule.
    Show {
        #[command(flatten)]
        choice: PolicyChoice,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check policy files and say what is wrong with them, and where.
    Check {
        #[command(flatten)]
        choice: PolicyChoice,
        /// Files to check; without any, all files that count here.
        files: Vec<PathBuf>,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write a first policy file for this project, or with --user for yourself.
    Init {
        /// The folder of the project.
        #[arg(short = 'C', value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Write your own policy file instead.
        #[arg(long)]
        user: bool,
        /// Begin with one of the examples.
        #[arg(long, value_name = "NAME")]
        example: Option<String>,
    },
    /// Whole policies for common kinds of work: without a name all of them, with one its text.
    Examples {
        /// The example.
        name: Option<String>,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of a policy file, for editors.
    Schema,
    /// Make a policy of the rules of another agent: never looser than they were, with a report of what differs.
    #[command(
        after_help = "The policy goes to standard output and the report to the error stream; nothing is written anywhere. Several files of one\n\
system count together, as they do there: give those that count less first. Look at the report, then put the policy where it\n\
belongs (`sayso policy show` says where that is)."
    )]
    Import {
        /// Whose files they are.
        #[arg(long, value_name = "SYSTEM")]
        from: System,
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Answer as JSON: the policy as a text, and what differs.
        #[arg(long)]
        json: bool,
    },
    /// Write rules in the words of another agent, for where sayso is not in front of it: never looser, with a report of what cannot be said.
    Export {
        /// For whom.
        #[arg(long, value_name = "SYSTEM")]
        to: sayso_agents::export::System,
        /// Policy files; without any, the rules that count here.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        choice: PolicyChoice,
        /// Answer as JSON: the file as a text, and what differs.
        #[arg(long)]
        json: bool,
    },
    /// Trust the project's policy file as it is now, so that it may also loosen.
    Trust {
        #[command(flatten)]
        choice: PolicyChoice,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
        /// Take the trust back.
        #[arg(long)]
        revoke: bool,
        /// List what is trusted.
        #[arg(long, conflicts_with = "revoke")]
        list: bool,
    },
    /// Check the examples of all rules, and files of expected verdicts.
    Test {
        #[command(flatten)]
        choice: PolicyChoice,
        /// Files with expected verdicts.
        files: Vec<PathBuf>,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(args: &PolicyArgs) -> Result<Exit, Stop> {
    match &args.command {
        PolicyCommand::Show { choice, json } => policy_show::run(choice, *json),
        PolicyCommand::Check {
            choice,
            files,
            json,
        } => check(choice, files, *json),
        PolicyCommand::Init {
            folder,
            user,
            example,
        } => init(folder.as_deref(), *user, example.as_deref()),
        PolicyCommand::Examples { name, json } => policy_examples::run(name.as_deref(), *json),
        PolicyCommand::Schema => schema(),
        PolicyCommand::Import { from, files, json } => import(*from, files, *json),
        PolicyCommand::Export {
            to,
            files,
            choice,
            json,
        } => export(*to, files, choice, *json),
        PolicyCommand::Trust {
            choice,
            yes,
            revoke,
            list,
        } => trust_project(choice, *yes, *revoke, *list),
        PolicyCommand::Test {
            choice,
            files,
            json,
        } => policy_test::run(choice, files, *json),
    }
}

fn import(system: System, files: &[PathBuf], as_json: bool) -> Result<Exit, Stop> {
    let read: Vec<File> = files
        .iter()
        .map(|path| File::read(path))
        .collect::<Result<_, _>>()
        .map_err(Stop::usage)?;
    let imported = import::import(system, &read).map_err(Stop::usage)?;
    carried(
        &import::yaml(&imported),
        &import::report(&imported),
        &imported.notes,
        "policy",
        as_json,
    )
}

/// Says what was made of rules, and what differs.
fn carried(
    text: &str,
    report: &str,
    notes: &[import::Note],
    key: &'static str,
    as_json: bool,
) -> Result<Exit, Stop> {
    if as_json {
        let note = |note: &import::Note| {
            Node::map([
                ("place", Node::text(&note.place)),
                ("what", Node::text(&note.what)),
                ("done", Node::text(&note.done)),
            ])
        };
        let notes = Node::from(Value::List(notes.iter().map(note).collect()));
        say(&format!(
            "{}\n",
            json::write_plain(&Node::map([(key, Node::text(text)), ("differs", notes)]))
        ))?;
    } else {
        say(text)?;
        let _ = io::stderr().write_all(report.as_bytes());
    }
    Ok(Exit::Allowed)
}

fn export(
    system: sayso_agents::export::System,
    files: &[PathBuf],
    choice: &PolicyChoice,
    as_json: bool,
) -> Result<Exit, Stop> {
    let mut rules: Vec<Rule> = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Stop::usage(format!("`{name}` cannot be read: {error}")))?;
        let format = if name.ends_with(".json") {
            Format::Json
        } else {
            Format::Yaml
        };
        let (layer, findings) = read(
            Source {
                name: &name,
                text: &text,
            },
            format,
            Origin::User,
            &Bash,
        );
        let Some(layer) = layer else {
            let first = findings
                .first()
                .map(|finding| finding.message.clone())
                .unwrap_or_default();
            return Err(Stop::hint(
                format!("`{name}` is no policy: {first}"),
                "`sayso policy check FILE` says where",
            ));
        };
        rules.extend(layer.rules);
    }
    if files.is_empty() {
        let place = Place::open(choice)?;
        place.insist()?;
        for rule in place
            .loaded
            .policy
            .views()
            .iter()
            .flat_map(|view| view.general.rules.all())
        {
            if !rules
                .iter()
                .any(|known| known.source == rule.source && known.id == rule.id)
            {
                rules.push(rule.clone());
            }
        }
    }
    let exported = sayso_agents::export::export(system, &rules);
    let mut report = format!("{}\n", nouns::count(rules.len(), "rule"));
    for note in &exported.notes {
        report.push_str(&format!(
            "{}: `{}`\n  {}\n",
            visible(&note.place),
            visible(&note.what),
            note.done
        ));
    }
    carried(&exported.text, &report, &exported.notes, "file", as_json)
}

fn check(choice: &PolicyChoice, files: &[PathBuf], as_json: bool) -> Result<Exit, Stop> {
    let mut read_files = Vec::new();
    let mut notes = Vec::new();
    if files.is_empty() {
        let place = Place::open(choice)?;
        notes = policy_notes::safe_commands(&place.loaded.policy);
        read_files = place.loaded.files;
    } else {
        for path in files {
            let (file, policy) =
                sayso_runtime::assemble::check_file(policy_files::named(path), &choice.flags());
            notes.extend(policy.iter().flat_map(policy_notes::safe_commands));
            read_files.push(file);
        }
    }
    let mut text = String::new();
    let broken = read_files
        .iter()
        .any(sayso_runtime::assemble::ReadFile::is_broken);
    if as_json {
        let list: Vec<Node> = read_files
            .iter()
            .flat_map(findings_json)
            .chain(notes.iter().map(policy_notes::Note::json))
            .collect();
        text.push_str(&json::write_plain(&Node::map([
            ("ok", Value::Bool(!broken).into()),
            ("findings", Value::List(list).into()),
        ])));
    } else {
        for file in &read_files {
            text.push_str(&file.render());
        }
        notes.iter().for_each(|note| text.push_str(&note.line()));
        let count = |severity| {
            read_files
                .iter()
                .flat_map(|file| &file.findings)
                .filter(|finding| finding.severity == severity)
                .count()
        };
        let unreadable = read_files
            .iter()
            .filter(|file| file.unreadable.is_some())
            .count();
        let errors = count(Severity::Error) + unreadable;
        let number = |number: usize, word: &str| nouns::count(number, word);
        let (files, warnings) = (
            number(read_files.len(), "file"),
            number(count(Severity::Warning) + notes.len(), "warning"),
        );
        text.push_str(&format!("{files}: {}, {warnings}", number(errors, "error")));
    }
    text.push('\n');
    say(&text)?;
    Ok(if broken { Exit::Usage } else { Exit::Allowed })
}

fn findings_json(file: &sayso_runtime::assemble::ReadFile) -> Vec<Node> {
    let source = Source {
        name: &file.name,
        text: &file.text,
    };
    let number = |value: usize| -> Node { Value::Number(value.to_string()).into() };
    let mut list: Vec<Node> = file
        .findings
        .iter()
        .map(|finding| {
            let (line, column) = source.line_column(finding.span.start as usize);
            let severity = if finding.severity == Severity::Error {
                "error"
            } else {
                "warning"
            };
            Node::map([
                ("file", Node::text(&file.name)),
                ("line", number(line)),
                ("column", number(column)),
                ("severity", Node::text(severity)),
                ("message", Node::text(&finding.message)),
                (
                    "hint",
                    finding.hint.as_ref().map_or(Value::Null.into(), Node::text),
                ),
            ])
        })
        .collect();
    list.extend(file.unreadable.iter().map(|why| {
        Node::map([
            ("file", Node::text(&file.name)),
            ("severity", Node::text("error")),
            ("message", Node::text(why)),
        ])
    }));
    list
}

fn schema() -> Result<Exit, Stop> {
    let mut schema = json_schema(&Shape::Record(&POLICY));
    if let Value::Map(entries) = &mut schema.value {
        let head = Node::map([
            (
                "$schema",
                Node::text("https://json-schema.org/draft/2020-12/schema"),
            ),
            ("title", Node::text("sayso policy")),
        ]);
        entries.splice(0..0, head.entries().iter().cloned());
    }
    writeln!(io::stdout().lock(), "{}", json::write_plain(&schema))?;
    Ok(Exit::Allowed)
}

const FIRST_FILE: &str = include_str!("../../examples/first-policy.yaml");

fn init(folder: Option<&Path>, user: bool, example: Option<&str>) -> Result<Exit, Stop> {
    let text = example.map_or(Ok(FIRST_FILE), policy_examples::text)?;
    let target = if user {
        sayso_world::locations::Whereabouts::from_environment()
            .map_err(Stop::usage)?
            .config
    } else {
        Path::new(&super::folder(folder)?).join(".sayso")
    };
    let path = target.join("policy.yaml");
    let cannot =
        |error: io::Error| Stop::usage(format!("cannot write `{}`: {error}", path.display()));
    std::fs::create_dir_all(&target).map_err(cannot)?;
    match std::fs::File::create_new(&path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(cannot)?;
            // Group write by a loose umask would make sayso refuse its own file.
            let _ = restrict(&path);
            let _ = restrict(&target);
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Stop::hint(
                format!("`{}` is there already", path.display()),
                "`sayso policy check` tells whether it is good",
            ));
        }
        Err(error) => return Err(cannot(error)),
    }
    let mut out = io::stdout().lock();
    writeln!(out, "wrote {}", path.display())?;
    if !user {
        writeln!(
            out,
            "hint: until you run `sayso policy trust`, it can only tighten"
        )?;
    }
    Ok(Exit::Allowed)
}

fn restrict(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = std::fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() & !0o022);
    std::fs::set_permissions(path, permissions)
}

fn trust_project(choice: &PolicyChoice, yes: bool, revoke: bool, list: bool) -> Result<Exit, Stop> {
    let place = Place::open(choice)?;
    let state = &place.whereabouts.state;
    let mut out = io::stdout().lock();
    if list {
        for trusted in trust::list(state).map_err(Stop::usage)? {
            writeln!(out, "{}  {}", trusted.digest, visible(&trusted.path))?;
        }
        return Ok(Exit::Allowed);
    }
    let found = policy_files::find(&place.whereabouts, Path::new(&place.folder));
    let Some(file) = found
        .into_iter()
        .find(|file| file.layer == policy_files::FileLayer::Project)
    else {
        return Err(Stop::hint(
            "this project has no policy file",
            "`sayso policy init` writes one",
        ));
    };
    let canonical = std::fs::canonicalize(&file.path).map_err(|error| {
        Stop::usage(format!("`{}` cannot be read: {error}", file.path.display()))
    })?;
    let canonical = canonical
        .to_str()
        .ok_or_else(|| Stop::usage("the path is not UTF-8"))?;
    if revoke {
        let known = trust::list(state)
            .map_err(Stop::usage)?
            .into_iter()
            .find(|trusted| trusted.path == canonical);
        if let Some(known) = known {
            note(&place, "untrusted", canonical, &known.digest)?;
        }
        let was = trust::untrust(state, canonical).map_err(Stop::usage)?;
        writeln!(
            out,
            "{}",
            if was {
                "the trust is taken back"
            } else {
                "it was not trusted"
            }
        )?;
        return Ok(Exit::Allowed);
    }
    let text = file.text.map_err(Stop::usage)?;
    let name = file.path.display().to_string();
    let format = if file
        .path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        Format::Json
    } else {
        Format::Yaml
    };
    let source = Source {
        name: &name,
        text: &text,
    };
    let (layer, findings) = read(source, format, Origin::Project, &Bash);
    if layer.is_none() {
        let shown: String = findings
            .iter()
            .map(|finding| finding.render(source))
            .collect();
        return Err(Stop::Usage(format!(
            "{shown}sayso: a file with errors cannot be trusted\n"
        )));
    }
    if !yes {
        if !io::stdin().is_terminal() {
            return Err(Stop::hint(
                "nobody is there to read the file and say yes",
                "run it in a terminal, or with --yes",
            ));
        }
        writeln!(out, "{}", visible_block(&text))?;
        write!(
            out,
            "Trust this file as it is now, so that it may also allow? [y/N] "
        )?;
        out.flush()?;
        let mut answer = String::new();
        io::stdin()
            .read_line(&mut answer)
            .map_err(|error| Stop::usage(format!("cannot read the answer: {error}")))?;
        if !matches!(answer.trim(), "y" | "yes") {
            writeln!(out, "not trusted")?;
            return Ok(Exit::Failed);
        }
    }
    // What was shown is what is trusted: the digest is of this text, whatever the file says by now.
    // Written down first, as every change is.
    note(
        &place,
        "trusted",
        canonical,
        &Digest::of_bytes(text.as_bytes()),
    )?;
    trust::trust(state, canonical, &text).map_err(Stop::usage)?;
    writeln!(
        out,
        "trusted {} as it is now; a change takes the trust away",
        visible(&name)
    )?;
    Ok(Exit::Allowed)
}

/// Writes down that a project's policy file is trusted, or not any more.
fn note(place: &Place, kind: &str, path: &str, digest: &Digest) -> Result<(), Stop> {
    let journal = Journal::open(&place.whereabouts.state).map_err(Stop::usage)?;
    let fields = vec![
        (
            "user",
            Value::Number(place.whereabouts.uid.to_string()).into(),
        ),
        ("path", Node::text(path)),
        ("file_digest", Node::text(digest.to_string())),
    ];
    journal
        .append(kind, fields, Sync::Disk)
        .map(drop)
        .map_err(Stop::usage)
}
