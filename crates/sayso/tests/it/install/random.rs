//! Settings as nobody thought of: whatever is there stays there, twice is once, and out again is as before.

use std::path::Path;

use proptest::prelude::*;
use sayso_agents::claude::install as claude;
use sayso_agents::codex::install as codex;
use sayso_agents::install;
use sayso_agents::install::grouped_hooks::{Hooks, places};
use sayso_agents::install::json_edits::Document;
use sayso_agents::{Scope, Which};
use serde_json::{Map, Value, json};

use super::{Home, wish};
use crate::scene::put;

const PROGRAM: &str = "/opt/my programs/sayso";

/// A handler: of others, of an older sayso, or of neither shape.
fn handler() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => "[a-z ]{1,8}".prop_map(|command| json!({"type": "command", "command": command})),
        2 => Just(json!({"type": "command", "command": "/old/sayso hook claude", "timeout": 5})),
        1 => Just(json!({"type": "command", "command": "sayso hook codex"})),
        1 => Just(json!({"type": "prompt", "prompt": "é \" \\ \u{1}"})),
        1 => Just(json!(null)),
    ]
}

fn group() -> impl Strategy<Value = Value> {
    prop_oneof![
        5 => (prop::collection::vec(handler(), 0..4), prop::option::of("[A-Z*|]{0,4}")).prop_map(|(hooks, matcher)| match matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": hooks}),
            None => json!({"hooks": hooks}),
        }),
        1 => Just(json!({})),
        1 => Just(json!(1)),
    ]
}

fn settings() -> impl Strategy<Value = Value> {
    let event = prop::sample::select(vec![
        "PreToolUse",
        "PostToolUse",
        "SessionEnd",
        "Stop",
        "Other",
    ]);
    let hooks = prop::collection::btree_map(event, prop::collection::vec(group(), 0..4), 0..4);
    let other = prop::collection::btree_map(
        "[a-z]{1,4}",
        prop_oneof![
            Just(json!(1.50)),
            Just(json!({"a": [1, {}]})),
            Just(json!("x,}]"))
        ],
        0..3,
    );
    (prop::option::of(hooks), other, any::<bool>()).prop_map(|(hooks, other, first)| {
        let mut all = Map::new();
        let hooks = hooks.map(|hooks| json!(hooks));
        if let Some(hooks) = hooks.clone().filter(|_| first) {
            all.insert("hooks".to_owned(), hooks);
        }
        all.extend(other);
        if let Some(hooks) = hooks.filter(|_| !first) {
            all.insert("hooks".to_owned(), hooks);
        }
        Value::Object(all)
    })
}

/// The same settings as people and programs write them.
fn written(settings: &Value, style: u8) -> String {
    let indented = |unit: &str| {
        let pretty = serde_json::to_string_pretty(settings).unwrap();
        let line = |line: &str| {
            let text = line.trim_start();
            format!("{}{text}", unit.repeat((line.len() - text.len()) / 2))
        };
        pretty.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    match style % 6 {
        0 => settings.to_string(),
        1 => indented("  ") + "\n",
        2 => indented("\t"),
        3 => indented("    ").replace('\n', "\r\n"),
        4 => {
            settings
                .to_string()
                .replace("\":", "\": ")
                .replace(",\"", ", \"")
                + "\n"
        }
        _ => format!("\n\n {} \n", indented(" ")),
    }
}

/// What is not sayso's, without what is empty.
fn others(text: &str) -> Value {
    let mut root: Value = serde_json::from_str(text).unwrap();
    let is_own = |handler: &Value| {
        handler["command"].as_str().is_some_and(|command| {
            let command = command.strip_suffix(" --wait 600").unwrap_or(command);
            command.ends_with("sayso hook claude") || command.ends_with("sayso' hook claude")
        })
    };
    let Some(hooks) = root.get_mut("hooks").and_then(Value::as_object_mut) else {
        return root;
    };
    for groups in hooks.values_mut().filter_map(Value::as_array_mut) {
        groups.retain_mut(|group| {
            let Some(list) = group.get_mut("hooks").and_then(Value::as_array_mut) else {
                return true;
            };
            let was = list.len();
            list.retain(|handler| !is_own(handler));
            list.len() == was || !list.is_empty()
        });
    }
    hooks.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
    if hooks.is_empty() {
        root.as_object_mut().unwrap().remove("hooks");
    }
    root
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_others_is_touched(settings in settings(), style in any::<u8>()) {
        let text = written(&settings, style);
        let hooks = Hooks { who: Which::CLAUDE, program: Path::new(PROGRAM), events: &claude::EVENTS };
        let mut document = Document::new("x", Some(&text));
        let had_own = !places(Which::CLAUDE, &document.read().unwrap()).is_empty();
        prop_assert!(hooks.put_in(&mut document).is_ok(), "{}", text);
        prop_assert_eq!(others(&document.text), others(&text), "{}", document.text);
        let found: Vec<String> = places(Which::CLAUDE, &document.read().unwrap()).into_iter().map(|place| place.event).collect();
        let mut sorted = found.clone();
        sorted.sort();
        let mut wanted: Vec<&str> = claude::EVENTS.iter().map(|event| event.name).collect();
        wanted.sort_unstable();
        prop_assert_eq!(sorted, wanted, "{}", document.text);
        // Twice is once.
        let once = document.text.clone();
        hooks.put_in(&mut document).unwrap();
        prop_assert_eq!(&document.text, &once);
        // Out again.
        hooks.take_out(&mut document).unwrap();
        prop_assert_eq!(others(&document.text), others(&text));
        prop_assert!(places(Which::CLAUDE, &document.read().unwrap()).is_empty());
        let has_empty = settings.get("hooks").is_some_and(|hooks| hooks.to_string().contains("[]") || *hooks == json!({})) || settings == json!({});
        if !had_own && !has_empty {
            prop_assert_eq!(&document.text, &text, "byte for byte");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_and_out_is_byte_for_byte(settings in settings(), style in any::<u8>(), who in prop::sample::select(vec![Which::CLAUDE, Which::CODEX, Which::GEMINI, Which::QWEN, Which::DROID])) {
        let home = Home::new();
        let around = home.around();
        let settings = match who {
            Which::CODEX => json!({"hooks": settings.get("hooks").cloned().unwrap_or_else(|| json!({}))}),
            _ => settings,
        };
        let text = written(&settings, style);
        let target = who.installer().target(&around, Scope::User).unwrap();
        put(&target, &text);
        put(&home.config(), "# mine\na = 1\n");
        let mut plan = install::install(&around, install::Wish { trust: who == Which::CODEX, ..wish(who, Scope::User) }).unwrap();
        plan.edits.reverse();
        install::carry_out(&around, who, Scope::User, &plan, "one", false).unwrap();
        let again = install::install(&around, wish(who, Scope::User)).unwrap();
        prop_assert!(again.edits.is_empty(), "twice is once");
        // What an older sayso had there does not come back: it is sayso's as well.
        let back = who.installer().uninstall(&around, Scope::User).unwrap();
        install::carry_out(&around, who, Scope::User, &back, "two", false).unwrap();
        let had_own = text.contains(&format!("sayso hook {}", who.name()));
        let now = std::fs::read_to_string(&target).unwrap();
        if had_own {
            prop_assert_eq!(others_of(who, &now), others_of(who, &text));
        } else {
            prop_assert_eq!(now, text);
        }
        prop_assert_eq!(std::fs::read_to_string(home.config()).unwrap(), "# mine\na = 1\n");
    }
}

fn others_of(who: Which, text: &str) -> Value {
    match who {
        Which::CODEX => others(
            &text
                .replace("hook codex", "hook claude")
                .replace("hook claude\", \"timeout\": 5", "hook claude\""),
        ),
        _ => others(&text.replace(&format!("hook {}", who.name()), "hook claude")),
    }
}

#[test]
fn every_event_of_the_tables_is_one_that_the_hook_knows() {
    let home = Home::new();
    for (agent, events) in [
        ("claude", &claude::EVENTS[..]),
        ("codex", &codex::EVENTS[..]),
    ] {
        for event in events {
            let payload = json!({"session_id": "s", "cwd": home.scene.folder(), "hook_event_name": event.name, "transcript_path": "/x",
                "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "source": "startup", "reason": "other"});
            let mut program = home.scene.program();
            program
                .env("CLAUDE_PROJECT_DIR", home.scene.folder())
                .args(["hook", agent]);
            let said = crate::program::run(&mut program, payload.to_string().as_bytes());
            assert!(
                !said.err.contains("does not know the event"),
                "{agent} {}: {}",
                event.name,
                said.err
            );
        }
    }
}
