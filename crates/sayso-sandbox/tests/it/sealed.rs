//! Scripts that are read from copies, with real shells.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use sayso_sandbox::script_copies::{Script, spawn};

const APPROVED: &str = "#!/bin/bash\necho approved \"$0\" \"${BASH_SOURCE[0]}\" \"$@\"\n";

/// What a line prints, and its status, if the script was approved with these bytes.
fn ran(folder: &Path, line: &str, approved: &str) -> (String, Option<i32>) {
    let mut command = Command::new("/bin/bash");
    command
        .args(["--noprofile", "--norc", "-c", "--", line])
        .current_dir(folder);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let script = Script::new(folder.join("s.sh"), approved.as_bytes()).unwrap();
    let mut child = spawn(command, line, folder, vec![script]).unwrap();
    let mut out = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    (out, child.wait().unwrap().code())
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.sh"), text).unwrap();
    fs::set_permissions(
        folder.path().join("s.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    folder
}

#[test]
fn the_approved_bytes_run_whatever_stands_there() {
    let folder = folder_with("#!/bin/bash\necho changed\n");
    for (line, expected) in [
        ("bash s.sh a", "approved s.sh s.sh a\n"),
        ("./s.sh a b", "approved ./s.sh ./s.sh a b\n"),
        (". ./s.sh", "approved /bin/bash ./s.sh\n"),
        ("true; bash s.sh | cat", "approved s.sh s.sh\n"),
        ("(bash s.sh)", "approved s.sh s.sh\n"),
        (
            "X=1 env Y=2 timeout 60 bash ./s.sh",
            "approved ./s.sh ./s.sh\n",
        ),
        ("bash s.sh & wait", "approved s.sh s.sh\n"),
        ("cd / && bash \"$OLDPWD/s.sh\" > /dev/null; exit 7", ""),
    ] {
        let (out, code) = ran(folder.path(), line, APPROVED);
        assert_eq!(out, expected, "{line}");
        assert_eq!(
            code,
            Some(if line.contains("exit") { 7 } else { 0 }),
            "{line}"
        );
    }
}

#[test]
fn a_folder_is_known_by_the_names_it_was_entered_by() {
    for line in [
        "cd sub; ./s.sh",
        "cd sub; (. ./s.sh)",
        "cd nowhere; cd sub && cd ../sub && bash s.sh",
        "(cd sub; (bash ./s.sh))",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/s.sh");
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(&path, "#!/bin/bash\necho changed\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new("/bin/bash");
        command
            .args(["--noprofile", "--norc", "-c", "--", line])
            .current_dir(folder.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let script = Script::new(path, APPROVED.as_bytes()).unwrap();
        let mut child = spawn(command, line, folder.path(), vec![script]).unwrap();
        let mut out = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        assert!(out.starts_with("approved "), "{line}: {out}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}");
    }
}

#[test]
fn another_interpreter_does_not_run() {
    for changed in [
        "#!/bin/echo changed\n",
        "#!/bin/bash -x\necho changed\n",
        "#!/usr/bin/env -S echo changed\n",
    ] {
        let folder = folder_with(changed);
        for line in ["./s.sh", "true; ./s.sh; true", "env ./s.sh"] {
            let (out, _) = ran(folder.path(), line, APPROVED);
            assert_eq!(out, "", "{line}, {changed}");
        }
    }
    let folder = folder_with("#!/bin/echo changed\n");
    let (out, _) = ran(folder.path(), "./s.sh", "echo approved\n");
    assert_eq!(out, "", "one without a first line of its own");
}

#[test]
fn what_the_line_itself_makes_of_a_script_runs() {
    for line in [
        "echo 'echo mine' > s.sh; bash s.sh",
        "cp other s.sh && bash s.sh",
        "sed -i s/x/x/ s.sh; cp other s.sh; ./s.sh",
        "bash other2; . ./s.sh",
    ] {
        let folder = folder_with("#!/bin/bash\necho before\n");
        fs::write(folder.path().join("other"), "#!/bin/bash\necho mine\n").unwrap();
        fs::write(folder.path().join("other2"), "cp other s.sh\n").unwrap();
        let (out, code) = ran(folder.path(), line, "#!/bin/bash\necho before\n");
        assert_eq!((out.as_str(), code), ("mine\n", Some(0)), "{line}");
    }
}

#[test]
fn other_programs_are_not_traced() {
    let folder = folder_with(APPROVED);
    for line in [
        "grep TracerPid /proc/self/status",
        "true; bash -c 'grep TracerPid /proc/self/status'",
        "bash s.sh > /dev/null; grep TracerPid /proc/$$/status",
    ] {
        let (out, _) = ran(folder.path(), line, APPROVED);
        assert_eq!(out.trim(), "TracerPid:\t0", "{line}");
    }
}

#[test]
fn signals_and_ends_are_those_of_the_command() {
    let folder = folder_with(APPROVED);
    assert_eq!(
        ran(
            folder.path(),
            "trap 'echo heard' USR1; kill -USR1 $$; bash s.sh > /dev/null; exit 5",
            APPROVED
        ),
        ("heard\n".into(), Some(5))
    );
    assert_eq!(
        ran(folder.path(), "kill -TERM $$; sleep 9", APPROVED).1,
        None
    );
    assert_eq!(
        ran(folder.path(), "(kill -KILL $BASHPID); echo $?", APPROVED).0,
        "137\n"
    );
    assert_eq!(
        ran(
            folder.path(),
            "for i in 1 2 3; do (exit $i) & done; wait; echo all",
            APPROVED
        )
        .0,
        "all\n"
    );
}
