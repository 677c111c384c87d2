//! How much harm an effect could do: its risk, its danger, and the one scale that people see.

use crate::packed::packed;

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
