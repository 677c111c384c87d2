//! Workspaces of which not all can be kept: what is refused, what is read-only then, and what makes room.

use std::fs;

use sayso_core::text::digest::Digest;
use sayso_tools::backups::Limits;
use sayso_tools::files::About;
use sayso_tools::list_workspace::NotKept;
use sayso_tools::undo::Which;
use sayso_tools::workspace_backup::{KeepLimits, Keeping};

use crate::ground::Ground;
use crate::workspace::{RULES, about, before, names, sh, some};

#[test]
fn too_much_or_unfit_is_said_before_anything_runs() {
    let small = Ground::with(Limits {
        file: 1000,
        total: 5000,
        days: 30,
    });
    let tries = |ground: &Ground, limits: KeepLimits| {
        Keeping::before(&ground.kit, about(ground, "x"), &ground.ws, limits, RULES)
    };
    let limits = KeepLimits {
        names: 5,
        bytes: 3000,
    };
    let too_much = |ground: &Ground, words: &str| match tries(ground, limits) {
        Err(NotKept::TooMuch(why)) => assert!(why.to_string().contains(words), "{why}"),
        other => panic!("{words}: {other:?}"),
    };
    for name in 0..5 {
        small.write(&format!("f{name}"), "x".repeat(500));
    }
    tries(&small, limits).unwrap().cancel();
    small.write("f5", "");
    too_much(&small, "more than 5 files and folders");
    sh(&small, "rm f5 f4; head -c 1001 /dev/zero > f4");
    too_much(
        &small,
        "f4` (1001 bytes) is too large for a backup (1000 bytes at most)",
    );
    sh(
        &small,
        "for i in 0 1 2 3 4; do head -c 900 /dev/zero > f$i; done",
    );
    too_much(&small, "what is to be kept is 5 KiB");
    sh(&small, "rm f*; mkdir -p $(printf 'd/%.0s' $(seq 102))");
    match tries(&small, KeepLimits::default()) {
        Err(NotKept::TooMuch(why)) => {
            assert!(why.to_string().contains("100 folders deep"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    assert!(small.kit.changes().all().is_empty());

    let ground = Ground::new();
    some(&ground);
    let cannot = |words: &str| match before(&ground, "x") {
        Err(NotKept::Cannot(why)) => assert!(why.to_string().contains(words), "{why}"),
        other => panic!("{words}: {other:?}"),
    };
    fs::hard_link(ground.ws.join("a"), ground.outside.join("a")).unwrap();
    cannot("ws/a` has another name outside");
    fs::remove_file(ground.outside.join("a")).unwrap();
    // Two names that are both kept are fine, and so is a pipe.
    sh(&ground, "ln a a2; mkfifo pipe");
    let keeping = before(&ground, "x").unwrap();
    assert_eq!(keeping.remarks().len(), 1);
    sh(&ground, "echo x > a; rm pipe");
    let done = keeping.after(&ground.kit, RULES).unwrap();
    assert_eq!(names(&ground, &done.changed), ["a", "a2"]);
    assert!(
        done.left_out[0].starts_with("`pipe`: was not kept"),
        "{done:?}"
    );
    ground.undo(Which::Last).unwrap();
    assert_eq!(
        (ground.read("a"), ground.read("a2")),
        ("first\n".to_owned(), "first\n".to_owned())
    );
    let state = ground.state.clone();
    let inside = Keeping::before(
        &ground.kit,
        About::default(),
        state.parent().unwrap(),
        KeepLimits::default(),
        RULES,
    );
    assert!(
        matches!(inside, Err(NotKept::Cannot(why)) if why.to_string().contains("lies in the workspace"))
    );
    let nowhere = Keeping::before(
        &ground.kit,
        About::default(),
        &ground.ws.join("none"),
        KeepLimits::default(),
        RULES,
    );
    assert!(
        matches!(nowhere, Err(NotKept::Cannot(why)) if why.to_string().contains("does not exist"))
    );
}

#[test]
fn what_git_ignores_is_read_only_where_it_is_too_much() {
    let ground = Ground::with(Limits {
        file: 1000,
        total: 500_000,
        days: 30,
    });
    let tries = |limits: KeepLimits| {
        Keeping::before(&ground.kit, about(&ground, "x"), &ground.ws, limits, RULES)
    };
    let sealed = |limits: KeepLimits| {
        let keeping = tries(limits).unwrap();
        let paths = names(&ground, &keeping.read_only());
        keeping.cancel();
        paths
    };
    let limits = KeepLimits {
        names: 40,
        bytes: 3000,
    };
    ground.write("src/a", "x".repeat(500));
    ground.write("data/large", "x".repeat(1001));
    ground.write("data/small", "x".repeat(500));
    ground.write("other/data/small", "x".repeat(100));
    // One file, by itself.
    assert_eq!(sealed(limits), ["data/large"]);
    // Too many bytes: the folder with most of them.
    for name in 0..3 {
        ground.write(&format!("data/{name}"), "x".repeat(900));
    }
    assert_eq!(sealed(limits), ["data"]);
    assert_eq!(sealed(limits), ["data"]);
    // Too many names, wherever the walk is when it finds that.
    sh(
        &ground,
        "rm -r data; mkdir -p other/data/d; cd other/data/d; seq 100 | xargs touch",
    );
    assert_eq!(sealed(limits), ["other/data"]);
    let keeping = tries(limits).unwrap();
    sh(&ground, "echo x > src/a; touch other/data/one");
    let done = keeping.after(&ground.kit, RULES).unwrap();
    assert_eq!(names(&ground, &done.changed), ["src/a"]);
    assert!(
        done.left_out[0].starts_with("`other/data`: was changed"),
        "{done:?}"
    );
    // It is kept as soon as it is small enough.
    sh(&ground, "rm -r other/data/d");
    assert_eq!(sealed(limits), [] as [&str; 0]);
    // What git does not ignore is never left out.
    sh(&ground, "mkdir many; cd many; seq 60 | xargs touch");
    assert!(matches!(tries(limits), Err(NotKept::TooMuch(_))));
}

#[test]
fn packs_that_are_too_large_are_read_only_and_objects_may_have_other_names() {
    let ground = Ground::with(Limits {
        file: 1000,
        total: 500_000,
        days: 30,
    });
    ground.write(".git/HEAD", "ref: refs/heads/main");
    ground.write(".git/objects/pack/pack-1.pack", "p".repeat(2000));
    ground.write(".git/objects/pack/pack-1.idx", "i");
    // As `git clone --local` leaves it.
    ground.write(".git/objects/ab/cd", "object");
    let (object, other) = (".git/objects/ab/cd", ground.outside.join("cd"));
    fs::hard_link(ground.ws.join(object), &other).unwrap();
    let keeping = before(&ground, "x").unwrap();
    assert_eq!(
        names(&ground, &keeping.read_only()),
        [".git/objects/pack/pack-1.pack"]
    );
    let then = ground.tree();
    sh(&ground, "echo other > .git/objects/ab/cd; rm .git/HEAD");
    let done = keeping.after(&ground.kit, RULES).unwrap();
    assert!(done.left_out[0].contains("has another name"), "{done:?}");
    ground.undo(Which::Last).unwrap();
    assert_eq!(ground.tree(), then);
    // A file that is no object is refused, and one that git ignores is read-only.
    fs::hard_link(ground.ws.join(".git/HEAD"), ground.outside.join("HEAD")).unwrap();
    assert!(matches!(before(&ground, "x"), Err(NotKept::Cannot(_))));
    fs::remove_file(ground.outside.join("HEAD")).unwrap();
    ground.write("data/store", "s");
    fs::hard_link(ground.ws.join("data/store"), ground.outside.join("s")).unwrap();
    let keeping = before(&ground, "x").unwrap();
    assert!(names(&ground, &keeping.read_only()).contains(&"data/store".to_owned()));
    keeping.cancel();
}

#[test]
fn a_log_that_is_written_to_all_the_time_is_read_only_if_git_ignores_it() {
    let ground = Ground::in_memory();
    ground.write("data/log", "x".repeat(4_000_000));
    ground.write("a", "a");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write as _;
            let mut options = fs::OpenOptions::new();
            let mut log = options
                .append(true)
                .open(ground.ws.join("data/log"))
                .unwrap();
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                log.write_all(b"more").unwrap();
            }
        });
        let keeping = before(&ground, "run").unwrap();
        let sealed = names(&ground, &keeping.read_only());
        sh(&ground, "echo b > a");
        let done = keeping.after(&ground.kit, RULES).unwrap();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        // Between two lines of it there may have been time enough.
        if sealed == ["data/log"] {
            assert_eq!(names(&ground, &done.changed), ["a"]);
            ground.undo(Which::Last).unwrap();
            assert_eq!(ground.read("a"), "a");
        }
    });
}

#[test]
fn full_backups_make_room_but_not_at_the_cost_of_what_a_person_was_told() {
    use sayso_core::answer::verdict::Verdict;
    use sayso_core::policy::decision::Decision;
    use sayso_core::text::node::Node;
    let ground = Ground::with(Limits {
        file: 3000,
        total: 6000,
        days: 30,
    });
    ground.write("precious", "p".repeat(2000));
    let operation = ground.op("file_delete", &[("path", Node::text("precious"))]);
    let asked = Verdict {
        decision: Decision::Ask,
        ..ground.judge(&operation)
    };
    assert!(sayso_tools::files::run(&ground.kit, &operation, &asked).success);
    ground.write("unasked", "u".repeat(2000));
    ground.ok("file_delete", &[("path", "unasked")]);
    // What ran unasked goes.
    ground.write("one", "1".repeat(2500));
    before(&ground, "x").unwrap().cancel();
    assert!(
        !ground
            .kit
            .backups()
            .has(&Digest::of_bytes("u".repeat(2000).as_bytes()))
    );
    // What a person was asked about does not.
    ground.write("two", "2".repeat(2500));
    assert!(
        matches!(before(&ground, "x"), Err(NotKept::TooMuch(why)) if why.to_string().contains("no room"))
    );
    ground.undo(Which::Id(operation.id())).unwrap();
    assert_eq!(ground.read("precious").len(), 2000);
}
