//! Properties that hold for any text.

use proptest::prelude::*;
use sayso_shell::{analyse, commands, normal, quote, seen};

/// Words that people see as they are.
fn visible_words() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[ -~äß€]{0,12}", 1..6)
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC{0,60}|[-a-z '\"\\\\$`(){}<>|&;#~*=\n]{0,60}") {
        let draft = analyse(&text);
        prop_assert!(draft.opaque.is_some() || !draft.commands.is_empty());
        prop_assert!(!draft.effects.is_empty());
        seen(&text);
    }

    #[test]
    fn quote_reads_back(words in visible_words()) {
        let line = quote(&words);
        let draft = analyse(&line);
        if let (None, Some(command)) = (&draft.opaque, draft.commands.first()) {
            prop_assert!(words.ends_with(command.words.get(1..).unwrap_or(&[])));
        }
        // Behind `echo` no word can be a wrapper or an interpreter, so the whole must come back.
        let mut echoed = vec!["echo".to_owned()];
        echoed.extend(words);
        let read = commands(&quote(&echoed)).map(|read| read[0].words.clone());
        prop_assert_eq!(read, Some(echoed));
    }

    #[test]
    fn an_expansion_is_never_taken_for_text(before in "[a-z ]{0,10}", operator in "[$`*?()\r\0]", after in "[a-z]{1,10}") {
        let text = format!("ls {before}{operator}{after}");
        let draft = analyse(&text);
        prop_assert!(draft.opaque.is_some() || draft.commands.iter().any(|command| !command.literal), "{:?}", text);
    }

    #[test]
    fn another_command_never_takes_an_effect_away(one in "[a-z]{1,6}( [-a-z./]{1,6}){0,3}", other in "[a-z]{1,6}( [-a-z./]{1,6}){0,3}", operator in "; | && | \\|\\| | \\| |\n") {
        let alone = analyse(&one);
        let both = analyse(&format!("{one}{operator}{other}"));
        prop_assert!(both.opaque.is_some() || both.effects.len() >= alone.effects.len());
        prop_assert!(both.opaque.is_some() || both.dangers.len() >= alone.dangers.len());
    }

    #[test]
    fn an_operator_in_quotes_is_data(inner in "[;&|<>(){}$`*?~#!a-z ]{0,20}") {
        prop_assert_eq!(commands(&format!("echo '{inner}'")).map(|read| read[0].words[1].clone()), Some(inner));
    }

    #[test]
    fn the_normal_form_is_stable(words in proptest::collection::vec("rm|git|push|-rf|--force|-f|x|--|head|-5|-n|ls|--color=auto", 1..8)) {
        let once = normal(&words);
        // Another look finds the same options; `--` is gone, so what stood behind it may be one now.
        if !words.contains(&"--".to_owned()) && !words.contains(&"-n".to_owned()) && !words.contains(&"-5".to_owned()) {
            prop_assert_eq!(normal(&once), once);
        }
    }

    #[test]
    fn what_is_seen_grows_with_the_text(text in "[a-z ]{1,20}") {
        let rows = seen(&format!("{text};rm -rf x"));
        prop_assert!(rows.contains(&vec!["rm".to_owned(), "-rf".to_owned(), "x".to_owned()]));
    }
}

#[test]
fn a_mebibyte_of_anything_is_answered() {
    for piece in [
        "(",
        "'",
        "\"",
        "\\",
        "$(",
        "`",
        "rm ",
        "sudo ",
        "rm -rf / ",
        "a;",
        "<<E ",
        "{ ",
        "bash -c 'x' ",
        ":(){",
        "| sh ",
        "-exec ",
        "a=b ",
        "rm -rf x|",
    ] {
        for size in [60 * 1024, 1024 * 1024 + 10] {
            let text = piece.repeat(size / piece.len());
            let draft = analyse(&text);
            assert!(draft.opaque.is_some() || size < 64 * 1024, "{piece}");
        }
    }
}
