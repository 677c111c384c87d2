//! Commands of any kind in a workspace that is kept, and the way back.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sayso_core::text::digest::Digest;
use sayso_tools::backups::Limits;
use sayso_tools::files::About;
use sayso_tools::list_workspace::{Git, NotKept, Rules};
use sayso_tools::undo::{self, Which};
use sayso_tools::workspace_backup::{AfterCommand, KeepLimits, Keeping};

use crate::ground::Ground;

fn named(path: &Path, name: &str) -> bool {
    path.file_name() == Some(OsStr::new(name))
}

/// Git ignores `target`, `data` and `.env`.
pub const RULES: Rules<'static> = Rules {
    git: &|path, _| {
        let ignored = |path: &Path| {
            ["target", "data", ".env"]
                .iter()
                .any(|name| named(path, name))
        };
        match path.ancestors().any(ignored) {
            true => Git::Ignores,
            false => Git::Keeps,
        }
    },
    hidden: &[],
};

pub fn about(ground: &Ground, id: &str) -> About {
    let workspace = ground.ws.to_str().unwrap().to_owned();
    About {
        id: id.to_owned(),
        batch: Some("batch".to_owned()),
        tool: "terminal".to_owned(),
        workspace,
        ..About::default()
    }
}

pub fn before(ground: &Ground, id: &str) -> Result<Keeping, NotKept> {
    Keeping::before(
        &ground.kit,
        about(ground, id),
        &ground.ws,
        KeepLimits::default(),
        RULES,
    )
}

pub fn sh(ground: &Ground, script: &str) {
    let status = Command::new("sh")
        .args(["-ec", script])
        .current_dir(&ground.ws)
        .status()
        .unwrap();
    assert!(status.success(), "{script}");
}

/// Keeps the workspace, runs a command in it, and tells what it did.
fn command(ground: &Ground, id: &str, script: &str) -> AfterCommand {
    let keeping = before(ground, id).unwrap();
    sh(ground, script);
    keeping.after(&ground.kit, RULES).unwrap()
}

pub fn some(ground: &Ground) {
    ground.write("a", "first\n");
    ground.write("b", "second\n");
    ground.write("src/main.rs", "fn main() {}\n");
    ground.write("src/deep/er/x", "x");
    ground.write("target/debug/out", "built");
    ground.write(".env", "SECRET=1");
    ground.write(".git/HEAD", "ref: x");
    fs::create_dir(ground.ws.join("empty")).unwrap();
    std::os::unix::fs::symlink("a", ground.ws.join("link")).unwrap();
}

pub fn names(ground: &Ground, paths: &[PathBuf]) -> Vec<String> {
    paths
        .iter()
        .map(|path| {
            path.strip_prefix(&ground.ws)
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[test]
fn whatever_a_command_did_is_taken_back_and_done_again() {
    for script in [
        "echo other > a",
        "echo more >> a",
        ": > a",
        "rm a",
        "mv a c",
        "mv b a",
        "mv src lib",
        "rm -r src",
        "rmdir empty",
        "chmod +x a",
        "chmod 700 src",
        "mkdir -p new/tree/of/folders && echo x > new/tree/file && ln -s nowhere new/dangling && mkdir new/none",
        "ln -sfn b link",
        "rm link && echo text > link",
        "rm a && mkdir a && echo x > a/x",
        "rm -r src && echo file > src",
        "rm -r empty && ln -s a empty",
        "rm a && mkfifo a",
        "cp -r src src2 && rm -r src/deep && echo x > src2/main.rs",
        "chmod 755 src && echo y > src/main.rs && chmod 500 src",
        "touch -r a stamp && printf 'FIRST\\n' > a && touch -r stamp a && rm stamp",
        "for i in 1 2 3 4 5 6 7 8 9; do echo $i > n$i; done; rm b; mv src/main.rs m.rs; chmod 600 a",
        "printf x > \"$(printf 'new\\nline')\"; printf y > \"$(printf 'no\\377text')\"",
        "rm -rf ./*",
        "chmod 750 .",
    ] {
        let ground = Ground::new();
        some(&ground);
        let top = || fs::metadata(&ground.ws).unwrap().permissions().mode();
        let (then, bits) = (ground.tree(), top());
        let done = command(&ground, "run", script);
        assert_eq!(done.change.as_deref(), Some("u1"), "{script}");
        let (after, new_bits) = (ground.tree(), top());
        assert!(then != after || bits != new_bits, "{script}");
        let undone = ground
            .undo(Which::Id("run"))
            .unwrap_or_else(|why| panic!("{script}: {why}"));
        let mut back = ground.tree();
        assert_eq!(done.left_out, Vec::<String>::new(), "{script}");
        assert_eq!((&back, top()), (&then, bits), "{script}");
        if script == "rm a && mkfifo a" {
            assert!(
                ground
                    .undo(Which::Id(&undone.id))
                    .unwrap_err()
                    .contains("cannot be made"),
                "{script}"
            );
            continue;
        }
        ground
            .undo(Which::Id(&undone.id))
            .unwrap_or_else(|why| panic!("{script}: {why}"));
        back = ground.tree();
        assert_eq!((back, top()), (after, new_bits), "{script}");
        assert!(ground.kit.changes().under_way().is_empty());
    }
}

#[test]
fn it_is_told_what_a_command_did() {
    let ground = Ground::new();
    some(&ground);
    ground.write("tool/Cargo.toml", "");
    ground.write("tool/target/debug/tool", "built");
    let keeping = before(&ground, "one").unwrap();
    assert_eq!(
        keeping.remarks(),
        ["`tool/target` can be rebuilt and is not kept"]
    );
    assert_eq!(keeping.rebuildable(), [ground.ws.join("tool/target")]);
    sh(
        &ground,
        "echo x >> a; rm b; mkdir n; echo y > n/y; chmod +x src/main.rs; echo z > tool/target/z; ln -sfn b link",
    );
    let done = keeping.after(&ground.kit, RULES).unwrap();
    assert_eq!(names(&ground, &done.created), ["n"]);
    assert_eq!(names(&ground, &done.changed), ["a", "link", "src/main.rs"]);
    assert_eq!(names(&ground, &done.deleted), ["b"]);
    assert_eq!(
        (done.change.as_deref(), done.left_out.len()),
        (Some("u1"), 0)
    );
    let change = ground.kit.changes().finished().pop().unwrap();
    assert_eq!(
        (
            change.tool.as_str(),
            change.batch.as_deref(),
            change.listing
        ),
        ("terminal", Some("batch"), None)
    );

    // What changed nothing leaves nothing behind.
    for script in [
        "true",
        "touch a",
        "cat a > a2; rm a2",
        "echo more > tool/target/more",
    ] {
        assert_eq!(
            command(&ground, "none", script),
            AfterCommand::default(),
            "{script}"
        );
    }
    assert_eq!(ground.kit.changes().all().len(), 1);
    // One that did not run neither.
    before(&ground, "never").unwrap().cancel();
    assert_eq!(ground.kit.changes().all().len(), 1);

    // What commands do not see is neither read nor kept, and it is told where another process changed it.
    let hidden = [ground.ws.join(".env")];
    let rules = Rules {
        hidden: &hidden,
        ..RULES
    };
    let keep = || {
        let limits = KeepLimits::default();
        Keeping::before(&ground.kit, about(&ground, "x"), &ground.ws, limits, rules).unwrap()
    };
    ground.write(".env", "SECRET=22");
    let keeping = keep();
    let secret = Digest::of_bytes(b"SECRET=22");
    assert!(!ground.kit.backups().has(&secret));
    ground.write(".env", "SECRET=333");
    let done = keeping.after(&ground.kit, rules).unwrap();
    assert!(
        done.change.is_none() && done.left_out[0].starts_with("`.env`: was changed"),
        "{done:?}"
    );
    let keeping = keep();
    sh(&ground, "rm -r .env tool/target");
    let done = keeping.after(&ground.kit, rules).unwrap();
    assert_eq!(
        done.left_out,
        [
            "`.env`: was not kept, so it does not come back",
            "`tool/target`: can be rebuilt, so it was not kept and does not come back",
        ]
    );
}

#[test]
fn two_commands_in_a_row_are_taken_back_one_by_one_or_together() {
    for together in [false, true] {
        let ground = Ground::new();
        some(&ground);
        let then = ground.tree();
        command(
            &ground,
            "one",
            "echo 1 > a; mkdir d; echo 1 > d/x; mv src s",
        );
        let between = ground.tree();
        command(
            &ground,
            "two",
            "echo 2 >> a; echo 2 > d/y; rm d/x; rm -r s/deep; chmod 700 d",
        );
        ground.ok("file_write", &[("path", "d/y"), ("content", "by a tool")]);
        ground.undo(Which::Last).unwrap();
        if together {
            ground.undo(Which::Batch("batch")).unwrap();
        } else {
            // The older one alone would lose what the newer one did.
            assert!(
                ground
                    .undo(Which::Id("one"))
                    .unwrap_err()
                    .contains("changed since")
            );
            ground.undo(Which::Last).unwrap();
            assert_eq!(ground.tree(), between);
            ground.undo(Which::Last).unwrap();
        }
        assert_eq!(ground.tree(), then);
        assert_eq!(
            ground.undo(Which::Last).unwrap_err(),
            "there is nothing to undo"
        );
    }
}

#[test]
fn what_somebody_changed_since_is_not_lost() {
    for (script, foreign, said) in [
        (
            "echo x > a; rm b",
            "echo mine > a",
            "`holds something else now`",
        ),
        ("rm b; echo x > a", "echo mine > b", "is there now"),
        (
            "mkdir n; echo x > n/x; rm b",
            "echo mine > n/mine",
            "n/mine` is there now",
        ),
        ("chmod +x a; rm b", "chmod 600 a", "permissions"),
        (
            "chmod 700 src; echo x > src/main.rs",
            "echo mine > src/main.rs",
            "holds something else",
        ),
        ("chmod 700 src; rm b", "chmod 711 src", "permissions"),
    ] {
        let ground = Ground::new();
        some(&ground);
        command(&ground, "run", script);
        sh(&ground, foreign);
        let before = ground.tree();
        let plan = undo::plan(&ground.kit, Which::Id("run")).unwrap();
        assert_eq!(plan.conflicts.len(), 1, "{script}: {:?}", plan.conflicts);
        let error = ground.undo(Which::Id("run")).unwrap_err();
        assert!(
            error.contains("nothing was changed") && error.contains(said.trim_matches('`')),
            "{script}: {error}"
        );
        assert_eq!(before, ground.tree(), "{script}");
    }
    // What the command wrote is kept as well, so what came after it can be shown.
    let ground = Ground::new();
    some(&ground);
    command(&ground, "run", "echo theirs > a");
    ground.write("a", "theirs\nand mine\n");
    assert!(ground.undo(Which::Last).unwrap_err().contains("+and mine"));
}

#[test]
fn what_was_built_goes_with_the_command_that_built_it() {
    let ground = Ground::new();
    some(&ground);
    let then = ground.tree();
    let done = command(
        &ground,
        "run",
        "mkdir -p pkg/src pkg/target; touch pkg/Cargo.toml; echo x > pkg/src/x; echo o > pkg/target/o",
    );
    assert_eq!(names(&ground, &done.created), ["pkg"]);
    assert_eq!(done.left_out, Vec::<String>::new());
    // It is not looked into, so what came later goes, too.
    sh(&ground, "echo p > pkg/target/p");
    let undone = ground.undo(Which::Id("run")).unwrap();
    assert!(
        undone.words[0].contains("which can be rebuilt"),
        "{undone:?}"
    );
    assert_eq!(ground.tree(), then);
    // It does not come back with the rest.
    let undone = ground.undo(Which::Id(&undone.id)).unwrap();
    assert!(ground.has("pkg/src/x") && !ground.has("pkg/target"));
    ground.undo(Which::Id(&undone.id)).unwrap();
    // Another folder in its place is not what the command made.
    command(
        &ground,
        "two",
        "mkdir -p pkg/target; touch pkg/Cargo.toml; echo o > pkg/target/o",
    );
    sh(
        &ground,
        "mv pkg/target aside; mkdir pkg/target; echo mine > pkg/target/o",
    );
    assert!(ground.undo(Which::Last).unwrap_err().contains("pkg/target"));
    assert_eq!(ground.read("pkg/target/o"), "mine\n");
}

#[test]
fn what_was_kept_once_does_not_become_rebuildable() {
    let ground = Ground::new();
    some(&ground);
    let then = ground.tree();
    // `target` is data until a command puts the file beside it that would make it rebuildable.
    command(&ground, "one", "touch Cargo.toml");
    command(&ground, "two", "rm -r target");
    ground.undo(Which::Batch("batch")).unwrap();
    assert_eq!(ground.tree(), then);
}

#[test]
fn a_virtual_environment_is_rebuildable_for_the_session_that_made_it() {
    let ground = Ground::new();
    let rules = Rules {
        git: &|_, _| Git::NoRepository,
        hidden: &[],
    };
    let keep = |session: &str| {
        let about = About {
            session: session.to_owned(),
            ..about(&ground, "x")
        };
        Keeping::before(&ground.kit, about, &ground.ws, KeepLimits::default(), rules).unwrap()
    };
    ground.write("venv/pyvenv.cfg", "the person's");
    let keeping = keep("one");
    assert_eq!(keeping.rebuildable(), [] as [PathBuf; 0]);
    sh(&ground, "mkdir .venv; touch .venv/pyvenv.cfg");
    keeping.after(&ground.kit, rules).unwrap();
    let keeping = keep("one");
    assert_eq!(keeping.rebuildable(), [ground.ws.join(".venv")]);
    keeping.cancel();
    let keeping = keep("two");
    assert_eq!(keeping.rebuildable(), [] as [PathBuf; 0]);
    keeping.cancel();
}

#[test]
fn new_ignore_rules_hide_nothing_that_was_kept() {
    let ground = Ground::new();
    some(&ground);
    let then = ground.tree();
    let keeping = before(&ground, "run").unwrap();
    sh(
        &ground,
        "echo '*' > .gitignore; echo x > a; rm -r src; echo new > new",
    );
    let all = Rules {
        git: &|_, _| Git::Ignores,
        hidden: &[],
    };
    let done = keeping.after(&ground.kit, all).unwrap();
    assert_eq!(
        (names(&ground, &done.changed), names(&ground, &done.deleted)),
        (vec!["a".to_owned()], vec!["src".to_owned()])
    );
    ground.undo(Which::Id("run")).unwrap();
    assert_eq!(ground.tree(), then);
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let ground = Ground::new();
    for name in 0..50 {
        ground.write(&format!("d{}/f{name}", name % 5), format!("content {name}"));
    }
    let keep = || {
        let keeping = before(&ground, "x").unwrap();
        let read = keeping.files_read();
        keeping.cancel();
        read
    };
    assert_eq!(keep(), 50);
    // A file that was written just before it was looked at may have been written again since.
    std::thread::sleep(Duration::from_millis(2500));
    keep();
    assert_eq!(keep(), 0);
    // The same size and the same time of writing do not hide a change.
    sh(
        &ground,
        "touch -r d0/f0 stamp; printf 'CONTENT 0' > d0/f0; touch -r stamp d0/f0; rm stamp",
    );
    let keeping = before(&ground, "x").unwrap();
    assert_eq!(keeping.files_read(), 1);
    assert!(ground.kit.backups().has(&Digest::of_bytes(b"CONTENT 0")));
    keeping.cancel();
    // A backup that is gone or damaged is made again, and a listing that is damaged is not believed.
    fs::remove_file(ground.kit.backups().path(&Digest::of_bytes(b"content 7"))).unwrap();
    fs::write(
        ground.kit.backups().path(&Digest::of_bytes(b"content 8")),
        "short",
    )
    .unwrap();
    assert!(keep() >= 2);
    assert_eq!(
        fs::read(ground.kit.backups().path(&Digest::of_bytes(b"content 8"))).unwrap(),
        b"content 8"
    );
    let last = ground.kit.listings().last(&ground.ws).unwrap();
    let text = fs::read(ground.kit.backups().path(&last)).unwrap();
    fs::write(
        ground.kit.backups().path(&last),
        String::from_utf8_lossy(&text).replace("sha256:", "sha256:0"),
    )
    .unwrap();
    assert_eq!(keep(), 50);
    // Only the last listing of a workspace is kept, but for one whose lock a program that was just being started still had.
    let is_listing = |path: PathBuf| fs::read(path).unwrap().starts_with(b"sayso listing");
    let listings = ground
        .kit
        .backups()
        .all()
        .iter()
        .filter(|kept| is_listing(ground.kit.backups().path(&kept.digest)))
        .count();
    assert!(
        (1..=2).contains(&listings),
        "{listings} listings are kept of at least five"
    );
}

#[test]
fn while_a_command_runs_nothing_it_may_change_is_thrown_away() {
    let ground = Ground::with(Limits {
        file: 3000,
        total: 6000,
        days: 30,
    });
    ground.write("a", "a".repeat(2500));
    let keeping = before(&ground, "run").unwrap();
    for round in 0..5 {
        ground.ok(
            "file_write",
            &[
                ("path", "notes"),
                ("content", &round.to_string().repeat(2000)),
            ],
        );
    }
    let later = std::time::SystemTime::now() + Duration::from_hours(2);
    sayso_tools::prune::prune(ground.kit.changes(), ground.kit.backups(), later);
    sh(&ground, "rm a");
    keeping.after(&ground.kit, RULES).unwrap();
    ground.undo(Which::Id("run")).unwrap();
    assert_eq!(ground.read("a").len(), 2500);
}

#[test]
fn more_new_names_than_are_looked_at_stay_and_that_is_said() {
    let ground = Ground::in_memory();
    ground.write("a", "a");
    let limits = KeepLimits {
        names: 40,
        ..KeepLimits::default()
    };
    let about = about(&ground, "run");
    let keeping = Keeping::before(&ground.kit, about, &ground.ws, limits, RULES).unwrap();
    sh(&ground, "echo x > a; mkdir m; cd m; seq 100 | xargs touch");
    let done = keeping.after(&ground.kit, RULES).unwrap();
    assert!(
        done.left_out
            .iter()
            .any(|words| words.contains("is not removed")),
        "{:?}",
        done.left_out
    );
    ground.undo(Which::Id("run")).unwrap();
    assert_eq!(ground.read("a"), "a");
    assert!(ground.has("m"));
}

#[test]
fn names_that_are_no_text_are_kept_like_any_other() {
    let ground = Ground::new();
    let odd = ground.ws.join(OsStr::from_bytes(b"od\xffd\nname"));
    fs::write(&odd, "odd").unwrap();
    std::os::unix::fs::symlink(OsStr::from_bytes(b"\xfe\n"), ground.ws.join("l")).unwrap();
    let then = ground.tree();
    let done = command(&ground, "run", "rm -r ./*");
    assert_eq!(done.deleted.len(), 2);
    ground.undo(Which::Last).unwrap();
    assert_eq!(ground.tree(), then);
    assert_eq!(fs::read_to_string(odd).unwrap(), "odd");
}
