//! Runs the row of a known program: its options are read, and its effects are put into the draft.

use sayso_core::analysis::effect::{EffectKind, Manner};

use super::Program;
use super::effect_builder::Scene;
use crate::parse::options::{self, Parsed, Takes};
use crate::parse::placeholder;

/// Programs that tell of the files in their operands, and open none of them.
const ONLY_NAMES: [&str; 7] = ["ls", "dir", "vdir", "stat", "du", "realpath", "readlink"];

/// Programs that take their options anywhere on every system, since they read them by themselves.
const OPTIONS_ANYWHERE: [&str; 13] = [
    "curl", "wget", "rg", "fd", "fdfind", "bat", "batcat", "exa", "eza", "b3sum", "tree",
    "xmllint", "ag",
];

/// The words of a known program; without a table, all of them are operands.
pub(crate) fn read_options<'a>(program: &Program, arguments: &[&'a str]) -> Parsed<'a> {
    match program.options {
        Some(table) => options::read(table, arguments, false),
        None => Parsed {
            operands: arguments.to_vec(),
            ..Parsed::default()
        },
    }
}

/// Lists the effects of a known program.
pub(crate) fn perform(program: &Program, scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
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
            placeholder::may_be_several(word)
        } else {
            !placeholder::is_literal(word)
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
            .filter(|word| placeholder::is_glob(word) && placeholder::may_be_option(word))
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

/// Words that may be files to a program that wants its options first. A number that is not known yet can be no file that anybody hides.
pub(crate) fn late_options(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.late {
        let known = word.replace([placeholder::NUMBER, placeholder::COMMIT], "0");
        // What starts like an option and is not known whole is told as such already.
        if known.starts_with('-') && !placeholder::is_literal(&known) {
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
