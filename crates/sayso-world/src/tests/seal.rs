//! Seals of real files: what changed is seen, what did not is not, and nothing waits.

use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, Mode, mkfifoat};
use sayso_core::text::digest::Digest;

use super::{Scratch, skipped_as_root};
use crate::content::{Content, content};
use crate::seal::{Bound, seal};

fn by_content(scratch: &Scratch, path: &str) -> Digest {
    seal([Bound::Content(&scratch.at(path))]).unwrap()
}

fn by_identity(scratch: &Scratch, path: &str) -> Digest {
    seal([Bound::Identity(&scratch.at(path))]).unwrap()
}

/// Writes other content of the same size, and sets the time of the change back to what it was.
fn rewrite(scratch: &Scratch, path: &str, text: &str) {
    let at = scratch.at(path);
    let before = fs::metadata(&at).unwrap();
    assert_eq!(before.len(), text.len() as u64);
    fs::write(&at, text).unwrap();
    let times = FileTimes::new().set_modified(before.modified().unwrap());
    File::options()
        .write(true)
        .open(&at)
        .unwrap()
        .set_times(times)
        .unwrap();
    assert_eq!(
        fs::metadata(&at).unwrap().modified().unwrap(),
        before.modified().unwrap()
    );
}

#[test]
fn w13_a_script_with_another_content_of_the_same_size_and_time_is_another_one() {
    let scratch = Scratch::new();
    scratch.file("ws/s.sh", "echo good\n");
    let (content, identity) = (
        by_content(&scratch, "ws/s.sh"),
        by_identity(&scratch, "ws/s.sh"),
    );
    assert_eq!(by_content(&scratch, "ws/s.sh"), content);
    assert_eq!(by_identity(&scratch, "ws/s.sh"), identity);
    // Times on a disk are as fine as the tick of the kernel's clock.
    std::thread::sleep(Duration::from_millis(20));
    rewrite(&scratch, "ws/s.sh", "echo evil\n");
    assert_ne!(by_content(&scratch, "ws/s.sh"), content);
    assert_ne!(
        by_identity(&scratch, "ws/s.sh"),
        identity,
        "the time of the last alteration cannot be set"
    );
    rewrite(&scratch, "ws/s.sh", "echo good\n");
    assert_eq!(
        by_content(&scratch, "ws/s.sh"),
        content,
        "the same content again is the same script"
    );
}

#[test]
fn a_file_that_is_only_touched_has_the_same_content() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "x");
    let before = by_content(&scratch, "ws/a");
    File::options()
        .write(true)
        .open(scratch.at("ws/a"))
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();
    assert_eq!(by_content(&scratch, "ws/a"), before);
}

#[test]
fn h_21_a_link_that_was_turned_shows_even_where_the_content_is_the_same() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "same");
    scratch.file("ws/b", "same");
    scratch.link("ws/link", "a");
    let (content, identity) = (
        by_content(&scratch, "ws/link"),
        by_identity(&scratch, "ws/link"),
    );
    fs::remove_file(scratch.at("ws/link")).unwrap();
    scratch.link("ws/link", "b");
    assert_ne!(by_content(&scratch, "ws/link"), content);
    assert_ne!(by_identity(&scratch, "ws/link"), identity);
}

#[test]
fn h_21_what_a_link_leads_to_counts_through_every_link() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "one");
    scratch.link("ws/second", "a");
    scratch.link("ws/first", "second");
    let before = by_content(&scratch, "ws/first");
    fs::write(scratch.at("ws/a"), "two").unwrap();
    assert_ne!(by_content(&scratch, "ws/first"), before);
}

#[test]
fn h_21_a_file_that_became_a_link_to_the_same_content_shows() {
    let scratch = Scratch::new();
    scratch.file("ws/notes.md", "same");
    scratch.file("ws/.env", "same");
    let before = by_content(&scratch, "ws/notes.md");
    fs::remove_file(scratch.at("ws/notes.md")).unwrap();
    scratch.link("ws/notes.md", ".env");
    assert_ne!(by_content(&scratch, "ws/notes.md"), before);
}

#[test]
fn d02_a_folder_that_was_put_in_the_place_of_another_shows() {
    let scratch = Scratch::new();
    scratch.file("ws/inner/s.sh", "same");
    let (folder, file, missing) = (
        by_identity(&scratch, "ws/inner"),
        by_content(&scratch, "ws/inner/s.sh"),
        by_identity(&scratch, "ws/inner/new"),
    );
    scratch.file(
        "ws/inner/more",
        "files in a folder do not make it another one",
    );
    assert_eq!(by_identity(&scratch, "ws/inner"), folder);
    fs::rename(scratch.at("ws/inner"), scratch.at("ws/old")).unwrap();
    scratch.file("ws/inner/s.sh", "same");
    assert_ne!(by_identity(&scratch, "ws/inner"), folder);
    assert_ne!(by_content(&scratch, "ws/inner/s.sh"), file);
    assert_ne!(
        by_identity(&scratch, "ws/inner/new"),
        missing,
        "what would be made would be made elsewhere"
    );
    fs::remove_dir_all(scratch.at("ws/inner")).unwrap();
    scratch.link("ws/inner", "old");
    assert_ne!(by_identity(&scratch, "ws/inner"), folder);
}

#[test]
fn what_is_missing_differs_from_what_is_empty_and_from_what_comes_later() {
    let scratch = Scratch::new();
    let missing = by_content(&scratch, "ws/a");
    assert_eq!(by_content(&scratch, "ws/a"), missing);
    scratch.file("ws/a", "");
    let empty = by_content(&scratch, "ws/a");
    assert_ne!(empty, missing);
    fs::write(scratch.at("ws/a"), "x").unwrap();
    assert_ne!(by_content(&scratch, "ws/a"), empty);
    fs::remove_file(scratch.at("ws/a")).unwrap();
    scratch.folder("ws/a");
    assert!(![missing, empty].contains(&by_content(&scratch, "ws/a")));
}

#[test]
fn pipes_and_devices_are_told_apart_without_being_opened() {
    let scratch = Scratch::new();
    let pipe = scratch.at("ws/pipe");
    mkfifoat(CWD, &pipe, Mode::from(0o600)).unwrap();
    scratch.link("ws/link", "pipe");
    let (itself, through) = (
        by_content(&scratch, "ws/pipe"),
        by_content(&scratch, "ws/link"),
    );
    assert_eq!(by_content(&scratch, "ws/pipe"), itself);
    assert_eq!(by_content(&scratch, "ws/link"), through);
    assert_ne!(
        seal([Bound::Content("/dev/zero")]),
        seal([Bound::Content("/dev/null")])
    );
    assert!(
        content(&pipe, 10)
            .unwrap_err()
            .to_string()
            .ends_with("is not a regular file")
    );
    assert!(content("/dev/zero", 10).is_err());
}

#[test]
fn files_of_the_kernel_are_not_read() {
    if fs::exists("/proc/uptime").unwrap() {
        let before = seal([Bound::Content("/proc/uptime")]);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(seal([Bound::Content("/proc/uptime")]), before);
        assert!(seal([Bound::Content("/proc/kmsg")]).is_some());
    }
}

#[test]
fn words_that_cannot_be_files_are_missing_and_circles_lead_nowhere() {
    let scratch = Scratch::new();
    let long = format!("{}/{}", scratch.at("ws"), "x".repeat(1000));
    assert!(seal([Bound::Content(&long)]).is_some());
    scratch.file("ws/a", "x");
    assert!(seal([Bound::Content(&scratch.at("ws/a/below"))]).is_some());
    scratch.link("ws/one", "two");
    scratch.link("ws/two", "one");
    assert!(
        seal([
            Bound::Content(&scratch.at("ws/one")),
            Bound::Identity(&scratch.at("ws/one/below"))
        ])
        .is_some()
    );
    assert!(
        seal([Bound::Content("/a\0b")]).is_none(),
        "what cannot be looked at has no seal"
    );
}

#[test]
fn the_order_the_names_and_the_manner_count() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "same");
    scratch.file("ws/b", "same");
    let (a, b) = (scratch.at("ws/a"), scratch.at("ws/b"));
    let (one, other) = (Bound::Content(&a), Bound::Content(&b));
    assert_ne!(seal([one, other]), seal([other, one]));
    assert_ne!(seal([one]), seal([other]));
    assert_ne!(seal([one]), seal([Bound::Identity(&a)]));
    assert_ne!(seal([one]), seal([]));
}

#[test]
fn a_large_file_counts_by_its_times() {
    let scratch = Scratch::new();
    scratch.file("ws/large", "");
    let at = scratch.at("ws/large");
    // Holes: nothing of this is on the disk.
    File::options()
        .write(true)
        .open(&at)
        .unwrap()
        .set_len(65 * 1024 * 1024)
        .unwrap();
    let before = by_content(&scratch, "ws/large");
    assert_eq!(by_content(&scratch, "ws/large"), before);
    std::thread::sleep(Duration::from_millis(20));
    let file = File::options().write(true).open(&at).unwrap();
    std::os::unix::fs::FileExt::write_at(&file, b"x", 1000).unwrap();
    assert_ne!(by_content(&scratch, "ws/large"), before);
}

#[test]
fn what_may_not_be_read_is_told_apart_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    if skipped_as_root("a file without the right to read it") {
        return;
    }
    let scratch = Scratch::new();
    scratch.file("ws/a", "x");
    fs::set_permissions(scratch.at("ws/a"), fs::Permissions::from_mode(0o0)).unwrap();
    assert_eq!(by_content(&scratch, "ws/a"), by_content(&scratch, "ws/a"));
    assert!(content(&scratch.at("ws/a"), 10).is_err());
}

#[test]
fn content_is_the_start_of_a_file_and_its_size() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "hello");
    scratch.link("ws/link", "a");
    let content_of =
        |path: &str, most| content(&scratch.at(path), most).map_err(|error| error.to_string());
    assert_eq!(
        content_of("ws/a", 100),
        Ok(Some(Content {
            bytes: b"hello".to_vec(),
            size: 5,
            executable: false
        }))
    );
    assert_eq!(
        content_of("ws/link", 2),
        Ok(Some(Content {
            bytes: b"he".to_vec(),
            size: 5,
            executable: false
        }))
    );
    assert_eq!(content_of("ws/none", 2), Ok(None));
    assert!(
        content_of("ws", 2)
            .unwrap_err()
            .ends_with("is not a regular file")
    );
}

#[test]
fn a_file_that_is_only_looked_at_may_grow_and_not_become_another_one() {
    let scratch = Scratch::new();
    scratch.file("ws/log", "one\n");
    scratch.file("ws/other", "one\n");
    let at = scratch.at("ws/log");
    let before = seal([Bound::Which(&at)]).unwrap();
    fs::write(&at, "one\ntwo\n").unwrap();
    assert_eq!(seal([Bound::Which(&at)]), Some(before));
    fs::remove_file(&at).unwrap();
    assert_ne!(seal([Bound::Which(&at)]), Some(before));
    scratch.link("ws/log", "other");
    let linked = seal([Bound::Which(&at)]).unwrap();
    assert_ne!(linked, before);
    fs::remove_file(&at).unwrap();
    scratch.link("ws/log", "./other");
    assert_ne!(
        seal([Bound::Which(&at)]),
        Some(linked),
        "what a link says counts"
    );
}

#[test]
fn bytes_that_were_shown_are_those_of_the_file_or_there_is_no_seal() {
    let scratch = Scratch::new();
    scratch.file("ws/a", "shown");
    scratch.file("ws/empty", "");
    let (at, empty, missing) = (
        scratch.at("ws/a"),
        scratch.at("ws/empty"),
        scratch.at("ws/missing"),
    );
    let of = |text: &str| Digest::of_bytes(text.as_bytes());
    assert!(seal([Bound::Bytes(&at, of("shown"))]).is_some());
    assert!(seal([Bound::Bytes(&empty, of(""))]).is_some());
    for (path, text) in [
        (&at, "other"),
        (&at, ""),
        (&empty, "shown"),
        (&missing, ""),
        (&scratch.at("ws"), ""),
    ] {
        assert!(
            seal([Bound::Bytes(path, of(text))]).is_none(),
            "{path} {text:?}"
        );
    }
    fs::remove_file(&at).unwrap();
    mkfifoat(CWD, at.as_str(), Mode::RUSR | Mode::WUSR).unwrap();
    assert!(
        seal([Bound::Bytes(&at, of("shown"))]).is_none(),
        "a pipe keeps nobody waiting"
    );
}

#[test]
fn what_is_another_file_in_each_process_is_not_read() {
    let scratch = Scratch::new();
    fs::write(scratch.at("ws/own"), "ours").unwrap();
    scratch.link("ws/sly", "/proc/self/cwd");
    let open = File::open(scratch.at("ws/own")).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&open);
    for path in [
        format!("/proc/self/fd/{number}"),
        format!("/dev/fd/{number}"),
        "/dev/stdin".to_owned(),
        scratch.at("ws/sly/x"),
    ] {
        let error = content(&path, 16).unwrap_err().to_string();
        assert_eq!(error, format!("`{path}` is another file in each process"));
    }
    assert!(content(&scratch.at("ws/own"), 16).unwrap().is_some());
}
