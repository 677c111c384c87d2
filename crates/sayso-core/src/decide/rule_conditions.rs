//! Whether the conditions of a rule hold: `when`, uses, sizes, and whether the workspace is trusted.

use crate::analysis::effect::EffectKind;
use crate::analysis::fact::PathKind;
use crate::call::tool::{Kind, Role};
use crate::decide::judging::Lens;
use crate::policy::decision::Decision;
use crate::policy::glob::{Subject as PathSubject, wild};
use crate::policy::mode::Mode;
use crate::policy::rule::Rule;

/// Whether the conditions of a rule hold; see [`Lens::counts`].
pub(super) fn conditions_hold(lens: &Lens<'_>, rule: &Rule) -> bool {
    let when = &rule.when;
    let operation = lens.case.operation;
    let around = &lens.case.reading.surroundings;
    // What is not known: an allow rule does not count, an ask or deny rule does.
    let unknown = rule.decision != Decision::Allow;
    let agents = when.agents.is_empty() || when.agents.iter().any(|name| wild(name, lens.agent));
    let modes = when.modes.is_empty() || when.modes.contains(&lens.settings.mode);
    let workspace = PathSubject {
        path: &around.workspace,
        workspace: &around.workspace,
        home: around.home.as_deref(),
    };
    let workspaces =
        when.workspaces.is_empty() || when.workspaces.iter().any(|glob| glob.matches(workspace));
    let lines = when
        .max_lines
        .is_none_or(|most| changed_lines(lens).map_or(unknown, |lines| lines <= most));
    let files = when
        .max_files
        .is_none_or(|most| changed_files(lens).map_or(unknown, |files| files <= most));
    let until = when.until.is_none_or(|end| lens.case.now < end);
    let uses = when.uses.is_none_or(|most| {
        lens.case
            .uses
            .map_or(unknown, |uses| uses.count(&rule.id) < most)
    });
    let hints = operation.mcp().map(|identity| &identity.annotations);
    let annotations = when
        .annotations
        .iter()
        .all(|wanted| hints.map_or(unknown, |hints| hints.contains(wanted)));
    agents && modes && workspaces && lines && files && until && uses && annotations
}

fn changed_lines(lens: &Lens<'_>) -> Option<u64> {
    let replaces = lens
        .standings
        .iter()
        .flatten()
        .any(|standing| standing.fact.kind != PathKind::Missing);
    lens.case.operation.changed_lines(replaces)
}

fn changed_files(lens: &Lens<'_>) -> Option<u64> {
    let reading = lens.case.reading;
    let mut files: Vec<&str> = Vec::new();
    for (index, effect) in reading.effects.iter().enumerate() {
        let deep = effect.manner.recursive || effect.manner.moved_away;
        match effect.kind {
            EffectKind::Write | EffectKind::Delete if deep => return None,
            EffectKind::Write | EffectKind::Delete => {
                files.push(&lens.standing(index)?.fact.canonical)
            }
            EffectKind::Unknown => return None,
            EffectKind::Run if !effect.manner.known_program => return None,
            _ => {}
        }
    }
    files.sort_unstable();
    files.dedup();
    Some(files.len() as u64)
}

/// Whether a tool counts as trusted: by the exact name it was called with, never by a server's tool name, and not where everything asks.
pub(super) fn is_trusted(lens: &Lens<'_>) -> bool {
    let operation = lens.case.operation;
    if lens.settings.mode == Mode::ConfirmAll {
        return false;
    }
    match operation.kind() {
        Kind::Mcp => {
            let server = operation.text(Role::Server).unwrap_or_default();
            let plain = !server.is_empty()
                && server.chars().all(|c| c.is_ascii_graphic())
                && operation.mcp().is_none_or(|identity| !identity.changed);
            plain
                && (lens.settings.trust_mcp_servers
                    || lens
                        .settings
                        .trusted_mcp_servers
                        .iter()
                        .any(|name| name == server))
        }
        kind => lens.settings.trusted_tools.iter().any(|name| {
            name == operation.tool()
                || crate::call::tool::find(name).is_some_and(|row| row.kind == kind)
        }),
    }
}
