//! Which rules match what: deny and ask over-approximated, allow under-approximated.

use crate::analysis::draft::Command;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::PathKind;
use crate::answer::verdict::Reason;
use crate::call::operation::ToolSays;
use crate::call::tool::{Kind, Role};
use crate::decide::judging::{Lens, reason};
use crate::decide::near_miss::lead_word;
use crate::decide::{possible_paths, pre_approved};
use crate::paths;
use crate::policy::command_pattern::{CommandPattern, Reach};
use crate::policy::decision::Decision;
use crate::policy::glob::{PathGlob, Subject as PathSubject, wild};
use crate::policy::index::{PathRules, RuleSet};
use crate::policy::mode::Mode;
use crate::policy::rule::{Matcher, Rule, ShellRule, Subject};
use crate::policy::settings::ShellDefault;
use crate::text::count::{agreed, count};

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
                out.push(Reason {
                    source: rule.source.clone(),
                    ..reason(
                        Decision::Deny,
                        "shell-rule",
                        &format!("command blocked: {}", rule.pattern.written),
                    )
                });
            }
        }
        if lens
            .settings
            .shell_default
            .is_some_and(|default| !default.allowed)
        {
            out.push(reason(
                Decision::Deny,
                "shell-default",
                "commands that no shell rule names are blocked",
            ));
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
            out.push(reason(
                Decision::Ask,
                "high-risk-pattern",
                &format!("it matches the high-risk pattern `{}`", pattern.written),
            ));
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
                        let text =
                            format!("it also reads what `{}` denies", rule.matcher.in_words());
                        out.push(Reason {
                            rule: rule.id.clone(),
                            source: rule.source.clone(),
                            ..reason(Decision::Ask, "", &text)
                        });
                    }
                }
            }
        }
        if let Some(more) = above.checked_sub(MOST_ABOVE).filter(|more| *more > 0) {
            out.push(reason(
                Decision::Ask,
                "reads-denied",
                &format!(
                    "it also reads what {} {}",
                    count(more, "more rule"),
                    agreed(more, "denies", "deny")
                ),
            ));
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

fn matches_rule(lens: &Lens<'_>, rule: &Rule, index: usize, effect: &Effect) -> bool {
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
fn runs_where_it_says(
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

fn path_hits(
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

fn tool_matches(lens: &Lens<'_>, matcher: &Matcher, reach: Reach) -> bool {
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

fn tool_excepted(lens: &Lens<'_>, rule: &Rule) -> bool {
    rule.except.as_ref().is_some_and(|except| {
        let reach = if rule.decision == Decision::Allow {
            Reach::Wide
        } else {
            Reach::Narrow
        };
        tool_matches(lens, except, reach)
    })
}

/// Allow rules that name an effect itself or the command or tool that does it.
pub(super) fn allow_rules<'a>(lens: &Lens<'a>, index: usize) -> Vec<&'a Rule> {
    let Some(effect) = lens.case.reading.effects.get(index) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for (set, candidates) in lens.candidates(index) {
        out.extend(candidates.iter().copied().filter(|rule| {
            rule.decision == Decision::Allow
                && lens.counts(rule)
                && matches_rule(lens, rule, index, effect)
        }));
        out.extend(set.tools().filter(|rule| {
            rule.decision == Decision::Allow
                && lens.counts(rule)
                && tool_matches(lens, &rule.matcher, Reach::Narrow)
                && !tool_excepted(lens, rule)
        }));
    }
    out
}

/// Whether an allow rule with an absolute pattern names the path of an effect.
pub(super) fn absolute_rule_covers(lens: &Lens<'_>, index: usize) -> bool {
    let Some(effect) = lens.case.reading.effects.get(index) else {
        return false;
    };
    allow_rules(lens, index).iter().any(|rule| {
        let globs = match &rule.matcher.subject {
            Subject::Read(globs) | Subject::Write(globs) | Subject::Delete(globs) => globs,
            _ => return false,
        };
        let absolute: Vec<PathGlob> = globs
            .iter()
            .filter(|glob| glob.is_absolute())
            .cloned()
            .collect();
        !rule.learned && path_hits(lens, &absolute, index, effect, Reach::Narrow)
    })
}

/// The reason why an effect is allowed by something that somebody said: a rule, a root, a shell rule, or the tool itself.
pub(super) fn covers(lens: &Lens<'_>, index: usize) -> Option<Reason> {
    let effect = lens.case.reading.effects.get(index)?;
    let listed = allow_rules(lens, index);
    // An environment change is its own matter: a rule for the command does not know of it.
    let fits = |rule: &&&Rule| match &rule.matcher.subject {
        Subject::Command(patterns) => {
            command_effect(effect)
                && spelled_out(lens, effect, patterns.iter())
                && leads_written(lens, effect, patterns)
        }
        Subject::Write(_) => !effect.manner.overwrite || rule.matcher.overwrite,
        _ => true,
    };
    if let Some(rule) = listed.iter().find(fits) {
        return Some(rule_reason(rule, Decision::Allow));
    }
    let says = lens.case.operation.says();
    if pre_approved(lens) {
        return Some(reason(
            Decision::Allow,
            "pre-approved",
            "the tool was approved when it was set up",
        ));
    }
    if matches!(says, ToolSays::NeedsApproval { .. }) {
        return None;
    }
    if let Some(root) = lens.standing(index).and_then(|standing| standing.root) {
        let free = match effect.kind {
            EffectKind::Read => !root.read_approval,
            EffectKind::Write => {
                root.writable
                    && !root.write_approval
                    && effect.manner.file_tool
                    && !effect.manner.overwrite
            }
            _ => false,
        };
        if free {
            return Some(Reason {
                source: root.source.clone(),
                ..reason(
                    Decision::Allow,
                    "path-root",
                    &format!("the path root `{}` needs no approval", root.name),
                )
            });
        }
    }
    let command = lens.case.reading.commands.get(effect.part?)?;
    match shell_opinion(lens, effect.part?, command) {
        Some((Decision::Allow, reason)) if command_effect(effect) => {
            let patterns = lens
                .shell
                .iter()
                .copied()
                .flatten()
                .filter(|rule| rule.allowed && !rule.approval)
                .map(|rule| &rule.pattern);
            spelled_out(lens, effect, patterns).then_some(reason)
        }
        _ => None,
    }
}

/// An option that the table of programs does not list may do anything (`git diff --output`), so `git diff *` does not let it in (H-62).
pub(super) fn spelled_out<'a>(
    lens: &Lens<'_>,
    effect: &Effect,
    patterns: impl Iterator<Item = &'a CommandPattern>,
) -> bool {
    let Some(command) = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part))
    else {
        return true;
    };
    if !effect.manner.unlisted {
        return true;
    }
    let mut patterns = patterns;
    patterns
        .any(|pattern| pattern.matches(command, Reach::Narrow) && pattern.names_options(command))
}

/// Whether one of the patterns writes out every word that leads the command to other code, another project or another configuration.
fn leads_written(lens: &Lens<'_>, effect: &Effect, patterns: &[CommandPattern]) -> bool {
    let command = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part));
    command.is_none_or(|command| {
        command.leads.is_empty() || patterns.iter().any(|pattern| pattern.covers(command))
    })
}

/// Whether a rule about the command covers an effect of it: its own effects, but no redirect, privilege or change of the environment.
pub(super) fn command_effect(effect: &Effect) -> bool {
    !effect.manner.redirect
        && !matches!(effect.kind, EffectKind::Environment | EffectKind::Privilege)
}

/// What the ordered shell rules say of a command: in each list the first match, over all lists the strictest, else the default.
///
/// A rule whose constraint fails does not apply: the next rules count, and then the default. What they say is never less than a question,
/// since a constraint that fails must not lead into something looser (H-59).
pub(super) fn shell_opinion(
    lens: &Lens<'_>,
    part: usize,
    command: &Command,
) -> Option<(Decision, Reason)> {
    let mut worst: Option<(Decision, Reason)> = None;
    let mut unmet: Option<(&ShellRule, String)> = None;
    for list in &lens.shell {
        for rule in list.iter().filter(|rule| {
            rule.pattern.matches(
                command,
                if rule.allowed {
                    Reach::Narrow
                } else {
                    Reach::Wide
                },
            )
        }) {
            if let Some(why) = unmet_constraint(lens, part, command, rule) {
                unmet.get_or_insert((rule, why));
                continue;
            }
            let next = opinion(rule);
            worst = Some(match worst {
                Some(before) if before.0 >= next.0 => before,
                _ => next,
            });
            break;
        }
    }
    let named = worst.or_else(|| lens.settings.shell_default.map(default_opinion));
    let Some((rule, why)) = unmet else {
        return named;
    };
    let text = format!(
        "the shell rule `{}` does not apply, since {why}",
        rule.pattern.written
    );
    Some(match named {
        Some((Decision::Deny, next)) => (
            Decision::Deny,
            Reason {
                text: format!("{text}; {}", next.text),
                ..next
            },
        ),
        next => {
            let rest = next
                .filter(|(decision, _)| *decision == Decision::Ask)
                .map_or(String::new(), |(_, next)| format!("; {}", next.text));
            // A question of the rule, and not of the default, which can be switched off.
            (
                Decision::Ask,
                Reason {
                    source: rule.source.clone(),
                    ..reason(Decision::Ask, "shell-rule", &format!("{text}{rest}"))
                },
            )
        }
    })
}

/// Why an ordered rule that matches a command does not apply to it.
fn unmet_constraint(
    lens: &Lens<'_>,
    part: usize,
    command: &Command,
    rule: &ShellRule,
) -> Option<String> {
    if !rule.allowed {
        return None;
    }
    if !runs_where_it_says(
        lens,
        Some(part),
        command,
        std::slice::from_ref(&rule.pattern),
    ) {
        return Some("the command runs in another folder".to_owned());
    }
    if let Some(lead) = command
        .leads
        .first()
        .filter(|_| !rule.pattern.covers(command))
    {
        return Some(format!(
            "it does not write out `{}`, which {}",
            lead_word(command, lead),
            lead.does
        ));
    }
    (!rule.sandbox_paths.is_empty() && !paths_in_roots(lens, part, rule)).then(|| {
        format!(
            "not all of its paths are in `{}`",
            rule.sandbox_paths.join("`, `")
        )
    })
}

/// What holds for commands that no shell rule names.
fn default_opinion(default: ShellDefault) -> (Decision, Reason) {
    let (decision, text) = match (default.allowed, default.approval) {
        (false, _) => (
            Decision::Deny,
            "commands that no shell rule names are blocked",
        ),
        (true, true) => (
            Decision::Ask,
            "commands that no shell rule names need approval",
        ),
        (true, false) => (
            Decision::Allow,
            "commands that no shell rule names are free",
        ),
    };
    (decision, reason(decision, "shell-default", text))
}

fn opinion(rule: &ShellRule) -> (Decision, Reason) {
    let (decision, text) = match (rule.allowed, rule.approval) {
        (false, _) => (
            Decision::Deny,
            format!("command blocked: {}", rule.pattern.written),
        ),
        (true, true) => (
            Decision::Ask,
            rule.description
                .clone()
                .unwrap_or_else(|| format!("`{}` needs approval", rule.pattern.written)),
        ),
        (true, false) => (
            Decision::Allow,
            format!("`{}` is pre-approved", rule.pattern.written),
        ),
    };
    (
        decision,
        Reason {
            source: rule.source.clone(),
            ..reason(decision, "shell-rule", &text)
        },
    )
}

fn paths_in_roots(lens: &Lens<'_>, part: usize, rule: &ShellRule) -> bool {
    let names = &rule.sandbox_paths;
    lens.case
        .reading
        .effects
        .iter()
        .enumerate()
        .filter(|(_, effect)| effect.part == Some(part))
        .all(|(index, effect)| {
            match &effect.target {
                Target::Path(_) => lens
                    .standing(index)
                    .and_then(|standing| standing.root)
                    .is_some_and(|root| names.contains(&root.name)),
                Target::UnknownPath(_) => false,
                // Of a program that does more than is known, any word may be a path.
                _ if matches!(effect.kind, EffectKind::Run | EffectKind::Unknown) => {
                    words_in_roots(lens, part, rule)
                }
                _ => true,
            }
        })
}

/// Whether every word of a command that could be a path lies in these roots, as it is written.
fn words_in_roots(lens: &Lens<'_>, part: usize, rule: &ShellRule) -> bool {
    let Some(command) = lens.case.reading.commands.get(part) else {
        return false;
    };
    let around = &lens.case.reading.surroundings;
    let roots: Vec<String> = lens
        .settings
        .roots
        .iter()
        .filter(|root| rule.sandbox_paths.contains(&root.name))
        .map(|root| paths::join(&around.workspace, &root.root))
        .collect();
    let is_inside = |word: &str| {
        let path = paths::join(lens.case.operation.cwd().as_str(), word);
        roots.iter().any(|root| {
            path == *root
                || path
                    .strip_prefix(root.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let could_be = |word: &'_ str| match word.strip_prefix('-') {
        None => Some(word.to_owned()),
        Some(option) => option.split_once('=').map(|(_, value)| value.to_owned()),
    };
    // What the rule itself names is no path.
    let named = rule.pattern.written.split_whitespace().count();
    let words = command.words.iter().skip(named);
    command.stays()
        && command.literal
        && words
            .filter_map(|word| could_be(word))
            .all(|word| is_inside(&word))
}

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

fn rule_reason(rule: &Rule, decision: Decision) -> Reason {
    let text = match &rule.reason {
        Some(text) => text.clone(),
        None => format!("{} {}", rule.decision.word(), rule.matcher.in_words()),
    };
    Reason {
        decision,
        rule: rule.id.clone(),
        source: rule.source.clone(),
        text,
        must_ask: false,
        at: None,
    }
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
