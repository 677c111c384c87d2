//! The rooms of each crate: no cycle between its top-level modules, no direction against the layers, and no file that is not compiled.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::{Source, cycles, orphans, uses};
use crate::{File, files, none};

/// Layers inside of a crate: a module, and the top-level modules of its crate that it may use.
const MAY_USE: [(&str, &str, &[&str]); 24] = [
    ("sayso-core", "packed", &[]),
    ("sayso-core", "text", &["packed"]),
    ("sayso-core", "const_table", &[]),
    ("sayso-core", "paths", &["const_table", "packed"]),
    ("sayso-core", "call", &["packed", "paths", "text"]),
    (
        "sayso-core",
        "analysis",
        &["call", "packed", "paths", "text"],
    ),
    (
        "sayso-core",
        "policy",
        &["analysis", "call", "packed", "paths", "text"],
    ),
    (
        "sayso-core",
        "answer",
        &["analysis", "call", "packed", "paths", "policy", "text"],
    ),
    (
        "sayso-core",
        "decide",
        &[
            "analysis", "answer", "call", "packed", "paths", "policy", "text",
        ],
    ),
    ("sayso-shell", "parse", &[]),
    ("sayso-shell", "expand", &["parse"]),
    ("sayso-shell", "programs", &["parse", "expand"]),
    ("sayso-shell", "unparsed", &["parse", "expand", "programs"]),
    (
        "sayso-shell",
        "danger",
        &["parse", "expand", "programs", "unparsed"],
    ),
    ("sayso-shell", "quote", &["parse"]),
    ("sayso-shell", "proposals", &["quote"]),
    (
        "sayso-shell",
        "analysis",
        &["parse", "expand", "programs", "unparsed", "danger", "quote"],
    ),
    ("sayso-agents", "hook", &[]),
    ("sayso-agents", "scripted_model", &[]),
    ("sayso-agents", "install", &["hook", "which"]),
    ("sayso-agents", "import", &["install"]),
    ("sayso-gateway", "rpc", &["error"]),
    ("sayso-gateway", "mcp", &["error", "rpc"]),
    ("sayso-gateway", "acp", &["error", "rpc"]),
];

/// The Rust files below a folder, with their paths below it.
fn below<'a>(files: &'a [File], folder: &str) -> Vec<Source<'a>> {
    let path = |file: &'a File| file.name.strip_prefix(folder)?.strip_prefix('/');
    files
        .iter()
        .filter(|file| file.is_rust())
        .filter_map(|file| Some((path(file)?, file.text.as_str())))
        .collect()
}

/// The folders of all packages.
fn packages(files: &[File]) -> BTreeSet<&str> {
    let manifests = files
        .iter()
        .filter_map(|file| file.name.strip_suffix("/Cargo.toml"));
    manifests.collect()
}

fn check_cycles(package: &str, sources: &[Source<'_>]) -> Vec<String> {
    let says = |group: &Vec<String>| {
        let all = group.join(", ");
        format!(
            "{package}: the modules {all} use each other in a circle. Move what the lower one needs \
             down into it or into a new module below both; `pub use` and paths in bodies count"
        )
    };
    cycles(&uses(sources)).iter().map(says).collect()
}

fn check_layers(package: &str, found: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut out = Vec::new();
    for (krate, module, allowed) in MAY_USE.iter().filter(|row| package.ends_with(row.0)) {
        let used = found.get(*module).into_iter().flatten();
        for other in used.filter(|other| !allowed.contains(&other.as_str())) {
            out.push(format!(
                "{krate}: `{module}` may not use `{other}`; its layers are listed in tests/tidy/rooms.rs"
            ));
        }
    }
    out
}

fn check_orphans(package: &str, sources: &[Source<'_>]) -> Vec<String> {
    let says = |path: String| {
        format!(
            "{package}/{path}: no crate root reaches this file, so it is not compiled and its tests \
             do not run. Declare it with `mod`, or delete it"
        )
    };
    orphans(sources).into_iter().map(says).collect()
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let files = files();
    let check = |package: &&str| check_cycles(package, &below(&files, &format!("{package}/src")));
    none(&packages(&files).iter().flat_map(check).collect::<Vec<_>>());
}

#[test]
fn modules_use_only_the_layers_below_them() {
    let files = files();
    let check =
        |package: &&str| check_layers(package, &uses(&below(&files, &format!("{package}/src"))));
    none(&packages(&files).iter().flat_map(check).collect::<Vec<_>>());
    for (krate, module, _) in MAY_USE {
        let at = format!("crates/{krate}/src/{module}");
        let is_there = |file: &File| {
            file.name == format!("{at}.rs") || file.name.starts_with(&format!("{at}/"))
        };
        assert!(
            files.iter().any(is_there),
            "{at} is in the list of layers and not in the tree"
        );
    }
}

#[test]
fn every_file_is_compiled() {
    let files = files();
    let check = |package: &&str| check_orphans(package, &below(&files, package));
    none(&packages(&files).iter().flat_map(check).collect::<Vec<_>>());
}

#[test]
fn the_checks_of_rooms_bite() {
    let lib = (
        "lib.rs",
        "//! x\nmod a;\nmod b;\npub use b::{B, inner::C};\n",
    );
    let with = |a: &'static str| {
        vec![
            lib,
            ("a/mod.rs", a),
            ("a/deep/low.rs", ""),
            ("b.rs", "use crate::a::A;"),
        ]
    };
    for circle in [
        "use crate::b::B;",
        "use crate::{c::D, b::{B, E}};",
        "fn f() { crate::b::g() }",
        "use super::b;",
        "use super::{c, b::B};",
        "pub use crate::b;",
        "use crate::B;",
        "use crate::C;",
        "mod tests { use super::super::b; }",
    ] {
        assert_eq!(check_cycles("x", &with(circle)).len(), 1, "{circle}");
    }
    for fine in [
        "use self::b::B;",
        "// use crate::b;",
        "\"crate::b\"",
        "use other::crate_b;",
        "mod tests { use super::b; }",
    ] {
        assert!(check_cycles("x", &with(fine)).is_empty(), "{fine}");
    }
    let low = [
        lib,
        ("a/deep/low.rs", "use super::super::super::b::B;"),
        ("b.rs", "use crate::a;"),
    ];
    assert_eq!(check_cycles("x", &low).len(), 1);
    let macros = [
        lib,
        ("a.rs", "macro_rules! table { () => {} }\nuse crate::b;"),
        ("b.rs", "crate::table!{}"),
    ];
    assert_eq!(check_cycles("x", &macros).len(), 1);

    let all = [
        ("src/lib.rs", "pub mod a;\n#[cfg(test)]\nmod tests;"),
        ("src/a.rs", "pub(crate) mod b;"),
        ("src/a/b.rs", "#[path = \"../odd.rs\"]\nmod c;"),
        ("src/odd.rs", ""),
        ("src/tests/mod.rs", ""),
        ("tests/it/main.rs", "mod one;"),
        ("tests/it/one.rs", ""),
        ("build.rs", ""),
    ];
    assert_eq!(orphans(&all), Vec::<String>::new());
    let planted = [
        ("src/lib.rs", "// mod a;\nmod b;"),
        ("src/a.rs", ""),
        ("src/b.rs", ""),
        ("tests/it/one.rs", ""),
    ];
    assert_eq!(check_orphans("x", &planted).len(), 2);
}
