//! An open question to the person: what is asked, which answers it takes, and how it can end.

pub mod keymap;
pub mod patterns;
pub mod presentation;

use std::sync::Arc;

use crate::analysis::risk::{Risk, Tier};
use crate::answer::decided_by::DecidedBy;
use crate::answer::grant::GrantKey;
use crate::answer::learned_rule::RuleKey;
use crate::answer::scope::Scope;
use crate::answer::verdict::{Confirm, Verdict};
use crate::call::operation::Operation;
use crate::prompt::keymap::Action;
use crate::prompt::presentation::Presentation;
use crate::text::digest::Digest;
use crate::text::visible::visible;

/// A question to the person. It is made from the frozen operation and nothing else, so what is shown is what would run.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Its id; never used twice, and hard to guess.
    pub id: String,
    /// What is asked about.
    pub operation: Arc<Operation>,
    /// Why it is asked.
    pub verdict: Arc<Verdict>,
    /// The heading: "Tool Execution Approval Required".
    pub title: String,
    /// One sentence on who wants to do what: "Claude wants to edit src/greet.py". Every door starts with it.
    pub sentence: String,
    /// Why it is asked, the strongest first, each thing once, and without what the sentence says already.
    pub why: Vec<Why>,
    /// One line on what would happen, in the words of the first specification, free of anything that could hide or move.
    pub description: String,
    /// What the person looks at.
    pub presentation: Presentation,
    /// Which of how many confirmations this is.
    pub round: Round,
    /// Which operation of how many in its batch.
    pub place: Option<Position>,
    /// The other operations that the answer is for, too: an explicit group.
    pub group: Vec<Member>,
    /// Prompts that wait and are alike, and where this one differs from the first of them.
    pub alike: Option<Alike>,
    /// The answers that say yes, narrowest first. To deny and to quit is always possible.
    pub offers: Vec<Offer>,
    /// How it is shown.
    pub style: Style,
    /// When it was asked, in seconds since 1970.
    pub asked: i64,
    /// After how many seconds without an answer it is denied; none waits.
    pub timeout: Option<u64>,
}

/// One thing that speaks for looking closely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// A whole sentence, as it can be shown.
    pub text: String,
    /// A warning, which stands out; otherwise only a reason.
    pub is_warning: bool,
    /// The rule behind it and where that stands, if somebody wrote one; checks that are built in are for the details.
    pub rule: Option<String>,
}

/// Which of how many confirmations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// One answer is enough.
    Only,
    /// The first of two.
    First,
    /// The second of two, after a yes to the first.
    Second,
}

/// Which one of how many, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// This one.
    pub index: usize,
    /// All of them.
    pub total: usize,
}

/// Another operation that a grouped prompt is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The operation's digest.
    pub digest: Digest,
    /// One line on what would happen.
    pub description: String,
    /// What the person looks at.
    pub presentation: Presentation,
}

/// Prompts that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// How many are open, this one among them.
    pub count: usize,
    /// Where this one differs from the first of them.
    pub differs: Vec<String>,
}

/// How a prompt is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// In front of everything.
    Modal,
    /// In the status area.
    Status,
    /// In the flow of the output.
    Inline,
}

/// An answer that says yes, with what it would store, in words that say exactly that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How far it goes.
    pub scope: Scope,
    /// What it would store.
    pub stores: Stores,
    /// The same for the person: "allow `cargo test *` in this project".
    pub words: String,
}

/// What a yes would store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stores {
    /// Nothing.
    Nothing,
    /// A grant for what this covers.
    Grant(GrantKey),
    /// A rule, as a policy file has it.
    Rule(RuleText),
}

/// A rule in the words of a policy file: `read: docs/**`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// What it is about.
    pub key: RuleKey,
    /// The pattern.
    pub pattern: Arc<str>,
}

/// What somebody says to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The prompt that was seen.
    pub prompt: String,
    /// The digest that was shown with it; another one is another question.
    pub digest: Digest,
    /// The answer.
    pub choice: Choice,
    /// What the agent is told, for a denial.
    pub note: Option<String>,
    /// The key or word that was typed; none where an answer came without one, such as from a program.
    pub typed: Option<String>,
}

/// The answer itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes, by the offer with this index.
    Offer(usize),
    /// Yes, and keep a rule with a pattern of the person's own, about what the prompt is about, for this session or longer.
    Pattern {
        /// As it was typed.
        text: String,
        /// How far it reaches.
        scope: Scope,
    },
    /// No.
    Deny,
    /// No, and nothing more of this batch.
    Quit,
}

/// How a prompt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Somebody answered.
    Answered {
        /// What was said.
        answer: Answer,
        /// Who said it, as the door vouches for it.
        by: DecidedBy,
    },
    /// Nobody answered in time.
    TimedOut,
    /// The host took the call back, or sayso shut down.
    Cancelled,
    /// There is nobody who could answer.
    Nobody,
    /// The prompt could not be shown or was lost: a denial.
    Failed(String),
}

impl Prompt {
    /// The answer with this choice.
    pub fn answer(&self, choice: Choice) -> Answer {
        Answer {
            prompt: self.id.clone(),
            digest: self.operation.digest(),
            choice,
            note: None,
            typed: None,
        }
    }

    /// The title as a screen shows it: a sign that some terminals draw wider than others is left in its narrow form.
    pub fn title_in_cells(&self) -> String {
        self.title.replace('\u{fe0f}', "")
    }

    /// The word of a choice, as records and messages have it.
    pub fn word_of(&self, choice: &Choice) -> &'static str {
        match choice {
            Choice::Offer(index) => self
                .offers
                .get(*index)
                .map_or("once", |offer| offer.scope.word()),
            Choice::Pattern { .. } => "pattern",
            Choice::Deny => "deny",
            Choice::Quit => "quit",
        }
    }

    /// Whether Enter may be a yes, where the policy lets it be one (Z-03): never for a second confirmation, a high risk or a must-ask.
    pub fn is_routine(&self) -> bool {
        self.round == Round::Only
            && self.verdict.confirm != Confirm::Double
            && self.verdict.tier == Tier::None
            && matches!(self.verdict.risk, Risk::Low | Risk::Medium)
            && !self.verdict.reasons.iter().any(|reason| reason.must_ask)
            && self.offer(Scope::Once).is_some()
    }

    /// Whether nothing follows in its batch.
    pub fn is_last(&self) -> bool {
        self.place.is_none_or(|place| place.index >= place.total)
    }

    /// The second of two questions: the same operation, and only the answer that was given to the first, to confirm it.
    pub fn second(&self, id: String, asked: i64, choice: &Choice) -> Option<Prompt> {
        let offer = match choice {
            Choice::Offer(index) => self.offers.get(*index)?.clone(),
            Choice::Pattern { text, scope } => Offer {
                scope: *scope,
                stores: Stores::Rule(RuleText {
                    key: self.rule_key()?,
                    pattern: text.as_str().into(),
                }),
                words: format!("allow `{}` ({})", visible(text), scope.word()),
            },
            Choice::Deny | Choice::Quit => return None,
        };
        Some(Prompt {
            id,
            round: Round::Second,
            asked,
            offers: vec![offer],
            ..self.clone()
        })
    }

    /// The offer that a program's yes as far as this means: one of that scope, or what the same answer of a person would mean here.
    pub fn yes(&self, scope: Scope) -> Option<usize> {
        let meant = || {
            Action::at(Some(Action::Allow(scope)), self)?
                .offers(self)
                .first()
                .copied()
        };
        // Outside of a batch a program has no reason to speak of its rest.
        let can_mean = self.place.is_some() || self.round == Round::Second;
        self.offer(scope).or_else(|| can_mean.then(meant).flatten())
    }

    /// The index of the first offer with a scope.
    pub fn offer(&self, scope: Scope) -> Option<usize> {
        self.offers.iter().position(|offer| offer.scope == scope)
    }

    /// The yes that "always" means at a door where no offer is named: the narrowest one that is kept for this scope. A door that names no
    /// scope means the session of the call, and nothing wider.
    pub fn always(&self, scope: Option<Scope>) -> Option<Choice> {
        let scope = scope.unwrap_or(Scope::Session);
        self.offer(scope)
            .filter(|_| scope > Scope::Batch)
            .map(Choice::Offer)
    }

    /// The yes with a pattern of the person's own, for this scope; for the session of the call where none is named.
    pub fn own_pattern(&self, text: &str, scope: Option<Scope>) -> Option<Choice> {
        let choice = Choice::Pattern {
            text: text.to_owned(),
            scope: scope.unwrap_or(Scope::Session),
        };
        let has_session = !self.operation.session().is_empty();
        Some(choice).filter(|choice| {
            self.takes(choice)
                && (has_session || scope.is_some_and(|scope| scope != Scope::Session))
        })
    }

    /// How far a yes goes, by the value that stores it; none for a no.
    pub fn scope_of(&self, choice: &Choice) -> Option<Scope> {
        match choice {
            Choice::Offer(index) => self.offers.get(*index).map(|offer| offer.scope),
            Choice::Pattern { scope, .. } => Some(*scope),
            Choice::Deny | Choice::Quit => None,
        }
    }

    /// Whether the choice is one that this prompt takes.
    pub fn takes(&self, choice: &Choice) -> bool {
        match choice {
            Choice::Deny | Choice::Quit => true,
            Choice::Offer(index) => *index < self.offers.len(),
            // A pattern of one's own is as wide as the widest rule that is offered, and for nothing that must be asked.
            Choice::Pattern { scope, .. } => {
                self.takes_pattern()
                    && *scope > Scope::Batch
                    && self
                        .rule_scopes()
                        .last()
                        .is_some_and(|widest| scope <= widest)
            }
        }
    }
}

impl RuleText {
    /// A rule of commands.
    pub fn command(pattern: &str) -> RuleText {
        RuleText {
            key: RuleKey::Command,
            pattern: pattern.into(),
        }
    }
}

impl Prompt {
    /// What a rule from this prompt is about; none where no pattern can be kept.
    pub fn rule_key(&self) -> Option<RuleKey> {
        self.offers
            .iter()
            .find_map(Offer::rule)
            .map(|rule| rule.key)
    }

    /// Whether a person may type a pattern of their own. A tool has only its name.
    pub fn takes_pattern(&self) -> bool {
        self.rule_key().is_some_and(|key| key != RuleKey::Tool)
    }

    /// The patterns that are proposed, narrowest first.
    pub fn proposed(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for rule in self.offers.iter().filter_map(Offer::rule) {
            if !out.contains(&&*rule.pattern) {
                out.push(&rule.pattern);
            }
        }
        out
    }

    /// How far a rule from this prompt may reach, narrowest first.
    pub fn rule_scopes(&self) -> Vec<Scope> {
        let mut out: Vec<Scope> = self
            .offers
            .iter()
            .filter(|offer| offer.rule().is_some())
            .map(|offer| offer.scope)
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The offer of a scope and a width: a number from 1, or a word that [`Offer::width`] gives.
    pub fn offer_of_width(&self, scope: Scope, width: &str) -> Option<usize> {
        let mut of_scope = self
            .offers
            .iter()
            .enumerate()
            .filter(|(_, offer)| offer.scope == scope);
        match width.parse::<usize>() {
            Ok(number) => of_scope.nth(number.checked_sub(1)?).map(|(at, _)| at),
            Err(_) => of_scope
                .find(|(_, offer)| offer.width().eq_ignore_ascii_case(width))
                .map(|(at, _)| at),
        }
    }
}

impl Offer {
    /// The rule that it stores.
    pub fn rule(&self) -> Option<&RuleText> {
        match &self.stores {
            Stores::Rule(rule) => Some(rule),
            _ => None,
        }
    }

    /// What keeping it means, as a question or a sentence to confirm.
    pub fn to_confirm(&self, tool: &str) -> String {
        match &self.stores {
            Stores::Rule(rule) if rule.key == RuleKey::Command => rule.question(tool, self.scope),
            Stores::Rule(rule) => format!(
                "{} This would {}",
                rule.question(tool, self.scope),
                self.words
            ),
            _ => format!("this would {}", self.words),
        }
    }

    /// How much it covers, in one word. The same scope may be offered in several widths, and the same width in several scopes.
    pub fn width(&self) -> &'static str {
        match &self.stores {
            Stores::Nothing => "call",
            Stores::Grant(key) => match key {
                GrantKey::Exact(_) | GrantKey::Payload { .. } => "call",
                GrantKey::AnyContent { .. } => "file",
                GrantKey::McpTool { .. } => "tool",
                GrantKey::Reads(_) | GrantKey::Edits(_) => "workspace",
                GrantKey::RestOfBatch => "batch",
                GrantKey::Command { .. } | GrantKey::Rule(_) => "pattern",
            },
            Stores::Rule(rule) => rule.width(),
        }
    }
}

impl RuleText {
    /// The question that confirms it, for a call of this tool. The pattern in it is the one that is stored.
    pub fn question(&self, tool: &str, scope: Scope) -> String {
        let pattern = visible(&self.pattern);
        match self.key {
            RuleKey::Command => format!("Create rule for `{pattern}` {}?", scope.place()),
            RuleKey::Tool => format!("Create rule for {pattern} {}?", scope.place()),
            RuleKey::Read | RuleKey::Write | RuleKey::Fetch => {
                format!("Create rule for {} on {pattern}?", visible(tool))
            }
        }
    }

    /// How much it covers, in one word.
    pub fn width(&self) -> &'static str {
        let is_open = self.pattern.ends_with("/**");
        match self.key {
            RuleKey::Command if self.pattern.ends_with(" *") => "pattern",
            RuleKey::Command => "words",
            RuleKey::Read | RuleKey::Write if is_open => "folder",
            RuleKey::Read | RuleKey::Write => "file",
            RuleKey::Fetch if is_open => "host",
            RuleKey::Fetch => "url",
            RuleKey::Tool => "tool",
        }
    }
}

impl Round {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Round::Only => "only",
            Round::First => "first",
            Round::Second => "second",
        }
    }
}

impl Style {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Style::Modal => "modal",
            Style::Status => "status",
            Style::Inline => "inline",
        }
    }
}
