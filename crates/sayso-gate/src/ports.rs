//! What the gate needs from outside, as traits: the real thing and a test's stand-in are interchangeable.

use sayso_core::fact::{Facts, Question};

/// Answers questions about the machine.
pub trait World {
    /// Answers all questions of one operation in one pass. What it cannot find out stays unanswered.
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts;
}
