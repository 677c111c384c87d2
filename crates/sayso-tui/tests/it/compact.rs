//! Prompts of a few rows: what stands there, and what is one key away.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::answer::verdict::Confirm;
use sayso_core::prompt::keymap::KEYMAPS;
use sayso_core::prompt::presentation::{Body, Change, DiffLine, Piece};
use sayso_core::prompt::{Prompt, Round, Style};
use sayso_tui::key::Key;
use sayso_tui::prompt_state::{Asking, Next};
use sayso_tui::theme::Theme;

use crate::prompts::{self, edit, terminal, why};
use crate::snapshots::{Some2, look};
use crate::text::text;

const STYLES: [Style; 3] = [Style::Modal, Style::Status, Style::Inline];

struct Person {
    asking: Asking,
    now: Instant,
}

impl Person {
    fn at(prompt: Prompt, keymap: &str) -> Person {
        let now = Instant::now();
        let mut asking = Asking::new(
            Arc::new(prompt),
            look(keymap, Theme::PLAIN),
            Arc::new(Some2),
            now,
        );
        asking.frame(80, 24, now);
        asking.painted(now);
        Person { asking, now }
    }

    /// The rows that show, without those that are empty.
    fn rows(&mut self) -> Vec<String> {
        let shown = text(&self.asking.frame(80, 24, self.now).buffer);
        shown
            .lines()
            .filter(|row| !row.trim().is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn press(&mut self, key: char) -> Next {
        self.now += Duration::from_secs(1);
        let next = self.asking.keys(vec![Key::Char(key)], self.now);
        self.asking.frame(80, 24, self.now);
        self.asking.painted(self.now);
        next
    }
}

/// A command whose risk is known and not high.
fn command(text: &str, style: Style) -> Prompt {
    let mut prompt = Prompt {
        style,
        ..terminal(text)
    };
    let mut verdict = (*prompt.verdict).clone();
    verdict.risk = Risk::Medium;
    prompt.verdict = Arc::new(verdict);
    prompt.why = vec![why("it signals a process", false)];
    prompt.sentence = "Claude wants to run `kill`, which signals a process".to_owned();
    prompt
}

/// finding A-17: a status prompt has four rows in every keymap, and its details are one key away.
#[test]
fn finding_a_17_a_status_prompt_has_four_rows() {
    for keymap in KEYMAPS {
        let unknown = Prompt {
            sentence: "Claude wants to run the project's own code: `x`".to_owned(),
            ..terminal("cargo test")
        };
        for prompt in [
            edit("src/greet.py"),
            command("kill 5", Style::Status),
            unknown,
        ] {
            let mut person = Person::at(
                Prompt {
                    style: Style::Status,
                    ..prompt
                },
                keymap.name,
            );
            let rows = person.rows();
            // Where a keymap has many answers, its keys may take a row more.
            assert!(
                (4..=5).contains(&rows.len()),
                "{}:\n{}",
                keymap.name,
                rows.join("\n")
            );
            assert!(
                rows[0].contains("Claude wants to ") && rows[0].contains(" risk "),
                "{}",
                rows[0]
            );
            assert!(rows[2].contains("asks because "), "{}", rows.join("\n"));
            assert!(
                !rows.join("\n").contains("digest") && !rows.join("\n").contains("asked by"),
                "{}",
                rows.join("\n")
            );
        }
    }
    let mut spec = Person::at(
        Prompt {
            style: Style::Status,
            ..edit("src/greet.py")
        },
        "kollabor-spec",
    );
    let rows = spec.rows();
    assert_eq!(rows.len(), 4, "{}", rows.join("\n"));
    assert!(
        rows[1].contains("Edit file: src/greet.py  +1 -1"),
        "{}",
        rows.join("\n")
    );
}

/// finding A-17: low and medium risk have the same compact form in every style and keymap.
#[test]
fn finding_a_17_low_and_medium_risk_are_compact_in_every_style() {
    for keymap in KEYMAPS {
        for style in STYLES {
            let mut person = Person::at(command("kill 5", style), keymap.name);
            let rows = person.rows();
            let most = if style == Style::Modal { 9 } else { 5 };
            assert!(
                rows.len() <= most,
                "{} {style:?}:\n{}",
                keymap.name,
                rows.join("\n")
            );
            let shown = rows.join("\n");
            assert!(
                shown.contains("kill 5") && shown.contains("asks because it signals a process"),
                "{shown}"
            );
            // One key away is everything else.
            person.press('v');
            let details = person.rows().join("\n");
            for fact in ["time limit of the command", "asked by", "digest sha256:"] {
                assert!(
                    !shown.contains(fact) && details.contains(fact),
                    "{fact}:\n{details}"
                );
            }
        }
    }
}

/// finding A-17: a command is never cut, and of a long change eight lines stand in an inline prompt.
#[test]
fn finding_a_17_a_command_is_whole_and_a_change_has_eight_rows() {
    let long = format!(
        "kill {}",
        (1..60)
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    );
    for style in STYLES {
        let shown = Person::at(command(&long, style), "sayso").rows().join("\n");
        assert!(shown.contains(" 59"), "{shown}");
    }
    let mut prompt = Prompt {
        style: Style::Inline,
        ..edit("src/greet.py")
    };
    let Body::Diff(diff) = &mut prompt.presentation.body else {
        panic!("a change")
    };
    let line = |number: usize| DiffLine {
        change: Change::Added,
        old: None,
        new: Some(number),
        pieces: vec![Piece {
            text: format!("line {number}"),
            emphasised: false,
        }],
    };
    diff.hunks[0].lines = (1..=30).map(line).collect();
    let rows = Person::at(prompt.clone(), "sayso").rows();
    assert_eq!(
        rows.iter().filter(|row| row.contains("+ line ")).count(),
        8,
        "{}",
        rows.join("\n")
    );
    assert!(
        rows.iter()
            .any(|row| row.contains("… 22 more changed lines")),
        "{}",
        rows.join("\n")
    );
    let rows = Person::at(
        Prompt {
            style: Style::Status,
            ..prompt
        },
        "sayso",
    )
    .rows();
    assert_eq!(rows.len(), 4, "{}", rows.join("\n"));
}

/// finding A-18: people read one word; a danger is no level beside another.
#[test]
fn finding_a_18_one_word_says_how_bad_it_is() {
    for (risk, tier, word) in [
        (Risk::Low, Tier::None, "low risk"),
        (Risk::Medium, Tier::None, "medium risk"),
        (Risk::High, Tier::None, "high risk"),
        (Risk::Unknown, Tier::None, "high risk"),
        (Risk::Unknown, Tier::Dangerous, "dangerous"),
        (Risk::High, Tier::Catastrophic, "catastrophic"),
    ] {
        for style in STYLES {
            let mut prompt = Prompt {
                style,
                ..terminal("x")
            };
            let mut verdict = (*prompt.verdict).clone();
            (verdict.risk, verdict.tier) = (risk, tier);
            prompt.verdict = Arc::new(verdict);
            let rows = Person::at(prompt, "sayso").rows();
            let heading = &rows[0];
            assert!(
                heading.contains(word) && !rows.join("\n").contains("unknown"),
                "{style:?}:\n{}",
                rows.join("\n")
            );
        }
    }
}

/// finding W-19: at 80×24 no fact keeps a yes from counting; only what decides has to be on the screen.
#[test]
fn finding_w_19_facts_do_not_have_to_be_seen_before_a_yes() {
    for style in STYLES {
        let mut prompt = Prompt {
            style,
            ..terminal("cargo test --workspace")
        };
        prompt.presentation.details = (0..40)
            .map(|number| (format!("fact {number}"), "x".repeat(200)))
            .collect();
        assert!(
            matches!(
                Person::at(prompt.clone(), "sayso").press('y'),
                Next::Answered(_)
            ),
            "{style:?}"
        );
        // What decides has to be.
        prompt.presentation.deciding = 40;
        let first = Person::at(prompt, "sayso").press('y');
        assert_eq!(
            matches!(first, Next::Answered(_)),
            style == Style::Status,
            "{style:?}: a compact prompt has them among its details"
        );
    }
    let mut grave = Prompt {
        style: Style::Modal,
        round: Round::First,
        ..terminal("x")
    };
    let mut verdict = (*grave.verdict).clone();
    (verdict.tier, verdict.confirm) = (Tier::Dangerous, Confirm::Double);
    grave.verdict = Arc::new(verdict);
    grave.presentation.details = (0..40)
        .map(|number| (format!("fact {number}"), "x".repeat(200)))
        .collect();
    assert!(matches!(
        Person::at(grave.clone(), "sayso").press('y'),
        Next::Answered(_)
    ));
    grave.why = (0..40)
        .map(|number| why(&format!("warning {number}"), true))
        .collect();
    assert_eq!(
        Person::at(grave, "sayso").press('y'),
        Next::Wait,
        "warnings have to be seen"
    );
    assert_eq!(
        Person::at(prompts::long_danger(), "sayso").press('y'),
        Next::Wait,
        "a command has to be seen"
    );
}
