//! How risky and how dangerous the effects are.

use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{GitHelper, GitScope, ProgramFact, Surroundings};
use crate::analysis::risk::{Risk, Tier};
use crate::answer::cause::{Damage, Untrusted};
use crate::decide::judging::Lens;
use crate::paths::{below, of_the_system, raw_device, takeover, vital};
use crate::policy::command_pattern::Reach;

/// The worst risk of all effects.
pub(super) fn risk(lens: &Lens<'_>, tier: Tier) -> Risk {
    let reading = lens.case.reading;
    let mut worst = reading
        .effects
        .iter()
        .enumerate()
        .map(|(index, effect)| effect_risk(lens, index, effect))
        .max()
        .unwrap_or(Risk::Unknown);
    if reading.opaque.is_some() || !reading.unanswered.is_empty() {
        worst = Risk::Unknown;
    }
    if reading
        .searches
        .iter()
        .flatten()
        .any(|found| !found.secrets.is_empty() || !found.odd.is_empty() || found.incomplete)
    {
        worst = worst.max(Risk::High);
    }
    if tier > Tier::None {
        worst = worst.max(Risk::High);
    }
    if let Some(text) = lens.case.operation.command() {
        if lens
            .settings
            .high_risk
            .iter()
            .any(|pattern| pattern.is_match(text, Reach::Wide))
        {
            worst = worst.max(Risk::High);
        } else if lens
            .settings
            .medium_risk
            .iter()
            .any(|pattern| pattern.is_match(text, Reach::Wide))
        {
            worst = worst.max(Risk::Medium);
        }
    }
    worst
}

/// The risk of one effect.
pub(super) fn effect_risk(lens: &Lens<'_>, index: usize, effect: &Effect) -> Risk {
    match effect.kind {
        EffectKind::Read => match lens.standing(index) {
            Some(standing) if standing.sink => Risk::Low,
            Some(standing) if (standing.inside || standing.common) && standing.secret.is_none() => {
                Risk::Low
            }
            _ => Risk::High,
        },
        EffectKind::Write => match lens.standing(index) {
            Some(standing) if standing.sink => Risk::Low,
            Some(standing)
                if standing.inside
                    && (standing.protected.is_none() || effect.manner.repository) =>
            {
                Risk::Medium
            }
            _ => Risk::High,
        },
        EffectKind::Connect => match &effect.target {
            Target::Url(url) if !url.is_private() => Risk::Medium,
            // A remote or a registry that a command names: where plain commands count less, it does, too.
            Target::Host(_) if effect.part.is_some() => lens.settings.command_risk.min(Risk::High),
            _ => Risk::High,
        },
        EffectKind::Run => match &effect.target {
            Target::Command if effect.manner.known_program && program_is_trusted(lens, effect) => {
                Risk::Low
            }
            Target::Command => lens.settings.command_risk,
            // All that it does is in its other effects, as the person has said.
            Target::McpTool { .. } if effect.manner.known_program => hinted(lens, Risk::Low),
            _ => Risk::High,
        },
        EffectKind::Signal => Risk::Medium,
        EffectKind::Delete | EffectKind::Privilege | EffectKind::Environment => Risk::High,
        EffectKind::Unknown => match &effect.target {
            Target::McpTool { .. } => hinted(lens, lens.settings.mcp_risk),
            // What a fully read command of an unknown program does is weighed like its run.
            Target::Nothing if effect.part.is_some() => lens.settings.command_risk,
            _ => Risk::Unknown,
        },
    }
}

/// The risk of an MCP tool with what its server says of it: a hint can only lift it, since hints can lie.
fn hinted(lens: &Lens<'_>, risk: Risk) -> Risk {
    let hints = lens
        .case
        .operation
        .mcp()
        .map_or(&[][..], |identity| &identity.annotations);
    let destroys = hints
        .iter()
        .any(|(name, is)| name == "destructiveHint" && *is);
    if destroys { risk.max(Risk::High) } else { risk }
}

/// Whether a command's program is the one its name promises, and git would run nothing else.
pub(super) fn program_is_trusted(lens: &Lens<'_>, effect: &Effect) -> bool {
    untrusted_program(lens, effect).is_none()
}

/// Why a command's program is not the one its name promises.
pub(super) fn untrusted_program(lens: &Lens<'_>, effect: &Effect) -> Option<Untrusted> {
    let reading = lens.case.reading;
    let part = effect.part?;
    if let Some(file) = planted_program(lens, part).or_else(|| planted_wrapper(lens, part)) {
        return Some(Untrusted::Planted(file.to_owned()));
    }
    if let Some(file) = shim(lens, part) {
        return Some(Untrusted::StandIn(file.to_owned()));
    }
    if let Some(Some(git)) = reading.git.get(part) {
        // Settings of the person and of the system are theirs to choose; what stands in the repository may come from anywhere.
        let foreign = |helper: &&GitHelper| helper.on_read && helper.scope == GitScope::Repository;
        if let Some(helper) = git.helpers.iter().find(foreign) {
            return Some(Untrusted::Git(helper.clone()));
        }
        if git.incomplete {
            return Some(Untrusted::GitUnknown);
        }
    }
    None
}

/// The file of a command's program, if an agent could have put it there.
pub(super) fn planted_program<'a>(lens: &Lens<'a>, part: usize) -> Option<&'a str> {
    planted(lens.case.reading.programs.get(part)?.as_ref()?)
}

/// The same for the programs of its wrappers, and for those it starts by itself: a planted `nice` runs whatever it likes.
pub(super) fn planted_wrapper<'a>(lens: &Lens<'a>, part: usize) -> Option<&'a str> {
    lens.case
        .reading
        .wrapper_programs
        .get(part)?
        .iter()
        .find_map(planted)
}

/// The file of a command's program, if it only stands in for another one that settings of the project choose.
fn shim<'a>(lens: &Lens<'a>, part: usize) -> Option<&'a str> {
    const MANAGERS: [&str; 6] = [
        "mise",
        "rtx",
        "asdf",
        "volta-shim",
        "proto-shim",
        "aqua-proxy",
    ];
    let file = lens
        .case
        .reading
        .programs
        .get(part)?
        .as_ref()?
        .file
        .as_deref()?;
    let name = file.rsplit('/').next().unwrap_or(file);
    let chosen = [
        "/shims/",
        "/.tfenv/",
        "/.tofuenv/",
        "/.tenv/",
        "/.elan/",
        "/corepack/",
    ];
    (chosen.iter().any(|folder| file.contains(folder)) || MANAGERS.contains(&name)).then_some(file)
}

fn planted(program: &ProgramFact) -> Option<&str> {
    let file = program.file.as_deref().unwrap_or_default();
    let shared = ["/tmp", "/var/tmp", "/dev/shm", "/run/user"]
        .iter()
        .any(|folder| below(file, folder));
    (program.inside_workspace || shared).then_some(file)
}

/// The worst danger of the text and of the effects.
pub(super) fn tier(lens: &Lens<'_>) -> Tier {
    tiers(lens).max().unwrap_or(Tier::None)
}

/// Whether something in it is dangerous and no catastrophe, whatever else is one.
pub(super) fn has_dangerous_part(lens: &Lens<'_>) -> bool {
    tiers(lens).any(|tier| tier == Tier::Dangerous)
}

fn tiers<'a>(lens: &'a Lens<'_>) -> impl Iterator<Item = Tier> + 'a {
    let reading = lens.case.reading;
    let seen = reading.dangers.iter().map(|danger| danger.tier);
    let effects = reading.effects.iter().enumerate().map(|(index, effect)| {
        effect_tier(lens, index, effect).map_or(Tier::None, |(tier, _)| tier)
    });
    seen.chain(effects)
}

/// The danger of one effect, with what makes it one.
pub(super) fn effect_tier(
    lens: &Lens<'_>,
    index: usize,
    effect: &Effect,
) -> Option<(Tier, Damage)> {
    let standing = lens.standing(index)?;
    let path = standing.fact.canonical.as_str();
    let around = &lens.case.reading.surroundings;
    let takes_away =
        effect.kind == EffectKind::Delete && effect.manner.recursive || effect.manner.moved_away;
    let certain = effect.certain;
    let own = || path.to_owned();
    let is_vital = takes_away && is_vital(path, around);
    if effect.kind == EffectKind::Write && raw_device(path) && !(is_vital && certain) {
        return Some((Tier::Catastrophic, Damage::RawDevice { path: own() }));
    }
    if is_vital {
        let tier = if certain {
            Tier::Catastrophic
        } else {
            Tier::Dangerous
        };
        let damage = Damage::TakesVital {
            path: own(),
            certain,
        };
        return Some((tier, damage));
    }
    if takes_away && (below(&around.workspace, path) || path.ends_with("/.git")) {
        let damage = Damage::TakesWork {
            path: own(),
            certain,
        };
        return Some((Tier::Dangerous, damage));
    }
    if effect.kind == EffectKind::Delete && effect.manner.recursive && !effect.manner.absent {
        let damage = Damage::Deletes {
            path: own(),
            certain,
        };
        return Some((Tier::Dangerous, damage));
    }
    let changes = matches!(effect.kind, EffectKind::Write | EffectKind::Delete)
        && !effect.manner.repository
        && !standing.sink;
    let why = takeover(path, &around.workspace, around.home.as_deref()).filter(|_| changes)?;
    let damage = Damage::Takeover {
        path: own(),
        delete: effect.kind == EffectKind::Delete,
        why,
    };
    Some((Tier::Dangerous, damage))
}

/// The root, a folder of the system, everything above a home, and anybody's home.
fn is_vital(path: &str, around: &Surroundings) -> bool {
    let above_home = around.home.as_deref().is_some_and(|home| below(home, path));
    vital(path) || above_home || of_the_system(path) && !below(path, &around.workspace)
}
