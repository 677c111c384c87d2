//! The systems that sayso grew from: their keys are understood in a policy as they are, below the profile of the same name.

use sayso_core::diagnostic::{Severity, Source};
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::text::{Limits, json, yaml};
use sayso_shell::Bash;

use super::{File, Imported};

/// Takes the keys of the files as they are, after looking whether they are understood.
pub(super) fn import(files: &[File], profile: &str) -> Result<Imported, String> {
    let mut out = Imported::default();
    out.keys.push(("profile".to_owned(), profile.to_owned()));
    for file in files {
        let is_json = file.text.trim_start().starts_with('{');
        let format = if is_json { Format::Json } else { Format::Yaml };
        let (_, findings) = read(Source { name: &file.name, text: &file.text }, format, Origin::User, &Bash);
        for finding in &findings {
            let line = file.text.get(..finding.span.start as usize).unwrap_or_default().matches('\n').count() + 1;
            let place = format!("{}:{line}", file.name);
            if finding.severity == Severity::Error {
                return Err(format!("`{place}`: {}", finding.message));
            }
            out.note(&place, "a warning of the reader", finding.message.clone());
        }
        let limits = Limits::policy();
        let document = if is_json { json::read(&file.text, &limits) } else { yaml::read(&file.text, &limits) };
        let document = document.map_err(|finding| format!("`{}`: {}", file.name, finding.message))?;
        for entry in document.entries().iter().filter(|entry| entry.key != "version") {
            if out.keys.iter().any(|(key, _)| *key == entry.key) {
                out.note(&file.name, &entry.key, "left out: it is said already");
            } else {
                out.keys.push((entry.key.clone(), json::write(&entry.node)));
            }
        }
    }
    Ok(out)
}
