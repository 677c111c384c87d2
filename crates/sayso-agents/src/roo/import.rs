//! Roo Code: two lists of prefixes, of which the longest that matches counts.

use sayso_core::policy::decision::Decision;

use crate::import::jsonc::{self, texts};
use crate::import::patterns::{any_command, glob, words};
use crate::import::{File, ImportError, Imported, Ordered, Reader, Rule, System, without_order};

/// Roo Code: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "roo",
    help: "Roo Code: `settings.json` of the editor",
    import,
    own_files: None,
});

/// Two lists of prefixes: the longest that matches counts, and of two alike the denial.
fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    let mut list: Vec<(usize, Decision, Ordered)> = Vec::new();
    for file in files {
        let document = jsonc::read(file)?;
        let of = |name: &str| {
            let nested = document.get("roo-cline").and_then(|own| own.get(name));
            texts(
                nested
                    .or_else(|| document.get(&format!("roo-cline.{name}")))
                    .or_else(|| document.get(name)),
            )
        };
        for (key, decision) in [
            ("allowedCommands", Decision::Allow),
            ("deniedCommands", Decision::Deny),
        ] {
            for prefix in of(key) {
                let trimmed = prefix.trim();
                // A prefix needs not end with a word there: what is allowed here ends with one, what is denied need not.
                let about = match (trimmed, decision) {
                    ("*", _) => Some(any_command()),
                    (_, Decision::Allow) => words(trimmed, true),
                    _ => glob(&format!("{trimmed}*")),
                };
                match about {
                    Some(about) => {
                        let rule = Rule {
                            decision,
                            about,
                            except: Vec::new(),
                            agent: None,
                            reason: None,
                        };
                        list.push((trimmed.len(), decision, Ordered { rule, exact: true }));
                    }
                    None if decision == Decision::Allow => out.note(
                        &file.name,
                        &prefix,
                        "left out: the prefix has no form here, so it asks",
                    ),
                    None => {
                        out.add(Decision::Deny, any_command());
                        out.note(&file.name, &prefix, "for every command: the prefix has no form here, and less would be looser");
                    }
                }
                if decision == Decision::Allow && trimmed != "*" {
                    out.note(
                        &file.name,
                        &prefix,
                        "for whole words: `git` is not also `gitleaks` here",
                    );
                }
            }
        }
    }
    list.sort_by_key(|(length, decision, _)| (*length, *decision));
    without_order(
        list.into_iter().map(|(_, _, ordered)| ordered).collect(),
        &mut out,
    );
    Ok(out)
}
