//! Crush: tools that are allowed, and tools that are not there.

use sayso_core::policy::decision::Decision;

use crate::import::jsonc::{self, texts};
use crate::import::patterns::any_command;
use crate::import::{About, File, ImportError, Imported, Reader, System};

/// Crush: how its policy is read.
pub const SYSTEM: System = System::new(&Reader {
    name: "crush",
    help: "crush: `crush.json`",
    import,
    own_files: None,
});

/// Tools that are allowed, and tools that are not there.
fn import(files: &[File]) -> Result<Imported, ImportError> {
    let mut out = Imported::default();
    for file in files {
        let document = jsonc::read(file)?;
        for name in texts(
            document
                .get("options")
                .and_then(|options| options.get("disabled_tools")),
        ) {
            out.add(Decision::Deny, About::Tool(name));
        }
        for name in texts(
            document
                .get("permissions")
                .and_then(|permissions| permissions.get("allowed_tools")),
        ) {
            match name.split_once(':').map_or(name.as_str(), |(tool, _)| tool) {
                "bash" if name == "bash" => out.add(Decision::Allow, any_command()),
                "view" | "ls" | "grep" | "glob" => {
                    out.add(Decision::Allow, About::Read("**".to_owned()))
                }
                "edit" | "write" | "multiedit" => {
                    out.add(Decision::Allow, About::Write("**".to_owned()))
                }
                "fetch" if name == "fetch" => {
                    out.add(Decision::Allow, About::Fetch("https://*/**".to_owned()))
                }
                _ => out.note(
                    &file.name,
                    &name,
                    "left out: what it does has no form here, so it asks",
                ),
            }
        }
    }
    Ok(out)
}
