//! Which files of a repository a command of git shows the content of, without naming them: a diff, a search, a commit.

use sayso_core::analysis::fact::Reach;

use super::paths::{Bound, WILD, bound, shows_content};
use super::readers::Operands;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::Scene;

/// Asks for the secrets that git tracks, where a form that only looks shows what is in files.
pub(super) fn ask_for_tracked(
    scene: &mut Scene<'_>,
    form: &str,
    operands: Operands,
    folder: &str,
    given: &Parsed<'_>,
) {
    let Some(first) = first_operand(form, operands, given) else {
        return;
    };
    let reach = reach(form, given, first);
    if reach.whole || !reach.paths.is_empty() || !reach.words.is_empty() {
        scene.ask_tracked(folder, reach);
    }
}

/// Asks the same where a form that changes something shows all that it changes, or packs all that git tracks.
pub(super) fn ask_for_written(scene: &mut Scene<'_>, form: &str, folder: &str, given: &Parsed<'_>) {
    let packs = matches!(
        form,
        "archive"
            | "format-patch"
            | "fast-export"
            | "bundle create"
            | "pack-objects"
            | "checkout-index"
    );
    let verbose = matches!(form, "commit" | "status") && given.has("--verbose");
    let shows = given.has("--patch") || given.has("--interactive") || verbose;
    if packs || shows {
        let reach = Reach {
            whole: true,
            ..Reach::default()
        };
        scene.ask_tracked(folder, reach);
    }
}

/// The first operand that is a revision or a path; none where no content is shown.
fn first_operand(form: &str, operands: Operands, given: &Parsed<'_>) -> Option<usize> {
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    let content = match (form, operands) {
        // These two name the file themselves.
        ("blame" | "annotate", _) => false,
        ("status", _) => given.has("--verbose"),
        ("stash show", _) => shows_content("diff", Operands::Content, given),
        ("cat-file", _) => !any(&["-t", "-s", "-e", "--batch-check"]),
        // Two files, whatever git tracks.
        ("diff", _) if given.has("--no-index") => false,
        (_, Operands::Pattern) => !any(&[
            "--files-with-matches",
            "--files-without-match",
            "--name-only",
            "--count",
            "--quiet",
        ]),
        (_, Operands::Content) => shows_content(form, operands, given),
        _ => false,
    };
    // A range of lines names its file.
    let lines = given.has("-L") && !given.has("--patch");
    let pattern = operands == Operands::Pattern && !given.has("-e") && !given.has("-f");
    (content && !lines).then_some(usize::from(pattern))
}

/// What the words of a form bind it to.
fn reach(form: &str, given: &Parsed<'_>, first: usize) -> Reach {
    let mut reach = Reach {
        here: form == "grep",
        submodules: form == "grep",
        changed: matches!(form, "diff" | "diff-files")
            && !given.has("--cached")
            && !given.has("--staged"),
        ..Reach::default()
    };
    let dashes = given.before_dashes.unwrap_or(usize::MAX);
    let (mut paths, mut objects, mut revisions) = (false, false, false);
    for (index, operand) in given.operands.iter().enumerate().skip(first) {
        let operand = operand.trim_end_matches(placeholder::PARTED);
        let shown = placeholder::shown(operand);
        let pattern = placeholder::is_glob(operand) || shown.contains(WILD);
        let by_message = shown.starts_with(":/") || shown.contains("^{/");
        // A path of the index is `:a.txt`; with another sign behind the colon, it is no revision.
        let magic = shown.starts_with(':')
            && (!matches!(form, "show" | "cat-file")
                || [":(", ":!", ":^"]
                    .iter()
                    .any(|sign| shown.starts_with(sign)));
        let may_be_revision = index < dashes && !pattern && (!magic || by_message);
        if may_be_revision
            && (form == "stash show" || by_message || !placeholder::is_literal(operand))
        {
            revisions = true;
            reach.changed = false;
        } else if may_be_revision && shown.contains(':') {
            objects = true;
            reach.changed = false;
            reach.paths.extend(paths_of_object(form, &shown));
        } else if may_be_revision && form == "cat-file" {
            revisions |= may_be_file(&shown, index, given);
        } else if may_be_revision {
            reach.words.push(shown);
        } else {
            let path = bound(&shown);
            paths |= path != Bound::Nothing;
            match path {
                Bound::Below(path) => reach.paths.push(path),
                Bound::Marked(path) => reach.paths.extend([format!("/{path}"), path]),
                Bound::Nothing | Bound::Ordinary => {}
            }
        }
    }
    reach.whole = match form {
        "cat-file" => revisions,
        _ => !paths && (revisions || !objects || !reach.words.is_empty()),
    };
    reach
}

/// Whether a word may be the number of a file, and not that of a commit or a folder.
fn may_be_file(word: &str, index: usize, given: &Parsed<'_>) -> bool {
    let types = ["blob", "tree", "commit", "tag"];
    let kind = given
        .operands
        .first()
        .filter(|kind| given.operands.len() == 2 && types.contains(kind));
    match kind {
        Some(kind) => index == 1 && *kind == "blob",
        None => word != "HEAD" && !word.ends_with("^{tree}") && !word.ends_with("^{commit}"),
    }
}

/// The paths of `HEAD:src`, of which all below is shown. Of a folder, these two list names, and a file is read by its own.
fn paths_of_object(form: &str, word: &str) -> Vec<String> {
    if matches!(form, "show" | "cat-file") {
        return Vec::new();
    }
    let path = |at: usize| match word.get(at + 1..).unwrap_or("") {
        path if path.starts_with('.') => path.to_owned(),
        path => format!("/{path}"),
    };
    word.match_indices(':').map(|(at, _)| path(at)).collect()
}
