//! The answers that an agent offers with a request for permission: picked by their kind, never by their id or name, and never one that lasts.

use sayso_core::call::operation::ToolSays;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::message::{MessageError, text};
use crate::rpc::message::spelled;

/// Yes, this once.
pub(super) const ONCE: &str = "allow_once";
/// Yes, and the agent does not ask again: nothing that it does then would be seen here.
const ALWAYS: &str = "allow_always";
const REJECT: &str = "reject_once";
const REJECT_ALWAYS: &str = "reject_always";

/// The answers that can be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choices {
    /// The id of the one yes, where there is exactly one.
    pub yes: Option<String>,
    /// There are several, and only the person can tell which is meant.
    pub has_several: bool,
    /// The id of a no.
    pub no: Option<String>,
    /// One of them lasts.
    pub lasts: bool,
    kinds: Vec<(String, String)>,
}

impl Choices {
    /// Reads the options of a request.
    ///
    /// # Errors
    /// What is missing, or could be read in two ways.
    pub(super) fn read(params: &Node) -> Result<Choices, MessageError> {
        let options = params
            .get("options")
            .ok_or(MessageError::Missing("options"))?;
        let Value::List(items) = &options.value else {
            return Err(MessageError::NoList("options", options.kind_word()));
        };
        let mut kinds: Vec<(String, String)> = Vec::new();
        for option in items {
            spelled(option, &["optionId", "kind", "name", "_meta"])?;
            let id = text(option, "optionId").ok_or(MessageError::Option("optionId"))?;
            let kind = text(option, "kind").ok_or(MessageError::Option("kind"))?;
            if kinds.iter().any(|(known, _)| known == id) {
                return Err(MessageError::SameOption);
            }
            kinds.push((id.to_owned(), kind.to_owned()));
        }
        let of = |wanted: &str| {
            kinds
                .iter()
                .filter(|(_, kind)| kind == wanted)
                .map(|(id, _)| id.clone())
                .collect::<Vec<_>>()
        };
        let once = of(ONCE);
        Ok(Choices {
            has_several: once.len() > 1,
            yes: if let [only] = once.as_slice() {
                Some(only.clone())
            } else {
                None
            },
            no: of(REJECT).into_iter().chain(of(REJECT_ALWAYS)).next(),
            lasts: !of(ALWAYS).is_empty(),
            kinds,
        })
    }

    /// The kind of an option.
    pub(super) fn kind(&self, id: &str) -> Option<&str> {
        self.kinds
            .iter()
            .find(|(known, _)| known == id)
            .map(|(_, kind)| kind.as_str())
    }

    /// What they mean for the request: without a yes for once there is none.
    pub(super) fn says(&self) -> ToolSays {
        match &self.yes {
            None if !self.has_several => ToolSays::Blocked {
                reason: "the agent offers no yes for once".to_owned(),
            },
            _ => ToolSays::Nothing,
        }
    }

    /// Whether an option says no.
    pub(super) fn is_no(&self, id: &str) -> bool {
        matches!(self.kind(id), Some(REJECT | REJECT_ALWAYS))
    }
}

/// The request without the answers that last; everything else in it stays, in its order.
pub(super) fn without_lasting(line: &[u8]) -> Option<Vec<u8>> {
    let node = json::read(
        std::str::from_utf8(line).ok()?,
        &sayso_core::text::Limits::default(),
    )
    .ok()?;
    let replaced = |node: &Node, key: &str, new: Node| {
        let entry = |entry: &sayso_core::text::node::Entry| {
            (
                entry.key.clone(),
                if entry.key == key {
                    new.clone()
                } else {
                    entry.node.clone()
                },
            )
        };
        Node::map(node.entries().iter().map(entry).collect::<Vec<_>>())
    };
    let params = node.get("params")?;
    let kept = params
        .get("options")?
        .items()
        .iter()
        .filter(|option| text(option, "kind") != Some(ALWAYS))
        .cloned()
        .collect();
    let params = replaced(params, "options", Value::List(kept).into());
    let mut text = json::write(&replaced(&node, "params", params)).into_bytes();
    text.push(b'\n');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sayso_core::text::Limits;

    fn of(options: &str) -> Result<Choices, MessageError> {
        Choices::read(
            &json::read(&format!("{{\"options\":{options}}}"), &Limits::default()).unwrap(),
        )
    }

    #[test]
    fn answers_are_picked_by_kind() {
        let all = r#"[{"optionId":"allow","name":"Allow","kind":"allow_always"},{"optionId":"reject","name":"Reject","kind":"allow_once"},{"optionId":"x","name":"Yes","kind":"reject_always"},{"optionId":"y","name":"Yes","kind":"reject_once"},{"optionId":"z","name":"z","kind":"allow_for_tonight"}]"#;
        let choices = of(all).unwrap();
        assert_eq!(
            (choices.yes.as_deref(), choices.no.as_deref(), choices.lasts),
            (Some("reject"), Some("y"), true)
        );
        assert_eq!(
            (choices.kind("z"), choices.is_no("z"), choices.is_no("x")),
            (Some("allow_for_tonight"), false, true)
        );
        let only = of(r#"[{"optionId":"a","name":"Allow once","kind":"allow_always"}]"#).unwrap();
        assert_eq!((only.yes, only.no), (None, None));
        let several = of(r#"[{"optionId":"a","name":"","kind":"allow_once"},{"optionId":"b","name":"","kind":"allow_once"}]"#).unwrap();
        assert!(several.has_several && several.yes.is_none());
        for options in [
            r#"[{"optionId":"a","name":"","kind":"allow_once"},{"optionId":"a","name":"","kind":"allow_always"}]"#,
            r#"[{"optionId":"a","name":"","kind":"allow_once","Kind":"x"}]"#,
            r#"[{"optionId":7,"name":"","kind":"allow_once"}]"#,
            r#"[{"optionId":"a"}]"#,
            r#"["a"]"#,
            "{}",
        ] {
            assert!(of(options).is_err(), "{options}");
        }
    }

    #[test]
    fn only_what_lasts_is_taken_out() {
        let line = br#"{"jsonrpc":"2.0","id":1,"method":"m","x":1.50,"params":{"a":12345678901234567890123,"options":[{"optionId":"a","kind":"allow_always"},{"optionId":"b","kind":"allow_once","_new":true}],"z":null}}"#;
        let kept = String::from_utf8(without_lasting(line).unwrap()).unwrap();
        let wanted = r#"{"jsonrpc":"2.0","id":1,"method":"m","x":1.50,"params":{"a":12345678901234567890123,"options":[{"optionId":"b","kind":"allow_once","_new":true}],"z":null}}"#;
        assert_eq!(kept.trim_end(), wanted);
    }
}
