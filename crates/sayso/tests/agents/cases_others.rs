//! What the agents whose hooks are described by tables are made to do: the same for each.

use std::path::Path;
use std::time::{Duration, Instant};

use sayso_agents::scripted_model::Step;
use serde_json::{Value, json};

use crate::Case;
use crate::cases_claude::{proves, reads_why, word};
use crate::cases_inbox::Inbox;
use crate::others::{Cline, Copilot, Gemini, Opencode, Other, Qwen};
use crate::stage::{Hook, POLICY, Stage, model, models, result, tiny_server};

pub fn all() -> Vec<Case> {
    [
        cases::<Gemini>(),
        cases::<Qwen>(),
        cases::<Copilot>(),
        cases::<Opencode>(),
        cases::<Cline>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn cases<A: Other>() -> Vec<Case> {
    let case = |column: &'static str, run: fn(&Path) -> String| Case {
        row: A::ROW,
        column,
        run,
    };
    vec![
        case("the policy allows", allowed::<A>),
        case("the policy denies", denied::<A>),
        case("the policy asks", asked::<A>),
        case("denied, in the mode that asks nothing", bypassed::<A>),
        case("asked, in the mode that asks nothing", bypassed_asked::<A>),
        case("the hook is killed", |agents| {
            broken::<A>(agents, Hook::Killed, A::OPEN[0])
        }),
        case("the hook is late", |agents| {
            broken::<A>(agents, Hook::Slow, A::OPEN[1])
        }),
        case("the hook prints no answer", |agents| {
            broken::<A>(agents, Hook::Garbage, A::OPEN[2])
        }),
        case("the hook is not there", |agents| {
            broken::<A>(agents, Hook::Missing, A::OPEN[3])
        }),
        case("a command runs in the sandbox", contained::<A>),
        case("an edit is undone", undone::<A>),
        case("a denied MCP tool", mcp::<A>),
        case("a denied call of a sub-agent", sub_agent::<A>),
        case("denied, after `sayso install`", installed::<A>),
        case("`sayso doctor --agents`", proved::<A>),
        case("asked, with the inbox open", inbox::<A>),
    ]
}

fn allowed<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![A::shell("touch allowed-1")]);
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert!(stage.has("allowed-1"), "{ended} {:?}", model.results());
    let all: Vec<String> = stage
        .record()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().to_owned())
        .collect();
    // Where sayso itself put the hook there, that is written down, too.
    let kinds = if all.first().is_some_and(|kind| kind == "install") {
        &all[2..]
    } else {
        &all[..]
    };
    let is = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
    assert_eq!(
        (is("session_started"), is("decided"), is("finished")),
        (1, 1, 1),
        "{kinds:?}"
    );
    word(true)
}

fn denied<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    // Something that works stands between them: some give up after a few failures.
    let commands = [
        "touch denied-1",
        "touch allowed-2",
        "touch allowed-1 && touch denied-1",
        "touch allowed-3",
        "env nice touch denied-1",
    ];
    let model = model(commands.map(A::shell).into());
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert_ne!(result(&model, 4), "(no result)", "{ended}");
    [0, 2, 4]
        .into_iter()
        .for_each(|number| reads_why(&result(&model, number), "not that one"));
    assert!(!stage.has("denied-1") && !stage.has("allowed-1"));
    "does not run; told why".to_owned()
}

fn asked<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![A::shell("touch other-1")]);
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, &[]);
    assert!(!stage.has("other-1"), "{ended}");
    match result(&model, 0) {
        shown if shown.contains("cannot be relied on to ask") => {
            "does not run; told why".to_owned()
        }
        // It did not even come to the hook.
        shown => {
            assert!(!shown.contains("sayso: "), "{shown}");
            "does not run: the agent itself asks nobody there".to_owned()
        }
    }
}

fn bypassed<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![A::shell("touch denied-1")]);
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert_ne!(result(&model, 0), "(no result)", "{ended}");
    reads_why(&result(&model, 0), "not that one");
    word(stage.has("denied-1"))
}

fn bypassed_asked<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![A::shell("touch other-1")]);
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert_ne!(result(&model, 0), "(no result)", "{ended}");
    reads_why(&result(&model, 0), "cannot be relied on to ask");
    assert!(!stage.has("other-1"));
    word(stage.has("other-1"))
}

/// With a hook that breaks, and a call that the agent itself would let run.
fn broken<A: Other>(agents: &Path, hook: Hook, open: bool) -> String {
    let stage = Stage::with(agents, POLICY);
    let model = model(vec![A::shell("touch any-1")]);
    A::hook(&stage, hook);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert_ne!(result(&model, 0), "(no result)", "{ended}");
    assert_eq!(
        stage.has("any-1"),
        open,
        "{hook:?}: {ended} {}",
        result(&model, 0)
    );
    if open {
        "**runs**".to_owned()
    } else {
        "does not run".to_owned()
    }
}

fn contained<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(
        agents,
        "version: 1\nsandbox: {auto_allow: run-in-workspace}\n",
    );
    let model = model(vec![A::shell("make")]);
    let outside = stage.home.join("outside");
    stage.put(
        "Makefile",
        &format!(
            "all:\n\techo inside > inside.txt\n\techo outside > {} || true\n\techo ran\n",
            outside.display()
        ),
    );
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    let shown = result(&model, 0);
    assert!(!outside.exists(), "it was not bounded: {shown}");
    if !A::CHANGES {
        assert!(!stage.has("inside.txt"), "{shown}");
        return "no: it is denied".to_owned();
    }
    assert!(
        stage.text("inside.txt") == "inside\n" && shown.contains("ran"),
        "{shown} {ended}"
    );
    let undone = stage.sayso(&["undo", "--yes"]);
    assert!(!stage.has("inside.txt"), "{undone}");
    "yes, and it can be undone".to_owned()
}

fn undone<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(
        agents,
        "version: 1\nrules:\n  - allow: {write: \"new.txt\"}\n",
    );
    let path = stage.workspace.join("new.txt");
    let model = model(vec![A::write(path.to_str().unwrap(), "new\n")]);
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert_eq!(
        stage.text("new.txt").trim_end(),
        "new",
        "{ended} {:?}",
        model.results()
    );
    let said = stage.sayso(&["undo", "--yes"]);
    assert!(!stage.has("new.txt"), "{said}");
    "yes".to_owned()
}

fn mcp<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(
        agents,
        "version: 1\nrules:\n  - allow: {mcp: \"tiny/ping\"}\n  - deny: {mcp: \"tiny/drop\"}\n    reason: not that one\n",
    );
    A::hook(&stage, Hook::Sayso);
    A::server(&stage, &tiny_server(&stage));
    let model = model(vec![
        A::tool("ping", json!({"name": "a"})),
        A::tool("drop", json!({"name": "b"})),
    ]);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert_ne!(
        result(&model, 1),
        "(no result)",
        "{ended} {:?}",
        model
            .seen()
            .first()
            .map(sayso_agents::scripted_model::Seen::tools)
    );
    assert!(
        !stage.text("called.txt").contains("drop"),
        "{}",
        stage.text("called.txt")
    );
    if stage.text("called.txt").is_empty() {
        // Whose tool it is cannot be told, so it is asked about.
        reads_why(&result(&model, 0), "cannot be relied on to ask");
        return "is an unknown tool, so all are asked about".to_owned();
    }
    assert_eq!(stage.text("called.txt"), "ping a\n", "{ended}");
    reads_why(&result(&model, 1), "not that one");
    "does not run; told why".to_owned()
}

fn sub_agent<A: Other>(agents: &Path) -> String {
    let Some(delegate) = A::delegate("THE-INNER-WORK") else {
        return "–".to_owned();
    };
    let stage = Stage::with(agents, &format!("{POLICY}  - allow: {{delegate: \"*\"}}\n"));
    let inner: Vec<Step> = vec![A::shell("touch denied-1"), A::shell("touch allowed-1")];
    let model = models(vec![("THE-INNER-WORK", inner), ("", vec![delegate])]);
    A::hook(&stage, Hook::Sayso);
    let ended = A::play(&stage, &model, A::BYPASS);
    assert!(
        stage.has("allowed-1"),
        "the sub-agent did not work: {ended} {:?}",
        model.results()
    );
    assert!(!stage.has("denied-1"));
    let why = model
        .results()
        .into_iter()
        .any(|(_, shown)| shown.contains("sayso: ") && shown.contains("not that one"));
    assert!(why, "{:?}", model.results());
    "does not run; told why".to_owned()
}

/// With nothing but what `sayso install` sets up; without that again, the agent is as it was.
fn installed<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    // The program of a test stands where no program should.
    let said = stage.sayso(&["install", A::NAME, "--yes", "--anyway"]);
    let tried = |file: &str| {
        let model = model(vec![A::shell(&format!("touch {file}"))]);
        let ended = A::play(&stage, &model, A::BYPASS);
        format!("{} {ended}", result(&model, 0))
    };
    let shown = tried("denied-1");
    reads_why(&shown, "not that one");
    assert!(!stage.has("denied-1"), "{said}");
    let said = stage.sayso(&["uninstall", A::NAME, "--yes"]);
    let shown = tried("denied-2");
    assert!(stage.has("denied-2"), "{said} {shown}");
    word(stage.has("denied-1"))
}

fn proved<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, POLICY);
    stage.sayso(&["install", A::NAME, "--yes", "--anyway"]);
    // What the agent needs to find a model at all.
    drop(A::agent(&stage, &model(Vec::new())));
    proves(&stage, A::NAME)
}

/// Somebody answers in the inbox, by its interface: yes to the first call, and no to the second.
fn inbox<A: Other>(agents: &Path) -> String {
    let stage = Stage::with(agents, "version: 1\nhooks: {ask: inbox}\n");
    stage.sayso(&["install", A::NAME, "--yes", "--anyway"]);
    let inbox = Inbox::open(&stage);
    if !A::ASKS {
        let model = model(vec![A::shell("touch build.log")]);
        let ended = A::play(&stage, &model, A::BYPASS);
        assert!(!stage.has("build.log"), "{ended}");
        reads_why(&result(&model, 0), "in time");
        return "does not run: it does not wait for a person".to_owned();
    }
    let model = model(vec![
        A::shell("touch build.log"),
        A::shell("touch notes.log"),
    ]);
    let ended = std::thread::scope(|scope| {
        let agent = scope.spawn(|| A::play(&stage, &model, A::BYPASS));
        answer(
            &inbox,
            &stage,
            "touch build.log",
            json!({"choice": "offer", "offer": 0}),
        );
        answer(
            &inbox,
            &stage,
            "touch notes.log",
            json!({"choice": "deny", "note": "not here"}),
        );
        agent.join().unwrap()
    });
    assert!(stage.has("build.log"), "{ended} {:?}", model.results());
    assert!(!stage.has("notes.log"));
    reads_why(&result(&model, 1), "not here");
    "held until the answer: yes runs, no does not; told why".to_owned()
}

fn answer(inbox: &Inbox, stage: &Stage, command: &str, body: Value) {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let open = inbox.request(stage, "GET", "/v1/prompts?full=true&limit=1000", None);
        let found = open["prompts"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|prompt| prompt.to_string().contains(command))
            .cloned();
        if let Some(prompt) = found {
            let mut body = body;
            body["digest"] = prompt["digest"].clone();
            let said = inbox.request(
                stage,
                "POST",
                &format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap()),
                Some(&body),
            );
            assert!(said["kind"].is_null(), "{said}");
            return;
        }
        assert!(
            Instant::now() < end,
            "nobody asked about `{command}`: {open}"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
}
