//! Random calls on a random tree: undoing all of them gives the first tree again, byte for byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;
use sayso_core::text::node::Node;
use sayso_tools::undo::Which;

use crate::ground::{Ground, yes};
use crate::workspace::{RULES, before};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(NAMES.to_vec()), 1..4)
        .prop_map(|names| names.join("/"))
}

#[derive(Clone, Debug)]
enum Thing {
    File(String, Vec<u8>, u32),
    Folder(String),
    Link(String, String),
}

fn thing() -> impl Strategy<Value = Thing> {
    let mode = prop::sample::select(vec![0o644, 0o600, 0o755, 0o444, 0o4711]);
    prop_oneof![
        3 => (path(), prop::collection::vec(any::<u8>(), 0..20), mode).prop_map(|(path, bytes, mode)| Thing::File(path, bytes, mode)),
        1 => path().prop_map(Thing::Folder),
        1 => (path(), path()).prop_map(|(path, to)| Thing::Link(path, to)),
    ]
}

fn call() -> impl Strategy<Value = (&'static str, Vec<(&'static str, Node)>)> {
    let text = || "[a-c\n]{0,6}".prop_map(Node::text);
    let one = || path().prop_map(Node::text);
    prop_oneof![
        (one(), text())
            .prop_map(|(path, text)| ("file_create", vec![("path", path), ("content", text)])),
        (one(), text()).prop_map(|(path, text)| (
            "file_create_overwrite",
            vec![("path", path), ("content", text)]
        )),
        (one(), text())
            .prop_map(|(path, text)| ("file_write", vec![("path", path), ("content", text)])),
        (one(), text())
            .prop_map(|(path, text)| ("file_append", vec![("path", path), ("content", text)])),
        (one(), text(), text()).prop_map(|(path, find, replace)| {
            (
                "file_edit",
                vec![
                    ("path", path),
                    ("find", find),
                    ("replace", replace),
                    ("replace_all", yes()),
                ],
            )
        }),
        (one(), text(), text()).prop_map(|(path, at, text)| (
            "file_insert_after",
            vec![("path", path), ("after", at), ("content", text)]
        )),
        (one(), text(), text()).prop_map(|(path, at, text)| (
            "file_insert_before",
            vec![("path", path), ("before", at), ("content", text)]
        )),
        one().prop_map(|path| ("file_delete", vec![("path", path)])),
        (one(), one()).prop_map(|(from, to)| ("file_move", vec![("from", from), ("to", to)])),
        (one(), one()).prop_map(|(from, to)| ("file_copy", vec![("from", from), ("to", to)])),
        one().prop_map(|path| ("file_mkdir", vec![("path", path)])),
        one().prop_map(|path| ("file_rmdir", vec![("path", path)])),
        one().prop_map(|path| ("file_rmdir", vec![("path", path), ("recursive", yes())])),
    ]
}

/// Makes a random tree. What does not fit the rest of it is left out.
fn plant(ground: &Ground, things: Vec<Thing>) {
    for thing in things {
        let at = |path: &str| ground.ws.join(path);
        let parent = |path: &str| fs::create_dir_all(at(path).parent().unwrap());
        match thing {
            Thing::File(path, bytes, mode) => {
                if parent(&path).is_ok()
                    && !ground.has(&path)
                    && fs::write(at(&path), bytes).is_ok()
                {
                    fs::set_permissions(at(&path), fs::Permissions::from_mode(mode)).unwrap();
                }
            }
            Thing::Folder(path) => drop(fs::create_dir_all(at(&path))),
            Thing::Link(path, to) => drop(parent(&path).and_then(|()| symlink(to, at(&path)))),
        }
    }
}

/// What a command does, as far as it can.
#[derive(Clone, Debug)]
enum Deed {
    Make(Thing),
    Append(String),
    Remove(String),
    Rename(String, String),
    Permit(String, u32),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => thing().prop_map(Deed::Make),
        2 => path().prop_map(Deed::Append),
        2 => path().prop_map(Deed::Remove),
        3 => (path(), path()).prop_map(|(from, to)| Deed::Rename(from, to)),
        2 => (path(), prop::sample::select(vec![0o700, 0o755, 0o500, 0o644, 0o1777])).prop_map(|(path, mode)| Deed::Permit(path, mode)),
    ]
}

fn act(ground: &Ground, deeds: Vec<Deed>) {
    let at = |path: &str| ground.ws.join(path);
    for deed in deeds {
        match deed {
            Deed::Make(thing) => plant(ground, vec![thing]),
            Deed::Append(path) => drop(
                fs::read(at(&path))
                    .and_then(|old| fs::write(at(&path), [&old[..], b"more"].concat())),
            ),
            Deed::Remove(path) => {
                drop(fs::remove_dir_all(at(&path)).or_else(|_| fs::remove_file(at(&path))))
            }
            Deed::Rename(from, to) => drop(fs::rename(at(&from), at(&to))),
            Deed::Permit(path, mode) if !at(&path).is_symlink() => {
                drop(fs::set_permissions(
                    at(&path),
                    fs::Permissions::from_mode(mode),
                ));
            }
            Deed::Permit(..) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undoing_everything_gives_the_first_tree(
        things in prop::collection::vec(thing(), 0..12),
        calls in prop::collection::vec(call(), 1..25),
        as_batch in any::<bool>(),
    ) {
        let ground = Ground::in_memory();
        plant(&ground, things);
        let mut trees = vec![ground.tree()];
        for (index, (tool, args)) in calls.iter().enumerate() {
            let operation = ground.op_as(tool, args, &index.to_string(), Some("all"));
            let before = ground.tree();
            let result = sayso_tools::files::run(&ground.kit, &operation, &ground.judge(&operation));
            if result.facts.is_empty() {
                prop_assert_eq!(&before, &ground.tree(), "{} {:?}: {:?}", tool, args, result);
            } else {
                trees.push(ground.tree());
            }
        }
        let first = trees.first().unwrap().clone();
        if as_batch {
            if trees.len() > 1 {
                prop_assert!(ground.undo(Which::Batch("all")).is_ok());
            }
            prop_assert_eq!(&ground.tree(), &first);
        } else {
            while trees.len() > 1 {
                trees.pop();
                let undone = ground.undo(Which::Last);
                prop_assert!(undone.is_ok(), "{:?}", undone);
                prop_assert_eq!(&ground.tree(), trees.last().unwrap(), "{:?}", undone);
            }
            prop_assert!(ground.undo(Which::Last).is_err());
        }
    }
    #[test]
    fn undoing_random_commands_gives_the_first_tree(
        things in prop::collection::vec(thing(), 0..12),
        commands in prop::collection::vec(prop::collection::vec(deed(), 1..8), 1..5),
        as_batch in any::<bool>(),
    ) {
        let ground = Ground::in_memory();
        plant(&ground, things);
        let mut trees = vec![ground.tree()];
        for (index, deeds) in commands.into_iter().enumerate() {
            let keeping = before(&ground, &index.to_string()).unwrap();
            act(&ground, deeds);
            let done = keeping.after(&ground.kit, RULES).unwrap();
            prop_assert_eq!(&done.left_out, &Vec::<String>::new());
            prop_assert_eq!(done.change.is_some(), &ground.tree() != trees.last().unwrap(), "{:?}", done);
            if done.change.is_some() {
                trees.push(ground.tree());
            }
        }
        let (first, last) = (trees.first().unwrap().clone(), trees.last().unwrap().clone());
        if as_batch && trees.len() > 1 {
            let undone = ground.undo(Which::Batch("batch"));
            prop_assert!(undone.is_ok(), "{:?}", undone);
            prop_assert_eq!(&ground.tree(), &first);
            let again = ground.undo(Which::Id(&undone.unwrap().id));
            prop_assert!(again.is_ok(), "{:?}", again);
            prop_assert_eq!(&ground.tree(), &last);
        }
        while !as_batch && trees.len() > 1 {
            trees.pop();
            let undone = ground.undo(Which::Last);
            prop_assert!(undone.is_ok(), "{:?}", undone);
            prop_assert_eq!(&ground.tree(), trees.last().unwrap(), "{:?}", undone);
        }
    }
}
