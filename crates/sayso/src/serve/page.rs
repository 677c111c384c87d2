//! The page of the inbox, which is a part of the program: no other server is asked for anything.

use super::reply::Reply;

const INDEX: &str = include_str!("page/index.html");
const PROGRAM: &str = include_str!("page/app.js");
const LOOKS: &str = include_str!("page/style.css");
const OPENAPI: &str = include_str!("openapi.json");

pub(super) fn index() -> Reply {
    Reply::of(200, "text/html; charset=utf-8", INDEX)
}

pub(super) fn program() -> Reply {
    Reply::of(200, "text/javascript; charset=utf-8", PROGRAM)
}

pub(super) fn looks() -> Reply {
    Reply::of(200, "text/css; charset=utf-8", LOOKS)
}

/// The description of everything that can be asked for here.
pub(super) fn openapi() -> Reply {
    Reply::of(200, "application/json", OPENAPI)
}
