//! Ordinary work in the sandbox: what people do all day works in each back end, as a person and as root.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use sayso_sandbox::backend::{Backend, Name};

use super::escapes::ground::{Copied, Who, as_who, hand_over, program_for_everybody};
use crate::program::{Outcome, run};
use crate::scene::{PATH, Scene};

/// A back end, and who works in it.
#[derive(Clone, Copy, Debug)]
struct Way {
    backend: &'static str,
    who: Who,
}

impl Way {
    fn is_full(self) -> bool {
        self.backend == "bubblewrap"
    }
}

/// All that this machine has; what it has not is said.
fn ways() -> Vec<Way> {
    let mut users = vec![Who::Person];
    if rustix::process::geteuid().is_root() {
        users.push(Who::Root);
    }
    let mut ways = Vec::new();
    for (backend, name) in [
        ("bubblewrap", Name::Bubblewrap),
        ("landlock", Name::Landlock),
    ] {
        match Backend::named(name) {
            Ok(_) => ways.extend(users.iter().map(|who| Way { backend, who: *who })),
            Err(why) => eprintln!("NOT CHECKED: ordinary work in {backend}: {why}"),
        }
    }
    ways
}

/// Somewhere to work.
struct Desk {
    scene: Scene,
    way: Way,
    program: Copied,
    path: String,
}

impl Desk {
    fn new(way: Way) -> Desk {
        let scene = Scene::empty();
        fs::write(
            scene.home.join(".gitconfig"),
            "[user]\n\tname = Ada\n\temail = ada@example.org\n",
        )
        .unwrap();
        Desk {
            scene,
            way,
            program: program_for_everybody(),
            path: PATH.to_owned(),
        }
    }

    /// Runs a command of bash in a folder, in the sandbox.
    fn try_in(&self, folder: &Path, script: &str) -> Outcome {
        hand_over(&self.scene, self.way.who);
        let mut command = Command::new(self.program.path());
        command.args([
            "sandbox",
            "--backend",
            self.way.backend,
            "--",
            "bash",
            "-euo",
            "pipefail",
            "-c",
            script,
        ]);
        command
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", &self.scene.home)
            .current_dir(folder);
        as_who(&mut command, self.way.who);
        run(&mut command, b"")
    }

    /// The same in the workspace, and it has to work.
    #[track_caller]
    fn work(&self, script: &str) -> String {
        let done = self.try_in(&self.scene.workspace, script);
        assert_eq!(
            done.code, 0,
            "{:?}: {script}\n{}{}",
            self.way, done.out, done.err
        );
        done.out
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.scene.workspace.join(name)).unwrap()
    }
}

fn has(program: &str) -> bool {
    let there = std::env::split_paths(PATH).any(|folder| folder.join(program).exists());
    if !there {
        eprintln!("NOT CHECKED: ordinary work with {program}: it is not installed");
    }
    there
}

#[test]
fn git_works() {
    for way in ways() {
        let desk = Desk::new(way);
        desk.scene
            .git(&["init", "--quiet", "--initial-branch", "main", "."]);
        desk.scene.file("a.txt", "one\n");
        desk.work("git status --short && git add a.txt && git commit -q -m first && git log --format='%an %s' | grep 'Ada first'");
        desk.work(
            "git branch other && git checkout -q other && echo two >> a.txt && git diff --stat | grep a.txt && git commit -qam second",
        );
        desk.work("echo three >> a.txt && git stash -q && [ -z \"$(git status --short)\" ] && git stash pop -q && git checkout -q a.txt");
        desk.work("git checkout -q main && git merge -q other && git tag v1 && git rebase -q main && git gc -q");
        desk.work(
            "git worktree add -q tree other && git worktree list | grep tree && git -C tree status --short && git -C tree log --oneline",
        );
        desk.work(
            "git -C tree status && echo x > tree/new && git -C tree add new && git -C tree commit -qm third && git log --oneline other",
        );
        desk.work("git clone -q . copy && git -C copy log --oneline && [ -z \"$(git -C copy status --short)\" ]");
        assert!(desk.text("a.txt").contains("two"));
        let status = desk.work("git status --short");
        assert_eq!(status.trim(), "?? copy/\n?? tree/".trim(), "{way:?}");
    }
}

#[test]
fn nothing_is_left_in_the_workspace() {
    for way in ways() {
        let desk = Desk::new(way);
        desk.scene.git(&["init", "--quiet", "."]);
        let list = || {
            let out = Command::new("find")
                .arg(&desk.scene.workspace)
                .output()
                .unwrap();
            let mut lines: Vec<String> = String::from_utf8(out.stdout)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect();
            lines.sort();
            lines
        };
        let before = list();
        desk.work("true");
        assert!(desk.try_in(&desk.scene.workspace, "exit 7").code == 7);
        assert_eq!(list(), before, "{way:?}");
    }
}

#[test]
fn a_small_crate_is_built_offline() {
    let cargo = PathBuf::from(env!("CARGO"));
    for way in ways()
        .into_iter()
        .filter(|way| way.who == Who::Root || !rustix::process::geteuid().is_root())
    {
        let mut desk = Desk::new(way);
        desk.path = format!("{}:{PATH}", cargo.parent().unwrap().display());
        desk.scene.file(
            "Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
        );
        desk.scene.file(
            "src/main.rs",
            "fn main() { println!(\"{}\", small()); }\nfn small() -> u8 { 42 }\n#[test]\nfn it() { assert_eq!(small(), 42); }\n",
        );
        assert!(
            desk.work("cargo build --offline -q && target/debug/small && cargo test --offline -q")
                .contains("42")
        );
    }
}

#[test]
fn npm_python_and_make_work() {
    for way in ways() {
        let desk = Desk::new(way);
        if has("npm") {
            desk.scene.file("package.json", "{\"name\": \"small\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node test.js\"}}");
            desk.scene.file(
                "test.js",
                "require('fs').writeFileSync('made.txt', String(6 * 7));\nconsole.log('passed');\n",
            );
            assert!(desk.work("npm test").contains("passed"), "{way:?}");
            assert_eq!(desk.text("made.txt"), "42");
        }
        if has("python3") {
            let out = desk.work(
                "python3 -c 'import subprocess; print(subprocess.run([\"echo\", \"inner\"], capture_output=True, text=True).stdout)'",
            );
            assert!(out.contains("inner"), "{way:?}");
            desk.work("python3 -c 'import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b\"x\"); f.flush(); print(f.name)'");
            desk.work("python3 -m venv --without-pip venv && venv/bin/python -c 'import sys; print(sys.prefix)'");
            // Locks of many processes are shared memory by name, which only the full sandbox has of its own.
            if way.is_full() {
                let script = "import multiprocessing as m\nif __name__ == '__main__':\n    with m.Pool(2) as pool: print(sum(pool.map(abs, [-20, -22])))\n";
                desk.scene.file("many.py", script);
                assert!(desk.work("python3 many.py").contains("42"), "{way:?}");
            }
        }
        if has("make") {
            desk.scene
                .file("Makefile", "all: a b\n%: %.in\n\tcp $< $@\n");
            desk.scene.file("a.in", "a");
            desk.scene.file("b.in", "b");
            desk.work("make -j2");
            assert_eq!(desk.text("a") + &desk.text("b"), "ab", "{way:?}");
        }
    }
}

#[test]
fn pipelines_lose_nothing() {
    for way in ways() {
        let desk = Desk::new(way);
        desk.work("seq 1 20000 | sort -rn | tee sorted | wc -l | grep 20000");
        desk.work("diff <(seq 5) <(seq 5) && paste <(seq 3) <(seq 4 6) | tail -1 | grep 6");
        desk.work("seq 1 50000 > >(tee log > copy) 2> >(cat > errors)");
        assert_eq!(desk.text("log").lines().count(), 50000, "{way:?}");
        assert_eq!(desk.text("copy"), desk.text("log"));
        desk.work("cat <<< here | { read -r word; echo \"$word\" > word; }; coproc cat; echo x >&\"${COPROC[1]}\"; read -r -u \"${COPROC[0]}\" y; [ \"$y\" = x ]");
        assert_eq!(desk.text("word"), "here\n");
        desk.work("mkfifo pipe; (echo through > pipe &); cat pipe | grep through");
        assert_eq!(
            desk.try_in(&desk.scene.workspace, "kill -TERM $$").code,
            143,
            "{way:?}"
        );
    }
}

#[test]
fn a_hundred_megabytes_are_written() {
    for way in ways() {
        let desk = Desk::new(way);
        desk.work("head -c 104857600 /dev/zero > large && [ \"$(stat -c %s large)\" = 104857600 ]");
        assert_eq!(
            fs::metadata(desk.scene.workspace.join("large"))
                .unwrap()
                .len(),
            104_857_600,
            "{way:?}"
        );
        desk.work("head -c 20000000 /dev/urandom > \"${TMPDIR:-/tmp}/x\" && cp \"${TMPDIR:-/tmp}/x\" x && rm large");
    }
}

#[test]
fn odd_names_are_no_trouble() {
    for way in ways() {
        let desk = Desk::new(way);
        for name in [
            "with blanks",
            "quote'd \"twice\"",
            "naïve 名前 🦀",
            "two\nlines",
            "-dash",
            "$(echo x)",
            "back\\slash",
        ] {
            let folder = desk.scene.outside.join(name);
            fs::create_dir_all(folder.join(".vscode")).unwrap();
            fs::write(folder.join(".env"), "hush").unwrap();
            let done = desk.try_in(&folder, "echo made > made.txt; [ -d .vscode ]; echo x > .vscode/x || echo kept; cat .env || true");
            assert_eq!(
                fs::read_to_string(folder.join("made.txt")).unwrap_or_default(),
                "made\n",
                "{way:?} {name:?}: {}{}",
                done.out,
                done.err
            );
            assert_eq!(
                way.is_full(),
                !done.out.contains("hush"),
                "{way:?} {name:?}"
            );
            assert_eq!(
                way.is_full(),
                !folder.join(".vscode/x").exists(),
                "{way:?} {name:?}"
            );
        }
    }
}

#[test]
fn a_server_and_its_client_find_each_other() {
    if !has("python3") {
        return;
    }
    let script = r#"
import http.server, threading, urllib.request
server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen('http://127.0.0.1:%d/a.txt' % server.server_port).read())
"#;
    for way in ways().into_iter().filter(|way| way.is_full()) {
        let desk = Desk::new(way);
        desk.scene.file("a.txt", "served");
        desk.scene.file("server.py", script);
        assert!(
            desk.work("python3 server.py 2>&1").contains("served"),
            "{way:?}"
        );
    }
}

#[test]
fn folders_below_and_links_to_a_workspace_work() {
    for way in ways() {
        let desk = Desk::new(way);
        desk.scene.git(&["init", "--quiet", "."]);
        desk.scene.file("deep/er/a.txt", "here");
        let done = desk.try_in(
            &desk.scene.workspace.join("deep/er"),
            "cat a.txt; echo x > b.txt; pwd",
        );
        assert_eq!(
            (done.code, done.out.contains("here")),
            (0, true),
            "{way:?}: {}{}",
            done.out,
            done.err
        );
        assert!(desk.scene.workspace.join("deep/er/b.txt").exists());
        let link = desk.scene.home.join("short");
        symlink(&desk.scene.outside, &link).unwrap();
        let done = desk.try_in(&link.join("ws"), "cat deep/er/a.txt; echo x > c.txt");
        assert_eq!(
            (done.code, done.out.contains("here")),
            (0, true),
            "{way:?}: {}{}",
            done.out,
            done.err
        );
        assert!(desk.scene.workspace.join("c.txt").exists());
    }
}
