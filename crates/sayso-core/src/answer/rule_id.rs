//! What decided: a built-in check, a rule, a remembered answer, a plugin. Shown and recorded as a name and a source.

use std::borrow::Cow;
use std::fmt;

use crate::answer::grant::Grant;
use crate::text::words::words;

words! {
    /// A check that is built in, by the name it has in records and messages.
    pub enum Check {
        BadAddress = "bad-address", BlockedTool = "blocked-tool", Bypass = "bypass",
        Catastrophic = "catastrophic", ConfirmAll = "confirm-all", Contained = "contained",
        Dangerous = "dangerous", Default = "default", Delete = "delete",
        DeleteNothing = "delete-nothing", Disabled = "disabled", Edit = "edit",
        Expansion = "expansion", Folder = "folder", HardLink = "hard-link",
        HighRiskPattern = "high-risk-pattern", Ignored = "ignored", Malformed = "malformed",
        McpChanged = "mcp-changed", McpOdd = "mcp-odd", NewCopy = "new-copy",
        NewFolder = "new-folder", NoAnswer = "no-answer", NotCovered = "not-covered",
        NothingKnown = "nothing-known", OddName = "odd-name", OddPath = "odd-path",
        Opaque = "opaque", Outside = "outside", Overwrite = "overwrite", OwnFiles = "own-files",
        PathRoot = "path-root", Policy = "policy", PreApproved = "pre-approved",
        PrivateAddress = "private-address", Privilege = "privilege", Program = "program",
        Protected = "protected", ReadOnly = "read-only", ReadsDenied = "reads-denied",
        Risk = "risk", SafeCommand = "safe-command", SafePath = "safe-path", Sandbox = "sandbox",
        Secret = "secret", ShellDefault = "shell-default", ShellRule = "shell-rule",
        ToolAsks = "tool-asks", ToolBlocked = "tool-blocked", TrustedTool = "trusted-tool",
        Unanswered = "unanswered", UnknownPath = "unknown-path", UnknownTool = "unknown-tool",
    }
}

/// The source of every built-in check.
pub const BUILT_IN: &str = "built-in";
/// The name of every remembered answer.
const GRANT: &str = "grant";

/// The id of a remembered answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GrantId(String);

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleId {
    /// A check that is built in.
    BuiltIn(Check),
    /// A check with the name of a version that knows more or others: it only comes out of a record.
    OtherBuiltIn(String),
    /// A check for which a policy file gives the terms, with the `file:line` of these.
    Setting {
        /// The check.
        check: Check,
        /// `file:line`.
        source: String,
    },
    /// A rule of a policy file, or one that was learned.
    Policy {
        /// Its id.
        id: String,
        /// `file:line`, and the same as the id where the rule has no name.
        source: String,
    },
    /// A remembered answer.
    Grant(GrantId),
    /// A plugin.
    Plugin {
        /// Its name.
        name: String,
    },
    /// What was found in a script that the command runs.
    Script {
        /// The script.
        name: String,
        /// What decided there.
        rule: Box<RuleId>,
    },
}

impl RuleId {
    /// The rule's id, or the name of the check.
    pub fn name(&self) -> &str {
        match self {
            RuleId::BuiltIn(check) | RuleId::Setting { check, .. } => check.word(),
            RuleId::OtherBuiltIn(name) | RuleId::Plugin { name } => name,
            RuleId::Policy { id, .. } => id,
            RuleId::Grant(_) => GRANT,
            RuleId::Script { rule, .. } => rule.name(),
        }
    }

    /// `file:line` of a rule, or `built-in`, `grant …`, `plugin …`, `script …, …`.
    pub fn source(&self) -> Cow<'_, str> {
        match self {
            RuleId::BuiltIn(_) | RuleId::OtherBuiltIn(_) => BUILT_IN.into(),
            RuleId::Setting { source, .. } | RuleId::Policy { source, .. } => source.into(),
            RuleId::Grant(id) => format!("grant {id}").into(),
            RuleId::Plugin { name } => format!("plugin {name}").into(),
            RuleId::Script { name, rule } => format!("script {name}, {}", rule.source()).into(),
        }
    }

    /// The reader of name and source as a record, a held approval or another program has them.
    pub fn from_recorded(name: &str, source: &str) -> RuleId {
        if source == BUILT_IN {
            return Check::from_word(name)
                .map_or_else(|| RuleId::OtherBuiltIn(name.to_owned()), RuleId::BuiltIn);
        }
        if let Some(id) = source.strip_prefix("grant ") {
            return RuleId::Grant(GrantId(id.to_owned()));
        }
        if let Some(plugin) = source.strip_prefix("plugin ") {
            return RuleId::Plugin {
                name: plugin.to_owned(),
            };
        }
        let script = source
            .strip_prefix("script ")
            .and_then(|rest| rest.rsplit_once(", "));
        match script {
            Some((script, source)) => RuleId::Script {
                name: script.to_owned(),
                rule: Box::new(RuleId::from_recorded(name, source)),
            },
            None => RuleId::Policy {
                id: name.to_owned(),
                source: source.to_owned(),
            },
        }
    }

    /// Name and source, each once: `default, built-in`, `policy.yaml:3`, `grant-55f7…`. A rule without a name goes by where it comes from, and
    /// a grant by its id.
    pub fn place(&self) -> String {
        if let RuleId::Grant(id) = self {
            return id.to_string();
        }
        let (name, source) = (self.name(), self.source());
        match (name.is_empty(), source.is_empty()) {
            (true, _) => source.into_owned(),
            _ if name == source => source.into_owned(),
            (_, true) => name.to_owned(),
            _ => format!("{name}, {source}"),
        }
    }

    /// Whether no rule of anybody is behind it.
    pub fn is_built_in(&self) -> bool {
        matches!(self, RuleId::BuiltIn(_) | RuleId::OtherBuiltIn(_))
    }

    /// The remembered answer, if one decided.
    pub fn grant(&self) -> Option<&GrantId> {
        match self {
            RuleId::Grant(id) => Some(id),
            _ => None,
        }
    }

    /// The same where it was found in a script: then it refers to the finding.
    pub fn in_command(&self) -> &RuleId {
        match self {
            RuleId::Script { rule, .. } => rule.in_command(),
            other => other,
        }
    }
}

impl GrantId {
    /// Whether it is the id of this one.
    pub fn is_of(&self, grant: &Grant) -> bool {
        self.0 == grant.id
    }
}

impl From<&Grant> for GrantId {
    fn from(grant: &Grant) -> Self {
        GrantId(grant.id.clone())
    }
}

impl AsRef<str> for GrantId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_is_read_back() {
        let built_in = RuleId::BuiltIn(Check::Delete);
        let rule = RuleId::Policy {
            id: "no-push".to_owned(),
            source: "policy.yaml:3".to_owned(),
        };
        let in_script = |rule: &RuleId| RuleId::Script {
            name: "a, b.sh".to_owned(),
            rule: Box::new(rule.clone()),
        };
        let all = [
            RuleId::OtherBuiltIn("of-tomorrow".to_owned()),
            RuleId::Grant(GrantId("grant-1-ab".to_owned())),
            RuleId::Plugin {
                name: "house".to_owned(),
            },
            in_script(&built_in),
            in_script(&rule),
            built_in,
            rule,
        ];
        for id in all {
            assert_eq!(RuleId::from_recorded(id.name(), &id.source()), id);
        }
        // What a person named like a check is a rule all the same.
        let named = RuleId::from_recorded("delete", "policy.yaml:3");
        assert!(!named.is_built_in() && named.name() == "delete");
    }

    #[test]
    fn a_place_names_each_thing_once() {
        let place = |name: &str, source: &str| RuleId::from_recorded(name, source).place();
        assert_eq!(place("default", "built-in"), "default, built-in");
        assert_eq!(place("policy.yaml:3", "policy.yaml:3"), "policy.yaml:3");
        assert_eq!(place("", "policy.yaml:3"), "policy.yaml:3");
        assert_eq!(place("no-push", ""), "no-push");
        assert_eq!(place("grant", "grant grant-1-ab"), "grant-1-ab");
    }

    #[test]
    fn each_check_has_a_word_of_its_own() {
        for word in Check::WORDS {
            assert_eq!(Check::from_word(word).map(Check::word), Some(*word));
        }
    }
}
