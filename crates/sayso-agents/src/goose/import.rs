//! Goose: lists of tools, by name alone.

use sayso_core::policy::decision::Decision;
use sayso_core::text::{Limits, yaml};

use crate::import::jsonc::texts;
use crate::import::patterns::any_command;
use crate::import::{About, File, ImportError, Imported, Reader, System};

/// Goose: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "goose",
    help: "goose: `permission.yaml`",
    import,
    own_files: None,
});

/// Lists of tools, by name alone.
fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    for file in files {
        let document = yaml::read(&file.text, &Limits::policy()).map_err(|finding| {
            let name = file.name.clone();
            ImportError::BadFile { name, finding }
        })?;
        let user = document.get("user");
        for (key, decision) in [
            ("never_allow", Decision::Deny),
            ("ask_before", Decision::Ask),
            ("always_allow", Decision::Allow),
        ] {
            for name in texts(user.and_then(|user| user.get(key))) {
                of_tool(&name, decision, &mut out);
            }
        }
        if document.get("smart_approve").is_some() {
            out.note(
                &file.name,
                "smart_approve",
                "left out: it is what a model once thought of the names of tools",
            );
        }
    }
    Ok(out)
}

fn of_tool(name: &str, decision: Decision, out: &mut Imported) {
    match name {
        "developer__shell" => out.add(decision, any_command()),
        "developer__text_editor" => {
            out.add(decision, About::Write("**".to_owned()));
            if decision != Decision::Allow {
                out.add(decision, About::Write("/**".to_owned()));
            }
        }
        name => match name.split_once("__") {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                out.add(decision, About::Mcp(format!("{server}/{tool}")))
            }
            _ => out.add(decision, About::Tool(name.to_owned())),
        },
    }
}
