//! How long a hook takes, from the start of its process to its end, against `/bin/true` in the same run: with a policy of 200 rules, and its
//! entry in the record.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a bench fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 400;
const RULES: usize = 200;

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(scratch.path()).unwrap().join("home");
    let workspace = home.join("ws");
    let config = home.join(".config/sayso");
    for folder in [&workspace, &config] {
        fs::create_dir_all(folder).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let rules: String = (0..RULES).map(|number| format!("  - allow: {{command: \"tool{number} build *\"}}\n")).collect();
    fs::write(config.join("policy.yaml"), format!("version: 1\nrules:\n{rules}")).unwrap();
    fs::write(workspace.join("a.txt"), "one\n").unwrap();
    let started = format!("{{\"session_id\":\"s\",\"cwd\":\"{}\",\"hook_event_name\":\"SessionStart\"}}", workspace.display());
    time(Command::new(env!("CARGO_BIN_EXE_sayso")).args(["hook", "codex"]), &home, &workspace, &started);
    println!("start to end of a process, median and 95th of {RUNS}, {RULES} rules");
    let line = |name: &str, times: &mut Vec<Duration>, over: Option<Duration>| {
        times.sort_unstable();
        let (median, high) = (times[times.len() / 2], times[times.len() * 95 / 100]);
        let over = over.map_or(String::new(), |base| format!("   {:+.0} µs", (median.as_secs_f64() - base.as_secs_f64()) * 1e6));
        println!("{name:<44} {:>7.0} µs {:>7.0} µs{over}", median.as_secs_f64() * 1e6, high.as_secs_f64() * 1e6);
        median
    };
    let calls = [
        ("claude, `cat a.txt`, allowed", "claude", "Bash", "{\"command\":\"cat a.txt\"}".to_owned()),
        ("codex, `cat a.txt`, allowed", "codex", "Bash", "{\"command\":\"cat a.txt\"}".to_owned()),
        ("claude, Read, allowed", "claude", "Read", format!("{{\"file_path\":\"{}/a.txt\"}}", workspace.display())),
        ("claude, `rm -rf /`, denied and on disk", "claude", "Bash", "{\"command\":\"rm -rf /\"}".to_owned()),
    ];
    for (name, agent, tool, input) in calls {
        let payload = format!(
            "{{\"session_id\":\"s\",\"cwd\":\"{}\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"{tool}\",\"tool_input\":{input},\"tool_use_id\":\"t\"}}",
            workspace.display()
        );
        let hook = || time(Command::new(env!("CARGO_BIN_EXE_sayso")).args(["hook", agent]), &home, &workspace, &payload);
        let base = || time(&mut Command::new("/bin/true"), &home, &workspace, "");
        // The first ones make the record and read the policy, and keep it for the others.
        for _ in 0..4 {
            hook();
        }
        // In turns, so that both see the same machine.
        let (mut bases, mut hooks): (Vec<Duration>, Vec<Duration>) = (0..RUNS).map(|_| (base(), hook())).unzip();
        let base = line("/bin/true", &mut bases, None);
        line(name, &mut hooks, Some(base));
    }
}

fn time(command: &mut Command, home: &Path, workspace: &Path, input: &str) -> Duration {
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home).env("CLAUDE_PROJECT_DIR", workspace).current_dir(workspace);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    // `/bin/true` reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let done = child.wait_with_output().unwrap();
    let taken = start.elapsed();
    assert!(done.status.success());
    taken
}
