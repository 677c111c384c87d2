//! Codex: where its settings are, which events start the hook, and whether it would run it.
//!
//! Tried with version 0.166.0: a hook that the person has not trusted is left out without a word, unless it is an administrator's; a hook
//! is known by its place in the file and by a digest of itself; settings with an unknown key count for nothing; and `features.hooks = false`
//! switches off every hook, those of an administrator too.

use std::fs;
use std::path::{Path, PathBuf};

use sayso_core::text::node::Node;
use toml_edit::DocumentMut;

use super::{CODEX, trust};
use crate::install::grouped_hooks::{Event, Hooks, LONG, Place, SHORT, handler, places, started};
use crate::install::install_record::{Kept, KeptFile};
use crate::install::json_edits::Document;
use crate::install::settings_file::{Foreign, shown};
use crate::install::switches::Switches;
use crate::install::{
    Around, InstallError, Installer, Plan, Wish, exactly, made_for, oddities, open, text_of,
    without,
};
use crate::which::{Scope, Which};

/// The events that start the hook. It knows no word for a hook that must not fail.
pub const EVENTS: [Event; 5] = [
    Event {
        name: "PreToolUse",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    Event {
        name: "PermissionRequest",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    Event {
        name: "PostToolUse",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    // Without it nobody knows the workspace.
    Event {
        name: "SessionStart",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    Event {
        name: "SessionEnd",
        seconds: SHORT,
        blocks: false,
        status: None,
    },
];

/// How the hook of Codex comes into its settings.
#[derive(Debug)]
pub struct Own;

impl Installer for Own {
    fn who(&self) -> Which {
        CODEX
    }

    fn target(&self, around: &Around, scope: Scope) -> Result<PathBuf, InstallError> {
        target(around, scope)
    }

    fn install(&self, around: &Around, wish: Wish) -> Result<Plan, InstallError> {
        install(around, wish)
    }

    fn uninstall(&self, around: &Around, scope: Scope) -> Result<Plan, InstallError> {
        uninstall(around, scope)
    }

    fn starts(&self, text: &str) -> Vec<String> {
        let Ok(root) = Document::new("", Some(text)).read() else {
            return Vec::new();
        };
        places(CODEX, &root)
            .iter()
            .filter_map(|place| started(CODEX, handler(&root, place)?))
            .collect()
    }

    fn files(&self, around: &Around) -> Vec<(PathBuf, Scope)> {
        let own = around
            .codex
            .clone()
            .or_else(|| around.home.as_ref().map(|home| home.join(".codex")));
        let own = own.map(|folder| (folder.join("hooks.json"), Scope::User));
        [(around.etc.join("codex/hooks.json"), Scope::Managed)]
            .into_iter()
            .chain(own)
            .chain([(around.folder.join(".codex/hooks.json"), Scope::Project)])
            .collect()
    }

    fn switches(&self) -> &Switches {
        &SWITCHES
    }
}

static SWITCHES: Switches = Switches {
    // `features.hooks`, the trust in hooks, and profiles beside `config.toml`.
    names: &[".codex/*.toml", ".codex/hooks.json"],
    beside: &["config.toml"],
    managed: &["codex"],
};

/// The file that the hook stands in.
///
/// # Errors
/// When nobody knows where that is.
fn target(around: &Around, scope: Scope) -> Result<PathBuf, InstallError> {
    Ok(match scope {
        Scope::User => own_folder(around)?.join("hooks.json"),
        Scope::Project => real(&around.folder).join(".codex/hooks.json"),
        Scope::Managed => around.etc.join("codex/hooks.json"),
    })
}

/// Codex looks behind links in the variable, and not in the home; trust goes by the path that comes of it.
fn own_folder(around: &Around) -> Result<PathBuf, InstallError> {
    let set = around
        .codex
        .as_deref()
        .map(real)
        .or_else(|| around.home.as_ref().map(|home| home.join(".codex")));
    set.ok_or(InstallError::NoSettingsFolder("CODEX_HOME"))
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A TOML file that is only looked at; one that cannot be read says nothing.
fn glance(path: &Path) -> Option<DocumentMut> {
    Foreign::glance(path)?.parse().ok()
}

/// The file with what the person trusts.
struct Config {
    file: Foreign,
    document: DocumentMut,
}

impl Config {
    fn open(around: &Around) -> Result<Config, InstallError> {
        let path = own_folder(around)?.join("config.toml");
        let file = Foreign::open(&path)?;
        let document = trust::read(text_of(&path)?, file.text.as_deref().unwrap_or_default())?;
        Ok(Config { file, document })
    }
}

/// What has to be done to install the hook.
///
/// # Errors
/// Why it cannot be done.
fn install(around: &Around, wish: Wish) -> Result<Plan, InstallError> {
    let scope = wish.scope;
    if wish.takeover {
        return Err(InstallError::FailsOpen(CODEX));
    }
    if wish.trust && scope == Scope::Managed {
        return Err(InstallError::TrustedAlready);
    }
    let target = target(around, scope)?;
    let mut plan = Plan::of(&target);
    let kept = Kept::read(&around.state, CODEX, scope, &target)?;
    let file = open(around, scope, &target)?;
    let hooks = Hooks {
        who: CODEX,
        program: &around.program,
        events: &EVENTS,
    };
    let mut document = Document::new(text_of(&target)?, file.text.as_deref());
    let old = document.read()?;
    plan.warnings.extend(oddities(CODEX, &old, &target));
    if let Some(entry) = old
        .entries()
        .iter()
        .find(|entry| !["description", "hooks"].contains(&entry.key.as_str()))
    {
        let finding = sayso_core::text::diagnostic::Diagnostic::error(
            entry.key_span,
            format!("Codex takes no key `{}` here", entry.key),
        );
        return Err(
            document.refuse(finding.hint("with it, none of the hooks in this file would run"))
        );
    }
    let config = (scope != Scope::Managed)
        .then(|| Config::open(around))
        .transpose()?;
    switched_off(around, scope, config.as_ref(), &mut plan)?;
    plan.notes
        .push("where sayso is killed or cannot be started, Codex runs the tool: it has no word for a hook that must not fail".to_owned());
    let base = without(kept.as_ref(), &hooks, &file, false, |_| Ok(()))?;
    if let Some(path) = elsewhere(around, &target, scope) {
        plan.notes.push(format!(
            "the hook stands in {} already, and one is enough",
            shown(&path)
        ));
        return Ok(plan);
    }
    hooks.put_in(&mut document)?;
    let new = document.read()?;
    let is_new = document.text != Document::new("", file.text.as_deref()).text;
    let (made, after) = (
        made_for(kept.as_ref(), &file),
        if is_new {
            Some(document.text.clone())
        } else {
            file.text.clone()
        },
    );
    plan.change(file, after, base, made);
    if let Some(config) = config {
        moved(&old, &new, &config.document, text_of(&target)?, &mut plan);
        trusted(around, wish, kept.as_ref(), config, &new, &hooks, &mut plan)?;
    }
    let mut files = kept.map(|kept| kept.files).unwrap_or_default();
    for new in plan.edits.iter().filter_map(KeptFile::of) {
        files.retain(|old| old.path != new.path);
        files.push(new);
    }
    plan.kept = Some(Kept {
        files,
        takeover: None,
    });
    Ok(plan)
}

/// Refuses where the hook would not run.
fn switched_off(
    around: &Around,
    scope: Scope,
    config: Option<&Config>,
    plan: &mut Plan,
) -> Result<(), InstallError> {
    let system = around.etc.join("codex/config.toml");
    let off = |document: &DocumentMut| {
        ["hooks", "codex_hooks"]
            .into_iter()
            .find(|key| trust::is_false(document, "features", key))
    };
    let refuse = |key: &'static str, path: &Path| InstallError::FeatureOff {
        key,
        path: path.to_owned(),
    };
    if let Some(key) = glance(&system).as_ref().and_then(off) {
        return Err(refuse(key, &system));
    }
    let requirements = around.etc.join("codex/requirements.toml");
    let only_managed = glance(&requirements)
        .and_then(|found| found.get("allow_managed_hooks_only")?.as_bool())
        == Some(true);
    if only_managed && scope != Scope::Managed {
        return Err(InstallError::OnlyManagedHooks {
            key: "allow_managed_hooks_only",
            path: requirements,
            who: CODEX,
            verb: "run",
        });
    }
    let Some(config) = config else {
        plan.notes.push("whoever sets `features.hooks = false` in their own settings switches this hook off, too".to_owned());
        return Ok(());
    };
    if let Some(key) = off(&config.document) {
        return Err(refuse(key, &config.file.path));
    }
    let project = real(&around.folder);
    if scope == Scope::Project {
        let level = config
            .document
            .get("projects")
            .and_then(|all| all.get(project.to_str()?))
            .and_then(|one| one.get("trust_level"));
        if level.and_then(toml_edit::Item::as_str) != Some("trusted") {
            plan.warnings.push(format!(
                "Codex reads this only once you trust the project {} in Codex",
                shown(&project)
            ));
        }
    } else {
        let words = "a project that you trust in Codex can switch this hook off by `features.hooks = false` in its own settings";
        plan.notes.push(words.to_owned());
    }
    Ok(())
}

/// Another file that has the hook already, and counts here.
fn elsewhere(around: &Around, target: &Path, scope: Scope) -> Option<PathBuf> {
    let managed = around.etc.join("codex/hooks.json");
    let own = own_folder(around)
        .ok()
        .map(|folder| folder.join("hooks.json"));
    let all = match scope {
        Scope::Managed => vec![],
        Scope::User => vec![managed],
        Scope::Project => [Some(managed), own].into_iter().flatten().collect(),
    };
    let fires = |path: &PathBuf| {
        let root =
            Foreign::glance(path).and_then(|text| Document::new("", Some(&text)).read().ok());
        root.is_some_and(|root| {
            places(CODEX, &root)
                .iter()
                .any(|place| place.event == "PreToolUse")
        })
    };
    all.into_iter().filter(|path| path != target).find(fires)
}

/// Whether the person trusts the hook as it will be; with `--trust`, that is written down for them.
fn trusted(
    around: &Around,
    wish: Wish,
    kept: Option<&Kept>,
    config: Config,
    root: &Node,
    hooks: &Hooks<'_>,
    plan: &mut Plan,
) -> Result<(), InstallError> {
    let path = target(around, wish.scope)?;
    let command = hooks.command()?;
    let seconds = |place: &Place| {
        EVENTS
            .iter()
            .find(|event| event.name == place.event)
            .map_or(LONG, |event| event.seconds)
    };
    let wanted: Vec<(String, String)> = places(CODEX, root)
        .iter()
        .map(|place| {
            let key = text_of(&path)
                .map(|path| trust::key(path, &place.event, place.group, place.handler))?;
            Ok((key, trust::hash(&place.event, &command, seconds(place))))
        })
        .collect::<Result<_, InstallError>>()?;
    let off: Vec<&str> = wanted
        .iter()
        .map(|(key, _)| key.as_str())
        .filter(|key| trust::of(&config.document, key).is_off)
        .collect();
    if let Some(first) = off.first() {
        let words = format!(
            "the hook was switched off in `/hooks` of Codex ({} places, such as `{first}`): switch it on there",
            off.len()
        );
        plan.warnings.push(words);
    }
    let missing: Vec<&(String, String)> = wanted
        .iter()
        .filter(|(key, hash)| trust::of(&config.document, key).hash.as_deref() != Some(hash))
        .collect();
    if missing.is_empty() {
        plan.notes
            .push("Codex is told already that you trust the hook".to_owned());
        return Ok(());
    }
    if !wish.trust {
        let words = "Codex does NOT run the hook until you accept it: start `codex`, type `/hooks` and trust it, or install with `--trust`";
        plan.warnings.push(words.to_owned());
        return Ok(());
    }
    plan.notes.push("with `--trust`, this writes down in your name that you trust the hook, as accepting it in `/hooks` would".to_owned());
    let Config { file, document } = config;
    let (mut with, mut without) = (document.clone(), document);
    for (key, hash) in &wanted {
        trust::put(&mut with, key, hash)?;
        trust::forget(&mut without, key);
    }
    let base = match exactly(kept, &file) {
        Some(known) => known.before,
        None => file.text.as_ref().map(|_| without.to_string()),
    };
    let made = made_for(kept, &file);
    plan.change(file, Some(with.to_string()), base, made);
    Ok(())
}

/// Trust goes by the place of a hook in its file: tells whose place changes.
fn moved(old: &Node, new: &Node, config: &DocumentMut, file: &str, plan: &mut Plan) {
    let others = |root: &Node| {
        let own = places(CODEX, root);
        let mut all = Vec::new();
        for event in root.get("hooks").map(Node::entries).unwrap_or_default() {
            for (group, node) in event.node.items().iter().enumerate() {
                let count = node.get("hooks").map(Node::items).unwrap_or_default().len();
                let each = (0..count).map(|handler| Place {
                    event: event.key.clone(),
                    group,
                    handler,
                });
                all.extend(each.filter(|place| !own.contains(place)));
            }
        }
        all
    };
    let is_trusted = |place: &Place| {
        trust::of(
            config,
            &trust::key(file, &place.event, place.group, place.handler),
        )
        .hash
        .is_some()
    };
    let moved = others(old)
        .into_iter()
        .zip(others(new))
        .filter(|(before, after)| before != after && is_trusted(before))
        .count();
    if moved > 0 {
        let words = format!(
            "{moved} other hooks move to another place in {file}, and Codex asks you to trust them again in `/hooks`"
        );
        plan.warnings.push(words);
    }
}

/// What has to be done to take the hook out.
///
/// # Errors
/// Why it cannot be done.
fn uninstall(around: &Around, scope: Scope) -> Result<Plan, InstallError> {
    let target = target(around, scope)?;
    let mut plan = Plan::of(&target);
    let kept = Kept::read(&around.state, CODEX, scope, &target)?;
    let file = open(around, scope, &target)?;
    let hooks = Hooks {
        who: CODEX,
        program: &around.program,
        events: &EVENTS,
    };
    let after = without(kept.as_ref(), &hooks, &file, false, |_| Ok(()))?;
    let root = |text: Option<&str>| Document::new(text_of(&target)?, text).read();
    let (old, new) = (root(file.text.as_deref())?, root(after.as_deref())?);
    plan.warnings.extend(oddities(CODEX, &new, &target));
    let made = made_for(kept.as_ref(), &file);
    plan.change(file, after.clone(), after, made);
    if scope == Scope::Managed {
        return Ok(plan);
    }
    let config = Config::open(around)?;
    let name = text_of(&target)?;
    moved(&old, &new, &config.document, name, &mut plan);
    let own: Vec<String> = places(CODEX, &old)
        .iter()
        .map(|place| trust::key(name, &place.event, place.group, place.handler))
        .collect();
    let is_written = own
        .iter()
        .any(|key| trust::of(&config.document, key) != trust::Trust::default());
    let Config { file, mut document } = config;
    let after = match exactly(kept.as_ref(), &file) {
        Some(known) => known.before,
        None if is_written => {
            own.iter().for_each(|key| trust::forget(&mut document, key));
            Some(document.to_string())
        }
        None => file.text.clone(),
    };
    let made = made_for(kept.as_ref(), &file);
    plan.change(file, after.clone(), after, made);
    Ok(plan)
}
