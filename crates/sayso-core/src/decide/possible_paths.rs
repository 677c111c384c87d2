//! Paths that can only be seen: the words of a command whose effects are not all known may be files it reads, writes or deletes.

use std::collections::BTreeSet;

use crate::answer::cause::Cause;
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::decide::judging::{Lens, reason};
use crate::decide::rule_match::rule_reason;
use crate::paths::{join, relative};
use crate::policy::decision::Decision;
use crate::policy::glob::{PathGlob, Subject as PathSubject};
use crate::policy::index::PathRules;
use crate::policy::rule::{Matcher, Rule, Subject};

/// Words that are looked at; a command with more of them asks in any case.
const MOST_WORDS: usize = 512;

/// Deny or ask rules about paths that such a word could name, and sayso's own files among them.
pub(super) fn reasons(lens: &Lens<'_>, decision: Decision, out: &mut Vec<Reason>) {
    let reading = lens.case.reading;
    let cwd = lens.case.operation.cwd();
    let home = reading.surroundings.home.as_deref();
    let mut seen: BTreeSet<Seen> = BTreeSet::new();
    // Where the table of programs models the arguments, the paths among them are effects already.
    for command in reading.commands.iter().filter(|command| !command.modelled) {
        let folders = command.folders.iter().map(|folder| {
            if folder.is_empty() {
                cwd.clone()
            } else {
                join(&cwd, folder)
            }
        });
        let folders: BTreeSet<String> = folders
            .chain(command.folders.is_empty().then(|| cwd.clone()))
            .collect();
        for from in &folders {
            command
                .words
                .iter()
                .skip(1)
                .take(MOST_WORDS)
                .for_each(|word| collect(from, home, word, &mut seen));
        }
    }
    if let Some(opaque) = &reading.opaque {
        // A `cd` in text that was not read may lead to any folder that a word of it names.
        opaque
            .seen
            .iter()
            .flatten()
            .take(MOST_WORDS)
            .for_each(|word| collect(&cwd, home, word, &mut seen));
        let targets = opaque
            .seen
            .iter()
            .filter(|words| words.first().is_some_and(|word| word == "cd"))
            .filter_map(|words| words.get(1));
        for folder in targets.take(4) {
            let from = join(&cwd, folder);
            opaque
                .seen
                .iter()
                .flatten()
                .take(MOST_WORDS)
                .for_each(|word| collect(&from, home, word, &mut seen));
        }
    }
    let around = &reading.surroundings;
    for one in &seen {
        if decision == Decision::Deny
            && let Some(own) = around.own.iter().find(|own| own.holds(&one.path))
        {
            let cause = Cause::OwnFile {
                own: own.clone(),
                named: one.path.clone(),
                in_code: false,
            };
            out.push(reason(Decision::Deny, Check::OwnFiles, cause));
        }
        let first = relative(&one.path, &around.workspace)
            .filter(|_| !one.open)
            .map(|rest| rest.split('/').next().unwrap_or_default());
        let first = if one.open { None } else { first.or(Some("")) };
        let subject = PathSubject {
            path: &one.path,
            workspace: &around.workspace,
            home: around.home.as_deref(),
        };
        for set in lens.rule_sets() {
            for rule in [PathRules::Read, PathRules::Write, PathRules::Delete]
                .into_iter()
                .flat_map(|kind| set.paths(kind, first))
            {
                if rule.decision == decision && lens.counts(rule) && names(rule, one, subject) {
                    out.push(rule_reason(rule, decision));
                }
            }
        }
    }
}

/// A path, or the folder that a pattern of names starts in.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    path: String,
    open: bool,
}

fn collect(from: &str, home: Option<&str>, word: &str, seen: &mut BTreeSet<Seen>) {
    // A path may be glued to an option or to another word: `-ifile`, `@file`, `a:file`, `--x=file`.
    let glued = word
        .get(2..)
        .filter(|_| word.starts_with('-') && !word.starts_with("--"));
    let parts = word.split(['=', ':', ',', '@']).skip(1);
    let whole = (!word.starts_with('-')).then_some(word);
    for text in whole.into_iter().chain(glued).chain(parts) {
        let at_home = in_home(text, home);
        let text = at_home.as_deref().unwrap_or(text);
        if text.is_empty()
            || text.contains("://")
            || text.contains(['\n', '\0', '$', '`'])
            || text.starts_with('~')
        {
            continue;
        }
        let literal = text.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let open = literal.len() != text.len();
        // Only whole folders before the first wildcard are sure.
        let path = if open {
            literal.rsplit_once('/').map_or(".", |(folder, _)| folder)
        } else {
            text
        };
        seen.insert(Seen {
            path: join(from, if path.is_empty() { "/" } else { path }),
            open,
        });
    }
}

/// A path that starts at the person's home, written out: a shell would do so, and nobody knows whether one reads this text.
fn in_home(text: &str, home: Option<&str>) -> Option<String> {
    let rest = ["~", "$HOME", "${HOME}"]
        .iter()
        .find_map(|start| text.strip_prefix(start))?;
    home.filter(|_| rest.is_empty() || rest.starts_with('/'))
        .map(|home| format!("{}{rest}", home.trim_end_matches('/')))
}

fn names(rule: &Rule, one: &Seen, subject: PathSubject<'_>) -> bool {
    // A pattern at the top of the workspace names its entries and not what lies deeper; below a folder it may name anything there.
    let inside =
        one.open && relative(&one.path, subject.workspace).is_some_and(|rest| !rest.is_empty());
    let hits = |matcher: &Matcher, wide: bool| {
        wide && matches!(matcher.subject, Subject::Anything)
            || globs(matcher)
                .iter()
                .any(|glob| glob.matches(subject) || wide && inside && glob.reaches_below(subject))
    };
    hits(&rule.matcher, true)
        && !rule
            .except
            .as_ref()
            .is_some_and(|except| !one.open && hits(except, false))
}

fn globs(matcher: &Matcher) -> &[PathGlob] {
    match &matcher.subject {
        Subject::Read(globs) | Subject::Write(globs) | Subject::Delete(globs) => globs,
        _ => &[],
    }
}
