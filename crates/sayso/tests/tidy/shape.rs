//! The shape of files: an opening sentence, a length that can be read, and no `unsafe` but in its place.

use crate::code::{code, has_word, lines};
use crate::{File, files, none};

/// Longer files are hard to hold in mind. Most have 100 to 300 lines.
const LONGEST: usize = 700;

fn check_opening(file: &File) -> Option<String> {
    (!file.text.starts_with("//! ")).then(|| format!("{}: opens with no `//!` sentence", file.name))
}

fn check_unsafe(file: &File) -> Vec<String> {
    if file.krate() == Some("sayso-sandbox") {
        return Vec::new();
    }
    let code = code(&file.text);
    lines(&code)
        .filter(|(_, line)| has_word(line, "unsafe"))
        .map(|(number, _)| format!("{}:{number}: unsafe", file.name))
        .collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    none(
        &files()
            .iter()
            .filter(|file| file.is_rust())
            .filter_map(check_opening)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn no_file_is_too_long() {
    let long = |file: &&File| file.text.lines().count() > LONGEST;
    let says = |file: &File| format!("{}: {} lines", file.name, file.text.lines().count());
    none(
        &files()
            .iter()
            .filter(|file| file.is_rust())
            .filter(long)
            .map(says)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn unsafe_has_one_place() {
    let files = files();
    none(
        &files
            .iter()
            .filter(|file| file.is_rust())
            .flat_map(check_unsafe)
            .collect::<Vec<_>>(),
    );
    let manifest = files.iter().find(|file| file.name == "Cargo.toml").unwrap();
    assert!(manifest.text.contains("\nunsafe_code = \"forbid\"\n"));
}

#[test]
fn the_checks_of_shape_bite() {
    let file = |name: &str, text: &str| File {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    assert!(check_opening(&file("crates/x/src/a.rs", "use std::fmt;\n")).is_some());
    assert!(check_opening(&file("crates/x/src/a.rs", "//! What it is.\n")).is_none());
    let block = format!("fn f() {{ {} {{ g() }} }}", concat!("un", "safe"));
    assert_eq!(
        check_unsafe(&file("crates/sayso-core/src/a.rs", &block)).len(),
        1
    );
    assert!(check_unsafe(&file("crates/sayso-sandbox/src/a.rs", &block)).is_empty());
    assert!(
        check_unsafe(&file(
            "crates/sayso-core/src/a.rs",
            "// unsafe\nlet x = \"unsafe\";"
        ))
        .is_empty()
    );
}
