//! The answer of the judge: a decision with its risk, its reasons and its terms. Never a bare bool.

use std::sync::Arc;

use crate::digest::Digest;
use crate::effect::Effect;
use crate::evidence::Evidence;
use crate::packed::packed;

/// Allow, ask or deny; later ones are stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// It may run without a question.
    Allow,
    /// A person has to say yes.
    Ask,
    /// It must not run.
    Deny,
}

/// How much harm it could do; later ones are worse, and what is not known is worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// Looks at the workspace.
    Low,
    /// Changes the workspace or talks to the network.
    Medium,
    /// Deletes, leaves the workspace, touches protected or secret files, gains rights.
    High,
    /// Not known, which counts as high.
    Unknown,
}

packed! { enum Decision { Allow, Ask, Deny } }
packed! { enum Risk { Low, Medium, High, Unknown } }

/// How bad a danger is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// No danger.
    #[default]
    None,
    /// Needs two confirmations.
    Dangerous,
    /// Is denied.
    Catastrophic,
}

/// The one scale that people see; later ones are worse. What is not known counts as high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Looks at the workspace.
    Low,
    /// Changes the workspace or talks to the network.
    Medium,
    /// Could do more than that, or cannot be known.
    High,
    /// Needs two confirmations.
    Dangerous,
    /// Is denied.
    Catastrophic,
}

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

/// Under what terms it may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether it may only run under an OS sandbox.
    pub sandbox_required: bool,
    /// Nobody was asked, since it runs in a sandbox that bounds it to the workspace; without one it must not run.
    pub contained: bool,
    /// Which part of the network the sandbox lets it reach.
    pub network: Network,
    /// Folders it may write, absolute.
    pub write: Vec<String>,
    /// Folders it may read only, absolute.
    pub read_only: Vec<String>,
    /// Folders of which it gets only the files with certain endings, absolute.
    pub endings: Vec<Endings>,
    /// What it reads besides, as was judged: files and folders by the paths they really have.
    pub reads: Vec<String>,
    /// What it changes besides, as was judged.
    pub changes: Vec<String>,
    /// git was read to change its own data; only then may it, where nobody was asked.
    pub repository: bool,
    /// The bounds that the operator set, one a policy file; each holds.
    pub bounds: Vec<Bounds>,
    /// Environment variables the call sets.
    pub environment: Vec<(String, String)>,
    /// How long it may run, in seconds.
    pub time_limit: Option<u64>,
    /// How much memory each of its processes may take, in MiB.
    pub memory_limit: Option<u64>,
    /// How many processes it may be at once.
    pub process_limit: Option<u64>,
}

/// Which part of the network a sandboxed command reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// None.
    #[default]
    Nothing,
    /// These hosts, by name; `*.example.org` is every name below.
    Hosts(Vec<String>),
    /// All of it.
    Everything,
}

/// A folder of which only files with certain endings count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endings {
    /// The folder, absolute.
    pub folder: String,
    /// Whether the files may be written.
    pub write: bool,
    /// The endings.
    pub endings: Vec<String>,
}

/// Bounds that an operator set for sandboxed commands; they only ever take away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Nothing else is written; none: nothing is taken away.
    pub write: Option<Vec<String>>,
    /// Nothing else is read, but for what is written; none: nothing is taken away.
    pub read: Option<Vec<String>>,
    /// These are not read either.
    pub hide: Vec<String>,
    /// No more of the network than this.
    pub network: Option<Network>,
}

packed! { enum Network { Nothing, Hosts(hosts), Everything } }
packed! { struct Bounds { write, read, hide, network } }

impl Network {
    /// What both let through.
    pub fn meet(&self, other: &Network) -> Network {
        match (self, other) {
            (Network::Nothing, _) | (_, Network::Nothing) => Network::Nothing,
            (Network::Everything, other) | (other, Network::Everything) => other.clone(),
            (Network::Hosts(one), Network::Hosts(two)) => {
                let below = |name: &String, list: &[String]| {
                    list.iter().any(|pattern| host_within(name, pattern))
                };
                let from_one = one.iter().filter(|name| below(name, two));
                let from_two = two
                    .iter()
                    .filter(|name| below(name, one) && !one.contains(name));
                let both: Vec<String> = from_one.chain(from_two).cloned().collect();
                if both.is_empty() {
                    Network::Nothing
                } else {
                    Network::Hosts(both)
                }
            }
        }
    }

    /// Whether a host is let through. The name is compared as it is; whoever asks has made it small letters without a dot at its end.
    pub fn reaches(&self, host: &str) -> bool {
        match self {
            Network::Nothing => false,
            Network::Hosts(list) => list.iter().any(|pattern| host_within(host, pattern)),
            Network::Everything => true,
        }
    }
}

/// Whether a name, or every name that a pattern stands for, is covered by a pattern.
fn host_within(name: &str, pattern: &str) -> bool {
    name == pattern
        || pattern.strip_prefix('*').is_some_and(|end| {
            end.starts_with('.') && name.len() > end.len() && name.ends_with(end)
        })
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

impl Level {
    /// The level of a risk and a danger.
    pub fn of(risk: Risk, tier: Tier) -> Level {
        match (tier, risk) {
            (Tier::Catastrophic, _) => Level::Catastrophic,
            (Tier::Dangerous, _) => Level::Dangerous,
            (Tier::None, Risk::Low) => Level::Low,
            (Tier::None, Risk::Medium) => Level::Medium,
            (Tier::None, Risk::High | Risk::Unknown) => Level::High,
        }
    }

    /// The same from the words of a record or a document; none where one of them is no such word.
    pub fn from_words(risk: &str, tier: &str) -> Option<Level> {
        Some(Level::of(Risk::from_word(risk)?, Tier::from_word(tier)?))
    }

    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Level::Low => "low",
            Level::Medium => "medium",
            Level::High => "high",
            Level::Dangerous => "dangerous",
            Level::Catastrophic => "catastrophic",
        }
    }

    /// The same where it stands alone: "medium risk", "dangerous".
    pub fn words(self) -> &'static str {
        match self {
            Level::Low => "low risk",
            Level::Medium => "medium risk",
            Level::High => "high risk",
            Level::Dangerous => "dangerous",
            Level::Catastrophic => "catastrophic",
        }
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

impl Decision {
    /// The word used in policy files, JSON and messages.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }

    /// The decision of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Decision::Allow),
            "ask" => Some(Decision::Ask),
            "deny" => Some(Decision::Deny),
            _ => None,
        }
    }
}

impl Risk {
    /// The word used in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
            Risk::Unknown => "unknown",
        }
    }

    /// The risk of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "low" => Some(Risk::Low),
            "medium" => Some(Risk::Medium),
            "high" => Some(Risk::High),
            "unknown" => Some(Risk::Unknown),
            _ => None,
        }
    }
}

impl Tier {
    /// The word used in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Tier::None => "none",
            Tier::Dangerous => "dangerous",
            Tier::Catastrophic => "catastrophic",
        }
    }

    /// The tier of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Tier::None, Tier::Dangerous, Tier::Catastrophic]
            .into_iter()
            .find(|tier| tier.word() == word)
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
