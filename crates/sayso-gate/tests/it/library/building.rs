//! Putting a gate together: what is left out is strict, and what is wrong is said before anything starts.

use std::sync::Arc;

use pollster::block_on;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::library::{Builder, GatedTools, Nowhere, Run, Say, Tool, ToolCall};
use sayso_gate::ports::{Later, Ran};

use super::{Setup, Still, args};

fn done(_: &Node) -> Result<Node, String> {
    Ok(Node::text("done"))
}

fn refused(builder: Builder) -> String {
    builder.build().err().unwrap().to_string()
}

#[test]
fn mistakes_are_said_before_anything_starts() {
    let builder = || GatedTools::builder("/ws", Arc::new(Nowhere));
    assert!(
        refused(builder().profile("saiso"))
            .starts_with("there is no profile `saiso`\nhint: there are sayso, ")
    );
    let bad = refused(builder().policy_text("my.yaml", "version: 1\nmod: balanced\n"));
    assert!(bad.starts_with("my.yaml:2:1: error"), "{bad}");
    assert_eq!(
        refused(GatedTools::builder("ws", Arc::new(Nowhere))),
        "the workspace is not an absolute path"
    );
    assert_eq!(
        refused(builder().cwd("src")),
        "the folder is not an absolute path"
    );
}

#[test]
fn without_a_person_nobody_says_yes() {
    let agent = GatedTools::builder("/ws", Still::project())
        .tool(Tool::new("deploy", done))
        .build()
        .unwrap();
    let finished = block_on(agent.finish(ToolCall::new("deploy", args([]))));
    assert_eq!(
        (finished.outcome, finished.ran.is_none()),
        (Outcome::Nobody, true)
    );
}

#[test]
fn nowhere_lets_nothing_through_that_is_about_files() {
    let person = Arc::new(sayso_gate::library::simulate_user_approval([
        Say::Yes(Scope::Once),
        Say::Yes(Scope::Once),
    ]));
    let agent = GatedTools::builder("/ws", Arc::new(Nowhere))
        .person(person.clone())
        .tools([
            Tool::new("read_file", done).by_policy(),
            Tool::new("write_file", done).by_policy(),
            Tool::new("bash", done).by_policy(),
            Tool::new("mail", done).by_policy(),
        ])
        .build()
        .unwrap();
    for (tool, given) in [
        ("read_file", args([("path", "a")])),
        ("write_file", args([("path", "a"), ("content", "x")])),
        ("bash", args([("command", "cat a")])),
        ("bash", args([("command", "sh ./a")])),
    ] {
        assert_eq!(
            block_on(agent.finish(ToolCall::new(tool, given.clone()))).outcome,
            Outcome::Blocked,
            "{tool} {given:?}"
        );
    }
    assert_eq!(person.seen().len(), 0);
    assert_eq!(
        block_on(agent.finish(ToolCall::new("mail", args([("to", "ann")])))).outcome,
        Outcome::Approved
    );
}

#[test]
fn a_policy_text_counts() {
    let text = "version: 1\nrules:\n  - allow: {tool: deploy}\n  - deny: {tool: drop}\n";
    let setup = Setup::new([], |builder| {
        builder.policy_text("my.yaml", text).tools([
            Tool::new("deploy", done).by_policy(),
            Tool::new("drop", done).by_policy(),
        ])
    });
    assert_eq!(
        block_on(setup.agent.finish(ToolCall::new("deploy", args([])))).outcome,
        Outcome::AutoApproved
    );
    let denied = block_on(setup.agent.finish(ToolCall::new("drop", args([]))));
    assert!(denied.message.contains("my.yaml:4"), "{}", denied.message);
}

#[test]
fn answers_do_not_reach_over_sessions_or_agents() {
    let setup = Setup::new([Say::Yes(Scope::Session), Say::No, Say::No], |builder| {
        builder.agent("main").tool(Tool::new("deploy", done))
    });
    let agent = &setup.agent;
    assert_eq!(
        block_on(agent.finish(ToolCall::new("deploy", args([])))).outcome,
        Outcome::Approved
    );
    assert_eq!(
        block_on(agent.finish(ToolCall::new("deploy", args([])))).outcome,
        Outcome::AutoApproved
    );
    assert_eq!(
        block_on(
            agent
                .in_session("another")
                .finish(ToolCall::new("deploy", args([])))
        )
        .outcome,
        Outcome::Denied
    );
    let helper = agent
        .for_sub_agent("helper")
        .for_sub_agent("helpers-helper");
    assert_eq!(
        block_on(helper.finish(ToolCall::new("deploy", args([])))).outcome,
        Outcome::Denied
    );
    let asked = setup.person.seen().pop().unwrap();
    assert_eq!(asked.operation.agent().parents, ["helper", "main"]);
}

#[test]
fn a_dry_run_only_judges() {
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| {
        builder.dry_run().tool(Tool::new("deploy", done))
    });
    let finished = block_on(setup.agent.finish(ToolCall::new("deploy", args([]))));
    assert_eq!(
        (finished.outcome, finished.ran.is_none(), setup.asked()),
        (Outcome::DryRun, true, 0)
    );
}

#[test]
fn a_host_may_run_everything_itself() {
    struct Host;
    impl Run for Host {
        fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
            sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
        }

        fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
            let text = format!("the host runs {}", approved.operation().tool());
            Box::pin(async move { Ran::Done(Node::text(text)) })
        }
    }
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| {
        builder.runner(Arc::new(Host))
    });
    let finished = block_on(setup.agent.finish(ToolCall::new("deploy", args([]))));
    assert!(
        matches!(&finished.ran, Some(Ran::Done(node)) if node.as_text() == Some("the host runs deploy"))
    );
    assert_eq!(
        setup.asked(),
        1,
        "what is not registered is not approved by that"
    );
}
