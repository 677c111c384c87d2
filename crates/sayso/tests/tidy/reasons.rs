//! What a reason is, is in its types: its text, its name and its source are for people, and nothing is decided by them.

use crate::{File, files, none};

/// What a person reads of a reason, or a record keeps.
const WORDS: [&str; 5] = [
    "reason.text()",
    "cause.to_string()",
    "rule.name()",
    "rule.source()",
    "rule.place()",
];
/// What looks at a text.
const LOOKS: [&str; 6] = [
    ".starts_with(",
    ".ends_with(",
    ".strip_prefix(",
    ".contains(",
    "==",
    "!=",
];
/// Signs of the recorded form, which only its reader knows.
const FORM: [&str; 12] = [
    "starts_with(\"grant ",
    "strip_prefix(\"grant ",
    "starts_with(\"script ",
    "strip_prefix(\"script ",
    "starts_with(\"plugin ",
    "strip_prefix(\"plugin ",
    "==\"built-in\"",
    "!=\"built-in\"",
    "Some(\"built-in\")",
    "starts_with(\"strict mode",
    "==\"strict mode",
    "ends_with(\",built-in\")",
];
/// The files of the types themselves, and what compares with words of somebody else.
const READERS: [(&str, &str); 3] = [
    (
        "crates/sayso-core/src/answer/rule_id.rs",
        "reads the recorded form",
    ),
    ("crates/sayso-core/src/answer/cause/", "makes the sentences"),
    (
        "crates/sayso/src/expected.rs",
        "rows of a corpus name rules by their words",
    ),
];

fn check(file: &File) -> Vec<String> {
    let is_source =
        file.is_rust() && file.name.contains("/src/") && !file.name.ends_with("tests.rs");
    if !is_source || READERS.iter().any(|(name, _)| file.name.starts_with(name)) {
        return Vec::new();
    }
    // Of a file, only what is before its tests; without blanks, so that a chain over several lines is one.
    let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    let text: String = code
        .split("\n")
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let text: String = text
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let tight = text
        .replace(" .", ".")
        .replace(" == ", "==")
        .replace(" != ", "!=");
    let mut out: Vec<String> = FORM
        .iter()
        .filter(|form| tight.contains(*form))
        .map(|form| format!("{}: {form}", file.name))
        .collect();
    for words in WORDS {
        for (at, _) in tight.match_indices(words) {
            let (before, after) = (
                tight[..at].trim_end_matches(['&', '*']),
                &tight[at + words.len()..],
            );
            let after = [".as_ref()", ".as_str()", ".as_deref()"]
                .iter()
                .find_map(|call| after.strip_prefix(call))
                .unwrap_or(after);
            let path =
                before.trim_end_matches(|sign: char| sign.is_alphanumeric() || "_.".contains(sign));
            let path = path.trim_end_matches(['&', '*']);
            let looks = LOOKS.iter().find(|looks| after.starts_with(**looks));
            let compared = ["==", "!="].iter().find(|looks| path.ends_with(**looks));
            if let Some(looks) = looks.or(compared) {
                out.push(format!("{}: {words} {looks}", file.name));
            }
        }
    }
    out
}

#[test]
fn nothing_is_decided_by_the_words_of_a_reason() {
    none(&files().iter().flat_map(check).collect::<Vec<_>>());
}

#[test]
fn the_check_of_reasons_bites() {
    let found = |text: &str| {
        let file = |name: &str| File {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        assert!(check(&file("crates/sayso-core/src/answer/rule_id.rs")).is_empty());
        !check(&file("crates/sayso-gate/src/a.rs")).is_empty()
    };
    for planted in [
        "reason.text().starts_with(\"strict\")",
        "reason\n    .text()\n    .contains(path)",
        "let is = reason.rule.name() == \"delete\";",
        "let is = \"delete\" == reason.rule.name();",
        "if id != reason.rule.source().as_ref() {}",
        "reason.rule.source().strip_prefix(\"grant \")",
        "source.strip_prefix(\"grant \")",
        "source == \"built-in\"",
        "one.cause.to_string().ends_with(\"below\")",
    ] {
        assert!(found(planted), "{planted}");
    }
    for fine in [
        "// reason.text() == x",
        "Node::text(reason.rule.name())",
        "reason.is(Check::Delete) && text == other",
        "told.insert(reason.text())",
        "fn f() {}\n#[cfg(test)]\nmod tests { fn g() { reason.rule.name() == \"x\"; } }",
    ] {
        assert!(!found(fine), "{fine}");
    }
}
