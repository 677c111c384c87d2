//! How prompts look, as the policy says, and which of them look grave.

use sayso_core::analysis::risk::{Level, Risk, Tier};
use sayso_core::answer::verdict::Verdict;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::keymap::Keymap;
use sayso_core::prompt::{Prompt, Round, Style};

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
    /// Whether Enter approves a routine prompt, until a key is pressed that means nothing.
    pub enter_approves: bool,
    /// Colours.
    pub theme: Theme,
}

impl Look {
    /// As the settings say, with colours unless `NO_COLOR` is set.
    pub fn of(settings: &Resolved) -> Look {
        let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Look {
            keymap: Keymap::named(settings.keymap.word()),
            risk: settings.show_risk_level,
            rule: settings.show_matched_pattern,
            enter_approves: settings.enter_approves,
            theme: if colours {
                Theme::COLOURS
            } else {
                Theme::PLAIN
            },
        }
    }
}

/// Whether a prompt looks different from a routine one.
pub fn is_grave(verdict: &Verdict) -> bool {
    verdict.tier != Tier::None || verdict.risk == Risk::High || verdict.must_ask()
}

/// Whether a prompt is shown in a few rows, with everything else behind a key: one of low or medium risk, and any that is not grave on the
/// status lines.
pub fn is_compact(prompt: &Prompt) -> bool {
    let alone = prompt.round == Round::Only
        && prompt.group.is_empty()
        && prompt.alike.is_none()
        && !prompt.offers.is_empty();
    alone
        && !is_grave(&prompt.verdict)
        && (prompt.verdict.level() <= Level::Medium || prompt.style == Style::Status)
}

/// Whether all of it has to be looked at before a yes.
pub fn must_be_seen(prompt: &Prompt) -> bool {
    // Whoever is asked for the second time has seen it the first time.
    prompt.round != Round::Second
        && (is_grave(&prompt.verdict) || prompt.verdict.risk >= Risk::High)
}
