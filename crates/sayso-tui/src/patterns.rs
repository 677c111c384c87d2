//! A pattern that somebody types at a prompt: what is proposed, how far it is to reach, and what it would cover.

use std::time::Instant;

use sayso_core::answer::learned_rule::LearnedRule;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::patterns::TypedPatternError;
pub use sayso_core::prompt::patterns::{Earlier, Patterns};
use sayso_core::prompt::{Choice, Offer, Prompt, RuleText, Stores};
use sayso_core::text::visible::visible;

use crate::fold::{self, GOES_ON, Spans, line};
use crate::key::Key;
use crate::legend;
use crate::text_cursor::TextCursor;
use crate::theme::Tone;

/// What a pattern would have covered before, as a row below what is offered.
pub(crate) fn row(earlier: &Earlier, prompt: &Prompt, width: usize) -> Vec<Spans> {
    let tone = if earlier.denied > 0 {
        Tone::Warning
    } else {
        Tone::Text
    };
    fold::words(tone, &format!("  {}", earlier.words(prompt)), width)
}

/// Nobody knows about patterns, so none is taken.
pub struct NoPatterns;

impl Patterns for NoPatterns {
    fn check(&self, _: &str, _: &Prompt) -> Result<LearnedRule, TypedPatternError> {
        Err(TypedPatternError::NotHere)
    }

    fn earlier(&self, _: &Stores, _: Scope, _: &Prompt) -> Option<Earlier> {
        None
    }
}

/// The entry of a pattern.
pub struct PatternEntry {
    entry: TextCursor,
    proposals: Vec<String>,
    picked: usize,
    scopes: Vec<Scope>,
    scope: usize,
    /// What it would make, or why the gate would not take it.
    rule: Result<LearnedRule, TypedPatternError>,
    earlier: Option<Earlier>,
    /// When it was opened: Enter does not count in the first moment.
    pub opened: Instant,
}

impl PatternEntry {
    /// An entry with the pattern of an offer in it, or with the narrowest that is proposed.
    pub fn open(
        prompt: &Prompt,
        offer: Option<&Offer>,
        patterns: &dyn Patterns,
        now: Instant,
    ) -> Self {
        let proposals: Vec<String> = prompt.proposed().into_iter().map(str::to_owned).collect();
        let scopes = prompt.rule_scopes();
        let wanted = offer.and_then(Offer::rule);
        let picked = proposals
            .iter()
            .position(|known| wanted.is_some_and(|rule| *rule.pattern == **known))
            .unwrap_or_default();
        let scope = scopes
            .iter()
            .position(|scope| offer.is_some_and(|offer| offer.scope == *scope))
            .unwrap_or_default();
        let entry = TextCursor::with(proposals.get(picked).cloned().unwrap_or_default());
        let mut out = PatternEntry {
            entry,
            proposals,
            picked,
            scopes,
            scope,
            rule: Err(TypedPatternError::NotOffered),
            earlier: None,
            opened: now,
        };
        out.look(prompt, patterns);
        out
    }

    fn look(&mut self, prompt: &Prompt, patterns: &dyn Patterns) {
        let text = self.entry.text().trim();
        self.rule = match text.is_empty() {
            true => Err(TypedPatternError::Nothing {
                example: self.example(),
            }),
            false => patterns.check(text, prompt),
        };
        self.earlier = match (&self.rule, self.scope_now()) {
            (Ok(rule), Some(scope)) => {
                let rule = RuleText {
                    key: rule.key(),
                    pattern: rule.pattern().into(),
                };
                patterns.earlier(&Stores::Rule(rule), scope, prompt)
            }
            _ => None,
        };
    }

    /// The widest that sayso proposes.
    fn example(&self) -> String {
        self.proposals.last().map_or_else(
            || "git status *".to_owned(),
            |pattern| visible(pattern).into_owned(),
        )
    }

    /// Takes a key other than Enter and Esc.
    pub fn key(&mut self, key: &Key, prompt: &Prompt, patterns: &dyn Patterns) {
        let step = match key {
            Key::Tab => {
                self.scope = (self.scope + 1) % self.scopes.len().max(1);
                return self.look(prompt, patterns);
            }
            Key::BackTab => {
                self.scope = (self.scope + self.scopes.len().max(1) - 1) % self.scopes.len().max(1);
                return self.look(prompt, patterns);
            }
            Key::Down => 1,
            Key::Up => self.proposals.len().max(1) - 1,
            _ => 0,
        };
        if step > 0 {
            self.picked = (self.picked + step) % self.proposals.len().max(1);
            self.entry =
                TextCursor::with(self.proposals.get(self.picked).cloned().unwrap_or_default());
        } else if !self.entry.key(key) {
            return;
        }
        self.look(prompt, patterns);
    }

    /// What Enter would save, or why it does not.
    pub fn choice(&self, prompt: &Prompt) -> Result<Choice, TypedPatternError> {
        self.rule.as_ref().map_err(Clone::clone)?;
        let text = self.entry.text().trim().to_owned();
        let scope = self.scope_now().ok_or(TypedPatternError::NotOffered)?;
        // One that is offered in these words is that offer.
        let offered = |offer: &Offer| offer.rule().is_some_and(|rule| *rule.pattern == *text);
        let offer = prompt
            .offers
            .iter()
            .position(|offer| offer.scope == scope && offered(offer));
        Ok(offer.map_or(Choice::Pattern { text, scope }, Choice::Offer))
    }

    fn scope_now(&self) -> Option<Scope> {
        self.scopes.get(self.scope).copied()
    }

    /// The rows of the entry.
    pub fn rows(&self, prompt: &Prompt, width: usize) -> Vec<Spans> {
        let mut out = fold::words(
            Tone::Heading,
            &format!("Enter pattern (e.g. `{}`):", self.example()),
            width,
        );
        out.extend(fold::fold(&self.entry.shown(), width, GOES_ON));
        let scope = self.scope_now();
        let reach = scope.map_or("", Scope::place);
        match (&self.rule, scope) {
            (Err(why), _) => out.extend(fold::fold(
                &line(Tone::Warning, format!("✗ {}", visible(&why.to_string()))),
                width,
                GOES_ON,
            )),
            (Ok(rule), Some(scope)) => {
                out.extend(fold::fold(
                    &line(Tone::Reach, format!("✓ this would {}", rule.words(scope))),
                    width,
                    GOES_ON,
                ));
                out.extend(
                    self.earlier
                        .iter()
                        .flat_map(|earlier| row(earlier, prompt, width)),
                );
            }
            (Ok(_), None) => {}
        }
        let mut keys = vec![
            legend::entry("Enter", "save and allow"),
            legend::entry("Esc", "back"),
        ];
        if self.scopes.len() > 1 {
            keys.push(legend::entry("Tab", &format!("how far: {reach}")));
        }
        if self.proposals.len() > 1 {
            keys.push(legend::entry(
                "↑↓",
                &format!("proposal {} of {}", self.picked + 1, self.proposals.len()),
            ));
        }
        out.extend(fold::flow(&keys, 3, width));
        out
    }
}
