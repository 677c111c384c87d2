//! One judgement a call: every door reads and judges a call once, and once more where something changed before it was decided.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use pollster::block_on;
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::grant::Reach;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::call::operation::{Call, McpIdentity};
use sayso_core::policy::decision::Decision;
use sayso_core::prompt::{Choice, Ended, Prompt};
use sayso_gate::batch::Options;
use sayso_gate::batch_context::Turn;
use sayso_gate::host::{Answer, Asker};
use sayso_gate::library::{GatedTools, Request, Tool};
use sayso_gate::ports::{Ask, Later, Store as _};
use sayso_gate::resume::Held;
use sayso_gate::simulated::{Say, Simulated};

use super::held::{exact, grant};
use super::room::Room;
use crate::bench::{Setup, call};
use crate::library::{Still, args};

const YES: Say = Say::Yes(Scope::Once);
const MAKE: &str = "bash make all";

/// How many calls come to a door, and how often they are judged there.
type Door = (&'static str, u64, fn(&Room));

fn shop() -> Call {
    Call {
        mcp: Some(McpIdentity::default()),
        ..Call::new("mcp__shop__buy", args([("what", "bread")]), "/ws")
    }
}

fn hold_and_resume(room: &Room, held: &Held) {
    let again = Held::read(&held.write()).unwrap();
    let approved = room.gate.resume(again).unwrap();
    assert!(block_on(room.gate.run(approved)).succeeded());
}

const DOORS: [Door; 12] = [
    ("run, allowed", 1, |room| {
        assert!(room.call(call("bash git status")).succeeded());
    }),
    ("run, denied", 1, |room| {
        assert!(!room.call(call("bash rm -rf /")).succeeded());
    }),
    ("run, asked", 1, |room| {
        assert!(room.call(call(MAKE)).succeeded());
    }),
    ("a batch of three", 3, |room| {
        let calls = vec![call(MAKE), call("bash git status"), call("bash rm -rf /")];
        block_on(room.gate.batch(calls, Options::default()));
    }),
    ("hook, the host asks", 1, |room| {
        let answer = room.gate.answer(call(MAKE), &|_, _| Ok(Asker::Host));
        assert!(matches!(answer, Answer::Ask(_)));
    }),
    ("hook, the inbox asks", 1, |room| {
        let answer = room.gate.answer(call(MAKE), &|_, _| Ok(Asker::Gate));
        assert!(matches!(answer, Answer::Run(_)));
    }),
    ("hook, nobody asks", 1, |room| {
        let refuse = |_: &_, _: &_| Err(sayso_gate::error::port_error("no dialog"));
        let answer = room.gate.answer(call(MAKE), &refuse);
        assert!(matches!(answer, Answer::Refuse(_)));
    }),
    ("hook, one of several calls", 1, |room| {
        let judged = room.gate.judge_calls(&[call(MAKE)]).unwrap().remove(0);
        let answer = room.gate.answer_judged(judged, &|_, _| Ok(Asker::Gate));
        assert!(matches!(answer, Answer::Run(_)));
    }),
    ("held, and resumed by another process", 2, |room| {
        let approved = block_on(room.gate.hold(call(MAKE), &mut Turn::alone())).unwrap();
        hold_and_resume(room, &room.gate.set_aside(approved).unwrap());
    }),
    ("asked by the host, and resumed by exec", 2, |room| {
        let Answer::Ask(asked) = room.gate.answer(call(MAKE), &|_, _| Ok(Asker::Host)) else {
            panic!("the host asks")
        };
        let by = DecidedBy::from_text("ann");
        hold_and_resume(room, &room.gate.set_aside_asked(*asked, by).unwrap());
    }),
    ("MCP, a call that is passed on", 1, |room| {
        assert!(room.call(shop()).succeeded());
    }),
    ("ACP, a call that the agent runs", 1, |room| {
        let approved = block_on(room.gate.hold(call(MAKE), &mut Turn::alone())).unwrap();
        drop(approved);
    }),
];

#[test]
fn every_door_judges_a_call_once() {
    for (door, judgements, go) in DOORS {
        let room = Room::new("sayso", How::Interactive, &[YES]);
        go(&room);
        assert_eq!(room.gate.judgements(), judgements, "{door}");
    }
}

#[test]
fn a_call_is_read_once_and_looked_at_again_only_after_a_yes() {
    for (text, reads) in [("bash git status", 1), ("bash rm -rf /", 1), (MAKE, 2)] {
        let room = Room::new("sayso", How::Interactive, &[YES]);
        room.call(call(text));
        assert_eq!(room.world.asked.load(Ordering::SeqCst), reads, "{text}");
    }
}

#[test]
fn the_library_judges_a_call_once() {
    let person = Arc::new(Simulated::new([YES, YES]));
    let tools = GatedTools::builder("/ws", Still::project())
        .person(person)
        .tool(Tool::new("deploy", |_| Ok::<_, String>(args([]))))
        .build()
        .unwrap();
    block_on(tools.call("deploy", args([]))).unwrap();
    assert_eq!(tools.gate().judgements(), 1);
    let request = Request::simple("deploy", args([("stage", "live")]), None, &[]);
    let approved = block_on(tools.request_approval(request)).unwrap();
    assert!(block_on(tools.run(approved)).ran.is_some());
    assert_eq!(tools.gate().judgements(), 2);
}

/// Says yes to everything, and lets the test do something before the first answer.
#[derive(Default)]
struct Slow(AtomicBool);

impl Ask for Slow {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(poll_fn(move |_| {
            match self.0.swap(true, Ordering::SeqCst) {
                false => Poll::Pending,
                true => Poll::Ready(Ended::Answered {
                    answer: prompt.answer(Choice::Offer(0)),
                    by: "ann".into(),
                }),
            }
        }))
    }
}

/// What changes while a call is asked about, and how often it is judged then.
type Change = (&'static str, &'static str, &'static str, u64, fn(&Room));

fn set_policy(room: &Room, text: &str) {
    let policy = Setup::with("sayso", text).policy;
    room.gate.set_policy(Arc::new(policy)).unwrap();
}

const CHANGES: [Change; 8] = [
    ("nothing", "", MAKE, 1, |_| {}),
    ("a policy", "", MAKE, 2, |room| {
        set_policy(room, "rules: []\n")
    }),
    // Once to see that it is stricter, and once to decide by it.
    ("a stricter policy", "", MAKE, 3, |room| {
        set_policy(room, "rules: [{deny: {command: \"make *\"}}]\n");
    }),
    ("the mode of the run", "", MAKE, 2, |room| {
        room.gate.set_how(How::Yolo).unwrap();
    }),
    ("a plugin", "", MAKE, 2, |room| {
        let plugin = |_: &_, _: &_| Some((Decision::Ask, "careful".to_owned()));
        room.gate.add_plugin("careful", Arc::new(plugin));
    }),
    (
        "the time, for a rule that ends",
        "rules: [{allow: {command: \"ls\"}, when: {until: 2099-01-01}}]\n",
        MAKE,
        2,
        |_| {},
    ),
    (
        "perhaps a script that it runs",
        "",
        "bash sh ./s.sh",
        2,
        |_| {},
    ),
    ("a script that it runs", "", "bash sh ./s.sh", 2, |room| {
        room.world.write("/ws/s.sh", "rm -rf ~");
    }),
];

#[test]
fn what_changes_while_a_call_is_asked_about_is_judged_once_more() {
    for (change, policy, text, judgements, go) in CHANGES {
        let slow = Arc::new(Slow::default());
        let setup = Setup::with("sayso", policy);
        let room = Room::asking(&setup, How::Interactive, slow, Arc::default());
        room.world.write("/ws/s.sh", "echo harmless");
        let mut waiting = pin!(room.gate.call(call(text)));
        let polled = waiting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "{change}: it is asked about");
        assert_eq!(room.gate.judgements(), 1, "{change}: before");
        go(&room);
        block_on(waiting);
        assert_eq!(room.gate.judgements(), judgements, "{change}");
    }
}

#[test]
fn a_grant_that_another_call_used_up_meanwhile_is_judged_once_more() {
    let room = Room::new("sayso", How::Interactive, &[YES]);
    room.shelf
        .remember(grant(exact(), Reach::Always, Some(1)))
        .unwrap();
    room.shelf.taken.store(true, Ordering::SeqCst);
    assert!(room.call(call(MAKE)).succeeded());
    assert_eq!((room.gate.judgements(), room.person.seen().len()), (2, 1));
}
