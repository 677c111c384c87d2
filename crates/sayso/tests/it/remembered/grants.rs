//! Grants: they end with their session, by time and by use; they are told in words and taken back, also from a run that goes on.

use serde_json::json;

use super::{command, listed, sayso};
use crate::desk::Desk;

#[test]
fn r_05_h_35_grants_of_a_session_end_with_it() {
    let desk = Desk::with(&[]);
    let calls = json!([command("sort -o x a"), command("sort -o x a")]);
    let (results, _) = desk.results(&["--answers", "s"], &calls);
    assert_eq!(
        results["results"][1]["outcome"], "auto_approved",
        "in the session it holds"
    );
    assert!(listed(&desk, "grants").is_empty(), "it ended with the run");
    let (results, _) = desk.results(&["--strict"], &calls);
    assert_eq!(
        results["results"][0]["outcome"], "blocked",
        "another session has nothing of it"
    );
    let granted = desk.entries("granted").into_iter().next().unwrap();
    assert!(
        granted["spec"]["session"]
            .as_str()
            .unwrap()
            .starts_with("run-")
    );
    assert!(
        granted["spec"]["expires"].as_i64() > Some(0),
        "also where nobody says that the session is over: {granted}"
    );
}

#[test]
fn a_run_that_was_killed_leaves_a_grant_that_nobody_can_use() {
    let desk = Desk::with(&[]);
    let script = "echo $PPID > pid; kill -9 $PPID";
    let file = desk.batch(
        "k.json",
        json!([command("sort -o x a"), command(script)]).to_string(),
    );
    let mut child = desk
        .program()
        .args(["run", "--answers", "s,y"])
        .arg(file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert!(!child.wait().unwrap().success());
    let (results, _) = desk.results(&["--strict"], &json!([command("sort -o x a")]));
    assert_eq!(results["results"][0]["outcome"], "blocked");
    let left = listed(&desk, "grants");
    assert_eq!(left.len(), 1, "it is shown until it ends");
    let text = sayso(&desk, &["grants", "list"]).is(0, "list").out;
    assert!(
        text.contains("session run-") && text.contains("allow exactly") && text.contains("ends in"),
        "{text}"
    );
    sayso(&desk, &["grants", "revoke", "--all", "--yes"]).is(0, "revoke");
    assert!(listed(&desk, "grants").is_empty());
}

#[test]
fn grants_of_a_project_are_told_revoked_and_limited() {
    let desk = Desk::with(&[("a.txt", "x\n")]);
    desk.scene.git(&["init", "-q"]);
    let policy = "mode: confirm-all\n";
    desk.scene.user_policy(policy);
    let read = json!([{"type": "file_read", "path": "a.txt"}]);
    desk.run(&["--answers", "project workspace"], &read);
    let grants = listed(&desk, "grants");
    assert_eq!(grants.len(), 1, "{grants:?}");
    assert_eq!(grants[0]["scope"], "project");
    assert!(
        grants[0]["words"].as_str().unwrap().contains("all reads"),
        "{grants:?}"
    );
    let (results, _) = desk.results(&["--strict"], &read);
    assert_eq!(results["results"][0]["outcome"], "auto_approved");
    let id = grants[0]["id"].as_str().unwrap();
    sayso(&desk, &["grants", "expire", id, "--uses", "2"]).is(0, "expire");
    let outcomes: Vec<_> = (0..3)
        .map(|_| desk.results(&["--strict"], &read).0["results"][0]["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["auto_approved", "auto_approved", "blocked"]);
    assert!(listed(&desk, "grants").is_empty(), "it is used up");
    desk.run(&["--answers", "project workspace"], &read);
    let id = listed(&desk, "grants")[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    sayso(&desk, &["grants", "expire", &id, "--in", "2h"]).is(0, "expire");
    sayso(&desk, &["grants", "expire", &id, "--in", "7d"]).is(0, "never later");
    let end = listed(&desk, "grants")[0]["expires_at"].as_i64().unwrap();
    let granted = listed(&desk, "grants")[0]["created_at"].as_i64().unwrap() / 1000;
    assert!(end - granted < 3 * 3600);
    sayso(&desk, &["grants", "revoke", &id]).is(0, "revoke");
    let (results, _) = desk.results(&["--strict"], &read);
    assert_eq!(results["results"][0]["outcome"], "blocked");
    desk.record();
}

#[test]
fn revoking_counts_at_once_for_a_run_that_goes_on() {
    let desk = Desk::with(&[]);
    let calls = json!([
        command("sort -o x a"),
        command("touch waits; until [ -e go ]; do sleep 0.02; done"),
        command("sort -o x a"),
    ]);
    let file = desk.batch("long.json", calls.to_string());
    let mut run = desk.program();
    run.args(["run", "--json", "--answers", "s,y"])
        .arg(file)
        .stdout(std::process::Stdio::piped());
    let mut child = run.spawn().unwrap();
    while !desk.scene.workspace.join("waits").exists() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before it waited"
        );
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let id = listed(&desk, "grants")[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    sayso(&desk, &["grants", "revoke", &id]).is(0, "revoke");
    std::fs::write(desk.scene.workspace.join("go"), "").unwrap();
    let out = child.wait_with_output().unwrap();
    let results: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(results["results"][0]["outcome"], "approved");
    assert_eq!(results["results"][2]["outcome"], "nobody", "{results}");
}

#[test]
fn r_06_a_grant_is_for_its_agent() {
    let desk = Desk::with(&[]);
    let calls = json!([command("sort -o x a")]);
    desk.run(&["--agent", "one", "--answers", "always"], &calls);
    let (results, _) = desk.results(&["--agent", "one", "--strict"], &calls);
    assert_eq!(results["results"][0]["outcome"], "auto_approved");
    let (results, _) = desk.results(&["--agent", "other", "--strict"], &calls);
    assert_eq!(results["results"][0]["outcome"], "blocked");
}

#[test]
fn h_77_many_processes_remember_at_once_and_nothing_is_lost() {
    let desk = Desk::with(&[]);
    let desk = &desk;
    std::thread::scope(|scope| {
        for at in 0..8 {
            scope.spawn(move || {
                let file = desk.batch(
                    &format!("m{at}.json"),
                    json!([command(&format!("sort -o x{at} a"))]).to_string(),
                );
                let done = crate::program::run(
                    desk.program()
                        .args(["run", "--answers", "always"])
                        .arg(file),
                    b"",
                );
                assert!(
                    done.out.contains("rule created"),
                    "{} {}",
                    done.out,
                    done.err
                );
            });
            scope.spawn(move || {
                sayso(desk, &["rules", "add", "--deny", &format!("tool{at} *")]).is(0, "add")
            });
        }
    });
    assert_eq!(listed(desk, "rules").len(), 16);
    desk.record();
}
