//! The reports in docs/guide/import.md are what the command says of the files in `examples/import`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::Desk;
use crate::program::run;

const FILES: [(&str, &str, &str); 4] = [
    ("Claude Code", "claude", "claude-settings.json"),
    ("Codex", "codex", "codex.rules"),
    ("Gemini CLI", "gemini", "gemini.toml"),
    ("opencode", "opencode", "opencode.json"),
];
const START: &str = "<!-- reports: written by `SAYSO_WRITE_NUMBERS=1 cargo test -p sayso --test it import_reports` -->";
const END: &str = "<!-- end -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_guide_shows_what_the_command_says() {
    let mut out = String::new();
    for (title, system, name) in FILES {
        let desk = Desk::with(&[]);
        desk.scene.file(
            name,
            &fs::read_to_string(root().join("examples/import").join(name)).unwrap(),
        );
        let made = run(
            desk.program()
                .args(["policy", "import", "--from", system, name]),
            b"",
        );
        assert_eq!(made.code, 0, "{system}: {}", made.err);
        assert!(
            made.out.starts_with("version: 1\n") && made.err.contains("rules: "),
            "{system}: {} {}",
            made.out,
            made.err
        );
        // What it prints is a policy, and every rule of the file is in it or in the report.
        desk.scene.user_policy(&made.out);
        assert_eq!(
            run(desk.program().args(["policy", "check"]), b"").code,
            0,
            "{system}"
        );
        writeln!(
            out,
            "\n{title}:\n\n```text\n$ sayso policy import --from {system} {name}\n{}\n{}```",
            made.out, made.err
        )
        .unwrap();
    }
    let file = root().join("docs/guide/import.md");
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text
        .split_once(START)
        .expect("the guide has a place for it");
    let (_, after) = rest.split_once(END).expect("the guide has an end of it");
    let new = format!("{before}{START}\n{out}\n{END}{after}");
    if std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        fs::write(&file, new).unwrap();
    } else {
        assert!(
            new == text,
            "the command says something else than docs/guide/import.md; look at it, and run with SAYSO_WRITE_NUMBERS=1"
        );
    }
}
