//! What a snapshot saves: opening, checking and unpacking it, against reading the same policy from its text in the same run.
//!
//! `cargo bench -p sayso-store --bench snapshot [-- PART]` prints a table; with a part of a name, only rows with it are measured.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench has nobody to hand an error to"
)]

#[allow(dead_code, reason = "the bench of the journal uses more of it")]
#[path = "../journal/table.rs"]
mod table;

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::decide::{Case, decide};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_core::text::digest::Digest;
use sayso_shell::Bash;
use sayso_store::Folder;
use sayso_store::snapshot::{bound, load, store};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use table::{Budget, Table};

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let thousand = text(1_000, program);
    let mut table = Table::new("1,000 rules read from YAML", || {
        drop(black_box(from_yaml(&thousand, None)))
    });
    for count in [0, 100] {
        let text = text(count, program);
        table.time(&format!("{count} rules read from YAML"), None, || {
            drop(black_box(from_yaml(&text, None)))
        });
    }
    for count in [0, 100, 1_000] {
        let state = scratch.path().join(format!("state-{count}"));
        put(&state, &from_yaml(&text(count, program), None), &[]);
        let name = format!("load, {count} rules");
        table.time(&name, (count == 1_000).then_some(300e3), || {
            drop(black_box(load_from(&state)))
        });
    }
    let state = scratch.path().join("state-1000");
    let length = std::fs::metadata(state.join("snapshot")).unwrap().len();
    table.value(
        "bytes of 1,000 rules",
        length as f64,
        Budget::AtMost(f64::from(4 << 20)),
    );

    let case = |name: &str| scratch.path().join(name);
    put(
        &case("programs"),
        &from_yaml(&text(1_000, |number| format!("tool{number}")), None),
        &[],
    );
    table.time(
        "load, 1000 rules, all for other programs",
        Some(300e3),
        || drop(black_box(load_from(&case("programs")))),
    );
    put(
        &case("views"),
        &from_yaml(&thousand, Some(&text(50, program))),
        &[],
    );
    table.time(
        "load, 1000 rules and 50 of an untrusted project",
        Some(300e3),
        || drop(black_box(load_from(&case("views")))),
    );
    put(&case("grants"), &from_yaml(&thousand, None), &grants(1_000));
    table.time("load, 1000 rules and 1000 grants", None, || {
        drop(black_box(load_from(&case("grants"))))
    });

    let (operation, reading) = read_call("git status", scratch.path());
    let judged = |policy: &Policy| decide(policy, &look(&operation, &reading)).decision;
    let again = load_from(&state).0;
    assert!(judged(&again) != Decision::Deny);
    table.time(
        "load, 1000 rules, and the first verdict, `git status`",
        None,
        || _ = black_box(judged(&load_from(&state).0)),
    );
    let every = |policy: &Policy| {
        policy
            .views()
            .iter()
            .map(|view| view.general.rules.all().count())
            .sum::<usize>()
    };
    table.time("load, 1000 rules, and unpack all of them", None, || {
        _ = black_box(every(&load_from(&state).0))
    });
    table.time("a later verdict, `git status`", None, || {
        _ = black_box(judged(&again))
    });

    let read = from_yaml(&thousand, None);
    table.time("the same of the policy that was read", None, || {
        _ = black_box(judged(&read))
    });

    table.time("the digest of the sources, 1000 rules", None, || {
        _ = black_box(sources(black_box(&thousand)))
    });
    let (policy, folder) = (from_yaml(&thousand, None), Folder::open(&state).unwrap());
    table.time("store, 1000 rules", None, || {
        store(&folder, &sources(""), &policy, &[]).unwrap()
    });
    println!("{table}");
}

fn sources(text: &str) -> Digest {
    bound([("policy.yaml", text.as_bytes())], 1)
}

fn put(state: &Path, policy: &Policy, grants: &[Grant]) {
    store(&Folder::open(state).unwrap(), &sources(""), policy, grants).unwrap();
}

/// All that a process does which has just started.
fn load_from(state: &Path) -> (Policy, Vec<Grant>) {
    load(
        &Folder::open_existing(state).unwrap().unwrap(),
        &sources(""),
    )
    .unwrap()
}

/// Half for commands, half for paths, every eighth of which can start anywhere.
fn text(count: usize, program: impl Fn(usize) -> String) -> String {
    const FOLDERS: [&str; 10] = [
        "src", "tests", "docs", "target", "build", "assets", "scripts", "examples", "vendor", "web",
    ];
    let mut out = String::from("version: 1\nrules:\n");
    for number in 0..count {
        let pick = |list: &[&'static str]| {
            list.get(number / 2 % list.len())
                .copied()
                .unwrap_or_default()
        };
        let (decision, subject) = (
            pick(&["allow", "ask", "deny", "allow"]),
            pick(&["read", "write", "delete"]),
        );
        let (subject, pattern) = match number % 8 {
            0 | 2 | 4 | 6 => (
                "command",
                format!("{} step{number} --flag{number} *", program(number)),
            ),
            7 => (subject, format!("**/gen{number}/*.rs")),
            _ => (subject, format!("{}/part{number}/**/*.rs", pick(&FOLDERS))),
        };
        writeln!(out, "  - {decision}: {{{subject}: \"{pattern}\"}}").unwrap();
    }
    if count == 0 {
        out.push_str("  []\n");
    }
    out
}

fn program(number: usize) -> String {
    const PROGRAMS: [&str; 10] = [
        "git", "cargo", "npm", "ls", "docker", "make", "python3", "pytest", "go", "node",
    ];
    PROGRAMS
        .get(number / 2 % PROGRAMS.len())
        .copied()
        .unwrap_or_default()
        .to_owned()
}

fn from_yaml(user: &str, project: Option<&str>) -> Policy {
    let layer = |name: &str, text: &str, origin| {
        read(Source { name, text }, Format::Yaml, origin, &Bash)
            .0
            .unwrap()
    };
    let mut layers = vec![layer(
        "/home/person/.config/sayso/policy.yaml",
        user,
        Origin::User,
    )];
    layers.extend(project.map(|text| {
        layer(
            "/home/person/project/.sayso/policy.yaml",
            text,
            Origin::UntrustedProject,
        )
    }));
    Policy::assemble(layers, &Overrides::default(), &Bash)
}

fn grants(count: usize) -> Vec<Grant> {
    let grant = |number: usize| Grant {
        id: format!("g-{number:08}"),
        key: GrantKey::Command {
            words: vec!["cargo".to_owned(), format!("step{number}")],
            folder: "/home/person/project".to_owned(),
        },
        reach: Reach::Project("/home/person/project".to_owned()),
        agent: "main".to_owned(),
        expires: Some(1_800_000_000),
        uses_left: None,
        risk: Risk::Medium,
        seal: None,
    };
    (0..count).map(grant).collect()
}

/// A command in an empty workspace with facts of the real machine, which are not part of what is measured.
fn read_call(command: &str, scratch: &Path) -> (Operation, Reading) {
    let workspace = scratch.join("ws");
    std::fs::create_dir(&workspace).unwrap();
    let made = Command::new("git")
        .args(["init", "-q"])
        .current_dir(&workspace)
        .status()
        .expect("git is there");
    assert!(made.success());
    let operation = Operation::freeze(Call::command(command, workspace.to_str().unwrap())).unwrap();
    let draft = sayso_shell::analyse(command);
    let machine = Machine::new(Whereabouts {
        home: Some(scratch.to_owned()),
        ..Whereabouts::from_environment().expect("a home")
    });
    let facts = machine.answer(&operation.cwd(), operation.workspace(), &draft.questions);
    (operation, draft.settle(&facts))
}

fn look<'a>(operation: &'a Operation, reading: &'a Reading) -> Case<'a> {
    Case {
        operation,
        reading,
        grants: &[],
        uses: None,
        now: 0,
        run: Run::Interactive,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    }
}
