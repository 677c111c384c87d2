//! Which filters of jq are silent, and which ask.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod common;

use common::{check, is_read_only, paths};
use sayso_shell::analyse;

#[test]
fn filters_of_jq_that_only_pick_are_silent() {
    check(
        "jq",
        &[
            ".",
            ".a",
            ".a.b[0]",
            ".[]",
            ".[] | .name",
            ".a[]?.b",
            ".\"a b\"",
            ".[\"a\"]",
            ".[2:4]",
            "..",
            ".. | .id?",
            "keys",
            "length",
            ".a | length",
            "map(.x)",
            "map(select(.x > 3 and .y != null))",
            "[.[] | {name, id: .x}]",
            "{a: .b, env: .env, (.k): 1, \"x y\": 2, $__loc__}",
            "{env}",
            ".env",
            ".import.include",
            "to_entries[] | \"\\(.key)=\\(.value)\"",
            "\"a \\(\"b \\(.c)\") d\"",
            "\"env $ENV\"",
            ".a // \"none\"",
            ".a //= 1 | .b |= . + 1",
            "if .a then 1 elif .b then 2 else 3 end",
            "{a: (if .x then 1, 2 else 3 end)}",
            "reduce .[] as $x (0; . + $x)",
            "foreach .[] as $x (0; . + $x; [., $x])",
            "def f(g; $y): g + $y; f(.a; 2)",
            "def double: . * 2; map(double)",
            ". as {a: $x, b: [$y]} | $x + $y",
            "try error(\"x\") catch .",
            "label $out | 1, break $out",
            "@base64",
            "@csv \"\\(.a)\"",
            ".[] | @tsv",
            ".scripts | to_entries[] | select(.key | test(\"^a\")) | .value",
            ".dependencies | keys[]",
            "group_by(.x) | map({k: .[0].x, n: length})",
            "sort_by(-.n) | reverse | .[:5]",
            "input | inputs",
            "# env\n.a",
            "del(.a, .b) | with_entries(.value |= tostring)",
            "$x + $y",
            ".a -1e3 + .5",
            "not | type",
            "[limit(3; .[])] | first, last",
            ".[0] | ascii_downcase | ltrimstr(\"a\") | gsub(\"x\"; \"y\")",
            "now | strftime(\"%Y\")",
            "walk(if type == \"object\" then del(.x) else . end)",
            "",
        ],
        true,
    );
}

#[test]
fn filters_of_jq_that_look_elsewhere_ask() {
    check(
        "jq",
        &[
            "env",
            "env.HOME",
            "env | keys",
            "$ENV",
            "$ENV.HOME",
            "\"\\(env)\"",
            "\"\\(\"\\($ENV.X)\")\"",
            "{a: env}",
            "{a: (env)}",
            "{a: if .x then 1, env else 2 end}",
            "{(env.X): 1}",
            "[env]",
            ".a | env",
            "..env",
            "import \"x\" as x; .",
            "include \"x\"; .",
            "import \"x\" as $d; $d",
            "x::f",
            "modulemeta",
            "get_search_list",
            "$__prog_args",
            "unknown",
            "file.json",
            "@unknown",
            "\"a",
            "\"\\(1\"",
            "\"\\q\"",
            "(.a",
            ".a)",
            "{a: 1]",
            "if . then 1",
            "end",
            "`id`",
            ".a & .b",
            "'x'",
            "# x\\\nenv",
            "# x\renv",
            "1x",
            "é",
            "@",
        ],
        false,
    );
}

#[test]
fn options_of_jq() {
    for (text, expected) in [
        ("jq . a b", vec!["r a", "r b"]),
        ("jq -r .a f", vec!["r f"]),
        ("jq -rc '.[]' f", vec!["r f"]),
        ("jq . f -r", vec!["r f"]),
        ("jq -n '1'", vec![]),
        ("jq --arg x -f '$x' f", vec!["r f"]),
        ("jq --argjson x 1 '$x' f", vec!["r f"]),
        ("jq --slurpfile x other '$x' f", vec!["r other", "r f"]),
        ("jq --rawfile x other '$x' f", vec!["r other", "r f"]),
        ("jq -n '$ARGS' --args a b", vec![]),
        ("jq --tab --indent 2 --raw-output . f", vec!["r f"]),
        ("jq -e .a -- f", vec!["r f"]),
        ("jq --arg x \"$1\" '.a == $x' f", vec!["r f"]),
        ("cat x | jq .", vec!["r x"]),
        ("jq --version", vec![]),
    ] {
        let draft = analyse(text);
        assert!(is_read_only(&draft), "{text}: {:?}", draft.effects);
        assert_eq!(paths(&draft), expected, "{text}");
    }
    for text in [
        "jq -f x f",
        "jq --from-file x f",
        "jq -rf x f",
        "jq -L x . f",
        "jq -Lx . f",
        "jq --library-path x . f",
        "jq --indent x . f",
        "jq -i . f",
        "jq --arg x",
        "jq --raw . f",
        "jq \"$x\" f",
        "jq $x . f",
        "jq --arg $x . f",
        "jq \"-$x\" . f",
        "yq -i . f",
        "yq -s .a f",
        "yq 'load(1)' f",
        "yq 'env(HOME)' f",
        "yq \"$x\" f",
    ] {
        assert!(!is_read_only(&analyse(text)), "{text}");
    }
}
