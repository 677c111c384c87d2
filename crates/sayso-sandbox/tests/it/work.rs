//! Ordinary work goes on under the filter, and under the filter with Landlock.

use std::path::Path;

use sayso_core::policy::terms::Terms;
use sayso_sandbox::child::Child;
use sayso_sandbox::derive::{Around, derive};
use sayso_sandbox::profile::Level;
use sayso_sandbox::seccomp::{Sockets, filter};

use crate::landlock::{profile, steps};
use crate::process::{Who, command, everybody, file, folder, open_to_all, program, run};

/// Runs a script of bash, as everybody, under the filter of every kind; with Landlock besides if that is said.
fn works(needed: &[&str], files: &[(&str, &str)], with_landlock: bool, script: &str) {
    let Some(bash) = program("bash") else { return };
    if !needed.iter().all(|name| program(name).is_some()) {
        return;
    }
    for who in everybody() {
        for (sockets, landlock) in [
            (Sockets::Isolated, false),
            (Sockets::UnixOnly, false),
            (Sockets::UnixOnly, true),
        ] {
            if landlock && !with_landlock {
                continue;
            }
            let folder = folder();
            let place = folder.path().canonicalize().unwrap();
            for (name, text) in files {
                file(&place.join(name), text);
                open_to_all(&place.join(name));
            }
            let child = if landlock {
                let Some(child) = steps(
                    &profile(&place, &[(&place, Level::Write)]),
                    &place,
                    Some(sockets),
                ) else {
                    return;
                };
                child
            } else {
                Child {
                    session: true,
                    filter: Some(filter(sockets).unwrap()),
                    ..Child::default()
                }
            };
            start(
                child,
                &bash,
                who,
                &place,
                script,
                &format!("{who:?} {sockets:?} Landlock {landlock}"),
            );
        }
    }
}

fn start(child: Child, bash: &Path, who: Who, place: &Path, script: &str, how: &str) {
    let mut command = command(bash, who, place);
    command.args(["-euo", "pipefail", "-c", script]);
    let output = run(child, command, "");
    let (out, told) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && out.trim_end().ends_with("fine"),
        "{how}: {:?}\n{out}\n{told}",
        output.status
    );
}

#[test]
fn bash() {
    let script = "
        diff <(printf 'a\\nb\\n' | sort -r) <(printf 'b\\na\\n')
        sleep 60 & kill $!; wait $! || true
        cat <<<here > file; [[ $(< file) == here ]]; chmod +x file; mv file other; ln other hard; ln -s other soft; rm -r hard soft
        (cd /; ls usr > /dev/null); mkfifo pipe; (echo through > pipe &); read -r word < pipe; [[ $word == through ]]
        head -c 100000000 /dev/zero > large; [[ $(stat -c %s large) == 100000000 ]]
        echo fine";
    works(&["diff", "sort"], &[], true, script);
}

#[test]
fn git() {
    let script = "
        export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
        mkdir work; cd work; git init -q .; echo x > file; git add file; git commit -qm first; git status --short
        git worktree add -q ../tree; cd ../tree; echo y >> file; git commit -qam second; git log --oneline; git gc -q
        git clone -q ../work ../clone
        echo fine";
    works(&["git"], &[], true, script);
}

#[test]
fn python() {
    let script = "
        python3 - <<'end'
import subprocess, threading, tempfile, asyncio, os
assert subprocess.run(['echo', 'x'], capture_output=True).stdout == b'x\\n'
done = []
threads = [threading.Thread(target=done.append, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert len(done) == 8
with tempfile.TemporaryFile() as f: f.write(b'x')
async def main():
    p = await asyncio.create_subprocess_exec('true')
    assert await p.wait() == 0
asyncio.run(main())
end
        echo fine";
    works(&["python3"], &[], true, script);
}

#[test]
fn python_with_many_processes() {
    // Its locks lie in `/dev/shm`, which belongs to everybody: not with Landlock.
    let script = "python3 -c 'import multiprocessing as m
with m.Pool(2) as pool: assert pool.map(abs, [-1, -2, -3]) == [1, 2, 3]'; echo fine";
    works(&["python3"], &[], false, script);
}

#[test]
fn node() {
    let text = "
        const { execFileSync } = require('child_process'); const { Worker } = require('worker_threads');
        if (execFileSync('echo', ['x']).toString() !== 'x\\n') throw 1;
        require('fs').writeFileSync('made', 'x');
        new Worker('require(\"worker_threads\").parentPort.postMessage(1)', { eval: true }).on('message', () => console.log('fine'));";
    works(&["node"], &[("test.js", text)], true, "node test.js");
}

#[test]
fn compilers() {
    let files = [
        (
            "Makefile",
            "run: main\n\t./main\nmain: main.c\n\tcc -pthread -o main main.c\n",
        ),
        ("main.c", MAIN),
    ];
    works(&["make", "cc"], &files, true, "make -j2");
}

const MAIN: &str = "
#include <pthread.h>
#include <stdio.h>
static void *run(void *x) { return x; }
int main(void) { pthread_t t; if (pthread_create(&t, 0, run, 0) || pthread_join(t, 0)) return 1; puts(\"fine\"); return 0; }
";

/// What is derived from terms, with secrets of the system hidden in folders that are read.
#[test]
fn under_a_derived_profile() {
    let (Some(bash), Some(_)) = (program("bash"), program("git")) else {
        return;
    };
    for who in everybody() {
        let (place, scratch) = (folder(), folder());
        let place = place.path().canonicalize().unwrap();
        let terms = Terms {
            write: vec![place.to_str().unwrap().to_owned()],
            ..Terms::default()
        };
        let around = Around {
            workspace: &place,
            cwd: &place,
            home: None,
            own: &[],
            environment: &[],
            caches: None,
            protected: &|_| false,
        };
        let profile = derive(&terms, around).unwrap();
        let Some(child) = steps(&profile, scratch.path(), Some(Sockets::UnixOnly)) else {
            return;
        };
        let script = format!(
            "cat /etc/passwd > copy; ls /usr/bin > list; ! cat /etc/shadow 2> told; ! ls {}/.. 2> told; date > {}/now
            git init -q .; getent passwd root; echo fine",
            place.display(),
            scratch.path().display()
        );
        start(child, &bash, who, &place, &script, &format!("{who:?}"));
    }
}

#[test]
fn cargo() {
    let (Some(bash), Some(cargo)) = (program("bash"), option_env!("CARGO")) else {
        return;
    };
    if !Path::new(cargo).exists() {
        eprintln!("NOT CHECKED: cargo, which cannot be reached here");
        return;
    }
    let place = folder();
    let place = place.path().canonicalize().unwrap();
    file(
        &place.join("Cargo.toml"),
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    file(
        &place.join("src/main.rs"),
        "fn main() { println!(\"fine\"); }",
    );
    let child = Child {
        session: true,
        filter: Some(filter(Sockets::UnixOnly).unwrap()),
        ..Child::default()
    };
    let tools = Path::new(cargo).parent().unwrap().display();
    let script = format!("export PATH={tools}:$PATH; cargo run --offline -q");
    start(child, &bash, Who::Me, &place, &script, "cargo");
}
