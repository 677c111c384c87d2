//! `sayso doctor`: whether everything that sayso relies on is as it should be, and what to do where it is not.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use sayso_core::policy::settings::AutoAllow;
use sayso_core::text::count::{agreed, count};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_sandbox::backend::{Backend, PARTIAL};
use sayso_store::folder::Folder;
use sayso_store::index::Index;
use sayso_store::index::health::{Health, health};
use sayso_store::journal::{Journal, JournalError};
use sayso_store::read::Reader;
use sayso_store::repair::repair;
use sayso_store::verify::{Report, What, verify};

use super::{Place, PolicyChoice, Stop, say};
use crate::exit_code::Exit;
use sayso_agents as agents;
use sayso_runtime::record_folder;
use sayso_tui::lines::paint::{Paint, Tone};

/// Less room than this stops the record soon.
const LITTLE_ROOM: u64 = 100 << 20;
/// Less room than this stops it at once.
const NO_ROOM: u64 = 1 << 20;
/// What follows from a record that cannot be written.
const SETTLE: &str = "nothing runs until this is settled: what cannot be recorded does not run";
/// So many faults of the record are shown.
const MOST_FAULTS: usize = 5;

/// Check everything that sayso relies on: its folder, the record, the index, the policy, and the machine.
#[derive(Debug, Args)]
#[command(
    after_help = "With --repair, a damaged index is put aside and built anew, and a damaged record is closed and goes on in a new file: the damaged files stay as they are, \
and `sayso audit verify` tells of them for ever. Nothing is deleted.\n\nWith --agents, each agent that is found is started offline, with your settings and a scripted model on this machine: it tries a harmless call, and one \
that no agent may make. What that proves is kept. Nothing is sent anywhere.\n\nExit status: 0 all is well, 1 something is wrong."
)]
pub(super) struct DoctorArgs {
    /// Judge as if started in this folder.
    #[arg(short = 'C', value_name = "DIR")]
    folder: Option<std::path::PathBuf>,

    /// Start each agent that is found, and prove that its hook fires.
    #[arg(long)]
    agents: bool,

    /// Take this program for an agent, instead of the one in the path.
    #[arg(long, value_name = "AGENT=PROGRAM", value_parser = super::agents::program)]
    program: Vec<super::agents::Named>,

    /// Repair what can be repaired.
    #[arg(long)]
    repair: bool,

    /// Answer as JSON.
    #[arg(long)]
    json: bool,
}

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    Good,
    /// Worth knowing; sayso works.
    Odd,
    Bad,
}

/// What was found of one thing.
pub(super) struct Finding {
    is: Is,
    about: Cow<'static, str>,
    words: String,
    /// What to do.
    advice: Option<String>,
}

impl Finding {
    pub fn good(about: impl Into<Cow<'static, str>>, words: impl std::fmt::Display) -> Finding {
        Finding {
            is: Is::Good,
            about: about.into(),
            words: words.to_string(),
            advice: None,
        }
    }

    pub fn odd(
        about: impl Into<Cow<'static, str>>,
        words: impl std::fmt::Display,
        advice: &str,
    ) -> Finding {
        Finding {
            is: Is::Odd,
            about: about.into(),
            words: words.to_string(),
            advice: Some(advice.to_owned()),
        }
    }

    pub fn bad(
        about: impl Into<Cow<'static, str>>,
        words: impl std::fmt::Display,
        advice: &str,
    ) -> Finding {
        Finding {
            is: Is::Bad,
            about: about.into(),
            words: words.to_string(),
            advice: Some(advice.to_owned()),
        }
    }
}

pub(super) fn run(args: &DoctorArgs) -> Result<Exit, Stop> {
    let state = &record_folder::whereabouts().map_err(Stop::usage)?.state;
    let repaired = if args.repair {
        repair_all(state)
    } else {
        Vec::new()
    };
    let mut findings = vec![folder(state)];
    // Nothing in a folder that cannot be relied on is looked at.
    if findings.iter().all(|finding| finding.is != Is::Bad) {
        findings.extend(record(state));
        findings.push(index(state));
        findings.extend(snapshot(state));
        findings.extend(room(state));
        findings.extend(clock(state));
    }
    // Last: whoever reads the policy also reads the rules that were added, and that builds a damaged index anew.
    let place = Place::open(&PolicyChoice {
        folder: args.folder.clone(),
        ..PolicyChoice::here()
    })?;
    findings.push(policy(&place));
    findings.push(match sayso_tools::terminal::bash() {
        Ok(bash) => Finding::good("bash", bash),
        Err(why) => Finding::bad("bash", why, "install bash"),
    });
    findings.push(sandbox(&place));
    let mut agents = Vec::new();
    for which in agents::ALL {
        if let Some(seen) = super::agents::look(which, &place, &args.program, args.agents) {
            findings.extend(seen.findings);
            agents.push(seen.node);
        }
    }
    if args.agents && agents.is_empty() {
        let advice = "install one, or name its program: `--program claude=/path/to/claude`";
        findings.push(Finding::odd(
            "agents",
            "there is none in the path that sayso has a hook for",
            advice,
        ));
    }
    let is_bad = findings.iter().any(|finding| finding.is == Is::Bad);
    match args.json {
        true => say(&format!(
            "{}\n",
            json::write_plain(&as_node(&findings, &repaired, agents))
        ))?,
        false => {
            let paint = Paint::for_stream(&io::stdout());
            let mut out: String = repaired
                .iter()
                .map(|words| format!("repaired: {}\n", visible(words)))
                .collect();
            out.extend(findings.iter().map(|finding| shown(finding, paint)));
            say(&out)?;
        }
    }
    Ok(if is_bad { Exit::Failed } else { Exit::Allowed })
}

/// Repairs what can be, and says what was done.
fn repair_all(state: &Path) -> Vec<String> {
    let mut done = Vec::new();
    if !state.exists() {
        return done;
    }
    match repair(state) {
        Ok(Some(entry)) => {
            let words = format!(
                "the damaged record was closed and goes on from entry {}; what is damaged stays as it is",
                entry.number
            );
            done.push(words);
        }
        Ok(None) => {}
        Err(why) => {
            let _ = writeln!(
                io::stderr(),
                "sayso: the record was not repaired: {}",
                visible(&why.to_string())
            );
        }
    }
    if matches!(health(state), Ok(Health::Damaged(_))) {
        match Index::rebuild(state, &mut |_| {}) {
            Ok(_) => {
                done.push("the index was built anew; the damaged file is kept beside it".to_owned())
            }
            Err(why) => {
                let _ = writeln!(
                    io::stderr(),
                    "sayso: the index was not repaired: {}",
                    visible(&why.to_string())
                );
            }
        }
    }
    done
}

fn folder(state: &Path) -> Finding {
    let about = "state folder";
    match Folder::open_existing(state) {
        Ok(Some(_)) => Finding::good(about, format!("{}, only yours", state.display())),
        Ok(None) => Finding::good(
            about,
            format!(
                "{} is not there yet; it is made when something is recorded",
                state.display()
            ),
        ),
        Err(why) => Finding::bad(about, why, SETTLE),
    }
}

fn record(state: &Path) -> Vec<Finding> {
    let about = "record";
    let report = match verify(state, None) {
        Ok(report) => report,
        Err(why) => return vec![Finding::bad(about, why, SETTLE)],
    };
    let mut findings = vec![chain(&report)];
    if let Some((file, bytes)) = &report.torn {
        let words = format!(
            "`{file}` ends in {} that are no entry, as a killed writer leaves them",
            count(bytes, "byte")
        );
        findings.push(Finding::odd(
            "torn end",
            words,
            "the next entry puts them aside; nothing has to be done",
        ));
    }
    // A record that takes no more entries stops everything, so it is tried, without adding one.
    if report.segments > 0
        && let Err(why) = Journal::open(state).and_then(|journal| journal.check_end())
    {
        let advice = match why {
            JournalError::DamagedEnd(_) => "run `sayso doctor --repair`",
            JournalError::Newer { .. } => "use the newer sayso",
            _ => SETTLE,
        };
        findings.push(Finding::bad("next entry", why, advice));
    }
    findings
}

fn chain(report: &Report) -> Finding {
    let about = "record";
    if report.is_sound() {
        return Finding::good(
            about,
            format!(
                "{} in {}; the chain holds",
                count(report.entries, "entry"),
                count(report.segments, "file")
            ),
        );
    }
    let mut words = format!(
        "{} faults: ",
        report.faults.len() as u64 + report.more_faults
    );
    words.push_str(
        &report
            .faults
            .iter()
            .take(MOST_FAULTS)
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; "),
    );
    let newer = report
        .faults
        .iter()
        .any(|fault| matches!(fault.what, What::Version(_)));
    let closed = "it was closed before, and goes on behind the damage; `sayso audit verify` tells of it for ever";
    let look = "somebody or the disk changed it: look at it with `sayso audit verify`, then close it with `sayso doctor --repair`";
    match () {
        () if newer => Finding::bad(about, words, "a newer sayso wrote there; use that one"),
        () if report.unsettled == 0 => Finding::odd(about, words, closed),
        () => Finding::bad(about, words, look),
    }
}

fn index(state: &Path) -> Finding {
    let about = "index";
    match health(state) {
        Ok(Health::Missing) => Finding::good(about, "not there yet; it is made when it is needed"),
        Ok(Health::Sound(0)) => Finding::good(about, "whole and caught up"),
        Ok(Health::Sound(behind)) => Finding::good(
            about,
            format!(
                "whole; {} {} taken in when it is needed",
                count(behind, "entry"),
                agreed(behind, "is", "are")
            ),
        ),
        Ok(Health::Damaged(why)) => Finding::odd(
            about,
            format!("damaged: {why}"),
            "run `sayso doctor --repair`; it holds nothing that the record does not",
        ),
        Err(why) => Finding::bad(about, why, "look at the line about the record first"),
    }
}

/// The compiled policy; what is wrong with it only costs time, since it is checked before it is used.
fn snapshot(state: &Path) -> Option<Finding> {
    let about = "snapshot";
    let folder = Folder::open_existing(state).ok().flatten()?;
    match folder.read("snapshot") {
        Ok(None) => None,
        Ok(Some(file)) => Some(Finding::good(
            about,
            format!(
                "{} bytes",
                file.metadata().map_or(0, |metadata| metadata.len())
            ),
        )),
        Err(why) => Some(Finding::odd(about, why, "remove it; it is made anew")),
    }
}

fn room(state: &Path) -> Option<Finding> {
    let there = state.ancestors().find(|folder| folder.exists())?;
    let found = rustix::fs::statvfs(there).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let words = format!("{} MiB free", free >> 20);
    let advice = "free some room: with a full disk nothing can be recorded, and nothing runs";
    Some(match free {
        free if free < NO_ROOM => Finding::bad("disk", words, advice),
        free if free < LITTLE_ROOM => Finding::odd("disk", words, advice),
        _ => Finding::good("disk", words),
    })
}

fn clock(state: &Path) -> Option<Finding> {
    let last = Reader::open(state)
        .ok()?
        .backwards()
        .ok()?
        .find_map(Result::ok)?;
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    let behind = last.at.saturating_sub(now);
    // A second is within what clocks are set back by themselves.
    Some(if behind > 1000 {
        let words = format!("{} s behind the last entry", behind / 1000);
        Finding::odd(
            "clock",
            words,
            "set the clock; the order of entries does not depend on it, but rules that end at a time do",
        )
    } else {
        Finding::good("clock", "not behind the last entry")
    })
}

fn policy(place: &Place) -> Finding {
    let broken: Vec<String> = place
        .loaded
        .files
        .iter()
        .filter(|file| file.is_broken())
        .map(|file| format!("`{}`", file.name))
        .collect();
    match broken.as_slice() {
        [] => Finding::good(
            "policy",
            format!(
                "{}, all of which can be read",
                count(place.loaded.files.len(), "file")
            ),
        ),
        broken => Finding::bad(
            "policy",
            format!(
                "{} cannot be read, so everything is denied",
                broken.join(", ")
            ),
            "run `sayso policy check`",
        ),
    }
}

/// Which sandbox works here, and whether the policy is content with it.
fn sandbox(place: &Place) -> Finding {
    let about = "sandbox";
    let settings = sayso_runtime::workbench::settings(&place.loaded.policy);
    let required = settings.is_some_and(|settings| settings.sandbox_require);
    let wanted =
        settings.is_some_and(|settings| settings.sandbox_auto_allow == AutoAllow::RunInWorkspace);
    let advice = "install bubblewrap (on Debian: `apt install bubblewrap`), and see that users may make namespaces";
    match (Backend::full(), Backend::best()) {
        (Ok(full), _) => Finding::good(about, format!("{full} works")),
        (Err(why), _) if required => Finding::bad(
            about,
            format!("the policy requires one, and there is none: {why}"),
            advice,
        ),
        (Err(why), Ok(partial)) => {
            let words = format!("{why}; only {partial}, which {PARTIAL}");
            let then = if wanted {
                "; what `sandbox.auto_allow` would run is asked about"
            } else {
                ""
            };
            Finding::odd(about, format!("{words}{then}"), advice)
        }
        (Err(_), Err(why)) => Finding::odd(about, format!("none: {why}"), advice),
    }
}

fn shown(finding: &Finding, paint: Paint) -> String {
    let sign = match finding.is {
        Is::Good => paint.tone(Tone::Green, "✓"),
        Is::Odd => paint.tone(Tone::Yellow, "!"),
        Is::Bad => paint.tone(Tone::Red, "✗"),
    };
    let mut out = format!("{sign} {:<13} {}\n", finding.about, visible(&finding.words));
    if let Some(advice) = &finding.advice {
        out.push_str(&format!("                → {advice}\n"));
    }
    out
}

fn as_node(findings: &[Finding], repaired: &[String], agents: Vec<Node>) -> Node {
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let one = |finding: &Finding| {
        let is = match finding.is {
            Is::Good => "good",
            Is::Odd => "odd",
            Is::Bad => "bad",
        };
        Node::map([
            ("about", Node::text(&*finding.about)),
            ("is", Node::text(is)),
            ("words", Node::text(&finding.words)),
            (
                "advice",
                finding
                    .advice
                    .as_ref()
                    .map_or_else(|| Value::Null.into(), Node::text),
            ),
        ])
    };
    Node::map([
        (
            "ok",
            Value::Bool(findings.iter().all(|finding| finding.is != Is::Bad)).into(),
        ),
        ("findings", list(findings.iter().map(one).collect())),
        ("agents", list(agents)),
        ("repaired", list(repaired.iter().map(Node::text).collect())),
    ])
}
