//! Approved operations that wait: taken once, by their own id, unchanged and in time.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Barrier, LazyLock};
use std::thread;
use std::time::{Duration, SystemTime};

use sayso_store::held_operations::{self, Gone, HeldError, LIFE, put};
use sayso_store::journal::Journal;
use tempfile::TempDir;

/// One time for a whole test: only differences count.
static NOW: LazyLock<i64> = LazyLock::new(|| {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    i64::try_from(since.as_secs()).unwrap()
});

fn now() -> i64 {
    *NOW
}

struct Room {
    _scratch: TempDir,
    state: PathBuf,
    journal: Journal,
}

impl Room {
    fn new() -> Room {
        let scratch = tempfile::tempdir().unwrap();
        let state = scratch.path().join("state");
        let journal = Journal::open(&state).unwrap();
        Room {
            _scratch: scratch,
            state,
            journal,
        }
    }

    fn put(&self, text: &str) -> String {
        put(&self.journal, text, now()).unwrap()
    }

    fn file(&self, id: &str) -> PathBuf {
        self.state.join("held").join(id)
    }

    fn take(&self, id: &str) -> Result<String, Gone> {
        take(&self.state, id, now())
    }

    fn trouble(&self, id: &str) -> String {
        let error = held_operations::take(&self.state, id, now()).unwrap_err();
        assert!(!matches!(error, HeldError::Gone { .. }), "{error}");
        error.to_string()
    }
}

fn take(state: &Path, id: &str, now: i64) -> Result<String, Gone> {
    held_operations::take(state, id, now).map_err(|error| match error {
        HeldError::Gone { gone, .. } => gone,
        error => panic!("{error}"),
    })
}

#[test]
fn what_was_put_is_taken_once() {
    let room = Room::new();
    for text in [
        "",
        "x",
        "{\"a\": \"\\n\"}\n\nmore\n",
        "ü\u{202e}\0",
        &"long ".repeat(200_000),
    ] {
        let id = room.put(text);
        assert!(
            id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{id}"
        );
        assert_eq!(room.take(&id).unwrap(), text);
        assert_eq!(room.take(&id), Err(Gone::Taken));
        assert_eq!(room.take(&id), Err(Gone::Taken));
    }
    assert_ne!(room.put("same"), room.put("same"));
    assert!(
        put(&room.journal, &"x".repeat(5 << 20), now())
            .unwrap_err()
            .to_string()
            .contains("no more than")
    );
}

#[test]
fn of_sixteen_at_once_one_has_it() {
    let room = Room::new();
    for round in 0..40 {
        let id = room.put(&format!("round {round}"));
        let gate = Barrier::new(16);
        let (state, gate, id) = (&room.state, &gate, id.as_str());
        let all: Vec<Result<String, Gone>> = thread::scope(|scope| {
            let hands: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(move || {
                        gate.wait();
                        take(state, id, now())
                    })
                })
                .collect();
            hands.into_iter().map(|hand| hand.join().unwrap()).collect()
        });
        assert_eq!(all.iter().filter(|one| one.is_ok()).count(), 1, "{all:?}");
        assert_eq!(
            all.iter().filter(|one| **one == Err(Gone::Taken)).count(),
            15,
            "{all:?}"
        );
    }
}

#[test]
fn a_copy_that_is_put_back_is_not_taken_again() {
    let room = Room::new();
    let (id, other) = (room.put("x"), room.put("y"));
    let copy = fs::read(room.file(&id)).unwrap();
    assert_eq!(room.take(&id).unwrap(), "x");
    fs::write(room.file(&id), &copy).unwrap();
    assert_eq!(room.take(&id), Err(Gone::Taken));
    // Nor under a name of its own.
    let free = "0".repeat(32);
    fs::write(room.file(&free), &copy).unwrap();
    assert_eq!(room.take(&free), Err(Gone::Changed));
    fs::write(room.file(&other), &copy).unwrap();
    assert_eq!(room.take(&other), Err(Gone::Changed));
}

#[test]
fn no_byte_of_it_can_be_changed() {
    let room = Room::new();
    let id = room.put("make test");
    let whole = fs::read(room.file(&id)).unwrap();
    for at in 0..whole.len() {
        let mut other = whole.clone();
        other[at] ^= 1;
        fs::write(room.file(&id), other).unwrap();
        assert_eq!(room.take(&id), Err(Gone::Changed), "byte {at}");
    }
    let longer = [whole.as_slice(), b" "].concat();
    for other in [
        &b""[..],
        b"\n",
        &whole[..whole.len() - 1],
        &whole[..64],
        &whole[1..],
        &longer,
        &[0xff; 4096],
    ] {
        fs::write(room.file(&id), other).unwrap();
        assert_eq!(room.take(&id), Err(Gone::Changed));
    }
    fs::write(room.file(&id), &whole).unwrap();
    assert_eq!(
        room.take(&id).unwrap(),
        "make test",
        "none of it used it up"
    );
}

#[test]
fn another_key_opens_nothing() {
    let (room, other) = (Room::new(), Room::new());
    let id = other.put("theirs");
    room.put("ours");
    fs::copy(other.file(&id), room.file(&id)).unwrap();
    assert_eq!(room.take(&id), Err(Gone::Changed));
    let id = room.put("ours");
    fs::remove_file(room.state.join("digest.key")).unwrap();
    assert_eq!(room.take(&id), Err(Gone::Changed));
    fs::write(room.state.join("digest.key"), "nonsense").unwrap();
    assert!(room.trouble(&id).contains("damaged"));
}

#[test]
fn it_ends_in_its_time() {
    let room = Room::new();
    let id = room.put("x");
    for later in [LIFE, LIFE + 1, 10 * LIFE, i64::MAX - now()] {
        assert_eq!(
            take(&room.state, &id, now() + later),
            Err(Gone::Expired),
            "{later}"
        );
    }
    assert_eq!(
        take(&room.state, &id, now() - 3600),
        Err(Gone::Expired),
        "a clock that was set back gives no more time"
    );
    assert_eq!(take(&room.state, &id, now() + LIFE - 1).unwrap(), "x");
}

#[test]
fn what_is_no_id_is_no_name_of_a_file() {
    let room = Room::new();
    let id = room.put("x");
    fs::write(room.state.join("secret"), "x").unwrap();
    let upper = id.to_uppercase();
    let longer = format!("{id}0");
    let huge = "a".repeat(1 << 20);
    let marked = format!("{id}.taken");
    for hostile in [
        "",
        ".",
        "..",
        "../secret",
        "../held",
        "/etc/passwd",
        "-h",
        "held",
        &id[..31],
        &longer,
        &marked,
        &huge,
        "ü",
        "\0",
        "a\nb",
        "$(id)",
    ] {
        assert_eq!(room.take(hostile), Err(Gone::NoId), "{hostile:.40}");
        let words = Gone::NoId.words(hostile);
        assert!(words.len() < 400 && !words.contains('\n'), "{words}");
    }
    if upper != id {
        assert_eq!(room.take(&upper), Err(Gone::NoId));
    }
    assert_eq!(room.take(&"0".repeat(32)), Err(Gone::Unknown));
    assert_eq!(room.take(&id).unwrap(), "x");
}

#[test]
fn nothing_is_made_for_somebody_who_only_asks() {
    let scratch = tempfile::tempdir().unwrap();
    let state = scratch.path().join("state");
    assert_eq!(take(&state, &"0".repeat(32), now()), Err(Gone::Unknown));
    assert!(!state.exists());
    let room = Room::new();
    assert_eq!(room.take(&"0".repeat(32)), Err(Gone::Unknown));
    assert!(!room.state.join("held").exists());
}

#[test]
fn only_its_owner_can_look_at_it_and_no_link_is_followed() {
    let room = Room::new();
    let id = room.put("x");
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(room.state.join("held")), mode(room.file(&id))),
        (0o700, 0o600)
    );
    let other = room.put("y");
    fs::rename(room.file(&other), room.state.join("elsewhere")).unwrap();
    symlink(room.state.join("elsewhere"), room.file(&other)).unwrap();
    assert!(room.trouble(&other).contains("is a link"));
    fs::set_permissions(room.state.join("held"), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(room.trouble(&id).contains("written by others"));
}

#[test]
fn old_ones_are_cleared_away() {
    let room = Room::new();
    let (waiting, taken) = (room.put("x"), room.put("y"));
    room.take(&taken).unwrap();
    fs::write(room.state.join("held/mine"), "not sayso's").unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(100_000);
    for entry in fs::read_dir(room.state.join("held")).unwrap() {
        fs::File::options()
            .write(true)
            .open(entry.unwrap().path())
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
    let young = room.put("z");
    let mut names: Vec<String> = fs::read_dir(room.state.join("held"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut wanted = vec!["mine".to_owned(), young];
    wanted.sort();
    assert_eq!(names, wanted, "and not {waiting} or {taken}");
}

#[test]
fn every_reason_has_words_of_its_own() {
    let all = [
        Gone::NoId,
        Gone::Unknown,
        Gone::Taken,
        Gone::Expired,
        Gone::Changed,
    ];
    let words: Vec<String> = all.iter().map(|gone| gone.words("a\u{1b}[2Jb")).collect();
    for (at, one) in words.iter().enumerate() {
        assert!(
            !one.contains('\u{1b}') && !words[..at].contains(one),
            "{one}"
        );
    }
    assert_eq!(held_operations::LIFE, 900);
}
