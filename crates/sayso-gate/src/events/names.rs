//! What events are called: our own names, and those of the systems that sayso stands in for, in one table.

use super::EventKind;

/// Whose names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// Ours.
    #[default]
    Sayso,
    /// Those of profile `kollabor-spec`.
    KollaborSpec,
    /// Those of profile `opencode`.
    Opencode,
    /// Those of profile `kollabor`.
    Kollabor,
}

/// One kind of event under all its names; none where a system has no such event.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The kind.
    pub kind: EventKind,
    /// Our name.
    pub sayso: &'static str,
    /// The name under profile `kollabor-spec`.
    pub kollabor_spec: Option<&'static str>,
    /// The name under profile `opencode`.
    pub opencode: Option<&'static str>,
    /// The name under profile `kollabor`.
    pub kollabor: Option<&'static str>,
}

const fn row(
    kind: EventKind,
    sayso: &'static str,
    kollabor_spec: Option<&'static str>,
    opencode: Option<&'static str>,
    kollabor: Option<&'static str>,
) -> Row {
    Row {
        kind,
        sayso,
        kollabor_spec,
        opencode,
        kollabor,
    }
}

/// All names. A call that is granted is never told under the name of a denial, nor the other way round.
pub const TABLE: [Row; 13] = [
    row(
        EventKind::ToolCallPre,
        "tool_call_pre",
        Some("tool_call_pre"),
        None,
        Some("TOOL_CALL_PRE"),
    ),
    row(
        EventKind::Check,
        "check",
        None,
        None,
        Some("PERMISSION_CHECK"),
    ),
    row(
        EventKind::Requested,
        "requested",
        Some("permission_request"),
        Some("permission.requested"),
        Some("PERMISSION_CONFIRMATION"),
    ),
    row(
        EventKind::Responded,
        "responded",
        None,
        Some("permission.responded"),
        None,
    ),
    row(
        EventKind::Updated,
        "updated",
        None,
        Some("permission.updated"),
        None,
    ),
    row(
        EventKind::ApproveAll,
        "approve_all",
        Some("permission_approve_all"),
        None,
        None,
    ),
    row(EventKind::Quit, "quit", Some("permission_quit"), None, None),
    row(
        EventKind::Granted,
        "granted",
        Some("permission_granted"),
        None,
        Some("PERMISSION_GRANTED"),
    ),
    row(
        EventKind::Denied,
        "denied",
        Some("permission_denied"),
        None,
        Some("PERMISSION_DENIED"),
    ),
    row(
        EventKind::TimedOut,
        "timeout",
        Some("permission_timeout"),
        None,
        Some("PERMISSION_DENIED"),
    ),
    row(
        EventKind::Cancelled,
        "cancelled",
        Some("permission_denied"),
        None,
        Some("PERMISSION_DENIED"),
    ),
    row(EventKind::DryRun, "dry_run", None, None, None),
    row(
        EventKind::ToolCallPost,
        "tool_call_post",
        Some("tool_call_post"),
        None,
        Some("TOOL_CALL_POST"),
    ),
];

impl Names {
    /// The names that go with a profile.
    pub fn of_profile(profile: &str) -> Names {
        match profile {
            "kollabor-spec" => Names::KollaborSpec,
            "opencode" => Names::Opencode,
            "kollabor" => Names::Kollabor,
            _ => Names::Sayso,
        }
    }
}

/// The name of a kind; none where that system has no such event.
pub fn name(kind: EventKind, names: Names) -> Option<&'static str> {
    let row = TABLE.iter().find(|row| row.kind == kind)?;
    match names {
        Names::Sayso => Some(row.sayso),
        Names::KollaborSpec => row.kollabor_spec,
        Names::Opencode => row.opencode,
        Names::Kollabor => row.kollabor,
    }
}

/// The kinds that go by a name; several, where a system tells fewer things apart.
pub fn kinds(name: &str, names: Names) -> Vec<EventKind> {
    EventKind::ALL
        .into_iter()
        .filter(|kind| self::name(*kind, names) == Some(name))
        .collect()
}
