//! Tables of command patterns, and a reader of commands for tests of the policy.

use super::*;

/// A reader that splits at blanks, for tests of the policy alone.
pub(crate) struct Blanks;

impl CommandReader for Blanks {
    fn commands(&self, text: &str) -> Option<Vec<Command>> {
        if text.contains(|c: char| !c.is_ascii_alphanumeric() && !" ./-_=:@".contains(c)) {
            return None;
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Some(vec![Command {
            normal: self.normal(&words),
            words,
            literal: true,
            ..Command::default()
        }])
    }
    fn seen(&self, text: &str) -> Vec<Vec<String>> {
        text.split([';', '&', '|', '\n'])
            .map(|part| part.split_whitespace().map(str::to_owned).collect())
            .collect()
    }
    fn normal(&self, words: &[String]) -> Vec<String> {
        words.to_vec()
    }
}

fn check(pattern: &str, form: Form, text: &str, reach: Reach) -> bool {
    let command = Blanks.commands(text).unwrap().remove(0);
    CommandPattern::parse(pattern, form, &Blanks)
        .unwrap()
        .matches(&command, reach)
}

#[test]
fn words_are_matched_one_by_one() {
    use Form::Words;
    use Reach::{Narrow, Wide};
    for (pattern, text, reach) in [
        ("git status", "git status", Narrow),
        ("git status *", "git status --short", Narrow),
        ("git status *", "git status", Narrow),
        ("cargo {build,test} *", "cargo test --all", Narrow),
        ("git * main", "git push main", Narrow),
        ("git * main", "git push origin main", Wide),
        ("npm-*", "npm-evil", Narrow),
        ("git push --force *", "git push origin --force", Wide),
        ("python scripts/*.py", "python scripts/a.py", Narrow),
        ("kubectl delete *", "kubectl -n prod delete pod x", Wide),
        ("npm publish *", "npm --loglevel silent --yes publish", Wide),
        ("npm publish", "npm publish", Wide),
    ] {
        assert!(
            check(pattern, Words, text, reach),
            "{pattern} should match {text}"
        );
    }
    for (pattern, text, reach) in [
        ("git status", "git status --short", Narrow),
        ("git status *", "git statusx", Narrow),
        ("git * main", "git push origin main", Narrow),
        ("rm *", "rmdir x", Wide),
        ("npm", "npm-evil", Wide),
        ("git push --force *", "git push origin main", Wide),
        (
            "python scripts/*.py",
            "python scripts/../../tmp/evil.py",
            Narrow,
        ),
        ("python scripts/*.py", "python scripts/a/b.py", Narrow),
        ("kubectl delete *", "kubectl get delete", Wide),
        ("git * main", "main", Wide),
        ("git * main", "git push", Wide),
        ("git push", "git", Wide),
    ] {
        assert!(
            !check(pattern, Words, text, reach),
            "{pattern} should not match {text}"
        );
    }
}

#[test]
fn h_64_globs_of_other_agents_keep_to_words() {
    assert!(check("ls *", Form::Glob, "ls -la", Reach::Narrow));
    assert!(check("ls *", Form::Glob, "ls", Reach::Narrow));
    assert!(!check("ls *", Form::Glob, "lsof -i", Reach::Narrow));
    assert!(check(
        "curl *evil.com*",
        Form::Glob,
        "curl https://evil.com/x",
        Reach::Wide
    ));
    assert!(check("cat *.txt", Form::Glob, "cat a/b.txt", Reach::Narrow));
}

#[test]
fn a_pattern_is_about_one_command() {
    for pattern in [
        "ls; rm x", "a | b", "a && b", "echo > x", "", "'a", "a\u{0}b", "$(x) `y`",
    ] {
        assert!(
            CommandPattern::parse(pattern, Form::Words, &Blanks).is_err(),
            "{pattern:?}"
        );
    }
}

#[test]
fn h_65_broad_patterns_are_known() {
    let broad = |pattern: &str| {
        CommandPattern::parse(pattern, Form::Words, &Blanks)
            .unwrap()
            .is_overly_broad()
    };
    for pattern in ["*", "rm *", "python3 *", "sudo *", "* x", "{ls,bash} *"] {
        assert!(broad(pattern), "{pattern}");
    }
    for pattern in ["git status *", "cargo test *", "rm", "make test"] {
        assert!(!broad(pattern), "{pattern}");
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn pattern(written: &str, form: Form) -> CommandPattern {
    CommandPattern::parse(written, form, &Blanks).unwrap()
}

#[test]
fn braces_are_alternatives_only_in_our_own_form() {
    for (form, count) in [
        (Form::Words, 2),
        (Form::Prefix, 2),
        (Form::Exact, 1),
        (Form::Glob, 1),
    ] {
        assert_eq!(
            pattern("echo {a,b}", form).alternatives.len(),
            count,
            "{form:?}"
        );
    }
    assert!(
        !pattern("rm", Form::Glob).is_overly_broad()
            && pattern("rm *", Form::Glob).is_overly_broad()
    );
}

#[test]
fn quotes_keep_words_together() {
    assert_eq!(
        pattern("echo 'a b' \"c\" ''", Form::Words).alternatives[0].words,
        ["echo", "a b", "c", ""]
    );
}

#[test]
fn what_leads_out_of_a_folder_must_be_written() {
    let fits = |part: &str, word: &str| {
        check(
            &format!("cat {part}"),
            Form::Words,
            &format!("cat {word}"),
            Reach::Narrow,
        )
    };
    assert!(fits("../*.py", "../a.py") && fits("*/a.py", "b/a.py"));
    assert!(!fits("*/a.py", "../a.py"));
}

#[test]
fn other_forms_and_stages_count_for_a_denial() {
    let force = pattern("git push --force *", Form::Words);
    let stage = Command {
        words: words("xargs x"),
        stages: vec![words("git push origin --force")],
        ..Command::default()
    };
    assert!(force.matches(&stage, Reach::Wide) && !force.matches(&stage, Reach::Narrow));
    let stage = Command {
        words: words("xargs x"),
        stages: vec![words("git push origin")],
        ..Command::default()
    };
    assert!(!force.matches(&stage, Reach::Wide));
    let texts = Command {
        words: words("x"),
        normal: words("cat a b.txt"),
        ..Command::default()
    };
    assert!(pattern("cat *.txt", Form::Glob).matches(&texts, Reach::Wide));
    assert!(!pattern("cat *.md", Form::Glob).matches(&texts, Reach::Wide));
    // Without a `*` at its end a pattern names all options that there are.
    assert!(!check(
        "git push",
        Form::Words,
        "git push --force",
        Reach::Wide
    ));
    assert!(check(
        "git push --force",
        Form::Words,
        "git --force push",
        Reach::Wide
    ));
    // A lone `-` is no option.
    assert!(!check("cat x -", Form::Words, "cat - x", Reach::Wide));
}

#[test]
fn words_that_were_only_seen_may_start_anywhere() {
    let force = pattern("git push --force *", Form::Words);
    for text in [
        "git push --force",
        "sudo git push --force x",
        "sudo git push origin --force",
    ] {
        assert!(
            force.matches_seen(&words(text), &Blanks) && force.matches_seen_as_is(&words(text)),
            "{text}"
        );
    }
    for text in ["git push origin", "ls"] {
        assert!(
            !force.matches_seen(&words(text), &Blanks) && !force.matches_seen_as_is(&words(text)),
            "{text}"
        );
    }
    // Only places where it could start are counted.
    let late = "x ".repeat(300) + "git push --force";
    assert!(force.matches_seen_as_is(&words(&late)));
}

#[test]
fn a_long_pattern_is_cut_to_what_can_be_counted() {
    for (count, given, hit) in [
        (62, 62, true),
        (62, 63, false),
        (63, 63, true),
        (63, 64, false),
        (64, 64, true),
        (64, 63, true),
        (70, 64, true),
    ] {
        let (written, text) = (vec!["a"; count].join(" "), vec!["a"; given].join(" "));
        assert_eq!(
            check(&written, Form::Words, &text, Reach::Wide),
            hit,
            "{count} {given}"
        );
    }
}

#[test]
fn a_program_and_its_options_are_named() {
    let make = pattern("{make,ninja} --jobs *", Form::Words);
    assert!(make.names("make") && make.names("ninja") && !make.names("cargo"));
    let named = |text: &str| make.names_options(&Blanks.commands(text).unwrap()[0]);
    assert!(named("make --jobs all") && named("make all") && !named("make --jobs --always-make"));
}

#[test]
fn finding_j_07_a_word_that_leads_elsewhere_must_be_written_out() {
    let lead = |word: usize, name: usize| Lead {
        word,
        name,
        does: "names another project".to_owned(),
    };
    let command = |text: &str, leads: Vec<Lead>| Command {
        leads,
        ..Blanks.commands(text).unwrap().remove(0)
    };
    let make = command("make -C sub all", vec![lead(1, 2)]);
    for (written, covers) in [
        ("make *", false),
        ("make -C *", true),
        ("make -C sub *", true),
        ("make -C sub all", true),
        ("make * sub all", false),
        ("make -C other *", false),
        ("{make,ninja} -C sub *", true),
    ] {
        assert_eq!(
            pattern(written, Form::Words).covers(&make),
            covers,
            "{written}"
        );
    }
    assert!(
        !pattern("make *", Form::Glob).covers(&make)
            && pattern("make -C *", Form::Glob).covers(&make)
    );
    assert!(
        !pattern("make", Form::Prefix).covers(&make)
            && pattern("make -C", Form::Prefix).covers(&make)
    );
    // The same option once more is another word.
    let twice = command("make -C sub -C evil", vec![lead(1, 2), lead(3, 2)]);
    assert!(
        !pattern("make -C sub *", Form::Words).covers(&twice)
            && !pattern("make -C *", Form::Glob).covers(&twice)
    );
    let attached = command("npm test --prefix=sub", vec![lead(2, 9)]);
    assert!(pattern("npm test --prefix=* *", Form::Words).covers(&attached));
    assert!(
        !pattern("npm test --pre* *", Form::Words).covers(&attached)
            && !pattern("npm test *", Form::Words).covers(&attached)
    );
}

#[test]
fn what_is_packed_comes_back() {
    struct Sorted;
    impl CommandReader for Sorted {
        fn commands(&self, _: &str) -> Option<Vec<Command>> {
            None
        }
        fn seen(&self, _: &str) -> Vec<Vec<String>> {
            Vec::new()
        }
        fn normal(&self, words: &[String]) -> Vec<String> {
            let mut sorted = words.to_vec();
            sorted.sort();
            sorted
        }
    }
    for (written, form) in [
        ("git status *", Form::Words),
        ("git {status,diff} -s", Form::Words),
        ("b a", Form::Exact),
        ("z y *", Form::Glob),
    ] {
        let made = CommandPattern::parse(written, form, &Sorted).unwrap();
        let mut out = Packer::new();
        made.pack(&mut out);
        let bytes = std::sync::Arc::new(out.finish());
        assert_eq!(
            CommandPattern::unpack(&mut Unpacker::new(&bytes)),
            Some(made),
            "{written}"
        );
    }
}
