//! A pattern that somebody types at a prompt: what is proposed, how far it is to reach, and what it would cover.

use std::time::Instant;

use sayso_core::prompt::{Choice, Prompt, Scope, Stores};
use sayso_core::visible::visible;

use crate::entry::Entry;
use crate::fold::{self, GOES_ON, Spans, line};
use crate::key::Key;
use crate::legend;
use crate::theme::Tone;

/// Who knows about patterns: the gate that takes them, and the record.
pub trait Patterns: Send + Sync {
    /// Whether the gate would take a pattern for this prompt, or why not.
    fn check(&self, text: &str, prompt: &Prompt) -> Result<(), String>;

    /// What else a pattern would have covered; none where nobody can tell.
    fn earlier(&self, text: &str, prompt: &Prompt) -> Option<Earlier>;
}

/// What a pattern would have covered before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    /// So many different commands were looked at.
    pub looked_at: usize,
    /// There are more in the record.
    pub more: bool,
    /// So many of them fit, besides the one that is asked about.
    pub fit: usize,
    /// So many of these were denied.
    pub denied: usize,
}

impl Earlier {
    /// In words: "also matches 3 earlier commands, none denied".
    pub fn words(&self) -> String {
        let commands = |count: usize| if count == 1 { "1 earlier command".to_owned() } else { format!("{count} earlier commands") };
        let scope = if self.more { format!(" (of the last {})", self.looked_at) } else { String::new() };
        match (self.fit, self.denied) {
            (0, _) => format!("matches no other earlier command{scope}"),
            (fit, 0) => format!("also matches {}, none denied{scope}", commands(fit)),
            (fit, denied) => format!("also matches {}, {denied} of them DENIED{scope}", commands(fit)),
        }
    }
}

/// Nobody knows about patterns, so none is taken.
pub struct NoPatterns;

impl Patterns for NoPatterns {
    fn check(&self, _: &str, _: &Prompt) -> Result<(), String> {
        Err("patterns cannot be checked here".to_owned())
    }

    fn earlier(&self, _: &str, _: &Prompt) -> Option<Earlier> {
        None
    }
}

/// The entry of a pattern.
pub struct PatternEntry {
    entry: Entry,
    proposals: Vec<String>,
    picked: usize,
    scopes: Vec<Scope>,
    scope: usize,
    /// Why the gate would not take it.
    refused: Option<String>,
    earlier: Option<Earlier>,
    /// When it was opened: Enter does not count in the first moment.
    pub opened: Instant,
}

impl PatternEntry {
    /// An entry with the narrowest pattern that is proposed.
    pub fn open(prompt: &Prompt, patterns: &dyn Patterns, now: Instant) -> Self {
        let mut proposals: Vec<String> = Vec::new();
        let mut scopes: Vec<Scope> = Vec::new();
        for offer in &prompt.offers {
            let Stores::Rule(pattern) = &offer.stores else { continue };
            if !proposals.iter().any(|known| **known == **pattern) {
                proposals.push(pattern.to_string());
            }
            if !scopes.contains(&offer.scope) {
                scopes.push(offer.scope);
            }
        }
        let entry = Entry::with(proposals.first().cloned().unwrap_or_default());
        let mut out = PatternEntry { entry, proposals, picked: 0, scopes, scope: 0, refused: None, earlier: None, opened: now };
        out.look(prompt, patterns);
        out
    }

    fn look(&mut self, prompt: &Prompt, patterns: &dyn Patterns) {
        let text = self.entry.text().trim();
        self.refused = match text.is_empty() {
            true => Some("type a pattern, such as `git status *`".to_owned()),
            false => patterns.check(text, prompt).err(),
        };
        self.earlier = if self.refused.is_none() { patterns.earlier(text, prompt) } else { None };
    }

    /// Takes a key other than Enter and Esc.
    pub fn key(&mut self, key: &Key, prompt: &Prompt, patterns: &dyn Patterns) {
        let step = match key {
            Key::Tab => return self.scope = (self.scope + 1) % self.scopes.len().max(1),
            Key::BackTab => return self.scope = (self.scope + self.scopes.len().max(1) - 1) % self.scopes.len().max(1),
            Key::Down => 1,
            Key::Up => self.proposals.len().max(1) - 1,
            _ => 0,
        };
        if step > 0 {
            self.picked = (self.picked + step) % self.proposals.len().max(1);
            self.entry = Entry::with(self.proposals.get(self.picked).cloned().unwrap_or_default());
        } else if !self.entry.key(key) {
            return;
        }
        self.look(prompt, patterns);
    }

    /// What Enter would save, or why it does not.
    pub fn choice(&self, prompt: &Prompt) -> Result<Choice, String> {
        if let Some(why) = &self.refused {
            return Err(why.clone());
        }
        let text = self.entry.text().trim().to_owned();
        let scope = self.scope_now().ok_or("no pattern is offered here")?;
        // One that is offered in these words is that offer.
        let offered = |stores: &Stores| matches!(stores, Stores::Rule(pattern) if **pattern == *text);
        let offer = prompt.offers.iter().position(|offer| offer.scope == scope && offered(&offer.stores));
        Ok(offer.map_or(Choice::Pattern { text, scope }, Choice::Offer))
    }

    fn scope_now(&self) -> Option<Scope> {
        self.scopes.get(self.scope).copied()
    }

    /// The rows of the entry.
    pub fn rows(&self, width: usize) -> Vec<Spans> {
        let mut out = vec![line(Tone::Heading, "Enter pattern (e.g. `git status *`):")];
        out.extend(fold::fold(&self.entry.shown(), width, GOES_ON));
        let text = visible(self.entry.text().trim()).into_owned();
        let reach = self.scope_now().map_or("", place);
        match &self.refused {
            Some(why) => out.extend(fold::fold(&line(Tone::Warning, format!("✗ {}", visible(why))), width, GOES_ON)),
            None => {
                out.extend(fold::fold(&line(Tone::Reach, format!("✓ this would allow `{text}` {reach}")), width, GOES_ON));
                if let Some(earlier) = &self.earlier {
                    let tone = if earlier.denied > 0 { Tone::Warning } else { Tone::Text };
                    out.extend(fold::words(tone, &format!("  {}", earlier.words()), width));
                }
            }
        }
        let mut keys = vec![legend::entry("Enter", "save and allow"), legend::entry("Esc", "back")];
        if self.scopes.len() > 1 {
            keys.push(legend::entry("Tab", &format!("how far: {reach}")));
        }
        if self.proposals.len() > 1 {
            keys.push(legend::entry("↑↓", &format!("proposal {} of {}", self.picked + 1, self.proposals.len())));
        }
        out.extend(fold::flow(&keys, 3, width));
        out
    }
}

/// How far a scope reaches, in words.
pub fn place(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "once",
        Scope::Batch => "in this batch",
        Scope::Session => "in this session",
        Scope::Project => "in this project",
        Scope::Always => "everywhere",
    }
}
