//! JSON text read as YAML says the same; whatever YAML says, it says without falling over.

use super::*;

/// Raw DEL, C1 and byte order marks are JSON, but we do not take them raw in YAML.
fn shared_text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        "[a-c ]{0,4}",
        "[ -~é漢🦀\n\t\u{1}]{0,8}",
        Just("yes".to_owned()),
        Just("<<".to_owned()),
        Just("1e3".to_owned())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn json_reads_the_same(node in any_node(shared_text())) {
        let compact = json::write(&node);
        let value: serde_json::Value = serde_json::from_str(&compact).map_err(|error| TestCaseError::fail(error.to_string()))?;
        for text in [compact, serde_json::to_string_pretty(&value).unwrap_or_default()] {
            let as_json = json::read(&text, &Limits::default()).map_err(|error| TestCaseError::fail(error.message))?;
            let as_yaml = yaml::read(&text, &Limits::default())
                .map_err(|error| TestCaseError::fail(format!("{text:?}: {} at {:?}", error.message, error.span)))?;
            prop_assert!(same(&as_json, &as_yaml), "{text:?}");
            prop_assert_eq!(all_pieces(&text, &as_json), all_pieces(&text, &as_yaml));
        }
    }
}

/// Reads the text both ways round: through us, and through the bare parser to see whether it would panic.
fn survives(text: &str) -> Result<(), TestCaseError> {
    let result = std::panic::catch_unwind(|| {
        for event in saphyr_parser::Parser::new_from_str(text) {
            if event.is_err() {
                break;
            }
        }
    });
    prop_assert!(result.is_ok(), "the parser panics on {text:?}");
    match yaml::read(text, &Limits::default()) {
        Ok(node) => {
            all_pieces(text, &node);
        }
        Err(error) => {
            prop_assert!(
                error.span.start <= error.span.end && error.span.end as usize <= text.len(),
                "{text:?}: {error:?}"
            );
            prop_assert!(
                text.is_char_boundary(error.span.start as usize)
                    && text.is_char_boundary(error.span.end as usize)
            );
            // Quoted input may hold anything; the words around it are ours.
            let ours = error.message.split('`').step_by(2).collect::<String>();
            prop_assert!(
                !ours.is_empty() && !ours.ends_with('.') && !ours.contains(['<', '\'', '"']),
                "{error:?}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn soup_does_no_harm(text in "([\\[\\]{},:?!&*|>%@`#'\"~-]|[ab01é ]|\n|\n |\n  |\r|\t|: |- |\\? |---|\\.\\.\\.|\\|[+-]?[0-9]?\n|\\\\x4|%TAG |%YAML 1\\.2|<<|\u{FEFF}|\0){0,30}") {
        survives(&text)?;
    }

    #[test]
    fn anything_does_no_harm(text in prop::collection::vec(any::<char>(), 0..60).prop_map(|list| list.into_iter().collect::<String>())) {
        survives(&text)?;
    }

    #[test]
    fn broken_policies_do_no_harm(place in any::<prop::sample::Index>(), cut in 0_usize..6, insert in "([\\[\\]{},:?!&*|>%#'\"\n\t -]|- |: |é){0,4}") {
        let text = "version: 1\nrules:\n  - allow: [a, \"b c\"]\n    when: {path: 'é/**', ports: [80, 443]}\n    # why\n    note: |\n      two\n      lines\n  - deny: >-\n      folded\n      text\n    ask: ~\n";
        let mut characters: Vec<char> = text.chars().collect();
        let at = place.index(characters.len() + 1);
        let end = (at + cut).min(characters.len());
        characters.splice(at..end, insert.chars());
        survives(&characters.into_iter().collect::<String>())?;
    }
}
