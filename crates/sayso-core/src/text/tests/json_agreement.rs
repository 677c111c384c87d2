//! Our JSON reader against `serde_json` on random documents, whole and damaged.

use super::*;

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
    match (ours, serde_json::from_str::<serde_json::Value>(text)) {
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
