//! Checking and asking: what is decided in which order, what is remembered, and what the host is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pollster::block_on;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::node::{Node, Value};
use sayso_gate::batch::Options;
use sayso_gate::library::{
    ApprovalDecision, Checked, DECISIONS, GatedError, How, Presenter, Request, Say, Tool, ToolCall,
    person,
};

use super::{Setup, args, number};

fn word(checked: &Checked) -> &'static str {
    match checked {
        Checked::PreApproved { .. } => "pre-approved",
        Checked::Request(_) => "request",
        Checked::Blocked { .. } => "blocked",
    }
}

fn done(_: &Node) -> Result<Node, String> {
    Ok(Node::text("done"))
}

#[test]
fn l_01_a_check_is_one_of_three() {
    let setup = Setup::new([], |builder| builder);
    for (tool, given, wanted) in [
        ("read_file", args([("path", "README.md")]), "pre-approved"),
        ("bash", args([("command", "git status")]), "pre-approved"),
        ("bash", args([("command", "cargo test")]), "request"),
        ("deploy", args([("stage", "live")]), "request"),
        ("bash", args([("command", "rm -rf /")]), "blocked"),
        ("bash", args([("command", " ")]), "blocked"),
        ("bash", Node::text("no map"), "blocked"),
    ] {
        let checked = setup.agent.check(&ToolCall::new(tool, given.clone()));
        assert_eq!(word(&checked), wanted, "{tool} {given:?}: {checked:?}");
    }
}

#[test]
fn l_01_a_check_asks_nobody_and_leaves_no_trace() {
    let setup = Setup::new([Say::Yes(Scope::Session)], |builder| builder);
    let told = setup.agent.gate().events.record();
    for command in ["cargo test", "rm -rf /", "ls"] {
        let _ = setup
            .agent
            .check(&ToolCall::new("bash", args([("command", command)])));
    }
    assert_eq!(
        (
            setup.asked(),
            told.kinds().len(),
            setup.store.entries().len()
        ),
        (0, 0, 0)
    );
    assert_eq!(setup.agent.gate().stats.counts().total, 0);
}

#[test]
fn l_01_a_check_is_policy_alone() {
    let setup = Setup::new([Say::Yes(Scope::Session)], |builder| builder);
    let context = ToolCall::new("deploy", args([("stage", "test")]));
    let Checked::Request(request) = setup.agent.check(&context) else {
        panic!()
    };
    assert_eq!(
        (request.call.tool.as_str(), request.description.as_str()),
        ("deploy", "deploy(stage=\"test\")")
    );
    // The run is strict, but the policy says "ask"; only asking finds out.
    let strict = Setup::new([], |builder| builder.how(How::Strict));
    let Checked::Request(request) = strict.agent.check(&context) else {
        panic!()
    };
    let refused = strict.ask(*request).unwrap_err();
    assert_eq!(refused.outcome(), Outcome::Blocked);
}

#[test]
fn z_32_a_tool_that_says_nothing_is_not_pre_approved() {
    for how in [How::Interactive, How::Strict] {
        let setup = Setup::new([], |builder| {
            builder
                .how(how)
                .tool(Tool::new("quiet", done).by_policy())
                .tool(Tool::new("spoken", done).pre_approved())
        });
        let check = |tool: &str| word(&setup.agent.check(&ToolCall::new(tool, args([]))));
        assert_eq!(
            (check("quiet"), check("spoken")),
            ("request", "pre-approved")
        );
        let call = |tool: &str| {
            block_on(setup.agent.finish(ToolCall::new(tool, args([]))))
                .outcome
                .ran()
        };
        assert_eq!((call("quiet"), call("spoken")), (false, true), "{how:?}");
    }
}

#[test]
fn z_32_pre_approval_does_not_cover_what_must_be_asked() {
    let setup = Setup::new([], |builder| {
        builder
            .tool(Tool::new("bash", done).pre_approved())
            .tool(Tool::new("read_file", done).pre_approved())
    });
    assert_eq!(
        block_on(
            setup
                .agent
                .finish(ToolCall::new("bash", args([("command", "rm -rf /")])))
        )
        .outcome,
        Outcome::Blocked
    );
    assert_eq!(
        block_on(
            setup
                .agent
                .finish(ToolCall::new("read_file", args([("path", ".env")])))
        )
        .outcome,
        Outcome::Denied
    );
    assert_eq!(setup.asked(), 1);
}

/// Draws, and counts how often.
fn counting() -> (Presenter, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = count.clone();
    let presenter = Presenter::new(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok::<_, String>(Body::Text(vec!["a picture".to_owned()]))
    });
    (presenter, count)
}

#[test]
fn r_04_what_was_answered_before_is_known_before_anything_is_drawn() {
    let setup = Setup::new([Say::Yes(Scope::Session), Say::No], |builder| builder);
    let (presenter, drawn) = counting();
    let ask = |stage: &str| {
        let request = Request::simple("deploy", args([("stage", stage)]), None, &[])
            .presented_by(presenter.clone());
        setup.ask(request)
    };
    let first = ask("test");
    assert_eq!(first.unwrap(), (Scope::Session, Outcome::Approved));
    assert_eq!(drawn.load(Ordering::SeqCst), 1);
    for _ in 0..3 {
        let again = ask("test");
        assert_eq!(again.unwrap(), (Scope::Session, Outcome::AutoApproved));
    }
    assert_eq!(
        (drawn.load(Ordering::SeqCst), setup.asked()),
        (1, 1),
        "nothing is rendered for what is known"
    );
    assert!(ask("live").is_err());
    assert_eq!((drawn.load(Ordering::SeqCst), setup.asked()), (2, 2));
}

#[test]
fn r_04_no_file_is_read_for_a_picture_that_nobody_sees() {
    let setup = Setup::new([Say::Yes(Scope::Session)], |builder| {
        builder.tool(Tool::new("edit", done).by_policy())
    });
    let edit = || {
        block_on(setup.agent.finish(ToolCall::new(
            "edit",
            args([("path", "src/main.rs"), ("find", "a"), ("replace", "b")]),
        )))
        .outcome
    };
    assert_eq!(edit(), Outcome::Approved, "{:?}", setup.store.entries());
    let reads = setup.world.reads();
    assert_eq!(
        (edit(), setup.world.reads(), setup.asked()),
        (Outcome::AutoApproved, reads, 1)
    );
}

#[test]
fn l_02_the_mode_comes_before_everything() {
    for (how, approved) in [
        (How::ApproveAll, true),
        (How::Yolo, true),
        (How::Strict, false),
        (How::Nobody, false),
    ] {
        let setup = Setup::new([Say::Yes(Scope::Once)], |builder| builder.how(how));
        let (presenter, drawn) = counting();
        let request = Request::simple("deploy", args([]), None, &[]).presented_by(presenter);
        assert_eq!(setup.ask(request).is_ok(), approved, "{how:?}");
        assert_eq!(
            (drawn.load(Ordering::SeqCst), setup.asked()),
            (0, 0),
            "{how:?}"
        );
    }
}

#[test]
fn r_02_the_same_call_is_the_same_by_its_values() {
    let nested = |keys: [&str; 2], value: Node| {
        let list: Node = Value::List(vec![
            Node::map(keys.map(|key| (key, Node::text(key)))),
            value,
        ])
        .into();
        Node::map([("deep", list)])
    };
    let truth: Node = Value::Bool(true).into();
    let first = nested(["a", "b"], truth.clone());
    for (other, same) in [
        (nested(["a", "b"], truth.clone()), true),
        (nested(["b", "a"], truth), true),
        (nested(["a", "b"], number("1")), false),
        (nested(["a", "b"], Node::text("1")), false),
        (nested(["a", "b"], Node::text("true")), false),
        (nested(["a", "c"], Value::Bool(true).into()), false),
    ] {
        let setup = Setup::new([Say::Yes(Scope::Session), Say::No], |builder| builder);
        let ask = |given: &Node| {
            setup
                .ask(Request::simple("t", given.clone(), None, &[]))
                .is_ok()
        };
        assert!(ask(&first));
        assert_eq!(ask(&other), same, "{other:?}");
    }
}

#[test]
fn l_02_a_denial_carries_its_note_and_stable_words() {
    let setup = Setup::new([Say::NoBecause("not on Fridays".to_owned())], |builder| {
        builder.profile("llm-do")
    });
    let refused = setup
        .ask(Request::simple("deploy", args([]), None, &[]))
        .unwrap_err();
    assert_eq!(refused.to_string(), "Approval denied: not on Fridays");
    let GatedError::Refused(finished) = refused else {
        panic!()
    };
    assert_eq!(finished.note.as_deref(), Some("not on Fridays"));
    assert_eq!(finished.outcome, Outcome::Denied);
}

#[test]
fn d01_an_approval_is_for_exactly_what_was_shown_and_for_once() {
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| {
        builder.tool(Tool::new("deploy", |args| Ok::<_, String>(args.clone())))
    });
    let Checked::Request(request) = setup
        .agent
        .check(&ToolCall::new("deploy", args([("stage", "test")])))
    else {
        panic!()
    };
    let approved = block_on(setup.agent.request_approval(*request)).unwrap();
    assert_eq!(
        approved.operation().digest(),
        setup.person.seen()[0].operation.digest()
    );
    assert_eq!(
        approved.operation().args().get("stage").unwrap().as_text(),
        Some("test")
    );
    // Running takes the permission: there is no second run to write down here.
    let finished = block_on(setup.agent.run(approved));
    assert!(finished.succeeded());
    let Checked::Request(request) = setup
        .agent
        .check(&ToolCall::new("deploy", args([("stage", "test")])))
    else {
        panic!()
    };
    assert!(setup.ask(*request).is_err());
}

#[test]
fn d02_a_host_that_runs_it_itself_can_tell_that_it_changed() {
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| builder);
    let Checked::Request(request) = setup
        .agent
        .check(&ToolCall::new("bash", args([("command", "sh ./build.sh")])))
    else {
        panic!()
    };
    let approved = block_on(setup.agent.request_approval(*request)).unwrap();
    assert!(setup.agent.still_holds(&approved));
    setup.world.change();
    assert!(!setup.agent.still_holds(&approved));
    let finished = block_on(setup.agent.run(approved));
    assert!(
        finished.message.contains("changed after it was approved"),
        "{}",
        finished.message
    );
}

#[test]
fn l_05_metadata_is_carried_and_means_nothing() {
    let setup = Setup::new([Say::Yes(Scope::Session), Say::No], |builder| {
        builder.agent("helper").tool(Tool::new("deploy", done))
    });
    let with = |session: &str| {
        ToolCall::new("deploy", args([])).with([
            ("run_id", "run-1"),
            ("session_id", session),
            ("caller", "root"),
            ("batch_id", "batch-1"),
            ("trace", "\u{1b}[2J"),
        ])
    };
    let call = |session: &str| block_on(setup.agent.finish(with(session)));
    assert_eq!(call("a").outcome, Outcome::Approved);
    // Another session by metadata is no other session.
    assert_eq!(call("b").outcome, Outcome::AutoApproved);
    let prompt = &setup.person.seen()[0];
    assert_eq!(prompt.operation.metadata(), with("a").metadata);
    assert_eq!(
        (
            prompt.operation.agent().name.as_str(),
            prompt.operation.batch()
        ),
        ("helper", None)
    );
    let bare = block_on(setup.agent.finish(ToolCall::new("deploy", args([]))));
    assert_eq!(
        bare.digest,
        Some(prompt.operation.digest()),
        "it is no part of what was approved"
    );
    let entry = setup.store.entries().into_iter().next().unwrap();
    assert_eq!(
        entry.operation.unwrap().metadata().first(),
        Some(&("run_id".to_owned(), "run-1".to_owned()))
    );
}

#[test]
fn l_10_the_words_of_decisions_never_change() {
    let words: Vec<&str> = DECISIONS
        .iter()
        .map(|(decision, _)| decision.word())
        .collect();
    assert_eq!(
        words,
        [
            "approve",
            "deny",
            "approve_all",
            "quit",
            "view_details",
            "timeout"
        ]
    );
    for (decision, word) in DECISIONS {
        assert_eq!(ApprovalDecision::from_word(word), Some(decision));
    }
    assert_eq!(ApprovalDecision::from_word("Approve"), None);
}

#[test]
fn l_10_every_decision_has_its_effect() {
    use ApprovalDecision::{Approve, ApproveAll, Deny, Quit, Timeout, ViewDetails};
    for (said, outcomes) in [
        (Approve, [Outcome::Approved; 3]),
        (Deny, [Outcome::Denied; 3]),
        (
            ApproveAll,
            [
                Outcome::Approved,
                Outcome::AutoApproved,
                Outcome::AutoApproved,
            ],
        ),
        (Quit, [Outcome::Cancelled; 3]),
        (Timeout, [Outcome::TimedOut; 3]),
        // Who looks and looks and never answers says no.
        (ViewDetails, [Outcome::Denied; 3]),
    ] {
        let setup = Setup::new([], |builder| {
            builder
                .person(person("ann", move |_| said))
                .tool(Tool::new("deploy", done))
        });
        let calls = ["a", "b", "c"].map(|stage| ToolCall::new("deploy", args([("stage", stage)])));
        let batch = block_on(setup.agent.batch(calls.to_vec(), Options::default()));
        let got: Vec<Outcome> = batch
            .results
            .iter()
            .map(|finished| finished.outcome)
            .collect();
        assert_eq!(got, outcomes, "{said:?}");
    }
}

#[test]
fn l_10_details_are_shown_when_they_are_wanted() {
    let views = Arc::new(AtomicUsize::new(0));
    let counter = views.clone();
    let looks = person("ann", move |shown| {
        assert_eq!(shown.whole, counter.fetch_add(1, Ordering::SeqCst) > 0);
        if shown.whole {
            ApprovalDecision::Approve
        } else {
            ApprovalDecision::ViewDetails
        }
    });
    let setup = Setup::new([], |builder| {
        builder.person(looks).tool(Tool::new("deploy", done))
    });
    let finished = block_on(setup.agent.finish(ToolCall::new("deploy", args([]))));
    assert_eq!(
        (finished.outcome, views.load(Ordering::SeqCst)),
        (Outcome::Approved, 2)
    );
    assert_eq!(finished.yes.unwrap().by.text(), "ann");
}

#[test]
fn a_person_that_breaks_is_a_denial() {
    let setup = Setup::new([], |builder| {
        builder
            .person(person("ann", |_| panic!("no screen")))
            .tool(Tool::new("deploy", done))
    });
    let finished = block_on(setup.agent.finish(ToolCall::new("deploy", args([]))));
    assert_eq!(
        (finished.outcome, finished.ran.is_none()),
        (Outcome::Blocked, true)
    );
}

#[test]
fn l_11_what_the_agent_is_told_never_changes() {
    for (profile, say, message) in [
        (
            "sayso",
            Say::No,
            "denied by the person. nothing was changed",
        ),
        (
            "sayso",
            Say::Nothing,
            "nobody answered in time, so it was denied. nothing was changed",
        ),
        (
            "sayso",
            Say::Quit,
            "the person stopped this batch. nothing was changed",
        ),
        ("kollabor-spec", Say::No, "Operation denied by user"),
        (
            "kollabor-spec",
            Say::Nothing,
            "Operation timed out awaiting approval",
        ),
        (
            "kollabor-spec",
            Say::Quit,
            "User requested to stop execution",
        ),
        ("llm-do", Say::No, "Approval denied"),
        ("opencode", Say::No, "permission denied by user"),
        ("opencode", Say::Nothing, "permission request timed out"),
    ] {
        let setup = Setup::new([say], |builder| {
            builder.profile(profile).tool(Tool::new("deploy", done))
        });
        assert_eq!(
            block_on(setup.agent.finish(ToolCall::new("deploy", args([])))).message,
            message,
            "{profile}"
        );
    }
    let strict = Setup::new([], |builder| {
        builder
            .profile("llm-do")
            .how(How::Strict)
            .tool(Tool::new("deploy", done))
    });
    assert_eq!(
        block_on(strict.agent.finish(ToolCall::new("deploy", args([])))).message,
        "Strict mode: approval required"
    );
}
