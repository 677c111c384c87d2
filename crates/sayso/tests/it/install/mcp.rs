//! The gateway in front of the MCP servers of clients, and away again.

use serde_json::{Value, json};

use super::Home;
use crate::scene::put;

const SERVERS: &str = "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"fs\": { \"command\": \"npx\", \"args\": [\"-y\", \"server\", \".\"], \"env\": {\"A\": \"b\"} },\n        \"bare\": { \"command\": \"/opt/server\" },\n        \"far\": { \"type\": \"http\", \"url\": \"https://a.example/mcp\" },\n        \"a__b\": { \"command\": \"x\" }\n    },\n    \"last\": [1, 2.50]\n}\n";

fn text(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn servers_go_behind_the_gateway_and_come_back_byte_for_byte() {
    for (client, place) in [
        ("claude", ".claude.json"),
        ("cursor", ".cursor/mcp.json"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
        ),
    ] {
        let home = Home::new();
        let path = home.scene.home.join(place);
        put(&path, SERVERS);
        let shown = home
            .run(&["install", "mcp", client, "--anyway", "--dry-run"])
            .is(0, "dry");
        assert!(
            shown.out.contains("nothing was changed") && shown.out.contains("+"),
            "{}",
            shown.out
        );
        assert_eq!(text(&path), SERVERS);
        let done = home.install(&["mcp", client]).is(0, "install");
        assert!(
            done.out.contains("far") && done.out.contains("a__b"),
            "what stays is said: {}",
            done.out
        );
        let now: Value = serde_json::from_str(&text(&path)).unwrap();
        let fs = &now["mcpServers"]["fs"];
        assert!(fs["command"].as_str().unwrap().ends_with("/sayso"));
        assert_eq!(
            fs["args"],
            json!([
                "mcp", "--name", "fs", "--client", client, "--", "npx", "-y", "server", "."
            ])
        );
        assert_eq!(
            (&fs["env"]["A"], &now["mcpServers"]["far"]["url"]),
            (&json!("b"), &json!("https://a.example/mcp"))
        );
        assert_eq!(
            now["mcpServers"]["bare"]["args"],
            json!([
                "mcp",
                "--name",
                "bare",
                "--client",
                client,
                "--",
                "/opt/server"
            ])
        );
        assert_eq!(now["mcpServers"]["a__b"]["command"], "x");
        assert!(
            text(&path).contains("\"last\": [1, 2.50]")
                && text(&path).starts_with("{\n    \"theme\": \"dark\",\n"),
            "the rest stays as it was written"
        );
        let again = home.install(&["mcp", client]).is(0, "again");
        assert!(again.out.contains("nothing changes"), "{}", again.out);
        home.uninstall(&["mcp", client]).is(0, "uninstall");
        let back: Value = serde_json::from_str(&text(&path)).unwrap();
        assert_eq!(
            back["mcpServers"]["fs"],
            json!({"command": "npx", "args": ["-y", "server", "."], "env": {"A": "b"}})
        );
        assert_eq!(back["mcpServers"]["bare"]["command"], "/opt/server");
    }
}

#[test]
fn undo_brings_the_file_back() {
    let home = Home::new();
    let path = home.scene.home.join(".claude.json");
    put(&path, SERVERS);
    let done = home
        .run(&["install", "mcp", "claude", "--anyway", "--yes", "--json"])
        .is(0, "install");
    let told: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        (&told["client"], &told["done"]),
        (&json!("claude"), &json!(true))
    );
    home.run(&["undo", told["undo"].as_str().unwrap(), "--yes"])
        .is(0, "undo");
    assert_eq!(text(&path), SERVERS);
}

#[test]
fn other_forms_of_settings() {
    let home = Home::new();
    let code = home.scene.workspace.join(".vscode/mcp.json");
    put(&code, "{\"servers\": {\"s\": {\"command\": \"x\"}}}");
    home.install(&["mcp", "vscode", "--project"])
        .is(0, "vscode");
    assert!(text(&code).contains("\"--client\""), "{}", text(&code));
    let codex = home.config();
    put(
        &codex,
        "model = \"o\" # mine\n\n[mcp_servers.git]\ncommand = \"uvx\"\nargs = [\"mcp-server-git\"]\n\n[mcp_servers.far]\nurl = \"https://a.example\"\n",
    );
    home.install(&["mcp", "codex"]).is(0, "codex");
    assert!(
        text(&codex).contains("\"--\", \"uvx\", \"mcp-server-git\"")
            && text(&codex).starts_with("model = \"o\" # mine\n"),
        "{}",
        text(&codex)
    );
    home.uninstall(&["mcp", "codex"]).is(0, "codex");
    assert!(
        text(&codex).contains("command = \"uvx\"") && !text(&codex).contains("sayso"),
        "{}",
        text(&codex)
    );
    let any = home.scene.home.join("any.json");
    put(
        &any,
        "{\"mcpServers\": {\"s\": {\"command\": \"x\", \"args\": []}}}",
    );
    home.install(&["mcp", "generic", "--file", any.to_str().unwrap()])
        .is(0, "generic");
    assert!(text(&any).contains("mcp"));
}

#[test]
fn what_cannot_be_changed_is_refused() {
    let home = Home::new();
    assert!(
        home.install(&["mcp", "claude"])
            .is(2, "missing")
            .err
            .contains("there is no")
    );
    assert!(
        home.install(&["mcp", "generic"])
            .is(2, "which")
            .err
            .contains("--file")
    );
    assert!(
        home.install(&["mcp", "claude-desktop", "--project"])
            .is(2, "none")
            .err
            .contains("--project")
    );
    put(
        &home.scene.home.join(".claude.json"),
        "{\"mcpServers\": {\"a\": {}, \"a\": {}}}",
    );
    home.install(&["mcp", "claude"]).is(2, "a key twice");
    home.install(&["mcp", "nobody"]).is(2, "no such client");
    put(&home.scene.home.join(".claude.json"), SERVERS);
    let done = crate::program::run(
        home.scene
            .program()
            .env("CLAUDECODE", "1")
            .args(["install", "mcp", "claude", "--yes"]),
        b"",
    );
    assert_eq!(done.code, 20, "not below an agent: {done:?}");
}
