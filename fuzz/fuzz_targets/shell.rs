//! Any text as a command line: reading never panics, always says the same, points only into the text, and never says less of more.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::risk::Tier;

/// How bad a reading is: a line that holds all of another one may not be better in any of these.
fn badness(draft: &Draft) -> [u8; 3] {
    let tier = draft
        .dangers
        .iter()
        .map(|danger| danger.tier)
        .max()
        .unwrap_or_default();
    let tier = match tier {
        Tier::None => 0,
        Tier::Dangerous => 1,
        Tier::Catastrophic => 2,
    };
    let unknown = draft.opaque.is_some()
        || draft
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Unknown);
    let acts = |effect: &Effect| match effect.kind {
        EffectKind::Read => false,
        EffectKind::Run => !effect.manner.known_program,
        _ => true,
    };
    [
        tier,
        unknown.into(),
        (draft.opaque.is_some() || draft.effects.iter().any(acts)).into(),
    ]
}

/// Nothing points outside of the text or of the lists.
fn check_shape(text: &str, draft: &Draft) {
    if let Some(opaque) = &draft.opaque {
        assert!(
            opaque.start <= opaque.end && opaque.end <= text.len(),
            "{opaque:?}"
        );
    }
    assert!(
        draft.opaque.is_some() || !draft.commands.is_empty(),
        "{text:?} is neither opaque nor has it a command"
    );
    for effect in &draft.effects {
        assert!(
            effect.part.is_none_or(|part| part < draft.commands.len()),
            "{effect:?}"
        );
        assert!(
            effect
                .at
                .is_none_or(|(start, end)| start <= end && end <= text.len()),
            "{effect:?}"
        );
    }
    for command in &draft.commands {
        let asked =
            |question: Option<usize>| question.is_none_or(|index| index < draft.questions.len());
        assert!(asked(command.program) && asked(command.git), "{command:?}");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return;
    }
    let draft = sayso_shell::analyse(&text);
    check_shape(&text, &draft);
    // The same text always reads the same.
    assert_eq!(
        format!("{draft:?}"),
        format!("{:?}", sayso_shell::analyse(&text))
    );
    let _ = sayso_shell::seen(&text);
    // A command more never makes the whole better. A text that is not whole (`a &&`) may be made so, a last `\` takes what follows, and so
    // does the body of a heredoc. A quote in a comment is taken for one by the search for dangers as well as not: an alarm of the first kind
    // may be ended by more text.
    let quote_in_comment = text.contains('#') && text.contains(['\'', '"', '`']);
    if draft.opaque.is_none() && !text.ends_with('\\') && !text.contains("<<") && !quote_in_comment
    {
        let before = badness(&draft);
        for longer in [
            format!("{text}; ls"),
            format!("{text}\nls"),
            format!("ls; {text}"),
        ] {
            let read = sayso_shell::analyse(&longer);
            let mut after = badness(&read);
            // What cannot be read asks in any case; words in it that may be prose (`at`, `write`) are no alarm then.
            if read.opaque.is_some() {
                after[0] = after[0].max(before[0].min(1));
            }
            let lower = before
                .iter()
                .zip(&after)
                .any(|(before, after)| after < before);
            assert!(!lower, "{text:?} is {before:?}, {longer:?} is {after:?}");
        }
    }
    // Words that are quoted read back as they are; behind `echo` none of them can be a program.
    let plain = |word: &&str| {
        !word
            .chars()
            .any(|letter| letter.is_control() || !letter.is_ascii())
    };
    let mut words = vec!["echo".to_owned()];
    words.extend(text.split(' ').filter(plain).map(str::to_owned));
    let read = sayso_shell::commands(&sayso_shell::quote(&words));
    let read = read.and_then(|commands| Some(commands.first()?.words.clone()));
    assert_eq!(read.as_ref(), Some(&words));
    let _ = sayso_shell::normal(&words);
});
