//! The judge: policy, reading, grants, mode and time in, verdict out. Pure and total.
//!
//! The order is that of the design: hard denials, explicit bypass, must-asks, rules, grants, defaults, and then nobody to ask.
//! The steps never stop early with an allow: every effect of every part has to be covered.

mod allow_rules;
mod containment;
mod defaults;
mod hard_deny;
mod judging;
mod must_ask;
mod near_miss;
mod own_files_in_code;
mod path_status;
mod possible_paths;
mod risk;
mod rule_conditions;
mod rule_match;
mod safe_commands;
mod shell_rules;
mod strictest;

use crate::analysis::draft::Reading;
use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::risk::{Risk, Tier};
use crate::answer::cause::{Bypass, Cause, Failure, NoAnswer};
use crate::answer::grant::{Grant, GrantKey, Reach};
use crate::answer::learned_rule::RuleKey;
use crate::answer::rest_of_batch::RestOfBatch;
use crate::answer::rule_id::{Check, RuleId};
use crate::answer::run_mode::Run;
use crate::answer::runner::RunnerCapabilities;
use crate::answer::verdict::{Confirm, Reason, Verdict};
use crate::call::operation::{Operation, ToolSays};
use crate::call::tool::Kind;
use crate::policy::Policy;
use crate::policy::decision::Decision;
use crate::policy::mode::Mode;
use crate::policy::terms::{Network, Terms};
use judging::{Lens, reason};
use strictest::strictest;

/// Everything a verdict depends on besides the policy.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// What is asked.
    pub operation: &'a Operation,
    /// What it would do.
    pub reading: &'a Reading,
    /// What was answered before.
    pub grants: &'a [Grant],
    /// How often each rule with `uses` was used, by rule id; none if that is not known.
    pub uses: Option<&'a dyn Uses>,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// What the person said for this run.
    pub run: Run,
    /// What runs it can do.
    pub runner: RunnerCapabilities<'a>,
    /// Keep a list of what was tried.
    pub trace: bool,
}

/// How often rules were used.
pub trait Uses: std::fmt::Debug {
    /// The count for a rule's id.
    fn count(&self, rule: &str) -> u64;
}

/// Judges one operation. The strictest view and the strictest agent in the line decide.
pub fn decide(policy: &Policy, case: &Case<'_>) -> Verdict {
    if let Some(why) = policy.why_broken() {
        return refusal(case, Check::Policy, Failure::PolicyBroken(why.to_owned()));
    }
    if let Some(missing) = policy
        .missing_sandbox()
        .filter(|missing| !missing.only_files_and_commands || touches_files(case))
    {
        return refusal(
            case,
            Check::Sandbox,
            Failure::NoSandbox(missing.why.clone()),
        );
    }
    let agent = case.operation.agent();
    // A sub-agent has no more rights than any agent that started it, by sections and by rules for single agents alike.
    let mut line: Vec<&str> = std::iter::once(agent.name.as_str())
        .chain(agent.parents.iter().map(String::as_str))
        .collect();
    line.sort_unstable();
    line.dedup();
    let mut verdict: Option<Verdict> = None;
    for view in policy.views() {
        for name in &line {
            let next = judge(&Lens::new(
                case,
                name,
                &view.general,
                view.agents.get(*name),
            ));
            verdict = Some(match verdict {
                Some(before) => strictest(before, next),
                None => next,
            });
        }
    }
    verdict.unwrap_or_else(|| refusal(case, Check::Policy, Failure::NoPolicy))
}

/// Whether an operation touches files or runs a command: by its kind, or by what its arguments say, as those of an MCP tool do.
fn touches_files(case: &Case<'_>) -> bool {
    let is_path_or_command = |effect: &Effect| {
        matches!(
            effect.target,
            Target::Path(_) | Target::UnknownPath(_) | Target::Command
        )
    };
    case.operation.kind().is_file_or_shell() || case.reading.effects.iter().any(is_path_or_command)
}

/// A denial that needs no policy: a failure of sayso itself.
fn refusal(case: &Case<'_>, check: Check, failure: Failure) -> Verdict {
    Verdict {
        decision: Decision::Deny,
        risk: Risk::Unknown,
        tier: Tier::None,
        confirm: Confirm::None,
        reasons: vec![reason(Decision::Deny, check, Cause::Failed(failure))],
        effects: case.reading.effects.clone(),
        terms: Terms::default(),
        digest: case.operation.digest(),
        trace: Vec::new(),
        evidence: None,
    }
}

fn judge(lens: &Lens<'_>) -> Verdict {
    let case = lens.case;
    let mut trace = judging::Trace::new(case.trace);
    let tier = risk::tier(lens);
    let risk = risk::risk(lens, tier);

    let denials = hard_deny::reasons(lens);
    trace.step("hard denials", &denials);
    let yolo_covers = hard_deny::yolo_covers(lens);
    if denials
        .iter()
        .any(|denial| !(yolo_covers && denial.is(Check::Catastrophic)))
    {
        return lens.verdict(Decision::Deny, risk, tier, denials, trace);
    }

    let bypass = match case.run {
        Run::Yolo => Some(Bypass::Yolo),
        Run::ApproveAll => Some(Bypass::ApproveAll),
        // Who says both, means the stricter.
        Run::Strict => None,
        _ if lens.settings.mode == Mode::TrustAll => Some(Bypass::TrustAll),
        _ => None,
    };
    if let Some(bypass) = bypass {
        let said = match bypass {
            Bypass::TrustAll => "is the mode",
            Bypass::Yolo | Bypass::ApproveAll => "was said for this run",
        };
        trace.note(&format!("{} {said}", bypass.word()));
        let unasked = reason(Decision::Allow, Check::Bypass, Cause::Bypass(bypass));
        return lens.verdict(Decision::Allow, risk, tier, vec![unasked], trace);
    }

    let mut reasons = must_ask::reasons(lens, tier);
    trace.step("must ask", &reasons);
    reasons.extend(rule_match::ask_reasons(lens));
    trace.step("ask rules", &reasons);
    let must = !reasons.is_empty();

    let mut open: Vec<(EffectKind, Reason)> = Vec::new();
    let mut weights = Vec::new();
    let mut allowed = Vec::new();
    for (index, effect) in case.reading.effects.iter().enumerate() {
        match allow_rules::covers(lens, index) {
            Some(reason) => allowed.push(reason),
            None => match defaults::decide(lens, index, risk) {
                reason if reason.decision == Decision::Allow => allowed.push(reason),
                reason => {
                    weights.push(risk::effect_risk(lens, index, effect));
                    open.push((
                        effect.kind,
                        Reason {
                            at: reason.at.or(effect.at),
                            ..reason
                        },
                    ));
                }
            },
        }
    }
    if case.reading.effects.is_empty() && case.reading.opaque.is_none() {
        weights.push(Risk::Unknown);
        open.push((
            EffectKind::Unknown,
            reason(Decision::Ask, Check::NothingKnown, Cause::NothingKnown),
        ));
    }
    let open = strongest_first(open, weights);
    trace.step("covered by rules and defaults", &allowed);
    let denied_by_default = open
        .iter()
        .any(|(_, reason)| reason.decision == Decision::Deny);
    let granted = grant(lens, risk, &reasons);
    if let Some(reason) = &granted {
        trace.note(&format!("{}: {}", reason.rule.name(), reason.cause));
    }
    match granted {
        Some(reason) if !denied_by_default => {
            // A grant that covers a danger (only the batch of one profile) covers nothing else that must be asked.
            reasons.clear();
            allowed.push(reason);
        }
        // Nothing must be asked: a sandbox can stand in for the question, where the person said so.
        _ if !must && containment::bounds(lens, &open) => {
            let contained = reason(Decision::Allow, Check::Contained, Cause::Contained);
            trace.note("contained: a sandbox bounds it");
            let mut verdict = lens.verdict(Decision::Allow, risk, tier, vec![contained], trace);
            verdict.terms.contained = true;
            verdict.terms.network = Network::Nothing;
            return verdict;
        }
        // Where something must be asked, what the mode would ask besides only hides it.
        _ => reasons.extend(
            open.into_iter()
                .map(|(_, reason)| reason)
                .filter(|reason| !must || reason.decision == Decision::Deny),
        ),
    }

    let decision = reasons
        .iter()
        .map(|reason| reason.decision)
        .max()
        .unwrap_or(Decision::Allow);
    let (decision, reasons) = match decision {
        Decision::Allow => (Decision::Allow, allowed),
        Decision::Deny => (Decision::Deny, reasons),
        Decision::Ask => {
            // Somebody who listed the command as safe is told why it is asked about.
            reasons.extend(safe_commands::why_not(lens, &reasons));
            reasons.splice(0..0, near_miss::reasons(lens, must));
            ask_or_deny(lens, reasons)
        }
    };
    lens.verdict(decision, risk, tier, reasons, trace)
}

/// The riskiest first, and of two alike the one that says more: what comes first is why a person has to look.
fn strongest_first(
    open: Vec<(EffectKind, Reason)>,
    weights: Vec<Risk>,
) -> Vec<(EffectKind, Reason)> {
    let mut weighed: Vec<_> = weights.into_iter().zip(open).collect();
    weighed
        .sort_by_cached_key(|(risk, (_, reason))| (std::cmp::Reverse(*risk), reason.is_general()));
    weighed.into_iter().map(|(_, open)| open).collect()
}

/// The grant that covers the operation, if one does.
fn grant(lens: &Lens<'_>, risk: Risk, musts: &[Reason]) -> Option<Reason> {
    let case = lens.case;
    // In one profile "approve all" covers a dangerous command; not what is protected, outside, unread or named by an ask rule.
    let rest = RestOfBatch::new(lens.settings.approve_all_covers_dangerous);
    // Must-asks are not for grants, and a changed MCP tool is a new one.
    let found = case.grants.iter().find(|grant| {
        let whole_batch =
            grant.key == GrantKey::RestOfBatch && matches!(grant.reach, Reach::Batch(_));
        let open = musts.is_empty()
            || whole_batch && rest.covers(case.operation, musts)
            || names_unknown_tool(grant, musts);
        // "Approve all" is an answer to operations that were not shown one by one, so the risk shown does not bound it.
        let shown = if grant.key == GrantKey::RestOfBatch {
            Risk::Low
        } else {
            risk
        };
        open && grant.covers(case.operation, case.reading, shown, case.now)
    })?;
    let rule = RuleId::Grant(found.into());
    Some(judging::of_rule(
        Decision::Allow,
        rule,
        Cause::AllowedBefore,
    ))
}

/// A tool that the registry does not know is asked about until somebody names it; a rule with its name does, and so does an answer for this very call.
fn names_unknown_tool(grant: &Grant, musts: &[Reason]) -> bool {
    let names = match &grant.key {
        GrantKey::Exact(_) => true,
        GrantKey::Rule(rule) => rule.key() == RuleKey::Tool,
        _ => false,
    };
    names && musts.iter().all(|reason| reason.is(Check::UnknownTool))
}

/// Why an operation lacks nothing but an answer: it is denied only because this run asks nobody.
pub fn lacks_answer(verdict: &Verdict) -> Option<Run> {
    let mut denials = verdict
        .reasons
        .iter()
        .filter(|reason| reason.decision == Decision::Deny);
    let first = denials.next().filter(|reason| reason.is(Check::NoAnswer))?;
    let run = match first.cause {
        Cause::NoAnswer(NoAnswer::Strict) => Run::Strict,
        Cause::NoAnswer(NoAnswer::Nobody) => Run::Nobody,
        _ => return None,
    };
    denials.next().is_none().then_some(run)
}

/// Where asking is not possible, an ask is a denial.
fn ask_or_deny(lens: &Lens<'_>, reasons: Vec<Reason>) -> (Decision, Vec<Reason>) {
    let terminal = lens.case.operation.kind() == Kind::Terminal;
    // Where an answer would not help, that is the reason.
    let why = match lens.case.run {
        _ if lens.settings.mode == Mode::SafeOnly => NoAnswer::SafeOnly,
        _ if lens.settings.safe_commands_only && terminal => NoAnswer::SafeCommandsOnly,
        Run::Strict => NoAnswer::Strict,
        Run::Nobody => NoAnswer::Nobody,
        _ => return (Decision::Ask, reasons),
    };
    let mut all = vec![reason(
        Decision::Deny,
        Check::NoAnswer,
        Cause::NoAnswer(why),
    )];
    all.extend(reasons);
    (Decision::Deny, all)
}

/// Whether the tool itself said that it was approved when it was set up.
fn pre_approved(lens: &Lens<'_>) -> bool {
    matches!(lens.case.operation.says(), ToolSays::PreApproved)
}
