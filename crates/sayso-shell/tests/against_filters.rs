//! Random scripts against the real sed, awk and jq: what is called harmless runs nothing, leaves no file behind and reads no other one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the product starts nothing, but this test asks the programs"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sayso_shell::doubt_about_script;

/// A folder with an input, a secret that must not show, and a program that leaves a mark when it runs.
struct Stage {
    folder: PathBuf,
}

const SECRET: &str = "xyzzy-secret";

impl Stage {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("sayso-filters-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).unwrap();
        let stage = Stage { folder };
        stage.fill();
        stage
    }

    fn fill(&self) {
        fs::write(
            self.folder.join("in"),
            "a b c\nmark\n/x/ w out;e mark\nb,c:d\n",
        )
        .unwrap();
        fs::write(self.folder.join("other"), SECRET).unwrap();
        let mark = self.folder.join("bin/mark");
        fs::write(
            &mark,
            format!("#!/bin/sh\n: > {}/ran\n", self.folder.display()),
        )
        .unwrap();
        fs::set_permissions(&mark, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Whether a script does anything but print what it should: a name in the folder is new or changed, or the secret shows.
    fn acts(&self, words: &[&str], script: &str) -> Option<String> {
        let (program, rest) = words.split_first().unwrap();
        let output = Command::new("timeout")
            .args(["0.2", program])
            .args(rest)
            .args([script, "in"])
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .env(
                "PATH",
                format!("{}/bin:/usr/bin:/bin", self.folder.display()),
            )
            .env("HIDDEN", SECRET)
            .output()
            .unwrap();
        let mut names: Vec<String> = fs::read_dir(&self.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let shown = [&output.stdout, &output.stderr]
            .iter()
            .any(|bytes| String::from_utf8_lossy(bytes).contains(SECRET));
        if names == ["bin", "in", "other"]
            && !shown
            && fs::read_to_string(self.folder.join("other")).unwrap() == SECRET
        {
            return None;
        }
        fs::remove_dir_all(&self.folder).unwrap();
        fs::create_dir_all(self.folder.join("bin")).unwrap();
        self.fill();
        Some(format!(
            "{words:?} with {script:?}: {names:?}, secret shown: {shown}"
        ))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A small generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit
    }

    /// Some fragments in a row, now and then with one character taken out or doubled.
    fn script(&mut self, fragments: &[&str]) -> String {
        let count = 1 + self.below(6);
        let mut script: Vec<char> = (0..count)
            .flat_map(|_| fragments[self.below(fragments.len())].chars())
            .collect();
        if self.below(3) == 0 && !script.is_empty() {
            let at = self.below(script.len());
            if self.below(2) == 0 {
                script.remove(at);
            } else {
                script.insert(at, script[at]);
            }
        }
        script.into_iter().collect()
    }
}

/// Characters that may make one reader see the end of something where another does not.
const SPECIAL: [char; 20] = [
    '/', '/', '/', '"', '"', '[', ']', '\\', '\\', '#', '(', ')', '{', '}', ';', '\n', '\n', '^',
    ':', ' ',
];

impl Random {
    /// A script that acts, with a few characters put in that may hide it.
    fn hidden(&mut self, acting: &[&str]) -> String {
        let mut script: Vec<char> = acting[self.below(acting.len())].chars().collect();
        for _ in 0..1 + self.below(4) {
            script.insert(
                self.below(script.len() + 1),
                SPECIAL[self.below(SPECIAL.len())],
            );
        }
        script.into_iter().collect()
    }
}

/// The programs of a list that are here; the missing ones are named, so that a test without them is not taken for one with them.
fn present<'a>(programs: &[&'a [&'a str]]) -> Vec<&'a [&'a str]> {
    let (here, missing): (Vec<&[&str]>, Vec<&[&str]>) = programs.iter().partition(|words| {
        Path::new("/usr/bin").join(words[0]).exists() || Path::new("/bin").join(words[0]).exists()
    });
    if !missing.is_empty() {
        eprintln!("SKIPPED, not installed: {missing:?}");
    }
    here
}

/// Tries random scripts until so many harmless ones were run, and answers how many of the others did act, as a check of the check.
fn compare(
    language: &str,
    programs: &[&[&str]],
    fragments: &[&str],
    hostile: &[&str],
    rounds: usize,
) {
    let programs = present(programs);
    if programs.is_empty() {
        return;
    }
    let stage = Stage::new(language);
    let mut random = Random(0x5a75_0001);
    let (mut harmless, mut acting, mut wrong) = (0, 0, Vec::new());
    for round in 0..rounds {
        let script = if round % 2 == 0 {
            random.script(fragments)
        } else {
            random.hidden(hostile)
        };
        let silent = doubt_about_script(language, &script).is_none();
        // What starts with a dash is an option. Scripts that ask need only be tried now and then.
        if script.starts_with('-') || !silent && round % 16 > 1 {
            continue;
        }
        harmless += usize::from(silent);
        for words in &programs {
            let Some(what) = stage.acts(words, &script) else {
                continue;
            };
            if silent {
                wrong.push(what);
            } else {
                acting += 1;
            }
        }
    }
    eprintln!("{language}: {harmless} harmless scripts were run, {acting} others acted");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        harmless >= rounds / 50,
        "only {harmless} of {rounds} were harmless"
    );
    assert!(acting > 0, "the probe must work");
}

/// More rounds where more random cases are asked for.
fn rounds(usual: usize) -> usize {
    if std::env::var_os("PROPTEST_CASES").is_some() {
        usual * 10
    } else {
        usual
    }
}

#[test]
fn scripts_of_sed() {
    const FRAGMENTS: &[&str] = &[
        "p",
        "d",
        "q",
        "=",
        "n;",
        "N",
        "h",
        "G",
        "x",
        "l",
        "z",
        "P;",
        "D",
        "q3",
        "1",
        "2,3",
        "$",
        "$!",
        "/b/",
        "/b/I",
        "/a/,/c/",
        "\\,b,",
        "\\xbx",
        "1~2",
        "2,+1",
        "0,/b/",
        ";",
        ";",
        ";",
        "\n",
        "\n",
        "\n",
        "{",
        "}",
        "{p",
        "};",
        " ",
        "!",
        "#",
        "# x\\",
        "s/a/b/",
        "s/a/b/g",
        "s/a/b/p;",
        "s/b/mark/",
        "s,b,mark,",
        "s|.*|mark|",
        "s/[/]/x/",
        "s/[^/]*//",
        "s/[]/]/x/",
        "s/[\\]/]/w out/",
        "s/[[:alpha:]/]/x/w out/",
        "s/[/;w out;]/",
        "s/a/\\\nw out\n/",
        "y/abc/bcd/",
        "y/[/]/",
        "y/[/]/;s/a/w out/",
        "/[/]/",
        "/[/",
        "w out/",
        "w out",
        "\nw out\n",
        ";w out",
        "e mark",
        "\ne mark\n",
        ";e mark",
        "1e mark",
        "r other",
        "\nr other",
        "R other",
        "W out",
        "s/b/mark/e",
        "s/a/b/w out",
        "s/.*/mark/;e",
        ":a",
        ":a;",
        ":a\n",
        "ba",
        "ba;",
        "ta\n",
        "b}",
        "b;",
        "b\n",
        ":a;s/x/y\\\nw out\n/",
        "a foo",
        "a\\",
        "a\\\n",
        "a x\\",
        "a x\\\\",
        "i\\\nfoo\n",
        "i\\ foo",
        "c\\\nw out\n",
        "$!N;",
        "a\\ \nw out",
        "a\\\\\nw out",
        "a foo}",
        "\\",
        "/",
        "[",
        "]",
        "e",
        "w",
        "F",
        "s}a}b}",
        "s;a;b;",
        "s a b ",
        "saXaba",
        "sxaxbx",
    ];
    let programs: &[&[&str]] = &[
        &["sed"],
        &["sed", "-n"],
        &["sed", "-E"],
        &["sed", "--posix"],
        &["busybox", "sed"],
        &["busybox", "sed", "-n"],
    ];
    const ACTING: &[&str] = &[
        "s/a/b/\nw out\n",
        "s/a/b/;w out",
        "/b/{p\nw out\n}",
        "s/[a]/[b]/w out",
        "s/b/x/;s/.*/mark/e",
        "y/a/b/\n1e mark",
        "a x\nw out",
        "i\\\nx\nw out",
        "1!{s/a/b/;s/c/d/w out\n}",
        ":a\ns/q/r/;ta\nw out",
        "# x\nw out",
        "/[a-z]/s/[^b]/x/\ne mark",
        "\\,a,s,b,mark,;w out",
        "$!N;s/\\n/ /\nr other",
        "s/a\\/b/x/w out",
        "s/[[:alpha:]]/x/;w out",
        "1d\n2r other\np",
    ];
    compare("sed", programs, FRAGMENTS, ACTING, rounds(1000));
}

#[test]
fn programs_of_awk() {
    const FRAGMENTS: &[&str] = &[
        "{print}",
        "{print $1}",
        "{print $1;",
        "}",
        "{",
        "{",
        "}",
        ";",
        ";",
        "\n",
        "\n",
        " ",
        "print ",
        "print",
        "print $1",
        "print(",
        "printf \"x\"",
        "printf(\"%s\", $1)",
        "(",
        ")",
        ",",
        ", $2",
        "$1",
        "$NF",
        "NR",
        "x",
        "x++",
        "y--",
        "1",
        "2.5",
        "\"out\"",
        "\"mark\"",
        " > ",
        " > \"out\"",
        " >\"out\"",
        ">> \"out\"",
        " | \"mark\"",
        "|\"mark\"",
        "|& \"mark\"",
        "||",
        "&&",
        "&&\n",
        ",\n",
        "\\\n",
        "if (x) ",
        "if (NR>1) ",
        "else ",
        "while(i++<2) ",
        "for(;i<2;i++) ",
        "/b/",
        "/a/ ",
        " / ",
        "/",
        "/[/]/",
        "/[]/]/",
        "/=/",
        "/= 2",
        "~ /b/",
        "!/b/",
        "!",
        "==",
        ">=",
        "<",
        "?",
        ":",
        "a[1]",
        "a[$1]",
        "a[NR > \"out\"]",
        "[",
        "]",
        "in a",
        "system(\"mark\")",
        ";system(\"mark\");",
        "{system(\"mark\")}",
        "system (\"mark\")",
        "# x",
        "# x\\\n",
        "#/\n",
        "/#",
        "BEGIN{",
        "BEGIN",
        "END{",
        "END{print NR}",
        "function f(a){return a}",
        "f(1)",
        "f(",
        "length",
        "length($0)",
        "length > 2",
        "getline",
        "getline x < \"other\"; print x",
        "\"mark\" | getline",
        "getline < \"other\"",
        "\"",
        "\\\"",
        "\"/\"",
        "next",
        "exit",
        "return",
        "substr($0,1,2)",
        "gsub(/a/,\"b\")",
        "$1 > 1",
        "x = $1 > 2",
        "(x > 1)",
        "print (x > 1)",
        "print (1)(2) > \"out\"",
        "do ",
        "delete a",
        "print ENVIRON[\"HIDDEN\"]",
        "@load",
        "in ",
        "$",
        "-",
        "+",
        "print /b/",
        "print x /b/ 2",
        "ARGV[1]=\"other\"",
        "BEGIN{ARGV[1]=\"other\"}",
    ];
    let programs: &[&[&str]] = &[&["gawk"], &["mawk"], &["original-awk"], &["busybox", "awk"]];
    const ACTING: &[&str] = &[
        "{print > \"out\"}",
        "{print $1, $2 > \"out\"}",
        "/b/{print > \"out\"}",
        "{x = 1 / 2; print x > \"out\"}",
        "{x=\"a\"; system(\"mark\")}",
        "/a/ {print \"x\" | \"mark\"}",
        "{if (NR > 1) print $1 > \"out\"; else print}",
        "{print (1)(2) > \"out\"}",
        "{print a[1] / 2 > \"out\"}",
        "{y = $1 / 2; system(\"mark\"); z = 3 / 1}",
        "$1 ~ /[a-z]/ {system(\"mark\")} /x/",
        "BEGIN {while ((getline l < \"other\") > 0) print l}",
        "function f(a) {print a > \"out\"} {f(1)}",
        "{gsub(/a/, \"b\"); print >> \"out\"}",
        "# x\n{system(\"mark\")}",
        "{print \"a\"} # b\nEND{print > \"out\"}",
        "BEGIN{print ENVIRON[\"HIDDEN\"]}",
        "{printf(\"%s\", $1) > \"out\"}",
        "{print x++ / 2; print > \"out\"}",
        "{if (x) y = 2 / 1; print | \"mark\"}",
    ];
    compare("awk", programs, FRAGMENTS, ACTING, rounds(1500));
}

#[test]
fn filters_of_jq() {
    const FRAGMENTS: &[&str] = &[
        ".",
        ".a",
        ".[]",
        "..",
        "|",
        "|",
        "|",
        ",",
        "\"x\"",
        "\"\\(",
        ")\"",
        "\"",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{a:",
        "{env}",
        "{env:1}",
        "a",
        ":",
        "env",
        "env",
        "$ENV",
        "$ENV.HIDDEN",
        ".env",
        "env.HIDDEN",
        "$x",
        "# x",
        "# x\\\n",
        "#\n",
        "\n",
        " ",
        "if . then",
        " 1 ",
        "else ",
        "end",
        "def f: ",
        "def env: 1;",
        ";",
        "f",
        "1",
        "2e3",
        "@json",
        "@base64",
        "keys",
        "length",
        "map(",
        "select(",
        "?",
        "//",
        "+",
        "as $x",
        "input",
        "\\",
        "reduce .[] as $x (0;",
        "try ",
        "catch .",
        "\"\\(env)\"",
        "\"\\(.a)\"",
        "import \"other\" as $d;",
        "include \"other\";",
    ];
    const ACTING: &[&str] = &[
        "env",
        "1 | env",
        "\"a\" | env",
        "$ENV.HIDDEN",
        "{a: env}",
        "\"x\\(env)\"",
        "# x\nenv",
        "[1, env]",
        "{a: 1} | env",
        "\"a\", env, \"b\"",
        "def f: env; f",
        "if 1 then env else 2 end",
        "{a: (env)}",
        "\"\\(\"\\(env)\")\"",
        "[1][0], $ENV.HIDDEN",
    ];
    compare(
        "jq",
        &[&["jq", "-n"], &["jq", "-R"]],
        FRAGMENTS,
        ACTING,
        rounds(600),
    );
}
