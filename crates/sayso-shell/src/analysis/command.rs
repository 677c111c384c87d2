//! One plain command of a text: wrappers off, the program looked up, its effects and dangers put into the draft.

use sayso_core::analysis::draft::{Command, Danger, Draft};
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Target};
use sayso_core::analysis::fact::Question;
use sayso_core::analysis::risk::Tier;

use super::environment::{environment, privilege};
use super::redirect_effects::redirects;
use super::{add_dangers, carried};
use crate::expand::commands::Step;
use crate::expand::directories::in_folder;
use crate::expand::launchers;
use crate::expand::wrappers::{self, WrapperError, identity};
use crate::parse::bash::Refusal;
use crate::parse::field::{self, Field};
use crate::parse::{options, placeholder};
use crate::programs::effect_builder::{self, Closed, PLAIN, Scene};
use crate::programs::perform::{perform, read_options};
use crate::programs::rule_forms::{self, Carries};
use crate::programs::{helpers, normal_form, searches};
use crate::{danger, programs};

/// One plain command, with its redirects.
pub(super) fn plain(
    draft: &mut Draft,
    part: usize,
    line: Step,
    depth: usize,
) -> Result<(), Refusal> {
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
            effect_builder::hand_on(draft, folder, names, line.whole);
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
    let unwrapped = wrappers::unwrap(fields).map_err(|error| refuse(error.to_string()))?;
    let own = fields.get(unwrapped.start..).unwrap_or(&[]);
    let Some(first) = own.first() else {
        return Err(refuse(WrapperError::NoCommand.to_string()));
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
    let literal = fields
        .iter()
        .all(|field| placeholder::is_literal(&field.value));
    draft.parted |= !literal
        && fields
            .iter()
            .any(|field| field.value.contains(placeholder::PARTED));
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
        arguments = launchers::without_commands(name, arguments);
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
        None => scene.unknown(format!(
            "`{}` is not a known program",
            placeholder::shown(name)
        )),
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
    let mut found = carried::Found::default();
    if (unclear || open) && !line.read_inside {
        let at = (line.start, line.end);
        let command = carried::Command {
            part,
            name: &name,
            words: &arguments,
            folders: line.folders.list(),
            at,
            depth,
        };
        found = carried::look_into(draft, &command);
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
        && !arguments.iter().any(|word| options::is_pattern(word));
    let normal = parsed
        .filter(|_| same)
        .map(|parsed| normal_form::of_parsed(&name, &parsed));
    let is_fresh = |word: &&str| {
        word.trim_end_matches(placeholder::PARTED)
            .chars()
            .eq([placeholder::FRESH])
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
    let mut stages = rule_forms::of_command(&all, &unwrapped.starts, &words, carries);
    stages.extend(rule_forms::of_carried(&line.carries));
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
        normal: normal.unwrap_or_else(|| normal_form::normal(&words)),
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
            .map(|folder| {
                effect_builder::asked(folder).unwrap_or_else(|| placeholder::shown(folder))
            })
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
        let target = effect_builder::target(draft, folder, false, false);
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
    if let (Some(shown), true) = (words.first_mut(), placeholder::is_literal(name)) {
        name.clone_into(shown);
    }
    words
}

/// A program by a path is found from the folder the command runs in; none if that is not known. Where that may be one of several, the
/// program is not known in any case.
fn in_first_folder(folders: &[String], name: &str) -> Option<String> {
    let folder = folders.first().map_or("", String::as_str);
    if name.contains('/') {
        effect_builder::asked(&in_folder(folder, name))
    } else {
        placeholder::is_literal(name).then(|| name.to_owned())
    }
}
