//! Every tool, its undo, and the undo of that.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use sayso_core::text::node::Node;
use sayso_tools::files::run;
use sayso_tools::undo::{self, Which};

use crate::ground::{Ground, number, yes};

fn setup() -> Ground {
    let ground = Ground::new();
    ground.write("a.txt", "one\ntwo\nthree\n");
    ground.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(ground.ws.join("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    ground.write("d/x", "x");
    ground.write("d/e/y", "y\r\n");
    fs::set_permissions(ground.ws.join("d/e"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(ground.ws.join("d/e/y"), fs::Permissions::from_mode(0o400)).unwrap();
    symlink("../a.txt", ground.ws.join("d/link")).unwrap();
    symlink("nowhere", ground.ws.join("dangling")).unwrap();
    fs::create_dir(ground.ws.join("empty")).unwrap();
    ground
}

#[test]
fn every_tool_can_be_undone_and_redone() {
    let text = |text: &str| Node::text(text);
    let calls: Vec<(&str, Vec<(&str, Node)>)> = vec![
        (
            "file_create",
            vec![("path", text("new.txt")), ("content", text("new"))],
        ),
        (
            "file_create",
            vec![("path", text("p/q/r.txt")), ("content", text(""))],
        ),
        (
            "file_create_overwrite",
            vec![("path", text("a.txt")), ("content", text("over"))],
        ),
        (
            "file_create_overwrite",
            vec![("path", text("b.txt")), ("content", text("over"))],
        ),
        (
            "file_write",
            vec![("file", text("run.sh")), ("text", text("#!/bin/bash\n"))],
        ),
        (
            "file_write",
            vec![("path", text("./d/../w.txt")), ("content", number(12))],
        ),
        (
            "file_edit",
            vec![
                ("path", text("a.txt")),
                ("old_string", text("two")),
                ("new_string", text("2")),
            ],
        ),
        (
            "file_edit",
            vec![
                ("path", text("a.txt")),
                ("find", text("t")),
                ("replace", text("T")),
                ("replace_all", yes()),
            ],
        ),
        (
            "file_edit",
            vec![
                ("path", text("d/link")),
                ("find", text("one")),
                ("replace", text("1")),
            ],
        ),
        (
            "file_append",
            vec![("path", text("a.txt")), ("content", text("four\n"))],
        ),
        (
            "file_append",
            vec![("path", text("n.txt")), ("content", text("four\n"))],
        ),
        (
            "file_insert_after",
            vec![
                ("path", text("a.txt")),
                ("content", text("and")),
                ("after", text("two")),
            ],
        ),
        (
            "file_insert_before",
            vec![
                ("path", text("a.txt")),
                ("content", text("and")),
                ("line", number(2)),
            ],
        ),
        ("file_delete", vec![("path", text("run.sh"))]),
        ("file_delete", vec![("path", text("d/link"))]),
        ("file_delete", vec![("path", text("dangling"))]),
        (
            "file_move",
            vec![("from", text("run.sh")), ("to", text("d/run.sh"))],
        ),
        (
            "file_move",
            vec![("from", text("d")), ("to", text("empty/d"))],
        ),
        (
            "file_move",
            vec![("from", text("dangling")), ("to", text("d/dangling"))],
        ),
        (
            "file_copy",
            vec![("from", text("run.sh")), ("to", text("copy.sh"))],
        ),
        ("file_copy", vec![("from", text("d")), ("to", text("copy"))]),
        (
            "file_copy",
            vec![("from", text("d/link")), ("to", text("copy.txt"))],
        ),
        ("file_mkdir", vec![("path", text("m"))]),
        ("file_mkdir", vec![("path", text("m/n/o"))]),
        ("file_rmdir", vec![("path", text("empty"))]),
        (
            "file_rmdir",
            vec![("path", text("d")), ("recursive", yes())],
        ),
    ];
    for (tool, args) in calls {
        let ground = setup();
        let before = ground.tree();
        let operation = ground.op_as(tool, &args, "the-id", None);
        let result = run(&ground.kit, &operation, &ground.judge(&operation));
        assert!(result.success, "{tool} {args:?}: {}", result.error);
        let id = result
            .facts
            .iter()
            .find(|(name, _)| *name == "change")
            .unwrap()
            .1
            .as_text()
            .unwrap()
            .to_owned();
        assert_eq!(
            id, "u1",
            "the id of the change, whatever the call is called"
        );
        let after = ground.tree();
        assert_ne!(before, after, "{tool} {args:?}");

        let undone = ground.undo(Which::Id(&id)).unwrap();
        assert_eq!(before, ground.tree(), "{tool} {args:?}: {:?}", undone.words);
        assert!(
            ground
                .undo(Which::Id(&id))
                .unwrap_err()
                .contains("undone already")
        );
        assert!(
            ground
                .undo(Which::Last)
                .unwrap_err()
                .contains("nothing to undo")
        );

        let redone = ground.undo(Which::Id(&undone.id)).unwrap();
        assert_eq!(after, ground.tree(), "{tool} {args:?}: {:?}", redone.words);
        ground.undo(Which::Last).unwrap();
        assert_eq!(before, ground.tree(), "{tool} {args:?}");
        assert!(
            ground
                .tree()
                .keys()
                .all(|path| !path.to_string_lossy().contains(".sayso-"))
        );
    }
}

#[test]
fn what_the_tools_write_is_what_they_say() {
    let ground = setup();
    ground.ok(
        "file_edit",
        &[("path", "a.txt"), ("find", "two"), ("replace", "2")],
    );
    assert_eq!(ground.read("a.txt"), "one\n2\nthree\n");
    ground.ok("file_write", &[("path", "run.sh"), ("content", "x")]);
    assert_eq!(
        fs::metadata(ground.ws.join("run.sh"))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o751
    );
    ground.write("crlf.txt", "a\r\nb\r\n");
    ground.ok(
        "file_edit",
        &[("path", "crlf.txt"), ("find", "b"), ("replace", "c")],
    );
    assert_eq!(ground.read("crlf.txt"), "a\r\nc\r\n");
    let again = ground.ok("file_write", &[("path", "run.sh"), ("content", "x")]);
    assert!(again.output.contains("nothing was changed") && again.facts.is_empty());

    fs::hard_link(ground.ws.join("a.txt"), ground.ws.join("other.txt")).unwrap();
    let result = ground.ok("file_append", &[("path", "a.txt"), ("content", "4")]);
    assert!(result.output.contains("2 names"), "{}", result.output);
    assert_eq!(ground.read("other.txt"), "one\n2\nthree\n");

    fs::set_permissions(ground.ws.join("run.sh"), fs::Permissions::from_mode(0o4755)).unwrap();
    ground.ok("file_write", &[("path", "run.sh"), ("content", "y")]);
    assert_eq!(
        fs::metadata(ground.ws.join("run.sh"))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o755,
        "new content gains no rights"
    );
    ground.undo(Which::Last).unwrap();
    assert_eq!(
        fs::metadata(ground.ws.join("run.sh"))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o4755
    );
}

#[test]
fn a_batch_is_undone_whole_newest_first() {
    let ground = setup();
    let before = ground.tree();
    let text = |text: &str| Node::text(text);
    let calls: Vec<(&str, Vec<(&str, Node)>)> = vec![
        (
            "file_create",
            vec![("path", text("n/a")), ("content", text("1"))],
        ),
        (
            "file_append",
            vec![("path", text("n/a")), ("content", text("2"))],
        ),
        ("file_move", vec![("from", text("n")), ("to", text("m"))]),
        (
            "file_append",
            vec![("path", text("m/a")), ("content", text("3"))],
        ),
        ("file_delete", vec![("path", text("m/a"))]),
        (
            "file_edit",
            vec![
                ("path", text("a.txt")),
                ("find", text("one")),
                ("replace", text("1")),
            ],
        ),
        (
            "file_edit",
            vec![
                ("path", text("a.txt")),
                ("find", text("1")),
                ("replace", text("one")),
            ],
        ),
        (
            "file_rmdir",
            vec![("path", text("d")), ("recursive", yes())],
        ),
    ];
    for (index, (tool, args)) in calls.iter().enumerate() {
        let operation = ground.op_as(tool, args, &format!("b{index}"), Some("the batch"));
        let result = run(&ground.kit, &operation, &ground.judge(&operation));
        assert!(result.success, "{tool}: {}", result.error);
    }
    let after = ground.tree();
    let plan = undo::plan(&ground.kit, Which::Batch("the batch")).unwrap();
    assert_eq!((plan.changes.len(), plan.conflicts.len()), (8, 0));
    let undone = undo::apply(&ground.kit, &plan, "back", "").unwrap();
    assert_eq!(before, ground.tree());
    assert_eq!((undone.id.as_str(), undone.call.as_str()), ("u9", "back"));
    ground.undo(Which::Id("back")).unwrap();
    assert_eq!(after, ground.tree());

    // One of them was changed since: then nothing at all is taken back.
    ground.write("a.txt", "somebody else\n");
    let changed = ground.tree();
    let error = ground.undo(Which::Batch("the batch")).unwrap_err();
    assert!(
        error.contains("-one") && error.contains("+somebody else"),
        "{error}"
    );
    assert_eq!(changed, ground.tree());
}

#[test]
fn a_conflict_behind_another_change_takes_everything_forward_again() {
    let ground = setup();
    let make = |tool: &str, args: &[(&str, Node)]| {
        let operation = ground.op_as(tool, args, tool, Some("b"));
        let result = run(&ground.kit, &operation, &ground.judge(&operation));
        assert!(result.success, "{}", result.error);
    };
    make("file_mkdir", &[("path", Node::text("n"))]);
    make(
        "file_create",
        &[("path", Node::text("n/a")), ("content", Node::text("1"))],
    );
    // Only shows when the file is gone and the folder is to go.
    ground.write("n/b", "mine");
    let before = ground.tree();
    let error = ground.undo(Which::Batch("b")).unwrap_err();
    assert!(
        error.contains("n/b") && error.ends_with("nothing was changed"),
        "{error}"
    );
    assert_eq!(before, ground.tree());
    fs::remove_file(ground.ws.join("n/b")).unwrap();
    ground.undo(Which::Batch("b")).unwrap();
    assert!(!ground.has("n"));
}

#[test]
fn an_undo_refuses_what_was_changed_since() {
    let ground = setup();
    ground.ok(
        "file_edit",
        &[("path", "a.txt"), ("find", "two"), ("replace", "2")],
    );
    ground.write("a.txt", "one\n2\nthree\nfour\n");
    let error = ground.undo(Which::Last).unwrap_err();
    assert!(
        error.contains("nothing was changed") && error.contains("+four"),
        "{error}"
    );
    assert_eq!(ground.read("a.txt"), "one\n2\nthree\nfour\n");
    let plan = undo::plan(&ground.kit, Which::Last).unwrap();
    assert_eq!(plan.conflicts.len(), 1);

    let ground = setup();
    ground.ok("file_delete", &[("path", "a.txt")]);
    ground.write("a.txt", "new");
    assert!(
        ground
            .undo(Which::Last)
            .unwrap_err()
            .contains("is there now")
    );
    // What is already as it was is fine.
    ground.write("a.txt", "one\ntwo\nthree\n");
    ground.undo(Which::Last).unwrap();

    let ground = setup();
    ground.ok("file_move", &[("from", "a.txt"), ("to", "b.txt")]);
    ground.write("a.txt", "new");
    assert!(ground.undo(Which::Last).unwrap_err().contains("a.txt"));
    assert_eq!(ground.read("b.txt"), "one\ntwo\nthree\n");

    let ground = setup();
    ground.ok("file_copy", &[("from", "d"), ("to", "c")]);
    ground.write("c/mine", "new");
    assert!(ground.undo(Which::Last).unwrap_err().contains("c/mine"));
    assert!(ground.has("c/mine"));

    // A link where the file was: what it leads to is not touched.
    let ground = setup();
    ground.ok("file_write", &[("path", "a.txt"), ("content", "new")]);
    fs::write(ground.outside.join("secret"), "new").unwrap();
    fs::remove_file(ground.ws.join("a.txt")).unwrap();
    symlink(ground.outside.join("secret"), ground.ws.join("a.txt")).unwrap();
    assert!(
        ground
            .undo(Which::Last)
            .unwrap_err()
            .contains("is a link now")
    );
    assert_eq!(
        fs::read_to_string(ground.outside.join("secret")).unwrap(),
        "new"
    );
    assert!(
        ground
            .undo(Which::Id("nobody"))
            .unwrap_err()
            .contains("there is no change")
    );
}
