//! What of our own environment reaches a command.

use sayso_tools::terminal::{self, Command};

use super::{alone, command, output, run};

/// Run by the test below it, in a process whose environment is hostile.
#[test]
#[ignore = "run by another test, under its variables"]
fn inner_environment() {
    println!(
        "BEGIN\n{}\nEND",
        output("env | sort; cd sub 2>/dev/null; pwd; type ls; echo \"IFS:$(printf %q \"$IFS\")\"")
    );
}

#[test]
fn nothing_that_changes_bash_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let script = folder.path().join("start");
    std::fs::write(&script, "echo START_UP_FILE").unwrap();
    let (script, place) = (script.to_str().unwrap(), folder.path().to_str().unwrap());
    let text = alone(
        "terminal::environment::inner_environment",
        &[
            ("BASH_ENV", script),
            ("ENV", script),
            ("HOME", place),
            ("BASH_FUNC_ls%%", "() { echo FUNCTION; }"),
            ("BASH_FUNC_cd%%", "() { echo FUNCTION; }"),
            ("SHELLOPTS", "xtrace:braceexpand"),
            ("PS4", "$(echo TRACE)"),
            ("CDPATH", place),
            ("IFS", "x"),
            ("SAYSO_MODE", "trust-all"),
            ("GITHUB_TOKEN", "hunter2"),
            ("NODE_OPTIONS", "--require x"),
            ("GIT_SSH_COMMAND", "x"),
            ("LC_ALL", "C"),
            ("TERM", "xterm"),
        ],
    );
    let seen = text
        .split_once("BEGIN\n")
        .unwrap()
        .1
        .split_once("\nEND")
        .unwrap()
        .0;
    for word in [
        "START_UP_FILE",
        "FUNCTION",
        "TRACE",
        "SAYSO_MODE",
        "hunter2",
        "NODE_OPTIONS",
        "GIT_SSH",
        "CDPATH",
        "SHELLOPTS",
    ] {
        assert!(!seen.contains(word), "{word}: {seen}");
    }
    assert!(
        seen.lines().any(|line| line == "LC_ALL=C") && seen.lines().any(|line| line == "TERM=dumb"),
        "{seen}"
    );
    assert!(
        seen.lines().any(|line| line == "/") && !seen.contains("/sub"),
        "{seen}"
    );
    assert!(seen.contains("IFS:$' \\t\\n'"), "{seen}");
}

#[test]
fn start_up_files_of_the_home_folder_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        ".bashrc",
        ".bash_profile",
        ".profile",
        ".bash_login",
        ".inputrc",
        ".bash_logout",
    ] {
        std::fs::write(folder.path().join(name), "echo START_UP_FILE\n").unwrap();
    }
    let home = [(
        "HOME".to_owned(),
        folder.path().to_str().unwrap().to_owned(),
    )];
    assert_eq!(
        run(Command {
            environment: &home,
            ..command("echo $HOME; exit")
        })
        .output
        .trim(),
        folder.path().to_str().unwrap()
    );
}

#[test]
fn the_variables_of_the_call_are_set() {
    let given = [
        ("A".to_owned(), "b c\n=".to_owned()),
        ("LANG".to_owned(), "C".to_owned()),
    ];
    assert_eq!(
        run(Command {
            environment: &given,
            ..command("printf '%s|%s' \"$A\" \"$LANG\"")
        })
        .output,
        "b c\n=|C"
    );
    let bad = [("A=B".to_owned(), String::new())];
    assert!(
        terminal::run(
            Command {
                environment: &bad,
                ..command("true")
            },
            &mut |_, _| {}
        )
        .unwrap_err()
        .to_string()
        .contains("A=B")
    );
}

#[test]
fn programs_are_found_without_a_search_path() {
    assert!(output("type -P ls").starts_with('/'));
}
