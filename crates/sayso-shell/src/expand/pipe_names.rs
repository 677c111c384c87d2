//! Which part of a pipe gets the names that the part before it prints, each of them whole: one command that reads them all, or a loop that
//! reads them line by line and in which nothing else reads.
//!
//! Whatever else stands beside the reader may take a piece of the input, put another file in its place or go to another folder, and then
//! what is read is no name from that list.

use super::known_programs::FindProgram;
use super::wrappers::identity;
use crate::parse::bash::tree::{
    Assigned, Form, Node, Piece, Redirect, RedirectKind, Script, Simple, Word,
};
use crate::parse::options;

/// Programs and words of the shell that never read their input, whatever words they get.
const NEVER_READ: [&str; 14] = [
    "echo", "printf", "test", "[", "true", ":", "basename", "dirname", "ls", "stat", "pwd",
    "continue", "break", "realpath",
];

/// Programs that read the files in their words, and their input only if there are none.
const READ_FILES: [&str; 14] = [
    "cat",
    "wc",
    "head",
    "tail",
    "nl",
    "tac",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "file",
    "du",
    "sort",
];

/// The same, with a text or a script before the files.
const READ_FILES_BEHIND_TEXT: [&str; 6] = ["grep", "egrep", "fgrep", "sed", "awk", "jq"];

/// Commands of git that look at the repository and never at their input.
const GIT_NEVER_READS: [&str; 5] = ["log", "show", "diff", "status", "ls-files"];

/// A loop that reads names line by line, into the variable `name`.
#[derive(Clone, Copy)]
struct Loop<'a> {
    name: &'a str,
    find_program: FindProgram,
}

/// Whether a part of a pipe reads names line by line, or as one command, and nothing beside it reads.
pub(crate) fn takes_names(node: &Node, find_program: FindProgram) -> bool {
    match node {
        Node::Simple(simple) => {
            parts_at_lines(simple)
                && simple
                    .words
                    .iter()
                    .all(|word| !runs_something(&word.pieces))
                && is_one_reader(simple)
        }
        Node::Loop {
            condition,
            body,
            redirects,
        } => match condition.0.as_slice() {
            [Node::Simple(read)] => {
                let loop_variable = match read.words.as_slice() {
                    [read, raw, name]
                        if read.bare() == Some("read") && raw.bare() == Some("-r") =>
                    {
                        name.bare()
                    }
                    [read, name] if read.bare() == Some("read") => name.bare(),
                    _ => None,
                };
                let plain = parts_at_lines(read)
                    && read.redirects.is_empty()
                    && redirects.iter().all(is_output);
                loop_variable.is_some_and(|name| {
                    plain && keeps(body, name) && leaves_input(body, Loop { name, find_program })
                })
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a script leaves a variable as it is.
fn keeps(script: &Script, name: &str) -> bool {
    let mut assigned = super::assigned::Assigned::default();
    assigned.script(script);
    !assigned.everything && assigned.names.iter().all(|(set, _)| set != name)
}

/// Whether nothing is set for a command, or only that its lines are not parted.
fn parts_at_lines(simple: &Simple) -> bool {
    let plain = |value: &Assigned| matches!(value, Assigned::One(word) if word.literal().is_some_and(|text| text.is_empty()));
    simple.assignments.iter().all(|assignment| {
        assignment.name == "IFS" && !assignment.appends && plain(&assignment.value)
    })
}

/// Whether a command stands there as itself: `eval` and `exec` could put another file in the place of its input.
fn is_one_reader(simple: &Simple) -> bool {
    let first = simple.words.first().and_then(Word::bare);
    first.is_some_and(|first| {
        !matches!(
            first,
            "eval" | "exec" | "source" | "." | "builtin" | "command"
        )
    })
}

fn is_output(redirect: &Redirect) -> bool {
    matches!(redirect.kind, RedirectKind::Write(_))
        && matches!(redirect.descriptor, None | Some(1 | 2))
        || matches!(
            (&redirect.kind, redirect.descriptor),
            (RedirectKind::Duplicate, Some(1 | 2))
        )
}

/// Whether a command stands inside of a word: it would read the same input.
fn runs_something(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Command { .. } | Piece::Process { .. } => true,
        Piece::Parameter {
            form: Form::Or(inner) | Form::Changed(inner),
            ..
        } => runs_something(inner),
        Piece::Braces { choices, .. } => choices.iter().any(|choice| runs_something(choice)),
        _ => false,
    })
}

/// Whether no command of a script reads the input that they share; `name` is the variable of the loop.
fn leaves_input(script: &Script, by: Loop<'_>) -> bool {
    script.0.iter().all(|node| node_leaves_input(node, by))
}

fn node_leaves_input(node: &Node, by: Loop<'_>) -> bool {
    let script = |script: &Script| leaves_input(script, by);
    match node {
        Node::Simple(simple) => simple_leaves_input(simple, by),
        // The others read what the one before prints.
        Node::Pipeline(parts) => {
            parts
                .first()
                .is_none_or(|first| node_leaves_input(first, by))
                && parts.iter().all(is_no_exec)
        }
        Node::Chain(parts) => parts.iter().all(|(_, part)| node_leaves_input(part, by)),
        Node::Not(inner) => node_leaves_input(inner, by),
        Node::Background(_) => false,
        Node::Subshell(inner, redirects) | Node::Group(inner, redirects) => {
            redirects.iter().all(is_output) && script(inner)
        }
        Node::If {
            branches,
            otherwise,
            redirects,
        } => {
            redirects.iter().all(is_output)
                && branches
                    .iter()
                    .all(|(condition, branch)| script(condition) && script(branch))
                && otherwise.as_ref().is_none_or(script)
        }
        Node::Loop { .. } | Node::Function { .. } => false,
        Node::Count(count) => count.redirects.iter().all(is_output) && script(&count.body),
        Node::For {
            words,
            body,
            redirects,
            ..
        } => {
            redirects.iter().all(is_output)
                && words
                    .iter()
                    .flatten()
                    .all(|word| word_leaves_input(word, by))
                && script(body)
        }
        Node::Case {
            word,
            arms,
            redirects,
        } => {
            redirects.iter().all(is_output)
                && word_leaves_input(word, by)
                && arms.iter().all(|(patterns, arm)| {
                    patterns.iter().all(|word| word_leaves_input(word, by)) && script(arm)
                })
        }
        Node::Test {
            words, redirects, ..
        } => redirects.is_empty() && words.iter().all(|word| word_leaves_input(word, by)),
    }
}

/// Whether a part of a pipe is a plain command with plain words. In some shells the last one runs in the shell itself.
fn is_no_exec(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => is_one_reader(simple),
        _ => false,
    }
}

fn word_leaves_input(word: &Word, by: Loop<'_>) -> bool {
    pieces_leave_input(&word.pieces, by)
}

fn pieces_leave_input(pieces: &[Piece], by: Loop<'_>) -> bool {
    pieces.iter().all(|piece| match piece {
        Piece::Command { script, .. } => leaves_input(script, by),
        Piece::Process { .. } => false,
        Piece::Parameter {
            form: Form::Or(inner) | Form::Changed(inner),
            ..
        } => pieces_leave_input(inner, by),
        Piece::Braces { choices, .. } => {
            choices.iter().all(|choice| pieces_leave_input(choice, by))
        }
        _ => true,
    })
}

fn simple_leaves_input(simple: &Simple, by: Loop<'_>) -> bool {
    let inside = simple.words.iter().all(|word| word_leaves_input(word, by))
        && simple
            .redirects
            .iter()
            .all(|redirect| match &redirect.kind {
                RedirectKind::Read(word)
                | RedirectKind::Write(word)
                | RedirectKind::HereString(word) => word_leaves_input(word, by),
                RedirectKind::Duplicate => matches!(redirect.descriptor, Some(1 | 2)),
                RedirectKind::HereDocument(_) => false,
            });
    let assigned = simple
        .assignments
        .iter()
        .all(|assignment| match &assignment.value {
            Assigned::One(word) => word_leaves_input(word, by),
            Assigned::List(words) => words.iter().all(|word| word_leaves_input(word, by)),
        });
    if !inside || !assigned {
        return false;
    }
    let Some((first, arguments)) = simple.words.split_first() else {
        return simple.redirects.is_empty()
            && simple
                .assignments
                .iter()
                .all(|assignment| assignment.name != "IFS");
    };
    let Some(program) = first.bare().map(identity) else {
        return false;
    };
    let own_input = |redirect: &Redirect| match &redirect.kind {
        // What a variable holds may be another name of the input.
        RedirectKind::Read(file) => {
            is_variable(file, by.name) || file.is_literal() && !names_device(file)
        }
        RedirectKind::HereString(_) => true,
        _ => false,
    };
    if simple
        .redirects
        .iter()
        .any(|redirect| own_input(redirect) && matches!(redirect.descriptor, None | Some(0)))
    {
        return is_one_reader(simple) && (by.find_program)(program).is_some();
    }
    NEVER_READ.contains(&program)
        || reads_files(program, arguments, by)
        || program == "git" && is_look_of_git(arguments)
}

/// Whether a word that is nothing but text is another name of the input, as `/dev/stdin` is.
fn names_device(word: &Word) -> bool {
    word.literal()
        .is_some_and(|text| text.contains("/dev") || text.contains("/proc"))
}

/// Whether a word is the value of this variable and nothing else. Quotes leave an empty text.
fn is_variable(word: &Word, name: &str) -> bool {
    let mut pieces = word
        .pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Text { text, .. } if text.is_empty()));
    matches!((pieces.next(), pieces.next()), (Some(Piece::Parameter { name: used, form: Form::Plain, .. }), None) if used == name)
}

/// Whether the last word is the name from the list, and a file to the program.
fn reads_files(program: &str, arguments: &[Word], by: Loop<'_>) -> bool {
    /// The name from the list: no option, and no number.
    const FILE: &str = "./x";
    let words: Vec<_> = arguments
        .iter()
        .map(|word| {
            if is_variable(word, by.name) {
                Some(FILE.into())
            } else {
                word.literal()
            }
        })
        .collect();
    let Some(words) = words
        .into_iter()
        .collect::<Option<Vec<_>>>()
        .filter(|_| !arguments.iter().any(names_device))
    else {
        return false;
    };
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    let Some(table) = (by.find_program)(program).and_then(|program| program.options) else {
        return false;
    };
    let parsed = options::read(table, &words, false);
    if !parsed.unknown.is_empty()
        || parsed.operands.contains(&"-")
        || parsed.operands.last() != Some(&FILE)
    {
        return false;
    }
    let given = ["--regexp", "--expression"]
        .iter()
        .any(|option| parsed.has(option));
    let from_files = [
        "--file",
        "--files-from",
        "--files0-from",
        "--from-file",
        "--null-input",
    ]
    .iter()
    .any(|option| parsed.has(option));
    let text = parsed.operands.first().copied().unwrap_or_default();
    // Text before the files may itself ask for the input.
    let asks = match program {
        "awk" | "jq" => ["getline", "exit", "/dev/", "input"]
            .iter()
            .any(|word| text.contains(word)),
        "sed" => {
            text.contains("/dev/")
                || !parsed
                    .options
                    .iter()
                    .all(|given| given.value.is_none_or(|value| !value.contains("/dev/")))
        }
        _ => false,
    };
    !from_files
        && !asks
        && (READ_FILES.contains(&program)
            || READ_FILES_BEHIND_TEXT.contains(&program) && (given || parsed.operands.len() > 1))
}

/// Whether a command of git only looks at the repository; `-` and what ends in it would be its input.
fn is_look_of_git(arguments: &[Word]) -> bool {
    let command = arguments.first().and_then(Word::bare);
    command.is_some_and(|command| GIT_NEVER_READS.contains(&command))
        && arguments.iter().all(|word| {
            word.literal().is_none_or(|text| {
                (text == "--" || !text.ends_with('-')) && !text.contains("stdin")
            })
        })
}
