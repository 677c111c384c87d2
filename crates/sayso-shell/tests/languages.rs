//! Which scripts of sed are silent, and what is seen of scripts in any small language.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{check, command, is_read_only, paths, tier};
use sayso_core::analysis::risk::Tier;
use sayso_shell::analyse;

#[test]
fn scripts_of_sed_that_only_edit_are_silent() {
    check(
        "sed",
        &[
            "",
            "p",
            "1p",
            "1,5p",
            "10,20!d",
            "$d",
            "$!d",
            "/foo/d",
            "/foo/,/bar/p",
            "/foo/I,+3p",
            "/foo/,$d",
            "0~3d",
            "1~2p",
            "2,~4p",
            "0,/x/s/x/y/",
            "5q",
            "q5",
            "3Q",
            "3Q 1",
            "s/a/b/",
            "s/a/b/g",
            "s/a/b/gI",
            "s/a/b/2p",
            "s|/usr|/opt|g",
            "s,a,b,",
            "s#a#b#;s:c:d:",
            "s@a@b@;p",
            "sxaxbx",
            r"s/\/a\/b/\/c/",
            "s/[^/]*$//",
            "s/[]]/x/",
            "s/[[:space:]]*$//",
            "s/[a-z]*[0-9]//g",
            "s/[[:alpha:]_][[:alnum:]_]*/<&>/g",
            r"s/\(a\)\(b\)/\2\1/",
            r"s/^[ \t]*//;s/[ \t]*$//",
            "s/a/\\\n/g",
            "s/a/e/",
            "s/w/r/;s/e/w/g",
            "s/;w out/x/",
            r"s/x/\nw out/",
            r"\,/usr,d",
            r"\%a%,\%b%p",
            "y/abc/xyz/",
            r"y/\//x/",
            ":a;N;$!ba;s/\\n/ /g",
            ":a\nN\n$!ba\ns/\\n/ /g",
            "$!N;P;D",
            "1!G;h;$!d",
            "n;d",
            "G",
            "x;p;x",
            "/^$/d;/^#/d",
            "/a/{p;d}",
            "/a/{s/a/b/;p;}",
            "/a/{/b/!{p}}",
            "/a/{\ns/a/b/\np\n}",
            "/start/,/end/{/end/!p}",
            "/a/{n;p;q}",
            "1d;$d",
            "1d ; 2d ;",
            "=",
            "$=",
            "l",
            "l 80",
            "z",
            "# a comment\np",
            "p # w out",
            "1i\\\nhello",
            "1i\\  hello",
            "1i hello w out",
            "$a the end; w out }",
            "/x/c\\\nw out\np",
            "/x/a one\\\nw two\np",
            "/a/{i\\\nw x\n}",
            "/a/b;s/a/b/",
            "t end;s/x/y/;:end",
            "/a/{s/b/c/;ta};:a",
            "s/ü/ue/g",
            "s/a/ä/",
            "/^commit [0-9a-f]\\{40\\}$/!d",
            "s/.*\"version\": *\"\\([^\"]*\\)\".*/\\1/p",
            "1,10{=;p}",
            "s/a/b/ ; s/c/d/",
            "/a/ !p",
            "s/a\\|b//",
            "w /dev/stdout",
            "s/a/b/w /dev/stderr",
            "y/[]/()/",
        ],
        true,
    );
}

#[test]
fn scripts_of_sed_that_act_or_are_in_doubt_ask() {
    check(
        "sed",
        &[
            "w out",
            "1w out",
            "/x/w out",
            "$!w out",
            "wout",
            "W out",
            "r other",
            "/x/r /etc/passwd",
            "R other",
            "e",
            "e id",
            "1e id",
            "$!e",
            "1!e rm x",
            "s/a/b/e",
            "s/a/b/ge",
            "s/a/b/pe",
            "s/a/b/w out",
            "s/a/b/gw out",
            "s/a/b/2pw out",
            "s|a|id|e",
            "sxaxbxe",
            "sxaxbxw out",
            "s a b w",
            "p;w out",
            "p\nw out",
            "{w out\n}",
            "/a/{e id\n}",
            "/a/{p;w out}",
            "s/a/b/;w out",
            "s/a/b/\nw out",
            "y/a/b/;w out",
            ":a\nw out",
            ":a;w out",
            ":a;s/x/y\\\nw out\n/",
            "ba;a x\\\nw out",
            "b};w out",
            "}w out",
            "{p}w out",
            "#\nw out",
            "# x\\\np",
            "a x\nw out",
            "a\\\nx\nw out",
            "a\\\\\nw out",
            "a\\ \nw out",
            "a x\\\\\nw out",
            "i\\\nx\\\ny\ne id",
            "s/[/]/x/w out/",
            "s/[/x/;w out;s/]/y/",
            "s/[]/]/e/e",
            "s/[[:a:]/]/w o/",
            "s/[\\]/]/w out/",
            "y/[/]/;s/a/w out/;w x",
            "s\na\nb\n",
            "s1a1b1",
            "w /dev/stdout x",
            "w /dev/stdout;e",
            "s\\a\\b\\",
            "s[a[b[",
            "s]a]b]",
            "säaäbä",
            "F",
            "v",
            "k",
            "p p",
            "pw out",
            "dw",
            "=e",
            "1!!p",
            "1,p",
            "1~p",
            ",5p",
            "+1p",
            "/a",
            "s/a",
            "s/a/b",
            "s/a/b/k",
            "s/a/b/ p",
            "s/a/b/ e",
            "{p",
            "p}",
            "1",
            "a",
            "a\\",
            "i\\",
            "1:a",
            ":",
            ":a}",
            "p\r",
            "\u{b}p",
            "q5w",
            "l5w out",
            "M",
            "s/a/b/m;1e id",
            "é\\/p",
            "s/é\\/w out/x/",
        ],
        false,
    );
}

#[test]
fn options_of_sed() {
    for (text, expected) in [
        ("sed -n 5p f", vec!["r f"]),
        ("sed -n '1,5p' a b", vec!["r a", "r b"]),
        ("sed -e s/a/b/ -e s/c/d/ f", vec!["r f"]),
        ("sed --expression=s/a/b/ f", vec!["r f"]),
        ("sed -ne 's/a/b/p' f", vec!["r f"]),
        ("sed -nE 's/(a)/b/p' f", vec!["r f"]),
        ("sed -r 's/(a)/b/' f", vec!["r f"]),
        ("sed --quiet -s -u -z p f", vec!["r f"]),
        ("sed --posix p f", vec!["r f"]),
        ("sed -l 5 l f", vec!["r f"]),
        ("sed p", vec![]),
        ("sed p -", vec![]),
        ("sed p -- f", vec!["r f"]),
        ("gsed p f", vec!["r f"]),
        ("sed -n \"$#p\" f", vec!["r f"]),
        ("sed -n \"1,$((3 + 4))p\" f", vec!["r f"]),
        ("sed -n 1p *.txt", vec!["r *.txt"]),
        ("sed --version", vec![]),
        ("sed -e '/a/{' -e p -e '}' f", vec!["r f"]),
    ] {
        let draft = analyse(text);
        assert!(is_read_only(&draft), "{text}: {:?}", draft.effects);
        assert_eq!(paths(&draft), expected, "{text}");
    }
    for text in [
        "sed -f x f",
        "sed --file=x f",
        "sed -nf x f",
        "sed -e p -e 'w out' f",
        "sed -e 'a x\\' -e 'w out' f",
        "sed -e 'a\\' -e 'x' f",
        "sed -l 'w out' p f",
        "sed --expr=p f",
        "sed --debug p f",
        "sed -x p f",
        "sed 'w out' f -e p",
        "sed wout f -e p",
        "sed \"$x\" f",
        "sed -n \"${x}p\" f",
        "sed s\"$#\"a1b1w f",
        "sed p \"$x\"",
        "sed p $x",
        "sed -I .bak p f",
        "sed -n5p f",
        "sed -e p --in-place f",
        "sed p f -i",
        "sed -n 5p -i f",
        "sed -ni p f",
        "sed -ie p f",
        "sed -i p f",
    ] {
        assert!(!is_read_only(&analyse(text)), "{text}");
    }
}

#[test]
fn sed_in_place_writes_each_file() {
    for (text, expected) in [
        ("sed -i s/a/b/ x y", vec!["w x", "w y"]),
        ("sed -i.bak s/a/b/ x", vec!["r x", "w x.bak", "w x"]),
        ("sed -ie s/a/b/ x", vec!["r x", "w xe", "w x"]),
        ("sed -i '' s/a/b/ x", vec!["w x"]),
        ("sed -i '' -e s/a/b/ x", vec!["r? -e", "r? s/a/b/", "w x"]),
        ("sed --in-place=.o s/a/b/ x", vec!["r x", "w x.o", "w x"]),
        ("sed -i -e s/a/b/ x", vec!["w x"]),
        ("sed -Ei s/a/b/ x", vec!["w x"]),
        ("sed -i s/a/b/ web/x", vec!["w? eb/x", "w web/x"]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        let notes: Vec<_> = draft
            .effects
            .iter()
            .filter(|effect| effect.kind == sayso_core::analysis::effect::EffectKind::Unknown)
            .collect();
        assert!(notes.is_empty(), "{text}: {notes:?}");
    }
    for text in [
        "sed -i '1e id' x",
        "sed -i p '1w out'",
        "sed -i'a/*' p x",
        "sed -i '' 'w out' x",
        "sed -i.bak 's/a/b/w out' x",
    ] {
        let draft = analyse(text);
        assert!(
            draft
                .effects
                .iter()
                .any(|effect| effect.kind == sayso_core::analysis::effect::EffectKind::Unknown),
            "{text}"
        );
    }
    // What a script names is told, so that rules about paths see it.
    assert_eq!(
        paths(&analyse("sed 'w private/x' f")),
        ["w private/x", "r f"]
    );
    assert_eq!(
        paths(&analyse("sed 's/a/b/w private/x' f")),
        ["w private/x", "r f"]
    );
    assert_eq!(
        paths(&analyse("sed '$r private/x' f")),
        ["r private/x", "r f"]
    );
}

#[test]
fn commands_inside_of_scripts_are_seen() {
    for text in [
        "awk 'BEGIN{system(\"rm -rf /\")}'",
        "awk '{print | \"rm -rf /\"}' f",
        "sed '1e rm -rf /' f",
    ] {
        let draft = analyse(text);
        assert!(
            draft.opaque.is_some() && draft.commands[0].interprets,
            "{text}: {draft:?}"
        );
    }
    assert!(!analyse("awk 1 f").commands[0].interprets);
    assert_eq!(tier(&analyse("sed 's/rm -rf/x/' f")), Tier::default());
    assert_eq!(tier(&analyse("awk '/rm -rf \\//' f")), Tier::default());
}

/// The cost of a script grows with its length alone.
#[test]
fn long_scripts_are_read_in_one_pass() {
    for (program, piece) in [
        ("sed", "s/[a]/b/;"),
        ("sed", "{"),
        ("sed", "[["),
        ("sed", "s/[[:a"),
        ("awk", "/[/"),
        ("awk", "(("),
        ("awk", "x=1;"),
        ("jq", "\"\\("),
        ("jq", "[[1],"),
        ("jq", "def f: "),
    ] {
        analyse(&command(program, &piece.repeat(50_000 / piece.len())));
    }
}
