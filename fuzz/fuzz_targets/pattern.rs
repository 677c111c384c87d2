//! Any pattern against any subject, one on each line: parsing and matching never panic, and the narrow reach is within the wide one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_core::analysis::draft::Command;
use sayso_core::call::tool::Kind;
use sayso_core::call::url::Url;
use sayso_core::paths::join;
use sayso_core::policy::command_pattern::{CommandPattern, Form, Reach};
use sayso_core::policy::glob::{PathGlob, Subject, wild};
use sayso_core::policy::name_patterns::{McpPattern, ToolPattern, UrlPattern};
use sayso_shell::Bash;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (pattern, subject) = text.split_once('\n').unwrap_or((&text, ""));
    commands(pattern, subject);
    paths(pattern, subject);
    names(pattern, subject);
});

fn commands(pattern: &str, subject: &str) {
    let words: Vec<String> = subject.split(' ').map(str::to_owned).collect();
    let as_is = Command {
        normal: sayso_shell::normal(&words),
        words,
        ..Command::default()
    };
    let read = sayso_shell::commands(subject).unwrap_or_default();
    for form in [Form::Words, Form::Exact, Form::Prefix, Form::Glob] {
        let Ok(pattern) = CommandPattern::parse(pattern, form, &Bash) else {
            continue;
        };
        let _ = (pattern.programs(), pattern.is_overly_broad());
        for command in read.iter().chain([&as_is]) {
            let narrow = pattern.matches(command, Reach::Narrow);
            assert!(
                !narrow || pattern.matches(command, Reach::Wide),
                "{pattern:?} matches {command:?} only narrowly"
            );
            // The index must not lose a rule that matches.
            if let (true, Some(programs), Some(first)) =
                (narrow, pattern.programs(), command.words.first())
            {
                assert!(
                    programs.contains(&first.as_str()),
                    "{pattern:?} is not indexed under {first:?}"
                );
            }
        }
        for words in sayso_shell::seen(subject).iter().take(16) {
            let _ = pattern.matches_seen(words, &Bash);
        }
    }
}

fn paths(pattern: &str, subject: &str) {
    let Ok(glob) = PathGlob::parse(pattern) else {
        return;
    };
    let _ = (
        glob.is_absolute(),
        glob.is_everything(),
        glob.first_literal(),
    );
    for path in [join("/home/u/ws", subject), subject.to_owned()] {
        let subject = Subject {
            path: &path,
            workspace: "/home/u/ws",
            home: Some("/home/u"),
        };
        let matches = glob.matches(subject);
        assert!(
            !glob.covers_below(subject) || matches,
            "{glob:?} covers {path:?} and does not match it"
        );
        assert!(
            !matches || glob.reaches_below(subject),
            "{glob:?} matches {path:?} and does not reach it"
        );
        let _ = glob.matches_folded(subject);
    }
}

fn names(pattern: &str, subject: &str) {
    let _ = wild(pattern, subject);
    if let (Ok(pattern), Ok(url)) = (UrlPattern::parse(pattern), Url::parse(subject)) {
        let narrow = pattern.matches(&url, Reach::Narrow);
        assert!(
            !narrow || pattern.matches(&url, Reach::Wide),
            "{pattern:?} matches {url:?} only narrowly"
        );
        let _ = (
            pattern.matches_host(&url.host, Reach::Wide),
            url.is_private(),
        );
    }
    if let Ok(pattern) = McpPattern::parse(pattern) {
        let (server, tool) = subject.split_once('/').unwrap_or((subject, ""));
        let narrow = pattern.matches(server, tool, Reach::Narrow);
        assert!(
            !narrow || pattern.matches(server, tool, Reach::Wide),
            "{pattern:?} matches {subject:?} only narrowly"
        );
    }
    if let Ok(pattern) = ToolPattern::parse(pattern) {
        let _ = pattern.matches(subject, Kind::Custom);
    }
}
