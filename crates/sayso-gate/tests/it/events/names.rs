//! The table of names: every kind once, no denial under the name of a grant, and the same table in the guide.

use sayso_gate::events::names::{Names, TABLE, kinds, name};
use sayso_gate::events::{EventKind, PRIORITIES};

#[test]
fn every_kind_has_one_row_and_one_name_of_ours() {
    assert_eq!(TABLE.map(|row| row.kind), EventKind::ALL);
    for row in TABLE {
        assert_eq!(kinds(row.sayso, Names::Sayso), [row.kind]);
    }
}

#[test]
fn ledger_3_10_all_names_are_there() {
    for (names, known) in [
        (
            Names::KollaborSpec,
            &[
                "permission_request",
                "permission_granted",
                "permission_denied",
                "permission_timeout",
                "permission_approve_all",
                "permission_quit",
                "tool_call_pre",
                "tool_call_post",
            ][..],
        ),
        (
            Names::Opencode,
            &[
                "permission.requested",
                "permission.responded",
                "permission.updated",
            ],
        ),
        (
            Names::Kollabor,
            &[
                "PERMISSION_CHECK",
                "PERMISSION_CONFIRMATION",
                "PERMISSION_GRANTED",
                "PERMISSION_DENIED",
                "TOOL_CALL_PRE",
                "TOOL_CALL_POST",
            ],
        ),
        (
            Names::Sayso,
            &[
                "check",
                "requested",
                "granted",
                "denied",
                "timeout",
                "approve_all",
                "quit",
                "responded",
                "updated",
            ],
        ),
    ] {
        for known in known {
            assert!(!kinds(known, names).is_empty(), "{names:?} {known}");
        }
    }
    // Z-53: a slip and an inner event of the first design are no names.
    for wrong in ["password_denied", "permission_decision"] {
        assert!(kinds(wrong, Names::KollaborSpec).is_empty());
    }
}

#[test]
fn z_52_no_name_is_both_a_grant_and_a_denial() {
    for names in [
        Names::Sayso,
        Names::KollaborSpec,
        Names::Opencode,
        Names::Kollabor,
    ] {
        if let Some(granted) = name(EventKind::Granted, names) {
            assert_eq!(kinds(granted, names), [EventKind::Granted]);
        }
    }
}

#[test]
fn a_profile_has_the_names_of_its_system() {
    for (profile, names) in [
        ("sayso", Names::Sayso),
        ("kollabor-spec", Names::KollaborSpec),
        ("opencode", Names::Opencode),
        ("kollabor", Names::Kollabor),
        ("forge", Names::Sayso),
    ] {
        assert_eq!(Names::of_profile(profile), names);
    }
}

/// The guide shows the tables as they are.
#[test]
fn the_guide_says_the_same() {
    let guide = include_str!("../../../../../docs/guide/events.md");
    let cell = |name: Option<&str>| name.map_or("–".to_owned(), |name| format!("`{name}`"));
    for row in TABLE {
        let line = format!(
            "| `{}` | {} | {} | {} |",
            row.sayso,
            cell(row.kollabor_spec),
            cell(row.opencode),
            cell(row.kollabor)
        );
        assert!(
            guide.lines().any(|shown| shown.starts_with(&line)),
            "the guide lacks {line}"
        );
    }
    for (priority, name) in PRIORITIES {
        assert!(
            guide.contains(&format!("`{name}` {}", priority.0)),
            "the guide lacks {name}"
        );
    }
}
