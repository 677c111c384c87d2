//! What must hold for every call, every world and every policy.

mod calls_as_json;
mod monotone;
mod order;
mod packed;
mod random;
mod texts;

use proptest::prelude::*;
use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::effect::{EffectKind, Target};
use sayso_core::answer::grant::{Grant, GrantKey};
use sayso_core::answer::learned_rule::RuleKey;
use sayso_core::answer::rule_id::Check;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, ToolSays};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::policy::{Overrides, Policy};
use sayso_core::text::diagnostic::Source;
use sayso_gate::pipeline::{Bench, Judged, judge};
use sayso_shell::Bash;

use crate::bench::{NOW, freeze};
use random::{Bent, any_call, any_mode, any_run, any_world, call_and_grants};
use texts::{Text, trusted_texts};

/// `PROPTEST_CASES=100000` looks deeper.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        cases: usual.cases.max(400),
        failure_persistence: None,
        ..usual
    }
}

fn layers(texts: &[Text]) -> Vec<Layer> {
    let layer = |(index, text): (usize, &Text)| {
        let (name, yaml) = (format!("{:?}-{index}.yaml", text.origin), text.yaml());
        let (layer, findings) = read(
            Source {
                name: &name,
                text: &yaml,
            },
            Format::Yaml,
            text.origin,
            &Bash,
        );
        layer.unwrap_or_else(|| panic!("{findings:#?}\n{yaml}"))
    };
    texts.iter().enumerate().map(layer).collect()
}

fn policy(texts: &[Text], mode: Option<Mode>) -> Policy {
    Policy::assemble(
        layers(texts),
        &Overrides {
            mode,
            ..Overrides::default()
        },
        &Bash,
    )
}

fn judged(policy: &Policy, world: &Bent, call: &Call, grants: &[Grant], run: Run) -> Judged {
    let bench = Bench {
        world,
        policy,
        grants,
        uses: None,
        run,
        now: NOW,
        runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
        trace: false,
    };
    judge(&bench, &freeze(call.clone()))
}

fn verdict(policy: &Policy, world: &Bent, call: &Call, grants: &[Grant], run: Run) -> Verdict {
    judged(policy, world, call, grants, run).verdict
}

/// Whether the person let everything through for this run.
fn is_bypassed(policy: &Policy, run: Run) -> bool {
    let trusts = |mode: Mode| mode == Mode::TrustAll && run != Run::Strict;
    matches!(run, Run::Yolo | Run::ApproveAll)
        || policy
            .views()
            .iter()
            .any(|view| trusts(view.general.settings.mode))
}

/// Deny rules that name one effect of a call each, made from what the call does and not from how rules are matched.
fn rules_against(call: &Call, reading: &Reading) -> Vec<String> {
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "/._-+:=,".contains(c))
    };
    let mut out = vec![format!("{{deny: {{tool: {}}}}}", call.tool)];
    for effect in &reading.effects {
        match &effect.target {
            Target::Path(place) => {
                let Some(fact) = place.fact.as_ref().filter(|fact| plain(&fact.canonical)) else {
                    continue;
                };
                let key = match effect.kind {
                    EffectKind::Read => "read",
                    EffectKind::Write => "write",
                    EffectKind::Delete => "delete",
                    _ => continue,
                };
                out.push(format!("{{deny: {{{key}: \"{}\"}}}}", fact.canonical));
                out.push(format!("{{deny: {{{key}: \"/**\"}}}}"));
            }
            Target::Url(url) => out.push(format!("{{deny: {{fetch: \"{}\"}}}}", url.host)),
            Target::McpTool { server, tool } => {
                out.push(format!("{{deny: {{mcp: {server}/{tool}}}}}"))
            }
            Target::Agent(name) => out.push(format!("{{deny: {{delegate: {name}}}}}")),
            _ => {}
        }
    }
    // A part that only sets or shows a variable has no words that a rule could name.
    for command in reading
        .commands
        .iter()
        .filter(|command| !command.words.is_empty())
    {
        if command.words.iter().all(|word| plain(word)) {
            let words = command.words.join(" ");
            out.extend(
                ["words", "exact", "prefix"]
                    .map(|form| format!("{{deny: {{command: \"{words}\", as: {form}}}}}")),
            );
        }
        if let Some(first) = command.words.first().filter(|word| plain(word)) {
            out.push(format!("{{deny: {{command: \"{first} *\"}}}}"));
            out.push(format!("{{deny: {{command: \"{first} *\", as: glob}}}}"));
            out.push(format!("{{deny: {{command_regex: \"^{first}\"}}}}"));
        }
    }
    for row in reading.opaque.iter().flat_map(|opaque| &opaque.seen) {
        if let Some(first) = row.first().filter(|word| plain(word)) {
            out.push(format!("{{deny: {{command: \"{first} *\"}}}}"));
        }
    }
    out
}

/// Whether an answer is for one tool by its name, or for this very call.
fn names_a_tool(grant: &Grant) -> bool {
    match &grant.key {
        GrantKey::Exact(_) => true,
        GrantKey::Rule(rule) => rule.key() == RuleKey::Tool,
        _ => false,
    }
}

proptest! {
    #![proptest_config(config())]

    /// (a) A deny rule that names what a call does denies it, whatever else is said, in every mode and every run.
    #[test]
    fn a_deny_rule_that_matches_always_denies(
        (call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run(),
        pick in any::<prop::sample::Index>(), origin in prop::sample::select(vec![Origin::Managed, Origin::User, Origin::Project, Origin::UntrustedProject]),
        for_agent in any::<bool>(),
    ) {
        let before = judged(&policy(&texts, mode), &world, &call, &grants, run);
        let rules = rules_against(&call, &before.reading);
        let mut rule = pick.get(&rules).clone();
        let line: Vec<&str> = std::iter::once(call.agent.name.as_str()).chain(call.agent.parents.iter().map(String::as_str)).collect();
        if let (true, Some(name)) = (for_agent, line.last().filter(|name| !name.is_empty())) {
            rule = format!("{}, when: {{agent: {name}}}}}", rule.trim_end_matches('}').to_owned() + "}");
        }
        let mut texts = texts;
        texts.push(Text { origin, values: String::new(), rules: vec![rule.clone()] });
        let after = verdict(&policy(&texts, mode), &world, &call, &grants, run);
        prop_assert_eq!(after.decision, Decision::Deny, "{} {:#?}", rule, after.reasons);
    }

    /// (d) What could not be read is never allowed but by an explicit bypass; an unknown tool never without a rule that names it.
    #[test]
    fn nothing_unknown_is_allowed((call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run()) {
        let policy = policy(&texts, mode);
        let judged = judged(&policy, &world, &call, &grants, run);
        let bypassed = is_bypassed(&policy, run);
        if judged.reading.opaque.is_some() {
            prop_assert!(bypassed || judged.verdict.decision != Decision::Allow, "{:#?}", judged.verdict.reasons);
        }
        // No policy here names this tool, and wildcards do not count; an answer that names it does.
        if call.tool == "zzz_tool" && matches!(call.says, ToolSays::Nothing) && !grants.iter().any(names_a_tool) {
            prop_assert!(bypassed || judged.verdict.decision != Decision::Allow, "{:#?}", judged.verdict.reasons);
        }
    }

    /// (e) A policy that cannot be read denies everything.
    #[test]
    fn a_broken_policy_denies((call, grants) in call_and_grants(), world in any_world(), run in any_run()) {
        let verdict = verdict(&Policy::broken("it has errors"), &world, &call, &grants, run);
        prop_assert_eq!(verdict.decision, Decision::Deny);
    }

    /// (g) A grant silences no must-ask and no denial, and covers no higher risk than was shown.
    #[test]
    fn a_grant_covers_no_must_ask_and_no_higher_risk((call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run()) {
        let policy = policy(&texts, mode);
        let before = verdict(&policy, &world, &call, &[], run);
        let after = verdict(&policy, &world, &call, &grants, run);
        prop_assert!(after.decision <= before.decision, "a grant never tightens");
        if after.decision == before.decision {
            return Ok(());
        }
        let spec = policy.views().iter().all(|view| view.general.settings.approve_all_covers_dangerous);
        let batch = grants.iter().any(|grant| grant.key == GrantKey::RestOfBatch);
        for reason in before.reasons.iter().filter(|reason| reason.must_ask) {
            let danger = reason.is(Check::Dangerous) || reason.is(Check::Delete);
            // A tool that nobody knows is asked about until it is named: by a rule with its name, or by an answer to this very call.
            let named = reason.is(Check::UnknownTool) && grants.iter().any(names_a_tool);
            prop_assert!(named || spec && batch && danger, "{:#?}", before.reasons);
        }
        // Where asking is a denial, a grant may answer; no other denial gives way.
        let only_unanswered = before.reasons.iter().all(|reason| reason.decision != Decision::Deny || reason.is(Check::NoAnswer));
        prop_assert!(only_unanswered, "{:#?}", before.reasons);
        let covering = grants.iter().any(|grant| grant.risk >= after.risk || grant.key == GrantKey::RestOfBatch);
        prop_assert!(covering, "{:?} {:?}", after.risk, grants);
    }

    /// (j) In strict runs, with nobody there, and in mode safe-only nothing is asked.
    #[test]
    fn strict_and_safe_only_never_ask((call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), run in any_run()) {
        let strict = policy(&texts, None);
        for run in [Run::Strict, Run::Nobody] {
            prop_assert_ne!(verdict(&strict, &world, &call, &grants, run).decision, Decision::Ask);
        }
        let safe = policy(&texts, Some(Mode::SafeOnly));
        prop_assert_ne!(verdict(&safe, &world, &call, &grants, run).decision, Decision::Ask);
    }

    /// (h) The same case gives the same verdict to the letter, from a policy that is put together again.
    #[test]
    fn the_judge_is_deterministic(call in any_call(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run()) {
        let one = verdict(&policy(&texts, mode), &world, &call, &[], run);
        let other = verdict(&policy(&texts, mode), &world, &call, &[], run);
        prop_assert_eq!(one, other);
    }
}

/// Every call under every profile, mode and run: what is stricter decides no milder, and nothing ever touches sayso's own files.
#[test]
fn every_call_in_every_profile_mode_and_run() {
    let world = Bent { seed: 7, gap: None };
    let calls: Vec<Call> = random::every_call()
        .iter()
        .map(|text| crate::bench::call(text))
        .collect();
    for profile in crate::bench::PROFILES {
        for mode in sayso_core::policy::mode::MODES.map(|(mode, _)| mode) {
            let user = Text {
                origin: Origin::User,
                values: format!("profile: {profile}"),
                rules: Vec::new(),
            };
            let policy = policy(std::slice::from_ref(&user), Some(mode));
            for call in &calls {
                let decide = |run| verdict(&policy, &world, call, &[], run);
                let (yolo, all, asked, strict) = (
                    decide(Run::Yolo),
                    decide(Run::ApproveAll),
                    decide(Run::Interactive),
                    decide(Run::Strict),
                );
                let order = [yolo.decision, all.decision, asked.decision, strict.decision];
                assert!(order.is_sorted(), "{profile} {mode:?} {call:?}: {order:?}");
                assert_ne!(
                    strict.decision,
                    Decision::Ask,
                    "{profile} {mode:?} {call:?}"
                );
                assert_eq!(strict, decide(Run::Strict));
                let changes = |effect: &sayso_core::analysis::effect::Effect| {
                    matches!(effect.kind, EffectKind::Write | EffectKind::Delete)
                };
                let own = |path: &str| {
                    path.starts_with("/ws/.sayso") || path.starts_with("/home/u/.config/sayso")
                };
                let touches = |effect: &sayso_core::analysis::effect::Effect| {
                    changes(effect)
                        && effect
                            .place()
                            .and_then(|place| place.fact.as_ref())
                            .is_some_and(|fact| own(&fact.canonical))
                };
                if yolo.effects.iter().any(touches) {
                    assert_eq!(yolo.decision, Decision::Deny, "{profile} {mode:?} {call:?}");
                }
            }
        }
    }
}
