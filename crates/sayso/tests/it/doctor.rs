//! `sayso doctor`: what it finds, and that what it repairs works again with nothing lost.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::desk::{Desk, read};
use crate::program::{Outcome, run};

fn doctor(desk: &Desk, words: &[&str]) -> Outcome {
    run(desk.program().arg("doctor").args(words), b"")
}

/// What it says of one thing.
fn finding(desk: &Desk, about: &str) -> Value {
    let all = read(&doctor(desk, &["--json"]));
    let found = all["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["about"] == about);
    found
        .unwrap_or_else(|| panic!("nothing about {about}: {all:#}"))
        .clone()
}

fn desk() -> Desk {
    let desk = Desk::with(&[("a.txt", "a\n")]);
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "file": "a.txt"}]),
    )
    .is(0, "something to record");
    desk
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_sound_state_is_all_well_and_an_empty_one_is_not_made() {
    let empty = Desk::with(&[]);
    let done = doctor(&empty, &[]).is(0, "nothing is there yet");
    assert!(
        !done.out.contains('✗') && done.out.contains("✓ bash"),
        "{}",
        done.out
    );
    assert!(!empty.scene.state().exists(), "looking makes nothing");
    doctor(&empty, &["--repair"]).is(0, "nothing to repair");
    assert!(!empty.scene.state().exists());
    let desk = desk();
    let done = doctor(&desk, &[]).is(0, "all is well");
    // Which agents this machine has is nobody's business here.
    let out: String = done
        .out
        .lines()
        .filter(|line| !line.contains("claude") && !line.contains("codex"))
        .collect();
    assert!(
        out.contains("the chain holds") && !out.contains('!') && !out.contains('✗'),
        "{out}"
    );
    let all = read(&doctor(&desk, &["--json"]));
    assert_eq!(all["ok"], true, "{all:#}");
}

#[test]
fn a_folder_that_others_can_write_in_is_told_and_left_as_it_is() {
    let desk = desk();
    chmod(&desk.scene.state(), 0o777);
    let done = doctor(&desk, &["--repair"]).is(1, "it cannot be relied on");
    assert!(
        done.out.contains("✗ state folder") && done.out.contains("can be written by others"),
        "{}",
        done.out
    );
    assert_eq!(
        fs::metadata(desk.scene.state())
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o777
    );
    chmod(&desk.scene.state(), 0o700);
    doctor(&desk, &[]).is(0, "settled");
}

#[test]
fn a_changed_line_is_told_for_ever_and_stops_nobody() {
    let desk = desk();
    let journal = desk.scene.state().join("journal/000001.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("auto_approved", "auto_Approved", 1)).unwrap();
    let done = doctor(&desk, &[]).is(1, "a damage");
    assert!(
        done.out.contains("✗ record")
            && done
                .out
                .contains("the line was changed after it was written"),
        "{}",
        done.out
    );
    let done = doctor(&desk, &["--repair"]).is(0, "closed");
    assert!(
        done.out
            .contains("repaired: the damaged record was closed and goes on from entry 5"),
        "{}",
        done.out
    );
    for _ in 0..2 {
        let done = doctor(&desk, &["--repair"]).is(0, "closed before");
        assert!(
            !done.out.contains("repaired:")
                && done.out.contains("! record")
                && done.out.contains("was changed"),
            "{}",
            done.out
        );
    }
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "file": "a.txt"}]),
    )
    .is(0, "work goes on");
}

#[test]
fn a_torn_end_is_no_fault() {
    let desk = desk();
    let journal = desk.scene.state().join("journal/000001.jsonl");
    fs::write(
        &journal,
        fs::read_to_string(&journal).unwrap() + "{\"v\":1,\"n\":",
    )
    .unwrap();
    let done = doctor(&desk, &[]).is(0, "a killed writer leaves that");
    assert!(done.out.contains("! torn end"), "{}", done.out);
}

#[test]
fn a_damaged_end_denies_calls_until_it_is_repaired_and_nothing_is_lost() {
    let desk = desk();
    let folder = desk.scene.state().join("journal");
    let whole = fs::read_to_string(folder.join("000001.jsonl")).unwrap();
    let mut bytes = whole.clone().into_bytes();
    bytes.extend(std::iter::repeat_n(b'x', 5 << 20));
    fs::write(folder.join("000001.jsonl"), &bytes).unwrap();
    let calls = json!([{"type": "file_write", "file": "new.txt", "content": "x"}]);
    let done = desk.run(&["--approve-all"], &calls);
    assert_ne!(done.code, 0);
    let words = format!("{}{}", done.out, done.err);
    assert!(
        words.contains("damaged") && words.contains("sayso doctor --repair"),
        "{words}"
    );
    assert_eq!(
        desk.text("new.txt"),
        None,
        "what cannot be recorded does not run"
    );
    let done = doctor(&desk, &[]).is(1, "it is found");
    assert!(
        done.out.contains("✗ next entry") && done.out.contains("run `sayso doctor --repair`"),
        "{}",
        done.out
    );
    let done = doctor(&desk, &["--repair"]);
    assert!(
        done.out.contains("repaired: the damaged record was closed"),
        "{}",
        done.out
    );
    assert_eq!(
        fs::read(folder.join("000001.jsonl")).unwrap(),
        bytes,
        "the damaged file stays"
    );
    desk.run(&["--approve-all"], &calls).is(0, "work goes on");
    assert_eq!(desk.text("new.txt").as_deref(), Some("x"));
    let again = doctor(&desk, &["--repair"]).is(0, "the damage stays told");
    assert!(again.out.contains("! record"), "{}", again.out);
    assert!(
        !again.out.contains("repaired:") && !again.out.contains("next entry"),
        "{}",
        again.out
    );
}

#[test]
fn a_damaged_index_is_put_aside_and_built_anew() {
    let desk = desk();
    let file = desk.scene.state().join("index.db");
    let damage = || {
        fs::write(&file, [7_u8; 9000]).unwrap();
        chmod(&file, 0o600);
    };
    damage();
    let found = finding(&desk, "index");
    assert!(
        found["is"] == "odd" && found["advice"].as_str().unwrap().contains("--repair"),
        "{found}"
    );
    // Whoever needs it builds it anew, and the policy did.
    assert_eq!(finding(&desk, "index")["is"], "good");
    damage();
    let done = doctor(&desk, &["--repair"]).is(0, "repaired");
    assert!(done.out.contains("repaired: the index"), "{}", done.out);
    assert_eq!(finding(&desk, "index")["is"], "good");
    let names: Vec<String> = fs::read_dir(desk.scene.state())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("index.db.aside")),
        "{names:?}"
    );
}

#[test]
fn a_newer_version_in_the_record_is_told_and_denies_calls() {
    let desk = desk();
    let journal = desk.scene.state().join("journal/000001.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let newer = text
        .lines()
        .last()
        .unwrap()
        .replacen("{\"v\":1", "{\"v\":2", 1);
    fs::write(&journal, format!("{text}{newer}\n")).unwrap();
    let done = desk.run(
        &["--approve-all"],
        &json!([{"type": "file_write", "file": "new.txt", "content": "x"}]),
    );
    assert!(done.code != 0 && desk.text("new.txt").is_none());
    assert!(
        format!("{}{}", done.out, done.err).contains("version 2"),
        "{}{}",
        done.out,
        done.err
    );
    let done = doctor(&desk, &["--repair"]);
    assert!(
        done.code == 1 && done.out.contains("version 2") && done.out.contains("newer"),
        "{}",
        done.out
    );
    assert!(
        fs::read_to_string(&journal)
            .unwrap()
            .ends_with(&format!("{newer}\n")),
        "nothing was changed"
    );
}

#[test]
fn a_policy_that_cannot_be_read_and_a_clock_that_went_back_are_told() {
    let desk = desk();
    desk.scene.user_policy("mode: [nonsense\n");
    let found = finding(&desk, "policy");
    assert!(
        found["is"] == "bad" && found["advice"].as_str().unwrap().contains("policy check"),
        "{found}"
    );
    desk.scene.user_policy("mode: balanced\n");
    let journal = sayso_store::Journal::open(&desk.scene.state()).unwrap();
    journal
        .append_at(
            32_000_000_000_000,
            "mode",
            vec![],
            sayso_store::Sync::System,
        )
        .unwrap();
    let found = finding(&desk, "clock");
    assert!(
        found["is"] == "odd"
            && found["words"]
                .as_str()
                .unwrap()
                .contains("behind the last entry"),
        "{found}"
    );
    // Calls go on, and say by how much the clock is behind.
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "file": "a.txt"}]),
    )
    .is(0, "work goes on");
    let entries = desk.record();
    assert!(
        entries
            .iter()
            .any(|entry| entry["back"].as_i64().is_some_and(|back| back > 1000)),
        "{entries:#?}"
    );
}
