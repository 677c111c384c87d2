//! Names that two programs share: each row here is read besides the one that the table has for the name, and whatever either of them does counts.
//!
//! A word that one of the two would refuse is no reason to ask; what counts is what it would do.

use super::yaml;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::Scene;

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    // mikefarah's, beside the one that hands its filter on to jq.
    Program::new(&["yq"], yaml::OPTIONS, filter_or_file),
    // task-spooler, beside the one that puts the time before each line.
    Program::raw(&["ts"], spools),
];

/// The other programs of a name.
pub(in crate::programs) fn others(name: &str) -> impl Iterator<Item = &'static Program> {
    PROGRAMS
        .iter()
        .filter(move |program| program.names.contains(&name))
}

/// The first word is a file if there is one of that name, and one that ends in `.yq` has the filter in it.
fn filter_or_file(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let words = match parsed.operands.as_slice() {
        ["e" | "eval" | "ea" | "eval-all", rest @ ..] => rest,
        words => words,
    };
    scene.settle();
    if let Some(file) = words.iter().find(|word| word.ends_with(".yq")) {
        let note = format!("`yq` may take its filter from `{}`", scene.shown(file));
        scene.unlisted_word(file, note);
    }
    if let Some(first) = words
        .first()
        .filter(|first| !matches!(**first, "." | ".." | "-") && placeholder::is_literal(first))
    {
        scene.read(first, false);
        scene.doubt();
    }
}

/// It runs its words as a command, unless they are a format of the time.
fn spools(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    let is_format =
        |word: &&str| word.contains('%') && !word.contains('/') && placeholder::is_literal(word);
    match parsed.operands.iter().find(|word| !word.starts_with('-')) {
        Some(word) if !is_format(word) => {
            scene.interprets = true;
            let note = format!("`{}` may run `{}`", scene.name, scene.shown(word));
            scene.unlisted_word(word, note);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, others};
    use crate::programs::find;

    #[test]
    fn every_name_has_a_row_of_the_table_as_well() {
        for name in PROGRAMS.iter().flat_map(|program| program.names) {
            assert!(find(name).is_some() && others(name).count() > 0, "{name}");
        }
        assert_eq!(others("ls").count(), 0);
    }
}
