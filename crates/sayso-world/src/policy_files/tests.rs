//! Policy files: what counts, and what must never be taken for absent.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::tests::{Scratch, skipped_as_root, whereabouts};

fn found(scratch: &Scratch) -> Vec<PolicyFile> {
    find(&whereabouts(&scratch.root), &scratch.root.join("ws"))
}

fn errors(scratch: &Scratch) -> Vec<String> {
    found(scratch)
        .into_iter()
        .filter_map(|file| Some(file.text.err()?.to_string()))
        .collect()
}

fn write(scratch: &Scratch, path: &str, text: &str) {
    scratch.file(path, text);
    let path = scratch.root.join(path);
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn all_layers_are_found_weakest_first() {
    let scratch = Scratch::new();
    assert!(found(&scratch).is_empty());
    write(&scratch, "etc/sayso/policy.json", "m");
    write(&scratch, "home/.config/sayso/policy.yml", "u");
    write(&scratch, "home/.config/sayso/policy.d/settings.yaml", "s");
    write(&scratch, "ws/.sayso/policy.yaml", "p");
    let files = found(&scratch);
    let texts: Vec<_> = files
        .iter()
        .map(|file| {
            (
                file.layer,
                file.text.as_ref().unwrap().clone(),
                file.trusted,
            )
        })
        .collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        texts,
        [
            (FileLayer::Managed, text("m"), true),
            (FileLayer::User, text("u"), true),
            (FileLayer::UserSettings, text("s"), true),
            (FileLayer::Project, text("p"), false)
        ]
    );
}

#[test]
fn a_project_file_is_trusted_until_it_changes() {
    let scratch = Scratch::new();
    let state = whereabouts(&scratch.root).state;
    write(&scratch, "ws/.sayso/policy.yaml", "p");
    trust::trust(&state, &scratch.at("ws/.sayso/policy.yaml"), "p").unwrap();
    assert!(found(&scratch)[0].trusted);
    write(&scratch, "ws/.sayso/policy.yaml", "q");
    assert!(!found(&scratch)[0].trusted);
    fs::write(state.join("trusted.list"), "garbage").unwrap();
    assert_eq!(found(&scratch)[0].warnings.len(), 1);
}

#[test]
fn broken_files_are_never_absent() {
    let scratch = Scratch::new();
    let policy = scratch.root.join("ws/.sayso/policy.yaml");
    scratch.folder("ws/.sayso");
    symlink("nowhere", &policy).unwrap();
    assert!(errors(&scratch)[0].contains("leads nowhere"));
    fs::remove_file(&policy).unwrap();
    fs::create_dir(&policy).unwrap();
    assert!(errors(&scratch)[0].contains("not a regular file"));
    fs::remove_dir(&policy).unwrap();
    fs::write(&policy, b"\xff").unwrap();
    assert!(errors(&scratch)[0].contains("not UTF-8"));
    fs::write(&policy, vec![b' '; 4 * 1024 * 1024 + 1]).unwrap();
    assert!(errors(&scratch)[0].contains("longer than"));
    fs::remove_file(&policy).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&policy)
            .status()
            .unwrap()
            .success()
    );
    assert!(errors(&scratch)[0].contains("not a regular file"));
    fs::remove_dir_all(scratch.root.join("ws/.sayso")).unwrap();
    scratch.file("ws/.sayso", "");
    assert!(errors(&scratch)[0].contains("not a folder"));
    fs::remove_file(scratch.root.join("ws/.sayso")).unwrap();
    scratch.link("ws/.sayso", "nowhere");
    assert_eq!(errors(&scratch).len(), 1);
}

#[test]
fn a_file_that_may_not_be_read_is_an_error() {
    if skipped_as_root("a_file_that_may_not_be_read_is_an_error") {
        return;
    }
    let scratch = Scratch::new();
    write(&scratch, "home/.config/sayso/policy.yaml", "u");
    fs::set_permissions(
        scratch.at("home/.config/sayso/policy.yaml"),
        Permissions::from_mode(0o000),
    )
    .unwrap();
    assert_eq!(errors(&scratch).len(), 1);
    fs::set_permissions(
        scratch.at("home/.config/sayso"),
        Permissions::from_mode(0o000),
    )
    .unwrap();
    assert!(!errors(&scratch).is_empty());
    fs::set_permissions(
        scratch.at("home/.config/sayso"),
        Permissions::from_mode(0o700),
    )
    .unwrap();
}

#[test]
fn two_policies_in_one_place_are_both_errors() {
    let scratch = Scratch::new();
    write(&scratch, "home/.config/sayso/policy.yaml", "u");
    write(&scratch, "home/.config/sayso/policy.json", "{}");
    assert_eq!(errors(&scratch).len(), 2);
}

#[test]
fn p_19_files_that_others_can_write_do_not_count() {
    let scratch = Scratch::new();
    for layer in ["home/.config/sayso/policy.yaml", "etc/sayso/policy.yaml"] {
        write(&scratch, layer, "u");
        let path = scratch.root.join(layer);
        assert_eq!(errors(&scratch), Vec::<String>::new());
        fs::set_permissions(&path, Permissions::from_mode(0o620)).unwrap();
        assert!(errors(&scratch)[0].contains("chmod go-w"));
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(errors(&scratch), Vec::<String>::new());
        fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
        assert!(errors(&scratch)[0].contains("chmod go-w"));
        fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_project_file_may_not_lead_out_of_the_project() {
    let scratch = Scratch::new();
    scratch.file("home/secret", "token");
    scratch.folder("ws/.sayso");
    scratch.link("ws/.sayso/policy.yaml", "../../home/secret");
    let errors = errors(&scratch);
    assert!(errors[0].contains("out of the workspace") && !errors[0].contains("token"));
}
