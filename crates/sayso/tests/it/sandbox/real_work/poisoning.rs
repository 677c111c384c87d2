//! Attempts to change a person's caches, and to read what is private there. Each is tried with and without a session's folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use super::desk::{Desk, SANDBOXED, Way};
use crate::scene::put;

/// What only the person knows.
const SECRET: &str = "hush-3141592653589793";

/// Each must leave the caches as they were. `$LIB` is a file of an unpacked crate, `$DATA` one of npm's.
const WRITES: [(&str, &str); 26] = [
    ("append to a source", "echo x >> $LIB"),
    ("edit a source in place", "sed -i s/good/bad/ $LIB"),
    (
        "replace a source by a rename",
        "echo x > new; mv -f new $LIB",
    ),
    ("overwrite it by copy", "echo x > new; cp -f new $LIB"),
    ("truncate", "truncate -s 0 $DATA; : > $DATA"),
    (
        "delete",
        "rm -rf ~/.cargo/registry ~/.npm ~/.m2 ~/.cache/pip ~/.cache/uv ~/go",
    ),
    (
        "move a cache away",
        "mv ~/.cargo/registry ~/.cargo/old; mv ~/.npm/_cacache ~/.npm/old; mv ~/.cargo ~/old",
    ),
    (
        "by a symlink",
        "ln -s $LIB link; echo x >> link; ln -s ~/.cargo/registry folder; echo x >> folder/src/index/good-1.0.0/lib.rs",
    ),
    (
        "by a hard link",
        "ln $LIB hard && echo x >> hard; ln -P $LIB hard2 && echo x >> hard2; ln -L $LIB hard3 && echo x >> hard3",
    ),
    (
        "by two dots",
        "echo x >> ~/.npm/../.cargo/registry/src/index/good-1.0.0/lib.rs; echo x >> ~/.cargo/registry/src/../src/index/good-1.0.0/lib.rs",
    ),
    (
        "by permissions",
        "chmod -R a+w ~/.cargo ~/.npm; chown -R 0 ~/.cargo; echo x >> $LIB",
    ),
    ("by times", "touch -d 2001-01-01 $LIB $DATA"),
    (
        "by /proc/self/root",
        "echo x >> /proc/self/root$LIB; echo x >> /proc/self/cwd/../../.cargo/registry/src/index/good-1.0.0/lib.rs",
    ),
    (
        "by an open file",
        "exec 3< $LIB; echo x >> /proc/self/fd/3; python3 -c 'import os,sys; f = os.open(sys.argv[1], os.O_PATH); os.open(\"/proc/self/fd/%d\" % f, os.O_RDWR)' $LIB",
    ),
    (
        "by a remount",
        "mount -o remount,rw ~/.cargo/registry/src; mount --bind . ~/.cargo; umount ~/.cargo/registry/src; umount -l ~/.npm; echo x >> $LIB",
    ),
    (
        "by namespaces",
        "unshare -Urm sh -c \"mount -o remount,bind,rw ~/.cargo/registry/src; echo x >> $LIB\"",
    ),
    (
        "where the sandbox shows it elsewhere",
        "for file in $(find /run -name lib.rs -o -name data -o -name '*.jar' 2> gone); do echo x >> $file; sed -i s/good/bad/ $file; rm -f $file; done; rm -rf /run/sayso-caches",
    ),
    (
        "by the folder of the session",
        "for file in $(find $SESSION 2> gone); do echo x >> $file; done; echo x > $SESSION/x",
    ),
    (
        "by a variable of the command",
        "CARGO_HOME=$PWD/own GOMODCACHE=~/go/pkg/mod npm_config_cache=~/.npm PIP_CACHE_DIR=~/.cache/pip bash -c 'echo x >> ~/.cargo/registry/src/index/good-1.0.0/lib.rs; echo x > ~/.npm/_cacache/content-v2/new; echo x > ~/.cache/pip/wheels/new.whl'",
    ),
    (
        "new files beside",
        "echo x > ~/.cargo/registry/src/index/good-1.0.0/build.rs; mkdir ~/.cargo/registry/src/index/evil-1.0.0; echo x > ~/.m2/repository/a/b/1/b-1.jar; echo x > ~/.cache/uv/archive-v0/id/six.py; echo x > ~/.cargo/config.toml; echo x > ~/.npm/x",
    ),
    (
        "settings of tools",
        "echo x > ~/.npmrc; echo x > ~/.cargo/credentials.toml; mkdir -p ~/.config/pip; echo x > ~/.config/pip/pip.conf; echo x > ~/.m2/settings.xml; echo x > ~/.gradle/init.gradle",
    ),
    (
        "npm's own cleaning",
        "npm cache clean --force; npm cache verify",
    ),
    (
        "npm's own adding",
        "mkdir lib; cd lib; npm init -y; npm pack; npm cache add ./lib-1.0.0.tgz",
    ),
    ("pip's own cleaning", "python3 -m pip cache purge"),
    ("Go's own cleaning", "go clean -modcache -cache"),
    (
        "links for the next command",
        "rm -rf ~/.npm/_cacache/index-v5; ln -s ~/.cargo/registry/src/index/good-1.0.0 ~/.npm/_cacache/index-v5; rm -rf ~/.cargo/bin; ln -s / ~/.cargo/bin; ln -sfn $PWD ~/.cache/pip; ln -sfn / ~/.m2/wrapper",
    ),
];

fn desk() -> Option<(Desk, PathBuf)> {
    let desk = Desk::with(&["python3"])?;
    for (name, text) in [
        (".cargo/registry/src/index/good-1.0.0/lib.rs", "good"),
        (".cargo/registry/cache/index/good-1.0.0.crate", "good"),
        (".cargo/registry/index/x/config.json", "{}"),
        (".cargo/bin/tool", "good"),
        (".npm/_cacache/content-v2/sha512/aa/bb/data", "good"),
        (".npm/_cacache/index-v5/aa/bb/entry", "good"),
        (".m2/repository/a/b/1/b-1.jar", "good"),
        (".m2/wrapper/dists/x", "good"),
        (".gradle/caches/modules-2/files-2.1/a.jar", "good"),
        (".cache/pip/wheels/a/b/good.whl", "good"),
        (".cache/uv/archive-v0/id/six.py", "good"),
        ("go/pkg/mod/example.org/dep@v1.0.0/dep.go", "good"),
        ("go/pkg/mod/cache/download/example.org/dep/@v/list", "good"),
    ] {
        put(&desk.home.join(name), text);
    }
    for name in [
        ".cargo/credentials.toml",
        ".cargo/credentials",
        ".cargo/git/db/x/FETCH_HEAD",
        ".m2/settings.xml",
        ".m2/settings-security.xml",
        ".npmrc",
        ".npm/_logs/debug.log",
        ".gradle/gradle.properties",
        ".gradle/caches/journal-1/x",
        ".netrc",
        ".config/pip/pip.conf",
        ".pip/pip.conf",
        ".pypirc",
        ".ssh/id_rsa",
        ".cache/pip/selfcheck/x",
        ".cache/mozilla/x",
        ".local/share/uv/credentials/credentials.toml",
        "go/pkg/mod/cache/vcs/x/config",
        ".yarnrc.yml",
    ] {
        put(
            &desk.home.join(name),
            &format!("https://ada:{SECRET}@example.org/ _auth={SECRET} token = \"{SECRET}\"\n"),
        );
    }
    put(
        &desk.home.join(".cargo/config.toml"),
        &format!("[registry]\ntoken = \"{SECRET}\"\n"),
    );
    let caches = desk.home.clone();
    Some((desk, caches))
}

/// Everything of the home folder but the workspace and what sayso keeps: names, modes, times and contents.
fn contents(home: &Path) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
    let (mut found, mut open) = (BTreeMap::new(), vec![home.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.ends_with("projects") || path.ends_with(".local/state") {
                continue;
            }
            let seen = fs::symlink_metadata(&path).unwrap();
            let text = match seen {
                _ if seen.is_file() => fs::read(&path).unwrap(),
                _ if seen.is_symlink() => fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes(),
                _ => Vec::new(),
            };
            let time = if seen.is_dir() { 0 } else { seen.mtime() };
            found.insert(path.clone(), (seen.mode(), time, text));
            if seen.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

#[test]
fn no_attempt_changes_a_cache() {
    let Some((desk, home)) = desk() else { return };
    let before = contents(&home);
    let session = desk.project.join("../../../session/caches");
    let names = format!(
        "set +e; LIB=~/.cargo/registry/src/index/good-1.0.0/lib.rs; DATA=~/.npm/_cacache/content-v2/sha512/aa/bb/data; SESSION={};",
        session.display()
    );
    for (what, script) in WRITES {
        for way in SANDBOXED {
            let done = desk.try_to(way, &format!("{names} echo started; {script}; exit 0"));
            assert!(
                done.out.contains("started")
                    || done.err.contains("Changed")
                    || done.err.contains("changed"),
                "{what}, {way:?}: {done:?}"
            );
            let after = contents(&home);
            let changed: Vec<_> = after
                .iter()
                .filter(|(path, seen)| before.get(*path) != Some(seen))
                .map(|(path, _)| path)
                .collect();
            assert!(
                after == before,
                "{what}, {way:?}: {changed:?} or something is gone"
            );
        }
    }
    // After all of that the next command starts; what a session deleted is gone for that session only.
    for way in SANDBOXED {
        desk.work(way, "true");
    }
    let lib = "cat ~/.cargo/registry/src/index/good-1.0.0/lib.rs";
    assert_eq!(desk.work(Way::Command, lib), "good");
    eprintln!(
        "cache poisoning: {} attempts, each in {} ways, 0 got through",
        WRITES.len(),
        SANDBOXED.len()
    );
}

#[test]
fn no_credential_beside_the_data_is_read() {
    let Some((desk, _)) = desk() else { return };
    let script = "set +e; echo started; find ~ /run -type f -exec cat {} + ; find ~ /run -type l -exec cat {} +; cat ~/.cargo/credentials* ~/.cargo/config.toml ~/.m2/*.xml ~/.npmrc ~/.netrc ~/.gradle/gradle.properties ~/.npm/_logs/* ~/go/pkg/mod/cache/vcs/x/config; cat ~/.cargo/git/db/x/FETCH_HEAD ~/.local/share/uv/credentials/credentials.toml; exit 0";
    for way in SANDBOXED {
        let done = desk.try_to(way, script);
        assert!(
            done.out.contains("started") && done.out.contains("good"),
            "{way:?}: {done:?}"
        );
        assert!(!done.out.contains(SECRET), "{way:?}: {}", done.out);
    }
}

#[test]
fn a_cache_that_is_a_link_shows_nothing_of_where_it_leads() {
    for (place, below) in [
        (".npm", "_cacache/content-v2"),
        (".cache/pip", "wheels"),
        (".cargo/registry", "src"),
        (".m2/repository", ""),
        ("go/pkg/mod", ""),
        (".cache/uv/archive-v0", ""),
    ] {
        let Some((desk, home)) = desk() else { return };
        put(&home.join(".ssh").join(below).join("key"), SECRET);
        let link = home.join(place);
        fs::remove_dir_all(&link).unwrap();
        symlink(home.join(".ssh"), &link).unwrap();
        for way in SANDBOXED {
            let done = desk.try_to(
                way,
                "set +e; echo started; find -L ~ /run -type f -exec cat {} + ; exit 0",
            );
            assert!(done.out.contains("started"), "{place}, {way:?}: {done:?}");
            assert!(!done.out.contains(SECRET), "{place}, {way:?}");
        }
    }
}

#[test]
fn packages_that_share_files_with_a_cache_are_read_only() {
    let Some((desk, home)) = desk() else { return };
    let shared = [
        (
            ".venv/lib/python3.11/site-packages/six-1.dist-info/METADATA",
            ".cache/uv/archive-v0/id/METADATA",
        ),
        (
            ".venv/lib/python3.11/site-packages/six.py",
            ".cache/uv/archive-v0/id/shared.py",
        ),
        (
            "node_modules/.pnpm/a@1.0.0/node_modules/a/package.json",
            ".local/share/pnpm/store/v3/files/aa/1",
        ),
        (
            "node_modules/.pnpm/a@1.0.0/node_modules/a/index.js",
            ".local/share/pnpm/store/v3/files/aa/2",
        ),
    ];
    for (name, cached) in shared {
        put(&home.join(cached), "good");
        fs::create_dir_all(desk.project.join(name).parent().unwrap()).unwrap();
        fs::hard_link(home.join(cached), desk.project.join(name)).unwrap();
    }
    desk.file(".venv/pyvenv.cfg", "home = /usr/bin\n");
    desk.file("plain/pyvenv.cfg", "home = /usr/bin\n");
    desk.file(
        "plain/lib/python3.11/site-packages/six-1.dist-info/METADATA",
        "good",
    );
    for way in SANDBOXED {
        for (name, cached) in shared {
            desk.try_to(way, &format!("echo bad >> {name}; rm -f {name}; mv .venv v; mv node_modules nm; echo bad >> v/{name}; true"));
            assert_eq!(
                fs::read_to_string(home.join(cached)).unwrap(),
                "good",
                "{name}, {way:?}"
            );
            assert!(desk.project.join(".venv").exists(), "{way:?}");
        }
        // What shares nothing is written as ever.
        desk.work(
            way,
            "echo more >> plain/lib/python3.11/site-packages/six-1.dist-info/METADATA",
        );
    }
}
