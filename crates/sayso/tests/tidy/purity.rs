//! The judge and the reader of commands touch nothing: no file, clock, environment, process, socket or thread.
//!
//! Clippy holds the same by `clippy.toml` in both crates; this catches what its list of names forgets.

use crate::code::{code, lines};
use crate::{File, files, none};

const PURE: [&str; 2] = ["sayso-core", "sayso-shell"];

const BANNED: [&str; 14] = [
    "std::fs",
    "std::env",
    "std::time::SystemTime",
    "std::time::Instant",
    "std::process",
    "std::net::Tcp",
    "std::net::Udp",
    "std::net::ToSocketAddrs",
    "std::os",
    "std::thread",
    "std::io::std",
    "println!",
    "print!",
    "option_env!",
];

fn impure(file: &File) -> Vec<String> {
    let code = code(&file.text);
    let mut out = Vec::new();
    for (number, line) in lines(&code) {
        // `use std::time::{Duration, Instant}` and `use std::{fs, env}` name the same.
        let flat = flatten(line);
        for banned in BANNED
            .iter()
            .filter(|banned| flat.iter().any(|path| path.contains(**banned)))
        {
            out.push(format!(
                "{}:{number}: `{banned}` in a pure crate",
                file.name
            ));
        }
    }
    out
}

/// A line, and each path of a list in braces written out.
fn flatten(line: &str) -> Vec<String> {
    let mut out = vec![line.to_owned()];
    let opened = line
        .split_once("::{")
        .filter(|(start, _)| start.contains("use "));
    if let Some((start, rest)) = opened {
        out.extend(
            rest.split([',', '}', '{'])
                .map(|name| format!("{start}::{}", name.trim())),
        );
    }
    out
}

/// Tests may look at a clock or start bash; they are not part of the product.
fn is_product(file: &File) -> bool {
    file.is_rust()
        && file.krate().is_some_and(|name| PURE.contains(&name))
        && file.name.contains("/src/")
        && !file.name.contains("/tests")
}

#[test]
fn pure_crates_touch_nothing() {
    let files = files();
    let product: Vec<&File> = files.iter().filter(|file| is_product(file)).collect();
    assert!(
        product.len() > 50,
        "only {} files were found",
        product.len()
    );
    none(&product.into_iter().flat_map(impure).collect::<Vec<_>>());
}

#[test]
fn the_linter_holds_it_too() {
    let files = files();
    let root = files
        .iter()
        .find(|file| file.name == "clippy.toml")
        .unwrap();
    for name in PURE {
        let list = files
            .iter()
            .find(|file| file.name == format!("crates/{name}/clippy.toml"))
            .unwrap();
        for word in [
            "std::fs::File",
            "std::env::var",
            "std::time::SystemTime",
            "std::process::Command",
            "std::thread::spawn",
        ] {
            assert!(list.text.contains(&format!("\"{word}\"")), "{name}: {word}");
        }
        // A file in the crate replaces the one at the root.
        for line in root.text.lines().filter(|line| line.contains('=')) {
            assert!(
                list.text.contains(line),
                "crates/{name}/clippy.toml lacks `{line}`"
            );
        }
    }
}

#[test]
fn the_check_of_purity_bites() {
    let file = |text: &str| File {
        name: "crates/sayso-core/src/a.rs".to_owned(),
        text: text.to_owned(),
    };
    for text in [
        "let x = std::fs::read(path);",
        "use std::time::{Duration, Instant};",
        "use std::{fmt, env};",
        "std::thread::spawn(f);",
        "println!();",
    ] {
        assert!(!impure(&file(text)).is_empty(), "{text}");
    }
    for text in [
        "// std::fs",
        "use std::net::{IpAddr, Ipv4Addr};",
        "use std::time::Duration;",
        "let x = \"std::env\";",
    ] {
        assert!(impure(&file(text)).is_empty(), "{text}");
    }
}
