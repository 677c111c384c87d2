//! Subcommands of git with two faces: the words that make `branch`, `tag` or `config` only look, and not change anything.

use crate::parse::options::Parsed;
use crate::parse::placeholder;

/// Whether these words of a form of [`super::readers::READERS`] only look.
pub(in crate::programs) fn only_looks(form: &str, given: &Parsed<'_>) -> bool {
    let operands = given.operands.as_slice();
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    let mode = |names: &[&str]| given.keeps_one_mode(names);
    // How many words there are decides whether these look or change.
    let counts = matches!(
        form,
        "symbolic-ref" | "config" | "config get" | "remote get-url" | "cat-file" | "reflog"
    );
    if counts
        && operands
            .iter()
            .any(|word| placeholder::may_be_several(word))
    {
        return false;
    }
    match form {
        "branch" => {
            let changes = [
                "--delete",
                "-D",
                "--move",
                "-M",
                "--copy",
                "-C",
                "--force",
                "--set-upstream-to",
                "--unset-upstream",
                "--track",
                "--no-track",
                "--edit-description",
                "--create-reflog",
            ];
            let lists = [
                "--contains",
                "--no-contains",
                "--merged",
                "--no-merged",
                "--points-at",
            ];
            // Without one of these, an operand is the name of a new branch; old versions of git take `-l` for something else.
            !any(&changes)
                && (operands.is_empty() || mode(&["--list"]) || (mode(&lists) && !given.has("-l")))
        }
        "tag" => {
            let changes = [
                "--delete",
                "--force",
                "--annotate",
                "--message",
                "--file",
                "--sign",
                "--no-sign",
                "--edit",
                "--cleanup",
            ];
            let lists = [
                "--list",
                "-n",
                "--contains",
                "--no-contains",
                "--merged",
                "--no-merged",
                "--points-at",
            ];
            !any(&changes) && !any(&["--create-reflog"]) && (operands.is_empty() || mode(&lists))
        }
        "replace" => {
            !any(&["--delete", "--force", "--edit", "--graft", "--raw"])
                && (operands.is_empty() || mode(&["--list"]))
        }
        // Some versions find their word behind an option too.
        "reflog" => !operands.iter().any(|word| {
            !placeholder::is_literal(word)
                || matches!(
                    *word,
                    "show" | "list" | "exists" | "expire" | "delete" | "drop" | "write"
                )
        }),
        // With a name it asks the other side, unless `-n` forbids it.
        "remote show" => operands.is_empty() || mode(&["-n"]),
        "remote get-url" => operands.len() == 1,
        // Files that git does not track may be anything.
        "stash show" => !any(&["--include-untracked"]),
        "symbolic-ref" => operands.len() == 1 && !any(&["--delete", "-m"]),
        "format-patch" => mode(&["--stdout"]) && !any(&["--output-directory"]),
        "hash-object" => !any(&["-w"]),
        "interpret-trailers" => !any(&["--in-place"]),
        "apply" => {
            mode(&["--check", "--stat", "--numstat", "--summary"])
                && !any(&["--apply", "--3way", "--reject", "--intent-to-add"])
        }
        // Another format than these is made by a program.
        "archive" => {
            !any(&["--output"])
                && given.every_value("--format", |format| matches!(format, "tar" | "zip"))
        }
        // To show the page of a command it starts another program.
        "help" => operands.is_empty(),
        "var" => matches!(
            operands,
            ["GIT_AUTHOR_IDENT"
                | "GIT_COMMITTER_IDENT"
                | "GIT_EDITOR"
                | "GIT_SEQUENCE_EDITOR"
                | "GIT_PAGER"
                | "GIT_DEFAULT_BRANCH"]
        ),
        // `--batch-check` tells of objects that its input names, but does not show them.
        "cat-file" => mode(&["-t", "-s", "-e", "-p", "--batch-check"]) || operands.len() == 2,
        "config" | "config get" | "config list" => config(form, given),
        _ => true,
    }
}

/// Whether these words may show addresses of other repositories, which may hold a password: where the world finds one, it is asked.
pub(in crate::programs) fn shows_addresses(command: &[&str]) -> bool {
    match command {
        ["remote", words @ ..] => !words.is_empty(),
        // Only for settings of these sections it is certain that they hold none.
        // A pattern fits more than one setting, and any section may hold what nobody thought of.
        ["config", words @ ..]
            if words
                .iter()
                .any(|word| word.starts_with("--get-r") || word.starts_with("--reg")) =>
        {
            true
        }
        ["config", words @ ..] => !words.iter().any(|word| {
            let section = word.split('.').next().unwrap_or("").to_ascii_lowercase();
            let bound = word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
            bound
                && matches!(
                    section.as_str(),
                    "user"
                        | "core"
                        | "init"
                        | "color"
                        | "pull"
                        | "push"
                        | "diff"
                        | "commit"
                        | "merge"
                )
        }),
        ["for-each-ref" | "branch" | "tag", words @ ..] => words
            .iter()
            .any(|word| word.contains("remote") && word.contains('%')),
        [subcommand, ..] => matches!(*subcommand, "ls-remote" | "submodule"),
        [] => false,
    }
}

/// Whether these words may show settings that they do not name: where the world finds a password in any of them, it is asked.
pub(in crate::programs) fn shows_settings(command: &[&str]) -> bool {
    matches!(command, ["config", ..]) && shows_addresses(command)
}

/// Settings that are asked for by name, or a list of which the world tells whether it holds a password. Another file than git's own may
/// hold anything.
fn config(form: &str, given: &Parsed<'_>) -> bool {
    // Behind the name of a setting, git takes every word for its value.
    if !given.late.is_empty() {
        return false;
    }
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    if any(&[
        "--unset",
        "--unset-all",
        "--add",
        "--replace-all",
        "--append",
    ]) {
        return false;
    }
    // Such a file may lead to any other one.
    if any(&["--file", "--blob"]) && any(&["--includes"]) {
        return false;
    }
    if form == "config list" || any(&["--list"]) {
        return given.operands.is_empty() && (any(&["--name-only"]) || !any(&["--file"]));
    }
    match given.operands.as_slice() {
        [pattern] if any(&["--get-regexp", "--regexp"]) => {
            is_plain_pattern(pattern) || placeholder::is_literal(pattern) && !any(&["--file"])
        }
        // A name has a dot; without one it is a word of newer versions, such as `list` or `edit`.
        [name] => is_name(name) && !is_secret(name),
        _ => false,
    }
}

/// A name that is known, or of which enough is known.
fn is_name(name: &str) -> bool {
    name.contains('.') && (placeholder::is_literal(name) || name.starts_with("branch."))
}

/// A pattern that is bound to a section in which nobody keeps passwords.
fn is_plain_pattern(pattern: &str) -> bool {
    let Some(rest) = pattern.strip_prefix('^') else {
        return false;
    };
    let section = rest.split(['.', '\\']).next().unwrap_or("");
    let plain = rest
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".\\*+$-_".contains(&byte));
    plain
        && matches!(
            section,
            "alias"
                | "branch"
                | "user"
                | "core"
                | "color"
                | "init"
                | "pull"
                | "push"
                | "diff"
                | "submodule"
        )
}

/// Settings that may hold a password or a token.
fn is_secret(name: &str) -> bool {
    const PARTS: [&str; 12] = [
        "header",
        "token",
        "pass",
        "secret",
        "credential",
        "cookie",
        "proxy",
        "apikey",
        "api-key",
        "privatekey",
        "auth",
        "insteadof",
    ];
    let name = name.to_ascii_lowercase();
    // `author` is none of them.
    let name = name.strip_prefix("author.").unwrap_or(&name);
    PARTS.iter().any(|part| name.contains(part))
}
