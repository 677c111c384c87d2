//! Which rules match what: deny and ask over-approximated, allow under-approximated.

use crate::analysis::draft::Command;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::PathKind;
use crate::answer::cause::Cause;
use crate::answer::rule_id::{Check, RuleId};
use crate::answer::verdict::Reason;
use crate::call::tool::{Kind, Role};
use crate::decide::judging::{Lens, of_rule, reason};
use crate::decide::possible_paths;
use crate::decide::shell_rules::{opinion, shell_opinion};
use crate::paths;
use crate::policy::command_pattern::{CommandPattern, Reach};
use crate::policy::decision::Decision;
use crate::policy::glob::{PathGlob, Subject as PathSubject, wild};
use crate::policy::index::{PathRules, RuleSet};
use crate::policy::rule::{Matcher, Rule, Subject};

/// Reasons of deny rules and of ordered shell rules that block.
pub(super) fn deny_reasons(lens: &Lens<'_>, out: &mut Vec<Reason>) {
    wide(lens, Decision::Deny, out);
    for (index, command) in lens.case.reading.commands.iter().enumerate() {
        if let Some((Decision::Deny, reason)) = shell_opinion(lens, index, command) {
            out.push(reason);
        }
    }
    // Text that could not be read may hold a blocked command anywhere.
    if let Some(opaque) = &lens.case.reading.opaque {
        for rule in lens
            .shell
            .iter()
            .copied()
            .flatten()
            .filter(|rule| !rule.allowed)
        {
            // Not from every word of a row: what is long would cost the square, and every program in it has a row of its own.
            if opaque
                .seen
                .iter()
                .any(|words| rule.pattern.matches_seen_as_is(words))
            {
                out.push(opinion(rule).1);
            }
        }
        if lens
            .settings
            .shell_default
            .is_some_and(|default| !default.allowed)
        {
            let cause = Cause::ShellDefault(Decision::Deny);
            out.push(reason(Decision::Deny, Check::ShellDefault, cause));
        }
    }
}

/// Reasons of ask rules and of risk patterns. No grant silences them.
pub(super) fn ask_reasons(lens: &Lens<'_>) -> Vec<Reason> {
    let mut out = Vec::new();
    wide(lens, Decision::Ask, &mut out);
    if let Some(text) = lens.case.operation.command() {
        for pattern in lens
            .settings
            .high_risk
            .iter()
            .filter(|pattern| pattern.is_match(text, Reach::Wide))
        {
            let cause = Cause::HighRiskPattern(pattern.written.clone());
            out.push(reason(Decision::Ask, Check::HighRiskPattern, cause));
        }
    }
    for reason in &mut out {
        reason.must_ask = true;
    }
    out
}

/// So many denied paths below a folder that is read are named; of more, a person learns nothing new.
const MOST_ABOVE: usize = 8;

/// Deny or ask rules that match anything the operation does, may do, or seems to do.
fn wide(lens: &Lens<'_>, decision: Decision, out: &mut Vec<Reason>) {
    for (index, effect) in lens.case.reading.effects.iter().enumerate() {
        let mut above = 0usize;
        for (_, candidates) in lens.candidates(index) {
            for &rule in candidates {
                if rule.decision == decision
                    && lens.counts(rule)
                    && matches_rule(lens, rule, index, effect)
                {
                    out.push(Reason {
                        at: effect.at,
                        ..rule_reason(rule, decision)
                    });
                } else if rule.decision == Decision::Deny
                    && decision == Decision::Ask
                    && lens.counts(rule)
                    && reads_above(lens, rule, index, effect)
                {
                    above += 1;
                    if above <= MOST_ABOVE {
                        let pattern = rule.matcher.in_words();
                        out.push(of_rule(
                            Decision::Ask,
                            rule_id(rule),
                            Cause::ReadsDenied { pattern },
                        ));
                    }
                }
            }
        }
        if let Some(more) = above.checked_sub(MOST_ABOVE).filter(|more| *more > 0) {
            let cause = Cause::MoreReadsDenied { rules: more };
            out.push(reason(Decision::Ask, Check::ReadsDenied, cause));
        }
    }
    possible_paths::reasons(lens, decision, out);
    for set in lens.rule_sets() {
        for rule in set
            .tools()
            .filter(|rule| rule.decision == decision && lens.counts(rule))
        {
            if tool_matches(lens, &rule.matcher, Reach::Wide) && !tool_excepted(lens, rule) {
                out.push(rule_reason(rule, decision));
            }
        }
        if let Some(opaque) = &lens.case.reading.opaque {
            let text = lens.case.operation.command().unwrap_or_default();
            let words = opaque.seen.iter().flatten().map(String::as_str);
            for rule in set
                .commands_seen(words)
                .filter(|rule| rule.decision == decision && lens.counts(rule))
            {
                let seen = match &rule.matcher.subject {
                    // The shell crate already gives the words in every form it knows.
                    Subject::Command(patterns) => patterns.iter().any(|pattern| {
                        opaque
                            .seen
                            .iter()
                            .any(|words| pattern.matches_seen_as_is(words))
                    }),
                    Subject::CommandRegex(expression) => {
                        let hits = |text: &str| expression.is_match(text, Reach::Wide);
                        hits(text) || opaque.seen.iter().any(|words| hits(&words.join(" ")))
                    }
                    Subject::Anything => true,
                    _ => false,
                };
                if seen {
                    out.push(rule_reason(rule, decision));
                }
            }
        }
    }
}

/// The rules of a set that could be about an effect; [`Lens::candidates`] keeps them.
pub(super) fn candidates<'a>(
    lens: &Lens<'a>,
    set: &'a RuleSet,
    index: usize,
    effect: &'a Effect,
) -> Vec<&'a Rule> {
    let mut out = Vec::new();
    if let Some(standing) = lens.standing(index) {
        let path = standing.fact.canonical.as_str();
        let workspace = lens.case.reading.surroundings.workspace.as_str();
        // A link makes two first components, and where case does not count there may be many; then all rules are looked at.
        let plain = standing.fact.links.is_empty()
            && standing.written == path
            && !standing.fact.case_insensitive;
        let down = effect.manner.recursive || effect.manner.moved_away;
        let first = match paths::relative(path, workspace) {
            _ if !plain => None,
            // What goes down from the workspace, or from above it, can reach what any rule names.
            Some("") if down => None,
            None if down && paths::below(workspace, path) => None,
            // Below a first component, only rules that start with it or anywhere can match, however deep the effect goes.
            Some(rest) => rest.split('/').next(),
            // Outside, no rule that starts in the workspace matches; none of them starts with nothing.
            None => Some(""),
        };
        let kinds: &[PathRules] = match effect.kind {
            EffectKind::Read => &[PathRules::Read],
            EffectKind::Write if effect.manner.moved_away => &[PathRules::Write, PathRules::Delete],
            EffectKind::Write => &[PathRules::Write],
            EffectKind::Delete => &[PathRules::Delete, PathRules::Write],
            _ => &[],
        };
        if effect.kind == EffectKind::Read
            && path == workspace
            && standing.fact.links.is_empty()
            && !standing.fact.case_insensitive
        {
            out.extend(set.reads_of_everything());
        } else {
            for kind in kinds {
                out.extend(set.paths(*kind, first));
            }
        }
    }
    if let Some(command) = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part))
    {
        let forms = [&command.words, &command.normal]
            .into_iter()
            .chain(&command.stages);
        out.extend(set.commands(forms.filter_map(|words| Some(words.first()?.as_str()))));
    }
    match &effect.target {
        Target::Url(_) | Target::Host(_) => out.extend(set.fetches()),
        Target::McpTool { .. } => out.extend(set.mcp()),
        Target::Agent(_) => out.extend(set.delegates()),
        _ => {}
    }
    if effect.manner.argument {
        out.extend(set.mcp());
    }
    out
}

pub(super) fn matches_rule(lens: &Lens<'_>, rule: &Rule, index: usize, effect: &Effect) -> bool {
    let (reach, exception) = match rule.decision {
        Decision::Allow => (Reach::Narrow, Reach::Wide),
        _ => (Reach::Wide, Reach::Narrow),
    };
    matcher_hits(lens, &rule.matcher, index, effect, reach)
        && !rule
            .except
            .as_ref()
            .is_some_and(|except| matcher_hits(lens, except, index, effect, exception))
}

fn matcher_hits(
    lens: &Lens<'_>,
    matcher: &Matcher,
    index: usize,
    effect: &Effect,
    reach: Reach,
) -> bool {
    let operation = lens.case.operation;
    match &matcher.subject {
        Subject::Command(patterns) => {
            let Some(command) = effect
                .part
                .and_then(|part| lens.case.reading.commands.get(part))
            else {
                return false;
            };
            let fits = reach == Reach::Wide
                || command.literal
                    && !effect.manner.redirect
                    && runs_where_it_says(lens, effect.part, command, patterns);
            fits && patterns
                .iter()
                .any(|pattern| pattern.matches(command, reach))
        }
        Subject::CommandRegex(expression) => {
            let Some(command) = effect
                .part
                .and_then(|part| lens.case.reading.commands.get(part))
            else {
                return false;
            };
            let hits = |words: &Vec<String>| expression.is_match(&words.join(" "), reach);
            hits(&command.words)
                || hits(&command.normal)
                || reach == Reach::Wide && command.stages.iter().any(hits)
        }
        Subject::Read(globs) => {
            effect.kind == EffectKind::Read && path_hits(lens, globs, index, effect, reach)
        }
        Subject::Write(globs) => {
            // Who may not write a file may not take it away either.
            let kind = effect.kind == EffectKind::Write
                || reach == Reach::Wide && effect.kind == EffectKind::Delete;
            kind && path_hits(lens, globs, index, effect, reach)
        }
        Subject::Delete(globs) => {
            let kind = effect.kind == EffectKind::Delete
                || reach == Reach::Wide && effect.manner.moved_away;
            kind && path_hits(lens, globs, index, effect, reach)
        }
        Subject::Fetch(patterns) => match &effect.target {
            Target::Url(url) => patterns.iter().any(|pattern| pattern.matches(url, reach)),
            Target::Host(written) => {
                reach == Reach::Wide && patterns.iter().any(|pattern| pattern.may_match(written))
            }
            _ => false,
        },
        Subject::Mcp(patterns) => match &effect.target {
            Target::McpTool { server, tool } => patterns
                .iter()
                .any(|pattern| pattern.matches(server, tool, reach)),
            // What its arguments say it does is done by the tool.
            _ if effect.manner.argument => {
                let (server, tool) = (
                    operation.text(Role::Server),
                    operation.text(Role::ServerTool),
                );
                let (server, tool) = (server.unwrap_or_default(), tool.unwrap_or_default());
                patterns
                    .iter()
                    .any(|pattern| pattern.matches(server, tool, reach))
            }
            _ => false,
        },
        Subject::Delegate(names) => match &effect.target {
            Target::Agent(agent) => names.iter().any(|name| wild(name, agent)),
            _ => false,
        },
        Subject::Tool(_) => tool_matches(lens, matcher, reach),
        Subject::Anything => reach == Reach::Wide,
    }
}

/// Behind a `cd`, a word with a slash is another file than the rule names, and git works on another repository, as it does with `-C`.
pub(super) fn runs_where_it_says(
    lens: &Lens<'_>,
    part: Option<usize>,
    command: &Command,
    patterns: &[CommandPattern],
) -> bool {
    let options = command
        .words
        .iter()
        .skip(1)
        .take_while(|word| word.starts_with('-'));
    let goes = command.words.first().is_some_and(|name| name == "git")
        && options.into_iter().any(|word| word == "-C");
    if command.stays() && !goes {
        return true;
    }
    let repository = part
        .and_then(|part| lens.case.reading.git.get(part))
        .and_then(Option::as_ref);
    let elsewhere = repository.is_some_and(|fact| {
        fact.root.as_deref() != Some(lens.case.reading.surroundings.workspace.as_str())
    });
    let by_path = command.words.first().is_some_and(|word| word.contains('/'))
        || patterns.iter().any(|pattern| pattern.written.contains('/'));
    !elsewhere && (!by_path || command.stays())
}

pub(super) fn path_hits(
    lens: &Lens<'_>,
    globs: &[PathGlob],
    index: usize,
    effect: &Effect,
    reach: Reach,
) -> bool {
    let Some(standing) = lens.standing(index) else {
        return false;
    };
    let around = &lens.case.reading.surroundings;
    fn subject<'a>(
        path: &'a str,
        around: &'a crate::analysis::fact::Surroundings,
    ) -> PathSubject<'a> {
        PathSubject {
            path,
            workspace: &around.workspace,
            home: around.home.as_deref(),
        }
    }
    let canonical = subject(&standing.fact.canonical, around);
    if reach == Reach::Narrow {
        return globs.iter().any(|glob| {
            if effect.manner.recursive && standing.fact.kind != PathKind::File {
                glob.covers_below(canonical)
            } else {
                glob.matches(canonical)
            }
        });
    }
    let down =
        (effect.manner.recursive || effect.manner.moved_away) && effect.kind != EffectKind::Read;
    let hit = |glob: &PathGlob, path: &str| {
        glob.matches(subject(path, around)) || down && glob.reaches_below(subject(path, around))
    };
    let respelled = standing.written != standing.fact.canonical;
    globs.iter().any(|glob| {
        hit(glob, &standing.fact.canonical)
            || respelled && hit(glob, &standing.written)
            || standing
                .fact
                .links
                .iter()
                .any(|link| hit(glob, &link.at) || hit(glob, &link.to))
            || standing.fact.case_insensitive && glob.matches_folded(canonical)
    })
}

/// A recursive read of a folder above a denied path: asked and not denied, or one rule would forbid every search.
fn reads_above(lens: &Lens<'_>, rule: &Rule, index: usize, effect: &Effect) -> bool {
    let (Subject::Read(globs), Some(standing)) = (&rule.matcher.subject, lens.standing(index))
    else {
        return false;
    };
    let around = &lens.case.reading.surroundings;
    if effect.kind != EffectKind::Read || !effect.manner.recursive {
        return false;
    }
    let subject = PathSubject {
        path: &standing.fact.canonical,
        workspace: &around.workspace,
        home: around.home.as_deref(),
    };
    // Everything a pattern of the workspace names lies below the workspace; `git status` asks this of every rule.
    let everything = standing.fact.canonical == around.workspace;
    globs
        .iter()
        .any(|glob| everything && !glob.is_absolute() || glob.reaches_below(subject))
}

pub(super) fn tool_matches(lens: &Lens<'_>, matcher: &Matcher, reach: Reach) -> bool {
    let patterns = match &matcher.subject {
        Subject::Tool(patterns) => patterns,
        Subject::Anything => return reach == Reach::Wide,
        _ => return false,
    };
    let operation = lens.case.operation;
    let mcp_name = operation
        .text(Role::ServerTool)
        .filter(|_| operation.kind() == Kind::Mcp);
    patterns.iter().any(|pattern| {
        // A name never allows an MCP tool: any server can call its tool `read_file` (H-49).
        let by_name = pattern.matches(operation.tool(), operation.kind());
        by_name && (operation.kind() != Kind::Mcp || reach == Reach::Wide)
            || reach == Reach::Wide && mcp_name.is_some_and(|name| wild(&pattern.written, name))
    })
}

pub(super) fn tool_excepted(lens: &Lens<'_>, rule: &Rule) -> bool {
    rule.except.as_ref().is_some_and(|except| {
        let reach = if rule.decision == Decision::Allow {
            Reach::Wide
        } else {
            Reach::Narrow
        };
        tool_matches(lens, except, reach)
    })
}

/// Whether a rule about the command covers an effect of it: its own effects, but no redirect, privilege or change of the environment.
pub(super) fn command_effect(effect: &Effect) -> bool {
    !effect.manner.redirect
        && !matches!(effect.kind, EffectKind::Environment | EffectKind::Privilege)
}

pub(super) fn rule_reason(rule: &Rule, decision: Decision) -> Reason {
    let cause = match &rule.reason {
        Some(text) => Cause::Said(text.clone()),
        None => Cause::Rule {
            decision: rule.decision,
            pattern: rule.matcher.in_words(),
        },
    };
    of_rule(decision, rule_id(rule), cause)
}

fn rule_id(rule: &Rule) -> RuleId {
    RuleId::Policy {
        id: rule.id.clone(),
        source: rule.source.clone(),
    }
}
