//! Counts: each call once in total, and once in exactly one outcome.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use sayso_core::answer::outcome::{OUTCOMES, Outcome};

use crate::events::Names;

/// The counts at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All calls that ended.
    pub total: u64,
    /// How many ended how.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Calls that were confirmed twice.
    pub double_confirmed: u64,
    /// How often somebody stopped a batch.
    pub quit_requested: u64,
    /// Calls that ran and whose tool failed; that is no denial.
    pub failed: u64,
}

/// Keeps counts.
#[derive(Debug, Default)]
pub struct Stats(Mutex<Counts>);

impl Counts {
    /// How many ended so.
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(&outcome).copied().unwrap_or_default()
    }

    /// Every count with its name, as programs know them.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        let mut out = vec![("total_requests", self.total)];
        out.extend(
            OUTCOMES
                .iter()
                .map(|(outcome, word)| (*word, self.of(*outcome))),
        );
        out.extend([
            ("double_confirmed", self.double_confirmed),
            ("quit_requested", self.quit_requested),
            ("failed", self.failed),
        ]);
        out
    }

    /// The counts under the names that a system's listeners know. Every outcome is in exactly one of them, so the sums agree there, too.
    pub fn named_as(&self, names: Names) -> Vec<(&'static str, u64)> {
        let of = |outcomes: &[Outcome]| outcomes.iter().map(|outcome| self.of(*outcome)).sum();
        match names {
            Names::Sayso | Names::Opencode => self.named(),
            Names::KollaborSpec => vec![
                ("total_requests", self.total),
                ("approved", of(&[Outcome::Approved])),
                (
                    "denied",
                    of(&[
                        Outcome::Denied,
                        Outcome::Blocked,
                        Outcome::TimedOut,
                        Outcome::Cancelled,
                        Outcome::Nobody,
                    ]),
                ),
                ("auto_approved", of(&[Outcome::AutoApproved])),
                ("dry_run", of(&[Outcome::DryRun])),
                ("double_confirmed", self.double_confirmed),
                ("quit_requested", self.quit_requested),
            ],
            Names::Kollabor => vec![
                ("total_checks", self.total),
                ("auto_approved", of(&[Outcome::AutoApproved])),
                ("user_approved", of(&[Outcome::Approved])),
                (
                    "denied",
                    of(&[Outcome::Denied, Outcome::TimedOut, Outcome::Cancelled]),
                ),
                ("blocked", of(&[Outcome::Blocked, Outcome::Nobody])),
                ("dry_run", of(&[Outcome::DryRun])),
            ],
        }
    }

    /// One line for the log; what is zero is left out.
    pub fn line(&self) -> String {
        let parts: Vec<String> = self
            .named()
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
            .collect();
        if parts.is_empty() {
            "no requests".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

impl Stats {
    /// A copy of the counts.
    pub fn counts(&self) -> Counts {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Starts from zero.
    pub fn reset(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Counts::default();
    }

    /// A call ended.
    pub(crate) fn ended(&self, outcome: Outcome, confirmations: u8) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total += 1;
        *counts.outcomes.entry(outcome).or_default() += 1;
        counts.double_confirmed += u64::from(confirmations > 1);
    }

    /// Somebody stopped a batch.
    pub(crate) fn quit(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .quit_requested += 1;
    }

    /// What ran did not do its work.
    pub(crate) fn failed(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failed += 1;
    }
}
