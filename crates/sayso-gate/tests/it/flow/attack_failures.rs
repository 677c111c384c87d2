//! Attacks on the gate by what breaks, hangs or grows: ports, screens, wakers, values and groups.

use std::future::Future as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::grant::Grant;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::Call;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::node::{Node, Value};
use sayso_gate::batch::Options;
use sayso_gate::entry::Entry;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::library::{GatedTools, Tool, ToolCall};
use sayso_gate::memory::Memory;
use sayso_gate::ports::{Store, World};
use sayso_gate::prompts::{Answerer, Prompts};
use sayso_gate::simulated::{Say, Simulated};

use super::room::{Hands, Room};
use crate::bench::{NOW, Setup, call};
use crate::prompts::prompt;

use super::attack::in_session;

/// A store that breaks.
struct Breaks;

impl Store for Breaks {
    fn grants(&self) -> Arc<Vec<Grant>> {
        Arc::default()
    }
    fn remember(&self, _: Grant) -> Result<(), sayso_gate::error::StoreError> {
        Ok(())
    }
    fn take(&self, _: &str) -> bool {
        true
    }
    fn append(&self, _: &Entry) -> Result<(), sayso_gate::error::StoreError> {
        panic!("the store broke")
    }
}

#[test]
fn a_store_that_panics_does_not_take_the_process_down() {
    const CHILD: &str = "SAYSO_ATTACK_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let setup = Setup::profile("sayso");
        let ports = Ports {
            world: Arc::new(setup.world.clone()),
            ask: Arc::new(Simulated::default()),
            run: Arc::new(Hands::default()),
            store: Arc::new(Breaks),
        };
        let gate = Gate::new(
            ports,
            Arc::new(setup.policy.clone()),
            How::Interactive,
            Arc::new(|| NOW),
        );
        let call = std::panic::AssertUnwindSafe(|| {
            pollster::block_on(gate.call(in_session(call("file_read README.md"))))
        });
        let _ = std::panic::catch_unwind(call);
        return;
    }
    let name = "flow::attack_failures::a_store_that_panics_does_not_take_the_process_down";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(
        child.status.success(),
        "{:?}: every other open call lost its end",
        child.status
    );
}

/// A world that breaks.
struct BrokenWorld;

impl World for BrokenWorld {
    fn answer(&self, _: &str, _: &str, _: &[Question]) -> Facts {
        panic!("the world broke")
    }
}

#[test]
fn a_world_that_panics_is_a_denial() {
    let agent = GatedTools::builder("/ws", Arc::new(BrokenWorld))
        .tool(Tool::new("bash", |_| Ok::<_, String>(Node::text("done"))).by_policy())
        .build()
        .unwrap();
    let call = || {
        pollster::block_on(agent.finish(ToolCall::new(
            "bash",
            Node::map([("command", Node::text("ls"))]),
        )))
        .outcome
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    assert!(
        outcome.is_ok(),
        "\"every call has an end, and it is never a panic\""
    );
}

#[test]
fn a_world_that_panics_ends_one_call_of_a_batch_and_not_all() {
    let setup = Setup::profile("sayso");
    let ports = Ports {
        world: Arc::new(BrokenWorld),
        ask: Arc::new(Simulated::default()),
        run: Arc::new(Hands::default()),
        store: Arc::new(Memory::new()),
    };
    let gate = Gate::new(
        ports,
        Arc::new(setup.policy.clone()),
        How::Interactive,
        Arc::new(|| NOW),
    );
    let run = || {
        pollster::block_on(gate.batch(vec![call("bash ls"), call("bash ls")], Options::default()))
            .results
            .len()
    };
    assert_eq!(
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).ok(),
        Some(2),
        "every call of a batch gets an end, in order"
    );
}

#[test]
fn arguments_deeper_than_the_stack_are_malformed() {
    const CHILD: &str = "SAYSO_ATTACK_DEEP";
    if std::env::var_os(CHILD).is_some() {
        let mut node = Node::text("x");
        for _ in 0..200_000 {
            node = Value::List(vec![node]).into();
        }
        let room = Room::new("sayso", How::Interactive, &[]);
        let finished = room.call(Call::new("my_tool", Node::map([("x", node)]), "/ws"));
        assert_eq!(finished.outcome, Outcome::Blocked);
        std::process::exit(0);
    }
    let name = "flow::attack_failures::arguments_deeper_than_the_stack_are_malformed";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(
        child.status.success(),
        "{:?}: the process is gone, and every open call with it",
        child.status
    );
}

// ---- 4. answers, ends, growth -------------------------------------------------------------------------------------

#[test]
fn whoever_takes_a_seat_is_shown_what_is_open() {
    let prompts = Prompts::new();
    let first = prompts.join(Answerer {
        deliver: Some(Arc::new(|_| Ok(()))),
        ..Answerer::new("tui")
    });
    let _ticket = prompts.open(prompt("one", "s", None));
    let shown = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&shown);
    let deliver = move |_: &Arc<Prompt>| -> Result<(), sayso_gate::error::PortError> {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    let _later = prompts.join(Answerer {
        deliver: Some(Arc::new(deliver)),
        ..Answerer::new("web")
    });
    drop(first);
    assert!(
        shown.load(Ordering::SeqCst) == 1 || prompts.is_empty(),
        "it is open for ever, and nobody was shown it"
    );
}

/// Whether something comes true within a time that is long for any machine.
fn eventually(is_so: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(300);
    while !is_so() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    is_so()
}

#[test]
fn a_screen_that_hangs_does_not_stop_the_time_of_a_prompt() {
    let prompts = Prompts::new();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let deliver = move |_: &Arc<Prompt>| -> Result<(), sayso_gate::error::PortError> {
        let _ = wait.lock().unwrap().recv();
        Ok(())
    };
    let _seat = prompts.join(Answerer {
        deliver: Some(Arc::new(deliver)),
        ..Answerer::new("tui")
    });
    let other = prompts.clone();
    let open = std::thread::spawn(move || other.open(prompt("one", "s", Some(1))).wait());
    // The screen hangs until long after.
    let ended = eventually(|| open.is_finished());
    drop(go);
    assert_eq!(open.join().unwrap(), Ended::TimedOut);
    assert!(
        ended,
        "nothing ends it: its time starts only when the screen is done"
    );
}

struct Counting;

impl Wake for Counting {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn readers_that_go_away_leave_nothing_behind() {
    let prompts = Prompts::new();
    let seat = prompts.join(Answerer::new("web"));
    let version = seat.version();
    let counting = Arc::new(Counting);
    let waker = Waker::from(Arc::clone(&counting));
    for _ in 0..10_000 {
        let mut changed = Box::pin(seat.changed(version));
        assert!(
            changed
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
    }
    let kept = Arc::strong_count(&counting) - 2;
    assert!(kept <= 1, "{kept} wakers of readers that are gone");
}

struct Explosive;

impl Wake for Explosive {
    fn wake(self: Arc<Self>) {
        panic!("the host's executor broke");
    }
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn one_waker_that_panics_loses_no_other_and_no_timeout() {
    let prompts = Prompts::new();
    let _seat = prompts.join(Answerer::new("tui"));
    let mut broken = Box::pin(prompts.open(prompt("one", "s", Some(1))));
    let mut other = Box::pin(prompts.open(prompt("two", "s", Some(1))));
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    assert!(
        broken
            .as_mut()
            .poll(&mut Context::from_waker(&Waker::from(Arc::new(Explosive))))
            .is_pending()
    );
    assert!(
        other
            .as_mut()
            .poll(&mut Context::from_waker(&Waker::from(Arc::clone(&flag))))
            .is_pending()
    );
    let woken = eventually(|| flag.0.load(Ordering::SeqCst));
    let _third = prompts.open(prompt("three", "s", Some(1)));
    let ended = eventually(|| prompts.is_empty());
    assert!(
        woken && ended,
        "the other call was woken: {woken}; still open long after their time: {}",
        prompts.len()
    );
}

/// How often the world was looked at for a group of calls.
fn looks(count: usize, say: Say) -> usize {
    let room = Room::with(
        &Setup::profile("sayso"),
        How::Interactive,
        &vec![say; count],
    );
    let calls = (0..count)
        .map(|n| Call {
            group: Some("g".into()),
            ..in_session(call(&format!("bash make a{n}")))
        })
        .collect();
    let batch = pollster::block_on(room.gate.batch(calls, Options::default()));
    assert_eq!(
        (batch.results.len(), room.person.seen().len()),
        (count, 1),
        "one question for all"
    );
    room.world.asked.load(Ordering::SeqCst)
}

#[test]
fn a_group_costs_as_much_as_its_calls() {
    for say in [
        Say::Yes(Scope::Once),
        Say::No,
        Say::Gone,
        Say::Nothing,
        Say::Breaks,
    ] {
        let (few, many) = (looks(50, say.clone()), looks(400, say.clone()));
        assert!(
            many < few * 9,
            "{say:?}: 8 times the calls took {few} and {many} looks at the world"
        );
    }
}

#[test]
fn open_prompts_that_are_alike_all_close() {
    let prompts = Prompts::new();
    let _seat = prompts.join(Answerer::new("tui"));
    let room = Room::asking(
        &Setup::profile("sayso"),
        How::Interactive,
        Arc::new(prompts.clone()),
        Arc::new(Simulated::default()),
    );
    let mut open: Vec<_> = (0..8000)
        .map(|_| Box::pin(room.gate.call(in_session(call("bash make a")))))
        .collect();
    for call in &mut open {
        assert!(
            call.as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_pending()
        );
    }
    prompts.close();
    // The last first, as when a list is taken down from its end.
    for call in open.iter_mut().rev() {
        assert!(
            call.as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_ready()
        );
    }
}
