//! What `sayso doctor` finds of the agents on this machine: whether each starts the hook, and whether that was proved.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::doctor::Finding;
use super::{ArgumentError, Place, now};
use crate::screen::ago::ago;
use sayso_agents as agents;
use sayso_agents::Which;
use sayso_agents::probe;
use sayso_agents::probe::ask_modes::Answer;
use sayso_agents::probe::configured_hooks;
use sayso_agents::probe::configured_hooks::{Configured, Places, Settings};
use sayso_agents::probe::last_call;
use sayso_agents::probe::proof::Proof;

/// A proof is old after so many seconds.
const OLD: i64 = 7 * 24 * 3600;
/// What to do where a hook was not tried.
const TRY: &str = "run `sayso doctor --agents`, which starts the agent and tries it";

/// A program that stands for an agent.
pub(super) type Named = (Which, PathBuf);

/// Reads `AGENT=PROGRAM`.
pub(super) fn program(text: &str) -> Result<Named, ArgumentError> {
    let (name, path) = text.split_once('=').ok_or(ArgumentError::NoProgram)?;
    let which = Which::of(name).ok_or(ArgumentError::Agent)?;
    Ok((which, std::path::absolute(path)?))
}

/// What was found of one agent.
pub(super) struct Seen {
    pub findings: Vec<Finding>,
    pub node: Node,
}

/// Looks for an agent; none if it is not there.
pub(super) fn look(which: Which, place: &Place, named: &[Named], tries: bool) -> Option<Seen> {
    let named = named
        .iter()
        .rev()
        .find(|(of, _)| *of == which)
        .map(|(_, path)| path.clone());
    let program = named.or_else(|| agents::program::find(which, &place.whereabouts.path))?;
    let names = names(which);
    let version = match agents::program::version(&program) {
        Ok(version) => version,
        Err(why) => {
            let words = format!("{}: {why}", program.display());
            let node = Node::map([
                ("agent", Node::text(which.name())),
                ("program", Node::text(program.display().to_string())),
            ]);
            return Some(Seen {
                findings: vec![Finding::odd(
                    names.agent,
                    words,
                    "look whether it can be started",
                )],
                node,
            });
        }
    };
    let places = Places {
        home: place.whereabouts.home.clone(),
        project: PathBuf::from(&place.folder),
        etc: PathBuf::from("/etc"),
    };
    let settings = configured_hooks::look(which.installer(), &version, &places);
    let mut findings = about_settings(which, &settings);
    let binary = &place.whereabouts.binary;
    let hook = settings
        .hooks
        .iter()
        .find(|hook| hook.is_this(binary))
        .or_else(|| settings.hooks.first());
    let whole = format!("{version} at {}", program.display());
    let mut proof = None;
    match hook {
        None => {
            let words =
                format!("{whole}; no hook of it starts sayso, so nothing that it does is judged");
            findings.push(Finding::odd(
                names.agent,
                words,
                &format!("run `sayso install {}`", which.name()),
            ));
        }
        Some(hook) => {
            findings.push(about_hook(which, hook, &whole, binary));
            if !which.was_run() {
                let words = format!(
                    "{} was never run with sayso: its hook is written after its documentation",
                    which.title()
                );
                findings.push(Finding::odd(
                    names.canary,
                    words,
                    "try a call that your policy denies",
                ));
            } else if hook.is_this(binary) {
                let (finding, found) = canary(which, hook, &program, &version, place, tries);
                findings.push(finding);
                proof = found;
            }
            findings.push(calls(which, &place.whereabouts.state));
            findings.push(Finding::good(
                names.limits,
                format!("its hooks never see {}", which.not_seen()),
            ));
        }
    }
    let node = as_node(which, &program, &version, hook, proof.as_ref(), place);
    Some(Seen { findings, node })
}

/// What the lines about an agent are called.
struct Names {
    agent: String,
    canary: String,
    calls: String,
    limits: String,
}

fn names(which: Which) -> Names {
    let name = which.name();
    Names {
        agent: name.to_owned(),
        canary: format!("{name} canary"),
        calls: format!("{name} calls"),
        limits: format!("{name} limits"),
    }
}

fn about_settings(which: Which, settings: &Settings) -> Vec<Finding> {
    let about = || names(which).agent;
    let broken = settings.broken.iter().map(|(file, why)| {
        Finding::bad(
            about(),
            format!("`{}` cannot be read: {why}", file.display()),
            "repair it; an agent may go on without what stands there",
        )
    });
    let off = settings.switched_off.iter().map(|file| {
        Finding::bad(
            about(),
            format!(
                "`{}` switches all hooks off (`disableAllHooks`)",
                file.display()
            ),
            "take that out, or nothing is judged",
        )
    });
    broken.chain(off).collect()
}

fn about_hook(which: Which, hook: &Configured, whole: &str, binary: &Path) -> Finding {
    let about = names(which).agent;
    let place = format!(
        "the hook in {} ({})",
        hook.file.display(),
        hook.scope.whose()
    );
    let again = format!("run `sayso install {}`", which.name());
    let starts = Path::new(&hook.starts);
    match () {
        () if starts.is_absolute() && !starts.exists() => Finding::bad(
            about,
            format!(
                "{whole}; {place} starts `{}`, which is not there",
                hook.starts
            ),
            &again,
        ),
        () if !hook.is_this(binary) => Finding::odd(
            about,
            format!(
                "{whole}; {place} starts `{}`, which is not this sayso",
                hook.starts
            ),
            &again,
        ),
        () if !hook.for_all_tools => Finding::odd(
            about,
            format!("{whole}; {place} is called for some tools only"),
            &again,
        ),
        () if which.facts().blocks_since.is_some() && !which.blocks_since(&hook.version) => {
            Finding::odd(
                about,
                format!("{whole}; {place} starts this sayso, but calls run when it is killed"),
                &format!(
                    "update to {} or later",
                    which
                        .facts()
                        .blocks_since
                        .unwrap_or_default()
                        .map(|number| number.to_string())
                        .join(".")
                ),
            )
        }
        () if which.facts().blocks_since.is_some() && !hook.blocks_on_failure => Finding::odd(
            about,
            format!(
                "{whole}; {place} starts this sayso, but calls run when it is killed: `onFailure` is not `block`"
            ),
            &again,
        ),
        () => Finding::good(about, format!("{whole}; {place} starts this sayso")),
    }
}

/// What is proved, by trying it now or by an earlier try.
fn canary(
    which: Which,
    hook: &Configured,
    program: &Path,
    version: &str,
    place: &Place,
    tries: bool,
) -> (Finding, Option<Proof>) {
    let about = names(which).canary;
    let whereabouts = &place.whereabouts;
    let found = if tries {
        if io::stderr().is_terminal() {
            // It is only there to pass the time.
            let _ = writeln!(io::stderr(), "starting {} a few times …", which.name());
        }
        let proof = probe::prove(
            which,
            which.probe(),
            program,
            version,
            hook,
            whereabouts,
            now(),
        );
        proof.write(&whereabouts.state).map(|()| Some(proof))
    } else {
        Proof::read(&whereabouts.state, which.name())
    };
    match found {
        Err(why) => (Finding::bad(about, why.to_string(), TRY), None),
        Ok(None) => (
            Finding::odd(about, "whether the hook fires was not tried yet", TRY),
            None,
        ),
        Ok(Some(proof)) => (judged(which, &proof, hook, version, place), Some(proof)),
    }
}

fn judged(which: Which, proof: &Proof, hook: &Configured, version: &str, place: &Place) -> Finding {
    let about = names(which).canary;
    let age = now().saturating_sub(proof.at);
    let when = ago(proof.at.saturating_mul(1000), now().saturating_mul(1000));
    if !proof.is_about(version, &place.whereabouts.binary, &hook.digest) {
        return Finding::odd(
            about,
            format!(
                "what was tried ({when}) was another version, another sayso, or other settings"
            ),
            TRY,
        );
    }
    let words = format!("{} ({when})", proof.words.join("; "));
    let silent = which
        .facts()
        .when_silent
        .iter()
        .find(|(word, _)| word.is_none_or(|word| words.contains(word)));
    let fires = silent.map_or_else(
        || {
            format!(
                "see that no other setting switches hooks off, and run `sayso install {}`",
                which.name()
            )
        },
        |(_, hint)| (*hint).to_owned(),
    );
    let closed = which.facts().when_open.map_or_else(
        || {
            format!(
                "{0} has no switch for it; where that matters, let {0} ask by itself, too",
                which.title()
            )
        },
        str::to_owned,
    );
    match (proof.fires, proof.fails_closed) {
        (false, _) => Finding::bad(about, words, &fires),
        _ if proof
            .asks
            .iter()
            .any(|asked| asked.answer == Answer::Swallowed) =>
        {
            Finding::bad(
                about,
                words,
                "set `hooks: {ask: inbox}` in your policy, so that questions come to the inbox",
            )
        }
        (true, false) => Finding::odd(about, words, &closed),
        (true, true) if age > OLD => Finding::odd(about, words, TRY),
        (true, true) => Finding::good(about, words),
    }
}

fn calls(which: Which, state: &Path) -> Finding {
    let about = names(which).calls;
    match last_call(which, state) {
        Some(at) => Finding::good(
            about,
            format!(
                "the last one was judged {}",
                ago(at, now().saturating_mul(1000))
            ),
        ),
        None => Finding::good(
            about,
            "none was judged yet, as far as the newer part of the record goes",
        ),
    }
}

fn as_node(
    which: Which,
    program: &Path,
    version: &str,
    hook: Option<&Configured>,
    proof: Option<&Proof>,
    place: &Place,
) -> Node {
    let flag = |flag: bool| -> Node { Value::Bool(flag).into() };
    let null = || -> Node { Value::Null.into() };
    let path = |path: &Path| Node::text(visible(&path.display().to_string()));
    let hook = hook.map(|hook| {
        Node::map([
            ("file", path(&hook.file)),
            ("scope", Node::text(hook.scope.whose())),
            ("starts", Node::text(&hook.starts)),
            ("starts_this", flag(hook.is_this(&place.whereabouts.binary))),
            ("for_all_tools", flag(hook.for_all_tools)),
            ("blocks_on_failure", flag(hook.blocks_on_failure)),
        ])
    });
    let canary = proof.map(|proof| {
        Node::map([
            ("at", Value::Number(proof.at.to_string()).into()),
            ("fires", flag(proof.fires)),
            ("fails_closed", flag(proof.fails_closed)),
            (
                "words",
                Value::List(proof.words.iter().map(Node::text).collect()).into(),
            ),
            ("asks", proof.asks_as_node()),
        ])
    });
    let last = last_call(which, &place.whereabouts.state);
    Node::map([
        ("agent", Node::text(which.name())),
        ("program", path(program)),
        ("version", Node::text(version)),
        ("hook", hook.unwrap_or_else(null)),
        ("canary", canary.unwrap_or_else(null)),
        (
            "last_call",
            last.map_or_else(null, |at| Value::Number(at.to_string()).into()),
        ),
        ("not_seen", Node::text(which.not_seen())),
    ])
}
