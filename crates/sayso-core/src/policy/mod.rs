//! A policy: layers of text, merged into the views that the judge looks through.

pub mod command_pattern;
pub mod decision;
mod dotted_keys;
pub mod example;
pub mod expression;
pub mod glob;
pub mod index;
pub mod lazy_rules;
pub mod mode;
mod name_index;
pub mod name_patterns;
pub mod pattern_error;
pub mod profile;
pub mod read;
mod read_rule;
mod read_sandbox;
mod read_settings;
pub mod rule;
pub mod safe_command;
pub mod schema;
mod seed_keys;
pub mod setting_words;
pub mod settings;
pub mod shape;
pub mod terms;
pub mod time;
mod tool_rules;

use std::collections::BTreeMap;

use crate::analysis::own_files::InstalledPath;
use crate::packed::{Packed, Packer, Unpacker, packed};
use crate::policy::mode::Mode;
use command_pattern::CommandReader;
use index::RuleSet;
use read::{Layer, Origin};
use rule::ShellRule;
use settings::{Resolved, Settings, Sourced};

/// The source of what a flag sets.
pub const COMMAND_LINE: &str = "command line";

/// Everything that judges an operation.
///
/// There is more than one view where somebody may only tighten: an untrusted project file, or an environment variable.
/// The verdict is the strictest over all views, so what such a source says can never loosen anything.
#[derive(Clone, Debug)]
pub struct Policy {
    views: Vec<View>,
    broken: Option<String>,
    missing_sandbox: Option<MissingSandbox>,
    installed: Vec<InstalledPath>,
}

/// What is refused because the policy requires an OS sandbox and this machine has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSandbox {
    /// Why, and what to do about it.
    pub why: String,
    /// Only tools that touch files or run commands (`refuse_tools`); otherwise every tool (`fail_fast`).
    pub only_files_and_commands: bool,
}

/// One way to look at the layers.
#[derive(Clone, Debug)]
pub struct View {
    /// What holds for every agent.
    pub general: Part,
    /// What holds for single agents, besides.
    pub agents: BTreeMap<String, Part>,
    /// The merged values with their sources, for people.
    pub settings: Settings,
    /// What the sections of single agents set, for people.
    pub sections: BTreeMap<String, Settings>,
}

/// Values and rules.
#[derive(Clone, Debug)]
pub struct Part {
    /// The values; for an agent, its own over the general ones.
    pub settings: Resolved,
    /// The rules; for an agent, only its own.
    pub rules: RuleSet,
    /// The ordered shell rules of each layer.
    pub shell: Vec<Vec<ShellRule>>,
}

/// What the command line and the environment add.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--mode`.
    pub mode: Option<Mode>,
    /// `SAYSO_MODE`, which can only tighten.
    pub environment_mode: Option<Mode>,
    /// `SAYSO_PROFILE`, which can only tighten.
    pub environment_profile: Option<String>,
    /// `--profile`.
    pub profile: Option<String>,
}

packed! { struct View { general, agents, settings, sections } }
packed! { struct Part { settings, rules, shell } }

/// Whether a sandbox is missing is known of this machine now, so it is not kept.
impl Packed for Policy {
    fn pack(&self, out: &mut Packer) {
        self.views.pack(out);
        self.broken.pack(out);
        self.installed.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let (views, broken, installed) = (
            Packed::unpack(from)?,
            Packed::unpack(from)?,
            Packed::unpack(from)?,
        );
        Some(Policy {
            views,
            broken,
            missing_sandbox: None,
            installed,
        })
    }
}

impl Policy {
    /// Merges layers. Their order does not matter; their origin does.
    pub fn assemble(
        mut layers: Vec<Layer>,
        overrides: &Overrides,
        reader: &dyn CommandReader,
    ) -> Policy {
        layers.sort_by(|one, other| {
            one.origin
                .cmp(&other.origin)
                .then_with(|| one.name.cmp(&other.name))
        });
        let trusted: Vec<&Layer> = layers
            .iter()
            .filter(|layer| layer.origin != Origin::UntrustedProject)
            .collect();
        let all: Vec<&Layer> = layers.iter().collect();
        let flags = (overrides.profile.as_deref(), overrides.mode);
        let mut views = vec![view(&trusted, flags, reader)];
        if trusted.len() != all.len() {
            views.push(view(&all, flags, reader));
        }
        if overrides.environment_mode.is_some() || overrides.environment_profile.is_some() {
            let profile = overrides
                .environment_profile
                .as_deref()
                .or(overrides.profile.as_deref());
            views.push(view(
                &trusted,
                (profile, overrides.environment_mode.or(overrides.mode)),
                reader,
            ));
        }
        Policy {
            views,
            broken: None,
            missing_sandbox: None,
            installed: Vec::new(),
        }
    }

    /// A policy that could not be read: it denies everything and says why.
    pub fn broken(why: impl Into<String>) -> Policy {
        Policy {
            views: Vec::new(),
            broken: Some(why.into()),
            missing_sandbox: None,
            installed: Vec::new(),
        }
    }

    /// Why everything is denied, if the policy could not be read.
    pub fn why_broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Says where sayso is installed: what counts as its own besides its folders.
    pub fn set_installed(&mut self, installed: Vec<InstalledPath>) {
        self.installed = installed;
    }

    /// Where sayso is installed.
    pub fn installed(&self) -> &[InstalledPath] {
        &self.installed
    }

    /// Refuses tools, since a required sandbox is missing.
    pub fn refuse_without_sandbox(&mut self, missing: MissingSandbox) {
        self.missing_sandbox = Some(missing);
    }

    /// What is refused because a required sandbox is missing.
    pub fn missing_sandbox(&self) -> Option<&MissingSandbox> {
        self.missing_sandbox.as_ref()
    }

    /// The views.
    pub fn views(&self) -> &[View] {
        &self.views
    }
}

fn view(
    layers: &[&Layer],
    (profile, mode): (Option<&str>, Option<Mode>),
    reader: &dyn CommandReader,
) -> View {
    let mut locked: Vec<String> = Vec::new();
    for layer in layers {
        locked.extend(layer.locked.iter().cloned());
    }
    // The profile is settled first, since it lies below everything.
    let mut chosen = Settings::default();
    for layer in layers {
        chosen.layer(
            &layer.settings,
            if layer.origin > Origin::Managed {
                &locked
            } else {
                &[]
            },
        );
    }
    let profile_is_locked = locked.iter().any(|key| key == "profile");
    let name = match profile {
        Some(name) if !profile_is_locked => name.to_owned(),
        _ => chosen
            .profile
            .map_or_else(|| "sayso".to_owned(), |sourced| sourced.value),
    };
    let base = profile::layer(&name, reader);
    let stack: Vec<&Layer> = std::iter::once(&base)
        .chain(layers.iter().copied())
        .collect();
    let mut settings = Settings::default();
    for layer in &stack {
        settings.layer(
            &layer.settings,
            if layer.origin > Origin::Managed {
                &locked
            } else {
                &[]
            },
        );
    }
    if !read::ENTER_MAY_APPROVE.contains(&name.as_str()) {
        settings.enter_approves = None;
    }
    settings.profile = Some(Sourced {
        value: name,
        source: settings
            .profile
            .map_or_else(|| "built-in".to_owned(), |sourced| sourced.source),
    });
    if let Some(mode) = mode.filter(|_| !locked.iter().any(|key| key == "mode")) {
        settings.mode = Some(Sourced {
            value: mode,
            source: COMMAND_LINE.to_owned(),
        });
    }
    let rules = stack
        .iter()
        .flat_map(|layer| layer.rules.iter().cloned())
        .collect();
    let shell = stack
        .iter()
        .map(|layer| layer.shell.clone())
        .filter(|list| !list.is_empty())
        .collect();
    let general = Part {
        settings: settings.resolve(),
        rules: RuleSet::new(rules),
        shell,
    };
    let mut names: Vec<&str> = stack
        .iter()
        .flat_map(|layer| layer.agents.iter().map(|(name, _)| name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let sections = names
        .iter()
        .map(|name| ((*name).to_owned(), section_settings(name, &stack, &locked)))
        .collect();
    let agents = names
        .into_iter()
        .map(|name| {
            (
                name.to_owned(),
                agent_part(name, &stack, &settings, mode, &locked),
            )
        })
        .collect();
    View {
        general,
        agents,
        settings,
        sections,
    }
}

/// What the sections for an agent set, over each other.
fn section_settings(name: &str, stack: &[&Layer], locked: &[String]) -> Settings {
    let mut settings = Settings::default();
    for layer in stack {
        for (_, section) in layer.agents.iter().filter(|(agent, _)| agent == name) {
            settings.layer(
                &section.settings,
                if layer.origin > Origin::Managed {
                    locked
                } else {
                    &[]
                },
            );
        }
    }
    settings
}

fn agent_part(
    name: &str,
    stack: &[&Layer],
    general: &Settings,
    mode: Option<Mode>,
    locked: &[String],
) -> Part {
    let mut settings = general.clone();
    let mut rules = Vec::new();
    let mut shell = Vec::new();
    for layer in stack {
        for (_, section) in layer.agents.iter().filter(|(agent, _)| agent == name) {
            settings.layer(
                &section.settings,
                if layer.origin > Origin::Managed {
                    locked
                } else {
                    &[]
                },
            );
            rules.extend(section.rules.iter().cloned());
            if !section.shell.is_empty() {
                shell.push(section.shell.clone());
            }
        }
    }
    // The command line stands above an agent's section.
    if mode.is_some() && !locked.iter().any(|key| key == "mode") {
        settings.mode = general.mode.clone();
    }
    Part {
        settings: settings.resolve(),
        rules: RuleSet::new(rules),
        shell,
    }
}
