//! Any text as the words of a command: what they are known to be is the same in every place where bash would make the same of them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_shell::{analyse, commands, quote};

/// The words behind the name of the one command in a line, if every one of them is known.
fn known(line: &str) -> Option<Vec<String>> {
    let commands = commands(line)?;
    let mut named = commands
        .iter()
        .filter(|command| command.words.first().is_some_and(|name| name == "args"));
    let command = named.next().filter(|command| command.literal)?;
    named
        .next()
        .is_none()
        .then(|| command.words.get(1..).unwrap_or_default().to_vec())
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let draft = analyse(&format!("args {text}"));
    assert!(
        draft.opaque.is_some() || !draft.commands.is_empty(),
        "{text:?} is neither opaque nor has it a command"
    );
    // Single quotes take everything as it is.
    if !text.contains('\'')
        && !text
            .chars()
            .any(|letter| letter.is_control() || !letter.is_ascii())
    {
        let line = format!("args '{text}'");
        // The value of a setting that a program runs may be no command.
        if analyse(&line).opaque.is_none() {
            assert_eq!(known(&line), Some(vec![text.to_string()]), "{text:?}");
        }
    }
    let Some(words) = known(&format!("args {text}")) else {
        return;
    };
    // What is read is what can be written, and reads back the same.
    let mut whole = vec!["args".to_owned()];
    whole.extend(words.iter().cloned());
    let plain = !words.iter().any(|word| {
        word.chars()
            .any(|letter| letter.is_control() || !letter.is_ascii())
    });
    assert!(
        !plain || known(&quote(&whole)).as_ref() == Some(&words),
        "{text:?} is {words:?}, which does not read back"
    );
    // An operator would end the words, braces are text in a value, and a comment takes the rest of the line.
    if text.contains(['<', '>', '&', '|', ';', '(', ')', '\n', '{', '#', '~', '`'])
        || text.starts_with([' ', '\t'])
    {
        return;
    }
    // A list goes through `set` and through a loop as it is.
    let last = text.trim_end_matches([' ', '\t', '\\']);
    if last.len() == text.len() {
        for line in [
            format!("set -- {text}; args \"$@\""),
            format!("{{ args {text}; }}"),
            format!("true && args {text} 2>&1"),
        ] {
            if let Some(other) = known(&line) {
                assert_eq!(other, words, "{line:?} differs from `args {text}`");
            }
        }
    }
    // One word goes through a variable as it is.
    let [word] = words.as_slice() else { return };
    if last.len() == text.len() {
        for line in [
            format!("x={text}; args \"$x\""),
            format!("for x in {text}; do args \"$x\"; done"),
            format!("x={text} && args \"${{x}}\""),
        ] {
            if let Some(other) = known(&line) {
                assert_eq!(
                    other,
                    std::slice::from_ref(word),
                    "{line:?} differs from `args {text}`"
                );
            }
        }
    }
});
