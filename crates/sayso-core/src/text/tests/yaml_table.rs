//! YAML documents that must be read or refused, one by one.

use super::*;

#[test]
fn good_documents() {
    for (text, says) in [
        ("", "null"),
        ("# only\n", "null"),
        ("---\n", "null"),
        ("--- a\n...\n", r#""a""#),
        ("a: 1\r\nb: 2\r\n", r#"{"a":1,"b":2}"#),
        (
            "a:\nb: ~\nc: null\nd: Null\ne: NULL\nf: nUll\n",
            r#"{"a":null,"b":null,"c":null,"d":null,"e":null,"f":"nUll"}"#,
        ),
        (
            "[true, True, TRUE, tRue, false, False, FALSE]",
            r#"[true,true,true,"tRue",false,false,false]"#,
        ),
        (
            "[yes, no, on, off, y, n, Yes, NO]",
            r#"["yes","no","on","off","y","n","Yes","NO"]"#,
        ),
        ("['true', \"1\", 'null', '']", r#"["true","1","null",""]"#),
        (
            "[1, -1, 0, 12e3, 1.5, -0.5E-7]",
            "[1,-1,0,12e3,1.5,-0.5E-7]",
        ),
        // Numbers that JSON cannot write come out in quotes, see `numbers_keep_their_source`.
        (
            "[1_000, 1:30, 1.2.3, 0b1, 12e, e5, '-', --1, 2024-01-01, .]",
            r#"["1_000","1:30","1.2.3","0b1","12e","e5","-","--1","2024-01-01","."]"#,
        ),
        (
            "a: |\n  x\n   y\n\nb: >-\n  fo\n  ld\n\n  ed\nc: |+\n  z\n\n",
            r#"{"a":"x\n y\n","b":"fo ld\ned","c":"z\n\n"}"#,
        ),
        (
            "a: multi\n  line\nb: \"multi\n  \\x41\\u00e9\\U0001F980\"\n",
            r#"{"a":"multi line","b":"multi Aé🦀"}"#,
        ),
        ("'it''s': \"a\\tb\\/\"\n", r#"{"it's":"a\tb/"}"#),
        ("- a\n- - b\n  - c\n-\n", r#"["a",["b","c"],null]"#),
        ("{a, b: , \"c\":1}", r#"{"a":null,"b":null,"c":1}"#),
        ("[a: b, c]", r#"[{"a":"b"},"c"]"#),
        ("key: [x,]\n", r#"{"key":["x"]}"#),
        ("? a\n: b\n", r#"{"a":"b"}"#),
        (
            "1: a\n0x1F: b\n1.0: c\n",
            r#"{"1":"a","0x1F":"b","1.0":"c"}"#,
        ),
        ("'true': 1\n\"~\": 2\n", r#"{"true":1,"~":2}"#),
        ("<<: {a: 1}\na: 2\n", r#"{"<<":{"a":1},"a":2}"#),
        ("yes: 1\non: 2\n", r#"{"yes":1,"on":2}"#),
        ("a:#x #y\n", r#""a:#x""#),
        ("a: b#c\nd: '#e' # f\n", r##"{"a":"b#c","d":"#e"}"##),
        (
            "url: http://x/?a=b&c\nstar: a*\nbang: hi!\n",
            r#"{"url":"http://x/?a=b&c","star":"a*","bang":"hi!"}"#,
        ),
        ("--- |\n%x\n", r#""%x\n""#),
        ("a: 'x\n\n  %y'\n", r#"{"a":"x\n%y"}"#),
    ] {
        let node = yaml::read(text, &Limits::default())
            .unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
        assert_eq!(json::write(&node), says, "for {text:?}");
    }
}

#[test]
fn numbers_keep_their_source() {
    for source in [
        "0", "007", "+1", "-1", "1.", ".5", "-.5e+3", "1e9", "0o17", "0xfF", ".inf", "-.INF",
        "+.Inf", ".nan", ".NaN", "1.50",
    ] {
        let node = yaml::read(source, &Limits::default()).unwrap();
        assert!(
            matches!(&node.value, Value::Number(text) if text == source),
            "{source}: {node:?}"
        );
    }
    for text in [
        "+.nan", "-0x1", "0o8", "0x", "0xG", "1e", "e1", ".e1", "+", "1 2", "١", "inf", "NaN",
    ] {
        let node = yaml::read(text, &Limits::default()).unwrap();
        assert_eq!(node.as_text(), Some(text));
    }
}

#[test]
fn spans_cover_what_is_written() {
    let text = concat!(
        "é: [x, 'y' , \"z \\\" \" ] # 🦀\n",
        "b: {k: v, l: }  \n",
        "c:\n",
        "- 1 # one\n",
        "- # none\n",
        "- - d: e\n",
        "    f: |\n",
        "      two\n",
        "      lines\n",
        "\n",
        "'g''h':   \"\"\n",
        "i:\n",
        "j: multi\n",
        "  line\n",
    );
    let node = yaml::read(text, &Limits::default()).unwrap();
    let inner = "d: e\n    f: |\n      two\n      lines";
    assert_eq!(
        all_pieces(text, &node),
        [
            text.trim_end(),
            "é",
            "[x, 'y' , \"z \\\" \" ]",
            "x",
            "'y'",
            "\"z \\\" \"",
            "b",
            "{k: v, l: }",
            "k",
            "v",
            "l",
            "",
            "c",
            &format!("- 1 # one\n- # none\n- - {inner}"),
            "1",
            "",
            &format!("- {inner}"),
            inner,
            "d",
            "e",
            "f",
            "two\n      lines",
            "'g''h'",
            "\"\"",
            "i",
            "",
            "j",
            "multi\n  line",
        ]
    );
    assert!(text[..node.get("i").unwrap().span.start as usize].ends_with("i:"));
}

#[test]
fn bad_documents() {
    for (text, place, message) in [
        ("a: 1\nb: 2\na: 3\n", "3:1", "the key `a` stands twice"),
        ("é: {a: 1, \"a\": 2}", "1:11", "the key `a` stands twice"),
        (
            "\"a\": 1\n'\\x61': 2\n\"\\x61\": 2",
            "3:1",
            "the key `a` stands twice",
        ),
        ("<<: 1\n<<: 2\n", "2:1", "the key `<<` stands twice"),
        ("1: a\n'1': b\n", "2:1", "the key `1` stands twice"),
        ("a: &x 1\n", "1:4", "anchors are not read"),
        ("é: ü\nb: &x\n  b: 1\n", "2:4", "anchors are not read"),
        ("&a *a", "1:1", "anchors are not read"),
        ("&a !t b", "1:1", "anchors are not read"),
        ("- [é, &a []]", "1:7", "anchors are not read"),
        ("a: *x\n", "1:4", "aliases are not read"),
        ("*a : 1", "1:1", "aliases are not read"),
        ("a: !!str 1\n", "1:4", "tags are not read"),
        ("a: !foo!bar 1\n", "1:4", "tags are not read"),
        ("a: !<x> 1\n", "1:4", "tags are not read"),
        ("- !\n", "1:3", "tags are not read"),
        ("!t &a b", "1:1", "tags are not read"),
        ("!!map {a: 1}", "1:1", "tags are not read"),
        ("[a]: 1\n", "1:1", "a list as a key"),
        ("a:\n  {a: 1}: 2\n", "2:3", "a map as a key"),
        ("? [a]\n: 1\n", "1:3", "a list as a key"),
        ("? - a\n: 1\n", "1:3", "a list as a key"),
        ("? a: b\n: 1\n", "1:3", "a map as a key"),
        ("true: 1\n", "1:1", "`true` is not text, and a key must be"),
        ("a: {~: 1}\n", "1:5", "`~` is not text, and a key must be"),
        (": 1\n", "1:1", "a value without a key"),
        ("{: 1}", "1:2", "a value without a key"),
        ("[? , a]", "1:4", "a value without a key"),
        (
            "a: 1\n---\nb: 2\n",
            "2:1",
            "more than one document in the text",
        ),
        ("a\n...\nb\n", "3:1", "more than one document in the text"),
        ("---\n---\n", "2:1", "more than one document in the text"),
        (
            "%YAML 1.2\n---\na: 1\n",
            "1:1",
            "the directive `%YAML 1.2` is not read",
        ),
        (
            "# c\n%FOO x\n--- a\n",
            "2:1",
            "the directive `%FOO x` is not read",
        ),
        (
            "%TAG ! x\n--- a",
            "1:1",
            "the directive `%TAG ! x` is not read",
        ),
        ("a: b\n%YAML 1.2\n", "2:1", "directives are not read"),
        ("a: 'x\n", "1:4", "a text without its closing quote"),
        (
            "a: \"x\ny\"\n",
            "1:4",
            "a text that goes on with less indentation",
        ),
        ("\"x\n---\n", "1:1", "a text without its closing quote"),
        ("a: \"x\" y\n", "1:8", "text after the closing quote"),
        ("a: 'b' 'c'", "1:8", "text after the closing quote"),
        ("a: \"\\q\"\n", "1:4", "an unknown escape in this text"),
        (
            "a: \"\\ud83e\\udd80\"\n",
            "1:4",
            "an escape in this text that is no character",
        ),
        ("a: \"\\x4\"\n", "1:4", "expected hexadecimal number"),
        ("a:\n\tb: 1\n", "2:2", "a tab in the indentation"),
        ("a:\n  b: 1\n c: 2\n", "3:2", "expected a key"),
        ("a: 1\n- b\n", "2:3", "expected a key"),
        ("- a\nb: 1\n", "2:1", "expected `-`"),
        (
            "é\nb: 1\n",
            "2:2",
            "a `:` that makes a key where none can stand",
        ),
        (
            "a: b: c\n",
            "1:5",
            "a `:` that makes a key where none can stand",
        ),
        (
            "a: - b\n",
            "1:4",
            "a `-` that makes a list where none can stand",
        ),
        ("a: @x\n", "1:4", "no text can begin with this character"),
        ("a: `x`\n", "1:4", "no text can begin with this character"),
        ("a: %x\n", "1:4", "no text can begin with this character"),
        ("a: [1, 2\n", "2:1", "expected `,` or `]`"),
        ("a: {b: 1\nc: 2\n", "2:2", "expected `,` or `}`"),
        ("a: ]\n", "1:4", "misplaced bracket"),
        ("[,]", "1:2", "expected a value"),
        ("{\"a\":\t1}", "1:7", "only tabs after `:`"),
        ("a: |x\n", "1:4", "expected comment or line break"),
        (
            "a: \"b\"#c",
            "1:7",
            "comments must be separated from other tokens by whitespace",
        ),
        ("a: b\0c", "1:5", "the character U+0000 stands in the text"),
        ("# é\u{7}", "1:4", "the character U+0007 stands in the text"),
        (
            "a: '\u{9B}'",
            "1:5",
            "the character U+009B stands in the text",
        ),
        ("\u{FEFF}a: 1", "1:1", "a byte order mark before the text"),
        (
            "a: \u{FEFF}",
            "1:4",
            "the character U+FEFF stands in the text",
        ),
        (
            "# hidden\ra: 1",
            "1:9",
            "a carriage return without a line feed",
        ),
    ] {
        refused(yaml::read, text, place, message);
    }
}

#[test]
fn limits_hold() {
    let limits = Limits {
        bytes: 40,
        depth: 3,
        nodes: 5,
    };
    assert!(yaml::read("a:\n- b: 1", &limits).is_ok());
    for (text, at) in [("a:\n- b: [[]]", 8), ("- - - -", 6), ("[[[[]]]]", 3)] {
        let error = yaml::read(text, &limits).unwrap_err();
        assert_eq!(
            (error.span.start, error.message.as_str()),
            (at, "more than 3 lists and maps inside each other"),
            "{text}"
        );
    }
    assert!(yaml::read("- 1\n- 2\n- 3\n- 4\n", &limits).is_ok());
    let many = yaml::read("- 1\n- 2\n- 3\n- 4\n- 5", &limits).unwrap_err();
    assert_eq!(
        (many.span.start, many.message.as_str()),
        (18, "more than 5 values")
    );
    let commas = yaml::read("[1,2,3,4,5,6,7]", &limits).unwrap_err();
    assert_eq!(
        (commas.span.start, commas.message.as_str()),
        (10, "more than 5 values")
    );
    assert_eq!(
        yaml::read(&" ".repeat(41), &limits).unwrap_err().message,
        "text of 41 bytes, more than the 40 that are read"
    );
    // Beyond 255 brackets the parser itself gives up; that says the same.
    refused(
        yaml::read,
        &"[".repeat(1 << 20),
        "1:256",
        "more than 64 lists and maps inside each other",
    );
}
