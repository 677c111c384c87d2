//! What more than one sandbox at a time, and one that is cut off, leave behind or let through.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sayso_sandbox::backend::{Backend, Name};

use super::ground::repository;
use crate::program::run;
use crate::scene::Scene;

/// Far more than any of it takes.
const LONGEST: Duration = Duration::from_secs(300);

fn is_possible() -> bool {
    match Backend::named(Name::Bubblewrap) {
        Ok(_) => true,
        Err(why) => {
            eprintln!("NOT CHECKED: sandboxes beside each other: {why}");
            false
        }
    }
}

fn scene() -> Scene {
    let scene = Scene::empty();
    repository(&scene);
    scene.file(".vscode/tasks.json", "{}");
    scene
}

fn sandbox(scene: &Scene, words: &[&str]) -> Command {
    let mut command = scene.program();
    command
        .args(["sandbox", "--backend", "bubblewrap", "--"])
        .args(words);
    command
}

fn start(scene: &Scene, script: &str) -> Child {
    let mut command = sandbox(scene, &["bash", "-c", script]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[track_caller]
fn wait_until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + LONGEST;
    while !is() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Everything in the workspace but what the scripts make.
fn list(scene: &Scene) -> Vec<String> {
    let out = Command::new("find").arg(&scene.workspace).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| !line.contains("-made"))
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

fn is_running(mark: &str) -> bool {
    let words = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .any(|entry| String::from_utf8_lossy(&words(entry)).contains(mark))
}

/// Tries to make what is kept absent; it says nothing about how that went, the files do.
const PLANT: &str = "mkdir -p .claude .sayso; echo x > .claude/settings.json; echo x > .mcp.json; echo x > .vscode/tasks.json; \
                     rmdir .cursor; mkdir -p .cursor .git/info; echo x > .cursor/mcp.json; echo x > .git/info/attributes; echo ../x > .git/commondir";

#[test]
fn what_a_killed_one_left_goes_with_the_next_command() {
    if !is_possible() {
        return;
    }
    let scene = scene();
    let before = list(&scene);
    let mark = format!("killed-{}", std::process::id());
    let mut child = start(
        &scene,
        &format!("touch ready-made; exec -a {mark} sleep 300"),
    );
    wait_until("it starts", || {
        scene.workspace.join("ready-made").exists() && is_running(&mark)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("everything of it ends with sayso", || !is_running(&mark));
    run(&mut sandbox(&scene, &["bash", "-c", PLANT]), b"");
    assert_eq!(list(&scene), before);
    assert_eq!(
        fs::read_to_string(scene.workspace.join(".vscode/tasks.json")).unwrap(),
        "{}"
    );
}

#[test]
fn one_that_ends_takes_nothing_from_another() {
    if !is_possible() {
        return;
    }
    let scene = scene();
    let before = list(&scene);
    let script = |name: &str| {
        format!("touch {name}-made; until [ -e go-{name}-made ]; do sleep 0.02; done; {PLANT}")
    };
    let (mut one, mut two) = (start(&scene, &script("one")), start(&scene, &script("two")));
    let there = |name: &str| scene.workspace.join(name).exists();
    wait_until("both start", || there("one-made") && there("two-made"));
    for (name, child) in [("one", &mut one), ("two", &mut two)] {
        fs::write(scene.workspace.join(format!("go-{name}-made")), "").unwrap();
        child.wait().unwrap();
        for path in [
            ".claude/settings.json",
            ".mcp.json/x",
            ".cursor/mcp.json",
            ".git/info/attributes",
        ] {
            assert!(!there(path), "{path} came with `{name}`");
        }
        assert_eq!(
            fs::read_to_string(scene.workspace.join(".vscode/tasks.json")).unwrap(),
            "{}"
        );
    }
    assert_eq!(list(&scene), before);
}

/// One command exchanges a folder and a link to a hidden place all the time, while others are set up.
const EXCHANGE: &str = r#"
import ctypes, os
libc = ctypes.CDLL(None)
os.mkdir('swap-made'); open('swap-made/.env', 'w').write('x'); os.mkdir('swap-made/.claude')
os.symlink('../../.ssh', 'link-made')
open('ready-made', 'w')
while not os.path.exists('stop-made'):
    for _ in range(500): libc.renameat2(-100, b'swap-made', -100, b'link-made', 2)
"#;

#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    if !is_possible() || !Path::new("/usr/bin/python3").exists() {
        eprintln!("NOT CHECKED: a race for a link");
        return;
    }
    let scene = scene();
    let key = scene.home.join(".ssh/id_rsa");
    fs::create_dir(scene.home.join(".ssh")).unwrap();
    fs::write(&key, "hush").unwrap();
    let mut other = sandbox(&scene, &["python3", "-c", EXCHANGE])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("it starts", || scene.workspace.join("ready-made").exists());
    let script = "cat swap-made/id_rsa link-made/id_rsa; echo x > swap-made/planted; echo x > link-made/planted; echo ran";
    let (mut ran, mut told, mut planted) = (0, 0, 0);
    let rounds: u32 = std::env::var("SAYSO_RACES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(40);
    for _ in 0..rounds {
        let done = run(&mut sandbox(&scene, &["bash", "-c", script]), b"");
        ran += u32::from(done.out.contains("ran"));
        told += u32::from(done.out.contains("hush"));
        let place = scene.home.join(".ssh/planted");
        planted += u32::from(place.exists());
        let _ = fs::remove_file(place);
    }
    fs::write(scene.workspace.join("stop-made"), "").unwrap();
    other.wait().unwrap();
    eprintln!("a race for a link: {rounds} commands, {ran} ran, {told} read, {planted} wrote");
    assert_eq!((told, planted), (0, 0), "of {ran} commands that ran");
}
