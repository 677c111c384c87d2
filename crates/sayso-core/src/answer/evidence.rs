//! What a verdict rests on, kept so that the same call can be judged again later, under another policy.

use crate::analysis::fact::{Facts, Question};
use crate::answer::run_mode::Run;
use crate::answer::runner::NoSandbox;
use crate::policy::decision::Decision;

/// What was asked of the world and answered, and what else a verdict depends on besides the call and the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What was asked of the world.
    pub questions: Vec<Question>,
    /// What it answered.
    pub facts: Facts,
    /// What the person said for this run.
    pub run: Run,
    /// Why the runner has no sandbox for the call, where it has none.
    pub no_sandbox: Option<NoSandbox>,
    /// Whether the runner was asked to contain the call, and could.
    pub contains: bool,
    /// What the policy alone says, where a grant had a part in the verdict.
    pub without_grants: Option<Decision>,
}
