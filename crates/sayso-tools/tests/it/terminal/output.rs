//! What a command writes, and how much of it is kept.

use std::sync::atomic::{AtomicU64, Ordering};

use sayso_tools::terminal::{self, Command, Stream};

use super::{command, number, output, result, run};

#[test]
fn both_streams_come_as_they_are_written() {
    let mut pieces = Vec::new();
    let outcome = terminal::run(command("echo one; echo two >&2"), &mut |stream, bytes| {
        pieces.push((stream, bytes.to_vec()))
    })
    .unwrap();
    let of = |wanted: Stream| -> Vec<u8> {
        pieces
            .iter()
            .filter(|(stream, _)| *stream == wanted)
            .flat_map(|(_, b)| b.clone())
            .collect()
    };
    assert_eq!(
        (of(Stream::Out), of(Stream::Error)),
        (b"one\n".to_vec(), b"two\n".to_vec())
    );
    let mut lines: Vec<&str> = outcome.output.lines().collect();
    lines.sort_unstable();
    assert_eq!((lines, outcome.left_out), (vec!["one", "two"], 0));
}

#[test]
fn output_is_shown_while_the_command_runs() {
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("go");
    // The command only goes on once its first line was seen.
    let text = format!(
        "echo first; until [ -e '{}' ]; do sleep 0.01; done; echo second",
        flag.display()
    );
    let outcome = terminal::run(command(&text), &mut |_, bytes| {
        if bytes.starts_with(b"first") {
            std::fs::write(&flag, "").unwrap();
        }
    });
    assert_eq!(outcome.unwrap().output, "first\nsecond\n");
}

#[test]
fn a_billion_bytes_pass_through_and_little_is_kept() {
    let total = AtomicU64::new(0);
    let outcome = terminal::run(
        command("head -c 1000000000 /dev/zero; echo end"),
        &mut |_, bytes| {
            total.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        },
    );
    let outcome = outcome.unwrap();
    assert_eq!(total.into_inner(), 1_000_000_004);
    assert!(
        outcome.output.len() < terminal::MOST_OUTPUT + 100 && outcome.output.ends_with("end\n")
    );
    assert_eq!(
        outcome.left_out,
        1_000_000_004 - terminal::MOST_OUTPUT as u64
    );
}

#[test]
fn the_first_and_the_last_part_are_kept() {
    let outcome = run(Command {
        most_output: 20,
        ..command("seq -w 1 1000")
    });
    assert_eq!(
        outcome.output,
        "0001\n0002\n\n[… 4980 bytes left out …]\n0999\n1000\n"
    );
    let told = sayso_tools::result::ToolResult::from(outcome);
    assert_eq!(number(&told, "bytes_left_out"), Some(4980));
}

#[test]
fn a_huge_line_and_no_output_at_all() {
    let long = run(Command {
        most_output: 1 << 20,
        ..command("head -c 1000000 /dev/zero | tr '\\0' x")
    });
    assert_eq!((long.output.len(), long.left_out), (1_000_000, 0));
    assert_eq!(output("true"), "");
    assert_eq!(output("exec >&- 2>&-; echo lost; sleep 0.05"), "");
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(
        output(r"printf 'a\xff\xfe\xe2\x82b'"),
        "a\u{fffd}\u{fffd}\u{fffd}b"
    );
    assert_eq!(output(r"printf '\xe2\x82'; sleep 0.05; printf '\xac'"), "€");
    assert_eq!(output(r"printf 'a\0b'"), "a\0b");
}

#[test]
fn there_is_nothing_to_read_and_no_terminal() {
    assert_eq!(output("cat; echo done"), "done\n");
    assert!(!result("read line").success);
    assert!(!result("cat < /dev/tty").success);
    assert_eq!(
        output("[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none"),
        "none\n"
    );
}
