//! `sayso install` offers to bring an agent's own rules along: shown as a policy with a report first, and written only if the person says so.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::text::diagnostic::{Severity, Source};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};
use sayso_shell::Bash;
use sayso_store::journal::{Journal, Sync};
use sayso_world::policy_files::imported_file;

use super::{SAY_YES, Stop, confirmed, say};
use sayso_agents::import;
use sayso_agents::import::{File, ImportError, Imported, System};
use sayso_agents::install::Around;
use sayso_runtime::record_folder;

/// The rules that an agent has of its own.
pub(super) struct Rules {
    agent: &'static str,
    title: &'static str,
    files: Vec<PathBuf>,
    imported: Result<Imported, ImportError>,
}

/// Whether the person wants them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Nobody said so: it is offered where somebody can be asked.
    Unsaid,
    /// `--import`.
    Yes,
    /// `--no-import`.
    No,
}

/// The rules of an agent; none where it has none, or where nobody knows how to read them.
pub(super) fn of(agent: &'static str, title: &'static str, around: &Around) -> Option<Rules> {
    let system = System::of(agent)?;
    let files = (system.reader().own_files?)(around, around.home.as_deref()?);
    // Not there is not there; what cannot be read is told.
    let read: Result<Vec<File>, ImportError> = files.iter().map(|path| File::read(path)).collect();
    let imported = read
        .and_then(|read| import::import(system, &read))
        .map(|imported| imported.only_for(agent));
    match &imported {
        Ok(imported) if imported.rules.is_empty() => None,
        _ if files.is_empty() => None,
        _ => Some(Rules {
            agent,
            title,
            files,
            imported,
        }),
    }
}

impl Rules {
    /// The command that shows what comes of them.
    fn command(&self) -> String {
        let words = ["sayso", "policy", "import", "--from", self.agent].map(str::to_owned);
        let files = self
            .files
            .iter()
            .map(|path| path.to_string_lossy().into_owned());
        sayso_shell::quote(&words.into_iter().chain(files).collect::<Vec<_>>())
    }

    /// What the person is told of them after the change of the settings.
    pub(super) fn note(&self) -> String {
        match &self.imported {
            Ok(imported) => {
                let count = imported.rules.len();
                format!(
                    "{} has rules of its own ({count}); sayso does not know them. `{}` makes a policy of them, and `--import` uses it",
                    self.title,
                    self.command()
                )
            }
            Err(why) => format!(
                "{} has rules of its own, and they cannot be brought along: {why}",
                self.title
            ),
        }
    }

    /// Offers them, shows what comes of them, and writes it where sayso keeps what it writes itself.
    pub(super) fn offer(&self, wish: Wish, yes: bool) -> Result<(), Stop> {
        let can_be_asked = io::stdin().is_terminal() && io::stdout().is_terminal();
        let imported = match (&self.imported, wish) {
            (_, Wish::No) => return Ok(()),
            (Err(why), Wish::Yes) => {
                return Err(Stop::usage(format!(
                    "the rules of {} cannot be brought along: {why}",
                    self.title
                )));
            }
            (Err(_), Wish::Unsaid) => return Ok(()),
            // Never without being asked.
            (Ok(_), Wish::Unsaid) if yes || !can_be_asked => return Ok(()),
            (Ok(imported), _) => imported,
        };
        if wish == Wish::Unsaid
            && !confirmed(
                &format!(
                    "bring the rules of {} along? they are shown first [y/N] ",
                    self.title
                ),
                SAY_YES,
            )?
        {
            return Ok(());
        }
        let text = self.text(imported)?;
        let config = record_folder::whereabouts().map_err(Stop::usage)?.config;
        let path = imported_file(&config, self.agent)
            .ok_or_else(|| Stop::usage("there is no place for them"))?;
        if fs::read_to_string(&path).is_ok_and(|known| known == text) {
            return say("the rules are there already, just so\n");
        }
        say(&format!(
            "\n{}\n{}\n",
            visible_block(&text),
            import::report(imported)
        ))?;
        if !yes
            && !confirmed(
                &format!("write this to {}? [y/N] ", visible(&path.to_string_lossy())),
                SAY_YES,
            )?
        {
            return say("no rules were brought along\n");
        }
        self.write(&path, &text)?;
        say(&format!(
            "wrote {}\nremove the file to take it back; `sayso policy show` has what counts now\n",
            visible(&path.to_string_lossy())
        ))
    }

    /// The file, which has to be sound.
    fn text(&self, imported: &Imported) -> Result<String, Stop> {
        let files: Vec<String> = self
            .files
            .iter()
            .map(|path| visible(&path.to_string_lossy()).into_owned())
            .collect();
        let head = format!(
            "# Rules of {}, brought along by `sayso install {} --import` from {}.\n# They count for this agent only, and below every rule that asks or denies.\n",
            self.title,
            self.agent,
            files.join(", ")
        );
        let text = head + &import::yaml(imported);
        let (layer, findings) = read(
            Source {
                name: "the imported rules",
                text: &text,
            },
            Format::Yaml,
            Origin::Learned,
            &Bash,
        );
        match findings
            .iter()
            .find(|finding| finding.severity == Severity::Error)
        {
            None if layer.is_some() => Ok(text),
            found => {
                let why = found
                    .map(|finding| finding.message.clone())
                    .unwrap_or_default();
                Err(Stop::usage(format!(
                    "what comes of the rules is no policy: {}; nothing was written",
                    visible(&why)
                )))
            }
        }
    }

    /// Writes it down, then writes it: whole or not at all.
    fn write(&self, path: &Path, text: &str) -> Result<(), Stop> {
        let whereabouts = record_folder::whereabouts().map_err(Stop::usage)?;
        let fields = vec![
            (
                "user",
                Value::Number(rustix::process::geteuid().as_raw().to_string()).into(),
            ),
            ("agent", Node::text(self.agent)),
            ("path", Node::text(path.to_string_lossy())),
            (
                "content",
                Node::text(Digest::of_bytes(text.as_bytes()).to_string()),
            ),
        ];
        Journal::open(&whereabouts.state)
            .and_then(|journal| journal.append("imported", fields, Sync::Disk))
            .map_err(Stop::usage)?;
        let cannot =
            |error: io::Error| Stop::usage(format!("cannot write `{}`: {error}", path.display()));
        let folder = path
            .parent()
            .ok_or_else(|| Stop::usage("there is no place for them"))?;
        fs::create_dir_all(folder).map_err(cannot)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(cannot)?;
        sayso_own_files::write(path, text.as_bytes(), true)
            .map_err(|error| cannot(error.into()))?;
        Ok(())
    }
}
