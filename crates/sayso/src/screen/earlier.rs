//! What a pattern would have covered: the commands of the record, looked up when somebody first types one, and no further back than a bound.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use sayso_core::draft::Draft;
use sayso_core::node::Node;
use sayso_core::policy::command::{CommandPattern, Form, Reach};
use sayso_core::prompt::Prompt;
use sayso_core::tool::{self, Kind};
use sayso_gate::pattern;
use sayso_shell::Bash;
use sayso_store::read::{Reader, Stored};
use sayso_tui::patterns::{Earlier, Patterns};

/// So many entries are looked at.
const MOST_ENTRIES: usize = 4000;
/// So many different commands are compared.
const MOST_COMMANDS: usize = 500;
/// Longer commands are left out: reading them would hold up the keys.
const LONGEST: usize = 4096;

/// The record of the person, for patterns.
pub struct InRecord {
    state: PathBuf,
    history: OnceLock<Option<History>>,
}

/// Commands as they were, once each.
struct History {
    commands: Vec<Past>,
    more: bool,
}

struct Past {
    text: String,
    draft: Draft,
    denied: bool,
}

impl InRecord {
    /// The record of this state folder.
    pub fn new(state: PathBuf) -> Self {
        InRecord { state, history: OnceLock::new() }
    }

    fn read(&self) -> Option<History> {
        let reader = Reader::open(&self.state).ok()?;
        let mut found: BTreeMap<String, bool> = BTreeMap::new();
        let mut more = false;
        for (at, entry) in reader.backwards().ok()?.enumerate() {
            if at >= MOST_ENTRIES || found.len() >= MOST_COMMANDS {
                more = true;
                break;
            }
            // What is damaged is told elsewhere; a preview is no reason to stop.
            let Ok(entry) = entry else { continue };
            if let Some((command, denied)) = decided(&entry) {
                *found.entry(command).or_default() |= denied;
            }
        }
        let read = |(text, denied): (String, bool)| Past { draft: sayso_shell::analyse(&text), text, denied };
        Some(History { commands: found.into_iter().map(read).collect(), more })
    }
}

/// The command of an entry, and whether somebody or something denied it.
fn decided(entry: &Stored) -> Option<(String, bool)> {
    if entry.kind != "decided" {
        return None;
    }
    let node = entry.node().ok()?;
    let text = |name: &str| node.get(name).and_then(Node::as_text);
    if tool::find(text("tool")?)?.kind != Kind::Terminal || node.get("args_cut").is_some() {
        return None;
    }
    let command = node.get("args")?.get("command").and_then(Node::as_text).filter(|command| command.len() <= LONGEST)?;
    let denied = matches!(text("outcome").unwrap_or_default(), "denied" | "timed_out" | "cancelled" | "blocked");
    Some((command.to_owned(), denied))
}

impl Patterns for InRecord {
    fn check(&self, text: &str, prompt: &Prompt) -> Result<(), String> {
        pattern::check(text, &prompt.operation).map(drop)
    }

    fn earlier(&self, text: &str, prompt: &Prompt) -> Option<Earlier> {
        let history = self.history.get_or_init(|| self.read()).as_ref()?;
        let pattern = CommandPattern::parse(text, Form::Words, &Bash).ok()?;
        let asked = prompt.operation.command().unwrap_or_default();
        let fits = |past: &&Past| {
            let commands = &past.draft.commands;
            past.text != asked
                && past.draft.opaque.is_none()
                && !commands.is_empty()
                && commands.iter().all(|command| pattern.matches(command, Reach::Narrow))
        };
        let (mut fit, mut denied) = (0, 0);
        for past in history.commands.iter().filter(fits) {
            fit += 1;
            denied += usize::from(past.denied);
        }
        Some(Earlier { looked_at: history.commands.len(), more: history.more, fit, denied })
    }
}
