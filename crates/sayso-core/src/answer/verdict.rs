//! The answer of the judge: a decision with its risk, its reasons and its terms. Never a bare bool.

use std::sync::Arc;

use crate::analysis::effect::Effect;
use crate::analysis::risk::{Level, Risk, Tier};
use crate::answer::evidence::Evidence;
use crate::policy::decision::Decision;
use crate::policy::terms::Terms;
use crate::text::digest::Digest;

/// How often a person has to say yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confirm {
    /// Not at all.
    None,
    /// Once.
    Single,
    /// Twice, with two fresh keys.
    Double,
}

/// Why the verdict is what it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    /// What this reason alone would decide.
    pub decision: Decision,
    /// The rule's id, or the name of the built-in check.
    pub rule: String,
    /// `file:line` of a rule, or `built-in`.
    pub source: String,
    /// In plain words.
    pub text: String,
    /// A must-ask, which only a rule that names exactly this can silence; a prompt for it offers once and deny only.
    pub must_ask: bool,
    /// Which bytes of the command text made it so, from the first to behind the last.
    pub at: Option<(usize, usize)>,
}

/// The answer to one operation.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub decision: Decision,
    /// The worst risk of its effects.
    pub risk: Risk,
    /// The worst danger.
    pub tier: Tier,
    /// How often a person has to confirm.
    pub confirm: Confirm,
    /// Why, the decisive ones first.
    pub reasons: Vec<Reason>,
    /// What it would do.
    pub effects: Vec<Effect>,
    /// Under what terms it may run.
    pub terms: Terms,
    /// The digest of exactly what was judged.
    pub digest: Digest,
    /// What was tried on the way, for `--explain`.
    pub trace: Vec<String>,
    /// What it rests on; whoever asked the world puts it here.
    pub evidence: Option<Arc<Evidence>>,
}

impl Reason {
    /// Whether it is the built-in check of this name, and not a rule that was given the same name.
    pub fn is_built_in(&self, name: &str) -> bool {
        self.source == "built-in" && self.rule == name
    }
}

impl Reason {
    /// The rule or check behind it and where that comes from, each once: `default, built-in`, `policy.yaml:3`, `grant-55f7…`.
    pub fn place(&self) -> String {
        place(&self.rule, &self.source)
    }
}

/// The same from the fields of an entry. A rule without a name goes by where it comes from, and a grant by its id.
pub fn place(rule: &str, source: &str) -> String {
    match source.strip_prefix("grant ") {
        Some(id) if rule == "grant" => id.to_owned(),
        _ if rule == source || rule.is_empty() => source.to_owned(),
        _ if source.is_empty() => rule.to_owned(),
        _ => format!("{rule}, {source}"),
    }
}

impl Verdict {
    /// How bad it is, on the one scale that people see.
    pub fn level(&self) -> Level {
        Level::of(self.risk, self.tier)
    }

    /// Whether a reason asks that only a rule that names exactly this can silence.
    pub fn must_ask(&self) -> bool {
        self.reasons.iter().any(|reason| reason.must_ask)
    }

    /// The reasons that made the decision, strongest first, each text once.
    pub fn main_reasons(&self) -> Vec<&Reason> {
        let mut out: Vec<&Reason> = Vec::new();
        for reason in self
            .reasons
            .iter()
            .filter(|reason| reason.decision == self.decision)
        {
            if !out.iter().any(|other| other.text == reason.text) {
                out.push(reason);
            }
        }
        out
    }

    /// The one reason to tell: of those that decided, an answer or a rule of somebody before one that is built in.
    pub fn weightiest(&self) -> Option<&Reason> {
        let rank = |reason: &&Reason| match reason.source.as_str() {
            "built-in" => 2,
            source if source.starts_with("grant ") => 0,
            _ => 1,
        };
        let decided = self
            .reasons
            .iter()
            .filter(|reason| reason.decision == self.decision);
        decided.min_by_key(rank).or_else(|| self.reasons.first())
    }
}

impl Confirm {
    /// The word used in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Confirm::None => "none",
            Confirm::Single => "single",
            Confirm::Double => "double",
        }
    }
}
