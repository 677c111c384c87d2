//! What is always asked, unless a rule of the person names exactly this.

use crate::analysis::draft::Carried;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{Ignored, PathKind};
use crate::analysis::risk::Tier;
use crate::answer::verdict::Reason;
use crate::call::tool::Kind;
use crate::decide::judging::{Lens, must};
use crate::decide::path_status::Standing;
use crate::decide::risk::{
    effect_tier, planted_program, planted_wrapper, untrusted_program, written_by_agent,
};
use crate::decide::{allow_rules, pre_approved};
use crate::paths::{below, protected, secret};
use crate::policy::decision::Decision;
use crate::policy::index::PathRules;
use crate::policy::rule::{Rule, Subject};
use crate::text::redact::redact_text;
use crate::text::sentence;

pub(super) fn reasons(lens: &Lens<'_>, tier: Tier) -> Vec<Reason> {
    let mut out = Vec::new();
    let reading = lens.case.reading;
    if tier >= Tier::Dangerous {
        for danger in reading
            .dangers
            .iter()
            .filter(|danger| danger.tier >= Tier::Dangerous && !danger.shown_by_effect)
        {
            let runs = |effect: &&Effect| {
                effect.kind == EffectKind::Run
                    && effect.part == danger.part
                    && danger.part.is_some()
            };
            let at = reading
                .effects
                .iter()
                .find(runs)
                .and_then(|effect| effect.at);
            out.push(Reason {
                at,
                ..must("dangerous", sentence::whole(&danger.what))
            });
        }
    }
    if let Some(opaque) = &reading.opaque {
        let at = (opaque.end > opaque.start).then_some((opaque.start, opaque.end));
        out.push(Reason {
            at,
            ..must(
                "opaque",
                format!("it could not be analysed whole: {}", opaque.reason),
            )
        });
    }
    let around = &reading.surroundings;
    let through_link = crate::paths::join("/", &lens.case.operation.cwd()) != around.cwd;
    let climbs = |command: &crate::analysis::draft::Command| {
        command.words.first().is_some_and(|word| word == "cd")
            && command.words.iter().any(|word| word.contains(".."))
    };
    if through_link && reading.commands.iter().any(climbs) {
        out.push(must(
            "folder",
            "it goes up from a folder that is reached through a link, which shells do in two ways"
                .into(),
        ));
    }
    if let Some(folder) = runs_outside(lens) {
        out.push(must(
            "outside",
            format!("it runs in `{folder}`, which is outside of the workspace"),
        ));
    }
    searches(lens, &mut out);
    carried(lens, &mut out);
    let mut told: Vec<usize> = Vec::new();
    for (index, effect) in reading.effects.iter().enumerate() {
        let before = out.len();
        path(lens, index, effect, &mut out);
        unknown_tool(lens, effect, &mut out);
        if effect.kind == EffectKind::Privilege {
            out.push(must(
                "privilege",
                effect
                    .note
                    .as_deref()
                    .map_or_else(|| "it gains rights".into(), sentence::whole),
            ));
        }
        // One reason is enough; the run of a command comes behind its other effects.
        let known = effect.part.is_some_and(|part| told.contains(&part));
        if let Some(why) = open_words(lens, effect).filter(|_| !known) {
            out.push(must("expansion", why));
        }
        if effect.kind == EffectKind::Run
            && let Some(why) = program(lens, index, effect)
        {
            out.push(must("program", why));
        }
        for reason in out.iter_mut().skip(before) {
            reason.at = reason.at.or(effect.at);
            told.extend(effect.part);
        }
    }
    if lens
        .case
        .operation
        .mcp()
        .is_some_and(|identity| identity.changed)
    {
        out.push(must(
            "mcp-changed",
            "this MCP tool is not the one that was seen under its name before".into(),
        ));
    }
    let asks = lens
        .case
        .operation
        .mcp()
        .map_or(&[][..], |identity| &identity.asks);
    out.extend(asks.iter().map(|why| must("mcp-odd", why.clone())));
    out
}

/// A command whose effects are not all listed gets words that nobody has seen: what was analysed is not what runs.
fn open_words(lens: &Lens<'_>, effect: &Effect) -> Option<String> {
    let command = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part))?;
    let unclear = effect.kind == EffectKind::Run && !effect.manner.known_program;
    (unclear && !command.literal).then(|| {
        format!(
            "which words `{}` gets shows only when it runs",
            command.words.first().map_or("", String::as_str)
        )
    })
}

/// A rule that allows a program means the one its name promises, and not one that an agent has put in its place.
fn program(lens: &Lens<'_>, index: usize, effect: &Effect) -> Option<String> {
    if effect.manner.known_program {
        return untrusted_program(lens, effect);
    }
    let part = effect.part.filter(|_| effect.target == Target::Command)?;
    if let Some(file) = planted_wrapper(lens, part) {
        return Some(written_by_agent(file));
    }
    let file = planted_program(lens, part)?;
    // Who writes `./run.sh` into a rule means this very file; who gave no rule is asked anyway.
    let word = lens
        .case
        .reading
        .commands
        .get(part)
        .and_then(|command| command.words.first())
        .filter(|word| word.contains('/'));
    if let Some(word) = word {
        let rules = allow_rules::allow_rules(lens, index);
        let named = |rule: &&Rule| match &rule.matcher.subject {
            Subject::Command(patterns) => patterns.iter().any(|pattern| pattern.names(word)),
            _ => false,
        };
        if rules.is_empty() || rules.iter().any(named) {
            return None;
        }
    }
    Some(written_by_agent(file))
}

/// The folder of a command that does what files around it say, if it is outside: a rule was given for the files of this workspace.
fn runs_outside<'a>(lens: &Lens<'a>) -> Option<&'a str> {
    let around = &lens.case.reading.surroundings;
    let unclear = |effect: &Effect| {
        let stays = |part: usize| {
            lens.case
                .reading
                .commands
                .get(part)
                .is_some_and(crate::analysis::draft::Command::stays)
        };
        effect.kind == EffectKind::Run
            && !effect.manner.known_program
            && effect.part.is_some_and(stays)
    };
    let in_root = || {
        lens.settings.roots.iter().any(|root| {
            below(
                &around.cwd,
                &crate::paths::join(&around.workspace, &root.root),
            )
        })
    };
    let outside = !below(&around.cwd, &around.workspace) && !in_root();
    (outside && lens.case.reading.effects.iter().any(unclear)).then_some(around.cwd.as_str())
}

/// What a command does that another one runs in a folder or on a machine of which nothing is known: only names tell.
fn carried(lens: &Lens<'_>, out: &mut Vec<Reason>) {
    let home = lens.case.reading.surroundings.home.as_deref();
    for (part, command) in lens.case.reading.commands.iter().enumerate() {
        let run = lens
            .case
            .reading
            .effects
            .iter()
            .find(|effect| effect.part == Some(part) && effect.kind == EffectKind::Run);
        for carried in &command.carried {
            let written = crate::analysis::fact::from_home(&carried.path, home);
            let path = crate::paths::join("/", written.as_deref().unwrap_or(&carried.path));
            let (rule, verb, why) = match carried.kind {
                EffectKind::Delete => ("delete", "deletes", String::new()),
                EffectKind::Write => match protected(&path, home) {
                    Some(why) => (
                        "protected",
                        "writes",
                        format!(", which is protected by its name: {why}"),
                    ),
                    None => continue,
                },
                _ => match secret(&path, home) {
                    Some(why) => (
                        "secret",
                        "reads",
                        format!(", which is secret by its name: {why}"),
                    ),
                    None => continue,
                },
            };
            let Carried {
                command,
                by,
                certain,
                ..
            } = carried;
            let path = crate::analysis::fact::shown(&carried.path);
            let text = if *certain {
                format!("`{by}` runs `{command}`, which {verb} `{path}`{why}")
            } else {
                format!(
                    "a word of `{by}` may be run as a command: `{command}` {verb} `{path}`{why}"
                )
            };
            out.push(Reason {
                at: run.and_then(|effect| effect.at),
                ..must(rule, redact_text(&text))
            });
        }
    }
}

/// A search shows what is in the files below, secret or not.
fn searches(lens: &Lens<'_>, out: &mut Vec<Reason>) {
    let rule_names = |path: &str, secret: bool| {
        let around = &lens.case.reading.surroundings;
        let subject = crate::policy::glob::Subject {
            path,
            workspace: &around.workspace,
            home: around.home.as_deref(),
        };
        lens.rule_sets().flat_map(|set| set.paths(PathRules::Read, None)).any(|rule| {
            rule.decision == Decision::Allow
                && !rule.learned
                && (rule.matcher.secret || !secret)
                && rule.except.is_none()
                && lens.counts(rule)
                && matches!(&rule.matcher.subject, Subject::Read(globs) if globs.iter().any(|glob| glob.matches(subject)))
        })
    };
    for found in lens.case.reading.searches.iter().flatten() {
        let before = out.len();
        if let Some(path) = found.secrets.iter().find(|path| !rule_names(path, true)) {
            let text = if found.tracked {
                format!("git tracks `{path}`, which may hold secrets, and may show what is in it")
            } else {
                format!("the search also reads `{path}`, which may hold secrets")
            };
            out.push(must("secret", text));
        }
        if let Some(path) = found.private.iter().find(|path| !rule_names(path, false)) {
            out.push(must(
                "ignored",
                format!("the search also reads `{path}`, which git ignores, so it may be private"),
            ));
        }
        if let Some(path) = found.odd.first() {
            out.push(must(
                "odd-name",
                format!("the name of `{path}` would not be handed on as one plain word, so it may become an option or another file"),
            ));
        }
        // What was found says more than that there may be more.
        if found.incomplete && out.len() == before {
            let text = if found.tracked {
                "what git tracks could not be found out, so it may show secrets"
            } else {
                "there is too much below to find out whether the search reads secrets"
            };
            out.push(must("secret", text.into()));
        }
    }
}

fn path(lens: &Lens<'_>, index: usize, effect: &Effect, out: &mut Vec<Reason>) {
    let Some(standing) = lens.standing(index) else {
        if let Target::UnknownPath(written) = &effect.target {
            out.push(must(
                "unknown-path",
                format!("which file `{written}` is shows only when it runs"),
            ));
        }
        return;
    };
    let shown = display(lens, index);
    let changes = matches!(effect.kind, EffectKind::Write | EffectKind::Delete);
    if let Some(why) = &standing.protected
        && changes
        && !effect.manner.repository
        && !standing.sink
    {
        out.push(must("protected", format!("`{shown}` is protected: {why}")));
    }
    if effect.manner.named {
        return named(standing, &shown, out);
    }
    if standing.own_below {
        out.push(must(
            "own-files",
            format!("it may write over files of sayso below `{shown}`"),
        ));
    }
    if standing.sink {
        return;
    }
    // A rule for one name of a file says nothing about the others, and one of them may be protected.
    if effect.kind == EffectKind::Write
        && standing.fact.kind == PathKind::File
        && standing.fact.hard_links > 1
        && !effect.manner.repository
    {
        out.push(must(
            "hard-link",
            format!(
                "`{shown}` has {} names; a write changes the file under all of them",
                standing.fact.hard_links
            ),
        ));
    }
    if let Some(why) = standing.secret
        && effect.kind == EffectKind::Read
        && !silenced(lens, index, |rule| {
            rule.matcher.secret && matches!(rule.matcher.subject, Subject::Read(_))
        })
    {
        out.push(must(
            "secret",
            format!("reading `{shown}` shows secrets: {why}"),
        ));
    }
    if !standing.inside
        && !standing.common
        && matches!(
            effect.kind,
            EffectKind::Read | EffectKind::Write | EffectKind::Delete
        )
        && !allow_rules::absolute_rule_covers(lens, index)
    {
        out.push(must(
            "outside",
            format!("`{shown}` is outside of the workspace"),
        ));
    }
    let removes = effect.kind == EffectKind::Delete;
    if removes && effect.manner.absent {
        if !silenced(lens, index, |rule| {
            delete_rule_fits(lens, index, effect, rule)
        }) {
            out.push(must(
                "delete-nothing",
                format!("it would delete `{shown}`, where nothing is now"),
            ));
        }
    } else if removes
        && !silenced(lens, index, |rule| {
            delete_rule_fits(lens, index, effect, rule)
        })
    {
        let text = match (effect.manner.recursive, effect.certain) {
            (true, true) => format!("it deletes `{shown}` with everything below"),
            (true, false) => format!("it may delete what lies below `{shown}`"),
            (false, _) => format!("it deletes `{shown}`"),
        };
        out.push(must("delete", text));
    }
    // A recursive delete that a rule names is no danger, but taking away the work itself always is.
    if let Some((Tier::Dangerous, what)) = effect_tier(lens, index, effect)
        && (!(removes && effect.manner.recursive)
            || below(
                &lens.case.reading.surroundings.workspace,
                &standing.fact.canonical,
            )
            || standing.fact.canonical.ends_with("/.git"))
    {
        out.push(must("dangerous", sentence::whole(&what)));
    }
    if effect.manner.overwrite
        && !silenced(lens, index, |rule| {
            rule.matcher.overwrite && matches!(rule.matcher.subject, Subject::Write(_))
        })
    {
        out.push(must("overwrite", format!("it replaces `{shown}`")));
    }
}

/// A path in the words of a program whose effects are not all known: it may be read or changed.
fn named(standing: &Standing<'_>, shown: &str, out: &mut Vec<Reason>) {
    if let Some(why) = standing.secret {
        out.push(must(
            "secret",
            format!("its words name `{shown}`, which may hold secrets: {why}"),
        ));
    } else if let Some(why) = &standing.protected {
        out.push(must(
            "protected",
            format!("its words name `{shown}`, which is protected: {why}"),
        ));
    }
    if !standing.inside && !standing.common && !standing.sink {
        out.push(must(
            "outside",
            format!("`{shown}` is outside of the workspace"),
        ));
    }
}

/// A delete is covered by a `delete` rule; a recursive one only with `recursive: true`, in the workspace, and where git ignores the target.
fn delete_rule_fits(lens: &Lens<'_>, index: usize, effect: &Effect, rule: &Rule) -> bool {
    if !matches!(rule.matcher.subject, Subject::Delete(_)) {
        return false;
    }
    if !effect.manner.recursive {
        return true;
    }
    let standing = lens.standing(index);
    rule.matcher.recursive
        && standing
            .is_some_and(|standing| standing.in_workspace && standing.fact.ignored == Ignored::Yes)
}

/// Whether an allow rule that is not learned, and that `fits`, names this effect.
fn silenced(lens: &Lens<'_>, index: usize, fits: impl Fn(&Rule) -> bool) -> bool {
    allow_rules::allow_rules(lens, index)
        .iter()
        .any(|rule| !rule.learned && fits(rule))
}

fn unknown_tool(lens: &Lens<'_>, effect: &Effect, out: &mut Vec<Reason>) {
    let operation = lens.case.operation;
    let (Target::Tool(name), Kind::Custom) = (&effect.target, operation.kind()) else {
        return;
    };
    let named = |rule: &&Rule| match &rule.matcher.subject {
        Subject::Tool(patterns) => patterns
            .iter()
            .any(|pattern| pattern.is_exact() && pattern.written == *name),
        _ => false,
    };
    let ruled = lens
        .rule_sets()
        .flat_map(|set| set.tools())
        .filter(named)
        .any(|rule| rule.decision == Decision::Allow && lens.counts(rule));
    let trusted = lens.settings.mode != crate::policy::mode::Mode::ConfirmAll
        && lens.settings.trusted_tools.contains(name);
    let spoken_for = !matches!(operation.says(), crate::call::operation::ToolSays::Nothing);
    if !ruled && !trusted && !pre_approved(lens) && !spoken_for {
        out.push(must(
            "unknown-tool",
            format!("sayso does not know the tool `{name}`"),
        ));
    }
}

/// The path as the person should read it: resolved, and as written where a link makes a difference.
fn display(lens: &Lens<'_>, index: usize) -> String {
    match lens.standing(index) {
        Some(standing) if standing.fact.links.is_empty() => standing.fact.canonical.clone(),
        Some(standing) => format!(
            "{} (written as {})",
            standing.fact.canonical, standing.written
        ),
        None => String::new(),
    }
}
