//! Tools behind the gate: functions, single tools and sets, unchanged and never called beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pollster::block_on;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::ToolSays;
use sayso_core::text::node::Node;
use sayso_gate::batch::Options;
use sayso_gate::library::{GatedTools, Nowhere, Say, Tool, ToolCall};
use sayso_gate::ports::Ran;

use super::{Setup, args};

fn greet(args: &Node) -> Result<Node, String> {
    let name = args
        .get("name")
        .and_then(Node::as_text)
        .ok_or("`name` is missing")?;
    Ok(Node::text(format!("hello {name}")))
}

async fn greet_later(args: Node) -> Result<Node, String> {
    greet(&args)
}

/// A tool that knows nothing of approvals, and how often it ran.
fn counter() -> (Tool, Arc<AtomicUsize>) {
    let counted = Arc::new(AtomicUsize::new(0));
    let count = counted.clone();
    let tool = Tool::new("count", move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok::<_, String>(Node::text("counted"))
    });
    (tool, counted)
}

fn result(ran: &Option<Ran>) -> String {
    match ran {
        Some(Ran::Done(node)) => node.as_text().unwrap_or_default().to_owned(),
        Some(Ran::Failed { why, .. } | Ran::NotRun(why)) => format!("failed: {why}"),
        None => "not run".to_owned(),
    }
}

fn says(tool: &Tool, given: &Node) -> (String, String) {
    match tool.says(given) {
        ToolSays::NeedsApproval {
            payload,
            description,
        } => (description, sayso_core::text::json::write(&payload)),
        ToolSays::Blocked { reason } => ("blocked".to_owned(), reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn l_04_sync_and_async_functions_ask_and_then_run() {
    let setup = Setup::new(
        [Say::Yes(Scope::Once), Say::Yes(Scope::Once), Say::No],
        |builder| {
            builder
                .tool(Tool::new("greet", greet))
                .tool(Tool::new_async("greet_later", greet_later))
        },
    );
    for tool in ["greet", "greet_later"] {
        let finished = block_on(
            setup
                .agent
                .finish(ToolCall::new(tool, args([("name", "Ann")]))),
        );
        assert_eq!(
            (finished.outcome, result(&finished.ran).as_str()),
            (Outcome::Approved, "hello Ann"),
            "{tool}"
        );
    }
    let refused = block_on(
        setup
            .agent
            .finish(ToolCall::new("greet", args([("name", "Bob")]))),
    );
    assert_eq!(
        (refused.outcome, result(&refused.ran).as_str()),
        (Outcome::Denied, "not run")
    );
    assert_eq!(setup.asked(), 3);
}

#[test]
fn g_07_wrapping_changes_no_tool() {
    // The very function that is behind the gate still works without it, with the same result and the same error.
    let setup = Setup::new([Say::Yes(Scope::Once), Say::Yes(Scope::Once)], |builder| {
        builder.tool(Tool::new("greet", greet))
    });
    for given in [args([("name", "Ann")]), args([])] {
        let plain = match greet(&given) {
            Ok(node) => node.as_text().unwrap().to_owned(),
            Err(why) => format!("failed: {why}"),
        };
        assert_eq!(
            result(&block_on(setup.agent.finish(ToolCall::new("greet", given))).ran),
            plain
        );
    }
}

#[test]
fn l_04_a_set_of_tools_is_wrapped_at_once() {
    let (count, counted) = counter();
    let set = [
        count,
        Tool::new("greet", greet).by_policy(),
        Tool::new_async("greet_later", greet_later).by_policy(),
        Tool::new("quiet", greet).pre_approved(),
    ];
    let setup = Setup::new([], |builder| builder.tools(set.map(Tool::always_asks)));
    assert_eq!(
        setup.agent.names().collect::<Vec<_>>(),
        ["count", "greet", "greet_later", "quiet"]
    );
    for tool in ["count", "greet", "greet_later", "quiet"] {
        assert_eq!(
            block_on(
                setup
                    .agent
                    .finish(ToolCall::new(tool, args([("name", "x")])))
            )
            .outcome,
            Outcome::Denied,
            "{tool}"
        );
    }
    assert_eq!((setup.asked(), counted.load(Ordering::SeqCst)), (4, 0));
}

#[test]
fn h_29_what_is_not_registered_cannot_be_called() {
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| {
        builder.tool(Tool::new("bash", greet).by_policy())
    });
    // Another name of the same kind, another spelling, and one that was never there.
    for tool in ["shell", "Bash", "bash ", "navigate", ""] {
        let finished = block_on(
            setup
                .agent
                .finish(ToolCall::new(tool, args([("command", "ls")]))),
        );
        assert_eq!(
            (finished.outcome, result(&finished.ran).as_str()),
            (Outcome::Blocked, "not run"),
            "{tool:?}"
        );
        assert!(
            finished
                .message
                .contains("it is not registered in this agent"),
            "{}",
            finished.message
        );
    }
    assert_eq!(setup.asked(), 0);
    let batch = block_on(setup.agent.batch(
        vec![ToolCall::new("navigate", args([]))],
        Options::default(),
    ));
    assert_eq!(batch.results[0].outcome, Outcome::Blocked);
}

#[test]
fn h_29_a_tool_is_gated_by_default() {
    // A tool with nothing but a name and a body is asked about.
    let (count, counted) = counter();
    let setup = Setup::new([Say::No, Say::Yes(Scope::Once)], |builder| {
        builder.tool(count.by_policy())
    });
    assert_eq!(
        block_on(setup.agent.finish(ToolCall::new("count", args([])))).outcome,
        Outcome::Denied
    );
    assert_eq!(counted.load(Ordering::SeqCst), 0);
    assert_eq!(
        block_on(setup.agent.finish(ToolCall::new("count", args([])))).outcome,
        Outcome::Approved
    );
    assert_eq!(counted.load(Ordering::SeqCst), 1);
    let words: Vec<String> = setup.person.seen()[0]
        .offers
        .iter()
        .map(|offer| offer.words.clone())
        .collect();
    assert_eq!(words[0], "allow this once");
    assert!(
        words[1..].iter().all(|words| words.contains("count")),
        "a wider answer names the tool: {words:#?}"
    );
}

#[test]
fn l_12_a_payload_overrides_excluded_keys_and_a_description_the_generated_one() {
    let given = args([("to", "ann"), ("body", "hi")]);
    let plain = Tool::new("mail", greet);
    assert_eq!(
        says(&plain, &given),
        (
            "mail(to=ann, body=hi)".to_owned(),
            r#"{"to":"ann","body":"hi"}"#.to_owned()
        )
    );
    let excluded = plain.clone().exclude_keys(["body"]);
    assert_eq!(
        says(&excluded, &given),
        (
            "mail(to=ann, body=hi)".to_owned(),
            r#"{"to":"ann"}"#.to_owned()
        )
    );
    let own = excluded
        .clone()
        .payload(|_| Node::text("any mail"))
        .description("Send a mail");
    assert_eq!(
        says(&own, &given),
        ("Send a mail".to_owned(), r#""any mail""#.to_owned())
    );
    let spoken = excluded.describe(|args| {
        format!(
            "Mail to {}",
            args.get("to").and_then(Node::as_text).unwrap_or("nobody")
        )
    });
    assert_eq!(says(&spoken, &given).0, "Mail to ann");
}

#[test]
fn t_12_the_person_reads_the_tools_own_words_made_visible() {
    let mail = Tool::new("mail", greet)
        .describe(|args| format!("Mail to {}", args.get("to").unwrap().as_text().unwrap()));
    let setup = Setup::new([], |builder| builder.tool(mail));
    let _ = block_on(
        setup
            .agent
            .finish(ToolCall::new("mail", args([("to", "ann\u{202e}moc")]))),
    );
    assert_eq!(
        setup.person.seen()[0].description,
        "mail says: Mail to ann‹U+202E›moc"
    );
}

#[test]
fn r_03_a_tool_chooses_what_counts_as_the_same() {
    let query = Tool::new("query", greet).payload(|args| {
        let text = args.get("sql").and_then(Node::as_text).unwrap_or_default();
        Node::text(
            text.split_whitespace()
                .next()
                .unwrap_or_default()
                .to_lowercase(),
        )
    });
    let setup = Setup::new([Say::Yes(Scope::Session), Say::No], |builder| {
        builder.tool(query)
    });
    let ask = |sql: &str| {
        block_on(
            setup
                .agent
                .finish(ToolCall::new("query", args([("sql", sql)]))),
        )
        .outcome
    };
    assert_eq!(ask("SELECT 1"), Outcome::Approved);
    assert_eq!(ask("select name from users"), Outcome::AutoApproved);
    assert_eq!(ask("DELETE FROM users"), Outcome::Denied);
}

#[test]
fn a_wrapper_loosens_nothing() {
    let must_not_run = |_: &Node| -> Result<Node, String> { panic!("it must not run") };
    let refuses = || {
        let tool = Tool::new("refuses", must_not_run);
        tool.blocked_if(|_| Some("not today".to_owned()))
    };
    for tool in [
        refuses().always_asks(),
        refuses().by_policy(),
        refuses().pre_approved(),
    ] {
        assert_eq!(
            says(&tool, &args([])),
            ("blocked".to_owned(), "not today".to_owned())
        );
    }
    let blocked = |args: &Node| args.get("force").map(|_| "nothing is forced".to_owned());
    let setup = Setup::new([Say::Yes(Scope::Once), Say::Yes(Scope::Once)], |builder| {
        builder
            .tool(refuses().description("harmless"))
            .tool(Tool::new("push", greet).blocked_if(blocked))
    });
    let call = |tool: &str, given| block_on(setup.agent.finish(ToolCall::new(tool, given)));
    assert!(call("refuses", args([])).message.contains("not today"));
    assert!(
        call("push", args([("force", "yes")]))
            .message
            .contains("nothing is forced")
    );
    assert_eq!(setup.asked(), 0);
    assert_eq!(
        call("push", args([("name", "x")])).outcome,
        Outcome::Approved
    );
}

#[test]
fn a_tool_that_breaks_is_refused_or_fails_and_takes_nobody_along() {
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| {
        builder
            .tool(Tool::new("words", greet).describe(|_| panic!("no words")))
            .tool(Tool::new("work", |_| -> Result<_, String> {
                panic!("no work")
            }))
    });
    let refused = block_on(setup.agent.finish(ToolCall::new("words", args([]))));
    assert_eq!((refused.outcome, setup.asked()), (Outcome::Blocked, 0));
    assert!(refused.message.contains("no words"), "{}", refused.message);
    let failed = block_on(setup.agent.finish(ToolCall::new("work", args([]))));
    assert_eq!(
        failed.outcome,
        Outcome::Approved,
        "to fail is not to be denied"
    );
    assert!(result(&failed.ran).contains("no work"));
    assert_eq!(setup.agent.gate().stats.counts().failed, 1);
}

#[test]
fn a_group_is_one_question() {
    let mail =
        Tool::new("mail", greet).grouped_by(|args| args.get("list")?.as_text().map(str::to_owned));
    let setup = Setup::new([Say::Yes(Scope::Once), Say::No], |builder| {
        builder.tool(mail)
    });
    let to = |name: &str, list: &str| ToolCall::new("mail", args([("name", name), ("list", list)]));
    let batch = block_on(setup.agent.batch(
        vec![to("ann", "a"), to("bob", "a"), to("eve", "b")],
        Options::default(),
    ));
    let outcomes: Vec<Outcome> = batch
        .results
        .iter()
        .map(|finished| finished.outcome)
        .collect();
    assert_eq!(
        outcomes,
        [Outcome::Approved, Outcome::AutoApproved, Outcome::Denied]
    );
    assert_eq!((setup.asked(), setup.person.seen()[0].group.len()), (2, 1));
}

#[test]
fn what_needs_a_sandbox_does_not_run_without_one() {
    let setup = Setup::new([Say::Yes(Scope::Once)], |builder| {
        builder
            .policy_text("policy", "version: 1\nsandbox: {require: true}\n")
            .tool(Tool::new("greet", greet))
    });
    let finished = block_on(
        setup
            .agent
            .finish(ToolCall::new("greet", args([("name", "x")]))),
    );
    assert_eq!(
        (
            finished.outcome,
            result(&finished.ran).as_str(),
            setup.asked()
        ),
        (Outcome::Blocked, "not run", 0)
    );
    assert!(
        finished.message.contains("and this host has none"),
        "{}",
        finished.message
    );
}

#[test]
fn two_tools_of_one_name_are_a_mistake() {
    let builder = GatedTools::builder("/ws", Arc::new(Nowhere))
        .tool(Tool::new("greet", greet).by_policy())
        .tool(Tool::new("greet", greet));
    assert_eq!(
        builder.build().err().unwrap().to_string(),
        "there are two tools with the name `greet`"
    );
}

/// Under the name of a tool that sayso knows, a function of the host is one all the same.
#[test]
fn what_needs_a_sandbox_does_not_run_under_a_known_name_either() {
    for name in ["file_write", "webfetch", "delegate"] {
        let setup = Setup::new(std::iter::repeat_n(Say::Yes(Scope::Once), 3), |builder| {
            builder
                .policy_text("policy", "version: 1\nsandbox: {require: true}\n")
                .tool(Tool::new(name, greet))
        });
        let given = [
            ("path", "a.txt"),
            ("content", "x"),
            ("url", "https://example.org/"),
            ("agent", "helper"),
            ("prompt", "x"),
            ("name", "x"),
        ];
        let finished = block_on(setup.agent.finish(ToolCall::new(name, args(given))));
        assert!(!finished.succeeded(), "{name}: {}", finished.message);
    }
}
