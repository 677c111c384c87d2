//! Large texts made to hurt: every one is answered in time that grows with its length and no faster. A quadratic reader takes hours for these,
//! which is seen without a clock.

use super::*;

const SIZE: usize = 1 << 20;

fn read_both(text: &str) -> [bool; 2] {
    [json::read as Read, yaml::read].map(|read| {
        let result = read(text, &Limits::default());
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
        let read = read_both(&piece.repeat(SIZE / piece.len()));
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
        read_both(&format!(
            "{open}{}{close}",
            piece.repeat(SIZE / piece.len())
        ));
    }
}

#[test]
fn many_keys() {
    let entries: Vec<String> = (0..100_000)
        .map(|number| format!("\"key{number}\": {number}"))
        .collect();
    assert_eq!(
        read_both(&format!("{{{}}}", entries.join(", "))),
        [true, true]
    );
    assert_eq!(read_both(&entries.join("\n")), [false, true]);
    let twice = format!("{{{}, \"key50000\": 1}}", entries.join(", "));
    assert_eq!(read_both(&twice), [false, false]);
}

#[test]
fn deep_indentation() {
    let nested: String = (0..1400)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    assert_eq!(read_both(&nested), [false, false]);
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
        let text: String = (0..SIZE)
            .map(|_| letters[(next() % letters.len() as u64) as usize])
            .collect();
        read_both(&text);
    }
    let bytes: Vec<u8> = (0..SIZE).map(|_| (next() >> 24) as u8).collect();
    read_both(&String::from_utf8_lossy(&bytes));
}
