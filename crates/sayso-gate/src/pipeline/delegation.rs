//! Files that go along with work for another agent: each is a question of its own, and one denial stops the delegation.

use sayso_core::call::operation::{Call, Operation};
use sayso_core::call::tool::Role;
use sayso_core::policy::decision::Decision;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::batch_context::Turn;
use super::gate::Gate;
use super::lifecycle::End;
use crate::binding::Seal;
use crate::error::CallError;

impl Gate {
    /// Asks about every attachment that may not simply be read, and gives the seals of those that were approved: they count until the
    /// delegation runs. It ends as the first one that is refused.
    pub(crate) async fn attachments(
        &self,
        operation: &Operation,
        turn: &mut Turn,
    ) -> Result<Vec<Seal>, Box<End>> {
        let mut seals = Vec::new();
        let receiver = operation.text(Role::Agent).unwrap_or_default();
        let Some(Value::List(items)) = operation
            .argument(Role::Attachments)
            .map(|node| &node.value)
        else {
            return Ok(seals);
        };
        for path in items.iter().filter_map(Node::as_text) {
            let read = Operation::freeze(beside(
                operation,
                "file_read",
                Node::map([("path", Node::text(path))]),
            ));
            if read.is_ok_and(|read| {
                self.judge(&read, &Turn::alone()).verdict.decision == Decision::Allow
            }) {
                continue;
            }
            let share = beside(
                operation,
                "share_file",
                Node::map([("path", Node::text(path)), ("agent", Node::text(receiver))]),
            );
            let mut own = Turn::alone();
            match Box::pin(self.hold(share, &mut own)).await {
                // Only the answer counts here: the file goes along when the delegation itself runs.
                Ok(approved) => seals.extend(approved.seals),
                Err(refused) => {
                    turn.quit |= own.quit;
                    let why = CallError::AttachmentRefused {
                        path: visible(path).into_owned(),
                        why: refused.message.clone(),
                    };
                    return Err(Box::new(End {
                        note: refused.note.clone(),
                        problem: Some(why),
                        ..End::of(refused.outcome)
                    }));
                }
            }
        }
        Ok(seals)
    }
}

/// Another call by the same caller, in the same place.
fn beside(operation: &Operation, tool: &str, args: Node) -> Call {
    Call {
        cwd: operation.cwd(),
        agent: operation.agent().clone(),
        session: operation.session().to_owned(),
        metadata: operation.metadata().to_vec(),
        ..Call::new(tool, args, operation.workspace())
    }
}
