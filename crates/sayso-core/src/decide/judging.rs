//! One agent's look through one view of the policy at one case.

use std::collections::HashSet;

use crate::analysis::effect::EffectKind;
use crate::analysis::risk::{Risk, Tier};
use crate::answer::cause::{Cause, RootCause};
use crate::answer::rule_id::{Check, RuleId};
use crate::answer::verdict::{Confirm, Reason, Verdict};
use crate::call::tool::{Kind, Role};
use crate::decide::path_status::Standing;
use crate::decide::{Case, rule_conditions, rule_match};
use crate::policy::Part;
use crate::policy::decision::Decision;
use crate::policy::index::RuleSet;
use crate::policy::rule::{Rule, ShellRule};
use crate::policy::settings::{Resolved, Root};
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
        let reasons = dedupe(reasons, |reason| reason.cause.to_string());
        let confirm = match decision {
            Decision::Ask
                if tier >= Tier::Dangerous
                    || reasons.iter().any(|reason| reason.is(Check::Delete))
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
            self.lines.push(format!(
                "{name}: {} [{}]",
                reason.cause,
                reason.rule.place()
            ));
        }
    }
}

/// A built-in reason.
pub(super) fn reason(decision: Decision, check: Check, cause: Cause) -> Reason {
    of_rule(decision, RuleId::BuiltIn(check), cause)
}

/// A reason of a check for which a policy file gives the terms.
pub(super) fn of_setting(decision: Decision, check: Check, source: &str, cause: Cause) -> Reason {
    let source = source.to_owned();
    of_rule(decision, RuleId::Setting { check, source }, cause)
}

/// What is said of a named folder.
pub(super) fn of_root(decision: Decision, root: &Root, what: RootCause) -> Reason {
    let name = root.name.clone();
    let cause = Cause::Root { name, what };
    of_setting(decision, Check::PathRoot, &root.source, cause)
}

/// A reason of a rule.
pub(super) fn of_rule(decision: Decision, rule: RuleId, cause: Cause) -> Reason {
    Reason {
        decision,
        rule,
        cause,
        must_ask: false,
        at: None,
    }
}

/// A must-ask.
pub(super) fn must(check: Check, cause: Cause) -> Reason {
    Reason {
        must_ask: true,
        ..reason(Decision::Ask, check, cause)
    }
}

/// Built-in checks that must be asked about, the gravest first; a check that is not listed comes behind them.
const GRAVEST: [Check; 11] = [
    Check::Dangerous,
    Check::Privilege,
    Check::OwnFiles,
    Check::Delete,
    Check::Protected,
    Check::Overwrite,
    Check::Secret,
    Check::Outside,
    Check::Program,
    Check::HardLink,
    Check::McpChanged,
];

/// Each reason once, the decisive and the gravest ones first. Two causes with the same sentence are one reason.
pub(super) fn dedupe(
    mut reasons: Vec<Reason>,
    sentence: impl Fn(&Reason) -> String,
) -> Vec<Reason> {
    let rank = |reason: &Reason| {
        GRAVEST
            .iter()
            .position(|check| reason.must_ask && reason.is(*check))
            .unwrap_or(GRAVEST.len())
    };
    reasons.sort_by_key(|reason| {
        (
            std::cmp::Reverse(reason.decision),
            !reason.must_ask,
            rank(reason),
        )
    });
    reasons.dedup_by(|next, one| kind(next) == kind(one) && next.cause == one.cause);
    let mut kinds = HashSet::with_capacity(reasons.len());
    if reasons.iter().all(|reason| kinds.insert(kind(reason))) {
        return reasons;
    }
    let mut told = HashSet::with_capacity(reasons.len());
    let is_news: Vec<bool> = reasons
        .iter()
        .map(|reason| told.insert((kind(reason), sentence(reason))))
        .collect();
    let mut is_news = is_news.into_iter();
    reasons.retain(|_| is_news.next().unwrap_or(true));
    reasons
}

/// What two reasons have in common that can say the same thing.
fn kind(reason: &Reason) -> (Decision, bool, &RuleId) {
    (reason.decision, reason.must_ask, &reason.rule)
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
            reason(Decision::Allow, Check::Default, Cause::OnlyLooks),
            reason(Decision::Ask, Check::Default, Cause::Kind(EffectKind::Read)),
            reason(Decision::Deny, Check::Default, Cause::OnlyLooks),
        );
        let in_other_words = Reason {
            cause: Cause::Note("reads files".to_owned()),
            ..ask.clone()
        };
        let must = must(Check::Default, Cause::OnlyLooks);
        let all = vec![
            allow.clone(),
            at(ask.clone(), 1),
            at(in_other_words, 2),
            must.clone(),
            deny.clone(),
            must.clone(),
        ];
        let told = dedupe(all, Reason::text);
        assert_eq!(told, [deny, must, at(ask, 1), allow]);
    }
}
