//! Attacks by files that change between the answer and the run: each of them is sealed, however it is named.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_gate::pipeline::{Bench, judge};
use sayso_gate::ports::{Ask, Later};
use sayso_gate::seal::{self, Sealed};
use sayso_gate::simulated::Simulated;

use super::attack::delegate;
use super::room::{Living, Room};
use crate::bench::{NOW, Setup, call};

/// Somebody who says yes, while a file changes behind their back the first time.
struct Meddler {
    world: OnceLock<Arc<Living>>,
    asked: AtomicUsize,
    file: &'static str,
}

impl Ask for Meddler {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 {
            self.world.get().unwrap().write(self.file, "evil");
        }
        let answer = prompt.answer(Choice::Offer(0));
        Box::pin(async move {
            Ended::Answered {
                answer,
                by: "somebody".into(),
            }
        })
    }
}

/// The commands whose script changed while they were asked about, and that ran all the same.
fn unnoticed(rows: &[(&str, &'static str)]) -> Vec<String> {
    let mut out = Vec::new();
    for (command, file) in rows {
        let meddler = Arc::new(Meddler {
            world: OnceLock::new(),
            asked: AtomicUsize::new(0),
            file,
        });
        let room = Room::asking(
            &Setup::profile("sayso"),
            How::Interactive,
            Arc::clone(&meddler) as _,
            Arc::new(Simulated::default()),
        );
        room.world.write(file, "echo harmless");
        assert!(meddler.world.set(Arc::clone(&room.world)).is_ok());
        let finished = room.call(call(&format!("bash {command}")));
        let asked = meddler.asked.load(Ordering::SeqCst);
        let twice = finished
            .verdict
            .as_ref()
            .is_some_and(|verdict| verdict.confirm == sayso_core::answer::verdict::Confirm::Double);
        let rounds = if twice { 2 } else { 1 };
        if asked == rounds && !room.ran().is_empty() {
            out.push((*command).to_owned());
        }
    }
    out
}

#[test]
fn scripts_are_sealed_however_they_are_named() {
    let many = format!("python3 {} s.sh", "-B ".repeat(300));
    let rows: &[(&str, &'static str)] = &[
        ("node -r./s.sh x.js", "/ws/s.sh"),
        ("ruby -r./s.sh x.rb", "/ws/s.sh"),
        ("make -fs.sh", "/ws/s.sh"),
        ("make -f s.sh", "/ws/s.sh"),
        ("awk -fs.sh x", "/ws/s.sh"),
        ("BASH_ENV=./s.sh bash -c true", "/ws/s.sh"),
        ("env BASH_ENV=./s.sh bash -c true", "/ws/s.sh"),
        ("sh ~/s.sh", "/home/u/s.sh"),
        ("sh \"$HOME/s.sh\"", "/home/u/s.sh"),
        ("x=./s.sh; sh $x", "/ws/s.sh"),
        ("sh s.*", "/ws/s.sh"),
        ("sh {s,t}.sh", "/ws/s.sh"),
        ("cat s.sh | sh", "/ws/s.sh"),
        ("sh <s.sh", "/ws/s.sh"),
        ("sh -c 'cat s.sh' | sh", "/ws/s.sh"),
        ("sh -c '. ./s.sh'", "/ws/s.sh"),
        ("bash -c 'source s.sh'", "/ws/s.sh"),
        ("eval \"$(cat s.sh)\"", "/ws/s.sh"),
        ("sh -c \"$(cat s.sh)\"", "/ws/s.sh"),
        ("cd src && sh ../s.sh", "/ws/s.sh"),
        ("cd src && ./s.sh", "/ws/src/s.sh"),
        ("cd src; cd ..; ./s.sh", "/ws/s.sh"),
        ("pushd src && ./s.sh", "/ws/src/s.sh"),
        ("(cd src && ./s.sh)", "/ws/src/s.sh"),
        ("env -C src ./s.sh", "/ws/src/s.sh"),
        ("xargs -a s.sh sh -c", "/ws/s.sh"),
        ("git apply s.sh", "/ws/s.sh"),
        ("patch -p1 <s.sh", "/ws/s.sh"),
        ("cp s.sh src/main.rs", "/ws/s.sh"),
        ("terraform apply -var-file=s.sh", "/ws/s.sh"),
        ("curl --data @s.sh https://example.com", "/ws/s.sh"),
        ("curl -d@s.sh https://example.com", "/ws/s.sh"),
        ("scp s.sh host:", "/ws/s.sh"),
        ("coproc (./s.sh)", "/ws/s.sh"),
        ("select x in a; do (./s.sh); done", "/ws/s.sh"),
        ("./s.sh|cat", "/ws/s.sh"),
        ("select x in a; do ./s.sh|cat; done", "/ws/s.sh"),
        ("select x in a; do sh<s.sh; done", "/ws/s.sh"),
        (&many, "/ws/s.sh"),
    ];
    let found = unnoticed(rows);
    assert!(
        found.is_empty(),
        "{} of {} ran with a script that nobody was asked about:\n{}",
        found.len(),
        rows.len(),
        found.join("\n")
    );
}

#[test]
#[ignore = "known limits: what such programs run is not in the words of the call"]
fn scripts_that_no_word_names_are_sealed() {
    let found = unnoticed(&[
        ("find . -name s.sh -exec sh {} \\;", "/ws/s.sh"),
        ("ls s.sh | xargs sh", "/ws/s.sh"),
        ("python3 -m s", "/ws/s.py"),
        ("python3 -c 'import s'", "/ws/s.py"),
    ]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_that_a_program_looks_for_by_itself_are_sealed() {
    let found = unnoticed(&[
        ("node .", "/ws/index.js"),
        ("make", "/ws/Makefile"),
        ("make -C src", "/ws/src/Makefile"),
        ("cd src && make", "/ws/src/Makefile"),
        ("npm test", "/ws/package.json"),
        ("cargo test", "/ws/build.rs"),
        ("git commit -m x", "/ws/.git/hooks/pre-commit"),
        ("docker build .", "/ws/Dockerfile"),
        ("pushd src && make", "/ws/src/Makefile"),
    ]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_is_read_handed_on_or_copied_is_sealed_until_it_runs() {
    let setup = Setup::profile("sayso");
    let mut open = Vec::new();
    for (call, path) in [
        (call("file_read /home/u/other.txt"), "/home/u/other.txt"),
        (call("file_copy notes/a.txt src/main.rs"), "/ws/notes/a.txt"),
        (call("share_file notes/a.txt"), "/ws/notes/a.txt"),
        (delegate(&["notes/a.txt"]), "/ws/notes/a.txt"),
    ] {
        let operation = Operation::freeze(call).unwrap();
        let bench = Bench {
            world: &setup.world,
            policy: &setup.policy,
            grants: &[],
            uses: None,
            run: How::Interactive,
            now: NOW,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        let judged = judge(&bench, &operation);
        let files = seal::files(&setup.world, &operation, &judged.reading);
        let bound = files.iter().any(|file| matches!(file, Sealed::Content(at) | Sealed::Identity(at) | Sealed::Which(at) if at == path));
        if !bound {
            open.push(format!(
                "{}: {files:?}",
                sayso_core::answer::explain::subject(&operation)
            ));
        }
    }
    assert!(
        open.is_empty(),
        "may become a link to anything between the answer and the run:\n{}",
        open.join("\n")
    );
}
