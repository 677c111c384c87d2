//! Commands that are handed to `sayso exec`: what was judged is what runs, once.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{answered, before, command, decided, event};
use crate::desk::Desk;
use crate::exec::words;
use crate::scene::PATH;

/// What the agent is told to run instead.
#[track_caller]
fn rewritten(desk: &Desk, agent: &str, input: Value) -> Value {
    let said = answered(desk, agent, &before(desk, "Bash", input));
    assert_eq!(said["permissionDecision"], "allow", "{said}");
    said["updatedInput"].clone()
}

/// Runs a command as an agent does.
pub fn shell(desk: &Desk, line: &Value) -> Output {
    let mut bash = Command::new("bash");
    bash.env_clear()
        .env("PATH", PATH)
        .env("HOME", &desk.scene.home);
    bash.env("XDG_CONFIG_HOME", desk.scene.home.join(".config"))
        .env("XDG_STATE_HOME", desk.scene.home.join(".local/state"));
    bash.arg("-c")
        .arg(line.as_str().unwrap())
        .current_dir(&desk.scene.workspace)
        .output()
        .unwrap()
}

fn always(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::with(files);
    desk.scene.user_policy(
        "version: 1\nhooks: {exec: always}\nrules:\n  - allow: {command: \"bash -c *\"}\n",
    );
    desk
}

#[test]
fn the_command_runs_once_with_its_output_and_its_status() {
    let desk = always(&[("a.txt", "one\n")]);
    for agent in ["claude", "codex"] {
        let given = json!({"command": "cat a.txt", "description": "look", "timeout": 5000, "run_in_background": false});
        let given = if agent == "claude" {
            given
        } else {
            json!({"command": "cat a.txt"})
        };
        let mut expected = given.clone();
        let input = rewritten(&desk, agent, given);
        expected["command"] = input["command"].clone();
        assert_eq!(input, expected, "everything else stays");
        let done = shell(&desk, &input["command"]);
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(0), &b"one\n"[..]),
            "{}",
            words(&done)
        );
        let again = shell(&desk, &input["command"]);
        assert_eq!(
            (again.status.code(), again.stdout.as_slice()),
            (Some(20), &b""[..])
        );
        // What came of it is written down once, by the one who ran it.
        answered(&desk, agent, &event(&desk, "PostToolUse", "Bash", input));
    }
    assert_eq!(desk.entries("finished").len(), 2);
    let failing = rewritten(&desk, "claude", json!({"command": "cat missing.txt"}));
    assert_eq!(shell(&desk, &failing["command"]).status.code(), Some(1));
}

#[test]
fn the_agents_own_dialog_for_it_is_left_alone() {
    let desk = always(&[("a.txt", "one\n")]);
    let input = rewritten(&desk, "claude", json!({"command": "cat a.txt"}));
    for agent in ["claude", "codex"] {
        let asked = event(&desk, "PermissionRequest", "Bash", input.clone());
        assert!(answered(&desk, agent, &asked).is_null());
    }
    // Anything that only looks like it is what it is: an agent that runs sayso.
    let line = input["command"].as_str().unwrap();
    for other in [
        format!("{line} "),
        format!("true; {line}"),
        line.replace(" exec ", "  exec "),
    ] {
        let asked = event(
            &desk,
            "PermissionRequest",
            "Bash",
            json!({"command": other}),
        );
        assert_eq!(
            answered(&desk, "claude", &asked)["decision"]["behavior"],
            "deny",
            "{other}"
        );
    }
    // And no agent may call for it by itself.
    assert_eq!(command(&desk, line), "deny");
}

#[test]
fn what_is_allowed_by_itself_is_left_to_the_agent() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    for input in [
        json!({"command": "cat a.txt"}),
        json!({"command": "cat a.txt", "run_in_background": true}),
    ] {
        assert!(answered(&desk, "claude", &before(&desk, "Bash", input))["updatedInput"].is_null());
    }
}

#[test]
fn a_command_that_needs_a_sandbox_is_not_run_without_one() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene
        .user_policy("version: 1\nhooks: {exec: never}\nsandbox: {require: true}\n");
    for agent in ["claude", "codex"] {
        let said = answered(
            &desk,
            agent,
            &before(&desk, "Bash", json!({"command": "cat a.txt"})),
        );
        super::is_denied(&said, "sandbox");
    }
}

#[test]
fn a_command_that_a_sandbox_bounds_runs_in_it() {
    let desk = Desk::with(&[(
        "build.sh",
        "echo in > made\necho out > \"$HOME/outside\"\nexit 5\n",
    )]);
    if !crate::sandbox::works("commands of agents in a sandbox") {
        return;
    }
    desk.scene
        .user_policy("version: 1\nsandbox: {auto_allow: run-in-workspace}\n");
    for agent in ["claude", "codex"] {
        let input = rewritten(&desk, agent, json!({"command": "sh build.sh"}));
        let done = shell(&desk, &input["command"]);
        assert_eq!(
            (done.status.code(), desk.text("made").as_deref()),
            (Some(5), Some("in\n")),
            "{}",
            words(&done)
        );
        assert!(
            !desk.scene.home.join("outside").exists(),
            "the sandbox holds: {}",
            words(&done)
        );
    }
    // And where nobody may run it so, it is asked about.
    desk.scene
        .user_policy("version: 1\nhooks: {exec: never}\nsandbox: {auto_allow: run-in-workspace}\n");
    assert_eq!(
        decided(&desk, "claude", "Bash", json!({"command": "sh build.sh"})).0,
        "ask"
    );
}

/// What the agent asks about instead, with the reason it shows.
#[track_caller]
fn asked(desk: &Desk, input: Value) -> Value {
    let said = answered(desk, "claude", &before(desk, "Bash", input));
    assert_eq!(said["permissionDecision"], "ask", "{said}");
    said
}

#[test]
fn a_command_that_is_asked_about_is_shown_in_full_and_runs_as_it_was_shown() {
    let desk = Desk::with(&[("build.sh", "echo built\nexit 3\n")]);
    let said = asked(
        &desk,
        json!({"command": "sh build.sh", "description": "build", "timeout": 5000}),
    );
    let line = said["updatedInput"]["command"].as_str().unwrap().to_owned();
    assert!(
        line.starts_with("# sh build.sh\n") && line.contains(" exec "),
        "finding W-09: {line}"
    );
    assert_eq!(
        (
            &said["updatedInput"]["description"],
            &said["updatedInput"]["timeout"]
        ),
        (&json!("build"), &json!(5000))
    );
    assert!(
        said["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .contains("exactly what stands behind `#`"),
        "{said}"
    );
    // The dialog asks for it, and nobody answers in its place.
    let input = said["updatedInput"].clone();
    assert!(
        answered(
            &desk,
            "claude",
            &event(&desk, "PermissionRequest", "Bash", input.clone())
        )
        .is_null()
    );
    assert_eq!(
        (desk.entries("asked").len(), desk.entries("decided").len()),
        (1, 0),
        "nobody said yes yet"
    );
    // The person says yes, and the agent runs it.
    let done = shell(&desk, &input["command"]);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(3), &b"built\n"[..]),
        "{}",
        words(&done)
    );
    answered(
        &desk,
        "claude",
        &event(&desk, "PostToolUse", "Bash", input.clone()),
    );
    let decided = desk.entries("decided");
    assert_eq!(
        (decided.len(), &decided[0]["outcome"], &decided[0]["by"]),
        (1, &json!("approved"), &json!("the dialog of Claude Code"))
    );
    assert_eq!(
        (
            desk.entries("resumed").len(),
            desk.entries("finished").len()
        ),
        (1, 1)
    );
    // Once.
    assert_eq!(shell(&desk, &input["command"]).status.code(), Some(20));
}

#[test]
fn what_is_shown_beside_it_is_comments_whatever_the_command_holds() {
    let desk = Desk::with(&[]);
    for text in [
        "make 'it'\"s",
        "make all\nmake install # and more\n\n\ntouch here",
        "make \\\n  all",
        "make \u{202e}all",
        "make <<X\ntouch here\nX",
        "make all\n",
        "make\tall `touch here` $(touch here) !! ~",
        "make $'a\\n' ;\u{85}touch here\u{2028}touch here",
    ] {
        let said = answered(
            &desk,
            "claude",
            &before(&desk, "Bash", json!({"command": text})),
        );
        if said["permissionDecision"] == "deny" {
            continue;
        }
        let line = said["updatedInput"]["command"].as_str().unwrap();
        let (comments, own) = line.rsplit_once('\n').unwrap();
        assert!(
            comments.split('\n').all(|line| line.starts_with('#')),
            "{line}"
        );
        assert!(
            !line.contains(['\u{202e}', '\u{85}', '\u{2028}', '\r']),
            "{line}"
        );
        // A shell runs one thing of it. Here that cannot be found.
        let own = own.trim().split(' ').next().unwrap();
        let harmless = line.replacen(own, "false", 1);
        for program in ["bash", "sh"] {
            let mut shell = Command::new(program);
            let done = shell
                .arg("-c")
                .arg(&harmless)
                .current_dir(&desk.scene.workspace)
                .output()
                .unwrap();
            assert_eq!(
                (done.status.code(), done.stderr.as_slice()),
                (Some(1), &b""[..]),
                "{harmless}"
            );
        }
        assert!(desk.text("here").is_none(), "{line}");
        // And it is known for what it is.
        let shown = event(
            &desk,
            "PermissionRequest",
            "Bash",
            said["updatedInput"].clone(),
        );
        assert!(answered(&desk, "claude", &shown).is_null(), "{line}");
    }
}

#[test]
fn a_yes_is_for_what_was_shown() {
    let desk = Desk::with(&[("build.sh", "echo built\n")]);
    let said = asked(&desk, json!({"command": "sh build.sh"}));
    desk.scene.file("build.sh", "echo other\n");
    let done = shell(&desk, &said["updatedInput"]["command"]);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(20), &b""[..]),
        "{}",
        words(&done)
    );
    let said = asked(&desk, json!({"command": "sh build.sh"}));
    desk.scene
        .user_policy("version: 1\nrules:\n  - deny: {command: \"sh *\"}\n");
    assert_eq!(
        shell(&desk, &said["updatedInput"]["command"]).status.code(),
        Some(20)
    );
    assert!(
        desk.entries("decided")
            .iter()
            .all(|entry| entry["outcome"] != "approved")
    );
}

#[test]
fn no_agent_runs_what_a_dialog_asks_about_by_itself() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    // Not even where everything else is allowed.
    desk.scene.user_policy(
        "version: 1\nrules:\n  - allow: {command: \"*\"}\n  - ask: {command: \"make *\"}\n",
    );
    let line = asked(&desk, json!({"command": "make all"}))["updatedInput"]["command"]
        .as_str()
        .unwrap()
        .to_owned();
    let own = line.rsplit('\n').next().unwrap();
    let id = own.rsplit(' ').next().unwrap();
    for other in [
        line.clone(),
        own.to_owned(),
        format!("sayso exec {id}"),
        format!("env sayso exec {id}"),
        format!("env -i A=b {own}"),
        format!("nice -n 5 sayso exec {id}"),
        format!("bash -c 'sayso exec {id}'"),
        format!("bash -lc \"{own}\""),
        format!("echo $({own})"),
        format!("echo `sayso exec {id}`"),
        format!("cat <(sayso exec {id})"),
        format!("true && sayso exec {id}"),
        format!("true | xargs sayso exec {id}"),
        format!("find . -exec sayso exec {id} \\;"),
        format!("timeout 5 sayso exec {id}"),
        format!("sayso 'exec' {id}"),
        format!("s=sayso; $s exec {id}"),
        format!("say''so exec {id}"),
        format!("eval sayso exec {id}"),
        format!("(exec sayso exec {id})"),
        format!("command sayso exec {id}"),
        format!("ln -s {} x", own.split(' ').next().unwrap()),
    ] {
        assert_ne!(command(&desk, &other), "allow", "{other}");
    }
    // By another name it is the same program.
    let program = own.split(' ').next().unwrap();
    std::os::unix::fs::symlink(program, desk.scene.workspace.join("x")).unwrap();
    for words in [
        format!("./x exec {id}"),
        format!("env ./x exec {id}"),
        "./x rules add x".to_owned(),
        "bash -c './x run'".to_owned(),
    ] {
        assert_eq!(command(&desk, &words), "deny", "{words}");
    }
    match std::fs::hard_link(program, desk.scene.workspace.join("y")) {
        Ok(()) => assert_eq!(command(&desk, &format!("./y exec {id}")), "deny"),
        Err(error) => {
            eprintln!("NOT CHECKED: sayso by a second name, which cannot be made here: {error}")
        }
    }
}

#[test]
fn rules_of_claude_itself_are_left_to_say_no() {
    let desk = Desk::with(&[(
        ".claude/settings.json",
        "{\"permissions\": {\"deny\": [\"Bash(make install*)\"]}}",
    )]);
    let said = asked(&desk, json!({"command": "make all"}));
    assert!(
        said["updatedInput"].is_null(),
        "it would not see what runs: {said}"
    );
    desk.scene
        .user_policy("version: 1\nhooks: {exec: always}\n");
    assert!(!asked(&desk, json!({"command": "make all"}))["updatedInput"].is_null());
    desk.scene.user_policy("version: 1\nhooks: {exec: never}\n");
    assert!(asked(&desk, json!({"command": "make all"}))["updatedInput"].is_null());
}

#[test]
fn finding_d_09_what_the_dialog_refused_is_given_up_with_the_next_call() {
    let desk = Desk::with(&[("build.sh", "echo built\n"), ("a.txt", "one\n")]);
    let next = |id: &str, line: &str| {
        let mut payload = before(&desk, "Bash", json!({"command": line}));
        payload["tool_use_id"] = json!(id);
        answered(&desk, "claude", &payload)
    };
    let refused = next("toolu_a", "sh build.sh")["updatedInput"]["command"].clone();
    // Another one that the model wants at the same time: both dialogs may be open.
    let other = next("toolu_b", "sh build.sh")["updatedInput"]["command"].clone();
    let done = shell(&desk, &other);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(0), &b"built\n"[..]),
        "{}",
        words(&done)
    );
    std::thread::sleep(std::time::Duration::from_millis(2100));
    // The person said no, and the agent goes on within the same turn.
    assert_eq!(next("toolu_c", "cat a.txt")["permissionDecision"], "allow");
    for _ in 0..2 {
        let done = shell(&desk, &refused);
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(20), &b""[..]),
            "{}",
            words(&done)
        );
        assert!(words(&done).contains("was given up"), "{}", words(&done));
    }
    let cancelled: Vec<Value> = desk
        .entries("decided")
        .into_iter()
        .filter(|entry| entry["outcome"] == "cancelled")
        .collect();
    assert_eq!(cancelled.len(), 1, "{cancelled:?}");
    assert_eq!(cancelled[0]["call"], "toolu_a");
}

#[test]
fn finding_d_09_a_dialog_of_somebody_else_stays_open() {
    let desk = Desk::with(&[("build.sh", "echo built\n"), ("a.txt", "one\n")]);
    let next = |id: &str, session: &str, sub: bool, line: &str| {
        let mut payload = before(&desk, "Bash", json!({"command": line}));
        payload["tool_use_id"] = json!(id);
        payload["session_id"] = json!(session);
        if sub {
            payload["agent_id"] = json!("a1");
            payload["agent_type"] = json!("builder");
        }
        answered(&desk, "claude", &payload)
    };
    let asked = |id: &str, session: &str, sub: bool| {
        next(id, session, sub, "sh build.sh")["updatedInput"]["command"].clone()
    };
    // Another session, a sub-agent while its parent works, and the parent while a sub-agent does.
    let open = [
        asked("toolu_a", "one", false),
        asked("toolu_b", "two", true),
        asked("toolu_c", "three", false),
    ];
    std::thread::sleep(std::time::Duration::from_millis(2100));
    next("toolu_d", "four", false, "cat a.txt");
    next("toolu_e", "two", false, "cat a.txt");
    next("toolu_f", "three", true, "cat a.txt");
    for line in open {
        let done = shell(&desk, &line);
        assert_eq!(done.stdout, b"built\n", "{}", words(&done));
    }
}
