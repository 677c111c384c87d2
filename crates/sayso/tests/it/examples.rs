//! The policies of `examples/policies`: each is sound, and does what its table says (C-07).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Desk, read};
use crate::program::run;

const EXAMPLES: [&str; 6] = [
    "safe-reviewer",
    "build-agent",
    "sandbox",
    "shell-rules",
    "team-baseline",
    "ci",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/policies")
}

fn desk() -> Desk {
    let desk = Desk::with(&[
        ("src/main.rs", "fn main() {}\n"),
        ("README.md", "# x\n"),
        (".env", "KEY=1\n"),
        ("package.json", "{}\n"),
        ("notes/a.txt", "n\n"),
        ("cache/x", "c\n"),
        ("data/a.csv", "1\n"),
        ("output/tests/a.py", "\n"),
        ("tests/a.py", "\n"),
    ]);
    desk.scene.git(&["init", "--quiet", "."]);
    desk
}

#[test]
fn every_file_is_an_example_that_is_tried() {
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries
            .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
            .collect()
    };
    let wanted: BTreeSet<String> = EXAMPLES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        (&names(&folder()), &names(&folder().join("calls"))),
        (&wanted, &wanted)
    );
    let guide = fs::read_to_string(folder().join("README.md")).unwrap();
    assert!(
        EXAMPLES
            .iter()
            .all(|name| guide.contains(&format!("{name}.yaml")))
    );
}

#[test]
fn c_07_every_example_is_sound_and_does_what_its_table_says() {
    for name in EXAMPLES {
        let desk = desk();
        let (policy, calls) = (
            folder().join(format!("{name}.yaml")),
            folder().join(format!("calls/{name}.yaml")),
        );
        let checked = run(desk.program().args(["policy", "check"]).arg(&policy), b"");
        assert_eq!(
            (checked.code, checked.out.as_str()),
            (0, "1 file: 0 errors, 0 warnings\n"),
            "{name}: {}",
            checked.err
        );
        desk.scene
            .user_policy(&fs::read_to_string(&policy).unwrap());
        let tried = run(
            desk.program()
                .args(["policy", "test", "--json"])
                .arg(&calls),
            b"",
        );
        let said = read(&tried);
        assert_eq!(
            (&said["failed"], tried.code),
            (&serde_json::json!(0), 0),
            "{name}: {said}"
        );
        assert!(
            said["rows"].as_u64().unwrap() >= 15,
            "{name} has too few rows"
        );
        // Every decision is in each table, and a wrong row is noticed.
        let text = fs::read_to_string(&calls).unwrap();
        for decision in ["allow", "ask", "deny"]
            .iter()
            .filter(|decision| name != "ci" || **decision != "ask")
        {
            assert!(
                text.contains(&format!("expect: {decision}")),
                "{name}: {decision}"
            );
        }
        let wrong = desk.scene.home.join("wrong.yaml");
        fs::write(&wrong, text.replacen("expect: allow", "expect: deny", 1)).unwrap();
        assert_eq!(
            run(desk.program().args(["policy", "test"]).arg(&wrong), b"").code,
            1,
            "{name}"
        );
    }
}

#[test]
fn an_example_can_be_looked_at_and_used() {
    let desk = desk();
    let list = run(desk.program().args(["policy", "examples"]), b"").is(0, "the list");
    assert!(
        EXAMPLES
            .iter()
            .all(|name| list.out.lines().any(|line| line.starts_with(name))),
        "{}",
        list.out
    );
    let text = run(desk.program().args(["policy", "examples", "ci"]), b"")
        .is(0, "one")
        .out;
    assert_eq!(text, fs::read_to_string(folder().join("ci.yaml")).unwrap());
    let made = run(
        desk.program()
            .args(["policy", "init", "--user", "--example", "ci"]),
        b"",
    );
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(
        run(desk.program().args(["check", "git push"]), b"").code,
        20
    );
    let unknown = run(
        desk.program()
            .args(["policy", "init", "--example", "\u{1b}[31m"]),
        b"",
    );
    assert!(
        unknown.code == 2
            && unknown.err.contains("the examples are")
            && !unknown.err.contains('\u{1b}'),
        "{}",
        unknown.err
    );
    assert!(desk.text(".sayso/policy.yaml").is_none());
    let json = read(&run(
        desk.program().args(["policy", "examples", "--json"]),
        b"",
    ));
    assert_eq!(json["examples"].as_array().unwrap().len(), EXAMPLES.len());
}
