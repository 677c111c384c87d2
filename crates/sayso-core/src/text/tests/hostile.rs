//! Large texts made to hurt: every one is answered in time that grows with its length and no faster.

#![expect(clippy::disallowed_types, reason = "the product reads no clock, but this measures it")]

use super::*;
use std::time::{Duration, Instant};

const SIZE: usize = 1 << 20;

/// Far above what a linear reader needs for a megabyte without optimization, far below what a quadratic one needs.
const ENOUGH: Duration = Duration::from_secs(10);

fn timed(name: &str, text: &str) -> [bool; 2] {
    [json::read as Read, yaml::read].map(|read| {
        let begin = Instant::now();
        let result = read(text, &Limits::default());
        let taken = begin.elapsed();
        assert!(taken < ENOUGH, "{name} took {taken:?}");
        if let Err(error) = &result {
            assert!(error.span.end as usize <= text.len());
        }
        result.is_ok()
    })
}

#[test]
fn a_megabyte_of_the_same() {
    for piece in [
        "[",
        "{",
        "{\"a\":",
        "[{\"a\":[",
        "\"",
        "\"\"",
        "'",
        "\\",
        "\"\\u",
        "]",
        "}",
        ",",
        ":",
        ": ",
        "- ",
        "-\n",
        "? ",
        "?\n",
        "&a ",
        "*a ",
        "!a ",
        "!!",
        "%",
        "%a\n",
        "#",
        "# \n",
        "|\n",
        ">\n ",
        "a\n",
        "a: \n",
        "a: ",
        " ",
        "\n",
        "\t",
        "\r\n",
        "---\n",
        "...\n",
        "[]",
        "{}",
        "[a",
        "{a: ",
        "é",
        "漢\n",
        "1",
        "-",
        "0",
        "1,",
        "[1,",
        "~",
        "\n ",
        "a b ",
        "[? ",
        "{? ",
        "''",
        "\u{2028}",
    ] {
        let read = timed(piece, &piece.repeat(SIZE / piece.len()));
        // In JSON none of these is a document, but for a long number.
        assert_eq!(read[0], piece == "1", "{piece:?}");
    }
}

#[test]
fn a_megabyte_inside_something() {
    for (open, piece, close) in [
        ("[", "1,", "1]"),
        ("[", "[],", "1]"),
        ("[[[[[[[[[[", "a,", "b]]]]]]]]]]"),
        ("\"", "a", "\""),
        ("\"", "é", "\""),
        ("\"", "\\n", "\""),
        ("\"", "\\ud83e\\udd80", "\""),
        ("\"", "a ", "\""),
        ("\"", "a\n", "\""),
        ("'", "''", "'"),
        ("[\"", "\",\"", "\"]"),
        ("{\"k\":[", "{\"a\":1},", "2]}"),
        ("- ", "a\n- ", "b"),
        ("|\n", "  a\n", ""),
        (">\n", "  a\n\n", ""),
        ("|\n", " \n", ""),
        ("- |\n", "\n", ""),
        ("[", "a: b, ", "c]"),
        ("{", "? a : b, ", "}"),
        ("[", "[a]: b, ", "c]"),
        ("a: ", "b\n  ", "c"),
        ("a: b", " ", "# c"),
    ] {
        timed(open, &format!("{open}{}{close}", piece.repeat(SIZE / piece.len())));
    }
}

#[test]
fn many_keys() {
    let entries: Vec<String> = (0..100_000).map(|number| format!("\"key{number}\": {number}")).collect();
    assert_eq!(timed("flow keys", &format!("{{{}}}", entries.join(", "))), [true, true]);
    assert_eq!(timed("block keys", &entries.join("\n")), [false, true]);
    let twice = format!("{{{}, \"key50000\": 1}}", entries.join(", "));
    assert_eq!(timed("a key twice", &twice), [false, false]);
}

#[test]
fn deep_indentation() {
    let nested: String = (0..1400).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_eq!(timed("deep indentation", &nested), [false, false]);
}

#[test]
fn a_megabyte_of_noise() {
    // A small generator is enough, and the same text every time.
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for alphabet in ["[]{},:\"' \n-", "ab:- \n", "\"\\u0123 ", "[]{}\",:0123"] {
        let letters: Vec<char> = alphabet.chars().collect();
        let text: String = (0..SIZE).map(|_| letters[(next() % letters.len() as u64) as usize]).collect();
        timed(alphabet, &text);
    }
    let bytes: Vec<u8> = (0..SIZE).map(|_| (next() >> 24) as u8).collect();
    timed("bytes", &String::from_utf8_lossy(&bytes));
}
