//! Siblings of the silent holes: rows that were written from the name of a class alone, before the class was closed.
//!
//! A row passes if it is not allowed. The author could not know whether it would be asked about or denied.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sayso_core::answer::run_mode::Run;
use sayso_core::policy::decision::Decision;

use crate::corpus;
use crate::scene::Scene;

/// Each class needs at least this many rows.
const MIN_ROWS: usize = 20;

fn files(class: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/siblings");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| {
        corpus::name(path).starts_with(class)
            && path.extension().is_some_and(|ending| ending == "yaml")
    });
    files.sort();
    files
}

/// The rows mean scripts that run: git, for one, passes over hooks that are not executable.
fn make_scripts_executable(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            make_scripts_executable(&path);
        } else if fs::read(&path).unwrap().starts_with(b"#!") {
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        }
    }
}

fn none_is_silent(class: &str) {
    let (mut count, mut silent) = (0, Vec::new());
    for path in files(class) {
        let expected = corpus::read(&path);
        let scene = Scene::of(&expected.scene);
        make_scripts_executable(Path::new(scene.folder()).parent().unwrap());
        for row in &expected.rows {
            count += 1;
            let verdict = scene.judge(corpus::call(&scene, row), &[], Run::Interactive);
            if verdict.decision == Decision::Allow {
                silent.push(format!(
                    "{}:{}: {}",
                    corpus::name(&path),
                    row.line,
                    row.name
                ));
            }
        }
    }
    assert!(count >= MIN_ROWS, "only {count} rows");
    assert!(
        silent.is_empty(),
        "{} of {count} rows are silent:\n{}",
        silent.len(),
        silent.join("\n")
    );
}

macro_rules! classes {
    ($($name:ident: $class:literal)*) => {
        $(
            #[test]
            fn $name() {
                none_is_silent($class);
            }
        )*
    };
}

classes! {
    finding_j_01_siblings_of_modes_that_are_switched_off_again: "j-01"
    finding_j_02_siblings_of_queries_that_run_their_input: "j-02"
    finding_j_03_siblings_of_variables_that_are_exported_already: "j-03"
    finding_j_04_siblings_of_readers_that_repair: "j-04"
    finding_j_05_siblings_of_programs_that_share_a_name: "j-05"
    finding_j_06_siblings_of_links_inside_git: "j-06"
    finding_j_07_siblings_of_rules_that_carry_more: "j-07"
    finding_j_08_siblings_of_secret_names: "j-08"
    finding_j_09_siblings_of_look_alike_paths: "j-09"
    finding_j_10_siblings_of_paths_with_a_tilde: "j-10"
    finding_j_11_siblings_of_programs_pinned_by_a_file: "j-11"
}
