//! The folder a command runs in, and commands that cannot be started.

use std::path::Path;

use sayso_tools::terminal::{self, Command};

use super::{in_folder, run};

fn refused(command: Command<'_>) -> String {
    terminal::run(command, &mut |_, _| panic!("nothing runs"))
        .unwrap_err()
        .to_string()
}

#[test]
fn it_runs_where_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::os::unix::fs::symlink(&real, folder.path().join("link")).unwrap();
    for place in [real.clone(), folder.path().join("link")] {
        // Where the folder really is: that is what was judged.
        assert_eq!(
            run(in_folder("pwd; cd ..; pwd", &place)).output,
            format!("{}\n{}\n", real.display(), real.parent().unwrap().display())
        );
    }
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, missing) = (folder.path().join("file"), folder.path().join("missing"));
    std::fs::write(&file, "").unwrap();
    assert!(refused(in_folder("true", &missing)).contains("missing` does not exist"));
    assert!(refused(in_folder("true", &file)).contains("file` is not a folder"));
    assert!(refused(in_folder("true", &file.join("below"))).contains("is not a folder"));
    assert!(refused(in_folder("true", Path::new("here"))).contains("not an absolute path"));
    assert!(refused(in_folder("true", Path::new("/no\u{1b}[2Jsuch"))).contains("␛"));
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    std::fs::remove_dir(&gone).unwrap();
    assert!(refused(in_folder("true", &gone)).contains("does not exist"));
}

#[test]
fn a_folder_that_goes_away_meanwhile_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("here");
    std::fs::create_dir(&place).unwrap();
    assert_eq!(
        run(in_folder("rmdir \"$PWD\"; echo on", &place)).output,
        "on\n"
    );
}

#[test]
fn what_no_program_can_be_given_is_refused() {
    assert!(refused(in_folder("echo a\0b", Path::new("/"))).contains("NUL"));
    assert!(
        refused(in_folder(&"x".repeat(1 << 20), Path::new("/"))).contains("put it into a script")
    );
}

#[test]
fn no_handle_of_ours_reaches_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let _open = std::fs::File::create(folder.path().join("ours")).unwrap();
    let seen = run(in_folder("readlink /proc/self/fd/*", folder.path())).output;
    assert!(
        !seen.is_empty()
            && !seen.contains("/ours")
            && !seen.lines().any(|line| Path::new(line) == folder.path()),
        "{seen}"
    );
}

/// Run by the test below it, in a process that was started with a file left open.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn inner_handles() {
    println!(
        "SEEN {}",
        run(in_folder(
            "[ -e /proc/self/fd/9 ] && echo open || echo closed; echo $SHLVL",
            Path::new("/")
        ))
        .output
    );
}

#[test]
fn no_handle_of_whoever_started_us_reaches_the_command() {
    let text = "exec 9</etc/passwd; exec \"$0\" --exact terminal::places::inner_handles --ignored --nocapture";
    let out = std::process::Command::new("bash")
        .args(["-c", text])
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("SEEN closed\n"), "{text}");
}
