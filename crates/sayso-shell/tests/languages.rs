//! Which scripts of sed, awk and jq are silent, and which ask.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{is_read_only, paths, tier};
use sayso_core::verdict::Tier;
use sayso_shell::{analyse, doubt_about_script, quote};

fn command(program: &str, script: &str) -> String {
    quote(&[program.to_owned(), script.to_owned(), "f".to_owned()])
}

fn check(program: &str, scripts: &[&str], silent: bool) {
    let least = if program == "jq" { 25 } else { 40 };
    assert!(scripts.len() >= least, "{program}: only {}", scripts.len());
    let mut wrong = Vec::new();
    for script in scripts {
        let doubt = doubt_about_script(program, script);
        let draft = analyse(&command(program, script));
        // The shell's own reader refuses a backslash at the end of a line in most places.
        let silent_line = is_read_only(&draft) || (silent && script.contains("\\\n"));
        if doubt.is_none() != silent || silent_line != silent {
            wrong.push((script, doubt, draft.effects));
        }
    }
    assert!(wrong.is_empty(), "{program}: {wrong:#?}");
}

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
        ("sed -i '' -e s/a/b/ x", vec!["w x"]),
        ("sed --in-place=.o s/a/b/ x", vec!["r x", "w x.o", "w x"]),
        ("sed -i -e s/a/b/ x", vec!["w x"]),
        ("sed -Ei s/a/b/ x", vec!["w x"]),
        ("sed -i s/a/b/ web/x", vec!["w? eb/x", "w web/x"]),
    ] {
        let draft = analyse(text);
        assert_eq!(paths(&draft), expected, "{text}");
        let notes: Vec<_> = draft.effects.iter().filter(|effect| effect.kind == sayso_core::effect::EffectKind::Unknown).collect();
        assert!(notes.is_empty(), "{text}: {notes:?}");
    }
    for text in ["sed -i '1e id' x", "sed -i p '1w out'", "sed -i'a/*' p x", "sed -i '' 'w out' x", "sed -i.bak 's/a/b/w out' x"] {
        let draft = analyse(text);
        assert!(draft.effects.iter().any(|effect| effect.kind == sayso_core::effect::EffectKind::Unknown), "{text}");
    }
    // What a script names is told, so that rules about paths see it.
    assert_eq!(paths(&analyse("sed 'w private/x' f")), ["w private/x", "r f"]);
    assert_eq!(paths(&analyse("sed 's/a/b/w private/x' f")), ["w private/x", "r f"]);
    assert_eq!(paths(&analyse("sed '$r private/x' f")), ["r private/x", "r f"]);
}

#[test]
fn programs_of_awk_that_only_print_are_silent() {
    check(
        "awk",
        &[
            "",
            "1",
            "{print}",
            "{print $1}",
            "{ print $1, $2 }",
            "{print $NF}",
            "{print $(NF-1)}",
            "NR==1",
            "NR>1",
            "NR > 1 { print $2 }",
            "NR>=10 && NR<=20",
            "NR==FNR{a[$1]=1;next} $1 in a",
            "!seen[$0]++",
            "/foo/",
            "/foo/{print $2}",
            "!/foo/",
            "/a/,/b/",
            "$1 ~ /foo/",
            "$1 !~ /^#/ {print}",
            "$3 > 100",
            "$3 > 100 {print $1}",
            "{ if ($1 > 5) print $2 }",
            "{ if ($1 > 5) print $2; else print $3 }",
            "{ if ($1 > m) m = $1 } END { print m }",
            "{s+=$1} END {print s}",
            "{s+=$1} END {print s/NR}",
            "{ s += $1 } END { printf \"%.2f\\n\", s / NR }",
            "END{print NR}",
            "BEGIN{print 1+1}",
            "BEGIN { FS = \":\" } { print $1 }",
            "BEGIN{FS=\",\";OFS=\"\\t\"} {$1=$1; print}",
            "BEGIN{OFS=\"|\"} {print $1,$2}",
            "{print $1 \"|\" $2}",
            "{print \"a > b | c\"}",
            "{printf \"%s\\n\", $1}",
            "{printf(\"%s %d\\n\", $1, $2)}",
            "{print ($1 > $2)}",
            "{print ($1 > $2 ? $1 : $2)}",
            "{print length($0)}",
            "length > 80",
            "length($0) > 80 {print FILENAME \":\" FNR}",
            "{print toupper($1)}",
            "{gsub(/a/, \"b\"); print}",
            "{gsub(/[ \\t]+/, \" \")}1",
            "{sub(/^ +/, \"\"); print}",
            "{n=split($0, a, \",\"); for(i=1;i<=n;i++) print a[i]}",
            "{for (i = NF; i > 0; i--) printf \"%s \", $i; print \"\"}",
            "{a[$1]++} END{for (k in a) print k, a[k]}",
            "{ count[$1]++ }\nEND {\n  for (word in count)\n    print word, count[word]\n}",
            "function f(x) { return x*2 } { print f($1) }",
            "function max(a, b) {\n  return a > b ? a : b\n}\n{ print max($1, $2) }",
            "# comment with system() | x\n{print}",
            "{print substr($0, 1, 10)}",
            "{print $1/$2}",
            "{x = $1 / 2; y = x / 3; print y}",
            "{x /= 2; print x}",
            "{print a[1]/2, b[2]/3}",
            "{print (a)/2}",
            "/=/{print $1}",
            "/\\/usr\\/bin/",
            "/[0-9]+/",
            "/\"/",
            "/system/",
            "/a|b/",
            "$0 ~ \"x|y\"",
            "match($0, /[0-9]+/) {print substr($0, RSTART, RLENGTH)}",
            "{while (i < 3) {i++; print i}}",
            "{do {i++} while (i < 3)}",
            "{print; next}",
            "{print $1; exit}",
            "NR==5{print;exit 0}",
            "NF",
            "NF > 0",
            "BEGIN{srand(1); print rand()}",
            "BEGIN{while(i++<5) print i}",
            "{delete a[1]}",
            "{print -$1, !$2, $1^2, $1%3}",
            "{print $1,\n $2}",
            "$1 == \"a\" && $2 > 3 || $3 < 4",
            "{x = $1 > 3; print x}",
            "{print $1 } ; /x/ { print $2 }",
            "{print strftime(\"%Y\")}",
            "{ print $1 \\\n , $2 }",
            "{a = \"é\"; print a}",
            "{print 1e3, .5, 1.5e-3}",
            "BEGIN{RS=\"\"}{print}",
            "{ print NR\": \"$0 }",
            "{print $0 > \"/dev/stderr\"}",
            "{print \"x\" > \"/dev/stderr\"; exit 1}",
            "/[/]/",
            "/[]/]/",
            "{sub(/[^/]*$/, \"\"); print}",
        ],
        true,
    );
}

#[test]
fn programs_of_awk_that_act_or_are_in_doubt_ask() {
    check(
        "awk",
        &[
            "BEGIN{system(\"id\")}",
            "BEGIN { system (\"id\") }",
            "{system($0)}",
            "system(\"id\")",
            "{print | \"sh\"}",
            "{print $1 | \"sh\"}",
            "{print |& \"sh\"}",
            "{printf \"x\" | \"sh\"}",
            "{print > \"out\"}",
            "{print $1 > \"out\"}",
            "{print $1 >> \"out\"}",
            "{print>\"out\"}",
            "{print>$1}",
            "{printf \"%s\", $1 > \"out\"}",
            "{printf(\"%s\", $1) > \"out\"}",
            "{print($1) > \"out\"}",
            "{print ($1)($2) > \"out\"}",
            "{print ($1 > $2) > \"out\"}",
            "{print a[$1 > \"out\"]}",
            "{print $1 > $2 ? 1 : 2}",
            "{print $1,\n $2 > \"out\"}",
            "{print $1 &&\n $2 > \"out\"}",
            "{if (x) print > \"out\"; else print}",
            "{print $1\\\n > \"out\"}",
            "{getline}",
            "{getline x}",
            "{getline < \"other\"}",
            "{while ((getline line < \"other\") > 0) print line}",
            "BEGIN{\"id\" | getline x; print x}",
            "BEGIN{\"id\" |& getline}",
            "{print ENVIRON[\"HOME\"]}",
            "BEGIN{for (k in ENVIRON) print k}",
            "BEGIN{ARGV[1]=\"/etc/shadow\"}",
            "BEGIN{ARGC=3}",
            "BEGIN{print PROCINFO[\"pid\"]}",
            "BEGIN{SYMTAB[\"ARGC\"]=1}",
            "@load \"x\"",
            "@include \"x\"",
            "@namespace \"x\"",
            "BEGIN{f=\"system\"; @f(\"id\")}",
            "BEGIN{awk::system(\"id\")}",
            "{close(\"x\")}",
            "BEGIN{extension(\"x.so\")}",
            "BEGIN{foo(1)}",
            "BEGIN{foo (1)}",
            "BEGIN{bindtextdomain(\"/x\")}",
            "function f(x) { system(x) } {f($0)}",
            "function f(x) { print x > \"out\" } {f($0)}",
            "func f(x) { return x } {print f(1)}",
            "{print /x/ > \"out\"}",
            "/x/ {print > \"out\"} /y/",
            "{a = b /c; system(\"id\") # /}",
            "{if (x) /re/}",
            "{x++ /2/ 1}",
            "{print length / 2}",
            "{print /a/ /b/}",
            "$/x/",
            "/[/]/{system(\"id\")} #/",
            "/a",
            "/a\n/",
            "\"a",
            "{print \"a\nb\"}",
            "{print \"a\\\nb\"}",
            "{print",
            "print}",
            "{print)}",
            "{print (}",
            "{print a(b}",
            "{print [1}",
            "{sys\\\ntem(\"id\")}",
            "# x\\\n{print}",
            "{print 0x11}",
            "{print 1system(\"id\")}",
            "{print 1e}",
            "{print 'a'}",
            "{print `id`}",
            "{print a & b}",
            "{print\r}",
            "{print é}",
            "{switch (x) {case 1: print}}",
            "{print {x}}",
            "{(print x)}",
            "{print (a\n) > \"x\"}",
            "BEGIN { printf \"x\" | \"cat 1>&2\" }",
            "{ print \"x\" > \"/dev/tcp/x/1\" }",
            "{ print \"x\" |& \"/inet/tcp/0/x/1\" }",
            "{print $0 > \"/dev/stderr\" x}",
            "{print $0 > \"/dev/stderr\"\"x\"}",
            "{print > \"/dev/sda\"}",
            "{print \"é\\\" > x\"}",
        ],
        false,
    );
}

#[test]
fn options_of_awk() {
    for (text, expected) in [
        ("awk '{print $1}' a b", vec!["r a", "r b"]),
        ("awk -F: '{print $1}' /etc/passwd", vec!["r /etc/passwd"]),
        ("awk -F '\\t' '{print $1}' f", vec!["r f"]),
        ("awk -F'|' '{print $1}' f", vec!["r f"]),
        ("awk -v x=1 '{print x}' f", vec!["r f"]),
        ("awk -vx='a b' -F, '{print x}' f", vec!["r f"]),
        ("awk '{print x}' x=1 f", vec!["r f"]),
        ("awk '{print x}' ./x=1", vec!["r ./x=1"]),
        ("awk -- '{print}' f", vec!["r f"]),
        ("gawk 1 f -", vec!["r f"]),
        ("mawk 1 f", vec!["r f"]),
        ("ps aux | awk '{print $2}'", vec![]),
        ("awk --version", vec![]),
    ] {
        let draft = analyse(text);
        assert!(is_read_only(&draft), "{text}: {:?}", draft.effects);
        assert_eq!(paths(&draft), expected, "{text}");
    }
    for text in [
        "awk -f x f",
        "awk --file=x f",
        "awk -i inplace 1 f",
        "gawk -i inplace 1 f",
        "gawk -l x 1 f",
        "gawk -o 1 f",
        "gawk -pout 1 f",
        "gawk -dout 1 f",
        "gawk --profile=out 1 f",
        "gawk --dump-variables=out 1 f",
        "gawk -E x f",
        "gawk --exec x f",
        "gawk --include x 1 f",
        "gawk --load x 1 f",
        "gawk -e 1 f",
        "awk 1 -f x",
        "awk -v ENVIRON=1 1 f",
        "awk -v ARGC=9 1 f",
        "awk -version 1 f",
        "awk 1 ARGC=9 f",
        "gawk 1 /inet/tcp/0/example.com/80",
        "gawk 1 /inet4/tcp/0/example.com/80",
    ] {
        assert!(!is_read_only(&analyse(text)), "{text}");
    }
}

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
        "yq . f",
    ] {
        assert!(!is_read_only(&analyse(text)), "{text}");
    }
}

#[test]
fn commands_inside_of_scripts_are_seen() {
    for text in ["awk 'BEGIN{system(\"rm -rf /\")}'", "awk '{print | \"rm -rf /\"}' f", "sed '1e rm -rf /' f"] {
        let draft = analyse(text);
        assert!(draft.opaque.is_some() && draft.commands[0].interprets, "{text}: {draft:?}");
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
