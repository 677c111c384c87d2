//! `sayso check`: judges a call without running it.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use std::path::Path;

use clap::Args;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::runner::RunnerCapabilities;
use sayso_core::call::operation::{Agent, Call, MAX_BYTES, Operation};
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::{Entry, Node, Span, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use sayso_gate::pipeline::{Bench, Judged, judge};

use super::{Place, PolicyChoice, Stop, now, say};
use crate::exit_code::Exit;
use sayso_agents::generic::jsonl;
use sayso_agents::generic::jsonl::{BadLine, Missing};
use sayso_runtime::assemble;
use sayso_runtime::report;

/// Judge a command or a tool call without running it.
///
/// Exit status of a single check: 0 allow, 10 ask, 20 deny, 2 unreadable input.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  sayso check -- git status\n  sayso check --tool file_edit --arg path=src/a.rs --arg find=a --arg replace=b\n  sayso check --jsonl < calls.jsonl"
)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    choice: PolicyChoice,

    /// The tool that is called, such as `file_edit`; without it a command is judged.
    #[arg(long, value_name = "NAME", conflicts_with = "jsonl")]
    tool: Option<String>,

    /// An argument of the tool as text; may be given more than once.
    #[arg(long = "arg", value_name = "KEY=VALUE", requires = "tool")]
    arguments: Vec<String>,

    /// All arguments of the tool as one JSON object.
    #[arg(
        long,
        value_name = "JSON",
        requires = "tool",
        conflicts_with = "arguments"
    )]
    args: Option<String>,

    /// Read calls from standard input, one JSON object a line, and answer one a line.
    #[arg(long)]
    jsonl: bool,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,

    /// Show the parts of the command and what each does, the word that made it ask, and what was tried on the way to the verdict.
    #[arg(long)]
    explain: bool,

    /// The agent that makes the call.
    #[arg(long, value_name = "NAME", default_value = "")]
    agent: String,

    /// Judge as if nobody could be asked: what would ask is denied.
    #[arg(long)]
    strict: bool,

    /// The command; one word is read as a whole command line, several as its words.
    #[arg(trailing_var_arg = true, value_name = "COMMAND", conflicts_with_all = ["tool", "jsonl"])]
    command: Vec<String>,
}

pub(super) fn run(args: &CheckArgs) -> Result<Exit, Stop> {
    let place = Place::quick(&args.choice)?;
    place.warn();
    let broken = place.insist();
    // Programs get an answer in any case: with a broken policy it is a denial, and the exit status says that nothing was read.
    if !(args.json || args.jsonl) {
        broken?;
    } else if let Err(Stop::Usage(message)) = &broken {
        let _ = write!(io::stderr(), "{message}");
    }
    let (world, contains) = (place.world(), place.contains());
    let run = if args.strict {
        Run::Strict
    } else {
        Run::Interactive
    };
    // Whether scripts are still those that were shown is looked at when something runs; here such a grant is left out.
    let grants: Vec<Grant> = place
        .loaded
        .grants
        .iter()
        .filter(|grant| grant.seal.is_none())
        .cloned()
        .collect();
    let bench = Bench {
        world: &world,
        policy: &place.loaded.policy,
        grants: &grants,
        uses: None,
        run,
        now: now(),
        runner: RunnerCapabilities::JUDGE_ONLY.containing(&contains),
        trace: args.explain,
    };
    let unread = place.loaded.policy.why_broken().is_some();
    if args.jsonl {
        return lines(args, &place, &bench).map(|exit| if unread { Exit::Usage } else { exit });
    }
    let call = Call {
        agent: Agent {
            name: args.agent.clone(),
            parents: Vec::new(),
        },
        ..single(args, &place.folder)?
    };
    let id = Node::text("check");
    let (decision, text) = match Operation::freeze(call) {
        Ok(operation) => {
            let judged = judge(&bench, &operation);
            let untrusted = untrusted(args, &place, &bench, &operation, judged.verdict.decision);
            let text = match args.json {
                true => {
                    let mut answer = report::json(&id, &judged);
                    if let (Value::Map(entries), Some(untrusted)) = (&mut answer.value, &untrusted)
                    {
                        let node = untrusted.json();
                        entries.push(Entry {
                            key: "untrusted".to_owned(),
                            key_span: Span::default(),
                            node,
                        });
                    }
                    format!("{}\n", json::write_plain(&answer))
                }
                false => {
                    let text = if args.explain {
                        report::explained(&operation, &judged)
                    } else {
                        report::text(&operation, &judged.verdict)
                    };
                    format!(
                        "{text}{}",
                        untrusted.map_or(String::new(), |untrusted| untrusted.lines())
                    )
                }
            };
            (judged.verdict.decision, text)
        }
        Err(malformed) => {
            let text = match args.json {
                true => format!(
                    "{}\n",
                    json::write_plain(&report::malformed(&id, &malformed))
                ),
                false => format!("deny  the call is malformed: {}\n", visible(&malformed.0)),
            };
            (Decision::Deny, text)
        }
    };
    say(&text)?;
    Ok(if unread {
        Exit::Usage
    } else {
        Exit::from(decision)
    })
}

/// What the project's file would make of a call, if the person trusted it.
struct Untrusted {
    decision: Decision,
    rule: String,
    source: String,
}

impl Untrusted {
    fn lines(&self) -> String {
        let (source, rule, word) = (
            visible(&self.source),
            visible(&self.rule),
            self.decision.word(),
        );
        format!(
            "note: the project's file would {word} this (`{rule}`, {source}), but it is not trusted, so it can only tighten\nhint: read it, then run `sayso policy trust`\n"
        )
    }

    fn json(&self) -> Node {
        Node::map([
            ("decision", Node::text(self.decision.word())),
            ("rule", Node::text(&self.rule)),
            ("source", Node::text(&self.source)),
            ("hint", Node::text("sayso policy trust")),
        ])
    }
}

/// Whether a project's file that is not trusted would decide less strictly.
fn untrusted(
    args: &CheckArgs,
    place: &Place,
    bench: &Bench<'_>,
    operation: &Operation,
    decision: Decision,
) -> Option<Untrusted> {
    if decision == Decision::Allow {
        return None;
    }
    let trusting = assemble::load_trusting(
        &place.whereabouts,
        Path::new(&place.folder),
        &args.choice.flags(),
    )?;
    let verdict = judge(
        &Bench {
            policy: &trusting.policy,
            ..*bench
        },
        operation,
    )
    .verdict;
    let reason = verdict
        .reasons
        .first()
        .filter(|_| verdict.decision < decision)?;
    Some(Untrusted {
        decision: verdict.decision,
        rule: reason.text(),
        source: reason.rule.source().into_owned(),
    })
}

/// The one call that the flags describe.
fn single(args: &CheckArgs, folder: &str) -> Result<Call, Stop> {
    let Some(tool) = &args.tool else {
        return match args.command.as_slice() {
            [] => Err(Stop::hint(
                "there is nothing to check",
                "write `sayso check -- git status`, or `--tool`, or `--jsonl`",
            )),
            [line] => Ok(Call::command(line, folder)),
            words => Ok(Call::command(sayso_shell::quote(words), folder)),
        };
    };
    let arguments = match &args.args {
        Some(text) => json::read(text, &Limits::default()).map_err(|finding| {
            Stop::Usage(finding.render(sayso_core::text::diagnostic::Source {
                name: "--args",
                text,
            }))
        })?,
        None => {
            let mut pairs: Vec<(String, Node)> = Vec::new();
            for argument in &args.arguments {
                let Some((key, value)) = argument.split_once('=') else {
                    return Err(Stop::hint(
                        format!("`{}` is not KEY=VALUE", visible(argument)),
                        "write, for example, `--arg path=src/main.rs`",
                    ));
                };
                if pairs.iter().any(|(known, _)| known == key) {
                    return Err(Stop::usage(format!(
                        "the argument `{}` is given twice",
                        visible(key)
                    )));
                }
                pairs.push((key.to_owned(), Node::text(value)));
            }
            Node::map(pairs)
        }
    };
    Ok(Call::new(tool, arguments, folder))
}

/// A line is cut off past this many bytes; the rest of it is skipped and never kept.
const LONGEST_LINE: u64 = (MAX_BYTES * 2) as u64;

fn lines(args: &CheckArgs, place: &Place, bench: &Bench<'_>) -> Result<Exit, Stop> {
    let missing = Missing {
        cwd: place.folder.clone(),
        workspace: place.folder.clone(),
        agent: args.agent.clone(),
    };
    let mut input = BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let mut out = BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    let mut policies = Policies {
        args,
        place,
        bench,
        others: HashMap::new(),
    };
    loop {
        // Somebody may be waiting for each answer before the next call is sent.
        if input.buffer().is_empty() {
            out.flush()?;
        }
        line.clear();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        match read {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                out.flush()?;
                return Err(Stop::usage(format!("cannot read standard input: {error}")));
            }
        }
        let whole = line.last() == Some(&b'\n') || (line.len() as u64) < LONGEST_LINE;
        if !whole {
            skip_line(&mut input)
                .map_err(|error| Stop::usage(format!("cannot read standard input: {error}")))?;
        }
        let content = line.trim_ascii();
        if content.is_empty() {
            continue;
        }
        let answer = if whole {
            answer(content, &missing, &mut policies)
        } else {
            error_line(&Value::Null.into(), "the line is longer than 32 MiB")
        };
        writeln!(out, "{}", json::write_plain(&answer))?;
    }
    out.flush()?;
    Ok(Exit::Allowed)
}

/// The policy of each workspace that a line names: a project's rules hold for its own calls and for no others.
struct Policies<'a> {
    args: &'a CheckArgs,
    place: &'a Place,
    bench: &'a Bench<'a>,
    others: HashMap<String, Policy>,
}

impl Policies<'_> {
    /// Workspaces whose policy is kept; one more makes room.
    const MOST: usize = 64;

    fn judge(&mut self, operation: &Operation) -> Judged {
        let workspace = operation.workspace();
        if workspace == self.place.folder {
            return judge(self.bench, operation);
        }
        if !self.others.contains_key(workspace) {
            if self.others.len() >= Self::MOST {
                self.others.clear();
            }
            let loaded = assemble::load(
                &self.place.whereabouts,
                Path::new(workspace),
                &self.args.choice.flags(),
            );
            self.others.insert(workspace.to_owned(), loaded.policy);
        }
        let policy = self.others.get(workspace).unwrap_or(self.bench.policy);
        judge(
            &Bench {
                policy,
                ..*self.bench
            },
            operation,
        )
    }
}

fn answer(line: &[u8], missing: &Missing, policies: &mut Policies<'_>) -> Node {
    match jsonl::read(line, missing) {
        Ok((id, call)) => match Operation::freeze(call) {
            Ok(operation) => report::json(&id, &policies.judge(&operation)),
            Err(malformed) => report::malformed(&id, &malformed),
        },
        Err(BadLine { id, error }) => error_line(&id, &error.to_string()),
    }
}

fn error_line(id: &Node, error: &str) -> Node {
    Node::map([("id", id.clone()), ("error", Node::text(error))])
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let (length, done) = {
            let buffer = input.fill_buf()?;
            match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            }
        };
        input.consume(length);
        if done {
            return Ok(());
        }
    }
}
