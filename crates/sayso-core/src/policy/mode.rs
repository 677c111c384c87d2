//! How eager sayso is to ask.

use crate::packed::packed;

/// How eager to ask. What a mode means for an effect is decided in [`decide`](crate::decide).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Asks for everything, reads too.
    ConfirmAll,
    /// Silent for what is provably read-only in the workspace, and for prose.
    Balanced,
    /// Asks for high and unknown risk.
    HighRiskOnly,
    /// Balanced, and silent for file edits in the workspace.
    AutoApproveEdits,
    /// Denies what balanced would ask.
    SafeOnly,
    /// Asks nothing; hard denials hold.
    TrustAll,
}

packed! { enum Mode { ConfirmAll, Balanced, HighRiskOnly, AutoApproveEdits, SafeOnly, TrustAll } }

/// All modes with their word, in the order people see them.
pub const MODES: [(Mode, &str); 6] = [
    (Mode::ConfirmAll, "confirm-all"),
    (Mode::Balanced, "balanced"),
    (Mode::HighRiskOnly, "high-risk-only"),
    (Mode::AutoApproveEdits, "auto-approve-edits"),
    (Mode::SafeOnly, "safe-only"),
    (Mode::TrustAll, "trust-all"),
];

impl Mode {
    /// The word used in policy files and messages.
    pub fn word(self) -> &'static str {
        MODES
            .iter()
            .find(|(mode, _)| *mode == self)
            .map_or("confirm-all", |(_, word)| word)
    }

    /// The mode of a word; `confirm_all` and `confirm-all` are the same, and `default` is an old name of `high-risk-only`.
    pub fn from_word(word: &str) -> Option<Mode> {
        let plain = word.replace('_', "-");
        if plain == "default" {
            return Some(Mode::HighRiskOnly);
        }
        MODES
            .iter()
            .find(|(_, name)| *name == plain)
            .map(|(mode, _)| *mode)
    }
}
