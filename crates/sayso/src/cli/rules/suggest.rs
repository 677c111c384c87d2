//! `sayso rules suggest`: what was approved again and again, counted from the record. It only tells; a person adds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clap::Args;
use sayso_core::call::tool;
use sayso_core::policy::command_pattern::{CommandPattern, Form, Reach};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_shell::Bash;
use sayso_store::read::{Reader, Stored};

use super::add::PATTERN_SIGNS;
use crate::cli::remembered::{Book, Shelf};
use crate::cli::{Stop, now, say};
use crate::exit_code::Exit;
use crate::screen::ago::read_length;
use sayso_runtime::rules::line::line;

/// Count what you approved again and again, and say which rules would have saved these prompts. Nothing is added.
#[derive(Debug, Args)]
pub(super) struct SuggestArgs {
    /// How often it must have been approved.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    least: u64,
    /// Only look back so far: `2h`, `7d`, `4w`.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Answer as JSON, one suggestion a line.
    #[arg(long)]
    json: bool,
}

/// So many other calls are named.
const MOST_OTHERS: usize = 5;
/// At most this many different calls are looked at, the newest: more would only take memory.
const MAX_CALLS: usize = 20_000;
/// Commands that are longer are no calls to make rules of.
const MAX_LENGTH: usize = 1024;

/// Calls of the record that are alike: what was called, by whom and where.
struct Past {
    /// A command as it was, or what a file tool was used for.
    what: String,
    /// The patterns that would cover it, narrowest first; none where no rule may.
    patterns: Vec<(&'static str, String)>,
    /// The name that its commands begin with, or none: a pattern that begins with another is not about it.
    program: Option<String>,
    /// Who called, and where.
    agent: String,
    workspace: String,
    /// How often it was asked about, and how these prompts ended.
    asked: u64,
    approved: u64,
    denied: u64,
    /// It was denied, or ended otherwise than approved, asked about or not.
    was_denied: bool,
    was_left: bool,
}

/// What of a call tells it from others.
type Call = (String, String, String, bool);

/// The history of calls, each kind once.
#[derive(Default)]
struct History {
    calls: HashMap<Call, Past>,
    asked: u64,
}

impl History {
    /// Takes in an entry, the newest first. Where there are too many kinds of calls, only those that are known are counted.
    fn take(&mut self, entry: &Stored) {
        let Some((call, patterned, one)) = read(entry) else {
            return;
        };
        self.asked += u64::from(one.asked);
        // What was denied keeps a pattern from being suggested, so more of it is looked at.
        let most = if one.denied { 2 * MAX_CALLS } else { MAX_CALLS };
        if self.calls.len() >= most && !self.calls.contains_key(&call) {
            return;
        }
        let past = self
            .calls
            .entry(call)
            .or_insert_with_key(|call| Past::new(call, patterned));
        past.asked += u64::from(one.asked);
        past.approved += u64::from(one.asked && one.approved);
        past.denied += u64::from(one.asked && one.denied);
        past.was_denied |= one.denied;
        past.was_left |= !one.approved;
    }

    /// All of it, in an order that is always the same.
    fn sorted(self) -> Vec<Past> {
        let mut all: Vec<(Call, Past)> = self.calls.into_iter().collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all.into_iter().map(|(_, past)| past).collect()
    }
}

/// How one call ended.
#[derive(Clone, Copy)]
struct One {
    asked: bool,
    approved: bool,
    denied: bool,
}

/// What patterns are made of.
enum Patterned {
    Command(String),
    Path(tool::Kind, String),
}

/// A pattern with what it would have meant.
#[derive(Default)]
struct Count {
    approved: u64,
    denied: u64,
    /// Other calls that it would have matched, with how they ended.
    others: BTreeSet<String>,
    width: usize,
    /// Whom it was approved for, and where: a rule is suggested for no more than that.
    agents: BTreeSet<String>,
    workspaces: BTreeSet<String>,
}

pub(super) fn run(args: &SuggestArgs) -> Result<Exit, Stop> {
    let book = Book::open()?;
    let since = match &args.since {
        None => i64::MIN,
        Some(text) => {
            let length = read_length(text).ok_or_else(|| {
                Stop::hint(
                    format!("`{}` is no length of time", visible(text)),
                    "write `2h`, `7d` or `4w`",
                )
            })?;
            now().saturating_sub(length).saturating_mul(1000)
        }
    };
    let reader = Reader::open(&book.whereabouts.state).map_err(Stop::usage)?;
    let mut history = History::default();
    for entry in reader.backwards().map_err(Stop::usage)? {
        let entry = entry.map_err(Stop::usage)?;
        if entry.kind == "decided" && entry.at >= since {
            history.take(&entry);
        }
    }
    let asked = history.asked;
    let history = history.sorted();
    let known: BTreeSet<String> = book
        .of(Shelf::Rules)
        .map(|rule| line(rule).pattern)
        .collect();
    let found = suggestions(&history, args.least, &known);
    let text: String = match args.json {
        true => found
            .iter()
            .map(|(key, count)| format!("{}\n", json::write_plain(&as_json(key, count))))
            .collect(),
        false if found.is_empty() => {
            format!(
                "nothing to suggest: of {asked} prompts in the record, no call was approved {} times and never denied\n",
                args.least
            )
        }
        false => found
            .iter()
            .map(|(key, count)| in_words(key, count))
            .collect(),
    };
    say(&text)?;
    Ok(Exit::Allowed)
}

impl Past {
    fn new((what, agent, workspace, plain): &Call, patterned: Patterned) -> Past {
        let (program, patterns) = match &patterned {
            Patterned::Command(command) => of_command(command),
            Patterned::Path(kind, path) => (None, of_path(*kind, path)),
        };
        let patterns = if *plain { patterns } else { Vec::new() };
        let (what, agent, workspace) = (what.clone(), agent.clone(), workspace.clone());
        Past {
            what,
            patterns,
            program,
            agent,
            workspace,
            asked: 0,
            approved: 0,
            denied: 0,
            was_denied: false,
            was_left: false,
        }
    }
}

fn read(entry: &Stored) -> Option<(Call, Patterned, One)> {
    let node = entry.node().ok()?;
    let text = |name: &str| node.get(name).and_then(Node::as_text);
    let tool = tool::find(text("tool")?)?;
    let args = node.get("args")?;
    let (asked, outcome) = (
        text("decision") == Some("ask"),
        text("outcome").unwrap_or_default(),
    );
    // What always asks is not for rules.
    let (agent, workspace) = (
        text("agent").unwrap_or_default().to_owned(),
        text("workspace").unwrap_or_default().to_owned(),
    );
    // Nor is what an agent does for another: a rule names one of them.
    let plain = text("tier") == Some("none")
        && !agent.contains(" < ")
        && node.get("args_cut").is_none()
        && text("rule").is_none_or(|rule| rule != "delete");
    let argument = |name: &str| args.get(name).and_then(Node::as_text);
    let (what, patterned) = match argument("command").filter(|_| tool.kind == tool::Kind::Terminal)
    {
        Some(command) => (command.to_owned(), Patterned::Command(command.to_owned())),
        None => {
            let path = argument("path").or_else(|| argument("file"))?;
            (
                format!("{} {path}", tool.name),
                Patterned::Path(tool.kind, path.to_owned()),
            )
        }
    };
    let denied = matches!(outcome, "denied" | "timed_out" | "cancelled");
    let call = (what, agent, workspace, plain);
    (call.0.len() <= MAX_LENGTH || denied).then_some((
        call,
        patterned,
        One {
            asked,
            approved: outcome == "approved",
            denied,
        },
    ))
}

/// The name that a command begins with, and its patterns.
fn of_command(command: &str) -> (Option<String>, Vec<(&'static str, String)>) {
    let draft = sayso_shell::analyse(command);
    let program = draft
        .commands
        .first()
        .and_then(|first| first.words.first())
        .cloned();
    match draft.commands.as_slice() {
        [one] if draft.opaque.is_none() => (
            program,
            sayso_shell::proposals(one)
                .into_iter()
                .map(|pattern| ("command", pattern))
                .collect(),
        ),
        _ => (program, Vec::new()),
    }
}

/// The folder of a file, for reads and writes in the workspace.
fn of_path(kind: tool::Kind, path: &str) -> Vec<(&'static str, String)> {
    let key = match kind {
        tool::Kind::FileRead | tool::Kind::FileGrep => "read",
        kind if kind.is_file_edit() => "write",
        _ => return Vec::new(),
    };
    let plain = !path.starts_with(['/', '~', '.'])
        && !path.contains(['*', '?', '{', '}', '\\'])
        && !path.split('/').any(|part| part == "..");
    match path.rsplit_once('/') {
        Some((folder, _)) if plain => vec![(key, format!("{folder}/**"))],
        _ => Vec::new(),
    }
}

type Key = (&'static str, String);

/// Patterns that were approved often and never denied. Of two that say the same, the narrower counts.
fn suggestions(history: &[Past], least: u64, known: &BTreeSet<String>) -> Vec<(Key, Count)> {
    let mut counts: BTreeMap<Key, Count> = BTreeMap::new();
    for past in history.iter().filter(|past| past.asked > 0) {
        for (width, key) in past.patterns.iter().enumerate() {
            let count = counts.entry(key.clone()).or_default();
            count.approved += past.approved;
            count.denied += past.denied;
            count.width = count.width.max(width);
            if past.approved > 0 {
                count.agents.insert(past.agent.clone());
                count.workspaces.insert(past.workspace.clone());
            }
        }
    }
    counts.retain(|(_, pattern), count| {
        count.approved >= least && count.denied == 0 && !known.contains(pattern)
    });
    let mut found: Vec<(Key, Count)> = counts.into_iter().collect();
    found.sort_by(|(_, one), (_, other)| {
        other
            .approved
            .cmp(&one.approved)
            .then(one.width.cmp(&other.width))
    });
    let mut chosen: Vec<(Key, Count)> = Vec::new();
    for (key, mut count) in found {
        let first = key
            .1
            .split(' ')
            .next()
            .filter(|word| key.0 == "command" && !word.contains(PATTERN_SIGNS));
        let is_near = |past: &&Past| first.is_none() || past.program.as_deref() == first;
        let matched: Vec<&Past> = history
            .iter()
            .filter(is_near)
            .filter(|past| fits(&key, past))
            .collect();
        // Others were denied that it would let through: not even a suggestion.
        if matched.iter().any(|past| past.was_denied) {
            continue;
        }
        let is_part = chosen.iter().any(|(other, more)| {
            more.approved >= count.approved && matched.iter().all(|past| fits(other, past))
        });
        if is_part {
            continue;
        }
        let others = matched.iter().filter(|past| past.was_left);
        count.others = others.map(|past| past.what.clone()).take(1000).collect();
        chosen.push((key, count));
    }
    chosen
}

/// Whether a rule with this pattern would have been about the call.
fn fits((kind, pattern): &Key, past: &Past) -> bool {
    if *kind != "command" {
        return past.patterns.iter().any(|(other, folder)| {
            other == kind && folder.starts_with(pattern.trim_end_matches("**"))
        });
    }
    let Ok(pattern) = CommandPattern::parse(pattern, Form::Words, &Bash) else {
        return false;
    };
    let draft = sayso_shell::analyse(&past.what);
    !draft.commands.is_empty()
        && draft
            .commands
            .iter()
            .all(|command| pattern.matches(command, Reach::Narrow))
}

fn option(key: &str) -> String {
    if key == "command" {
        String::new()
    } else {
        format!("--{key} ")
    }
}

/// The line that adds the rule. What was approved in one place, or for one agent, is suggested for that only.
fn addition((key, pattern): &Key, count: &Count) -> String {
    let quoted = |text: &String| sayso_shell::quote(std::slice::from_ref(text));
    let only = |names: &BTreeSet<String>| match (names.first(), names.len()) {
        (Some(name), 1) if !name.is_empty() && !name.contains(PATTERN_SIGNS) => Some(quoted(name)),
        _ => None,
    };
    let mut line = format!("sayso rules add --allow {}{}", option(key), quoted(pattern));
    line.extend(only(&count.workspaces).map(|place| format!(" --here {place}")));
    line.extend(only(&count.agents).map(|agent| format!(" --agent {agent}")));
    line
}

fn in_words(suggested: &Key, count: &Count) -> String {
    let (key, pattern) = suggested;
    let what = if *key == "command" {
        String::new()
    } else {
        format!("{key} of ")
    };
    let mut out = format!(
        "you approved {what}`{}` {} times, never denied it\n    {}\n",
        visible(&pattern.replace(" *", " …")),
        count.approved,
        visible(&addition(suggested, count))
    );
    if count.others.is_empty() {
        out.push_str("    it would have matched nothing else\n");
    } else {
        let shown: Vec<String> = count
            .others
            .iter()
            .take(MOST_OTHERS)
            .map(|what| format!("`{}`", visible(what)))
            .collect();
        let more = count.others.len().saturating_sub(MOST_OTHERS);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        out.push_str(&format!(
            "    it would also have matched, not asked or not answered: {}{more}\n",
            shown.join(", ")
        ));
    }
    out
}

fn as_json(suggested: &Key, count: &Count) -> Node {
    let (key, pattern) = suggested;
    Node::map([
        ("subject", Node::text(*key)),
        ("pattern", Node::text(pattern)),
        ("approved", Value::Number(count.approved.to_string()).into()),
        ("denied", Value::Number(count.denied.to_string()).into()),
        (
            "others",
            Value::List(count.others.iter().map(Node::text).collect()).into(),
        ),
        ("command", Node::text(addition(suggested, count))),
    ])
}
