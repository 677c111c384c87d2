//! Whether a command that really ran is among those that the reader listed, where a word with unknown parts fits anything.

use sayso_core::analysis::draft::Command;
use sayso_core::analysis::fact::from_home;

use super::stage::LINK;
use crate::world::HOME;

/// What stands in a word of a command that is not literal for something that is only known when it runs.
const HOLES: [&str; 8] = [
    "words of its input",
    "names from its input",
    "<(…)",
    "$…",
    "$#",
    "{}",
    "/…",
    "$PWD",
];

/// A listed word in parts, with anything between them; one part is literal.
fn parts(word: &str) -> Vec<String> {
    let mut text = word.to_owned();
    for hole in HOLES {
        text = text.replace(hole, "\0");
    }
    // Names of variables are shown as they are written.
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '$' {
            while letters
                .next_if(|next| next.is_alphanumeric() || "_{}#%:-@*?".contains(*next))
                .is_some()
            {}
        }
        // So is the set of a pattern.
        if letter == '[' && letters.clone().any(|next| next == ']') {
            while letters.next().is_some_and(|next| next != ']') {}
        }
        out.push(if matches!(letter, '$' | '*' | '?' | '~' | '[') {
            '\0'
        } else {
            letter
        });
    }
    out.split('\0').map(str::to_owned).collect()
}

/// Whether a word may be any number of words: a name without quotes, the stars of file names, whatever `find` finds.
fn is_several(parts: &[String], word: &str) -> bool {
    parts.len() > 1 && !(word.contains('~') && parts.len() == 2)
}

/// Whether a word of a listed command fits a real one: literal parts in order, anything in between.
fn word_fits(parts: &[String], real: &str) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return false;
    };
    if parts.len() == 1 {
        return first == real;
    }
    let Some(rest) = real.strip_prefix(first.as_str()) else {
        return false;
    };
    let Some(mut rest) = rest.strip_suffix(last.as_str()) else {
        return false;
    };
    for part in &parts[1..parts.len() - 1] {
        let Some(at) = rest.find(part.as_str()) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Whether the words of a listed command fit real ones.
pub fn words_fit(listed: &[String], literal: bool, real: &[String]) -> bool {
    let Some((word, rest)) = listed.split_first() else {
        return real.is_empty();
    };
    let parts = if literal {
        vec![word.clone()]
    } else {
        parts(word)
    };
    // What such a word becomes is judged by itself; here it only counts that no other word was added.
    if is_several(&parts, word) {
        return (0..=real.len()).any(|taken| words_fit(rest, literal, &real[taken..]));
    }
    real.split_first()
        .is_some_and(|(first, others)| word_fits(&parts, first) && words_fit(rest, literal, others))
}

/// The folder that a listed one is, seen from the workspace.
fn folder_fits(listed: &str, real: &str) -> bool {
    let at_home = from_home(listed, Some(HOME)).unwrap_or_default();
    let whole = sayso_core::paths::join("/ws", &at_home);
    let behind_link = whole
        .strip_prefix(LINK.0)
        .map(|rest| format!("{}{rest}", LINK.1));
    word_fits(&parts(listed), real) || whole == real || behind_link.as_deref() == Some(real)
}

/// Whether one of the commands is this one, in this folder.
pub fn is_listed(commands: &[Command], program: &str, arguments: &[String], folder: &str) -> bool {
    commands.iter().any(|command| {
        let Some((first, rest)) = command.words.split_first() else {
            return false;
        };
        first == program
            && words_fit(rest, command.literal, arguments)
            && (command.folders.is_empty()
                || command
                    .folders
                    .iter()
                    .any(|listed| folder_fits(listed, folder)))
    })
}

#[test]
fn a_listed_command_fits_what_it_may_become() {
    let command = |words: &[&str]| {
        let literal = !words.iter().any(|word| word.contains(['$', '*', '~']));
        Command {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            literal,
            ..Command::default()
        }
    };
    let words = |text: &str| {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for (listed, real, fits) in [
        (&["cat", "a"][..], "a", true),
        (&["cat", "a"], "b", false),
        (&["cat", "a"], "a b", false),
        (&["cat", "~/a"], "/home/u/a", true),
        (&["cat", "~/a"], "/home/u/a b", false),
        (&["cat", "$…", "z"], "x y z", true),
        (&["cat", "$…", "z"], "x y", false),
        (&["cat", "*.md"], "a.md b.md", true),
        (&["head", "-n", "$#", "a"], "-n 5 a", false),
    ] {
        assert_eq!(
            is_listed(&[command(listed)], "cat", &words(real), "/ws"),
            fits,
            "{listed:?} {real}"
        );
    }
    let elsewhere = Command {
        folders: vec!["src".to_owned()],
        ..command(&["cat", "a"])
    };
    assert!(is_listed(
        std::slice::from_ref(&elsewhere),
        "cat",
        &words("a"),
        "/ws/src"
    ));
    assert!(!is_listed(
        std::slice::from_ref(&elsewhere),
        "cat",
        &words("a"),
        "/ws"
    ));
}
