//! Rules that may only be used so often: each call that one of them allows is one use, also of several at once.

use sayso_core::answer::verdict::Verdict;
use sayso_core::policy::decision::Decision;

use crate::gate::Gate;

impl Gate {
    /// Counts the use of the rules that allowed a call. False if one of them was used up by another call meanwhile.
    pub(crate) fn spend(&self, verdict: &Verdict) -> bool {
        let policy = self.policy();
        let parts = policy
            .views()
            .iter()
            .flat_map(|view| std::iter::once(&view.general).chain(view.agents.values()));
        let limited = parts
            .flat_map(|part| part.rules.limited())
            .filter_map(|rule| Some((rule.id.as_str(), rule.when.uses?)));
        let allowed = |id: &str| {
            verdict
                .reasons
                .iter()
                .any(|reason| reason.decision == Decision::Allow && reason.rule == id)
        };
        let mut used: Vec<(&str, u64)> = limited.filter(|(id, _)| allowed(id)).collect();
        // The same rule stands in several views, and of several with one id the smallest number counts.
        used.sort_unstable();
        used.dedup_by_key(|(id, _)| *id);
        used.into_iter()
            .all(|(id, most)| self.ports.store.spend(id, most))
    }
}
