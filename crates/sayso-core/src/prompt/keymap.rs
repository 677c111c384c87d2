//! Which key or word answers a prompt: one table a system, so that a screen and a line of text read the same answer (I-01, Z-02).

use crate::answer::grant::GrantKey;
use crate::answer::learned_rule::RuleKey;
use crate::answer::scope::Scope;
use crate::prompt::{Offer, Prompt, Round, Stores};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Yes, as far as this.
    Allow(Scope),
    /// Yes, for what a pattern covers that the person types.
    Pattern,
    /// Yes, and for every edit of the workspace in this session; only where an edit is asked about.
    Edits,
    /// Yes, and for every call of this tool of its MCP server in this session; only where such a tool is asked about.
    ServerTool,
    /// No.
    Deny,
    /// No, and nothing more of this batch.
    Quit,
    /// Show all of it, then ask again.
    View,
    /// Say what the keys do, then ask again.
    Help,
}

/// The keys of one system.
#[derive(Debug, PartialEq, Eq)]
pub struct Keymap {
    /// Its name in policies.
    pub name: &'static str,
    /// Whether a capital letter is the same key. Where it is not, the capital goes further (Z-04).
    folds: bool,
    keys: &'static [(char, Action)],
}

const ONCE: Action = Action::Allow(Scope::Once);
const REST: Action = Action::Allow(Scope::Batch);
const SESSION: Action = Action::Allow(Scope::Session);
const PROJECT: Action = Action::Allow(Scope::Project);
const ALWAYS: Action = Action::Allow(Scope::Always);

/// All keymaps; the first is sayso's own.
pub const KEYMAPS: &[Keymap] = &[
    Keymap {
        name: "sayso",
        folds: true,
        keys: &[
            ('y', ONCE),
            ('n', Action::Deny),
            ('s', SESSION),
            ('p', Action::Pattern),
            ('r', REST),
            ('v', Action::View),
            ('q', Action::Quit),
            ('?', Action::Help),
        ],
    },
    Keymap {
        name: "kollabor-spec",
        folds: true,
        keys: &[
            ('y', ONCE),
            ('n', Action::Deny),
            ('a', REST),
            ('s', SESSION),
            ('q', Action::Quit),
            ('v', Action::View),
            ('?', Action::Help),
        ],
    },
    Keymap {
        name: "llm-do",
        folds: true,
        keys: &[
            ('y', ONCE),
            ('n', Action::Deny),
            ('s', SESSION),
            ('v', Action::View),
            ('q', Action::Quit),
            ('?', Action::Help),
        ],
    },
    Keymap {
        name: "forge",
        folds: false,
        keys: &[
            ('a', ONCE),
            ('d', Action::Deny),
            ('A', ALWAYS),
            ('v', Action::View),
            ('q', Action::Quit),
            ('?', Action::Help),
        ],
    },
    Keymap {
        name: "opencode",
        folds: true,
        keys: &[
            ('o', ONCE),
            ('a', ALWAYS),
            ('p', Action::Pattern),
            ('d', Action::Deny),
            ('v', Action::View),
            ('q', Action::Quit),
            ('?', Action::Help),
        ],
    },
    Keymap {
        name: "kollabor",
        folds: false,
        keys: &[
            ('a', ONCE),
            ('s', SESSION),
            ('p', PROJECT),
            ('A', Action::Edits),
            ('t', Action::ServerTool),
            ('d', Action::Deny),
            ('v', Action::View),
            ('c', Action::Quit),
            ('q', Action::Quit),
            ('?', Action::Help),
        ],
    },
];

/// Words that mean the same under every keymap, for a line of text (I-02).
const WORDS: &[(&str, Action)] = &[
    ("yes", ONCE),
    ("once", ONCE),
    ("no", Action::Deny),
    ("deny", Action::Deny),
    ("all", REST),
    ("rest", REST),
    ("session", SESSION),
    ("project", PROJECT),
    ("always", ALWAYS),
    ("pattern", Action::Pattern),
    ("quit", Action::Quit),
    ("view", Action::View),
    ("help", Action::Help),
];

impl Action {
    /// What an answer means at a prompt. Where nothing follows in a batch, "the rest" is this one. At the second of two confirmations only
    /// yes and stop mean what they say: everything else cancels (P-07).
    pub fn at(answer: Option<Action>, prompt: &Prompt) -> Option<Action> {
        match answer {
            Some(ONCE | Action::Quit) => answer,
            _ if prompt.round == Round::Second => Some(Action::Deny),
            Some(REST) if prompt.is_last() && prompt.offer(Scope::Batch).is_none() => Some(ONCE),
            other => other,
        }
    }

    /// The answers of a prompt that a key stands for, by their index; none where there is no such answer.
    pub fn offers(self, prompt: &Prompt) -> Vec<usize> {
        let is_meant = |offer: &Offer| match self {
            // The second confirmation is one of the answer to the first, however far that goes.
            ONCE if prompt.round == Round::Second => true,
            Action::Allow(scope) => offer.scope == scope,
            Action::Edits => {
                offer.scope == Scope::Session
                    && matches!(offer.stores, Stores::Grant(GrantKey::Edits(_)))
            }
            Action::ServerTool => {
                offer.scope == Scope::Session
                    && matches!(offer.stores, Stores::Grant(GrantKey::McpTool { .. }))
            }
            _ => false,
        };
        prompt
            .offers
            .iter()
            .enumerate()
            .filter(|(_, offer)| is_meant(offer))
            .map(|(at, _)| at)
            .collect()
    }
}

impl Keymap {
    /// The keymap of a name; sayso's own for a name that is not known.
    pub fn named(name: &str) -> &'static Keymap {
        const OWN: &Keymap = &Keymap {
            name: "sayso",
            folds: true,
            keys: &[],
        };
        KEYMAPS
            .iter()
            .find(|keymap| keymap.name == name)
            .or_else(|| KEYMAPS.first())
            .unwrap_or(OWN)
    }

    /// What a key asks for; none for a key that means nothing here, which decides nothing (I-04).
    pub fn key(&self, key: char) -> Option<Action> {
        let key = if self.folds {
            key.to_ascii_lowercase()
        } else {
            key
        };
        self.keys
            .iter()
            .find(|(of, _)| *of == key)
            .map(|(_, action)| *action)
    }

    /// What a typed answer asks for: a key of this map, or a word. Words are whole: `yesterday` is none.
    pub fn answer(&self, typed: &str) -> Option<Action> {
        let mut characters = typed.chars();
        match (characters.next(), characters.next()) {
            (Some(key), None) => self.key(key),
            _ => WORDS
                .iter()
                .find(|(word, _)| word.eq_ignore_ascii_case(typed))
                .map(|(_, action)| *action),
        }
    }

    /// Which of several kept answers is marked first: the narrowest. Only forge proposes the folder of a file that is read (002, workflow 2).
    pub fn first_proposal(&self, prompt: &Prompt, offers: &[usize]) -> usize {
        let is_folder = |at: &usize| {
            prompt
                .offers
                .get(*at)
                .and_then(Offer::rule)
                .is_some_and(|rule| rule.width() == "folder")
        };
        let reads = prompt.rule_key() == Some(RuleKey::Read);
        offers
            .iter()
            .position(is_folder)
            .filter(|_| reads && self.name == "forge")
            .unwrap_or_default()
    }

    /// The words of the answers to a prompt that go further and have no key here; a line takes them all the same.
    pub fn words_without_a_key(&self, prompt: &Prompt) -> Vec<&'static str> {
        let scopes = [Scope::Batch, Scope::Session, Scope::Project, Scope::Always].into_iter();
        let missing = scopes.filter(|scope| {
            prompt.offer(*scope).is_some() && self.key_of(Action::Allow(*scope)).is_none()
        });
        missing
            .map(|scope| {
                if scope == Scope::Batch {
                    "rest"
                } else {
                    scope.word()
                }
            })
            .collect()
    }

    /// Whether the legend names the key for the rest of a batch also where nothing follows, as the prompt of 000 does.
    pub fn names_rest_at_the_end(&self, prompt: &Prompt) -> bool {
        self.name == "kollabor-spec"
            && prompt.offer(Scope::Batch).is_none()
            && Action::at(Some(REST), prompt) == Some(ONCE)
    }

    /// The key of an action, as the legend shows it.
    pub fn key_of(&self, action: Action) -> Option<char> {
        self.keys
            .iter()
            .find(|(_, of)| *of == action)
            .map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        for keymap in KEYMAPS {
            let mut keys: Vec<char> = keymap.keys.iter().map(|(key, _)| *key).collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count, "{}", keymap.name);
            assert!(
                keymap.key_of(Action::Deny).is_some() && keymap.key_of(ONCE).is_some(),
                "{}",
                keymap.name
            );
        }
    }

    #[test]
    fn a_letter_means_what_its_system_says() {
        assert_eq!(Keymap::named("kollabor-spec").answer("a"), Some(REST));
        assert_eq!(Keymap::named("forge").answer("a"), Some(ONCE));
        assert_eq!(
            Keymap::named("forge").answer("A"),
            Some(ALWAYS),
            "Z-04: the capital goes further"
        );
        assert_eq!(Keymap::named("opencode").answer("A"), Some(ALWAYS));
        assert_eq!(
            Keymap::named("sayso").answer("a"),
            None,
            "Z-02: no bare `a` in our own map"
        );
        assert_eq!(Keymap::named("no such map"), Keymap::named("sayso"));
    }

    #[test]
    fn words_are_whole_and_anything_else_decides_nothing() {
        let keymap = Keymap::named("sayso");
        assert_eq!(keymap.answer("YES"), Some(ONCE));
        assert_eq!(keymap.answer("Y"), Some(ONCE));
        for typed in ["", " ", "yesterday", "ye", "y y", "\u{1b}", "ｙ", "yes!"] {
            assert_eq!(keymap.answer(typed), None, "{typed:?}");
        }
    }
}
