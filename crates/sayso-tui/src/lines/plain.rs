//! A prompt as lines of text: what would happen, why it asks, what each answer means.

use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::policy::settings::Resolved;
use sayso_core::prompt::keymap::{Action, Keymap};
use sayso_core::prompt::presentation::Body;
use sayso_core::prompt::{Offer, Prompt, Round, Why};
use sayso_core::text::count as nouns;
use sayso_core::text::duration;

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
            keymap: Keymap::named(settings.keymap.word()),
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
    if prompt.round == Round::Second {
        out.push(second(prompt, look));
    } else {
        out.push(String::new());
        out.extend(legend(
            prompt,
            look,
            look.enter_approves && prompt.is_routine(),
        ));
    }
    out
}

/// Everything that is shown before the answer: the sentence, the call, and why it asks. The second of two prompts says only what would happen
/// and why it is grave; the rest stands above it. What is only known besides is for the view.
pub fn lines(prompt: &Prompt, look: Look) -> Vec<String> {
    let paint = look.paint;
    let mut out = heading(prompt, look);
    if prompt.round == Round::Second {
        out.extend(why(prompt, look));
        return out;
    }
    indented(
        &mut out,
        body::lines(
            &prompt.presentation.body,
            prompt.operation.workspace(),
            paint,
        ),
    );
    if prompt.presentation.hidden_lines > 0 {
        let key = look.keymap.key_of(Action::View).unwrap_or('v');
        let hidden = prompt.presentation.hidden_lines;
        let more = format!("… [{}; {key} shows all]", nouns::count(hidden, "more line"));
        out.push(format!("  {}", paint.tone(Tone::Yellow, &more)));
    }
    out.extend(
        scrolls_away(&prompt.presentation.body)
            .map(|words| format!("  {}", paint.tone(Tone::Yellow, &words))),
    );
    for member in &prompt.group {
        out.push(format!(
            "  {} {}",
            paint.tone(Tone::Strong, "and"),
            member.description
        ));
        indented(
            &mut out,
            body::lines(
                &member.presentation.body,
                prompt.operation.workspace(),
                paint,
            ),
        );
    }
    let deciding = prompt
        .presentation
        .details
        .get(..prompt.presentation.deciding)
        .unwrap_or_default();
    indented(&mut out, body::table(deciding, paint));
    out.extend(why(prompt, look));
    if let Some(alike) = &prompt.alike {
        out.push(format!("  {} prompts like this one are open.", alike.count));
        out.extend(alike.differs.iter().map(|line| format!("    {line}")));
    }
    out
}

/// What is only known of a call: facts, reasons that add nothing, the digest.
pub fn details(prompt: &Prompt, look: Look) -> Vec<String> {
    let paint = look.paint;
    let mut out = vec![
        paint.tone(Tone::Strong, &prompt.sentence),
        paint.tone(Tone::Faint, &prompt.description),
    ];
    if let Body::Command {
        folder, effects, ..
    } = prompt.presentation.whole()
    {
        out.push(format!("in {folder}"));
        out.extend(effects.iter().map(|effect| format!("• {effect}")));
    }
    out.extend(prompt.verdict.main_reasons().iter().map(|reason| {
        sayso_core::answer::explain::because(reason)
            .trim_start()
            .to_owned()
    }));
    out.extend(body::table(&prompt.presentation.details, paint));
    out.push(paint.tone(
        Tone::Faint,
        &format!("digest {}", prompt.operation.digest()),
    ));
    out
}

/// A command is never cut, so the start of a long one is above the screen when the question stands there.
fn scrolls_away(body: &Body) -> Option<String> {
    const MOST_LINES: usize = 20;
    const MOST_CHARACTERS: usize = 1600;
    let Body::Command { lines, .. } = body else {
        return None;
    };
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
    let whole = |line: &String| {
        line.split('\n')
            .map(|line| paint.folded(line, GOES_ON))
            .collect::<Vec<_>>()
            .join(&format!("\n{GOES_ON}"))
    };
    lines.iter().map(whole).collect()
}

fn indented(out: &mut Vec<String>, lines: Vec<String>) {
    out.extend(lines.into_iter().map(|line| {
        if line.is_empty() {
            line
        } else {
            format!("  {line}")
        }
    }));
}

/// A rule with the sentence; where the prompt is grave, or the sentence too long for it, a rule with the title, and the sentence below it.
fn heading(prompt: &Prompt, look: Look) -> Vec<String> {
    let danger = is_grave(&prompt.verdict);
    let tone = if danger { Tone::Red } else { Tone::Yellow };
    const MAX_SENTENCE: usize = 52;
    let has_title = danger || prompt.sentence.chars().count() > MAX_SENTENCE;
    let mut title = if has_title {
        prompt.title_in_cells()
    } else {
        prompt.sentence.clone()
    };
    if let Some(place) = prompt.place.filter(|place| place.total > 1) {
        title.push_str(&format!(" · Operation {} of {}", place.index, place.total));
    }
    match prompt.round {
        Round::Only => {}
        Round::First => title.push_str(" · confirmation 1 of 2"),
        Round::Second => title.push_str(" · confirmation 2 of 2"),
    }
    let risk = if look.risk {
        format!(" {} ", prompt.verdict.level().words())
    } else {
        String::new()
    };
    let used = title.chars().count() + risk.chars().count() + 6;
    let rule = if danger { '━' } else { '─' };
    let fill: String = std::iter::repeat_n(rule, WIDTH.saturating_sub(used)).collect();
    let line = format!("{rule}{rule} {title} {fill}{risk}{rule}{rule}");
    let sentence = has_title.then(|| look.paint.tone(Tone::Strong, &prompt.sentence));
    std::iter::once(look.paint.tone(tone, &line))
        .chain(sentence)
        .collect()
}

/// Whether it looks different from a routine prompt.
pub fn is_grave(verdict: &Verdict) -> bool {
    verdict.tier != Tier::None
        || verdict.risk == Risk::High
        || verdict.reasons.iter().any(|reason| reason.must_ask)
}

fn why(prompt: &Prompt, look: Look) -> Vec<String> {
    let paint = look.paint;
    let line = |why: &Why| {
        let rule = why
            .rule
            .as_ref()
            .filter(|_| look.rule)
            .map(|rule| paint.tone(Tone::Faint, &format!(" [{rule}]")))
            .unwrap_or_default();
        match why.is_warning {
            true => format!(
                "  {}{rule}",
                paint.tone(Tone::Red, &format!("⚠ {}", why.text))
            ),
            false => format!("  asks because {}{rule}", why.text),
        }
    };
    prompt.why.iter().map(line).collect()
}

/// What yes means at the second of two confirmations: what was chosen at the first.
fn second(prompt: &Prompt, look: Look) -> String {
    let words = prompt
        .offers
        .first()
        .map_or("allow this once", |offer| offer.words.as_str());
    let yes = look
        .keymap
        .key_of(Action::Allow(Scope::Once))
        .unwrap_or('y');
    format!(
        "  {}  {words}; anything else cancels",
        look.paint.tone(Tone::Strong, &yes.to_string())
    )
}

/// The answers with what each would store, one a line, and how long the prompt waits.
pub fn legend(prompt: &Prompt, look: Look, enter_approves: bool) -> Vec<String> {
    let paint = look.paint;
    let mut out = Vec::new();
    let mut line = |action: Action, words: &str| {
        if let Some(key) = look.keymap.key_of(action) {
            out.push(format!(
                "  {}  {words}",
                paint.tone(Tone::Strong, &key.to_string())
            ));
        }
    };
    for scope in [
        Scope::Once,
        Scope::Batch,
        Scope::Session,
        Scope::Project,
        Scope::Always,
    ] {
        let offers: Vec<&Offer> = prompt
            .offers
            .iter()
            .filter(|offer| offer.scope == scope)
            .collect();
        match offers.as_slice() {
            [] if scope == Scope::Batch && look.keymap.names_rest_at_the_end(prompt) => {
                line(
                    Action::Allow(scope),
                    "allow this once: nothing follows in this batch",
                );
            }
            [] => {}
            [one] => line(Action::Allow(scope), &one.words),
            [first, ..] => line(Action::Allow(scope), &format!("{}, or wider", first.words)),
        }
    }
    for action in [Action::Edits, Action::ServerTool] {
        for offer in action
            .offers(prompt)
            .into_iter()
            .filter_map(|at| prompt.offers.get(at))
        {
            line(action, &offer.words);
        }
    }
    if prompt.takes_pattern() {
        line(
            Action::Pattern,
            "allow a pattern of your own: shown before it is kept",
        );
    }
    let words = look.keymap.words_without_a_key(prompt);
    if !words.is_empty() {
        let typed = words.join(", ");
        out.push(format!(
            "  {}  as words: go further, shown before it is kept",
            paint.tone(Tone::Strong, &typed)
        ));
    }
    let mut line = |action: Action, words: &str| {
        if let Some(key) = look.keymap.key_of(action) {
            out.push(format!(
                "  {}  {words}",
                paint.tone(Tone::Strong, &key.to_string())
            ));
        }
    };
    line(Action::Deny, "deny; words behind it reach the agent");
    line(
        Action::View,
        if prompt.presentation.full.is_some() {
            "view all of it, with details"
        } else {
            "details"
        },
    );
    line(Action::Quit, "deny, and stop this batch");
    let enter = if enter_approves {
        "allow this once"
    } else {
        "deny"
    };
    out.push(format!("  {}  {enter}", paint.tone(Tone::Strong, "Enter")));
    if let Some(seconds) = prompt.timeout {
        out.push(paint.tone(
            Tone::Faint,
            &format!(
                "  without an answer it is denied after {}",
                duration::words(seconds)
            ),
        ));
    }
    out
}
