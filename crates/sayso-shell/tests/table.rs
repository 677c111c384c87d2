//! The table of programs, row by row: which everyday commands only look, and which forms of the same programs must never pass for them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{is_read_only, looks, paths};
use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_shell::analyse;

/// One command a line; all of them only look.
const SILENT: &str = include_str!("table_rows/silent.txt");

/// One command a line; none of them only looks.
const ASKS: &str = include_str!("table_rows/asks.txt");

#[test]
fn everyday_commands_that_only_look_are_silent() {
    let loud: Vec<&str> = SILENT
        .lines()
        .filter(|text| !text.is_empty() && !looks(&analyse(text)))
        .collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[test]
fn f_01_to_f_10_other_forms_of_the_same_programs_ask() {
    let outside = |text: &str| {
        let draft = analyse(text);
        draft.effects.iter().any(|effect| {
            effect.kind == EffectKind::Read
                && matches!(&effect.target, Target::Path(place) if place.written == "/")
        })
    };
    let silent: Vec<&str> = ASKS
        .lines()
        .filter(|text| !text.is_empty() && is_read_only(&analyse(text)) && !outside(text))
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn what_is_read_and_written_is_listed() {
    for (text, expected) in [
        ("xxd in out", vec!["r in", "w out"]),
        ("xxd -l 8 in", vec!["r in"]),
        ("iconv -o out in", vec!["w out", "r in"]),
        ("shuf -o out in", vec!["w out", "r in"]),
        ("shuf -e a b", vec![]),
        ("look x f", vec!["r f"]),
        ("split -l 5 in part-", vec!["r in", "w part-"]),
        ("zgrep x f.gz", vec!["r f.gz"]),
        ("gzip f", vec!["r f", "w f.gz", "d f"]),
        ("gzip -k f", vec!["r f", "w f.gz"]),
        ("gunzip f.gz", vec!["r f.gz", "w f", "d f.gz"]),
        ("xz -d f.xz", vec!["r f.xz", "w f", "d f.xz"]),
        ("tar tf a.tar", vec!["r a.tar"]),
        ("tar -czf out.tgz src", vec!["w out.tgz", "R src"]),
        ("tar xf a.tar", vec!["r a.tar", "w? ."]),
        ("unzip a.zip", vec!["r a.zip", "r? a.zip.zip", "w? ."]),
        ("fd foo src", vec!["R src"]),
        ("fd foo", vec!["R ."]),
        ("eza -T src", vec!["R src"]),
        ("[ -f x ]", vec![]),
        ("[ a -nt b ]", vec![]),
        ("bat a b", vec!["r a", "r b"]),
        ("openssl dgst -sha256 f", vec!["r f"]),
        ("ssh-keygen -l -f k.pub", vec!["r k.pub"]),
        ("df /mnt/x", vec!["r /mnt/x"]),
        ("curl -o out https://example.com/x", vec!["w out"]),
        ("curl -O https://example.com/a/b.tgz?x=1", vec!["w b.tgz"]),
        (
            "curl -d @body.json https://example.com/",
            vec!["r body.json"],
        ),
        (
            "curl -F file=@pic.png;type=x https://example.com/",
            vec!["r pic.png"],
        ),
        ("curl -T up.txt https://example.com/", vec!["r up.txt"]),
        ("curl -K conf https://example.com/", vec!["r conf"]),
        (
            "curl --data-urlencode name@file https://example.com/",
            vec!["r file"],
        ),
        ("curl -b jar https://example.com/", vec!["r jar"]),
        ("curl file:///etc/passwd", vec!["r /etc/passwd"]),
        ("wget https://example.com/a.tgz", vec!["w a.tgz"]),
        ("wget -O out https://example.com/", vec!["w out"]),
        ("wget -qO- https://example.com/", vec![]),
        ("wget -P dir https://example.com/", vec!["w dir/index.html"]),
        (
            "wget --post-file=f https://example.com/",
            vec!["r f", "w index.html"],
        ),
        ("scp a host:b", vec!["R a"]),
        ("scp host:b .", vec!["W ."]),
        (
            "rsync -a --delete src/ dst/",
            vec!["R src/", "W dst/", "D dst/"],
        ),
    ] {
        assert_eq!(
            paths(&analyse(&text.replace(';', "\\;").replace('?', "\\?"))),
            expected,
            "{text}"
        );
    }
}

#[test]
fn the_note_says_what_a_subcommand_does() {
    for (text, words) in [
        ("npm install", "npm registry"),
        ("npm run build", "package.json"),
        ("npm publish", "as you"),
        ("pip install x", "PyPI"),
        ("cargo build", "build scripts"),
        ("cargo test", "project's own code"),
        ("docker inspect x", "docker daemon"),
        ("docker run -it x", "starts a container"),
        ("docker compose ps", "docker daemon"),
        ("kubectl -n prod get pods", "reads the cluster"),
        ("kubectl apply -f x", "changes the cluster"),
        ("terraform apply", "changes the infrastructure"),
        ("gh pr list", "reads from the code host"),
        ("gh pr merge 1", "changes something at the code host"),
        ("tar xf a.tar", "may write anywhere"),
        ("curl https://example.com", "asks another machine"),
        ("curl -d x https://example.com", "POST"),
        ("export A=b", "variables"),
        ("systemctl stop x", "services"),
    ] {
        let draft = analyse(text);
        let notes: Vec<&str> = draft
            .effects
            .iter()
            .filter_map(|effect| effect.note.as_deref())
            .collect();
        assert!(
            notes.iter().any(|note| note.contains(words)),
            "{text}: {notes:?}"
        );
    }
}
