//! What a substitution prints, as far as that is known without running it: names of files, numbers, commits, and texts.

use std::borrow::Cow;

use super::file_listers;
use super::variables::Variables;
use crate::parse::bash::tree::{
    Document, Form, Joint, Node, Piece, Redirect, RedirectKind, Script, Simple, Word,
};
use crate::parse::placeholder::{self, COMMIT, DIGITS, FRESH, HERE, LIST, NUMBER, PARTED};

/// The names of files that a substitution prints, if it prints nothing else.
pub(crate) fn listed_names(script: &Script) -> Option<Vec<String>> {
    let [node] = script.0.as_slice() else {
        return None;
    };
    let (first, rest) = match node {
        Node::Pipeline(parts) => parts.split_first()?,
        node => (node, [].as_slice()),
    };
    let all_pass_on = rest
        .iter()
        .all(|part| literal_words(part).is_some_and(|words| file_listers::passes_on(&words)));
    file_listers::listed(&literal_words(first)?)
        .filter(|listed| all_pass_on && !listed.by_nul)
        .map(|listed| listed.names)
}

/// The one name that a substitution prints, if it prints nothing else.
pub(crate) fn one_name(script: &Script) -> Option<String> {
    let [Node::Pipeline(parts)] = script.0.as_slice() else {
        return None;
    };
    let last = literal_words(parts.last()?)?;
    let last: Vec<&str> = last.iter().map(|word| &**word).collect();
    let one = matches!(
        last.as_slice(),
        ["head" | "tail", "-1" | "-n1"] | ["head" | "tail", "-n", "1"]
    );
    let names = listed_names(script).filter(|_| one)?;
    <[String; 1]>::try_from(names).ok().map(|[name]| name)
}

/// `2>/dev/null`.
fn drops_errors(redirect: &Redirect) -> bool {
    redirect.descriptor == Some(2)
        && matches!(&redirect.kind, RedirectKind::Write(word) if word.literal().as_deref() == Some("/dev/null"))
}

/// The words of a plain command that are nothing but text; other streams than the input may be led elsewhere.
pub(crate) fn literal_words(node: &Node) -> Option<Vec<Cow<'_, str>>> {
    let Node::Simple(simple) = node else {
        return None;
    };
    if !simple.assignments.is_empty() || !simple.redirects.iter().all(drops_errors) {
        return None;
    }
    simple
        .words
        .iter()
        .all(Word::is_literal)
        .then(|| simple.words.iter().filter_map(Word::literal).collect())
}

/// What a substitution prints, where that is known without running it: `$(pwd)`, `$(cat <<'X' …)` with a plain text, a number of lines or of
/// seconds, and the number of a commit.
pub(crate) fn known_output(
    script: &Script,
    document: &Document,
    variables: &Variables,
) -> Option<String> {
    let [node] = script.0.as_slice() else {
        return None;
    };
    // `|| true` only hides that nothing was found.
    let node = match node {
        Node::Chain(parts) => match parts.as_slice() {
            [(_, first), (Joint::Or, last)]
                if literal_words(last)
                    .is_some_and(|words| matches!(words.as_slice(), [word] if word == "true")) =>
            {
                first
            }
            _ => node,
        },
        node => node,
    };
    if let Node::Pipeline(parts) = node {
        let last = literal_words(parts.last()?)?;
        return if is_count(&last) {
            Some(NUMBER.to_string())
        } else {
            is_numbers_of_lines(parts).then(|| DIGITS.to_string())
        };
    }
    let Node::Simple(simple) = node else {
        return None;
    };
    if !simple.assignments.is_empty() {
        return None;
    }
    if is_count_in_one_file(simple, variables) {
        return Some(NUMBER.to_string());
    }
    let words: Vec<Cow<'_, str>> = simple
        .words
        .iter()
        .map(Word::literal)
        .collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    let only_errors = simple.redirects.iter().all(drops_errors);
    match (words.as_slice(), simple.redirects.as_slice()) {
        (["pwd"], []) => Some(HERE.to_string()),
        (["cat"], [redirect]) if matches!(redirect.descriptor, None | Some(0)) => {
            match &redirect.kind {
                RedirectKind::HereDocument(number) => {
                    let text = document.bodies.get(*number)?.literal()?;
                    Some(text.trim_end_matches('\n').to_owned())
                }
                _ => None,
            }
        }
        (
            ["nproc"]
            | [
                "date",
                "+%s" | "+%Y" | "+%s%N" | "+%Y%m%d" | "+%Y%m%d%H%M%S",
            ],
            [],
        ) => Some(NUMBER.to_string()),
        (["wc", flag], [redirect])
            if matches!(redirect.kind, RedirectKind::Read(_))
                && matches!(redirect.descriptor, None | Some(0))
                && is_count(&["wc".into(), (*flag).into()]) =>
        {
            Some(NUMBER.to_string())
        }
        // Each on a line of its own, so that these are several words outside of quotes.
        (["seq", numbers @ ..], [])
            if !numbers.is_empty()
                && numbers
                    .iter()
                    .all(|number| number.bytes().all(|byte| byte.is_ascii_digit())) =>
        {
            Some(format!("{NUMBER}{PARTED}"))
        }
        (["mktemp", ..], _) if only_errors => Some(FRESH.to_string()),
        (
            ["git", "rev-list", "-1" | "--max-count=1", name]
            | ["git", "rev-list", "-n", "1", name],
            _,
        ) if only_errors && is_commit(name) => Some(COMMIT.to_string()),
        (
            ["git", "rev-list", "-1", name, "--", _]
            | ["git", "rev-list", "-n", "1", name, "--", _],
            _,
        ) if only_errors && is_commit(name) => Some(COMMIT.to_string()),
        (["git", "rev-parse", revisions @ ..], _) if only_errors && is_one_commit(revisions) => {
            Some(COMMIT.to_string())
        }
        (["git", "merge-base", one, other], _)
            if only_errors && is_commit(one) && is_commit(other) =>
        {
            Some(COMMIT.to_string())
        }
        _ => None,
    }
}

/// `"$(git rev-parse --show-toplevel)"` in double quotes, and nothing else: the top of the repository, or nothing where git knows of none.
/// Behind `||` may stand what prints the folder it is in.
pub(crate) fn is_top(word: &Word) -> bool {
    let mut pieces = word
        .pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Text { text, .. } if text.is_empty()));
    let (
        Some(Piece::Command {
            script,
            quoted: true,
        }),
        None,
    ) = (pieces.next(), pieces.next())
    else {
        return false;
    };
    let is =
        |node: &Node, wanted: &[&str]| literal_words(node).is_some_and(|words| words == wanted);
    let (node, other) = match script.0.as_slice() {
        [Node::Chain(parts)] => match parts.as_slice() {
            [(_, first), (Joint::Or, other)] => (first, Some(other)),
            _ => return false,
        },
        [node] => (node, None),
        _ => return false,
    };
    is(node, &["git", "rev-parse", "--show-toplevel"])
        && other.is_none_or(|other| is(other, &["pwd"]) || is(other, &["echo", "."]))
}

/// Counts what it reads, and prints the number alone.
fn is_count(words: &[Cow<'_, str>]) -> bool {
    match words
        .iter()
        .map(|word| &**word)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["wc", "-l" | "-c" | "-w" | "-m"] => true,
        // An option in the place of the text would have it look through files, whose names it prints.
        ["grep", "-c", text] => !text.starts_with('-'),
        _ => false,
    }
}

/// `grep -n TEXT FILE | head -1 | cut -d: -f1`: the numbers of the lines that were found. With more than one file, names stand there.
fn is_numbers_of_lines(parts: &[Node]) -> bool {
    let words: Option<Vec<Vec<Cow<'_, str>>>> = parts.iter().map(literal_words).collect();
    let Some(words) = words else { return false };
    let words: Vec<Vec<&str>> = words
        .iter()
        .map(|words| words.iter().map(|word| &**word).collect())
        .collect();
    let [first, chosen @ .., last] = words.as_slice() else {
        return false;
    };
    let numbered = match first.as_slice() {
        ["grep", flags, text, files @ ..] => {
            let plain = flags
                .strip_prefix('-')
                .is_some_and(|flags| flags.bytes().all(|flag| b"nEFiwxm1".contains(&flag)));
            plain
                && flags.contains('n')
                && !text.starts_with('-')
                && files.len() <= 1
                && !files.iter().any(|file| file.starts_with('-'))
        }
        _ => false,
    };
    let chooses = |words: &Vec<&str>| match words.as_slice() {
        ["head" | "tail", rest @ ..] => rest.iter().all(|word| {
            word.bytes()
                .all(|byte| byte.is_ascii_digit() || b"-n".contains(&byte))
        }),
        _ => false,
    };
    let takes_number = matches!(
        last.as_slice(),
        ["cut", "-d:", "-f1"]
            | ["cut", "-f1", "-d:"]
            | ["cut", "-d", ":", "-f1"]
            | ["cut", "-d", ":", "-f", "1"]
            | ["cut", "-f", "1", "-d", ":"]
            | ["cut", "-d:", "-f", "1"]
            | ["sed", "s/:.*//"]
            | ["awk", "-F:", "{print $1}"]
    );
    numbered && takes_number && chosen.iter().all(chooses)
}

/// `grep -c TEXT "$file"`: with one file, the number stands there alone. Neither of the two may be an option: of several files, `grep`
/// prints the names.
fn is_count_in_one_file(simple: &Simple, variables: &Variables) -> bool {
    let [program, flag, text, file] = simple.words.as_slice() else {
        return false;
    };
    // A bare name from a list may start with `-`.
    let no_option = |value: &String| {
        !value.is_empty()
            && !placeholder::may_be_option(value)
            && !value.starts_with(HERE)
            && !value.contains(LIST)
    };
    let starts_plain = match file
        .pieces
        .iter()
        .find(|piece| !matches!(piece, Piece::Text { text, .. } if text.is_empty()))
    {
        Some(Piece::Text { text, .. }) => !text.starts_with('-'),
        Some(Piece::Parameter { name, .. }) => variables.get(name).iter().all(no_option),
        _ => false,
    };
    let one = |piece: &Piece| match piece {
        Piece::Text { .. } => true,
        Piece::Parameter { name, quoted, form } => {
            *quoted && *form == Form::Plain && !matches!(name.as_str(), "@" | "*")
        }
        _ => false,
    };
    program.bare() == Some("grep")
        && flag.bare() == Some("-c")
        && text.literal().is_some_and(|text| !text.starts_with('-'))
        && starts_plain
        && file.pieces.iter().all(one)
        && simple.redirects.iter().all(drops_errors)
}

/// One commit with options that only change how it is written. What git does not know it prints as it stands, also the path of a file: only
/// names that are hardly one do without `--verify`.
fn is_one_commit(words: &[&str]) -> bool {
    let verified = words.contains(&"--verify");
    let names: Vec<&&str> = words
        .iter()
        .filter(|word| !matches!(**word, "--short" | "--verify" | "-q" | "--quiet"))
        .collect();
    matches!(names.as_slice(), [name] if is_commit(name) && (verified || is_no_file(name)))
}

/// Whether a name is what commits and branches are mostly called, and files are not.
fn is_no_file(name: &str) -> bool {
    let first = name.split(['~', '^', '@', '/']).next().unwrap_or_default();
    let number = first.len() >= 7 && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    let version = first.strip_prefix('v').is_some_and(|rest| {
        rest.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    });
    let branch = matches!(first, "main" | "master" | "develop" | "origin" | "upstream");
    !name.contains(".env")
        && (name.starts_with('@') || first == "HEAD" || number || version || branch)
}

/// A name of a commit. That of a stash is none: one of its parents holds files that git does not track.
pub(crate) fn is_commit(word: &str) -> bool {
    !word.to_ascii_lowercase().contains("stash")
        && !word.contains("..")
        && word.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '@')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-/.~^@".contains(&byte))
}
