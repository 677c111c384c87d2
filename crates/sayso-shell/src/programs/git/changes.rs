//! What the subcommands of git change: the repository, the work tree, files, and who git talks to.

use super::globals::is_harmless;
use super::paths::{WILD, below};
use super::shown::ask_for_written;
use super::writers::Does;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::{PLAIN, Scene};
use sayso_core::analysis::effect::{EffectKind, Manner};

const REPOSITORY: Manner = Manner {
    repository: true,
    ..PLAIN
};
const EVERYTHING: Manner = Manner {
    recursive: true,
    ..PLAIN
};

/// What a form does that also has a way to only look.
pub(in crate::programs) fn of_reader(
    scene: &mut Scene<'_>,
    form: &str,
    folder: &str,
    given: &Parsed<'_>,
) {
    // Read and written in one.
    if let ("config", Some(file)) = (form, given.value("--file")) {
        scene.write(&below(folder, file));
    }
    let does = match form {
        "branch" | "tag" | "replace" | "symbolic-ref" => Does::Hooks,
        "hash-object" => Does::Adds,
        "config"
            if given.operands.len() > 1 || given.has("--unset") || given.has("--unset-all") =>
        {
            Does::Settings
        }
        "format-patch" | "archive" | "interpret-trailers" => Does::Writes,
        "apply" => Does::Tree,
        "remote show" => Does::Connects,
        "help" => Does::Programs,
        _ => {
            scene.path(EffectKind::Write, folder, false, REPOSITORY);
            return scene.unknown(format!(
                "this form of `git {form}` is not known to only look"
            ));
        }
    };
    of_writer(scene, form, does, folder, given);
}

/// Whether a form only tells what it would do.
fn only_tells(form: &str, given: &Parsed<'_>) -> bool {
    let asks = ["--interactive", "--patch", "--edit"]
        .iter()
        .any(|name| given.has(name));
    given.keeps_mode("--dry-run")
        && !asks
        && matches!(
            form,
            "add" | "stage" | "clean" | "rm" | "mv" | "prune" | "prune-packed" | "worktree prune"
        )
}

/// What a form does.
pub(in crate::programs) fn of_writer(
    scene: &mut Scene<'_>,
    form: &str,
    does: Does,
    folder: &str,
    given: &Parsed<'_>,
) {
    let operands = given.operands.as_slice();
    if only_tells(form, given) {
        for path in operands.iter().filter(|path| !path.starts_with(':')) {
            scene.read(&below(folder, path), true);
        }
        return;
    }
    ask_for_written(scene, form, folder, given);
    scene.path(EffectKind::Write, folder, false, REPOSITORY);
    let by_list = given.has("--pathspec-from-file") || given.has("--stdin");
    if by_list && matches!(does, Does::Adds | Does::Tree | Does::Paths | Does::Deletes) {
        scene.unlisted("the names of its files stand in a list");
    }
    match does {
        Does::Adds => {
            for path in operands {
                scene.read(&below(folder, path), true);
            }
            if operands.is_empty() && given.has("--force") {
                scene.read(folder, true);
            }
            if given.has("--interactive") || given.has("--patch") || given.has("--edit") {
                scene.runs("asks at the terminal, or opens an editor");
            }
        }
        Does::Repository => scene.runs("changes the repository"),
        Does::Hooks => scene.runs("may run the repository's hooks"),
        Does::Tree => tree(scene, form, folder, given),
        Does::Paths => paths(scene, form, folder, given),
        Does::Deletes => deletes(scene, form, folder, given),
        Does::Moves => moves(scene, folder, operands),
        Does::Makes => {
            for path in operands {
                scene.path(EffectKind::Write, &below(folder, path), false, REPOSITORY);
            }
            scene.runs("makes a repository from your template");
        }
        Does::Connects | Does::Brings => connects(scene, form, does, folder, operands),
        Does::Writes => writes(scene, form, folder, given),
        Does::Commands => {
            scene.interprets = true;
            scene.path(EffectKind::Write, folder, false, EVERYTHING);
            scene.unlisted(format!("`git {form}` runs the command that its words hold"));
        }
        Does::Programs => scene.unknown(format!("`git {form}` starts other programs")),
        Does::Passwords => scene.unlisted(format!("`git {form}` hands out saved passwords")),
        Does::Settings => settings(scene, form, given),
        Does::Remotes => {
            for address in operands {
                refuse_program(scene, address);
            }
            scene.unknown(format!("`git {form}` changes which machine git talks to"));
        }
        Does::Foreign => scene.unknown(format!("`git {form}` is a program of its own")),
    }
}

fn tree(scene: &mut Scene<'_>, form: &str, folder: &str, given: &Parsed<'_>) {
    scene.path(EffectKind::Write, folder, false, EVERYTHING);
    // What git ignores goes from the work tree as well.
    if form.starts_with("stash") && given.has("--all") {
        scene.path(EffectKind::Delete, folder, true, EVERYTHING);
    }
    // It puts this before every name, wherever that leads.
    if let ("checkout-index", Some(prefix)) = (form, given.value("--prefix")) {
        scene.path(
            EffectKind::Write,
            prefix.trim_end_matches('/'),
            false,
            EVERYTHING,
        );
    }
    // Patches are read wherever they lie.
    if matches!(form, "apply" | "am" | "bisect replay") {
        for path in given.operands.iter().filter(|path| **path != "-") {
            scene.read(&below(folder, path), true);
        }
    }
    // The first word may be a revision, unless it starts like no branch can; a file that git brings back by its name is written like by anybody.
    if form == "checkout" {
        let is_path =
            |(index, path): &(usize, &&str)| *index > 0 || path.starts_with(['.', '/', '~']);
        for (_, path) in given
            .operands
            .iter()
            .enumerate()
            .filter(is_path)
            .filter(|(_, path)| !path.starts_with(':') && !path.contains(WILD))
        {
            scene.path(EffectKind::Write, &below(folder, path), false, PLAIN);
        }
    }
    if given.has("--exec") {
        scene.interprets = true;
        return scene.unlisted(format!(
            "`git {form} --exec` runs the command that its words hold"
        ));
    }
    scene.runs("changes the work tree, and may run the repository's hooks");
}

fn paths(scene: &mut Scene<'_>, form: &str, folder: &str, given: &Parsed<'_>) {
    let named = match form {
        "worktree add" | "merge-file" => given.operands.get(..1),
        _ => given.operands.get(..),
    };
    let named = named.unwrap_or(&[]);
    // What a pattern stands for only git knows; all of it lies below.
    if named.is_empty()
        || named
            .iter()
            .any(|path| path.starts_with(':') || path.contains(WILD))
    {
        scene.path(EffectKind::Write, folder, false, EVERYTHING);
    }
    // What is there gives way to what another commit holds, and is saved nowhere.
    let overwrite = form == "restore"
        && given.has("--source")
        && (given.has("--worktree") || !given.has("--staged"));
    let manner = Manner {
        overwrite,
        ..EVERYTHING
    };
    for path in named.iter().filter(|path| !path.starts_with(':')) {
        scene.path(EffectKind::Write, &below(folder, path), false, manner);
    }
    scene.runs("changes the work tree, and may run the repository's hooks");
}

fn deletes(scene: &mut Scene<'_>, form: &str, folder: &str, given: &Parsed<'_>) {
    if given.has("--cached") {
        return scene.runs("changes what git knows, and leaves the files");
    }
    let recursive = form != "rm" || given.has("-r");
    let whole = given
        .operands
        .iter()
        .any(|path| path.starts_with(':') || path.contains(WILD));
    if given.operands.is_empty() && form != "rm" || whole {
        scene.path(EffectKind::Delete, folder, true, EVERYTHING);
    }
    for path in given.operands.iter().filter(|path| !path.starts_with(':')) {
        scene.path(
            EffectKind::Delete,
            &below(folder, path),
            true,
            Manner { recursive, ..PLAIN },
        );
    }
}

fn moves(scene: &mut Scene<'_>, folder: &str, operands: &[&str]) {
    let Some((target, sources)) = operands.split_last() else {
        return scene.unknown("moves files that it does not name");
    };
    for source in sources {
        scene.path(
            EffectKind::Write,
            &below(folder, source),
            true,
            Manner {
                moved_away: true,
                recursive: true,
                ..PLAIN
            },
        );
    }
    scene.write_into(&below(folder, target), sources, true);
}

fn connects(scene: &mut Scene<'_>, form: &str, does: Does, folder: &str, operands: &[&str]) {
    let address = match form {
        "push" | "pull" | "fetch" | "clone" | "ls-remote" | "submodule add" | "fetch-pack"
        | "send-pack" => operands.first(),
        "request-pull" => operands.get(1),
        _ => None,
    };
    let address = address.copied().unwrap_or("the repository's remote");
    scene.connect(address);
    refuse_program(scene, address);
    if address.starts_with(['/', '.']) {
        scene.read(&below(folder, address), true);
    }
    if does == Does::Brings {
        scene.path(EffectKind::Write, folder, false, EVERYTHING);
    }
    if let ("clone" | "submodule add", Some(target)) = (form, operands.get(1)) {
        scene.path(EffectKind::Write, &below(folder, target), false, EVERYTHING);
    }
    scene.unknown(format!(
        "`git {form}` talks to another machine, and may run hooks"
    ));
}

/// In `ext::sh -c …` the address is a command; any other `name::` starts the program `git-remote-name`.
fn refuse_program(scene: &mut Scene<'_>, address: &str) {
    if address.contains("::") {
        scene.unlisted(format!(
            "the address `{}` starts another program",
            placeholder::shown(address)
        ));
    }
}

fn writes(scene: &mut Scene<'_>, form: &str, folder: &str, given: &Parsed<'_>) {
    match form {
        "interpret-trailers" => {
            for path in &given.operands {
                scene.write(&below(folder, path));
            }
        }
        "bundle create" => {
            for path in given.operands.iter().take(1) {
                scene.write(&below(folder, path));
            }
        }
        "archive" if given.has("--output") => {}
        _ if given.has("--output-directory") => {}
        _ => scene.path(EffectKind::Write, folder, false, EVERYTHING),
    }
    scene.runs("writes files");
}

fn settings(scene: &mut Scene<'_>, form: &str, given: &Parsed<'_>) {
    if given.has("--global") || given.has("--system") {
        return scene.unlisted("changes your own settings of git");
    }
    let harmless = match given.operands.as_slice() {
        [name, value] => is_harmless(&format!("{name}={value}")),
        _ => false,
    };
    if harmless && matches!(form, "config" | "config set") {
        return scene.runs("changes a setting of the repository");
    }
    scene.unlisted("changes settings of git, which can name programs that it runs");
}
