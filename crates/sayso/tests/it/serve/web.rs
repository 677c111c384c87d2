//! A browser: the page, the one-time link, the cookie with its key.

use serde_json::json;

use super::Served;
use crate::program::run;

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let served = Served::new();
    for (path, media) in [
        ("/", "text/html"),
        ("/app.js", "text/javascript"),
        ("/page/text.js", "text/javascript"),
        ("/style.css", "text/css"),
        ("/openapi.json", "application/json"),
    ] {
        let got = served.request("GET", path, &[], None);
        assert_eq!(got.status, 200, "{path}");
        assert!(got.headers["content-type"].starts_with(media), "{path}");
        let policy = &got.headers["content-security-policy"];
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(
            (
                got.headers["x-content-type-options"].as_str(),
                got.headers["referrer-policy"].as_str()
            ),
            ("nosniff", "no-referrer")
        );
        assert_eq!(got.headers["cache-control"], "no-store");
        if path != "/openapi.json" {
            for foreign in ["http://", "https://", "//cdn", "@import", "eval("] {
                let found = got.text.replace("http://www.w3.org/", "");
                assert!(!found.contains(foreign), "{path}: {foreign}");
            }
        }
    }
}

#[test]
fn a_link_is_good_once_and_the_cookie_only_with_its_key() {
    let served = Served::new();
    let login = |code: &str| {
        served.request(
            "POST",
            "/v1/login",
            &[],
            Some(&json!({"code": code}).to_string()),
        )
    };
    login("wrong").is_problem(401, "code");
    let got = login(&served.code);
    let key = got.is(200)["key"].as_str().unwrap().to_owned();
    let cookie = got.headers["set-cookie"].clone();
    assert!(
        cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Strict")
            && !cookie.contains("Domain"),
        "{cookie}"
    );
    login(&served.code).is_problem(401, "code");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let with = |headers: &[(&str, &str)]| served.request("GET", "/v1/me", headers, None);
    let me = with(&[("cookie", &cookie), ("sayso-key", &key)]).is(200);
    assert_eq!(
        (&me["rights"], &me["via"], &me["name"]),
        (&json!(["answer"]), &json!("cookie"), &json!("browser 1"))
    );
    // Another server on this machine is sent the cookie, and has not the key.
    with(&[("cookie", &cookie)]).is_problem(401, "nobody");
    with(&[("sayso-key", &key)]).is_problem(401, "nobody");
    with(&[("cookie", &cookie), ("sayso-key", "x")]).is_problem(401, "nobody");
    with(&[
        ("cookie", &format!("sayso=evil; {cookie}")),
        ("sayso-key", &key),
    ])
    .is_problem(401, "nobody");
    let both = [("cookie", cookie.as_str()), ("sayso-key", key.as_str())];
    // A browser answers, and submits nothing.
    served
        .request(
            "POST",
            "/v1/operations",
            &both,
            Some(&served.operation("cat a.txt").to_string()),
        )
        .is_problem(403, "right");
    served
        .request("POST", "/v1/links", &both, None)
        .is_problem(403, "socket");
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let path = format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap());
    let body = json!({"digest": prompt["digest"], "choice": "offer", "offer": 0}).to_string();
    let foreign = [both[0], both[1], ("origin", "http://127.0.0.1:3000")];
    served
        .request("POST", &path, &foreign, Some(&body))
        .is_problem(403, "origin");
    served.request("POST", &path, &both, Some(&body)).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    assert_eq!(served.desk.entries("decided")[0]["by"], "browser 1");
    served.request("POST", "/v1/logout", &both, None).is(204);
    with(&both).is_problem(401, "nobody");
}

#[test]
fn another_link_is_made_by_the_person_alone() {
    let served = Served::new();
    let link = run(served.desk.program().args(["serve", "--link"]), b"").is(0, "a link");
    let (url, code) = link.out.trim().split_once("/#login=").unwrap();
    assert_eq!(url, format!("http://{}", served.host));
    assert_ne!(code, served.code);
    served
        .request(
            "POST",
            "/v1/login",
            &[],
            Some(&json!({"code": code}).to_string()),
        )
        .is(200);
    served
        .post("/v1/links", json!({}))
        .is_problem(403, "socket");
}

/// What the page reads of a prompt is in what the server sends: a field that is missing would leave the page empty.
#[test]
fn a_prompt_has_every_field_that_the_page_reads() {
    let served = Served::new();
    served.submit("make all").is(202);
    let prompt = served.prompt();
    let summary = served.get("/v1/prompts").is(200)["prompts"][0].clone();
    let reads = regex::Regex::new(r"\bprompt\.([a-z_]+)\b").unwrap();
    // What the page adds itself.
    let own = ["mates", "is"];
    for (file, of) in [
        ("detail.js", &prompt),
        ("answers.js", &prompt),
        ("list.js", &summary),
    ] {
        let script = served.get(&format!("/page/{file}")).text;
        for field in reads
            .captures_iter(&script)
            .map(|found| found[1].to_owned())
            .filter(|field| !own.contains(&field.as_str()))
        {
            assert!(of.get(&field).is_some(), "{file} reads `{field}`: {of}");
        }
    }
}
