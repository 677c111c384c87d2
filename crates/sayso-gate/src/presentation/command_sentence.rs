//! What a command wants, for the sentence of its prompt: its worst effect, and how many commands come along.

use sayso_core::analysis::draft::Command;
use sayso_core::analysis::effect::{Effect, EffectKind, Target};
use sayso_core::analysis::risk::Tier;
use sayso_core::answer::cause::names_path;
use sayso_core::answer::explain;
use sayso_core::answer::verdict::Reason;
use sayso_core::paths::below;
use sayso_core::text::sentence;
use sayso_core::text::visible::visible;

use super::About;
use super::command::typed;
use super::effect_lines::Teller;
use super::sentence::{deleted, named, place_words, quoted};

/// A longer command is named by its first words.
const MAX_COMMAND: usize = 48;

/// How much one thing that a command does matters; later ones matter more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Looks,
    Changes,
    Connects,
    Signals,
    ReadsOutside,
    Unknown,
    MustAsk,
    Opaque,
    GainsRights,
    Deletes,
    Dangerous,
    Catastrophic,
}

/// One thing that the line does, and which command does it.
struct Candidate {
    weight: Weight,
    part: Option<usize>,
    words: String,
}

/// What stands behind "wants to".
pub(super) fn make(about: About<'_>, teller: &Teller<'_>) -> String {
    let reasons = about.verdict.reasons.iter();
    let musts: Vec<String> = reasons
        .filter(|reason| reason.must_ask)
        .map(Reason::text)
        .collect();
    let mut found = dangers(about);
    found.extend(
        about
            .reading
            .effects
            .iter()
            .filter_map(|effect| of_effect(about, teller, &musts, effect)),
    );
    if about.reading.opaque.is_some() {
        found.push(Candidate {
            weight: Weight::Opaque,
            part: None,
            words: "run a command that sayso cannot analyse".to_owned(),
        });
    }
    // The first of the worst: a line is read from its start.
    let worst = found.iter().rev().max_by_key(|candidate| candidate.weight);
    let Some(worst) = worst else {
        return format!("run {}", whole_line(about));
    };
    let words = pushed(about, worst).unwrap_or_else(|| worst.words.clone());
    format!("{words}{}", more(&found, worst))
}

/// ", and run 2 more commands": those that do something besides looking, and are not the one that is told.
fn more(found: &[Candidate], worst: &Candidate) -> String {
    if worst.weight == Weight::Opaque {
        return String::new();
    }
    let mut parts: Vec<usize> = found
        .iter()
        .filter(|other| other.weight > Weight::Looks)
        .filter_map(|other| other.part)
        .collect();
    parts.sort_unstable();
    parts.dedup();
    // A danger of the whole line is of all of its commands.
    match (
        worst.part,
        parts
            .iter()
            .filter(|part| Some(**part) != worst.part)
            .count(),
    ) {
        (None, _) | (_, 0) => String::new(),
        (_, 1) => ", and run 1 more command".to_owned(),
        (_, count) => format!(", and run {count} more commands"),
    }
}

fn dangers(about: About<'_>) -> Vec<Candidate> {
    let counted = about
        .reading
        .dangers
        .iter()
        .filter(|danger| !danger.shown_by_effect && danger.tier != Tier::None);
    let candidate = |danger: &sayso_core::analysis::draft::Danger| Candidate {
        weight: match danger.tier {
            Tier::Catastrophic => Weight::Catastrophic,
            // What is done with the rights says more.
            _ if danger.what.starts_with("gains rights") => Weight::GainsRights,
            _ => Weight::Dangerous,
        },
        part: danger.part,
        words: match danger.what.as_str() {
            "runs what it downloads" => downloaded(about),
            what => of_note(about, danger.part, what),
        },
    };
    counted.map(candidate).collect()
}

/// Whether what a note is about is a command of the line, and not one of its words.
fn starts_program(about: About<'_>, subject: &str) -> bool {
    let first = subject.split(' ').next().unwrap_or_default();
    let program = |word: &String| {
        visible(word.rsplit('/').next().unwrap_or_default()) == first || visible(word) == first
    };
    about.reading.commands.iter().any(|command| {
        command
            .words
            .first()
            .into_iter()
            .chain(&command.wrappers)
            .any(program)
    })
}

/// From where a command gets what it runs, if there is only one such place.
fn downloaded(about: About<'_>) -> String {
    let mut hosts: Vec<String> = about
        .reading
        .effects
        .iter()
        .filter_map(|effect| host(&effect.target))
        .collect();
    hosts.dedup();
    match hosts.as_slice() {
        [one] => format!("run what it downloads from {one}"),
        _ => "run what it downloads".to_owned(),
    }
}

/// A note as what somebody wants: "run what it downloads", "run `git reset`, which throws away changes".
fn of_note(about: About<'_>, part: Option<usize>, note: &str) -> String {
    let note = visible(note);
    let note = note.strip_prefix("it ").unwrap_or(&note);
    if let Some(words) = sentence::infinitive(note) {
        return words;
    }
    // "`git reset --hard` throws away changes" has its subject with it.
    let own = note
        .strip_prefix('`')
        .and_then(|rest| rest.split_once("` "));
    let own = own
        .filter(|(subject, rest)| sentence::is_predicate(rest) && starts_program(about, subject));
    match own {
        // The whole command says more than its first word.
        Some((subject, rest)) if !subject.contains(' ') => {
            format!("run {}, which {rest}", command_words(about, part))
        }
        Some((subject, rest)) => format!("run `{subject}`, which {rest}"),
        None if sentence::is_predicate(note) => {
            format!("run {}, which {note}", command_words(about, part))
        }
        None => format!("run {}", command_words(about, part)),
    }
}

fn of_effect(
    about: About<'_>,
    teller: &Teller<'_>,
    musts: &[String],
    effect: &Effect,
) -> Option<Candidate> {
    if effect.kind == EffectKind::Run && effect.manner.known_program {
        return None;
    }
    let weight = weight(about, musts, effect);
    let words = if effect.certain || matches!(effect.kind, EffectKind::Unknown) {
        certain(about, teller, effect)
    } else {
        format!(
            "run {}, which {}",
            command_words(about, effect.part),
            explain::effect(effect)
        )
    };
    Some(Candidate {
        weight,
        part: effect.part,
        words,
    })
}

fn certain(about: About<'_>, teller: &Teller<'_>, effect: &Effect) -> String {
    let place = || match &effect.target {
        Target::Path(place) => place_words(about.operation, &place.written, place.fact.as_ref()),
        Target::UnknownPath(written) => format!(
            "a file that is only known when it runs ({})",
            quoted(written)
        ),
        _ => "files".to_owned(),
    };
    let count = about
        .reading
        .effects
        .iter()
        .filter(|other| other.kind == effect.kind && other.part == effect.part && other.certain)
        .count();
    let others = if count > 1 && effect.place().is_some() {
        format!(" and {} more", count - 1)
    } else {
        String::new()
    };
    match effect.kind {
        EffectKind::Delete => format!("{}{others}", deleted(about, teller, effect)),
        EffectKind::Read if effect.manner.listing => format!("list {}{others}", place()),
        EffectKind::Read => format!("read {}{others}", place()),
        EffectKind::Write if effect.manner.moved_away => format!("move {}{others} away", place()),
        EffectKind::Write if effect.manner.makes_folder => {
            format!("make the folder {}{others}", place())
        }
        EffectKind::Write if effect.manner.repository => format!(
            "run {}, which changes git's data",
            command_words(about, effect.part)
        ),
        EffectKind::Write => format!("write {}{others}", place()),
        EffectKind::Connect => connection(about, effect),
        EffectKind::Signal => format!(
            "run {}, which signals a process",
            command_words(about, effect.part)
        ),
        EffectKind::Run | EffectKind::Unknown | EffectKind::Environment | EffectKind::Privilege => {
            match &effect.note {
                Some(note) => in_words(about, effect, note),
                None => format!("run {}", command_words(about, effect.part)),
            }
        }
    }
}

/// A note of an effect: what it does, and the command behind a colon.
fn in_words(about: About<'_>, effect: &Effect, note: &str) -> String {
    let words = of_note(about, effect.part, note);
    let others = about
        .reading
        .effects
        .iter()
        .filter(|other| other.part == effect.part && other.kind == EffectKind::Connect);
    let mut hosts: Vec<String> = others.filter_map(|other| host(&other.target)).collect();
    hosts.dedup();
    let words = match hosts.as_slice() {
        [one] if words == "ask another machine for something (GET)" => {
            return format!("fetch {one}");
        }
        [one] => words.replacen("another machine", one, 1),
        _ => words,
    };
    let names_command = words.starts_with("run `") || sentence::infinitive(note).is_none();
    if names_command {
        words
    } else {
        format!("{words}: {}", command_words(about, effect.part))
    }
}

fn connection(about: About<'_>, effect: &Effect) -> String {
    match host(&effect.target) {
        Some(host) => format!(
            "run {}, which connects to {host}",
            command_words(about, effect.part)
        ),
        None => format!(
            "run {}, which connects to another machine",
            command_words(about, effect.part)
        ),
    }
}

fn host(target: &Target) -> Option<String> {
    match target {
        Target::Url(url) => Some(named(&url.written)),
        // Our own words for a place, or what the command names: the latter cannot go on as a sentence of ours.
        Target::Host(host)
            if host.starts_with("the ")
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || b" '".contains(&byte)) =>
        {
            Some(host.clone())
        }
        Target::Host(host) => Some(named(host)),
        _ => None,
    }
}

fn weight(about: About<'_>, musts: &[String], effect: &Effect) -> Weight {
    let canonical = effect
        .place()
        .and_then(|place| place.fact.as_ref())
        .map(|fact| fact.canonical.as_str());
    let must = || canonical.is_some_and(|path| musts.iter().any(|told| names_path(told, path)));
    match effect.kind {
        EffectKind::Privilege => Weight::GainsRights,
        EffectKind::Delete => Weight::Deletes,
        _ if must() => Weight::MustAsk,
        EffectKind::Run | EffectKind::Unknown | EffectKind::Environment => Weight::Unknown,
        EffectKind::Read
            if canonical.is_none_or(|path| !below(path, about.operation.workspace())) =>
        {
            Weight::ReadsOutside
        }
        EffectKind::Read => Weight::Looks,
        EffectKind::Signal => Weight::Signals,
        EffectKind::Connect => Weight::Connects,
        EffectKind::Write => Weight::Changes,
    }
}

/// A push says what goes where, if its words are plain.
fn pushed(about: About<'_>, worst: &Candidate) -> Option<String> {
    if worst.weight >= Weight::MustAsk {
        return None;
    }
    let command = command(about, worst.part?)
        .filter(|command| command.literal && command.wrappers.is_empty())?;
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let ["git", "push", rest @ ..] = words.as_slice() else {
        return None;
    };
    let mut plain = rest.iter().filter(|word| {
        !matches!(
            **word,
            "-u" | "--set-upstream" | "-q" | "--quiet" | "-v" | "--verbose"
        )
    });
    let (remote, refs): (Option<&&str>, Vec<&&str>) = (plain.next(), plain.collect());
    let is_plain = |word: &str| !word.starts_with(['-', '+']) && !word.contains(':');
    match (remote, refs.as_slice()) {
        (None, _) => Some("push to the repository's remote".to_owned()),
        (Some(remote), []) if is_plain(remote) => Some(format!("push to {}", named(remote))),
        (Some(remote), [one]) if is_plain(remote) && is_plain(one) => {
            Some(format!("push {} to {}", quoted(one), named(remote)))
        }
        _ => None,
    }
}

fn command<'a>(about: About<'a>, part: usize) -> Option<&'a Command> {
    about.reading.commands.get(part)
}

/// The command in quotes: whole where it is short, or its first words.
fn command_words(about: About<'_>, part: Option<usize>) -> String {
    match part.and_then(|part| command(about, part)) {
        Some(command) if !command.words.is_empty() => shortened(&typed(command, usize::MAX)),
        _ => whole_line(about),
    }
}

fn whole_line(about: About<'_>) -> String {
    let text = about.operation.command().unwrap_or_default();
    shortened(&visible(text.lines().next().unwrap_or_default()))
}

/// Whole, or as many of its first words as fit, with a sign that there is more.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_COMMAND && !text.is_empty() {
        return format!("`{text}`");
    }
    let mut out = String::new();
    for word in text.split(' ') {
        if out.chars().count() + word.chars().count() + 1 > MAX_COMMAND {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    if out.is_empty() {
        "a command".to_owned()
    } else {
        format!("`{out} …`")
    }
}
