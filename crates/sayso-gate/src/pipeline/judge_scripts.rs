//! Judges what a command runs besides its own words: what is denied there is denied, and what is dangerous there is asked about as such.

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::rule_id::{Check, RuleId};
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::{Reason, Verdict};
use sayso_core::call::operation::Operation;
use sayso_core::policy::decision::Decision;

use super::judge::{self, Bench};
use crate::scripts::{Script, find};

/// Checks that ask about what is not known. That is no news of a script: the command asks because it runs code.
const UNKNOWN: [Check; 5] = [
    Check::Opaque,
    Check::Expansion,
    Check::UnknownPath,
    Check::Folder,
    Check::Program,
];

/// Adds what the scripts of the command bring to its verdict, which only ever gets stricter. Says whether it runs any.
pub(super) fn tighten(
    bench: &Bench<'_>,
    operation: &Operation,
    reading: &Reading,
    verdict: &mut Verdict,
) -> bool {
    if operation.command().is_none() || verdict.decision == Decision::Deny {
        return false;
    }
    let scripts = find(bench.world, operation, reading).scripts;
    for script in &scripts {
        if let Some(inner) = verdict_on(bench, operation, script) {
            join(verdict, inner, script);
        }
    }
    !scripts.is_empty()
}

/// What would be said of a script if it were the command.
fn verdict_on(bench: &Bench<'_>, operation: &Operation, script: &Script) -> Option<Verdict> {
    let draft = sayso_shell::analyse(script.shell.as_ref()?);
    let facts = bench
        .world
        .answer(&script.folder, operation.workspace(), &draft.questions);
    let reading = draft.settle(&facts);
    let alone = Bench {
        grants: &[],
        uses: None,
        // Whether somebody is there to be asked has been weighed for the command itself.
        run: Run::Interactive,
        trace: false,
        ..*bench
    };
    Some(judge::verdict(&alone, operation, &reading))
}
fn join(verdict: &mut Verdict, inner: Verdict, script: &Script) {
    let told = |reason: Reason| Reason {
        // From the words alone nobody could judge this again.
        rule: RuleId::Script {
            name: script.name.clone(),
            rule: Box::new(reason.rule),
        },
        at: None,
        ..reason
    };
    let denied = inner.decision == Decision::Deny;
    if denied || verdict.decision == Decision::Ask {
        verdict.risk = verdict.risk.max(inner.risk);
        verdict.tier = verdict.tier.max(inner.tier);
    }
    if denied {
        verdict.decision = Decision::Deny;
        let reasons: Vec<Reason> = inner
            .reasons
            .into_iter()
            .filter(|reason| reason.decision == Decision::Deny)
            .map(told)
            .collect();
        verdict.reasons.splice(0..0, reasons);
    } else if verdict.decision == Decision::Ask {
        // What somebody has allowed by a rule stays allowed; what is asked about is asked about with all that is known of it.
        verdict.confirm = verdict.confirm.max(inner.confirm);
        let news =
            |reason: &Reason| reason.must_ask && !UNKNOWN.iter().any(|check| reason.is(*check));
        verdict
            .reasons
            .extend(inner.reasons.into_iter().filter(news).map(told));
    }
}
