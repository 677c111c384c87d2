//! Which requests there are: the path of each, what it takes to make it, and how much may come with it.

use hyper::Method;

use super::auth::Right;
use super::problem::Problem;

/// A request that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Index,
    Program,
    Part,
    Looks,
    Openapi,
    Health,
    Metrics,
    Login,
    Logout,
    Links,
    Me,
    Prompts,
    Ask,
    Prompt,
    Answer,
    Preview,
    Activity,
    Check,
    Submit,
    Operation,
    TakeBack,
    Report,
    Sessions,
    Rules,
    RemoveRule,
    Grants,
    RemoveGrant,
    Policy,
    Audit,
    Entry,
    Stats,
    Events,
    Respond,
    Permissions,
    ClearPermissions,
    SessionEvents,
    Stop,
    Here,
}

/// One of them.
pub(super) struct Route {
    pub name: Name,
    pub method: &'static str,
    pub path: &'static str,
    pub right: Right,
    /// The longest body in bytes; none where there is none.
    pub body: Option<usize>,
}

/// What a person or a page sends.
const SMALL: usize = 64 << 10;
/// An answer that names a whole group.
const GROUP: usize = 256 << 10;
/// A call is 16 MiB at most, and what is shown of it comes with it.
const LARGE: usize = 64 << 20;

const fn route(name: Name, method: &'static str, path: &'static str, right: Right) -> Route {
    Route {
        name,
        method,
        path,
        right,
        body: None,
    }
}

const fn sends(name: Name, path: &'static str, right: Right, body: usize) -> Route {
    Route {
        name,
        method: "POST",
        path,
        right,
        body: Some(body),
    }
}

/// All of them.
pub(super) const ROUTES: &[Route] = &[
    route(Name::Index, "GET", "/", Right::Anybody),
    route(Name::Program, "GET", "/app.js", Right::Anybody),
    route(Name::Part, "GET", "/page/{name}", Right::Anybody),
    route(Name::Looks, "GET", "/style.css", Right::Anybody),
    route(Name::Openapi, "GET", "/openapi.json", Right::Anybody),
    route(Name::Health, "GET", "/v1/health", Right::Anybody),
    route(Name::Metrics, "GET", "/metrics", Right::Ask),
    sends(Name::Login, "/v1/login", Right::Anybody, SMALL),
    route(Name::Logout, "POST", "/v1/logout", Right::Answer),
    route(Name::Links, "POST", "/v1/links", Right::Answer),
    route(Name::Stop, "POST", "/v1/stop", Right::Answer),
    route(Name::Me, "GET", "/v1/me", Right::Either),
    sends(Name::Here, "/v1/here", Right::Answer, SMALL),
    route(Name::Prompts, "GET", "/v1/prompts", Right::Answer),
    sends(Name::Ask, "/v1/prompts", Right::Ask, LARGE),
    route(Name::Prompt, "GET", "/v1/prompts/{id}", Right::Answer),
    sends(
        Name::Answer,
        "/v1/prompts/{id}/answer",
        Right::Answer,
        GROUP,
    ),
    sends(
        Name::Preview,
        "/v1/prompts/{id}/preview",
        Right::Answer,
        SMALL,
    ),
    route(
        Name::Activity,
        "POST",
        "/v1/prompts/{id}/activity",
        Right::Answer,
    ),
    sends(Name::Check, "/v1/check", Right::Ask, LARGE),
    sends(Name::Submit, "/v1/operations", Right::Ask, LARGE),
    route(Name::Operation, "GET", "/v1/operations/{id}", Right::Ask),
    route(Name::TakeBack, "DELETE", "/v1/operations/{id}", Right::Ask),
    sends(
        Name::Report,
        "/v1/operations/{id}/report",
        Right::Ask,
        SMALL,
    ),
    route(Name::Sessions, "GET", "/v1/sessions", Right::Answer),
    route(Name::Rules, "GET", "/v1/rules", Right::Answer),
    route(Name::RemoveRule, "DELETE", "/v1/rules/{id}", Right::Answer),
    route(Name::Grants, "GET", "/v1/grants", Right::Answer),
    route(
        Name::RemoveGrant,
        "DELETE",
        "/v1/grants/{id}",
        Right::Answer,
    ),
    route(Name::Policy, "GET", "/v1/policy", Right::Answer),
    route(Name::Audit, "GET", "/v1/audit", Right::Answer),
    route(Name::Entry, "GET", "/v1/audit/{number}", Right::Answer),
    route(Name::Stats, "GET", "/v1/stats", Right::Answer),
    route(Name::Events, "GET", "/v1/events", Right::Answer),
    sends(
        Name::Respond,
        "/session/{id}/permission/respond",
        Right::Answer,
        SMALL,
    ),
    route(
        Name::Permissions,
        "GET",
        "/session/{id}/permissions",
        Right::Answer,
    ),
    route(
        Name::ClearPermissions,
        "DELETE",
        "/session/{id}/permissions",
        Right::Answer,
    ),
    route(
        Name::SessionEvents,
        "GET",
        "/session/{id}/events",
        Right::Answer,
    ),
];

/// The longest part of a path.
const LONGEST: usize = 256;

/// The request that a method and a path mean, with what stands in the place of names.
///
/// # Errors
/// When there is none, or the path could be read in two ways.
pub(super) fn find(method: &Method, path: &str) -> Result<(&'static Route, Vec<String>), Problem> {
    let parts = parts(path)?;
    let mut others: Vec<&str> = Vec::new();
    for route in ROUTES {
        let Some(named) = matched(route.path, &parts) else {
            continue;
        };
        // `HEAD` is not asked for by anybody who answers.
        if route.method == method.as_str() {
            return Ok((route, named));
        }
        others.push(route.method);
    }
    if others.is_empty() {
        return Err(Problem::missing(format!("there is no `{path}` here"))
            .with_hint("`/openapi.json` says what there is"));
    }
    Err(Problem {
        allow: Some(others.join(", ").into()),
        ..Problem::new(
            405,
            "method",
            format!("`{path}` takes {}", others.join(", ")),
        )
    })
}

/// The parts of a path, each decoded once. What another reader could take for another path is refused.
fn parts(path: &str) -> Result<Vec<String>, Problem> {
    let odd = |why: &str| Problem::unreadable(format!("the path {why}"));
    let rest = path
        .strip_prefix('/')
        .ok_or_else(|| odd("does not begin with `/`"))?;
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    for part in rest.split('/') {
        let decoded = decoded(part).ok_or_else(|| odd("has an escape that is none"))?;
        if decoded.is_empty() || decoded == "." || decoded == ".." {
            return Err(odd("has an empty part, or one of dots"));
        }
        if decoded.chars().count() > LONGEST
            || decoded
                .chars()
                .any(|sign| sign.is_control() || sign == '\\')
        {
            return Err(odd("has a part that no name has"));
        }
        out.push(decoded);
    }
    Ok(out)
}

fn matched(template: &str, parts: &[String]) -> Option<Vec<String>> {
    let wanted: Vec<&str> = template
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    if wanted.len() != parts.len() {
        return None;
    }
    let mut named = Vec::new();
    for (wanted, part) in wanted.iter().zip(parts) {
        if wanted.starts_with('{') {
            named.push(part.clone());
        } else if wanted != part {
            return None;
        }
    }
    Some(named)
}

/// A text without its percent escapes; none where it is not UTF-8 or an escape is none.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| {
            char::from(byte?)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        out.push(match byte {
            b'%' => digit(bytes.next())? << 4 | digit(bytes.next())?,
            byte => byte,
        });
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_in_one_way() {
        let name = |path: &str| {
            find(&Method::GET, path)
                .map(|(route, named)| (route.name, named))
                .map_err(|problem| problem.status)
        };
        assert_eq!(name("/"), Ok((Name::Index, vec![])));
        assert_eq!(
            name("/v1/prompts/a%20b"),
            Ok((Name::Prompt, vec!["a b".to_owned()]))
        );
        for odd in [
            "",
            "v1/prompts",
            "//v1/prompts",
            "/v1//prompts",
            "/v1/prompts/",
            "/v1/../v1/prompts",
            "/v1/%2e%2e/prompts",
            "/./v1/prompts",
        ] {
            assert_eq!(name(odd), Err(400), "{odd}");
        }
        for odd in [
            "/v1/prompts/%",
            "/v1/prompts/%zz",
            "/v1/prompts/%ff",
            "/v1/prompts/a%00b",
            "/v1/prompts/a%0ab",
            "/v1/prompts/a%5cb",
        ] {
            assert_eq!(name(odd), Err(400), "{odd}");
        }
        assert_eq!(
            name("/v1/prompts/a%2fb"),
            Ok((Name::Prompt, vec!["a/b".to_owned()])),
            "decoded once, after it was split"
        );
        assert_eq!(
            name("/v1/prompts/%252e%252e").map(|(_, named)| named),
            Ok(vec!["%2e%2e".to_owned()])
        );
        assert_eq!(name("/V1/prompts"), Err(404));
        assert_eq!(name("/v1/prompts/a/answer"), Err(405));
    }

    /// The document says the same as the program.
    #[test]
    fn the_document_has_every_route_and_no_other() {
        let document: serde_json::Value =
            serde_json::from_str(include_str!("openapi.json")).unwrap();
        let mut said: Vec<(String, String, String)> = Vec::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                said.push((
                    path.clone(),
                    method.to_uppercase(),
                    operation["x-right"].as_str().unwrap().to_owned(),
                ));
                let has_body = operation.get("requestBody").is_some();
                let route = ROUTES
                    .iter()
                    .find(|route| route.path == path && route.method.eq_ignore_ascii_case(method));
                assert_eq!(
                    route.map(|route| route.body.is_some()),
                    Some(has_body),
                    "{method} {path}"
                );
            }
        }
        let word = |right: Right| match right {
            Right::Anybody => "none",
            Right::Ask => "ask",
            Right::Answer => "answer",
            Right::Either => "either",
        };
        let mut there: Vec<(String, String, String)> = ROUTES
            .iter()
            .map(|route| {
                (
                    route.path.to_owned(),
                    route.method.to_owned(),
                    word(route.right).to_owned(),
                )
            })
            .collect();
        said.sort();
        there.sort();
        assert_eq!(said, there);
    }
}
