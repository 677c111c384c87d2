//! The page of the inbox, which is a part of the program: no other server is asked for anything.

use super::problem::Problem;
use super::reply::{Answered, Reply};

const INDEX: &str = include_str!("page/index.html");
const PROGRAM: &str = include_str!("page/app.js");
const LOOKS: &str = include_str!("page/style.css");
/// The parts of the program, by the names under which they ask for each other.
const PARTS: &[(&str, &str)] = &[
    ("answers.js", include_str!("page/answers.js")),
    ("api.js", include_str!("page/api.js")),
    ("body.js", include_str!("page/body.js")),
    ("detail.js", include_str!("page/detail.js")),
    ("diff.js", include_str!("page/diff.js")),
    ("events.js", include_str!("page/events.js")),
    ("here.js", include_str!("page/here.js")),
    ("highlight.js", include_str!("page/highlight.js")),
    ("history.js", include_str!("page/history.js")),
    ("inbox.js", include_str!("page/inbox.js")),
    ("keys.js", include_str!("page/keys.js")),
    ("list.js", include_str!("page/list.js")),
    ("login.js", include_str!("page/login.js")),
    ("notify.js", include_str!("page/notify.js")),
    ("standing.js", include_str!("page/standing.js")),
    ("text.js", include_str!("page/text.js")),
    ("words.js", include_str!("page/words.js")),
];
const OPENAPI: &str = include_str!("openapi.json");

pub(super) fn index() -> Reply {
    Reply::of(200, "text/html; charset=utf-8", INDEX)
}

pub(super) fn program() -> Reply {
    Reply::of(200, "text/javascript; charset=utf-8", PROGRAM)
}

/// A part of the program.
///
/// # Errors
/// When there is none of this name.
pub(super) fn part(name: &str) -> Answered {
    let found = PARTS.iter().find(|(part, _)| *part == name);
    let (_, text) = found.ok_or_else(|| Problem::missing("the page has no such part"))?;
    Ok(Reply::of(200, "text/javascript; charset=utf-8", *text))
}

pub(super) fn looks() -> Reply {
    Reply::of(200, "text/css; charset=utf-8", LOOKS)
}

/// The description of everything that can be asked for here.
pub(super) fn openapi() -> Reply {
    Reply::of(200, "application/json", OPENAPI)
}
