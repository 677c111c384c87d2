//! Tools of MCP servers in a session: told to the model, judged and shown as what they are, and called only with what was approved.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::at_screen::{idle, open, say};
use super::endpoint::{Answer, Endpoint, anthropic, openai};
use super::{chat, configure};
use crate::mcp::{life, small};
use crate::terminal::screen::Room;

/// A room whose person has told the small server, under the name `s`.
fn room(policy: &str) -> Room {
    let room = Room::new(&[]).policy(policy);
    tell(&room, &json!(small()).to_string());
    room
}

fn tell(room: &Room, command: &str) {
    let file = room.home.join(".config/sayso/servers.yaml");
    std::fs::write(
        &file,
        format!("version: 1\nservers:\n  s:\n    command: {command}\n    workspace: true\n"),
    )
    .unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// The methods that the server was asked.
fn methods(room: &Room) -> Vec<String> {
    let got = std::fs::read_to_string(room.folder.join("got.log")).unwrap_or_default();
    let of = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["method"]
            .as_str()
            .unwrap_or("-")
            .to_owned()
    };
    got.lines().map(of).collect()
}

#[test]
fn models_are_told_of_them_and_their_calls_are_judged() {
    let tools = json!([
        {"name": "echo", "description": "Says \u{1b}it\u{e0041} again.", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "oneOf": []}},
        {"name": "run", "description": "Runs.", "inputSchema": {}},
        {"name": "odd/one.two", "description": "", "inputSchema": {"type": "object"}},
        {"name": "text", "inputSchema": {"type": "string"}},
    ]);
    for api in ["openai", "anthropic"] {
        let calls = [
            (
                "c1",
                "mcp__s__echo",
                r#"{"n": 12345678901234567890, "t": "ü"}"#,
            ),
            ("c2", "mcp__s__run", r#"{"command": "ls"}"#),
            ("c3", "mcp__s__missing", "{}"),
            ("c4", "mcp", r#"{"server": "s", "tool": "echo"}"#),
        ];
        let events = |text: &str, calls: &[(&str, &str, &str)]| {
            Answer::Events(
                if api == "openai" {
                    openai(&[text], calls)
                } else {
                    anthropic(&[text], calls)
                },
                Duration::ZERO,
            )
        };
        let endpoint = Endpoint::start(vec![events("", &calls), events("Done.", &[])]);
        let room = room("rules:\n  - {allow: {mcp: 's/echo'}}\n  - {deny: {mcp: 's/run'}}");
        std::fs::write(room.folder.join("tools.json"), tools.to_string()).unwrap();
        configure(&room, api, &endpoint.url, "");
        let output = chat(&room, &["--strict", "--json", "go"], "");
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(20), "{value}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            error.contains(
                "the tool `text` of the MCP server `s` is left out: its arguments are no object"
            ),
            "{error}"
        );
        let asked = endpoint.asked();
        let told = asked[0].body["tools"].as_array().unwrap();
        let of = |tool: &Value| {
            if api == "openai" {
                tool["function"].clone()
            } else {
                tool.clone()
            }
        };
        let (about, schema) = (
            "description",
            if api == "openai" {
                "parameters"
            } else {
                "input_schema"
            },
        );
        let echo = told
            .iter()
            .map(of)
            .find(|tool| tool["name"] == "mcp__s__echo")
            .unwrap();
        assert_eq!(echo[about], "Says ␛it‹U+E0041› again.");
        assert_eq!(
            echo[schema],
            json!({"type": "object", "properties": {"n": {"type": "integer"}}})
        );
        assert!(
            told.iter().map(of).any(|tool| tool["name"]
                .as_str()
                .unwrap()
                .starts_with("mcp__s__odd_one_two_")),
            "{told:?}"
        );
        assert_eq!(
            (
                &value["malformed"],
                value["calls"].as_array().unwrap().len()
            ),
            (&json!(2), 2)
        );
        assert_eq!(value["calls"][0]["outcome"], "auto_approved", "{value}");
        assert_eq!(value["calls"][1]["outcome"], "blocked", "{value}");
        let results = asked[1].body["messages"].to_string();
        assert!(
            results.contains("12345678901234567890")
                && results.contains("there is no tool `mcp__s__missing`"),
            "{results}"
        );
        assert_eq!(
            methods(&room)
                .iter()
                .filter(|method| *method == "tools/call")
                .count(),
            1,
            "{:?}",
            methods(&room)
        );
        let log = std::fs::read_to_string(room.folder.join("got.log")).unwrap();
        assert!(
            log.contains(r#""arguments":{"n":12345678901234567890,"t":"ü"}"#),
            "as it was written: {log}"
        );
    }
}

#[test]
fn a_call_is_shown_as_one_of_a_server_and_nothing_is_left_behind() {
    let room = room("");
    let script = room.home.join("start.sh");
    std::fs::write(
        &script,
        format!("echo $$ > pid; exec python3 {}\n", small()[1]),
    )
    .unwrap();
    tell(&room, &json!(["sh", script]).to_string());
    let mut screen = open(&room, "", 100, 40);
    assert!(!room.has("pid"), "nothing is started before it is needed");
    say(&mut screen, r#"call mcp__s__echo {"n": 1}"#);
    screen.see("use the tool echo of the MCP server s");
    let text = screen.text();
    assert!(
        text.contains("chat wants: mcp(s/echo: n=1)")
            && text.contains("The tool echo.")
            && text.contains("black box"),
        "{text}"
    );
    assert!(!methods(&room).contains(&"tools/call".to_owned()));
    screen.press("n");
    screen.see("I was told: denied by the person");
    idle(&screen);
    assert!(!methods(&room).contains(&"tools/call".to_owned()));
    say(&mut screen, r#"call mcp__s__echo {"n": 2}"#);
    screen.see("use the tool echo of the MCP server s");
    screen.press("y");
    screen.see(r#"┆ {"n": 2}"#);
    screen.see("▍ Done.");
    say(&mut screen, "/permissions");
    screen.see("servers       s");
    let process: i32 = std::fs::read_to_string(room.folder.join("pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    say(&mut screen, "/quit");
    assert_eq!(screen.end().1, 0);
    life::is_gone(process);
}

#[test]
fn a_server_that_is_missing_is_told_once_and_the_rest_goes_on() {
    let room = room("");
    tell(&room, r#"[sh, -c, 'printf "it \033[2Jbroke" >&2; exit 3']"#);
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "say one");
    screen.see("▍ one");
    screen.see("✗ the MCP server `s` cannot be used");
    screen.see("[2Jbroke");
    say(&mut screen, "say two");
    screen.see("▍ two");
    idle(&screen);
    assert_eq!(
        screen.text().matches("cannot be used").count(),
        1,
        "{}",
        screen.text()
    );
    drop(screen);
    std::fs::write(
        room.home.join(".config/sayso/servers.yaml"),
        "version: 1\nservers: [}",
    )
    .unwrap();
    let output = chat(&room, &["--strict", "read a.py"], "");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("servers.yaml"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_server_that_says_nothing_holds_up_one_turn_and_can_be_stopped() {
    let room = room("");
    tell(&room, "[sh, -c, 'echo $$ >> started; exec sleep 1000']");
    let mut screen = open(&room, "", 100, 30);
    say(&mut screen, "say one");
    screen.see("asking the MCP servers for their tools");
    let start = std::time::Instant::now();
    while !room.has("started") {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    screen.send("\x03");
    screen.see("you stopped this turn");
    let process: i32 = std::fs::read_to_string(room.folder.join("started"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    life::is_gone(process);
}

#[test]
fn a_changed_server_is_asked_about_before_it_is_started() {
    let room = room("rules: [{allow: {mcp: 's/*'}}]");
    let own = room.folder.join("own.py");
    std::fs::copy(&small()[1], &own).unwrap();
    tell(&room, "[python3, own.py]");
    let call = r#"call mcp__s__echo {"n": 1}"#;
    assert_eq!(chat(&room, &["--strict"], call).status.code(), Some(0));
    let evil = format!(
        "open('stolen', 'w').close()\n{}",
        std::fs::read_to_string(&own).unwrap()
    );
    std::fs::write(&own, evil).unwrap();
    assert_eq!(chat(&room, &["--strict"], call).status.code(), Some(20));
    assert!(!room.has("stolen"), "it ran before anybody was asked");
}
