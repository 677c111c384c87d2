//! Nothing half done and nothing of the place where it was made: no reminders, no paths of one machine, no private registries.

use crate::code::{code, has_word, lines};
use crate::{File, files, none};

/// In code, whatever it stands in.
const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];
/// In any text. Written in halves, so that this file does not find itself.
const REMINDERS: [&str; 2] = [concat!("FIX", "ME"), concat!("XX", "X")];
/// Where packages are taken from is the builder's business.
const REGISTRIES: [&str; 6] = [
    concat!("sparse+", "http"),
    concat!("replace-", "with"),
    concat!("index-", "url"),
    concat!("extra-", "index"),
    concat!("arti", "factory"),
    concat!("index.", "crates.io"),
];
/// Folders of the machines this was written on.
const MACHINES: [&str; 3] = [
    concat!("/wo", "rk/"),
    concat!("/tmp/tar", "get"),
    concat!("/root/.", "cargo"),
];

fn unfinished(file: &File) -> Vec<String> {
    let code = code(&file.text);
    let mut out = Vec::new();
    for (number, line) in lines(&code) {
        for word in UNFINISHED
            .iter()
            .filter(|word| has_word(line, word.trim_end_matches('!')) && line.contains(**word))
        {
            out.push(format!("{}:{number}: `{word}`", file.name));
        }
        if line.contains("#[ignore]") {
            out.push(format!(
                "{}:{number}: a test is ignored without a reason",
                file.name
            ));
        }
    }
    out
}

fn of_this_place(file: &File) -> Vec<String> {
    let mut out = Vec::new();
    // Tables and rows of programs name their options.
    let describes_programs =
        file.name.starts_with("corpus/") || file.name.starts_with("crates/sayso-shell/src/");
    for (number, line) in lines(&file.text) {
        let mut found = |what: &str| out.push(format!("{}:{number}: {what}", file.name));
        if REMINDERS.iter().any(|word| has_word(line, word)) {
            found("a reminder");
        }
        if !describes_programs && REGISTRIES.iter().any(|word| line.contains(word)) {
            found("a package registry");
        }
        if MACHINES.iter().any(|path| starts_path(line, path)) {
            found("a path of one machine");
        }
        let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        if file.name.ends_with("Cargo.lock") && line.starts_with("source") && line != public {
            found("a package that is not from the public registry");
        }
    }
    out
}

/// Whether a line has a path that starts like this, and not one that has it in the middle.
fn starts_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.~/*}".contains(c))
    })
}

#[test]
fn nothing_is_half_done() {
    none(
        &files()
            .iter()
            .filter(|file| file.is_rust())
            .flat_map(unfinished)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn nothing_tells_where_it_was_made() {
    none(&files().iter().flat_map(of_this_place).collect::<Vec<_>>());
}

#[test]
fn the_checks_of_leftovers_bite() {
    let file = |text: &str| File {
        name: "crates/sayso/src/a.rs".to_owned(),
        text: text.to_owned(),
    };
    for text in [
        "todo!()",
        "dbg!(x)",
        "unimplemented!()",
        "#[ignore]\nfn x() {}",
    ] {
        assert_eq!(unfinished(&file(text)).len(), 1, "{text}");
    }
    assert!(unfinished(&file("// todo!\n#[ignore = \"slow\"]\nlet x = \"dbg!\";")).is_empty());
    for text in [
        format!("// {}: later", REMINDERS[0]),
        format!("`{}x`", MACHINES[0]),
        format!("{}s://host/", REGISTRIES[0]),
    ] {
        assert_eq!(of_this_place(&file(&text)).len(), 1, "{text}");
    }
    assert!(of_this_place(&file(concat!("/home/u/wo", "rk/x \\uXXXX"))).is_empty());
    let lock = |text: &str| File {
        name: "Cargo.lock".to_owned(),
        text: text.to_owned(),
    };
    assert_eq!(
        of_this_place(&lock("source = \"registry+https://mirror.example/index\"")).len(),
        1
    );
}
