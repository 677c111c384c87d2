//! What counts as sayso's own where it is installed (D-12): no agent changes the settings that start it, settings that could switch it off,
//! or the program behind it.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::Home;
use crate::scene::put;

/// Everything is allowed that a policy can allow.
const GENEROUS: &str = "version: 1\nmode: trust-all\nrules:\n  - allow: {command: \"*\"}\n  - allow: {write: \"/**\"}\n  - allow: {delete: \"/**\"}\n  - allow: {tool: \"*\"}\n";

struct Judged {
    decision: String,
    rules: Vec<String>,
    text: String,
}

fn judged(home: &Home, call: &Value) -> Judged {
    let line = format!("{call}\n");
    let said = crate::program::run(
        home.scene.program().args(["check", "--jsonl"]),
        line.as_bytes(),
    );
    let said: Value = serde_json::from_str(said.out.trim())
        .unwrap_or_else(|error| panic!("{error}: {}{}", said.out, said.err));
    let reasons = said["reasons"].as_array().cloned().unwrap_or_default();
    let texts = |key: &str| {
        reasons
            .iter()
            .map(|reason| reason[key].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    Judged {
        decision: said["decision"].as_str().unwrap_or_default().to_owned(),
        rules: texts("rule"),
        text: texts("text").join("\n"),
    }
}

fn command(home: &Home, line: &str) -> Judged {
    judged(
        home,
        &json!({"tool": "terminal", "args": {"command": line}, "agent": "claude"}),
    )
}

fn is_own(home: &Home, line: &str) -> String {
    let judged = command(home, line);
    assert!(
        judged.decision == "deny" && judged.rules.iter().any(|rule| rule == "own-files"),
        "{line}: {} {}",
        judged.decision,
        judged.text
    );
    judged.text
}

fn is_not_own(home: &Home, line: &str) {
    let judged = command(home, line);
    assert!(
        judged.rules.iter().all(|rule| rule != "own-files") && judged.decision != "deny",
        "{line}: {}",
        judged.text
    );
}

#[test]
fn finding_d_12_settings_that_start_sayso_are_its_own() {
    let home = Home::with_claude("{}\n");
    is_not_own(&home, "echo x > ~/.claude/settings.json");
    home.install(&["claude"]).is(0, "install");
    let words = is_own(&home, "echo x > ~/.claude/settings.json");
    assert!(
        words.contains("Claude Code") && words.contains("`sayso uninstall`"),
        "{words}"
    );
    home.scene.user_policy(GENEROUS);
    for line in [
        "sed -i s/a/b/ ~/.claude/settings.json",
        "rm ~/.claude/settings.json",
        "rm -rf ~/.claude",
        "rm -r ~/.claude/",
        "mv ~/.claude /tmp/x",
        "mv ~/.claude/settings.json x",
        "cp x ~/.claude/settings.json",
        "cp -r x/. ~/.claude",
        "ln -sf x ~/.claude/settings.json",
        "ln ~/.claude/settings.json x",
        "tee -a ~/.claude/settings.json < x",
        "truncate -s 0 ~/.claude/settings.json",
        "chmod 000 ~/.claude/settings.json",
        "chmod 000 ~/.claude",
        "chown nobody ~/.claude",
        "install -m 600 x ~/.claude/settings.json",
        "dd if=x of=$HOME/.claude/settings.json",
        "cd ~/.claude && echo x > settings.json",
        "bash -c 'echo x > ~/.claude/settings.json'",
        "find ~/.claude -name settings.json -delete",
        "unknown-program ~/.claude/settings.json",
        "env -i sh -c 'cat x > ~/.claude/settings.json'",
        "echo '{\"disableAllHooks\":true}' > .claude/settings.local.json",
        "mkdir -p .claude && cp x .claude/settings.json",
        "echo x > sub/.claude/settings.local.json",
        "echo x > .CLAUDE/Settings.local.json",
        "mv x .claude",
        "cp -r x .claude",
        "ln -s x .claude",
        "echo x > /etc/claude-code/managed-settings.json",
    ] {
        is_own(&home, line);
    }
    for line in [
        "cat ~/.claude/settings.json",
        "jq . .claude/settings.json",
        "ls ~/.claude",
        "mkdir -p .claude/skills",
        "cat .claude/settings.local.json",
    ] {
        is_not_own(&home, line);
    }
    for line in [
        "echo x > .claude/skills/a.md",
        "echo x > .codex/config.toml",
        "echo x > .gemini/settings.json",
        "rm -rf build",
        "chmod +x run.sh",
    ] {
        is_not_own(&home, line);
    }
}

#[test]
fn finding_d_12_file_tools_and_the_way_back() {
    let home = Home::with_claude("{}\n");
    let done = home
        .run(&["install", "claude", "--anyway", "--yes", "--json"])
        .is(0, "install");
    let told: Value = serde_json::from_str(&done.out).unwrap();
    let write = |home: &Home, path: &str| {
        judged(
            home,
            &json!({"tool": "file_write", "args": {"path": path, "content": "{}"}}),
        )
    };
    let settings = home.claude().display().to_string();
    for path in [
        settings.as_str(),
        ".claude/settings.local.json",
        ".claude/settings.json",
    ] {
        let judged = write(&home, path);
        assert!(
            judged.decision == "deny" && judged.text.contains("no agent may change it"),
            "{path}: {}",
            judged.text
        );
    }
    // A person who takes the hook out, or takes the installation back, has protected settings again.
    home.run(&["undo", told["undo"].as_str().unwrap(), "--yes"])
        .is(0, "undo");
    assert_eq!(write(&home, &settings).decision, "ask");
    home.install(&["claude"]).is(0, "install");
    assert_eq!(write(&home, &settings).decision, "deny");
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(write(&home, &settings).decision, "ask");
    assert_eq!(write(&home, ".claude/settings.local.json").decision, "ask");
}

#[test]
fn finding_d_12_links_on_the_way_to_settings() {
    let home = Home::new();
    let dotfiles = home.scene.home.join("dotfiles/claude.json");
    put(&dotfiles, "{}\n");
    fs::create_dir_all(home.scene.home.join(".claude")).unwrap();
    symlink(&dotfiles, home.claude()).unwrap();
    home.install(&["claude"]).is(0, "install");
    home.scene.user_policy(GENEROUS);
    for line in [
        "echo x > ~/dotfiles/claude.json",
        "rm ~/.claude/settings.json",
        "ln -sfn x ~/.claude/settings.json",
        "rm -rf ~/dotfiles",
    ] {
        is_own(&home, line);
    }
}

#[test]
fn finding_d_12_a_project_and_every_agent() {
    let home = Home::new();
    home.install(&["claude", "--project"]).is(0, "install");
    for (agent, own, other) in [
        ("codex", "~/.codex/hooks.json", ".codex/config.toml"),
        (
            "gemini",
            "~/.gemini/settings.json",
            "~/.gemini/trustedFolders.json",
        ),
        ("qwen", "~/.qwen/settings.json", ".qwen/settings.json"),
        (
            "copilot",
            "~/.copilot/hooks/sayso.json",
            "~/.copilot/settings.json",
        ),
        (
            "opencode",
            "~/.config/opencode/plugins/sayso.js",
            ".opencode/plugins/sayso.js",
        ),
        (
            "cline",
            "~/.cline/plugins/sayso.js",
            ".cline/plugins/sayso.js",
        ),
        ("cursor", "~/.cursor/hooks.json", ".cursor/hooks.json"),
        (
            "windsurf",
            "~/.codeium/windsurf/hooks.json",
            ".windsurf/hooks.json",
        ),
        (
            "droid",
            "~/.factory/settings.json",
            ".factory/settings.local.json",
        ),
        ("crush", "~/.config/crush/crush.json", ".crush.json"),
        (
            "goose",
            "~/.agents/plugins/sayso/hooks/hooks.json",
            "~/.agents/plugins/sayso/x",
        ),
    ] {
        is_not_own(&home, &format!("echo x > {other}"));
        home.install(&[agent]).is(0, agent);
        is_own(&home, &format!("echo x > {own}"));
        is_own(&home, &format!("rm {own}"));
        is_own(&home, &format!("echo x > {other}"));
    }
    for line in [
        "echo x > .claude/settings.local.json",
        "echo x > .claude/settings.json",
        "echo x > ~/.claude/settings.json",
        "rm -rf .claude",
    ] {
        is_own(&home, line);
    }
    is_not_own(&home, "echo x > /srv/other/.claude/settings.json");
}

#[test]
fn finding_d_12_servers_behind_the_gateway_and_the_program() {
    let home = Home::new();
    let servers = "{\"mcpServers\": {\"fs\": {\"command\": \"npx\", \"args\": [\"server\"]}}}\n";
    put(&home.scene.home.join(".claude.json"), servers);
    put(&home.scene.workspace.join("servers.json"), servers);
    is_not_own(&home, "echo x > servers.json");
    home.install(&["mcp", "claude"]).is(0, "install");
    home.install(&["mcp", "generic", "--file", "servers.json"])
        .is(0, "install");
    is_own(&home, "echo x > ~/.claude.json");
    is_own(&home, "echo x > servers.json");
    home.uninstall(&["mcp", "claude"]).is(0, "uninstall");
    is_not_own(&home, "echo x > ~/.claude.json");
    let program = env!("CARGO_BIN_EXE_sayso");
    for line in [
        format!("cp x {program}"),
        format!("mv x {program}"),
        format!("ln -sf x {program}"),
        format!("chmod -x {program}"),
        format!("rm {program}"),
    ] {
        is_own(&home, &line);
    }
}

#[test]
fn finding_d_12_a_link_on_the_path_to_the_program() {
    let home = Home::new();
    let folder = home.scene.home.join("bin");
    fs::create_dir_all(&folder).unwrap();
    symlink(env!("CARGO_BIN_EXE_sayso"), folder.join("sayso")).unwrap();
    let path = format!(
        "{}:{}:{}",
        home.scene.home.join("early").display(),
        folder.display(),
        crate::scene::PATH
    );
    for line in [
        "ln -sf /tmp/x ~/bin/sayso",
        "rm ~/bin/sayso",
        "mv ~/bin ~/old",
        "cp x ~/early/sayso",
    ] {
        let said = crate::program::run(
            home.scene
                .program()
                .env("PATH", &path)
                .args(["check", "--json", line]),
            b"",
        );
        assert!(said.out.contains("own-files"), "{line}: {}", said.out);
    }
}

#[test]
fn finding_d_12_code_that_names_such_a_file_is_denied() {
    let home = Home::with_claude("{}\n");
    let (settings, program) = (
        home.claude().display().to_string(),
        env!("CARGO_BIN_EXE_sayso"),
    );
    is_not_own(&home, &format!("python3 -c \"open('{settings}','w')\""));
    home.install(&["claude"]).is(0, "install");
    home.scene.user_policy(GENEROUS);
    for line in [
        &*format!("python3 -c \"open('{settings}','w')\""),
        "python3 -c \"import os; open(os.path.expanduser('~/.claude/settings.json'),'w')\"",
        "python3 -c \"import os; os.chdir('.claude'); open('settings.local.json','w')\"",
        "python3 - <<E\nimport pathlib\n(pathlib.Path.home() / '.claude' / 'settings.json').write_text('{}')\nE",
        "cat > x.py <<E\nopen('.claude/settings.json', 'w')\nE\npython3 x.py",
        "echo \"open('.claude/settings.json','w')\" | python3",
        "F=$HOME/.claude/settings.json python3 -c \"import os; open(os.environ['F'],'w')\"",
        "f=settings.json; cd .claude; node -e \"fs.writeFileSync('$f','')\"",
        "node -e \"fs.writeFileSync(process.env.HOME+'/.claude/settings.json','')\"",
        "perl -e 'open(F, \">\" . $ENV{HOME} . \"/.claude/settings.json\")'",
        "ruby -e 'File.write(File.join(Dir.home, \".claude\", \"settings.json\"), \"\")'",
        "python3 -c \"open('.cl'+'aude/set'+'tings.json','w')\"",
        "python3 -c \"open('\\x2eclaude/settings.json','w')\"",
        "python3 -c \"import shutil; shutil.rmtree('.claude')\"",
        "awk 'BEGIN { print > (ENVIRON[\"HOME\"] \"/.claude/settings.json\") }'",
        "sqlite3 x '.output .claude/settings.json'",
        "vim -es -c 'w! .claude/settings.json' x",
        "jq . ~/.claude/settings.json > x && mv x ~/.claude/settings.json",
        "git config --file ~/.claude/settings.json a.b c",
        "git config -f .claude/settings.json --unset a.b",
        "git checkout -- .claude/settings.json",
        "docker run -v ~/.claude:/x alpine sh -c 'rm /x/settings.json'",
        &format!("python3 -c \"open('{program}','w')\""),
        &format!("node -e \"fs.copyFileSync('x', '{program}')\""),
    ] {
        is_own(&home, line);
    }
    for line in [
        "python3 -c \"open('.claude/skills/a.md','w')\"",
        "python3 -c \"open('settings.json','w')\"",
        "npm test && cat .claude/settings.json",
        "git commit -m 'change .claude/settings.json' && npm test",
        "find .claude -name '*.md' -exec cat {} \\;",
        "find .claude -name '*.md' | xargs wc -l",
        "python3 -c 'import sayso'",
    ] {
        is_not_own(&home, line);
    }
}
