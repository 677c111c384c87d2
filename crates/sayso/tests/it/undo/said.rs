//! What prompts say about undo, backups and failure, at each door, held against what then happens.

use std::fs;

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::hook::{answered, event};
use crate::serve::Served;

const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];
const CANNOT: &str = "`sayso undo` cannot take it back: sayso makes no backup of what a command deletes or overwrites.";

/// A desk with something of everything.
fn desk() -> Desk {
    let desk = Desk::with(&[
        ("main.py", "one\ntwo\n"),
        ("old.py", "old\n"),
        ("full/x.py", "x\n"),
    ]);
    fs::write(
        desk.scene.workspace.join("logo.png"),
        b"\x89PNG\r\n\x1a\n\0\0\0\0",
    )
    .unwrap();
    desk
}

/// Everything that `sayso run` showed for one call, on one line: what is long is folded on the screen.
fn shown(desk: &Desk, profile: &str, call: Value) -> String {
    // The key for "this once" of each.
    let yes = match profile {
        "forge" | "kollabor" => "a,a,a,a",
        "opencode" => "o,o,o,o",
        _ => "y,y,y,y",
    };
    let done = desk.run(&["--profile", profile, "--answers", yes], &json!([call]));
    let text = format!("{}\n{}", done.out, done.err);
    text.split_whitespace()
        .filter(|word| *word != "↪")
        .collect::<Vec<_>>()
        .join(" ")
}

/// finding W-01: the inbox and `watch` say of an edit by an agent what is true there: it can be taken back, and then it is.
#[test]
fn finding_w_01_an_edit_in_the_inbox_says_that_it_can_be_undone_and_it_can() {
    let served = Served::with(Desk::with(&[("run.sh", "old\n")]), "hooks: {ask: inbox}\n");
    let file = served.desk.scene.workspace.join("run.sh");
    for (tool, input) in [
        (
            "Edit",
            json!({"file_path": file, "old_string": "old", "new_string": "new"}),
        ),
        ("Write", json!({"file_path": file, "content": "new\n"})),
    ] {
        let hook = served.hook("claude", tool, input.clone());
        let prompt = served.prompt();
        let undo = &prompt["preview"]["undo"];
        assert_eq!(undo["possible"], true, "{prompt}");
        assert!(
            undo["words"]
                .as_str()
                .unwrap()
                .starts_with("`sayso undo` can take it back (backup: "),
            "{undo}"
        );
        let text = prompt.to_string();
        assert!(
            text.contains(undo["words"].as_str().unwrap()) && !text.contains("cannot"),
            "{text}"
        );
        served.yes(&prompt).is(200);
        assert_eq!(hook.said()["permissionDecision"], "allow");
        fs::write(&file, "new\n").unwrap();
        answered(
            &served.desk,
            "claude",
            &event(&served.desk, "PostToolUse", tool, input),
        );
        let change = served.desk.changes()[0]["id"].as_str().unwrap().to_owned();
        served.desk.undo(&[&change, "--yes"]).is(0, "undone");
        assert_eq!(served.desk.text("run.sh").as_deref(), Some("old\n"));
    }
}

/// finding W-01: what a hook cannot keep says so: a command, and an operation that somebody else runs.
#[test]
fn finding_w_01_where_nothing_is_kept_that_is_said() {
    let served = Served::with(Desk::with(&[("run.sh", "old\n")]), "hooks: {ask: inbox}\n");
    let hook = served.hook("claude", "Bash", json!({"command": "rm run.sh"}));
    let prompt = served.prompt();
    assert_eq!(prompt["preview"]["undo"]["words"], CANNOT, "{prompt}");
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    hook.said();
    let operation = json!({"tool": "file_write", "args": {"path": "run.sh", "content": "x"}, "workspace": served.desk.scene.folder()});
    served.post("/v1/operations", operation);
    let prompt = served.prompt();
    let words = "`sayso undo` cannot take it back: sayso does not run it and makes no backup.";
    assert_eq!(
        prompt["preview"]["undo"],
        json!({"possible": false, "backup": null, "why": "sayso does not run it and makes no backup", "words": words})
    );
}

/// finding W-01: of a call that changes several files, all of them are kept when one of them was asked about.
#[test]
fn finding_w_01_all_files_of_one_patch_come_back() {
    let served = Served::with(
        Desk::with(&[("run.sh", "old\n"), ("notes.md", "old\n")]),
        "hooks: {ask: inbox}\n",
    );
    let patch = "*** Begin Patch\n*** Update File: notes.md\n@@\n-old\n+new\n*** Update File: run.sh\n@@\n-old\n+new\n*** End Patch\n";
    let input = json!({"command": patch});
    let hook = served.hook("codex", "apply_patch", input.clone());
    let prompt = served.prompt();
    assert_eq!(prompt["preview"]["undo"]["possible"], true, "{prompt}");
    served.yes(&prompt).is(200);
    let said = hook.said();
    assert_ne!(said["permissionDecision"], "deny", "{said}");
    for name in ["run.sh", "notes.md"] {
        fs::write(served.desk.scene.workspace.join(name), "new\n").unwrap();
    }
    answered(
        &served.desk,
        "codex",
        &event(&served.desk, "PostToolUse", "apply_patch", input),
    );
    served.desk.undo(&["--yes"]).is(0, "undone");
    for name in ["run.sh", "notes.md"] {
        assert_eq!(served.desk.text(name).as_deref(), Some("old\n"), "{name}");
    }
}

/// finding A-06: the backup that a prompt names is there afterwards, and no other is named.
#[test]
fn finding_a_06_the_backup_that_is_named_is_made() {
    for profile in PROFILES {
        for call in [
            json!({"type": "file_edit", "id": "e", "file": "main.py", "find": "two", "replace": "2"}),
            json!({"type": "file_delete", "id": "d", "file": "old.py"}),
        ] {
            let desk = desk();
            let text = shown(&desk, profile, call);
            let place = text
                .split("(backup: ")
                .nth(1)
                .and_then(|rest| rest.split("…)").next());
            let place = place
                .unwrap_or_else(|| panic!("{profile}: {text}"))
                .replacen('~', desk.scene.home.to_str().unwrap(), 1);
            let (folder, start) = place.rsplit_once('/').unwrap();
            let kept = fs::read_dir(folder).unwrap().any(|entry| {
                entry
                    .unwrap()
                    .file_name()
                    .to_str()
                    .unwrap()
                    .starts_with(start)
            });
            assert!(kept, "{profile}: {place}");
            assert!(
                !text.contains(".bak") && !text.contains(".deleted"),
                "{profile}: {text}"
            );
        }
    }
}

/// finding A-07: a call that is known to fail says so before the answer, in the words that it fails with.
#[test]
fn finding_a_07_the_prompt_says_that_it_will_fail_and_why() {
    for (call, why) in [
        (
            json!({"type": "file_create", "file": "main.py", "content": "x"}),
            "`main.py` is there already",
        ),
        (
            json!({"type": "file_edit", "file": "none.py", "find": "a", "replace": "b"}),
            "`none.py` does not exist",
        ),
        (
            json!({"type": "file_edit", "file": "main.py", "find": "three", "replace": "b"}),
            "does not occur in the file",
        ),
        (
            json!({"type": "file_edit", "file": "logo.png", "find": "a", "replace": "b"}),
            "`logo.png` is no text file",
        ),
        (
            json!({"type": "file_insert_after", "file": "main.py", "pattern": "three", "content": "x"}),
            "`main.py`: ",
        ),
        (
            json!({"type": "file_move", "file": "none.py", "to": "x.py"}),
            "`none.py` does not exist",
        ),
        (
            json!({"type": "file_move", "file": "main.py", "to": "old.py"}),
            "`old.py` is there already",
        ),
        (
            json!({"type": "file_copy", "file": "none.py", "to": "x.py"}),
            "`none.py` does not exist",
        ),
        (
            json!({"type": "file_copy", "file": "main.py", "to": "no/x.py"}),
            "does not exist; make it with `file_mkdir` first",
        ),
        (
            json!({"type": "file_delete", "file": "none.py"}),
            "`none.py` does not exist",
        ),
        (
            json!({"type": "file_delete", "file": "full"}),
            "`full` is a folder, not a file",
        ),
        (
            json!({"type": "file_rmdir", "path": "full"}),
            "`full` is not empty (1 in it)",
        ),
        (
            json!({"type": "file_rmdir", "path": "main.py"}),
            "`main.py` is not a folder",
        ),
        (
            json!({"type": "file_mkdir", "path": "main.py"}),
            "`main.py` is there already, and is not a folder",
        ),
        (
            json!({"type": "send_mail", "to": "x"}),
            "nothing here can run the tool `send_mail`",
        ),
    ] {
        for profile in PROFILES {
            let desk = desk();
            let before = desk.tree();
            let text = shown(&desk, profile, call.clone());
            // Some profiles deny what others ask about; whoever is asked is told.
            let Some(rest) = text.split("This will fail: ").nth(1) else {
                assert!(
                    !text.contains("Answer (--answers)"),
                    "{profile} {call}: {text}"
                );
                continue;
            };
            assert!(rest.contains(why), "{profile} {call}: {text}");
            let end = text.rsplit("failed: ").next().unwrap();
            assert!(
                end.contains(why),
                "{profile} {call}: it fails in the same words: {text}"
            );
            for claim in ["`sayso undo`", "would be replaced", "it replaces"] {
                assert!(!text.contains(claim), "{profile} {call}: {claim}: {text}");
            }
            assert_eq!(desk.tree(), before);
        }
    }
}

/// finding A-13: commands that delete or overwrite say that `sayso undo` cannot take them back, in every profile.
#[test]
fn finding_a_13_commands_say_whether_they_can_be_undone() {
    for command in [
        "rm old.py",
        "rm -rf full",
        "echo x > main.py",
        "truncate -s 0 main.py",
        "mv old.py main.py",
        "find full -delete",
    ] {
        for profile in PROFILES {
            let desk = desk();
            let text = shown(
                &desk,
                profile,
                json!({"type": "terminal", "command": command}),
            );
            if text.contains("Answer (--answers)") {
                assert!(text.contains(CANNOT), "{profile} {command}: {text}");
            }
            assert!(
                desk.changes().is_empty(),
                "{profile} {command}: and so it is"
            );
        }
    }
    // Where nothing is taken away, nothing is said.
    let desk = desk();
    for command in [
        "echo x > new.py",
        "rm -f none.py",
        "mkdir new",
        "cargo build",
    ] {
        let text = shown(
            &desk,
            "sayso",
            json!({"type": "terminal", "command": command}),
        );
        assert!(
            !text.contains("undo") || command.starts_with("rm"),
            "{command}: {text}"
        );
    }
}

/// finding A-33: what replaces a picture says so, with its type and size.
#[test]
fn finding_a_33_overwriting_a_picture_is_no_new_file() {
    for profile in PROFILES {
        let desk = desk();
        let text = shown(
            &desk,
            profile,
            json!({"type": "file_write", "file": "logo.png", "content": "x"}),
        );
        assert!(
            text.contains("replaces a binary file: image/png (12 bytes)"),
            "{profile}: {text}"
        );
        assert!(!text.contains("new file"), "{profile}: {text}");
    }
}

/// finding W-20: the id that takes a change back is short, and the same in results, in the list, in the text and for every door.
#[test]
fn finding_w_20_undo_ids_are_short_and_the_same_everywhere() {
    let desk = Desk::with(&[("a.py", "one\n"), ("notes.md", "old\n")]);
    // The same id of a call each time, one that nobody would type, and one that looks like the id of a change.
    for (at, id) in ["e1", "e1", "x; rm -rf ~", "u1", ""]
        .into_iter()
        .enumerate()
    {
        let call = json!({"type": "file_append", "id": id, "file": "a.py", "content": "x\n"});
        let (result, _) = desk.result(&["--approve-all"], call);
        let wanted = format!("u{}", at + 1);
        assert_eq!(result["change"], json!(wanted), "{id}: {result}");
        assert_eq!(desk.changes()[0]["id"], json!(wanted));
    }
    let done = desk.run(
        &["--approve-all"],
        &json!([{"type": "file_append", "file": "a.py", "content": "x\n"}]),
    );
    assert!(
        done.out.contains("(`sayso undo u6` takes it back)"),
        "{}",
        done.out
    );
    // An agent's own tool counts on.
    let file = desk.scene.workspace.join("notes.md");
    let input = json!({"file_path": file, "content": "new\n"});
    answered(
        &desk,
        "claude",
        &crate::hook::before(&desk, "Write", input.clone()),
    );
    fs::write(&file, "new\n").unwrap();
    answered(
        &desk,
        "claude",
        &event(&desk, "PostToolUse", "Write", input),
    );
    let list = desk.undo(&["--list"]).is(0, "the list").out;
    let ids: Vec<&str> = list
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(ids, ["u7", "u6", "u5", "u4", "u3", "u2", "u1"]);
    let undone = desk.undo(&["u7", "--yes"]).is(0, "undone").out;
    assert!(
        undone.contains("`sayso undo u8` takes this back, too"),
        "{undone}"
    );
    assert_eq!(desk.text("notes.md").as_deref(), Some("old\n"));
    // `u1` is the first change, and not that of the call that was called so.
    let plan = desk.undo(&["u1", "--json", "--yes"]);
    assert!(
        plan.out.contains("\"undoes\":[\"e1\"]") || plan.out.contains("conflicts"),
        "{}",
        plan.out
    );
}

/// finding W-20: a counter that is lost or damaged gives no id a second time.
#[test]
fn finding_w_20_a_damaged_counter_repeats_no_id() {
    let desk = Desk::with(&[("a.py", "one\n")]);
    let append = |desk: &Desk| {
        desk.result(
            &["--approve-all"],
            json!({"type": "file_append", "file": "a.py", "content": "x\n"}),
        )
        .0["change"]
            .clone()
    };
    assert_eq!((append(&desk), append(&desk)), (json!("u1"), json!("u2")));
    let counter = desk.scene.state().join("changes/.last-number");
    for (at, damage) in [
        &b""[..],
        b"-7",
        b"abcdef\n\n\n",
        &[0xff; 40],
        b"99999999999999999999999",
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&counter, damage).unwrap();
        assert_eq!(append(&desk), json!(format!("u{}", at + 3)), "{damage:?}");
    }
    fs::remove_file(&counter).unwrap();
    assert_eq!(append(&desk), json!("u8"));
}
