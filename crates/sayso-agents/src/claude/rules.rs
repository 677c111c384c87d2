//! Whether Claude Code has rules of its own about commands: it does not look at them for a command that a hook replaced.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

/// What its administrator says.
const MANAGED: &str = "/etc/claude-code";
/// A longer file counts as one with rules.
const MOST: u64 = 1 << 20;

/// Whether a file of its settings forbids commands or asks about some. A file that cannot be read may.
pub(super) fn are_there(folders: &[String], workspace: &str) -> bool {
    let own = folders
        .iter()
        .map(|folder| Path::new(folder).join("settings.json"));
    let project = Path::new(workspace).join(".claude");
    let managed = Path::new(MANAGED).join("managed-settings.json");
    let files = own.chain([
        project.join("settings.json"),
        project.join("settings.local.json"),
        managed,
    ]);
    files.chain(dropped_in()).any(|file| has_rules(&file))
}

/// Further files of the administrator.
fn dropped_in() -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(Path::new(MANAGED).join("managed-settings.d")) else {
        return Vec::new();
    };
    folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect()
}

fn has_rules(file: &Path) -> bool {
    let mut text = String::new();
    match File::open(file) {
        // What it does not know, it does not look at either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return false;
        }
        Err(_) => return true,
        Ok(file) => {
            if file.take(MOST).read_to_string(&mut text).is_err() || text.len() as u64 == MOST {
                return true;
            }
        }
    }
    json::read(&text, &Limits::default()).map_or(true, |settings| forbids_commands(&settings))
}

fn forbids_commands(settings: &Node) -> bool {
    let Some(permissions) = settings.get("permissions") else {
        return false;
    };
    let is_about_commands = |rule: &Node| match &rule.value {
        // One without a name of a tool, or with a wild one, may be about any.
        Value::Text(rule) => {
            rule.starts_with("Bash")
                || !rule.starts_with(|sign: char| sign.is_ascii_alphabetic())
                || rule.contains('*') && !rule.contains('(')
        }
        _ => true,
    };
    ["deny", "ask"]
        .iter()
        .filter_map(|key| permissions.get(key))
        .any(|rules| match &rules.value {
            Value::List(rules) => rules.iter().any(is_about_commands),
            Value::Null => false,
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_commands_are_seen_and_others_are_not() {
        let says = |text: &str| {
            forbids_commands(
                &json::read(text, &Limits::default()).unwrap_or_else(|_| Value::Null.into()),
            )
        };
        for text in [
            r#"{"permissions":{"deny":["Bash(rm *)"]}}"#,
            r#"{"permissions":{"ask":["Read(x)","Bash"]}}"#,
            r#"{"permissions":{"deny":["*"]}}"#,
            r#"{"permissions":{"deny":["B*"]}}"#,
            r#"{"permissions":{"deny":"Bash"}}"#,
            r#"{"permissions":{"deny":[1]}}"#,
        ] {
            assert!(says(text), "{text}");
        }
        for text in [
            "{}",
            r#"{"permissions":{"allow":["Bash(ls *)"],"deny":["Read(./.env*)"],"ask":[]}}"#,
            r#"{"permissions":{"deny":null}}"#,
        ] {
            assert!(!says(text), "{text}");
        }
    }
}
