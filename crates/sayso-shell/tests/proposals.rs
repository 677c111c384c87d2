//! What an answer "always" may store: never wider than what the person saw, and nothing for what runs other code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use sayso_shell::{commands, proposals};

fn of(text: &str) -> Vec<String> {
    proposals(&commands(text).unwrap_or_default()[0])
}

#[test]
fn the_narrowest_comes_first_and_a_subcommand_is_the_widest() {
    for (text, expected) in [
        (
            "cargo test -p foo --lib",
            vec!["cargo test -p foo --lib", "cargo test -p *", "cargo test *"],
        ),
        ("npm run build", vec!["npm run build", "npm run build *"]),
        ("npm test", vec!["npm test", "npm test *"]),
        ("make", vec!["make"]),
        (
            "git push origin main",
            vec!["git push origin main", "git push *"],
        ),
        ("pytest tests -q", vec!["pytest tests -q", "pytest *"]),
        ("sort -o a b", vec!["sort -o a b"]),
        ("rm a", vec!["rm a"]),
        ("./run.sh a", vec!["./run.sh a"]),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
}

#[test]
fn a_01_a_09_nothing_is_proposed_for_what_runs_other_code() {
    for text in [
        "python3 x.py",
        "bash x.sh",
        "sudo make install",
        "env A=1 make",
        "timeout 5 make",
        "A=1 make",
        "make $x",
        "xargs -n 1 rm",
        "npx tsc",
    ] {
        let found = commands(text).map_or_else(Vec::new, |read| proposals(&read[0]));
        assert_eq!(found, Vec::<String>::new(), "{text}");
    }
}
