//! Cline: lists of patterns, in which a denial counts before an allow.

use sayso_core::policy::decision::Decision;
use sayso_core::text::node::Node;

use crate::import::jsonc::{self, texts};
use crate::import::patterns::{any_command, glob, words};
use crate::import::{File, ImportError, Imported, Reader, System};

/// Cline: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "cline",
    help: "Cline: a file with `allow` and `deny`",
    import,
    own_files: None,
});

/// `allow` and `deny` with `*`; a denial counts before an allow.
fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    for file in files {
        let document = jsonc::read(file)?;
        for (key, decision) in [("deny", Decision::Deny), ("allow", Decision::Allow)] {
            for pattern in texts(document.get(key)) {
                let about = match pattern.strip_suffix(" *") {
                    _ if pattern == "*" => Some(any_command()),
                    Some(start) if !start.contains('*') => words(start, true),
                    _ if !pattern.contains('*') => words(&pattern, false),
                    _ => glob(&pattern),
                };
                match about {
                    Some(about) => out.add(decision, about),
                    None if decision == Decision::Allow => out.note(
                        &file.name,
                        &pattern,
                        "left out: the pattern has no form here, so it asks",
                    ),
                    None => {
                        out.add(decision, any_command());
                        out.note(&file.name, &pattern, "for every command: the pattern has no form here, and less would be looser");
                    }
                }
            }
        }
        if document.get("allowRedirects").and_then(Node::as_bool) == Some(true) {
            out.note(
                &file.name,
                "allowRedirects: true",
                "left out: where a command writes to is judged by itself",
            );
        }
    }
    Ok(out)
}
