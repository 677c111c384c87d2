//! The systems that sayso grew from: their keys are understood in a policy as they are, below the profile of the same name.

use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::schema::POLICY;
use sayso_core::policy::shape::nearest;
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json, yaml};
use sayso_shell::Bash;

use super::{File, ImportError, Imported, Reader, System};

/// These systems.
pub const SYSTEMS: [System; 4] = [
    System::new(&Reader {
        name: "kollabor",
        help: "kollabor: its keys are sayso's, too",
        import: |files| import(files, "kollabor"),
        own_files: None,
    }),
    System::new(&Reader {
        name: "kollabor-spec",
        help: "The specification of kollabor",
        import: |files| import(files, "kollabor-spec"),
        own_files: None,
    }),
    System::new(&Reader {
        name: "llm-do",
        help: "llm-do",
        import: |files| import(files, "llm-do"),
        own_files: None,
    }),
    System::new(&Reader {
        name: "forge",
        help: "forge",
        import: |files| import(files, "forge"),
        own_files: None,
    }),
];

/// The profile of the opencode-like runtime.
pub(crate) const OPENCODE: &str = "opencode";

/// The file as a value, whichever of the two it is written in.
pub(crate) fn document(file: &File) -> Result<Node, ImportError> {
    let limits = Limits::policy();
    let read = if is_json(file) {
        json::read(&file.text, &limits)
    } else {
        yaml::read(&file.text, &limits)
    };
    read.map_err(|finding| ImportError::BadFile {
        name: file.name.clone(),
        finding,
    })
}

fn is_json(file: &File) -> bool {
    file.text.trim_start().starts_with('{')
}

/// Takes the keys of the files as they are, after looking whether they are understood.
pub(crate) fn import(files: &[File], profile: &str) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    out.keys.push(("profile".to_owned(), profile.to_owned()));
    for file in files {
        for entry in document(file)?
            .entries()
            .iter()
            .filter(|entry| entry.key != "version")
        {
            let line = line_of(file, entry.key_span.start);
            if !is_understood(&entry.key)
                && profile == OPENCODE
                && !is_nearly_understood(&entry.key)
            {
                // Its file is the configuration of a whole agent.
                out.note(
                    &format!("{}:{line}", file.name),
                    &entry.key,
                    "not read: it says nothing about permissions",
                );
            } else if out.keys.iter().any(|(key, _)| *key == entry.key) {
                out.note(
                    &format!("{}:{line}", file.name),
                    &entry.key,
                    "left out: it is said already",
                );
            } else {
                out.keys.push((entry.key.clone(), json::write(&entry.node)));
                say_what_becomes_of(
                    &entry.key,
                    &entry.node,
                    &format!("{}:{line}", file.name),
                    &mut out,
                );
            }
        }
    }
    // What comes out is read as it will be, so that nothing is promised that a policy refuses.
    let text = super::yaml(&out);
    let (_, findings) = read(
        Source {
            name: "import",
            text: &text,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    let name = files.first().map_or("", |file| file.name.as_str());
    for finding in findings {
        if finding.severity == Severity::Error {
            let name = name.to_owned();
            return Err(ImportError::BadPolicy { name, finding });
        }
        let hint = finding
            .hint
            .as_ref()
            .map_or(String::new(), |hint| format!(" ({hint})"));
        out.note(
            name,
            "a warning of the reader",
            format!("{}{hint}", finding.message),
        );
    }
    Ok(out)
}

/// Whether a key is one of a policy or of the systems that it understands.
fn is_understood(key: &str) -> bool {
    let first = key.split('.').next().unwrap_or(key);
    POLICY.field(first).is_some()
        || ["permissions", "core", "kollabor", "tool_rules"].contains(&first)
}

/// Whether a key looks like one that was mistyped, and so says something all the same.
fn is_nearly_understood(key: &str) -> bool {
    const OTHER: [&str; 5] = ["model", "models", "provider", "tools", "name"];
    let known = POLICY
        .fields
        .iter()
        .map(|field| field.key)
        .chain(["permissions"]);
    !OTHER.contains(&key) && nearest(key.split('.').next().unwrap_or(key), known).is_some()
}

/// Says of keys that mean something a little different here what they become.
fn say_what_becomes_of(key: &str, node: &Node, place: &str, out: &mut Imported) {
    let is_core = key == "core.permissions" || key == "kollabor.permissions";
    let log = node
        .get("audit_log_path")
        .filter(|_| is_core)
        .or((key == "core.permissions.audit_log_path").then_some(node));
    if let Some(path) = log.and_then(Node::as_text) {
        let done = format!(
            "decisions are also written to `{path}`, a line each; sayso's own record stays in its state folder"
        );
        out.note(place, "audit_log_path", done);
    }
}

fn line_of(file: &File, at: u32) -> usize {
    file.text
        .get(..at as usize)
        .unwrap_or_default()
        .matches('\n')
        .count()
        + 1
}
