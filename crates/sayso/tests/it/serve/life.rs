//! The life of the inbox: one for each person, stopped in an orderly way, and refused where it must not be.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Served;
use crate::desk::Desk;
use crate::hook::is_denied;
use crate::program::run;

#[test]
fn one_for_each_person() {
    let served = Served::new();
    let second = run(
        served
            .desk
            .program()
            .args(["serve", "--listen", "127.0.0.1:0"]),
        b"",
    );
    assert_eq!(second.code, 2);
    assert!(
        second.err.contains("open already") && second.err.contains(&served.process().to_string()),
        "{second:?}"
    );
    let status = run(served.desk.program().args(["serve", "--status"]), b"").is(0, "open");
    assert!(status.out.contains(&served.host), "{status:?}");
    served.get("/v1/me").is(200);
}

#[test]
fn who_waits_is_told_that_it_stops() {
    for way in ["--stop", "TERM", "INT"] {
        let mut served = Served::new();
        let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
        let codex = served.hook("codex", "Bash", json!({"command": "make other"}));
        while served.prompts().len() < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        served.submit("make third").is(202);
        let mut listener = served.listen("/v1/events", None);
        listener.until("hello");
        match way {
            "--stop" => {
                drop(run(served.desk.program().args(["serve", "--stop"]), b"").is(0, "stopped"))
            }
            signal => drop(
                run(
                    std::process::Command::new("kill")
                        .args([&format!("-{signal}"), &served.process().to_string()]),
                    b"",
                )
                .is(0, "sent"),
            ),
        }
        listener.until("stopping");
        while listener.next_or_end().is_some() {}
        is_denied(&hook.said(), "the inbox was stopped");
        is_denied(&codex.said(), "sayso serve");
        assert_eq!(served.ended(), Some(0), "{way}");
        let decided = served.desk.entries("decided");
        assert_eq!(decided.len(), 3, "each has its end: {decided:?}");
        assert!(
            decided
                .iter()
                .all(|entry| entry["outcome"] != "approved" && entry["outcome"] != "auto_approved")
        );
        let folder = served.desk.scene.state().join("serve");
        for name in ["socket", "asking.token", "answering.token", "address.json"] {
            assert!(!folder.join(name).exists(), "{name}");
        }
        run(served.desk.program().args(["serve", "--status"]), b"").is(1, "none is open");
    }
}

#[test]
fn nothing_is_served_beyond_this_machine() {
    let desk = Desk::with(&[]);
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let done = run(desk.program().args(["serve", "--listen", address]), b"");
        assert!(
            done.code == 2
                && done.err.contains("not of this machine")
                && done.err.contains("hint:")
                && done.err.contains("ssh -L"),
            "{done:?}"
        );
    }
    assert_eq!(
        run(desk.program().args(["serve", "--listen", "nonsense"]), b"").code,
        2
    );
}

#[test]
fn the_socket_alone_is_enough() {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nhooks: {ask: inbox}\napproval_timeout: 1\n");
    let mut child = desk
        .program()
        .args(["serve", "--listen", "none"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(300);
    while run(desk.program().args(["serve", "--status"]), b"").code != 0 {
        assert!(Instant::now() < end);
    }
    let payload = crate::hook::before(&desk, "Bash", json!({"command": "make all"}));
    crate::hook::raw(&desk, "claude", payload.to_string().as_bytes());
    assert_eq!(desk.entries("decided")[0]["outcome"], "timed_out");
    let link = run(desk.program().args(["serve", "--link"]), b"");
    assert!(link.code == 2 && link.err.contains("no page"), "{link:?}");
    run(desk.program().args(["serve", "--stop"]), b"").is(0, "stopped");
    child.wait().unwrap();
}

#[test]
fn a_long_path_is_no_obstacle() {
    let desk = Desk::with(&[]);
    let long = desk.scene.home.join("x".repeat(100)).join("y".repeat(60));
    std::fs::create_dir_all(&long).unwrap();
    let program = || {
        let mut program = desk.program();
        program.env("XDG_STATE_HOME", &long);
        program
    };
    let mut child = program()
        .args(["serve", "--listen", "none"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(300);
    while run(program().args(["serve", "--status"]), b"").code != 0 {
        assert!(Instant::now() < end);
    }
    run(program().args(["serve", "--stop"]), b"").is(0, "stopped");
    child.wait().unwrap();
}

#[test]
fn something_else_at_the_socket_is_not_believed() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy("version: 1\nhooks: {ask: inbox}\n");
    let folder = desk.scene.state().join("serve");
    run(desk.program().args(["serve", "--set-pin"]), b"1234\n").is(0, "makes the folder");
    // It says yes to everything.
    let script = format!(
        "import socket\ns=socket.socket(socket.AF_UNIX); s.bind('{}'); s.listen(9)\nprint('up', flush=True)\n\
         while True:\n\x20c,_=s.accept()\n\x20c.recv(99999)\n\x20b=b'{{\"watching\":1,\"ended\":\"answered\",\"choice\":\"offer\",\"offer\":0,\"by\":\"me\"}}'\n\
         \x20c.sendall(b'HTTP/1.1 200 OK\\r\\ncontent-length: %d\\r\\n\\r\\n' % len(b)+b)\n\x20c.close()\n",
        folder.join("socket").display()
    );
    let mut fake = std::process::Command::new("python3")
        .args(["-c", &script])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut up = [0; 3];
    std::io::Read::read_exact(fake.stdout.as_mut().unwrap(), &mut up).unwrap();
    for policy in ["inbox", "auto"] {
        desk.scene
            .user_policy(&format!("version: 1\nhooks: {{ask: {policy}}}\n"));
        let payload = crate::hook::before(&desk, "Bash", json!({"command": "make all"}));
        let said = crate::desk::read(&crate::hook::raw(
            &desk,
            "claude",
            payload.to_string().as_bytes(),
        ))["hookSpecificOutput"]
            .clone();
        match policy {
            "inbox" => is_denied(&said, "another version"),
            _ => assert_eq!(
                said["permissionDecision"], "ask",
                "the agent's own dialog is as good as ever"
            ),
        }
    }
    fake.kill().unwrap();
    fake.wait().unwrap();
}

#[test]
fn another_version_is_told_apart() {
    let served = Served::new();
    // A copy of the program is another one, whatever it says of itself.
    let copy = served.desk.scene.home.join("sayso");
    std::fs::copy(env!("CARGO_BIN_EXE_sayso"), &copy).unwrap();
    let mut program = std::process::Command::new(&copy);
    program
        .env_clear()
        .env("HOME", &served.desk.scene.home)
        .env("PATH", crate::scene::PATH);
    program
        .env("XDG_CONFIG_HOME", served.desk.scene.home.join(".config"))
        .env(
            "XDG_STATE_HOME",
            served.desk.scene.home.join(".local/state"),
        );
    program
        .env("CLAUDE_PROJECT_DIR", served.desk.scene.folder())
        .args(["hook", "claude"]);
    let payload = crate::hook::before(&served.desk, "Bash", json!({"command": "make all"}));
    let said =
        crate::desk::read(&run(&mut program, payload.to_string().as_bytes()))["hookSpecificOutput"]
            .clone();
    is_denied(&said, "another version");
    assert!(
        said["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .contains("sayso serve --stop")
    );
}

#[test]
fn a_record_that_cannot_be_written_allows_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let served = Served::new();
    served.submit("cat a.txt").is(200);
    // Where nothing can be written, not even root does so into a folder in the place of a file.
    let journal = served.desk.scene.state().join("journal");
    let kept = served.desk.scene.state().join("journal.kept");
    std::fs::rename(&journal, &kept).unwrap();
    std::fs::write(&journal, "not a folder").unwrap();
    std::fs::set_permissions(&journal, std::fs::Permissions::from_mode(0o600)).unwrap();
    let got = served.submit("cat a.txt");
    assert!(
        got.status == 503 || got.json()["state"] == "denied",
        "{got:?}"
    );
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let said = hook.said();
    assert_ne!(said["permissionDecision"], "allow", "{said}");
    std::fs::remove_file(&journal).unwrap();
    std::fs::rename(&kept, &journal).unwrap();
    assert_eq!(
        served.submit("cat a.txt").is(200)["state"],
        "allowed",
        "it goes on"
    );
}
