//! Programs that print names of files, one on a line: what `$(…)`, `xargs` and `while read` get from them is known to lie below a folder.
//!
//! The world looks at the names below that folder when it is asked: one with a blank in it would be parted, one that starts with `-`
//! would be an option.

use std::borrow::Cow;

use super::find_tests::bound_names;
use super::substitution_output;
use super::wrappers::identity;
use crate::parse::options;
use crate::parse::placeholder::{
    ANY, COMMIT, HERE, HOME, NOT_IGNORED, PARTED, STAR, TRACKED, WALKED, is_literal, names_below,
};

/// Names without the folder in front of them.
const BARE: &str = "\u{f0004}";

/// Names of files that a command prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Each a folder below which they lie, as a word with holes.
    pub(crate) names: Vec<String>,
    /// They end with a NUL and not with the line.
    pub(crate) by_nul: bool,
}

/// The names that a command prints, each below one of its folders; none if it prints anything else.
pub(crate) fn listed(words: &[Cow<'_, str>]) -> Option<Listed> {
    let (first, arguments) = words.split_first()?;
    if !matches!(
        identity(first),
        "git" | "find" | "rg" | "grep" | "fd" | "fdfind"
    ) {
        return None;
    }
    if !arguments
        .iter()
        .all(|word| is_literal(word.trim_start_matches(HOME)))
    {
        return None;
    }
    let arguments: Vec<&str> = arguments.iter().map(|word| &**word).collect();
    if identity(first) == "git" && prints_commits(&arguments) {
        return Some(Listed {
            names: vec![format!("{COMMIT}{PARTED}")],
            by_nul: false,
        });
    }
    let (places, only) = match identity(first) {
        "git" => (vec![BARE], git(&arguments)?),
        "find" => (places_of_find(&arguments), names_of_find(&arguments)?),
        "rg" => ripgrep(&arguments)?,
        "grep" => grep(&arguments)?,
        "fd" | "fdfind" => fd(&arguments)?,
        _ => return None,
    };
    let mut only: Vec<String> = only
        .iter()
        .map(|pattern| name_pattern(pattern))
        .collect::<Option<_>>()
        .unwrap_or_default();
    if leaves_ignored(identity(first), &arguments) {
        only.insert(0, NOT_IGNORED.to_string());
    } else if lists_tracked(identity(first), &arguments) {
        only.insert(0, TRACKED.to_string());
    } else if identity(first) != "git" && !follows_links(&arguments) {
        only.insert(0, WALKED.to_string());
    }
    let names = places
        .iter()
        .map(|place| format!("{}{PARTED}", names_below(place, &only)))
        .collect();
    let grep_nul = |word: &&str| {
        let letter = match identity(first) {
            "grep" => 'Z',
            "rg" | "fd" | "fdfind" => '0',
            _ => return matches!(*word, "-Z" | "--null"),
        };
        matches!(*word, "-Z" | "--null")
            || word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
    };
    let by_nul = arguments
        .iter()
        .any(|word| matches!(*word, "-print0" | "-z" | "-0" | "--print0") || grep_nul(word));
    Some(Listed { names, by_nul })
}

/// Whether what git ignores is not among the names, as git itself says: those that it does not track, but for those it ignores. What it tracks
/// may be ignored all the same, and what other programs leave out is close to that and not the same.
fn leaves_ignored(name: &str, arguments: &[&str]) -> bool {
    let others = |word: &&&str| matches!(**word, "-o" | "--others");
    let plain = |word: &&&str| {
        !word.starts_with('-') || matches!(**word, "ls-files" | "--exclude-standard" | "-z")
    };
    name == "git"
        && arguments.contains(&"--exclude-standard")
        && arguments.iter().any(|word| others(&word))
        && arguments.iter().all(|word| others(&word) || plain(&word))
}

/// Whether a search may go through links to folders; only some of these programs can be asked to.
pub(crate) fn follows_links(arguments: &[&str]) -> bool {
    let short =
        |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains(['L', 'R']);
    arguments.iter().any(|word| {
        short(word) || matches!(*word, "-follow" | "--follow" | "--dereference-recursive")
    })
}

/// Whether all names are ones that git tracks, seen from the folder: those of `git diff` are seen from the top.
fn lists_tracked(name: &str, arguments: &[&str]) -> bool {
    let tracked = |word: &&str| !matches!(*word, "-o" | "--others" | "--untracked" | "--full-name");
    let lists = match arguments.split_first() {
        Some((&"ls-files", _)) => true,
        Some((&"grep", rest)) => !may_name_revision(rest),
        _ => false,
    };
    name == "git" && lists && arguments.iter().all(tracked)
}

/// Whether `git grep` may look into a revision, whose name it prints before that of a file: `HEAD:a`. The first word is what it looks for, and no
/// revision is named like a folder or a pattern.
fn may_name_revision(arguments: &[&str]) -> bool {
    let operands = arguments
        .iter()
        .take_while(|word| **word != "--")
        .filter(|word| !word.starts_with('-'));
    let is_path = |word: &&&str| {
        !word.contains(':')
            && (word.starts_with('.') || word.ends_with('/') || word.contains(['*', '?', '[']))
    };
    operands.skip(1).any(|word| !is_path(&word))
}

/// Numbers of commits, one on a line: `git log --format=%H` and `git rev-list`, of branches and not of a stash, which may hold files that git
/// does not track.
fn prints_commits(arguments: &[&str]) -> bool {
    let Some((subcommand, rest)) = arguments.split_first() else {
        return false;
    };
    let rest: Vec<&str> = rest
        .iter()
        .copied()
        .take_while(|word| *word != "--")
        .collect();
    let format = |word: &&str| {
        let value = word
            .strip_prefix("--format=")
            .or_else(|| word.strip_prefix("--pretty="));
        value.is_some_and(|value| {
            matches!(
                value
                    .strip_prefix("format:")
                    .or(value.strip_prefix("tformat:"))
                    .unwrap_or(value),
                "%H" | "%h"
            )
        })
    };
    let formats = rest.iter().filter(|word| format(word)).count();
    let mut words = rest.iter().copied().peekable();
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    while let Some(word) = words.next() {
        let known = match word {
            "-n" => words.next().is_some_and(digits),
            "--reverse" | "--no-merges" | "--merges" | "--first-parent" => true,
            _ if format(&word) => *subcommand == "log",
            _ if word.starts_with('-') => {
                let value = [
                    "--since=",
                    "--until=",
                    "--after=",
                    "--before=",
                    "--author=",
                    "--grep=",
                    "--max-count=",
                ];
                value.iter().any(|start| word.starts_with(start))
                    || word
                        .strip_prefix("-n")
                        .or(word.strip_prefix('-'))
                        .is_some_and(digits)
            }
            _ => word.split("..").all(|end| {
                end.is_empty() || substitution_output::is_commit(end.trim_start_matches(['.', '^']))
            }),
        };
        if !known {
            return false;
        }
    }
    match *subcommand {
        "log" => formats == 1,
        "rev-list" => formats == 0,
        _ => false,
    }
}

/// Whether names start with the folder they were looked for in, as those of `find` do: then none of them is an option.
pub(crate) fn starts_with_folder(name: &str) -> bool {
    !name.starts_with(HERE)
}

/// Whether a command prints some of the lines it gets, and nothing else.
pub(crate) fn passes_on(words: &[Cow<'_, str>]) -> bool {
    let Some((first, arguments)) = words.split_first() else {
        return false;
    };
    let arguments: Vec<&str> = arguments.iter().map(|word| &**word).collect();
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    match identity(first) {
        "sort" => arguments
            .iter()
            .all(|word| ["-u", "-r", "-n", "-f", "-V"].contains(word)),
        "uniq" => arguments.is_empty(),
        // Any other operand is a file, be it a number.
        "head" | "tail" => match arguments.as_slice() {
            [] => true,
            ["-n", count] => digits(count),
            [option] => option
                .strip_prefix("-n")
                .or(option.strip_prefix('-'))
                .is_some_and(digits),
            _ => false,
        },
        // One operand is the pattern; more are files.
        "grep" => {
            let known = |word: &str| {
                matches!(
                    word,
                    "-v" | "-i" | "-E" | "-F" | "-vE" | "-Ev" | "-iE" | "-w" | "-vi"
                )
            };
            let operands = arguments.iter().filter(|word| !known(word)).count();
            operands == 1
                && !arguments
                    .iter()
                    .any(|word| word.starts_with('-') && !known(word))
        }
        _ => false,
    }
}

/// A pattern of names as a word with holes; none if it is more than `*` and `?` in one name.
pub(crate) fn name_pattern(pattern: &str) -> Option<String> {
    let name = pattern.strip_prefix("**/").unwrap_or(pattern);
    if name.is_empty()
        || !is_literal(name)
        || name.contains(['/', '[', ']', '{', '}', '\\', '!', '('])
    {
        return None;
    }
    Some(
        name.replace('*', &STAR.to_string())
            .replace('?', &ANY.to_string()),
    )
}

/// `git ls-files`, `git diff --name-only` and `git grep -l`: names below the folder, as long as no operand leads out of it.
fn git<'a>(arguments: &[&'a str]) -> Option<Vec<&'a str>> {
    let (subcommand, rest) = arguments.split_first()?;
    let plain = |known: &[&str]| {
        rest.iter()
            .filter(|word| word.starts_with('-') && **word != "--")
            .all(|word| known.contains(word))
    };
    let operands: Vec<&str> = rest
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-'))
        .collect();
    match *subcommand {
        "ls-files"
            if plain(&[
                "-z",
                "-c",
                "--cached",
                "-m",
                "--modified",
                "-o",
                "--others",
                "--exclude-standard",
                "-d",
            ]) =>
        {
            if operands.iter().any(|word| leads_out(word)) {
                return None;
            }
            // A pattern binds the list only by how names end: its `*` also stands for folders. A folder does not bind it.
            Some(if operands.iter().all(|word| is_end_of_name(word)) {
                operands
            } else {
                Vec::new()
            })
        }
        "diff"
            if rest.contains(&"--name-only")
                && plain(&[
                    "--name-only",
                    "--cached",
                    "--staged",
                    "--diff-filter=ACM",
                    "--diff-filter=AM",
                    "--diff-filter=d",
                ])
                && !operands.iter().any(|word| leads_out(word))
                && only_tracked(rest) =>
        {
            Some(Vec::new())
        }
        // The first operand is the text to look for, with `-e` or without.
        "grep" => {
            let long = |word: &str| {
                matches!(
                    word,
                    "--files-with-matches" | "--name-only" | "--files-without-match"
                )
            };
            let letters = |word: &str| {
                word.strip_prefix('-')
                    .is_some_and(|letters| letters.bytes().all(|byte| b"ilwEFGLPv".contains(&byte)))
            };
            let options = || {
                rest.iter()
                    .filter(|word| word.starts_with('-') && **word != "--")
            };
            let only_names =
                options().any(|word| long(word) || letters(word) && word.contains(['l', 'L']));
            let known = options().all(|word| long(word) || letters(word) || *word == "-e");
            let stays = !operands.iter().skip(1).any(|word| leads_out(word));
            (only_names && known && stays).then(Vec::new)
        }
        _ => None,
    }
}

/// Whether `git diff --name-only` prints only names that are tracked now: nobody looks at those that a commit had and that are gone. Without
/// `--` a path counts as a commit.
fn only_tracked(words: &[&str]) -> bool {
    let before: Vec<&str> = words
        .iter()
        .copied()
        .take_while(|word| *word != "--")
        .collect();
    let commits = before.iter().filter(|word| !word.starts_with('-'));
    let leaves_out_gone = before.iter().any(|word| word.starts_with("--diff-filter="));
    let with_head = before
        .iter()
        .any(|word| matches!(*word, "--cached" | "--staged"));
    match commits.clone().count() {
        0 => leaves_out_gone || !with_head,
        1 => leaves_out_gone && !commits.clone().any(|commit| commit.contains("..")),
        _ => false,
    }
}

/// Whether a path of git may lie elsewhere than below the folder: `:/` is the top of the repository, and other signs change what it means.
fn leads_out(path: &str) -> bool {
    path.starts_with([':', '/', '~'])
        || path.contains('\\')
        || path.split('/').any(|name| name == "..")
}

/// Whether a pattern is `*` and then the end of a name, as in `*.rs`.
fn is_end_of_name(pattern: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    pattern
        .strip_prefix('*')
        .is_some_and(|end| !end.is_empty() && end.bytes().all(plain))
}

fn places_of_find<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let places: Vec<&str> = arguments
        .iter()
        .copied()
        .skip_while(|word| matches!(*word, "-H" | "-P"))
        .take_while(|word| !word.starts_with('-') && !matches!(*word, "(" | ")" | "!" | ","))
        .collect();
    if places.is_empty() { vec!["."] } else { places }
}

/// The patterns that bind the names which `find` prints; none of them if the names are not bound, and nothing if it prints more than names.
fn names_of_find<'a>(arguments: &[&'a str]) -> Option<Vec<&'a str>> {
    const DOES_MORE: [&str; 5] = ["-exec", "-execdir", "-ok", "-okdir", "-L"];
    if arguments.iter().any(|word| DOES_MORE.contains(word)) {
        return None;
    }
    bound_names(arguments)
}

/// `rg -l` and `rg --files`.
fn ripgrep<'a>(arguments: &[&'a str]) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    const TABLE: &str = "-l,--files-with-matches --files -i,--ignore-case -w,--word-regexp -F,--fixed-strings -g,--glob= -t,--type= -e,--regexp= -S,--smart-case -0,--null";
    let parsed = options::read(TABLE, arguments, false);
    let lists = parsed.has("--files-with-matches") || parsed.has("--files");
    if !parsed.unknown.is_empty() || !lists {
        return None;
    }
    let pattern = usize::from(!parsed.has("--files") && !parsed.has("--regexp"));
    let places: Vec<&str> = parsed.operands.iter().copied().skip(pattern).collect();
    let globs: Vec<&str> = parsed
        .options
        .iter()
        .filter(|given| given.name == "--glob")
        .filter_map(|given| given.value)
        .collect();
    let only = globs
        .iter()
        .copied()
        .filter(|glob| !glob.starts_with('!'))
        .collect();
    Some((
        if places.is_empty() {
            vec![BARE]
        } else {
            places
        },
        only,
    ))
}

/// `fd`: a pattern of the names, then folders.
fn fd<'a>(arguments: &[&'a str]) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    const TABLE: &str = "-e,--extension= -t,--type={f,file} -d,--max-depth= -H,--hidden -I,--no-ignore -g,--glob -i,--ignore-case -s,--case-sensitive -F,--fixed-strings -0,--print0";
    let parsed = options::read(TABLE, arguments, false);
    if !parsed.unknown.is_empty() {
        return None;
    }
    let places: Vec<&str> = parsed.operands.iter().copied().skip(1).collect();
    Some((
        if places.is_empty() {
            vec![BARE]
        } else {
            places
        },
        Vec::new(),
    ))
}

/// `grep -rl`.
fn grep<'a>(arguments: &[&'a str]) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    const TABLE: &str = "-l,--files-with-matches -r,--recursive -i,--ignore-case -w,--word-regexp -F,--fixed-strings -E,--extended-regexp --include= --exclude-dir= --exclude= -e,--regexp= -I -s,--no-messages -Z,--null";
    let parsed = options::read(TABLE, arguments, false);
    if !parsed.unknown.is_empty()
        || !parsed.has("--files-with-matches")
        || !parsed.has("--recursive")
    {
        return None;
    }
    let pattern = usize::from(!parsed.has("--regexp"));
    let places: Vec<&str> = parsed.operands.iter().copied().skip(pattern).collect();
    // Where something is left out as well, the order of the two decides which names are looked at besides.
    let bound = |name: &str| name == "--include" && !parsed.has("--exclude");
    let only = parsed
        .options
        .iter()
        .filter(|given| bound(&given.name))
        .filter_map(|given| given.value)
        .collect();
    Some((
        if places.is_empty() {
            vec![BARE]
        } else {
            places
        },
        only,
    ))
}
