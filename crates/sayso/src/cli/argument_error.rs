//! What is wrong with a value on the command line.

use sayso_agents as agents;
use sayso_core::answer::outcome::OUTCOMES;
use sayso_core::policy::mode::MODES;
use sayso_core::policy::profile::PROFILES;
use sayso_core::text::visible::visible;

/// Why a value cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("the profiles are {}", names(PROFILES.iter().map(|(name, _)| *name)))]
    Profile,
    #[error("the modes are {}", names(MODES.iter().map(|(_, word)| *word)))]
    Mode,
    #[error(
        "`{}` is no head; it looks like `42:sha256:…`, as `sayso audit head` prints it",
        visible(.0)
    )]
    Head(String),
    #[error(
        "`{}` is no time; write `30m`, `2h`, `7d`, `2026-01-31`, `2026-01-31T09:00` or RFC 3339",
        visible(.0)
    )]
    Time(String),
    #[error("write a size such as `200M` or `1G`")]
    Size,
    #[error("`{}` is none; they are {}", visible(.0), names(OUTCOMES.iter().map(|(_, word)| *word)))]
    Outcome(String),
    #[error("write an address with a port, such as `127.0.0.1:8080`, or `none`")]
    Listen,
    #[error("it is written `claude=/path/to/claude`")]
    NoProgram,
    #[error("the agents are {}", names(agents::ALL.map(agents::Which::name)))]
    Agent,
    #[error(transparent)]
    Path(#[from] std::io::Error),
    #[error("the back ends are bubblewrap and landlock")]
    Backend,
}

fn names(all: impl IntoIterator<Item = &'static str>) -> String {
    all.into_iter().collect::<Vec<_>>().join(", ")
}
