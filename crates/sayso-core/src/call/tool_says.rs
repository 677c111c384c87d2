//! How a tool of the host says for itself that a call needs approval: what the person reads, and what counts as the same call.

use crate::call::operation::ToolSays;
use crate::text::json;
use crate::text::node::{Node, Value};

/// How a tool wants its calls to be approved.
#[derive(Clone, Debug, Default)]
pub struct Approval {
    /// What the person reads; made from the name and the arguments where it is left out.
    pub description: Option<String>,
    /// Arguments that do not make another call (and are not remembered): a body, a time.
    pub exclude_keys: Vec<String>,
    /// What counts as the same call; it overrides `exclude_keys`.
    pub payload: Option<Node>,
}

impl Approval {
    /// What the tool says of a call with these arguments.
    pub fn says(&self, tool: &str, args: &Node) -> ToolSays {
        let payload = match &self.payload {
            Some(payload) => payload.clone(),
            None => Node::map(kept(args, &self.exclude_keys)),
        };
        let description = self
            .description
            .clone()
            .unwrap_or_else(|| describe(tool, args));
        ToolSays::NeedsApproval {
            payload,
            description,
        }
    }
}

fn kept<'a>(args: &'a Node, excluded: &'a [String]) -> impl Iterator<Item = (String, Node)> + 'a {
    args.entries()
        .iter()
        .filter(|entry| !excluded.contains(&entry.key))
        .map(|entry| (entry.key.clone(), entry.node.clone()))
}

/// `name(key=value, …)`, from all arguments: what is left out of the payload is still shown (H-67).
pub fn describe(tool: &str, args: &Node) -> String {
    let shown: Vec<String> = args
        .entries()
        .iter()
        .map(|entry| match &entry.node.value {
            Value::Text(text) => format!("{}={text}", entry.key),
            _ => format!("{}={}", entry.key, json::write(&entry.node)),
        })
        .collect();
    format!("{tool}({})", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::digest::Digest;

    fn args(body: &str) -> Node {
        Node::map([
            ("to", Node::text("a@example.com")),
            ("body", Node::text(body)),
            ("n", Value::Number("1".into()).into()),
        ])
    }

    fn parts(says: ToolSays) -> (Digest, String) {
        match says {
            ToolSays::NeedsApproval {
                payload,
                description,
            } => (Digest::of_node(&payload), description),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn excluded_keys_do_not_make_another_call_but_are_shown() {
        let approval = Approval {
            exclude_keys: vec!["body".into()],
            ..Approval::default()
        };
        let (one, words) = parts(approval.says("send_email", &args("x")));
        let (other, _) = parts(approval.says("send_email", &args("y")));
        assert_eq!(one, other);
        assert_eq!(words, "send_email(to=a@example.com, body=x, n=1)");
        let (whole, _) = parts(Approval::default().says("send_email", &args("x")));
        assert_ne!(
            whole, one,
            "without a choice of the tool every argument counts"
        );
    }

    #[test]
    fn a_payload_of_its_own_overrides_the_keys_and_a_description_the_generated_one() {
        let own = Approval {
            payload: Some(Node::text("mail")),
            exclude_keys: vec!["to".into()],
            description: Some("Send a mail".into()),
        };
        assert_eq!(
            parts(own.says("send_email", &args("x"))),
            (
                Digest::of_node(&Node::text("mail")),
                "Send a mail".to_owned()
            )
        );
    }
}
