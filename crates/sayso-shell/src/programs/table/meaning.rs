//! Lists the effects of a program that is told in the text.

use sayso_core::analysis::effect::{EffectKind, Manner};

use super::row::{Bound, Does, Form, Role, Row, Told};
use crate::parse::options::{self, Parsed, Takes};
use crate::parse::placeholder;
use crate::programs::effect_builder::{PLAIN, Scene};
use crate::programs::perform::{late_options, paths_of_options};
use crate::programs::{project_settings, queries, subcommands};

/// See [`super`].
pub(in crate::programs) fn meaning(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    by_its_line(scene, parsed);
    // What its line says of it comes first.
    if let Some(keeps) = keeps_by_itself(&scene.name) {
        scene.tells(keeps);
    }
}

fn by_its_line(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let words = parsed.operands.as_slice();
    let Some(row) = super::find(&scene.name) else {
        return scene.unknown("this program is not known");
    };
    if queries::only_prints(scene, words) {
        return;
    }
    if !row.has_forms() {
        let own = row.own();
        let given = options::read(own.options, words, false);
        return form(scene, &row, own, &given, words);
    }
    // Options that stand before the subcommand, each with its value.
    let before = options::read_both("+ ", row.own().options, words, false);
    let tells = |given: &options::Given<'_>| matches!(&*given.name, "--help" | "--version");
    if before.unknown.is_empty()
        && before.operands.is_empty()
        && !before.options.is_empty()
        && before.options.iter().all(tells)
    {
        // One of that name may have no such option, and read its input.
        if scene.fed && row.runs_words() {
            scene.unlisted(format!(
                "`{}` may read its input instead of answering",
                scene.name
            ));
        }
        if matches!(scene.name.as_str(), "kubectl" | "oc") {
            scene.connect("the cluster");
        }
        return;
    }
    let found = row
        .forms()
        .find_map(|form| form.speaks_of(&before.operands).map(|count| (form, count)));
    let Some((told, count)) = found.filter(|_| before.unknown.is_empty()) else {
        return other(scene, &row, parsed, before.unknown.first().copied());
    };
    let rest = before.operands.get(count..).unwrap_or(&[]);
    // Nothing but the words that name the subcommand, and a wish to be told about it.
    if matches!(rest, ["--help"])
        && before.options.is_empty()
        && options::read(row.own().options, rest, false)
            .unknown
            .is_empty()
    {
        return scene.settle();
    }
    let mut given = options::read_both(told.options, row.own().options, rest, false);
    // A program that takes no value there would take it for the subcommand.
    let apart = before
        .options
        .iter()
        .filter_map(|option| option.value)
        .find(|value| words.contains(value));
    given.unknown.extend(apart);
    given.options.extend(before.options);
    form(scene, &row, told, &given, words);
}

/// What these write or ask for whatever their words say, even where they only tell about themselves.
fn keeps_by_itself(name: &str) -> Option<&'static str> {
    match name {
        "svn" => Some("makes its settings in ~/.subversion where there are none yet"),
        "terraform" | "tofu" => {
            Some("asks its maker for news of its version, and keeps the answer in ~/.terraform.d")
        }
        "gcloud" => Some("keeps its settings and logs in ~/.config/gcloud"),
        "npm" => Some("keeps a log in ~/.npm/_logs"),
        _ => None,
    }
}

/// A form that no line speaks of.
fn other(scene: &mut Scene<'_>, row: &Row, parsed: &Parsed<'_>, option: Option<&str>) {
    if subcommands::knows(&scene.name) {
        return subcommands::meaning(scene, parsed);
    }
    scene.interprets |= row.runs_words();
    let note = match option {
        Some(option) => format!(
            "the option `{}` of `{}` is not known",
            scene.shown(option),
            scene.name
        ),
        None => format!("this form of `{}` is not known", scene.name),
    };
    scene.unlisted(note);
}

fn form(scene: &mut Scene<'_>, row: &Row, form: Form, given: &Parsed<'_>, words: &[&str]) {
    let Ok(told) = form.told() else {
        return scene.unknown("this program is not known");
    };
    let acts = given
        .options
        .iter()
        .find(|option| matches!(option.takes, Takes::Acts | Takes::ActsOn));
    let note = |scene: &Scene<'_>, fallback: String| {
        if form.note.is_empty() {
            fallback_note(scene, row, fallback)
        } else {
            form.note.to_owned()
        }
    };
    let without = !told.needs.is_empty() && !given.keeps_one_mode(&told.needs)
        || given.operands.len() < told.least;
    let does = if told.does == Does::Looks && (acts.is_some() || without) {
        Does::Acts
    } else {
        told.does
    };
    let listed = given.unknown.is_empty();
    if let Some(word) = given.unknown.first() {
        // What may be anything is not known to leave its words alone.
        scene.interprets |= row.runs_words();
        if matches!(does, Does::Looks) {
            let shown = scene.shown(word);
            let note = format!("the option `{shown}` of `{}` is not known", scene.name);
            scene.unlisted_word(word, note);
        }
    }
    if does == Does::Looks
        && let Some(value) = given
            .options
            .iter()
            .filter_map(|option| option.value)
            .find(|value| value.starts_with('@'))
    {
        takes_list(scene, value);
    }
    paths_of_options(scene, given);
    for address in given
        .options
        .iter()
        .filter(|option| option.takes == Takes::ReadPath)
        .filter_map(|option| option.value)
    {
        fetches(scene, address);
    }
    if !row.has_forms() {
        late_options(scene, given);
    }
    let fits = operands(scene, &told, given, does == Does::Looks);
    if does == Does::Looks {
        binds(scene, &told, given, form.note);
    }
    match does {
        Does::Looks => {}
        Does::Asks => {
            let place = row.place().unwrap_or_default();
            scene.connect(&place);
            let text = note(scene, format!("reads from {place} (network)"));
            if listed && fits {
                scene.tells(text);
            } else {
                scene.runs(text);
                leading_out(scene, words);
            }
            scene.settle();
        }
        Does::AsYou => {
            let place = row.place().unwrap_or_default();
            scene.connect(&place);
            let text = note(scene, format!("changes something at {place}, as you"));
            scene.runs(text);
            leading_out(scene, words);
        }
        Does::Acts => {
            let name = acts
                .filter(|_| told.does == Does::Looks)
                .map_or_else(String::new, |option| format!(" {}", option.name));
            let text = note(
                scene,
                format!(
                    "`{}{name}` changes something of the machine or the project",
                    scene.name
                ),
            );
            scene.runs(text);
            leading_out(scene, words);
        }
        Does::Secret => {
            let text = note(scene, format!("`{}` shows a secret", scene.name));
            scene.unlisted(text);
        }
        Does::Runs => {
            scene.interprets = true;
            let text = note(
                scene,
                format!("`{}` runs what its words or files say", scene.name),
            );
            scene.unknown(text);
        }
    }
}

/// Asks for the settings that would make it do something else.
fn binds(scene: &mut Scene<'_>, told: &Told, given: &Parsed<'_>, note: &str) {
    let note = if note.is_empty() {
        "does what the project's settings say"
    } else {
        note
    };
    let settings = || project_settings::of(&scene.name);
    match told.bound {
        _ if given.has("--norc") => {}
        None => {}
        // It tells about the project that it runs in.
        Some(Bound::Here) => {
            scene.bind(".", settings(), note);
            scene.read(".", false);
        }
        Some(Bound::BesideOperands) => {
            let settings = settings();
            if told.here && given.operands.is_empty() {
                scene.bind(".", settings.clone(), note);
            }
            for word in &given.operands {
                // What stands for the current folder without operands takes folders.
                let folder = if told.here { word } else { folder_of(word) };
                scene.bind(folder, settings.clone(), note);
            }
        }
        Some(Bound::Databases) => {
            for word in &given.operands {
                let name = word.rsplit('/').next().unwrap_or_default();
                // An address of a file is opened as that file.
                if !placeholder::is_literal(word)
                    || word.contains(':')
                    || matches!(name, "" | "." | "..")
                {
                    scene.runs(note);
                } else {
                    scene.bind(folder_of(word), project_settings::of_database(name), note);
                }
            }
        }
    }
}

fn folder_of(word: &str) -> &str {
    word.rsplit_once('/').map_or(
        ".",
        |(folder, _)| if folder.is_empty() { "/" } else { folder },
    )
}

/// The note of another table, which tells more, or this one.
fn fallback_note(scene: &Scene<'_>, row: &Row, fallback: String) -> String {
    if row.own().note.is_empty() || row.has_forms() && row.own().note == "-" {
        fallback
    } else {
        format!("`{}`: {}", scene.name, row.own().note)
    }
}

/// Lists what is done to each operand; false where there are more than the line knows.
fn operands(scene: &mut Scene<'_>, told: &Told, given: &Parsed<'_>, looks: bool) -> bool {
    let before_dashes = given.before_dashes.unwrap_or(given.operands.len());
    for word in given
        .operands
        .iter()
        .take(before_dashes)
        .filter(|word| placeholder::is_glob(word) && placeholder::may_be_option(word))
    {
        scene.look_at_names(word);
    }
    let Some(roles) = told.of(given.operands.len()) else {
        if looks {
            let word = given.operands.last().copied().unwrap_or_default();
            let note = format!("`{}` with `{}` is not known", scene.name, scene.shown(word));
            scene.unlisted(note);
        }
        given
            .operands
            .iter()
            .for_each(|word| scene.read(word, true));
        return false;
    };
    // One word that may be several would move all others to another place.
    let alike = roles.windows(2).all(|pair| pair.first() == pair.last())
        && told.roles.first().is_none_or(|(_, many)| *many);
    if given
        .operands
        .iter()
        .all(|word| !placeholder::may_be_several(word))
        || alike
    {
        scene.settle();
    }
    if told.here && given.operands.is_empty() {
        match told.roles.first() {
            Some((Role::Search, _)) => scene.read(&placeholder::names_below(".", &[]), true),
            _ => scene.read_here(),
        }
    }
    let mut fits = true;
    for (word, role) in given.operands.iter().zip(&roles) {
        match role {
            // Most take this for their input, and few for their output.
            Role::Read | Role::ReadBelow | Role::Search if *word == "-" => {}
            Role::Write if *word == "-" && scene.name == "pdftotext" => {}
            // Some take an address where they take a file.
            Role::Read | Role::ReadBelow | Role::Search if fetches(scene, word) => fits = false,
            // Many take more words from a file that is named so.
            Role::Read | Role::ReadBelow | Role::Search if word.starts_with('@') && looks => {
                fits = false;
                takes_list(scene, word);
            }
            Role::Read => scene.read(word, false),
            Role::ReadBelow => scene.read(word, true),
            Role::Search if placeholder::is_literal(word) => {
                scene.read(&placeholder::names_below(word, &[]), true)
            }
            Role::Search => scene.read(word, true),
            Role::Write => scene.write(word),
            Role::WriteBelow => scene.path(
                EffectKind::Write,
                word,
                false,
                Manner {
                    recursive: true,
                    ..PLAIN
                },
            ),
            Role::Delete => scene.path(EffectKind::Delete, word, true, PLAIN),
            // `+short` of dig says how to show the answer.
            Role::Host if word.starts_with('+') => {}
            Role::Host => scene.connect(word.trim_start_matches('@')),
            Role::Data => {}
            Role::Word if is_plain(word) => {}
            Role::Word => {
                fits = false;
                if looks {
                    let note = format!(
                        "`{}` of `{}` may be more than a name",
                        scene.shown(word),
                        scene.name
                    );
                    scene.unlisted_word(word, note);
                }
            }
        }
    }
    fits
}

/// A name of a package, a unit, a user or the like: no path, no address, nothing that is only known when it runs.
fn is_plain(word: &str) -> bool {
    !word.starts_with(['-', '@', '.'])
        && !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.+:@,%=-".contains(&byte))
}

/// Words that lead to another project or place are looked at as paths, so that a rule for this project does not cover them.
fn leading_out(scene: &mut Scene<'_>, words: &[&str]) {
    words
        .iter()
        .flat_map(|word| subcommands::leading_out(word))
        .for_each(|path| scene.read(path, false));
}

/// Whether a word in the place of a file is an address, which is told then.
fn fetches(scene: &mut Scene<'_>, word: &str) -> bool {
    // `^/trunk` is a place at the server of a repository.
    // What stands behind `@` there is a revision, which the server is asked for.
    let address =
        word.contains("://") || word.starts_with("^/") || scene.name == "svn" && word.contains('@');
    if address {
        scene.connect(word);
        scene.unlisted_word(
            word,
            format!("`{}` fetches `{}`", scene.name, scene.shown(word)),
        );
    }
    address
}

/// `@file`, of which nobody knows which words are in it.
fn takes_list(scene: &mut Scene<'_>, word: &str) {
    scene.read(word.trim_start_matches('@'), false);
    scene.unlisted_word(
        word,
        format!(
            "`{}` may take more words from `{}`",
            scene.name,
            scene.shown(word)
        ),
    );
}
