//! A rule allows the program that its name promises, and not one that an agent has put in its place.

use sayso_core::analysis::fact::{
    BelowFact, Fact, Facts, GitFact, Ignored, NamesFact, Owner, PathFact, PathKind, ProgramFact,
    Question, SettingsFact, Surroundings,
};
use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::decide::{Case, decide};
use sayso_core::policy::decision::Decision::{self, Allow, Ask};
use sayso_core::policy::read::{Format, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_core::text::node::Node;
use sayso_shell::{Bash, analyse};

const POLICY: &str = r#"
version: 1
rules:
  - {id: make, allow: {command: "make *"}}
  - {id: frob, allow: {command: "frob *"}}
  - {id: run, allow: {command: "./run.sh *"}}
  - {id: any, allow: {command: "./tools/* x"}}
"#;

/// A machine on which these programs stand in the workspace.
fn answer(question: &Question, planted: &[&str]) -> Fact {
    match question {
        Question::Path { path, .. } => Fact::Path(PathFact {
            canonical: format!("/ws/{path}"),
            links: Vec::new(),
            kind: PathKind::File,
            hard_links: 1,
            owner: Owner::Me,
            writable_by_others: false,
            closed_to_others: false,
            case_insensitive: false,
            ignored: Ignored::No,
            size: None,
        }),
        Question::Below { .. } | Question::Tracked { .. } => Fact::Below(BelowFact::default()),
        Question::Names { .. } => Fact::Names(NamesFact {
            incomplete: true,
            ..NamesFact::default()
        }),
        Question::Program { name } => {
            let inside_workspace = name.starts_with("./") || planted.contains(&name.as_str());
            let file = if inside_workspace {
                format!("/ws/{name}")
            } else {
                format!("/usr/bin/{name}")
            };
            Fact::Program(ProgramFact {
                file: Some(file),
                changeable: inside_workspace,
                inside_workspace,
            })
        }
        Question::Settings { .. } => Fact::Settings(SettingsFact::default()),
        Question::GitHelpers { .. } => Fact::Git(GitFact {
            root: None,
            helpers: Vec::new(),
            incomplete: false,
        }),
    }
}

fn verdict(text: &str, planted: &[&str]) -> Option<Decision> {
    let (layer, _) = read(
        Source {
            name: "policy.yaml",
            text: POLICY,
        },
        Format::Yaml,
        Origin::User,
        &Bash,
    );
    let policy = Policy::assemble(vec![layer?], &Overrides::default(), &Bash);
    let operation = Operation::freeze(Call::new(
        "bash",
        Node::map([("command", Node::text(text))]),
        "/ws",
    ))
    .ok()?;
    let draft = analyse(text);
    let answers = draft
        .questions
        .iter()
        .map(|question| Some(answer(question, planted)))
        .collect();
    let surroundings = Surroundings {
        workspace: "/ws".into(),
        cwd: "/ws".into(),
        home: Some("/home/u".into()),
        own: Vec::new(),
    };
    let reading = draft.settle(&Facts {
        surroundings,
        answers,
    });
    let case = Case {
        operation: &operation,
        reading: &reading,
        grants: &[],
        uses: None,
        now: 0,
        run: Run::Interactive,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    Some(decide(&policy, &case).decision)
}

#[test]
fn h_69_a_planted_program_asks_whoever_allows_its_name() {
    for (text, planted, expected) in [
        ("cat x", &[][..], Allow),
        ("cat x", &["cat"], Ask),
        ("nice cat x", &[], Allow),
        ("nice cat x", &["nice"], Ask),
        ("env nice timeout 5 cat x", &["timeout"], Ask),
        ("tar tf x", &[], Allow),
        ("tar tf x", &["gzip"], Ask),
        ("nice sdiff x y", &["diff"], Ask),
        ("rg x", &["xz"], Allow),
        ("rg -z x", &["xz"], Ask),
        ("make test", &[], Allow),
        ("make test", &["make"], Ask),
        ("nice make test", &["nice"], Ask),
        ("frob x", &[], Allow),
        ("frob x", &["frob"], Ask),
        ("./run.sh x", &[], Allow),
        ("nice ./run.sh x", &["nice"], Ask),
        ("./tools/a x", &[], Ask),
        ("./other.sh", &[], Ask),
    ] {
        assert_eq!(verdict(text, planted), Some(expected), "{text} {planted:?}");
    }
}
