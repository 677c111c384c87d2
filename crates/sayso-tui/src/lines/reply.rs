//! Reads a typed answer to a prompt: what it decides, or what has to be shown or asked before it can.

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::keymap::{Action, Keymap};
use sayso_core::prompt::{Choice, Prompt, Round};

/// What a typed line comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is decided; a denial may carry a note.
    Decided(Choice, Option<String>),
    /// A wider yes: these offers are shown first, and one of them needs a second key.
    Wider(Vec<usize>),
    /// A wider yes with its width behind it (`always folder`, `project docs/**`): it is shown, and needs a second key.
    Kept(Choice),
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
    typed
        .split_once([' ', '\t', ':', '='])
        .map_or((typed, ""), |(first, note)| (first, note.trim()))
}

/// Whether words may stand behind an answer: a denial says why, and what is kept says how wide.
pub fn takes_words(action: Action) -> bool {
    match action {
        Action::Deny | Action::Pattern => true,
        Action::Allow(scope) => scope > Scope::Batch,
        _ => false,
    }
}

/// Reads one line. Nothing but a known key or word decides anything (I-03, I-04).
pub fn read(prompt: &Prompt, keymap: &Keymap, typed: &str) -> Reply {
    let (first, words) = parts(typed);
    let answer = keymap.answer(first);
    let Some(action) = Action::at(answer, prompt) else {
        return Reply::Nothing(if typed.trim().is_empty() {
            "type one of the keys"
        } else {
            "that is none of the keys"
        });
    };
    // At the second of two confirmations everything but a plain yes cancels; only a no has words that are meant for the agent.
    if prompt.round == Round::Second
        && answer != Some(Action::Deny)
        && (action == Action::Deny || !words.is_empty())
    {
        return Reply::Decided(Choice::Deny, None);
    }
    // `y but only if …` is no yes.
    if !words.is_empty() && !takes_words(action) {
        return Reply::Nothing("only a denial and an answer that is kept can carry words");
    }
    match action {
        Action::Deny => Reply::Decided(
            Choice::Deny,
            Some(words.to_owned()).filter(|words| !words.is_empty()),
        ),
        Action::Quit => Reply::Decided(Choice::Quit, None),
        Action::View => Reply::View,
        Action::Help => Reply::Help,
        Action::Allow(scope) if !words.is_empty() => kept(prompt, scope, words),
        Action::Allow(_) | Action::Edits | Action::ServerTool => allow(prompt, action),
        Action::Pattern if prompt.takes_pattern() && words.is_empty() => Reply::Pattern,
        Action::Pattern if prompt.takes_pattern() => match prompt.rule_scopes().first() {
            Some(scope) => Reply::Kept(Choice::Pattern {
                text: words.to_owned(),
                scope: *scope,
            }),
            None => Reply::Nothing("no pattern is offered here"),
        },
        // Where no pattern can be kept, the key means the project.
        Action::Pattern if words.is_empty() => allow(prompt, Action::Allow(Scope::Project)),
        Action::Pattern => Reply::Nothing("no pattern is offered here"),
    }
}

/// An answer with its width: the number or the word of one that is offered, or a pattern of one's own.
fn kept(prompt: &Prompt, scope: Scope, words: &str) -> Reply {
    if let Some(at) = prompt.offer_of_width(scope, words) {
        return Reply::Kept(Choice::Offer(at));
    }
    let choice = Choice::Pattern {
        text: words.to_owned(),
        scope,
    };
    match prompt.takes(&choice) {
        true => Reply::Kept(choice),
        false => Reply::Nothing("that is not offered here"),
    }
}

fn allow(prompt: &Prompt, action: Action) -> Reply {
    let offers = action.offers(prompt);
    match (offers.as_slice(), action) {
        ([], _) => Reply::Nothing("that is not offered here"),
        ([once, ..], Action::Allow(Scope::Once)) => Reply::Decided(Choice::Offer(*once), None),
        _ => Reply::Wider(offers),
    }
}
