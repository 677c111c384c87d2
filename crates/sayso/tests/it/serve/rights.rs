//! Who may: nobody without a token, nobody with the wrong one, no agent over the socket, and every try stands in the record.

use serde_json::json;

use super::Served;
use crate::program::run;

/// Requests that take the right to answer.
const ANSWERS: [(&str, &str); 14] = [
    ("GET", "/v1/prompts"),
    ("GET", "/v1/prompts/x"),
    ("POST", "/v1/prompts/x/answer"),
    ("POST", "/v1/prompts/x/activity"),
    ("GET", "/v1/events"),
    ("GET", "/v1/audit"),
    ("GET", "/v1/policy"),
    ("GET", "/v1/grants"),
    ("DELETE", "/v1/grants/x"),
    ("DELETE", "/v1/rules/x"),
    ("POST", "/session/x/permission/respond"),
    ("DELETE", "/session/x/permissions"),
    ("POST", "/v1/links"),
    ("POST", "/v1/stop"),
];

#[test]
fn nobody_without_a_right_gets_anything() {
    let served = Served::new();
    let wrong = format!("Bearer {}", "0".repeat(64));
    let asking = format!("Bearer {}", served.asking);
    let long = format!("Bearer {}0", served.answering);
    for (method, path) in ANSWERS {
        let body = (method == "POST").then_some("{}");
        served
            .request(method, path, &[], body)
            .is_problem(401, "nobody");
        served
            .request(method, path, &[("authorization", &wrong)], body)
            .is_problem(401, "token");
        served
            .request(method, path, &[("authorization", &long)], body)
            .is_problem(401, "token");
        served
            .request(method, path, &[("authorization", "Basic eDp5")], body)
            .is_problem(401, "token");
        served
            .request(method, path, &[("authorization", &asking)], body)
            .is_problem(403, "right");
    }
    for (method, path) in [
        ("GET", "/metrics"),
        ("POST", "/v1/operations"),
        ("GET", "/v1/operations/x"),
        ("POST", "/v1/check"),
    ] {
        served
            .request(method, path, &[], (method == "POST").then_some("{}"))
            .is_problem(401, "nobody");
    }
    // A token in the address is none.
    served
        .request(
            "GET",
            &format!("/v1/prompts?token={}", served.answering),
            &[],
            None,
        )
        .is_problem(401, "nobody");
    let refused = served.desk.entries("refused");
    assert!(refused.len() > 70, "{}", refused.len());
    let text = refused.iter().map(ToString::to_string).collect::<String>();
    assert!(
        text.contains("POST /v1/prompts/x/answer") && text.contains("it is the token for asking"),
        "{text}"
    );
    assert!(!text.contains(&served.asking) && !text.contains(&served.answering));
}

#[test]
fn the_asker_cannot_answer_its_own_question() {
    let served = Served::new();
    let asking = served.submit("make all").is(202);
    let prompt = served.prompt();
    let path = format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap());
    let body = json!({"digest": prompt["digest"], "choice": "offer", "offer": 0});
    served
        .asks("POST", &path, Some(body))
        .is_problem(403, "right");
    let respond = json!({"requestID": prompt["id"], "action": "once"});
    served
        .asks("POST", "/session/s1/permission/respond", Some(respond))
        .is_problem(403, "right");
    let state = served
        .asks(
            "GET",
            &format!("/v1/operations/{}", asking["id"].as_str().unwrap()),
            None,
        )
        .is(200);
    assert_eq!(state["state"], "asking");
}

#[test]
fn at_the_socket_an_agent_may_ask_and_not_answer() {
    let served = Served::new();
    let mine = served.at_socket(&[], "GET", "/v1/me", None);
    assert_eq!(
        (mine.0, &mine.1["rights"], &mine.1["via"]),
        (200, &json!(["ask", "answer"]), &json!("socket")),
        "{mine:?}"
    );
    let theirs = served.at_socket(&[("CLAUDECODE", "1")], "GET", "/v1/me", None);
    assert_eq!(theirs.1["rights"], json!(["ask"]), "{theirs:?}");
    served.submit("make all").is(202);
    let prompt = served.prompt();
    let path = format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap());
    let body = json!({"digest": prompt["digest"], "choice": "offer", "offer": 0});
    let (status, problem) = served.at_socket(
        &[("CODEX_THREAD_ID", "x")],
        "POST",
        &path,
        Some(body.clone()),
    );
    assert_eq!(
        (status, problem["type"].as_str()),
        (403, Some("sayso:right")),
        "{problem}"
    );
    let (status, _) = served.at_socket(&[("CLAUDECODE", "1")], "POST", "/v1/links", None);
    assert_eq!(status, 403);
    assert_eq!(served.at_socket(&[], "POST", &path, Some(body)).0, 200);
    assert!(
        served
            .desk
            .entries("refused")
            .iter()
            .any(|entry| entry["why"].as_str().unwrap().contains("CODEX_THREAD_ID"))
    );
}

#[test]
fn only_sayso_itself_puts_questions() {
    let served = Served::new();
    let (status, problem) = served.at_socket(
        &[],
        "POST",
        "/v1/prompts",
        Some(json!({"call": {}, "prompt": {}})),
    );
    // It says nothing of its version, either.
    assert_eq!(
        (status, problem["type"].as_str()),
        (426, Some("sayso:version"))
    );
    served
        .asks("POST", "/v1/prompts", Some(json!({})))
        .is_problem(403, "socket");
    let script = format!(
        "import socket\ns=socket.socket(socket.AF_UNIX); s.connect('{}')\n\
         s.sendall(b'POST /v1/prompts HTTP/1.1\\r\\nhost: x\\r\\nsayso-protocol: 1\\r\\nsayso-version: {}\\r\\nconnection: close\\r\\ncontent-type: application/json\\r\\ncontent-length: 2\\r\\n\\r\\n{{}}')\n\
         print(s.recv(9999).decode())",
        served.socket().display(),
        env!("CARGO_PKG_VERSION")
    );
    let done = run(
        std::process::Command::new("python3").args(["-c", &script]),
        b"",
    );
    assert!(
        done.out.contains("403") && done.out.contains("sayso:program"),
        "{done:?}"
    );
    assert!(
        served
            .desk
            .entries("refused")
            .iter()
            .any(|entry| entry["why"].as_str().unwrap().contains("only sayso itself"))
    );
}

#[test]
fn the_files_are_the_persons_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let served = Served::new();
    let folder = served.desk.scene.state().join("serve");
    let mode = |path: &std::path::Path| {
        std::fs::symlink_metadata(path)
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&folder), 0o700);
    for name in [
        "socket",
        "asking.token",
        "answering.token",
        "address.json",
        "lock",
        "serve.log",
    ] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    // No agent reads them, and nothing in its environment says them.
    for command in [
        format!("cat {}/answering.token", folder.display()),
        format!("curl --unix-socket {}/socket http://x/", folder.display()),
    ] {
        assert_eq!(
            crate::hook::command(&served.desk, &command),
            "deny",
            "{command}"
        );
    }
    let environment = std::fs::read(format!("/proc/{}/environ", served.process())).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains(&served.answering));
    let log = std::fs::read_to_string(folder.join("serve.log")).unwrap();
    assert!(
        !log.contains(&served.answering) && !log.contains(&served.code),
        "{log}"
    );
}

#[test]
fn a_command_that_changes_something_is_refused_below_an_agent() {
    let served = Served::new();
    for words in [
        &["serve"][..],
        &["serve", "--link"],
        &["serve", "--stop"],
        &["serve", "--set-pin"],
    ] {
        let done = run(
            served.desk.program().env("CLAUDECODE", "1").args(words),
            b"",
        );
        assert_eq!(
            (done.code, done.out.as_str()),
            (20, ""),
            "{words:?} {done:?}"
        );
    }
    for line in [
        "sayso serve",
        "sayso serve --link",
        "sayso serve --detached",
        "sayso watch",
    ] {
        assert_eq!(crate::hook::command(&served.desk, line), "deny", "{line}");
    }
}
