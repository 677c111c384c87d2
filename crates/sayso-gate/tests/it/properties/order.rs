//! The order of rules and layers never matters, and nobody loosens what stands above.

use proptest::prelude::*;
use sayso_core::answer::run_mode::Run;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::read::Origin;
use sayso_core::policy::{Overrides, Policy};
use sayso_shell::Bash;

use super::random::{any_mode, any_run, any_world, call_and_grants};
use super::texts::{Text, rule, text, trusted_texts};
use super::{config, layers, policy, verdict};
use crate::bench::PROFILES;

/// Puts a list into another order that a seed names.
fn shuffled<T: Clone>(list: &[T], seed: u64) -> Vec<T> {
    let mut out = list.to_vec();
    let mut state = seed | 1;
    for index in (1..out.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        out.swap(index, (state >> 33) as usize % (index + 1));
    }
    out
}

proptest! {
    #![proptest_config(config())]

    /// (b) Rules and layers can be written in any order.
    #[test]
    fn the_order_of_rules_and_layers_never_matters(
        (call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run(), seed in any::<u64>(),
    ) {
        let one = verdict(&policy(&texts, mode), &world, &call, &grants, run);
        let turned: Vec<Text> = texts.iter().map(|text| Text { rules: shuffled(&text.rules, seed), ..text.clone() }).collect();
        let layers = shuffled(&layers(&turned), seed);
        let turned = Policy::assemble(layers, &Overrides { mode, ..Overrides::default() }, &Bash);
        let other = verdict(&turned, &world, &call, &grants, run);
        prop_assert_eq!((one.decision, one.risk, one.tier, one.confirm), (other.decision, other.risk, other.tier, other.confirm));
        prop_assert_eq!(one.terms, other.terms);
    }

    /// (f) A project file that is not trusted, `SAYSO_MODE` and `SAYSO_PROFILE` never loosen anything.
    #[test]
    fn untrusted_sources_never_loosen(
        (call, grants) in call_and_grants(), world in any_world(), texts in trusted_texts(), mode in any_mode(), run in any_run(),
        project in text(vec![Origin::UntrustedProject]), environment_mode in any_mode(),
        environment_profile in prop::option::of(prop_oneof![prop::sample::select(PROFILES.to_vec()), Just("nonsense")]),
    ) {
        let before = verdict(&policy(&texts, mode), &world, &call, &grants, run);
        let mut more = texts.clone();
        more.push(project);
        let with_project = verdict(&policy(&more, mode), &world, &call, &grants, run);
        prop_assert!(with_project.decision >= before.decision && with_project.confirm >= before.confirm.min(with_project.confirm));
        let overrides = Overrides { mode, environment_mode, environment_profile: environment_profile.map(str::to_owned), ..Overrides::default() };
        for texts in [&texts, &more] {
            let with_environment = verdict(&Policy::assemble(layers(texts), &overrides, &Bash), &world, &call, &grants, run);
            prop_assert!(with_environment.decision >= before.decision, "{:#?}", before.reasons);
            prop_assert!(with_environment.risk >= before.risk && with_environment.tier >= before.tier);
        }
    }

    /// (i) What a managed rule decides, no other layer takes back.
    #[test]
    fn managed_rules_are_never_loosened(
        (call, grants) in call_and_grants(), world in any_world(), others in prop::collection::vec(
            text(vec![Origin::User, Origin::Learned, Origin::Project, Origin::UntrustedProject, Origin::CommandLine]), 1..4),
        rules in prop::collection::vec(prop_oneof![rule("deny"), rule("ask")], 1..4), run in any_run(),
    ) {
        let managed = Text { origin: Origin::Managed, values: String::new(), rules };
        let alone = verdict(&policy(std::slice::from_ref(&managed), None), &world, &call, &grants, run);
        let decided = alone.reasons.iter().filter(|reason| reason.rule.source().starts_with("Managed-")).map(|reason| reason.decision).max();
        let mut all = vec![managed];
        all.extend(others);
        let together = verdict(&policy(&all, None), &world, &call, &grants, run);
        let bypassed = matches!(run, Run::Yolo | Run::ApproveAll);
        let floor = decided.filter(|decision| *decision == Decision::Deny || !bypassed).unwrap_or(Decision::Allow);
        prop_assert!(together.decision >= floor, "{:#?}\n{:#?}", alone.reasons, together.reasons);
    }
}
