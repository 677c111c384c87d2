//! Rules that carry more than their author meant: the words of a program whose effects are not all known.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_shell::analyse;

/// The effects of a text on paths, in short, with those of which only a name is known.
fn found(text: &str) -> Vec<String> {
    let draft = analyse(text);
    let letter = |kind: EffectKind| match kind {
        EffectKind::Read => "read",
        EffectKind::Write => "write",
        EffectKind::Delete => "delete",
        _ => "other",
    };
    let effects = draft
        .effects
        .iter()
        .filter_map(|effect| match &effect.target {
            Target::Path(place) => Some(format!("{} {}", letter(effect.kind), place.written)),
            _ => None,
        });
    let carried = draft.commands.iter().flat_map(|command| &command.carried);
    effects
        .chain(carried.map(|carried| format!("{} {}", letter(carried.kind), carried.path)))
        .collect()
}

fn leads(text: &str) -> Vec<String> {
    let draft = analyse(text);
    let words = |command: &sayso_core::analysis::draft::Command| {
        command
            .leads
            .iter()
            .map(|lead| command.words[lead.word].clone())
            .collect::<Vec<_>>()
    };
    draft.commands.iter().flat_map(words).collect()
}

#[test]
fn finding_j_07_what_a_carried_command_does_is_listed() {
    for (text, expected) in [
        ("git bisect run cat .env", "read .env"),
        ("git submodule foreach 'rm -rf build'", "delete build"),
        ("git rebase -x 'rm a' main", "delete a"),
        ("make --eval='$(shell cat .env)'", "read .env"),
        ("make 'X!=rm a'", "delete a"),
        ("go test -exec 'cat .env' ./...", "read .env"),
        ("npx -c 'cat .env'", "read .env"),
        ("docker exec web rm /data/x", "delete /data/x"),
        ("kubectl exec pod -- sh -c 'rm x'", "delete x"),
        ("ansible all -a 'rm x'", "delete x"),
        ("poetry run rm a", "delete a"),
        ("tmux new -d 'rm a'", "delete a"),
        ("cd sub && poetry run rm a", "delete sub/a"),
        ("poetry run npx bundle exec rm a", "delete a"),
        ("pytest --basetemp=src", "delete src"),
        ("some-tool --on-save 'rm a'", "delete a"),
        ("some-tool --file=.env", "read .env"),
        ("cd /other && make", "read /other"),
    ] {
        assert!(
            found(text).contains(&expected.to_owned()),
            "{text}: {:?}",
            found(text)
        );
    }
    for text in [
        "gh pr create --title 'rm old files'",
        "git commit -m 'rm old files'",
        "npm run build",
        "make -j8 V=1",
    ] {
        assert!(
            !found(text)
                .iter()
                .any(|effect| effect.starts_with("delete")),
            "{text}: {:?}",
            found(text)
        );
    }
}

#[test]
fn finding_j_07_words_that_lead_elsewhere_are_marked() {
    for (text, word) in [
        ("make -C sub", "-C"),
        ("timeout 5 make -f x", "-f"),
        ("poetry run pytest -p evil", "-p"),
        ("yarn jest --config x", "--config"),
        ("git bisect run ./x", "run"),
        ("git submodule foreach ./x", "foreach"),
        ("some-tool 'a && b'", "a && b"),
    ] {
        assert_eq!(leads(text), [word], "{text}");
    }
    for text in [
        "git submodule foreach git status",
        "npm run build -- --mode=production",
        "pytest -k 'a and b' -x tests/",
    ] {
        assert!(leads(text).is_empty(), "{text}: {:?}", leads(text));
    }
}

#[test]
fn finding_j_07_commands_in_commands_end() {
    let deep = "poetry run ".repeat(40) + "rm a";
    assert!(analyse(&deep).opaque.is_some());
    let many = format!("concurrently {}", "'rm a' ".repeat(40));
    assert!(analyse(&many).opaque.is_some());
}
