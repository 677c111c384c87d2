//! Requests that want to be read in two ways, and agents that want to be answered by somebody else.

use serde_json::json;

use super::{Editor, command, desk, is_denied, no, options, yes};

#[test]
fn nothing_that_can_be_read_in_two_ways_reaches_the_editor() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let path = desk
        .scene
        .workspace
        .join("infra/x")
        .to_str()
        .unwrap()
        .to_owned();
    let good = desk
        .scene
        .workspace
        .join("src/x")
        .to_str()
        .unwrap()
        .to_owned();
    let session = editor.session.clone();
    let write = |params: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"{session}\",{params}}}}}"
        )
    };
    let evil = format!("\"path\":\"{path}\",\"content\":\"x\"");
    let lines = [
        write(&format!(
            "\"path\":\"{good}\",\"path\":\"{path}\",\"content\":\"x\""
        )),
        write(&format!(
            "\"path\":\"{good}\",\"Path\":\"{path}\",\"content\":\"x\""
        )),
        write(&format!(
            "\"path\":\"{good}\",\"p\\u0061th\":\"{path}\",\"content\":\"x\""
        )),
        write(&format!(
            "\"path\":\"{good}\",\"session_id\":\"s2\",\"content\":\"x\""
        )),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/update\",\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"Method\":\"fs/write_text_file\",\"method\":\"_x\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"FS/Write_Text_File\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/writeTextFile\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "[{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}]"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"fs/unheard_of\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x\"}} {{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"fs/write_text_file\",\"params\":{{{evil}}}}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x\",\"params\":[\r{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"fs/write_text_file\",\"params\":{{{evil}}}}}\r]}}"
        ),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{{}},\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!(
            "log: {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/write_text_file\",\"params\":{{\"sessionId\":\"{session}\",{evil}}}}}"
        ),
        format!("\u{feff}{}", write(&evil)),
        format!("{}\0", write(&evil)),
        write(&evil).trim_end_matches('}').to_owned(),
        write("\"path\":\"src/relative\",\"content\":\"x\""),
        write(&format!("\"path\":[\"{good}\"],\"content\":\"x\"")),
        write(&format!("\"path\":\"{good}\",\"content\":7")),
        write(&format!("\"path\":\"{good}\\u0000\",\"content\":\"x\"")),
    ];
    for line in &lines {
        editor.agent_says(format!("{line}\n").as_bytes());
        let got = editor.got();
        assert!(
            got["error"]["message"]
                .as_str()
                .unwrap_or_else(|| panic!("{line}: {got}"))
                .starts_with("sayso: "),
            "{line}: {got}"
        );
    }
    editor.agent_says(b"\xff\xfe{}\n");
    is_denied(&editor.got(), "UTF-8");
    // And it goes on.
    assert_eq!(editor.permitted(99, command("touch allowed-1")), yes());
    assert!(
        desk.entries("acp_refused").len() >= lines.len() - 2,
        "malformed calls are written down as such"
    );
}

#[test]
fn a_yes_cannot_be_tricked_into_another_one() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let twice = json!([{"optionId": "a", "name": "", "kind": "allow_once"}, {"optionId": "a", "name": "", "kind": "allow_always"}]);
    editor.agent_asks(
        1,
        "session/request_permission",
        json!({"toolCall": command("touch allowed-1"), "options": twice}),
    );
    is_denied(&editor.got(), "same `optionId`");
    for (id, params) in [
        (
            2,
            json!({"toolCall": command("touch allowed-1"), "subject": {"type": "command", "command": "touch denied-1"}, "options": options()}),
        ),
        (3, json!({"toolCall": command("touch allowed-1")})),
        (
            4,
            json!({"toolCall": {"kind": "execute", "rawInput": {"command": "touch allowed-1"}, "raw_input": {}}, "options": options()}),
        ),
        (5, json!({"options": options()})),
        (6, json!([1])),
    ] {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": if params.is_array() { params } else { editor.within(params) }});
        editor.agent_says(format!("{line}\n").as_bytes());
        let got = editor.got();
        assert!(got["error"]["message"].is_string(), "{id}: {got}");
    }
    // The same id twice, while the first one is still asked about.
    editor.wants(7, command("make"));
    editor.gated.next();
    editor.wants(7, command("make evil"));
    is_denied(&editor.got(), "still open");
    editor.picks(&json!(7), "no");
    assert_eq!(editor.got()["result"]["outcome"], yes());
    // An answer to a question that was never asked is passed on, and changes nothing.
    editor.picks(&json!("sayso-0123"), "sayso-once");
    assert_eq!(editor.got()["id"], "sayso-0123");
}

#[test]
fn an_answer_to_what_the_editor_was_not_given_goes_nowhere() {
    let desk = desk();
    desk.scene.add_to_policy("hooks: {ask: inbox}\n");
    let served = crate::serve::Served::start(desk);
    let mut editor = Editor::start(&served.desk);
    editor.agent_asks(1, "terminal/create", json!({"command": "make"}));
    let prompt = served.prompt();
    editor.answers(&json!(1), json!({"terminalId": "forged"}));
    assert_eq!(editor.permitted(2, command("touch allowed-1")), yes());
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    is_denied(&editor.got(), "denied by the person");
    assert_eq!(served.desk.entries("acp_dropped").len(), 1);
}

#[test]
fn protected_and_secret_files_are_asked_about_whatever_a_rule_says() {
    let desk = desk();
    desk.scene
        .user_policy("version: 1\nrules:\n  - {allow: {write: '**'}}\n  - {allow: {read: '**'}}\n");
    std::os::unix::fs::symlink(
        desk.scene.workspace.parent().unwrap(),
        desk.scene.workspace.join("link"),
    )
    .unwrap();
    let mut editor = Editor::start(&desk);
    let path = |name: &str| desk.scene.workspace.join(name).to_str().unwrap().to_owned();
    for (id, method, name) in [
        (1, "fs/read_text_file", ".env"),
        (2, "fs/write_text_file", ".husky/pre-commit"),
        (3, "fs/write_text_file", "../elsewhere"),
        (4, "fs/write_text_file", "link/x.txt"),
        (5, "fs/unheard_of", "src/a.rs"),
    ] {
        editor.agent_asks(id, method, json!({"path": path(name), "content": "x"}));
        let asked = editor.gated.next();
        assert_eq!(asked["method"], "session/request_permission", "{name}");
        editor.picks(&asked["id"], "sayso-deny");
        is_denied(&editor.got(), "denied");
    }
    // sayso's own files are nobody's.
    for (id, name) in [
        (11, ".sayso/policy.yaml"),
        (12, "../../.config/sayso/policy.yaml"),
    ] {
        editor.agent_asks(
            id,
            "fs/write_text_file",
            json!({"path": path(name), "content": "mode: trust-all"}),
        );
        is_denied(&editor.got(), "denied by policy");
    }
    assert_eq!(
        editor.permitted(13, command("sayso policy trust --yes")),
        no()
    );
}

#[test]
fn no_policy_of_a_project_or_of_a_flag_widens_anything() {
    let desk = desk();
    desk.scene.project_policy(
        "version: 1\nrules:\n  - {allow: {command: 'make *'}}\n",
        false,
    );
    desk.scene.file("wide.yaml", "version: 1\nrules:\n  - {allow: {command: 'make *'}}\n  - {deny: {command: 'touch allowed-2'}}\n");
    let file = desk
        .scene
        .workspace
        .join("wide.yaml")
        .to_str()
        .unwrap()
        .to_owned();
    let mut editor = Editor::of(&desk, &["--policy", &file]);
    editor.wants(1, command("make"));
    assert_eq!(editor.gated.next()["method"], "session/request_permission");
    assert_eq!(
        editor.permitted(2, command("touch allowed-2")),
        no(),
        "but it tightens"
    );
}
