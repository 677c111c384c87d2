//! Why a prompt asks, strongest first: each thing once, and nothing that the sentence of the prompt says already.

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::risk::Risk;
use sayso_core::answer::cause::names_path;
use sayso_core::answer::rule_id::Check;
use sayso_core::answer::verdict::Reason;
use sayso_core::call::tool::Kind;
use sayso_core::prompt::Why;
use sayso_core::text::sentence;
use sayso_core::text::visible::{visible, visible_block};

use super::About;
use super::effect_lines::Teller;
use super::sentence::place_words;

/// What is said of a call whose effects are not known.
pub const NOT_KNOWN: &str = "what it does cannot be known before it runs";

/// All that speaks for looking closely: warnings first, then the reasons of the verdict.
pub(super) fn all(
    about: About<'_>,
    teller: &Teller<'_>,
    sentence: &str,
    warnings: &[String],
) -> Vec<Why> {
    let reasons = about.verdict.main_reasons();
    let texts: Vec<String> = reasons
        .iter()
        .map(|reason| visible(&reason.text()).into_owned())
        .collect();
    let mut out: Vec<Why> = Vec::new();
    let mut add = |text: String, is_warning: bool, reason: Option<&Reason>| {
        let is_weak = reason.is_some_and(Reason::is_general);
        let text = with_short_paths(about, sentence, &text);
        if !out.iter().any(|other| other.text == text) {
            out.push(Why {
                text,
                is_warning,
                rule: reason.and_then(rule),
            });
        }
        is_weak
    };
    // What an effect shows as well is said with what it is done to.
    let shown: Vec<String> = about
        .reading
        .dangers
        .iter()
        .filter(|danger| danger.shown_by_effect)
        .map(|danger| danger.what.clone())
        .collect();
    let is_shown = |warning: &String| {
        shown
            .iter()
            .any(|what| visible(&sentence::whole(what)) == *warning)
            && deletes(&reasons)
    };
    for warning in warnings.iter().filter(|warning| !is_shown(warning)) {
        let reason = texts
            .iter()
            .zip(&reasons)
            .find(|(text, _)| *text == warning)
            .map(|(_, reason)| *reason);
        add(
            reason.map_or_else(
                || warning.clone(),
                |reason| with_amount(about, teller, reason),
            ),
            true,
            reason,
        );
    }
    let mut weak = Vec::new();
    let others = reasons
        .iter()
        .zip(&texts)
        .filter(|(_, text)| !warnings.contains(text));
    for (reason, _) in others {
        let text = text_of(reason);
        if add(text.clone(), reason.must_ask, Some(reason)) {
            weak.push(text);
        }
    }
    if about.verdict.risk == Risk::Unknown && about.reading.opaque.is_none() {
        add(NOT_KNOWN.to_owned(), false, None);
    }
    fold(out, sentence, &weak)
}

fn deletes(reasons: &[&Reason]) -> bool {
    reasons.iter().any(|reason| reason.is(Check::Delete))
}

/// What the sentence says, and what only names a kind of thing, goes where something else says more.
fn fold(all: Vec<Why>, sentence: &str, weak: &[String]) -> Vec<Why> {
    let is_weak = |why: &Why| weak.contains(&why.text) || is_said(sentence, &why.text);
    let strong: Vec<Why> = all.iter().filter(|why| !is_weak(why)).cloned().collect();
    match strong.is_empty() {
        // A warning that is the sentence itself stands there already.
        true => all
            .into_iter()
            .find(|why| !why.is_warning)
            .into_iter()
            .collect(),
        false => strong,
    }
}

/// Whether a sentence says what a reason says, word for word.
fn is_said(sentence: &str, reason: &str) -> bool {
    if reason == "it deletes this path" {
        return true;
    }
    let wanted = sentence::infinitive(reason);
    // "`sh` runs another command" has its subject with it.
    let predicate = reason.strip_prefix("it ").or_else(|| {
        reason
            .strip_prefix('`')?
            .split_once("` ")
            .map(|(_, rest)| rest)
    });
    wanted.is_some_and(|words| sentence.contains(&words))
        || predicate.is_some_and(|words| sentence.contains(&format!(", which {words}")))
}

/// The text of a reason. Only who writes a policy may break its lines: what a call holds is in the others.
fn text_of(reason: &Reason) -> String {
    if is_built_in(reason) {
        visible(&reason.text()).into_owned()
    } else {
        visible_block(&reason.text()).to_string()
    }
}

/// Whether no rule of anybody is behind it; one that was found in a script has the script before it.
fn is_built_in(reason: &Reason) -> bool {
    reason.rule.in_command().is_built_in()
}

fn rule(reason: &Reason) -> Option<String> {
    (!is_built_in(reason)).then(|| visible(&reason.rule.place()).into_owned())
}

/// A reason for a deletion with how much goes.
fn with_amount(about: About<'_>, teller: &Teller<'_>, reason: &Reason) -> String {
    let text = text_of(reason);
    // The body of such a tool says what stands there.
    if matches!(about.operation.kind(), Kind::FileDelete | Kind::FileRmdir) {
        return text;
    }
    let deletes = about
        .reading
        .effects
        .iter()
        .filter(|effect| reason.is(Check::Delete) && effect.kind == EffectKind::Delete);
    let told = reason.text();
    match deletes
        .into_iter()
        .find(|effect| canonical(effect).is_some_and(|path| names_path(&told, path)))
    {
        Some(effect) => format!("{text}{}", teller.amount(effect)),
        None => text,
    }
}

fn canonical(effect: &Effect) -> Option<&str> {
    effect
        .place()
        .and_then(|place| place.fact.as_ref())
        .map(|fact| fact.canonical.as_str())
}

/// A path that the sentence names is not spelled out again, and others are read from the workspace.
fn with_short_paths(about: About<'_>, sentence: &str, text: &str) -> String {
    let mut out = text.to_owned();
    for place in about.reading.effects.iter().filter_map(Effect::place) {
        let Some(fact) = &place.fact else { continue };
        let written = format!("`{}`", visible(&fact.canonical));
        let shown = place_words(about.operation, &place.written, Some(fact));
        let is_named = sentence
            .split(' ')
            .any(|word| word.trim_end_matches('/') == shown)
            && !sentence.contains(" more");
        if is_named && out.contains(&written) {
            out = out.replace(&written, "this path");
        }
    }
    out.replace(&format!("`{}/", visible(about.operation.workspace())), "`")
}
