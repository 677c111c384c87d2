//! The answer of the judge: a decision with its risk, its reasons and its terms. Never a bare bool.

use std::collections::HashSet;
use std::sync::Arc;

use crate::analysis::effect::Effect;
use crate::analysis::risk::{Level, Risk, Tier};
use crate::answer::cause::Cause;
use crate::answer::evidence::Evidence;
use crate::answer::rule_id::{Check, GrantId, RuleId};
use crate::policy::decision::Decision;
use crate::policy::terms::Terms;
use crate::text::digest::Digest;

/// How often a person has to say yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confirm {
    /// Not at all.
    None,
    /// Once.
    Single,
    /// Twice, with two fresh keys.
    Double,
}

/// Why the verdict is what it is.
#[derive(Clone, Debug, Eq)]
pub struct Reason {
    /// What this reason alone would decide.
    pub decision: Decision,
    /// The rule or check.
    pub rule: RuleId,
    /// Why, as data; [`Reason::text`] is the sentence.
    pub cause: Cause,
    /// A must-ask, which only a rule that names exactly this can silence; a prompt for it offers once and deny only.
    pub must_ask: bool,
    /// Which bytes of the command text made it so, from the first to behind the last.
    pub at: Option<(usize, usize)>,
}

/// The answer to one operation.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub decision: Decision,
    /// The worst risk of its effects.
    pub risk: Risk,
    /// The worst danger.
    pub tier: Tier,
    /// How often a person has to confirm.
    pub confirm: Confirm,
    /// Why, the decisive ones first.
    pub reasons: Vec<Reason>,
    /// What it would do.
    pub effects: Vec<Effect>,
    /// Under what terms it may run.
    pub terms: Terms,
    /// The digest of exactly what was judged.
    pub digest: Digest,
    /// What was tried on the way, for `--explain`.
    pub trace: Vec<String>,
    /// What it rests on; whoever asked the world puts it here.
    pub evidence: Option<Arc<Evidence>>,
}

impl Reason {
    /// In plain words.
    pub fn text(&self) -> String {
        self.cause.text(&self.rule)
    }

    /// Whether it is this built-in check of the command itself, and not a rule that was given the same name.
    pub fn is(&self, check: Check) -> bool {
        self.rule == RuleId::BuiltIn(check)
    }

    /// Whether it says no more than which kind of thing would happen, so that any closer one says it better.
    pub fn is_general(&self) -> bool {
        !self.must_ask && self.cause.is_general()
    }
}

impl PartialEq for Reason {
    /// Two ways to say the same thing are one reason.
    fn eq(&self, other: &Reason) -> bool {
        let kind = |reason: &Reason| (reason.decision, reason.must_ask, reason.at);
        kind(self) == kind(other)
            && self.rule == other.rule
            && (self.cause == other.cause || self.text() == other.text())
    }
}

impl Verdict {
    /// How bad it is, on the one scale that people see.
    pub fn level(&self) -> Level {
        Level::of(self.risk, self.tier)
    }

    /// Whether a reason asks that only a rule that names exactly this can silence.
    pub fn must_ask(&self) -> bool {
        self.reasons.iter().any(|reason| reason.must_ask)
    }

    /// The reasons that made the decision, strongest first, each text once.
    pub fn main_reasons(&self) -> Vec<&Reason> {
        let mut told = HashSet::new();
        let decided = self.decided_by();
        decided
            .filter(|reason| told.insert(reason.text()))
            .collect()
    }

    /// The one reason to tell: of those that decided, an answer or a rule of somebody before one that is built in.
    pub fn weightiest(&self) -> Option<&Reason> {
        let rank = |reason: &&Reason| match reason.rule {
            RuleId::Grant(_) => 0,
            RuleId::BuiltIn(_) | RuleId::OtherBuiltIn(_) => 2,
            _ => 1,
        };
        self.decided_by()
            .min_by_key(rank)
            .or_else(|| self.reasons.first())
    }

    /// The first reason that decided.
    pub fn decisive(&self) -> Option<&Reason> {
        self.decided_by().next().or_else(|| self.reasons.first())
    }

    /// The remembered answer that allowed it, if one did. It is the id in the reason itself, so that no other can be named.
    pub fn granted_by(&self) -> Option<&GrantId> {
        self.decided_by()
            .filter(|_| self.decision == Decision::Allow)
            .find_map(|reason| reason.rule.grant())
    }

    fn decided_by(&self) -> impl Iterator<Item = &Reason> {
        self.reasons
            .iter()
            .filter(|reason| reason.decision == self.decision)
    }
}

impl Confirm {
    /// The word used in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Confirm::None => "none",
            Confirm::Single => "single",
            Confirm::Double => "double",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::node::Node;

    fn reason(decision: Decision, rule: &RuleId) -> Reason {
        Reason {
            decision,
            rule: rule.clone(),
            cause: Cause::AllowedBefore,
            must_ask: false,
            at: None,
        }
    }

    fn verdict(decision: Decision, reasons: Vec<Reason>) -> Verdict {
        Verdict {
            decision,
            risk: Risk::Low,
            tier: Tier::None,
            confirm: Confirm::None,
            reasons,
            effects: Vec::new(),
            terms: Terms::default(),
            digest: Digest::of_node(&Node::text("x")),
            trace: Vec::new(),
            evidence: None,
        }
    }

    #[test]
    fn only_a_remembered_answer_that_decided_has_granted_it() {
        let granted = |decision, reasons: Vec<Reason>| {
            let verdict = verdict(decision, reasons);
            verdict.granted_by().map(ToString::to_string)
        };
        let grant = RuleId::from_recorded("grant", "grant grant-1-ab");
        let allow = |rule: &RuleId| reason(Decision::Allow, rule);
        let check = RuleId::BuiltIn(Check::ReadOnly);
        // A rule may have any name, and a file may, too.
        let named = RuleId::Policy {
            id: "grant".to_owned(),
            source: "grant-1-ab.yaml:3".to_owned(),
        };
        let id = Some("grant-1-ab".to_owned());
        assert_eq!(
            granted(Decision::Allow, vec![allow(&check), allow(&grant)]),
            id
        );
        assert_eq!(
            granted(Decision::Allow, vec![allow(&check), allow(&named)]),
            None
        );
        for stricter in [Decision::Ask, Decision::Deny] {
            let by_plugin = RuleId::Plugin {
                name: "house".to_owned(),
            };
            let reasons = vec![reason(stricter, &by_plugin), allow(&grant)];
            assert_eq!(granted(stricter, reasons), None);
        }
    }

    #[test]
    fn the_weightiest_reason_is_an_answer_before_a_rule_before_a_check() {
        let grant = RuleId::from_recorded("grant", "grant grant-1-ab");
        let rule = RuleId::from_recorded("default", "policy.yaml:3");
        let check = RuleId::BuiltIn(Check::Default);
        let of = |rules: &[&RuleId]| {
            let reasons = rules.iter().map(|rule| reason(Decision::Allow, rule));
            let verdict = verdict(Decision::Allow, reasons.collect());
            verdict.weightiest().map(|reason| reason.rule.clone())
        };
        assert_eq!(of(&[&check, &rule, &grant]), Some(grant));
        assert_eq!(of(&[&check, &rule]), Some(rule));
        assert_eq!(of(&[&check]), Some(check));
    }

    #[test]
    fn a_recorded_sentence_about_a_script_names_it_once() {
        let rule = RuleId::from_recorded("delete", "script deploy.sh, built-in");
        let text = "in deploy.sh: it deletes `a`";
        assert_eq!(Cause::Recorded(text.to_owned()).text(&rule), text);
    }
}
