//! The one sentence that a prompt starts with: who wants to do what to which thing.
//!
//! It is made of the frozen operation, what was read of it, and the verdict. What is not known gives a plainer sentence, never a guess.

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::fact::{PathFact, PathKind};
use sayso_core::call::operation::{Agent, Operation};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::paths::relative;
use sayso_core::text::visible::visible;

use super::effect_lines::Teller;
use super::{About, command_sentence, target};

/// Longer names and paths are shortened here; the call itself stands below the sentence, whole.
const MAX_NAME: usize = 60;

/// Agents that people know by a name with a capital letter.
const CAPITALISED: [&str; 11] = [
    "claude", "codex", "gemini", "qwen", "copilot", "cline", "cursor", "windsurf", "droid",
    "crush", "goose",
];

/// The sentence: "Claude wants to edit src/greet.py".
pub(super) fn make(about: About<'_>, teller: &Teller<'_>) -> String {
    let wants = match about.operation.kind() {
        Kind::Terminal => command_sentence::make(about, teller),
        kind => of_tool(about, kind, teller),
    };
    format!("{} wants to {wants}", who(about.operation.agent()))
}

/// Who asks, by the name that the door gives.
pub fn who(agent: &Agent) -> String {
    let name = |name: &str| match CAPITALISED.contains(&name) {
        true => format!("{}{}", name[..1].to_ascii_uppercase(), &name[1..]),
        false => named(name),
    };
    match (agent.name.as_str(), agent.parents.first()) {
        ("", _) => "An agent".to_owned(),
        (own, Some(parent)) => format!("{} (started by {})", name(own), name(parent)),
        (own, None) => name(own),
    }
}

fn of_tool(about: About<'_>, kind: Kind, teller: &Teller<'_>) -> String {
    let operation = about.operation;
    let text = |role| named(operation.text(role).unwrap_or_default());
    let path = |role| path_of(about, role);
    match kind {
        Kind::FileRead => format!("read {}", path(Role::Path)),
        Kind::FileGrep => {
            let place = operation
                .text(Role::Path)
                .map_or("the workspace".to_owned(), |_| path(Role::Path));
            format!(
                "search {place} for {}",
                quoted(operation.text(Role::Find).unwrap_or_default())
            )
        }
        Kind::Glob => format!(
            "list the files that match {}",
            quoted(operation.text(Role::NamePattern).unwrap_or_default())
        ),
        Kind::List => format!("list {}", path(Role::Path)),
        Kind::FileWrite | Kind::FileCreate | Kind::FileCreateOverwrite => {
            format!("{} {}", write_verb(about), path(Role::Path))
        }
        Kind::FileEdit => format!("edit {}", path(Role::Path)),
        Kind::FileAppend => format!("append to {}", path(Role::Path)),
        Kind::FileInsertAfter | Kind::FileInsertBefore => {
            format!("insert text into {}", path(Role::Path))
        }
        Kind::FileDelete | Kind::FileRmdir => deletion(about, teller),
        Kind::FileMove => format!("move {} to {}", path(Role::From), path(Role::To)),
        Kind::FileCopy => format!("copy {} to {}", path(Role::From), path(Role::To)),
        Kind::FileMkdir => format!("make the folder {}", path(Role::Path)),
        Kind::WebFetch => format!("fetch {}", text(Role::Url)),
        Kind::Mcp => format!(
            "use the tool {} of the MCP server {}",
            text(Role::ServerTool),
            text(Role::Server)
        ),
        Kind::Delegate => format!("hand work to the agent {}", text(Role::Agent)),
        Kind::AgentCreate => format!("make the agent {}", text(Role::Agent)),
        Kind::ShareFile => format!(
            "hand the file {} to the agent {}",
            path(Role::Path),
            text(Role::Agent)
        ),
        Kind::Terminal | Kind::Custom | Kind::Opaque => {
            format!("use the tool {}", named(operation.tool()))
        }
    }
}

/// Whether a file that is written whole is new or replaces one, by what was looked up for the verdict.
fn write_verb(about: About<'_>) -> &'static str {
    match target::fact(about, Role::Path).map(|fact| fact.kind) {
        Some(PathKind::Missing) => "create",
        // It fails on a file that is there, so it would not replace it.
        Some(_) if about.operation.kind() == Kind::FileCreate => "create",
        Some(PathKind::File | PathKind::Link) => "replace",
        _ => "write",
    }
}

fn deletion(about: About<'_>, teller: &Teller<'_>) -> String {
    let effect = about
        .reading
        .effects
        .iter()
        .find(|effect| effect.kind == EffectKind::Delete && effect.place().is_some());
    match effect {
        Some(effect) => deleted(about, teller, effect),
        None => format!("delete {}", path_of(about, Role::Path)),
    }
}

/// "delete 214 files under build/", "delete src/old.py".
pub(super) fn deleted(about: About<'_>, teller: &Teller<'_>, effect: &Effect) -> String {
    let Some((place, fact)) = effect
        .place()
        .and_then(|place| Some((place, place.fact.as_ref()?)))
    else {
        return "delete files that are only known when it runs".to_owned();
    };
    let shown = place_words(about.operation, &place.written, Some(fact));
    if fact.kind != PathKind::Folder || !effect.manner.recursive {
        let folder = if fact.kind == PathKind::Folder {
            "the folder "
        } else {
            ""
        };
        return format!("delete {folder}{shown}");
    }
    match teller
        .tally(&fact.canonical)
        .filter(|tally| tally.files > 0)
    {
        Some(tally) => {
            let (least, plural) = (
                if tally.whole { "" } else { "at least " },
                if tally.files == 1 { "" } else { "s" },
            );
            format!("delete {least}{} file{plural} under {shown}/", tally.files)
        }
        None => format!("delete {shown}/ with everything below"),
    }
}

/// The path of a role, as people read it.
fn path_of(about: About<'_>, role: Role) -> String {
    place_words(
        about.operation,
        about.operation.text(role).unwrap_or_default(),
        target::fact(about, role),
    )
}

/// A path as people read it: from the workspace where it is inside of it.
pub(super) fn place_words(operation: &Operation, written: &str, fact: Option<&PathFact>) -> String {
    let Some(fact) = fact else {
        return named(written);
    };
    match relative(&fact.canonical, operation.workspace()) {
        Some("") => "the workspace".to_owned(),
        Some(inside) => named(inside),
        None => named(&fact.canonical),
    }
}

/// A name of somebody else's. One that is no plain word is quoted, so that it cannot go on as a sentence of ours.
pub(super) fn named(text: &str) -> String {
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || "._-/@+~:%?=&#,".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) && text.chars().count() <= MAX_NAME {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// The same in quotes, whatever it is.
pub(super) fn quoted(text: &str) -> String {
    let shown = visible(text);
    let letters = shown.chars().count();
    if letters <= MAX_NAME {
        return format!("`{shown}`");
    }
    // Both ends tell more than one of them.
    let half = MAX_NAME / 2;
    let start: String = shown.chars().take(half).collect();
    let end: String = shown.chars().skip(letters - half).collect();
    format!("`{start}…{end}`")
}
