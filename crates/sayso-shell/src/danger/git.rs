//! What git does that cannot be taken back: history replaced, changes thrown away, settings that make it run something.
//!
//! Over-approximate, like all dangers: options count in any order and in every abbreviation that git takes.

use sayso_core::analysis::risk::Tier::{self, Dangerous};

use super::call::Found;
use super::takeover;
use crate::parse::characters::starts_with;
use crate::programs::git::globals::globals;
use crate::unparsed::split::Segment;
use crate::unparsed::words::head;

/// Settings that name a program, or a folder of programs.
const RUNS: [&str; 16] = [
    "core.hookspath",
    "core.fsmonitor",
    "core.pager",
    "core.sshcommand",
    "core.editor",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "sequence.editor",
    "diff.external",
    "credential.helper",
    "gpg.program",
    "interactive.difffilter",
    "init.templatedir",
    "uploadpack.packobjectshook",
    "include.path",
];

/// The dangers of git's arguments, and of what an alias among them stands for.
pub(crate) fn of_git(arguments: &[String], say: &mut impl FnMut(Tier, String)) {
    of_arguments(arguments, say);
    if arguments.iter().any(|word| starts_with(word, "alias."))
        && let Some(meant) = meant_by_alias(arguments)
    {
        of_arguments(&meant, say);
    }
    for word in arguments.iter().take(16) {
        if let Some(folder) = word
            .strip_prefix("--exec-path=")
            .filter(|folder| is_open_folder(folder))
        {
            say(
                Dangerous,
                format!(
                    "`git` runs its own programs from `{folder}`, a folder that everybody may write to"
                ),
            );
        }
        if let Some(path) = word.strip_prefix("--output=")
            && let Some(why) = takeover::why(path)
        {
            say(Dangerous, format!("`git` changes `{path}`: {why}"));
        }
    }
}

/// Whether a path is below a folder that everybody may write to.
pub(crate) fn is_open_folder(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || path == "/tmp"
}

/// The words that an alias stands for: `-c alias.x='reset --hard' x`, `config alias.x 'reset --hard'`. A command of the shell, behind `!`,
/// is found elsewhere.
fn meant_by_alias(arguments: &[String]) -> Option<Vec<String>> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let globals = globals(&words);
    let (before, behind) = words.split_at_checked(globals.length)?;
    let (subcommand, rest) = behind.split_first()?;
    let (value, rest) = if *subcommand == "config" {
        let at = rest.iter().position(|word| starts_with(word, "alias."))?;
        (*rest.get(at + 1)?, &[][..])
    } else {
        let value = before.iter().find_map(|word| {
            let (name, value) = word.split_once('=')?;
            (starts_with(name, "alias.") && name.get(6..)?.eq_ignore_ascii_case(subcommand))
                .then_some(value)
        })?;
        (value, rest)
    };
    if value.trim_start().starts_with('!') {
        return None;
    }
    let words = value.split_whitespace().chain(rest.iter().copied());
    Some(words.map(str::to_owned).collect())
}

fn of_arguments(arguments: &[String], say: &mut impl FnMut(Tier, String)) {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let globals = globals(&words);
    let Some((subcommand, rest)) = words.get(globals.length..).and_then(<[&str]>::split_first)
    else {
        return;
    };
    let short = |letter: char| {
        rest.iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let long = |starts: &str| rest.iter().any(|word| word.starts_with(starts));
    let first = |word: &str| rest.iter().find(|word| !word.starts_with('-')) == Some(&word);
    let force = short('f') || long("--for");
    let is_whole = |word: &str| {
        matches!(word, "." | "./" | ".." | ":/" | ":" | "*" | ":(top)")
            || word.len() > 1 && word.ends_with('/')
    };
    let whole = || {
        rest.iter()
            .find(|word| !word.starts_with('-') && is_whole(word))
    };
    let mut warn = |what: String| say(Dangerous, what);

    if let Some(address) = rest.iter().find(|word| word.starts_with("ext::")) {
        warn(format!(
            "`{address}` runs a command as if it were an address"
        ));
    }
    match *subcommand {
        "push" => push(rest, force, &mut warn),
        "reset" if long("--h") => warn("`git reset --hard` throws away changes".to_owned()),
        "reset" if long("--m") && !long("--mi") => warn("`git reset --merge` throws away what is staged".to_owned()),
        "read-tree" if short('u') && (short('m') || long("--r")) => {
            warn("`git read-tree -u` writes over files without a look at their changes".to_owned());
        }
        "prune" if !tells_only(rest) => warn("`git prune` deletes commits that nothing leads to".to_owned()),
        "symbolic-ref" if short('d') || long("--del") => warn("`git symbolic-ref --delete` takes away which branch is meant".to_owned()),
        "update-ref" if operands(rest) > 1 => warn("`git update-ref` moves a branch away from its commits".to_owned()),
        "gc" if words.iter().any(|word| word.to_ascii_lowercase().starts_with("gc.prune") && word.ends_with("=now")) => {
            warn("`git gc` deletes commits that nothing leads to".to_owned());
        }
        "update-ref" if long("--std") => warn("`git update-ref --stdin` changes or deletes any branch".to_owned()),
        "submodule" if first("update") && force => warn("`git submodule update --force` throws away changes".to_owned()),
        "branch" if force && !short('d') && !long("--del") && operands(rest) > 1 => {
            warn("`git branch --force` moves a branch away from its commits".to_owned());
        }
        "fetch" | "pull" if force && rest.iter().any(|word| !word.starts_with('-') && word.contains(':') && !word.contains('/')) => {
            warn(format!("`git {subcommand} --force` moves branches away from their commits"));
        }
        "lfs" if first("migrate") && rest.iter().any(|word| matches!(*word, "import" | "export")) => {
            warn("`git lfs migrate` rewrites history".to_owned());
        }
        "clean" if (force || is_unguarded(&words)) && !tells_only(rest) => {
            warn("`git clean` deletes files that git does not know".to_owned())
        }
        "filter-branch" | "filter-repo" => warn(format!("`git {subcommand}` rewrites the whole history")),
        "checkout" | "checkout-index" if force => warn(format!("`git {subcommand} --force` throws away changes")),
        "checkout" => {
            if let Some(path) = whole() {
                warn(format!("`git checkout {path}` throws away changes"));
            }
        }
        "restore" if !(long("--st") || short('S')) || long("--w") || short('W') => {
            if let Some(path) = whole() {
                warn(format!("`git restore {path}` throws away changes"));
            }
        }
        "switch" if force || long("--di") => warn("`git switch --discard-changes` throws away changes".to_owned()),
        "branch" if short('D') || force && (short('d') || long("--del")) => {
            warn("`git branch -D` deletes a branch that may not be merged".to_owned());
        }
        "stash" if first("drop") => warn("`git stash drop` throws away changes".to_owned()),
        "stash" if first("clear") => warn("`git stash clear` throws away changes".to_owned()),
        "reflog" if first("expire") || first("delete") || first("drop") => {
            warn("`git reflog` forgets commits that nothing else leads to".to_owned());
        }
        "gc" if rest.iter().any(|word| matches!(word.split_once('='), Some((name, "now" | "all")) if name.starts_with("--p"))) => {
            warn("`git gc --prune=now` deletes commits that nothing leads to".to_owned());
        }
        "update-ref" if short('d') => warn("`git update-ref -d` deletes a branch or a tag".to_owned()),
        "worktree" if first("remove") && force => warn("`git worktree remove --force` deletes a folder with its changes".to_owned()),
        "submodule" if first("deinit") && force => warn("`git submodule deinit --force` throws away changes".to_owned()),
        "rm" if short('r') && !long("--ca") && !tells_only(rest) => warn("`git rm -r` deletes folders with everything below".to_owned()),
        "config" => config(rest, &mut warn),
        "credential" | "credential-store" | "credential-cache" if first("fill") || first("get") => {
            warn(format!("`git {subcommand}` hands out saved passwords"));
        }
        _ => {}
    }
}

fn operands(rest: &[&str]) -> usize {
    rest.iter().filter(|word| !word.starts_with('-')).count()
}

/// Whether a setting of the line lets `clean` delete without an option for it.
fn is_unguarded(words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| word.to_ascii_lowercase().starts_with("clean.requireforce="))
}

fn push(rest: &[&str], force: bool, warn: &mut impl FnMut(String)) {
    let short = |letter: char| {
        rest.iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let long = |starts: &str| rest.iter().any(|word| word.starts_with(starts));
    if force {
        let with_lease = rest
            .iter()
            .find(|word| word.starts_with("--force-"))
            .and_then(|word| word.split('=').next());
        warn(format!(
            "`git push {}` replaces history on the other side",
            with_lease.unwrap_or("--force")
        ));
    } else if long("--m") {
        warn("`git push --mirror` replaces and deletes branches on the other side".to_owned());
    } else if let Some(refspec) = rest.iter().find(|word| word.starts_with('+')) {
        warn(format!(
            "`git push {refspec}` replaces history on the other side"
        ));
    }
    if short('d') || long("--de") {
        warn("`git push --delete` deletes branches on the other side".to_owned());
    } else if long("--pru") {
        warn("`git push --prune` deletes branches on the other side".to_owned());
    } else if let Some(refspec) = rest
        .iter()
        .find(|word| word.starts_with(':') && word.len() > 1)
    {
        warn(format!(
            "`git push {refspec}` deletes a branch on the other side"
        ));
    }
}

/// The dangers of a line that takes back what it has just listed as changed: `git diff | git apply -R`.
pub(crate) fn of_line(segments: &[Segment], found: &mut Vec<Found>) {
    let operands = |segment: &Segment| {
        segment
            .words
            .iter()
            .skip(2)
            .filter(|word| !word.starts_with('-'))
            .count()
    };
    let lists = |segment: &Segment| {
        matches!(segment.words.as_slice(), [git, diff, rest @ ..] if git == "git" && diff == "diff"
            && !rest.iter().any(|word| matches!(word.as_str(), "--cached" | "--staged") || word.contains("..")))
            && (operands(segment) == 0
                || segment.words.iter().any(|word| word == "--")
                || segment.words.get(2).is_some_and(|word| word == "HEAD")
                    && operands(segment) == 1)
    };
    let takes_back = |segment: &Segment| {
        let reverse = segment
            .words
            .iter()
            .any(|word| matches!(word.as_str(), "-R" | "--reverse"));
        let git_apply = matches!(segment.words.as_slice(), [git, apply, ..] if git == "git" && apply == "apply");
        segment.piped
            && reverse
            && (git_apply || head(&segment.words) == Some("patch"))
            && !segment.words.iter().any(|word| {
                matches!(
                    word.as_str(),
                    "--check" | "--stat" | "--dry-run" | "--cached"
                )
            })
    };
    if segments.iter().any(takes_back) && segments.iter().any(lists) {
        found.push((
            Dangerous,
            "takes back the changes that `git diff` lists".to_owned(),
        ));
    }
}

/// A dry run, in a form that nothing else can be meant by.
fn tells_only(rest: &[&str]) -> bool {
    rest.iter().any(|word| {
        let letters = word
            .strip_prefix('-')
            .filter(|letters| letters.bytes().all(|byte| b"fdxXqnr".contains(&byte)));
        *word == "--dry-run" || letters.is_some_and(|letters| letters.contains('n'))
    })
}

/// A setting that is given a value, and makes git run it.
fn config(rest: &[&str], warn: &mut impl FnMut(String)) {
    let takes_back = rest.iter().any(|word| {
        word.starts_with("--unset")
            || word.starts_with("--get")
            || *word == "unset"
            || *word == "get"
    });
    let mut words = rest
        .iter()
        .filter(|word| !word.starts_with('-') && **word != "set")
        .peekable();
    while let Some(name) = words.next() {
        let Some(value) = words.peek().filter(|_| !takes_back) else {
            return;
        };
        let lower = name.to_ascii_lowercase();
        let section = lower.split('.').next().unwrap_or("");
        let last = lower.rsplit('.').next().unwrap_or("");
        let runs = RUNS.contains(&lower.as_str())
            || section == "alias" && value.trim_start().starts_with('!')
            || matches!(section, "filter" | "trailer")
                && matches!(last, "clean" | "smudge" | "process" | "command" | "cmd")
            || matches!(
                (section, last),
                ("diff", "command" | "textconv") | ("merge", "driver") | ("credential", "helper")
            )
            || matches!(
                (section, last),
                ("difftool" | "mergetool", "cmd" | "path")
                    | ("includeif", "path")
                    | ("url", "insteadof")
            );
        if runs {
            return warn(format!("`git config {name}` makes git run something else"));
        }
    }
}

/// The commands that git's words hold: behind `bisect run` and `submodule foreach`, and in the texts of `--exec`.
pub(crate) fn held_commands(arguments: &[String]) -> Vec<Vec<String>> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let globals = globals(&words);
    let Some((subcommand, rest)) = words.get(globals.length..).and_then(<[&str]>::split_first)
    else {
        return Vec::new();
    };
    let split = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    match *subcommand {
        "bisect" | "submodule" => {
            let start = rest
                .iter()
                .position(|word| matches!(*word, "run" | "foreach"));
            let held = start.and_then(|at| rest.get(at + 1..)).unwrap_or(&[]);
            let options = held.iter().take_while(|word| word.starts_with('-')).count();
            let held = held.get(options..).unwrap_or(&[]);
            vec![held.iter().flat_map(|word| split(word)).collect()]
        }
        "rebase" => rest
            .iter()
            .zip(rest.iter().skip(1).map(Some).chain([None]))
            .filter_map(
                |(word, next)| match (word.strip_prefix("--exec="), *word, next) {
                    (Some(text), ..) => Some(split(text)),
                    (None, "-x" | "--exec", Some(text)) => Some(split(text)),
                    _ => word
                        .strip_prefix("-x")
                        .filter(|text| !text.is_empty())
                        .map(split),
                },
            )
            .collect(),
        _ => Vec::new(),
    }
}
