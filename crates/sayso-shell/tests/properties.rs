//! Properties that hold for any text.

mod common;

use common::{is_read_only, tier};
use proptest::prelude::*;
use sayso_shell::{analyse, commands, normal, quote, seen};

/// Words that people see as they are.
fn visible_words() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[ -~äß€]{0,12}", 1..6)
}

/// What stands before a command that other programs start.
const BEFORE_WORDS: [&str; 34] = [
    "env",
    "nice -n 5",
    "timeout 5",
    "stdbuf -oL",
    "setsid -w",
    "ionice -c3",
    "taskset -c 0",
    "taskset 0x1",
    "chrt -b 0",
    "numactl -l",
    "prlimit --core=0",
    "setpriv --nnp",
    "watch",
    "watch -n 1",
    "watch -x",
    "flock /dev/null",
    "entr",
    "entr -n",
    "fd -x",
    "fd . src -X",
    "parallel -k",
    "xargs",
    "ssh host",
    "docker exec c",
    "docker run --rm alpine",
    "kubectl exec pod --",
    "runuser -u bob --",
    "nsenter -t 1 -m",
    "unshare -r",
    "chroot /x",
    "systemd-run --user",
    "npx",
    "nice watch -t",
    "parallel -j2 nice",
];

/// What stands before a script that other programs run.
const BEFORE_TEXT: [&str; 9] = [
    "sh -c",
    "watch -t",
    "flock /dev/null -c",
    "script -qc",
    "entr -s",
    "su -c",
    "ssh host",
    "docker exec c sh -c",
    "npx -c",
];

/// Commands of which each does more than look, or looks at more than the rest.
const INNER: [&str; 16] = [
    "rm -r src",
    "rm -rf /",
    "git push --force",
    "make",
    "sort -o out in",
    "sed -i s/a/b/ x",
    "./x",
    "curl -d @x http://h",
    "dd of=/dev/sda",
    "chmod 777 /",
    "cp a b",
    "tee out",
    "frobnicate",
    "find . -delete",
    "python3 x.py",
    "shutdown now",
];

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

#[test]
fn a_wrapper_never_lowers_a_verdict() {
    for inner in INNER {
        let alone = analyse(inner);
        let check = |wrapped: &str| {
            let draft = analyse(wrapped);
            assert!(!is_read_only(&draft), "{wrapped}");
            assert!(
                tier(&draft) >= tier(&alone),
                "{wrapped}: {:?} and not {:?}",
                tier(&draft),
                tier(&alone)
            );
        };
        for before in BEFORE_WORDS {
            check(&format!("{before} {inner}"));
            check(&format!("sudo {before} {inner}"));
            if before.starts_with("parallel") {
                check(&format!("{before} {inner} ::: a"));
            }
            // Words that are put together lose the quotes around a script: `watch sh -c 'rm x'` runs `rm` alone.
            let joins = ["watch", "parallel", "ssh"]
                .iter()
                .any(|name| before.split(' ').any(|word| word == *name))
                && before != "watch -x";
            for text in BEFORE_TEXT {
                check(&if joins {
                    format!("{before} \"{text} '{inner}'\"")
                } else {
                    format!("{before} {text} '{inner}'")
                });
            }
        }
        for text in BEFORE_TEXT {
            check(&format!("{text} '{inner}'"));
            check(&format!("{text} 'ls; {inner}'"));
            check(&format!("{text} 'ls | {inner}'"));
        }
    }
}
