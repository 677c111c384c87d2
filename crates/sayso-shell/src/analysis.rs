//! Walks a text from its reading to a draft: wrappers off, the program looked up, its effects and dangers listed.

use sayso_core::draft::{Command, Danger, Draft, Opaque};
use sayso_core::effect::{Effect, EffectKind, Manner, Place, Target};
use sayso_core::fact::{Question, Search};
use sayso_core::verdict::Tier;

use crate::bash::tree::Document;
use crate::bash::{self, Refusal};
use crate::forms::{self, Carries};
use crate::lines::{self, Step};
use crate::options::{self, Parsed, Takes};
use crate::programs::{self, Program};
use crate::redirects as seen_redirects;
use crate::scene::{PLAIN, Scene, in_folder};
use crate::wrappers::{self, identity};
use crate::{LONGEST, danger, normal, seen};

/// See [`crate::analyse`].
pub(crate) fn analyse(text: &str) -> Draft {
    if text.len() > LONGEST {
        let reason = "the command is longer than 64 KiB".to_owned();
        return opaque(text, Refusal { reason, start: 0, end: text.len() });
    }
    let read = bash::read(text).and_then(|document| Ok((lines::steps(&document, text)?, document)));
    let (steps, document) = match read {
        Ok((steps, _)) if steps.is_empty() => {
            return opaque(text, Refusal { reason: "there is no command".to_owned(), start: 0, end: text.len() });
        }
        Ok(read) => read,
        Err(refusal) => return opaque(text, refusal),
    };
    let together = steps.len() > 1 || steps.iter().any(|step| !step.writes.is_empty());
    let mut draft = Draft::default();
    for (part, step) in steps.into_iter().enumerate() {
        if let Err(reason) = plain(&mut draft, part, step) {
            return opaque(text, Refusal { reason, start: 0, end: text.len() });
        }
    }
    if draft.opaque.is_some() {
        show_inside(text, &mut draft);
    } else if together {
        // What several commands do together: a download into a shell, a device behind a redirect. Bodies of heredocs are data here.
        let bare = without_bodies(text, &document);
        add_dangers(&mut draft, danger::of_text(&bare, &seen::look(&bare)));
    }
    draft
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
        let shown = danger.tier == Tier::Dangerous && draft.dangers.iter().any(|other| other.shown_by_effect && known(other));
        if !shown && !draft.dangers.iter().any(known) {
            draft.dangers.push(danger);
        }
    }
}

/// A text that could not be read: only what can be seen in it is kept.
fn opaque(text: &str, refusal: Refusal) -> Draft {
    let seen = seen::look(text);
    let dangers = danger::of_text(text, &seen);
    let effects = vec![Effect::unknown(refusal.reason.clone())];
    let mut draft = Draft { effects, dangers, ..Draft::default() };
    seen_redirects::list(&mut draft, text, &seen);
    draft.opaque = Some(Opaque { reason: refusal.reason, start: refusal.start, end: refusal.end, seen: seen.rows() });
    draft
}

/// One plain command, with its redirects.
fn plain(draft: &mut Draft, part: usize, step: Step) -> Result<(), String> {
    redirects(draft, part, &step);
    if step.words.is_empty() {
        draft.commands.push(Command { literal: true, ..Command::default() });
        return Ok(());
    }
    let line = step;
    let unwrapped = wrappers::unwrap(&line.words)?;
    let mut words = line.words.get(unwrapped.start..).unwrap_or(&[]).to_vec();
    let Some(written) = words.first().cloned() else { return Err("a wrapper has no command".to_owned()) };
    let name = identity(&written).to_owned();
    if let Some(first) = words.first_mut() {
        first.clone_from(&name);
    }
    if line.background {
        draft.effects.push(Effect { part: Some(part), ..Effect::unknown("it goes on in the background") });
    }
    for (variable, value) in line.assignments.iter().chain(&unwrapped.assignments) {
        environment(draft, part, variable, value);
    }
    privilege(draft, part, &unwrapped.wrappers);

    let program = programs::find(&name);
    // A wrapper that is a program of its own cannot start a builtin, only a program of the same name.
    let mut in_shell = true;
    let mut wrapper_programs = Vec::new();
    for (wrapper, start) in unwrapped.wrappers.iter().zip(&unwrapped.starts) {
        let written = line.words.get(*start).unwrap_or(wrapper);
        // `time` is a word of the shell only where a command starts; `command time` is the program.
        in_shell &= written == "command" || (written == "time" && *start == 0);
        if !in_shell {
            wrapper_programs.push(draft.ask(Question::Program { name: in_first_folder(&line.folders, written) }));
        }
    }
    let builtin = in_shell && name == written && program.is_some_and(|program| program.builtin);
    let question = (!builtin).then(|| draft.ask(Question::Program { name: in_first_folder(&line.folders, &written) }));

    let mut scene = Scene::new(draft, part, &line.folders, &name);
    if unwrapped.wrappers.iter().any(|wrapper| wrapper == "nohup") {
        scene.write("nohup.out");
    }
    let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    match program {
        Some(program) => perform(program, &mut scene, &arguments),
        None => scene.unknown(format!("`{name}` is not a known program")),
    }
    let (interprets, git) = scene.close();

    searches(draft, part, &name, &arguments);

    let leaves_alone = program.is_some_and(|program| !program.interprets) && !interprets;
    let deletes_below =
        draft.effects.iter().any(|effect| effect.part == Some(part) && effect.kind == EffectKind::Delete && effect.manner.recursive);
    for danger in danger::of_command(&words, leaves_alone) {
        let shown_by_effect = leaves_alone && deletes_below && name == "rm" && danger.tier == Tier::Dangerous;
        draft.dangers.push(Danger { part: Some(part), shown_by_effect, ..danger });
    }
    let carries = match program {
        Some(_) if leaves_alone => Carries::Nothing,
        None if !wrappers::takes_command(&name) => Carries::Perhaps,
        _ => Carries::Command,
    };
    let stages = forms::of_command(&line.words, &unwrapped.starts, &words, carries);
    let assignments = line.assignments.into_iter().chain(unwrapped.assignments).map(|(variable, _)| variable).collect();
    draft.commands.push(Command {
        normal: normal::normal(&words),
        words,
        stages,
        wrappers: unwrapped.wrappers,
        program: question,
        wrapper_programs,
        git,
        folders: line.folders,
        literal: true,
        modelled: programs::is_modelled(&name),
        assignments,
        interprets,
    });
    Ok(())
}

/// A program by a path is found from the folder the command runs in. Where that may be one of several, the program is not known in any case.
fn in_first_folder(folders: &[String], name: &str) -> String {
    let folder = folders.first().map_or("", String::as_str);
    if name.contains('/') { in_folder(folder, name) } else { name.to_owned() }
}

/// Each file of a redirect is read or written, whatever the command does with it.
fn redirects(draft: &mut Draft, part: usize, step: &Step) {
    let reads = step.reads.iter().map(|path| (EffectKind::Read, path));
    for (kind, path) in reads.chain(step.writes.iter().map(|path| (EffectKind::Write, path))) {
        if is_network_file(path) {
            draft.effects.push(Effect { part: Some(part), ..Effect::new(EffectKind::Connect, Target::Host(path.clone())) });
            draft.effects.push(Effect { part: Some(part), ..Effect::unknown("bash opens a connection for such a path") });
            continue;
        }
        for folder in &step.folders {
            let written = in_folder(folder, path);
            let question = draft.ask(Question::Path { path: written.clone(), no_follow: false });
            let target = Target::Path(Place { written, question, fact: None });
            let manner = Manner { redirect: true, ..PLAIN };
            draft.effects.push(Effect { manner, part: Some(part), ..Effect::new(kind, target) });
        }
    }
}

fn is_network_file(path: &str) -> bool {
    ["/dev/tcp/", "/dev/udp/", "/inet/"].iter().any(|start| path.starts_with(start))
}

/// Puts in what can be seen of the script inside a command.
fn show_inside(text: &str, draft: &mut Draft) {
    let seen = seen::look(text);
    seen_redirects::list(draft, text, &seen);
    add_dangers(draft, danger::of_text(text, &seen));
    if let Some(opaque) = &mut draft.opaque {
        opaque.end = text.len();
        opaque.seen = seen.rows();
    }
}

/// Whether a bundle of short options has one of these letters.
fn short(word: &str, letters: &[char]) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(letters)
}

/// Programs that show what is in all files below a folder; others that go deep only show names.
fn searches(draft: &mut Draft, part: usize, name: &str, arguments: &[&str]) {
    let has = |starts: &[&str], letters: &[char]| {
        arguments.iter().any(|word| starts.iter().any(|start| word.starts_with(start)) || short(word, letters))
    };
    let (hidden, follow, ignored) = match name {
        "grep" | "egrep" | "fgrep" => (true, has(&["--deref"], &['R']), true),
        "diff" => (true, true, true),
        // Without options these leave hidden files alone; a pattern for names brings them back.
        "rg" | "ag" | "ack" => {
            let hidden = has(&["--hid", "--no-i", "--glob", "--iglob", "--unr", "--all"], &['.', 'u', 'g', 'a']);
            let ignored = match name {
                "rg" => has(&["--no-i", "--glob", "--iglob", "--unr"], &['u', 'g']),
                "ag" => has(&["--all", "--unr", "--skip"], &['u', 'a', 'U', 't']),
                // It does not know what git ignores.
                _ => true,
            };
            (hidden, has(&["--fol"], &['L', 'f']), ignored)
        }
        // What git tracks is the project's own; the rest is only searched when asked for.
        "git" if arguments.contains(&"grep") && has(&["--untr", "--no-index", "--no-excl"], &[]) => {
            (true, true, has(&["--no-index", "--no-excl"], &[]))
        }
        _ => return,
    };
    // The folders of `diff --from-file` stand as values of options, where no effect goes deep by itself.
    let below =
        |effect: &Effect| effect.part == Some(part) && effect.kind == EffectKind::Read && (effect.manner.recursive || name == "diff");
    let folders: Vec<String> =
        draft.effects.iter().filter(|effect| below(effect)).filter_map(|effect| Some(effect.place()?.written.clone())).collect();
    for folder in folders {
        draft.ask_search(&folder, Search { hidden, follow, ignored, words: false });
    }
}

/// Lists the effects of a known program.
fn perform(program: &Program, scene: &mut Scene<'_>, arguments: &[&str]) {
    let parsed = match program.options {
        Some(table) => options::read(table, arguments, false),
        None => Parsed { operands: arguments.to_vec(), ..Parsed::default() },
    };
    if let Some(word) = parsed.unknown.first() {
        scene.unlisted(format!("the option `{word}` of `{}` is not known", scene.name));
    }
    paths_of_options(scene, &parsed);
    (program.meaning)(scene, &parsed);
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

/// A variable that is set for the command. Most can make a harmless program run another one.
fn environment(draft: &mut Draft, part: usize, variable: &str, value: &str) {
    if is_harmless_variable(variable, value) {
        return;
    }
    let note = format!("sets `{variable}`, which may change what runs");
    let environment = Effect::new(EffectKind::Environment, Target::Nothing);
    draft.effects.push(Effect { part: Some(part), note: Some(note.clone()), ..environment });
    draft.effects.push(Effect { part: Some(part), ..Effect::unknown(note) });
}

fn is_harmless_variable(variable: &str, value: &str) -> bool {
    const HARMLESS: [&str; 8] = ["LANG", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "TZ"];
    // Some of these name files: a path in the value would be read.
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.@+,-".contains(&byte) || (byte == b'/' && variable == "TZ"));
    let inside = !value.starts_with('/') && !value.contains("..");
    plain && inside && (HARMLESS.contains(&variable) || variable.starts_with("LC_"))
}

fn privilege(draft: &mut Draft, part: usize, wrappers: &[String]) {
    for wrapper in wrappers.iter().filter(|wrapper| matches!(wrapper.as_str(), "sudo" | "doas")) {
        let what = format!("gains rights by `{wrapper}`");
        let gain = Effect::new(EffectKind::Privilege, Target::Nothing);
        draft.effects.push(Effect { part: Some(part), note: Some(what.clone()), ..gain });
        draft.dangers.push(Danger { tier: Tier::Dangerous, what, part: Some(part), shown_by_effect: false });
    }
}
