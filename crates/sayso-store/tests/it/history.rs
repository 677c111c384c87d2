//! A few calls as a gate records them: one that ran unasked, one that was asked twice, kept, failed and was undone, one that was denied.

use sayso_core::text::node::{Node, Value};
use sayso_store::{Journal, Sync};

/// When the round with this number is.
pub(crate) fn at(round: i64) -> i64 {
    1_790_000_000_000 + round * 60_000
}

fn number(number: i64) -> Node {
    Value::Number(number.to_string()).into()
}

fn put(
    journal: &Journal,
    at: i64,
    kind: &str,
    fields: &[(&str, &str)],
    more: Vec<(&'static str, Node)>,
) {
    let mut all: Vec<(&str, Node)> = fields
        .iter()
        .map(|(name, text)| (*name, Node::text(*text)))
        .collect();
    all.extend(more);
    journal.append_at(at, kind, all, Sync::System).unwrap();
}

/// One round.
pub(crate) fn round(journal: &Journal, round: i64) {
    let session = format!("run-{round}");
    let at = at(round);
    let of = |call: &'static str, tool: &'static str, agent: &'static str| {
        vec![
            ("call", call),
            ("tool", tool),
            ("session", session.as_str()),
            ("agent", agent),
        ]
    };
    let with = |one: &[(&'static str, &'static str)],
                of: Vec<(&'static str, &str)>|
     -> Vec<(&'static str, String)> {
        of.iter()
            .chain(one)
            .map(|(name, text)| (*name, (*text).to_owned()))
            .collect()
    };
    let write = |after: i64,
                 kind: &str,
                 fields: Vec<(&'static str, String)>,
                 more: Vec<(&'static str, Node)>| {
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        put(journal, at + after, kind, &fields, more);
    };
    let look = || of("look", "terminal", "main");
    let words = [
        ("outcome", "auto_approved"),
        ("decision", "allow"),
        ("risk", "low"),
        ("rule", "read-only"),
        ("source", "built-in"),
        ("what", "terminal(ls)"),
    ];
    write(1, "decided", with(&words, look()), vec![]);
    write(
        13,
        "finished",
        with(&[], look()),
        vec![
            ("succeeded", Value::Bool(true).into()),
            ("milliseconds", number(12)),
        ],
    );
    let edit = || of("edit", "file_edit", "builder");
    write(
        1000,
        "asked",
        with(&[("prompt", "p1"), ("what", "file_edit(a.py)")], edit()),
        vec![],
    );
    write(
        2000,
        "asked",
        with(&[("prompt", "p2"), ("what", "file_edit(a.py)")], edit()),
        vec![],
    );
    write(
        4990,
        "granted",
        with(&[("grant", "g1"), ("words", "allow a.py")], edit()),
        vec![],
    );
    let words = [
        ("outcome", "approved"),
        ("decision", "ask"),
        ("risk", "medium"),
        ("rule", "default"),
        ("source", "built-in"),
        ("by", "terminal"),
        ("what", "file_edit(a.py)"),
    ];
    write(
        5000,
        "decided",
        with(&words, edit()),
        vec![("confirmations", number(1))],
    );
    let changed = Value::List(vec![Node::text("a.py")]).into();
    write(
        5100,
        "finished",
        with(&[], edit()),
        vec![
            ("succeeded", Value::Bool(false).into()),
            ("milliseconds", number(100)),
            ("changed", changed),
        ],
    );
    let push = || of("push", "terminal", "builder < main");
    write(
        6000,
        "asked",
        with(
            &[("prompt", "p3"), ("what", "terminal(git push -f)")],
            push(),
        ),
        vec![],
    );
    let words = [
        ("outcome", "denied"),
        ("decision", "ask"),
        ("risk", "high"),
        ("rule", "no-force"),
        ("source", "policy.yaml:3"),
        ("note", "no"),
        ("what", "terminal(git push -f)"),
    ];
    write(8000, "decided", with(&words, push()), vec![]);
    put(
        journal,
        at + 9000,
        "undo",
        &[("call", "undo-1")],
        vec![("undoes", Value::List(vec![Node::text("edit")]).into())],
    );
    put(
        journal,
        at + 9500,
        "trusted",
        &[
            ("path", "/p/.sayso/policy.yaml"),
            ("file_digest", "sha256:00"),
        ],
        vec![],
    );
}

/// One call that ran.
pub(crate) fn call(journal: &Journal, id: &str, session: &str, milliseconds: Option<i64>) {
    let of = [("call", id), ("session", session), ("tool", "terminal")];
    let decided: Vec<(&str, &str)> = of
        .iter()
        .copied()
        .chain([("outcome", "auto_approved"), ("what", "terminal(ls)")])
        .collect();
    put(journal, at(100), "decided", &decided, vec![]);
    if let Some(milliseconds) = milliseconds {
        put(
            journal,
            at(100),
            "finished",
            &of,
            vec![
                ("succeeded", Value::Bool(true).into()),
                ("milliseconds", number(milliseconds)),
            ],
        );
    }
}
