//! What is kept, for how long, and what is said of it beforehand.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use sayso_core::answer::verdict::Verdict;
use sayso_core::policy::decision::Decision;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_tools::backups::Limits;
use sayso_tools::files::run;
use sayso_tools::prune::prune;
use sayso_tools::undo::Which;
use sayso_tools::undoable::Keep;

use crate::ground::{Ground, yes};

const SMALL: Limits = Limits {
    file: 1000,
    total: 3000,
    days: 30,
};

#[test]
fn a_promise_says_what_is_then_true() {
    let ground = Ground::with(SMALL);
    ground.write("a", "content");
    ground.write("big", vec![b'x'; 1001]);
    for name in ["1", "2", "3", "4"] {
        ground.write(&format!("many/{name}"), name.repeat(900));
    }
    let promise = |path: &str| ground.kit.promise(&ground.ws.join(path));
    let Keep::Kept(backup) = promise("a") else {
        panic!()
    };
    assert!(!backup.exists());
    assert_eq!(promise("big"), Keep::TooLarge(1001));
    assert_eq!(promise("many"), Keep::Full(3600));
    assert_eq!(promise("none"), Keep::NotThere);
    assert_eq!(promise("none/deeper"), Keep::NotThere);
    ground.ok("file_delete", &[("path", "a")]);
    assert_eq!(fs::read_to_string(&backup).unwrap(), "content");
    assert_eq!(
        fs::metadata(&backup).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        fs::metadata(backup.parent().unwrap())
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    assert_eq!(
        fs::metadata(ground.state.join("changes"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );

    for (tool, path, args) in [
        ("file_delete", "big", vec![]),
        ("file_rmdir", "many", vec![("recursive", yes())]),
    ] {
        let mut args = args;
        args.push(("path", Node::text(path)));
        let result = ground.run_nodes(tool, &args);
        assert!(
            result.success && result.output.contains("cannot be undone") && result.facts.is_empty(),
            "{result:?}"
        );
        assert!(
            ground.undo(Which::Last).unwrap_err().contains("too"),
            "{path}"
        );
        assert!(!ground.has(path));
    }
    // A large file is moved and copied like any other.
    ground.write("big", vec![b'x'; 5000]);
    ground.ok("file_move", &[("from", "big"), ("to", "big2")]);
    ground.undo(Which::Last).unwrap();
    ground.ok("file_copy", &[("from", "big"), ("to", "big2")]);
    ground.undo(Which::Last).unwrap();
    assert!(ground.has("big") && !ground.has("big2"));
}

#[test]
fn the_oldest_make_room() {
    let ground = Ground::with(SMALL);
    for name in 0..8 {
        ground.write(&format!("f{name}"), name.to_string().repeat(900));
        ground.ok("file_delete", &[("path", &format!("f{name}"))]);
    }
    let held: u64 = ground
        .kit
        .backups()
        .all()
        .iter()
        .map(|kept| kept.size)
        .sum();
    assert!(held <= SMALL.total, "{held}");
    ground.undo(Which::Last).unwrap();
    assert_eq!(ground.read("f7"), "7".repeat(900));
    ground.undo(Which::Last).unwrap();
    let oldest = ground.kit.changes().all().first().unwrap().id.clone();
    let error = ground.undo(Which::Id(&oldest)).unwrap_err();
    assert!(
        error.contains("its backup is gone") && error.ends_with("nothing was changed"),
        "{error}"
    );
}

#[test]
fn what_a_person_was_asked_about_outlasts_what_ran_unasked() {
    let ground = Ground::with(SMALL);
    ground.write("precious", "p".repeat(900));
    let operation = ground.op("file_delete", &[("path", Node::text("precious"))]);
    let asked = Verdict {
        decision: Decision::Ask,
        ..ground.judge(&operation)
    };
    assert!(run(&ground.kit, &operation, &asked).success);
    // An agent that writes and writes, unasked, must not be able to push that out.
    for round in 0..20 {
        let operation = ground.op(
            "file_write",
            &[
                ("path", Node::text("notes.txt")),
                ("content", Node::text(format!("{round:03}").repeat(300))),
            ],
        );
        let unasked = Verdict {
            decision: Decision::Allow,
            ..ground.judge(&operation)
        };
        assert!(run(&ground.kit, &operation, &unasked).success);
    }
    ground.kit.prune();
    ground.undo(Which::Id(operation.id())).unwrap();
    assert_eq!(ground.read("precious"), "p".repeat(900));
}

#[test]
fn after_thirty_days_nothing_is_left() {
    let ground = Ground::new();
    ground.write("a", "content");
    ground.ok("file_delete", &[("path", "a")]);
    let later = |days: u64| SystemTime::now() + Duration::from_hours(24 * days);
    prune(ground.kit.changes(), ground.kit.backups(), later(29));
    assert!(ground.kit.backups().has(&Digest::of_bytes(b"content")));
    prune(ground.kit.changes(), ground.kit.backups(), later(31));
    assert!(ground.kit.changes().all().is_empty() && ground.kit.backups().all().is_empty());
    assert!(ground.undo(Which::Last).is_err());
}

#[test]
fn the_same_content_is_kept_once_and_damage_is_found() {
    let ground = Ground::new();
    for name in ["a", "b", "c"] {
        ground.write(name, "content");
        ground.ok("file_delete", &[("path", name)]);
    }
    assert_eq!(ground.kit.backups().all().len(), 1);
    fs::write(
        ground.kit.backups().path(&Digest::of_bytes(b"content")),
        "CONTENT",
    )
    .unwrap();
    let error = ground.undo(Which::Last).unwrap_err();
    assert!(
        error.contains("damaged") && error.ends_with("nothing was changed"),
        "{error}"
    );
    assert!(ground.tree().is_empty());
}
