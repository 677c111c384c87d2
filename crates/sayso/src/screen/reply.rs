//! Reads a typed answer to a prompt: what it decides, or what has to be shown or asked before it can.

use sayso_core::keymap::{Action, Keymap};
use sayso_core::prompt::{Choice, Prompt, Scope, Stores};

/// What a typed line comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is decided; a denial may carry a note.
    Decided(Choice, Option<String>),
    /// A wider yes: these offers are shown first, and one of them needs a second key.
    Wider(Vec<usize>),
    /// A pattern is typed next.
    Pattern,
    /// Show all of it.
    View,
    /// Say what the keys do.
    Help,
    /// It decides nothing; these words say why.
    Nothing(&'static str),
}

/// The key or word of a typed line, and the words behind it.
pub fn parts(typed: &str) -> (&str, &str) {
    let typed = typed.trim();
    typed.split_once([' ', '\t', ':', '=']).map_or((typed, ""), |(first, note)| (first, note.trim()))
}

/// Reads one line. Nothing but a known key or word decides anything (I-03, I-04).
pub fn read(prompt: &Prompt, keymap: &Keymap, typed: &str) -> Reply {
    let (first, note) = parts(typed);
    let Some(action) = keymap.answer(first) else {
        return Reply::Nothing(if typed.trim().is_empty() { "type one of the keys" } else { "that is none of the keys" });
    };
    if action == Action::Deny {
        return Reply::Decided(Choice::Deny, Some(note.to_owned()).filter(|note| !note.is_empty()));
    }
    // Only a denial takes words: `y but only if …` is no yes.
    if !note.is_empty() {
        return Reply::Nothing("only a denial can carry words");
    }
    match action {
        Action::Deny => Reply::Decided(Choice::Deny, None),
        Action::Quit => Reply::Decided(Choice::Quit, None),
        Action::View => Reply::View,
        Action::Help => Reply::Help,
        Action::Allow(_) | Action::Edits | Action::ServerTool => allow(prompt, action),
        Action::Pattern if prompt.offers.iter().any(|offer| matches!(offer.stores, Stores::Rule(_))) => Reply::Pattern,
        // Where no pattern can be kept, the key means the project.
        Action::Pattern => allow(prompt, Action::Allow(Scope::Project)),
    }
}

fn allow(prompt: &Prompt, action: Action) -> Reply {
    let offers = action.offers(prompt);
    match (offers.as_slice(), action) {
        ([], _) => Reply::Nothing("that is not offered here"),
        ([once], Action::Allow(Scope::Once)) => Reply::Decided(Choice::Offer(*once), None),
        _ => Reply::Wider(offers),
    }
}
