//! JSON documents that must be read or refused, one by one.

use super::*;

#[test]
fn good_documents() {
    // Written again, they are the same but for white space and escapes.
    for (text, written) in [
        ("null", "null"),
        (" \t\r\n true \n", "true"),
        ("[]", "[]"),
        ("{ }", "{}"),
        (
            "[1, 1.0, 1e0, -0, 0.5E-7, 123456789012345678901234567890]",
            "[1,1.0,1e0,-0,0.5E-7,123456789012345678901234567890]",
        ),
        (
            r#"{"a": {"b": [[], {}, ""]}, "": 1}"#,
            r#"{"a":{"b":[[],{},""]},"":1}"#,
        ),
        (
            r#""\"\\\/\b\f\n\r\t\u0041\u00e9""#,
            "\"\\\"\\\\/\\b\\f\\n\\r\\tAé\"",
        ),
        (
            r#""\ud83e\uDD80 \u0000 \u001F \u2028""#,
            r#""🦀 \u0000 \u001f \u2028""#,
        ),
        ("\"\u{7f}\u{85}\u{FEFF}漢\"", "\"\u{7f}\u{85}\u{FEFF}漢\""),
        (
            "{\"a\":1,\"A\":2,\"\u{e9}\":3,\"e\u{301}\":4}",
            "{\"a\":1,\"A\":2,\"\u{e9}\":3,\"e\u{301}\":4}",
        ),
    ] {
        let node = json::read(text, &Limits::default())
            .unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
        assert_eq!(json::write(&node), written);
    }
}

#[test]
fn spans_cover_values_and_keys() {
    let text = "\n{ \"é\" : [ 12 , \"x\\n\" ] ,\"b\":{} , \"c\" :null}\n";
    let node = json::read(text, &Limits::default()).unwrap();
    let whole = text.trim();
    assert_eq!(
        all_pieces(text, &node),
        [
            whole,
            "\"é\"",
            "[ 12 , \"x\\n\" ]",
            "12",
            "\"x\\n\"",
            "\"b\"",
            "{}",
            "\"c\"",
            "null"
        ]
    );
}

#[test]
fn bad_documents() {
    for (text, place, message) in [
        ("", "1:1", "expected a value, found the end of the text"),
        (" \n ", "2:2", "expected a value, found the end of the text"),
        ("\u{FEFF}{}", "1:1", "a byte order mark before the text"),
        ("[1,\u{FEFF}2]", "1:4", "expected a value, found `\u{FEFF}`"),
        ("\0", "1:1", "expected a value, found `\0`"),
        ("[1]\0", "1:4", "expected the end of the text, found `\0`"),
        ("[1]\n]", "2:1", "expected the end of the text, found `]`"),
        ("1 2", "1:3", "expected the end of the text, found `2`"),
        ("{} {}", "1:4", "expected the end of the text, found `{`"),
        ("[1,]", "1:3", "a comma with nothing after it"),
        ("{\"a\":1 ,\n}", "1:8", "a comma with nothing after it"),
        ("[,1]", "1:2", "expected a value, found `,`"),
        ("[1,,2]", "1:4", "expected a value, found `,`"),
        (
            "{,}",
            "1:2",
            "expected a key in double quotes or `}`, found `,`",
        ),
        ("[1 2]", "1:4", "expected `,` or `]`, found `2`"),
        ("[1}", "1:3", "expected `,` or `]`, found `}`"),
        ("{\"a\":1]", "1:7", "expected `,` or `}`, found `]`"),
        (
            "[1",
            "1:3",
            "expected `,` or `]`, found the end of the text",
        ),
        (
            "{\"a\"",
            "1:5",
            "expected `:` after the key, found the end of the text",
        ),
        ("{\"a\" 1}", "1:6", "expected `:` after the key, found `1`"),
        ("{\"a\":}", "1:6", "expected a value, found `}`"),
        (
            "{a:1}",
            "1:2",
            "expected a key in double quotes or `}`, found `a`",
        ),
        (
            "{\"a\":1,b:2}",
            "1:8",
            "expected a key in double quotes, found `b`",
        ),
        (
            "{1:2}",
            "1:2",
            "expected a key in double quotes or `}`, found `1`",
        ),
        ("['a']", "1:2", "expected a value, found `'`"),
        ("// x\n1", "1:1", "expected a value, found `/`"),
        ("NaN", "1:1", "`NaN` is not a JSON value"),
        ("[Infinity]", "1:2", "`Infinity` is not a JSON value"),
        ("[-Infinity]", "1:3", "expected a digit, found `I`"),
        ("[nul]", "1:2", "`nul` is not a JSON value"),
        ("[True]", "1:2", "`True` is not a JSON value"),
        ("[truee]", "1:2", "`truee` is not a JSON value"),
        ("[01]", "1:2", "the number `01` begins with a zero"),
        ("[-007]", "1:2", "the number `-007` begins with a zero"),
        ("[00.5]", "1:2", "the number `00` begins with a zero"),
        ("[+1]", "1:2", "expected a value, found `+`"),
        ("[.5]", "1:2", "expected a value, found `.`"),
        ("[1.]", "1:4", "expected a digit, found `]`"),
        ("[1.e5]", "1:4", "expected a digit, found `e`"),
        ("[1e]", "1:4", "expected a digit, found `]`"),
        ("[1e+", "1:5", "expected a digit, found the end of the text"),
        ("-", "1:2", "expected a digit, found the end of the text"),
        ("[0x1F]", "1:3", "expected `,` or `]`, found `x`"),
        ("[1_000]", "1:3", "expected `,` or `]`, found `_`"),
        ("\"abc", "1:1", "a text without its closing `\"`"),
        ("[\"a\\", "1:4", "`\\` is not an escape"),
        ("[\"a\\\"]", "1:2", "a text without its closing `\"`"),
        (
            "\"a\nb\"",
            "1:3",
            "the control character `\n` inside a text",
        ),
        (
            "\"é\tb\"",
            "1:3",
            "the control character `\t` inside a text",
        ),
        (
            "\"a\0b\"",
            "1:3",
            "the control character `\0` inside a text",
        ),
        ("\"\\x41\"", "1:2", "`\\x` is not an escape"),
        ("\"\\漢\"", "1:2", "`\\漢` is not an escape"),
        (
            "\"\\u12G4\"",
            "1:2",
            "`\\u` without four hexadecimal digits",
        ),
        ("\"\\u12\"", "1:2", "`\\u` without four hexadecimal digits"),
        (
            "\"\\u+123\"",
            "1:2",
            "`\\u` without four hexadecimal digits",
        ),
        (
            "\"\\u12é4\"",
            "1:2",
            "`\\u` without four hexadecimal digits",
        ),
        (
            "\"ab\\uD800\"",
            "1:4",
            "`\\uD800` is half of a surrogate pair",
        ),
        (
            "\"\\udc00\\ud800\"",
            "1:2",
            "`\\udc00` is half of a surrogate pair",
        ),
        (
            "\"\\ud83e\\u0041\"",
            "1:2",
            "`\\ud83e` is half of a surrogate pair",
        ),
        (
            "\"\\ud83e\\n\"",
            "1:2",
            "`\\ud83e` is half of a surrogate pair",
        ),
        (
            "\"\\ud83e\\u\"",
            "1:8",
            "`\\u` without four hexadecimal digits",
        ),
        (
            "{\"a\":1,\n \"b\":2,\"a\":3}",
            "2:8",
            "the key `a` stands twice",
        ),
        ("{\"a\":1,\"\\u0061\":2}", "1:8", "the key `a` stands twice"),
        ("{\"\":1,\"\":2}", "1:7", "the key `` stands twice"),
        (
            "[{\"x\":{\"k\":1,\"k\":1}}]",
            "1:14",
            "the key `k` stands twice",
        ),
        ("[1\u{A0}]", "1:3", "expected `,` or `]`, found `\u{A0}`"),
        ("[1\u{C}]", "1:3", "expected `,` or `]`, found `\u{C}`"),
    ] {
        refused(json::read, text, place, message);
    }
}

#[test]
fn a_key_that_stands_twice_is_found_among_many() {
    for count in [1, 7, 8, 9, 10, 11, 30] {
        for again in [0, count / 2, count - 1] {
            let mut keys: Vec<String> = (0..count)
                .map(|number| format!("\"k{number}\":0"))
                .collect();
            assert!(json::read(&format!("{{{}}}", keys.join(",")), &Limits::default()).is_ok());
            keys.push(format!("\n\"k{again}\":1"));
            let text = format!("{{{}}}", keys.join(","));
            refused(
                json::read,
                &text,
                "2:1",
                &format!("the key `k{again}` stands twice"),
            );
            let error = json::read(&text, &Limits::default()).unwrap_err();
            assert_eq!(
                error.hint.as_deref(),
                Some("keep one of the two; the first is on line 1")
            );
        }
    }
}

#[test]
fn limits_hold() {
    let limits = Limits {
        bytes: 40,
        depth: 3,
        nodes: 5,
    };
    assert!(json::read("[[[1]]]", &limits).is_ok());
    let deep = json::read("[[[[1]]]]", &limits).unwrap_err();
    assert_eq!(
        (deep.span.start, deep.message.as_str()),
        (3, "more than 3 lists and maps inside each other")
    );
    assert!(json::read("[1,2,3,4]", &limits).is_ok());
    let many = json::read("[1,2,3,4,5]", &limits).unwrap_err();
    assert_eq!(
        (many.span.start, many.message.as_str()),
        (9, "more than 5 values")
    );
    assert!(json::read(&format!("{:40}", "1"), &limits).is_ok());
    assert_eq!(
        json::read(&format!("{:41}", "1"), &limits)
            .unwrap_err()
            .message,
        "text of 41 bytes, more than the 40 that are read"
    );
    let reckless = Limits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
    };
    assert!(
        json::read(
            &format!("{}{}", "[".repeat(256), "]".repeat(256)),
            &reckless
        )
        .is_ok()
    );
    assert!(json::read(&"[".repeat(1 << 20), &reckless).is_err());
}

#[test]
fn what_is_written_is_always_json() {
    for number in ["0x1F", ".inf", "+1", "1.", ".5", "007", "", "-", "1 "] {
        let node: Node = Value::Number(number.into()).into();
        assert_eq!(json::write(&node), json::quote(number));
    }
    assert_eq!(
        json::quote("a\"\\\u{7}\u{2029}\u{1F}é"),
        r#""a\"\\\u0007\u2029\u001fé""#
    );
    let mut deep = Node::text("x");
    for _ in 0..2000 {
        deep = Value::List(vec![deep]).into();
    }
    assert_eq!(json::write(&deep).len(), 4003);
}
