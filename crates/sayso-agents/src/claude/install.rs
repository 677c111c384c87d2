//! Claude Code: where its settings are, which events start the hook, and what would keep it from firing.
//!
//! Tried with version 2.1.325: settings with a comment or a comma too many are left aside without a word, so nothing is put into such a file;
//! `disableAllHooks` in a project's own settings switches off every hook but those of an administrator; and the same hook in two files is
//! started once, but hooks of two different saysos are both started.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};
use sayso_gate::error::port_error;

use super::{BLOCKS_SINCE, CLAUDE};
use crate::install::error::Unproved;
use crate::install::grouped_hooks::{Event, Hooks, LONG, SHORT, handler, places, started};
use crate::install::install_record::{Kept, KeptFile};
use crate::install::json_edits::Document;
use crate::install::settings_file::{Foreign, check_above, shown};
use crate::install::switches::{Switches, is_on};
use crate::install::{
    Around, InstallError, Installer, Plan, Wish, made_for, oddities, open, text_of, without,
};
use crate::probe::proof::Proof;
use crate::program;
use crate::which::{Scope, Which};

/// The events that start the hook. Every one of them that sayso has something to say to or to write down; each costs a process.
pub const EVENTS: [Event; 8] = [
    Event {
        name: "PreToolUse",
        seconds: LONG,
        blocks: true,
        status: Some(STATUS),
    },
    Event {
        name: "PermissionRequest",
        seconds: LONG,
        blocks: true,
        status: None,
    },
    Event {
        name: "PostToolUse",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    Event {
        name: "PostToolUseFailure",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    Event {
        name: "SessionStart",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    // A question that nobody said yes to has its end with these.
    Event {
        name: "UserPromptSubmit",
        seconds: LONG,
        blocks: false,
        status: None,
    },
    Event {
        name: "Stop",
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

/// What Claude Code shows while the hook has not answered.
const STATUS: &str =
    "sayso is judging; if this takes long, it asks you in `sayso watch` or on its page";
/// A proof does not count for longer, in seconds.
const PROVED_FOR: i64 = 7 * 24 * 3600;
/// The file of our own among an administrator's.
const DROP_IN: &str = "managed-settings.d/50-sayso.json";
/// What lets Claude Code run everything that no hook stops.
const MODE: [&str; 2] = ["permissions", "defaultMode"];
const ALL: &str = "bypassPermissions";

/// How the hook of Claude Code comes into its settings.
#[derive(Debug)]
pub struct Own;

impl Installer for Own {
    fn who(&self) -> Which {
        CLAUDE
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
        places(CLAUDE, &root)
            .iter()
            .filter_map(|place| started(CLAUDE, handler(&root, place)?))
            .collect()
    }

    fn files(&self, around: &Around) -> Vec<(PathBuf, Scope)> {
        let own = own_folder(around)
            .ok()
            .map(|folder| (folder.join("settings.json"), Scope::User));
        let project = [".claude/settings.json", ".claude/settings.local.json"]
            .map(|name| (around.folder.join(name), Scope::Project));
        managed_files(around)
            .into_iter()
            .map(|file| (file, Scope::Managed))
            .chain(own)
            .chain(project)
            .collect()
    }

    fn switches(&self) -> &Switches {
        &SWITCHES
    }
}

static SWITCHES: Switches = Switches {
    // `disableAllHooks`.
    names: &[".claude/settings.json", ".claude/settings.local.json"],
    beside: &["settings.local.json"],
    managed: &["claude-code"],
};

/// The file that the hook stands in.
///
/// # Errors
/// When nobody knows where that is.
fn target(around: &Around, scope: Scope) -> Result<PathBuf, InstallError> {
    Ok(match scope {
        Scope::User => own_folder(around)?.join("settings.json"),
        // A path on this machine is nothing to share with others who work on the project.
        Scope::Project => around.folder.join(".claude/settings.local.json"),
        Scope::Managed => managed_folder(around).join(DROP_IN),
    })
}

fn own_folder(around: &Around) -> Result<PathBuf, InstallError> {
    let set = around
        .claude
        .clone()
        .or_else(|| around.home.as_ref().map(|home| home.join(".claude")));
    set.ok_or(InstallError::NoSettingsFolder("CLAUDE_CONFIG_DIR"))
}

fn managed_folder(around: &Around) -> PathBuf {
    match cfg!(target_os = "macos") && around.etc == Path::new("/etc") {
        true => PathBuf::from("/Library/Application Support/ClaudeCode"),
        false => around.etc.join("claude-code"),
    }
}

/// An administrator's settings that are there, in the order that they are read.
fn managed_files(around: &Around) -> Vec<PathBuf> {
    let folder = managed_folder(around);
    let names = fs::read_dir(folder.join("managed-settings.d")).map(|entries| {
        entries
            .flatten()
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    });
    let is_read = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".json") && !name.starts_with('.')
    };
    let mut more: Vec<PathBuf> = names
        .unwrap_or_default()
        .into_iter()
        .filter(is_read)
        .collect();
    more.sort();
    std::iter::once(folder.join("managed-settings.json"))
        .chain(more)
        .collect()
}

/// The settings in a file as Claude Code would take them; one that it cannot read counts for nothing with it.
fn settings(path: &Path) -> Option<Node> {
    json::read(&Foreign::glance(path)?, &Limits::default()).ok()
}

/// What has to be done to install the hook.
///
/// # Errors
/// Why it cannot be done.
fn install(around: &Around, wish: Wish) -> Result<Plan, InstallError> {
    if wish.trust {
        return Err(InstallError::NothingToTrust(CLAUDE));
    }
    let scope = wish.scope;
    let target = target(around, scope)?;
    let mut plan = Plan::of(&target);
    let kept = Kept::read(&around.state, CLAUDE, scope, &target)?;
    let file = open(around, scope, &target)?;
    let hooks = Hooks {
        who: CLAUDE,
        program: &around.program,
        events: &EVENTS,
    };
    let mut document = Document::new(text_of(&target)?, file.text.as_deref());
    plan.warnings
        .extend(oddities(CLAUDE, &document.read()?, &target));
    switched_off(around, scope, &target, &document, &mut plan)?;
    let elsewhere = elsewhere(around, &target);
    let base = base(kept.as_ref(), &hooks, &file)?;
    match elsewhere
        .iter()
        .find(|(other, _)| *other == Scope::Managed || scope != Scope::Managed)
    {
        Some((_, path)) => {
            plan.notes.push(format!(
                "the hook stands in {} already, and one is enough",
                shown(path)
            ));
            if !places(CLAUDE, &document.read()?).is_empty() {
                plan.warnings.push(format!(
                    "it stands in {}, too, and where that is another sayso both are asked: run `sayso uninstall claude --{}`",
                    shown(&target),
                    scope.word()
                ));
            }
        }
        None => hooks.put_in(&mut document)?,
    }
    for (_, path) in elsewhere
        .iter()
        .filter(|(other, _)| scope == Scope::Managed && *other != Scope::Managed)
    {
        plan.warnings.push(format!(
            "the hook stands in {}, too, and where that is another sayso both are asked: run `sayso uninstall claude`",
            shown(path)
        ));
    }
    let mut taken = kept.as_ref().and_then(|kept| kept.takeover.clone());
    let found_version =
        program::find(CLAUDE, &around.path).and_then(|program| program::version(&program).ok());
    if wish.takeover {
        let before = take_over(
            around,
            scope,
            found_version.as_deref(),
            &mut document,
            &mut plan,
        )?;
        taken = taken.or(Some(before));
    }
    plan.warnings.extend(of_version(found_version.as_deref()));
    let is_new = document.text != Document::new("", file.text.as_deref()).text;
    let (made, after) = (
        made_for(kept.as_ref(), &file),
        if is_new {
            Some(document.text)
        } else {
            file.text.clone()
        },
    );
    plan.change(file, after, base, made);
    plan.kept = Some(Kept {
        files: plan.edits.iter().filter_map(KeptFile::of).collect(),
        takeover: taken,
    });
    if scope != Scope::Managed && !elsewhere.iter().any(|(other, _)| *other == Scope::Managed) {
        let words = "a project can switch this hook off by `disableAllHooks` in its own settings; one of `--managed` cannot be switched off";
        plan.notes.push(words.to_owned());
    }
    Ok(plan)
}

/// The text without sayso, and with the agent's own approvals as they were.
fn base(
    kept: Option<&Kept>,
    hooks: &Hooks<'_>,
    file: &Foreign,
) -> Result<Option<String>, InstallError> {
    without(
        kept,
        hooks,
        file,
        file.path.ends_with(DROP_IN),
        |document| match kept.and_then(|kept| kept.takeover.as_ref()) {
            Some(before) => give_back(document, before.as_deref()),
            None => Ok(()),
        },
    )
}

/// Refuses where the hook would not fire, and warns where it would not in this project.
fn switched_off(
    around: &Around,
    scope: Scope,
    target: &Path,
    document: &Document,
    plan: &mut Plan,
) -> Result<(), InstallError> {
    let off = |path: &Path| InstallError::HooksDisabled(path.to_owned());
    if is_on(&document.read()?, "disableAllHooks") {
        return Err(off(target));
    }
    for path in managed_files(around) {
        let Some(found) = settings(&path) else {
            continue;
        };
        if is_on(&found, "disableAllHooks") {
            return Err(off(&path));
        }
        if scope != Scope::Managed && is_on(&found, "allowManagedHooksOnly") {
            return Err(InstallError::OnlyManagedHooks {
                key: "allowManagedHooksOnly",
                path,
                who: CLAUDE,
                verb: "fire",
            });
        }
    }
    if scope == Scope::Managed {
        return Ok(());
    }
    let others = [
        own_folder(around)?.join("settings.json"),
        around.folder.join(".claude/settings.json"),
    ];
    let others = others
        .into_iter()
        .chain([around.folder.join(".claude/settings.local.json")]);
    for path in others.filter(|path| {
        path != target && settings(path).is_some_and(|found| is_on(&found, "disableAllHooks"))
    }) {
        plan.warnings.push(format!(
            "`disableAllHooks` is set in {}, so the hook does not fire where that counts",
            shown(&path)
        ));
    }
    Ok(())
}

/// Other settings that have the hook already.
fn elsewhere(around: &Around, target: &Path) -> Vec<(Scope, PathBuf)> {
    let mut all: Vec<(Scope, PathBuf)> = managed_files(around)
        .into_iter()
        .map(|path| (Scope::Managed, path))
        .collect();
    all.extend(
        own_folder(around)
            .ok()
            .map(|folder| (Scope::User, folder.join("settings.json"))),
    );
    all.extend(
        [".claude/settings.json", ".claude/settings.local.json"]
            .map(|name| (Scope::Project, around.folder.join(name))),
    );
    let fires = |path: &Path| {
        settings(path).is_some_and(|found| {
            places(CLAUDE, &found)
                .iter()
                .any(|place| place.event == "PreToolUse")
        })
    };
    // The hook of one project does not make that of all projects needless.
    all.retain(|(scope, path)| {
        path != target
            && fires(path)
            && (*scope != Scope::Project || target.starts_with(&around.folder))
    });
    all
}

fn of_version(found: Option<&str>) -> Option<String> {
    let since = BLOCKS_SINCE.map(|number| number.to_string()).join(".");
    match found {
        Some(version) if CLAUDE.blocks_since(version) => None,
        Some(version) => Some(format!(
            "Claude Code {version} runs the tool where sayso is killed or cannot be started; from {since} on it does not: update it"
        )),
        None => Some(format!(
            "Claude Code was not found; before {since} it runs the tool where sayso is killed or cannot be started"
        )),
    }
}

/// Whether it is proved of these settings that their hook fires, and that nothing runs where it breaks.
fn proved(around: &Around, version: Option<&str>, settings: &str) -> Result<(), Unproved> {
    let version = version.ok_or(Unproved::NotFound(CLAUDE))?;
    let proof = Proof::read(&around.state, CLAUDE.name())
        .map_err(|error| Unproved::Unreadable(port_error(error)))?
        .ok_or(Unproved::NeverTried)?;
    let age = around.now.saturating_sub(proof.at);
    Err(match () {
        () if proof.version != version => Unproved::OtherVersion,
        () if proof.sayso != around.program => Unproved::OtherSayso,
        () if proof.settings != settings => Unproved::OtherSettings,
        () if !(0..=PROVED_FOR).contains(&age) => Unproved::TooOld,
        () if !proof.fires => Unproved::Silent,
        () if !proof.fails_closed => Unproved::Open,
        () => return Ok(()),
    })
}

/// Switches the agent's own approvals off; gives what stood there.
fn take_over(
    around: &Around,
    scope: Scope,
    version: Option<&str>,
    document: &mut Document,
    plan: &mut Plan,
) -> Result<Option<String>, InstallError> {
    if scope != Scope::User {
        return Err(InstallError::TakeoverScope);
    }
    // Any project could switch off a hook of the person's own, and then nothing at all would be asked.
    let managed = managed_files(around)
        .into_iter()
        .find(|path| is_sound(around, path));
    let Some(managed) = managed else {
        return Err(InstallError::NoManagedHook(CLAUDE));
    };
    let text = Foreign::glance(&managed).unwrap_or_default();
    let settings = Digest::of_bytes(text.as_bytes()).to_string();
    proved(around, version, &settings).map_err(InstallError::Unproved)?;
    let root = document.read()?;
    let before = MODE
        .iter()
        .try_fold(&root, |node, key| node.get(key))
        .map(json::write);
    document.set(&MODE, Node::text(ALL))?;
    plan.warnings.push("Claude Code will not ask by itself any more: what sayso allows runs, and sayso alone denies and asks".to_owned());
    Ok(before)
}

/// Whether an administrator's file has the hook of this sayso, which blocks when it fails and which only the system can change.
fn is_sound(around: &Around, path: &Path) -> bool {
    let by_system = |found: fs::Metadata| {
        found.uid() == fs::metadata(&around.etc).map_or(0, |etc| etc.uid())
            && found.mode() & 0o022 == 0
    };
    let Some(root) = settings(path)
        .filter(|_| fs::metadata(path).is_ok_and(by_system) && check_above(path).is_ok())
    else {
        return false;
    };
    let blocks = |node: &Node| node.get("onFailure").and_then(Node::as_text) == Some("block");
    let is_this = |node: &Node| {
        started(CLAUDE, node).is_some_and(|program| Path::new(&program) == around.program)
            && blocks(node)
    };
    places(CLAUDE, &root)
        .iter()
        .any(|place| place.event == "PreToolUse" && handler(&root, place).is_some_and(is_this))
}

/// Puts back what stood there before the agent's own approvals were switched off, unless somebody has changed it since.
fn give_back(document: &mut Document, before: Option<&str>) -> Result<(), InstallError> {
    let root = document.read()?;
    if MODE
        .iter()
        .try_fold(&root, |node, key| node.get(key))
        .and_then(Node::as_text)
        != Some(ALL)
    {
        return Ok(());
    }
    if let Some(before) = before.and_then(|text| json::read(text, &Limits::default()).ok()) {
        return document.set(&MODE, before);
    }
    let Some(permissions) = root.get("permissions") else {
        return Ok(());
    };
    let key = |map: &Node, key: &str| map.entries().iter().position(|entry| entry.key == key);
    let (parent, index) = match permissions.entries().len() {
        1 => (&root, key(&root, "permissions")),
        _ => (permissions, key(permissions, "defaultMode")),
    };
    if let Some(index) = index {
        document.remove(parent, index);
    }
    Ok(())
}

/// What has to be done to take the hook out.
///
/// # Errors
/// Why it cannot be done.
fn uninstall(around: &Around, scope: Scope) -> Result<Plan, InstallError> {
    let target = target(around, scope)?;
    let mut plan = Plan::of(&target);
    let kept = Kept::read(&around.state, CLAUDE, scope, &target)?;
    let file = open(around, scope, &target)?;
    let hooks = Hooks {
        who: CLAUDE,
        program: &around.program,
        events: &EVENTS,
    };
    let after = base(kept.as_ref(), &hooks, &file)?;
    let left = after
        .as_deref()
        .map(|text| Document::new(text_of(&target)?, Some(text)).read())
        .transpose()?;
    if let Some(root) = &left {
        plan.warnings.extend(oddities(CLAUDE, root, &target));
        if MODE
            .iter()
            .try_fold(root, |node, key| node.get(key))
            .and_then(Node::as_text)
            == Some(ALL)
        {
            let words = format!(
                "`permissions.defaultMode` is `{ALL}` in {}: without the hook everything runs unasked",
                shown(&target)
            );
            plan.warnings.push(words);
        }
    }
    if scope == Scope::Managed && file.text != after {
        let words = "whoever said `--takeover` has to run `sayso uninstall claude` first: without this hook everything runs unasked there";
        plan.warnings.push(words.to_owned());
    }
    let made = made_for(kept.as_ref(), &file);
    plan.change(file, after.clone(), after, made);
    Ok(plan)
}
