//! The index says what the journal says, however it came to be, and whatever happens to its file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use sayso_core::text::node::{Node, Value};
use sayso_store::index::Index;
use sayso_store::index::calls::{Filter, Kinds};
use sayso_store::{Journal, Sync};

use crate::history::{self, call};
use crate::scene::{Scene, chmod};

fn open(state: &Path) -> Index {
    Index::open(state, &mut |_| {}).unwrap()
}

/// Everything in the file, table by table.
fn dump(state: &Path) -> Vec<String> {
    let db = Connection::open(state.join("index.db")).unwrap();
    let mut tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(tables.len() >= 8, "{tables:?}");
    let mut out = Vec::new();
    for table in tables {
        let mut query = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = query.column_count();
        let mut rows = query.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<String> = (0..columns)
                .map(|column| format!("{:?}", row.get_ref(column).unwrap()))
                .collect();
            out.push(format!("{table}: {}", cells.join(" | ")));
        }
    }
    out.sort();
    out
}

fn all(index: &Index) -> u64 {
    index
        .count(&Filter {
            kinds: Kinds::All,
            ..Filter::default()
        })
        .unwrap()
}

fn asides(state: &Path) -> usize {
    fs::read_dir(state)
        .unwrap()
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_str()
                .unwrap()
                .contains("aside")
        })
        .count()
}

#[test]
fn taken_in_piece_by_piece_is_the_same_as_built_anew() {
    let scene = Scene::new();
    let journal = scene.journal().with_segments_of(2_000);
    for round in 0..12 {
        history::round(&journal, round);
        drop(open(&scene.state()));
    }
    let folded = dump(&scene.state());
    assert!(folded.len() > 100, "{folded:#?}");
    drop(Index::rebuild(&scene.state(), &mut |_| {}).unwrap());
    assert_eq!(folded, dump(&scene.state()));
}

#[test]
fn what_is_pruned_goes_from_both() {
    let scene = Scene::new();
    let journal = scene.journal().with_segments_of(2_000);
    for round in 0..6 {
        history::round(&journal, round);
    }
    let before = all(&open(&scene.state()));
    let first = Connection::open(scene.state().join("index.db")).unwrap();
    let through: u64 = fs::read_to_string(scene.first()).unwrap().lines().count() as u64;
    drop(first);
    let fields = vec![("through", Value::Number(through.to_string()).into())];
    journal.append("pruned", fields, Sync::Disk).unwrap();
    fs::remove_file(scene.first()).unwrap();
    assert_eq!(all(&open(&scene.state())), before - through + 1);
    let folded = all(&open(&scene.state()));
    assert_eq!(
        all(&Index::rebuild(&scene.state(), &mut |_| {}).unwrap()),
        folded
    );
}

#[test]
fn it_is_never_behind_what_was_recorded_before() {
    let scene = Scene::new();
    let journal = scene.journal();
    for number in 1..=30 {
        history::round(&journal, number);
        let index = open(&scene.state());
        assert_eq!(
            index
                .numbers(&Filter {
                    kinds: Kinds::All,
                    ..Filter::default()
                })
                .unwrap()
                .len() as u64,
            scene.verify().entries
        );
    }
}

#[test]
fn a_file_that_is_no_index_is_kept_aside_and_built_anew() {
    let scene = Scene::new();
    history::round(&scene.journal(), 1);
    let wanted = all(&open(&scene.state()));
    let good = fs::read(scene.state().join("index.db")).unwrap();
    let mut flipped = good.clone();
    for byte in flipped.iter_mut().skip(100).step_by(7) {
        *byte ^= 0x5a;
    }
    let noise: Vec<u8> = (0..20_000_u32)
        .map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    for (bytes, what) in [
        (noise, "noise"),
        (
            b"not a database at all, but long enough to be looked at".repeat(100),
            "text",
        ),
        (good[..good.len() / 2].to_vec(), "half of it"),
        (good[..1000].to_vec(), "less than a page"),
        (flipped, "changed bytes"),
    ] {
        for side in ["index.db", "index.db-wal", "index.db-shm"] {
            let _ = fs::remove_file(scene.state().join(side));
        }
        fs::write(scene.state().join("index.db"), &bytes).unwrap();
        chmod(&scene.state().join("index.db"), 0o600);
        let index = open(&scene.state());
        assert_eq!(all(&index), wanted, "{what}");
        assert_eq!(
            index.last(&Filter::default(), None).unwrap().len(),
            3,
            "{what}"
        );
        assert!(asides(&scene.state()) >= 1, "{what} was kept");
    }
    // An empty file is one that nobody came to fill.
    fs::write(scene.state().join("index.db"), b"").unwrap();
    assert_eq!(all(&open(&scene.state())), wanted);
}

#[test]
fn another_journal_means_another_index() {
    let (one, other) = (Scene::new(), Scene::new());
    history::round(&one.journal(), 1);
    drop(open(&one.state()));
    for round in 0..4 {
        history::round(&other.journal(), 10 + round);
    }
    for (what, text) in [
        ("another", other.text()),
        (
            "a shorter one",
            other
                .text()
                .lines()
                .take(3)
                .map(|line| format!("{line}\n"))
                .collect(),
        ),
    ] {
        fs::write(one.first(), &text).unwrap();
        let index = open(&one.state());
        assert_eq!(all(&index), text.lines().count() as u64, "{what}");
    }
    fs::remove_file(one.first()).unwrap();
    assert_eq!(all(&open(&one.state())), 0, "none at all");
}

#[test]
fn an_index_of_a_newer_version_is_left_alone() {
    let scene = Scene::new();
    history::round(&scene.journal(), 1);
    drop(open(&scene.state()));
    let db = Connection::open(scene.state().join("index.db")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let error = Index::open(&scene.state(), &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("version 99") && error.contains("newer"),
        "{error}"
    );
    assert_eq!(asides(&scene.state()), 0);
    assert!(
        Index::rebuild(&scene.state(), &mut |_| {}).is_ok(),
        "unless it is asked for"
    );
}

/// Where a file of version 1 lies, with the journal it was made from.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// `SAYSO_WRITE_FIXTURE=1` makes the files anew, as long as version 1 was not released.
#[test]
fn a_file_of_version_1_is_still_read() {
    if std::env::var_os("SAYSO_WRITE_FIXTURE").is_some() {
        let scene = Scene::new();
        history::round(&scene.journal(), 1);
        drop(open(&scene.state()));
        fs::create_dir_all(fixture("")).unwrap();
        fs::copy(scene.state().join("index.db"), fixture("index-1.db")).unwrap();
        fs::copy(scene.first(), fixture("index-1.jsonl")).unwrap();
    }
    let scene = Scene::new();
    drop(scene.journal());
    for (from, to) in [
        ("index-1.jsonl", scene.first()),
        ("index-1.db", scene.state().join("index.db")),
    ] {
        fs::write(&to, fs::read(fixture(from)).unwrap()).unwrap();
        chmod(&to, 0o600);
    }
    let entries = scene.verify().entries;
    let index = open(&scene.state());
    assert_eq!(all(&index), entries);
    assert_eq!(
        asides(&scene.state()),
        0,
        "it is brought to the newest version, not built anew"
    );
    history::round(&scene.journal(), 2);
    drop(index);
    let folded = all(&open(&scene.state()));
    assert_eq!(folded, 2 * entries);
}

#[test]
fn damage_is_passed_over_and_told() {
    let scene = Scene::new();
    let journal = scene.journal();
    for round in 0..3 {
        history::round(&journal, round);
    }
    let entries = scene.verify().entries;
    drop(open(&scene.state()));
    let mut lines: Vec<String> = scene.text().lines().map(str::to_owned).collect();
    lines[4] = lines[4].replace("\"n\":5", "\"n\":6");
    let last = lines.len() - 1;
    lines[last] = lines[last].replace("\"kind\"", "\"kinD\"");
    fs::write(scene.first(), lines.join("\n") + "\n").unwrap();
    for _ in 0..2 {
        let index = open(&scene.state());
        assert_eq!(all(&index), entries - 2);
        let damaged = index.damaged().unwrap();
        assert_eq!(damaged.len(), 2, "{damaged:?}");
        assert!(
            damaged.iter().any(|place| place.contains("line 5")),
            "{damaged:?}"
        );
    }
}

#[test]
fn nothing_of_it_is_for_others() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new();
    history::round(&scene.journal(), 1);
    let index = open(&scene.state());
    for entry in fs::read_dir(scene.state()).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            assert_eq!(
                entry.metadata().unwrap().permissions().mode() & 0o777,
                0o600,
                "{:?}",
                entry.file_name()
            );
        }
    }
    drop(index);
}

const FOLDER: &str = "SAYSO_TEST_INDEX";

#[test]
fn processes_that_open_it_at_once_all_see_everything() {
    let scene = Scene::new();
    let journal = scene.journal();
    for round in 0..40 {
        history::round(&journal, round);
    }
    let entries = scene.verify().entries;
    let task = |damage: bool| {
        if damage {
            fs::write(scene.state().join("index.db"), b"x".repeat(5000)).unwrap();
            let _ = fs::remove_file(scene.state().join("index.db-wal"));
        }
        let start = |_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args([
                "--exact",
                "index::opens_when_it_is_told_to",
                "--nocapture",
                "--test-threads=1",
            ]);
            command
                .env(FOLDER, scene.state())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let all: Vec<_> = (0..8).map(start).collect();
        for process in all {
            let out = process.wait_with_output().unwrap();
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            assert!(
                text.contains(&format!("entries {entries};")),
                "{text} {}",
                String::from_utf8_lossy(&out.stderr)
            );
        }
    };
    task(false);
    task(true);
    let folded = dump(&scene.state());
    drop(Index::rebuild(&scene.state(), &mut |_| {}).unwrap());
    assert_eq!(folded, dump(&scene.state()));
}

#[test]
fn opens_when_it_is_told_to() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    println!("entries {};", all(&open(Path::new(&folder))));
}

#[test]
fn calls_are_found_by_what_they_say() {
    let scene = Scene::new();
    let journal = scene.journal();
    for round in 0..3 {
        history::round(&journal, round);
    }
    let index = open(&scene.state());
    let count = |filter: Filter| index.count(&filter).unwrap();
    let text = |text: &str| Some(text.to_owned());
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(count(Filter::default()), 9);
    assert_eq!(
        count(Filter {
            agent: text("builder"),
            ..Filter::default()
        }),
        6,
        "also below another one"
    );
    assert_eq!(
        count(Filter {
            agent: text("build"),
            ..Filter::default()
        }),
        0
    );
    assert_eq!(
        count(Filter {
            session: text("run-1"),
            ..Filter::default()
        }),
        3
    );
    assert_eq!(
        count(Filter {
            session: text("run-"),
            ..Filter::default()
        }),
        9
    );
    assert_eq!(
        count(Filter {
            tools: words(&["terminal", "nothing"]),
            ..Filter::default()
        }),
        6
    );
    assert_eq!(
        count(Filter {
            decisions: words(&["ask"]),
            ..Filter::default()
        }),
        6
    );
    assert_eq!(
        count(Filter {
            outcomes: words(&["denied", "approved"]),
            ..Filter::default()
        }),
        6
    );
    assert_eq!(
        count(Filter {
            rule: text("default"),
            ..Filter::default()
        }),
        3
    );
    assert_eq!(
        count(Filter {
            rule: text("policy.yaml:3"),
            ..Filter::default()
        }),
        3
    );
    assert_eq!(
        count(Filter {
            text: text("GIT push"),
            ..Filter::default()
        }),
        3
    );
    assert_eq!(
        count(Filter {
            text: text("%"),
            ..Filter::default()
        }),
        0,
        "it is a text and no pattern"
    );
    assert_eq!(
        count(Filter {
            text: text("' OR 1=1 --"),
            ..Filter::default()
        }),
        0
    );
    assert_eq!(
        count(Filter {
            kinds: Kinds::These(words(&["asked", "undo"])),
            ..Filter::default()
        }),
        12
    );
    let (first, last) = (history::at(0), history::at(2));
    assert_eq!(
        count(Filter {
            since: Some(last),
            ..Filter::default()
        }),
        3
    );
    assert_eq!(
        count(Filter {
            until: Some(last),
            since: Some(first),
            ..Filter::default()
        }),
        6
    );
    let newest = index.last(&Filter::default(), Some(2)).unwrap();
    assert!(
        newest[0].number < newest[1].number && newest[1].outcome.as_deref() == Some("denied"),
        "{newest:?}"
    );
}

#[test]
fn a_decision_knows_when_it_was_asked_how_it_ran_and_that_it_was_undone() {
    let scene = Scene::new();
    history::round(&scene.journal(), 5);
    let index = open(&scene.state());
    let [look, edit, push] = &index.last(&Filter::default(), None).unwrap()[..] else {
        panic!()
    };
    assert_eq!(
        (look.asked, look.succeeded, look.milliseconds, look.undone),
        (None, Some(true), Some(12), None)
    );
    assert_eq!(edit.asked, Some(edit.at - 4000), "the first prompt counts");
    assert_eq!((edit.succeeded, edit.undone.is_some()), (Some(false), true));
    assert_eq!(
        (push.asked, push.ended, push.succeeded),
        (Some(push.at - 2000), None, None)
    );
    let stats = index.stats(&Filter::default()).unwrap();
    assert_eq!(
        (
            stats.total.calls,
            stats.total.prompts,
            stats.total.approved,
            stats.total.denials()
        ),
        (3, 2, 1, 1)
    );
    assert_eq!(
        (stats.answers.count, stats.answers.p50, stats.answers.p95),
        (2, Some(2000), Some(4000))
    );
    assert_eq!((stats.total.failed, stats.total.undone), (1, 1));
}

#[test]
fn calls_with_the_same_id_are_told_apart() {
    use sayso_store::index::call_history::Found;
    let scene = Scene::new();
    let journal = scene.journal();
    history::round(&journal, 1);
    history::round(&journal, 1);
    call(&journal, "alone", "run-9", Some(1));
    let index = open(&scene.state());
    let Found::Several(calls) = index.find("edit").unwrap() else {
        panic!()
    };
    assert_eq!(calls.len(), 2);
    let (new, old) = (&calls[0], &calls[1]);
    let story = index.story_of(old.number).unwrap().unwrap();
    assert_eq!(
        story.len(),
        6,
        "asked twice, granted, decided, finished, undone: {story:?}"
    );
    let other = index.story_of(new.number).unwrap().unwrap();
    assert!(
        story.iter().all(|number| !other.contains(number)),
        "{story:?} {other:?}"
    );
    for number in &story {
        let kind = index.entry(*number).unwrap().unwrap().kind;
        if kind != "undo" {
            assert_eq!(index.story_of(*number).unwrap().unwrap(), story, "{kind}");
        }
    }
    assert!(
        matches!(index.find("alon").unwrap(), Found::Story(story) if story.len() == 2),
        "the beginning is enough"
    );
    assert!(matches!(index.find("alonx").unwrap(), Found::Nothing(near) if near == ["alone"]));
    assert!(matches!(index.find("zzz").unwrap(), Found::Nothing(near) if near.is_empty()));
    assert!(matches!(index.find("").unwrap(), Found::Nothing(_)));
    assert!(index.story_of(10_000).unwrap().is_none());
}

#[test]
fn fields_of_any_shape_are_taken_in() {
    let scene = Scene::new();
    let journal = scene.journal();
    let odd = |value: Value| -> Node { value.into() };
    for (kind, fields) in [
        (
            "decided",
            vec![
                ("call", odd(Value::Number("7".to_owned()))),
                ("what", odd(Value::Null)),
                ("agent", odd(Value::List(Vec::new()))),
            ],
        ),
        (
            "decided",
            vec![
                ("call", Node::text("")),
                ("session", Node::text("")),
                ("tool", Node::text("\u{1b}\"\\\n")),
            ],
        ),
        (
            "finished",
            vec![
                ("call", Node::text("never decided")),
                ("milliseconds", Node::text("x")),
                ("succeeded", Node::text("yes")),
            ],
        ),
        ("undo", vec![("undoes", Node::text("no list"))]),
        (
            "undo",
            vec![(
                "undoes",
                odd(Value::List(vec![odd(Value::Null), Node::text("x")])),
            )],
        ),
        ("asked", vec![("prompt", Node::text("without a call"))]),
        ("pruned", vec![("through", Node::text("x"))]),
        ("trusted", vec![]),
        (
            "something_new",
            vec![("what", Node::text("…".repeat(1000)))],
        ),
    ] {
        journal.append(kind, fields, Sync::System).unwrap();
    }
    let index = open(&scene.state());
    assert_eq!(all(&index), 9);
    let last = index
        .last(
            &Filter {
                kinds: Kinds::All,
                ..Filter::default()
            },
            Some(1),
        )
        .unwrap()
        .pop()
        .unwrap();
    assert!(last.what.unwrap().len() <= 400);
    assert_eq!(
        index.entry(2).unwrap().unwrap().tool.as_deref(),
        Some("\u{1b}\"\\\n")
    );
}

#[test]
fn a_folder_that_cannot_be_relied_on_is_refused() {
    let scene = Scene::new();
    history::round(&scene.journal(), 1);
    chmod(&scene.state(), 0o777);
    let error = Index::open(&scene.state(), &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("others"), "{error}");
    chmod(&scene.state(), 0o700);
    std::os::unix::fs::symlink("/etc/passwd", scene.state().join("index.db")).unwrap();
    let error = Index::open(&scene.state(), &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("link"), "{error}");
    assert!(Journal::open(&scene.state()).is_ok());
}

#[test]
fn many_can_make_a_new_index_at_once() {
    for _ in 0..20 {
        let scene = Scene::new();
        let state = scene.state();
        let start = std::sync::Barrier::new(16);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    start.wait();
                    Index::open(&state, &mut |_| {}).unwrap();
                });
            }
        });
    }
}
