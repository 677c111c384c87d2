//! What is always asked, unless a rule of the person names exactly this.

use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::fact::{Ignored, PathKind};
use crate::analysis::risk::Tier;
use crate::answer::cause::{Cause, Found, PathCause, ShownPath, Untrusted};
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::call::tool::Kind;
use crate::decide::defaults::why_asked;
use crate::decide::judging::{Lens, must};
use crate::decide::path_status::Standing;
use crate::decide::risk::{effect_tier, planted_program, planted_wrapper, untrusted_program};
use crate::decide::{allow_rules, pre_approved};
use crate::paths::{below, protected, secret};
use crate::policy::decision::Decision;
use crate::policy::index::PathRules;
use crate::policy::rule::{Rule, Subject};

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
                ..must(Check::Dangerous, Cause::Danger(danger.what.clone()))
            });
        }
    }
    if let Some(opaque) = &reading.opaque {
        let at = (opaque.end > opaque.start).then_some((opaque.start, opaque.end));
        out.push(Reason {
            at,
            ..must(Check::Opaque, Cause::Opaque(opaque.reason.clone()))
        });
    }
    let around = &reading.surroundings;
    let through_link = crate::paths::join("/", &lens.case.operation.cwd()) != around.cwd;
    let climbs = |command: &crate::analysis::draft::Command| {
        command.words.first().is_some_and(|word| word == "cd")
            && command.words.iter().any(|word| word.contains(".."))
    };
    if through_link && reading.commands.iter().any(climbs) {
        out.push(must(Check::Folder, Cause::ClimbsFromLink));
    }
    if let Some(folder) = runs_outside(lens) {
        let folder = folder.to_owned();
        out.push(must(Check::Outside, Cause::RunsOutside { folder }));
    }
    searches(lens, &mut out);
    carried(lens, &mut out);
    let mut told: Vec<usize> = Vec::new();
    for (index, effect) in reading.effects.iter().enumerate() {
        let before = out.len();
        path(lens, index, effect, &mut out);
        unknown_tool(lens, effect, &mut out);
        if effect.kind == EffectKind::Privilege {
            out.push(must(Check::Privilege, why_asked(effect)));
        }
        // One reason is enough; the run of a command comes behind its other effects.
        let known = effect.part.is_some_and(|part| told.contains(&part));
        if let Some(cause) = open_words(lens, effect).filter(|_| !known) {
            out.push(must(Check::Expansion, cause));
        }
        if effect.kind == EffectKind::Run
            && let Some(why) = program(lens, index, effect)
        {
            out.push(must(Check::Program, Cause::Program(why)));
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
        out.push(must(Check::McpChanged, Cause::McpChanged));
    }
    let asks = lens
        .case
        .operation
        .mcp()
        .map_or(&[][..], |identity| &identity.asks);
    let odd = |why: &String| must(Check::McpOdd, Cause::McpOdd(why.clone()));
    out.extend(asks.iter().map(odd));
    out
}

/// A command whose effects are not all listed gets words that nobody has seen: what was analysed is not what runs.
fn open_words(lens: &Lens<'_>, effect: &Effect) -> Option<Cause> {
    let command = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part))?;
    let unclear = effect.kind == EffectKind::Run && !effect.manner.known_program;
    (unclear && !command.literal).then(|| Cause::OpenWords {
        program: command.words.first().cloned().unwrap_or_default(),
    })
}

/// A rule that allows a program means the one its name promises, and not one that an agent has put in its place.
fn program(lens: &Lens<'_>, index: usize, effect: &Effect) -> Option<Untrusted> {
    if effect.manner.known_program {
        return untrusted_program(lens, effect);
    }
    let part = effect.part.filter(|_| effect.target == Target::Command)?;
    if let Some(file) = planted_wrapper(lens, part) {
        return Some(Untrusted::Planted(file.to_owned()));
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
    Some(Untrusted::Planted(file.to_owned()))
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
            let (check, why) = match carried.kind {
                EffectKind::Delete => (Check::Delete, None),
                EffectKind::Write => (Check::Protected, protected(&path, home)),
                _ => (Check::Secret, secret(&path, home)),
            };
            if check == Check::Delete || why.is_some() {
                let effect = carried.clone();
                out.push(Reason {
                    at: run.and_then(|effect| effect.at),
                    ..must(check, Cause::Carried { effect, why })
                });
            }
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
            let (path, tracked) = (path.clone(), found.tracked);
            let secret = Found::Secret { path, tracked };
            out.push(must(Check::Secret, Cause::Search(secret)));
        }
        if let Some(path) = found.private.iter().find(|path| !rule_names(path, false)) {
            let private = Found::Private { path: path.clone() };
            out.push(must(Check::Ignored, Cause::Search(private)));
        }
        if let Some(path) = found.odd.first() {
            let odd = Found::OddName { path: path.clone() };
            out.push(must(Check::OddName, Cause::Search(odd)));
        }
        // What was found says more than that there may be more.
        if found.incomplete && out.len() == before {
            let tracked = found.tracked;
            let incomplete = Found::Incomplete { tracked };
            out.push(must(Check::Secret, Cause::Search(incomplete)));
        }
    }
}

fn path(lens: &Lens<'_>, index: usize, effect: &Effect, out: &mut Vec<Reason>) {
    let Some(standing) = lens.standing(index) else {
        if let Target::UnknownPath(written) = &effect.target {
            let cause = Cause::UnknownPath(written.clone());
            out.push(must(Check::UnknownPath, cause));
        }
        return;
    };
    let must_for = |check: Check, what: PathCause| {
        let path = shown_path(standing);
        must(check, Cause::Path { path, what })
    };
    let changes = matches!(effect.kind, EffectKind::Write | EffectKind::Delete);
    if let Some(why) = &standing.protected
        && changes
        && !effect.manner.repository
        && !standing.sink
    {
        let what = PathCause::Protected(why.clone());
        out.push(must_for(Check::Protected, what));
    }
    if effect.manner.named {
        return named(standing, must_for, out);
    }
    if standing.own_below {
        out.push(must_for(Check::OwnFiles, PathCause::OwnBelow));
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
        let names = standing.fact.hard_links;
        out.push(must_for(Check::HardLink, PathCause::HardLink { names }));
    }
    if let Some(why) = standing.secret
        && effect.kind == EffectKind::Read
        && !silenced(lens, index, |rule| {
            rule.matcher.secret && matches!(rule.matcher.subject, Subject::Read(_))
        })
    {
        out.push(must_for(Check::Secret, PathCause::Secret(why)));
    }
    if !standing.inside
        && !standing.common
        && matches!(
            effect.kind,
            EffectKind::Read | EffectKind::Write | EffectKind::Delete
        )
        && !allow_rules::absolute_rule_covers(lens, index)
    {
        out.push(must_for(Check::Outside, PathCause::Outside));
    }
    let removes = effect.kind == EffectKind::Delete;
    if removes && effect.manner.absent {
        if !silenced(lens, index, |rule| {
            delete_rule_fits(lens, index, effect, rule)
        }) {
            out.push(must_for(Check::DeleteNothing, PathCause::DeleteNothing));
        }
    } else if removes
        && !silenced(lens, index, |rule| {
            delete_rule_fits(lens, index, effect, rule)
        })
    {
        let what = PathCause::Delete {
            recursive: effect.manner.recursive,
            certain: effect.certain,
        };
        out.push(must_for(Check::Delete, what));
    }
    // A recursive delete that a rule names is no danger, but taking away the work itself always is.
    if let Some((Tier::Dangerous, damage)) = effect_tier(lens, index, effect)
        && (!(removes && effect.manner.recursive)
            || below(
                &lens.case.reading.surroundings.workspace,
                &standing.fact.canonical,
            )
            || standing.fact.canonical.ends_with("/.git"))
    {
        out.push(must(Check::Dangerous, Cause::Damage(damage)));
    }
    if effect.manner.overwrite
        && !silenced(lens, index, |rule| {
            rule.matcher.overwrite && matches!(rule.matcher.subject, Subject::Write(_))
        })
    {
        out.push(must_for(Check::Overwrite, PathCause::Overwrite));
    }
}

/// A path in the words of a program whose effects are not all known: it may be read or changed.
fn named(
    standing: &Standing<'_>,
    must: impl Fn(Check, PathCause) -> Reason,
    out: &mut Vec<Reason>,
) {
    if let Some(why) = standing.secret {
        out.push(must(Check::Secret, PathCause::NamedSecret(why)));
    } else if let Some(why) = &standing.protected {
        let what = PathCause::NamedProtected(why.clone());
        out.push(must(Check::Protected, what));
    }
    if !standing.inside && !standing.common && !standing.sink {
        out.push(must(Check::Outside, PathCause::Outside));
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
        let cause = Cause::UnknownTool(name.clone());
        out.push(must(Check::UnknownTool, cause));
    }
}

/// The path as the person should read it: resolved, and as written where a link makes a difference.
fn shown_path(standing: &Standing<'_>) -> ShownPath {
    let has_links = !standing.fact.links.is_empty();
    ShownPath {
        canonical: standing.fact.canonical.clone(),
        written: has_links.then(|| standing.written.clone()),
    }
}
