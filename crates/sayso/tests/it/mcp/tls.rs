//! A server that is reached in private is known by its address and by who vouches for it: real TLS, with roots that the gateway is given.

use serde_json::{Value, json};

use super::web::{Process, Web, call, got, serve};
use super::{OPEN, is_denied, text};
use crate::desk::Desk;
use crate::serve::Served;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/certificates");

/// A server with a certificate; `first` and `renewed` are under one root, `other` under another.
fn secured(desk: &Desk, port: &str, certificate: &str) -> (Process, String) {
    serve(desk, port, &format!("{FOLDER}/{certificate}.pem"))
}

fn gateway(desk: &Desk, server: Process, port: &str) -> Web {
    Web::behind(
        desk,
        server,
        &format!("https://localhost:{port}/mcp"),
        &["--ca", &format!("{FOLDER}/roots.pem")],
    )
}

fn begin() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})
}

#[test]
fn t10_a_renewed_certificate_is_the_same_server_and_another_authority_is_not() {
    let served = Served::with(Desk::with(&[]), "rules:\n  - {allow: {mcp: 's/*'}}\n");
    let (server, port) = secured(&served.desk, "0", "first");
    let mut web = gateway(&served.desk, server, &port);
    assert_eq!(web.post(&[], &begin()).status, 200);
    assert_eq!(
        text(&web.post(&[], &call(1, "echo", &json!({}))).json()),
        "{}",
        "the rule allows it"
    );
    let restart = |web: &mut Web, certificate: &str| {
        let _ = web.process.0.kill();
        let _ = web.process.0.wait();
        web.process = secured(&served.desk, &port, certificate).0;
    };
    // Another key under the same root: keys change every few weeks.
    restart(&mut web, "renewed");
    assert_eq!(
        text(&web.post(&[], &call(2, "echo", &json!({}))).json()),
        "{}"
    );
    // Another root: the connection is not used, and from then on it is another server.
    restart(&mut web, "other");
    let before = got(&served.desk).len();
    let failed = web.post(&[], &call(3, "echo", &json!({}))).json();
    assert!(
        text(&failed).contains("`Test Root two` now, and was by `Test Root one`"),
        "{failed}"
    );
    let secret = [("authorization", "Bearer secret")];
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| web.post(&secret, &call(4, "echo", &json!({}))));
        let prompt = served.prompt();
        let shown = prompt.to_string();
        for words in [
            "another server was approved before",
            "vouched for by Test Root one",
            "vouched for by Test Root two",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        served.answer(&prompt, json!({"choice": "deny"})).is(200);
        let answer = asked.join().unwrap();
        let said = answer
            .events()
            .first()
            .cloned()
            .unwrap_or_else(|| answer.json());
        is_denied(&said, "denied");
    });
    assert_eq!(web.send("GET /mcp", &secret, "").status, 403);
    assert_eq!(
        web.post(
            &secret,
            &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )
        .status,
        403
    );
    assert_eq!(
        got(&served.desk).len(),
        before,
        "nothing came there, and no credentials"
    );
    // Neither does a gateway that begins anew say anything to it, not even a greeting, before somebody said yes.
    let Web { process, .. } = web;
    let web = gateway(&served.desk, process, &port);
    for (answer, is_yes) in [
        (json!({"choice": "deny"}), false),
        (json!({"choice": "offer", "offer": 0}), true),
    ] {
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| web.post(&secret, &begin()));
            served.answer(&served.prompt(), answer).is(200);
            let answered = asked.join().unwrap();
            let said = answered
                .events()
                .first()
                .cloned()
                .unwrap_or_else(|| answered.json());
            assert_eq!(said["result"].is_object(), is_yes, "{said}");
            assert_eq!(said["error"].is_object(), !is_yes, "{said}");
        });
        assert_eq!(got(&served.desk).len(), before + usize::from(is_yes));
    }
    assert_eq!(
        text(&web.post(&secret, &call(5, "echo", &json!({}))).json()),
        "{}",
        "that is the one that is known now"
    );
}

#[test]
fn a_certificate_that_nobody_vouches_for_gets_nothing() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    let (server, port) = secured(&desk, "0", "first");
    // Those that browsers trust do not know it.
    let web = Web::behind(&desk, server, &format!("https://localhost:{port}/mcp"), &[]);
    assert_eq!(
        web.post(&[("authorization", "Bearer secret")], &begin())
            .status,
        502
    );
    let denied = web
        .post(
            &[("authorization", "Bearer secret")],
            &call(1, "echo", &json!({})),
        )
        .json();
    is_denied(&denied, "cannot be reached");
    assert!(got(&desk).is_empty());
    let done = crate::program::run(
        desk.program().args([
            "mcp",
            "--url",
            "https://localhost/",
            "--listen",
            "127.0.0.1:0",
            "--ca",
            "/no/such/file",
        ]),
        b"",
    );
    assert!(
        done.code == 2 && done.err.contains("no file of certificates"),
        "{done:?}"
    );
}
