//! Whether a command that really ran is among those that the reader listed, where a word with unknown parts fits anything.

use sayso_core::draft::Command;

/// Whether a character stands for something that is only known when the command runs.
fn is_hole(character: char) -> bool {
    ('\u{f0000}'..='\u{f00ff}').contains(&character)
}

/// Holes that can be any number of words: an unquoted name, the stars of file names, whatever `find` finds.
fn is_several(word: &str) -> bool {
    word.chars().any(|character| matches!(character, '\u{f0001}' | '\u{f0005}' | '\u{f0006}' | '\u{f0008}'))
}

/// Whether a word of a listed command fits a real one: literal parts in order, anything where a hole is.
fn word_fits(listed: &str, real: &str) -> bool {
    let parts: Vec<&str> = listed.split(is_hole).collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return listed == real;
    }
    let Some(rest) = real.strip_prefix(first) else { return false };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    for part in &parts[1..parts.len() - 1] {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Whether the words of a listed command fit real ones.
fn words_fit(listed: &[String], real: &[String]) -> bool {
    match listed.split_first() {
        None => real.is_empty(),
        Some((word, rest)) if is_several(word) => (0..=real.len()).any(|taken| words_fit(rest, &real[taken..])),
        Some((word, rest)) => real.split_first().is_some_and(|(first, others)| word_fits(word, first) && words_fit(rest, others)),
    }
}

/// The folder that a listed one is, seen from the workspace.
fn folder_fits(listed: &str, real: &str) -> bool {
    if listed.chars().any(is_hole) {
        return true;
    }
    sayso_core::paths::join("/ws", listed) == real
}

/// Whether one of the commands is this one, in this folder.
pub fn is_listed(commands: &[Command], program: &str, arguments: &[String], folder: &str) -> bool {
    commands.iter().any(|command| {
        let Some((first, rest)) = command.words.split_first() else { return false };
        word_fits(first, program)
            && words_fit(rest, arguments)
            && (command.folders.is_empty() || command.folders.iter().any(|listed| folder_fits(listed, folder)))
    })
}

#[test]
fn a_listed_command_fits_what_it_may_become() {
    let command = |words: &[&str]| Command { words: words.iter().map(|word| (*word).to_owned()).collect(), ..Command::default() };
    let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    for (listed, real, fits) in [
        (&["cat", "a"][..], "a", true),
        (&["cat", "a"], "b", false),
        (&["cat", "a"], "a b", false),
        (&["cat", "\u{f0000}"], "x", true),
        (&["cat", "\u{f0000}"], "x y", false),
        (&["cat", "\u{f0001}", "z"], "x y z", true),
        (&["cat", "\u{f0001}", "z"], "x y", false),
        (&["cat", "a\u{f0000}.md"], "ab.md", true),
        (&["cat", "a\u{f0000}.md"], "b.md", false),
    ] {
        assert_eq!(is_listed(&[command(listed)], "cat", &words(real), "/ws"), fits, "{listed:?} {real}");
    }
    let elsewhere = Command { folders: vec!["src".to_owned()], ..command(&["cat", "a"]) };
    assert!(is_listed(std::slice::from_ref(&elsewhere), "cat", &words("a"), "/ws/src"));
    assert!(!is_listed(std::slice::from_ref(&elsewhere), "cat", &words("a"), "/ws"));
}
