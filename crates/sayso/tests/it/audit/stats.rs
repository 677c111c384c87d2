//! Counts that add up.

use sayso_core::text::node::Node;
use sayso_store::{Journal, Sync};

use super::{desk, now, number, out, put, value};
use crate::desk::Desk;

#[test]
fn counts_of_a_run() {
    let desk = desk();
    let stats = value(&desk, &["stats", "--json"]);
    for (key, wanted) in [
        ("calls", 4),
        ("prompts", 2),
        ("approved", 1),
        ("denials", 2),
        ("denied", 1),
        ("blocked", 1),
        ("auto_approved", 1),
    ] {
        assert_eq!(stats[key], wanted, "{key}: {stats}");
    }
    assert_eq!(
        (
            &stats["approval_rate_percent"],
            &stats["prompts_per_100_calls"]
        ),
        (&50.0.into(), &50.0.into())
    );
    assert_eq!(stats["by_agent"][0]["agent"], "builder");
    assert_eq!(stats["by_agent"][0]["calls"], 4);
    let text = out(&desk, &["stats"]);
    for part in [
        "calls                  4",
        "per 100 calls        50.0",
        "approved             1 (50.0 %)",
        "by a person          1",
        "by policy            1",
        "builder: 2 prompts",
    ] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
    let none = value(&desk, &["stats", "--json", "--until", "1d"]);
    assert!(
        none["calls"] == 0 && none["approval_rate_percent"].is_null(),
        "{none}"
    );
    assert!(out(&desk, &["stats", "--until", "1d"]).contains("calls                  0"));
}

#[test]
fn times_to_answer_come_from_when_the_prompt_was_shown() {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    let start = now() - 3_600_000;
    for index in 1..=20_i64 {
        let id = format!("c{index}");
        let asked = start + index * 10_000;
        let fields = vec![
            ("call", Node::text(&id)),
            ("prompt", Node::text("p")),
            ("round", number(1)),
        ];
        journal
            .append_at(asked, "asked", fields, Sync::System)
            .unwrap();
        let outcome = if index % 4 == 0 { "denied" } else { "approved" };
        put(
            &journal,
            &id,
            asked + index * 100,
            &[
                ("outcome", outcome),
                ("decision", "ask"),
                ("rule", "default"),
                ("tool", "terminal"),
                ("what", "terminal(make)"),
            ],
        );
    }
    let stats = value(&desk, &["stats", "--json"]);
    assert_eq!(
        stats["time_to_answer"],
        serde_json::json!({"answers": 20, "p50_ms": 1000, "p95_ms": 1900}),
        "{stats}"
    );
    assert_eq!(
        stats["asks_by_rule"],
        serde_json::json!([{"rule": "default", "asks": 20}])
    );
    assert_eq!(
        stats["most_asked"][0],
        serde_json::json!({"tool": "terminal", "what": "terminal(make)", "asks": 20, "approved": 15})
    );
    assert!(out(&desk, &["stats"]).contains("half within 1.0 s, 95 % within 1.9 s (20 answers)"));
}
