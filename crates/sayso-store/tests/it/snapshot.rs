//! A snapshot gives back what was put in, and nothing else is ever taken for one.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::PathBuf;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::policy::name_patterns::ToolPattern;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::rule::Subject;
use sayso_core::policy::{Overrides, Policy};
use sayso_core::snapshot::pack;
use sayso_core::text::diagnostic::Source;
use sayso_core::text::digest::Digest;
use sayso_shell::Bash;
use sayso_store::Folder;
use sayso_store::snapshot::{bound, load, store};

use crate::scene::{Scene, chmod};

const TEXT: &str = "rules: [{allow: {command: \"cargo test *\"}}, {deny: {command_regex: \"push|rm\"}}, {ask: {write: \"src/**\"}}]";

fn policy(text: &str) -> Policy {
    let (layer, findings) = read(
        Source {
            name: "policy.yaml",
            text,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    let layer = layer.unwrap_or_else(|| panic!("{findings:?}"));
    Policy::assemble(vec![layer], &Overrides::default(), &Bash)
}

fn grants() -> Vec<Grant> {
    let grant = Grant {
        id: "g-1".to_owned(),
        key: GrantKey::Command {
            words: vec!["git".to_owned(), "push".to_owned()],
            folder: "/ws".to_owned(),
        },
        reach: Reach::Project("/ws".to_owned()),
        agent: "main".to_owned(),
        expires: Some(1_800_000_000),
        uses_left: Some(3),
        risk: Risk::Medium,
        seal: Some(Digest::of_bytes(b"script")),
    };
    vec![grant]
}

fn sources() -> Digest {
    bound([("policy.yaml", TEXT.as_bytes())], 7)
}

/// A state folder with a snapshot in it.
fn stored(scene: &Scene) -> (Folder, PathBuf) {
    let folder = Folder::open(&scene.state()).unwrap();
    store(&folder, &sources(), &policy(TEXT), &grants()).unwrap();
    (folder, scene.state().join("snapshot"))
}

fn names(scene: &Scene) -> Vec<String> {
    let mut names = Folder::open(&scene.state()).unwrap().names().unwrap();
    names.retain(|name| name.starts_with("snap"));
    names.sort();
    names
}

#[test]
fn what_was_stored_is_loaded() {
    let scene = Scene::new();
    let (folder, file) = stored(&scene);
    for _ in 0..2 {
        let (policy, grants) = load(&folder, &sources()).unwrap();
        assert_eq!(
            pack(&policy, &grants),
            pack(&self::policy(TEXT), &self::grants())
        );
    }
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(names(&scene), ["snapshot"]);
    // A policy that denies everything, since it is broken, stays one.
    store(&folder, &sources(), &Policy::broken("line 3"), &[]).unwrap();
    assert_eq!(
        load(&folder, &sources()).unwrap().0.why_broken(),
        Some("line 3")
    );
    fs::remove_file(file).unwrap();
    assert!(load(&folder, &sources()).is_none());
}

#[test]
fn other_sources_are_another_snapshot() {
    let scene = Scene::new();
    let (folder, _) = stored(&scene);
    let content = TEXT.as_bytes();
    for other in [
        bound([("policy.yaml", content)], 8),
        bound([("policy.yaml", b"".as_slice())], 7),
        bound([("other.yaml", content)], 7),
        bound([("policy.yaml", content), ("project.yaml", b"")], 7),
        bound([], 7),
    ] {
        assert!(load(&folder, &other).is_none());
    }
    assert!(load(&folder, &sources()).is_some());
}

#[test]
fn no_two_lists_of_sources_have_the_same_digest() {
    let one = bound([("a", b"b".as_slice()), ("c", b"d")], 1);
    for other in [
        bound([("ab", b"".as_slice()), ("c", b"d")], 1),
        bound([("a", b"bcd".as_slice())], 1),
        bound([("c", b"d".as_slice()), ("a", b"b")], 1),
        bound([("a", b"b".as_slice()), ("c", b"d"), ("", b"")], 1),
        bound([("a", b"b".as_slice()), ("c", b"d")], 2),
    ] {
        assert_ne!(one, other);
    }
    assert_eq!(one, bound([("a", b"b".as_slice()), ("c", b"d")], 1));
}

#[test]
fn no_byte_can_be_changed() {
    let scene = Scene::new();
    let (folder, file) = stored(&scene);
    let good = fs::read(&file).unwrap();
    for place in 0..good.len() {
        for bits in [1, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[place] ^= bits;
            fs::write(&file, bad).unwrap();
            assert!(load(&folder, &sources()).is_none(), "byte {place}");
        }
    }
    fs::write(&file, good).unwrap();
    assert!(load(&folder, &sources()).is_some());
}

#[test]
fn nothing_can_be_cut_off_or_added() {
    let scene = Scene::new();
    let (folder, file) = stored(&scene);
    let good = fs::read(&file).unwrap();
    for length in 0..good.len() {
        fs::write(&file, &good[..length]).unwrap();
        assert!(load(&folder, &sources()).is_none(), "{length} bytes");
    }
    for more in [&b"\0"[..], &good] {
        fs::write(&file, [&good, more].concat()).unwrap();
        assert!(
            load(&folder, &sources()).is_none(),
            "{} bytes more",
            more.len()
        );
    }
}

/// Bytes with a right digest that no policy has: only the unpacker is left to refuse them.
#[test]
fn a_right_digest_does_not_make_a_policy() {
    let scene = Scene::new();
    let (folder, file) = stored(&scene);
    let good = fs::read(&file).unwrap();
    let (header, content) = good.split_at(good.len() - pack(&policy(TEXT), &grants()).len());
    let with = |content: &[u8]| {
        let start = &header[..header.len() - 40];
        [
            start,
            Digest::of_bytes(content).bytes(),
            &(content.len() as u64).to_le_bytes(),
            content,
        ]
        .concat()
    };
    fs::write(&file, with(content)).unwrap();
    assert!(
        load(&folder, &sources()).is_some(),
        "the header is made as it is"
    );
    for bad in [
        &b""[..],
        b"\xff",
        &content[1..],
        &content[..content.len() - 1],
        &[content, b"\0"].concat(),
        &[0xff; 5000],
    ] {
        fs::write(&file, with(bad)).unwrap();
        assert!(load(&folder, &sources()).is_none());
    }
    // More than any snapshot has, whatever is in it.
    let large = [content, &vec![0; 5 << 20]].concat();
    fs::write(&file, with(&large)).unwrap();
    assert!(load(&folder, &sources()).is_none());
}

#[test]
fn what_is_no_file_of_ones_own_is_not_read() {
    let scene = Scene::new();
    let (folder, file) = stored(&scene);
    for mode in [0o602, 0o620, 0o666] {
        chmod(&file, mode);
        assert!(load(&folder, &sources()).is_none(), "{mode:o}");
    }
    chmod(&file, 0o600);
    assert!(load(&folder, &sources()).is_some());
    let elsewhere = scene.outside().join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(load(&folder, &sources()).is_none(), "a link");
    // Storing replaces the link, and not what it leads to.
    let before = fs::read(&elsewhere).unwrap();
    store(&folder, &sources(), &policy("rules: []"), &[]).unwrap();
    assert!(load(&folder, &sources()).is_some());
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &file,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert!(
        load(&folder, &sources()).is_none(),
        "a pipe, without waiting for it"
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(load(&folder, &sources()).is_none(), "a folder");
    assert!(
        store(&folder, &sources(), &policy(TEXT), &[])
            .unwrap_err()
            .to_string()
            .contains("could not rename")
    );
    assert_eq!(
        names(&scene),
        ["snapshot"],
        "nothing is left of the attempt"
    );
}

#[test]
fn a_snapshot_of_somebody_else_is_not_read() {
    let scene = Scene::new();
    let (folder, file) = stored(&scene);
    if !rustix::process::geteuid().is_root() {
        println!("NOT CHECKED: a snapshot of somebody else; giving one away takes root");
        return;
    }
    std::os::unix::fs::chown(&file, Some(12_345), None).unwrap();
    assert!(load(&folder, &sources()).is_none());
    store(&folder, &sources(), &policy(TEXT), &[]).unwrap();
    assert!(load(&folder, &sources()).is_some());
}

#[test]
fn a_policy_that_is_too_large_is_not_stored_and_the_one_before_stays() {
    let scene = Scene::new();
    let (folder, _) = stored(&scene);
    let long = Policy::broken("x".repeat(5 << 20));
    assert!(
        store(&folder, &sources(), &long, &[])
            .unwrap_err()
            .to_string()
            .contains("a snapshot has at most")
    );
    assert!(load(&folder, &sources()).is_some());
    assert_eq!(names(&scene), ["snapshot"]);
}

/// No text gives such a rule; made by hand, it could not be unpacked, and would deny what it allowed.
#[test]
fn a_rule_that_cannot_be_unpacked_again_is_not_stored() {
    let scene = Scene::new();
    let (folder, _) = stored(&scene);
    let (layer, _) = read(
        Source {
            name: "policy.yaml",
            text: TEXT,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    let mut layer = layer.unwrap();
    layer.rules[0].matcher.subject = Subject::Tool(vec![ToolPattern {
        written: "a\nb".to_owned(),
    }]);
    let odd = Policy::assemble(vec![layer], &Overrides::default(), &Bash);
    assert!(
        store(&folder, &sources(), &odd, &[])
            .unwrap_err()
            .to_string()
            .contains("not the same")
    );
    assert_eq!(
        load(&folder, &sources()).unwrap().1.len(),
        1,
        "the one before"
    );
}

#[test]
fn what_a_killed_process_left_is_removed_in_time() {
    let scene = Scene::new();
    let (folder, _) = stored(&scene);
    let left = scene.state().join("snapshot.new-1-0");
    fs::write(&left, "half").unwrap();
    store(&folder, &sources(), &policy(TEXT), &[]).unwrap();
    assert!(left.exists(), "somebody may be writing it just now");
    let hours_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    fs::File::options()
        .write(true)
        .open(&left)
        .unwrap()
        .set_modified(hours_ago)
        .unwrap();
    store(&folder, &sources(), &policy(TEXT), &[]).unwrap();
    assert_eq!(names(&scene), ["snapshot"]);
}

/// Whoever loads while others store gets one whole snapshot or another.
#[test]
fn many_may_store_and_load_at_once() {
    let scene = Scene::new();
    let (folder, _) = stored(&scene);
    let policies: Vec<Policy> = (1..=3)
        .map(|count| {
            policy(&format!(
                "rules: [{}]",
                "{deny: {read: x}}, ".repeat(count * 40)
            ))
        })
        .collect();
    std::thread::scope(|scope| {
        for policy in &policies {
            let folder = &folder;
            scope.spawn(move || {
                (0..50).for_each(|_| store(folder, &sources(), policy, &[]).unwrap())
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let (policy, _) = load(&folder, &sources()).expect("there is always one");
                    let count = policy.views()[0].general.rules.all().count();
                    assert!([3, 40, 80, 120].contains(&count), "{count} rules");
                }
            });
        }
    });
    assert_eq!(names(&scene), ["snapshot"]);
}
