//! The file with what the settings screen saved: sayso owns it, writes it whole, and never touches a file of the person's.

use std::io;
use std::path::PathBuf;

use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json, yaml};
use sayso_shell::Bash;
use sayso_tools::private_folder;
use sayso_world::bounded_file::{Content, LastLink, read as read_file};
use sayso_world::locations::Whereabouts;

use crate::error::SourceError;

/// Why a setting was not saved.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum SettingsFileError {
    #[error("the settings are no UTF-8 text")]
    NotText,
    #[error("the file of the settings is a link, so it is not written")]
    Link,
    #[error("the file of the settings {0}")]
    Unusable(String),
    #[error("the settings have no folder")]
    NoFolder,
    #[error("{0}")]
    Folder(SourceError),
    #[error("the settings cannot be saved: {0}")]
    Io(#[from] io::Error),
    #[error("the settings cannot be read: {0}")]
    NotYaml(String),
    /// What the policy would say of it.
    #[error("{}", visible(.0))]
    Refused(String),
    #[error("the settings cannot be read")]
    Unreadable,
    #[error("this mode is not kept; it holds for one session")]
    OneSession,
}

const HEAD: &str = "# Written by sayso (`/settings` in `sayso chat`). Your own settings belong into policy.yaml, which sayso never changes.\n";

fn path(whereabouts: &Whereabouts) -> PathBuf {
    whereabouts.config.join("policy.d/settings.yaml")
}

/// Saves a value under a key, or under a key in a key (`audit.retention_days`).
///
/// # Errors
/// When the file cannot be read or written, or the value is none; then it is as it was.
pub fn set(whereabouts: &Whereabouts, key: &str, value: Node) -> Result<(), SettingsFileError> {
    let path = path(whereabouts);
    let text = match read_file(&path, 1 << 20, LastLink::Refuse) {
        Content::Missing => String::new(),
        Content::Bytes(bytes, _) => {
            String::from_utf8(bytes).map_err(|_| SettingsFileError::NotText)?
        }
        Content::Link => return Err(SettingsFileError::Link),
        Content::Unusable(reason) => return Err(SettingsFileError::Unusable(reason)),
    };
    let text = changed(&text, key, value)?;
    let folder = path.parent().ok_or(SettingsFileError::NoFolder)?;
    std::fs::create_dir_all(&whereabouts.config)?;
    private_folder::make(folder).map_err(|error| SettingsFileError::Folder(error.into()))?;
    private_folder::write(&path, text.as_bytes(), true)?;
    Ok(())
}

/// The text with the change in it, checked as a policy is.
fn changed(text: &str, key: &str, value: Node) -> Result<String, SettingsFileError> {
    let tree = match text.trim().is_empty() {
        true => Node::map::<String>([]),
        false => yaml::read(text, &Limits::policy()).map_err(|finding| {
            let reason = finding.message;
            SettingsFileError::NotYaml(reason)
        })?,
    };
    let entries = |node: &Node| {
        node.entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.node.clone()))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<(String, Node)> = entries(&tree);
    let set = |list: &mut Vec<(String, Node)>, key: &str, node: Node| match list
        .iter_mut()
        .find(|(known, _)| known == key)
    {
        Some((_, known)) => *known = node,
        None => list.push((key.to_owned(), node)),
    };
    match key.split_once('.') {
        None => set(&mut all, key, value),
        Some((outer, inner)) => {
            let mut below = all
                .iter()
                .find(|(known, _)| known == outer)
                .map(|(_, node)| entries(node))
                .unwrap_or_default();
            set(&mut below, inner, value);
            set(&mut all, outer, Node::map(below));
        }
    }
    if !all.iter().any(|(known, _)| known == "version") {
        all.insert(
            0,
            ("version".to_owned(), Value::Number("1".to_owned()).into()),
        );
    }
    // JSON is YAML, one key a line.
    let out: String = all
        .iter()
        .map(|(key, node)| format!("{key}: {}\n", json::write_plain(node)))
        .collect();
    let out = format!("{HEAD}{out}");
    let (layer, findings) = read(
        Source {
            name: "settings.yaml",
            text: &out,
        },
        Format::Yaml,
        Origin::Learned,
        &Bash,
    );
    match findings
        .iter()
        .find(|finding| finding.severity == Severity::Error)
    {
        Some(finding) => Err(SettingsFileError::Refused(finding.message.clone())),
        None => match layer {
            None => Err(SettingsFileError::Unreadable),
            Some(layer) if key == "mode" && layer.settings.mode.is_none() => {
                Err(SettingsFileError::OneSession)
            }
            Some(_) => Ok(out),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_changed_and_the_rest_stays() {
        let first = changed("", "mode", Node::text("confirm-all")).unwrap();
        assert!(
            first.starts_with('#') && first.ends_with("version: 1\nmode: \"confirm-all\"\n"),
            "{first}"
        );
        let second = changed(
            &first,
            "audit.retention_days",
            Value::Number("30".to_owned()).into(),
        )
        .unwrap();
        let third = changed(&second, "audit.redact", Value::Bool(true).into());
        let third = third.unwrap_or(second);
        assert!(
            third.contains("mode: \"confirm-all\"") && third.contains("\"retention_days\":30"),
            "{third}"
        );
        for (key, value) in [
            ("mode", Node::text("trust-all")),
            ("mode", Node::text("none")),
            ("nothing", Node::text("x")),
            ("approval_timeout", Node::text("x")),
        ] {
            assert!(changed(&first, key, value).is_err(), "{key}");
        }
        assert!(changed("a: [", "mode", Node::text("balanced")).is_err());
    }

    #[test]
    fn it_is_written_whole_for_the_person_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let scratch = tempfile::tempdir().unwrap();
        let mut whereabouts = Whereabouts::from_environment().unwrap();
        whereabouts.config = scratch.path().join("config");
        set(&whereabouts, "enabled", Value::Bool(false).into()).unwrap();
        let file = path(&whereabouts);
        assert!(
            std::fs::read_to_string(&file)
                .unwrap()
                .contains("enabled: false")
        );
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        assert!(
            set(&whereabouts, "enabled", Value::Bool(true).into())
                .unwrap_err()
                .to_string()
                .contains("link")
        );
    }
}
