//! `sayso install` offers the agent's own rules: told after the change, shown before they are written, and never looser than what was there.

use std::fs;
use std::path::PathBuf;

use super::Home;
use crate::at_terminal::{Typed, at_terminal};
use crate::program::run;

const SETTINGS: &str = r#"{"permissions": {"defaultMode": "acceptEdits", "allow": ["Bash(cargo test *)", "Bash(make deploy)", "Bash(npm run build)", "Read(/etc/hosts)", "Bash(rm -rf *)"], "ask": ["Bash(git push *)"], "deny": ["Bash(cargo publish *)", "Read(./private/**)"]}}"#;

fn imported(home: &Home, agent: &str) -> PathBuf {
    home.scene
        .config()
        .join(format!("policy.d/imported-{agent}.yaml"))
}

fn verdict(home: &Home, agent: &str, command: &str) -> i32 {
    run(
        home.scene
            .program()
            .args(["check", "--agent", agent, command]),
        b"",
    )
    .code
}

#[test]
fn rules_are_told_and_never_brought_along_unasked() {
    let home = Home::with_claude(SETTINGS);
    let done = home.install(&["claude"]).is(0, "install");
    assert!(
        done.out.contains("Claude Code has rules of its own")
            && done.out.contains("sayso policy import --from claude "),
        "{}",
        done.out
    );
    assert!(
        !imported(&home, "claude").exists(),
        "`--yes` is to the hook"
    );
    let json = home
        .run(&["install", "claude", "--anyway", "--dry-run", "--json"])
        .is(0, "json");
    assert!(json.out.contains("has rules of its own"), "{}", json.out);
    let quiet = home.install(&["claude", "--no-import"]).is(0, "install");
    assert!(!quiet.out.contains("rules of its own"), "{}", quiet.out);
    // Without rules nothing is said.
    let other = Home::with_claude("{\"permissions\": {\"allow\": []}}\n")
        .install(&["claude"])
        .is(0, "install");
    assert!(!other.out.contains("rules of its own"), "{}", other.out);
    for words in [
        &["--import", "--no-import"][..],
        &["--import", "--dry-run"],
        &["--import", "--json"],
    ] {
        home.run(&[&["install", "claude", "--anyway"], words].concat())
            .is(2, "both");
    }
}

#[test]
fn at_a_terminal_it_is_asked_and_shown_first() {
    for (first, second, written) in [
        ("n\n", None, false),
        ("y\n", Some("n\n"), false),
        ("y\n", Some("\n"), false),
        ("y\n", Some("y\n"), true),
    ] {
        let home = Home::with_claude(SETTINGS);
        let mut typed = vec![
            Typed::At("change this? [y/N] ", "y\n"),
            Typed::At("shown first [y/N] ", first),
        ];
        typed.extend(second.map(|answer| Typed::At("imported-claude.yaml? [y/N] ", answer)));
        let seen = at_terminal(&home.scene, &["install", "claude", "--anyway"], 200, &typed);
        assert_eq!(
            (seen.code, imported(&home, "claude").exists()),
            (0, written),
            "{}",
            seen.text
        );
        if second.is_some() {
            let (policy, report) = (
                seen.text.find("allow: {command: \"cargo test *\"}"),
                seen.text.find("left out"),
            );
            assert!(
                policy.is_some()
                    && report.is_some()
                    && report < seen.text.find("imported-claude.yaml? [y/N]"),
                "{}",
                seen.text
            );
        }
    }
    // Somebody who does not want the hook is not asked about rules.
    let home = Home::with_claude(SETTINGS);
    let seen = at_terminal(
        &home.scene,
        &["install", "claude", "--anyway"],
        200,
        &[Typed::At("change this? [y/N] ", "n\n")],
    );
    assert!(
        seen.code == 20 && !seen.text.contains("bring the rules"),
        "{}",
        seen.text
    );
}

#[test]
fn what_is_brought_along_loosens_nothing_that_was_said() {
    let home = Home::with_claude(SETTINGS);
    home.scene
        .user_policy("version: 1\nmode: confirm-all\nrules:\n  - {deny: {command: 'make deploy'}}\n  - {ask: {command: 'npm run *'}}\n");
    let commands = [
        "cargo test -p x",
        "make deploy",
        "npm run build",
        "git push",
        "cargo publish",
        "rm -rf src",
        "cat private/a",
        "make",
        "ls",
        "cat /etc/hosts",
    ];
    let all = |agent: &str| commands.map(|command| verdict(&home, agent, command));
    let (before, others) = (all("claude"), all("codex"));
    home.install(&["claude", "--import"]).is(0, "import");
    let text = fs::read_to_string(imported(&home, "claude")).unwrap();
    assert!(
        !text.contains("mode:") && text.contains("when: {agent: \"claude\"}"),
        "{text}"
    );
    assert_eq!(all("codex"), others, "another agent has what it had");
    let after = all("claude");
    for ((command, before), after) in commands.iter().zip(before).zip(after) {
        let (allow, ask, deny) = (0, 10, 20);
        match *command {
            // The one thing that nothing else speaks of.
            "cargo test -p x" => assert_eq!((before, after), (ask, allow)),
            "cargo publish" | "cat private/a" => assert_eq!(after, deny, "{command}"),
            "make deploy" => assert_eq!(after, deny, "{command}"),
            _ => assert!(after >= before, "{command}: {before} became {after}"),
        }
    }
    // The mode is still the person's own.
    let shown = run(home.scene.program().args(["policy", "show"]), b"")
        .is(0, "show")
        .out;
    assert!(
        shown
            .lines()
            .any(|line| line.starts_with("mode ") && line.contains("confirm-all")),
        "{shown}"
    );
    let reader = sayso_store::read::Reader::open(&home.scene.state()).unwrap();
    assert!(
        reader
            .forwards()
            .unwrap()
            .map(|entry| entry.unwrap().text)
            .any(|text| text.contains("\"imported\"") && text.contains("imported-claude.yaml"))
    );
    // Again changes nothing, and a new rule of the agent's does.
    let again = home.install(&["claude", "--import"]).is(0, "again");
    assert!(again.out.contains("just so"), "{}", again.out);
    fs::write(
        home.claude(),
        SETTINGS.replace("Bash(cargo test *)", "Bash(cargo check *)"),
    )
    .unwrap();
    home.install(&["claude", "--import"]).is(0, "anew");
    assert_eq!(
        verdict(&home, "claude", "cargo test -p x"),
        10,
        "what the agent does not allow any more is asked again"
    );
    fs::remove_file(imported(&home, "claude")).unwrap();
    assert_eq!(verdict(&home, "claude", "cargo publish"), 10);
}

#[test]
fn rules_of_codex_come_along_too_and_bad_ones_do_not() {
    let home = Home::new();
    let rules = home.scene.home.join(".codex/rules/default.rules");
    crate::scene::put(
        &rules,
        "prefix_rule(pattern = [\"cargo\", \"test\"], decision = \"allow\")\nprefix_rule(pattern = [\"git\", \"push\"], decision = \"forbidden\")\n",
    );
    home.install(&["codex", "--import"]).is(0, "import");
    assert_eq!(
        (
            verdict(&home, "codex", "cargo test"),
            verdict(&home, "codex", "git push"),
            verdict(&home, "claude", "git push")
        ),
        (0, 20, 10)
    );
    let broken = Home::with_claude("{\"permissions\": {\"allow\": [\"Bash(ls)\"]}}");
    // The file that sayso owns is nobody's to take over.
    let file = imported(&broken, "claude");
    fs::create_dir_all(&file).unwrap();
    let refused = broken.install(&["claude", "--import"]);
    assert!(
        refused.code == 2 && refused.err.contains("cannot write"),
        "{} {}",
        refused.out,
        refused.err
    );
    assert_eq!(
        fs::read_dir(file.parent().unwrap()).unwrap().count(),
        1,
        "nothing is left behind"
    );
}

#[test]
fn names_in_rules_move_no_screen() {
    let home = Home::with_claude(
        "{\"permissions\": {\"allow\": [\"Bash(echo \\u001b[2J\\u202e *)\", \"Bash(ls | \\u001b[31mwc)\"]}}",
    );
    let done = home.install(&["claude", "--import"]);
    assert!(
        !done.out.contains('\u{1b}')
            && !done.out.contains('\u{202e}')
            && !done.err.contains('\u{1b}'),
        "{} {}",
        done.out,
        done.err
    );
}
