//! A prompt as lines of text: what would happen, why it asks, what each answer means.

use sayso_core::keymap::{Action, Keymap};
use sayso_core::policy::settings::Resolved;
use sayso_core::presentation::Body;
use sayso_core::prompt::{Offer, Prompt, Round, Scope, Stores};
use sayso_core::verdict::{Reason, Risk, Tier, Verdict};
use sayso_core::visible::{visible, visible_block};

use super::body;
use super::paint::{Paint, Tone};

/// How wide the rule above a prompt is.
const WIDTH: usize = 72;

/// What the policy says about how prompts look.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Which keys answer.
    pub keymap: &'static Keymap,
    /// Whether the risk is shown.
    pub risk: bool,
    /// Whether the rule that made it ask is shown.
    pub rule: bool,
    /// Whether Enter approves a routine prompt.
    pub enter_approves: bool,
    /// Colours.
    pub paint: Paint,
}

impl Look {
    /// As the settings say.
    pub fn of(settings: &Resolved, paint: Paint) -> Look {
        Look {
            keymap: Keymap::named(&settings.keymap),
            risk: settings.show_risk_level,
            rule: settings.show_matched_pattern,
            enter_approves: settings.enter_approves,
            paint,
        }
    }
}

/// The prompt with its answers below; the second of two takes no other than yes or no.
pub fn whole(prompt: &Prompt, look: Look) -> Vec<String> {
    let mut out = lines(prompt, look);
    if prompt.round != Round::Second {
        out.push(String::new());
        out.extend(legend(prompt, look));
    }
    out
}

/// Everything that is shown before the answer. The second of two prompts says again what would happen and why it is grave; the rest stands
/// above it.
pub fn lines(prompt: &Prompt, look: Look) -> Vec<String> {
    let paint = look.paint;
    let mut out = heading(prompt, look);
    if prompt.round == Round::Second {
        out.push(paint.tone(Tone::Strong, &prompt.description));
        out.extend(why(prompt, look));
        return out;
    }
    // A command stands there whole, so its line would only say the same.
    if !matches!(prompt.presentation.body, Body::Command { .. }) {
        out.push(paint.tone(Tone::Strong, &prompt.description));
    }
    out.push(String::new());
    indented(&mut out, body::lines(&prompt.presentation.body, paint));
    if prompt.presentation.hidden_lines > 0 {
        let key = look.keymap.key_of(Action::View).unwrap_or('v');
        let hidden = prompt.presentation.hidden_lines;
        let more = format!("… [{hidden} more line{}; {key} shows all]", if hidden == 1 { "" } else { "s" });
        out.push(format!("  {}", paint.tone(Tone::Yellow, &more)));
    }
    out.extend(scrolls_away(&prompt.presentation.body).map(|words| format!("  {}", paint.tone(Tone::Yellow, &words))));
    for member in &prompt.group {
        out.push(String::new());
        out.push(format!("  {} {}", paint.tone(Tone::Strong, "and"), member.description));
        indented(&mut out, body::lines(&member.presentation.body, paint));
    }
    if !prompt.presentation.details.is_empty() {
        out.push(String::new());
        let details = &prompt.presentation.details;
        let width = details.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().min(28);
        indented(&mut out, details.iter().flat_map(|(name, value)| body::row(name, value, width, paint)).collect());
    }
    out.push(String::new());
    out.extend(why(prompt, look));
    if let Some(alike) = &prompt.alike {
        out.push(format!("  {} prompts like this one are open.", alike.count));
        out.extend(alike.differs.iter().map(|line| format!("    {line}")));
    }
    out
}

/// A command is never cut, so the start of a long one is above the screen when the question stands there.
fn scrolls_away(body: &Body) -> Option<String> {
    const MOST_LINES: usize = 20;
    const MOST_CHARACTERS: usize = 1600;
    let Body::Command { lines, .. } = body else { return None };
    let characters: usize = lines.iter().map(|line| line.chars().count()).sum();
    let long = lines.len() > MOST_LINES || characters > MOST_CHARACTERS;
    let count = lines.len();
    long.then(|| {
        format!(
            "↑ the command has {count} line{} and {characters} characters, and all of them run; it starts above, at `$`",
            if count == 1 { "" } else { "s" }
        )
    })
}

/// How a line goes on that is wider than the screen.
const GOES_ON: &str = "    ↪ ";

/// The lines as the screen shows them, none wider than it is.
pub fn folded(lines: &[String], paint: Paint) -> Vec<String> {
    // A reason may hold breaks, since it names what somebody else wrote: what comes behind one is no line of ours either.
    let whole = |line: &String| line.split('\n').map(|line| paint.folded(line, GOES_ON)).collect::<Vec<_>>().join(&format!("\n{GOES_ON}"));
    lines.iter().map(whole).collect()
}

fn indented(out: &mut Vec<String>, lines: Vec<String>) {
    out.extend(lines.into_iter().map(|line| if line.is_empty() { line } else { format!("  {line}") }));
}

/// A rule with the title.
fn heading(prompt: &Prompt, look: Look) -> Vec<String> {
    let danger = is_grave(&prompt.verdict);
    let tone = if danger { Tone::Red } else { Tone::Yellow };
    let mut title = prompt.title_in_cells();
    if let Some(place) = prompt.place.filter(|place| place.total > 1) {
        title.push_str(&format!(" · Operation {} of {}", place.index, place.total));
    }
    match prompt.round {
        Round::Only => {}
        Round::First => title.push_str(" · confirmation 1 of 2"),
        Round::Second => title.push_str(" · confirmation 2 of 2"),
    }
    let risk = if look.risk { format!(" {} risk ", prompt.verdict.risk.word()) } else { String::new() };
    let used = title.chars().count() + risk.chars().count() + 6;
    let rule = if danger { '━' } else { '─' };
    let fill: String = std::iter::repeat_n(rule, WIDTH.saturating_sub(used)).collect();
    let line = format!("{rule}{rule} {title} {fill}{risk}{rule}{rule}");
    vec![look.paint.tone(tone, &line)]
}

/// Whether it looks different from a routine prompt.
pub fn is_grave(verdict: &Verdict) -> bool {
    verdict.tier != Tier::None || verdict.risk == Risk::High || verdict.reasons.iter().any(|reason| reason.must_ask)
}

fn why(prompt: &Prompt, look: Look) -> Vec<String> {
    let paint = look.paint;
    let asks = || prompt.verdict.reasons.iter().filter(|reason| reason.decision == prompt.verdict.decision);
    let rule = |reason: &Reason| match look.rule {
        true => paint.tone(Tone::Faint, &format!(" [{}, {}]", visible(&reason.rule), visible(&reason.source))),
        false => String::new(),
    };
    let mut out = Vec::new();
    for warning in &prompt.presentation.warnings {
        let rule = asks().find(|reason| visible_block(&reason.text) == *warning).map(rule).unwrap_or_default();
        out.push(format!("  {}{rule}", paint.tone(Tone::Red, &format!("⚠ {warning}"))));
    }
    // What is a warning already is not said twice.
    let said = |reason: &&Reason| prompt.presentation.warnings.contains(&visible_block(&reason.text).to_string());
    out.extend(
        asks().filter(|reason| !said(reason)).map(|reason| format!("  asks because {}{}", visible_block(&reason.text), rule(reason))),
    );
    out
}

/// The answers with what each would store, one a line, and how long the prompt waits.
pub fn legend(prompt: &Prompt, look: Look) -> Vec<String> {
    let paint = look.paint;
    let mut out = Vec::new();
    let mut line = |action: Action, words: &str| {
        if let Some(key) = look.keymap.key_of(action) {
            out.push(format!("  {}  {words}", paint.tone(Tone::Strong, &key.to_string())));
        }
    };
    for scope in [Scope::Once, Scope::Batch, Scope::Session, Scope::Project, Scope::Always] {
        let offers: Vec<&Offer> = prompt.offers.iter().filter(|offer| offer.scope == scope).collect();
        match offers.as_slice() {
            [] => {}
            [one] => line(Action::Allow(scope), &one.words),
            [first, ..] => line(Action::Allow(scope), &format!("{}, or wider", first.words)),
        }
    }
    for action in [Action::Edits, Action::ServerTool] {
        for offer in action.offers(prompt).into_iter().filter_map(|at| prompt.offers.get(at)) {
            line(action, &offer.words);
        }
    }
    if prompt.offers.iter().any(|offer| matches!(offer.stores, Stores::Rule(_))) {
        line(Action::Pattern, "allow a pattern of commands, as wide as you like: shown before it is kept");
    }
    line(Action::Deny, "deny; words behind it reach the agent");
    if prompt.presentation.full.is_some() {
        line(Action::View, "view all of it");
    }
    line(Action::Quit, "deny, and stop this batch");
    if let Some(seconds) = prompt.timeout {
        out.push(paint.tone(Tone::Faint, &format!("  without an answer it is denied after {seconds} s")));
    }
    out
}
