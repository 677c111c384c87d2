//! The tabs of the settings: what stands in them, and what becomes of a wish. Everything is saved as it is changed, into files that sayso owns,
//! and every change is an entry of the record.

use std::path::PathBuf;

use sayso_core::answer::learned_rule::LearnedRule;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::mode::{MODES, Mode};
use sayso_core::policy::profile::PROFILES;
use sayso_core::policy::rule::Rule;
use sayso_core::policy::settings::{AutoAllow, Resolved};
use sayso_core::policy::terms::Network;
use sayso_core::prompt::keymap::KEYMAPS;
use sayso_core::text::count::count;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::ids::Ids;
use sayso_sandbox::backend::Backend;
use sayso_store::journal::{Journal, Sync};
use sayso_store::rules_and_grants::change::{self, Change};
use sayso_store::rules_and_grants::{Standing, What, grant_fields};
use sayso_tui::chat::settings::{Kind, Row, Tab, Wish};

use super::command_error::CommandError;
use super::runtime::Base;
use super::settings_file;
use sayso_runtime::rules::line::{SUBJECTS, line};
use sayso_runtime::rules::templates;
use sayso_runtime::rules::typed::{of_line, warning, words};
use sayso_runtime::rules_layer;

/// The styles of prompts.
const STYLES: [&str; 5] = ["auto", "modal", "status", "inline", "line"];
/// A new rule starts with nothing: what is typed is what is saved.
const NEW_RULE: &str = " ";

/// One of the values of a policy that can be set here: its key, its name, what it means.
struct Setting(&'static str, &'static str, &'static str);

const GENERAL: &[Setting] = &[
    Setting(
        "enabled",
        "Ask",
        "Off lets low and medium risk run unasked unless a rule asks. High risk is judged as before, and denials stay denials.",
    ),
    Setting(
        "mode",
        "Mode",
        "How eager sayso is to ask. `trust-all` is not here: it holds for one session only (`/permissions trust`).",
    ),
    Setting(
        "profile",
        "Profile",
        "The bundle of rules, keys, times and looks that everything starts from.",
    ),
    Setting(
        "approval_timeout",
        "Timeout",
        "Seconds until a question that nobody answers is denied; 0 waits for ever.",
    ),
    Setting(
        "prompt_style",
        "Style",
        "How a question looks: in front of everything, at the bottom, in the flow; `auto` chooses by the risk. With `line`, the next sessions are in plain lines.",
    ),
    Setting(
        "keymap",
        "Keys",
        "Which keys answer a question; `?` at a question shows them.",
    ),
];

/// The tabs as things stand.
pub fn tabs(base: &Base) -> Vec<Tab> {
    let standing = rules_layer::standing(&base.whereabouts().state);
    let (rules, grants): (Vec<Standing>, Vec<Standing>) = standing
        .unwrap_or_default()
        .into_iter()
        .partition(Standing::is_rule);
    let tab = |title: &str, rows: Vec<Row>| Tab {
        title: title.to_owned(),
        rows,
    };
    vec![
        tab(
            "General",
            GENERAL
                .iter()
                .map(|setting| general(base, setting))
                .collect(),
        ),
        tab(
            "Auto-approval",
            rules.iter().map(rule).chain(more_rules()).collect(),
        ),
        tab("Grants", grants.iter().map(grant).collect()),
        tab("Audit", audit(base)),
        tab("Sandbox", sandbox(base)),
    ]
}

/// The value of a key, and where it was set.
fn value_of(base: &Base, key: &str) -> (String, String) {
    let policy = base.policy();
    let Some(view) = policy.views().first() else {
        return (String::new(), "a policy that cannot be read".to_owned());
    };
    let source = view
        .settings
        .list_values()
        .into_iter()
        .find(|(name, ..)| *name == key)
        .map(|(_, _, source)| source);
    (
        in_force(&view.general.settings, key),
        source.unwrap_or_else(|| "what is built in".to_owned()),
    )
}

fn in_force(settings: &Resolved, key: &str) -> String {
    match key {
        "enabled" => settings.enabled.to_string(),
        "mode" => settings.mode.word().to_owned(),
        "profile" => settings.profile.clone(),
        "approval_timeout" => settings.approval_timeout.to_string(),
        "prompt_style" => settings.prompt_style.word().to_owned(),
        "keymap" => settings.keymap.word().to_owned(),
        "audit_retention_days" => settings.audit_retention_days.to_string(),
        "sandbox_auto_allow" => settings.sandbox_auto_allow.word().to_owned(),
        "sandbox_network" => (settings.sandbox_network != Network::Nothing).to_string(),
        "sandbox_require" => settings.sandbox_require.to_string(),
        _ => String::new(),
    }
}

fn row(base: &Base, id: &str, key: &str, label: &str, kind: Kind, about: &str) -> Row {
    let (value, source) = value_of(base, key);
    let value = match (&kind, value.as_str()) {
        (Kind::Switch, "true") => "on".to_owned(),
        (Kind::Switch, _) => "off".to_owned(),
        (_, value) => visible(value).into_owned(),
    };
    let help = format!("{about} (now from {})", visible(&source));
    Row {
        id: id.to_owned(),
        label: label.to_owned(),
        edited: value.clone(),
        value,
        kind,
        help,
    }
}

fn general(base: &Base, Setting(key, label, about): &Setting) -> Row {
    let list = |words: Vec<&str>| Kind::OneOf(words.into_iter().map(str::to_owned).collect());
    let kind = match *key {
        "enabled" => Kind::Switch,
        "mode" => list(
            MODES
                .iter()
                .filter(|(mode, _)| *mode != Mode::TrustAll)
                .map(|(_, word)| *word)
                .collect(),
        ),
        "profile" => list(PROFILES.iter().map(|(name, _)| *name).collect()),
        "prompt_style" => list(STYLES.to_vec()),
        "keymap" => list(KEYMAPS.iter().map(|keymap| keymap.name).collect()),
        _ => Kind::Number,
    };
    row(base, key, key, label, kind, about)
}

fn rule(one: &Standing) -> Row {
    let parts = line(one);
    Row {
        id: one.id.clone(),
        label: format!(
            "{} {} `{}`",
            parts.decision,
            parts.subject,
            visible(&parts.pattern)
        ),
        value: if one.enabled { "on" } else { "off" }.to_owned(),
        edited: parts.pattern,
        kind: Kind::Rule,
        help: format!(
            "{}; from {}; used {}",
            visible(&parts.reach),
            visible(&one.source),
            count(one.uses, "time")
        ),
    }
}

/// A rule that is typed, and the templates.
fn more_rules() -> Vec<Row> {
    let action = |id: String, label: String, edited: &str, help: String| Row {
        id,
        label,
        value: String::new(),
        edited: edited.to_owned(),
        kind: Kind::Action,
        help,
    };
    let subjects: Vec<&str> = SUBJECTS
        .iter()
        .map(|(key, _)| *key)
        .filter(|key| *key != "command_regex")
        .collect();
    let help = format!(
        "type it: `allow`, `ask` or `deny`, then one of {}, then the pattern: `allow read docs/**`",
        subjects.join(", ")
    );
    let mut out = vec![action(
        "add".to_owned(),
        "+ add a rule".to_owned(),
        NEW_RULE,
        help,
    )];
    for (name, about, rules) in templates::all() {
        let list: Vec<String> = rules.iter().map(words).collect();
        out.push(action(
            format!("template {name}"),
            format!("+ template {name} ({})", count(rules.len(), "rule")),
            "",
            format!("{about}: {}", list.join("; ")),
        ));
    }
    out
}

fn grant(one: &Standing) -> Row {
    let used = format!("used {}", count(one.uses, "time"));
    Row {
        id: one.id.clone(),
        label: visible(&one.words).into_owned(),
        value: used,
        edited: String::new(),
        kind: Kind::Grant,
        help: "an answer that still holds; taken back, it is asked about again".to_owned(),
    }
}

fn audit(base: &Base) -> Vec<Row> {
    let about = "How many days entries are kept. `sayso audit prune` lets older ones go.";
    let mut out = vec![row(
        base,
        "audit.retention_days",
        "audit_retention_days",
        "Keep (days)",
        Kind::Number,
        about,
    )];
    for format in ["html", "csv", "jsonl"] {
        out.push(Row {
            id: format!("export {format}"),
            label: format!("export as {format}"),
            value: String::new(),
            edited: String::new(),
            kind: Kind::Action,
            help: "writes the record into a file in your home folder, readable for you alone"
                .to_owned(),
        });
    }
    out
}

fn sandbox(base: &Base) -> Vec<Row> {
    let found = match Backend::full() {
        Ok(backend) => backend.to_string(),
        Err(why) => format!("none: {why}"),
    };
    let words = AutoAllow::WORDS
        .iter()
        .map(|word| (*word).to_owned())
        .collect();
    vec![
        Row {
            id: "found".to_owned(),
            label: "On this machine".to_owned(),
            value: visible(&found).into_owned(),
            edited: String::new(),
            kind: Kind::Fact,
            help: "what bounds commands here".to_owned(),
        },
        row(
            base,
            "sandbox.auto_allow",
            "sandbox_auto_allow",
            "Run unasked",
            Kind::OneOf(words),
            "Whether commands whose effects nobody knows run unasked inside of the workspace, without network and secrets.",
        ),
        row(
            base,
            "sandbox.network",
            "sandbox_network",
            "Network",
            Kind::Switch,
            "Whether sandboxed commands reach the network.",
        ),
        row(
            base,
            "sandbox.require",
            "sandbox_require",
            "Required",
            Kind::Switch,
            "Refuse to work without a sandbox.",
        ),
    ]
}

/// What it means that asking is off.
pub const OFF_MEANS: &str = "without asking, low and medium risk runs unasked unless a rule asks, here and in later sessions";

/// Whether a wish switches asking off, which takes a second word.
pub fn switches_asking_off(wish: &Wish) -> bool {
    matches!(wish, Wish::Set(key, value) if key == "enabled" && value == "off")
}

/// Carries a wish out: what came of it, in words.
///
/// # Errors
/// Why nothing was changed.
pub fn carry_out(base: &Base, wish: &Wish) -> Result<String, CommandError> {
    match wish {
        Wish::None | Wish::Close => Ok(String::new()),
        Wish::Set(key, value) => set(base, key, value),
        Wish::Switch(id) => {
            let one = find(base, id)?;
            let (change, done) = if one.enabled {
                (Change::Disabled(id), "does not count any more")
            } else {
                (Change::Enabled(id), "counts again")
            };
            write(base, &change)?;
            Ok(format!("it {done}: {}", visible(&one.words)))
        }
        Wish::Delete(id) => {
            let one = find(base, id)?;
            write(base, &Change::Removed(id))?;
            Ok(format!("taken away: {}", visible(&one.words)))
        }
        Wish::Edit(id, text) if id == "add" => {
            let rule = of_line(text).map_err(|error| CommandError::Rule(error.into()))?;
            add(base, &[rule], "added")
        }
        Wish::Edit(id, text) => edit(base, id, text),
        Wish::Do(id) => match id.split_once(' ') {
            Some(("template", name)) => {
                let all = templates::all();
                let (_, _, rules) = all
                    .iter()
                    .find(|(known, ..)| *known == name)
                    .ok_or(CommandError::NoTemplate)?;
                add(base, rules, name)
            }
            Some(("export", format)) => export(base, format),
            _ => Err(CommandError::NothingToDo),
        },
    }
}

fn set(base: &Base, key: &str, value: &str) -> Result<String, CommandError> {
    let node: Node = match (key, value) {
        (_, "on") => Value::Bool(true).into(),
        (_, "off") => Value::Bool(false).into(),
        ("approval_timeout" | "audit.retention_days", number) => {
            let whole: u64 = number
                .parse()
                .map_err(|_| CommandError::NoNumber(number.to_owned()))?;
            Value::Number(whole.to_string()).into()
        }
        _ => Node::text(value),
    };
    let plain = key.replace('.', "_");
    let (before, _) = value_of(base, &plain);
    // Written down first, as every change is (C-09).
    let fields = vec![
        ("key", Node::text(key)),
        ("from", Node::text(before)),
        ("to", Node::text(value)),
    ];
    let noted = base.bench().0.workbench.recorder.note("settings", fields);
    noted.map_err(|error| CommandError::Store(error.into()))?;
    settings_file::set(base.whereabouts(), key, node)?;
    base.reload()?;
    let (after, source) = value_of(base, &plain);
    let key = key.to_owned();
    match source.contains("settings.yaml") {
        true => Ok(format!("saved: {key} is {value}")),
        // A mode of `/permissions` is one of this session, like a flag.
        false if source == "command line" => Err(CommandError::SavedForLater(key, after)),
        false => Err(CommandError::SavedBelow {
            source_name: source,
            key,
            value: after,
        }),
    }
}

fn find(base: &Base, id: &str) -> Result<Standing, CommandError> {
    let all = rules_layer::standing(&base.whereabouts().state);
    let all = all.map_err(|error| CommandError::Store(error.into()))?;
    let found = all.into_iter().find(|one| one.id == id);
    found.ok_or(CommandError::Gone)
}

fn write(base: &Base, change: &Change<'_>) -> Result<(), CommandError> {
    let user: Node = Value::Number(base.whereabouts().uid.to_string()).into();
    let journal = Journal::open(&base.whereabouts().state)
        .map_err(|error| CommandError::Store(error.into()))?;
    change::write(&journal, vec![("user", user)], change, Sync::Disk)
        .map_err(|error| CommandError::Store(error.into()))?;
    Ok(base.reload()?)
}

/// A rule as the policy would read it; what allows very much is for the command line, which asks about it.
fn checked(rule: &Node, id: &str) -> Result<Rule, CommandError> {
    let layer = rules_layer::read_rules(vec![rules_layer::with_id(rule, id)])
        .map_err(|error| CommandError::NoRule(Some(error.into())))?;
    let read = layer.rules.into_iter().next();
    let read = read.ok_or(CommandError::NoRule(None))?;
    match read.decision == Decision::Allow && read.matcher.is_overly_broad() {
        true => Err(CommandError::BroadRule),
        false => Ok(read),
    }
}

/// What a wish would save, in words that are shown before it is carried out; none for a wish that saves no new rule, or that is none.
pub fn to_confirm(wish: &Wish) -> Option<String> {
    let Wish::Edit(id, text) = wish else {
        return None;
    };
    if id != "add" {
        return None;
    }
    let rule = of_line(text).ok()?;
    let read = checked(&rule, "new").ok()?;
    let warned = warning(&read)
        .map(|why| format!(" ({why})"))
        .unwrap_or_default();
    Some(format!("{}{warned}", visible(&words(&rule))))
}

fn add(base: &Base, rules: &[Node], source: &str) -> Result<String, CommandError> {
    let ids = Ids::new();
    let named: Vec<(String, &Node)> = rules.iter().map(|rule| (ids.next("rule"), rule)).collect();
    named
        .iter()
        .try_for_each(|(id, rule)| checked(rule, id).map(drop))?;
    for (id, rule) in &named {
        write(
            base,
            &Change::RuleAdded {
                id,
                rule,
                words: &words(rule),
                source,
            },
        )?;
    }
    match named.as_slice() {
        [(_, rule)] => Ok(format!(
            "Auto-approval rule created: {}",
            visible(&words(rule))
        )),
        many => Ok(format!("{} rules added", many.len())),
    }
}

fn edit(base: &Base, id: &str, pattern: &str) -> Result<String, CommandError> {
    let one = find(base, id)?;
    let replaced = |node: &Node, is_pattern: &dyn Fn(&str) -> bool| {
        Node::map(node.entries().iter().map(|entry| {
            (
                entry.key.clone(),
                if is_pattern(&entry.key) {
                    Node::text(pattern)
                } else {
                    entry.node.clone()
                },
            )
        }))
    };
    let (spec, said) = match &one.what {
        What::Rule(rule) => {
            let is_subject = |key: &str| SUBJECTS.iter().any(|(subject, _)| *subject == key);
            let after = Node::map(
                rule.entries()
                    .iter()
                    .filter(|entry| !matches!(entry.key.as_str(), "match" | "not_match"))
                    .map(|entry| {
                        let is_decision = ["allow", "ask", "deny"].contains(&entry.key.as_str());
                        (
                            entry.key.clone(),
                            if is_decision {
                                replaced(&entry.node, &is_subject)
                            } else {
                                entry.node.clone()
                            },
                        )
                    }),
            );
            checked(&after, id)?;
            let said = words(&after);
            (after, said)
        }
        What::Grant(spec) => {
            let (key, _) = grant_fields::rule(spec).ok_or(CommandError::FixedRule)?;
            checked(
                &Node::map([("allow", Node::map([(key.word(), Node::text(pattern))]))]),
                id,
            )?;
            LearnedRule::parse(key, pattern, &sayso_shell::Bash)
                .map_err(|error| CommandError::Rule(error.into()))?;
            (
                grant_fields::with_pattern(spec, pattern),
                format!("allow {} `{pattern}`", key.word()),
            )
        }
    };
    write(
        base,
        &Change::Edited {
            id,
            spec: &spec,
            words: &said,
        },
    )?;
    Ok(format!("changed: {}", visible(&said)))
}

/// Writes the record into a file, with the command that is there for it.
fn export(base: &Base, format: &str) -> Result<String, CommandError> {
    let whereabouts = base.whereabouts();
    let folder: PathBuf = whereabouts.home.clone().ok_or(CommandError::NoHome)?;
    let file = folder.join(format!(
        "sayso-audit-{}.{format}",
        sayso_own_files::random().get(..6).unwrap_or_default()
    ));
    let shown = visible(&file.display().to_string()).into_owned();
    super::report_lines::output(
        whereabouts,
        &[
            "audit",
            "export",
            "--format",
            format,
            "--output",
            &file.display().to_string(),
        ],
    )?;
    Ok(format!("written to {shown}"))
}
