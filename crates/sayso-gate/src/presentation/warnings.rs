//! What a person has to know before an answer, the worst first.

use sayso_core::analysis::effect::EffectKind;
use sayso_core::analysis::fact::PathKind;
use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::answer::rule_id::{Check, RuleId};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::paths::below;
use sayso_core::prompt::presentation::cut_warning;
use sayso_core::text::count::{agreed, count};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::sentence;
use sayso_core::text::visible::{has_hidden, visible};

use super::{About, details, structured};

/// Longer runs of blanks or empty lines push what follows out of sight.
const LONGEST_RUN: usize = 60;
/// So many links are told one by one.
const MOST_LINKS: usize = 8;

/// All warnings, each once.
pub(super) fn all(about: About<'_>, own: Vec<String>, hidden_lines: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |text: String| {
        if !out.contains(&text) {
            out.push(text);
        }
    };
    if let Some(why) = &about.outlook.failure {
        add(format!("This will fail: {}", visible(why)));
    }
    let deletes = matches!(about.operation.kind(), Kind::FileDelete | Kind::FileRmdir)
        && about.outlook.failure.is_none();
    // A script that it runs may be what deletes.
    let deletion = RuleId::BuiltIn(Check::Delete);
    let takes_away = || {
        let by_script = about
            .verdict
            .reasons
            .iter()
            .any(|reason| reason.must_ask && *reason.rule.in_command() == deletion);
        by_script
            || about
                .reading
                .effects
                .iter()
                .any(|effect| effect.kind == EffectKind::Delete)
    };
    if deletes || about.verdict.tier != Tier::None && takes_away() {
        add("This operation is destructive".to_owned());
    }
    let mut dangers: Vec<_> = about.reading.dangers.iter().collect();
    dangers.sort_by_key(|danger| std::cmp::Reverse(danger.tier));
    dangers
        .iter()
        .for_each(|danger| add(visible(&sentence::whole(&danger.what)).into_owned()));
    for reason in about
        .verdict
        .reasons
        .iter()
        .filter(|reason| reason.must_ask)
    {
        add(visible(&reason.text()).into_owned());
    }
    // In the words of the reason that it mostly is, so that it stands there once.
    if let Some(opaque) = &about.reading.opaque {
        add(format!(
            "it could not be analysed whole: {}",
            visible(&opaque.reason)
        ));
    }
    own.into_iter().for_each(&mut add);
    of_arguments(about).into_iter().for_each(&mut add);
    links(about).into_iter().for_each(&mut add);
    if about.verdict.risk >= Risk::High {
        cut_warning(hidden_lines).into_iter().for_each(add);
    }
    out
}

/// What is odd about the texts of the call itself.
fn of_arguments(about: About<'_>) -> Vec<String> {
    let entries = about.operation.args().entries();
    let having = |test: &dyn Fn(&str) -> bool| -> Vec<&str> {
        entries
            .iter()
            .filter(|entry| test(&entry.key) || any_text(&entry.node, test))
            .map(|entry| entry.key.as_str())
            .collect()
    };
    let mut out = Vec::new();
    let hidden = having(&|text| has_hidden(text) && has_hidden(&text.replace("\r\n", "\n")));
    if !hidden.is_empty() {
        out.push(format!(
            "{} holds invisible characters, which are spelled out here",
            details::names_of(&hidden)
        ));
    }
    if has_hidden(about.operation.tool()) {
        out.push(
            "the name of the tool holds invisible characters, which are spelled out here"
                .to_owned(),
        );
    }
    let mut runs = having(&has_long_run);
    // Long runs are usual in files, and the lines of a file are numbered.
    runs.retain(|key| structured::role(about, key) != Some(Role::Content));
    if !runs.is_empty() {
        out.push(format!(
            "{} holds a long run of blanks or empty lines: look at what follows it",
            details::names_of(&runs)
        ));
    }
    out
}

fn any_text(node: &Node, test: &dyn Fn(&str) -> bool) -> bool {
    // A list of our own: a value made by code may be deeper than the stack.
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match &node.value {
            Value::Text(text) if test(text) => return true,
            Value::List(items) => open.extend(items),
            Value::Map(entries) => {
                if entries.iter().any(|entry| test(&entry.key)) {
                    return true;
                }
                open.extend(entries.iter().map(|entry| &entry.node));
            }
            _ => {}
        }
    }
    false
}

fn has_long_run(text: &str) -> bool {
    let (mut blanks, mut breaks) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'\n' => (blanks, breaks) = (0, breaks + 1),
            b' ' | b'\t' | b'\r' => blanks += 1,
            // Only what stands behind it can be out of sight.
            _ if blanks >= LONGEST_RUN || breaks > 10 => return true,
            _ => (blanks, breaks) = (0, 0),
        }
    }
    false
}

/// Paths that lead elsewhere, and files that have other names.
fn links(about: About<'_>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut more = 0;
    for effect in &about.reading.effects {
        let Some((place, fact)) = effect
            .place()
            .and_then(|place| Some((place, place.fact.as_ref()?)))
        else {
            continue;
        };
        let mut words = Vec::new();
        if !fact.links.is_empty() {
            let outside = if below(&fact.canonical, &about.reading.surroundings.workspace) {
                ""
            } else {
                ", outside of the workspace"
            };
            words.push(format!(
                "`{}` leads through a link to {}{outside}",
                visible(&place.written),
                visible(&fact.canonical)
            ));
        }
        if effect.kind == EffectKind::Write && fact.hard_links > 1 && fact.kind == PathKind::File {
            words.push(format!(
                "{} has {} names: a change shows under all of them",
                visible(&fact.canonical),
                fact.hard_links
            ));
        }
        for text in words {
            if out.contains(&text) {
                continue;
            }
            if out.len() < MOST_LINKS {
                out.push(text)
            } else {
                more += 1
            }
        }
    }
    if more > 0 {
        out.push(format!(
            "and {} {} elsewhere",
            count(more, "more path"),
            agreed(more, "leads", "lead")
        ));
    }
    out
}
