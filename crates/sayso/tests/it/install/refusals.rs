//! What stands against an installation: bad files, files of others, a program that an agent could replace. Nothing is changed then.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use sayso_agents::install;
use sayso_agents::install::{Around, program};
use sayso_agents::{Scope, Which};

use super::{Home, commands, own, wish};
use crate::program::run;
use crate::scene::put;

#[test]
fn what_claude_code_would_not_read_is_not_touched() {
    let rows: [(&[u8], &str); 18] = [
        (b"{\"a\": 1", "settings.json:1:8: error"),
        (b"{\n  // mine\n  \"a\": 1\n}", "settings.json:2:3: error"),
        (b"{\"a\": 1,}", "settings.json:1:8: error"),
        (b"{\"a\": 1, \"a\": 2}", "settings.json:1:10: error"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"{} {}", "settings.json:1:4: error"),
        (b"[]", "the whole file"),
        (b"null", "the whole file"),
        (b"\"text\"", "the whole file"),
        (b"{\"hooks\": []}", "`hooks` is a list, not a map"),
        (b"{\"hooks\": null}", "`hooks` is nothing, not a map"),
        (
            b"{\"hooks\": {\"PreToolUse\": {}}}",
            "`hooks.PreToolUse` is a map, not a list",
        ),
        (
            b"{\"hooks\": {\"SessionEnd\": \"x\"}}",
            "`hooks.SessionEnd` is text, not a list",
        ),
        (b"{\"a\": \"\xff\"}", "no UTF-8 text, at byte 8"),
        (b"{\"a\": 01}", "settings.json:1:7: error"),
        (b"{'a': 1}", "settings.json:1:2: error"),
        (b"\0", "error"),
        (b"{\"disableAllHooks\": true}", "`disableAllHooks` is set"),
    ];
    for (bytes, words) in rows {
        let home = Home::new();
        put(&home.claude(), "");
        fs::write(home.claude(), bytes).unwrap();
        let refused = home.install(&["claude"]).is(2, words);
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
        assert_eq!(
            fs::read(home.claude()).unwrap(),
            bytes,
            "nothing was changed"
        );
        assert!(
            !home.scene.state().join("backups").exists()
                || fs::read_dir(home.scene.state().join("changes"))
                    .unwrap()
                    .next()
                    .is_none()
        );
    }
    // Deep and large.
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(300), "]".repeat(300));
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(5 << 20));
    for text in [deep, large] {
        let home = Home::with_claude(&text);
        home.install(&["claude"]).is(2, "deep or large");
        assert_eq!(fs::read_to_string(home.claude()).unwrap(), text);
    }
}

#[test]
fn an_empty_file_counts_as_settings_without_keys() {
    for text in ["", "\n", "  ", "{}", "{ }\n", "{\n}\n"] {
        let home = Home::with_claude(text);
        home.install(&["claude"]).is(0, text);
        assert_eq!(commands(&home.claude(), "PreToolUse"), [own("claude")]);
        home.uninstall(&["claude"]).is(0, text);
        assert_eq!(fs::read_to_string(home.claude()).unwrap(), text);
    }
}

#[test]
fn what_is_no_file_of_the_person_s_own_is_not_touched() {
    let all = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
    let home = Home::with_claude("{}\n");
    all(&home.claude());
    let refused = home.install(&["claude"]).is(2, "others can write it");
    assert!(
        refused.err.contains("others can write") && refused.err.contains("chmod go-w"),
        "{}",
        refused.err
    );

    let home = Home::with_claude("{}\n");
    fs::set_permissions(
        home.claude().parent().unwrap(),
        fs::Permissions::from_mode(0o777),
    )
    .unwrap();
    home.install(&["claude"])
        .is(2, "others can write in its folder");

    // A link that leads to a place where others can write.
    let home = Home::new();
    let shared = home.scene.home.join("shared");
    put(&shared.join("settings.json"), "{}\n");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    fs::create_dir_all(home.claude().parent().unwrap()).unwrap();
    symlink(shared.join("settings.json"), home.claude()).unwrap();
    home.install(&["claude"]).is(2, "a link to a shared folder");
    assert_eq!(
        fs::read_to_string(shared.join("settings.json")).unwrap(),
        "{}\n"
    );

    type Make = fn(&Path);
    let make: [(&str, Make); 4] = [
        ("leads nowhere", |path| symlink("missing", path).unwrap()),
        ("cannot be found", |path| {
            symlink("settings.json", path).unwrap()
        }),
        ("folder", |path| fs::create_dir(path).unwrap()),
        ("pipe", |path| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success())
        }),
    ];
    for (words, make) in make {
        let home = Home::new();
        fs::create_dir_all(home.claude().parent().unwrap()).unwrap();
        make(&home.claude());
        let refused = home.install(&["claude"]).is(2, words);
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    // The folder itself is a file.
    let home = Home::new();
    fs::write(home.scene.home.join(".claude"), "x").unwrap();
    home.install(&["claude"])
        .is(2, "a file in place of the folder");
}

#[test]
fn a_file_of_somebody_else_is_not_touched() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::with_claude("{}\n");
    std::os::unix::fs::chown(home.claude(), Some(12345), None).unwrap();
    let refused = home.install(&["claude"]).is(2, "somebody else's");
    assert!(
        refused.err.contains("belongs to somebody else"),
        "{}",
        refused.err
    );
}

#[test]
fn another_name_of_the_file_is_told_and_parted_from_it() {
    let home = Home::with_claude("{}\n");
    let other = home.scene.workspace.join("innocent.json");
    fs::hard_link(home.claude(), &other).unwrap();
    let done = home.install(&["claude"]).is(0, "install");
    assert!(done.out.contains("has other names, too"), "{}", done.out);
    assert_eq!(
        fs::read_to_string(&other).unwrap(),
        "{}\n",
        "whoever writes there no longer writes settings"
    );
}

#[test]
fn hooks_that_are_switched_off_elsewhere_are_told() {
    for (file, value, refuses) in [
        (
            "etc/claude-code/managed-settings.json",
            "{\"disableAllHooks\": true}",
            true,
        ),
        (
            "etc/claude-code/managed-settings.d/10-x.json",
            "{\"disableAllHooks\": \"yes\"}",
            true,
        ),
        (
            "etc/claude-code/managed-settings.json",
            "{\"allowManagedHooksOnly\": true}",
            true,
        ),
        (
            "etc/claude-code/managed-settings.d/.hidden.json",
            "{\"disableAllHooks\": true}",
            false,
        ),
        (
            "etc/claude-code/managed-settings.json",
            "{\"disableAllHooks\": false, \"allowManagedHooksOnly\": null}",
            false,
        ),
        ("etc/claude-code/managed-settings.json", "broken", false),
    ] {
        let home = Home::new();
        let around = home.around();
        put(&home.scene.home.parent().unwrap().join(file), value);
        let plan = install::install(&around, wish(Which::CLAUDE, Scope::User));
        assert_eq!(plan.is_err(), refuses, "{file} {value}: {plan:?}");
    }
    for name in ["settings.json", "settings.local.json"] {
        let home = Home::new();
        put(
            &home.scene.workspace.join(".claude").join(name),
            "{\"disableAllHooks\": true}",
        );
        let done = home.install(&["claude"]).is(0, name);
        assert!(
            done.out.contains("! `disableAllHooks` is set"),
            "{}",
            done.out
        );
    }
}

#[test]
fn a_program_that_an_agent_could_replace_is_refused() {
    let home = Home::new();
    let refused = home
        .run(&["install", "claude", "--yes"])
        .is(2, "a build's output");
    assert!(
        refused.err.contains("is no good for a hook") && refused.err.contains("--anyway"),
        "{}",
        refused.err
    );
    assert!(!home.claude().exists());

    let around = home.around();
    let place = |path: &Path| {
        put(path, "x");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        Around {
            program: path.to_owned(),
            ..around.clone()
        }
    };
    let here = place(&home.scene.workspace.join("bin/sayso"));
    assert!(
        program::doubt(&here.program, &here).is_some(),
        "in the workspace, and where things do not last"
    );
    // Each mark of a build's output counts alone.
    for mark in ["CACHEDIR.TAG", ".cargo-lock", ".fingerprint"] {
        let place = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
        put(&place.path().join("built").join(mark), "");
        let why = program::built(&place.path().join("built/sayso"))
            .unwrap()
            .to_string();
        assert!(
            why.contains("/built`, which a build replaces"),
            "{mark}: {why}"
        );
    }
    // Nothing helps where others can write it, where it is none, and where it has another name.
    let open = place(&home.scene.home.join("open/sayso"));
    fs::set_permissions(&open.program, fs::Permissions::from_mode(0o777)).unwrap();
    let shared = place(&home.scene.home.join("shared/sayso"));
    fs::set_permissions(
        home.scene.home.join("shared"),
        fs::Permissions::from_mode(0o777),
    )
    .unwrap();
    let named = place(&home.scene.home.join("x/other"));
    let plain = place(&home.scene.home.join("y/sayso"));
    fs::set_permissions(&plain.program, fs::Permissions::from_mode(0o644)).unwrap();
    let gone = Around {
        program: home.scene.home.join("gone/sayso"),
        ..around.clone()
    };
    for around in [open, shared, named, plain, gone] {
        assert!(
            install::install(&around, wish(Which::CLAUDE, Scope::User)).is_err(),
            "{:?}",
            around.program
        );
    }
    // An odd path is quoted, found again, and replaced.
    for folder in [
        "with blank",
        "it's",
        "do$llar",
        "ünï",
        "semi;colon",
        "new\nline",
    ] {
        let odd = place(&home.scene.home.join(folder).join("sayso"));
        let plan = install::install(&odd, wish(Which::CLAUDE, Scope::User)).unwrap();
        let text = plan.edits[0].after.clone().unwrap();
        put(&home.claude(), &text);
        let words = commands(&home.claude(), "PreToolUse");
        let shown = Command::new("sh")
            .args(["-c", &format!("printf '%s|' {}", words[0])])
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(shown.stdout).unwrap(),
            format!("{}|hook|claude|--wait|600|", odd.program.display())
        );
        let other = install::install(&around, wish(Which::CLAUDE, Scope::User)).unwrap();
        put(&home.claude(), other.edits[0].after.as_ref().unwrap());
        assert_eq!(
            commands(&home.claude(), "PreToolUse"),
            [own("claude")],
            "{folder}"
        );
        fs::remove_file(home.claude()).unwrap();
    }
}

#[test]
fn a_file_that_changes_after_it_was_shown_is_left_alone() {
    let home = Home::with_claude("{}\n");
    let around = home.around();
    let plan = install::install(&around, wish(Which::CLAUDE, Scope::User)).unwrap();
    put(&home.claude(), "{\"model\": \"new\"}\n");
    let refused =
        install::carry_out(&around, Which::CLAUDE, Scope::User, &plan, "one", true).unwrap_err();
    assert!(
        refused.lines().contains("nothing was changed"),
        "{}",
        refused.lines()
    );
    assert_eq!(
        fs::read_to_string(home.claude()).unwrap(),
        "{\"model\": \"new\"}\n"
    );
    // Somebody made it meanwhile.
    let home = Home::new();
    let around = home.around();
    let plan = install::install(&around, wish(Which::CLAUDE, Scope::User)).unwrap();
    put(&home.claude(), "mine");
    install::carry_out(&around, Which::CLAUDE, Scope::User, &plan, "one", true).unwrap_err();
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), "mine");
}

#[test]
fn of_two_files_none_is_changed_if_one_cannot_be() {
    let home = Home::new();
    put(&home.config(), "model = \"x\"\n");
    let around = home.around();
    let plan = install::install(
        &around,
        install::Wish {
            trust: true,
            ..wish(Which::CODEX, Scope::User)
        },
    )
    .unwrap();
    assert_eq!(plan.edits.len(), 2);
    put(&home.config(), "model = \"y\"\n");
    install::carry_out(&around, Which::CODEX, Scope::User, &plan, "one", true).unwrap_err();
    assert!(!home.codex().exists());
    assert_eq!(
        fs::read_to_string(home.config()).unwrap(),
        "model = \"y\"\n"
    );
}

#[test]
fn many_at_once_put_in_one_hook() {
    let home = Home::with_claude("{\n  \"model\": \"x\"\n}\n");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let done = home.install(&["claude"]);
                assert!([0, 2].contains(&done.code), "{done:?}");
            });
        }
    });
    home.install(&["claude"]).is(0, "at last");
    assert_eq!(commands(&home.claude(), "PreToolUse"), [own("claude")]);
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(
        fs::read_to_string(home.claude()).unwrap(),
        "{\n  \"model\": \"x\"\n}\n"
    );
}

#[test]
fn a_state_folder_that_cannot_be_relied_on_stops_it() {
    let home = Home::with_claude("{}\n");
    fs::create_dir_all(home.scene.state()).unwrap();
    fs::set_permissions(home.scene.state(), fs::Permissions::from_mode(0o777)).unwrap();
    home.install(&["claude"])
        .is(2, "others can write the record");
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), "{}\n");
    // A record that says something else is no harm: what is ours is found by itself.
    let home = Home::with_claude("{\"model\": \"x\"}");
    home.install(&["claude"]).is(0, "install");
    let folder = home.scene.state().join("installed");
    for entry in fs::read_dir(&folder).unwrap() {
        fs::write(entry.unwrap().path(), "{\"files\": 3, \"takeover\": [1]}").unwrap();
    }
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(
        fs::read_to_string(home.claude()).unwrap(),
        "{\"model\": \"x\"}"
    );
}

#[test]
fn words_that_make_no_sense_are_refused() {
    let home = Home::new();
    for words in [
        &["install"][..],
        &["install", "gemini"],
        &["install", "claude", "--user", "--project"],
        &["install", "claude", "--managed", "--user"],
        &["install", "claude", "--dry-run", "--yes"],
        &["install", "claude", "--trust", "--anyway", "--yes"],
        &["install", "claude", "--json", "--anyway"],
        &["uninstall", "claude", "--takeover"],
        &["uninstall", "claude", "--project", "--managed"],
        &["install", "claude", "-C", "missing", "--project"],
    ] {
        home.run(words).is(2, &words.join(" "));
    }
    assert!(!home.claude().exists());
    let mut program = home.scene.program();
    program
        .env_remove("HOME")
        .args(["install", "claude", "--anyway", "--yes"]);
    run(&mut program, b"").is(2, "no home");
}

#[test]
fn a_project_leads_nowhere_else() {
    let home = Home::with_claude("{}\n");
    fs::create_dir_all(home.scene.workspace.join(".claude")).unwrap();
    symlink(
        home.claude(),
        home.scene.workspace.join(".claude/settings.local.json"),
    )
    .unwrap();
    symlink(&home.scene.home, home.scene.workspace.join(".codex")).unwrap();
    for agent in ["claude", "codex"] {
        let refused = home.install(&[agent, "--project"]).is(2, agent);
        assert!(
            refused.err.contains("leads out of the project"),
            "{}",
            refused.err
        );
    }
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), "{}\n");
    assert!(!home.scene.home.join("hooks.json").exists());
}

#[test]
fn a_variable_that_leads_elsewhere_each_time_is_refused() {
    for (name, agent) in [("CLAUDE_CONFIG_DIR", "claude"), ("CODEX_HOME", "codex")] {
        let home = Home::new();
        let mut program = home.scene.program();
        program
            .env(name, "here")
            .args(["install", agent, "--anyway", "--yes"]);
        let refused = run(&mut program, b"").is(2, name);
        assert!(refused.err.contains(name), "{}", refused.err);
        let mut program = home.scene.program();
        program
            .env(name, "")
            .args(["install", agent, "--anyway", "--yes"]);
        run(&mut program, b"").is(0, "an empty one is none");
    }
}

#[test]
fn whoever_is_killed_leaves_the_file_whole() {
    let home = Home::with_claude("{\n  \"model\": \"x\"\n}\n");
    let before = fs::read_to_string(home.claude()).unwrap();
    home.install(&["claude"]).is(0, "install");
    let after = fs::read_to_string(home.claude()).unwrap();
    home.uninstall(&["claude"]).is(0, "uninstall");
    for round in 0..40 {
        let (verb, flags): (&str, &[&str]) = if round % 2 == 0 {
            ("install", &["--anyway"])
        } else {
            ("uninstall", &[])
        };
        let mut program = home.scene.program();
        program
            .args([verb, "claude", "--yes"])
            .args(flags)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        let mut child = program.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(round * 2));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = fs::read_to_string(home.claude()).unwrap();
        assert!(now == before || now == after, "{now}");
    }
    home.install(&["claude"]).is(0, "install");
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), after);
    home.uninstall(&["claude"]).is(0, "uninstall");
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), before);
    let left: Vec<_> = fs::read_dir(home.claude().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["settings.json"], "nothing half done is left");
    home.run(&["audit", "verify"]).is(0, "verify");
}

#[test]
fn an_agent_cannot_do_it() {
    let home = Home::new();
    let sayso = env!("CARGO_BIN_EXE_sayso");
    for command in [
        format!("{sayso} install claude --yes --anyway"),
        format!("{sayso} uninstall claude --yes"),
        format!("{sayso} uninstall codex --managed --yes"),
        format!("env A=1 {sayso} uninstall claude --yes"),
        format!("bash -c '{sayso} uninstall claude --yes'"),
        "sayso uninstall claude --yes".to_owned(),
    ] {
        for agent in ["claude", "codex"] {
            let payload = serde_json::json!({"session_id": "s", "cwd": home.scene.folder(), "hook_event_name": "PreToolUse",
                "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"});
            let start = serde_json::json!({"session_id": "s", "cwd": home.scene.folder(), "hook_event_name": "SessionStart", "source": "startup"});
            let hook = |payload: &serde_json::Value| {
                let mut program = home.scene.program();
                program
                    .env("CLAUDE_PROJECT_DIR", home.scene.folder())
                    .args(["hook", agent]);
                run(&mut program, payload.to_string().as_bytes())
            };
            hook(&start);
            let said = hook(&payload);
            assert!(said.out.contains("\"deny\""), "{agent} {command}: {said:?}");
        }
    }
}
