//! Which crate may use which, and what comes from outside: a fan, not a chain.

use std::process::Command;

use serde_json::Value;

use crate::{files, none, root};

/// Each crate with the crates of this workspace that it may use; tests of a crate may use more.
const MAY_USE: [(&str, &[&str]); 16] = [
    ("sayso-core", &[]),
    ("sayso-own-files", &["sayso-core"]),
    ("sayso-shell", &["sayso-core"]),
    ("sayso-world", &["sayso-core", "sayso-own-files"]),
    ("sayso-gate", &["sayso-core", "sayso-shell"]),
    ("sayso-sandbox", &["sayso-core", "sayso-own-files"]),
    (
        "sayso-tools",
        &["sayso-core", "sayso-own-files", "sayso-sandbox"],
    ),
    ("sayso-store", &["sayso-core", "sayso-own-files"]),
    ("sayso-tui", &["sayso-core"]),
    (
        "sayso-runtime",
        &[
            "sayso-core",
            "sayso-shell",
            "sayso-world",
            "sayso-gate",
            "sayso-sandbox",
            "sayso-tools",
            "sayso-store",
        ],
    ),
    ("sayso-agents", DOOR),
    ("sayso-gateway", DOOR),
    ("sayso-inbox", DOOR),
    (
        "sayso-chat",
        &[
            "sayso-core",
            "sayso-own-files",
            "sayso-shell",
            "sayso-world",
            "sayso-gate",
            "sayso-sandbox",
            "sayso-tools",
            "sayso-store",
            "sayso-tui",
            "sayso-runtime",
        ],
    ),
    (
        "sayso",
        &[
            "sayso-core",
            "sayso-own-files",
            "sayso-shell",
            "sayso-world",
            "sayso-gate",
            "sayso-sandbox",
            "sayso-tools",
            "sayso-store",
            "sayso-tui",
            "sayso-runtime",
            "sayso-agents",
            "sayso-gateway",
            "sayso-inbox",
            "sayso-chat",
        ],
    ),
    (
        "sayso-python",
        &[
            "sayso-core",
            "sayso-shell",
            "sayso-world",
            "sayso-gate",
            "sayso-store",
        ],
    ),
];

/// What a door may use: the runtime and everything below it, but no other door and no screen.
const DOOR: &[&str] = &[
    "sayso-core",
    "sayso-shell",
    "sayso-world",
    "sayso-gate",
    "sayso-sandbox",
    "sayso-tools",
    "sayso-store",
    "sayso-runtime",
];

/// Crates from outside that only some of ours may use: event loops and screens.
const ONLY_IN: [(&str, &[&str]); 5] = [
    ("tokio", &["sayso-inbox", "sayso-gateway"]),
    ("hyper", &["sayso-inbox", "sayso-gateway"]),
    ("hyper-util", &["sayso-inbox", "sayso-gateway"]),
    ("http-body-util", &["sayso-inbox", "sayso-gateway"]),
    ("ratatui", &["sayso-tui", "sayso-chat", "sayso"]),
];

/// What the pure crates take from outside.
const OUTSIDE: [(&str, &[&str]); 2] = [
    (
        "sayso-core",
        &["saphyr-parser", "sha2", "regex", "unicode-normalization"],
    ),
    ("sayso-shell", &[]),
];

/// Crates whose whole graph has no event loop: the pure ones can be called from any, and a hook starts none.
const NO_EVENT_LOOP: [&str; 5] = [
    "sayso-core",
    "sayso-shell",
    "sayso-world",
    "sayso-runtime",
    "sayso-agents",
];

fn cargo(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO"))
        .args(args)
        .arg("--offline")
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "cargo {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

/// Every normal or build dependency as (crate, what it uses).
fn dependencies() -> Vec<(String, String)> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for package in list(&metadata["packages"]) {
        for dependency in list(&package["dependencies"]) {
            if dependency["kind"] != "dev" {
                all.push((text(&package["name"]), text(&dependency["name"])));
            }
        }
    }
    all
}

fn violations(dependencies: &[(String, String)]) -> Vec<String> {
    let mut out = Vec::new();
    for (user, used) in dependencies {
        let ours = used == "sayso" || used.starts_with("sayso-");
        match MAY_USE.iter().find(|(name, _)| name == user) {
            None => out.push(format!("the crate `{user}` is not in the list of crates")),
            Some((_, allowed)) if ours && !allowed.contains(&used.as_str()) => {
                out.push(format!("`{user}` may not use `{used}`"))
            }
            _ => {}
        }
        let only = ONLY_IN.iter().find(|(name, _)| name == used);
        if only.is_some_and(|(_, users)| !users.contains(&user.as_str())) {
            out.push(format!("`{user}` may not use `{used}`"));
        }
        let outside = OUTSIDE.iter().find(|(name, _)| name == user);
        if let Some((_, allowed)) = outside.filter(|_| !ours)
            && !allowed.contains(&used.as_str())
        {
            out.push(format!("`{user}` takes `{used}` from outside"));
        }
    }
    out
}

#[test]
fn crates_use_only_what_they_may() {
    let found = dependencies();
    assert!(
        found
            .iter()
            .any(|(user, used)| user == "sayso" && used == "sayso-core"),
        "nothing was found"
    );
    none(&violations(&found));
}

#[test]
fn the_check_of_edges_bites() {
    let edge = |user: &str, used: &str| [(user.to_owned(), used.to_owned())];
    for (user, used) in [
        ("sayso-core", "sayso-shell"),
        ("sayso-shell", "sayso-world"),
        ("sayso-world", "sayso-gate"),
        ("sayso-gate", "sayso-world"),
        ("sayso-tui", "sayso"),
        ("sayso-runtime", "sayso-tui"),
        ("sayso-agents", "sayso-tui"),
        ("sayso-gateway", "sayso-inbox"),
        ("sayso-inbox", "sayso-agents"),
        ("sayso-chat", "sayso-gateway"),
        ("sayso-runtime", "tokio"),
        ("sayso", "hyper"),
        ("sayso-gateway", "ratatui"),
        ("sayso-core", "serde"),
        ("sayso-shell", "regex"),
        ("sayso-extra", "sayso-core"),
    ] {
        assert_eq!(violations(&edge(user, used)).len(), 1, "{user} -> {used}");
    }
    assert!(violations(&edge("sayso-gate", "sayso-shell")).is_empty());
    assert!(violations(&edge("sayso-world", "rustix")).is_empty());
}

#[test]
fn pure_crates_and_hooks_know_no_event_loop() {
    for name in NO_EVENT_LOOP {
        let tree = cargo(&[
            "tree",
            "--package",
            name,
            "--edges",
            "normal",
            "--prefix",
            "none",
        ]);
        assert!(tree.starts_with(name), "{tree}");
        let is_loop = |line: &str| line.starts_with("tokio") || line.starts_with("hyper");
        assert!(
            !tree.lines().any(is_loop),
            "{name} uses an event loop:\n{tree}"
        );
    }
}

#[test]
fn every_dependency_says_why() {
    let files = files();
    let manifest = files.iter().find(|file| file.name == "Cargo.toml").unwrap();
    let (mut inside, mut before, mut seen, mut missing) = (false, "", 0, Vec::new());
    for line in manifest.text.lines() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        } else if let Some((name, _)) = line
            .split_once(" = ")
            .filter(|(name, _)| inside && !name.contains([' ', '#', '"']))
        {
            seen += 1;
            if !name.starts_with("sayso") && !before.starts_with("# ") {
                missing.push(format!(
                    "`{name}` has no line above it that says why it is there"
                ));
            }
        }
        before = line;
    }
    assert!(seen > 5, "only {seen} dependencies were found");
    none(&missing);
}

#[test]
fn crates_take_versions_and_lints_from_the_workspace() {
    let mut wrong = Vec::new();
    for file in files()
        .iter()
        .filter(|file| file.name.starts_with("crates/") && file.name.ends_with("/Cargo.toml"))
    {
        let mut table = "";
        for line in file.text.lines() {
            if line.starts_with('[') {
                table = line.trim_matches(['[', ']']);
            } else if table.ends_with("dependencies")
                && line.contains('=')
                && !line.contains("workspace = true")
            {
                wrong.push(format!("{}: `{line}` has its own version", file.name));
            }
        }
        // The one crate with `unsafe` states its lints itself.
        if file.krate() != Some("sayso-sandbox") && !file.text.contains("[lints]\nworkspace = true")
        {
            wrong.push(format!(
                "{}: the lints of the workspace are not taken",
                file.name
            ));
        }
    }
    none(&wrong);
}
