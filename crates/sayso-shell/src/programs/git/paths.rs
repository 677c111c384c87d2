//! The operands of git that lead to files: paths in revisions, patterns for paths, and which of them show what is in a file.

use super::readers::Operands;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::Scene;

/// Options with which `log` and its like show what is in files, which they do not do by themselves.
const SHOW_CONTENT: [&str; 17] = [
    "--patch",
    "--unified",
    "--function-context",
    "--patch-with-raw",
    "--patch-with-stat",
    "--binary",
    "--word-diff",
    "--word-diff-regex",
    "--color-words",
    "--color-moved",
    "--check",
    "-c",
    "--cc",
    "--dd",
    "-m",
    "--diff-merges",
    "-L",
];

/// Options with which `diff` and its like do not show what is in files.
const SHOW_NAMES: [&str; 10] = [
    "--name-only",
    "--name-status",
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--summary",
    "--raw",
    "--no-patch",
    "--quiet",
];

/// What files end in that people write: a pattern for them names no keys. What is not here (`pem`, `key`, `env`) may.
const ORDINARY: &str = " adoc astro bash bat c cc cfg cjs clj cmake cpp cs css csv cxx dart diff ejs el elm erl ex exs f90 feature fish fs go \
     gradle graphql groovy h haml hbs hcl hh hpp hrl hs html hxx ini ino ipynb java jl js json json5 jsonc jsx kt kts less lhs liquid lisp lock \
     lua m markdown md mdx mjs ml mli mm mod nim nix nu org patch php pl pm po pot proto ps1 pug py pyi pyx r rb rmd rs rst sass sbt scala scm \
     scss sh slim snap sol sql styl sum sv svelte svg swift t tcl tex text tf tmpl toml tpl ts tsx txt v vb vhd vim vue wat wgsl xml yaml yml \
     zig zsh ";

/// What makes a path a pattern.
pub(in crate::programs) const WILD: [char; 4] = ['*', '?', '[', '\\'];

/// What names of secrets have in them.
const SECRETIVE: [&str; 14] = [
    "env", "key", "secret", "cred", "pass", "token", "pem", "gpg", "id_", "rsa", "ssh", "netrc",
    "vault", "private",
];

/// A path as git sees it after `-C`.
pub(in crate::programs) fn below(folder: &str, path: &str) -> String {
    if folder == "." || path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Whether a form shows what is in files, and not only their names.
pub(super) fn shows_content(form: &str, operands: Operands, given: &Parsed<'_>) -> bool {
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    match form {
        _ if matches!(operands, Operands::Paths) => false,
        "log" | "whatchanged" | "reflog" | "reflog show" | "stash list" => any(&SHOW_CONTENT),
        "diff-tree" | "diff-index" | "diff-files" => any(&SHOW_CONTENT) || given.has("--stdin"),
        "diff" | "show" | "range-diff" => any(&SHOW_CONTENT) || !any(&SHOW_NAMES),
        _ => true,
    }
}

/// Reads what the operands of a form that only looks lead to.
pub(in crate::programs) fn read_operands(
    scene: &mut Scene<'_>,
    form: &str,
    operands: Operands,
    folder: &str,
    given: &Parsed<'_>,
) {
    // A range of lines names its file: `-L 1,9:FILE`.
    for given in given.options.iter().filter(|given| given.name == "-L") {
        read_in_revision(scene, folder, given.value.unwrap_or(""));
    }
    let skipped = match operands {
        Operands::None => {
            if let Some(word) = given.operands.first() {
                scene.unknown(format!(
                    "`git {form}` with `{}` is not known",
                    placeholder::shown(word)
                ));
            }
            return;
        }
        Operands::Names => return,
        Operands::Files => {
            for path in given.operands.iter().filter(|path| **path != "-") {
                scene.read(&below(folder, path), false);
            }
            return;
        }
        // The first operand is the pattern, unless an option gives one.
        Operands::Pattern => usize::from(!given.has("-e") && !given.has("-f")),
        Operands::Paths | Operands::Content => 0,
    };
    let content = shows_content(form, operands, given);
    if content && may_reach_untracked(form, given) {
        scene.git_shows(|shows| shows.stash = true);
    }
    if content
        && form == "diff"
        && !given.has("--no-index")
        && given.operands.len() == 2
        && matches!(given.before_dashes, None | Some(0 | 2))
    {
        scene.git_shows(|shows| shows.untracked = true);
    }
    // Two files or folders, whatever git tracks.
    if given.has("--no-index") {
        for path in given.operands.iter().filter(|path| **path != "-") {
            if placeholder::is_literal(path) {
                scene.read(&placeholder::names_below(&below(folder, path), &[]), true);
            } else {
                scene.unknown("which files git compares shows only when it runs");
            }
        }
        return;
    }
    // These tell names and sizes, and nothing of what is in the files.
    const TELL_NAMES: [&str; 5] = [
        "ls-files",
        "ls-tree",
        "check-ignore",
        "check-attr",
        "rev-parse",
    ];
    scene.only_names |= TELL_NAMES.contains(&form);
    let dashes = given.before_dashes.unwrap_or(usize::MAX);
    for (index, operand) in given.operands.iter().enumerate().skip(skipped) {
        read_operand(scene, form, folder, operand, index < dashes, content);
    }
}

/// Whether what is shown may be the files in a stash that were not tracked: its third parent, to which a walk through all names leads.
fn may_reach_untracked(form: &str, given: &Parsed<'_>) -> bool {
    let walks = matches!(
        form,
        "log" | "whatchanged" | "reflog" | "reflog show" | "format-patch" | "diff-tree"
    );
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    let everywhere = any(&["--all", "--reflog", "--glob", "--stdin", "--walk-reflogs"]);
    // Against each of its parents, a stash shows what its third one holds.
    let each_parent = any(&["-m", "--diff-merges", "--dd", "--remerge-diff"]);
    let stash = |operand: &&str| {
        operand.contains("stash")
            && (walks || each_parent || ["^3", "^@", "^-"].iter().any(|end| operand.contains(end)))
    };
    // By its message, any commit is found.
    let by_message = |operand: &&str| {
        operand.contains(":/") && !operand.contains(":/*") || operand.contains("^{/")
    };
    let revisions = || {
        given
            .operands
            .iter()
            .take(given.before_dashes.unwrap_or(usize::MAX))
    };
    everywhere && (walks || each_parent)
        || revisions().any(|operand| {
            stash(operand) && !operand.contains('/')
                || operand.contains("refs/stash")
                || by_message(operand)
        })
}

/// Reads one revision or path. Behind `--` it can only be a path.
fn read_operand(
    scene: &mut Scene<'_>,
    form: &str,
    folder: &str,
    operand: &str,
    revision: bool,
    content: bool,
) {
    // Where no file has such a name, the shell leaves the pattern to git, which looks at any depth.
    if placeholder::is_glob(operand) {
        let left = placeholder::shown(operand);
        read_operand(scene, form, folder, &left, revision, content);
    }
    // A commit by its number can be no file that anybody would hide, and neither can several.
    let commits = operand.trim_end_matches(placeholder::PARTED);
    let operand = if commits.contains(placeholder::COMMIT) {
        commits
    } else {
        operand
    };
    if revision
        && operand.contains(placeholder::COMMIT)
        && placeholder::is_literal(&operand.replace(placeholder::COMMIT, ""))
    {
        return read_operand(
            scene,
            form,
            folder,
            &operand.replace(placeholder::COMMIT, "0000000"),
            revision,
            content,
        );
    }
    if revision && is_commit_with_holes(form, operand) {
        return;
    }
    let pattern = match magic(operand) {
        Magic::None => operand,
        // It only takes away from what is shown, and the whole tree is read already.
        Magic::Exclude => return,
        Magic::Path(path) => path,
        Magic::Other => {
            return scene.unknown(format!(
                "`{}` stands for files that only git knows",
                placeholder::shown(operand)
            ));
        }
    };
    if operand.starts_with(':') && pattern.is_empty() {
        return scene.read(folder, true);
    }
    if content && is_wild(pattern) && !is_ordinary(pattern) {
        scene.unknown(format!(
            "`{}` stands for files that only git knows",
            placeholder::shown(operand)
        ));
    }
    // The folder that a pattern is bound to holds all that fits.
    let path = match pattern.find(WILD) {
        Some(at) if is_ordinary(pattern) => pattern
            .get(..at)
            .and_then(|start| start.rfind('/').and_then(|end| start.get(..end)))
            .unwrap_or("."),
        _ => pattern,
    };
    scene.read(&below(folder, path), true);
    if pattern != operand && folder != "." {
        // Seen from the top of the repository, which may be here.
        scene.read(path, true);
    }
    // `:/text` is the newest commit with that text, and has no path.
    if revision && !operand.starts_with(":/") {
        read_in_revision(scene, folder, operand);
    }
}

/// What a path behind `--`, or a pattern, binds a command to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It only takes away.
    Nothing,
    /// Files that end like those people write: none of them is a secret.
    Ordinary,
    /// What is below this path, seen from the folder.
    Below(String),
    /// The same, seen from the folder or from the top of the repository.
    Marked(String),
}

pub(super) fn bound(word: &str) -> Bound {
    let path = match magic(word) {
        Magic::None => word,
        Magic::Exclude => return Bound::Nothing,
        Magic::Path(path) => path,
        Magic::Other => ".",
    };
    let last = path.rsplit('/').next().unwrap_or(path);
    if is_wild(path) && is_ordinary(path) && !matches!(last, "*" | "**") {
        return Bound::Ordinary;
    }
    let folder = path.find(WILD).map_or(path, |at| {
        let start = path.get(..at).unwrap_or("");
        start.rsplit_once('/').map_or(".", |(folder, _)| folder)
    });
    match folder {
        _ if path.len() < word.len() => Bound::Marked(folder.to_owned()),
        "" => Bound::Below(".".to_owned()),
        _ => Bound::Below(folder.to_owned()),
    }
}

/// Whether a word is a pattern for paths that may stand for secrets.
pub(crate) fn hides_paths(word: &str) -> bool {
    let path = match magic(word) {
        Magic::None => word,
        Magic::Exclude => return false,
        Magic::Path(path) => path,
        Magic::Other => return true,
    };
    !word.starts_with('-')
        && !word.contains(char::is_whitespace)
        && is_wild(path)
        && !is_ordinary(path)
}

/// Whether git reads a path as a pattern; a backslash makes one too.
fn is_wild(path: &str) -> bool {
    path.contains(WILD)
}

/// Whether a pattern fits everything in a folder, as the folder itself would, or only files that end like those people write.
fn is_ordinary(pattern: &str) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or(pattern);
    if matches!(last, "*" | "**") {
        let folder = pattern.strip_suffix(last).unwrap_or("");
        return !is_wild(folder) || folder.chars().all(|letter| "*/".contains(letter));
    }
    let Some((start, ending)) = last.rsplit_once('.') else {
        return false;
    };
    let literal = start.find('*').unwrap_or(0);
    let name = start.to_ascii_lowercase();
    // `.e*.json` may be bound to a hidden name, `s*.json` and `*secret*.json` to a secret one.
    !pattern
        .split('/')
        .any(|part| part.starts_with('.') && part != ".")
        && !start.contains(['[', '?', '\\'])
        && (literal == 0 || literal >= 4)
        && !SECRETIVE.iter().any(|word| name.contains(word))
        && is_ordinary_ending(&ending.to_ascii_lowercase())
}

/// `ts`, or `ts*` where no ending of a secret starts so.
fn is_ordinary_ending(ending: &str) -> bool {
    const SECRET: [&str; 22] = [
        "asc", "cer", "cert", "cred", "crt", "der", "env", "gpg", "jks", "kdbx", "key", "ovpn",
        "p12", "p8", "passwd", "pem", "pfx", "pgp", "ppk", "secret", "tfvars", "token",
    ];
    let start = ending
        .strip_suffix('*')
        .filter(|start| start.len() >= 2 && !SECRET.iter().any(|secret| secret.starts_with(start)));
    let ending = start.unwrap_or(ending);
    !is_wild(ending) && ORDINARY.contains(&format!(" {ending} "))
}

/// What a word that starts with `:` means as a path.
enum Magic<'a> {
    None,
    Exclude,
    Path(&'a str),
    Other,
}

fn magic(operand: &str) -> Magic<'_> {
    let Some(rest) = operand.strip_prefix(':') else {
        return Magic::None;
    };
    if let Some(long) = rest.strip_prefix('(') {
        let Some((words, path)) = long.split_once(')') else {
            return Magic::Other;
        };
        return match words {
            _ if words.split(',').any(|word| word == "exclude") => Magic::Exclude,
            _ if words
                .split(',')
                .all(|word| matches!(word, "top" | "literal" | "")) =>
            {
                Magic::Path(path)
            }
            _ => Magic::Other,
        };
    }
    let path = rest.trim_start_matches(['/', '!', '^']);
    let signs = rest.len() - path.len();
    let signs = rest.get(..signs).unwrap_or("");
    if signs.contains(['!', '^']) {
        return Magic::Exclude;
    }
    Magic::Path(
        path.strip_prefix(':')
            .filter(|_| !signs.is_empty())
            .unwrap_or(path),
    )
}

/// A revision such as `HEAD~$n`, of a form that takes no file out of one: whatever the hole holds, it is a commit or nothing.
fn is_commit_with_holes(form: &str, operand: &str) -> bool {
    let certain = operand
        .split(|letter: char| !placeholder::is_literal(letter.encode_utf8(&mut [0; 4])))
        .next()
        .unwrap_or("");
    // `a/..$x` could be a path that leads up.
    let range = certain
        .split_once("..")
        .is_some_and(|(start, _)| start.ends_with(|letter: char| letter.is_ascii_alphanumeric()));
    let commit = certain.starts_with("HEAD~") || certain.starts_with("HEAD^") || range;
    certain.len() < operand.len()
        && commit
        && !placeholder::may_be_several(operand)
        && matches!(form, "log" | "rev-list" | "shortlog" | "reflog show")
}

/// The path in a revision, as in `HEAD:src/a.rs`; a revision may have a colon itself, so the text after each one is tried.
///
/// Git sees it from the top of the repository unless it starts with a dot, whatever `-C` says: both places are read.
fn read_in_revision(scene: &mut Scene<'_>, folder: &str, operand: &str) {
    const MOST: usize = 4;
    if operand.matches(':').count() > MOST {
        return scene.unknown("a path with more colons than are looked at");
    }
    for path in operand
        .match_indices(':')
        .filter_map(|(at, _)| operand.get(at + 1..))
        .filter(|path| !path.is_empty())
    {
        scene.read(&below(folder, path), true);
        if folder != "." && !path.starts_with('.') {
            scene.read(path, true);
        }
    }
}
