//! How a run starts, and what every mode does to a question.

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_gate::entry::What;
use sayso_gate::run_mode::{Flags, settle};
use sayso_gate::simulated::Say;

use super::room::Room;
use crate::bench::{Setup, call};

#[test]
fn us_15_d_08_without_a_terminal_somebody_has_to_say_what_to_do() {
    let none = Flags::default();
    let refused = settle(none, false).unwrap_err().to_string();
    assert!(
        refused.contains("--strict") && refused.contains("--approve-all"),
        "{refused}"
    );
    assert_eq!(settle(none, true), Ok(How::Interactive));
    assert_eq!(
        settle(
            Flags {
                answers: true,
                ..none
            },
            false
        ),
        Ok(How::Interactive)
    );
    for (flags, how) in [
        (Flags { yolo: true, ..none }, How::Yolo),
        (
            Flags {
                approve_all: true,
                ..none
            },
            How::ApproveAll,
        ),
        (
            Flags {
                strict: true,
                ..none
            },
            How::Strict,
        ),
    ] {
        assert_eq!(
            (settle(flags, true), settle(flags, false)),
            (Ok(how), Ok(how))
        );
    }
    for two in [
        Flags {
            yolo: true,
            strict: true,
            ..none
        },
        Flags {
            approve_all: true,
            strict: true,
            ..none
        },
        Flags {
            yolo: true,
            approve_all: true,
            ..none
        },
    ] {
        assert!(
            settle(two, true)
                .unwrap_err()
                .to_string()
                .contains("exclude each other")
        );
    }
}

#[test]
fn c_09_every_change_of_mode_is_an_entry_and_answers_no_prompt() {
    let room = Room::new("sayso", How::Interactive, &[]);
    room.gate.set_how(How::ApproveAll).unwrap();
    room.gate.set_how(How::Strict).unwrap();
    room.gate
        .set_policy(std::sync::Arc::new(
            Setup::with("sayso", "mode: safe-only").policy,
        ))
        .unwrap();
    let changes: Vec<(String, String)> = room
        .shelf
        .memory
        .entries()
        .iter()
        .filter_map(|entry| match &entry.what {
            What::Mode { from, to } => Some((from.clone(), to.clone())),
            _ => None,
        })
        .collect();
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(
        changes,
        [
            pair("interactive", "approve-all"),
            pair("approve-all", "strict"),
            pair("balanced", "safe-only")
        ]
    );
}

#[test]
fn yolo_and_approve_all_are_written_down_when_they_start() {
    for how in [How::Yolo, How::ApproveAll] {
        assert_eq!(Room::new("sayso", how, &[]).entries(), ["mode"]);
    }
    assert!(Room::new("sayso", How::Strict, &[]).entries().is_empty());
}

#[test]
fn seed_000_yolo_asks_nothing() {
    let room = Room::new("kollabor-spec", How::Yolo, &[]);
    for text in [
        "bash make a",
        "file_delete old_file.py",
        "bash rm -rf node_modules",
        "bash rm -rf /",
    ] {
        assert_eq!(
            room.call(call(text)).outcome,
            Outcome::AutoApproved,
            "{text}"
        );
    }
    assert!(room.person.seen().is_empty());
    assert_eq!(
        Room::new("sayso", How::Yolo, &[])
            .call(call("bash rm -rf /"))
            .outcome,
        Outcome::Blocked,
        "elsewhere a catastrophe stays denied"
    );
}

#[test]
fn h_58_strict_never_prompts_whoever_could_answer() {
    let room = Room::new("llm-do", How::Strict, &[Say::Yes(Scope::Once)]);
    let finished = room.call(call("my_tool x"));
    assert_eq!(
        (finished.outcome, room.person.seen().len()),
        (Outcome::Blocked, 0)
    );
    assert_eq!(finished.message, "Strict mode: approval required");
}

#[test]
fn z_38_disabled_stops_prompts_for_low_and_medium_only() {
    let setup = Setup::with("sayso", "enabled: false");
    let outcome = |text: &str| {
        Room::with(&setup, How::Interactive, &[])
            .call(call(text))
            .outcome
    };
    assert_eq!(outcome("file_edit src/main.rs"), Outcome::AutoApproved);
    assert_eq!(outcome("file_delete src/main.rs"), Outcome::Denied);
    assert_eq!(outcome("bash rm -rf node_modules"), Outcome::Denied);
    assert_eq!(outcome("bash rm -rf /"), Outcome::Blocked);
}

#[test]
fn l_11_messages_stay_as_each_system_knows_them() {
    for (profile, say, message) in [
        ("kollabor-spec", Say::No, "Operation denied by user"),
        (
            "kollabor-spec",
            Say::Nothing,
            "Operation timed out awaiting approval",
        ),
        (
            "kollabor-spec",
            Say::Quit,
            "User requested to stop execution",
        ),
        (
            "llm-do",
            Say::NoBecause("too big".into()),
            "Approval denied: too big",
        ),
        ("opencode", Say::No, "permission denied by user"),
        ("opencode", Say::Nothing, "permission request timed out"),
        (
            "sayso",
            Say::No,
            "denied by the person. nothing was changed",
        ),
        (
            "sayso",
            Say::NoBecause("use make".into()),
            "denied by the person: use make. nothing was changed",
        ),
        (
            "sayso",
            Say::Nothing,
            "nobody answered in time, so it was denied. nothing was changed",
        ),
    ] {
        let room = Room::new(profile, How::Interactive, &[say.clone(), say]);
        assert_eq!(room.call(call("my_tool x")).message, message, "{profile}");
    }
}

#[test]
fn x_01_h_56_the_timeout_of_the_policy_is_the_timeout_of_the_prompt() {
    for (profile, user, timeout) in [
        ("sayso", "", Some(300)),
        ("kollabor-spec", "", Some(30)),
        ("opencode", "", Some(300)),
        ("forge", "", None),
        ("llm-do", "", None),
        ("kollabor", "", None),
        ("sayso", "approval_timeout: 10", Some(10)),
        ("sayso", "approval_timeout: 0", None),
    ] {
        let room = Room::with(&Setup::with(profile, user), How::Interactive, &[]);
        room.call(call("my_tool x"));
        assert_eq!(room.person.seen()[0].timeout, timeout, "{profile} {user}");
    }
}
