//! The commands that start with `/`: what there is, and what each says.

use sayso_core::answer::run_mode::Run as How;
use sayso_core::policy::mode::Mode;
use sayso_core::text::count::count;
use sayso_core::text::node::Node;
use sayso_core::text::visible::{visible, visible_again};
use sayso_core::text::{Limits, json};
use sayso_gate::run_mode;
use sayso_sandbox::backend::Backend;
use sayso_tui::chat::input::Command;
use sayso_tui::fold::{Spans, line};
use sayso_tui::theme::Tone;

use super::command_error::CommandError;
use super::probes::Probes;
use super::report_lines;
use super::runtime::Base;
use sayso_runtime::audit::call as rows;
use sayso_runtime::rules_layer;

/// All of them, with what they do; completion comes from here.
pub const COMMANDS: &[Command] = &[
    ("/help", "what there is, and which keys"),
    (
        "/permissions",
        "what is allowed unasked, and how to change it (also /perms, /security)",
    ),
    (
        "/permissions show",
        "the mode, the profile, the sandbox, and what holds",
    ),
    (
        "/permissions strict",
        "mode `confirm-all` in this session; says what that means here",
    ),
    (
        "/permissions default",
        "mode `high-risk-only` in this session; says what that means here",
    ),
    (
        "/permissions edits",
        "mode `auto-approve-edits` in this session; says what that means here",
    ),
    (
        "/permissions trust",
        "mode `trust-all` in this session; denials stay denials",
    ),
    ("/permissions reset", "back to the mode of your files"),
    ("/permissions stats", "how the calls of this session ended"),
    (
        "/permissions clear",
        "take back what was allowed for this session",
    ),
    (
        "/settings",
        "change settings, rules and grants; or at once: /settings mode balanced",
    ),
    ("/rules", "the rules that last"),
    ("/grants", "what your answers allow"),
    ("/audit", "the last entries of the record"),
    ("/undo", "take back the last file change, or that of an id"),
    ("/model", "who answers, or another one"),
    ("/quit", "leave"),
];

/// So much is shown of what an entry is about, in characters.
const LONGEST_WHAT: usize = 120;

/// Other names of commands.
const ALIASES: [(&str, &str); 4] = [
    ("/perms", "/permissions"),
    ("/security", "/permissions"),
    ("/exit", "/quit"),
    ("/?", "/help"),
];

/// A command with its words.
pub fn parse(text: &str) -> (String, Vec<String>) {
    let mut words = text.split_whitespace().map(str::to_owned);
    let first = words.next().unwrap_or_default();
    let name = ALIASES
        .iter()
        .find(|(alias, _)| *alias == first)
        .map_or(first.clone(), |(_, name)| (*name).to_owned());
    (name, words.collect())
}

/// What everything is for.
pub fn help() -> Vec<Spans> {
    let mut out = vec![line(
        Tone::Strong,
        "sayso chat: every tool that the model calls goes through the gate",
    )];
    for (words, about) in COMMANDS {
        out.push(vec![
            (Tone::Key, format!("  {words:<24}")),
            (Tone::Text, (*about).to_owned()),
        ]);
    }
    out.push(Vec::new());
    for (key, about) in [
        (
            "Enter",
            "sends; Alt-Enter, or \\ before Enter, starts a new line",
        ),
        ("↑ ↓", "what you typed before, also in earlier sessions"),
        ("Ctrl-R", "finds something of that"),
        ("Tab", "completes a command"),
        ("PgUp PgDn", "scroll"),
        ("Ctrl-O", "shows all of what tools brought, or folds it"),
        ("Ctrl-S", "settings, also while a question is open"),
        ("Ctrl-C", "stops the turn; twice leaves"),
        ("Ctrl-L", "paints the screen anew"),
    ] {
        out.push(vec![
            (Tone::Key, format!("  {key:<24}")),
            (Tone::Text, about.to_owned()),
        ]);
    }
    out.push(Vec::new());
    out.push(vec![
        (Tone::Heading, "▍ ".to_owned()),
        (Tone::Text, "is what a model wrote, ".to_owned()),
        (Tone::Faint, "┆ ".to_owned()),
        (
            Tone::Text,
            "what a tool brought: nothing behind these marks is sayso's.".to_owned(),
        ),
    ]);
    out.push(line(
        Tone::Text,
        "At a question, ? shows its keys and what each answer would keep.",
    ));
    out
}

/// `/permissions`: what it says, as lines.
///
/// # Errors
/// Why nothing was changed.
pub fn permissions(
    base: &Base,
    session: &str,
    agent: &str,
    word: &str,
) -> Result<Vec<Spans>, CommandError> {
    let mode = match word {
        "" | "show" => return Ok(show(base, session, agent)),
        "stats" => {
            return Ok(vec![line(
                Tone::Text,
                format!("this session: {}", base.counts().line()),
            )]);
        }
        "clear" => {
            let ended = base.bench().0.workbench.recorder.end_session(session);
            ended.map_err(|error| CommandError::Store(error.into()))?;
            base.reload()?;
            return Ok(vec![line(
                Tone::Good,
                "✓ what was allowed for this session is asked about again",
            )]);
        }
        "strict" => Some(Mode::ConfirmAll),
        "default" => Some(Mode::HighRiskOnly),
        "edits" => Some(Mode::AutoApproveEdits),
        "trust" => Some(Mode::TrustAll),
        "reset" => None,
        other => {
            return Err(CommandError::NoPermissions(other.to_owned()));
        }
    };
    base.set_mode(mode)?;
    if base.how() != How::Interactive && base.how() != How::Strict {
        // A mode is chosen: what the command line let run unasked counts no more.
        base.set_how(How::Interactive)?;
    }
    let now = base.settings(agent).map(|settings| settings.mode);
    match (mode, now) {
        (Some(wanted), Some(now)) if wanted != now => Err(CommandError::LockedMode(now)),
        (_, now) => Ok(switched(base, session, agent, now)),
    }
}

/// That another mode counts, and what it comes to.
pub fn switched(base: &Base, session: &str, agent: &str, now: Option<Mode>) -> Vec<Spans> {
    let mut out = vec![line(
        Tone::Good,
        format!(
            "✓ the mode is `{}` in this session",
            now.map_or("unknown", Mode::word)
        ),
    )];
    out.extend(
        Probes::judge(base, session, agent)
            .rows()
            .map(|(name, list)| line(Tone::Faint, format!("  {name:<14}{list}"))),
    );
    out
}

fn show(base: &Base, session: &str, agent: &str) -> Vec<Spans> {
    let row = |name: &str, value: String| {
        vec![(Tone::Faint, format!("  {name:<14}")), (Tone::Text, value)]
    };
    let Some(settings) = base.settings(agent) else {
        return vec![line(
            Tone::Warning,
            "the policy cannot be read, so everything is denied",
        )];
    };
    let timeout = if settings.approval_timeout == 0 {
        "none".to_owned()
    } else {
        format!("{} s", settings.approval_timeout)
    };
    let standing = rules_layer::standing(&base.whereabouts().state).unwrap_or_default();
    let (rules, grants): (Vec<_>, Vec<_>) = standing.iter().partition(|one| one.is_rule());
    let served = base.served().names();
    let mut out = vec![row("mode", settings.mode.word().to_owned())];
    out.extend(
        Probes::judge(base, session, agent)
            .rows()
            .map(|(name, list)| row(name, list)),
    );
    out.extend([
        row("questions", run_mode::word(base.how()).to_owned()),
        row("profile", settings.profile.clone()),
        row("agent", visible(agent).into_owned()),
        row(
            "asking",
            if settings.enabled {
                "on"
            } else {
                "off (`enabled: false`)"
            }
            .to_owned(),
        ),
        row("timeout", timeout),
        row("sandbox", sandbox()),
        row(
            "servers",
            if served.is_empty() {
                "none (`servers.yaml`)".to_owned()
            } else {
                visible(&served.join(", ")).into_owned()
            },
        ),
        row(
            "remembered",
            format!(
                "{}, {}",
                count(rules.len(), "rule"),
                count(grants.len(), "grant")
            ),
        ),
        row("workspace", visible(base.workspace()).into_owned()),
    ]);
    out
}

/// The sandbox of this machine, in a word.
pub fn sandbox() -> String {
    Backend::full().map_or_else(
        |_| "no sandbox".to_owned(),
        |backend| visible(&backend.to_string()).into_owned(),
    )
}

/// The rules or the grants that hold.
pub fn remembered(base: &Base, rules: bool) -> Result<Vec<Spans>, CommandError> {
    let all = rules_layer::standing(&base.whereabouts().state);
    let all = all.map_err(|error| CommandError::Store(error.into()))?;
    let rows: Vec<Spans> = all
        .iter()
        .filter(|one| one.is_rule() == rules)
        .map(|one| {
            let off = if one.enabled { "" } else { " (off)" };
            vec![
                (Tone::Key, format!("  {:<10}", visible(one.short()))),
                (Tone::Text, format!("{}{off}", visible(&one.words))),
            ]
        })
        .collect();
    let none = if rules {
        "there are no rules yet; an answer for a project or for always makes one"
    } else {
        "nothing is granted beyond single answers"
    };
    Ok(if rows.is_empty() {
        vec![line(Tone::Text, format!("  {none}"))]
    } else {
        rows
    })
}

/// The last entries of the record.
pub fn audit(base: &Base) -> Result<Vec<Spans>, CommandError> {
    let printed =
        report_lines::output(base.whereabouts(), &["audit", "list", "-n", "15", "--json"])?;
    let mut out: Vec<Spans> = printed
        .lines()
        .filter_map(|one| json::read(one, &Limits::default()).ok())
        .map(|one| entry(&one))
        .collect();
    let words = if out.is_empty() {
        "nothing is written down yet"
    } else {
        "`sayso audit` shows more, and what each of them was about"
    };
    out.push(line(Tone::Faint, format!("  {words}")));
    Ok(out)
}

/// An entry on a line, or two where the screen is narrow.
fn entry(node: &Node) -> Spans {
    let text = |key: &str| node.get(key).and_then(Node::as_text).unwrap_or_default();
    let number = node
        .get("number")
        .and_then(Node::as_whole)
        .unwrap_or_default();
    let time = text("time").get(11..19).unwrap_or_default();
    let what: String = text("what").chars().take(LONGEST_WHAT).collect();
    let cut = if what.len() < text("what").len() {
        "…"
    } else {
        ""
    };
    // By how it ended and not by what the policy said: who was asked may have said no.
    let outcome = text("outcome");
    let sign = rows::sign(outcome);
    let tone = match sign {
        '✓' => Tone::Good,
        '✗' => Tone::Warning,
        _ => Tone::Faint,
    };
    let failed = if node.get("succeeded").and_then(Node::as_bool) == Some(false) {
        ", failed"
    } else {
        ""
    };
    let agent = if text("agent").is_empty() {
        String::new()
    } else {
        format!(" · {}", visible(text("agent")))
    };
    let by = if text("by_words").is_empty() {
        String::new()
    } else {
        format!(" by {}", visible(text("by_words")))
    };
    vec![
        (Tone::Faint, format!("  {number:>4} {}Z ", visible(time))),
        (tone, format!("{sign} ")),
        // It was made visible when it was written down.
        (Tone::Text, format!("{}{cut}", visible_again(&what))),
        (
            Tone::Faint,
            format!(" · {}{failed}{by}{agent}", visible(rows::words(outcome))),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_words_are_read() {
        assert_eq!(
            parse("/perms  strict "),
            ("/permissions".to_owned(), vec!["strict".to_owned()])
        );
        assert_eq!(parse("/security").0, "/permissions");
        assert_eq!(parse("/nothing x").0, "/nothing");
        assert!(help().len() > COMMANDS.len());
    }
}
