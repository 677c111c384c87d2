//! A state folder that others could write or replace is refused.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use sayso_store::{Folder, Journal};

use crate::scene::{Scene, add, chmod};

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let scene = Scene::new();
    scene.fill(1);
    for mode in [0o722, 0o720, 0o702, 0o777] {
        chmod(&scene.state(), mode);
        let error = Journal::open(&scene.state()).unwrap_err().to_string();
        assert!(
            error.contains("can be written by others") && error.contains("chmod"),
            "{mode:o}: {error}"
        );
    }
    // What others can only read is hidden from them.
    chmod(&scene.state(), 0o755);
    Journal::open(&scene.state()).unwrap();
    assert_eq!(fs::metadata(scene.state()).unwrap().mode() & 0o777, 0o700);
    for inner in [scene.state().join("journal"), scene.file("lock")] {
        chmod(&inner, 0o777);
        assert!(
            Journal::open(&scene.state())
                .unwrap_err()
                .to_string()
                .contains("others"),
            "{inner:?}"
        );
        chmod(&inner, if inner.is_dir() { 0o700 } else { 0o600 });
    }
    chmod(&scene.first(), 0o606);
    assert!(
        scene
            .journal()
            .append("x", vec![], sayso_store::Sync::System)
            .unwrap_err()
            .to_string()
            .contains("others")
    );
}

#[test]
fn a_folder_above_that_others_can_write_is_refused() {
    let scene = Scene::new();
    scene.fill(1);
    let above = scene.outside().join("state");
    for mode in [0o777, 0o702] {
        chmod(&above, mode);
        let error = Journal::open(&scene.state()).unwrap_err().to_string();
        assert!(error.contains("others can write in"), "{mode:o}: {error}");
    }
    // Where only owners can rename, as in /tmp.
    chmod(&above, 0o1777);
    assert_eq!(add(&scene.journal(), "x").number, 2);
}

#[test]
fn nothing_is_made_where_others_can_write() {
    let scene = Scene::new();
    let above = scene.outside().join("open");
    fs::create_dir(&above).unwrap();
    chmod(&above, 0o777);
    assert!(
        Journal::open(&above.join("state/sayso"))
            .unwrap_err()
            .to_string()
            .contains("others can write in")
    );
    assert_eq!(fs::read_dir(&above).unwrap().count(), 0);
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let scene = Scene::new();
    scene.fill(1);
    if !rustix::process::geteuid().is_root() {
        println!("NOT CHECKED: a folder of somebody else; giving one away takes root");
        assert!(
            Journal::open(std::path::Path::new("/usr"))
                .unwrap_err()
                .to_string()
                .contains("somebody else")
        );
        return;
    }
    for path in [
        scene.state(),
        scene.state().join("journal"),
        scene.file("lock"),
        scene.outside().join("state"),
    ] {
        std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
        assert!(
            Journal::open(&scene.state())
                .unwrap_err()
                .to_string()
                .contains("belongs to somebody else"),
            "{path:?}"
        );
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
    }
    assert_eq!(add(&scene.journal(), "x").number, 2);
}

#[test]
fn links_are_followed_above_and_nowhere_else() {
    let scene = Scene::new();
    let real = scene.outside().join("real");
    fs::create_dir(&real).unwrap();
    let link = scene.outside().join("link");
    symlink(&real, &link).unwrap();
    Journal::open(&link.join("sayso")).unwrap();
    assert!(real.join("sayso/journal").is_dir());
    assert!(
        Journal::open(&link)
            .unwrap_err()
            .to_string()
            .contains("is a link")
    );
    // What a link leads to counts, too.
    let open = scene.outside().join("open");
    fs::create_dir(&open).unwrap();
    fs::create_dir(open.join("inner")).unwrap();
    chmod(&open, 0o777);
    fs::remove_file(&link).unwrap();
    symlink(open.join("inner"), &link).unwrap();
    assert!(
        Journal::open(&link.join("sayso"))
            .unwrap_err()
            .to_string()
            .contains("others can write in")
    );
    let state = scene.state();
    fs::create_dir_all(&state).unwrap();
    symlink(&real, state.join("journal")).unwrap();
    Journal::open(&state).unwrap_err().to_string();
}

#[test]
fn a_path_that_is_no_folder_of_its_own_is_refused() {
    for path in ["", "relative", "/", "/tmp/../tmp/x", "./x"] {
        let error = Journal::open(std::path::Path::new(path))
            .unwrap_err()
            .to_string();
        assert!(error.contains("absolute"), "{path}: {error}");
    }
    let scene = Scene::new();
    let file = scene.outside().join("file\u{1b}[2J");
    fs::write(&file, "").unwrap();
    let error = Folder::open(&file).unwrap_err().to_string();
    assert!(
        error.contains("no folder") && !error.contains('\u{1b}'),
        "{error}"
    );
    assert!(Folder::open(&file.join("x")).is_err());
    assert!(
        Folder::open_existing(&scene.outside().join("missing"))
            .unwrap()
            .is_none()
    );
}
