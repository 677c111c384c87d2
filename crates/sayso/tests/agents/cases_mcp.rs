//! Real agents with real MCP servers behind the gateway: the same answers as without it, the same bytes on both sides of it, and the dialog of
//! Claude Code as the one that asks. What it saw goes to docs/mcp-pairs.md.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sayso_agents::scripted_model::Step;
use serde_json::{Value, json};

use crate::Case;
use crate::screen::Screen;
use crate::stage::{Stage, model, result, run, step};
use crate::transcript::plain;

/// The rows of these cases, which are not for docs/agents.md.
pub const ROWS: [&str; 2] = ["Claude Code with MCP servers", "Codex with MCP servers"];
const COLUMN: &str = "the same answers and bytes through the gateway";
const DIALOG: &str = "its own dialog asks for the gateway";
const SAME: &str = "same";

pub fn all() -> Vec<Case> {
    vec![
        Case {
            row: ROWS[0],
            column: COLUMN,
            run: claude,
        },
        Case {
            row: ROWS[0],
            column: DIALOG,
            run: |agents| {
                play(agents).map_or_else(
                    || "not tried".to_owned(),
                    |_| "yes runs, no and denied do not".to_owned(),
                )
            },
        },
        Case {
            row: ROWS[1],
            column: COLUMN,
            run: codex,
        },
    ]
}

/// A real server and one call of it.
struct Server {
    name: &'static str,
    command: Vec<String>,
    tool: &'static str,
    arguments: Value,
    /// What stands in its answer.
    says: &'static str,
}

fn folder(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

/// The servers that `./test --agents` installed.
fn servers(stage: &Stage) -> Option<Vec<Server>> {
    let (mcp, pairs) = (folder("SAYSO_MCP")?, folder("SAYSO_PAIRS")?);
    let dist = |package: &str| {
        mcp.join("node_modules/@modelcontextprotocol")
            .join(package)
            .join("dist/index.js")
            .to_str()
            .unwrap()
            .to_owned()
    };
    let bin = |name: &str| {
        pairs
            .join("python/bin")
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    };
    let ws = stage.workspace.to_str().unwrap().to_owned();
    let node = || "node".to_owned();
    let server = |name, command: Vec<String>, tool, arguments, says| Server {
        name,
        command,
        tool,
        arguments,
        says,
    };
    Some(vec![
        server(
            "filesystem",
            vec![node(), dist("server-filesystem"), ws.clone()],
            "read_text_file",
            json!({"path": format!("{ws}/a.txt")}),
            "one",
        ),
        server(
            "everything",
            vec![node(), dist("server-everything")],
            "echo",
            json!({"message": "ü漢🦀"}),
            "漢",
        ),
        server(
            "git",
            vec![bin("mcp-server-git"), "--repository".to_owned(), ws.clone()],
            "git_status",
            json!({"repo_path": ws}),
            "branch",
        ),
        server(
            "time",
            vec![
                bin("mcp-server-time"),
                "--local-timezone".to_owned(),
                "UTC".to_owned(),
            ],
            "convert_time",
            json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}),
            "Tokyo",
        ),
        server(
            "fetch",
            vec![bin("mcp-server-fetch"), "--ignore-robots-txt".to_owned()],
            "fetch",
            json!({"url": "ftp://nowhere.invalid/"}),
            "ftp",
        ),
    ])
}

/// The command of a server behind the gateway, with a tee on both sides.
fn gated(stage: &Stage, server: &Server, client: &str) -> Vec<String> {
    let tee = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_pairs/tee.py");
    let log = |side: &str| {
        stage
            .home
            .join(format!("{}.{side}", server.name))
            .to_str()
            .unwrap()
            .to_owned()
    };
    let sayso = [
        env!("CARGO_BIN_EXE_sayso"),
        "mcp",
        "--name",
        server.name,
        "--client",
        client,
        "--",
    ]
    .map(str::to_owned);
    let mut words = vec!["python3".to_owned(), tee.to_owned(), log("outer")];
    words.extend(sayso);
    words.extend(["python3".to_owned(), tee.to_owned(), log("inner")]);
    words.extend(server.command.iter().cloned());
    words
}

/// Insists on the same bytes on both sides of the gateway; says how many.
fn same_bytes(stage: &Stage, server: &Server, client: &str) -> usize {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let read = |side: &str| {
            ["in", "out"].map(|way| {
                fs::read(stage.home.join(format!("{}.{side}.{way}", server.name)))
                    .unwrap_or_default()
            })
        };
        let (outer, inner) = (read("outer"), read("inner"));
        if outer == inner && outer.iter().all(|bytes| !bytes.is_empty()) {
            if let Some(folder) = folder("SAYSO_RECORD") {
                let text =
                    fs::read_to_string(stage.home.join(format!("{}.inner.all", server.name)))
                        .unwrap();
                let text = text.replace(stage.workspace.to_str().unwrap(), "@WORKSPACE@");
                fs::write(folder.join(format!("{} {client}.txt", server.name)), text).unwrap();
            }
            return outer.iter().map(Vec::len).sum();
        }
        assert!(
            Instant::now() < until,
            "{}: not the same bytes on both sides",
            server.name
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn place(agents: &Path) -> Stage {
    let rules = ["filesystem", "everything", "git", "time", "fetch", "web"]
        .map(|name| format!("  - allow: {{mcp: \"{name}/*\"}}\n"));
    let mut stage = Stage::with(agents, &format!("version: 1\nrules:\n{}", rules.concat()));
    // Of a model that it does not know, Codex takes the tools by their own names.
    stage.codex_model = "scripted";
    stage.put("a.txt", "one\n");
    run(stage.command("git").args(["init", "-q", "."]));
    let tools = stage.home.join(".config/sayso/tools.d/fetch.yaml");
    stage.put(
        tools,
        "version: 1\ntools:\n  - {tool: fetch/fetch, arguments: {url: data}}\n",
    );
    stage
}

/// Without and with the gateway; `tried` runs the agent with these servers and says what the model was shown.
fn compared(
    agents: &Path,
    client: &str,
    tried: impl Fn(&Stage, &[(String, Vec<String>)], Vec<(String, Server)>) -> Vec<String>,
) -> String {
    let stage = place(agents);
    let Some(all) = servers(&stage) else {
        return "not tried".to_owned();
    };
    let entry = |server: &Server, words: Vec<String>| (server.name.to_owned(), words);
    let bare: Vec<_> = all
        .iter()
        .map(|server| entry(server, server.command.clone()))
        .collect();
    let behind: Vec<_> = all
        .iter()
        .map(|server| entry(server, gated(&stage, server, client)))
        .collect();
    let calls = || {
        servers(&stage)
            .unwrap()
            .into_iter()
            .map(|server| (server.name.to_owned(), server))
            .collect()
    };
    let (without, with) = (
        tried(&stage, &bare, calls()),
        tried(&stage, &behind, calls()),
    );
    for ((server, without), with) in all.iter().zip(&without).zip(&with) {
        assert!(with.contains(server.says), "{}: {with}", server.name);
        assert_eq!(without, with, "{}", server.name);
    }
    let bytes: usize = all
        .iter()
        .map(|server| same_bytes(&stage, server, client))
        .sum();
    println!("  {client}: {bytes} bytes the same on both sides of the gateway");
    SAME.to_owned()
}

fn shown(model: &sayso_agents::scripted_model::Model, count: usize) -> Vec<String> {
    (0..count).map(|number| result(model, number)).collect()
}

fn claude(agents: &Path) -> String {
    compared(agents, "claude", |stage, entries, calls| {
        let servers: serde_json::Map<String, Value> = entries
            .iter()
            .map(|(name, words)| {
                (
                    name.clone(),
                    json!({"command": words[0], "args": words[1..]}),
                )
            })
            .collect();
        let config = stage.home.join("mcp.json");
        stage.put(&config, &json!({"mcpServers": servers}).to_string());
        let names: Vec<String> = calls
            .iter()
            .map(|(name, server)| format!("mcp__{name}__{}", server.tool))
            .collect();
        let steps: Vec<Step> = names
            .iter()
            .zip(&calls)
            .map(|(name, (_, server))| step(name, server.arguments.clone()))
            .collect();
        let (count, model) = (steps.len(), model(steps));
        let ended = stage.headless(
            &model,
            &[
                "--mcp-config",
                config.to_str().unwrap(),
                "--allowedTools",
                &names.join(","),
            ],
        );
        let shown = shown(&model, count);
        assert!(
            shown.iter().all(|text| text != "(no result)"),
            "{ended} {shown:?}"
        );
        shown
    })
}

fn codex(agents: &Path) -> String {
    compared(agents, "codex", |stage, entries, calls| {
        let mut more = String::new();
        for (name, words) in entries {
            // It begins without servers that are slow to start, unless they are said to be required.
            let wait = "required = true\nstartup_timeout_sec = 60";
            writeln!(
                more,
                "\n[mcp_servers.{name}]\ncommand = {}\nargs = {}\n{wait}",
                json!(words[0]),
                json!(words[1..])
            )
            .unwrap();
        }
        stage.put(stage.home.join("more.toml"), &more);
        let steps: Vec<Step> = calls
            .iter()
            .map(|(_, server)| step(server.tool, server.arguments.clone()))
            .collect();
        let (count, model) = (steps.len(), model(steps));
        let ended = stage.exec(&model, &["--dangerously-bypass-approvals-and-sandbox"]);
        let shown = shown(&model, count);
        assert!(
            shown.iter().all(|text| text != "(no result)"),
            "{ended} {shown:?}"
        );
        // How long it took stands before the answer.
        shown
            .iter()
            .map(|text| {
                text.lines()
                    .filter(|line| !line.starts_with("Wall time"))
                    .collect::<Vec<_>>()
                    .join("\n")
            })
            .collect()
    })
}

const POLICY: &str = "version: 1
mcp: {elicitation: [claude]}
rules:
  - deny: {mcp: \"filesystem/move_file\"}
    reason: files stay where they are
";

/// Claude Code at a terminal with a gated server of files: one call is denied, and two are asked about by its own dialog. Gives what was seen.
pub fn play(agents: &Path) -> Option<String> {
    let stage = Stage::with(agents, POLICY);
    let server = servers(&stage)?.into_iter().next()?;
    let [from, other, to] =
        ["a.txt", "other.md", "notes.md"].map(|name| stage.workspace.join(name));
    stage.put("a.txt", "one\n");
    let words: Vec<String> = gated(&stage, &server, "claude");
    let config = stage.home.join("mcp.json");
    stage.put(
        &config,
        &json!({"mcpServers": {"filesystem": {"command": words[0], "args": words[1..]}}})
            .to_string(),
    );
    let model = model(vec![
        step(
            "mcp__filesystem__move_file",
            json!({"source": from, "destination": to}),
        ),
        step(
            "mcp__filesystem__write_file",
            json!({"path": other, "content": "# Other\n"}),
        ),
        step(
            "mcp__filesystem__write_file",
            json!({"path": to, "content": "# Notes\n"}),
        ),
    ]);
    let tools = "mcp__filesystem__move_file,mcp__filesystem__write_file";
    let screen = stage.at_terminal(
        &model,
        &[
            "--permission-mode",
            "default",
            "--mcp-config",
            config.to_str().unwrap(),
            "--allowedTools",
            tools,
        ],
    );
    // It offers the tools of a server only when it has them.
    let until = Instant::now() + Duration::from_secs(60);
    while !fs::read_to_string(stage.home.join("filesystem.outer.out"))
        .is_ok_and(|said| said.contains("\"tools\":["))
    {
        assert!(
            Instant::now() < until,
            "the server is not asked for its tools:\n{}",
            screen.text()
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    std::thread::sleep(Duration::from_secs(1));
    screen.keys(&["work", "Enter"]);
    let refused = screen.wait_for("other.md");
    assert!(!stage.has("other.md"), "nothing runs before the answer");
    typed(&screen, "SAYSO_TRY_NO", &NO);
    let asked = screen.wait_for("notes.md");
    assert!(
        !stage.has("other.md") && !stage.has("notes.md"),
        "nothing runs before the answer, and nothing after a no"
    );
    typed(&screen, "SAYSO_TRY_YES", &YES);
    screen.wait_for("DONE");
    std::thread::sleep(Duration::from_secs(1));
    let end = screen.text();
    assert!(
        stage.has("notes.md") && stage.has("a.txt") && !stage.has("other.md"),
        "{end}"
    );
    assert!(
        result(&model, 0).contains("files stay where they are"),
        "{}",
        result(&model, 0)
    );
    let told = result(&model, 1);
    assert!(told.contains("denied"), "{told}");
    let mut out = String::new();
    let seen = [
        (
            "The move is denied, and the dialog asks about the first file:",
            &refused,
        ),
        ("After no, it asks about the second:", &asked),
        ("After yes:", &end),
    ];
    for (title, text) in seen {
        writeln!(out, "{title}\n\n```text\n{}\n```\n", plain(&stage, text)).unwrap();
    }
    writeln!(out, "And then, in another terminal:\n\n```text").unwrap();
    let said = stage.sayso(&["audit", "list"]);
    let said = said
        .rsplit_once('[')
        .map_or(said.as_str(), |(said, _)| said);
    writeln!(out, "$ sayso audit list\n{}\n```", plain(&stage, said)).unwrap();
    Some(out)
}

/// What a person types in the dialog for yes: the answers are shown, the first one is chosen, and the form is sent.
const YES: [&str; 3] = ["Right", "Enter", "Enter"];
/// And for no: down to the buttons, and to the second of them.
const NO: [&str; 3] = ["Down", "Right", "Enter"];

/// Types keys as a person does; other ones can be tried by a variable, and then each screen is shown.
fn typed(screen: &Screen, variable: &str, keys: &[&str]) {
    let tried = std::env::var(variable).ok();
    let keys = tried
        .as_ref()
        .map_or_else(|| keys.to_vec(), |tried| tried.split(' ').collect());
    for key in keys {
        screen.keys(&[key]);
        std::thread::sleep(Duration::from_millis(700));
        if tried.is_some() {
            println!("=== {key}\n{}", screen.text());
        }
    }
}

/// Writes what the agents did and the session into docs/mcp-pairs.md.
pub fn write(agents: &Path, seen: &[(&str, &str, String)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp-pairs.md");
    let mut text = fs::read_to_string(&file).unwrap();
    let rows: String = seen
        .iter()
        .map(|(row, column, words)| format!("| {row} | {column} | {words} |\n"))
        .collect();
    text = crate::table::put(
        &text,
        "<!-- agents: written by `./test --agents` -->",
        &format!("| | | |\n|---|---|---|\n{rows}"),
    );
    if let Some(session) = play(agents) {
        text = crate::table::put(
            &text,
            "<!-- dialog: written by `./test --agents` -->",
            &session,
        );
    }
    fs::write(file, text).unwrap();
}
