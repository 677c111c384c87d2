//! Files that go along with work for another agent: each is a question of its own, and one denial stops the delegation.

use sayso_core::node::{Node, Value};
use sayso_core::operation::{Call, Operation};
use sayso_core::outcome::Outcome;
use sayso_core::tool::{Kind, Role};
use sayso_core::verdict::Decision;
use sayso_core::visible::visible;

use crate::finished::Finished;
use crate::gate::{End, Gate};
use crate::turn::Turn;

impl Gate {
    /// Asks about every attachment that may not simply be read. Some refusal ends the delegation.
    pub(crate) async fn check_attachments(&self, call: &Call) -> Option<Finished> {
        let operation = Operation::freeze(call.clone()).ok().filter(|operation| operation.kind() == Kind::Delegate)?;
        let receiver = operation.text(Role::Agent).unwrap_or_default().to_owned();
        let Some(Value::List(items)) = operation.argument(Role::Attachments).map(|node| &node.value) else { return None };
        for path in items.iter().filter_map(Node::as_text) {
            let with = |tool: &str, args| Call { tool: tool.to_owned(), args, id: String::new(), ..call.clone() };
            let read = with("file_read", Node::map([("path", Node::text(path))]));
            let silent = Operation::freeze(read).is_ok_and(|read| self.judge(&read, &Turn::alone()).verdict.decision == Decision::Allow);
            if silent {
                continue;
            }
            let share = with("share_file", Node::map([("path", Node::text(path)), ("agent", Node::text(receiver.clone()))]));
            // Only the answer counts here: the file goes along when the delegation itself runs.
            if let Err(refused) = Box::pin(self.hold(share, &mut Turn::alone())).await {
                return Some(self.abort(call, path, &refused));
            }
        }
        None
    }

    /// The delegation ends as its attachment did.
    fn abort(&self, call: &Call, path: &str, refused: &Finished) -> Finished {
        let operation = match self.freeze(call.clone()) {
            Ok(operation) => operation,
            Err(finished) => return *finished,
        };
        let why = format!("the attachment {} was not shared: {}", visible(path), refused.message);
        let outcome = if refused.outcome == Outcome::Cancelled { Outcome::Cancelled } else { refused.outcome };
        let end = End { note: refused.note.clone(), trouble: Some(why), ..End::of(outcome) };
        self.note_unjudged(&operation, &end);
        self.close(Some(&operation), None, &end)
    }
}
