//! The OpenAPI document against the real server: schemathesis tries what it says, and what it does not.

use std::process::Command;

use super::Served;

#[test]
#[ignore = "needs schemathesis, which `./test` installs; its program is in SAYSO_SCHEMATHESIS"]
fn the_server_does_what_the_document_says() {
    let program = std::env::var_os("SAYSO_SCHEMATHESIS")
        .expect("SAYSO_SCHEMATHESIS is the path of schemathesis");
    // What has to be asked is waited for only so long.
    let served = Served::with(crate::desk::Desk::with(&[]), "approval_timeout: 1\n");
    let done = Command::new(program)
        .args([
            "--config-file",
            concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/it/serve/schemathesis.toml"
            ),
        ])
        .args([
            "run",
            &format!("http://{}/openapi.json", served.host),
            "--no-color",
            "--max-examples",
            "25",
            "--seed",
            "7",
            "--workers",
            "1",
        ])
        .args([
            "--header",
            &format!("Authorization: Bearer {}", served.answering),
        ])
        // Streams do not end, and these two are for the socket alone.
        .args([
            "--exclude-path-regex",
            "events$",
            "--request-timeout",
            "20",
            "--phases",
            "examples,coverage,fuzzing",
        ])
        .current_dir(&served.desk.scene.home)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    let summary = text.find("= SUMMARY =").map_or(&text[..], |at| &text[at..]);
    println!("{summary}");
    assert!(done.status.success(), "{text}");
    served.get("/v1/me").is(200);
}
