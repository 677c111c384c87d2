//! Prompts of every kind, as the gate makes them, and hostile ones among them.

use std::sync::Arc;

use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::answer::cause::Cause;
use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::{Confirm, Reason, Verdict};
use sayso_core::call::operation::{Agent, Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::terms::Terms;
use sayso_core::prompt::presentation::{
    Body, Change, Diff, DiffLine, Hunk, Mark, Meaning, Part, Piece, Presentation,
};
use sayso_core::prompt::{Alike, Member, Offer, Position, Prompt, Round, Stores, Style, Why};
use sayso_core::text::node::Node;
use sayso_core::text::visible::{visible, visible_block};
use sayso_core::text::{Limits, json};

const WORKSPACE: &str = "/home/me/project";

/// Everything that could hide, move or turn something.
pub const HOSTILE: &str = "a\u{1b}[2J\u{1b}[31mred\u{1b}]8;;http://evil\u{7}link\u{1b}]52;c;eQ==\u{7}\u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{e0041}\u{e0042}\rb\tc\u{301}\u{301}漢字\u{1f980}\u{a0}‹U+202E›\u{9b}K";

pub fn operation(tool: &str, args: &str) -> Arc<Operation> {
    let args = json::read(args, &Limits::default()).unwrap();
    with_args(tool, args)
}

pub fn with_args(tool: &str, args: Node) -> Arc<Operation> {
    let agent = Agent {
        name: "builder".to_owned(),
        parents: vec!["planner".to_owned()],
    };
    let call = Call {
        agent,
        session: "session-1".to_owned(),
        ..Call::new(tool, args, WORKSPACE)
    };
    Arc::new(Operation::freeze(call).unwrap())
}

fn reason(rule: &str, text: &str, must_ask: bool) -> Reason {
    let decision = Decision::Ask;
    Reason {
        decision,
        rule: RuleId::from_recorded(rule, "built-in"),
        cause: Cause::Recorded(text.to_owned()),
        must_ask,
        at: None,
    }
}

pub fn why(text: &str, is_warning: bool) -> Why {
    Why {
        text: text.to_owned(),
        is_warning,
        rule: None,
    }
}

/// Somebody's wish, as the gate words it.
fn wants(mut prompt: Prompt, words: &str) -> Prompt {
    prompt.sentence = format!("Claude wants to {words}");
    prompt
}

fn once() -> Offer {
    Offer {
        scope: Scope::Once,
        stores: Stores::Nothing,
        words: "allow this once".to_owned(),
    }
}

/// A routine prompt about an operation.
pub fn prompt(operation: Arc<Operation>, body: Body) -> Prompt {
    let verdict = Verdict {
        decision: Decision::Ask,
        risk: Risk::Medium,
        tier: Tier::None,
        confirm: Confirm::Single,
        reasons: vec![reason("default", "it changes files", false)],
        effects: Vec::new(),
        terms: Terms::default(),
        digest: operation.digest(),
        trace: Vec::new(),
        evidence: None,
    };
    let session = GrantKey::Exact(operation.digest());
    let words = format!(
        "allow exactly {} in this session",
        sayso_core::answer::explain::subject(&operation)
    );
    Prompt {
        id: "prompt-1".to_owned(),
        title: "Tool Execution Approval Required".to_owned(),
        sentence: format!(
            "builder (started by planner) wants to use {}",
            sayso_core::answer::explain::subject(&operation)
        ),
        why: vec![why("it changes files", false)],
        description: sayso_core::answer::explain::subject(&operation),
        presentation: Presentation {
            details: vec![(
                "asked by".to_owned(),
                "builder, started by planner".to_owned(),
            )],
            ..Presentation::of(body)
        },
        operation,
        verdict: Arc::new(verdict),
        round: Round::Only,
        place: None,
        group: Vec::new(),
        alike: None,
        offers: vec![
            once(),
            Offer {
                scope: Scope::Session,
                stores: Stores::Grant(session),
                words,
            },
        ],
        style: Style::Inline,
        asked: 1_790_000_000,
        timeout: Some(300),
    }
}

fn with_verdict(mut prompt: Prompt, change: impl FnOnce(&mut Verdict)) -> Prompt {
    let mut verdict = (*prompt.verdict).clone();
    change(&mut verdict);
    prompt.verdict = Arc::new(verdict);
    prompt
}

pub fn command_body(text: &str) -> Body {
    Body::Command {
        lines: visible_block(text).split('\n').map(str::to_owned).collect(),
        marks: Vec::new(),
        folder: WORKSPACE.to_owned(),
        parts: Vec::new(),
        effects: vec!["runs code: what it does is not known".to_owned()],
    }
}

/// A command that asks, with rules that "always" may create.
pub fn terminal(text: &str) -> Prompt {
    let operation = with_args("terminal", Node::map([("command", Node::text(text))]));
    let mut prompt = prompt(operation, command_body(text));
    let rule = |pattern: &str, scope: Scope, place: &str| Offer {
        scope,
        stores: Stores::Rule(sayso_core::prompt::RuleText::command(pattern)),
        words: format!("allow `{pattern}` {place}"),
    };
    for (scope, place) in [
        (Scope::Session, "in this session"),
        (Scope::Project, "in this project"),
        (Scope::Always, "everywhere"),
    ] {
        prompt
            .offers
            .push(rule("cargo test --workspace", scope, place));
        prompt.offers.push(rule("cargo test *", scope, place));
    }
    prompt.presentation.details.insert(
        0,
        ("time limit of the command".to_owned(), "90 s".to_owned()),
    );
    prompt.why = vec![why("what it does cannot be known before it runs", false)];
    let first: String = visible(text.lines().next().unwrap_or_default())
        .chars()
        .take(40)
        .collect();
    let prompt = wants(
        prompt,
        &format!("build and run the project's own code: `{first}`"),
    );
    with_verdict(prompt, |verdict| {
        verdict.risk = Risk::Unknown;
        verdict.reasons = vec![reason(
            "default",
            "it builds and runs the project's own code",
            false,
        )];
    })
}

fn danger(mut prompt: Prompt, title: &str, text: &str) -> Prompt {
    prompt.title = title.to_owned();
    prompt.offers.truncate(1);
    prompt.round = Round::First;
    prompt.presentation.warnings =
        vec!["This operation is destructive".to_owned(), text.to_owned()];
    prompt.why = prompt
        .presentation
        .warnings
        .iter()
        .map(|text| why(text, true))
        .collect();
    with_verdict(prompt, |verdict| {
        verdict.risk = Risk::High;
        verdict.tier = Tier::Dangerous;
        verdict.confirm = Confirm::Double;
        verdict.reasons = vec![reason("dangerous", text, true)];
    })
}

fn line(
    change: Change,
    old: Option<usize>,
    new: Option<usize>,
    pieces: &[(&str, bool)],
) -> DiffLine {
    let pieces = pieces
        .iter()
        .map(|(text, emphasised)| Piece {
            text: (*text).to_owned(),
            emphasised: *emphasised,
        })
        .collect();
    DiffLine {
        change,
        old,
        new,
        pieces,
    }
}

pub fn edit(path: &str) -> Prompt {
    let operation = operation(
        "file_edit",
        &format!(r#"{{"path": "{path}", "find": "Helo", "replace": "Hello"}}"#),
    );
    let lines = vec![
        line(
            Change::Same,
            Some(1),
            Some(1),
            &[("def greet(name):", false)],
        ),
        line(
            Change::Removed,
            Some(2),
            None,
            &[
                ("    return \"", false),
                ("Helo", true),
                (", \" + name", false),
            ],
        ),
        line(
            Change::Added,
            None,
            Some(2),
            &[
                ("    return \"", false),
                ("Hello", true),
                (", \" + name", false),
            ],
        ),
        line(Change::Same, Some(3), Some(3), &[("", false)]),
    ];
    let hunk = Hunk {
        old_start: 1,
        new_start: 1,
        before: Vec::new(),
        lines,
    };
    let diff = Diff {
        path: path.to_owned(),
        language: Some("python"),
        hunks: vec![hunk],
        added: 1,
        removed: 1,
        notes: Vec::new(),
        rest: Vec::new(),
    };
    let mut prompt = prompt(operation, Body::Diff(diff));
    prompt.title = "File Operation Approval Required".to_owned();
    prompt.description = format!("Edit file: {path}");
    prompt.presentation.details.push((
        "backup".to_owned(),
        "`sayso undo` can take it back".to_owned(),
    ));
    wants(prompt, &format!("edit {path}"))
}

fn content(path: &str, lines: Vec<String>) -> Prompt {
    let operation = with_args(
        "file_create",
        Node::map([
            ("path", Node::text(path)),
            ("content", Node::text(lines.join("\n"))),
        ]),
    );
    let size = lines.iter().map(|line| line.len() as u64 + 1).sum();
    let lines = lines
        .iter()
        .map(|line| visible(line).into_owned())
        .collect();
    let mut prompt = prompt(
        operation,
        Body::Content {
            path: visible(path).into_owned(),
            language: Some("python"),
            lines,
            size,
            notes: Vec::new(),
            over: None,
        },
    );
    prompt.title = "File Operation Approval Required".to_owned();
    prompt.description = format!("Create file: {}", visible(path));
    wants(prompt, &format!("create `{}`", visible(path)))
}

fn structured(tool: &str, args: &str, rows: &[(&str, &str)], description: &str) -> Prompt {
    let rows = rows
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut prompt = prompt(operation(tool, args), Body::Structured(rows));
    prompt.description = description.to_owned();
    wants(prompt, &format!("use the tool {tool}"))
}

fn delete() -> Prompt {
    let lines = [
        "Delete: old.py",
        "which is: /home/me/project/old.py",
        "It is a file of 12 bytes.",
        "`sayso undo` can take it back.",
    ];
    let body = Body::Text(lines.map(str::to_owned).to_vec());
    let mut prompt = danger(
        prompt(operation("file_delete", r#"{"path": "old.py"}"#), body),
        "⚠️ DELETE CONFIRMATION",
        "it deletes a file",
    );
    prompt.description = "Delete file: old.py".to_owned();
    wants(prompt, "delete old.py")
}

fn removal() -> Prompt {
    let mut prompt = danger(
        terminal("sudo rm -rf build"),
        "⚠️ DANGEROUS OPERATION",
        "`rm` deletes folders with everything below",
    );
    let marks = vec![
        Mark {
            line: 0,
            start: 5,
            end: 7,
            meaning: Meaning::Runs,
        },
        Mark {
            line: 0,
            start: 8,
            end: 11,
            meaning: Meaning::Danger,
        },
        Mark {
            line: 0,
            start: 12,
            end: 17,
            meaning: Meaning::Deletes,
        },
    ];
    let effects = vec!["deletes build/ with everything below (214 files, 38 MB)".to_owned()];
    let parts = vec![Part {
        program: "rm".to_owned(),
        effects: effects.clone(),
    }];
    let lines = vec!["sudo rm -rf build".to_owned()];
    prompt.presentation.body = Body::Command {
        lines,
        marks,
        folder: WORKSPACE.to_owned(),
        parts,
        effects,
    };
    wants(prompt, "delete 214 files under build/")
}

fn second(mut prompt: Prompt) -> Prompt {
    prompt.round = Round::Second;
    prompt.id = "prompt-2".to_owned();
    prompt
}

fn in_batch(mut prompt: Prompt) -> Prompt {
    prompt.place = Some(Position { index: 2, total: 5 });
    let words = "allow this and the 3 that follow in this batch; deletes, dangers and protected files still ask".to_owned();
    prompt.offers.insert(
        1,
        Offer {
            scope: Scope::Batch,
            stores: Stores::Grant(GrantKey::RestOfBatch),
            words,
        },
    );
    prompt
}

fn group() -> Prompt {
    let mut prompt = edit("src/a.py");
    for path in ["src/b.py", "src/c.py"] {
        let other = edit(path);
        prompt.group.push(Member {
            digest: other.operation.digest(),
            description: other.description,
            presentation: other.presentation,
        });
    }
    prompt.offers.truncate(1);
    prompt.offers[0].words = "allow these 3 once".to_owned();
    prompt
}

fn alike() -> Prompt {
    let mut prompt = terminal("cargo test --package b");
    prompt.alike = Some(Alike {
        count: 3,
        differs: vec!["the last word is `b`, not `a`".to_owned()],
    });
    prompt
}

/// Nobody can allow it; it is only shown.
fn catastrophe() -> Prompt {
    let mut prompt = danger(
        terminal("rm -rf /"),
        "⚠️ CATASTROPHIC OPERATION",
        "it deletes the whole file system",
    );
    prompt.offers.clear();
    prompt.round = Round::Only;
    with_verdict(prompt, |verdict| verdict.tier = Tier::Catastrophic)
}

/// A command of many lines, of which no screen shows all.
pub fn long() -> Prompt {
    let lines: Vec<String> = (1..=120)
        .map(|number| format!("echo line {number}"))
        .collect();
    terminal(&lines.join("\n"))
}

/// A dangerous one of the same length.
pub fn long_danger() -> Prompt {
    danger(
        long(),
        "⚠️ DANGEROUS OPERATION",
        "`rm` deletes folders with everything below",
    )
}

/// Every variant with its name.
pub fn variants() -> Vec<(&'static str, Prompt)> {
    let word = "x".repeat(10_000);
    vec![
        ("terminal", terminal("cargo test --workspace")),
        ("file write", edit("src/greet.py")),
        (
            "new file",
            content(
                "src/new.py",
                vec!["import sys".to_owned(), "print(sys.argv)".to_owned()],
            ),
        ),
        ("delete, first", delete()),
        ("delete, second", second(delete())),
        (
            "mcp",
            structured(
                "mcp",
                r#"{"server": "github", "tool": "create_issue", "arguments": {"title": "Bug"}}"#,
                &[
                    ("server", "github"),
                    ("tool", "create_issue"),
                    ("arguments.title", "\"Bug\""),
                ],
                "Execute MCP tool: create_issue (server: github)",
            ),
        ),
        (
            "fetch",
            structured(
                "webfetch",
                r#"{"url": "https://example.org/a?b=c"}"#,
                &[
                    ("url", "https://example.org/a?b=c"),
                    ("the host", "example.org"),
                ],
                "Fetch: https://example.org/a?b=c",
            ),
        ),
        (
            "delegation",
            structured(
                "delegate",
                r#"{"agent": "reviewer", "input": "look at this", "attachments": ["a.pdf", "notes.md"]}"#,
                &[
                    ("agent", "reviewer"),
                    ("input", "\"look at this\""),
                    ("attached file", "a.pdf (2.3 KB), for reviewer"),
                    ("attached file", "notes.md (120 bytes), for reviewer"),
                ],
                "Hand work to the agent: reviewer",
            ),
        ),
        ("danger, first", removal()),
        ("danger, second", second(removal())),
        ("catastrophe", catastrophe()),
        ("batch", in_batch(terminal("npm install left-pad"))),
        ("group", group()),
        ("alike", alike()),
        ("long", long()),
        ("long and dangerous", long_danger()),
        ("hostile command", terminal(HOSTILE)),
        (
            "hostile file",
            content(
                HOSTILE,
                vec![
                    HOSTILE.to_owned(),
                    word.clone(),
                    "\u{301}\u{302}alone".to_owned(),
                ],
            ),
        ),
        ("one long word", terminal(&word)),
        (
            "hostile arguments",
            structured(
                "mcp",
                r#"{"server": "s", "tool": "t", "arguments": {}}"#,
                &[
                    ("server", &visible(HOSTILE)),
                    ("tool", &visible(HOSTILE)),
                    ("arguments.x", &"漢".repeat(200)),
                ],
                &visible(HOSTILE),
            ),
        ),
    ]
}
