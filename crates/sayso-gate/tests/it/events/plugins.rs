//! Rules of plugins: they make a verdict stricter or leave it as it is, and one that breaks denies.

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::policy::decision::Decision;
use sayso_gate::simulated::Say;

use crate::bench::call;
use crate::flow::room::Room;

/// What comes out for a call with a plugin that says this.
fn with_plugin(
    how: How,
    said: Option<Decision>,
    text: &str,
    script: &[Say],
) -> (Outcome, usize, String) {
    let room = Room::new("sayso", how, script);
    room.gate.add_plugin(
        "strict",
        Arc::new(move |_, _| said.map(|decision| (decision, "because".to_owned()))),
    );
    let finished = room.call(call(text));
    (finished.outcome, room.person.seen().len(), finished.message)
}

#[test]
fn e_04_a_plugin_can_only_tighten() {
    const SILENT: &str = "file_read src/main.rs";
    const ASKS: &str = "file_edit src/main.rs";
    const DENIED: &str = "bash rm -rf /";
    let yes = [Say::Yes(Scope::Once)];
    use Decision::{Allow, Ask, Deny};
    for (said, text, outcome, prompts) in [
        (None, SILENT, Outcome::AutoApproved, 0),
        (Some(Allow), SILENT, Outcome::AutoApproved, 0),
        (Some(Ask), SILENT, Outcome::Approved, 1),
        (Some(Deny), SILENT, Outcome::Blocked, 0),
        (None, ASKS, Outcome::Approved, 1),
        (Some(Allow), ASKS, Outcome::Approved, 1),
        (Some(Ask), ASKS, Outcome::Approved, 1),
        (Some(Deny), ASKS, Outcome::Blocked, 0),
        (Some(Allow), DENIED, Outcome::Blocked, 0),
        (Some(Ask), DENIED, Outcome::Blocked, 0),
    ] {
        let (got, seen, message) = with_plugin(How::Interactive, said, text, &yes);
        assert_eq!(
            (got, seen),
            (outcome, prompts),
            "{said:?} {text}: {message}"
        );
    }
    let (_, _, message) = with_plugin(How::Interactive, Some(Deny), SILENT, &[]);
    assert_eq!(
        message,
        "denied by policy: because [strict, plugin strict]. nothing was changed"
    );
}

#[test]
fn a_plugin_that_asks_where_nobody_is_asked_denies() {
    for how in [How::Strict, How::Nobody] {
        let (outcome, prompts, _) =
            with_plugin(how, Some(Decision::Ask), "file_read src/main.rs", &[]);
        assert_eq!((outcome, prompts), (Outcome::Blocked, 0), "{how:?}");
    }
}

#[test]
fn a_plugin_that_breaks_denies() {
    let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
    room.gate
        .add_plugin("broken", Arc::new(|_, _| panic!("no idea")));
    let finished = room.call(call("file_read src/main.rs"));
    assert_eq!(finished.outcome, Outcome::Blocked);
    assert!(
        finished
            .message
            .contains("the plugin broke: no idea [broken, plugin broken]"),
        "{}",
        finished.message
    );
    assert!(room.ran().is_empty() && room.person.seen().is_empty());
}

#[test]
fn the_strictest_of_several_counts_in_any_order() {
    use Decision::{Allow, Ask, Deny};
    for order in [[Allow, Ask, Deny], [Deny, Ask, Allow], [Ask, Deny, Allow]] {
        let room = Room::new("sayso", How::Interactive, &[Say::Yes(Scope::Once)]);
        for (index, decision) in order.into_iter().enumerate() {
            room.gate.add_plugin(
                format!("p{index}"),
                Arc::new(move |_, _| Some((decision, String::new()))),
            );
        }
        assert_eq!(
            room.call(call("file_read src/main.rs")).outcome,
            Outcome::Blocked,
            "{order:?}"
        );
    }
}

/// A plugin that asked is asked again: an answer for the session does not silence it.
#[test]
fn what_a_plugin_asks_is_asked_every_time() {
    let room = Room::new(
        "sayso",
        How::Interactive,
        &[Say::Yes(Scope::Once), Say::Yes(Scope::Once)],
    );
    room.gate.add_plugin(
        "careful",
        Arc::new(|_, _| Some((Decision::Ask, "look at it".to_owned()))),
    );
    for count in 1..=2 {
        assert_eq!(
            room.call(call("file_read src/main.rs")).outcome,
            Outcome::Approved
        );
        assert_eq!(room.person.seen().len(), count);
    }
    let scopes: Vec<Scope> = room.person.seen()[0]
        .offers
        .iter()
        .map(|offer| offer.scope)
        .collect();
    assert_eq!(scopes, [Scope::Once]);
}
