//! Agents whose hooks a table describes: what has to be done to put them in and to take them out.

use std::fmt;
use std::path::{Path, PathBuf};

use sayso_core::text::node::{Node, Value};

use super::form::{Form, plugin_starts};
use super::grouped_hooks::{Event, Hooks, handler, places, started};
use super::install_record::{Kept, KeptFile};
use super::json_edits::Document;
use super::settings_file::Foreign;
use super::switches::{Switches, is_on};
use super::{
    Around, InstallError, Installer, Plan, Wish, exactly, flat_hooks as flat, made_for, oddities,
    open, text_of, without,
};
use crate::which::{Scope, Which};

/// Where an agent keeps its hooks.
pub struct Table {
    /// The agent.
    pub who: Which,
    /// The person's, below the home folder, or below the folder of configurations if it begins with `config:`.
    pub user: &'static str,
    /// The project's.
    pub project: Option<&'static str>,
    /// An administrator's, below `/etc`.
    pub managed: Option<&'static str>,
    /// Variables that lead it to other folders.
    pub elsewhere: &'static [&'static str],
    /// The form.
    pub form: Form,
    /// What is good to know.
    pub notes: &'static [&'static str],
    /// Settings that can switch its hooks off.
    pub switches: Switches,
}

impl fmt::Debug for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Table({:?})", self.who)
    }
}

impl Installer for Table {
    fn who(&self) -> Which {
        self.who
    }

    fn target(&self, around: &Around, scope: Scope) -> Result<PathBuf, InstallError> {
        let (row, who) = (self, self.who);
        let none = || InstallError::NoHooks { who, scope };
        match scope {
            Scope::User => own(around, row).ok_or(InstallError::RelativeHome),
            Scope::Project => row
                .project
                .map(|file| around.folder.join(file))
                .ok_or_else(none),
            Scope::Managed => row
                .managed
                .map(|file| around.etc.join(file))
                .ok_or_else(none),
        }
    }

    fn install(&self, around: &Around, wish: Wish) -> Result<Plan, InstallError> {
        let (row, who, scope) = (self, self.who, wish.scope);
        let target = self.target(around, scope)?;
        if wish.takeover {
            return Err(InstallError::NeverTakesOver(who));
        }
        if wish.trust {
            return Err(InstallError::NothingToTrust(who));
        }
        if scope == Scope::User
            && let Some(name) = row
                .elsewhere
                .iter()
                .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        {
            return Err(InstallError::Elsewhere {
                variable: name,
                who,
                path: target,
            });
        }
        let mut plan = Plan::of(&target);
        let kept = Kept::read(&around.state, who, scope, &target)?;
        let file = open(around, scope, &target)?;
        let hooks = Hooks {
            who,
            program: &around.program,
            events: events(row),
        };
        let (after, base) = match row.form {
            Form::Groups { .. } => {
                let mut document = Document::new(text_of(&target)?, file.text.as_deref());
                plan.warnings
                    .extend(oddities(who, &document.read()?, &target));
                switched_off(&document.read()?, &target, &hooks.command()?)?;
                let base = without(kept.as_ref(), &hooks, &file, false, |_| Ok(()))?;
                hooks.put_in(&mut document)?;
                (Some(document.text), base)
            }
            Form::Flat {
                events,
                beside,
                version,
            } => {
                let mut document = Document::new(text_of(&target)?, file.text.as_deref());
                let base = without_flat(kept.as_ref(), who, &file)?;
                flat::put_in(&hooks, &mut document, events, beside, version)?;
                (Some(document.text), base)
            }
            Form::Whole { text, mark } => {
                if file
                    .text
                    .as_ref()
                    .is_some_and(|found| !found.contains(mark))
                {
                    return Err(InstallError::ForeignFile(target));
                }
                (
                    Some(text(&hooks.command()?, text_of(&around.program)?)),
                    None,
                )
            }
        };
        plan.notes
            .extend(row.notes.iter().map(|words| (*words).to_owned()));
        let is_new =
            after.as_deref() != Some(Document::new("", file.text.as_deref()).text.as_str());
        let (made, after) = (
            made_for(kept.as_ref(), &file),
            if is_new { after } else { file.text.clone() },
        );
        plan.change(file, after, base, made);
        let files = match plan.edits.is_empty() {
            true => kept.map(|kept| kept.files).unwrap_or_default(),
            false => plan.edits.iter().filter_map(KeptFile::of).collect(),
        };
        plan.kept = Some(Kept {
            files,
            takeover: None,
        });
        Ok(plan)
    }

    fn uninstall(&self, around: &Around, scope: Scope) -> Result<Plan, InstallError> {
        let (row, who) = (self, self.who);
        let target = self.target(around, scope)?;
        let mut plan = Plan::of(&target);
        let kept = Kept::read(&around.state, who, scope, &target)?;
        let file = open(around, scope, &target)?;
        let hooks = Hooks {
            who,
            program: &around.program,
            events: events(row),
        };
        let after = match row.form {
            Form::Groups { .. } => without(kept.as_ref(), &hooks, &file, false, |_| Ok(()))?,
            Form::Flat { .. } => without_flat(kept.as_ref(), who, &file)?,
            Form::Whole { text, mark } => {
                let own = text(&hooks.command()?, text_of(&around.program)?);
                match &file.text {
                    None => None,
                    Some(found) if exactly(kept.as_ref(), &file).is_some() || *found == own => None,
                    Some(found) if found.contains(mark) => {
                        return Err(InstallError::ChangedFile(target));
                    }
                    Some(found) => Some(found.clone()),
                }
            }
        };
        let made = made_for(kept.as_ref(), &file);
        plan.change(file, after.clone(), after, made);
        Ok(plan)
    }

    fn starts(&self, text: &str) -> Vec<String> {
        let (row, who) = (self, self.who);
        let read = || Document::new("", Some(text)).read().ok();
        match row.form {
            Form::Groups { events, .. } => {
                let (Some(root), Some(first)) = (read(), events.first()) else {
                    return Vec::new();
                };
                let own = places(who, &root)
                    .into_iter()
                    .filter(|place| place.event == first.name);
                own.filter_map(|place| started(who, handler(&root, &place)?))
                    .collect()
            }
            Form::Flat { events, .. } => {
                let (Some(root), Some(first)) = (read(), events.first()) else {
                    return Vec::new();
                };
                let handlers = root
                    .get("hooks")
                    .and_then(|hooks| hooks.get(first))
                    .map(Node::items)
                    .unwrap_or_default();
                handlers
                    .iter()
                    .filter_map(|handler| started(who, handler))
                    .collect()
            }
            Form::Whole { mark, .. } if text.contains(mark) => {
                if let Some(program) = plugin_starts(text) {
                    return vec![program];
                }
                let Some(root) = read() else {
                    return Vec::new();
                };
                let events = root.get("hooks").map(Node::entries).unwrap_or_default();
                let first = events
                    .first()
                    .map(|event| event.node.items())
                    .unwrap_or_default();
                let inner = first.iter().flat_map(|one| {
                    one.get("hooks")
                        .map(Node::items)
                        .unwrap_or(std::slice::from_ref(one))
                });
                let command = |handler: &Node| {
                    let command = handler
                        .get("bash")
                        .or_else(|| handler.get("command"))?
                        .clone();
                    started(who, &Node::map([("command", command)]))
                };
                inner.filter_map(command).collect()
            }
            Form::Whole { .. } => Vec::new(),
        }
    }

    fn form(&self) -> Option<Form> {
        Some(self.form)
    }

    fn switches(&self) -> &Switches {
        &self.switches
    }
}

/// The person's own file.
fn own(around: &Around, row: &Table) -> Option<PathBuf> {
    match row.user.strip_prefix("config:") {
        Some(file) => around
            .config
            .clone()
            .or_else(|| Some(around.home.as_ref()?.join(".config")))
            .map(|folder| folder.join(file)),
        None => around.home.as_ref().map(|home| home.join(row.user)),
    }
}

fn events(row: &Table) -> &'static [Event] {
    match row.form {
        Form::Groups { events, .. } => events,
        Form::Flat { .. } | Form::Whole { .. } => &[],
    }
}

/// Refuses where the hook would not fire.
fn switched_off(root: &Node, target: &Path, command: &str) -> Result<(), InstallError> {
    let off = |key: &'static str| InstallError::SwitchedOff {
        key,
        path: target.to_owned(),
    };
    if is_on(root, "disableAllHooks") {
        return Err(off("disableAllHooks"));
    }
    let Some(config) = root.get("hooksConfig") else {
        return Ok(());
    };
    if matches!(
        config.get("enabled").map(|node| &node.value),
        Some(Value::Bool(false))
    ) {
        return Err(off("hooksConfig.enabled"));
    }
    let disabled = config.get("disabled").map(Node::items).unwrap_or_default();
    if disabled.iter().any(|name| name.as_text() == Some(command)) {
        return Err(off("hooksConfig.disabled"));
    }
    Ok(())
}

/// The text without sayso, where hooks stand one behind the other.
fn without_flat(
    kept: Option<&Kept>,
    who: Which,
    file: &Foreign,
) -> Result<Option<String>, InstallError> {
    if let Some(known) = exactly(kept, file) {
        return Ok(known.before);
    }
    let Some(text) = &file.text else {
        return Ok(None);
    };
    let mut document = Document::new(text_of(&file.path)?, Some(text));
    if flat::places(who, &document.read()?).is_empty() {
        return Ok(Some(text.clone()));
    }
    flat::take_out(who, &mut document)?;
    let was_missing = kept.is_some_and(|kept| {
        kept.files
            .iter()
            .any(|kept| kept.path == file.real && kept.before.is_none())
    });
    let is_empty = document
        .read()?
        .entries()
        .iter()
        .all(|entry| entry.key == "version");
    Ok((!(was_missing && is_empty)).then_some(document.text))
}
