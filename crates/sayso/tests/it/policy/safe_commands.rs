//! Entries of `safe_commands` that a person wrote.

use serde_json::json;

use super::{PROFILES, checked, decision, desk, reasons, sayso};

const OWN: &str = "version: 1\nsafe_commands: [touch, mkdir, git add, git fetch, npm install, curl, make, python, cat, find]\n";

/// finding A-04: a person's own entry is honoured like a rule for that command.
#[test]
fn finding_a_04_an_entry_of_ones_own_is_honoured() {
    let desk = desk(
        OWN,
        &[("a.txt", "a\n"), ("x.py", ""), ("Makefile", "all:\n")],
    );
    let commands = [
        "touch b.txt",
        "mkdir q",
        "git add .",
        "git fetch",
        "npm install left-pad",
        "curl https://example.org/",
        "make",
        "python x.py",
        "cat a.txt",
        "find . -name a",
    ];
    for profile in ["sayso", "kollabor-spec"] {
        for command in commands {
            let said = checked(&desk, &["--profile", profile], command);
            assert_eq!(said["decision"], "allow", "{profile}: {command}: {said}");
        }
    }
    let (result, code) = desk.result(
        &["--strict"],
        json!({"tool": "terminal", "args": {"command": "touch b.txt"}}),
    );
    assert_eq!(
        (code, desk.text("b.txt").as_deref()),
        (0, Some("")),
        "{result}"
    );
}

/// finding A-04: an entry covers one simple command and nothing that must be asked, and the question says why it does not count.
#[test]
fn finding_a_04_the_promises_hold_and_the_question_says_why() {
    let desk = desk(OWN, &[("a.txt", "a\n"), (".env", "KEY=1\n"), ("x.py", "")]);
    desk.scene.git(&["init", "--quiet", "."]);
    let cases = [
        ("touch ../x", "it covers nothing that must be asked"),
        (
            "touch .git/hooks/pre-commit",
            "it covers nothing that must be asked",
        ),
        ("cat .env", "it covers nothing that must be asked"),
        (
            "curl -o /tmp/x https://example.org/",
            "it covers nothing that must be asked",
        ),
        ("find . -delete", "it covers nothing that must be asked"),
        (
            "touch b; unknown-program",
            "the line holds more than this one command",
        ),
        ("make &", "the line holds more than this one command"),
        ("(touch b)", "the line holds more than this one command"),
        ("make > out", "the line holds more than this one command"),
        ("python -c 'print(1)'", "it could not be analysed whole"),
        ("timeout 5 make", "another command starts it"),
        ("FOO=1 make", "it changes the environment"),
        ("find . -fprint out.txt", "it does more than look"),
        (
            "touch --unheard-of b",
            "it has an option that sayso does not know",
        ),
        ("touch *", "which words it gets shows only when it runs"),
    ];
    for (command, why) in cases {
        let said = checked(&desk, &[], command);
        assert_eq!(said["decision"], "ask", "{command}: {said}");
        let text = reasons(&said);
        assert!(
            text.contains("is one of your safe commands, which does not count here")
                && text.contains(why),
            "{command}: {text}"
        );
        assert!(
            said.to_string().contains("policy.yaml:2"),
            "{command}: {said}"
        );
    }
}

/// finding A-04: `policy check` says of each entry why it never counts, or what it lets through.
#[test]
fn finding_a_04_policy_check_warns_of_each_entry() {
    let never = [
        "sudo", "env", "xargs", "nohup", "timeout", "ssh", "rm", "rmdir", "\"*\"",
    ];
    let much = [
        "make",
        "python",
        "python3",
        "node",
        "bash",
        "npx",
        "npm",
        "npm install",
        "pip install",
        "docker",
        "git",
        "curl",
        "npm run",
    ];
    let plain = [
        "touch",
        "mkdir",
        "git add",
        "git fetch",
        "make test",
        "cat",
        "ls",
    ];
    for (entries, words) in [
        (&never[..], "never counts as a safe command"),
        (&much[..], "as a safe command runs unasked"),
        (&plain[..], ""),
    ] {
        for entry in entries {
            let desk = desk(&format!("version: 1\nsafe_commands: [{entry}]\n"), &[]);
            let done = sayso(&desk, &["policy", "check"]).is(0, "a warning");
            assert_eq!(
                done.out.contains("warning:"),
                !words.is_empty(),
                "{entry}: {}",
                done.out
            );
            assert!(
                done.out.contains(words) && (words.is_empty() || done.out.contains("hint:")),
                "{entry}: {}",
                done.out
            );
        }
    }
}

/// finding A-04: where a profile or a mode lets no safe command through, `policy check` and the question say so.
#[test]
fn finding_a_04_what_does_not_count_in_a_profile_is_said() {
    let desk = desk("version: 1\nsafe_commands: [touch]\n", &[]);
    for profile in PROFILES {
        let honoured = matches!(profile, "sayso" | "kollabor-spec");
        let check =
            sayso(&desk, &["policy", "check", "--profile", profile]).is(0, "at most a warning");
        assert_eq!(
            check
                .out
                .contains("`touch` in `safe_commands` does not count: "),
            !honoured,
            "{profile}: {}",
            check.out
        );
        let said = checked(&desk, &["--profile", profile], "touch b");
        assert_eq!(
            said["decision"],
            if honoured { "allow" } else { "ask" },
            "{profile}"
        );
        assert_eq!(
            reasons(&said).contains("which does not count here: "),
            !honoured,
            "{profile}: {said}"
        );
    }
    let said = checked(&desk, &["--mode", "confirm-all"], "touch b");
    assert!(
        reasons(&said).contains("the mode confirm-all asks for everything that no rule allows"),
        "{said}"
    );
}

/// finding A-04: an entry of a project that nobody trusts loosens nothing.
#[test]
fn finding_a_04_an_untrusted_project_loosens_nothing() {
    let desk = desk("version: 1\n", &[]);
    desk.scene
        .project_policy("version: 1\nsafe_commands: [touch, make]\n", false);
    for command in ["touch b", "make"] {
        assert_eq!(decision(&desk, &[], command), "ask", "{command}");
    }
}

/// finding A-04: the prompt says it, too.
#[test]
fn finding_a_04_the_prompt_says_why_an_entry_does_not_count() {
    let desk = desk(OWN, &[("a.txt", "a\n")]);
    let calls = json!([{"tool": "terminal", "args": {"command": "touch ../x"}}]);
    let shown = desk.run(&["--answers", "n"], &calls).out;
    assert!(
        shown.contains("`touch` is one of your safe commands, which does not count here"),
        "{shown}"
    );
}
