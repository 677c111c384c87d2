//! Operations that programs submit: judged, decided, waited for, taken back, reported.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sayso_core::call::operation::{Agent, Call};
use sayso_core::text::node::{Node, Value};
use sayso_gate::presentation::tool_drawing::Given;

use crate::problem::Problem;
use crate::reply::{Answered, Reply};
use crate::request::{Asked, only, too_many};
use crate::server::Server;
use crate::submissions::Submitted;
use sayso_runtime::call_request;
use sayso_runtime::inbox_client::whole;
use sayso_runtime::report as verdicts;

/// The agent that every operation from here has above it: to be called by another name can only take rights away.
pub(crate) const AGENT: &str = "http";
/// So long an answer is waited for at most, in seconds.
const LONGEST: u64 = 600;
/// So many characters a name has at most.
const LONGEST_NAME: usize = 256;
/// So many milliseconds a run takes at most.
const LONGEST_RUN: u64 = 1_000_000_000_000;
/// So many a path: no system takes a longer one.
const LONGEST_PATH: usize = 4096;

/// What a body asks for.
struct Wanted {
    call: Call,
    given: Option<Given>,
    wait: Duration,
}

/// The call that a body describes, with all that a tool says of it, and how long it is waited for.
fn call(body: &Node) -> Result<Wanted, Problem> {
    let own = [
        "id",
        "tool",
        "tool_name",
        "args",
        "cwd",
        "workspace",
        "agent",
        "session",
        "batch",
        "wait",
    ];
    only(body, &[&own[..], &call_request::KEYS[..]].concat())?;
    let text = |key: &str| match body.get(key) {
        None => Ok(None),
        Some(node) if matches!(node.value, Value::Null) => Ok(None),
        Some(node) => node.as_text().map(Some).ok_or_else(|| {
            Problem::unreadable(format!("`{key}` is {}, not text", node.kind_word()))
        }),
    };
    for key in ["id", "tool", "tool_name", "agent", "session", "batch"] {
        if text(key)?.is_some_and(|text| text.chars().count() > LONGEST_NAME) {
            return Err(Problem::unreadable(format!(
                "`{key}` is longer than {LONGEST_NAME} characters"
            )));
        }
    }
    let tool = match (text("tool")?, text("tool_name")?) {
        (Some(tool), None) | (None, Some(tool)) => tool,
        (None, None) => return Err(Problem::unreadable("`tool` is missing")),
        (Some(_), Some(_)) => {
            return Err(Problem::unreadable(
                "`tool` and `tool_name` mean the same: say one of them",
            ));
        }
    };
    let absolute = |key: &str, path: &str| {
        let is = path.starts_with('/') && !path.contains('\0');
        if path.chars().count() > LONGEST_PATH {
            return Err(Problem::unreadable(format!(
                "`{key}` is longer than {LONGEST_PATH} characters"
            )));
        }
        if is {
            Ok(sayso_core::paths::join("/", path))
        } else {
            Err(Problem::unreadable(format!("`{key}` is no absolute path")))
        }
    };
    let args = match body.get("args") {
        None => Value::Null.into(),
        Some(node) if matches!(node.value, Value::Null | Value::Map(_)) => node.clone(),
        Some(node) => {
            return Err(Problem::unreadable(format!(
                "`args` is {}, not an object",
                node.kind_word()
            )));
        }
    };
    let workspace =
        text("workspace")?.ok_or_else(|| Problem::unreadable("`workspace` is missing"))?;
    let workspace = absolute("workspace", workspace)?;
    let cwd = text("cwd")?.map_or_else(|| Ok(workspace.clone()), |cwd| absolute("cwd", cwd))?;
    let wait = match body.get("wait") {
        None => 0,
        Some(node) => whole(node)
            .filter(|seconds| *seconds <= LONGEST)
            .ok_or_else(|| {
                Problem::unreadable(format!("`wait` is no number of seconds up to {LONGEST}"))
            })?,
    };
    let agent = match text("agent")? {
        None | Some("") | Some(AGENT) => Agent {
            name: AGENT.to_owned(),
            parents: Vec::new(),
        },
        Some(name) => Agent {
            name: name.to_owned(),
            parents: vec![AGENT.to_owned()],
        },
    };
    let request = call_request::Request::read(body).map_err(Problem::unreadable)?;
    let call = Call {
        id: text("id")?.unwrap_or_default().to_owned(),
        cwd,
        agent,
        session: text("session")?.unwrap_or_default().to_owned(),
        batch: text("batch")?.map(str::to_owned),
        ..Call::new(tool, args, workspace)
    };
    if call.is_too_deep() {
        return Err(Problem::unreadable("the arguments are nested too deep"));
    }
    let (call, given) = request.apply(call);
    Ok(Wanted {
        call,
        given,
        wait: Duration::from_secs(wait),
    })
}

/// Judges, and writes nothing down.
pub(super) fn check(server: &Server, asked: &Asked) -> Answered {
    let Wanted { call, .. } = call(&asked.body)?;
    let id = Node::text(&call.id);
    let judged = server.door.check(call).map_err(Problem::broken)?;
    Ok(Reply::json(
        200,
        &match judged {
            Ok(judged) => verdicts::json(&id, &judged),
            Err(malformed) => verdicts::malformed(&id, &malformed),
        },
    ))
}

/// Submits one.
pub(super) async fn submit(server: &Server, asked: &Asked) -> Answered {
    let Wanted { call, given, wait } = call(&asked.body)?;
    if !server.rates.asks.takes() {
        return Err(too_many());
    }
    server.counts.submitted.fetch_add(1, Ordering::Relaxed);
    let submitted = server
        .door
        .submit(call, given)
        .await
        .map_err(Problem::broken)?;
    let state = if wait.is_zero() {
        submitted.state()
    } else {
        submitted.wait(wait).await
    };
    let (node, asking) = submitted.node(&state);
    Ok(Reply::json(if asking { 202 } else { 200 }, &node))
}

fn find(server: &Server, asked: &Asked) -> Result<Arc<Submitted>, Problem> {
    server.door.find(asked.name()).ok_or_else(|| {
        Problem::missing("there is no such operation").with_hint("take it for a denial")
    })
}

/// What became of one.
pub(super) async fn look(server: &Server, asked: &Asked) -> Answered {
    let wait = asked.whole("wait", LONGEST)?.unwrap_or(0);
    let submitted = find(server, asked)?;
    let state = if wait == 0 {
        submitted.state()
    } else {
        submitted.wait(Duration::from_secs(wait)).await
    };
    Ok(Reply::json(200, &submitted.node(&state).0))
}

/// Takes one back.
pub(super) fn take_back(server: &Server, asked: &Asked) -> Answered {
    let submitted = find(server, asked)?;
    submitted.take_back();
    Ok(Reply::json(200, &submitted.node(&submitted.state()).0))
}

/// What came of running one.
pub(super) fn report(server: &Server, asked: &Asked) -> Answered {
    let body = &asked.body;
    only(body, &["succeeded", "started", "milliseconds", "exit"])?;
    let flag = |key: &str| {
        body.get(key)
            .map(|node| {
                node.as_bool()
                    .ok_or_else(|| Problem::unreadable(format!("`{key}` is true or false")))
            })
            .transpose()
    };
    let succeeded =
        flag("succeeded")?.ok_or_else(|| Problem::unreadable("`succeeded` is missing"))?;
    let started = flag("started")?.unwrap_or(true);
    let milliseconds = match body.get("milliseconds") {
        None => 0,
        Some(node) => whole(node)
            .filter(|milliseconds| *milliseconds <= LONGEST_RUN)
            .ok_or_else(|| {
                Problem::unreadable(format!("`milliseconds` is no number up to {LONGEST_RUN}"))
            })?,
    };
    let exit = match body.get("exit").map(|node| &node.value) {
        None | Some(Value::Null) => None,
        Some(Value::Number(number)) => {
            let status = number
                .split_once('.')
                .map_or(number.as_str(), |(whole, _)| whole);
            Some(
                status
                    .parse::<i32>()
                    .map_err(|_| Problem::unreadable("`exit` is no status"))?
                    .to_string(),
            )
        }
        Some(_) => return Err(Problem::unreadable("`exit` is no status")),
    };
    let submitted = find(server, asked)?;
    match submitted.report(succeeded && started, started, milliseconds, exit) {
        Ok(true) => Ok(Reply::nothing()),
        Ok(false) => Err(Problem::new(
            409,
            "reported",
            "it may not run, or was reported before",
        )),
        Err(why) => Err(Problem::broken(why)),
    }
}
