//! Another process that adds entries: this test program, started once more with a task in its environment.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use sayso_core::text::node::{Node, Value};
use sayso_store::{Journal, Sync};
use signal_hook::consts::SIGXFSZ;

const FOLDER: &str = "SAYSO_TEST_WRITER";
const COUNT: &str = "SAYSO_TEST_COUNT";
/// What the line of an acknowledged entry starts with: the test harness prints lines, too.
pub(crate) const MARK: &str = "entry ";

/// A process that adds so many entries (without end for 0), and prints the number and digest of each once it is there.
pub(crate) fn command(state: &Path, count: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "writer::writes_when_it_is_told_to",
        "--nocapture",
        "--test-threads=1",
    ]);
    command
        .env(FOLDER, state)
        .env(COUNT, count.to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Number and digest of each entry in what a writer printed; half a line at the end does not count.
pub(crate) fn acknowledged(printed: &str) -> Vec<(u64, String)> {
    let whole = printed.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole
        .lines()
        .filter_map(|line| {
            let (number, digest) = line.split_once(MARK)?.1.split_once(' ')?;
            Some((number.parse().ok()?, digest.to_owned()))
        })
        .collect()
}

#[test]
fn writes_when_it_is_told_to() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    // As the program does at its start: a limit on files is an error of the write.
    signal_hook::flag::register(SIGXFSZ, Arc::default()).unwrap();
    let count: u64 = std::env::var(COUNT).unwrap().parse().unwrap();
    // Segments that are soon full, so that going on to the next is killed in the middle, too.
    let journal = match Journal::open(Path::new(&folder)) {
        Ok(journal) => journal.with_segments_of(256 << 10),
        Err(reason) => return eprintln!("{reason}"),
    };
    let mut out = std::io::stdout();
    for index in 0_u64.. {
        if count > 0 && index == count {
            break;
        }
        // Lines of less than a page and of many: a kill cuts a long write between two pages.
        let length = if index % 8 == 7 { 60_000 } else { 200 };
        let fields = vec![
            ("index", Value::Number(index.to_string()).into()),
            ("command", Node::text("x".repeat(length))),
        ];
        match journal.append("decided", fields, Sync::System) {
            Ok(appended) => out
                .write_all(format!("\n{MARK}{} {}\n", appended.number, appended.digest).as_bytes())
                .unwrap(),
            Err(reason) => return eprintln!("{reason}"),
        }
    }
}
