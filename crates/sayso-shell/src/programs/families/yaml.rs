//! `yq`, of which there are two: one hands its filter on to jq, the other has a language that looks the same and has more in it. What the
//! second takes for files is in [`super::shared_names`].

use super::filters::{closed, doubt, reads_files};
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::Program;
use crate::programs::effect_builder::Scene;
use crate::programs::languages::jq;

pub(in crate::programs) const PROGRAMS: &[Program] = &[Program::new(&["yq"], OPTIONS, picks)];

/// The options of both.
pub(in crate::programs) const OPTIONS: &str = "-r,--unwrapScalar? -P,--prettyPrint -e,--exit-status -M,--no-colors -C,--colors -N,--no-doc -n,--null-input -I,--indent= -o,--output-format= \
     -p,--input-format= -c,--compact-output -j -v,--verbose -V,--version -h,--help -y,--yaml-output -Y,--yaml-roundtrip -i,--inplace";

/// Words of the second language that read files, look at the environment or evaluate a text; jq has no function of these names that works on its
/// input alone, and none can be defined under one of them.
const REACHES_OUT: [&str; 6] = ["load", "env", "eval", "system", "def", "include"];

fn picks(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.interprets |= !parsed.unknown.is_empty();
    if parsed
        .options
        .iter()
        .any(|given| matches!(&*given.name, "--version" | "--help"))
        && parsed.operands.is_empty()
    {
        return;
    }
    let words = match parsed.operands.as_slice() {
        ["e" | "eval" | "ea" | "eval-all", rest @ ..] => rest,
        words => words,
    };
    let Some((filter, files)) = words.split_first() else {
        return;
    };
    if !placeholder::is_literal(filter) {
        closed(
            scene,
            "the filter of `yq` is only known when it runs".to_owned(),
        );
    } else if let Some(word) = REACHES_OUT.iter().find(|word| filter.contains(*word)) {
        closed(
            scene,
            format!("`{word}` of `yq` may reach more than its input"),
        );
    } else if files.is_empty() && !parsed.has("--null-input") && is_name(filter) {
        // A filter without files reads the input, and a file without a filter is shown.
        scene.read(filter, false);
    } else if let Err(refusal) = jq::read(filter) {
        doubt(scene, &refusal);
    }
    if parsed.has("--inplace") {
        scene.settle();
        files.iter().for_each(|file| scene.write(file));
    } else {
        reads_files(scene, files);
    }
}

/// The name of a file rather than a filter.
fn is_name(word: &str) -> bool {
    !word.starts_with('.')
        && [".yml", ".yaml", ".json", ".xml", ".toml"]
            .iter()
            .any(|end| word.ends_with(end))
}
