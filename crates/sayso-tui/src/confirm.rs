//! A yes that is kept: how far it reaches and how much it covers are two choices, and what is marked is what the second key keeps.

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::{Action, Keymap};
use sayso_core::prompt::{Offer, Prompt};

use crate::fold::{self, GOES_ON, Spans, line};
use crate::key::Key;
use crate::legend;
use crate::patterns::{self, Earlier, Patterns};
use crate::theme::Tone;

/// The choice between the answers of a scope.
pub(crate) struct Confirm {
    /// By their index in the prompt, narrowest first.
    offers: Vec<usize>,
    at: usize,
    /// The scopes that Tab goes through; none where the key stands for one answer.
    scopes: Vec<Scope>,
    earlier: Option<Earlier>,
}

impl Confirm {
    pub(crate) fn open(
        action: Action,
        offers: Vec<usize>,
        prompt: &Prompt,
        keymap: &Keymap,
        patterns: &dyn Patterns,
    ) -> Self {
        let scopes = match action {
            Action::Allow(scope) if scope > Scope::Batch => kept_scopes(prompt),
            _ => Vec::new(),
        };
        let at = keymap.first_proposal(prompt, &offers);
        let mut out = Confirm {
            offers,
            at,
            scopes,
            earlier: None,
        };
        out.look(prompt, patterns);
        out
    }

    /// The answer that is marked, by its index in the prompt.
    pub(crate) fn chosen(&self) -> Option<usize> {
        self.offers.get(self.at).copied()
    }

    fn offer<'p>(&self, prompt: &'p Prompt) -> Option<&'p Offer> {
        prompt.offers.get(self.chosen()?)
    }

    fn look(&mut self, prompt: &Prompt, patterns: &dyn Patterns) {
        self.earlier = self
            .offer(prompt)
            .and_then(|offer| patterns.earlier(&offer.stores, offer.scope, prompt));
    }

    /// Takes a key that chooses; false for every other one.
    pub(crate) fn key(&mut self, key: &Key, prompt: &Prompt, patterns: &dyn Patterns) -> bool {
        let count = self.offers.len().max(1);
        match key {
            Key::Down => self.at = (self.at + 1) % count,
            Key::Up => self.at = (self.at + count - 1) % count,
            Key::Char(digit @ '1'..='9') => {
                let chosen =
                    usize::try_from(u32::from(*digit) - u32::from('1')).unwrap_or(usize::MAX);
                if chosen < self.offers.len() {
                    self.at = chosen;
                }
            }
            Key::Tab if self.scopes.len() > 1 => self.next_scope(prompt, 1),
            Key::BackTab if self.scopes.len() > 1 => self.next_scope(prompt, self.scopes.len() - 1),
            _ => return false,
        }
        self.look(prompt, patterns);
        true
    }

    /// Another scope, with the same width where it has that.
    fn next_scope(&mut self, prompt: &Prompt, step: usize) {
        let Some(before) = self.offer(prompt).cloned() else {
            return;
        };
        let at = self
            .scopes
            .iter()
            .position(|scope| *scope == before.scope)
            .unwrap_or_default();
        let Some(scope) = self.scopes.get((at + step) % self.scopes.len()) else {
            return;
        };
        self.offers = Action::Allow(*scope).offers(prompt);
        let position = |same: &dyn Fn(&Offer) -> bool| {
            self.offers
                .iter()
                .position(|at| prompt.offers.get(*at).is_some_and(same))
        };
        self.at = position(&|offer| offer.stores == before.stores)
            .or_else(|| position(&|offer| offer.width() == before.width()))
            .unwrap_or_default();
    }

    /// What it would keep, word for word, and the keys.
    pub(crate) fn rows(&self, prompt: &Prompt, width: usize) -> Vec<Spans> {
        let mut out = Vec::new();
        let tool = prompt.operation.tool();
        for (number, one) in self
            .offers
            .iter()
            .filter_map(|at| prompt.offers.get(*at))
            .enumerate()
        {
            let words = one.to_confirm(tool);
            let row = match (self.offers.len(), number == self.at) {
                (1, _) => line(Tone::Reach, words),
                (_, true) => line(Tone::Reach, format!("▸ {} {words}", number + 1)),
                (_, false) => line(Tone::Text, format!("  {} {words}", number + 1)),
            };
            out.extend(fold::fold(&row, width, GOES_ON));
        }
        out.extend(
            self.earlier
                .iter()
                .flat_map(|earlier| patterns::row(earlier, prompt, width)),
        );
        let mut keys = vec![
            legend::entry("y", "keep that, and allow this"),
            legend::entry("Esc", "back"),
        ];
        if self.offers.len() > 1 {
            keys.insert(
                1,
                legend::entry(&format!("1-{}", self.offers.len().min(9)), "how wide"),
            );
        }
        if let Some(offer) = self.offer(prompt).filter(|_| self.scopes.len() > 1) {
            keys.push(legend::entry(
                "Tab",
                &format!("how far: {}", offer.scope.place()),
            ));
        }
        if prompt.takes_pattern() {
            keys.push(legend::entry("e", "edit the pattern"));
        }
        out.extend(fold::flow(&keys, 3, width));
        out
    }
}

/// The scopes that are kept and offered, narrowest first.
fn kept_scopes(prompt: &Prompt) -> Vec<Scope> {
    let kept = [Scope::Session, Scope::Project, Scope::Always];
    kept.into_iter()
        .filter(|scope| prompt.offer(*scope).is_some())
        .collect()
}
