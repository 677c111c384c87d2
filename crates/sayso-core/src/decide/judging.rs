//! One agent's look through one view of the policy at one case.

use crate::analysis::effect::EffectKind;
use crate::analysis::risk::{Risk, Tier};
use crate::answer::verdict::{Confirm, Reason, Verdict};
use crate::call::tool::{Kind, Role};
use crate::decide::path_status::Standing;
use crate::decide::{Case, rule_conditions, rule_match};
use crate::policy::Part;
use crate::policy::decision::Decision;
use crate::policy::index::RuleSet;
use crate::policy::rule::{Rule, ShellRule};
use crate::policy::settings::Resolved;
use crate::policy::terms::Terms;

/// What every step of the judgement looks at.
pub(super) struct Lens<'a> {
    pub(super) case: &'a Case<'a>,
    /// The agent that is judged: the caller, or one of its parents.
    pub(super) agent: &'a str,
    pub(super) settings: &'a Resolved,
    pub(super) rule_sets: [Option<&'a RuleSet>; 2],
    pub(super) shell: Vec<&'a [ShellRule]>,
    /// What is known of each effect's path, by effect index.
    pub(super) standings: Vec<Option<Standing<'a>>>,
    /// The rules that could be about each effect, by effect index, for each set of rules: every step looks at them again.
    candidates: [Vec<Vec<&'a Rule>>; 2],
}

impl<'a> Lens<'a> {
    pub(super) fn new(
        case: &'a Case<'a>,
        agent_name: &'a str,
        general: &'a Part,
        agent: Option<&'a Part>,
    ) -> Self {
        let settings = agent.map_or(&general.settings, |part| &part.settings);
        let shell = general
            .shell
            .iter()
            .chain(agent.map_or(&[][..], |part| &part.shell))
            .map(Vec::as_slice)
            .collect();
        let standings = case
            .reading
            .effects
            .iter()
            .map(|effect| Standing::of(effect, case.reading, case.operation, settings))
            .collect();
        let rule_sets = [Some(&general.rules), agent.map(|part| &part.rules)];
        let mut lens = Lens {
            case,
            agent: agent_name,
            settings,
            rule_sets,
            shell,
            standings,
            candidates: [Vec::new(), Vec::new()],
        };
        let effects = || case.reading.effects.iter().enumerate();
        lens.candidates = rule_sets.map(|set| {
            set.map_or(Vec::new(), |set| {
                effects()
                    .map(|(index, effect)| rule_match::candidates(&lens, set, index, effect))
                    .collect()
            })
        });
        lens
    }

    /// Each set of rules with those of it that could be about an effect.
    pub(super) fn candidates(
        &self,
        effect: usize,
    ) -> impl Iterator<Item = (&'a RuleSet, &[&'a Rule])> {
        self.rule_sets
            .iter()
            .zip(&self.candidates)
            .filter_map(move |(set, list)| {
                Some(((*set)?, list.get(effect).map_or(&[][..], Vec::as_slice)))
            })
    }

    pub(super) fn standing(&self, effect: usize) -> Option<&Standing<'a>> {
        self.standings.get(effect).and_then(Option::as_ref)
    }

    pub(super) fn rule_sets(&self) -> impl Iterator<Item = &'a RuleSet> {
        self.rule_sets.into_iter().flatten()
    }

    pub(super) fn verdict(
        &self,
        decision: Decision,
        risk: Risk,
        tier: Tier,
        reasons: Vec<Reason>,
        trace: Trace,
    ) -> Verdict {
        let mut reasons = dedupe(reasons);
        for reason in reasons
            .iter_mut()
            .filter(|reason| reason.source == "built-in")
        {
            reason.text = super::excerpt::sentence(std::mem::take(&mut reason.text));
        }
        let confirm = match decision {
            Decision::Ask
                if tier >= Tier::Dangerous
                    || reasons.iter().any(|reason| reason.rule == "delete")
                        && self.settings.double_confirm_deletes =>
            {
                Confirm::Double
            }
            Decision::Ask => Confirm::Single,
            _ => Confirm::None,
        };
        let terms = Terms {
            reads: self.paths_of(&[EffectKind::Read]),
            changes: self.paths_of(&[EffectKind::Write, EffectKind::Delete]),
            repository: super::containment::is_git_alone(self),
            environment: self.case.operation.environment(),
            time_limit: self.time_limit(),
            ..self
                .settings
                .terms(&self.case.reading.surroundings.workspace)
        };
        Verdict {
            decision,
            risk,
            tier,
            confirm,
            reasons,
            effects: self.case.reading.effects.clone(),
            terms,
            digest: self.case.operation.digest(),
            trace: trace.lines,
            evidence: None,
        }
    }

    /// The paths that effects of these kinds name, outside of what a sandbox lets through anyway, or protected or secret there.
    fn paths_of(&self, kinds: &[EffectKind]) -> Vec<String> {
        if self.case.operation.kind() != Kind::Terminal {
            return Vec::new();
        }
        let effects = self
            .case
            .reading
            .effects
            .iter()
            .enumerate()
            .filter(|(_, effect)| kinds.contains(&effect.kind) && effect.certain);
        let standings = effects
            .filter_map(|(index, _)| self.standing(index))
            .filter(|standing| !standing.sink);
        let special = |standing: &&Standing<'_>| {
            !standing.in_workspace || standing.protected.is_some() || standing.secret.is_some()
        };
        let mut paths: Vec<String> = standings
            .filter(special)
            .map(|standing| standing.fact.canonical.clone())
            .collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// How long the call may run, in seconds: what it says itself, or what the policy says for its kind.
    fn time_limit(&self) -> Option<u64> {
        let operation = self.case.operation;
        let given = operation.argument(Role::TimeLimit).and_then(|node| {
            let milliseconds = operation
                .args()
                .entries()
                .iter()
                .any(|entry| std::ptr::eq(&entry.node, node) && entry.key.ends_with("_ms"));
            node.as_whole().map(|number| {
                if milliseconds {
                    number.div_ceil(1000)
                } else {
                    number
                }
            })
        });
        given.or(match operation.kind() {
            Kind::Terminal => Some(self.settings.command_timeout),
            Kind::Mcp => Some(self.settings.mcp_timeout),
            _ => None,
        })
    }

    /// Whether a rule's conditions hold. What is not known keeps an allow rule from counting, and not an ask or deny rule.
    pub(super) fn counts(&self, rule: &Rule) -> bool {
        rule.when.is_always() || rule_conditions::conditions_hold(self, rule)
    }
}

/// The steps of a judgement in words, kept only where somebody will read them.
pub(super) struct Trace {
    on: bool,
    lines: Vec<String>,
}

impl Trace {
    pub(super) fn new(on: bool) -> Self {
        Trace {
            on,
            lines: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        if self.on {
            self.lines.push(text.to_owned());
        }
    }

    pub(super) fn step(&mut self, name: &str, reasons: &[Reason]) {
        if !self.on {
            return;
        }
        if reasons.is_empty() {
            self.lines.push(format!("{name}: none"));
        }
        for reason in reasons {
            self.lines
                .push(format!("{name}: {} [{}]", reason.text, reason.place()));
        }
    }
}

/// A built-in reason.
pub(super) fn reason(decision: Decision, rule: &str, text: &str) -> Reason {
    Reason {
        decision,
        rule: rule.to_owned(),
        source: "built-in".to_owned(),
        text: text.to_owned(),
        must_ask: false,
        at: None,
    }
}

/// A must-ask.
pub(super) fn must(rule: &str, text: String) -> Reason {
    Reason {
        decision: Decision::Ask,
        rule: rule.to_owned(),
        source: "built-in".to_owned(),
        text,
        must_ask: true,
        at: None,
    }
}

/// Built-in checks that must be asked about, the gravest first; a check that is not listed comes behind them.
const GRAVEST: [&str; 11] = [
    "dangerous",
    "privilege",
    "own-files",
    "delete",
    "protected",
    "overwrite",
    "secret",
    "outside",
    "program",
    "hard-link",
    "mcp-changed",
];

/// Each reason once, the decisive and the gravest ones first.
pub(super) fn dedupe(mut reasons: Vec<Reason>) -> Vec<Reason> {
    let rank = |reason: &Reason| {
        GRAVEST
            .iter()
            .position(|rule| reason.must_ask && *rule == reason.rule)
            .unwrap_or(GRAVEST.len())
    };
    reasons.sort_by_key(|reason| {
        (
            std::cmp::Reverse(reason.decision),
            !reason.must_ask,
            rank(reason),
        )
    });
    let mut seen = std::collections::HashSet::with_capacity(reasons.len());
    reasons.retain(|reason| {
        seen.insert(Reason {
            at: None,
            ..reason.clone()
        })
    });
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_told_once_and_the_decisive_ones_first() {
        let at = |reason: Reason, at: usize| Reason {
            at: Some((at, at)),
            ..reason
        };
        let (allow, ask, deny) = (
            reason(Decision::Allow, "a", "x"),
            reason(Decision::Ask, "b", "x"),
            reason(Decision::Deny, "c", "x"),
        );
        let must = must("d", "x".to_owned());
        let told = dedupe(vec![
            allow.clone(),
            at(ask.clone(), 1),
            at(ask.clone(), 2),
            must.clone(),
            deny.clone(),
            must.clone(),
        ]);
        assert_eq!(told, [deny, must, at(ask, 1), allow]);
    }
}
