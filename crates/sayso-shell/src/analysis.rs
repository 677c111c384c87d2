//! Walks a text from its reading to a draft: wrappers off, the program looked up, its effects and dangers listed.

use sayso_core::analysis::draft::{Command, Danger, Draft, Opaque};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Target};
use sayso_core::analysis::fact::{Question, Shows};
use sayso_core::analysis::risk::Tier;

use crate::bash::tree::Document;
use crate::bash::{self, Refusal};
use crate::field::{self, Field};
use crate::folders::in_folder;
use crate::forms::{self, Carries};
use crate::hole;
use crate::lines::{self, Step};
use crate::options::{self, Parsed, Takes};
use crate::programs::{self, Program};
use crate::redirects as seen_redirects;
use crate::scene::{self, Closed, PLAIN, Scene};
use crate::variables::{is_locale_name, is_own_name};
use crate::wrappers::{self, identity};
use crate::{
    LONGEST, carrying, danger, helpers, normal, other_shells, runners, searches, seen, stale,
};

/// See [`crate::analyse`].
pub(crate) fn analyse(text: &str) -> Draft {
    analyse_inside(text, 0)
}

/// The same for a text that stands in so many other commands.
pub(crate) fn analyse_inside(text: &str, depth: usize) -> Draft {
    if text.len() > LONGEST {
        let reason = "the command is longer than 64 KiB".to_owned();
        return opaque(
            text,
            Refusal {
                reason,
                start: 0,
                end: text.len(),
            },
        );
    }
    let read = bash::read(text).and_then(|document| Ok((lines::steps(&document, text)?, document)));
    let (steps, document) = match read {
        Ok((steps, _)) if steps.is_empty() => {
            return opaque(
                text,
                Refusal {
                    reason: "there is no command".to_owned(),
                    start: 0,
                    end: text.len(),
                },
            );
        }
        Ok(read) => read,
        Err(refusal) => return opaque(text, refusal),
    };
    let together = steps.len() > 1
        || steps
            .iter()
            .any(|step| !step.writes.is_empty() || !step.reads.is_empty());
    let mut draft = Draft {
        effects: Vec::with_capacity(2 * steps.len()),
        questions: Vec::with_capacity(2 * steps.len()),
        commands: Vec::with_capacity(steps.len()),
        ..Draft::default()
    };
    if steps.iter().any(|step| {
        step.folders
            .list()
            .iter()
            .any(|folder| hole::below_top(folder).is_some())
    }) {
        draft.top = Some(draft.ask(Question::GitHelpers {
            folder: ".".to_owned(),
            shows: Shows::default(),
        }));
    }
    for (part, step) in steps.into_iter().enumerate() {
        if let Err(refusal) = plain(&mut draft, part, step, depth) {
            return opaque(text, refusal);
        }
    }
    stale::forget_lists(&mut draft);
    draft.ordered = stale::is_ordered(text);
    if draft.opaque.is_some() {
        show_inside(text, &mut draft);
    } else if together && acts(&draft) {
        // What several commands do together: a download into a shell, a device behind a redirect. Bodies of heredocs are data here.
        let bare = without_bodies(text, &document);
        add_dangers(&mut draft, danger::of_text(&bare, &seen::look(&bare)));
    }
    if draft.opaque.is_none() && text.contains("<<") && danger::run_their_input(&draft.commands) {
        add_dangers(&mut draft, danger::of_text(text, &seen::look(text)));
    }
    draft
}

/// Whether any part does more than look and run a program of the table: only then can several parts do harm together.
fn acts(draft: &Draft) -> bool {
    draft.commands.iter().any(|command| command.interprets)
        || draft.effects.iter().any(|effect| match effect.kind {
            EffectKind::Read => !matches!(effect.target, Target::Path(_)),
            EffectKind::Run => false,
            // Errors that nobody wants to see go there in every other line.
            EffectKind::Write => effect
                .place()
                .is_none_or(|place| place.written != "/dev/null"),
            _ => true,
        })
}

/// The text with the bodies of its heredocs taken out.
fn without_bodies(text: &str, document: &Document) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for body in &document.bodies {
        out.push_str(text.get(at..body.start).unwrap_or_default());
        at = body.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn add_dangers(draft: &mut Draft, dangers: Vec<Danger>) {
    for danger in dangers {
        let known = |other: &Danger| other.what == danger.what;
        // A recursive delete that an effect shows is told once, and a rule for the effect can settle it.
        let shown = danger.tier == Tier::Dangerous
            && draft
                .dangers
                .iter()
                .any(|other| other.shown_by_effect && known(other));
        if !shown && !draft.dangers.iter().any(known) {
            draft.dangers.push(danger);
        }
    }
}

/// A text that could not be read: only what can be seen in it is kept.
fn opaque(text: &str, refusal: Refusal) -> Draft {
    let refusal = match other_shells::named(text) {
        Some(shell) => Refusal {
            reason: format!("it looks like {shell}, which is not read"),
            ..refusal
        },
        None => refusal,
    };
    let seen = seen::look(text);
    let dangers = danger::of_text(text, &seen);
    let effects = vec![Effect::unknown(refusal.reason.clone())];
    let mut draft = Draft {
        effects,
        dangers,
        ..Draft::default()
    };
    seen_redirects::list(&mut draft, text, &seen);
    draft.opaque = Some(Opaque {
        reason: refusal.reason,
        start: refusal.start,
        end: refusal.end,
        seen: seen::rows(text, seen),
    });
    draft
}

/// One plain command, with its redirects.
fn plain(draft: &mut Draft, part: usize, line: Step, depth: usize) -> Result<(), Refusal> {
    if let Some(name) = &line.shows {
        let note = format!("`{name}` of the environment may hold a secret");
        draft.effects.push(Effect {
            part: Some(part),
            at: Some((line.start, line.end)),
            ..Effect::unknown(note)
        });
        draft.commands.push(Command {
            literal: true,
            ..Command::default()
        });
        return Ok(());
    }
    if line.endless {
        draft.effects.push(Effect {
            part: Some(part),
            at: Some((line.start, line.end)),
            ..Effect::unknown("it runs without end")
        });
    }
    if let Some(names) = &line.hands_on {
        for folder in line.folders.list() {
            scene::hand_on(draft, folder, names, line.whole);
        }
        draft.commands.push(Command {
            literal: true,
            ..Command::default()
        });
        return Ok(());
    }
    let before = draft.effects.len();
    redirects(draft, part, &line);
    let fields = line.words.as_slice();
    // How `read` parts its input concerns nobody else.
    let reads = fields.first().is_some_and(|first| first.value == "read");
    for (variable, value) in line
        .assignments
        .iter()
        .filter(|(variable, _)| !(reads && variable == "IFS"))
    {
        environment(draft, part, variable, value, fields.is_empty());
    }
    if fields.is_empty() {
        // It only redirects or sets variables of its own.
        let manner = Manner {
            known_program: true,
            ..PLAIN
        };
        draft.effects.push(Effect {
            manner,
            part: Some(part),
            at: Some((line.start, line.end)),
            ..Effect::new(EffectKind::Run, Target::Command)
        });
        draft.commands.push(Command {
            literal: true,
            ..Command::default()
        });
        return Ok(());
    }
    let refuse = |reason: String| Refusal {
        reason,
        start: line.start,
        end: line.end,
    };
    let unwrapped = wrappers::unwrap(fields).map_err(refuse)?;
    let own = fields.get(unwrapped.start..).unwrap_or(&[]);
    let Some(first) = own.first() else {
        return Err(refuse("a wrapper has no command".to_owned()));
    };
    let written = first.value.as_str();
    let Some(asked) = in_first_folder(line.folders.list(), written) else {
        return Err(Refusal {
            reason: format!("`{}` is only known when it runs", first.shown()),
            start: first.start,
            end: first.end,
        });
    };
    let name = identity(written);
    if line.background {
        draft.effects.push(Effect {
            part: Some(part),
            ..Effect::unknown("it goes on in the background")
        });
    }
    for (variable, value) in &unwrapped.assignments {
        environment(draft, part, variable, value, false);
    }
    privilege(draft, part, &unwrapped.wrappers);
    let literal = fields.iter().all(|field| hole::is_literal(&field.value));
    draft.parted |= !literal
        && fields
            .iter()
            .any(|field| field.value.contains(hole::PARTED));
    let odd = |folder: &String| {
        folder.contains(|letter: char| letter.is_whitespace() || "*?[\\".contains(letter))
    };
    if draft.parted && line.folders.list().iter().any(odd) {
        draft.effects.push(Effect {
            part: Some(part),
            ..Effect::unknown("the name of a folder stands there without quotes and is parted")
        });
    }

    let program = programs::find(name);
    // A wrapper that is a program of its own cannot start a builtin, only a program of the same name.
    let mut in_shell = !line.started;
    let mut wrapper_programs = Vec::new();
    for (wrapper, start) in unwrapped.wrappers.iter().zip(&unwrapped.starts) {
        let written = fields
            .get(*start)
            .map_or(wrapper.as_str(), |field| field.value.as_str());
        // `time` is a word of the shell only where a command starts; `command time` is the program.
        let word_of_shell = in_shell
            && (matches!(written, "command" | "builtin" | "exec")
                || (written == "time" && *start == 0));
        in_shell &= word_of_shell && written != "exec";
        if !word_of_shell && let Some(name) = in_first_folder(line.folders.list(), written) {
            wrapper_programs.push(draft.ask(Question::Program { name }));
        }
    }
    let builtin = in_shell && name == written && program.is_some_and(|program| program.builtin);
    let question = (!builtin).then(|| draft.ask(Question::Program { name: asked }));

    let mut scene = Scene::new(draft, part, line.folders.list(), own, name);
    scene.read_inside = line.read_inside;
    scene.is_cut = line.cut
        || unwrapped
            .wrappers
            .iter()
            .any(|wrapper| wrapper == "timeout");
    scene.fed = line.fed;
    scene.applet = unwrapped
        .wrappers
        .last()
        .is_some_and(|wrapper| matches!(wrapper.as_str(), "busybox" | "toybox"));
    for folder in fields.iter().filter_map(field::listed_folder) {
        scene.list(&folder.value);
    }
    if unwrapped.wrappers.iter().any(|wrapper| wrapper == "nohup") {
        scene.write("nohup.out");
    }
    let mut arguments: Vec<&str> = own
        .iter()
        .skip(1)
        .map(|field| field.value.as_str())
        .collect();
    if line.read_inside {
        arguments = runners::without_commands(name, arguments);
    }
    let parsed = program.map(|program| read_options(program, &arguments));
    match program.zip(parsed.as_ref()) {
        Some((program, _))
            if !program.builtin
                && programs::queries::tells_about_itself(&mut scene, &arguments) => {}
        Some((program, parsed)) => {
            perform(program, &mut scene, parsed);
            for other in programs::others(name) {
                scene.read_again(|scene| (other.meaning)(scene, &read_options(other, &arguments)));
            }
        }
        None => scene.unknown(format!("`{}` is not a known program", hole::shown(name))),
    }
    let Closed {
        name,
        interprets,
        git,
        here,
    } = scene.close();
    wrapper_programs.extend(helpers::of(&name, &arguments).map(|name| {
        draft.ask(Question::Program {
            name: name.to_owned(),
        })
    }));
    let interprets = interprets || line.read_inside;
    let unclear = draft
        .effects
        .last()
        .is_some_and(|run| run.kind == EffectKind::Run && !run.manner.known_program);
    // The table may know what a program is for, and not what each of its words leads to: `kubectl get -f FILE`.
    let effects = draft.effects.get(before..).unwrap_or(&[]);
    let reaches_out = effects
        .iter()
        .any(|effect| matches!(effect.kind, EffectKind::Connect | EffectKind::Unknown));
    let open = reaches_out
        && (matches!(name.as_str(), "git" | "curl" | "wget") || !programs::is_modelled(&name));
    let mut found = carrying::Found::default();
    if (unclear || open) && !line.read_inside {
        let at = (line.start, line.end);
        let command = carrying::Command {
            part,
            name: &name,
            words: &arguments,
            folders: line.folders.list(),
            at,
            depth,
        };
        found = carrying::look_into(draft, &command);
    }
    if unclear {
        runs_in(draft, part, &line);
    }
    searches::searches(draft, part, &name, &arguments, &here);

    // The words with the wrappers are needed only where there are any.
    let all: Vec<String> = if unwrapped.starts.is_empty() {
        Vec::new()
    } else {
        fields.iter().map(Field::shown).collect()
    };
    // What was read above is what a rule would see, unless a word is shown in another way.
    let same = program.is_some_and(|program| program.options.is_some())
        && own.iter().all(Field::is_plain)
        && own.len() == arguments.len() + 1
        && !arguments.iter().any(|word| normal::is_pattern(word));
    let normal = parsed
        .filter(|_| same)
        .map(|parsed| normal::of_parsed(&name, &parsed));
    let is_fresh = |word: &&str| {
        word.trim_end_matches(hole::PARTED)
            .chars()
            .eq([hole::FRESH])
    };
    let removed: Vec<bool> = arguments
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(is_fresh)
        .collect();
    let words = shown_words(line.words, unwrapped.start, &name);

    let leaves_alone = program.is_some_and(|program| !program.interprets) && !interprets;
    let own_effects = draft.effects.get(before..).unwrap_or(&[]);
    let deletes_below = own_effects
        .iter()
        .any(|effect| effect.kind == EffectKind::Delete && effect.manner.recursive);
    // What was made for this line alone is nobody's loss.
    let takes_fresh = name == "rm"
        && leaves_alone
        && removed.iter().all(|is_fresh| *is_fresh)
        && !removed.is_empty();
    let dangers = if takes_fresh {
        Vec::new()
    } else {
        danger::of_command(&words, leaves_alone)
    };
    for danger in dangers {
        let shown_by_effect =
            leaves_alone && deletes_below && name == "rm" && danger.tier == Tier::Dangerous;
        draft.dangers.push(Danger {
            part: Some(part),
            shown_by_effect,
            ..danger
        });
    }
    let carries = match program {
        Some(_) if leaves_alone => Carries::Nothing,
        Some(_) if programs::is_only_named(&name) => Carries::Perhaps,
        None if !wrappers::takes_command(&name) => Carries::Perhaps,
        _ => Carries::Command,
    };
    let mut stages = forms::of_command(&all, &unwrapped.starts, &words, carries);
    stages.extend(forms::of_carried(&line.carries));
    stages.append(&mut found.stages);
    for carried in &line.carries {
        let leaves_alone = carried
            .first()
            .and_then(|first| programs::find(identity(first)))
            .is_some_and(|program| !program.interprets);
        let dangers = danger::of_command(carried, leaves_alone)
            .into_iter()
            .map(|danger| Danger {
                part: Some(part),
                ..danger
            });
        add_dangers(draft, dangers.collect());
    }
    for (variable, value) in line.assignments.iter().chain(&unwrapped.assignments) {
        add_dangers(
            draft,
            danger::of_variable(variable, value)
                .into_iter()
                .map(|danger| Danger {
                    part: Some(part),
                    ..danger
                })
                .collect(),
        );
    }
    let assignments = line
        .assignments
        .into_iter()
        .chain(unwrapped.assignments)
        .map(|(variable, _)| variable)
        .collect();
    draft.commands.push(Command {
        normal: normal.unwrap_or_else(|| normal::normal(&words)),
        words,
        stages,
        wrappers: unwrapped.wrappers,
        program: question,
        wrapper_programs,
        git,
        folders: line
            .folders
            .list()
            .iter()
            .map(|folder| scene::asked(folder).unwrap_or_else(|| hole::shown(folder)))
            .collect(),
        literal,
        modelled: programs::is_modelled(&name),
        assignments,
        interprets,
        leads: found.leads,
        carried: found.carried,
        runs: found.runs,
    });
    Ok(())
}

/// A program that does what files around it say, behind a `cd`: what it finds there is another project.
fn runs_in(draft: &mut Draft, part: usize, line: &Step) {
    for folder in line
        .folders
        .list()
        .iter()
        .filter(|folder| !folder.is_empty())
    {
        let target = scene::target(draft, folder, false, false);
        let manner = Manner {
            listing: true,
            ..PLAIN
        };
        let effect = Effect::new(EffectKind::Read, target);
        draft.effects.push(Effect {
            manner,
            certain: false,
            part: Some(part),
            at: Some((line.start, line.end)),
            ..effect
        });
    }
}

/// The words of a command without its wrappers, as a person reads them, and the program by its plain name.
fn shown_words(fields: Vec<Field>, start: usize, name: &str) -> Vec<String> {
    let mut words: Vec<String> = fields
        .into_iter()
        .skip(start)
        .map(Field::into_shown)
        .collect();
    if let (Some(shown), true) = (words.first_mut(), hole::is_literal(name)) {
        name.clone_into(shown);
    }
    words
}

/// A program by a path is found from the folder the command runs in; none if that is not known. Where that may be one of several, the
/// program is not known in any case.
fn in_first_folder(folders: &[String], name: &str) -> Option<String> {
    let folder = folders.first().map_or("", String::as_str);
    if name.contains('/') {
        scene::asked(&in_folder(folder, name))
    } else {
        hole::is_literal(name).then(|| name.to_owned())
    }
}

/// Each file of a redirect is read or written, whatever the command does with it.
fn redirects(draft: &mut Draft, part: usize, step: &Step) {
    let reads = step.reads.iter().map(|path| (EffectKind::Read, path));
    for (kind, field) in reads.chain(step.writes.iter().map(|path| (EffectKind::Write, path))) {
        let at = Some((field.start, field.end));
        let path = field.value.as_str();
        if is_network_file(path) {
            draft.effects.push(Effect {
                part: Some(part),
                at,
                ..Effect::new(EffectKind::Connect, Target::Host(hole::shown(path)))
            });
            draft.effects.push(Effect {
                part: Some(part),
                at,
                ..Effect::unknown("bash opens a connection for such a path")
            });
            continue;
        }
        // What goes to another command of the line is judged there.
        if path.starts_with(hole::PIPE) && path.chars().count() == 1 {
            continue;
        }
        for folder in step.folders.list() {
            let (path, only) =
                hole::below(path).map_or((path, None), |(folder, only)| (folder, Some(only)));
            let target = scene::target(draft, &in_folder(folder, path), false, false);
            if let (Some(only), Target::Path(place)) = (only, &target) {
                scene::search(
                    draft,
                    place.question,
                    scene::as_listed(only),
                    scene::names(only),
                );
            }
            let manner = Manner {
                redirect: true,
                recursive: only.is_some(),
                ..PLAIN
            };
            draft.effects.push(Effect {
                manner,
                part: Some(part),
                at,
                ..Effect::new(kind, target)
            });
        }
    }
}

fn is_network_file(path: &str) -> bool {
    ["/dev/tcp/", "/dev/udp/", "/inet/"]
        .iter()
        .any(|start| path.starts_with(start))
}

/// Puts in what can be seen of the script inside a command.
fn show_inside(text: &str, draft: &mut Draft) {
    let seen = seen::look(text);
    seen_redirects::list(draft, text, &seen);
    add_dangers(draft, danger::of_text(text, &seen));
    if let Some(opaque) = &mut draft.opaque {
        opaque.end = text.len();
        opaque.seen = seen::rows(text, seen);
    }
}

/// The words of a known program; without a table, all of them are operands.
fn read_options<'a>(program: &Program, arguments: &[&'a str]) -> Parsed<'a> {
    match program.options {
        Some(table) => options::read(table, arguments, false),
        None => Parsed {
            operands: arguments.to_vec(),
            ..Parsed::default()
        },
    }
}

/// Lists the effects of a known program.
/// Programs that tell of the files in their operands, and open none of them.
const ONLY_NAMES: [&str; 7] = ["ls", "dir", "vdir", "stat", "du", "realpath", "readlink"];

fn perform(program: &Program, scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if let Some(word) = parsed.unknown.first() {
        let shown = scene.shown(word);
        let note = if word.starts_with('-') {
            format!("the option `{shown}` of `{}` is not known", scene.name)
        } else {
            format!(
                "`{shown}` may be an option of `{}`, which shows only when it runs",
                scene.name
            )
        };
        scene.unlisted_word(word, note);
    }
    let doubtful = |word: &&&str| {
        if program.options.is_some() {
            hole::may_be_several(word)
        } else {
            !hole::is_literal(word)
        }
    };
    if let Some(word) = parsed.operands.iter().find(doubtful) {
        scene.unsettle(word);
    }
    scene.stops_early = stops_early(&scene.name, parsed);
    paths_of_options(scene, parsed);
    if !OPTIONS_ANYWHERE.contains(&scene.name.as_str()) {
        late_options(scene, parsed);
    }
    scene.only_names = ONLY_NAMES.contains(&scene.name.as_str());
    scene.only_counts = scene.name == "wc";
    (program.meaning)(scene, parsed);
    // A name that a pattern stands for may be an option, whatever the operand is for.
    if program.options.is_some() {
        let before_dashes = parsed.before_dashes.unwrap_or(parsed.operands.len());
        for word in parsed
            .operands
            .iter()
            .take(before_dashes)
            .filter(|word| hole::is_glob(word) && hole::may_be_option(word))
        {
            scene.look_at_names(word);
        }
    }
}

/// Whether a program takes only so many bytes; `-5` and `+5` mean all but some.
fn stops_early(name: &str, parsed: &Parsed<'_>) -> bool {
    let option = match name {
        "head" | "cmp" => "--bytes",
        "od" => "--read-bytes",
        "hexdump" | "hd" => "--length",
        _ => return false,
    };
    parsed
        .value(option)
        .is_some_and(|count| count.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// Programs that take their options anywhere on every system, since they read them by themselves.
const OPTIONS_ANYWHERE: [&str; 13] = [
    "curl", "wget", "rg", "fd", "fdfind", "bat", "batcat", "exa", "eza", "b3sum", "tree",
    "xmllint", "ag",
];

/// Words that may be files to a program that wants its options first. A number that is not known yet can be no file that anybody hides.
pub(crate) fn late_options(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.late {
        let known = word.replace([hole::NUMBER, hole::COMMIT], "0");
        // What starts like an option and is not known whole is told as such already.
        if known.starts_with('-') && !hole::is_literal(&known) {
            continue;
        }
        let manner = Manner {
            maybe_option: true,
            ..Manner::default()
        };
        scene.path(
            EffectKind::Read,
            if known == *word { word } else { &known },
            false,
            manner,
        );
        scene.doubt();
    }
}

/// The paths that stand as values of options.
pub(crate) fn paths_of_options(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for given in &parsed.options {
        match (given.takes, given.value) {
            (Takes::ReadPath, Some(path)) => scene.read(path, false),
            (Takes::WritePath, Some(path)) => scene.write(path),
            _ => {}
        }
    }
}

/// A variable that is set for the command, or for the shell. Most can make a harmless program run another one.
fn environment(draft: &mut Draft, part: usize, variable: &str, value: &str, for_shell: bool) {
    // A variable of the shell is set for the programs that follow only if the environment has it.
    if is_harmless_variable(variable, value) || for_shell && is_own_name(variable) {
        return;
    }
    let note = format!("sets `{variable}`, which may change what runs");
    let environment = Effect::new(EffectKind::Environment, Target::Nothing);
    draft.effects.push(Effect {
        part: Some(part),
        note: Some(note.clone()),
        ..environment
    });
    draft.effects.push(Effect {
        part: Some(part),
        ..Effect::unknown(note)
    });
}

pub(crate) fn is_harmless_variable(variable: &str, value: &str) -> bool {
    const HARMLESS: [&str; 20] = [
        "LANG",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "FORCE_COLOR",
        "COLUMNS",
        "LINES",
        "TERM",
        "COLORTERM",
        "TZ",
        "CI",
        "NODE_ENV",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "CARGO_TERM_COLOR",
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "GIT_TERMINAL_PROMPT",
        "GIT_OPTIONAL_LOCKS",
        "DEBIAN_FRONTEND",
    ];
    // A pager that is none.
    if matches!(
        variable,
        "PAGER" | "GIT_PAGER" | "MANPAGER" | "SYSTEMD_PAGER"
    ) {
        return matches!(value, "" | "cat");
    }
    // Some of these name files: a path in the value would be read.
    let plain = value.bytes().all(|byte| {
        byte.is_ascii_alphanumeric()
            || b"_.@+,:=-".contains(&byte)
            || (byte == b'/' && variable == "TZ")
    });
    let inside = !value.trim_start_matches(':').starts_with('/') && !value.contains("..");
    plain && inside && (HARMLESS.contains(&variable) || is_locale_name(variable))
}

fn privilege(draft: &mut Draft, part: usize, wrappers: &[String]) {
    for wrapper in wrappers
        .iter()
        .filter(|wrapper| matches!(wrapper.as_str(), "sudo" | "doas"))
    {
        let what = format!("gains rights by `{wrapper}`");
        let gain = Effect::new(EffectKind::Privilege, Target::Nothing);
        draft.effects.push(Effect {
            part: Some(part),
            note: Some(what.clone()),
            ..gain
        });
        draft.dangers.push(Danger {
            tier: Tier::Dangerous,
            what,
            part: Some(part),
            shown_by_effect: false,
        });
    }
}
