//! How long a hook takes, from the start of its process to its end, against `/bin/true` in the same run: with a policy of 200 rules, and its
//! entry in the record; the ordinary build, and the static one where it was built.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench fails by panicking"
)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 400;
const RULES: usize = 200;
/// What the static build is made for, and how.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// A build of the program, with a home of its own: what it keeps for the next call is bound to the program.
struct Build {
    program: PathBuf,
    home: PathBuf,
    budget: Duration,
}

impl Build {
    fn new(program: &Path, home: PathBuf, budget: Duration) -> Build {
        let (workspace, config) = (home.join("ws"), home.join(".config/sayso"));
        for folder in [&workspace, &config] {
            fs::create_dir_all(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let rules: String = (1..RULES)
            .map(|number| format!("  - allow: {{command: \"tool{number} build *\"}}\n"))
            .collect();
        fs::write(
            config.join("policy.yaml"),
            format!("version: 1\nrules:\n  - allow: {{write: \"*.rs\"}}\n{rules}"),
        )
        .unwrap();
        fs::write(workspace.join("a.rs"), "one\n".repeat(100)).unwrap();
        // As it is installed: a linker writes a program here and there, and so it lies in memory in many small pieces; a copy does not.
        let installed = home.join("sayso");
        fs::copy(program, &installed).unwrap();
        let build = Build {
            program: installed,
            home,
            budget,
        };
        build.hook(
            "codex",
            r#"{"session_id":"s","cwd":"{ws}","hook_event_name":"SessionStart","tool_use_id":"t"}"#,
        );
        build
    }

    fn hook(&self, agent: &str, input: &str) -> Duration {
        let input = input.replace("{ws}", &self.home.join("ws").display().to_string());
        time(
            Command::new(&self.program).args(["hook", agent]),
            &self.home,
            &input,
        )
    }
}

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = fs::canonicalize(scratch.path()).unwrap();
    let ordinary = PathBuf::from(env!("CARGO_BIN_EXE_sayso"));
    let beside = ordinary
        .ancestors()
        .nth(2)
        .unwrap()
        .join(STATIC)
        .join("release/sayso");
    let fixed = std::env::var_os("SAYSO_STATIC").map_or(beside, PathBuf::from);
    let mut builds = vec![Build::new(
        &ordinary,
        scratch.join("ordinary"),
        Duration::from_millis(2),
    )];
    if fixed.exists() {
        builds.push(Build::new(
            &fixed,
            scratch.join("static"),
            Duration::from_millis(1),
        ));
    } else {
        println!(
            "no static build at {}; `cargo build --release -p sayso --target {STATIC}` makes it\n",
            fixed.display()
        );
    }
    println!(
        "Start to end of a process, median of {RUNS}, a policy of {RULES} rules; each build in turns with `/bin/true`.\n"
    );
    print!("| call |");
    builds
        .iter()
        .zip([("ordinary", 2), ("static", 1)])
        .for_each(|(_, (name, budget))| {
            print!(" `/bin/true` | {name} | over | over, min | ≤ {budget} ms | × |");
        });
    println!("\n|---|{}", "--:|--:|--:|--:|---|--:|".repeat(builds.len()));
    let parts: Vec<String> = (0..20)
        .map(|number| format!("grep -n {number} a.rs | head -3"))
        .collect();
    let parts = format!("{{\"command\":\"{}\"}}", parts.join(" && "));
    let edit = "{\"file_path\":\"{ws}/a.rs\",\"old_string\":\"x\",\"new_string\":\"y\"}";
    let bash = "{\"command\":\"ls -la\"}";
    let usual = [
        ("Claude Code, `ls -la`, allowed", "claude", "Bash", bash),
        ("Codex, `ls -la`, allowed", "codex", "Bash", bash),
        (
            "Qwen Code, `ls -la`, allowed",
            "qwen",
            "run_shell_command",
            bash,
        ),
        (
            "Claude Code, a file read, allowed",
            "claude",
            "Read",
            "{\"file_path\":\"{ws}/a.rs\"}",
        ),
        (
            "Claude Code, 20 pipelines, allowed",
            "claude",
            "Bash",
            parts.as_str(),
        ),
        (
            "Claude Code, `rm -rf /`, denied, on disk",
            "claude",
            "Bash",
            "{\"command\":\"rm -rf /\"}",
        ),
        (
            "Claude Code, `make all`, asked and held",
            "claude",
            "Bash",
            "{\"command\":\"make all\"}",
        ),
        (
            "Claude Code, an edit, allowed, the file kept",
            "claude",
            "Edit",
            edit,
        ),
    ];
    let usual = usual.map(|(name, agent, tool, input)| {
        let event = |event: &str| {
            format!(
                "{{\"session_id\":\"s\",\"cwd\":\"{{ws}}\",\"hook_event_name\":\"{event}\",\"tool_use_id\":\"t\",\"tool_name\":\"{tool}\",\"tool_input\":{input}}}"
            )
        };
        // What was asked or kept is over before the next one, as with an agent.
        let after = match () {
            () if name.contains("held") => Some(event("Stop")),
            () if name.contains("kept") => Some(event("PostToolUse")),
            () => None,
        };
        (name, agent, event("PreToolUse"), after)
    });
    let own = [
        (
            "Gemini CLI, `ls -la`, allowed",
            "gemini",
            r#"{"session_id":"s","cwd":"{ws}","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls -la"}}"#,
        ),
        (
            "Copilot CLI, `ls -la`, allowed",
            "copilot",
            r#"{"sessionId":"s","timestamp":1794895632002,"cwd":"{ws}","toolName":"bash","toolArgs":{"command":"ls -la"}}"#,
        ),
        (
            "opencode, `ls -la`, allowed",
            "opencode",
            r#"{"event":"before","session":"s","folder":"{ws}","tool":"bash","id":"c","arguments":{"command":"ls -la"},"mcp_servers":[]}"#,
        ),
        (
            "Cline, `ls -la`, allowed",
            "cline",
            r#"{"event":"before","session":"s","folder":"{ws}","tool":"run_commands","id":"c","arguments":{"commands":["ls -la"]}}"#,
        ),
    ];
    let own = own.map(|(name, agent, payload)| (name, agent, payload.to_owned(), None));
    for (name, agent, payload, after) in usual.into_iter().chain(own) {
        let call = |build: &Build| {
            let taken = build.hook(agent, &payload);
            after.iter().for_each(|after| _ = build.hook(agent, after));
            taken
        };
        print!("| {name} |");
        for build in &builds {
            // The first ones make the record and read the policy, and keep it for the others.
            (0..4).for_each(|_| _ = call(build));
            // In turns, so that both see the same machine.
            let (mut bases, mut times): (Vec<_>, Vec<_>) = (0..RUNS)
                .map(|_| {
                    (
                        time(&mut Command::new("/bin/true"), &build.home, ""),
                        call(build),
                    )
                })
                .unzip();
            let ((base, least), (middle, quickest)) = (median(&mut bases), median(&mut times));
            let (over, at_best) = (middle.saturating_sub(base), quickest.saturating_sub(least));
            let word = match build.budget {
                budget if over <= budget => "met",
                budget if at_best <= budget => "met by min",
                _ => "**missed**",
            };
            let times = middle.as_secs_f64() / base.as_secs_f64();
            let [base, all, over, at_best] =
                [base, middle, over, at_best].map(|time| time.as_secs_f64() * 1e3);
            print!(
                " {base:.2} ms | {all:.2} ms | {over:.2} ms | {at_best:.2} ms | {word} | {times:.1} |"
            );
        }
        println!();
    }
}

/// The middle one and the shortest.
fn median(times: &mut [Duration]) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[0])
}

fn time(command: &mut Command, home: &Path, input: &str) -> Duration {
    let workspace = home.join("ws");
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .env("CLAUDE_PROJECT_DIR", &workspace)
        .current_dir(&workspace);
    // What it is to read is there before it starts, and what it says is read when it has ended: nothing but the process is measured.
    let (reading, mut writing) = std::io::pipe().unwrap();
    writing.write_all(input.as_bytes()).unwrap();
    drop(writing);
    command
        .stdin(reading)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let status = child.wait().unwrap();
    let taken = start.elapsed();
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(status.success(), "{status}: {said}");
    taken
}
