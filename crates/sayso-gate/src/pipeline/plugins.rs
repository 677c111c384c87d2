//! Rules of plugins: they may make a verdict stricter, and never looser.

use std::sync::{Arc, PoisonError};

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::cause::Cause;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::verdict::{Confirm, Reason, Verdict};
use sayso_core::call::operation::Operation;
use sayso_core::policy::decision::Decision;

use super::gate::Gate;

/// A rule of a plugin. It may only tighten: what it says is taken if it is stricter than the verdict.
pub type Tighten = Arc<dyn Fn(&Operation, &Reading) -> Option<(Decision, String)> + Send + Sync>;

impl Gate {
    /// Adds a rule of a plugin.
    pub fn add_plugin(&self, name: impl Into<String>, tighten: Tighten) {
        self.plugins
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push((name.into(), tighten));
        self.changed();
    }

    /// Lets plugins make a verdict stricter; says whether there are any. One that breaks makes it a denial.
    pub(crate) fn tighten(
        &self,
        operation: &Operation,
        reading: &Reading,
        verdict: &mut Verdict,
    ) -> bool {
        let plugins = self.plugins.read().unwrap_or_else(PoisonError::into_inner);
        for (name, plugin) in plugins.iter() {
            let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                plugin(operation, reading)
            }));
            let (decision, cause) = match said {
                Ok(None) => continue,
                Ok(Some((decision, text))) => (decision, Cause::Said(text)),
                Err(panic) => {
                    let how = crate::panic_guard::words(panic.as_ref());
                    (Decision::Deny, Cause::PluginBroke(how))
                }
            };
            // Nobody can be asked in a run that does not ask.
            let decision =
                if decision == Decision::Ask && matches!(self.how(), How::Strict | How::Nobody) {
                    Decision::Deny
                } else {
                    decision
                };
            if decision > verdict.decision {
                verdict.decision = decision;
                let reason = Reason {
                    decision,
                    rule: RuleId::Plugin { name: name.clone() },
                    cause,
                    must_ask: decision == Decision::Ask,
                    at: None,
                };
                verdict.reasons.insert(0, reason);
                if decision == Decision::Ask {
                    verdict.confirm = verdict.confirm.max(Confirm::Single);
                }
            }
        }
        !plugins.is_empty()
    }
}
