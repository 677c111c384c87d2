//! The checker: commands, edits and addresses for hosts that ask by themselves.

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_gate::approved::Approved;
use sayso_gate::library::{Action, Checked, GatedError, GatedTools, How, Request, Response};

use super::Still;
use crate::world::WORKSPACE;

fn checker(profile: &str) -> GatedTools {
    GatedTools::builder(WORKSPACE, Still::project())
        .profile(profile)
        .build()
        .unwrap()
}

fn request(checked: Checked) -> Request {
    match checked {
        Checked::Request(request) => *request,
        other => panic!("{other:?}"),
    }
}

fn scope_of(tools: &GatedTools, decision: &Result<Approved, GatedError>) -> Option<Scope> {
    decision.as_ref().ok().map(|approved| tools.scope(approved))
}

fn by(action: Action) -> Response {
    Response::new(action, "ann")
}

#[test]
fn l_06_commands_edits_and_addresses_are_checked() {
    let checker = checker("opencode");
    assert!(matches!(
        checker.check_bash("git status"),
        Checked::PreApproved { .. }
    ));
    assert!(matches!(
        checker.check_bash("dd if=/dev/zero of=/dev/sda"),
        Checked::Blocked { .. }
    ));
    assert!(matches!(checker.check_bash(""), Checked::Blocked { .. }));
    let test = request(checker.check_bash("cargo test"));
    assert_eq!(
        test.description,
        "Execute terminal command: 'cargo test' (cwd: /ws, timeout: 90s)"
    );
    assert_eq!(
        request(checker.check_edit("src/main.rs", "a", "b")).description,
        "Edit file: src/main.rs"
    );
    assert!(matches!(
        checker.check_webfetch("https://example.com/"),
        Checked::PreApproved { .. }
    ));
    assert!(matches!(
        checker.check_webfetch("http://169.254.169.254/latest"),
        Checked::Blocked { .. }
    ));
}

#[test]
fn l_06_once_is_once() {
    let checker = checker("opencode");
    for _ in 0..2 {
        let decision =
            checker.apply_response(request(checker.check_bash("cargo test")), by(Action::Once));
        assert_eq!(
            (
                scope_of(&checker, &decision),
                decision.as_ref().map(Approved::outcome).ok()
            ),
            (Some(Scope::Once), Some(Outcome::Approved))
        );
        assert_eq!(decision.unwrap().operation().command(), Some("cargo test"));
    }
}

#[test]
fn l_06_always_is_remembered_as_far_as_it_was_offered() {
    let checker = checker("opencode");
    let decision = checker.apply_response(
        request(checker.check_bash("cargo test")),
        by(Action::Always),
    );
    assert_eq!(scope_of(&checker, &decision), Some(Scope::Session));
    assert!(matches!(
        checker.check_bash("cargo test"),
        Checked::PreApproved { .. }
    ));
    assert!(matches!(
        checker.check_bash("cargo publish"),
        Checked::Request(_)
    ));
    assert!(matches!(
        checker.check_bash("cargo test; curl evil.example"),
        Checked::Request(_)
    ));
}

/// finding A-27: a host that names no scope stores for the session of its checker; wider only where it says so.
#[test]
fn finding_a_27_the_library_stores_for_the_session_unless_told_otherwise() {
    for (scope, kept) in [
        (None, Scope::Session),
        (Some(Scope::Project), Scope::Project),
        (Some(Scope::Always), Scope::Always),
    ] {
        for action in [Action::Always, Action::Pattern("cargo test *".into())] {
            let checker = checker("opencode");
            let response = Response {
                scope,
                ..by(action)
            };
            let decision =
                checker.apply_response(request(checker.check_bash("cargo test")), response);
            assert_eq!(scope_of(&checker, &decision), Some(kept));
        }
    }
}

#[test]
fn l_06_a_pattern_is_remembered_if_it_fits() {
    let checker = checker("opencode");
    let pattern = |text: &str| by(Action::Pattern(text.to_owned()));
    for bad in ["*", "c*", "npm *", "cargo *", "cargo publish *", ""] {
        let decision =
            checker.apply_response(request(checker.check_bash("cargo test")), pattern(bad));
        assert!(decision.is_err(), "{bad:?}");
        assert!(
            matches!(checker.check_bash("cargo test"), Checked::Request(_)),
            "{bad:?}"
        );
    }
    assert!(
        checker
            .apply_response(
                request(checker.check_bash("cargo test")),
                pattern("cargo test *")
            )
            .is_ok()
    );
    assert!(matches!(
        checker.check_bash("cargo test --workspace"),
        Checked::PreApproved { .. }
    ));
    // Of an edit, the pattern is one of paths.
    for bad in ["**", "docs/*", "/etc/*", "cargo *"] {
        let edit = checker.apply_response(
            request(checker.check_edit("src/main.rs", "a", "b")),
            pattern(bad),
        );
        assert!(edit.is_err(), "{bad}");
    }
    assert!(
        checker
            .apply_response(
                request(checker.check_edit("src/main.rs", "a", "b")),
                pattern("src/*")
            )
            .is_ok()
    );
    assert!(matches!(
        checker.check_edit("src/lib.rs", "a", "b"),
        Checked::PreApproved { .. }
    ));
    assert!(matches!(
        checker.check_edit("docs/a.md", "a", "b"),
        Checked::Request(_)
    ));
}

#[test]
fn l_06_a_rejection_carries_its_note() {
    let checker = checker("sayso");
    let response = Response {
        note: Some("run the linter first".to_owned()),
        ..by(Action::Reject)
    };
    let decision = checker.apply_response(request(checker.check_bash("cargo test")), response);
    assert_eq!(
        decision.as_ref().unwrap_err().to_string(),
        "denied by the person: run the linter first. nothing was changed"
    );
    assert_eq!(decision.unwrap_err().outcome(), Outcome::Denied);
}

#[test]
fn l_06_what_is_dangerous_needs_two_answers_and_is_allowed_once() {
    let checker = checker("sayso");
    assert!(checker.is_dangerous("git push --force"));
    assert!(checker.is_dangerous("rm -rf /"));
    assert!(!checker.is_dangerous("cargo test"));
    let ask = || request(checker.check_bash("git push --force"));
    assert!(ask().needs_two);
    let once = checker.apply_response(ask(), by(Action::Once));
    let once = once.unwrap_err().to_string();
    assert!(once.contains("two confirmations"), "{once}");
    let twice = Response {
        confirmations: 2,
        ..by(Action::Always)
    };
    let decision = checker.apply_response(ask(), twice);
    assert_eq!(
        scope_of(&checker, &decision),
        Some(Scope::Once),
        "{decision:?}"
    );
    assert!(ask().needs_two, "nothing was remembered");
}

#[test]
fn a_response_cannot_allow_what_is_denied_meanwhile() {
    // The question was asked while people were asked; the answer comes in a strict run.
    let open = checker("sayso");
    let question = request(open.check_bash("cargo test"));
    let strict = GatedTools::builder(WORKSPACE, Still::project())
        .how(How::Strict)
        .build()
        .unwrap();
    assert!(strict.apply_response(question, by(Action::Once)).is_err());
}

#[test]
fn every_answer_of_a_host_is_recorded_with_its_name() {
    use sayso_gate::entry::What;
    use sayso_gate::memory::Memory;
    let store = std::sync::Arc::new(Memory::new());
    let checker = GatedTools::builder(WORKSPACE, Still::project())
        .store(store.clone())
        .build()
        .unwrap();
    let _ = checker.apply_response(request(checker.check_bash("cargo test")), by(Action::Once));
    let decided = store
        .entries()
        .into_iter()
        .find_map(|entry| match entry.what {
            What::Decided { yes, .. } => yes,
            _ => None,
        });
    assert_eq!(decided.unwrap().by.text(), "ann");
}
