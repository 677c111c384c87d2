//! Programs: which file a name starts, and who could change it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::{Scratch, whereabouts};
use crate::machine::Machine;

fn executable(scratch: &Scratch, path: &str) {
    scratch.file(path, "#!/bin/sh\n");
    fs::set_permissions(scratch.at(path), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn x_16_a_program_of_the_system_is_not_changeable() {
    let scratch = Scratch::new();
    let fact = scratch.program("ls").unwrap();
    assert!(!fact.changeable && !fact.inside_workspace, "{fact:?}");
    let file = fact.file.unwrap();
    assert_eq!(file, fs::canonicalize(&file).unwrap().to_str().unwrap());
}

#[test]
fn x_16_the_first_in_path_wins_and_own_folders_are_changeable() {
    let scratch = Scratch::new();
    executable(&scratch, "bin/ls");
    let fact = scratch.program("ls").unwrap();
    assert_eq!(fact.file, Some(scratch.at("bin/ls")));
    assert!(fact.changeable);
}

#[test]
fn x_16_what_is_not_executable_is_passed_over() {
    let scratch = Scratch::new();
    scratch.file("bin/ls", "");
    scratch.folder("bin/cat");
    assert_ne!(
        scratch.program("ls").unwrap().file,
        Some(scratch.at("bin/ls"))
    );
    assert!(!scratch.program("cat").unwrap().changeable);
}

#[test]
fn x_16_relative_path_elements_are_changeable() {
    let mut scratch = Scratch::new();
    for relative in ["", ".", "node_modules/.bin"] {
        let mut places = whereabouts(&scratch.root);
        places.path = vec![
            PathBuf::from(relative),
            PathBuf::from("/usr/bin"),
            PathBuf::from("/bin"),
        ];
        scratch.machine = Machine::new(places);
        assert!(scratch.program("ls").unwrap().changeable, "{relative:?}");
    }
    executable(&scratch, "ws/node_modules/.bin/tsc");
    let fact = scratch.program("tsc").unwrap();
    assert_eq!(fact.file, Some(scratch.at("ws/node_modules/.bin/tsc")));
    assert!(fact.changeable && fact.inside_workspace);
}

#[test]
fn names_with_a_slash_are_paths() {
    let scratch = Scratch::new();
    executable(&scratch, "ws/run.sh");
    let fact = scratch.program("./run.sh").unwrap();
    assert_eq!(fact.file, Some(scratch.at("ws/run.sh")));
    assert!(fact.inside_workspace && fact.changeable);
    scratch.link("ws/tool", "/bin/ls");
    let fact = scratch.program("./tool").unwrap();
    assert!(
        fact.changeable && !fact.inside_workspace,
        "a link in the workspace can be turned: {fact:?}"
    );
    let fact = scratch.program("./nothing").unwrap();
    assert_eq!(
        (fact.file, fact.changeable, fact.inside_workspace),
        (None, true, true)
    );
}

#[test]
fn an_unknown_name_has_no_file() {
    let scratch = Scratch::new();
    let fact = scratch.program("sayso-no-such-program").unwrap();
    assert_eq!((fact.file, fact.changeable), (None, true));
    assert_eq!(scratch.program(""), None);
    assert_eq!(scratch.program("a\0b"), None);
}

#[test]
fn what_a_script_of_the_system_would_start_from_the_workspace_is_what_runs() {
    let mut scratch = Scratch::new();
    let mut places = whereabouts(&scratch.root);
    places.path = vec![scratch.at("ws/bin").into(), scratch.at("system").into()];
    scratch.machine = Machine::new(places);
    for (name, text) in [
        ("shell", "#!/bin/sh\nexec gzip -cd \"$@\"\n"),
        ("path", "#!/bin/sh\n/usr/bin/gzip x\n"),
        ("other", "#!/usr/bin/env node\n"),
        ("default", "#!/bin/sh\n\"${GZIP-gzip}\" x\n"),
        ("empty", "#!/bin/sh\n${GZIP:-gzip} x\n"),
        ("like", "#!/bin/sh\ngzip2 my-gzip gzip.x\n"),
        ("binary", "\u{7f}ELF gzip node"),
        ("long", &format!("#!/bin/sh\n{}", " ".repeat(300_000))),
    ] {
        scratch.file(&format!("system/{name}"), text);
        fs::set_permissions(
            scratch.at(&format!("system/{name}")),
            Permissions::from_mode(0o755),
        )
        .unwrap();
    }
    let file = |scratch: &Scratch, name: &str| scratch.program(name).unwrap().file.unwrap();
    scratch.file("ws/bin/gzip", "not executable");
    assert_eq!(file(&scratch, "shell"), scratch.at("system/shell"));
    executable(&scratch, "ws/bin/gzip");
    executable(&scratch, "ws/bin/node");
    for (name, started) in [
        ("shell", "ws/bin/gzip"),
        ("path", "ws/bin/gzip"),
        ("default", "ws/bin/gzip"),
        ("empty", "ws/bin/gzip"),
        ("other", "ws/bin/node"),
        ("like", "system/like"),
        ("binary", "system/binary"),
    ] {
        assert_eq!(file(&scratch, name), scratch.at(started), "{name}");
    }
    assert!(
        scratch.program("shell").unwrap().inside_workspace
            && scratch.program("long").unwrap().inside_workspace
    );
}
