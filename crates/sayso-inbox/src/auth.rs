//! Who makes a request, and what they may: by the kernel at the socket, by a token, or by a cookie with its key.

use hyper::HeaderMap;

use super::peer::From;
use super::problem::Problem;
use super::server::Server;

/// How somebody is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Socket,
    Token,
    Cookie,
}

/// Why a client may not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("it comes from below {0}")]
    BelowAgent(String),
    #[error("it is the token for asking")]
    AskingToken,
}

/// Somebody who is known.
#[derive(Clone, Debug)]
pub(super) struct Who {
    /// By this name in the record.
    pub name: String,
    pub via: Via,
    pub asks: bool,
    /// Whether they may answer, or why not.
    pub answers: Result<(), AnswerError>,
}

/// What a request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    Anybody,
    Ask,
    Answer,
    Either,
}

/// The cookie that a browser has.
pub(super) const COOKIE: &str = "sayso";
/// The header with the key that goes with it.
const KEY: &str = "sayso-key";

/// Who it is.
///
/// # Errors
/// When nobody is known by that.
pub(super) fn known(server: &Server, from: &From, headers: &HeaderMap) -> Result<Who, Problem> {
    if let From::Socket(peer) = from {
        let answers = match peer.agent() {
            None => Ok(()),
            Some(agent) => Err(AnswerError::BelowAgent(agent.to_string())),
        };
        return Ok(Who {
            name: format!("process {}", peer.process),
            via: Via::Socket,
            asks: true,
            answers,
        });
    }
    if let Some(given) = headers.get("authorization") {
        let token = given
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer "))
            .unwrap_or_default();
        // Both are compared, whichever it is.
        let (asks, answers) = (
            server.tokens.asking.is(token),
            server.tokens.answering.is(token),
        );
        let who = |name: &str, answers| Who {
            name: name.to_owned(),
            via: Via::Token,
            asks: true,
            answers,
        };
        return match (asks, answers) {
            (_, true) => Ok(who("token", Ok(()))),
            (true, _) => Ok(who("asker", Err(AnswerError::AskingToken))),
            _ => Err(Problem::refused(401, "token", "the token is not known")),
        };
    }
    let key = headers
        .get(KEY)
        .and_then(|key| key.to_str().ok())
        .unwrap_or_default();
    match cookie(headers).and_then(|cookie| server.logins.who(cookie, key)) {
        Some(name) => Ok(Who {
            name,
            via: Via::Cookie,
            asks: false,
            answers: Ok(()),
        }),
        None => {
            let problem = Problem::refused(401, "nobody", "there is neither a token nor a login");
            Err(problem.with_hint("`sayso serve --link` makes a link for a browser; programs read a token from sayso's own folder"))
        }
    }
}

/// Whether somebody may.
///
/// # Errors
/// When they may not, and why.
pub(super) fn may(who: &Who, right: Right) -> Result<(), Problem> {
    match right {
        Right::Anybody | Right::Either => Ok(()),
        Right::Ask if who.asks => Ok(()),
        Right::Ask => Err(Problem::refused(403, "right", "a browser submits nothing")),
        Right::Answer => who.answers.clone().map_err(|why| {
            Problem::refused(
                403,
                "right",
                format!("that takes the right to answer, and {why}"),
            )
        }),
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers
        .get_all("cookie")
        .iter()
        .filter_map(|line| line.to_str().ok());
    let mut found = all
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    let first = found.next();
    // Two of them are one too many: another server of this machine may have set it.
    first.filter(|_| found.next().is_none())
}
