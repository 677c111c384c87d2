//! Every change to the record is found, and told where it is.

use std::fs;

use sayso_store::verify::{Fault, Head, What, verify};

use crate::scene::Scene;

/// A journal of ten entries whose lines were changed by hand.
fn after(change: impl FnOnce(&mut Vec<String>)) -> Vec<Fault> {
    let scene = Scene::new();
    scene.fill(10);
    let mut lines: Vec<String> = scene
        .text()
        .split_inclusive('\n')
        .map(str::to_owned)
        .collect();
    change(&mut lines);
    fs::write(scene.first(), lines.concat()).unwrap();
    scene.verify().faults
}

fn fault(line: u64, number: u64, what: What) -> Fault {
    Fault {
        file: "000001.jsonl".to_owned(),
        line,
        number: Some(number),
        what,
    }
}

#[test]
fn every_byte_of_a_journal_counts() {
    let scene = Scene::new();
    scene.fill(4);
    let whole = fs::read(scene.first()).unwrap();
    let lines =
        |upto: usize| whole[..upto].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for at in 0..whole.len() {
        // One bit; another digit or letter case; and the two bytes that mean something to a reader of lines.
        for byte in [whole[at] ^ 1, whole[at] ^ 0x20, b'\n', 0, b'"'] {
            if byte == whole[at] {
                continue;
            }
            let mut changed = whole.clone();
            changed[at] = byte;
            fs::write(scene.first(), &changed).unwrap();
            let report = scene.verify();
            let first = report
                .faults
                .first()
                .unwrap_or_else(|| panic!("byte {at} as {byte} is not found"));
            assert_eq!(first.line, lines(at), "byte {at} as {byte}: {first}");
        }
    }
    fs::write(scene.first(), &whole).unwrap();
    assert!(scene.verify().is_sound());
}

#[test]
fn every_byte_that_goes_or_comes_is_found() {
    let scene = Scene::new();
    scene.fill(3);
    let whole = fs::read(scene.first()).unwrap();
    let head = scene.verify().head;
    for at in 0..whole.len() {
        let mut less = whole.clone();
        less.remove(at);
        fs::write(scene.first(), &less).unwrap();
        // Without its last line feed, the last line is torn; the head tells.
        assert!(
            !verify(&scene.state(), head).unwrap().is_sound(),
            "byte {at} taken out is not found"
        );
        assert!(
            !scene.verify().is_sound() || at + 1 == whole.len(),
            "byte {at} taken out is not found"
        );
        let mut more = whole.clone();
        more.insert(at, b' ');
        fs::write(scene.first(), &more).unwrap();
        assert!(
            !scene.verify().is_sound(),
            "a byte put in at {at} is not found"
        );
    }
}

#[test]
fn every_field_flipped_is_found_and_told() {
    for (field, from, to) in [
        ("version", "{\"v\":1", "{\"v\":2"),
        ("number", "\"n\":5,", "\"n\":6,"),
        ("time", "\"at\":1", "\"at\":2"),
        ("prev", "\"prev\":\"", "\"prev\":\"0"),
        ("kind", "\"kind\":\"decided\"", "\"kind\":\"finished\""),
        ("command", "command 4", "command 5"),
        ("name", "\"command\"", "\"Command\""),
        ("digest", "\"digest\":\"", "\"digest\":\"0"),
    ] {
        let faults = after(|lines| {
            assert!(lines[4].contains(from), "{field}");
            lines[4] = lines[4].replacen(from, to, 1);
        });
        assert_eq!(faults.len(), 1, "{field}: {faults:?}");
        assert_eq!((faults[0].line, faults[0].number), (5, Some(5)), "{field}");
        assert!(
            faults[0]
                .to_string()
                .starts_with("`000001.jsonl`, line 5, entry 5: "),
            "{}",
            faults[0]
        );
    }
}

#[test]
fn lines_that_go_come_or_move_are_told() {
    assert_eq!(
        after(|lines| drop(lines.remove(3))),
        [fault(4, 5, What::Missing(4, 4))]
    );
    assert_eq!(
        after(|lines| drop(lines.drain(2..7))),
        [fault(3, 8, What::Missing(3, 7))]
    );
    assert_eq!(
        after(|lines| drop(lines.drain(..2))),
        [fault(1, 3, What::Missing(1, 2))]
    );
    assert_eq!(
        after(|lines| lines.insert(6, lines[2].clone())),
        [fault(7, 3, What::OutOfOrder)]
    );
    assert_eq!(
        after(|lines| lines.swap(3, 4)),
        [
            fault(4, 5, What::Missing(4, 4)),
            fault(5, 4, What::OutOfOrder)
        ]
    );
    assert_eq!(
        after(|lines| lines.insert(2, "\n".to_owned())).first(),
        Some(&fault(3, 3, What::NoEntry))
    );
    assert_eq!(
        after(|lines| lines.insert(2, "{}\n".to_owned())).first(),
        Some(&fault(3, 3, What::NoEntry))
    );
    // Cut in the middle of a line, with lines behind it.
    assert_eq!(
        after(|lines| lines[3].truncate(50)).first(),
        Some(&fault(4, 4, What::NoEntry))
    );
    assert_eq!(
        after(|lines| lines[3] = format!("{}\n", "x".repeat(3 << 20))),
        [fault(4, 4, What::TooLong)]
    );
    assert_eq!(
        after(|lines| lines[9] = "\n".to_owned()),
        [fault(10, 10, What::NoEntry)]
    );
}

#[test]
fn a_line_of_another_chain_is_told() {
    let other = Scene::new();
    other.fill(10);
    let line = other
        .text()
        .split_inclusive('\n')
        .nth(5)
        .unwrap()
        .to_owned();
    let faults = after(|lines| lines[5] = line);
    assert_eq!(
        faults,
        [fault(6, 6, What::NotLinked), fault(7, 7, What::NotLinked)]
    );
}

#[test]
fn a_cut_end_shows_against_a_head_that_was_kept() {
    let scene = Scene::new();
    scene.fill(10);
    let head = scene.verify().head;
    let middle = {
        scene.fill(5);
        head
    };
    assert!(verify(&scene.state(), middle).unwrap().is_sound());
    let text = scene.text();
    for left in 0..15 {
        fs::write(
            scene.first(),
            text.split_inclusive('\n').take(left).collect::<String>(),
        )
        .unwrap();
        assert!(scene.verify().is_sound(), "no chain shows its own end");
        let report = verify(&scene.state(), head).unwrap();
        let cut = Fault {
            line: 0,
            ..fault(0, left as u64 + 1, What::CutEnd(10))
        };
        assert_eq!(
            report.faults,
            if left < 10 { vec![cut] } else { Vec::new() }
        );
    }
    fs::remove_dir_all(scene.state().join("journal")).unwrap();
    assert_eq!(verify(&scene.state(), head).unwrap().faults.len(), 1);
    // Written anew, with as many entries.
    scene.fill(12);
    assert!(scene.verify().is_sound());
    assert_eq!(
        verify(&scene.state(), head).unwrap().faults,
        [fault(10, 10, What::OtherHead)]
    );
    let future = Head {
        number: 13,
        digest: head.unwrap().digest,
    };
    assert!(!verify(&scene.state(), Some(future)).unwrap().is_sound());
}

#[test]
fn a_change_to_the_last_entry_is_told_after_others_were_added() {
    let scene = Scene::new();
    scene.fill(3);
    fs::write(
        scene.first(),
        scene.text().replace("command 2", "command 3"),
    )
    .unwrap();
    assert_eq!(scene.verify().faults, [fault(3, 3, What::Changed)]);
    scene.fill(2);
    assert_eq!(scene.verify().faults, [fault(3, 3, What::PutAside(1))]);
    assert!(
        fs::read_to_string(scene.file("000001-1.torn"))
            .unwrap()
            .contains("command 3")
    );
}

#[test]
fn numbers_at_their_end_do_no_harm() {
    let scene = Scene::new();
    scene.journal();
    let body = format!(
        "{{\"v\":1,\"n\":{},\"at\":0,\"prev\":\"{}\",\"kind\":\"x\"",
        u64::MAX,
        "0".repeat(64)
    );
    let digest = sayso_core::text::digest::Digest::of_bytes(body.as_bytes()).to_string();
    let line = format!("{body},\"digest\":\"{}\"}}\n", &digest["sha256:".len()..]);
    fs::write(scene.first(), line.repeat(2)).unwrap();
    crate::scene::chmod(&scene.first(), 0o600);
    assert!(!scene.verify().is_sound());
    assert!(
        scene
            .journal()
            .append("x", vec![], sayso_store::Sync::System)
            .unwrap_err()
            .to_string()
            .contains("used up")
    );
}

#[test]
fn many_faults_are_counted_and_the_first_are_told() {
    let scene = Scene::new();
    scene.fill(300);
    let text = scene.text().replace("command ", "commend ");
    fs::write(scene.first(), text).unwrap();
    let report = scene.verify();
    assert_eq!((report.faults.len(), report.more_faults), (100, 200));
}
