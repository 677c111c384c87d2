//! What of a home folder's caches is shown, and what a session's folder holds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sayso_core::policy::terms::Network;
use tempfile::TempDir;

use super::*;
use crate::profile::Limits;

/// A home folder with a cache of each kind.
struct Ground {
    _scratch: TempDir,
    root: PathBuf,
    home: PathBuf,
}

impl Ground {
    fn new() -> Ground {
        let scratch = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let ground = Ground {
            _scratch: scratch,
            home: root.join("home"),
            root,
        };
        for name in [
            ".npm/_cacache/index-v5/aa/bb/entry",
            ".npm/_cacache/content-v2/sha512/aa/bb/data",
            ".npm/_logs/log",
            ".cargo/credentials.toml",
            ".cargo/registry/index/x/.cache/it/oa/itoa",
            ".cargo/registry/cache/x/itoa-1.0.0.crate",
            ".cargo/registry/src/x/itoa-1.0.0/src/lib.rs",
            ".cargo/git/db/plain/config",
            ".m2/settings.xml",
            ".m2/repository/a/b/1/b-1.jar",
            ".m2/repository/a/b/1/_remote.repositories",
            ".gradle/gradle.properties",
            ".gradle/caches/modules-2/files-2.1/a",
            ".cache/uv/archive-v0/id/six.py",
            ".cache/uv/wheels-v7/pypi/six/x.http",
            ".cache/uv/wheels-v7/pypi/six/.lock",
            ".cache/pip/http-v2/a/b",
            ".cache/mozilla/x",
            "go/pkg/mod/example.org/m@v1.0.0/m.go",
            "go/pkg/mod/cache/download/example.org/m/@v/list",
            "go/pkg/mod/cache/vcs/x/config",
            ".ssh/id_rsa",
            "ws/a.txt",
        ] {
            ground.file(name, name);
        }
        ground
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn profile(&self, environment: &[(&str, &Path)], session: Option<&Path>) -> Profile {
        let environment = variables(environment);
        let mut profile = Profile {
            cwd: self.home.join("ws"),
            paths: BTreeMap::from([(self.home.join(".cache"), Level::Private)]),
            pinned: Vec::new(),
            links: BTreeMap::new(),
            placed: BTreeMap::new(),
            network: Network::Nothing,
            environment: Vec::new(),
            limits: Limits::default(),
        };
        for cache in find(Some(&self.home), &environment, &[self.home.join("ws")]) {
            cache.add_to(&mut profile, session);
        }
        profile
    }
}

fn variables(environment: &[(&str, &Path)]) -> Vec<(OsString, OsString)> {
    environment
        .iter()
        .map(|(name, value)| (OsString::from(name), value.as_os_str().to_owned()))
        .collect()
}

#[test]
fn only_data_of_caches_is_read_and_nothing_of_them_is_written() {
    let ground = Ground::new();
    let profile = ground.profile(&[], None);
    let level = |name: &str| profile.level(&ground.home.join(name));
    for name in [
        ".npm/_cacache/index-v5/aa/bb/entry",
        ".npm/_cacache/content-v2/sha512/aa/bb/data",
        ".cargo/registry/src/x/itoa-1.0.0/src/lib.rs",
        ".cargo/git/db/plain/config",
        ".m2/repository/a/b/1/b-1.jar",
        ".cache/uv/archive-v0/id/six.py",
        ".cache/pip/http-v2/a/b",
        "go/pkg/mod/example.org/m@v1.0.0/m.go",
    ] {
        assert_eq!(level(name), Level::Read, "{name}");
    }
    for name in [
        ".npm/_logs/log",
        ".cargo/credentials.toml",
        ".m2/settings.xml",
        ".gradle/gradle.properties",
        ".cache/mozilla/x",
        "go/pkg/mod/cache/vcs/x/config",
        ".ssh/id_rsa",
    ] {
        assert!(level(name) < Level::Read, "{name}");
    }
    assert!(profile.paths.values().all(|level| *level < Level::Write));
}

#[test]
fn gradle_reads_its_dependencies_beside_its_own_home() {
    let ground = Ground::new();
    let profile = ground.profile(&[], None);
    let aside = Path::new(ASIDE).join("gradle/modules-2");
    assert_eq!(profile.level(&aside), Level::Read);
    let source = ground.home.join(".gradle/caches/modules-2");
    assert_eq!(profile.source(&aside.join("x")), source.join("x"));
    let said = (
        OsString::from("GRADLE_RO_DEP_CACHE"),
        Path::new(ASIDE).join("gradle").into_os_string(),
    );
    assert!(profile.environment.contains(&said));
}

#[test]
fn variables_of_the_person_say_where_a_cache_is() {
    let ground = Ground::new();
    let elsewhere = ground.root.join("disk/uv");
    fs::create_dir_all(elsewhere.join("archive-v0/id")).unwrap();
    let profile = ground.profile(&[("UV_CACHE_DIR", &elsewhere)], None);
    assert_eq!(profile.level(&elsewhere.join("archive-v0/id")), Level::Read);
    assert_eq!(profile.level(&elsewhere.join("other")), Level::Private);
    let inside = ground.home.join(".cache/uv/archive-v0");
    assert_eq!(profile.level(&inside), Level::Private);
}

#[test]
fn no_link_leads_out_of_the_home_or_to_what_is_private() {
    let ground = Ground::new();
    let outside = ground.root.join("outside");
    for name in ["http-v2", "wheels", "_cacache/content-v2", "registry/src"] {
        fs::create_dir_all(outside.join(name)).unwrap();
        fs::create_dir_all(ground.home.join(".ssh").join(name)).unwrap();
    }
    for target in [outside, ground.home.join(".ssh"), ground.home.clone()] {
        for (place, below) in [
            (".npm", "_cacache/content-v2"),
            (".cache/pip", "wheels"),
            (".cargo/registry", "src"),
        ] {
            let place = ground.home.join(place);
            if fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink()) {
                fs::remove_file(&place).unwrap();
            } else {
                fs::remove_dir_all(&place).unwrap();
            }
            symlink(&target, &place).unwrap();
            let profile = ground.profile(&[], None);
            for path in [target.clone(), target.join(below), target.join("id_rsa")] {
                let level = profile.level(&path);
                assert!(
                    level < Level::Read,
                    "{} by {}",
                    path.display(),
                    place.display()
                );
            }
        }
        for variable in ["PIP_CACHE_DIR", "CARGO_HOME", "npm_config_cache"] {
            let link = ground.home.join("a-link");
            let _ = fs::remove_file(&link);
            symlink(&target, &link).unwrap();
            let profile = ground.profile(&[(variable, &link)], None);
            assert!(
                profile.level(&target.join("wheels")) < Level::Read,
                "{variable}"
            );
            assert!(
                profile.level(&target.join("registry/src")) < Level::Read,
                "{variable}"
            );
        }
    }
}

#[test]
fn broad_places_and_places_of_the_system_are_no_caches() {
    let ground = Ground::new();
    for place in [
        Path::new("/"),
        Path::new("/etc"),
        Path::new("/usr/lib"),
        &ground.home,
        &ground.root,
    ] {
        for variable in [
            "CARGO_HOME",
            "PIP_CACHE_DIR",
            "GOMODCACHE",
            "UV_CACHE_DIR",
            "GOPATH",
        ] {
            let profile = ground.profile(&[(variable, place)], None);
            let shown = [
                place.to_owned(),
                place.join("ssl"),
                ground.home.join(".ssh"),
            ];
            for path in shown {
                assert!(
                    profile.level(&path) < Level::Read,
                    "{variable}={}",
                    place.display()
                );
            }
        }
    }
}

#[test]
fn a_cache_in_the_workspace_is_left_to_the_workspace() {
    let ground = Ground::new();
    let inside = ground.home.join("ws/cargo");
    fs::create_dir_all(inside.join("registry/src")).unwrap();
    let profile = ground.profile(&[("CARGO_HOME", &inside)], None);
    let of_cargo = |path: &&PathBuf| path.starts_with(&inside);
    assert_eq!(profile.paths.keys().find(of_cargo), None);
}

#[test]
fn repositories_with_a_password_in_their_settings_are_hidden() {
    let ground = Ground::new();
    let address = "https://ada:hunter2secret@example.org/x.git";
    ground.file(
        ".cargo/git/db/leaky/FETCH_HEAD",
        &format!("0000 branch 'main' of {address}\n"),
    );
    let profile = ground.profile(&[], None);
    let level = |name: &str| profile.level(&ground.home.join(".cargo/git/db").join(name));
    assert_eq!(level("leaky/FETCH_HEAD"), Level::Hidden);
    assert_eq!(level("plain/config"), Level::Read);
}

#[test]
fn a_session_has_links_in_folders_of_its_own() {
    let ground = Ground::new();
    let folder = ground.root.join("session");
    assert!(
        prepare(&folder, Some(&ground.home), &[])
            .unwrap()
            .is_empty()
    );
    let target =
        |name: &str| fs::read_link(folder.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let aside = |name: &str| Path::new(ASIDE).join(name);
    for name in [
        "npm/_cacache/content-v2/sha512/aa/bb/data",
        "cargo/registry/cache/x/itoa-1.0.0.crate",
        "cargo/registry/src/x/itoa-1.0.0",
        "maven/repository/a/b/1/b-1.jar",
        "uv/archive-v0/id/six.py",
        "go-modules/example.org/m@v1.0.0",
        "go-modules/cache/download/example.org/m/@v/list",
    ] {
        assert_eq!(target(name), aside(name), "{name}");
    }
    for name in [
        "npm/_cacache/index-v5/aa/bb/entry",
        "maven/repository/a/b/1/_remote.repositories",
    ] {
        assert!(
            fs::symlink_metadata(folder.join(name)).unwrap().is_file(),
            "{name}"
        );
    }
    for name in [
        "cargo/credentials.toml",
        "maven/settings.xml",
        "gradle/gradle.properties",
        "npm/_logs",
        "uv/wheels-v7/pypi/six/.lock",
        "go-modules/cache/vcs",
    ] {
        assert!(fs::symlink_metadata(folder.join(name)).is_err(), "{name}");
    }
    let profile = ground.profile(&[], Some(&folder));
    assert_eq!(
        profile.placed.get(&ground.home.join(".npm")),
        Some(&folder.join("npm"))
    );
    assert_eq!(
        profile.level(&aside("npm/_cacache/content-v2/x")),
        Level::Read
    );
    assert_eq!(profile.level(&aside("go-modules/cache/vcs")), Level::Hidden);
    assert!(profile.paths.values().all(|level| *level < Level::Write));
    assert!(
        prepare(&folder, Some(&ground.home), &[]).is_err(),
        "it is made anew"
    );
}
