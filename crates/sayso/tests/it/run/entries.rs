//! What entries say: every kind that a person may look for later (A-01), and nothing of what was not to be kept (Z-47).

use std::fs;

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::program::run;

fn desk() -> Desk {
    Desk::with(&[("a.txt", "a\n"), ("b.txt", "b\n")])
}

fn kinds(record: &[Value]) -> Vec<&str> {
    record
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap())
        .collect()
}

#[test]
fn a_01_requests_decisions_blocks_results_and_who_it_was_are_there() {
    let desk = desk();
    let calls = json!([
        {"type": "file_read", "id": "read_0", "file": "a.txt"},
        {"type": "file_write", "id": "write_0", "file": "new.py", "content": "one\ntwo\n"},
        {"type": "file_delete", "id": "delete_0", "file": "b.txt"},
        {"type": "terminal", "id": "fails_0", "command": "sh -c 'echo hi; exit 3'"},
        {"type": "terminal", "id": "bad_0", "command": "rm -rf /"},
        {"type": "file_write", "id": "no_0", "file": "c.py", "content": "x"},
    ]);
    desk.run(&["--answers", "y,y,y,n:not that one"], &calls);
    let record = desk.record();
    let of = |call: &str| {
        record
            .iter()
            .filter(|entry| entry["call"] == call)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(&of("read_0")), ["decided", "finished"]);
    assert_eq!(of("read_0")[0]["outcome"], "auto_approved");
    assert_eq!(of("read_0")[1]["output_bytes"], 2);

    let write = of("write_0");
    assert_eq!(kinds(&write), ["asked", "decided", "finished"]);
    assert!(
        write[0]["prompt"]
            .as_str()
            .is_some_and(|id| id.starts_with("prompt-")),
        "{write:#?}"
    );
    assert_eq!(
        (&write[0]["tool"], &write[0]["what"]),
        (&json!("file_write"), &json!("file_write(new.py)"))
    );
    assert!(write[0]["session"].as_str().is_some() && write[0]["round"].is_null());
    assert_eq!(
        (&write[1]["outcome"], &write[1]["by"], &write[1]["scope"]),
        (&json!("approved"), &json!("--answers"), &json!("once"))
    );
    assert!(
        write[1]["operation"]
            .as_str()
            .is_some_and(|digest| digest.starts_with("hmac-sha256:"))
    );
    assert_eq!(write[1]["effects"], json!([["write", "new.py"]]));
    let owner = if rustix::process::geteuid().is_root() {
        "r"
    } else {
        ""
    };
    assert_eq!(
        write[1]["facts"]["a"],
        json!([format!("m{owner}n")]),
        "missing, whose folder it is, in no repository"
    );
    assert_eq!(write[1]["facts"]["l"], json!({"content": 2}));
    assert_eq!(
        write[2]["changed"],
        json!([desk.scene.workspace.join("new.py").to_str().unwrap()])
    );

    // Two prompts, two entries, each with an id of its own.
    let delete = of("delete_0");
    assert_eq!(kinds(&delete), ["asked", "asked", "decided", "finished"]);
    assert_eq!(
        (&delete[0]["round"], &delete[1]["round"]),
        (&json!(1), &json!(2))
    );
    assert_ne!(delete[0]["prompt"], delete[1]["prompt"]);

    let fails = of("fails_0");
    let end = fails.last().unwrap();
    assert_eq!(
        (
            &end["succeeded"],
            &end["exit"],
            &end["output_bytes"],
            &end["output_lines"]
        ),
        (&json!(false), &json!(3), &json!(3), &json!(1))
    );
    assert!(
        !end.to_string().contains("\"hi"),
        "never the output itself: {end}"
    );

    let bad = of("bad_0");
    assert_eq!(
        (kinds(&bad), &bad[0]["outcome"], &bad[0]["decision"]),
        (vec!["decided"], &json!("blocked"), &json!("deny"))
    );
    let no = of("no_0");
    assert_eq!(
        (&no[1]["outcome"], &no[1]["note"], &no[1]["args"]["file"]),
        (&json!("denied"), &json!("not that one"), &json!("c.py"))
    );
    for entry in record.iter().filter(|entry| entry["kind"] != "recovered") {
        assert!(entry["user"].is_u64(), "who it was: {entry}");
    }
}

#[test]
fn a_01_yolo_kept_answers_trust_and_undo_are_there() {
    let desk = desk();
    desk.run(
        &["--yolo"],
        &json!([{"type": "file_delete", "id": "gone", "file": "b.txt"}]),
    )
    .is(0, "unasked");
    let decided = &desk.entries("decided")[0];
    assert_eq!(
        (&decided["rule"], &decided["facts"]["r"]),
        (&json!("bypass"), &json!("yolo"))
    );
    assert!(decided["why"].as_str().unwrap().contains("--yolo"));
    let mode = &desk.entries("mode")[0];
    assert!(
        mode["to"] == "yolo" && mode["user"].is_u64(),
        "that it was said, and who said it: {mode}"
    );
    desk.undo(&["gone", "--yes"]).is(0, "taken back");
    let undone = &desk.entries("undone")[0];
    assert_eq!(undone["call"], "gone");
    assert_eq!(undone["undo"], desk.entries("undo")[0]["call"]);

    desk.scene.file(".sayso/policy.yaml", "mode: balanced\n");
    run(desk.program().args(["policy", "trust", "--yes"]), b"").is(0, "trusted");
    let trusted = &desk.entries("trusted")[0];
    assert!(
        trusted["path"]
            .as_str()
            .unwrap()
            .ends_with(".sayso/policy.yaml")
    );
    assert!(
        trusted["file_digest"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
            && trusted["user"].is_u64()
    );
    for _ in 0..2 {
        run(desk.program().args(["policy", "trust", "--revoke"]), b"").is(0, "taken back");
    }
    let untrusted = desk.entries("untrusted");
    assert_eq!(
        (untrusted.len(), &untrusted[0]["file_digest"]),
        (1, &trusted["file_digest"]),
        "once, since it was trusted once"
    );

    let calls = json!([{"type": "terminal", "command": "make x"}, {"type": "terminal", "command": "make x"}]);
    desk.run(&["--answers", "s,s"], &calls);
    assert_eq!(desk.entries("granted").len(), 1);
    let second = desk.entries("decided").pop().unwrap();
    assert_eq!(
        (&second["grant"], &second["facts"]["g"]),
        (&desk.entries("granted")[0]["id"], &json!("ask")),
        "{second:#}"
    );
}

#[test]
fn z_47_with_the_record_off_an_entry_says_that_it_was_and_not_what() {
    let desk = desk();
    desk.scene.user_policy("audit: {enabled: false}\n");
    let calls = json!([
        {"type": "file_write", "file": "hidden-name.txt", "content": "hidden-content"},
        {"type": "terminal", "command": "rm -rf hidden-folder"},
        {"type": "terminal", "command": "cat /etc/hidden-file"},
        {"type": "terminal", "command": ["hidden-malformed"]},
    ]);
    desk.run(&["--answers", "y,y,y,y,y"], &calls);
    let text = fs::read_to_string(desk.scene.state().join("journal/000001.jsonl")).unwrap();
    assert!(!text.contains("hidden-"), "{text}");
    assert_eq!(desk.entries("decided").len(), 4, "every call has its entry");
    for entry in desk.entries("decided") {
        for key in [
            "args",
            "what",
            "cwd",
            "workspace",
            "effects",
            "facts",
            "why",
        ] {
            assert!(entry[key].is_null(), "{key}: {entry}");
        }
    }
    assert_eq!(
        desk.entries("finished")[0]["changed"],
        json!([]),
        "that something was changed, and not what"
    );
}

#[test]
fn z_47_a_project_cannot_switch_the_record_off_trusted_or_not() {
    for trusted in [false, true] {
        let desk = desk();
        let text = "audit: {enabled: false, sync: none, head_every: 1, head_command: [/bin/false]}\nredact: false\n";
        desk.scene.project_policy(text, trusted);
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        desk.run(
            &["--approve-all"],
            &json!([{"type": "file_read", "file": "a.txt"}, {"type": "deploy", "password": token}]),
        );
        let decided = desk.entries("decided");
        assert_eq!(decided[0]["args"]["file"], "a.txt", "trusted: {trusted}");
        assert!(
            !decided[1].to_string().contains(token),
            "trusted: {trusted}"
        );
        assert!(
            desk.entries("trouble").is_empty(),
            "nothing of the project's is started"
        );
        let done = run(desk.program().args(["policy", "check"]), b"").is(0, "only warnings");
        assert!(
            done.out.contains("does not count") && done.out.contains("2 warnings"),
            "{}",
            done.out
        );
    }
}

#[test]
fn a_prompt_that_cannot_be_recorded_is_not_shown() {
    let desk = desk();
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "file": "a.txt"}]),
    )
    .is(0, "a record");
    // From here on no entry finds room.
    let size = fs::metadata(desk.scene.state().join("journal/000001.jsonl"))
        .unwrap()
        .len();
    let file = desk.batch(
        "calls.json",
        json!([{"type": "file_write", "file": "c.py", "content": "x"}]).to_string(),
    );
    let program = desk.program();
    let mut shell = std::process::Command::new("sh");
    shell
        .env_clear()
        .envs(
            program
                .get_envs()
                .filter_map(|(key, value)| Some((key, value?))),
        )
        .current_dir(&desk.scene.workspace);
    // dash and bash count in blocks of 512 or 1024 bytes.
    let script = format!("ulimit -f {}; exec \"$@\"", size / 1024);
    shell
        .args(["-c", &script, "sh"])
        .arg(program.get_program())
        .args(["run", "--answers", "y"])
        .arg(file);
    let out = shell.output().unwrap();
    let words =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert_ne!(out.status.code(), Some(0), "{words}");
    assert!(
        !words.contains("Answer (--answers)"),
        "nobody was asked: {words}"
    );
    assert_eq!(desk.text("c.py"), None);
    desk.record();
}

#[test]
fn a_01_timeouts_modes_and_troubles_are_there() {
    use sayso_gate::entry::{Entry, What};
    use sayso_gate::ports::Store as _;
    let desk = desk();
    let policy = desk.scene.load().policy;
    let journal = sayso_store::Journal::open(&desk.scene.state()).unwrap();
    let recorder = sayso_runtime::recorder::Recorder::new(
        journal,
        1000,
        sayso_runtime::workbench::settings(&policy).unwrap(),
    );
    let operation =
        sayso_core::call::operation::Operation::freeze(desk.scene.command("make x")).unwrap();
    let verdict = desk.scene.judge(
        desk.scene.command("make x"),
        &[],
        sayso_core::answer::run_mode::Run::Interactive,
    );
    let timed_out = What::Decided {
        verdict: Some(std::sync::Arc::new(verdict)),
        outcome: sayso_core::answer::outcome::Outcome::TimedOut,
        yes: None,
        note: None,
        typed: None,
        denied_by: None,
        message: "nobody answered".to_owned(),
        profile: "sayso".to_owned(),
    };
    let mode = What::Mode {
        from: "balanced".to_owned(),
        to: "confirm-all".to_owned(),
    };
    for (operation, what) in [
        (Some(operation.into()), timed_out),
        (None, mode),
        (None, What::Trouble("x".to_owned())),
    ] {
        recorder
            .append(&Entry {
                at: 0,
                operation,
                what,
            })
            .unwrap();
    }
    let record = desk.record();
    assert_eq!(kinds(&record), ["decided", "mode", "trouble"]);
    assert_eq!(
        (&record[0]["outcome"], &record[1]["to"]),
        (&json!("timed_out"), &json!("confirm-all"))
    );
}

#[test]
fn a_02_arguments_that_are_never_kept_are_nowhere_in_the_record() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy("audit: {exclude_keys: [Content]}\n");
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_write", "file": "a.txt", "content": "the-private-words"}, {"type": "terminal", "command": "echo seen"}]),
    );
    let text = format!("{:?}", desk.record());
    assert!(
        !text.contains("the-private-words") && text.contains("echo seen"),
        "{text}"
    );
    assert_eq!(desk.text("a.txt").as_deref(), Some("the-private-words"));
}

#[test]
fn a_05_the_record_is_where_the_person_says_and_no_project_says_it() {
    let desk = Desk::with(&[("a.txt", "a\n")]);
    let calls = json!([{"type": "file_read", "file": "a.txt"}]);
    desk.scene
        .project_policy("audit: {path: /tmp/elsewhere}\n", true);
    desk.run(&["--approve-all"], &calls);
    assert_eq!(desk.entries("decided").len(), 1);
    desk.scene.user_policy("audit: {path: ~/kept/here}\n");
    desk.run(&["--approve-all"], &calls);
    assert_eq!(
        desk.entries("decided").len(),
        1,
        "nothing more where it was"
    );
    let there = desk.scene.home.join("kept/here");
    let list = run(desk.program().args(["audit", "list", "--json"]), b"")
        .is(0, "list")
        .out;
    assert_eq!(list.lines().count(), 1, "{list}");
    assert!(there.join("journal/000001.jsonl").exists());
    assert_eq!(
        desk.result(
            &["--strict"],
            json!({"type": "terminal", "command": "rm -r ~/kept"})
        )
        .0["outcome"],
        "blocked"
    );
    for bad in ["here", "../here", "/a/../b", "~other/x"] {
        desk.scene.user_policy(&format!("audit: {{path: {bad}}}\n"));
        let done = desk.run(&["--approve-all"], &calls).is(2, bad);
        assert!(
            done.err.contains("means the same everywhere"),
            "{}",
            done.err
        );
    }
}
