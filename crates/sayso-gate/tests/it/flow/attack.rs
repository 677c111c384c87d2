//! Attacks on the gate that succeed: every test here states a promise and fails while it is broken.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Agent, Call, Operation};
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_gate::batch::Options;
use sayso_gate::batch_context::Turn;
use sayso_gate::entry::Entry;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::library::{Action, Checked, GatedError, GatedTools, Response, Tool, ToolCall};
use sayso_gate::memory::Memory;
use sayso_gate::ports::{Ask, Content, Later, Store, World};
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_gate::seal::Sealed;
use sayso_gate::simulated::{Say, Simulated};

use super::room::{Hands, Living, Room, Shelf};
use crate::bench::{NOW, Setup, by, call};

pub(super) fn in_session(call: Call) -> Call {
    Call {
        session: "s".to_owned(),
        ..call
    }
}

pub(super) fn delegate(attachments: &[&str]) -> Call {
    let files = attachments.iter().map(|path| Node::text(*path)).collect();
    let args = [
        ("agent", Node::text("helper")),
        ("input", Node::text("do it")),
        ("attachments", Value::List(files).into()),
    ];
    Call {
        args: Node::map(args),
        ..call("delegate helper")
    }
}

// ---- 1. what runs -------------------------------------------------------------------------------------------------

#[test]
fn quit_at_an_attachment_stops_the_batch() {
    let room = Room::new("sayso", How::Interactive, &[Say::Quit]);
    let calls = vec![
        in_session(delegate(&["/home/u/other.txt"])),
        in_session(call("file_read README.md")),
    ];
    let batch = pollster::block_on(room.gate.batch(calls, Options::default()));
    assert!(
        room.ran().is_empty(),
        "the person said: no, and nothing more of this batch; and then ran {:?}",
        room.ran()
    );
    assert!(batch.stopped);
}

#[test]
fn what_a_grant_let_through_is_sealed_until_it_runs() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Session)]);
    room.world.write("/ws/s.sh", "echo harmless");
    assert_eq!(
        room.call(call("bash python3 s.sh")).outcome,
        Outcome::Approved
    );
    let approved = pollster::block_on(
        room.gate
            .hold(in_session(call("bash python3 s.sh")), &mut Turn::alone()),
    )
    .unwrap();
    room.world.write("/ws/s.sh", "rm -rf ~");
    let finished = pollster::block_on(room.gate.run(approved));
    assert!(!finished.succeeded(), "the grant was for another script");
}

/// A store where another call comes in while a decision is written down.
#[derive(Default)]
struct Slow {
    memory: Memory,
    gate: OnceLock<std::sync::Weak<Gate>>,
    nested: AtomicBool,
    second: Mutex<Option<Outcome>>,
}

impl Store for Slow {
    fn grants(&self) -> Arc<Vec<Grant>> {
        self.memory.grants()
    }
    fn remember(&self, grant: Grant) -> Result<(), sayso_gate::error::StoreError> {
        self.memory.remember(grant)
    }
    fn take(&self, grant: &str) -> bool {
        self.memory.take(grant)
    }
    fn append(&self, entry: &Entry) -> Result<(), sayso_gate::error::StoreError> {
        if !self.nested.swap(true, Ordering::SeqCst) {
            let gate = self.gate.get().unwrap().upgrade().unwrap();
            let other = std::thread::spawn(move || {
                pollster::block_on(gate.call(in_session(call("bash make a")))).outcome
            });
            *self.second.lock().unwrap() = Some(other.join().unwrap());
        }
        self.memory.append(entry)
    }
}

#[test]
fn a_grant_for_one_use_is_used_once_by_calls_that_come_together() {
    let setup = Setup::profile("sayso");
    let digest = Operation::freeze(in_session(call("bash make a")))
        .unwrap()
        .digest();
    let store = Arc::new(Slow::default());
    let grant = Grant {
        id: "one".into(),
        key: GrantKey::Exact(digest),
        reach: Reach::Session("s".into()),
        agent: String::new(),
        expires: None,
        uses_left: Some(1),
        risk: Risk::Unknown,
        seal: None,
    };
    store.remember(grant).unwrap();
    let hands = Arc::new(Hands::default());
    let ports = Ports {
        world: Arc::new(setup.world.clone()),
        ask: Arc::new(Simulated::default()),
        run: Arc::clone(&hands) as _,
        store: Arc::clone(&store) as _,
    };
    let gate = Arc::new(Gate::new(
        ports,
        Arc::new(setup.policy.clone()),
        How::Interactive,
        Arc::new(|| NOW),
    ));
    store.gate.set(Arc::downgrade(&gate)).unwrap();
    let first = pollster::block_on(gate.call(in_session(call("bash make a")))).outcome;
    let second = store.second.lock().unwrap().take();
    assert_eq!(
        hands.ran.lock().unwrap().len(),
        1,
        "one use, two runs: {first:?} {second:?}"
    );
}

/// A world where somebody acts right before the n-th look at the files, or the n-th look into one.
struct Restless {
    living: Arc<Living>,
    seals: AtomicUsize,
    act: fn(&Living, usize),
    look: fn(&Living, bool),
}

impl World for Restless {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.living.answer(cwd, workspace, questions)
    }
    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        (self.act)(&self.living, self.seals.fetch_add(1, Ordering::SeqCst) + 1);
        self.living.seal(files)
    }
    fn content(
        &self,
        path: &str,
        most: u64,
    ) -> Result<Option<Content>, sayso_gate::error::ContentError> {
        (self.look)(&self.living, true);
        let content = self.living.content(path, most);
        (self.look)(&self.living, false);
        content
    }
}

fn restless(
    script: &[Say],
    act: fn(&Living, usize),
    look: fn(&Living, bool),
) -> (Gate, Arc<Simulated>, Arc<Hands>, Arc<Living>) {
    let setup = Setup::profile("sayso");
    let room = Room::with(&setup, How::Interactive, &[]);
    let (person, hands, living) = (
        Arc::new(Simulated::new(script.iter().cloned())),
        Arc::new(Hands::default()),
        Arc::clone(&room.world),
    );
    let ports = Ports {
        world: Arc::new(Restless {
            living: Arc::clone(&living),
            seals: AtomicUsize::new(0),
            act,
            look,
        }),
        ask: Arc::clone(&person) as _,
        run: Arc::clone(&hands) as _,
        store: Arc::new(Shelf::default()),
    };
    let gate = Gate::new(
        ports,
        Arc::new(setup.policy.clone()),
        How::Interactive,
        Arc::new(|| NOW),
    );
    (gate, person, hands, living)
}

#[test]
fn a_kept_answer_is_bound_to_the_script_as_it_was_shown() {
    // Looks: before it is asked, after the answer, for the grant, before the run.
    let act = |world: &Living, look: usize| {
        if look == 3 {
            world.write("/ws/s.sh", "rm -rf ~");
        }
    };
    let (gate, person, hands, living) = restless(&[Say::Yes(Scope::Session)], act, |_, _| ());
    living.write("/ws/s.sh", "echo harmless");
    pollster::block_on(gate.call(in_session(call("bash python3 s.sh"))));
    assert!(
        hands.ran.lock().unwrap().is_empty(),
        "the first run notices"
    );
    let again = pollster::block_on(gate.call(in_session(call("bash python3 s.sh"))));
    assert_ne!(
        again.outcome,
        Outcome::AutoApproved,
        "asked {} times; the evil script was never shown to anybody",
        person.seen().len()
    );
}

#[test]
fn the_change_that_is_shown_is_the_change_of_the_sealed_file() {
    // The file is another one only while it is drawn.
    let look = |world: &Living, before: bool| {
        world.write(
            "/ws/src/main.rs",
            if before {
                "let x = old; // a test\n"
            } else {
                "one\ntwo old three\n"
            },
        );
    };
    let (gate, person, hands, _) = restless(&[Say::Yes(Scope::Once)], |_, _| (), look);
    let finished = pollster::block_on(gate.call(in_session(call("file_edit src/main.rs"))));
    let shown = format!("{:?}", person.seen()[0].presentation.body);
    assert!(
        hands.ran.lock().unwrap().is_empty() || shown.contains("two"),
        "{:?}: shown was {shown}",
        finished.outcome
    );
}

#[test]
fn a_policy_that_denies_meanwhile_counts_for_what_is_open() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("tui"));
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    let finished = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| room.call(call("bash make a")));
        while seat.pending().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let stricter = Setup::with("sayso", "rules:\n  - deny: {command: \"make *\"}\n");
        room.gate.set_policy(Arc::new(stricter.policy)).unwrap();
        seat.answer(seat.pending()[0].answer(Choice::Offer(0)))
            .unwrap();
        waiting.join().unwrap()
    });
    assert!(
        room.ran().is_empty(),
        "{:?}: a deny rule holds in every mode",
        finished.outcome
    );
}

#[test]
fn a_strict_run_that_is_said_meanwhile_counts_for_what_was_approved_and_has_not_run() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    let approved = pollster::block_on(
        room.gate
            .hold(in_session(call("bash make a")), &mut Turn::alone()),
    )
    .unwrap();
    let stricter = Setup::with("sayso", "rules:\n  - deny: {command: \"make *\"}\n");
    room.gate.set_policy(Arc::new(stricter.policy)).unwrap();
    let finished = pollster::block_on(room.gate.run(approved));
    assert!(!finished.succeeded(), "a stale approval was used");
}

#[test]
fn an_agent_gets_no_answers_of_another_by_starting_a_sub_agent_of_its_name() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Session)]);
    assert_eq!(
        room.call(by("builder", call("bash make a"))).outcome,
        Outcome::Approved
    );
    assert_eq!(
        room.call(by("reviewer", call("bash make a"))).outcome,
        Outcome::Denied,
        "the reviewer itself was given nothing"
    );
    let named = Agent {
        name: "builder".into(),
        parents: vec!["reviewer".into()],
    };
    let laundered = room.call(Call {
        agent: named,
        ..call("bash make a")
    });
    assert_ne!(
        laundered.outcome,
        Outcome::AutoApproved,
        "a sub-agent has no more rights than the agent that started it"
    );
}

#[test]
fn all_reads_of_this_workspace_are_of_this_workspace() {
    let room = Room::with(
        &Setup::with("sayso", "mode: confirm-all\n"),
        How::Interactive,
        &[],
    );
    room.call(call("file_read README.md"));
    let prompt = room.person.seen()[0].clone();
    let all = prompt.offers.iter().position(|offer| {
        offer.scope == Scope::Session && offer.words.contains("all reads of this workspace")
    });
    room.person.then(Say::Offer(all.expect("it is offered")));
    assert_eq!(
        room.call(call("file_read README.md")).outcome,
        Outcome::Approved
    );
    room.world.write("/other/notes.txt", "x");
    let elsewhere = Call {
        workspace: "/other".into(),
        cwd: "/other".into(),
        ..call("file_read notes.txt")
    };
    assert_ne!(
        room.call(elsewhere).outcome,
        Outcome::AutoApproved,
        "{}",
        prompt.offers[all.unwrap()].words
    );
}

#[test]
fn an_answer_of_a_host_counts_for_what_it_showed() {
    let living = Arc::clone(&Room::new("sayso", How::Interactive, &[]).world);
    living.write("/ws/s.sh", "echo harmless");
    let checker = GatedTools::builder("/ws", Arc::clone(&living) as Arc<dyn World + Send + Sync>)
        .build()
        .unwrap();
    let Checked::Request(request) = checker.check_bash("sh ./s.sh") else {
        panic!("it asks")
    };
    // The host shows it; meanwhile the script becomes another one.
    living.write("/ws/s.sh", "rm -rf ~");
    let decision = checker.apply_response(*request, Response::new(Action::Once, "ann"));
    assert!(matches!(decision, Err(GatedError::Changed)), "the script");
    let Checked::Request(request) = checker.check_edit("src/main.rs", "old", "new") else {
        panic!("it asks")
    };
    living.link("/ws/src/main.rs", "/home/u/other.txt");
    let decision = checker.apply_response(*request, Response::new(Action::Once, "ann"));
    assert!(matches!(decision, Err(GatedError::Changed)), "the file");
}

#[test]
fn names_of_arguments_that_mean_something_else_make_another_operation() {
    let digest = |tool: &str, key: &str, node: Node, rest: &[(&str, &str)]| {
        let mut entries: Vec<(String, Node)> = rest
            .iter()
            .map(|(key, text)| ((*key).to_owned(), Node::text(*text)))
            .collect();
        entries.push((key.to_owned(), node));
        Operation::freeze(Call::new(tool, Node::map(entries), "/ws"))
            .unwrap()
            .digest()
    };
    let five = || -> Node { Value::Number("5".into()).into() };
    let mut same = Vec::new();
    if digest("bash", "timeout", five(), &[("command", "make")])
        == digest("bash", "timeout_ms", five(), &[("command", "make")])
    {
        same.push("timeout = timeout_ms");
    }
    let insert = [("path", "a"), ("content", "b")];
    if digest("file_insert_after", "after", Node::text("5"), &insert)
        == digest("file_insert_after", "line", Node::text("5"), &insert)
    {
        same.push("the text 5 = the line 5");
    }
    if digest("file_read", "limit", five(), &[("path", "a")])
        == digest("file_read", "end_line", five(), &[("path", "a")])
    {
        same.push("limit = end_line");
    }
    assert!(same.is_empty(), "one digest for two meanings: {same:?}");
}

#[test]
fn a_sub_agent_of_the_library_has_none_of_the_answers() {
    use sayso_gate::library::simulate_user_approval;
    let person = Arc::new(simulate_user_approval([Say::Yes(Scope::Session)]));
    let tool = Tool::new("pay", |_| Ok::<_, String>(Node::text("paid")));
    let agent = GatedTools::builder("/ws", Arc::new(Setup::profile("sayso").world))
        .person(person)
        .agent("clerk")
        .tool(tool)
        .build()
        .unwrap();
    let pay = || Node::map([("to", Node::text("eve"))]);
    assert_eq!(
        pollster::block_on(agent.finish(ToolCall::new("pay", pay()))).outcome,
        Outcome::Approved
    );
    let sub = agent.for_sub_agent("clerk");
    assert_ne!(
        pollster::block_on(sub.finish(ToolCall::new("pay", pay()))).outcome,
        Outcome::AutoApproved,
        "none of its answers"
    );
}

#[test]
fn an_answer_long_after_the_time_is_over_is_none() {
    use std::sync::atomic::AtomicI64;
    /// Somebody who comes back tomorrow.
    struct Tomorrow(Arc<AtomicI64>);
    impl Ask for Tomorrow {
        fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
            self.0.fetch_add(86_400, Ordering::SeqCst);
            let answer = prompt.answer(Choice::Offer(0));
            Box::pin(async move {
                Ended::Answered {
                    answer,
                    by: "somebody".into(),
                }
            })
        }
    }
    let (setup, clock, hands) = (
        Setup::profile("sayso"),
        Arc::new(AtomicI64::new(NOW)),
        Arc::new(Hands::default()),
    );
    let ports = Ports {
        world: Arc::new(setup.world.clone()),
        ask: Arc::new(Tomorrow(Arc::clone(&clock))),
        run: Arc::clone(&hands) as _,
        store: Arc::new(Memory::new()),
    };
    let time = Arc::clone(&clock);
    let gate = Gate::new(
        ports,
        Arc::new(setup.policy.clone()),
        How::Interactive,
        Arc::new(move || time.load(Ordering::SeqCst)),
    );
    let finished = pollster::block_on(gate.call(in_session(call("bash make a"))));
    assert!(
        hands.ran.lock().unwrap().is_empty(),
        "{:?}: the prompt's time was 300 seconds",
        finished.outcome
    );
}

#[test]
fn nobody_is_asked_about_the_attachments_of_a_delegation_that_is_denied() {
    let setup = Setup::with("sayso", "rules:\n  - deny: {tool: delegate}\n");
    let room = Room::with(&setup, How::Interactive, &[Say::Yes(Scope::Once)]);
    assert_eq!(
        room.call(delegate(&["/home/u/other.txt"])).outcome,
        Outcome::Blocked
    );
    let asked: Vec<String> = room
        .person
        .seen()
        .iter()
        .map(|prompt| prompt.description.clone())
        .collect();
    assert!(
        asked.is_empty(),
        "{asked:?}, and the record says that this was approved: {:?}",
        room.gate.stats.counts().outcomes
    );
}

#[test]
fn a_delegation_that_is_denied_is_denied_in_a_dry_run() {
    let setup = Setup::with("sayso", "rules:\n  - deny: {tool: delegate}\n");
    let Room { gate, .. } = Room::with(&setup, How::Interactive, &[]);
    let finished = pollster::block_on(
        gate.dry()
            .call(in_session(delegate(&["/home/u/other.txt"]))),
    );
    assert_eq!(
        finished.outcome,
        Outcome::Blocked,
        "\"it was judged only, and would have been allowed\": {}",
        finished.message
    );
}

#[test]
fn a_shared_file_that_changes_while_the_next_is_asked_about_is_a_new_question() {
    /// Says yes to everything; at the second question the first file becomes another one.
    struct Swap(OnceLock<Arc<Living>>, Mutex<Vec<String>>);
    impl Ask for Swap {
        fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
            let mut asked = self.1.lock().unwrap();
            asked.push(prompt.description.clone());
            if asked.len() == 2 {
                self.0
                    .get()
                    .unwrap()
                    .write("/ws/README.md", "everything that was not to be shared");
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
    let swap = Arc::new(Swap(OnceLock::new(), Mutex::default()));
    let setup = Setup::with("sayso", "mode: confirm-all\n");
    let room = Room::asking(
        &setup,
        How::Interactive,
        Arc::clone(&swap) as _,
        Arc::new(Simulated::default()),
    );
    assert!(swap.0.set(Arc::clone(&room.world)).is_ok());
    room.call(delegate(&["README.md", "src/main.rs"]));
    let asked = swap.1.lock().unwrap().clone();
    let first = asked
        .iter()
        .filter(|words| words.contains("README.md"))
        .count();
    assert!(
        room.ran().is_empty() || first == 2,
        "the answer for README.md was for another content: {asked:?}"
    );
}

#[test]
fn a_clock_at_its_end_is_no_panic() {
    let setup = Setup::profile("sayso");
    let ports = Ports {
        world: Arc::new(setup.world.clone()),
        ask: Arc::new(Simulated::default()),
        run: Arc::new(Hands::default()),
        store: Arc::new(Memory::new()),
    };
    let gate = Gate::new(
        ports,
        Arc::new(setup.policy.clone()),
        How::Interactive,
        Arc::new(|| i64::MAX),
    );
    let outcomes = || {
        (0..7)
            .map(|_| pollster::block_on(gate.call(in_session(call("bash make a")))).outcome)
            .collect::<Vec<_>>()
    };
    let outcomes = std::panic::catch_unwind(std::panic::AssertUnwindSafe(outcomes));
    assert_eq!(
        outcomes.ok().and_then(|all| all.last().copied()),
        Some(Outcome::Blocked),
        "alike calls are paused after five denials"
    );
}
