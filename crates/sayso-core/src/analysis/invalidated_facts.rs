//! What a line changes before it uses it: the facts are of the time before it runs, and a folder that was copied, moved or checked out by then
//! may hold links and settings that nobody has looked at.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::draft::{Bound, Command};
use crate::analysis::effect::{Effect, EffectKind, Place, Target};
use crate::analysis::fact::{PathKind, Question};
use crate::paths::below;

/// So many changes are held against each command; where there are more, they may be anything.
const MOST_CHANGES: usize = 64;

/// What a settled line says of its commands.
pub(crate) struct Line<'a> {
    pub(crate) commands: &'a [Command],
    pub(crate) bound: &'a [Bound],
    pub(crate) questions: &'a [Question],
    /// Each command ends before the next one starts and none runs twice, so that a later change does not count for an earlier command.
    pub(crate) ordered: bool,
}

/// A place that is another one after a command of the line.
struct Change {
    part: usize,
    /// Absolute; none if it is not known.
    path: Option<String>,
    /// What stands there may be a link, or have anything below it. Otherwise it is a file with other content.
    deep: bool,
    /// git checks it out.
    by_git: bool,
}

/// Adds what is not known any more by the time a command runs. Answers for which commands git may find other settings by then.
pub(crate) fn forget(effects: &mut Vec<Effect>, line: &Line<'_>) -> BTreeSet<usize> {
    let none = BTreeSet::new();
    if line.commands.len() < 2 {
        return none;
    }
    let changes = changes(effects, line.commands);
    if changes.is_empty() {
        return none;
    }
    let before = |part: usize| {
        changes.iter().filter(move |change| {
            if line.ordered {
                change.part < part
            } else {
                change.part != part
            }
        })
    };
    let mut notes: BTreeMap<usize, String> = BTreeMap::new();
    for effect in effects.iter() {
        let Some((part, command)) = effect
            .part
            .and_then(|part| Some((part, line.commands.get(part)?)))
        else {
            continue;
        };
        // git reads its own files, and a link of the work tree as the text it is; a file that it is given is read like any other.
        let own = command.git.is_some()
            && effect.manner.recursive
            && !command.words.iter().any(|word| word == "--no-index");
        if effect.kind != EffectKind::Read
            || effect.manner.listing
            || own
            || notes.contains_key(&part)
        {
            continue;
        }
        if let Target::Path(place) = &effect.target
            && let Some(change) = before(part)
                .find(|change| change.deep && meets(effect, place, change, line.questions))
        {
            let path = change.path.as_deref().unwrap_or("…");
            notes.insert(
                part,
                format!("what it reads may be something else by then: the line changes `{path}`"),
            );
        }
    }
    let unbound = |bound: &&Bound| {
        before(bound.part)
            .any(|change| change.deep || makes_setting(change, line.questions.get(bound.question)))
    };
    let unbound: BTreeMap<usize, &str> = line
        .bound
        .iter()
        .filter(unbound)
        .map(|bound| (bound.part, bound.note.as_str()))
        .collect();
    for run in effects
        .iter_mut()
        .filter(|effect| effect.kind == EffectKind::Run)
    {
        if let Some(note) = run.part.and_then(|part| unbound.get(&part)) {
            run.manner.known_program = false;
            run.note = Some(format!("{note} (the line may change it)"));
        }
    }
    effects.extend(notes.into_iter().map(|(part, note)| Effect {
        part: Some(part),
        ..Effect::unknown(note)
    }));
    let uses_git = line
        .commands
        .iter()
        .enumerate()
        .filter(|(_, command)| command.git.is_some())
        .map(|(part, _)| part);
    uses_git
        .filter(|part| {
            before(*part).any(|change| may_make_repository(change, line.commands.get(*part)))
        })
        .collect()
}

/// Whether a command of git may find another repository after a change. A folder can be one without a `.git`: git checks out such, too, but the
/// one around it counts for whoever stays there.
fn may_make_repository(change: &Change, command: Option<&Command>) -> bool {
    const FILES: [&str; 5] = ["head", "config", "config.worktree", "commondir", "gitdir"];
    let stays = command.is_some_and(|command| {
        command.stays()
            && !command
                .words
                .iter()
                .any(|word| word == "-C" || word.starts_with("--git-dir"))
    });
    let name = change
        .path
        .as_deref()
        .map_or("head", |path| path.rsplit('/').next().unwrap_or(path));
    change.deep && !(change.by_git && stays) || FILES.contains(&name.to_ascii_lowercase().as_str())
}

/// The first changes, and one of everything if there are more.
fn changes(effects: &[Effect], commands: &[Command]) -> Vec<Change> {
    let mut files: BTreeMap<usize, bool> = BTreeMap::new();
    for effect in effects
        .iter()
        .filter(|effect| effect.kind == EffectKind::Read || effect.manner.moved_away)
    {
        let fact = effect.place().and_then(|place| place.fact.as_ref());
        let is_file = fact.is_some_and(|fact| fact.kind == PathKind::File && fact.links.is_empty());
        if let Some(part) = effect.part {
            *files.entry(part).or_insert(true) &= is_file;
        }
    }
    let mut changes: Vec<Change> = Vec::new();
    for effect in effects {
        let Some(part) = effect.part.filter(|_| effect.kind == EffectKind::Write) else {
            continue;
        };
        let path = effect
            .place()
            .and_then(|place| Some(place.fact.as_ref()?.canonical.clone()));
        if effect.manner.repository
            || effect.manner.moved_away
            || path.as_deref() == Some("/dev/null")
        {
            continue;
        }
        if changes.len() >= MOST_CHANGES {
            // Also for commands before it: which came first is not kept.
            changes.extend([0, usize::MAX].map(|part| Change {
                part,
                path: None,
                deep: true,
                by_git: false,
            }));
            break;
        }
        let name = commands
            .get(part)
            .and_then(|command| command.words.first())
            .map_or("", String::as_str);
        let only_files = files.get(&part).copied().unwrap_or(false);
        changes.push(Change {
            part,
            path,
            deep: is_deep(effect, name, only_files),
            by_git: name == "git",
        });
    }
    changes
}

/// Whether more than the content of one file may be other than before.
fn is_deep(effect: &Effect, name: &str, only_files: bool) -> bool {
    // These write files and make no links of them.
    const PLAIN: [&str; 14] = [
        "tee", "touch", "truncate", "sed", "perl", "sort", "mkdir", "chmod", "mktemp", "dd",
        "curl", "wget", "gzip", "install",
    ];
    match name {
        _ if effect.manner.redirect || effect.manner.makes_folder => false,
        // What is a plain file stays one.
        "cp" | "mv" => !only_files,
        name => effect.manner.recursive || !PLAIN.contains(&name),
    }
}

/// Whether a read may meet what was changed.
fn meets(effect: &Effect, place: &Place, change: &Change, questions: &[Question]) -> bool {
    let (Some(fact), Some(changed)) = (&place.fact, &change.path) else {
        return true;
    };
    let pattern = matches!(questions.get(place.question), Some(Question::Names { .. }));
    pattern
        || below(&fact.canonical, changed)
        || effect.manner.recursive && below(changed, &fact.canonical)
}

/// Whether a file that is written may be one of these settings.
fn makes_setting(change: &Change, question: Option<&Question>) -> bool {
    let (Some(Question::Settings { settings, .. }), Some(path)) = (question, &change.path) else {
        return true;
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    settings.iter().any(|setting| {
        setting
            .file
            .rsplit('/')
            .next()
            .is_some_and(|file| file.eq_ignore_ascii_case(name))
    })
}
