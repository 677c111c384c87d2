//! What a call is about changes while somebody is asked: that is a new question, and after three of them a denial.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_core::text::node::{Node, Value};
use sayso_gate::approved::Approved;
use sayso_gate::batch_context::Turn;
use sayso_gate::finished::Finished;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::memory::Memory;
use sayso_gate::ports::{Ask, Later, Ran, Run};

use crate::scene::{NOW, Scene};

type Deed = Box<dyn Fn(usize) + Send + Sync>;

/// Somebody who says yes to everything, for the session where that is offered, while something happens: the deed is told which prompt this is, from 1.
struct Meanwhile {
    deed: Deed,
    asked: Mutex<Vec<Arc<Prompt>>>,
}

impl Ask for Meanwhile {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let answer = prompt.answer(Choice::Offer(prompt.offer(Scope::Session).unwrap_or(0)));
        let count = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(prompt);
            asked.len()
        };
        (self.deed)(count);
        Box::pin(async move {
            Ended::Answered {
                answer,
                by: "test".into(),
            }
        })
    }
}

/// Reads the script as the shell would, and notes what it would have run.
struct Reads {
    script: PathBuf,
    ran: Mutex<Vec<String>>,
}

impl Run for Reads {
    fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
        sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
    }

    fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
        self.ran
            .lock()
            .unwrap()
            .push(std::fs::read_to_string(&self.script).unwrap_or_default());
        Box::pin(async { Ran::Done(Value::Null.into()) })
    }
}

struct Setup {
    gate: Gate,
    person: Arc<Meanwhile>,
    runner: Arc<Reads>,
}

impl Setup {
    fn new(scene: &Scene, deed: impl Fn(usize) + Send + Sync + 'static) -> Setup {
        let person = Arc::new(Meanwhile {
            deed: Box::new(deed),
            asked: Mutex::default(),
        });
        let runner = Arc::new(Reads {
            script: scene.workspace.join("s.sh"),
            ran: Mutex::default(),
        });
        let ports = Ports {
            world: Arc::new(scene.world()),
            ask: Arc::clone(&person) as Arc<dyn Ask>,
            run: Arc::clone(&runner) as Arc<dyn Run>,
            store: Arc::new(Memory::new()),
        };
        let gate = Gate::new(
            ports,
            Arc::new(scene.load().policy),
            How::Interactive,
            Arc::new(|| NOW),
        );
        Setup {
            gate,
            person,
            runner,
        }
    }

    fn call(&self, call: Call) -> Finished {
        pollster::block_on(self.gate.call(call))
    }

    fn asked(&self) -> usize {
        self.person.asked.lock().unwrap().len()
    }

    fn ran(&self) -> Vec<String> {
        self.runner.ran.lock().unwrap().clone()
    }
}

fn scene() -> Scene {
    let scene = Scene::empty();
    scene.file("s.sh", "echo 0\n");
    scene
}

#[test]
fn an_untouched_script_is_asked_about_once_and_runs() {
    let scene = scene();
    let setup = Setup::new(&scene, |_| {});
    let finished = setup.call(scene.command("sh ./s.sh"));
    assert_eq!(finished.outcome, Outcome::Approved, "{}", finished.message);
    assert_eq!(
        (setup.asked(), setup.ran()),
        (1, vec!["echo 0\n".to_owned()])
    );
}

#[test]
fn w13_a_script_that_is_rewritten_while_it_is_asked_about_is_a_new_question() {
    let scene = scene();
    let script = scene.workspace.join("s.sh");
    let setup = Setup::new(&scene, move |count| {
        if count == 1 {
            // As long as before, so that only the content tells.
            std::fs::write(&script, "echo 1\n").unwrap();
        }
    });
    let finished = setup.call(scene.command("sh ./s.sh"));
    assert_eq!(finished.outcome, Outcome::Approved, "{}", finished.message);
    assert_eq!(
        (setup.asked(), setup.ran()),
        (2, vec!["echo 1\n".to_owned()]),
        "the second answer is for the second script"
    );
}

#[test]
fn h_25_what_changes_three_times_is_denied_and_never_runs() {
    let scene = scene();
    let script = scene.workspace.join("s.sh");
    let setup = Setup::new(&scene, move |count| {
        std::fs::write(&script, format!("echo {count}\n")).unwrap()
    });
    let finished = setup.call(scene.command("sh ./s.sh"));
    assert_eq!(finished.outcome, Outcome::Blocked);
    assert_eq!(
        finished.message,
        "denied: it kept changing while it was asked about. nothing was changed"
    );
    assert_eq!((setup.asked(), setup.ran()), (3, Vec::new()));
}

#[test]
fn d01_what_changes_between_the_answer_and_the_run_does_not_run() {
    let scene = scene();
    let setup = Setup::new(&scene, |_| {});
    let approved = pollster::block_on(
        setup
            .gate
            .hold(scene.command("sh ./s.sh"), &mut Turn::alone()),
    )
    .unwrap();
    scene.file("s.sh", "echo 9\n");
    let finished = pollster::block_on(setup.gate.run(approved));
    assert!(!finished.succeeded());
    assert!(
        finished.message.contains("changed after it was approved"),
        "{}",
        finished.message
    );
    assert_eq!(setup.ran(), Vec::<String>::new());
}

#[test]
fn d02_a_script_that_is_swapped_for_another_file_is_a_new_question() {
    // A link in its place, a rename over it, and another content: three ways to the same name.
    let ways: [fn(&Scene); 3] = [
        |scene| {
            std::fs::remove_file(scene.workspace.join("s.sh")).unwrap();
            symlink("other.sh", scene.workspace.join("s.sh")).unwrap();
        },
        |scene| {
            std::fs::rename(
                scene.workspace.join("other.sh"),
                scene.workspace.join("s.sh"),
            )
            .unwrap()
        },
        |scene| std::fs::write(scene.workspace.join("s.sh"), "echo 7\n").unwrap(),
    ];
    for (index, way) in ways.into_iter().enumerate() {
        let scene = Arc::new(scene());
        scene.file("other.sh", "echo 7\n");
        let inner = Arc::clone(&scene);
        let setup = Setup::new(&scene, move |count| {
            if count == 1 {
                way(&inner);
            }
        });
        let finished = setup.call(scene.command("sh ./s.sh"));
        assert_eq!(
            finished.outcome,
            Outcome::Approved,
            "way {index}: {}",
            finished.message
        );
        assert_eq!(
            (setup.asked(), setup.ran()),
            (2, vec!["echo 7\n".to_owned()]),
            "way {index}"
        );
    }
}

#[test]
fn d02_a_folder_that_is_swapped_while_it_is_asked_about_is_a_new_question() {
    let scene = Scene::empty();
    scene.file("work/s.sh", "echo 0\n");
    let workspace = scene.workspace.clone();
    let setup = Setup::new(&scene, move |count| {
        if count == 1 {
            std::fs::rename(workspace.join("work"), workspace.join("old")).unwrap();
            std::fs::create_dir(workspace.join("work")).unwrap();
            std::fs::write(workspace.join("work/s.sh"), "echo 0\n").unwrap();
        }
    });
    let call = Call {
        cwd: scene.workspace.join("work").to_str().unwrap().to_owned(),
        ..scene.command("sh ./s.sh")
    };
    assert_eq!(setup.call(call).outcome, Outcome::Approved);
    assert_eq!(setup.asked(), 2);
}

#[test]
fn h_21_a_target_that_becomes_a_link_to_a_secret_is_not_written_by_the_old_answer() {
    let scene = Scene::empty();
    scene.file("src/a.rs", "fn a() {}\n");
    scene.file(".env", "TOKEN=x\n");
    let workspace = scene.workspace.clone();
    let setup = Setup::new(&scene, move |count| {
        if count == 1 {
            std::fs::remove_file(workspace.join("src/a.rs")).unwrap();
            symlink("../.env", workspace.join("src/a.rs")).unwrap();
        }
    });
    let finished = setup.call(scene.write("src/a.rs"));
    // What is asked then is another question, in other words: it names the secret.
    let asked = setup.person.asked.lock().unwrap().clone();
    assert!(asked.len() >= 2, "{finished:?}");
    assert_ne!(asked[0].verdict.reasons, asked[1].verdict.reasons);
    assert!(
        asked[1]
            .verdict
            .effects
            .iter()
            .any(|effect| sayso_core::answer::explain::effect(effect).contains(".env"))
    );
}

#[test]
fn h_25_a_grant_for_a_session_does_not_cover_a_rewritten_script() {
    let scene = scene();
    let setup = Setup::new(&scene, |_| {});
    let call = || Call {
        session: "s".to_owned(),
        ..scene.command("sh ./s.sh")
    };
    let outcomes = |count: usize| {
        (0..count)
            .map(|_| setup.call(call()).outcome)
            .collect::<Vec<_>>()
    };
    assert_eq!(outcomes(2), [Outcome::Approved, Outcome::AutoApproved]);
    scene.file("s.sh", "echo 1\n");
    assert_eq!(outcomes(2), [Outcome::Approved, Outcome::AutoApproved]);
    assert_eq!(setup.asked(), 2);
}

#[test]
fn a_pipe_among_the_words_keeps_nobody_waiting() {
    let scene = scene();
    let made = std::process::Command::new("mkfifo")
        .arg(scene.workspace.join("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let setup = Setup::new(&scene, |_| {});
    let call = Call {
        args: Node::map([("command", Node::text("sh ./s.sh pipe"))]),
        ..scene.command("sh ./s.sh")
    };
    assert_eq!(setup.call(call).outcome, Outcome::Approved);
}
