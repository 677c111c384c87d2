//! `sandbox.hosts`: only the named hosts are reached, through the proxy; everything else is refused and told.

use serde_json::json;

use super::works;
use crate::desk::Desk;

#[test]
fn only_named_hosts_are_reached_and_others_are_told() {
    if !works("chosen hosts") {
        return;
    }
    if !std::path::Path::new("/usr/bin/curl").exists() {
        eprintln!("NOT CHECKED: chosen hosts: there is no curl");
        return;
    }
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nsandbox: {require: true, hosts: [\"*.allowed.test\"]}\n");
    // The listed one is looked up on the outside, where there is no such name: the proxy has let it through and says so.
    let text = "curl -sS -m 20 http://evil.test/ ; echo; curl -sS -m 20 http://www.allowed.test/; echo; env | grep -c -i proxy; \
                curl -sS -m 5 --noproxy '*' http://1.1.1.1/ ; exit 3";
    let call = json!({"tool": "terminal", "args": {"command": text}});
    let (result, _) = desk.result(&["--approve-all"], call);
    let output = result["output"].as_str().unwrap();
    assert!(
        output.contains("the sandbox refused to reach `evil.test`"),
        "{output}"
    );
    assert!(
        !output.contains("refused to reach `www.allowed.test`"),
        "{output}"
    );
    assert!(output.contains("sandbox.hosts"), "{output}");
    assert_eq!(result["exit_status"], 3, "{result}");
}
