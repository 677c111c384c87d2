//! Keys and time at a prompt: what answers it, what does not, and when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::{Action, KEYMAPS};
use sayso_core::prompt::{Choice, Offer, Prompt, Round, Stores, Style};
use sayso_tui::key::Key;
use sayso_tui::prompt_state::{Asking, Next};
use sayso_tui::theme::Theme;

use crate::prompts::{self, terminal, variants};
use crate::snapshots::{Some2, look};

/// Somebody at a prompt, with a clock of their own.
struct Person {
    asking: Asking,
    now: Instant,
    size: (u16, u16),
}

impl Person {
    fn at(prompt: Prompt) -> Person {
        Person::with(prompt, "sayso")
    }

    fn with(prompt: Prompt, keymap: &str) -> Person {
        let now = Instant::now();
        let asking = Asking::new(
            Arc::new(prompt),
            look(keymap, Theme::PLAIN),
            Arc::new(Some2),
            now,
        );
        let mut person = Person {
            asking,
            now,
            size: (100, 40),
        };
        person.paint();
        person
    }

    fn paint(&mut self) -> String {
        let frame = self.asking.frame(self.size.0, self.size.1, self.now);
        self.asking.painted(self.now);
        crate::text::text(&frame.buffer)
    }

    fn pass(&mut self, milliseconds: u64) -> &mut Self {
        self.now += Duration::from_millis(milliseconds);
        self
    }

    /// Some keys, each after a second.
    fn press(&mut self, keys: &[Key]) -> Next {
        let mut next = Next::Wait;
        for key in keys {
            self.pass(1000);
            next = self.asking.keys(vec![key.clone()], self.now);
            self.paint();
        }
        next
    }

    fn chosen(&mut self, keys: &[Key]) -> Option<Choice> {
        choice(self.press(keys))
    }
}

fn choice(next: Next) -> Option<Choice> {
    match next {
        Next::Answered(answer) => Some(answer.choice),
        _ => None,
    }
}

fn is_yes(next: &Next) -> bool {
    matches!(next, Next::Answered(answer) if !matches!(answer.choice, Choice::Deny | Choice::Quit))
}

fn key(character: char) -> Key {
    Key::Char(character)
}

#[test]
fn h_40_a_key_counts_only_after_a_moment_without_keys() {
    let mut person = Person::at(terminal("cargo test --workspace"));
    // A sentence that is being typed, with a letter every 200 ms: none of them counts.
    for letter in "yes, you may say yes".chars() {
        let now = person.pass(200).now;
        assert_eq!(person.asking.keys(vec![key(letter)], now), Next::Wait);
        assert!(person.paint().contains("does not count"));
    }
    assert_eq!(person.chosen(&[key('y')]), Some(Choice::Offer(0)));
}

#[test]
fn h_40_nothing_counts_before_it_was_painted() {
    let now = Instant::now();
    let prompt = Arc::new(terminal("cargo test --workspace"));
    let mut asking = Asking::new(prompt, look("sayso", Theme::PLAIN), Arc::new(Some2), now);
    assert_eq!(
        asking.keys(vec![key('y')], now + Duration::from_secs(9)),
        Next::Wait
    );
}

#[test]
fn h_40_two_keys_at_once_are_no_keys() {
    let mut person = Person::at(terminal("cargo test --workspace"));
    person.pass(1000);
    assert_eq!(
        person.asking.keys(vec![key('y'), Key::Enter], person.now),
        Next::Wait
    );
    assert!(person.paint().contains("too fast"));
    // And for a moment, what follows is none either.
    person.pass(100);
    assert_eq!(person.asking.keys(vec![key('y')], person.now), Next::Wait);
    assert_eq!(person.chosen(&[key('y')]), Some(Choice::Offer(0)));
}

#[test]
fn i_07_esc_denies_and_ctrl_c_stops_at_once() {
    assert_eq!(
        Person::at(terminal("x")).chosen(&[Key::Esc]),
        Some(Choice::Deny)
    );
    let mut person = Person::at(terminal("x"));
    assert_eq!(
        person.asking.keys(vec![Key::Ctrl('c')], person.now),
        Next::Interrupted,
        "without a moment"
    );
    assert_eq!(
        Person::at(terminal("x")).chosen(&[key('q')]),
        Some(Choice::Quit)
    );
}

#[test]
fn i_10_words_go_with_a_denial_and_with_nothing_else() {
    let mut person = Person::at(terminal("x"));
    let keys = [
        Key::Tab,
        key('n'),
        key('o'),
        Key::Paste("\nplease".to_owned()),
        Key::Enter,
    ];
    let Next::Answered(answer) = person.press(&keys) else {
        panic!("no answer")
    };
    assert_eq!(
        (answer.choice, answer.note.as_deref()),
        (Choice::Deny, Some("noplease"))
    );
    // A `y` in these words is a letter.
    assert_eq!(
        Person::at(terminal("x")).press(&[Key::Tab, key('y')]),
        Next::Wait
    );
}

#[test]
fn z_02_a_wider_yes_needs_a_second_fresh_key_and_says_what_it_keeps() {
    let mut person = Person::at(terminal("cargo test --workspace"));
    assert_eq!(person.press(&[key('s')]), Next::Wait);
    assert!(
        person
            .paint()
            .contains("this would allow exactly terminal(cargo test --workspace) in this session")
    );
    // Right behind the first key, the second is not fresh.
    let now = person.pass(100).now;
    assert_eq!(person.asking.keys(vec![key('y')], now), Next::Wait);
    assert_eq!(person.chosen(&[key('3'), key('y')]), Some(Choice::Offer(3)));
    assert_eq!(
        Person::at(terminal("x")).chosen(&[key('s'), Key::Esc, Key::Esc]),
        Some(Choice::Deny)
    );
    assert_eq!(
        Person::at(terminal("x")).press(&[key('s'), Key::Enter]),
        Next::Wait
    );
    assert_eq!(
        Person::at(terminal("x")).press(&[key('s'), Key::Paste("y".to_owned())]),
        Next::Wait
    );
}

#[test]
fn z_04_a_capital_that_goes_further_asks_first() {
    let mut person = Person::with(terminal("cargo test --workspace"), "forge");
    assert_eq!(person.press(&[key('A')]), Next::Wait);
    assert!(
        person
            .paint()
            .contains("Create rule for `cargo test --workspace` everywhere?")
    );
    assert_eq!(
        Person::with(terminal("x"), "forge").chosen(&[key('a')]),
        Some(Choice::Offer(0))
    );
    assert_eq!(
        Person::with(terminal("x"), "forge").press(&[key('D')]),
        Next::Wait,
        "no key of this map"
    );
}

#[test]
fn z_03_enter_approves_nothing_unless_the_person_said_so() {
    for keymap in KEYMAPS {
        for (name, prompt) in variants() {
            assert!(
                !is_yes(&Person::with(prompt, keymap.name).press(&[Key::Enter])),
                "{name} under {}",
                keymap.name
            );
        }
    }
}

#[test]
fn r_08_a_pattern_is_checked_before_it_counts() {
    let typed = |text: &str| {
        [
            vec![key('p'), Key::Ctrl('u')],
            text.chars().map(key).collect(),
            vec![Key::Enter],
        ]
        .concat()
    };
    assert_eq!(Person::at(terminal("x")).press(&typed("*")), Next::Wait);
    let wanted = Choice::Pattern {
        text: "cargo t*".to_owned(),
        scope: Scope::Session,
    };
    assert_eq!(
        Person::at(terminal("x")).chosen(&typed("cargo t*")),
        Some(wanted)
    );
    // One that is offered in these words is that offer.
    assert_eq!(
        Person::at(terminal("x")).chosen(&[key('p'), Key::Down, Key::Tab, Key::Enter]),
        Some(Choice::Offer(5))
    );
    // Enter right behind the key that opened it was meant for something else.
    let mut person = Person::at(terminal("x"));
    person.press(&[key('p')]);
    let now = person.pass(0).now - Duration::from_millis(900);
    assert_eq!(person.asking.keys(vec![Key::Enter], now), Next::Wait);
}

#[test]
fn h_65_a_danger_offers_once_and_no_and_nothing_wider() {
    for (name, prompt) in variants()
        .into_iter()
        .filter(|(name, _)| name.starts_with("danger") || name.starts_with("delete"))
    {
        for keymap in KEYMAPS {
            let mut person = Person::with(prompt.clone(), keymap.name);
            let text = person.paint();
            assert!(!text.contains('…'), "{name} under {}:\n{text}", keymap.name);
            for action in [
                Action::Pattern,
                Action::Allow(Scope::Session),
                Action::Allow(Scope::Project),
                Action::Allow(Scope::Always),
            ] {
                let Some(letter) = keymap.key_of(action) else {
                    continue;
                };
                if name.ends_with("second") {
                    continue;
                }
                assert_eq!(
                    person.press(&[key(letter), key('y')].map(|key| key)[..1]),
                    Next::Wait,
                    "{name} under {}",
                    keymap.name
                );
            }
        }
    }
}

#[test]
fn z_50_what_is_grave_or_a_command_is_seen_whole_before_a_yes() {
    for (prompt, all) in [(prompts::long_danger(), true), (prompts::long(), true)] {
        for style in [Style::Modal, Style::Status, Style::Inline] {
            let mut person = Person::at(Prompt {
                style,
                ..prompt.clone()
            });
            person.size = (80, 24);
            person.paint();
            assert_eq!(person.press(&[key('y')]), Next::Wait, "{style:?}");
            let text = person.paint();
            assert!(text.contains("not on the screen yet"), "{text}");
            // The end alone is not all of it.
            assert_eq!(person.press(&[Key::End, key('y')]), Next::Wait, "{style:?}");
            let pages = vec![Key::PageDown; 80];
            person.press(&[vec![Key::Home], pages].concat());
            assert_eq!(
                is_yes(&person.press(&[key('y')])),
                all,
                "{style:?}\n{}",
                person.paint()
            );
        }
    }
}

#[test]
fn z_50_the_second_question_is_about_what_was_seen() {
    let mut person = Person::at(Prompt {
        round: Round::Second,
        style: Style::Modal,
        ..prompts::long_danger()
    });
    person.size = (80, 24);
    person.paint();
    assert!(is_yes(&person.press(&[key('y')])), "{}", person.paint());
}

#[test]
fn z_50_what_is_seen_in_the_view_counts() {
    let mut person = Person::at(Prompt {
        style: Style::Modal,
        ..prompts::long_danger()
    });
    person.size = (80, 24);
    person.paint();
    let pages = vec![Key::PageDown; 20];
    person.press(&[vec![key('v')], pages.clone(), vec![Key::Esc], pages].concat());
    assert!(is_yes(&person.press(&[key('y')])), "{}", person.paint());
    // Nothing can be answered in the view itself.
    let mut person = Person::at(terminal("x"));
    assert_eq!(
        person.press(&[key('v'), key('y'), key('s'), Key::Enter, key('y')][..3]),
        Next::Wait
    );
}

#[test]
fn a_window_without_room_takes_no_yes() {
    let mut person = Person::at(Prompt {
        style: Style::Modal,
        ..terminal("x")
    });
    person.size = (25, 5);
    let text = person.paint();
    assert!(text.contains("larger"), "{text}");
    assert_eq!(person.press(&[key('y')]), Next::Wait);
    assert_eq!(person.chosen(&[Key::Esc]), Some(Choice::Deny));
}

#[test]
fn z_01_the_time_is_up_in_the_end() {
    let mut person = Person::at(terminal("x"));
    assert!(person.paint().contains("denied in 5:00 without an answer"));
    person.pass(299_000);
    assert!(!person.asking.is_over(person.now));
    assert!(person.paint().contains("denied in 0:01 without an answer"));
    assert!(person.asking.is_over(person.now + Duration::from_secs(1)));
    // A key puts it off, and no number of keys does so for ever.
    for _ in 0..4000 {
        person.pass(1000);
        person.asking.keys(vec![Key::Down], person.now);
    }
    assert!(person.asking.is_over(person.now));
}

fn any_key() -> impl Strategy<Value = Key> {
    prop_oneof![
        any::<char>().prop_map(Key::Char),
        prop::sample::select(
            (' '..='~')
                .map(Key::Char)
                .chain([
                    Key::Enter,
                    Key::Tab,
                    Key::Esc,
                    Key::Up,
                    Key::Down,
                    Key::PageDown,
                    Key::Other
                ])
                .collect::<Vec<_>>()
        ),
        any::<String>().prop_map(Key::Paste),
        prop::sample::select(
            ('a'..='z')
                .filter(|letter| *letter != 'c')
                .map(Key::Ctrl)
                .collect::<Vec<_>>()
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn h_40_no_keys_without_a_pause_ever_approve(keys in prop::collection::vec(any_key(), 1..60), which in 0usize..20, keymap in 0usize..6) {
        let (_, prompt) = variants().swap_remove(which);
        let mut person = Person::with(prompt, KEYMAPS[keymap].name);
        for key in keys {
            person.pass(250);
            let now = person.now;
            prop_assert!(!is_yes(&person.asking.keys(vec![key], now)));
            person.paint();
        }
    }

    #[test]
    fn without_a_key_that_says_yes_nothing_approves(keys in prop::collection::vec(any_key(), 1..60), which in 0usize..20, keymap in 0usize..6) {
        let keymap = &KEYMAPS[keymap];
        let says_yes = |key: &Key| match key {
            Key::Char(letter) => matches!(keymap.key(*letter), Some(Action::Allow(_) | Action::Pattern)),
            Key::Enter => matches!(keymap.name, "forge" | "kollabor-spec"),
            _ => false,
        };
        let (_, prompt) = variants().swap_remove(which);
        let mut person = Person::with(prompt, keymap.name);
        for key in keys.into_iter().filter(|key| !says_yes(key)) {
            let next = person.press(&[key]);
            prop_assert!(!is_yes(&next));
            if next != Next::Wait {
                break;
            }
        }
    }
}

/// A person whose policy says `enter_approves: true`.
fn with_enter(prompt: Prompt) -> Person {
    let now = Instant::now();
    let look = sayso_tui::prompt_style::Look {
        enter_approves: true,
        ..look("kollabor-spec", Theme::PLAIN)
    };
    let mut person = Person {
        asking: Asking::new(Arc::new(prompt), look, Arc::new(Some2), now),
        now,
        size: (100, 40),
    };
    person.paint();
    person
}

/// finding A-02: where the person let Enter approve, the legend says so, and whatever is typed in vain ends that.
#[test]
fn finding_a_02_enter_approves_only_as_the_first_key_and_only_what_is_routine() {
    let routine = || {
        variants()
            .into_iter()
            .find(|(name, _)| *name == "file write")
            .unwrap()
            .1
    };
    let mut person = with_enter(routine());
    assert!(
        person.paint().contains("Enter allow once"),
        "{}",
        person.paint()
    );
    assert!(is_yes(&person.press(&[Key::Enter])));
    // Keys that mean nothing, a paste, two keys at once.
    for keys in [
        vec![key('x')],
        vec![key('Z')],
        vec![Key::Paste("fix it".to_owned())],
    ] {
        let mut person = with_enter(routine());
        person.press(&keys);
        assert!(
            !person.paint().contains("Enter allow once"),
            "{}",
            person.paint()
        );
        assert!(!is_yes(&person.press(&[Key::Enter])), "{keys:?}");
    }
    let mut person = with_enter(routine());
    person.pass(1000);
    person.asking.keys(vec![key('o'), key('k')], person.now);
    assert!(!is_yes(&person.press(&[Key::Enter])));
    // A sentence that was typed too early, a pause, Enter.
    let mut person = with_enter(routine());
    for letter in "make it so".chars() {
        person.pass(100);
        assert_eq!(
            person.asking.keys(vec![key(letter)], person.now),
            Next::Wait
        );
    }
    person.pass(5000);
    assert!(!is_yes(&person.press(&[Key::Enter])));
    // What came before the question was painted.
    let mut person = with_enter(routine());
    person.asking.disturb();
    assert!(!is_yes(&person.press(&[Key::Enter])));
    for (name, prompt) in variants() {
        let is_routine = prompt.is_routine();
        let mut person = with_enter(prompt);
        let says = person.paint().contains("Enter allow once");
        assert_eq!(
            (says, is_yes(&person.press(&[Key::Enter]))),
            (is_routine, is_routine),
            "{name}"
        );
    }
}

/// finding A-19: at the second confirmation any key but the yes key cancels, and the legend says that.
#[test]
fn finding_a_19_any_other_key_cancels_the_second_confirmation() {
    for (name, prompt) in variants()
        .into_iter()
        .filter(|(name, _)| name.ends_with("second"))
    {
        for keymap in KEYMAPS {
            let yes = keymap.key_of(Action::Allow(Scope::Once)).unwrap();
            let text = Person::with(prompt.clone(), keymap.name).paint();
            assert!(
                text.contains("any other key cancel"),
                "{name} under {}:\n{text}",
                keymap.name
            );
            let others = ['v', '?', 's', 'p', 'r', 'A', 't', 'x', ' ', '1']
                .into_iter()
                .filter(|other| *other != yes && keymap.key(*other) != keymap.key(yes));
            let keys = others.map(key).chain([
                Key::Enter,
                Key::Tab,
                Key::Esc,
                Key::Up,
                Key::PageDown,
                Key::Paste("y".to_owned()),
            ]);
            for pressed in keys {
                let chosen = Person::with(prompt.clone(), keymap.name)
                    .chosen(std::slice::from_ref(&pressed));
                assert_eq!(
                    chosen,
                    Some(Choice::Deny),
                    "{name} under {}: {pressed:?}",
                    keymap.name
                );
            }
            assert_eq!(
                Person::with(prompt.clone(), keymap.name).chosen(&[key(yes)]),
                Some(Choice::Offer(0)),
                "{name} under {}",
                keymap.name
            );
        }
    }
}

/// finding A-09: the second confirmation says in words what was chosen at the first.
#[test]
fn finding_a_09_the_second_confirmation_shows_the_chosen_scope() {
    let prompt = variants()
        .into_iter()
        .find(|(name, _)| *name == "danger, second")
        .unwrap()
        .1;
    let words =
        "allow this and the 3 that follow in this batch; what must be asked still asks".to_owned();
    let offer = Offer {
        scope: Scope::Batch,
        stores: Stores::Grant(GrantKey::RestOfBatch),
        words,
    };
    let mut person = Person::with(
        Prompt {
            offers: vec![offer],
            ..prompt
        },
        "kollabor-spec",
    );
    assert!(
        person
            .paint()
            .contains("y yes: allow this and the 3 that follow in this batch"),
        "{}",
        person.paint()
    );
    assert_eq!(person.chosen(&[key('y')]), Some(Choice::Offer(0)));
}
