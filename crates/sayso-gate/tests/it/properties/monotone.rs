//! More to do, more rules against it, or less known of it: nothing of that ever makes a decision milder.

use proptest::prelude::*;
use sayso_core::analysis::draft::Reading;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Call;
use sayso_core::decide::{Case, decide};
use sayso_core::policy::Policy;
use sayso_core::policy::read::Origin;

use super::random::{Bent, any_call, any_mode, any_run, any_world, call_and_grants};
use super::texts::{Text, rule, trusted_texts};
use super::{config, judged, policy, verdict};
use crate::bench::{NOW, freeze};

fn decided(policy: &Policy, call: &Call, reading: &Reading, grants: &[Grant], run: Run) -> Verdict {
    let operation = freeze(call.clone());
    decide(
        policy,
        &Case {
            operation: &operation,
            reading,
            grants,
            uses: None,
            now: NOW,
            run,
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        },
    )
}

/// One reading that does what both do.
fn both(one: &Reading, other: &Reading) -> Reading {
    let mut out = one.clone();
    let offset = one.commands.len();
    out.effects
        .extend(other.effects.iter().cloned().map(|mut effect| {
            effect.part = effect.part.map(|part| part + offset);
            effect
        }));
    out.commands.extend(other.commands.iter().cloned());
    out.programs.extend(other.programs.iter().cloned());
    out.git.extend(other.git.iter().cloned());
    out.dangers.extend(other.dangers.iter().cloned());
    out.unanswered.extend(other.unanswered.iter().cloned());
    match (&mut out.opaque, &other.opaque) {
        (Some(there), Some(more)) => there.seen.extend(more.seen.iter().cloned()),
        (none, more) => *none = none.take().or_else(|| more.clone()),
    }
    out
}

proptest! {
    #![proptest_config(config())]

    /// (c) A line that does more is never judged milder.
    #[test]
    fn another_part_never_lowers_a_decision(
        (call, grants) in call_and_grants(), more in any_call(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run(),
    ) {
        let policy = policy(&texts, mode);
        let one = judged(&policy, &world, &call, &grants, run);
        let other = judged(&policy, &world, &more, &[], run);
        prop_assume!(!one.reading.effects.is_empty());
        let whole = decided(&policy, &call, &both(&one.reading, &other.reading), &grants, run);
        prop_assert!(whole.decision >= one.verdict.decision, "{:#?}\n{:#?}", one.verdict.reasons, whole.reasons);
        prop_assert!(whole.risk >= one.verdict.risk && whole.tier >= one.verdict.tier);
    }

    /// (c) One deny or ask rule more is never a loosening.
    #[test]
    fn another_deny_or_ask_rule_never_lowers_a_decision(
        (call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run(),
        more in prop_oneof![rule("deny"), rule("ask")],
        origin in prop::sample::select(vec![Origin::Managed, Origin::User, Origin::Learned, Origin::Project, Origin::UntrustedProject, Origin::CommandLine]),
    ) {
        let before = verdict(&policy(&texts, mode), &world, &call, &grants, run);
        let mut texts = texts;
        texts.push(Text { origin, values: String::new(), rules: vec![more] });
        let after = verdict(&policy(&texts, mode), &world, &call, &grants, run);
        prop_assert!(after.decision >= before.decision, "{:#?}\n{:#?}", before.reasons, after.reasons);
    }

    /// (c) An answer that is missing is never a loosening.
    #[test]
    fn a_missing_fact_never_lowers_a_decision(
        (call, grants) in call_and_grants(), world in any_world(), gap in 0_usize..4, texts in trusted_texts(), mode in any_mode(), run in any_run(),
    ) {
        let policy = policy(&texts, mode);
        let before = verdict(&policy, &world, &call, &grants, run);
        let after = verdict(&policy, &Bent { gap: Some(gap), ..world }, &call, &grants, run);
        prop_assert!(after.decision >= before.decision, "{:#?}\n{:#?}", before.reasons, after.reasons);
    }
}
