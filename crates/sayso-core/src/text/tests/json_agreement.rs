//! Our JSON reader against `serde_json` on random documents, whole and damaged.

use super::*;
use crate::text::json::Scanner;
use crate::text::node::Span;

fn node_text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        "[a-c]{0,3}",
        "\\PC{0,8}",
        prop::collection::vec(any::<char>(), 0..6).prop_map(|list| list.into_iter().collect())
    ]
}

/// Whether our tree says what `serde_json` read; numbers are compared as `serde_json` reads their source text.
fn agrees(ours: &Node, theirs: &serde_json::Value) -> bool {
    match (&ours.value, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(ours), serde_json::Value::Bool(theirs)) => ours == theirs,
        (Value::Number(ours), serde_json::Value::Number(theirs)) => {
            serde_json::from_str::<serde_json::Number>(ours).is_ok_and(|ours| ours == *theirs)
        }
        (Value::Text(ours), serde_json::Value::String(theirs)) => ours == theirs,
        (Value::List(ours), serde_json::Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| agrees(ours, theirs))
        }
        (Value::Map(ours), serde_json::Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|entry| {
                    theirs
                        .get(&entry.key)
                        .is_some_and(|theirs| agrees(&entry.node, theirs))
                })
        }
        _ => false,
    }
}

/// `serde_json` limits the size of numbers and of nesting, we refuse keys that stand twice; else both must agree.
fn compare(text: &str) -> Result<(), TestCaseError> {
    let ours = json::read(text, &Limits::default());
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    compare_scanner(text, ours.as_ref().ok(), theirs.as_ref())?;
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            prop_assert!(agrees(&ours, &theirs), "{text:?}: {ours:?} and {theirs:?}")
        }
        (Err(_), Err(_)) => {}
        (Err(ours), Ok(_)) => {
            let on_purpose = ours.message.ends_with("stands twice")
                || ours.message.ends_with("inside each other");
            prop_assert!(on_purpose, "only we refuse {text:?}: {ours:?}");
        }
        (Ok(_), Err(theirs)) => prop_assert!(
            theirs.to_string().starts_with("number out of range"),
            "only we take {text:?}: {theirs}"
        ),
    }
    Ok(())
}

/// What is passed over is what is read, but for keys that stand twice.
fn compare_scanner(
    text: &str,
    ours: Option<&Node>,
    theirs: Result<&serde_json::Value, &serde_json::Error>,
) -> Result<(), TestCaseError> {
    let is_sound = match theirs {
        Ok(_) => true,
        Err(error) => ours.is_some() || error.to_string().starts_with("number out of range"),
    };
    let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
    let skipped = Scanner::new(trimmed).skip_value().ok();
    let skipped = skipped.filter(|value| *value == trimmed);
    prop_assert!(
        skipped.is_none() || is_sound,
        "only skipping takes {text:?}"
    );
    prop_assert!(
        skipped.is_some() || theirs.is_err(),
        "only skipping refuses {text:?}"
    );
    let fields = |scanner: Scanner<'_>| {
        let mut fields = Vec::new();
        let scanned = scanner.fields(|key, value| fields.push(format!("\"{key}\"{value}")));
        scanned.ok().map(|()| fields)
    };
    let strict = fields(Scanner::new(text));
    prop_assert_eq!(
        strict.is_some(),
        skipped.is_some_and(|value| value.starts_with('{'))
    );
    if let Some(node) = ours.filter(|node| matches!(node.value, Value::Map(_))) {
        let piece = |span: Span| &text[span.start as usize..span.end as usize];
        let wanted = node.entries().iter();
        let wanted =
            wanted.map(|entry| format!("{}{}", piece(entry.key_span), piece(entry.node.span)));
        prop_assert_eq!(strict.as_ref(), Some(&wanted.collect()));
    }
    // An outline is the same, of more texts.
    prop_assert!(
        strict.is_none() || fields(Scanner::outline(text)) == strict,
        "{text:?}"
    );
    // And what has no comments is the same with and without them.
    let with_comments = json::read_with_comments(text, &Limits::default());
    prop_assert!(ours.is_none_or(|ours| with_comments.is_ok_and(|other| same(ours, &other))));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn written_documents_read_the_same(node in any_node(node_text())) {
        let text = json::write(&node);
        let again = json::read(&text, &Limits::default()).map_err(|error| TestCaseError::fail(format!("{text:?}: {error:?}")))?;
        prop_assert!(same(&node, &again));
        prop_assert_eq!(json::write(&again), text.clone());
        let theirs: serde_json::Value = serde_json::from_str(&text).map_err(|error| TestCaseError::fail(format!("{text:?}: {error}")))?;
        prop_assert!(agrees(&again, &theirs));
        // Their way of writing it, too.
        compare(&serde_json::to_string_pretty(&theirs).unwrap_or_default())?;
    }

    #[test]
    fn what_is_between_the_parts_may_be_comments(
        node in any_node("[a,\\]}/*\\\\\"]{0,3}"),
        between in prop::collection::vec("( |\n|//[a,\"/*\\]}]*\n|/\\*[a,\"/\\]}\n]*\\*/){0,3}", 1..8),
    ) {
        let (written, mut between) = (json::write(&node), between.iter().cycle());
        let (mut out, mut last, mut in_text, mut escaped) = (String::new(), '[', false, false);
        for character in written.chars() {
            let is_mark = !in_text && "[]{}:,".contains(character);
            if is_mark && "]}".contains(character) && !"[{".contains(last) {
                out.push(',');
            }
            out.extend(is_mark.then(|| between.next()).flatten().map(String::as_str));
            out.push(character);
            out.extend(is_mark.then(|| between.next()).flatten().map(String::as_str));
            last = character;
            in_text ^= character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
        }
        let again = json::read_with_comments(&out, &Limits::default()).map_err(|error| TestCaseError::fail(format!("{out:?}: {error:?}")))?;
        prop_assert!(same(&node, &again), "{out:?}");
    }

    #[test]
    fn quoting_agrees(text in node_text()) {
        prop_assert_eq!(serde_json::from_str::<String>(&json::quote(&text)).ok(), Some(text));
    }

    #[test]
    fn damaged_documents_are_judged_the_same(
        node in any_node("[a-b\\\\\"\u{7}\u{1F980}]{0,3}"),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..3, "[\\[\\]{},:\"\\\\0-9.eE+\\-tfnu \n\t\0é]{0,3}"), 1..4),
    ) {
        let mut characters: Vec<char> = json::write(&node).chars().collect();
        for (place, cut, insert) in damage {
            let at = place.index(characters.len() + 1);
            let end = (at + cut).min(characters.len());
            characters.splice(at..end, insert.chars());
        }
        compare(&characters.into_iter().collect::<String>())?;
    }

    #[test]
    fn soup_is_judged_the_same(text in "([\\[\\]{},:\"\\\\ 0-9.eE+\\-]|true|null|\"a\"|\\\\u[dD][8-9c-f]00|\n|\0|é){0,24}") {
        compare(&text)?;
    }

    #[test]
    fn spans_read_again_are_the_same_values(node in any_node(node_text())) {
        fn check(text: &str, node: &Node) -> Result<(), TestCaseError> {
            let piece = &text[node.span.start as usize..node.span.end as usize];
            prop_assert!(json::read(piece, &Limits::default()).is_ok_and(|again| same(&again, node)), "{piece:?}");
            for entry in node.entries() {
                let key = &text[entry.key_span.start as usize..entry.key_span.end as usize];
                prop_assert_eq!(serde_json::from_str::<String>(key).ok(), Some(entry.key.clone()));
            }
            node.items().iter().chain(node.entries().iter().map(|entry| &entry.node)).try_for_each(|child| check(text, child))
        }
        let text = json::write(&node);
        check(&text, &json::read(&text, &Limits::default()).map_err(|error| TestCaseError::fail(error.message))?)?;
    }
}
