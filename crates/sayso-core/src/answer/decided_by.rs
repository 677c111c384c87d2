//! Who decided a call. One value for every door: the record keeps its text, people read its words.

use crate::answer::outcome::Outcome;
use crate::answer::rule_id::{Check, RuleId};

/// Who decided a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// A person in the browser, by the name of the login.
    Browser(String),
    /// A person at the terminal where the call was made.
    Terminal,
    /// A person at `sayso watch`.
    Watch,
    /// A person in the dialog of this agent, editor or client.
    Dialog(String),
    /// A person who changed the settings while the question was open.
    Settings,
    /// A program that answers, or a person whom a host knows by this name.
    Named(String),
    /// A rule, a plugin or a script.
    Rule(RuleId),
    /// An answer that was remembered.
    Grant,
    /// A person who let everything run unasked: `--yolo`, `--approve-all`, mode `trust-all`.
    Bypass,
    /// The policy: its mode, its defaults, what is built in.
    Policy,
    /// Nobody answered in time.
    Timeout,
    /// There was nobody to ask, or the question was taken back.
    Nobody,
}

/// How the text of a dialog starts.
const DIALOG: &str = "the dialog of ";
/// How the text of a login in a browser starts.
const BROWSER: &str = "browser";
/// A program that has the token for answering.
const TOKEN: &str = "token";
/// How the text of another program at the socket starts.
const PROCESS: &str = "process ";

impl DecidedBy {
    /// Who decided, by what is known of a decision: how it ended, who answered, and which reason counted.
    pub fn new(outcome: Outcome, answered: Option<DecidedBy>, rule: Option<&RuleId>) -> DecidedBy {
        match (outcome, answered) {
            (_, Some(by)) => by,
            (Outcome::TimedOut, None) => DecidedBy::Timeout,
            (Outcome::Nobody | Outcome::Cancelled, None) => DecidedBy::Nobody,
            _ => rule.map_or(DecidedBy::Policy, DecidedBy::rule),
        }
    }

    fn rule(rule: &RuleId) -> DecidedBy {
        match rule {
            RuleId::Grant(_) => DecidedBy::Grant,
            RuleId::BuiltIn(Check::Bypass) => DecidedBy::Bypass,
            RuleId::BuiltIn(_) | RuleId::OtherBuiltIn(_) => DecidedBy::Policy,
            // An entry that says nothing of it.
            RuleId::Policy { source, .. } if source.is_empty() => DecidedBy::Policy,
            other => DecidedBy::Rule(other.clone()),
        }
    }

    /// The text in the record and in JSON.
    pub fn text(&self) -> String {
        match self {
            DecidedBy::Browser(login) if login.starts_with(BROWSER) => login.clone(),
            DecidedBy::Browser(_) => BROWSER.to_owned(),
            DecidedBy::Terminal => "terminal".to_owned(),
            DecidedBy::Watch => "watch".to_owned(),
            DecidedBy::Dialog(whose) => format!("{DIALOG}{whose}"),
            DecidedBy::Settings => "settings".to_owned(),
            DecidedBy::Named(name) => name.clone(),
            DecidedBy::Rule(_) => "rule".to_owned(),
            DecidedBy::Grant => "grant".to_owned(),
            DecidedBy::Bypass => "bypass".to_owned(),
            DecidedBy::Policy => "policy".to_owned(),
            DecidedBy::Timeout => "timeout".to_owned(),
            DecidedBy::Nobody => "nobody".to_owned(),
        }
    }

    /// Who answered, by such a text. A text that no door writes is a name.
    pub fn from_text(text: &str) -> DecidedBy {
        let is_login = |rest: &str| {
            rest.is_empty()
                || rest
                    .strip_prefix(' ')
                    .is_some_and(|number| number.bytes().all(|one| one.is_ascii_digit()))
        };
        match text {
            "terminal" => DecidedBy::Terminal,
            "watch" => DecidedBy::Watch,
            "settings" => DecidedBy::Settings,
            "grant" => DecidedBy::Grant,
            "policy" => DecidedBy::Policy,
            "timeout" => DecidedBy::Timeout,
            "nobody" => DecidedBy::Nobody,
            _ if text.strip_prefix(BROWSER).is_some_and(is_login) => {
                DecidedBy::Browser(text.to_owned())
            }
            _ => match text.strip_prefix(DIALOG) {
                Some(whose) => DecidedBy::Dialog(whose.to_owned()),
                None => DecidedBy::Named(text.to_owned()),
            },
        }
    }

    /// Whether a person answered, at a place of sayso's or in a dialog.
    pub fn is_person(&self) -> bool {
        matches!(
            self,
            DecidedBy::Browser(_)
                | DecidedBy::Terminal
                | DecidedBy::Watch
                | DecidedBy::Dialog(_)
                | DecidedBy::Settings
        )
    }

    /// Who decided, behind "by", for the person who owns this machine. A name is as somebody gave it, and not yet fit to be shown.
    pub fn words(&self) -> String {
        match self {
            DecidedBy::Browser(_) => "you, in the browser".to_owned(),
            DecidedBy::Terminal => "you, in the terminal".to_owned(),
            DecidedBy::Watch => "you, in the terminal (`sayso watch`)".to_owned(),
            DecidedBy::Dialog(whose) => match whose.strip_suffix('s') {
                Some(_) => format!("you, in {whose}' dialog"),
                None => format!("you, in {whose}'s dialog"),
            },
            DecidedBy::Settings => "you, by a change of the settings".to_owned(),
            DecidedBy::Named(name) if name == TOKEN => {
                "a program with the token for answering".to_owned()
            }
            DecidedBy::Named(name) if name.starts_with(PROCESS) => {
                format!("a program at the inbox ({name})")
            }
            DecidedBy::Named(name) => name.clone(),
            DecidedBy::Rule(rule) => match (rule.name(), rule.source()) {
                (name, source) if name == source => format!("the rule at {source}"),
                (name, source) => format!("the rule `{name}` ({source})"),
            },
            DecidedBy::Grant => "you, by an earlier answer".to_owned(),
            DecidedBy::Bypass => "you, by letting everything run unasked".to_owned(),
            DecidedBy::Policy => "the policy".to_owned(),
            DecidedBy::Timeout => "nobody in time".to_owned(),
            DecidedBy::Nobody => "no one".to_owned(),
        }
    }
}

impl From<&str> for DecidedBy {
    fn from(text: &str) -> Self {
        DecidedBy::from_text(text)
    }
}

impl From<String> for DecidedBy {
    fn from(text: String) -> Self {
        DecidedBy::from_text(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_back_from_its_text() {
        let all = [
            DecidedBy::Browser("browser 2".to_owned()),
            DecidedBy::Terminal,
            DecidedBy::Watch,
            DecidedBy::Dialog("Claude Code".to_owned()),
            DecidedBy::Settings,
            DecidedBy::Named("ann".to_owned()),
        ];
        for by in all {
            assert_eq!(DecidedBy::from_text(&by.text()), by);
            assert!(!by.words().contains("browser 2"), "{by:?}");
        }
        assert_eq!(
            DecidedBy::from_text("browser extension"),
            DecidedBy::Named("browser extension".to_owned())
        );
    }

    #[test]
    fn a_decision_without_an_answer_names_what_decided() {
        let by = |outcome, rule: &str, source: &str| {
            DecidedBy::new(outcome, None, Some(&RuleId::from_recorded(rule, source))).words()
        };
        assert_eq!(
            by(Outcome::AutoApproved, "read-only", "built-in"),
            "the policy"
        );
        assert_eq!(
            by(Outcome::AutoApproved, "grant", "grant grant-1-ab"),
            "you, by an earlier answer"
        );
        assert_eq!(
            by(Outcome::Blocked, "no-push", "policy.yaml:3"),
            "the rule `no-push` (policy.yaml:3)"
        );
        assert_eq!(
            by(Outcome::Blocked, "policy.yaml:3", "policy.yaml:3"),
            "the rule at policy.yaml:3"
        );
        assert_eq!(by(Outcome::TimedOut, "ask", "built-in"), "nobody in time");
        assert_eq!(by(Outcome::Nobody, "ask", "built-in"), "no one");
        let person = Some(DecidedBy::Browser("browser 1".to_owned()));
        assert_eq!(
            DecidedBy::new(Outcome::Approved, person, None).words(),
            "you, in the browser"
        );
    }
}
