//! sayso's own MCP server: `approve` answers as the hook does, the others only tell.

use serde_json::{Value, json};

use super::{Gated, text};
use crate::desk::Desk;
use crate::serve::Served;

fn start(desk: &Desk) -> Gated {
    Gated::spawn(desk.program().arg("mcp-server"))
}

fn verdict(answer: &Value) -> Value {
    serde_json::from_str(text(answer)).unwrap()
}

#[test]
fn approve_lets_through_denies_and_asks() {
    let served = Served::with(
        Desk::with(&[("a.txt", "x")]),
        "hooks: {ask: inbox, exec: never}\nrules:\n  - {deny: {command: 'git push *'}, reason: not now}\n",
    );
    let mut own = start(&served.desk);
    own.initialize(json!({}));
    let arguments = |command: &str| json!({"tool_name": "Bash", "input": {"command": command}, "tool_use_id": "toolu_1"});
    let allowed = verdict(&own.called(1, "approve", arguments("ls")));
    assert_eq!(
        allowed,
        json!({"behavior": "allow", "updatedInput": {"command": "ls"}})
    );
    let denied = verdict(&own.called(2, "approve", arguments("git push origin")));
    assert!(
        denied["behavior"] == "deny" && denied["message"].as_str().unwrap().contains("not now"),
        "{denied}"
    );
    own.call(3, "approve", arguments("make all"));
    served.yes(&served.prompt()).is(200);
    assert_eq!(verdict(&own.answer(&json!(3)))["behavior"], "allow");
    for bad in [
        json!({}),
        json!({"tool_name": 1, "input": {}}),
        json!({"tool_name": "Bash", "input": []}),
    ] {
        assert_eq!(verdict(&own.called(4, "approve", bad))["behavior"], "deny");
    }
}

#[test]
fn explain_and_rules_only_tell() {
    let desk = Desk::with(&[]);
    let mut own = start(&desk);
    let explained = verdict(&own.called(1, "explain", json!({"command": "rm -rf /"})));
    assert_eq!(
        (&explained["decision"], &explained["tier"]),
        (&json!("deny"), &json!("catastrophic"))
    );
    assert_eq!(
        own.called(2, "rules", json!({}))["result"]["isError"],
        false
    );
    assert!(
        own.called(3, "explain", json!({}))["error"]["message"]
            .as_str()
            .unwrap()
            .contains("command")
    );
    assert_eq!(own.list()["result"]["tools"].as_array().unwrap().len(), 3);
}
