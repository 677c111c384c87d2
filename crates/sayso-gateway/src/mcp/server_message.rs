//! What a server says, as far as it has to be known before the client hears it.
//!
//! Whatever a client could read as a message has to be one that we read, too: else a server could list other tools than we saw, answer calls
//! that it was never given, or ask the person in our name.

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::message::{Id, LIMITS};
use super::peek;
use super::peek::Peeked;

/// What a server said.
#[derive(Debug)]
pub(super) enum Heard<'a> {
    /// Nobody could read a message out of it.
    Noise,
    /// It can be read in two ways, or in ways that we do not know: it goes no further.
    Unsound(&'static str),
    /// A request or a notice, with its id where that is a plain one.
    Asks(String, Option<Id>),
    /// An answer.
    Answers(Id, Peeked<'a>),
    /// An answer to a message that had no id.
    Nobody,
}

/// Hears one message. Where messages are lines, none may hold what others take for the end of one.
pub(super) fn hear(said: &[u8], are_lines: bool) -> Heard<'_> {
    if !said.contains(&b'{') {
        return Heard::Noise;
    }
    let body = said.strip_suffix(b"\n").unwrap_or(said);
    let body = body.strip_suffix(b"\r").unwrap_or(body);
    if are_lines && body.contains(&b'\r') {
        return Heard::Unsound("a message with a carriage return in it");
    }
    let Some(peeked) = peek::peek(body) else {
        return Heard::Unsound("something that is not one message");
    };
    if peeked.is_ambiguous {
        return Heard::Unsound("a message with a key twice");
    }
    match (peeked.method, peeked.id) {
        (Some(_), id) => match peeked.method() {
            Some(method) => Heard::Asks(method, id.and_then(Id::parse)),
            None => Heard::Unsound("a message whose method is no text"),
        },
        (None, Some("null")) if peeked.is_error => Heard::Nobody,
        // To some, `1.0` is the same as `1`.
        (None, Some(id)) => Id::parse(id)
            .map_or(Heard::Unsound("an answer to what is no id"), |id| {
                Heard::Answers(id, peeked)
            }),
        (None, None) => Heard::Noise,
    }
}

/// Why a question of the server does not come to the client.
pub(super) fn refusal(
    method: &str,
    message: &str,
    is_gated: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    match method {
        "sampling/createMessage" if is_gated("sampling") => Some("sampling"),
        "elicitation/create" if is_gated("elicitation") => Some("elicitation"),
        // No question of a server may pass for one of ours (T11).
        "sampling/createMessage" | "elicitation/create" if names_us(message) => {
            Some("a question that names sayso")
        }
        _ => None,
    }
}

/// The same for the questions in a result, which a client of the newer era asks before it calls again.
pub(super) fn refusal_in(result: &str, is_gated: impl Fn(&str) -> bool) -> Option<&'static str> {
    let unsound = Some("a question that can be read in two ways");
    let questions = match peek::find(result, "inputRequests") {
        Ok(None) => return None,
        Ok(Some(questions)) => questions,
        Err(()) => return unsound,
    };
    let Ok(questions) = json::read(questions, &LIMITS) else {
        return unsound;
    };
    let refused = |key: &str, question: &Node| {
        let method = question
            .get("method")
            .and_then(Node::as_text)
            .unwrap_or_default();
        refusal(
            method,
            &format!("[{},{}]", json::quote(key), json::write(question)),
            &is_gated,
        )
    };
    let items = questions
        .items()
        .iter()
        .find_map(|question| refused("", question));
    items.or_else(|| {
        questions
            .entries()
            .iter()
            .find_map(|entry| refused(&entry.key, &entry.node))
    })
}

/// What a call has to come again with, where its result only asks for answers.
pub(super) fn state_in(result: &str) -> Option<String> {
    peek::find(result, "inputRequests").ok().flatten()?;
    let state = peek::find(result, "requestState").ok().flatten()?;
    json::read(state, &LIMITS)
        .ok()?
        .as_text()
        .map(str::to_owned)
}

/// Whether a message names sayso, in whatever letters. One that can be read in two ways may.
fn names_us(message: &str) -> bool {
    let Ok(node) = json::read(message, &LIMITS) else {
        return true;
    };
    let letters: String = all_texts(&node)
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect();
    sayso_runtime::mcp_servers::lookalikes::skeleton(&letters).contains("sayso")
}

fn all_texts(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::List(items) => items.iter().map(all_texts).collect::<Vec<_>>().join(" "),
        Value::Map(entries) => entries
            .iter()
            .map(|entry| format!("{} {}", entry.key, all_texts(&entry.node)))
            .collect::<Vec<_>>()
            .join(" "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_one_plain_message_or_none_at_all_is_heard() {
        for noise in [
            "",
            "listening\n",
            "[1,2]\n",
            "\u{1b}[2J 50%\r60%\n",
            "{\"level\":\"info\"}\n",
        ] {
            assert!(
                matches!(hear(noise.as_bytes(), true), Heard::Noise),
                "{noise}"
            );
        }
        for unsound in [
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n",
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n",
            "x {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[\r{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r]}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1e0,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":[1],\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":true,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[\"elicitation/create\"]}\n",
            "{\"half\": \n",
        ] {
            assert!(
                matches!(hear(unsound.as_bytes(), true), Heard::Unsound(_)),
                "{unsound}"
            );
        }
        assert!(matches!(
            hear(b"{\"id\":1,\"result\":{}}\r\n", true),
            Heard::Answers(..)
        ));
        assert!(matches!(
            hear(b"{\r\n  \"id\": 1,\r\n  \"result\": {}\r\n}\r\n", false),
            Heard::Answers(..)
        ));
        assert!(matches!(
            hear(b"{\"id\":null,\"error\":{}}\n", true),
            Heard::Nobody
        ));
        assert!(
            matches!(hear(b"{\"id\":1.5,\"method\":\"elicit\\u0061tion/create\"}\n", true), Heard::Asks(method, None) if method == "elicitation/create")
        );
    }

    #[test]
    fn t11_no_question_passes_for_one_of_ours() {
        let gated = |_: &str| false;
        for text in [
            "sayso asks",
            "S A Y S O",
            "ｓａｙｓｏ",
            "s\\u0061yso",
            "sаysо",
            "5ay50",
            "s\u{200b}ayso",
        ] {
            let message = format!(
                "{{\"method\":\"elicitation/create\",\"params\":{{\"message\":\"{text}\"}}}}"
            );
            assert!(
                refusal("elicitation/create", &message, gated).is_some(),
                "{text}"
            );
            let result = format!(
                "{{\"resultType\":\"input_required\",\"input\\u0052equests\":{{\"q\":{message}}}}}"
            );
            assert!(refusal_in(&result, gated).is_some(), "{text}");
        }
        let twice = r#"{"params":{"message":"x","message":"s\u0061yso"}}"#;
        assert!(refusal("elicitation/create", twice, gated).is_some());
        assert!(
            refusal(
                "elicitation/create",
                r#"{"params":{"message":"your name?"}}"#,
                gated
            )
            .is_none()
        );
        assert!(refusal_in(r#"{"content":[{"type":"text","text":"sayso"}]}"#, gated).is_none());
        let wanted =
            r#"{"inputRequests":{"q":{"method":"sampling/createMessage"}},"requestState":"s"}"#;
        assert_eq!(
            refusal_in(wanted, |what| what == "sampling"),
            Some("sampling")
        );
        assert_eq!(
            (refusal_in(wanted, gated), state_in(wanted).as_deref()),
            (None, Some("s"))
        );
    }
}
