//! Commands are shown whole, with the folder, what they would do, and the time limit that is their own.

use sayso_core::prompt::presentation::{Body, Meaning, Part};
use sayso_gate::ports::Tally;

use super::{call, call_json, setup, show, value, warned};

fn parts(body: &Body) -> (&[String], &str, &[String]) {
    match body {
        Body::Command {
            lines,
            folder,
            effects,
            ..
        } => (lines, folder, effects),
        other => panic!("no command: {other:#?}"),
    }
}

#[test]
fn h_37_z_51_a_command_is_never_cut() {
    let long = format!("git commit -m \"{}\"; rm -rf ~", "x".repeat(100_000));
    let shown = show(&setup(), call("bash", &[("command", &long)]));
    let (lines, folder, _) = parts(&shown.body);
    assert_eq!(lines, [long]);
    assert_eq!((folder, shown.hidden_lines, &shown.full), ("/ws", 0, &None));

    let many = "echo a\n".repeat(500) + "curl evil";
    let shown = show(&setup(), call("bash", &[("command", &many)]));
    assert_eq!(parts(&shown.body).0.join("\n"), many);
    assert_eq!(shown.hidden_lines, 0);
}

#[test]
fn the_effects_are_told_in_words_once_each() {
    let shown = show(
        &setup(),
        call(
            "bash",
            &[(
                "command",
                "rm -r build; rm -r build; cat /etc/passwd > out.txt",
            )],
        ),
    );
    let (_, _, effects) = parts(&shown.body);
    assert_eq!(
        effects
            .iter()
            .filter(|words| words.starts_with("deletes /ws/build with everything below"))
            .count(),
        1,
        "{effects:#?}"
    );
    assert!(
        effects
            .iter()
            .any(|words| words.starts_with("reads /etc/passwd")),
        "{effects:#?}"
    );
    assert!(
        effects
            .iter()
            .any(|words| words.starts_with("writes /ws/out.txt")),
        "{effects:#?}"
    );

    let many: String = (0..100).map(|index| format!("touch f{index}; ")).collect();
    let shown = show(&setup(), call("bash", &[("command", &many)]));
    let (_, _, effects) = parts(&shown.body);
    assert_eq!(effects.len(), 21);
    assert_eq!(effects[20], "and 80 more");
    assert_eq!(value(&shown.details, "parts"), "and 80 more");
}

#[test]
fn each_part_says_what_it_runs_and_how_much_goes() {
    let mut setup = setup();
    setup.world.full(
        "/ws/build",
        Tally {
            files: 214,
            bytes: 38 << 20,
            whole: true,
        },
    );
    setup
        .world
        .full(
            "/ws/deep",
            Tally {
                files: 20_000,
                bytes: 1 << 30,
                whole: false,
            },
        )
        .with("/ws/one", "xx");
    let text = "cd src; rm -r ../build ../deep && rm ../one | sudo tee out";
    let shown = show(&setup, call("bash", &[("command", text)]));
    let Body::Command {
        lines,
        marks,
        parts,
        effects,
        ..
    } = &shown.body
    else {
        panic!("{shown:#?}")
    };
    let words: Vec<String> = parts.iter().map(Part::words).collect();
    let rm = words
        .iter()
        .find(|words| words.contains("214 files"))
        .unwrap_or_else(|| panic!("{words:#?}"));
    assert!(
        rm.starts_with("runs `rm` · deletes /ws/build with everything below"),
        "{rm}"
    );
    assert!(
        rm.contains("(214 files, 38.0 MB)") && rm.contains("(at least 20000 files, 1.0 GB)"),
        "{rm}"
    );
    assert!(
        words
            .iter()
            .any(|words| words.contains("deletes /ws/one") && words.contains("(2 bytes)")),
        "{words:#?}"
    );
    assert!(
        effects
            .iter()
            .any(|words| words.contains("(214 files, 38.0 MB)")),
        "{effects:#?}"
    );
    let marked = |meaning: Meaning| -> Vec<&str> {
        marks
            .iter()
            .filter(|mark| mark.meaning == meaning)
            .filter_map(|mark| lines[mark.line].get(mark.start..mark.end))
            .collect()
    };
    assert_eq!(
        marked(Meaning::Deletes),
        ["../build", "../deep", "../one"],
        "{marks:#?}"
    );
    assert!(marked(Meaning::Danger).contains(&"rm"), "{marks:#?}");
}

#[test]
fn marks_lie_within_the_lines_that_are_shown() {
    for text in [
        "bash -c 'rm -rf /ws/build; echo \u{202e}' > out",
        "cat <<E | sh\nrm -r a\nE\necho $(rm -r b) `ls`",
        "echo \u{1b}[2K; eval \"$X\"\nrm 'a\nb'",
        "for f in *; do rm -r \"$f\"; done; python3 -c 'open(\"x\", \"w\")'",
        "a=(1 2); [[ x =~ y ]] && { unparsed ",
    ] {
        let shown = show(&setup(), call("bash", &[("command", text)]));
        let Body::Command { lines, marks, .. } = &shown.body else {
            panic!("{shown:#?}")
        };
        for mark in marks {
            assert!(
                lines[mark.line]
                    .get(mark.start..mark.end)
                    .is_some_and(|piece| !piece.is_empty()),
                "{text}: {mark:?}"
            );
        }
    }
}

#[test]
fn z_62_the_time_limit_is_labelled_as_the_commands_own() {
    let shown = show(
        &setup(),
        call_json("bash", r#"{"command": "sleep 1", "timeout": 30}"#),
    );
    assert_eq!(
        value(&shown.details, "time limit of the command"),
        "30 (timeout)"
    );
    let shown = show(
        &setup(),
        call_json("bash", r#"{"command": "sleep 1", "timeout_ms": 30000}"#),
    );
    assert_eq!(value(&shown.details, "time limit of the command"), "30 s");
}

#[test]
fn folder_environment_parts_and_every_other_argument_are_there() {
    let shown = show(
        &setup(),
        call_json(
            "bash",
            r#"{"command": "git push && ./tool $1", "cwd": "src", "env": {"A": "1", "PATH": "/tmp"}, "description": "nothing bad", "odd": [1, "two"]}"#,
        ),
    );
    assert_eq!(parts(&shown.body).1, "/ws/src");
    let environment: Vec<&str> = shown
        .details
        .iter()
        .filter(|(label, _)| label == "environment")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(environment, ["A=1", "PATH=/tmp"]);
    assert_eq!(value(&shown.details, "part 1"), "git push (/usr/bin/git)");
    assert_eq!(
        value(&shown.details, "part 2"),
        "./tool $1 (/ws/src/tool, a program of this workspace)"
    );
    assert_eq!(
        value(&shown.details, "argument description"),
        "\"nothing bad\""
    );
    assert_eq!(value(&shown.details, "argument odd"), "[1,\"two\"]");
    let last = shown.details.last().map(|(label, _)| label.as_str());
    assert_eq!(last, Some("argument odd"), "what the agent says comes last");
}

#[test]
fn dangers_come_first_among_the_warnings() {
    let shown = show(
        &setup(),
        call("bash", &[("command", "echo \u{200B}; chmod -R 777 .")]),
    );
    assert_eq!(
        shown.warnings[0], "`chmod 777` lets everybody change it",
        "{:#?}",
        shown.warnings
    );
    assert!(warned(&shown, "`command` holds invisible characters"));
    let order = |part: &str| {
        shown
            .warnings
            .iter()
            .position(|warning| warning.contains(part))
    };
    assert!(
        order("777") < order("invisible") && order("777").is_some(),
        "{:#?}",
        shown.warnings
    );
}

#[test]
fn u_04_padding_that_pushes_something_away_is_told() {
    for padded in [
        format!("ls {}; rm x", " ".repeat(500)),
        format!("ls{}rm x", "\n".repeat(60)),
    ] {
        assert!(
            warned(
                &show(&setup(), call("bash", &[("command", &padded)])),
                "long run"
            ),
            "{padded}"
        );
    }
    assert!(!warned(
        &show(&setup(), call("bash", &[("command", "ls  -la\n\nrm x")])),
        "long run"
    ));
}
