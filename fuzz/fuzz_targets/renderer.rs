//! Any text in a prompt on a terminal of any size: no byte of it is a code, nothing in it is hidden, and nothing panics.

#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::prompt::keymap::Keymap;
use sayso_core::prompt::{Offer, Prompt, Round, Stores, Style};
use sayso_core::text::node::Node;
use sayso_core::text::visible::is_hidden;
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::{Content, World};
use sayso_gate::presentation::{build, from_node, prompt_to_node, to_node};
use sayso_shell::Bash;
use sayso_tui::key::Key;
use sayso_tui::paint::Painter;
use sayso_tui::patterns::NoPatterns;
use sayso_tui::prompt_state::Asking;
use sayso_tui::prompt_style::Look;
use sayso_tui::theme::Theme;

static POLICY: LazyLock<Policy> =
    LazyLock::new(|| Policy::assemble(Vec::new(), &Overrides::default(), &Bash));

/// Knows nothing but what stands in the one file.
struct OneFile(Vec<u8>);

impl World for OneFile {
    fn answer(&self, _: &str, _: &str, _: &[Question]) -> Facts {
        Facts::default()
    }

    fn content(
        &self,
        _: &str,
        most: u64,
    ) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        let shown = self
            .0
            .iter()
            .copied()
            .take(usize::try_from(most).unwrap_or(usize::MAX))
            .collect();
        Ok(Some(Content {
            bytes: shown,
            size: self.0.len() as u64,
            executable: None,
        }))
    }
}

/// Our own codes move, colour and clear; nothing else starts with an Escape, and there is no other control character.
fn check_bytes(bytes: Vec<u8>) {
    let text = String::from_utf8(bytes).expect("a frame is UTF-8");
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        rest = &rest[at + 1..];
        let end = rest.find(|letter: char| {
            letter.is_ascii_alphabetic() || matches!(letter, '7' | '8') && rest.starts_with(letter)
        });
        let code = &rest[..=end.expect("a code ends")];
        let known = code == "7"
            || code == "8"
            || code.starts_with('[')
                && code.ends_with(['m', 'H', 'G', 'K', 'J', 'A', 'B', 'h', 'l']);
        assert!(known, "{code:?} in {text:?}");
    }
    let hidden = |letter: char| is_hidden(letter) && !matches!(letter, '\u{1b}' | '\r' | '\n');
    assert!(!text.chars().any(hidden), "something is hidden in {text:?}");
}

fuzz_target!(|bytes: &[u8]| {
    let [choice, width, height, key, rest @ ..] = bytes else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    let (one, two) = text.split_once('\u{1}').unwrap_or((&text, ""));
    let args = match choice % 4 {
        0 => ("terminal", vec![("command", one)]),
        1 => ("file_write", vec![("path", "a.py"), ("content", one)]),
        2 => (
            "file_edit",
            vec![("path", "a.rs"), ("old_string", two), ("new_string", one)],
        ),
        _ => ("some_tool", vec![("x", one), ("y", two)]),
    };
    let nodes = args
        .1
        .into_iter()
        .map(|(key, value)| (key, Node::text(value)));
    let Ok(operation) = Operation::freeze(Call::new(args.0, Node::map(nodes), "/home/u/ws")) else {
        return;
    };
    let world = OneFile(two.as_bytes().to_vec());
    let bench = Bench {
        world: &world,
        policy: &POLICY,
        grants: &[],
        uses: None,
        run: Run::Interactive,
        now: 0,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    let judged = judge(&bench, &operation);
    let settings = &POLICY.views()[0].general.settings;
    let Ok(built) = build(
        &world,
        &operation,
        &judged.reading,
        &judged.verdict,
        settings,
    ) else {
        return;
    };
    let sayso_gate::presentation::Built {
        presentation,
        sentence,
        why,
    } = built;
    // What is sent to another screen comes back as it was.
    assert!(
        from_node(&to_node(&presentation)).as_ref() == Some(&presentation),
        "{presentation:?} does not come back"
    );
    let operation = Arc::new(operation);
    let prompt = Prompt {
        id: "prompt-1".to_owned(),
        title: "Tool Execution Approval Required".to_owned(),
        description: sayso_core::answer::explain::subject(&operation),
        sentence,
        why,
        presentation,
        operation,
        verdict: Arc::new(judged.verdict),
        round: Round::Only,
        place: None,
        group: Vec::new(),
        alike: None,
        offers: vec![Offer {
            scope: Scope::Once,
            stores: Stores::Nothing,
            words: "allow this once".to_owned(),
        }],
        style: [Style::Modal, Style::Status, Style::Inline][usize::from(choice / 4 % 3)],
        asked: 1_790_000_000,
        timeout: Some(300),
    };
    let _ = prompt_to_node(&prompt);
    let theme = if choice / 16 % 2 == 0 {
        Theme::PLAIN
    } else {
        Theme::COLOURS
    };
    let look = Look {
        keymap: Keymap::named("sayso"),
        risk: true,
        rule: true,
        enter_approves: false,
        theme,
    };
    let start = Instant::now();
    let mut asking = Asking::new(Arc::new(prompt), look, Arc::new(NoPatterns), start);
    let mut painter = Painter::default();
    let (width, height) = (u16::from(*width), u16::from(*height));
    let keys = [
        Key::Char('v'),
        Key::PageDown,
        Key::Down,
        Key::Esc,
        Key::Char('?'),
        Key::Other,
        Key::Home,
        Key::Char('/'),
    ];
    for turn in 0..3 {
        let now = start + Duration::from_secs(turn + 1);
        check_bytes(painter.paint(asking.frame(width, height, now), height));
        asking.painted(now);
        let key = keys[(usize::from(*key) >> (turn * 2)) % keys.len()].clone();
        asking.keys(vec![key], now);
    }
    check_bytes(painter.clear());
});
