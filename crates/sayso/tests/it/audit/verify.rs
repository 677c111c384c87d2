//! `verify`, `head` and `index`: what a changed record looks like, and what only a head that was kept elsewhere shows.

use std::fs;

use serde_json::Value;

use super::{audit, desk, file, out, value};

#[test]
fn a_sound_record_and_what_that_does_not_mean() {
    let desk = desk();
    let text = out(&desk, &["verify"]);
    let entries = desk.record().len();
    assert!(
        text.contains(&format!(
            "✓ the chain holds: {entries} entries in 1 file since 20"
        )),
        "{text}"
    );
    assert!(
        text.contains("an end that was cut off cannot be seen"),
        "{text}"
    );
    let head = out(&desk, &["head"]).trim().to_owned();
    assert!(
        text.contains(&head) && head.starts_with(&format!("{entries}:sha256:")),
        "{text}"
    );
    let kept = out(&desk, &["verify", "--head", &head]);
    assert!(
        kept.contains("is the one whose head was kept") && !kept.contains("cannot be seen"),
        "{kept}"
    );
    let report = value(&desk, &["verify", "--json"]);
    assert_eq!(
        (&report["ok"], &report["head"]),
        (&Value::from(true), &Value::from(head.as_str()))
    );
    assert_eq!(value(&desk, &["head", "--json"])["head"], head.as_str());
}

#[test]
fn one_changed_byte_anywhere_is_found() {
    let desk = desk();
    let good = fs::read(file(&desk)).unwrap();
    for at in (0..good.len()).step_by(good.len() / 23) {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fs::write(file(&desk), &bytes).unwrap();
        let found = audit(&desk, &["verify"]).is(1, "changed");
        let line = 1 + good[..at].iter().filter(|byte| **byte == b'\n').count();
        assert!(
            found.out.contains("✗ `000001.jsonl`, line ") && found.out.contains("does not hold"),
            "{at}: {}",
            found.out
        );
        assert!(
            found.out.contains(&format!("line {line},")) || good[at] == b'\n',
            "{at}: {}",
            found.out
        );
        let report: Value =
            serde_json::from_str(&audit(&desk, &["verify", "--json"]).is(1, "changed").out)
                .unwrap();
        assert!(
            report["ok"] == false && !report["faults"].as_array().unwrap().is_empty(),
            "{report}"
        );
    }
}

#[test]
fn a_cut_end_is_found_only_with_a_head() {
    let desk = desk();
    let head = out(&desk, &["head"]).trim().to_owned();
    let text = fs::read_to_string(file(&desk)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n") + "\n";
    fs::write(file(&desk), cut).unwrap();
    audit(&desk, &["verify"]).is(0, "no record shows it by itself");
    let found = audit(&desk, &["verify", "--head", &head]).is(1, "cut");
    assert!(found.out.contains("the record ends here"), "{}", found.out);
    let earlier = out(&desk, &["head"]).trim().to_owned();
    audit(&desk, &["verify", "--head", &earlier]).is(0, "an earlier one is there");
    audit(&desk, &["verify", "--head", &earlier, "--head", &head]).is(1, "each of several counts");
    let other = format!("{}:{}", earlier.split(':').next().unwrap(), "ab".repeat(32));
    let found = audit(&desk, &["verify", "--head", &other]).is(1, "another one");
    assert!(found.out.contains("written anew"), "{}", found.out);
}

#[test]
fn heads_that_are_none() {
    let desk = desk();
    for head in ["", "x", "1", "1:", "0:00", "1:sha256:zz", "1:\u{1b}[2J"] {
        let error = audit(&desk, &["verify", "--head", head]).is(2, head).err;
        assert!(error.contains("is no head"), "{error}");
    }
}

#[test]
fn the_index_is_built_anew() {
    let desk = desk();
    out(&desk, &["list"]);
    let entries = desk.record().len();
    assert_eq!(
        out(&desk, &["index"]),
        format!("indexed {entries} entries\n")
    );
    assert_eq!(value(&desk, &["index", "--json"])["entries"], entries);
    fs::write(desk.scene.state().join("index.db"), "noise".repeat(2000)).unwrap();
    assert_eq!(
        out(&desk, &["list"]).lines().count(),
        5,
        "a damaged one is built anew by itself"
    );
    assert!(desk.scene.state().join("index.db.aside-1").exists());
}
