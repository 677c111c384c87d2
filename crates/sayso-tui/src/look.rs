//! How prompts look, as the policy says, and which of them look grave.

use sayso_core::keymap::Keymap;
use sayso_core::prompt::{Prompt, Round};
use sayso_core::verdict::{Confirm, Risk, Tier, Verdict};

use crate::theme::Theme;

/// What the policy and the terminal say about how prompts look.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Which keys answer.
    pub keymap: &'static Keymap,
    /// Whether the risk is shown.
    pub risk: bool,
    /// Whether the rule that made it ask is shown.
    pub rule: bool,
    /// Whether Enter approves a routine prompt.
    pub enter_approves: bool,
    /// Colours.
    pub theme: Theme,
}

/// Whether a prompt looks different from a routine one.
pub fn is_grave(verdict: &Verdict) -> bool {
    verdict.tier != Tier::None || verdict.risk == Risk::High || must_ask(verdict)
}

/// Whether all of it has to be looked at before a yes.
pub fn must_be_seen(prompt: &Prompt) -> bool {
    // Whoever is asked for the second time has seen it the first time.
    prompt.round != Round::Second && (is_grave(&prompt.verdict) || prompt.verdict.risk >= Risk::High)
}

/// Whether Enter may be a yes, where the policy lets it be one (Z-03).
pub fn is_routine(prompt: &Prompt) -> bool {
    prompt.round == Round::Only
        && prompt.verdict.confirm != Confirm::Double
        && matches!(prompt.verdict.risk, Risk::Low | Risk::Medium)
        && !must_ask(&prompt.verdict)
}

fn must_ask(verdict: &Verdict) -> bool {
    verdict.reasons.iter().any(|reason| reason.must_ask)
}
