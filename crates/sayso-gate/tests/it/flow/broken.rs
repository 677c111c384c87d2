//! Ports of a host that panic or hang: each is a denial of the one call, and the gate goes on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_gate::approved::Approved;
use sayso_gate::batch::Options;
use sayso_gate::entry::{Entry, What};
use sayso_gate::error::port_error;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::library::{Checked, GatedTools, Tool, ToolCall};
use sayso_gate::memory::{MOST_ENTRIES, Memory};
use sayso_gate::ports::{Ask, Content, Later, Ran, Run, Store, World};
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_gate::seal::Sealed;
use sayso_gate::simulated::{Say, Simulated};

use super::room::{Hands, Living, Room};
use crate::bench::{NOW, Setup, call};

/// Ports of which one step breaks.
struct Broken {
    step: &'static str,
    living: Arc<Living>,
    memory: Memory,
}

impl Broken {
    fn at(&self, step: &str) {
        assert_ne!(self.step, step, "it breaks");
    }
}

impl World for Broken {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.at("answer");
        self.living.answer(cwd, workspace, questions)
    }
    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        self.at("seal");
        self.living.seal(files)
    }
    fn content(
        &self,
        path: &str,
        most: u64,
    ) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        self.at("content");
        self.living.content(path, most)
    }
}

impl Store for Broken {
    fn grants(&self) -> Arc<Vec<Grant>> {
        self.at("grants");
        self.memory.grants()
    }
    fn remember(&self, grant: Grant) -> Result<(), sayso_gate::error::StoreError> {
        self.at("remember");
        self.memory.remember(grant)
    }
    fn take(&self, grant: &str) -> bool {
        self.at("used");
        self.memory.take(grant)
    }
    fn append(&self, entry: &Entry) -> Result<(), sayso_gate::error::StoreError> {
        self.at("append");
        self.memory.append(entry)
    }
}

fn broken(step: &'static str, says: Say) -> (Gate, Arc<Broken>, Arc<Hands>) {
    let room = Room::new("sayso", How::Interactive, &[]);
    let (broken, hands) = (
        Arc::new(Broken {
            step,
            living: room.world,
            memory: Memory::new(),
        }),
        Arc::new(Hands::default()),
    );
    let ports = Ports {
        world: Arc::clone(&broken) as _,
        ask: Arc::new(Simulated::new([says.clone(), says])),
        run: Arc::clone(&hands) as _,
        store: Arc::clone(&broken) as _,
    };
    let policy = Arc::new(Setup::profile("sayso").policy.clone());
    let clock = move || {
        if step == "clock" {
            panic!("it breaks")
        } else {
            NOW
        }
    };
    (
        Gate::new(ports, policy, How::Interactive, Arc::new(clock)),
        broken,
        hands,
    )
}

fn of_session(text: &str) -> Call {
    Call {
        session: "s".to_owned(),
        ..call(text)
    }
}

#[test]
fn whatever_breaks_is_a_denial_and_every_call_of_a_batch_has_its_end() {
    for (step, text) in [
        ("answer", "file_edit src/main.rs"),
        ("answer", "bash make a"),
        ("seal", "bash make a"),
        ("content", "file_edit src/main.rs"),
        ("remember", "bash make a"),
        ("append", "bash make a"),
        ("append", "file_read README.md"),
    ] {
        let (gate, _, hands) = broken(step, Say::Yes(Scope::Session));
        let batch = pollster::block_on(
            gate.batch(vec![of_session(text), of_session(text)], Options::default()),
        );
        let outcomes: Vec<Outcome> = batch
            .results
            .iter()
            .map(|finished| finished.outcome)
            .collect();
        assert_eq!(
            outcomes,
            [Outcome::Blocked, Outcome::Blocked],
            "{step}: {text}"
        );
        assert!(hands.ran.lock().unwrap().is_empty(), "{step}: {text}");
    }
    // Without what was granted before, it is asked about; and a clock is only needed for what expires.
    for step in ["grants", "clock"] {
        let (gate, ..) = broken(step, Say::Yes(Scope::Once));
        assert_eq!(
            pollster::block_on(gate.call(of_session("bash make a"))).outcome,
            Outcome::Approved,
            "{step}"
        );
    }
}

#[test]
fn a_grant_whose_use_could_not_be_counted_holds_no_longer() {
    let (gate, store, hands) = broken("used", Say::No);
    let key = GrantKey::Exact(
        Operation::freeze(of_session("bash make a"))
            .unwrap()
            .digest(),
    );
    let reach = Reach::Session("s".into());
    let grant = Grant {
        id: "one".into(),
        key,
        reach,
        agent: String::new(),
        expires: None,
        uses_left: Some(1),
        risk: Risk::Unknown,
        seal: None,
    };
    store.remember(grant).unwrap();
    let outcome = || pollster::block_on(gate.call(of_session("bash make a"))).outcome;
    assert_eq!([outcome(), outcome()], [Outcome::Denied, Outcome::Denied]);
    assert!(hands.ran.lock().unwrap().is_empty());
}

#[test]
fn a_screen_that_hangs_does_not_hold_up_the_end_of_a_call_nor_other_screens() {
    let prompts = Prompts::new();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let hangs = move |_: &Arc<Prompt>| -> Result<(), sayso_gate::error::PortError> {
        let _ = wait.lock().unwrap().recv();
        Ok(())
    };
    let (tell, told) = std::sync::mpsc::channel();
    let tell = Mutex::new(tell);
    let works = move |prompt: &Arc<Prompt>| {
        tell.lock()
            .unwrap()
            .send(prompt.id.clone())
            .map_err(|gone| port_error(gone.to_string()))
    };
    let _hangs = prompts.join(Answerer {
        deliver: Some(Arc::new(hangs)),
        ..Answerer::new("tui")
    });
    let _works = prompts.join(Answerer {
        deliver: Some(Arc::new(works)),
        ..Answerer::new("web")
    });
    let setup = Setup::with("sayso", "approval_timeout: 1\n");
    let room = Room::asking(
        &setup,
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    // If it held anything up, this would wait for ever.
    assert_eq!(room.call(call("bash make a")).outcome, Outcome::TimedOut);
    assert_eq!(room.call(call("bash make b")).outcome, Outcome::TimedOut);
    assert_eq!(
        told.iter().take(2).count(),
        2,
        "the other screen was shown both"
    );
    drop(go);
}

/// Says something, after so many seconds of the gate's clock.
struct After(Arc<AtomicUsize>, usize, Choice);

impl Ask for After {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        self.0.fetch_add(self.1, Ordering::SeqCst);
        let answer = prompt.answer(self.2.clone());
        Box::pin(async move {
            Ended::Answered {
                answer,
                by: "somebody".into(),
            }
        })
    }
}

#[test]
fn an_answer_counts_up_to_four_times_the_wait_whoever_asks() {
    for (seconds, choice, outcome) in [
        (40, Choice::Offer(0), Outcome::Approved),
        (41, Choice::Offer(0), Outcome::TimedOut),
        (41, Choice::Deny, Outcome::Denied),
        (41, Choice::Quit, Outcome::Cancelled),
    ] {
        let (setup, clock) = (
            Setup::with("sayso", "approval_timeout: 10\n"),
            Arc::new(AtomicUsize::new(1000)),
        );
        let ports = Ports {
            world: Room::with(&setup, How::Interactive, &[]).world,
            ask: Arc::new(After(Arc::clone(&clock), seconds, choice.clone())),
            run: Arc::new(Hands::default()),
            store: Arc::new(Memory::new()),
        };
        let time = Arc::new(move || i64::try_from(clock.load(Ordering::SeqCst)).unwrap());
        let gate = Gate::new(
            ports,
            Arc::new(setup.policy.clone()),
            How::Interactive,
            time,
        );
        assert_eq!(
            pollster::block_on(gate.call(of_session("bash make a"))).outcome,
            outcome,
            "{seconds} {choice:?}"
        );
    }
}

fn deep() -> Node {
    (0..200_000).fold(Node::text("x"), |node, _| Value::List(vec![node]).into())
}

#[test]
fn arguments_that_are_too_deep_are_refused_at_every_door() {
    let args = || Node::map([("x", deep())]);
    let tool = Tool::new("pay", |_| Ok::<_, String>(Node::text("paid"))).payload(Node::clone);
    let world = Arc::new(Setup::profile("sayso").world);
    let agent = GatedTools::builder("/ws", world)
        .tool(tool)
        .build()
        .unwrap();
    assert_eq!(
        pollster::block_on(agent.finish(ToolCall::new("pay", args()))).outcome,
        Outcome::Blocked
    );
    let batch =
        pollster::block_on(agent.batch(vec![ToolCall::new("pay", args())], Options::default()));
    assert_eq!(batch.results[0].outcome, Outcome::Blocked);
    assert!(matches!(
        agent.check(&ToolCall::new("pay", args())),
        Checked::Blocked { .. }
    ));
    assert!(matches!(
        agent.check_now(ToolCall::new("pay", args())),
        Checked::Blocked { .. }
    ));
    let room = Room::new("sayso", How::Interactive, &[]);
    let grouped = |args| Call {
        group: Some("g".into()),
        ..Call::new("my_tool", args, "/ws")
    };
    let batch = pollster::block_on(room.gate.batch(
        vec![
            grouped(Node::map([("x", Node::text("y"))])),
            grouped(args()),
        ],
        Options::default(),
    ));
    assert_eq!(batch.results[1].outcome, Outcome::Blocked);
}

#[test]
fn a_result_that_is_too_deep_is_a_failure_of_the_tool() {
    struct Deep;
    impl Run for Deep {
        fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
            sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
        }

        fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
            Box::pin(async { Ran::Done(deep()) })
        }
    }
    let setup = Setup::profile("sayso");
    let ports = Ports {
        world: Arc::new(setup.world.clone()),
        ask: Arc::new(Simulated::default()),
        run: Arc::new(Deep),
        store: Arc::new(Memory::new()),
    };
    let gate = Gate::new(
        ports,
        Arc::new(setup.policy.clone()),
        How::Interactive,
        Arc::new(|| NOW),
    );
    let finished = pollster::block_on(gate.call(of_session("file_read README.md")));
    assert!(
        matches!(&finished.ran, Some(Ran::Failed { why, .. }) if why.contains("deep")),
        "{:?}",
        finished.message
    );
}

#[test]
fn a_store_in_memory_keeps_the_last_entries() {
    let memory = Memory::new();
    let last = i64::try_from(MOST_ENTRIES).unwrap() + 5;
    for at in 0..last {
        memory
            .append(&Entry {
                at,
                operation: None,
                what: What::Trouble(String::new()),
            })
            .unwrap();
    }
    let entries = memory.entries();
    assert_eq!(
        (entries.len(), entries[0].at, entries[entries.len() - 1].at),
        (MOST_ENTRIES, 5, last - 1)
    );
}
