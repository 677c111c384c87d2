//! Any text as a command line: reading never panics, nothing points outside of the text, and quoting reads back word for word.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let draft = sayso_shell::analyse(&text);
    if let Some(opaque) = &draft.opaque {
        assert!(opaque.start <= opaque.end && opaque.end <= text.len(), "{opaque:?}");
    }
    for effect in &draft.effects {
        assert!(effect.part.is_none_or(|part| part < draft.commands.len()), "{effect:?}");
    }
    for command in &draft.commands {
        let asked = |question: Option<usize>| question.is_none_or(|index| index < draft.questions.len());
        assert!(asked(command.program) && asked(command.git), "{command:?}");
        assert_eq!(sayso_shell::normal(&command.words), command.normal);
    }
    let _ = sayso_shell::seen(&text);
    let words: Vec<String> = text.split(' ').filter(|word| !word.contains('\0')).map(str::to_owned).collect();
    let _ = sayso_shell::normal(&words);
    let quoted = sayso_shell::quote(&words);
    let _ = sayso_shell::analyse(&quoted);
});
