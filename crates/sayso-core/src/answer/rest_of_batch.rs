//! What "allow the rest of this batch" covers, and what still asks: the judge, the offer and the echo all read it from here.

use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::call::operation::Operation;
use crate::call::tool::Kind;

/// What an answer for the rest of a batch covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestOfBatch {
    /// Only what may be allowed without being asked about each time.
    #[default]
    Ordinary,
    /// Dangerous commands and commands that delete, too (`approve_all_covers_dangerous`).
    DangerousCommands,
}

impl RestOfBatch {
    /// What the setting `approve_all_covers_dangerous` means.
    pub fn new(covers_dangerous: bool) -> Self {
        if covers_dangerous {
            RestOfBatch::DangerousCommands
        } else {
            RestOfBatch::Ordinary
        }
    }

    /// Whether it covers an operation that must be asked about for these reasons.
    pub fn covers<'a>(
        self,
        operation: &Operation,
        musts: impl IntoIterator<Item = &'a Reason>,
    ) -> bool {
        let mut musts = musts.into_iter().peekable();
        if musts.peek().is_none() {
            return true;
        }
        self == RestOfBatch::DangerousCommands
            && operation.kind() == Kind::Terminal
            && musts.all(|reason| reason.is(Check::Dangerous) || reason.is(Check::Delete))
    }

    /// What it covers besides ordinary operations, and what still asks.
    pub fn words(self) -> &'static str {
        match self {
            RestOfBatch::Ordinary => {
                "what must be asked each time (deletes, dangers, protected and secret files, paths outside, ask rules) still asks"
            }
            RestOfBatch::DangerousCommands => {
                "dangerous commands and commands that delete run without a question, too; what else must be asked each time \
                 (deletes by file tools, protected and secret files, paths outside, ask rules) still asks"
            }
        }
    }
}
