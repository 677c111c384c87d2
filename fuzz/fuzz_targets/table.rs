//! A known program with any words, one a line: the table never panics, a wrapper never makes it better, and neither does an unknown option.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::risk::Tier;
use sayso_shell::{analyse, doubt_about_script, normal, proposals, quote, seen};

/// The programs of the table, as its tests name them.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let rows = [
        include_str!("../../crates/sayso-shell/tests/table_rows/silent.txt"),
        include_str!("../../crates/sayso-shell/tests/table_rows/asks.txt"),
    ];
    let mut names: Vec<&str> = rows
        .iter()
        .flat_map(|rows| rows.lines())
        .filter_map(|row| row.split(' ').next())
        .collect();
    names.retain(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    });
    names.sort_unstable();
    names.dedup();
    names
});

/// Words of the shell: behind a wrapper there is no such program, and their words mean nothing.
const WORDS_OF_SHELL: [&str; 12] = [
    "alias", "unalias", "trap", "export", "declare", "typeset", "readonly", "local", "unset",
    "history", "set", "bind",
];

/// What a person would have to know: the worst danger, whether something is not known, whether it does more than look.
fn badness(draft: &Draft) -> [u8; 3] {
    let opaque = draft.opaque.is_some();
    let tier = match draft
        .dangers
        .iter()
        .map(|danger| danger.tier)
        .max()
        .unwrap_or_default()
    {
        Tier::None => 0,
        Tier::Dangerous => 1,
        Tier::Catastrophic => 2,
    };
    let acts = |effect: &Effect| match effect.kind {
        EffectKind::Read => false,
        EffectKind::Run => !effect.manner.known_program,
        _ => true,
    };
    let unknown = draft
        .effects
        .iter()
        .any(|effect| effect.kind == EffectKind::Unknown);
    // Of a text that cannot be read, dangers are looked for in pieces that may be anything: that it asks is what must stay.
    let tier = if opaque { 0 } else { tier };
    [
        tier,
        (opaque || unknown).into(),
        (opaque || draft.effects.iter().any(acts)).into(),
    ]
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    let name = NAMES
        .get(usize::from(*first) * NAMES.len() / 256)
        .copied()
        .unwrap_or("ls");
    let mut words = vec![name.to_owned()];
    words.extend(text.split('\n').map(str::to_owned));
    let line = quote(&words);
    let draft = analyse(&line);
    let before = badness(&draft);
    assert_eq!(format!("{draft:?}"), format!("{:?}", analyse(&line)));
    for effect in &draft.effects {
        assert!(
            effect.part.is_none_or(|part| part < draft.commands.len()),
            "{effect:?}"
        );
        assert!(
            effect
                .at
                .is_none_or(|(start, end)| start <= end && end <= line.len()),
            "{effect:?}"
        );
    }
    for command in &draft.commands {
        let _ = (proposals(command), normal(&command.words));
    }
    let _ = (normal(&words), seen(&line));
    for language in ["sed", "awk", "jq"] {
        let _ = doubt_about_script(language, &text);
    }
    if WORDS_OF_SHELL.contains(&name) {
        return;
    }
    for wrapper in ["env", "nice", "timeout 5", "command"] {
        let after = badness(&analyse(&format!("{wrapper} {line}")));
        assert!(
            before
                .iter()
                .zip(&after)
                .all(|(before, after)| before <= after),
            "{line:?} is {before:?}, behind {wrapper} {after:?}"
        );
    }
});
