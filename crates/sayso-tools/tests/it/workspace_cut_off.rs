//! Commands that are cut off together with sayso, and others who change the workspace meanwhile.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sayso_tools::backups::Limits;
use sayso_tools::files::{About, Files};
use sayso_tools::list_workspace::NotKept;
use sayso_tools::undo::{self, Which};
use sayso_tools::workspace_backup::{KeepLimits, Keeping};

use crate::ground::{Ground, quick, tree};
use crate::workspace::{RULES, before, sh};

/// Starts this very program again with another part of the work.
fn program(ground: &Ground, part: &str) -> Command {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args([
        "--exact",
        "workspace_cut_off::child",
        "--nocapture",
        "--ignored",
    ]);
    program
        .env("SAYSO_TEST_PART", part)
        .env("SAYSO_TEST_ROOT", ground.ws.parent().unwrap());
    program
}

/// Not a test: the process that is killed, or that has no special rights.
#[test]
#[ignore = "the other tests start it"]
fn child() {
    let Some(root) = std::env::var_os("SAYSO_TEST_ROOT") else {
        return;
    };
    let (ws, state) = (Path::new(&root).join("ws"), Path::new(&root).join("state"));
    let kit = Files::open(&state, quick(Limits::default())).unwrap();
    if std::env::var("SAYSO_TEST_PART").unwrap() == "nobody" {
        return nobody(&kit, &ws);
    }
    if std::env::var("SAYSO_TEST_PART").unwrap() == "loop" {
        return many(&kit, &ws);
    }
    let about = About {
        id: "killed".to_owned(),
        ..About::default()
    };
    let _keeping = Keeping::before(&kit, about, &ws, KeepLimits::default(), RULES).unwrap();
    fs::write(ws.join("a"), "changed").unwrap();
    fs::remove_dir_all(ws.join("src")).unwrap();
    fs::write(ws.join("new"), "new").unwrap();
    println!("under way");
    std::io::stdout().flush().unwrap();
    loop {
        std::thread::park();
    }
}

/// Commands one after another, and every third one is taken back.
fn many(kit: &Files, ws: &Path) {
    println!("step");
    for round in 0_usize.. {
        let about = About {
            id: format!("round-{round}"),
            tool: "terminal".to_owned(),
            ..About::default()
        };
        let keeping = Keeping::before(kit, about, ws, KeepLimits::default(), RULES).unwrap();
        println!("step");
        fs::write(ws.join("a"), round.to_string()).unwrap();
        let (from, to) = if ws.join("src").exists() {
            ("src", "lib")
        } else {
            ("lib", "src")
        };
        fs::rename(ws.join(from), ws.join(to)).unwrap();
        fs::write(ws.join(to).join(format!("new{}", round % 4)), "new").unwrap();
        println!("step");
        keeping.after(kit, RULES).unwrap();
        println!("step");
        if round % 3 == 2 {
            let plan = undo::plan(kit, Which::Last).unwrap();
            undo::apply(kit, &plan, "", "").unwrap();
        }
    }
}

/// How many processes are killed: 60, or as many as `SAYSO_KILLS` says.
pub fn kills() -> u64 {
    let said = std::env::var("SAYSO_KILLS");
    said.ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

#[test]
fn wherever_it_is_killed_all_of_it_can_be_taken_back() {
    let kills = kills();
    let mut commands = 0;
    for kill in 0..kills {
        let ground = Ground::in_memory();
        ground.write("a", "a");
        for name in 0..20 {
            ground.write(
                &format!("src/{}/{name}", name % 3),
                name.to_string().repeat(100),
            );
        }
        let then = ground.tree();
        let mut child = program(&ground, "loop")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        // Not by the clock: it is killed somewhere in its nth step.
        let mut left = 1 + kill % 17;
        let mut line = String::new();
        while left > 0 {
            line.clear();
            assert!(
                out.read_line(&mut line).unwrap() > 0,
                "the other process did not start"
            );
            left -= u64::from(line.contains("step"));
        }
        std::thread::sleep(Duration::from_micros(kill * 61 % 900));
        child.kill().unwrap();
        child.wait().unwrap();
        let recovered = ground.kit.recover();
        assert!(
            recovered
                .left
                .iter()
                .all(|left| left.contains("was cut off; since it began")),
            "{recovered:?}"
        );
        commands += recovered.left.len();
        while let Ok(plan) = undo::plan(&ground.kit, Which::Last) {
            undo::apply(&ground.kit, &plan, "", "").unwrap();
        }
        assert_eq!(ground.tree(), then, "kill {kill}: {recovered:?}");
        assert_eq!(
            ground.kit.recover(),
            sayso_tools::recover::Recovered::default()
        );
    }
    println!("kills: {kills}; commands that were cut off: {commands}; all of them taken back");
}

#[test]
fn after_a_kill_what_the_command_did_can_be_taken_back() {
    let ground = Ground::new();
    ground.write("a", "a");
    ground.write("src/deep/x", "x");
    let then = ground.tree();
    let mut child = program(&ground, "kill")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(out.any(|line| line.unwrap().contains("under way")));
    // While it runs, nobody touches it.
    assert_eq!(
        ground.kit.recover(),
        sayso_tools::recover::Recovered::default()
    );
    assert_eq!(ground.kit.changes().under_way().len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let recovered = ground.kit.recover();
    assert_eq!(
        (
            recovered.whole.len(),
            recovered.never.len(),
            recovered.left.len()
        ),
        (0, 0, 1)
    );
    let said = &recovered.left[0];
    assert!(
        said.contains(
            "`killed` was cut off; since it began, 1 made, 1 changed, 1 removed: `sayso undo u1`"
        ),
        "{said}"
    );
    assert_eq!(
        ground.kit.recover(),
        sayso_tools::recover::Recovered::default()
    );
    let undone = ground.undo(Which::Id("killed")).unwrap();
    assert!(
        undone
            .words
            .iter()
            .any(|words| words.contains("whatever anybody changed")),
        "{undone:?}"
    );
    assert_eq!(ground.tree(), then);
}

#[test]
fn a_command_that_was_let_go_is_looked_at_by_the_next_recovery() {
    let ground = Ground::new();
    ground.write("a", "a");
    ground.write("target/old", "o");
    let then = ground.tree();
    drop(before(&ground, "quiet").unwrap());
    assert_eq!(
        ground.kit.recover(),
        sayso_tools::recover::Recovered::default(),
        "nothing was changed"
    );
    drop(before(&ground, "loud").unwrap());
    sh(
        &ground,
        "rm a; mkdir -p sub/target; echo x > sub/target/x; echo y > target/y",
    );
    let recovered = ground.kit.recover_knowing(RULES);
    assert!(
        recovered.left[0].contains("2 made, 0 changed, 1 removed"),
        "{recovered:?}"
    );
    ground.undo(Which::Id("loud")).unwrap();
    assert_eq!(ground.tree(), then);

    // Cut off between the two last things that were to do: it is one change, not two.
    drop(before(&ground, "twice").unwrap());
    let folder = ground.state.join("changes");
    let open = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains(".open."));
    let open = open.unwrap();
    fs::copy(&open, open.to_str().unwrap().replace(".open.json", ".json")).unwrap();
    assert_eq!(
        ground.kit.recover(),
        sayso_tools::recover::Recovered::default()
    );
    assert!(!open.exists());
}

#[test]
fn a_workspace_that_is_gone_is_waited_for() {
    let ground = Ground::new();
    ground.write("a", "a");
    drop(before(&ground, "run").unwrap());
    let away = ground.outside.join("away");
    fs::remove_file(ground.ws.join("a")).unwrap();
    fs::rename(&ground.ws, &away).unwrap();
    for _ in 0..2 {
        assert!(ground.kit.recover().left[0].contains("cannot be told now"));
    }
    fs::rename(&away, &ground.ws).unwrap();
    assert!(ground.kit.recover().left[0].contains("1 removed"));
    ground.undo(Which::Last).unwrap();
    assert_eq!(ground.read("a"), "a");

    // Without the listing nothing is known, and that is said once.
    drop(before(&ground, "lost").unwrap());
    let listing = ground.kit.changes().under_way()[0].listing.unwrap();
    fs::remove_file(ground.kit.backups().path(&listing)).unwrap();
    assert!(ground.kit.recover().left[0].contains("the listing from before it is gone"));
    assert_eq!(
        ground.kit.recover(),
        sayso_tools::recover::Recovered::default()
    );
}

#[test]
fn what_others_do_meanwhile_breaks_nothing() {
    let ground = Ground::in_memory();
    for name in 0..200 {
        ground.write(&format!("d{}/f{name}", name % 7), format!("{name}"));
    }
    let stop = AtomicBool::new(false);
    let (mut kept, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0_usize.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let path = ground.ws.join(format!("d{}/t{}", round % 7, round % 5));
                let _ = fs::write(&path, "x".repeat(round % 9000));
                let _ = fs::OpenOptions::new()
                    .append(true)
                    .open(ground.ws.join("d0/f0"))
                    .and_then(|mut file| file.write_all(b"more"));
                let _ = fs::remove_file(&path);
                let _ = fs::create_dir(&path).and_then(|()| fs::remove_dir(&path));
            }
        });
        for _ in 0..60 {
            match before(&ground, "x") {
                Ok(keeping) => {
                    keeping.after(&ground.kit, RULES).unwrap();
                    kept += 1;
                }
                Err(NotKept::Cannot(why)) => {
                    assert!(
                        why.to_string().contains("is being written to")
                            || why.to_string().contains("is a folder")
                            || why.to_string().contains("not a folder"),
                        "{why}"
                    );
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("beside a busy writer: {kept} kept, {refused} refused");
    assert!(ground.kit.changes().under_way().is_empty());
}

/// What only somebody without special rights can try.
fn nobody(kit: &Files, ws: &Path) {
    let bits = |path: &str, mode: u32| {
        fs::set_permissions(ws.join(path), fs::Permissions::from_mode(mode)).unwrap()
    };
    let before = || {
        Keeping::before(
            kit,
            About {
                id: "x".to_owned(),
                ..About::default()
            },
            ws,
            KeepLimits::default(),
            RULES,
        )
    };
    let refused = |words: &str| match before() {
        Err(NotKept::Cannot(why)) => assert!(why.to_string().contains(words), "{why}"),
        other => panic!("{other:?}"),
    };
    let undo = || undo::apply(kit, &undo::plan(kit, Which::Last).unwrap(), "", "").unwrap();
    fs::create_dir_all(ws.join("d/e")).unwrap();
    fs::write(ws.join("d/x"), "x").unwrap();
    fs::write(ws.join("d/e/y"), "y").unwrap();
    // What may not be read cannot be kept.
    bits("d/x", 0);
    refused("d/x`: permission denied");
    bits("d/x", 0o644);
    bits("d/e", 0);
    refused("d/e`: permission denied");
    bits("d/e", 0o755);
    // A folder that a command closed is opened again, whatever it is closed to.
    for mode in [0o555, 0o111, 0] {
        let then = tree(ws);
        let keeping = before().unwrap();
        fs::write(ws.join("d/e/y"), "other").unwrap();
        fs::write(ws.join("d/new"), "new").unwrap();
        bits("d/e", mode);
        bits("d", 0o555);
        let done = keeping.after(kit, RULES).unwrap();
        if mode == 0o555 {
            assert_eq!(done.left_out, Vec::<String>::new());
            undo();
            assert_eq!(then, tree(ws), "{mode:o}");
        } else {
            // What is in it could not be looked at, so it stays, and that is said.
            assert!(
                done.left_out[0].starts_with("`d/e`: cannot be looked at"),
                "{done:?}"
            );
            undo();
            assert_eq!(fs::read_to_string(ws.join("d/e/y")).unwrap(), "other");
            assert!(!ws.join("d/new").exists());
        }
    }
    // Nor can anything be kept where nothing can be written.
    let backups = ws.with_file_name("state").join("backups");
    fs::write(ws.join("late"), "late").unwrap();
    fs::set_permissions(&backups, fs::Permissions::from_mode(0o500)).unwrap();
    refused("no backup could be made");
    fs::set_permissions(&backups, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(kit.changes().under_way().is_empty());
    println!("all of it held");
}

#[test]
fn without_special_rights_what_is_closed_is_told() {
    let ground = Ground::in_memory();
    ground.holds_for_nobody(program(&ground, "nobody"));
}
