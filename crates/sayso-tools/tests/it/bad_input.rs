//! Input and places that no tool should be given.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use sayso_core::call::operation::{Call, Operation};
use sayso_core::text::node::Node;
use sayso_tools::files::run;
use sayso_tools::open_nofollow::{PathError, Way, folder};
use sayso_tools::undo::Which;

use crate::ground::{Ground, yes};

#[test]
fn wrong_calls_are_refused_in_words() {
    let ground = Ground::new();
    ground.write("a.txt", "one one\n");
    ground.write("d/x", "x");
    ground.write("crlf", "a\r\nb\r\n");
    ground.write("bin", b"a\0b");
    ground.write("latin", b"caf\xe9");
    symlink("d", ground.ws.join("to-d")).unwrap();
    for (tool, args, says) in [
        (
            "file_edit",
            vec![("path", "a.txt"), ("find", "zwei"), ("replace", "x")],
            "does not occur",
        ),
        (
            "file_edit",
            vec![("path", "a.txt"), ("find", "one"), ("replace", "x")],
            "occurs 2 times",
        ),
        (
            "file_edit",
            vec![("path", "a.txt"), ("find", ""), ("replace", "x")],
            "is empty",
        ),
        (
            "file_edit",
            vec![("path", "none"), ("find", "a"), ("replace", "x")],
            "does not exist",
        ),
        (
            "file_edit",
            vec![("path", "crlf"), ("find", "a\nb"), ("replace", "x")],
            "does not occur",
        ),
        (
            "file_edit",
            vec![("path", "bin"), ("find", "a"), ("replace", "x")],
            "no text file",
        ),
        (
            "file_edit",
            vec![("path", "latin"), ("find", "a"), ("replace", "x")],
            "not UTF-8",
        ),
        (
            "file_insert_after",
            vec![("path", "a.txt"), ("after", "zwei"), ("content", "x")],
            "does not occur",
        ),
        (
            "file_insert_after",
            vec![("path", "none"), ("after", "a"), ("content", "x")],
            "does not exist",
        ),
        (
            "file_create",
            vec![("path", "a.txt"), ("content", "x")],
            "is there already",
        ),
        (
            "file_create",
            vec![("path", "d"), ("content", "x")],
            "is there already",
        ),
        (
            "file_create",
            vec![("path", "a.txt/b"), ("content", "x")],
            "is not a folder",
        ),
        (
            "file_write",
            vec![("path", "d"), ("content", "x")],
            "is a folder, not a file",
        ),
        (
            "file_write",
            vec![("path", "/"), ("content", "x")],
            "is a folder, not a file",
        ),
        (
            "file_write",
            vec![("path", "."), ("content", "x")],
            "is a folder, not a file",
        ),
        (
            "file_append",
            vec![("path", "d"), ("content", "x")],
            "is a folder, not a file",
        ),
        ("file_delete", vec![("path", "d")], "is a folder"),
        ("file_delete", vec![("path", "none")], "does not exist"),
        ("file_delete", vec![("path", "none/none")], "does not exist"),
        ("file_rmdir", vec![("path", "d")], "is not empty"),
        ("file_rmdir", vec![("path", "a.txt")], "is not a folder"),
        ("file_rmdir", vec![("path", "to-d")], "is a link"),
        (
            "file_rmdir",
            vec![("path", "d"), ("recursive", "maybe")],
            "neither true nor false",
        ),
        (
            "file_move",
            vec![("from", "none"), ("to", "x")],
            "does not exist",
        ),
        (
            "file_move",
            vec![("from", "a.txt"), ("to", "d/x")],
            "is there already",
        ),
        (
            "file_move",
            vec![("from", "a.txt"), ("to", "d")],
            "is there already",
        ),
        (
            "file_move",
            vec![("from", "a.txt"), ("to", "none/x")],
            "does not exist",
        ),
        (
            "file_move",
            vec![("from", "d"), ("to", "d/e")],
            "cannot go into itself",
        ),
        (
            "file_move",
            vec![("from", "a.txt"), ("to", "a.txt")],
            "cannot go into itself",
        ),
        (
            "file_copy",
            vec![("from", "a.txt"), ("to", "d/x")],
            "is there already",
        ),
        (
            "file_copy",
            vec![("from", "d"), ("to", "d/e")],
            "cannot go into itself",
        ),
        (
            "file_copy",
            vec![("from", "none"), ("to", "x")],
            "does not exist",
        ),
        ("file_mkdir", vec![("path", "a.txt")], "is not a folder"),
        ("file_mkdir", vec![("path", "a.txt/b")], "is not a folder"),
        (
            "file_mkdir",
            vec![("path", "p/q"), ("parents", "false")],
            "does not exist",
        ),
        (
            "file_write",
            vec![("path", "~/x"), ("content", "x")],
            "not judged",
        ),
        ("terminal", vec![("command", "ls")], "is no file tool"),
    ] {
        let error = ground.refused(tool, &args);
        assert!(error.contains(says), "{tool} {args:?}: {error}");
    }
    assert!(
        ground.kit.changes().all().is_empty(),
        "what did not happen is not on record"
    );
    let name = "x".repeat(300);
    ground.refused("file_write", &[("path", &name), ("content", "x")]);
    let call = Call::new(
        "file_write",
        Node::map([("path", Node::text("a\0b")), ("content", Node::text(""))]),
        "/ws",
    );
    assert!(Operation::freeze(call).is_err());
    // A verdict on another call opens nothing.
    let (one, other) = (
        ground.op("file_delete", &[("path", Node::text("a.txt"))]),
        ground.op("file_read", &[("path", Node::text("a.txt"))]),
    );
    assert!(!run(&ground.kit, &one, &ground.judge(&other)).success);
    assert!(ground.has("a.txt"));
}

#[test]
fn large_odd_and_binary_content_comes_through_byte_for_byte() {
    let ground = Ground::new();
    let large = "0123456789abcde\n".repeat(640 * 1024);
    ground.ok("file_create", &[("path", "large"), ("content", &large)]);
    assert_eq!(ground.read("large").len(), 10 << 20);
    ground.ok("file_append", &[("path", "large"), ("content", "end")]);
    assert!(ground.read("large").ends_with("end"));
    ground.undo(Which::Last).unwrap();
    ground.undo(Which::Last).unwrap();
    assert!(!ground.has("large"));

    ground.ok(
        "file_create",
        &[("path", "odd"), ("content", "a\0b\r\n\u{feff}\u{202e}\r")],
    );
    assert_eq!(ground.read("odd"), "a\0b\r\n\u{feff}\u{202e}\r");
    ground.write("latin", b"caf\xe9");
    ground.ok("file_append", &[("path", "latin"), ("content", "+")]);
    assert_eq!(fs::read(ground.ws.join("latin")).unwrap(), b"caf\xe9+");
    ground.undo(Which::Last).unwrap();
    assert_eq!(fs::read(ground.ws.join("latin")).unwrap(), b"caf\xe9");

    // Names that are no text: they cannot be called, but they can be in a folder.
    let odd = OsStr::from_bytes(b"n\xff\n");
    fs::create_dir_all(ground.ws.join("d").join(odd)).unwrap();
    fs::write(ground.ws.join("d").join(odd).join(odd), b"\xfe").unwrap();
    symlink(odd, ground.ws.join("d/link")).unwrap();
    let before = ground.tree();
    ground.ok("file_copy", &[("from", "d"), ("to", "e")]);
    assert!(
        ground
            .run_nodes(
                "file_rmdir",
                &[("path", Node::text("d")), ("recursive", yes())]
            )
            .success
    );
    assert!(!ground.has("d") && ground.ws.join("e").join(odd).join(odd).exists());
    ground.undo(Which::Last).unwrap();
    ground.undo(Which::Last).unwrap();
    assert_eq!(before, ground.tree());
}

#[test]
fn pipes_devices_and_sockets_are_left_alone() {
    let ground = Ground::new();
    ground.write("a", "a");
    assert!(
        Command::new("mkfifo")
            .arg(ground.ws.join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let _socket = std::os::unix::net::UnixListener::bind(ground.ws.join("socket")).unwrap();
    let device = Command::new("mknod")
        .arg(ground.ws.join("device"))
        .args(["c", "1", "3"])
        .status()
        .is_ok_and(|status| status.success());
    if !device {
        println!("NOT CHECKED: a device of our own, as this user may make none");
    }
    let names = ["pipe", "socket", "/dev/null", "/dev/zero"]
        .into_iter()
        .chain(device.then_some("device"));
    for name in names {
        for (tool, more) in [
            ("file_write", vec![("content", "x")]),
            ("file_append", vec![("content", "x")]),
            ("file_edit", vec![("find", "x"), ("replace", "y")]),
            ("file_delete", vec![]),
        ] {
            let mut args = vec![("path", name)];
            args.extend(more);
            let error = ground.refused(tool, &args);
            assert!(
                error.contains("pipe") || error.contains("socket") || error.contains("device"),
                "{tool} {name}: {error}"
            );
        }
        ground.refused("file_copy", &[("from", name), ("to", "copy")]);
        ground.refused("file_move", &[("from", name), ("to", "moved")]);
        assert!(
            !ground.run("file_read", &[("path", name)]).success,
            "{name}"
        );
        assert!(
            !ground
                .run("file_grep", &[("pattern", "x"), ("path", name)])
                .success,
            "{name}"
        );
    }
    ground.ok("file_grep", &[("pattern", "x")]);
    let result = ground.run_nodes(
        "file_rmdir",
        &[
            ("path", Node::text(ground.ws.to_str().unwrap())),
            ("recursive", yes()),
        ],
    );
    assert!(
        result.error.contains("cannot be kept") && result.error.ends_with("nothing was changed"),
        "{}",
        result.error
    );
    ground.refused(
        "file_copy",
        &[
            ("from", ground.ws.to_str().unwrap()),
            ("to", "../outside/copy"),
        ],
    );
}

#[test]
fn a_link_put_in_the_way_after_the_judging_is_refused() {
    let ground = Ground::new();
    fs::write(ground.outside.join("x"), "secret").unwrap();
    for (tool, args) in [
        ("file_read", vec![("path", "d/x")]),
        ("file_grep", vec![("path", "d"), ("pattern", "secret")]),
        ("list", vec![("path", "d")]),
        ("glob", vec![("pattern", "d/*")]),
        ("file_write", vec![("path", "d/x"), ("content", "y")]),
        ("file_create", vec![("path", "d/new"), ("content", "y")]),
        ("file_create", vec![("path", "d/n/new"), ("content", "y")]),
        ("file_delete", vec![("path", "d/x")]),
        ("file_move", vec![("from", "d/x"), ("to", "y")]),
        ("file_move", vec![("from", "a"), ("to", "d/a")]),
        ("file_copy", vec![("from", "d/x"), ("to", "y")]),
        ("file_copy", vec![("from", "d"), ("to", "y")]),
        ("file_mkdir", vec![("path", "d/m")]),
        ("file_rmdir", vec![("path", "d/e")]),
    ] {
        ground.write("d/x", "x");
        ground.write("a", "a");
        fs::create_dir_all(ground.ws.join("d/e")).unwrap();
        let args: Vec<(&str, Node)> = args
            .into_iter()
            .map(|(key, text)| (key, Node::text(text)))
            .collect();
        let operation = ground.op(tool, &args);
        let verdict = ground.judge(&operation);
        fs::remove_dir_all(ground.ws.join("d")).unwrap();
        symlink(&ground.outside, ground.ws.join("d")).unwrap();
        let (before, outside) = (ground.tree(), crate::ground::tree(&ground.outside));
        let result = run(&ground.kit, &operation, &verdict);
        assert!(
            !result.success && result.error.contains("a link was put in the way of"),
            "{tool}: {result:?}"
        );
        assert_eq!(before, ground.tree());
        assert_eq!(outside, crate::ground::tree(&ground.outside));
        fs::remove_file(ground.ws.join("d")).unwrap();
    }
    // The same name by name, as on a kernel without the rule against links.
    fs::create_dir_all(ground.ws.join("p/q")).unwrap();
    symlink(&ground.outside, ground.ws.join("p/out")).unwrap();
    for way in [Way::Best, Way::ByName] {
        assert!(folder(&ground.ws.join("p/q"), way).is_ok());
        assert!(matches!(
            folder(&ground.ws.join("p/out"), way),
            Err(PathError::Link(_))
        ));
        assert!(matches!(
            folder(&ground.ws.join("p/none/x"), way),
            Err(PathError::Missing(_))
        ));
        assert!(matches!(
            folder(&ground.ws.join("p/q/.."), way),
            Err(PathError::Missing(_))
        ));
        assert!(matches!(
            folder(Path::new("relative"), way),
            Err(PathError::Missing(_))
        ));
    }
}

#[test]
fn a_file_that_changes_while_it_is_edited_is_not_overwritten() {
    // Somebody adds lines as fast as they can, each in one call; no line may be lost and none of ours may half appear.
    let ground = Ground::new();
    ground.write("log", "");
    let done = AtomicBool::new(false);
    let (mut refused, mut written) = (0, 0);
    let theirs = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut count = 0;
            while !done.load(Ordering::Relaxed) {
                // A new file under the same name each time, as an editor does it.
                let text = fs::read_to_string(ground.ws.join("log")).unwrap();
                fs::write(ground.outside.join("log.new"), format!("{text}t{count}\n")).unwrap();
                if fs::read_to_string(ground.ws.join("log")).unwrap() == text {
                    fs::rename(ground.outside.join("log.new"), ground.ws.join("log")).unwrap();
                    count += 1;
                }
            }
            count
        });
        for round in 0..300 {
            let result = ground.run(
                "file_append",
                &[("path", "log"), ("content", &format!("o{round}\n"))],
            );
            if result.success {
                written += 1;
            } else {
                assert!(
                    result.error.contains("meanwhile") || result.error.contains("changed"),
                    "{}",
                    result.error
                );
                refused += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    println!(
        "a file that changes while it is edited: {written} written, {refused} refused, {theirs} by somebody else"
    );
    assert!(ground.tree().len() == 1, "{:?}", ground.tree());
    let log = ground.read("log");
    let is_whole = |line: &str| line.starts_with(['t', 'o']) && line[1..].parse::<u64>().is_ok();
    assert!(log.ends_with('\n') && log.lines().all(is_whole), "{log}");

    // A change between the reading and the writing that leaves size and time alone is found, too: the bytes are compared.
    ground.write("a", "one");
    let operation = ground.op(
        "file_append",
        &[("path", Node::text("a")), ("content", Node::text("+"))],
    );
    let verdict = ground.judge(&operation);
    assert!(run(&ground.kit, &operation, &verdict).success);
    assert_eq!(ground.read("a"), "one+");
}

#[test]
fn a_full_disk_changes_nothing() {
    let ground = Ground::new();
    let disk = ground.ws.join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "none"])
        .arg(&disk)
        .output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        println!("NOT CHECKED: a full disk, as this user may mount none");
        return;
    }
    ground.write("disk/a", "small");
    let large = "x".repeat(200_000);
    let mut errors = Vec::new();
    for (tool, path) in [
        ("file_write", "disk/a"),
        ("file_create", "disk/b"),
        ("file_append", "disk/a"),
        ("file_create", "disk/n/m/b"),
    ] {
        let before = ground.tree();
        let result = ground.run(tool, &[("path", path), ("content", &large)]);
        errors.push((result.success, result.error, before == ground.tree()));
    }
    let moved = ground.run("file_move", &[("from", "disk/a"), ("to", "a")]);
    let whole = ground.run_nodes(
        "file_rmdir",
        &[("path", Node::text("disk")), ("recursive", yes())],
    );
    let kept = ground.read("disk/a");
    let unmounted = Command::new("umount")
        .arg(&disk)
        .status()
        .unwrap()
        .success();
    assert!(unmounted);
    for (success, error, same) in errors {
        assert!(
            !success
                && same
                && error.contains("the disk is full")
                && error.ends_with("nothing was changed"),
            "{error}"
        );
    }
    assert!(moved.error.contains("different disks"), "{}", moved.error);
    assert!(
        !whole.success && whole.error.ends_with("nothing was changed"),
        "{whole:?}"
    );
    assert_eq!(kept, "small");
    assert!(ground.kit.changes().all().is_empty());
}
